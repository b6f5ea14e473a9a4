"""Sums, extremes and other functions of all elements along axes."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.annex.array_api.manipulation import truth
from tapegrad.annex.numpy_like import math, ops
from tapegrad.annex.numpy_like.arguments import ALL_AXES, WIDENED
from tapegrad.annex.numpy_like.promotion import floating
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {
    "array_api": "all any cumulative_prod cumulative_sum max mean min prod std sum var",
}

REDUCTION = describes(
    x="a tensor.",
    axis=ALL_AXES,
    dtype=WIDENED,
    keepdims="whether the axes stay in the result, with size 1.",
)
SCAN = describes(
    x="a tensor of numbers.",
    axis="the axis along which numbers are added up or multiplied; a vector needs none.",
    dtype=WIDENED,
)


def along(axis: Any) -> Any:
    """Axes as the functions of tf take them."""
    return list(axis) if isinstance(axis, tuple) else axis


def cumulative(function: Any, x: Tensor, axis: int | None, dtype: Any, start: int | None) -> Tensor:
    """A scan along ``axis``, with ``start`` in front unless it is None."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"an axis is needed of a tensor with {x.ndim} axes")
        axis = 0
    tensor = math.widened(x, None if dtype is None else dtypes.as_dtype(dtype))
    sums: Tensor = function(tensor, axis)
    if start is None:
        return sums
    front = list(tensor._shape_tuple())
    front[axis] = 1
    return ops.concat([ops.fill(front, ops.cast(start, tensor.dtype)), sums], axis)


@SCAN
def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The sums of all elements up to each.

    Args:
        include_initial: whether the first result is 0, the sum before all elements.
    """
    return cumulative(ops.cumsum, x, axis, dtype, 0 if include_initial else None)


@SCAN
def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The products of all elements up to each.

    Args:
        include_initial: whether the first result is 1, the product before all elements.
    """
    return cumulative(ops.cumprod, x, axis, dtype, 1 if include_initial else None)


@REDUCTION
def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum."""
    return math.sum(x, along(axis), None if dtype is None else dtypes.as_dtype(dtype), keepdims)


@REDUCTION
def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product."""
    return math.prod(x, along(axis), None if dtype is None else dtypes.as_dtype(dtype), keepdims)


@REDUCTION
def max(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The greatest element."""
    return math.max(x, along(axis), keepdims)


@REDUCTION
def min(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The least element."""
    return math.min(x, along(axis), keepdims)


@REDUCTION
def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The mean.

    Args:
        x: a tensor of numbers. Integers become float64.
    """
    return math.mean(x, along(axis), keepdims=keepdims)


@REDUCTION
def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The mean of the squared distances from the mean; ``correction`` is taken from their number.

    Args:
        x: a tensor of numbers. Integers become float64.
        correction: a number that is taken from the number of elements before the sum is divided by it.
    """
    return ops.reduce_variance(floating(x), along(axis), keepdims) * corrected(x, axis, correction)


@REDUCTION
def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of the variance.

    Args:
        x: a tensor of numbers. Integers become float64.
        correction: a number that is taken from the number of elements before the sum is divided by it.
    """
    factor = corrected(x, axis, correction)
    return ops.reduce_std(floating(x), along(axis), keepdims) * ops.sqrt(factor)


def corrected(x: Tensor, axis: Any, correction: float) -> Tensor:
    """What a mean is multiplied by to be the sum over a number that is less by ``correction``."""
    dtype = floating(x).dtype
    places = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = ops.constant(1, dtypes.int64)
    for place in places:
        count *= ops.shape(x, dtypes.int64)[place]
    number = ops.cast(count, dtype)
    return number / (number - correction) if correction else ops.ones([], dtype)


@REDUCTION
def all(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true."""
    return ops.reduce_all(truth(x), along(axis), keepdims)


@REDUCTION
def any(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether some element is true."""
    return ops.reduce_any(truth(x), along(axis), keepdims)
