"""Sums and the like over the axes of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.ops.args import static_axis, static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.exponential import exp, log
from tapegrad.ops.elementwise.logic import greater, not_equal
from tapegrad.ops.elementwise.math import add, maximum, sqrt, square, subtract, truediv
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.segment import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from tapegrad.ops.reduce.reduce import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tapegrad.ops.shape.array import expand_dims as expand_tensor
from tapegrad.ops.shape.array import reshape, stop_gradient
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import ones_like
from tapegrad.ragged.broadcast import elementwise
from tapegrad.ragged.ragged_tensor import RaggedTensor, axis_of, check_ragged, tensor_of
from tapegrad.ragged.row_partition import partition_of_splits, splits_of_lengths
from tapegrad.ragged.rows import rank_of, uniform_rows

Segments = Callable[[Any, Any, int], Any]


def by_number(aggregate: Any) -> Segments:
    """``aggregate`` of booleans, computed on integers."""

    def segments(values: Any, numbers: Any, count: int) -> Any:
        return not_equal(aggregate(cast(values, dtypes.int32), numbers, count), 0)

    return segments


def any_of(values: Any, numbers: Any, count: int) -> Any:
    return greater(unsorted_segment_sum(cast(values, dtypes.int32), numbers, count), 0)


# What sums the values that have the same number, for each op that sums along axes.
SEGMENTS: dict[Any, Segments] = {
    reduce_sum: unsorted_segment_sum,
    reduce_prod: unsorted_segment_prod,
    reduce_max: unsorted_segment_max,
    reduce_min: unsorted_segment_min,
    reduce_any: any_of,
    reduce_all: by_number(unsorted_segment_prod),
}


def axes_of(ragged: RaggedTensor, axis: Any) -> list[int] | None:
    """The axes to reduce, counted from the front; None if these are all axes."""
    check_ragged(ragged, "input_tensor")
    axes = static_axis(axis)
    if axes is None:
        return None
    rank = rank_of(ragged)
    axis_list = [axes] if isinstance(axes, int) else list(axes)
    if len(axis_list) == 1:
        return [axis_of(axis_list[0], rank)]
    places = {
        axis_of(axis_number, rank, f"axis[{place}]") for place, axis_number in enumerate(axis_list)
    }
    return sorted(places)


def reduction(
    function: Any,
    ragged: Any,
    axis: Any = None,
    keepdims: Any = False,
    segments: Segments | None = None,
) -> Any:
    """A ragged override: the reduction ``function`` over one or more axes, one after the other.

    Args:
        segments: reduces rows with the same number; without it, what `SEGMENTS` has for the function.
    """
    segments = segments or SEGMENTS[function]
    axes = axes_of(ragged, axis)
    if axes is None:
        whole = function(ragged.flat_values)
        return reshape(whole, (1,) * rank_of(ragged)) if keepdims else whole
    for axis_number in reversed(axes):
        if isinstance(ragged, RaggedTensor):
            ragged = along_axis(function, segments, ragged, axis_number)
        else:
            ragged = function(ragged, axis_number)
        if keepdims:
            ragged = expand_dims(None, ragged, axis_number)
    return ragged


def along_axis(function: Any, segments: Segments, ragged: RaggedTensor, axis: int) -> Any:
    partition = ragged._row_partition
    if axis == 0:
        width = static_int(reduce_max(partition.row_lengths())) if partition.static_nrows else 0
        return by_segments(segments, ragged.values, partition.offsets_in_rows(), width)
    if axis == 1:
        rows = partition.static_nrows
        return by_segments(segments, ragged.values, partition.value_rowids(), rows)
    if isinstance(ragged.values, RaggedTensor):
        return tensor_of(along_axis(function, segments, ragged.values, axis - 1), partition)
    return tensor_of(function(ragged.values, axis - 1), partition)


def by_segments(aggregate: Segments, values: Any, numbers: Any, count: int) -> Any:
    """For each number below ``count`` the aggregate of the rows of ``values`` that have this number."""
    if not isinstance(values, RaggedTensor):
        return aggregate(values, numbers, count)
    partition = values._row_partition
    lengths = unsorted_segment_max(partition.row_lengths(), numbers, count)
    rows = partition_of_splits(splits_of_lengths(maximum(lengths, constant(0, lengths.dtype))))
    starts = gather(gather(rows.row_starts(), numbers), partition.value_rowids())
    places = add(starts, partition.offsets_in_rows())
    inner = by_segments(aggregate, values.values, places, rows.static_nvals)
    return tensor_of(inner, rows)


def segments_form(function: Any, data: Any, segment_ids: Any, num_segments: Any, *rest: Any) -> Any:
    """The ragged override of the functions ``tf.math.unsorted_segment_...``."""
    if isinstance(segment_ids, RaggedTensor):
        return function(data.flat_values, segment_ids.flat_values, num_segments)
    return by_segments(function, data, segment_ids, int(num_segments))


def mean(function: Any, ragged: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The ragged override of `tf.reduce_mean`. The mean of an empty row is NaN."""
    total = reduction(reduce_sum, ragged, axis, keepdims)
    ones = elementwise(ones_like, ragged)
    return truediv(total, reduction(reduce_sum, ones, axis, keepdims))


