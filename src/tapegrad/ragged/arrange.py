"""Join, repeat, gather and reshape ragged tensors.

Functions whose first parameter is ``function`` override public functions for ragged tensors: see
`core.Function`.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public, static_value
from tapegrad.errors import UnimplementedError, refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import add
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.masks import boolean_mask as mask_tensor
from tapegrad.ops.shape.array import reshape, squeeze
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat as concat_tensors
from tapegrad.ops.shape.joining import stack as stack_tensors
from tapegrad.ops.shape.sequences import range as range_of
from tapegrad.ragged.getitem import WHOLE, pick
from tapegrad.ragged.ragged_tensor import (
    RaggedTensor,
    axis_of,
    check_ragged,
    nrows_of,
    same_rows,
    tensor_of,
    values_of,
)
from tapegrad.ragged.reduce import expand_dims
from tapegrad.ragged.row_partition import partition_of_splits, same_partition, splits_of_lengths
from tapegrad.ragged.rows import (
    as_ragged,
    concat_rows,
    lengths_of,
    of_dtype,
    rank_of,
    slice_rows,
    splits_every,
    take,
    take_numbers,
    uneven,
    uniform_rows,
    wrapped,
)

PUBLIC = {"ragged compat.v1.ragged": "boolean_mask stack stack_dynamic_partitions"}


# --- Axes


def merge_dims(ragged: RaggedTensor, outer_axis: Any, inner_axis: Any) -> Any:
    rank = rank_of(ragged)
    outer = axis_of(static_int(outer_axis), rank, "outer_axis")
    inner = axis_of(static_int(inner_axis), rank, "inner_axis")
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})."
        )
    return merged(ragged, outer, inner)


def merged(values: Any, outer: int, inner: int) -> Any:
    if outer == inner:
        return values
    if not isinstance(values, RaggedTensor):
        shape = values._shape_tuple()
        size = math.prod(shape[outer : inner + 1])
        return reshape(values, (*shape[:outer], size, *shape[inner + 1 :]))
    partition = values._row_partition
    if outer > 1:
        return tensor_of(merged(values.values, outer - 1, inner - 1), partition)
    if outer == 0:
        return merged(values.values, 0, inner - 1)
    if inner > 2:
        return merged(tensor_of(merged(values.values, 1, inner - 1), partition), 1, 2)
    if isinstance(values.values, RaggedTensor):
        splits = gather(values.values._row_partition.row_splits(), partition.row_splits())
        return tensor_of(values.values.values, partition_of_splits(splits))
    shape = values.values._shape_tuple()
    uniform = partition.static_uniform_row_length
    splits = partition.row_splits() * constant(shape[1], partition.dtype)
    flat = reshape(values.values, (shape[0] * shape[1], *shape[2:]))
    return tensor_of(
        flat, partition_of_splits(splits, uniform=None if uniform is None else uniform * shape[1])
    )


def squeeze_form(function: Any, ragged: RaggedTensor, axis: Any = None) -> Any:
    if axis is None or axis == ():
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes = [axis] if isinstance(axis, int) else list(axis)
    result: Any = ragged
    for place in sorted(
        {axis_of(axis_number, rank_of(ragged)) for axis_number in axes}, reverse=True
    ):
        result = squeezed(result, place)
    return result


def squeezed(values: Any, axis: int) -> Any:
    if not isinstance(values, RaggedTensor):
        return squeeze(values, axis)
    partition = values._row_partition
    if axis > 1:
        return tensor_of(squeezed(values.values, axis - 1), partition)
    sizes = [partition.static_nrows] if axis == 0 else lengths_of(partition)
    if any(size != 1 for size in sizes):
        refuse(f"the given axis (axis = {axis}) is not squeezable!")
    return uneven(values.values) if axis else values.values


def reverse(function: Any, tensor: RaggedTensor, axis: Any) -> Any:
    axes = [axis] if isinstance(axis, int) else list(np.atleast_1d(axis).tolist())
    places = {
        axis_of(static_int(axis_number), rank_of(tensor), f"axis[{place}]")
        for place, axis_number in enumerate(axes)
    }
    backwards = slice(None, None, -1)
    last = max(places, default=-1) + 1
    return pick(tensor, [backwards if place in places else WHOLE for place in range(last)])


# --- One after the other


def inputs_of(values: Any) -> list[Any]:
    """The values to join: ragged tensors, and tensors of their dtype."""
    if isinstance(values, RaggedTensor):
        return [values]
    values = list(values)
    if not values:
        raise ValueError("values must not be empty.")
    dtype = next(
        (value.dtype for value in values if isinstance(value, (RaggedTensor, Tensor))), None
    )
    parts = [
        values_of(value) if isinstance(value, (RaggedTensor, Tensor)) else convert(value, dtype)
        for value in values
    ]
    for place, part in enumerate(parts):
        if part.dtype is not parts[0].dtype:
            refuse(
                f"cannot compute ConcatV2 as input #{place}(zero-based) was expected to be a "
                f"{parts[0].dtype.name} tensor but is a {part.dtype.name} tensor: use tf.cast."
            )
        if rank_of(part) != rank_of(parts[0]):
            raise ValueError(f"Shape {part.shape} must have rank {rank_of(parts[0])}")
    return parts


def concat(function: Any, values: Any, axis: Any, name: Any = None) -> Any:
    """The ragged override of `tf.concat`."""
    parts = inputs_of(values)
    return concat_along(parts, axis_of(static_int(axis), rank_of(parts[0])))


def concat_along(parts: list[Any], axis: int) -> Any:
    if len(parts) == 1:
        return parts[0]
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    if not ragged:
        return concat_tensors(parts, axis)
    if axis == 0:
        return concat_rows(parts)
    dtype = (
        dtypes.int64
        if any(part._row_partition.dtype is dtypes.int64 for part in ragged)
        else dtypes.int32
    )
    parts = [of_dtype(as_ragged(part, dtype), dtype) for part in parts]
    count = nrows_of(parts[0])
    for place, part in enumerate(parts):
        if nrows_of(part) != count:
            refuse(
                f"Input tensors at index 0 (=x) and {place} (=y) have incompatible shapes: they have "
                f"{count} and {nrows_of(part)} rows."
            )
    if axis == 1:
        rows = concat_rows(parts)
        # All first rows, all second rows, and so on: each group is one row of the result.
        numbers = range_of(count, dtype=dtypes.int64)
        groups = stack_tensors([numbers + place * count for place in range(len(parts))], 1)
        ordered = take(rows, reshape(groups, [-1]))
        splits = splits_every(ordered._row_partition, len(parts))
        return tensor_of(ordered.values, partition_of_splits(splits))
    for place, part in enumerate(parts):
        if not same_rows(
            *(
                tensor_of(part_values_rows(operand), operand._row_partition)
                for operand in (parts[0], part)
            )
        ):
            refuse(
                f"Input tensors at index 0 (=x) and {place} (=y) have incompatible shapes: their rows "
                "have different lengths."
            )
    inner = concat_along([part.values for part in parts], axis - 1)
    return tensor_of(inner, parts[0]._row_partition)


def part_values_rows(part: RaggedTensor) -> Any:
    """The flat values, as a substitute for the values where only the outermost rows are compared."""
    return part.flat_values


@public
def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """The values one after the other along a new axis. They may differ in their sizes.

    >>> tf.ragged.stack([tf.constant([3, 1]), tf.constant([4, 1, 5])])
    <tf.RaggedTensor [[3, 1], [4, 1, 5]]>

    Args:
        values: a list of tensors and ragged tensors of one dtype and with as many axes.
        axis: the place of the new axis in the result.
    """
    if isinstance(values, (Tensor, RaggedTensor)):
        values = [values]
    parts = inputs_of(values)
    rank = rank_of(parts[0])
    if rank == 0:
        return stack_tensors(parts)
    place = axis_of(static_int(axis), rank + 1)
    dense = not any(isinstance(part, RaggedTensor) for part in parts)
    if dense and place < min(rank - 1, 2):  # TensorFlow's choice
        parts, dense = [RaggedTensor.from_tensor(part) for part in parts], False
    if place == 0:
        dtype = dtypes.int32 if dense else None  # this too
        return concat_rows([wrapped(part, dtype) for part in parts])
    if dense:
        return stack_tensors(parts, place)
    return concat_along([expand_dims(None, part, place) for part in parts], place)


def stack_form(function: Any, values: Any, axis: Any = 0, name: Any = None) -> Any:
    return stack(values, axis)


def tile(function: Any, input: RaggedTensor, multiples: Any) -> Any:
    """The ragged override of `tf.tile`."""
    multiples = convert(multiples)
    if multiples.ndim != 1:
        raise ValueError(f"multiples must be a vector; shape {multiples.shape} came.")
    times = [int(count) for count in static_value(multiples, "multiples")]
    if len(times) < rank_of(input):
        raise IndexError(
            f"tile() needs a multiple for each axis: {len(times)} for rank {rank_of(input)}."
        )
    if len(times) > rank_of(input) or min(times) < 0:
        refuse(
            f"tile() needs a multiple of 0 or more for each of {rank_of(input)} axes; {times} came."
        )
    return tiled(input, times, function)


def tiled(values: Any, times: list[int], function: Any) -> Any:
    if all(count == 1 for count in times):
        return values
    if not isinstance(values, RaggedTensor):
        return function(values, times)
    inner = tiled(values.values, [1, *times[2:]], function)
    result = tensor_of(inner, values._row_partition)
    if times[1] == 0:
        result = pick(result, [WHOLE, slice(0, 0)])
    elif times[1] > 1:
        result = concat_along([result] * times[1], 1)
    return slice_rows(result, 0, 0) if times[0] == 0 else concat_rows([result] * times[0])


def split(
    function: Any,
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: Any = None,
    name: Any = None,
) -> list[Any]:
    """The ragged override of `tf.split`."""
    check_ragged(value, "value")
    place = axis_of(static_int(axis), rank_of(value))
    size = value.bounding_shape()[place] if place else value.nrows()
    if 0 < place <= value.ragged_rank and value.shape[place] is None:
        if isinstance(num_or_size_splits, int) and num_or_size_splits == 1:
            return [value]
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` {place}."
        )
    whole, sizes = static_int(size), num_or_size_splits
    if isinstance(sizes, int) or not convert(sizes).ndim:
        count = static_int(sizes)
        if count < 1 or whole % count:
            refuse(f"Cannot exactly split an axis of size {whole} into {count} pieces.")
        sizes = [whole // count] * count
    sizes = [int(size) for size in np.ravel(static_value(convert(sizes), "sizes"))]
    if sum(sizes) != whole:
        refuse(f"Cannot exactly split an axis of size {whole} into pieces of {sizes}.")
    ends = np.cumsum([0, *sizes]).tolist()
    return [
        pick(value, [*[WHOLE] * place, slice(start, end)])
        for start, end in itertools.pairwise(ends)
    ]


# --- Gathered


def gather_form(
    function: Any,
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: Any = None,
) -> Any:
    """The ragged override of `tf.gather`."""
    params = values_of(params)
    if not isinstance(indices, RaggedTensor):
        indices = convert(indices)
    batch = static_int(batch_dims)
    if batch < 0:
        batch += rank_of(indices)
    place = batch if axis is None else axis_of(static_int(axis), rank_of(params))
    if place < batch:
        raise ValueError(f"batch_dims must be <= axis: {batch} > {place}.")
    if place == 0:
        return gather_rows(params, indices)
    return gather_inside(params, indices, place, batch)


def check_numbers(numbers: Any, count: int, what: str) -> None:
    values = static_value(numbers, "indices").ravel()
    if len(values) and (values.min() < 0 or values.max() >= count):
        place = int(np.argmax((values < 0) | (values >= count)))
        refuse(f"{what}[{place}] = {values[place]} is not in [0, {count}).")


def gather_rows(params: Any, indices: Any) -> Any:
    """The rows of ``params`` with the given numbers, of any shape."""
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather_rows(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return gather(params, indices)
    check_numbers(indices, nrows_of(params), "indices")
    shape = indices._shape_tuple()
    if not shape:
        return pick(params, [static_int(indices)])
    numbers = reshape(indices, (-1,) if indices.shape.num_elements() else (0,))
    result = uneven(take(params, numbers))
    for axis in range(len(shape) - 1, 0, -1):
        count = math.prod(shape[:axis])
        rows = uniform_rows(shape[axis], count, result._row_partition.dtype)
        result = tensor_of(result, partition_of_splits(rows.row_splits()))
    return result


def gather_in_batch(params: Any, indices: Any, batch: int) -> Any:
    """``tf.gather(params, indices, batch_dims=batch)``."""
    if not isinstance(params, RaggedTensor) and not isinstance(indices, RaggedTensor):
        return gather(params, indices, batch_dims=batch)
    was_dense = not isinstance(indices, RaggedTensor)
    shape = indices._shape_tuple() if was_dense else ()
    if was_dense and len(shape) == batch == 1:  # one number for each row, whose axis goes
        picked = gather_in_batch(params, reshape(indices, (*shape, 1)), 1)
        return picked.values if isinstance(picked, RaggedTensor) else picked[:, 0]
    indices, params = as_ragged(indices), as_ragged(params)
    if nrows_of(indices) != nrows_of(params):
        raise ValueError(
            "params and indices must have the same batch: they have "
            f"{nrows_of(params)} and {nrows_of(indices)} rows."
        )
    if batch > 1:
        return tensor_of(
            gather_in_batch(params.values, indices.values, batch - 1), indices._row_partition
        )
    partition, rows = params._row_partition, indices._row_partition
    flat = indices.values
    while isinstance(flat, RaggedTensor):
        flat = flat.values
    row_of_each = rows.value_rowids()
    if isinstance(indices.values, RaggedTensor):
        for inner in indices.values._nested_row_partitions:
            row_of_each = gather(row_of_each, inner.value_rowids())
    inside = flat._shape_tuple()[1:]
    index_values = static_value(flat, "indices")
    limits = lengths_of(partition)[static_value(row_of_each, "rows")]
    limits = limits.reshape(limits.shape + (1,) * len(inside))
    if ((index_values < 0) | (index_values >= limits)).any():
        refuse("indices of tf.gather() with batch_dims are out of range of their row.")
    starts = gather(partition.row_starts(), row_of_each)
    starts = reshape(starts, (starts._shape_tuple()[0],) + (1,) * len(inside))
    numbers = add(cast(starts, dtypes.int64), cast(flat, dtypes.int64))
    taken = gather_rows(params.values, numbers)
    result = (
        indices.with_flat_values(taken)
        if not isinstance(taken, RaggedTensor)
        else rewrapped(indices, taken)
    )
    if was_dense and not isinstance(taken, RaggedTensor):
        return reshape(taken, (*shape, *taken._shape_tuple()[1 + len(inside) :]))
    return result


def rewrapped(indices: RaggedTensor, values: Any) -> Any:
    for partition in reversed(indices._nested_row_partitions):
        values = tensor_of(values, partition.with_dtype(values._row_partition.dtype))
    return values


def gather_inside(params: Any, indices: Any, axis: int, batch: int) -> Any:
    """`tf.gather` along an axis inside the batch: the same indices for each row along the axis."""
    if not isinstance(params, RaggedTensor) and not isinstance(indices, RaggedTensor):
        return gather(params, indices, axis=axis, batch_dims=batch)
    if batch == axis:
        return gather_in_batch(params, indices, batch)
    if batch > 1:
        refuse(
            "tf.gather() of ragged tensors along an inner axis takes at most one batch dimension: "
            "gather with batch_dims=axis.",
            error=UnimplementedError,
        )
    if batch:
        params = as_ragged(params)
        own = gather_rows(indices, params._row_partition.value_rowids())
        return tensor_of(gather_inside(params.values, own, axis - 1, 1), params._row_partition)
    if axis > 1:
        params = as_ragged(params)
        return tensor_of(gather_inside(params.values, indices, axis - 1, 0), params._row_partition)
    rows = nrows_of(params)
    if isinstance(indices, RaggedTensor):
        count = nrows_of(indices)
        copies = gather_rows(indices, constant(np.tile(np.arange(count), rows), dtypes.int64))
        partition = uniform_rows(count, rows, copies._row_partition.dtype)
        return gather_in_batch(
            params, tensor_of(copies, partition_of_splits(partition.row_splits())), 1
        )
    shape = indices._shape_tuple()
    repeated = reshape(indices, (1, *shape)) + constant(
        np.zeros((rows,) + (1,) * len(shape)), indices.dtype
    )
    return gather_in_batch(params, repeated, 1)


def gather_nd(
    function: Any, params: Any, indices: Any, batch_dims: Any = 0, name: Any = None, **others: Any
) -> Any:
    """The ragged override of `tf.gather_nd`."""
    if static_int(batch_dims):
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    params = values_of(params)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather_nd(function, params, indices.values))
    indices = convert(indices)
    if isinstance(params, RaggedTensor):
        if not indices.ndim:
            raise ValueError("indices must have rank 1 or more; a scalar came.")
        if indices._shape_tuple() == (1,):
            # TensorFlow's result has the axis of this vector in front, too.
            return gather_rows(params, indices)
    return values_at(function, params, indices)


def values_at(function: Any, params: Any, indices: Tensor) -> Any:
    """What is at the places that are the rows of ``indices``, by ``function`` in a tensor."""
    if not isinstance(params, RaggedTensor):
        return function(params, indices)
    depth = indices._shape_tuple()[-1]
    if depth == 0:
        return params
    first = indices[..., 0]
    if depth == 1:
        return gather_rows(params, first)
    partition = params._row_partition
    check_numbers(first, partition.static_nrows, "indices")
    second = cast(indices[..., 1], dtypes.int64)
    limits = lengths_of(partition)[static_value(first, "rows")]
    index_values = static_value(second, "indices")
    if ((index_values < 0) | (index_values >= limits)).any():
        refuse("indices of tf.gather_nd() are out of range of their row.")
    places = add(cast(gather(partition.row_starts(), first), dtypes.int64), second)
    rest = cast(indices[..., 2:], dtypes.int64)
    inner = concat_tensors([expand_dims(None, places, -1), rest], -1)
    return values_at(function, params.values, inner)


# --- Masked


@public
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The elements of ``data`` where ``mask`` is True, in their rows.

    >>> tf.ragged.boolean_mask([[3, 1, 4], [1, 5, 9]], [[True, False, True], [False, False, True]])
    <tf.RaggedTensor [[3, 4], [9]]>

    Args:
        data: a tensor or a ragged tensor.
        mask: booleans; their shape is a prefix of the shape of ``data``.
    """
    data = values_of(data)
    mask = (
        mask
        if isinstance(mask, RaggedTensor)
        else convert(mask, dtypes.bool if not isinstance(mask, Tensor) else None)
    )
    if mask.dtype is not dtypes.bool:
        raise ValueError(f"mask must be of booleans, not of {mask.dtype.name}.")
    if rank_of(mask) == 0:
        raise ValueError("mask cannot be scalar.")
    return masked(data, mask)


