"""Ragged tensors to and from dense tensors, sparse tensors, arrays and text."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, static_value
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.logic import equal, logical_not
from tapegrad.ops.elementwise.math import maximum, minimum
from tapegrad.ops.indexing.gather import gather, scatter_nd
from tapegrad.ops.indexing.masks import boolean_mask, sequence_mask
from tapegrad.ops.indexing.repeats import repeat
from tapegrad.ops.program.strings import as_string
from tapegrad.ops.reduce.reduce import reduce_all, reduce_max
from tapegrad.ops.shape.array import broadcast_to, expand_dims, reshape, tile
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat, stack
from tapegrad.ops.shape.padding import pad
from tapegrad.ops.shape.sequences import range as number_range
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, shape_of
from tapegrad.ragged.ragged_tensor import RaggedTensor, tensor_of
from tapegrad.ragged.row_partition import (
    RowPartition,
    partition_of_splits,
    partition_tensor,
    splits_of_lengths,
)

# --- Dense


def places_of_values(ragged: RaggedTensor) -> list[Tensor]:
    """For each innermost value its index along each axis up to the innermost ragged one."""
    partitions = ragged._nested_row_partitions
    places: list[Tensor] = []
    parents: Tensor | None = None
    for partition in reversed(partitions):
        offsets, rows = partition.offsets_in_rows(), partition.value_rowids()
        if parents is not None:
            offsets, rows = gather(offsets, parents), gather(rows, parents)
        places.append(offsets)
        parents = rows
    assert parents is not None
    places.append(parents)
    return places[::-1]


def to_dense(ragged: RaggedTensor, default_value: Any, shape: Any) -> Tensor:
    values = ragged.flat_values
    inner = values._shape_tuple()[1:]
    sizes = static_value(ragged.bounding_shape(), "sizes").tolist()
    wanted = [None] * len(sizes) if shape is None else _wanted(shape, len(sizes))
    if any(
        size not in (None, had)
        for had, size in zip(inner, wanted[len(sizes) - len(inner) :], strict=True)
    ):
        refuse(
            f"rt_input.shape and shape={wanted} are incompatible: "
            f"the innermost values have the shape {list(inner)}."
        )
    depth = ragged.ragged_rank + 1
    count = values._shape_tuple()[0]
    # An index for each element of the result: of its value, or 0 for the default that goes before the values.
    indices = cast(stack(places_of_values(ragged), axis=1), dtypes.int64)
    numbers = number_range(1, count + 1, dtype=dtypes.int64)
    index = scatter_nd(indices, numbers, constant(sizes[:depth], dtypes.int64))
    more = [0 if size is None else size for size in wanted[:depth]]
    if any(more):
        # First pad by the whole requested size, then cut: so the steps do not depend on the lengths of rows.
        index = pad(index, [[0, size] for size in more])
    if shape is not None:
        index = index[tuple([slice(size) for size in wanted[:depth]])]
    first = broadcast_to(default_like(default_value, values.dtype), inner)
    return gather(concat([expand_dims(first, 0), values], 0), index)


def _wanted(shape: Any, rank: int) -> list[int | None]:
    """The sizes in ``shape``, with None for open ones."""
    if isinstance(shape, Tensor):
        sizes = static_value(shape, "sizes").tolist()
        wanted: list[int | None] = [None if size < 0 else size for size in sizes]
    else:
        wanted = TensorShape(shape).as_list()
    if len(wanted) != rank:
        refuse(
            f"rt_input.shape and shape={wanted} are incompatible: "
            f"rt_input.rank = {rank} but shape.rank = {len(wanted)}."
        )
    return wanted


def default_like(value: Any, dtype: dtypes.DType) -> Tensor:
    """The default value ``value``, or the zero of ``dtype``."""
    if value is not None:
        return convert(value, dtype)
    zero: Any = b"" if dtype is dtypes.string else False if dtype is dtypes.bool else 0
    return constant(zero, dtype)


def from_dense(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> RaggedTensor:
    tensor, dtype = convert(tensor), dtypes.as_dtype(row_splits_dtype)
    shape = tensor._shape_tuple()
    if not isinstance(ragged_rank, int):
        raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
    if ragged_rank <= 0:
        raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
    if len(shape) < 2:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {len(shape)}."
        )
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if len(shape) <= ragged_rank:
        raise ValueError(f"Shape {tensor.shape} must have rank at least {ragged_rank + 1}")
    if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
        if ragged_rank not in (1, len(lengths)):
            raise ValueError(
                f"If Tensor lengths is a nested list, then ragged_rank must be {len(lengths)} or left out."
            )
        result = from_dense(tensor, lengths[0], None, 1, dtype)
        if len(lengths) > 1:
            inner = from_dense(result.values, list(lengths[1:]), None, 1, dtype)
            result = tensor_of(inner, result._row_partition)
        return result
    if ragged_rank > 1:
        flat = reshape(
            tensor,
            (
                -1 if tensor.shape.num_elements() else math.prod(shape[:ragged_rank]),
                *shape[ragged_rank:],
            ),
        )
        values: Any = from_dense(flat, lengths, padding, 1, dtype)
        for axis in range(ragged_rank - 1, 0, -1):
            values = tensor_of(
                values, rows_of_one_length(shape[axis], math.prod(shape[:axis]), dtype)
            )
        return values  # type: ignore[no-any-return]
    rows, width = shape[:2]
    if padding is not None:
        fill = convert(padding, tensor.dtype)
        if fill._shape_tuple() not in ((), shape[2:]):
            raise ValueError(
                f"Shapes {fill.shape} and {tensor.shape[2:]} are incompatible: padding "
                "must be a scalar, or of the shape of what it pads."
            )
        padded = equal(tensor, fill)
        if len(shape) > 2:
            padded = reduce_all(padded, axis=tuple(range(2, len(shape))))
        if width:
            ends = number_range(1, width + 1, dtype=dtypes.int64)
            held = where(
                logical_not(padded), broadcast_to(ends, (rows, width)), constant(0, dtypes.int64)
            )
            lengths = cast(reduce_max(held, axis=1), dtype)
        else:
            lengths = broadcast_to(constant(0, dtype), (rows,))
    if lengths is not None:
        lengths = minimum(
            maximum(partition_tensor(lengths, "lengths", dtype), 0), constant(width, dtype)
        )
        if lengths._shape_tuple() != (rows,):
            raise ValueError(
                f"Shapes ({rows},) and {lengths.shape} are incompatible: lengths needs one "
                "number for each row."
            )
        values = boolean_mask(tensor, sequence_mask(lengths, width))
        return tensor_of(values, partition_of_splits(splits_of_lengths(lengths)))
    values = reshape(tensor, (rows * width, *shape[2:]))
    return tensor_of(values, rows_of_one_length(width, rows, dtype))


def rows_of_one_length(length: int, count: int, dtype: Any) -> RowPartition:
    return RowPartition.from_uniform_row_length(
        length, nvals=length * count, nrows=count, dtype=dtype
    )


# --- Sparse


def to_sparse(ragged: RaggedTensor) -> SparseTensor:
    places = places_of_values(ragged)
    values = ragged.flat_values
    inner = values._shape_tuple()[1:]
    columns = [cast(place, dtypes.int64) for place in places]
    count, row_size = values._shape_tuple()[0], math.prod(inner)
    if inner:
        columns = [repeat(column, row_size) for column in columns]
        step = row_size
        for size in inner:
            step //= max(size, 1)
            block = repeat(number_range(size, dtype=dtypes.int64), step)
            times = count * row_size // max(size * step, 1)
            columns.append(tile(block, [times]))
    shape = cast(ragged.bounding_shape(), dtypes.int64)
    return SparseTensor(stack(columns, axis=1), reshape(values, (count * row_size,)), shape)


def from_sparse(st_input: Any, row_splits_dtype: Any) -> RaggedTensor:
    if not isinstance(st_input, SparseTensor):
        raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
    shape, dtype = shape_of(st_input), dtypes.as_dtype(row_splits_dtype)
    if len(shape) != 2:
        raise ValueError(f"rank(st_input) must be 2, not {len(shape)}.")
    partition = RowPartition.from_value_rowids(
        cast(st_input.indices[:, 0], dtype), shape[0], validate=False
    )
    offsets = static_value(partition.offsets_in_rows(), "offsets")
    if not np.array_equal(offsets, static_value(st_input.indices, "indices")[:, 1]):
        refuse(
            "SparseTensor is not right-ragged: the elements of each row must come first in it, in order."
        )
    return tensor_of(st_input.values, partition)


# --- Arrays and text


def to_numpy(ragged: RaggedTensor) -> Any:
    values = ragged.values.numpy()
    splits = static_value(ragged.row_splits, "numpy").tolist()
    rows = [values[start:limit] for start, limit in itertools.pairwise(splits)]
    if not rows:
        return np.zeros((0, 0) + values.shape[1:], dtype=values.dtype)
    lengths = {len(row) for row in rows}
    if len(lengths) == 1:
        return np.stack(rows)
    result = np.empty(len(rows), dtype=object)
    for place, row in enumerate(rows):
        result[place] = row
    return result


def text_of(ragged: RaggedTensor) -> str:
    """The elements in brackets, as TensorFlow prints them."""

    def written(value: Any) -> str:
        if not isinstance(value, np.ndarray):
            return str(value)
        if not value.size:
            return repr(value.tolist())
        return np.array2string(value, separator=", ")

    with np.printoptions(formatter={"all": written}):
        return written(to_numpy(ragged))


def shown(ragged: RaggedTensor, summarize: int) -> str:
    """The elements in brackets as TensorFlow prints them: of long rows the first and last ``summarize``."""
    texts = ragged.with_flat_values(as_string(ragged.flat_values)).to_list()
    quoted = ragged.dtype is dtypes.string

    def written(value: Any) -> str:
        if not isinstance(value, list):
            text = str(value, "utf-8", "surrogateescape")
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'" if quoted else text
        parts = [None if part is None else written(part) for part in ends(value, summarize)]
        return "[" + ", ".join("..." if part is None else part for part in parts) + "]"

    return written(texts)


def ends(values: list[Any], count: int) -> list[Any]:
    """The first and the last ``count`` values, with None for those left out; all values if ``count`` < 0."""
    if count < 0 or len(values) <= 2 * count:
        return values
    return [*values[:count], None, *values[len(values) - count :]]


# --- Lists


def ragged_of_lists(
    rows: Any, depth: int, inner_shape: tuple[int, ...], dtype: Any, splits_dtype: Any
) -> Any:
    """The ragged tensor of nested lists, of which the outer ``depth`` levels are ragged."""
    partitions = []
    level = list(rows)
    for _ in range(depth):
        lengths = [len(row) for row in level]
        partitions.append(partition_of_splits(splits_of_lengths(constant(lengths, splits_dtype))))
        level = [item for row in level for item in row]
    if level:
        flat: Any = convert(level, dtype)
        if flat._shape_tuple()[1:] != inner_shape:
            raise ValueError(
                f"Can't convert non-rectangular Python sequence to Tensor: the innermost values "
                f"have the shape {flat._shape_tuple()[1:]}, not {inner_shape}."
            )
    else:
        flat = constant(np.zeros((0, *inner_shape)).tolist(), dtype or dtypes.float32)
        flat = reshape(flat, (0, *inner_shape))
    for partition in reversed(partitions):
        flat = tensor_of(flat, partition)
    return flat
