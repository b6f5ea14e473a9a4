"""Masks and partitions: ops that pick elements by a mask, by a label or by their value; and ``meshgrid``."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, list_of, public, static_value
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import Size
from tapegrad.engines.numpy import searches
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    check_memory,
    check_size,
    normalize_axis,
    static_array,
    static_dtype,
    static_int,
)
from tapegrad.ops.batching import all_spread, leading, moved_axis
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.conditions import select, zero_like
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.sort import argsort
from tapegrad.ops.op import ANY, REAL, op
from tapegrad.ops.reduce.reduce import reduce_max
from tapegrad.ops.shape.array import broadcast_to, reshape
from tapegrad.ops.shape.joining import concat
from tapegrad.ops.shape.shapes import index_dtype, invert_permutation
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ".": "boolean_mask",
    ". compat.v1": (
        "dynamic_partition dynamic_stitch meshgrid sequence_mask unique unique_with_counts"
    ),
    "compat.v1": "setdiff1d",
}


@public
def boolean_mask(
    tensor: Any, mask: Any, axis: Any = None, name: str | None = "boolean_mask"
) -> Tensor:
    """The elements, or slices, of ``tensor`` where ``mask`` holds, along one axis.

    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]
    >>> tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=1).numpy().tolist()
    [[1], [3]]

    Args:
        tensor: a tensor.
        mask: booleans, in the shape of the axes of ``tensor`` that it stands for.
        axis: the first of these axes; None is 0.
    """
    tensor, wanted = convert(tensor), convert(mask)
    start = 0 if axis is None else static_int(axis)
    shape = tensor._shape_tuple()
    if not wanted.ndim:
        raise ValueError("boolean_mask() expects a mask of rank 1 or more: mask cannot be scalar.")
    sizes = wanted._shape_tuple()
    if shape[start : start + wanted.ndim] != sizes:
        raise ValueError(
            f"Shapes {shape[start : start + wanted.ndim]} and {sizes} are incompatible: "
            f"the mask must have the sizes of the axes it stands for, from axis {start}."
        )
    count = math.prod(sizes)
    places = numbers_of_true(wanted)
    flat = reshape(tensor, (*shape[:start], count, *shape[start + wanted.ndim :]))
    return gather(flat, places, axis=start)


@op("_NumbersOfTrue")
def numbers_of_true(xp, input):
    """The indices in the flattened ``input`` where it is true. Faster than `Where`, which makes columns."""
    return input.ravel().nonzero()[0]


numbers_of_true.shape(lambda input: Abstract([None], dtypes.int64))
numbers_of_true.no_gradient(constant=True)


# Grids and sequence masks


@composition
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid: each vector in ``args`` repeated along the axes of the other vectors.

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])

    Args:
        args: vectors of one dtype.
        indexing: "xy" (the default: the first vector along axis 1) or "ij" (along axis 0).
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"meshgrid() got an unexpected keyword argument {next(iter(kwargs))!r}.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid() expects 'xy' or 'ij' for indexing, not {indexing!r}.")
    vectors = [convert(value) for value in args]
    for place, vector in enumerate(vectors[1:], 1):
        if vector.dtype is not vectors[0].dtype:
            refuse(
                "meshgrid() expects vectors of one dtype; "
                f"argument {place} is {vector.dtype.name}, the first is {vectors[0].dtype.name}."
            )
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[:2] = [1, 0]
    sizes = [math.prod(vector._shape_tuple()) for vector in vectors]
    shape = check_size(tuple([sizes[place] for place in order]))
    grids = []
    for place, vector in enumerate(vectors):
        alone = [1] * len(vectors)
        alone[order.index(place)] = sizes[place]
        grids.append(broadcast_to(reshape(vector, tuple(alone)), shape))
    return grids


@composition
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Tensor:
    """A row for each length, whose first elements, as many as the length, are True (or 1, in ``dtype``).

    >>> tf.sequence_mask([1, 3]).numpy().tolist()
    [[True, False, False], [True, True, True]]

    Args:
        lengths: real numbers, in any shape; a negative one gives no True.
        maxlen: the length of a row, an integer; None for the greatest of ``lengths``.
        dtype: the dtype of the result.
    """
    lengths = convert(lengths)
    if lengths.dtype not in REAL:
        refuse(f"sequence_mask() expects real numbers for lengths, not {lengths.dtype.name}.")
    if maxlen is None:
        # An op finds it: a saved function reads it of other lengths too.
        if 0 in lengths._shape_tuple():
            width: Any = 0
        elif lengths.dtype.is_integer:
            width = max(static_value(reduce_max(lengths), "integer").item(), 0)
        else:
            width = max(math.ceil(static_value(reduce_max(lengths), "longest length")), 0)
    else:
        limit = static_value(convert(maxlen), "integer")
        if limit.ndim:
            raise ValueError(
                f"sequence_mask() expects a scalar for maxlen, not shape {limit.shape}."
            )
        limit = limit.item()
        if limit < 0:
            refuse(f"maxlen must be at least 0, not {limit}.")
        width = limit if type(limit) is Size else math.ceil(limit)
    return sequence_mask_op(lengths, width, dtype)


@op("_SequenceMask", convert={"dtype": static_dtype}, values="elements")
def sequence_mask_op(xp, lengths, *, width, dtype):
    check_memory(check_size((*lengths.shape, width)), np.dtype(np.int64))
    mask = xp.arange(width) < lengths[..., None]
    return mask.astype(dtype.numpy_dtype)


sequence_mask_op.shape(lambda lengths, width, dtype: Abstract((*lengths.shape, width), dtype))
sequence_mask_op.no_gradient()
sequence_mask_op.batching(leading)


# Partitions


@op(
    "DynamicPartition",
    dtypes={"data": ANY, "partitions": {dtypes.int32}},
    convert={"num_partitions": int},
    outputs=...,
    linear="data",
    moves="data",
)
def dynamic_partition(xp, data, partitions, *, num_partitions):
    """The slices of ``data`` in ``num_partitions`` tensors: ``partitions`` says which is whose.

    >>> [t.numpy().tolist() for t in tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)]
    [[10, 30], [20]]
    """
    if num_partitions < 1:
        refuse(f"num_partitions must be at least 1, not {num_partitions}.")
    if data.shape[: partitions.ndim] != partitions.shape:
        refuse(
            "data.shape must start with partitions.shape; "
            f"they are {list(data.shape)} and {list(partitions.shape)}."
        )
    flat = partitions.reshape(-1)
    if flat.size and (flat.min() < 0 or flat.max() >= num_partitions):
        wrong = int(np.argmax((flat < 0) | (flat >= num_partitions)))
        refuse(f"partitions[{wrong}] = {flat[wrong]} is not in [0, {num_partitions})")
    slices = data.reshape((flat.size, *data.shape[partitions.ndim :]))
    # One stable sort takes less than a pass over all slices for each part.
    order = np.argsort(flat, kind="stable")
    ends = np.cumsum(np.bincount(flat, minlength=num_partitions))
    return [
        slices[order[start:end]]
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    ]


@dynamic_partition.shape
def partition_shapes(data, partitions, num_partitions):
    if num_partitions < 1:
        refuse(f"num_partitions must be at least 1, not {num_partitions}.")
    return [(None, *data.shape[partitions.ndim :])] * num_partitions


def indices_in(value: Any) -> Any:
    """The numbers of a tensor as ints: indices are no sizes, so an open one leaves a guard."""
    array = static_array(value)
    return array.astype(np.int64) if array.dtype == object else array


def dynamic_partition_gradient(dy, data_shape, partitions, num_partitions):
    """Each slice gets the gradient of its place among all parts, one behind the other."""
    count = math.prod(partitions._shape_tuple())
    order = argsort(reshape(partitions, (count,)), stable=True)
    return reshape(gather(concat(list(dy), 0), invert_permutation(order)), data_shape)


dynamic_partition.gradient(data=dynamic_partition_gradient)


def check_stitch(indices: tuple[Any, ...], data: tuple[Any, ...]) -> tuple[int, ...]:
    """Check the inputs of a stitch, and return the shape of its result."""
    rest = data[0].shape[indices[0].ndim :]
    count = 0
    for number, (places, values) in enumerate(zip(indices, data, strict=True)):
        if values.shape[: places.ndim] != places.shape or values.shape[places.ndim :] != rest:
            refuse(
                f"data[{number}].shape = {list(values.shape)} must be indices[{number}].shape = "
                f"{list(places.shape)} followed by {list(rest)}, as in the first."
            )
        if places.size:
            if places.min() < 0:
                refuse(f"indices[{number}] holds a negative index.")
            count = max(count, int(places.max()) + 1)
    return check_size((count, *rest))


@op("DynamicStitch", raw=("data", "indices"), linear="data", moves="data")
def dynamic_stitch_op(xp, *data, indices):
    shape = check_stitch(indices, data)
    result = xp.full(shape, b"" if data[0].dtype.kind == "O" else 0, dtype=data[0].dtype)
    for places, values in zip(indices, data, strict=True):
        result[places] = values
    return result


dynamic_stitch_op.shape(lambda data, indices: Abstract(check_stitch(indices, data), data[0].dtype))


def dynamic_stitch_gradient(dy, indices):
    """Each slice gets the gradient that arrived at its index, unless a later slice replaced it."""
    length = dy._shape_tuple()[0]
    gradients = []
    for places, kept in zip(indices, last_written.apply([], (indices, length)), strict=True):
        gradient = gather(dy, constant(places, dtypes.int64))
        kept = reshape(kept, kept._shape_tuple() + (1,) * (gradient.ndim - kept.ndim))
        gradients.append(select(kept, gradient, zero_like(gradient)))
    return gradients


@op("_LastWritten", outputs=...)
def last_written(xp, *, indices, length):
    """For each array of indices, which of its entries are not written again by a later index."""
    last_writer = xp.full(length, -1, np.int64)
    numbers = []
    start = 0
    for places in indices:
        numbers.append(xp.arange(start, start + places.size).reshape(places.shape))
        last_writer[places] = numbers[-1]
        start += places.size
    return [last_writer[places] == number for places, number in zip(indices, numbers, strict=True)]


last_written.shape(lambda indices: [Abstract(places.shape, dtypes.bool) for places in indices])
last_written.no_gradient()
dynamic_stitch_op.gradient(data=dynamic_stitch_gradient)


@dynamic_stitch_op.batching
def stitch_rule(items, data, indices):
    arrays = all_spread(items, data)
    moved = [
        moved_axis(values, 0, places.ndim) for values, places in zip(arrays, indices, strict=True)
    ]
    return moved_axis(items.run(*moved), 1, 0)


@composition
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """A tensor whose slice ``indices[m][i]`` is ``data[m][i]``. If an index is repeated, the last one counts.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]

    Differs from TensorFlow: a slice that was overwritten gets no gradient.

    Args:
        indices: a list of tensors of integers, the places of slices in the result.
        data: as many tensors; each has the shape of its indices, and behind it the shape of a slice.
    """
    indices = list_of(indices, "dynamic_stitch", "indices")
    data = list_of(data, "dynamic_stitch", "data")
    if len(indices) != len(data):
        raise ValueError(
            "dynamic_stitch() expects as many data as indices; "
            f"{len(data)} and {len(indices)} came."
        )
    if not data:
        refuse("dynamic_stitch() needs at least one tensor.")
    places = []
    for value in indices:
        array = indices_in(value)
        if array.size and array.max() >= 2**31 - 1:
            refuse(f"dynamic_stitch() takes indices below {2**31 - 1}; {array.max()} came.")
        places.append(array)
    return dynamic_stitch_op(data, tuple(places))


# Unique elements


class Unique(NamedTuple):
    """The result of `tf.unique`."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The result of `tf.unique_with_counts`."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # it hides the method `count` of tuples


