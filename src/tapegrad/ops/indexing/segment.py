"""Sums, means, products and extremes of the slices of a tensor that belong to the same segment.

`segment_sum` and its kin take sorted segment numbers. The unsorted functions take numbers in any order, and
leave out slices with a negative number.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, convert, public, static_value
from tapegrad.engines.numpy import copies, gathers
from tapegrad.errors import refuse
from tapegrad.ops.args import check_memory, check_size, static_array, static_int, untyped
from tapegrad.ops.batching import apart, end_to_end, moved_axis
from tapegrad.ops.elementwise.math import keep_where, sqrt, zero_safe_divide
from tapegrad.ops.indexing.numbered import numbered
from tapegrad.ops.op import ANY, NUMERIC, REAL, REAL_FLOATING, op
from tapegrad.ops.reduce.scan import cumprod
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "math compat.v1.math": (
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
        "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod "
        "unsorted_segment_sqrt_n unsorted_segment_sum"
    ),
}


SORTED_IDS = frozenset({dtypes.int32, dtypes.int64})
UNSORTED_IDS = SORTED_IDS | {dtypes.int16}


# Reductions by segment, on arrays


def check_indices(indices: Any, limit: int) -> None:
    """Raise unless all of ``indices`` are in [0, limit)."""
    flat = gathers.first_outside(indices, limit)
    if flat < 0:
        return
    place = tuple([int(index) for index in np.unravel_index(flat, indices.shape)])
    where = f"[{', '.join(map(str, place))}]" if place else ""
    refuse(f"indices{where} = {indices[place]} is not in [0, {limit})")


def reduce_by_segment(reducer: Any, slices: Any, ids: Any) -> tuple[Any, Any]:
    """The distinct numbers in ``ids``, ascending, and ``reducer`` over the slices that have each number."""
    if len(ids) > 1 and not bool((ids[1:] >= ids[:-1]).all()):
        order = order_of_ids(ids)
        ids, slices = ids.take(order), slices.take(order, 0)
    first = np.empty(len(ids), bool)
    first[:1] = True
    np.not_equal(ids[1:], ids[:-1], out=first[1:])
    if first.all():
        return ids, slices
    starts = np.flatnonzero(first)
    if slices.dtype.kind == "O" or not slices.size:
        ends = [*starts[1:].tolist(), len(ids)]
        parts = [
            reducer.reduce(slices[start:end], axis=0)
            for start, end in zip(starts.tolist(), ends, strict=True)
        ]
        return ids[starts], np.array(parts, slices.dtype).reshape((len(starts), *slices.shape[1:]))
    return ids[starts], reducer.reduceat(slices, starts, axis=0, dtype=slices.dtype)


def order_of_ids(ids: Any) -> Any:
    """``np.argsort(ids, kind="stable")`` for numbers of at least 0.

    NumPy sorts 16-bit numbers by counting, some fifty times faster than it compares longer ones. Hence the
    lower 16 bits are sorted first, and then the upper ones if there are any.
    """
    largest = int(ids.max())
    if largest >= 1 << 32:
        return np.argsort(ids, kind="stable")
    order = np.argsort(ids.astype(np.uint16), kind="stable")
    if largest >= 1 << 16:
        upper = (ids >> 16).astype(np.uint16)
        order = order.take(np.argsort(upper.take(order), kind="stable"))
    return order


def sum_by_segment(xp: Any, slices: Any, ids: Any, count: int) -> Any:
    """Row i of the result is the sum of the ``slices`` whose id is i. All ids are in [0, count)."""
    shape = check_size((count, *slices.shape[1:]))
    if slices.dtype.kind == "O":
        result = xp.full(shape, b"", dtype=object)
    else:
        result = copies.zeros(shape, slices.dtype)
        if gathers.scatter(result, ids, slices):
            return result
    if len(ids):
        reducer = np.logical_or if slices.dtype.kind == "b" else np.add
        targets, totals = reduce_by_segment(reducer, slices, ids)
        result[targets] = totals
    return result


def fill_by_segment(
    xp: Any,
    kind: Literal["multiply", "maximum", "minimum"],
    slices: Any,
    ids: Any,
    count: int,
    start: Any,
    empty: Any = None,
) -> Any:
    """The "maximum", "minimum" or product ("multiply") by segment.

    Each begins with ``start``, which counts as one of its numbers. Segments without slices get ``empty``,
    unless it is None.
    """
    shape = check_size((count, *slices.shape[1:]))
    result = xp.full(shape, start, slices.dtype)
    if not result.size:
        return result
    if not gathers.scatter(result, ids, slices, kind) and len(ids):
        reducer = getattr(xp, kind)
        targets, totals = reduce_by_segment(reducer, slices, ids)
        result[targets] = reducer(result[targets], totals)
    if empty is not None:
        present = np.zeros(count, bool)
        present[ids] = True
        if not present.all():
            result[~present] = empty
    return result


def neutral(kind: str, dtype: Any) -> Any:
    """What changes no "maximum" or "minimum"."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if kind == "maximum" else np.iinfo(dtype).max
    return -np.inf if kind == "maximum" else np.inf


