"""Moments: the mean, the variance around it and its root, of many elements at once.

`moments_op` and `deviation_op` pass over memory once or twice, where TensorFlow composes them of several
ops. Other dtypes and arguments are composed of ops here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, adding, convert, public
from tapegrad.core.sizes import Size, cached_for_ints, plain_sizes
from tapegrad.engines.numpy import norms
from tapegrad.ops.args import static_axis
from tapegrad.ops.batching import with_axes
from tapegrad.ops.elementwise.complex import conj, real
from tapegrad.ops.elementwise.math import add, divide_no_nan_op, multiply, square, subtract
from tapegrad.ops.elementwise.signs import abs as absolute
from tapegrad.ops.op import op
from tapegrad.ops.reduce.reduce import (
    count_reduced,
    euclidean_norm,
    kept_shape,
    reduce_euclidean_norm,
    reduce_mean,
    reduced_axes,
)
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape_rules import reduced_shape

PUBLIC = {"math": "reduce_std reduce_variance"}

Shape = tuple[int, ...]

FLOATS = {dtypes.float32, dtypes.float64}


def is_float(dtype: dtypes.DType) -> bool:
    """Whether these ops take ``dtype``. A lookup in FLOATS would compute its hash, in Python."""
    return dtype is dtypes.float32 or dtype is dtypes.float64


def moment_axes(x: Tensor, axis: int | Shape | None) -> Shape | None:
    """The axes counted from the front, or None if `moments_op` does not take them or ``x``."""
    return _moment_axes(x._shape_tuple(), axis) if is_float(x.dtype) else None


@cached_for_ints(256)
def _moment_axes(shape: Shape, axis: int | Shape | None) -> Shape | None:
    rank = len(shape)
    axes = reduced_axes(axis, rank)
    if not axes or len(set(axes)) < len(axes):
        return None
    if min(axes) < 0 or max(axes) >= rank or not norms.has_layout(plain_sizes(shape), axes):
        return None
    return axes


def _without(axes: Shape, *parts: Any) -> Any:
    """Arrays without the axes of length 1 that were reduced."""
    return tuple([part.squeeze(axes) for part in parts])


@op(
    "_Moments",
    dtypes=FLOATS,
    outputs=("mean", "variance"),
    lane=norms.mean_and_variance,
    values="elements",
)
def moments_op(xp, x, *, axes, keepdims):
    """The mean over ``axes``, and the variance around it."""
    mean, variance = xp.moments(x, axes)
    return (mean, variance) if keepdims else _without(axes, mean, variance)


moments_op.shape(lambda x, axes, keepdims: [reduced_shape(x.shape, axes, keepdims)] * 2)


def share_of(count: Any, dtype: dtypes.DType) -> Any:
    """What part one of ``count`` elements is; a tensor of ``dtype`` where the count is an open size."""
    return 1.0 / (convert(count, dtype) if type(count) is Size else max(count, 1))


def moments_gradient(dy, x, mean, axes):
    """``(by_mean + 2 (x - mean) by_variance) / count``."""
    # The mean inside the variance counts as a constant, because the deviations from it sum to zero.
    shape = x._shape_tuple()
    kept = kept_shape(shape, axes)
    by_mean, by_variance, mean = [reshape(part, kept) for part in (*dy, mean)]
    share = share_of(math.prod([shape[i] for i in axes]), x.dtype)
    return by_mean * share + (x - mean) * (by_variance * (2.0 * share))


def _moments_fast(xp, dy, x, mean, axes):
    by_mean, by_variance = dy
    if not by_mean.dtype == by_variance.dtype == x.dtype:
        return None
    count = x.size // mean.size
    return xp.normalize(x, mean, by_variance * (2 / count), by_mean * (1 / count), axes)


def _add_moments(whole, dy, x, mean, axes):
    by_mean, by_variance = dy
    if not by_mean.dtype == by_variance.dtype == x.dtype:
        return False
    count = x.size // mean.size
    return norms.add_normalized(
        whole, x, mean, by_variance * (2 / count), by_mean * (1 / count), axes
    )


moments_op.gradient(x=moments_gradient, fast={"x": adding(_moments_fast, _add_moments)})
moments_op.batching(with_axes("axes"))


@op(
    "_Deviation",
    dtypes=FLOATS,
    outputs=("deviation", "mean"),
    lane=norms.deviation,
    values="elements",
)
def deviation_op(xp, x, *, axes, keepdims):
    """The root of the variance over ``axes``, which may itself be too large or too small for a number."""
    mean = xp.mean(x, axis=axes, keepdims=True)
    share = math.prod([x.shape[i] for i in axes]) ** -0.5
    deviation = euclidean_norm(xp, (x - mean) * x.dtype.type(share), axes, True)
    return (deviation, mean) if keepdims else _without(axes, deviation, mean)


deviation_op.shape(lambda x, axes, keepdims: [reduced_shape(x.shape, axes, keepdims)] * 2)


def deviation_gradient(dy, x, deviation, mean, axes):
    """``(by_mean + (x - mean) by_deviation / deviation) / count``, without its part if the deviation is 0."""
    shape = x._shape_tuple()
    kept = kept_shape(shape, axes)
    by_deviation, by_mean, deviation, mean = [
        reshape(part, kept) for part in (*dy, deviation, mean)
    ]
    share = share_of(math.prod([shape[i] for i in axes]), x.dtype)
    return by_mean * share + divide_no_nan_op(x - mean, deviation) * (by_deviation * share)


def _by_deviation(dy: Any, x: Any, deviation: Any, mean: Any) -> tuple[Any, Any] | None:
    """The factor of ``x - mean`` in the gradient, and the summand; None where that does not suit."""
    by_deviation, by_mean = dy
    if not by_deviation.dtype == by_mean.dtype == x.dtype:
        return None
    count = x.size // mean.size
    factor = by_deviation * (1 / count)
    single = factor.size == 1  # then Python's functions take a tenth of the time of NumPy's
    if deviation.item() if single else deviation.all():
        factor /= deviation
    else:
        factor = np.divide(factor, deviation, out=np.zeros_like(factor), where=deviation != 0)
    # A factor that is too large for a number may be that of distances that make up for it.
    if not (math.isfinite(factor.item()) if single else np.isfinite(factor).all()):
        return None
    return factor, by_mean * (1 / count)


def _deviation_fast(xp, dy, x, deviation, mean, axes):
    parts = _by_deviation(dy, x, deviation, mean)
    return None if parts is None else xp.normalize(x, mean, parts[0], parts[1], axes)


def _add_deviation(whole, dy, x, deviation, mean, axes):
    parts = _by_deviation(dy, x, deviation, mean)
    return parts is not None and norms.add_normalized(whole, x, mean, parts[0], parts[1], axes)


deviation_op.gradient(x=deviation_gradient, fast={"x": adding(_deviation_fast, _add_deviation)})
deviation_op.batching(with_axes("axes"))


# Functions


def _numbers(input_tensor: Any, function: str) -> Tensor:
    x = convert(input_tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(
            f"Input must be either real or complex: {function}() of integers would "
            f"not be an integer. Received {x.dtype!r}; tf.cast it first."
        )
    return x


@public
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean squared distance from the mean over ``axis``, or over all axes.

    >>> tf.math.reduce_variance([1.0, 2.0, 6.0]).numpy()
    np.float32(4.6666665)

    Args:
        input_tensor: a tensor of floating point or complex numbers.
        axis: an axis or several; None for all.
        keepdims: whether to keep the reduced axes, with length 1.

    Raises:
        TypeError: for integers.
    """
    x, axis = _numbers(input_tensor, "reduce_variance"), static_axis(axis)
    axes = moment_axes(x, axis)
    if axes:
        return moments_op.apply([x], (axes, bool(keepdims)))[1]
    distances = subtract(x, reduce_mean(x, axis, True))
    if distances.dtype.is_complex:
        squares = real(multiply(distances, conj(distances)))
    else:
        squares = square(distances)
    return reduce_mean(squares, axis, keepdims)


@public
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation over ``axis``, or over all axes: the root of the mean squared distance.

    >>> tf.math.reduce_std([1.0, 2.0, 6.0]).numpy()
    np.float32(2.1602468)

    Differs from TensorFlow: the gradient for equal elements is 0.

    Args:
        input_tensor: a tensor of floating point or complex numbers.
        axis: an axis or several; None for all.
        keepdims: whether to keep the reduced axes, with length 1.

    Raises:
        TypeError: for integers.
    """
    x, axis = _numbers(input_tensor, "reduce_std"), static_axis(axis)
    axes = moment_axes(x, axis)
    if axes:
        return deviation_op.apply([x], (axes, bool(keepdims)))[0]
    distances = subtract(x, reduce_mean(x, axis, True))
    if distances.dtype.is_complex:
        distances = absolute(distances)
    # The deviation is computed as a norm, which has a gradient where all distances are 0. The distances are
    # scaled first: the norm of many half precision numbers could be too large for half precision.
    count = count_reduced(distances._shape_tuple(), axis)
    scale = convert(count**-0.5 if count else math.nan, distances.dtype)
    deviation = reduce_euclidean_norm(multiply(distances, scale), axis, keepdims)
    return deviation if count else add(deviation, scale)
