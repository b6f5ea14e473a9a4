"""Sorting, and searching in sorted tensors. Every sort is stable and treats NaN as the largest number."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, convert, public
from tapegrad.engines.numpy import orders, ranks, searches
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    normalize_axis,
    static_array,
    static_bool,
    static_dtype,
    static_int,
    untyped,
)
from tapegrad.ops.batching import BROADCASTS, leading, rows, with_axes
from tapegrad.ops.indexing.gather import gather_op, places_in_batches, scatter_nd
from tapegrad.ops.op import REAL, op
from tapegrad.ops.reduce.reduce import extreme_gradient
from tapegrad.ops.shape.array import reshape, transpose_op
from tapegrad.ops.shape.shapes import index_dtype
from tapegrad.ops.shape_rules import Abstract, like, same_shape

COUNTED = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})

PUBLIC = {
    ". compat.v1": "argsort searchsorted sort",
    "math nn": "in_top_k",
    "math nn compat.v1.math compat.v1.nn": "top_k",
}


class TopKV2(NamedTuple):
    """The result of `tf.math.top_k`."""

    values: Tensor
    indices: Tensor


def stable_order(array: Any, descending: bool, wide: bool = True) -> Any:
    """The indices that sort the elements along the last axis. Equal elements keep their order.

    They are int64 if ``wide``, and otherwise int32.
    """
    return orders.places(comparable(array), descending, wide)


def comparable(array: Any) -> Any:
    """``array`` in a dtype of 32 or 64 bits in which its elements have the same order."""
    if array.dtype.kind not in "iuf" or array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype == np.uint64:
        return (array ^ np.uint64(1 << 63)).view(np.int64)
    if array.dtype.kind != "f" and array.dtype.itemsize != 8:
        return array.astype(np.int64 if array.dtype == np.uint32 else np.int32, copy=False)
    return array


def places_of_largest(array: Any, count: int) -> Any:
    """The indices of the ``count`` largest elements of each row, largest first. The first of equals leads."""
    length = array.shape[-1]
    if not 0 < 4 * count < length:
        return stable_order(array, True)[..., :count]
    if array.dtype.kind not in "iuf":
        array = array.astype(np.float32)
    places = np.sort(
        np.argpartition(array, length - count, axis=-1)[..., length - count :], axis=-1
    )
    chosen = np.take_along_axis(array, places, axis=-1)
    places = np.take_along_axis(places, stable_order(chosen, True), axis=-1)
    # If only some of the elements equal to the least chosen one are chosen, chance picked among them.
    least = chosen.min(axis=-1, keepdims=True)
    doubtful = (array == least).sum(axis=-1) != (chosen == least).sum(axis=-1)
    if array.dtype.kind == "f":
        doubtful |= np.isnan(chosen).any(axis=-1)
    if doubtful.any():
        places[doubtful] = stable_order(array[doubtful], True)[..., :count]
    return places


def is_descending(direction: Any) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction must be 'ASCENDING' or 'DESCENDING', not {direction!r}.")
    return direction == "DESCENDING"


def sortable(values: Any, axis: Any, what: str) -> tuple[EagerTensor, int]:
    tensor = convert(values)
    if tensor.dtype not in REAL:
        refuse(f"{what}() does not take {tensor.dtype.name}: it sorts real numbers.")
    axis = static_int(int(axis) if isinstance(axis, float) else axis)
    return tensor, normalize_axis(axis, tensor.ndim)


@public
def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """``values`` in order along ``axis``.

    >>> tf.sort([3, 1, 2]).numpy().tolist(), tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
    ([1, 2, 3], [3, 2, 1])

    Differs from TensorFlow: NaN always counts as the largest number.

    Args:
        values: real numbers.
        axis: the axis along which to sort; the last by default.
        direction: "ASCENDING" or "DESCENDING".
    """
    descending = is_descending(direction)
    tensor, axis = sortable(values, axis, "sort")
    shape = tensor._shape_tuple()
    perm = None
    if axis != len(shape) - 1:
        perm = [*range(len(shape))]
        perm[axis], perm[-1] = perm[-1], perm[axis]
        tensor = transpose_op(tensor, perm)
    result: Tensor = sort_rows(tensor, descending)
    return result if perm is None else transpose_op(result, perm)


@op("_Sort", dtypes=REAL, values="elements")
def sort_rows(xp, values, *, descending):
    """``values`` sorted along the last axis."""
    if values.dtype.kind not in "iuf":
        return xp.take_along_axis(values, stable_order(values, descending), axis=-1)
    # Only the values are sorted: the indices they came from matter to the gradient alone.
    ordered = orders.sort(values)
    return ordered[..., ::-1] if descending else ordered


sort_rows.shape(same_shape)


@op("_SortedPlaces", dtypes=REAL, values="elements")
def sorted_places(xp, values, *, descending):
    """The index in its sorted row at which each element stands."""
    order = stable_order(values, descending)
    places = np.empty(order.shape, np.int64)
    numbers = np.arange(order.shape[-1]).reshape((1,) * (order.ndim - 1) + (-1,))
    np.put_along_axis(places, order, numbers, axis=-1)
    return places


sorted_places.shape(lambda values: Abstract(values.shape, dtypes.int64))


def unsorted(dy, values, descending):
    places = sorted_places(values, descending)
    # Even a vector is gathered as rows, because a gather with a batch dimension has a dense gradient.
    return reshape(gather_op(as_rows(dy), as_rows(places), 1, 1), dy._shape_tuple())


def unsorted_fast(xp, dy, values, descending):
    if values.dtype.kind == "f" and values.dtype.itemsize >= 4 and dy.dtype == values.dtype:
        return orders.put_back(values, dy, descending)
    result = np.empty(dy.shape, dy.dtype)
    np.put_along_axis(result, stable_order(values, descending), dy, -1)
    return result


sorted_places.no_gradient()
sorted_places.batching(leading)
sort_rows.gradient(values=unsorted, fast={"values": unsorted_fast})
sort_rows.batching(leading)


@public
def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices that sort ``values`` along ``axis``. Equal elements keep their order.

    >>> tf.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]

    Differs from TensorFlow: NaN always counts as the largest number.

    Args:
        values: real numbers.
        axis: the axis along which to sort; the last by default.
        direction: "ASCENDING" or "DESCENDING".
        stable: accepted, and of no effect.
    """
    descending = is_descending(direction)
    tensor, axis = sortable(values, axis, "argsort")
    return argsort_op(tensor, axis, descending)


