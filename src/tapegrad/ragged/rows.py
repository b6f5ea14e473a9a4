"""Rows of tensors and ragged tensors: selected, sliced, repeated, concatenated.

Each function takes a dense tensor as well. What these functions do to indices is plain counting; the values
go through `tf.gather` and `tf.concat`, which are differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, static_value
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import add
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat
from tapegrad.ops.sparse.parts import fill_empty_gradient, fill_empty_parts
from tapegrad.ragged.ragged_tensor import RaggedTensor, nrows_of, tensor_of
from tapegrad.ragged.row_partition import (
    RowPartition,
    common_dtype,
    have_one_length,
    partition_of_splits,
    splits_of_lengths,
)

PUBLIC = {". compat.v1": "ragged_fill_empty_rows ragged_fill_empty_rows_grad"}


def rank_of(values: Any) -> int:
    """The number of axes of a tensor or a ragged tensor."""
    if not isinstance(values, RaggedTensor):
        return len(values._shape_tuple())
    return values.ragged_rank + len(values.flat_values._shape_tuple())


def lengths_of(partition: RowPartition) -> Any:
    """The lengths of the rows, as an array."""
    return np.diff(static_value(partition.row_splits(), "row lengths"))


def from_lengths(lengths: Any, dtype: Any, uniform: int | None = None) -> RowPartition:
    """The partition into rows of the lengths in an array."""
    return partition_of_splits(
        splits_of_lengths(constant(np.asarray(lengths), dtype)), uniform=uniform
    )


def uniform_rows(length: int, count: int, dtype: Any) -> RowPartition:
    """The partition into ``count`` rows of one length."""
    return RowPartition.from_uniform_row_length(length, length * count, count, dtype=dtype)


def as_ragged(values: Any, dtype: Any = dtypes.int64, depth: int = 1) -> Any:
    """``values`` with at least ``depth`` levels of rows; rows of a tensor have one length."""
    if depth == 0:
        return values
    if isinstance(values, RaggedTensor):
        inner = as_ragged(values.values, values._row_partition.dtype, depth - 1)
        return values if inner is values.values else tensor_of(inner, values._row_partition)
    rows, width, *inner_shape = values._shape_tuple()
    flat = reshape(values, (rows * width, *inner_shape))
    return tensor_of(as_ragged(flat, dtype, depth - 1), uniform_rows(width, rows, dtype))


def uneven(values: Any) -> Any:
    """The same rows without a uniform length, as gathered rows have none in TensorFlow."""
    if not isinstance(values, RaggedTensor):
        return values
    return tensor_of(uneven(values.values), partition_of_splits(values._row_partition.row_splits()))


def even(values: Any, lengths: Sequence[int | None]) -> Any:
    """The same rows with the uniform lengths of a static shape, which begins behind the axis of rows."""
    if not (isinstance(values, RaggedTensor) and lengths):
        return values
    length, *inner = lengths
    splits = values._row_partition.row_splits()
    if length is None or not have_one_length(splits, length):
        length = values._row_partition.static_uniform_row_length
    return tensor_of(even(values.values, inner), partition_of_splits(splits, uniform=length))


def take(values: Any, numbers: Any) -> Any:
    """The rows with these numbers, a vector. Gradients flow to the values."""
    if not isinstance(values, RaggedTensor):
        return gather(values, numbers)
    partition = values._row_partition
    lengths = gather(partition.row_lengths(), numbers)
    taken = partition_of_splits(
        splits_of_lengths(lengths), uniform=partition.static_uniform_row_length
    )
    starts = gather(partition.row_starts(), cast(numbers, dtypes.int64))
    places = add(gather(starts, taken.value_rowids()), taken.offsets_in_rows())
    return tensor_of(take(values.values, places), taken)


def take_numbers(values: Any, numbers: Any) -> Any:
    """`take` for the numbers in an array."""
    return take(values, constant(np.asarray(numbers), dtypes.int64))


def slice_rows(values: Any, start: int, limit: int) -> Any:
    """The rows from ``start`` to before ``limit``."""
    if not isinstance(values, RaggedTensor):
        return values[start:limit]
    splits = values.row_splits[start : limit + 1]
    numbers = static_value(splits, "slice")
    inner = slice_rows(values.values, int(numbers[0]), int(numbers[-1]))
    uniform = values._row_partition.static_uniform_row_length
    return tensor_of(inner, partition_of_splits(splits - splits[0], uniform=uniform))


def concat_rows(parts: Sequence[Any]) -> Any:
    """The rows of all parts, one after the other."""
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    if not ragged:
        return concat(list(parts), 0)
    dtype = common_dtype([part._row_partition for part in ragged])
    parts = [as_ragged(part, dtype) for part in parts]
    lengths = concat([cast(part._row_partition.row_lengths(), dtype) for part in parts], 0)
    values = concat_rows([part.values for part in parts])
    return tensor_of(of_dtype(values, dtype), partition_of_splits(splits_of_lengths(lengths)))


def of_dtype(values: Any, dtype: Any) -> Any:
    """``values`` with rows given in ``dtype``, if it has rows."""
    return values.with_row_splits_dtype(dtype) if isinstance(values, RaggedTensor) else values


def wrapped(values: Any, dtype: Any = None) -> RaggedTensor:
    """``values`` as the only row of a ragged tensor."""
    count = nrows_of(values)
    if dtype is None:
        ragged = isinstance(values, RaggedTensor)
        dtype = values._row_partition.dtype if ragged else dtypes.int64
    return tensor_of(values, uniform_rows(count, 1, dtype))


def splits_every(partition: RowPartition, step: int) -> Tensor:
    """The splits of the partition in which each row is ``step`` rows of this one."""
    return partition.row_splits()[::step]


class RaggedFillEmptyRows(NamedTuple):
    """What `ragged_fill_empty_rows` gives."""

    output_value_rowids: Tensor
    output_values: Tensor
    empty_row_indicator: Tensor
    reverse_index_map: Tensor


class RaggedFillEmptyRowsGrad(NamedTuple):
    """What `ragged_fill_empty_rows_grad` gives."""

    d_values: Tensor
    d_default_value: Tensor


@composition
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> RaggedFillEmptyRows:
    """Values by row, with ``default_value`` in each row that has none.

    >>> filled = tf.ragged_fill_empty_rows([0, 2], [5.0, 7.0], 3, -1.0)
    >>> filled.output_value_rowids.numpy().tolist(), filled.output_values.numpy().tolist()
    ([0, 1, 2], [5.0, -1.0, 7.0])

    Args:
        value_rowids: the row of each value.
        values: a vector of the values.
        nrows: the number of rows.
        default_value: one value of the same dtype.

    Returns:
        The rows and the values of the result, in order of the rows; whether each row was empty; and where
        in the result each value is.
    """
    rowids, count = convert(value_rowids, dtypes.int64), convert(nrows, dtypes.int64)
    if rowids.ndim != 1 or count.ndim:
        refuse(
            "ragged_fill_empty_rows() takes a vector of rows and their number, a scalar; the shapes are "
            f"{list(rowids._shape_tuple())} and {list(count._shape_tuple())}."
        )
    values = convert(values)
    default = convert(default_value, values.dtype)
    indices, filled, empty, places = fill_empty_parts(
        reshape(rowids, [-1, 1]), values, reshape(count, [1]), default
    )
    return RaggedFillEmptyRows(reshape(indices, [-1]), filled, empty, places)


@composition
def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> RaggedFillEmptyRowsGrad:
    """The gradients of the values and of the default value of `tf.ragged_fill_empty_rows`.

    Args:
        reverse_index_map: where in the result each value is, the last part of what
            `tf.ragged_fill_empty_rows` gives.
        grad_values: the gradient of the values of the result.
    """
    return RaggedFillEmptyRowsGrad(
        *fill_empty_gradient(convert(reverse_index_map, dtypes.int64), grad_values)
    )
