"""``DynamicRaggedShape``: the shape of a ragged tensor, with the lengths of all its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, static_value
from tapegrad.framework.overrides import load_overrides
from tapegrad.ops.constants import constant
from tapegrad.ragged.ragged_tensor import RaggedTensor, rebuilt, values_of
from tapegrad.ragged.row_partition import RowPartition, same_partition
from tapegrad.ragged.rows import from_lengths, lengths_of

PUBLIC = {"experimental": "DynamicRaggedShape"}


class DynamicRaggedShape:
    """The shape of a ragged tensor, with the lengths of all its rows.

    >>> tf.shape(tf.ragged.constant([[3, 1], [], [4]]))
    <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>

    Args:
        row_partitions: the partitions into rows, the outermost first.
        inner_shape: the shape of the innermost values.
        dtype: int32 or int64.
        validate: accepted; the parts are always checked.
        static_inner_shape: accepted and ignored.
    """

    __slots__ = ("_dtype", "_inner", "_partitions")

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = ...,
    ) -> None:
        load_overrides("tapegrad.ragged.overrides")
        inner = np.ravel(static_value(convert(inner_shape), "sizes"))
        self._partitions = tuple(row_partitions)
        self._inner: tuple[int, ...] = tuple(inner.tolist())
        partition_dtype = self._partitions[0].dtype if self._partitions else dtypes.int64
        self._dtype = partition_dtype if dtype is None else dtypes.as_dtype(dtype)
        if self._partitions and not self._inner:
            raise ValueError("inner_shape must have a size at least if there are row_partitions.")
        if self._partitions and self._partitions[-1].static_nvals != self._inner[0]:
            raise ValueError(
                f"The last partition has {self._partitions[-1].static_nvals} values, and inner_shape "
                f"begins with {self._inner[0]}."
            )

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = dtypes.int64
    ) -> DynamicRaggedShape:
        """The shape with these sizes: an integer for a uniform axis, the lengths of all rows for another.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 3])
        <DynamicRaggedShape lengths=[2, (2, 1), 3] num_row_partitions=1>
        """
        ragged = [place for place, length in enumerate(lengths) if not isinstance(length, int)]
        depth = max(ragged, default=0)
        if num_row_partitions is not None:
            if num_row_partitions < depth or num_row_partitions >= max(len(lengths), 1):
                raise ValueError(f"num_row_partitions cannot be {num_row_partitions}.")
            depth = num_row_partitions
        partitions = []
        count = lengths[0] if lengths else 0
        if not isinstance(count, int):
            raise ValueError("The first of lengths must be an integer.")
        for length in lengths[1 : depth + 1]:
            if isinstance(length, int):
                partitions.append(
                    RowPartition.from_uniform_row_length(length, nrows=count, dtype=dtype)
                )
                count *= length
            else:
                if len(length) != count:
                    raise ValueError(
                        f"{length} holds the lengths of {len(length)} rows; there are {count}."
                    )
                partitions.append(from_lengths(list(length), dtypes.as_dtype(dtype)))
                count = sum(length)
        inner = [count, *lengths[depth + 1 :]] if lengths else []
        return cls(partitions, constant(inner, dtypes.int64), dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of ragged tensors with these rows of scalars."""
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        if not all(isinstance(partition, RowPartition) for partition in row_partitions):
            raise TypeError("row_partitions must be a list of tf.experimental.RowPartition.")
        return cls(row_partitions, [row_partitions[-1].static_nvals], dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of a tensor or a ragged tensor."""
        value = values_of(t)
        partitions = value._nested_row_partitions if isinstance(value, RaggedTensor) else ()
        flat = value.flat_values if isinstance(value, RaggedTensor) else value
        return cls(partitions, constant(flat._shape_tuple(), dtypes.int64), dtype)

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of sizes: int32 or int64."""
        return self._dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions into rows, the outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of partitions."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the innermost values."""
        return constant(self._inner, self._dtype)

    @property
    def inner_rank(self) -> int:
        """The rank of the innermost values."""
        return len(self._inner)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._inner) + len(self._partitions)

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows along ``axis`` are known to have one length."""
        return isinstance(self._sizes()[axis], int)

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """For each axis its size, or the lengths of all its rows (None without ``ragged_lengths``)."""
        return [size if isinstance(size, int) or ragged_lengths else None for size in self._sizes()]

    def _sizes(self) -> list[Any]:
        if not self._partitions:
            return list(self._inner)
        sizes: list[Any] = [self._partitions[0].static_nrows]
        for partition in self._partitions:
            length = partition.static_uniform_row_length
            sizes.append(tuple(lengths_of(partition).tolist()) if length is None else length)
        return [*sizes, *self._inner[1:]]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same shape with sizes of another dtype."""
        return DynamicRaggedShape(
            [partition.with_dtype(dtype) for partition in self._partitions], self._inner, dtype
        )

    def __getitem__(self, index: Any) -> Any:
        """The size along a uniform axis, or the shape of the axes in a slice that begins at the first."""
        if isinstance(index, slice):
            sizes = self._sizes()
            start, stop, step = index.indices(len(sizes))
            chosen = sizes[index]
            if step != 1 or (start and any(not isinstance(size, int) for size in sizes[:stop])):
                raise ValueError("All relevant dimensions must be uniform")
            return DynamicRaggedShape.from_lengths(chosen, dtype=self._dtype)
        place = range(self.rank)[index]
        size = self._uniform_size(place)
        if size is None:
            raise ValueError(f"Index {place} is not uniform")
        return constant(size, self._dtype)

    def _uniform_size(self, axis: int) -> Any:
        """The size along an axis; None where rows may have other lengths. It reads no values."""
        depth = len(self._partitions)
        if axis > depth or not depth:
            return self._inner[axis - depth]
        if axis == 0:
            return self._partitions[0].static_nrows
        return self._partitions[axis - 1].static_uniform_row_length

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape):
            return False
        same = (
            self._inner == other._inner
            and len(self._partitions) == len(other._partitions)
            and all(map(same_partition, self._partitions, other._partitions))
        )
        return constant(same, dtypes.bool)

    def __hash__(self) -> int:
        raise TypeError("DynamicRaggedShape is unhashable.")

    def __repr__(self) -> str:
        return (
            f"<DynamicRaggedShape lengths={self._sizes()} "
            f"num_row_partitions={self.num_row_partitions}>"
        )


# --- Overrides


def shape(function: Any, input: RaggedTensor, out_type: Any = None, name: Any = None) -> Any:
    """The ragged override of `tf.shape`."""
    dtype = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    return DynamicRaggedShape.from_tensor(input, dtype)


def filled(function: Any, shape: DynamicRaggedShape, *args: Any, **kwargs: Any) -> Any:
    """The ragged override of `tf.zeros`, `tf.ones` and `tf.fill`."""
    return rebuilt(function(shape._inner, *args, **kwargs), shape.row_partitions)


def reshaped(function: Any, tensor: RaggedTensor, shape: Any) -> Any:
    """The ragged override of `tf.reshape`: the innermost values in another shape."""
    if isinstance(shape, DynamicRaggedShape):
        return reshaped_to(function, tensor, shape)
    return function(tensor.flat_values, shape)


def reshaped_to(function: Any, tensor: Any, shape: DynamicRaggedShape) -> Any:
    """The ragged override of `tf.reshape`: the innermost values, in rows of a ragged shape."""
    values = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    return rebuilt(function(values, shape._inner), shape.row_partitions)