@op("_ArgsortAlong", dtypes=REAL, values="elements")
def argsort_op(xp, values, *, axis, descending):
    if axis == values.ndim - 1:
        return stable_order(values, descending, wide=False)
    order = stable_order(xp.moveaxis(values, axis, -1), descending, wide=False)
    return xp.moveaxis(order, -1, axis)


argsort_op.shape(lambda values: Abstract(values.shape, dtypes.int32))
argsort_op.no_gradient()
argsort_op.batching(with_axes("axis"))


@untyped
def top_k_size(value: Any) -> int:
    array = static_array(value, "integer")
    if array.ndim or array < 0:
        refuse(f"k must be a scalar of at least 0, not {array.tolist()}.")
    return static_int(array.item())


def top_k_index(value: Any) -> Any:
    dtype = static_dtype(value)
    if dtype not in (dtypes.int16, dtypes.int32, dtypes.int64):
        refuse(f"index_type must be int16, int32 or int64, not {getattr(dtype, 'name', dtype)}.")
    return dtype


def check_top_k(shape: tuple[int, ...], k: int) -> None:
    if not shape or shape[-1] < k:
        refuse(
            f"top_k() cannot take {k} elements from each row of an input of shape {list(shape)}."
        )


@op(
    "TopKV2",
    dtypes=REAL,
    convert={"k": top_k_size, "sorted": static_bool, "index_type": top_k_index},
    outputs=("values", "indices"),
    result=TopKV2,
    lane=ranks.top_k,
    accumulate={"values": "float32"},
    values="elements",
)
def top_k(xp, input, *, k=1, sorted=True, index_type=dtypes.int32):
    """The ``k`` largest elements of each row of ``input``, largest first, and their indices.

    >>> values, indices = tf.math.top_k([1.0, 3.0, 2.0], k=2)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([3.0, 2.0], [1, 2])

    Of equal elements the one with the lower index comes first.

    Differs from TensorFlow: NaN always counts as the largest number, and the elements are sorted even with
    ``sorted=False``.
    """
    check_top_k(input.shape, k)
    order = places_of_largest(input, k)
    return xp.take_along_axis(input, order, axis=-1), order.astype(index_type.numpy_dtype)


