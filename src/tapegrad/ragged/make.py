"""``tf.ragged.constant``, ``tf.ragged.range``, and row splits made from segment ids and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Operand, Tensor, convert, public, static_value
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.args import static_shape
from tapegrad.ops.constants import constant as tensor_constant
from tapegrad.ops.elementwise.math import add, floordiv, maximum, multiply, subtract, truediv
from tapegrad.ops.elementwise.rounding import ceil
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.shape.array import broadcast_to
from tapegrad.ops.shape.casts import cast
from tapegrad.ragged.convert import ragged_of_lists
from tapegrad.ragged.ragged_tensor import RaggedTensor, tensor_of
from tapegrad.ragged.row_partition import RowPartition, partition_of_splits, splits_of_lengths

PUBLIC = {
    "ragged compat.v1.ragged": "constant range row_splits_to_segment_ids segment_ids_to_row_splits",
}


@public
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """A ragged tensor of nested lists.

    >>> tf.ragged.constant([[3, 1], [], [4]])
    <tf.RaggedTensor [[3, 1], [], [4]]>

    Args:
        pylist: nested lists, tuples or arrays. All scalars must be equally deep.
        dtype: the dtype of the values.
        ragged_rank: how many axes after the first are ragged: by default all but those in ``inner_shape``.
        inner_shape: the shape of the innermost values.
        name: accepted and ignored.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor, or a tensor if there is no ragged axis.
    """
    splits_dtype = dtypes.as_dtype(row_splits_dtype)
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    lists = as_lists(pylist)
    scalar_depth, depth = depths(lists)
    if splits_dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"row_splits must have dtype int32 or int64, not {splits_dtype.name}.")
    if scalar_depth is not None and depth > scalar_depth:
        raise ValueError("Invalid pylist: empty list nesting is greater than scalar value nesting.")
    sizes = None if inner_shape is None else static_shape(inner_shape)
    if ragged_rank is None:
        ragged_rank = max(depth - 1 - len(sizes or ()), 0)
        if sizes is not None and depth <= len(sizes):
            raise ValueError(f"Invalid pylist={pylist}: incompatible with inner_shape={sizes}")
    elif scalar_depth is not None and ragged_rank >= scalar_depth:
        raise ValueError(
            f"pylist has scalar values depth {scalar_depth}, but ragged_rank={ragged_rank} requires "
            f"scalar value depth greater than {ragged_rank}"
        )
    elif ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    if ragged_rank == 0:
        tensor = (
            convert_to_tensor(lists, wanted)
            if lists != [] or wanted is None
            else tensor_constant(lists, wanted)
        )
        if sizes is not None and tensor._shape_tuple()[1:] != tuple(sizes):
            raise ValueError(f"The values have the shape {tensor.shape[1:]}, not {sizes}.")
        return tensor
    if sizes is None:
        sizes = inner_sizes(lists, ragged_rank)
    return ragged_of_lists(lists, ragged_rank, tuple(sizes), wanted, splits_dtype)


def as_lists(value: Any) -> Any:
    """``value`` with its arrays and tuples, to any depth, as lists."""
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value[()]
        return [as_lists(item) for item in value]
    if isinstance(value, (list, tuple)):
        nested = any(isinstance(item, (list, tuple, np.ndarray, RaggedTensor)) for item in value)
        return [as_lists(item) for item in value] if nested else list(value)
    if isinstance(value, RaggedTensor):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    return value


def depths(value: Any) -> tuple[int | None, int]:
    """The depth of the scalars in nested lists (None if there are none), and of the deepest list."""
    if not isinstance(value, list):
        return 0, 0
    if not any(isinstance(item, list) for item in value):
        return (1 if value else None), 1
    scalars, deepest = None, 1
    for item in value:
        scalar, depth = depths(item)
        if scalar is not None:
            if scalars is not None and scalars != scalar + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalars = scalar + 1
        deepest = max(deepest, depth + 1)
    return scalars, deepest


def inner_sizes(lists: Any, depth: int) -> tuple[int, ...]:
    """The shape of the values below ``depth`` levels of lists, by the first of them."""
    level = lists
    for _ in range_(depth):
        level = [item for row in level for item in row]
    sizes = []
    while level and isinstance(level[0], list):
        if any(not isinstance(item, list) or len(item) != len(level[0]) for item in level):
            raise ValueError(
                "Can't convert non-rectangular Python sequence to Tensor: inner values are of "
                "different lengths."
            )
        sizes.append(len(level[0]))
        level = [item for row in level for item in row]
    return tuple(sizes)


range_ = range


@public
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """A row of evenly spaced numbers for each start, limit and step.

    >>> tf.ragged.range([2, 0, 3])
    <tf.RaggedTensor [[0, 1], [], [0, 1, 2]]>
    >>> tf.ragged.range([1, 5], [3, 8])
    <tf.RaggedTensor [[1, 2], [5, 6, 7]]>

    Args:
        starts: the first number of each row: a vector, or one number for all rows. Without ``limits`` these
            are the limits, and all rows begin at 0.
        limits: the end of each row, which is left out.
        deltas: the step of each row, which is not 0.
        dtype: the dtype of the result; None for that of the arguments.
        row_splits_dtype: int32 or int64.
    """
    if limits is None:
        starts, limits = 0, starts
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    typed = [
        value
        for value in (starts, limits, deltas)
        if isinstance(value, (Operand, np.ndarray, np.generic))
    ]
    if wanted is None and typed:
        order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
        types = [convert(value).dtype for value in typed]
        wanted = max(
            types, key=lambda candidate: order.index(candidate) if candidate in order else -1
        )
    if wanted is None:
        types = [convert(value).dtype for value in (starts, limits, deltas)]
        wanted = next((candidate for candidate in types if candidate.is_floating), None)
        wanted = wanted or (dtypes.int64 if dtypes.int64 in types else dtypes.int32)
    first, last, step = (cast(convert(value), wanted) for value in (starts, limits, deltas))
    for what, tensor in (("starts", first), ("limits", last), ("deltas", step)):
        if tensor.ndim > 1:
            raise ValueError(f"{what} must be a scalar or vector; shape {tensor.shape} came.")
    counts = {tensor._shape_tuple()[0] for tensor in (first, last, step) if tensor.ndim}
    if len(counts) > 1:
        refuse("starts, limits, and deltas must have the same shape.")
    count = counts.pop() if counts else 1
    first, last, step = (broadcast_to(tensor, (count,)) for tensor in (first, last, step))
    if (static_value(step, "deltas") == 0).any():
        refuse("Requires delta != 0.")
    splits_dtype = dtypes.as_dtype(row_splits_dtype)
    span = subtract(last, first)
    if wanted.is_floating:
        lengths = cast(ceil(truediv(span, step)), splits_dtype)
    else:  # rounded up
        lengths = cast(-floordiv(span, -step), splits_dtype)
    partition = partition_of_splits(splits_of_lengths(maximum(lengths, 0)))
    rows = partition.value_rowids()
    values = add(
        gather(first, rows), multiply(cast(partition.offsets_in_rows(), wanted), gather(step, rows))
    )
    return tensor_of(values, partition)


@public
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The row of each element, from where the rows begin.

    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy()
    array([0, 0, 0, 2, 2])

    Args:
        splits: a vector of the places where rows begin, and of the end of the last.
        out_type: int32 or int64; None for the dtype of ``splits``, where Python's integers are int64.
    """
    partition = RowPartition.from_row_splits(splits, validate=False)
    if out_type is not None:
        partition = partition.with_dtype(out_type)
    return partition.value_rowids()


@public
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Where the rows begin, from the row of each element.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy()
    array([0, 3, 3, 5])

    Args:
        segment_ids: a vector of the row of each element, in ascending order.
        num_segments: the number of rows; None for one more than the last of ``segment_ids``.
        out_type: int32 or int64; None for the dtype of ``segment_ids``, where Python's integers are int64.
    """
    partition = RowPartition.from_value_rowids(segment_ids, num_segments, validate=False)
    if out_type is not None:
        partition = partition.with_dtype(out_type)
    return partition.row_splits()