def masked(data: Any, mask: Any) -> Any:
    if rank_of(mask) == 1:
        if nrows_of(data) != nrows_of(mask):
            raise ValueError(f"Shapes {data.shape} and {mask.shape} are incompatible.")
        if not isinstance(data, RaggedTensor):
            return mask_tensor(data, mask)
        return uneven(take_numbers(data, np.flatnonzero(static_value(mask, "mask"))))
    data, mask = as_ragged(data), as_ragged(mask)
    if not same_partition(data._row_partition, mask._row_partition):
        refuse("Inputs must have identical ragged splits.")
    values = masked(data.values, mask.values)
    if rank_of(mask) > 2:
        return tensor_of(values, mask._row_partition)
    kept = cast(static_mask(mask.values), data._row_partition.dtype)
    rows = nrows_of(mask)
    from tapegrad.ops.indexing.segment import unsorted_segment_sum

    lengths = unsorted_segment_sum(kept, mask.value_rowids(), rows)
    return tensor_of(values, partition_of_splits(splits_of_lengths(lengths)))


def static_mask(mask: Any) -> Any:
    return cast(mask, dtypes.int32)


@public
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Row ``i`` has the elements of ``data`` whose number in ``partitions`` is ``i``.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d"], [0, 1, 0, 3], 4)
    <tf.RaggedTensor [[b'a', b'c'], [b'b'], [], [b'd']]>

    Args:
        data: a tensor or a ragged tensor.
        partitions: integers from 0 to ``num_partitions - 1``, in the shape of the first axes of ``data``.
        num_partitions: the number of rows of the result.
    """
    data = values_of(data)
    partitions = values_of(partitions)
    count = static_int(num_partitions)
    rank = rank_of(partitions)
    if rank == 0:
        data, partitions = stack([data]), stack([partitions])
    if rank > 1:
        if isinstance(data, RaggedTensor) or isinstance(partitions, RaggedTensor):
            data, partitions = as_ragged(data), as_ragged(partitions)
            rows = stack_dynamic_partitions(data.values, partitions.values, count)
            return of_dtype(rows, partitions._row_partition.dtype)
        size = math.prod(partitions._shape_tuple())
        data = reshape(data, (size, *data._shape_tuple()[rank:]))
        partitions = reshape(partitions, (size,))
    if nrows_of(data) != nrows_of(partitions):
        raise ValueError(
            f"partitions must have a number for each of the {nrows_of(data)} rows of data; "
            f"{nrows_of(partitions)} came."
        )
    check_numbers(partitions, count, "partitions")
    numbers = static_value(partitions, "partitions")
    order = np.argsort(numbers, kind="stable")
    dtype = partitions.dtype
    lengths = constant(np.bincount(numbers, minlength=count), dtype)
    rows = take_numbers(data, order)
    if isinstance(rows, RaggedTensor):
        dtype = dtypes.int64
    return tensor_of(
        of_dtype(rows, dtype), partition_of_splits(splits_of_lengths(cast(lengths, dtype)))
    )