def check_vector_of_ids(data: Any, ids: Any) -> None:
    if not data.ndim or ids.ndim != 1 or data.shape[0] != ids.shape[0]:
        refuse(
            "segment_ids must be a vector with a number for each slice "
            f"of data along its first axis; their shapes are {list(ids.shape)} "
            f"and {list(data.shape)}."
        )


def sorted_segments(data, segment_ids):
    """The shape rule of ops of segments whose ids are sorted: the last id says how many there are."""
    check_vector_of_ids(data, segment_ids)
    return (None, *data.shape[1:])


def check_sorted(data: Any, ids: Any) -> int:
    """Check the inputs of a sorted segment op, and return how many segments there are."""
    check_vector_of_ids(data, ids)
    if not len(ids):
        return 0
    if ids[0] < 0 or not bool((ids[1:] >= ids[:-1]).all()):
        refuse("segment ids are not increasing from 0 or more: use the unsorted_segment_ function.")
    count = int(ids[-1]) + 1
    check_memory(check_size((count, *data.shape[1:])), data.dtype)
    return count


def unsorted_segments(data, segment_ids, num_segments):
    """The shape rule of ops of segments in any order."""
    if data.shape[: segment_ids.ndim] != segment_ids.shape:
        refuse(
            f"data.shape = {list(data.shape)} must start "
            f"with segment_ids.shape = {list(segment_ids.shape)}."
        )
    if num_segments < 0:
        refuse(f"num_segments = {num_segments} must not be negative.")
    return (num_segments, *data.shape[segment_ids.ndim :])


def check_unsorted(data: Any, ids: Any, count: int) -> tuple[Any, Any]:
    """Check the inputs of an unsorted segment op, and return slices and ids without the negative ones."""
    check_memory(check_size(unsorted_segments(data, ids, count)), data.dtype)
    flat = ids.reshape(-1)
    slices = data.reshape((flat.size, *data.shape[ids.ndim :]))
    if gathers.first_outside(flat, count) >= 0:
        if flat.max() >= count:
            place = int(np.argmax(flat >= count))
            refuse(f"segment_ids[{place}] = {flat[place]} is out of range [0, {count})")
        kept = flat >= 0
        return slices[kept], flat[kept]
    return slices, flat


@untyped
def segment_count(value: Any) -> int:
    array = static_array(value, "integer")
    if array.ndim:
        refuse(f"num_segments must be a scalar, not of shape {list(array.shape)}.")
    return static_int(array.item())


# Gradients: slices by the number of their segment


@op(
    "_TakeSegments",
    dtypes={"params": ANY, "segment_ids": UNSORTED_IDS},
    linear="params",
    values="errors",
    moves="params",
)
def take_segments(xp, params, segment_ids):
    """Slice ``segment_ids[i]`` of ``params`` for each i, or zeros if that number is negative."""
    if not len(params):
        return xp.zeros((*segment_ids.shape, *params.shape[1:]), dtype=params.dtype)
    result = gathers.gather(params, segment_ids, 0)
    if result is None:
        # Some numbers are negative. The forward op has refused those that are too large.
        result = params.take(xp.maximum(segment_ids, 0), 0)
        result[segment_ids < 0] = 0
    return result


take_segments.shape(lambda params, segment_ids: (*segment_ids.shape, *params.shape[1:]))


def take_segments_gradient(dy, params_shape, segment_ids):
    return unsorted_segment_sum(dy, segment_ids, params_shape[0])


take_segments.gradient(params=take_segments_gradient)


def unsorted_rule(items, data, segment_ids, num_segments):
    if items.batched[1]:
        data, ids = items.spread(data, 0), numbered(items, segment_ids, num_segments)
        return apart(items, items.run(data, ids, num_segments=items.size * num_segments))
    data = moved_axis(data, 0, segment_ids.ndim)
    return moved_axis(items.run(data, segment_ids), 1, 0)


