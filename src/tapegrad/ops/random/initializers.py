"""Functions of a shape that make the first values of variables: ``tf.zeros_initializer()`` and its like."""

from __future__ import annotations

from typing import Any, Self

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.framework.printed import Printed
from tapegrad.ops.random import draws
from tapegrad.ops.shape import creation

PUBLIC = {
    ".": (
        "constant_initializer ones_initializer random_normal_initializer "
        "random_uniform_initializer zeros_initializer"
    ),
}


class Initializer(Printed):
    """A callable that makes a tensor from a shape and a dtype. `get_config` returns its arguments.

    The keyword ``partition_shape`` requests one part of that tensor, which lies at ``partition_offset``.
    """

    def _printed_state(self) -> str:
        return ", ".join([f"{name}={value!r}" for name, value in self.get_config().items()])

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        raise NotImplementedError("an initializer defines __call__(shape, dtype)")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The initializer that `get_config` described."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})


class zeros_initializer(Initializer):
    """Zeros.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return creation.zeros(part_of(shape, kwargs), numeric_or_bool(dtype))


class ones_initializer(Initializer):
    """Ones."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return creation.ones(part_of(shape, kwargs), numeric_or_bool(dtype))


class constant_initializer(Initializer):
    """One number everywhere, or the numbers of a list in the given shape."""

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        part_of(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError(
                "constant_initializer takes partition_shape and partition_offset only if it was "
                "made with support_partition=True; it then still makes a tensor of `shape`."
            )
        return creation.constant(self.value, dtype, shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class random_normal_initializer(Initializer):
    """Normal numbers around ``mean``. With a ``seed`` every call gives the same, whatever was drawn before.

    >>> initializer = tf.random_normal_initializer(seed=2)
    >>> initializer([2]).numpy(), initializer([2]).numpy()
    (array([-0.03197147, -0.00935029], dtype=float32), array([-0.03197147, -0.00935029], dtype=float32))
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        part, dtype = part_of(shape, kwargs), floating(dtype)
        if self.seed is None:
            return draws.normal(part, self.mean, self.stddev, dtype)
        return draws.stateless_normal(part, [self.seed, 0], self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class random_uniform_initializer(Initializer):
    """Numbers spread evenly over [minval, maxval). With a ``seed`` every call gives the same numbers."""

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        dtype = dtypes.as_dtype(dtype)
        if not (dtype.is_floating or dtype.is_integer):
            raise ValueError(f"Expected float or integer dtype, got {dtype}.")
        part = part_of(shape, kwargs)
        if self.seed is None:
            return draws.uniform(part, self.minval, self.maxval, dtype)
        return draws.stateless_uniform(part, [self.seed, 0], self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


def part_of(shape: Any, kwargs: dict[str, Any]) -> Any:
    """The shape of the part that ``kwargs`` request, or ``shape`` if they request none.

    Raises:
        TypeError: for any other keyword.
    """
    for name in kwargs:
        if name not in ("partition_shape", "partition_offset"):
            raise TypeError(
                "An initializer takes the keywords partition_shape and partition_offset; "
                f"{name!r} came."
            )
    return kwargs.get("partition_shape", shape)


def numeric_or_bool(dtype: Any) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_numpy_compatible and dtype.name != "string"):
        raise ValueError(f"Expected numeric or boolean dtype, got {dtype}.")
    return dtype


def floating(dtype: Any) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype
