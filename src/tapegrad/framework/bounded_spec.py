"""`BoundedTensorSpec` of ``tensorflow.python.framework.tensor_spec``: a spec with limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.dtypes import as_dtype
from tapegrad.framework.spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """A `tf.TensorSpec` whose values lie between ``minimum`` and ``maximum``; both may be arrays.

    Raises:
        ValueError: a limit is None, or does not broadcast to the shape.
    """

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._limit("minimum", minimum)
        self._maximum = self._limit("maximum", maximum)

    def _limit(self, what: str, value: Any) -> Any:
        if value is None:
            raise ValueError(f"`{what}` can not be None.")
        limit = np.array(value, as_dtype(self.dtype).as_numpy_dtype)
        sizes = [] if self.shape.rank is None else self.shape.as_list()
        pairs = zip(limit.shape[::-1], sizes[::-1], strict=False)
        if not all(mine == 1 or theirs in (None, mine) for mine, theirs in pairs):
            raise ValueError(f"`{what}` {value} is not compatible with shape {self.shape}.")
        limit.setflags(write=False)
        return limit

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Any:
        """A spec with the limits of ``spec``, or with the limits of its dtype."""
        dtype = as_dtype(spec.dtype)
        minimum = getattr(spec, "minimum", dtype.min)
        maximum = getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> Any:
        """The smallest values."""
        return self._minimum

    @property
    def maximum(self) -> Any:
        """The largest values."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self.minimum!r}, maximum={self.maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and super().__eq__(other)
            and np.allclose(self.minimum, other.minimum)
            and np.allclose(self.maximum, other.maximum)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))

    def __reduce__(self) -> Any:
        return type(self), (self.shape, self.dtype, self.minimum, self.maximum, self.name)