def variance(
    function: Any, input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None
) -> Any:
    """The ragged override of `tf.math.reduce_variance`: mean of squares less square of the mean."""
    center = mean(reduce_mean, input_tensor, axis, keepdims)
    squares = mean(reduce_mean, square(input_tensor), axis, keepdims)
    return subtract(squares, square(center))


def deviation(
    function: Any, input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None
) -> Any:
    """The ragged override of `tf.math.reduce_std`."""
    return sqrt(variance(function, input_tensor, axis, keepdims))


def log_sum_exp(
    function: Any, input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None
) -> Any:
    """The ragged override of `tf.reduce_logsumexp`."""
    return log(reduction(reduce_sum, exp(input_tensor), axis, keepdims))


def softmax(function: Any, logits: Any, axis: Any = -1, name: Any = None) -> Any:
    """The ragged override of `tf.nn.softmax`."""
    check_ragged(logits, "logits")
    place = axis_of(-1 if axis is None else axis, rank_of(logits))
    if place > logits.ragged_rank:
        return elementwise(lambda values: function(values, place - logits.ragged_rank), logits)
    largest = elementwise(stop_gradient, reduction(reduce_max, logits, place, True))
    powers = exp(subtract(logits, largest))
    return truediv(powers, reduction(reduce_sum, powers, place, True))


def cumsum(
    function: Any, x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False
) -> Any:
    """The ragged override of `tf.cumsum`."""
    place = axis_of(0 if axis is None else axis, rank_of(x))
    if place > x.ragged_rank:
        inner = place - x.ragged_rank
        return elementwise(lambda values: function(values, inner, exclusive, reverse), x)
    dense = function(x.to_tensor(), place, exclusive, reverse)
    from tapegrad.ops.indexing.gather import gather_nd
    from tapegrad.ops.shape.joining import stack
    from tapegrad.ragged.convert import places_of_values

    return x.with_flat_values(gather_nd(dense, stack(places_of_values(x), axis=1)))


def expand_dims(function: Any, value: Any, axis: Any = None, name: Any = None) -> Any:
    """The ragged override of `tf.expand_dims`, which takes a tensor as well."""
    if not isinstance(value, RaggedTensor):
        return expand_tensor(value, axis)
    place = axis_of(axis, rank_of(value) + 1)
    partition = value._row_partition
    if place == 0:
        return tensor_of(value, uniform_rows(partition.static_nrows, 1, partition.dtype))
    if place == 1:
        return tensor_of(value, uniform_rows(1, partition.static_nrows, partition.dtype))
    return tensor_of(expand_dims(function, value.values, place - 1), partition)
