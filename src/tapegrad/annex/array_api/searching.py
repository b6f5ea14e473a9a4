"""Functions that search and sort, and sets."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapegrad import dtypes
from tapegrad.annex.array_api.data_types import default_dtype
from tapegrad.annex.array_api.manipulation import from_the_start, take_along_axis, truth
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.arguments import ONE_AXIS
from tapegrad.annex.numpy_like.promotion import promoted
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {
    "array_api": (
        "argmax argmin argsort count_nonzero isin nonzero searchsorted sort unique_all unique_counts "
        "unique_inverse unique_values"
    ),
}

OF_TENSOR = describes(x="a tensor of any shape.")
POSITION = describes(
    x="a tensor of real numbers or bools.",
    axis=ONE_AXIS,
    keepdims="whether the axis stays in the result, or all axes if it is None, with size 1.",
)
ORDER = describes(
    x="a tensor of real numbers or bools.",
    axis="the axis.",
    descending="whether the greatest element comes first.",
    stable="of no effect: equal elements always stay in their order.",
)


class UniqueAll(NamedTuple):
    """What ``unique_all`` gives."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What ``unique_counts`` gives."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What ``unique_inverse`` gives."""

    values: Tensor
    inverse_indices: Tensor


def sortable(x: Tensor) -> Tensor:
    """Truth values as numbers in the same order; numbers as they are."""
    return ops.cast(x, dtypes.int8) if x.dtype.is_bool else x


def extreme(function: Any, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    """The position that ``function`` finds along ``axis``, or among all elements."""
    index: Tensor = function(
        sortable(ops.reshape(x, [-1]) if axis is None else x), 0 if axis is None else axis
    )
    if not keepdims:
        return index
    return ops.reshape(index, [1] * x.ndim) if axis is None else ops.expand_dims(index, axis)


@POSITION
def argmax(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The position of the greatest element, the first of several."""
    return extreme(ops.argmax, x, axis, keepdims)


@POSITION
def argmin(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The position of the least element, the first of several."""
    return extreme(ops.argmin, x, axis, keepdims)


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """How many elements are not zero.

    Args:
        x: a tensor.
        axis: an axis, or a list of axes; None for all of them.
        keepdims: whether these axes stay in the result, with size 1.
    """
    return ops.reduce_sum(ops.cast(truth(x), default_dtype(int)), axis, keepdims)


@OF_TENSOR
def nonzero(x: Any, /) -> tuple[Tensor, ...]:
    """For each axis the positions of the elements that are not zero."""
    if not x.ndim:
        raise ValueError("nonzero() needs an axis at least; a tensor without one came")
    return tuple(ops.unstack(ops.where(truth(x)), x.ndim, axis=1))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Tensor:
    """Where each element of ``x2`` goes into ``x1``, which is in order, or put in order by ``sorter``.

    Args:
        x1: a vector.
        x2: a tensor of any shape. Both are cast to one dtype.
        side: "left" puts an element before its equals, "right" behind them.
        sorter: the positions of the elements of ``x1`` in order, or None if they are in order.
    """
    if sorter is not None:
        x1 = ops.gather(x1, from_the_start(sorter, x1._shape_tuple()[0]))
    x1, x2 = promoted(x1, x2)
    places = ops.searchsorted(sortable(x1), sortable(ops.reshape(x2, [-1])), side, dtypes.int64)
    return ops.reshape(places, ops.shape(x2))


@ORDER
def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The positions of the elements along ``axis`` in order; equal ones stay in theirs."""
    places = ops.argsort(
        sortable(x), axis, "DESCENDING" if descending else "ASCENDING", stable=True
    )
    return ops.cast(places, dtypes.int64)


@ORDER
def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements along ``axis`` in order."""
    return take_along_axis(x, argsort(x, axis=axis, descending=descending), axis=axis)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Whether each element of ``x1`` is one of ``x2``.

    Args:
        x1, x2: tensors of any shapes, which are cast to one dtype.
        invert: whether to ask for the elements that are not among ``x2``.
    """
    x1, x2 = promoted(x1, x2)
    members = sortable(ops.sort(sortable(ops.reshape(x2, [-1]))))
    asked = sortable(ops.reshape(x1, [-1]))
    if not members._shape_tuple()[0]:
        is_member = ops.fill(ops.shape(asked), False)
    else:
        places = ops.searchsorted(members, asked, "left", dtypes.int64)
        nearest = ops.gather(members, ops.minimum(places, members._shape_tuple()[0] - 1))
        is_member = ops.equal(nearest, asked)
    is_member = ops.reshape(is_member, ops.shape(x1))
    return ops.logical_not(is_member) if invert else is_member


@OF_TENSOR
def unique_all(x: Any, /) -> UniqueAll:
    """The different elements in order, where each is first, which each element is, and how often it is there.

    Two NaN are different.
    """
    elements = ops.reshape(x, [-1])
    order = sorting_order(elements)
    ordered = ops.gather(elements, order)
    first = ops.concat(
        [
            ops.fill([min(1, order._shape_tuple()[0])], True),
            ops.not_equal(ordered[1:], ordered[:-1]),
        ],
        0,
    )
    starts = ops.reshape(ops.where(first), [-1])
    ends = ops.concat(
        [starts[1:], ops.shape(order, dtypes.int64)[: starts._shape_tuple()[0] and 1]], 0
    )
    group = ops.cumsum(ops.cast(first, dtypes.int64)) - 1
    inverse = ops.scatter_nd(order[:, None], group, ops.shape(order, dtypes.int64))
    return UniqueAll(
        ops.gather(ordered, starts),
        ops.gather(order, starts),
        ops.reshape(inverse, ops.shape(x)),
        ops.cast(ends - starts, default_dtype(int)),
    )


def sorting_order(elements: Tensor) -> Tensor:
    """The positions of elements in order: complex numbers by their real parts, and then by the others."""
    if not elements.dtype.is_complex:
        return argsort(elements, axis=0)
    order = argsort(ops.imag(elements), axis=0)
    return ops.gather(order, argsort(ops.gather(ops.real(elements), order), axis=0))


@OF_TENSOR
def unique_counts(x: Any, /) -> UniqueCounts:
    """The different elements in order, and how often each is there."""
    unique = unique_all(x)
    return UniqueCounts(unique.values, unique.counts)


@OF_TENSOR
def unique_inverse(x: Any, /) -> UniqueInverse:
    """The different elements in order, and which of them each element is."""
    unique = unique_all(x)
    return UniqueInverse(unique.values, unique.inverse_indices)


@OF_TENSOR
def unique_values(x: Any, /) -> Tensor:
    """The different elements in order."""
    return unique_all(x).values