UniqueV2 = namedtuple("UniqueV2", ["y", "idx"])
UniqueWithCountsV2 = namedtuple("UniqueWithCountsV2", ["y", "idx", "count"])


def first_occurrences(rows: Any) -> tuple[Any, Any, Any]:
    """The indices of the distinct elements of a vector in the order of their first appearance, which of them
    each element is, and how often each appears. NaNs are all distinct, and the two zeros are equal."""
    if rows.dtype.kind == "O":
        seen: dict[Any, int] = {}
        idx = np.array([seen.setdefault(value, len(seen)) for value in rows.tolist()], np.int64)
        first = np.unique(idx, return_index=True)[1]
        return first, idx, np.bincount(idx, minlength=len(seen))
    if rows.dtype.kind == "c":
        refuse("unique() does not take complex numbers.")
    if rows.dtype.kind not in "biuf":
        # NumPy sorts ml_dtypes' numbers slowly or not at all. In float32 they have the same order.
        rows = rows.astype(np.float32)
    _, first, inverse, counts = np.unique(
        rows, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)], counts[order]


def check_vector(x: Any) -> None:
    if x.ndim != 1:
        refuse(f"unique() expects a vector, not shape {list(x.shape)}.")


def unique_shapes(x, out_idx):
    check_vector(x)
    return [(None,), Abstract(x.shape, out_idx), Abstract([None], out_idx)]