def sorted_rule(items, data, segment_ids):
    if items.batched[1]:
        ids = segment_ids
        if not isinstance(ids, np.ndarray) or not ids.size or (ids[:, -1] != ids[0, -1]).any():
            # The items have different numbers of segments, unless the loop finds that they have not.
            return None
        data = end_to_end(items.spread(data, 0))
        return apart(items, items.run(data, end_to_end(numbered(items, ids, ids[0, -1] + 1))))
    return moved_axis(items.run(moved_axis(data, 0, 1), segment_ids), 1, 0)


def take_rule(items, params, segment_ids):
    if not items.batched[1]:
        return moved_axis(items.run(moved_axis(params, 0, 1), segment_ids), segment_ids.ndim, 0)
    if not items.batched[0]:
        return items.run(params, segment_ids)
    return items.run(end_to_end(params), numbered(items, segment_ids, params.shape[1]))


take_segments.batching(take_rule)


@op("_SegmentSizes", dtypes=UNSORTED_IDS, values="errors")
def segment_sizes_op(xp, segment_ids, *, count, rank, dtype):
    ids = segment_ids.reshape(-1)
    sizes = xp.maximum(xp.bincount(ids[ids >= 0], minlength=count), 1)
    return sizes.reshape((count,) + (1,) * (rank - 1)).astype(dtype.numpy_dtype)


segment_sizes_op.shape(lambda count, rank, dtype: Abstract((count, *(1,) * (rank - 1)), dtype))
segment_sizes_op.no_gradient()


@segment_sizes_op.batching
def sizes_rule(items, segment_ids, count, rank, dtype):
    return apart(items, items.run(numbered(items, segment_ids, count), count=items.size * count))


def segment_sizes(segment_ids: EagerTensor, count: int, like: Tensor) -> EagerTensor:
    """How many slices each segment has, at least 1, in a shape that divides ``like``."""
    sizes: EagerTensor = segment_sizes_op.apply([segment_ids], (count, like.ndim, like.dtype))
    return sizes


# Sums and means


@op(
    "UnsortedSegmentSum",
    dtypes={"data": NUMERIC, "segment_ids": UNSORTED_IDS},
    convert={"num_segments": segment_count},
    linear="data",
    values="errors",
)
def unsorted_segment_sum(xp, data, segment_ids, *, num_segments):
    """A tensor whose row i is the sum of the slices of ``data`` in segment i.

    >>> tf.math.unsorted_segment_sum([1, 2, 4], [2, 0, 2], num_segments=3).numpy().tolist()
    [2, 0, 5]
    """
    slices, ids = check_unsorted(data, segment_ids, num_segments)
    return sum_by_segment(xp, slices, ids, num_segments)


unsorted_segment_sum.shape(unsorted_segments)


@op("SegmentSum", dtypes={"data": NUMERIC, "segment_ids": SORTED_IDS}, linear="data")
def segment_sum(xp, data, segment_ids):
    """A tensor whose row i is the sum of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_sum([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [3, 0, 4]
    """
    return sum_by_segment(xp, data, segment_ids, check_sorted(data, segment_ids))


segment_sum.shape(sorted_segments)


unsorted_segment_sum.gradient(data=lambda dy, segment_ids: take_segments(dy, segment_ids))
unsorted_segment_sum.batching(unsorted_rule)
segment_sum.gradient(data=lambda dy, segment_ids: take_segments(dy, segment_ids))
segment_sum.batching(sorted_rule)