@top_k.shape
def top_k_shapes(input, k, index_type):
    check_top_k(input.shape, k)
    shape = (*input.shape[:-1], k)
    return [shape, Abstract(shape, index_type)]


def top_k_gradient(dy, input_shape, indices, k):
    rows, width = math.prod(input_shape[:-1]), input_shape[-1]
    places = places_in_batches(reshape(indices, (rows, k)), 1, width)
    flat = scatter_nd(reshape(places, (rows * k, 1)), reshape(dy[0], (rows * k,)), (rows * width,))
    return reshape(flat, input_shape)


top_k.gradient(input=top_k_gradient)
top_k.batching(leading)


def check_nth(shape: tuple[int, ...], n: int) -> None:
    if not shape or not 0 <= n < shape[-1]:
        refuse(
            f"Input must have last dimension > n = {n}, and n must not be negative; "
            f"the shape is {list(shape)}."
        )


@op("NthElement", dtypes=REAL, convert={"n": static_int, "reverse": static_bool}, values="elements")
def nth_element(xp, input, *, n, reverse=False):
    """Element ``n`` of each sorted row of ``input``; with ``reverse``, counted from the largest down."""
    check_nth(input.shape, n)
    order = places_of_largest(input, n + 1) if reverse else stable_order(input, False)
    return xp.take_along_axis(input, order[..., n : n + 1], axis=-1)[..., 0]


@nth_element.shape
def nth_element_shape(input, n):
    check_nth(input.shape, n)
    return input.shape[:-1]


def nth_element_gradient(dy, input, out):
    # Elements equal to the result share the gradient evenly, as with a maximum.

    return extreme_gradient(dy, input, out, -1, False)


nth_element.gradient(input=nth_element_gradient)
nth_element.batching(leading)


@op(
    "InTopKV2",
    dtypes={"predictions": {dtypes.float32}, "targets": {dtypes.int32, dtypes.int64}},
    convert={"k": static_int},
    raw=("predictions", "targets", "k"),
    values="elements",
)
def in_top_k_op(xp, predictions, targets, *, k):
    if predictions.ndim != 2 or targets.shape != predictions.shape[:1]:
        refuse(
            "in_top_k() expects a matrix of predictions and a vector with a target for each "
            f"of its rows, not shapes {list(predictions.shape)} and {list(targets.shape)}."
        )
    rows, classes = predictions.shape
    valid = (targets >= 0) & (targets < classes)
    if not classes:
        return valid
    chosen = predictions[np.arange(rows), np.where(valid, targets, 0)]
    larger = (predictions > chosen[:, None]).sum(axis=1)
    return valid & xp.isfinite(predictions).all(axis=1) & (larger < k)


in_top_k_op.shape(lambda targets: Abstract(targets.shape, dtypes.bool))
in_top_k_op.no_gradient()
in_top_k_op.batching(rows())