def unique_of_vector(x: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    check_vector(x)
    first, idx, counts = first_occurrences(x)
    return x[first], idx.astype(out_idx.numpy_dtype), counts.astype(out_idx.numpy_dtype)


@op(
    "Unique",
    convert={"out_idx": index_dtype},
    outputs=("y", "idx"),
    result=Unique,
    lane=searches.unique,
)
def unique(xp, x, *, out_idx=dtypes.int32):
    """The distinct elements of the vector ``x`` in order of appearance, and which of them each element is.

    >>> y, idx = tf.unique([7, 7, 3, 7])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([7, 3], [0, 0, 1, 0])
    """
    return unique_of_vector(x, out_idx)[:2]


unique.shape(lambda x, out_idx: unique_shapes(x, out_idx)[:2])


@op(
    "UniqueWithCounts",
    convert={"out_idx": index_dtype},
    outputs=("y", "idx", "count"),
    result=UniqueWithCounts,
)
def unique_with_counts(xp, x, *, out_idx=dtypes.int32):
    """The distinct elements of the vector ``x``, which of them each element is, and how often each appears.

    >>> tf.unique_with_counts([7, 7, 3, 7]).count.numpy().tolist()
    [3, 1]
    """
    return unique_of_vector(x, out_idx)


unique_with_counts.shape(unique_shapes)


class ListDiff(NamedTuple):
    """The result of `tf.compat.v1.setdiff1d`."""

    out: Tensor
    idx: Tensor


@op(
    "ListDiff",
    convert={"out_idx": index_dtype},
    outputs=("out", "idx"),
    result=ListDiff,
)
def list_diff(xp, x, y, *, out_idx=dtypes.int32):
    """The elements of the vector ``x`` that are not in ``y``, in their order, and their places in ``x``."""
    for name, vector in (("x", x), ("y", y)):
        if vector.ndim != 1:
            refuse(f"{name} should be a vector; its shape is {list(vector.shape)}.")
    _, number, _ = first_occurrences(np.concatenate([y, x]))
    # A NaN has a number of its own, and so is in no other vector.
    places = np.flatnonzero(~np.isin(number[len(y) :], number[: len(y)]))
    return x[places], places.astype(out_idx.numpy_dtype)


list_diff.shape(lambda out_idx: [(None,), Abstract([None], out_idx)])


@public
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> ListDiff:
    """The elements of the vector ``x`` that are not in ``y``, in their order, and their places in ``x``.

    >>> out, idx = tf.compat.v1.setdiff1d([1, 2, 3, 4, 2], [2, 4])
    >>> out.numpy().tolist(), idx.numpy().tolist()
    ([1, 3], [0, 2])

    Args:
        x: a vector.
        y: a vector of the dtype of ``x``.
        index_dtype: the dtype of the places: tf.int32 or tf.int64.
    """
    return list_diff(x, y, out_idx=index_dtype)


def unique_along(x: Any, axis: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    if not axis.size:
        return unique_of_vector(x, out_idx)
    if axis.size != 1:
        refuse(f"unique() takes one axis, not {axis.tolist()}.")
    position = normalize_axis(int(axis.reshape(-1)[0]), x.ndim)
    if x.ndim == 1:
        return unique_of_vector(x, out_idx)
    rows = (
        np.moveaxis(x, position, 0).reshape((x.shape[position], -1))
        if x.size
        else np.empty((x.shape[position], 0))
    )
    seen: dict[Any, int] = {}
    idx = np.array([seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()], np.int64)
    first = np.unique(idx, return_index=True)[1]
    dtype = out_idx.numpy_dtype
    return (
        np.take(x, first, axis=position),
        idx.astype(dtype),
        np.bincount(idx, minlength=len(seen)).astype(dtype),
    )


@op(
    "UniqueV2",
    convert={"axis": static_array, "out_idx": index_dtype},
    outputs=("y", "idx"),
    result=UniqueV2,
)
def unique_v2(xp, x, *, axis, out_idx=dtypes.int32):
    """`unique` for the slices of ``x`` along one axis, given as a vector of one element."""
    return unique_along(x, axis, out_idx)[:2]


unique_v2.shape(lambda x, axis, out_idx: shapes_of_unique_slices(x, axis, out_idx)[:2])


@op(
    "UniqueWithCountsV2",
    convert={"axis": static_array, "out_idx": index_dtype},
    outputs=("y", "idx", "count"),
    result=UniqueWithCountsV2,
)
def unique_with_counts_v2(xp, x, *, axis, out_idx=dtypes.int32):
    """`unique_with_counts` for the slices of ``x`` along one axis, given as a vector of one element."""
    return unique_along(x, axis, out_idx)


@unique_with_counts_v2.shape
def shapes_of_unique_slices(x, axis, out_idx):
    if not axis.size or x.ndim == 1:
        return unique_shapes(x, out_idx)
    if axis.size != 1:
        refuse(f"unique() takes one axis, not {axis.tolist()}.")
    place = normalize_axis(int(axis.reshape(-1)[0]), x.ndim)
    return [
        (*x.shape[:place], None, *x.shape[place + 1 :]),
        Abstract([x.shape[place]], out_idx),
        Abstract([None], out_idx),
    ]