@op("SegmentMean", dtypes={"data": NUMERIC, "segment_ids": SORTED_IDS}, linear="data")
def segment_mean(xp, data, segment_ids):
    """A tensor whose row i is the mean of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_mean([1.0, 2.0, 4.0], [0, 0, 2]).numpy().tolist()
    [1.5, 0.0, 4.0]
    """
    count = check_sorted(data, segment_ids)
    total = sum_by_segment(xp, data, segment_ids, count)
    if not total.size:
        return total
    sizes = xp.maximum(xp.bincount(segment_ids, minlength=count), 1).reshape(
        (count,) + (1,) * (data.ndim - 1)
    )
    if data.dtype.kind in "iu":
        return (xp.sign(total) * (xp.abs(total) // sizes)).astype(data.dtype)
    return total / sizes.astype(data.dtype)


segment_mean.shape(sorted_segments)
segment_mean.gradient(
    data=lambda dy, segment_ids, out_shape: take_segments(
        dy / segment_sizes(segment_ids, out_shape[0], dy), segment_ids
    )
)
segment_mean.batching(sorted_rule)


@public
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """A tensor whose row i is the mean of the slices of ``data`` in segment i.

    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 4.0], [2, 0, 2], num_segments=3).numpy().tolist()
    [2.0, 0.0, 2.5]

    Args:
        data: a tensor of real numbers.
        segment_ids: the number of the segment of each slice: integers, in the shape of the first axes of
            ``data``. Slices with negative numbers are left out.
        num_segments: the number of segments, which is the number of rows of the result.
    """
    total, sizes = sum_and_sizes(data, segment_ids, num_segments, REAL, "mean")
    return total / sizes


@public
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """A tensor whose row i is the sum of the slices in segment i, divided by the root of their number.

    >>> tf.math.unsorted_segment_sqrt_n([3.0, 1.0, 1.0, 1.0, 1.0], [0, 1, 1, 1, 1], 2).numpy().tolist()
    [3.0, 2.0]

    Args:
        data: a tensor of floating point numbers.
        segment_ids: the number of the segment of each slice: integers, in the shape of the first axes of
            ``data``. Slices with negative numbers are left out.
        num_segments: the number of segments, which is the number of rows of the result.
    """
    total, sizes = sum_and_sizes(data, segment_ids, num_segments, REAL_FLOATING, "sqrt_n")
    return total / sqrt(sizes)


def sum_and_sizes(
    data: Any, segment_ids: Any, num_segments: Any, allowed: frozenset[dtypes.DType], what: str
) -> tuple[EagerTensor, EagerTensor]:
    data, ids = convert(data), convert(segment_ids)
    if data.dtype not in allowed:
        refuse(f"unsorted_segment_{what}() does not take data of {data.dtype.name}.")
    count = segment_count(num_segments)
    total = unsorted_segment_sum(data, ids, count)
    return total, segment_sizes(ids, count, total)


# Products


@op(
    "UnsortedSegmentProd",
    dtypes={"data": NUMERIC, "segment_ids": UNSORTED_IDS},
    convert={"num_segments": segment_count},
    values="errors",
)
def unsorted_segment_prod(xp, data, segment_ids, *, num_segments):
    """A tensor whose row i is the product of the slices of ``data`` in segment i.

    >>> tf.math.unsorted_segment_prod([1, 2, 4], [2, 0, 2], num_segments=3).numpy().tolist()
    [2, 1, 4]
    """
    slices, ids = check_unsorted(data, segment_ids, num_segments)
    return fill_by_segment(xp, "multiply", slices, ids, num_segments, 1)


unsorted_segment_prod.shape(unsorted_segments)


@op("SegmentProd", dtypes={"data": NUMERIC, "segment_ids": SORTED_IDS})
def segment_prod(xp, data, segment_ids):
    """A tensor whose row i is the product of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_prod([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [2, 1, 4]
    """
    return fill_by_segment(xp, "multiply", data, segment_ids, check_sorted(data, segment_ids), 1)


segment_prod.shape(sorted_segments)


def product_gradient(dy, data, segment_ids, out):
    if math.prod(data._shape_tuple()) and static_value(data, "zeros among the factors").all():
        return take_segments(dy * out, segment_ids) / data
    # Dividing by an element fails at a zero, so the other elements of its segment are multiplied: those
    # before the element times those after it. A table has a segment in each row, filled up with ones.

    shape, count = data._shape_tuple(), dy._shape_tuple()[0]
    slices = reshape(data, (math.prod(segment_ids._shape_tuple()), *shape[segment_ids.ndim :]))
    table, places = segment_table(segment_ids, count)
    size = math.prod(table._shape_tuple())
    ones = reshape(cast(table < 0, dy.dtype), (*table._shape_tuple(), *(1,) * (slices.ndim - 1)))
    rows = take_segments(slices, table) + ones
    other_factors = cumprod(rows, axis=1, exclusive=True) * cumprod(
        rows, axis=1, exclusive=True, reverse=True
    )
    spread = reshape(dy, (count, 1, *dy._shape_tuple()[1:])) * other_factors
    flat = reshape(spread, (size, *slices._shape_tuple()[1:]))
    return reshape(take_segments(flat, places), shape)


@op("_SegmentTable", dtypes=UNSORTED_IDS, outputs=("table", "places"))
def segment_table(xp, segment_ids, *, count):
    """A table with the slices of each segment in a row, padded with -1; and where each slice is in it."""
    ids = segment_ids.reshape(-1)
    order = xp.argsort(ids, kind="stable")
    order = order[ids[order] >= 0]
    ranked = ids[order].astype(np.int64)
    sizes = xp.bincount(ranked, minlength=count)
    width = int(sizes.max(initial=0))
    within = xp.arange(len(order)) - (xp.cumsum(sizes) - sizes)[ranked]
    table = xp.full(check_size((count, width)), -1, np.int64)
    table[ranked, within] = order
    places = xp.full(len(ids), -1, np.int64)
    places[order] = ranked * width + within
    return table, places


segment_table.shape(
    lambda segment_ids, count: [
        Abstract([count, None], dtypes.int64),
        Abstract([segment_ids.size], dtypes.int64),
    ]
)
segment_table.no_gradient()


unsorted_segment_prod.gradient(data=product_gradient)
unsorted_segment_prod.batching(unsorted_rule)
segment_prod.gradient(data=product_gradient)
segment_prod.batching(sorted_rule)


# Extremes


def lowest(dtype: Any) -> Any:
    """The least finite value, from which TensorFlow's maximum of a segment in any order begins."""
    return limits(dtype).min


def highest(dtype: Any) -> Any:
    """The greatest finite value, from which TensorFlow's minimum of a segment in any order begins."""
    return limits(dtype).max


def limits(dtype: Any) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype)
    if dtype.kind == "f":
        return np.finfo(dtype)
    import ml_dtypes

    return ml_dtypes.finfo(dtype)


@op(
    "UnsortedSegmentMax",
    dtypes={"data": REAL, "segment_ids": UNSORTED_IDS},
    convert={"num_segments": segment_count},
    values="errors",
)
def unsorted_segment_max(xp, data, segment_ids, *, num_segments):
    """A tensor whose row i is the maximum of the slices in segment i, or the lowest number without slices.

    >>> tf.math.unsorted_segment_max([1, 2, 4], [1, 0, 1], num_segments=2).numpy().tolist()
    [2, 4]
    """
    slices, ids = check_unsorted(data, segment_ids, num_segments)
    return fill_by_segment(xp, "maximum", slices, ids, num_segments, lowest(data.dtype))


unsorted_segment_max.shape(unsorted_segments)
unsorted_segment_max.batching(unsorted_rule)


@op(
    "UnsortedSegmentMin",
    dtypes={"data": REAL, "segment_ids": UNSORTED_IDS},
    convert={"num_segments": segment_count},
    values="errors",
)
def unsorted_segment_min(xp, data, segment_ids, *, num_segments):
    """A tensor whose row i is the minimum of the slices in segment i, or the highest number without slices.

    >>> tf.math.unsorted_segment_min([1, 2, 4], [1, 0, 1], num_segments=2).numpy().tolist()
    [2, 1]
    """
    slices, ids = check_unsorted(data, segment_ids, num_segments)
    return fill_by_segment(xp, "minimum", slices, ids, num_segments, highest(data.dtype))


unsorted_segment_min.shape(unsorted_segments)
unsorted_segment_min.batching(unsorted_rule)


@op("SegmentMax", dtypes={"data": REAL, "segment_ids": SORTED_IDS})
def segment_max(xp, data, segment_ids):
    """A tensor whose row i is the maximum of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_max([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [2, 0, 4]
    """
    count, start = check_sorted(data, segment_ids), neutral("maximum", data.dtype)
    return fill_by_segment(xp, "maximum", data, segment_ids, count, start, empty=0)


segment_max.shape(sorted_segments)
segment_max.batching(sorted_rule)


@op("SegmentMin", dtypes={"data": REAL, "segment_ids": SORTED_IDS})
def segment_min(xp, data, segment_ids):
    """A tensor whose row i is the minimum of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_min([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [1, 0, 4]
    """
    count, start = check_sorted(data, segment_ids), neutral("minimum", data.dtype)
    return fill_by_segment(xp, "minimum", data, segment_ids, count, start, empty=0)


segment_min.shape(sorted_segments)
segment_min.batching(sorted_rule)


def extremum_gradient(dy, data, segment_ids, out):
    """The slices that are as large (or small) as the result share its gradient evenly, as in TensorFlow."""
    chosen = data == take_segments(out, segment_ids)
    ones = convert(1, data.dtype)
    shares = unsorted_segment_sum(keep_where(ones, chosen), segment_ids, out._shape_tuple()[0])
    return keep_where(take_segments(zero_safe_divide(dy, shares), segment_ids), chosen)


for extremum in (unsorted_segment_max, unsorted_segment_min, segment_max, segment_min):
    extremum.gradient(data=extremum_gradient)
