"""`RaggedTensorValue`: a ragged tensor as arrays, which is what a session of TensorFlow 1 gave for one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import public
from tapegrad.framework import nest
from tapegrad.ragged.make import as_lists, constant
from tapegrad.ragged.ragged_tensor import RaggedTensor

PUBLIC = {"compat.v1.ragged": "constant_value RaggedTensorValue"}


class RaggedTensorValue:
    """The values of all rows, and where each row begins and ends, as arrays.

    >>> value = tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
    >>> value.to_list(), value.shape
    ([[1, 2], [3]], (2, None))

    Args:
        values: an array, or the value of a ragged tensor.
        row_splits: a vector of int32 or int64.

    Raises:
        TypeError: ``row_splits`` or ``values`` is something else.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        is_vector = isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.ndim == 1
        if not is_vector or row_splits.dtype not in (np.int64, np.int32):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        self._values: Any = values
        self._row_splits = row_splits

    @property
    def values(self) -> Any:
        """The values of all rows, one row after the other."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin in the values, and where the last one ends."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The values below all ragged dimensions."""
        return self._values.flat_values if self.ragged_rank > 1 else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of each ragged dimension, the outermost first."""
        inner = self._values.nested_row_splits if self.ragged_rank > 1 else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return 1 + getattr(self._values, "ragged_rank", 0)

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The number of rows, None for their lengths, and the sizes of each value."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as lists."""
        values = self._values.to_list() if self.ragged_rank > 1 else self._values.tolist()
        splits = self._row_splits.tolist()
        return [values[start:end] for start, end in pairwise(splits)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


@public
def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Nested lists as a `RaggedTensorValue`; as an array where no dimension is ragged.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).to_list()
    [[1, 2], [3]]

    Args:
        pylist: nested lists, tuples or arrays. All scalars must be equally deep.
        dtype: the dtype of the values; None leaves it to them.
        ragged_rank: how many axes after the first are ragged; by default all but those in ``inner_shape``.
        inner_shape: the shape of the innermost values; by default a scalar, or what ``ragged_rank`` leaves.
        row_splits_dtype: the dtype of the row splits, "int64" or "int32".
    """
    tensor = constant(pylist, None, ragged_rank, inner_shape, row_splits_dtype=row_splits_dtype)
    ragged = isinstance(tensor, RaggedTensor)
    shape = tensor.flat_values.shape if ragged else tensor.shape
    numpy_dtype = None if dtype is None else dtypes.as_dtype(dtype).as_numpy_dtype
    # The values have the dtype that NumPy gives them, which for Python's numbers is not that of a tensor.
    value: Any = np.array(nest.flatten(as_lists(pylist)), numpy_dtype).reshape(shape)
    for splits in reversed(tensor.nested_row_splits if ragged else ()):
        value = RaggedTensorValue(value, splits.numpy())
    return value
