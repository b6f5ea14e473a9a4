"""Sums, extremes and other functions of all elements along axes."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.annex.array_api.manipulation import truth
from tapegrad.annex.numpy_like import math, ops
from tapegrad.annex.numpy_like.promotion import floating
from tapegrad.core import Tensor

PUBLIC = {
    "array_api": "all any cumulative_prod cumulative_sum max mean min prod std sum var",
}


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


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The sums of all elements up to each."""
    return cumulative(ops.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The products of all elements up to each."""
    return cumulative(ops.cumprod, x, axis, dtype, 1 if include_initial else None)


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum."""
    return math.sum(x, along(axis), None if dtype is None else dtypes.as_dtype(dtype), keepdims)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product."""
    return math.prod(x, along(axis), None if dtype is None else dtypes.as_dtype(dtype), keepdims)


def max(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The greatest element."""
    return math.max(x, along(axis), keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The least element."""
    return math.min(x, along(axis), keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The mean."""
    return math.mean(x, along(axis), keepdims=keepdims)


def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The mean of the squared distances from the mean; ``correction`` is taken from their number."""
    return ops.reduce_variance(floating(x), along(axis), keepdims) * corrected(x, axis, correction)


def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of the variance."""
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


def all(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true."""
    return ops.reduce_all(truth(x), along(axis), keepdims)


def any(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether some element is true."""
    return ops.reduce_any(truth(x), along(axis), keepdims)