@public
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the prediction for each row's target is among the ``k`` largest of the row.

    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy().tolist()
    [True, False]

    Args:
        targets: the number of a class for each row.
        predictions: numbers of shape (rows, classes).
        k: how many classes count as the largest.
    """
    return in_top_k_op(predictions, targets, k)


# Searching


def places_in_rows(xp: Any, sorted_inputs: Any, values: Any, side: str, out_type: Any) -> Any:
    if sorted_inputs.ndim != 2 or values.ndim != 2 or sorted_inputs.shape[0] != values.shape[0]:
        refuse(
            "Two matrices with as many rows are expected, "
            f"not shapes {list(sorted_inputs.shape)} and {list(values.shape)}."
        )
    if sorted_inputs.dtype.kind not in "iuf":
        sorted_inputs, values = sorted_inputs.astype(np.float32), values.astype(np.float32)
    result = xp.empty(values.shape, dtype=out_type.numpy_dtype)
    for row, (ordered, wanted) in enumerate(zip(sorted_inputs, values, strict=True)):
        result[row] = ordered.searchsorted(wanted, side)
    return result


@op(
    "LowerBound",
    dtypes=REAL,
    convert={"out_type": index_dtype},
    lane=searches.lower_bound,
    values="elements",
)
def lower_bound(xp, sorted_inputs, values, *, out_type=dtypes.int32):
    """Row by row, the first index at which each value can be inserted without breaking the order."""
    return places_in_rows(xp, sorted_inputs, values, "left", out_type)


lower_bound.shape(like("values", "out_type"))


@op(
    "UpperBound",
    dtypes=REAL,
    convert={"out_type": index_dtype},
    lane=searches.upper_bound,
    values="elements",
)
def upper_bound(xp, sorted_inputs, values, *, out_type=dtypes.int32):
    """Row by row, the last index at which each value can be inserted without breaking the order."""
    return places_in_rows(xp, sorted_inputs, values, "right", out_type)


upper_bound.shape(like("values", "out_type"))


lower_bound.no_gradient()
lower_bound.batching(rows())
upper_bound.no_gradient()
upper_bound.batching(rows())


@op(
    "_Places",
    dtypes=REAL,
    convert={"out_type": index_dtype},
    lane=searches.places,
    values="elements",
)
def places_op(xp, sorted_inputs, values, *, out_type, right):
    """What both bounds give, of vectors; or of as many rows of each."""
    ordered, wanted = [x[None] if x.ndim == 1 else x for x in (sorted_inputs, values)]
    side = "right" if right else "left"
    return places_in_rows(xp, ordered, wanted, side, out_type).reshape(values.shape)


places_op.shape(like("values", "out_type"))
places_op.no_gradient()
places_op.batching(leading)


def bucket_boundaries(value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Bucketize expects a list for 'boundaries', not {type(value).__name__}.")
    for boundary in value:
        if not isinstance(boundary, (int, float, np.number)):
            raise TypeError(f"Bucketize expects numbers for 'boundaries'; {boundary!r} came.")
    if any(after < before for before, after in pairwise(value)):
        refuse(f"Bucketize expects sorted boundaries, not {list(value)}.")
    return tuple(value)


@op("Bucketize", dtypes=COUNTED, convert={"boundaries": bucket_boundaries}, values="elements")
def bucketize(xp, input, *, boundaries):
    """How many of the sorted ``boundaries`` each element has reached. NaN has passed all of them."""
    numbers = input if input.dtype.kind == "f" else input.astype(np.float32)
    limits = xp.array(boundaries, np.float32)
    return xp.searchsorted(limits, numbers, "right").astype(np.int32)


bucketize.shape(like("input", dtypes.int32))
bucketize.no_gradient()
bucketize.batching(BROADCASTS)


@public
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The index at which each of ``values`` would be inserted in ``sorted_sequence``, along the last axis.

    >>> tf.searchsorted([1, 3, 5], [0, 3, 6]).numpy().tolist()
    [0, 1, 3]
    >>> tf.searchsorted([1, 3, 5], [0, 3, 6], side="right").numpy().tolist()
    [0, 2, 3]

    Args:
        sorted_sequence: numbers in ascending order along the last axis.
        values: numbers of the same dtype.
        side: "left" puts a value before its equals, "right" after them.
        out_type: int32, unless it is tf.int64.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted() expects 'left' or 'right' for side, not {side!r}.")
    ordered, wanted = convert(sorted_sequence), convert(values)
    if not ordered.ndim or not wanted.ndim:
        refuse("searchsorted() expects arguments of rank 1 or more; a scalar came.")
    dtype = ordered.dtype
    alike = wanted.dtype is dtype and (dtype.is_floating or dtype.is_integer)
    if alike and ordered.ndim == wanted.ndim == 1:
        return places_op(ordered, wanted, out_type, side == "right")
    search = lower_bound if side == "left" else upper_bound
    places: Tensor = search(as_rows(ordered), as_rows(wanted), out_type)
    return places if wanted.ndim == 2 else reshape.apply([places], (wanted._shape_tuple(),))


def as_rows(tensor: Tensor) -> Tensor:
    shape = tensor._shape_tuple()
    if len(shape) == 2:
        return tensor
    return reshape.apply([tensor], ((math.prod(shape[:-1]), shape[-1]),))
