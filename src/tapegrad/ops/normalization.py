"""Moments from parts and with weights, and normalisation over neighbouring channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert
from tapegrad.ops import array, creation, math, reduce
from tapegrad.ops.args import normalize_axes, static_int, static_ints
from tapegrad.ops.halves import is_half, widened
from tapegrad.ops.op import FLOATING, REAL_FLOATING, op


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Any]:
    """What ``normalize_moments`` makes mean and variance of: a count, a sum, a sum of squares, the shift.

    >>> count, total, squares, _ = tf.nn.sufficient_statistics(tf.constant([[1.0], [3.0]]), axes=[0])
    >>> print(count.numpy(), total.numpy(), squares.numpy())
    2.0 [4.] [10.]

    Args:
        shift: a number near the mean, taken off first, so that the variance loses fewer digits.
    """
    x = convert(x)
    shape = x._shape_tuple()
    count = np.prod([shape[axis] for axis in normalize_axes(static_ints(axes), x.ndim)])
    if shift is None:
        first, squares = x, math.square(x)
    else:
        shift = convert(shift, x.dtype)
        first, squares = x - shift, math.squared_difference(x, shift)
    return (
        creation.cast(float(count), x.dtype),
        reduce.reduce_sum(first, axes, keepdims=keepdims),
        reduce.reduce_sum(squares, axes, keepdims=keepdims),
        shift,
    )


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what ``sufficient_statistics`` gives.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> print(mean.numpy(), variance.numpy())
    2.0 1.0
    """
    share = math.reciprocal(convert(counts))
    shifted = mean_ss * share
    mean = shifted if shift is None else shifted + shift
    return mean, variance_ss * share - math.square(shifted)


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of ``x`` over ``axes``, elements counting as often as their weight says.

    >>> x, weights = tf.constant([1.0, 4.0]), tf.constant([2.0, 1.0])
    >>> mean, variance = tf.nn.weighted_moments(x, [0], weights)
    >>> print(mean.numpy(), variance.numpy())
    2.0 2.0
    """
    x = convert(x)
    dtype = x.dtype
    y = creation.cast(x, dtypes.float32) if is_half(dtype.numpy_dtype) else x
    weights = creation.cast(convert(frequency_weights), y.dtype)
    total = reduce.reduce_sum(weights + creation.zeros_like(y), axes, keepdims=True)
    mean = math.divide_no_nan(reduce.reduce_sum(weights * y, axes, keepdims=True), total)
    deviations = weights * math.squared_difference(y, mean)
    variance = math.divide_no_nan(reduce.reduce_sum(deviations, axes, keepdims=True), total)
    if not keepdims:
        removed = list(static_ints(axes))
        mean, variance = array.squeeze(mean, removed), array.squeeze(variance, removed)
    return creation.cast(mean, dtype), creation.cast(variance, dtype)


def _add_neighbours(values: Any, radius: int) -> Any:
    out = values.copy()
    for distance in range(1, min(radius, values.shape[-1] - 1) + 1):
        out[..., distance:] += values[..., :-distance]
        out[..., :-distance] += values[..., distance:]
    return out


@op("_SumOfNeighbours", dtypes=FLOATING, convert={"radius": static_int})
def sum_of_neighbours(xp, x, *, radius):
    """Each element with those up to ``radius`` away from it on the last axis, summed."""
    return _add_neighbours(widened(x), radius).astype(x.dtype, copy=False)


# Neighbours are so of each other: the map is its own transpose.
sum_of_neighbours.gradient(x=lambda dy, radius: sum_of_neighbours(dy, radius))


@op(
    "LRN",
    dtypes=REAL_FLOATING,
    convert={"depth_radius": static_int, "bias": float, "alpha": float, "beta": float},
)
def local_response_normalization(xp, input, *, depth_radius=5, bias=1, alpha=1, beta=0.5):
    """Each pixel divided by a power of the sum of squares of its neighbouring channels.

    >>> x = tf.constant([[[[3.0, 4.0]]]])
    >>> tf.nn.local_response_normalization(x, depth_radius=1, bias=0.0).numpy().ravel()
    array([0.6, 0.8], dtype=float32)

    Args:
        depth_radius: how far away a channel may be.
        bias, alpha, beta: the divisor is ``(bias + alpha * sum) ** beta``.

    Differs from TensorFlow: float64 is taken too, and the gradient has a gradient.
    """
    if input.ndim != 4:
        raise errors.InvalidArgumentError(
            None, None, f"The input must be 4-dimensional: its shape is {list(input.shape)}."
        )
    if depth_radius < 0:
        raise errors.InvalidArgumentError(
            None, None, f"depth_radius must not be negative: {depth_radius}."
        )
    x = widened(input)
    total = _add_neighbours(xp.square(x), depth_radius)
    return (x * (bias + alpha * total) ** -beta).astype(input.dtype, copy=False)


def _lrn_gradient(dy, input, depth_radius, bias, alpha, beta):
    # With n = bias + alpha sum(x^2): d(x n^-beta) = n^-beta dx - 2 alpha beta x n^(-beta-1) sum(x dx)
    norm = bias + alpha * sum_of_neighbours(math.square(input), depth_radius)
    across = sum_of_neighbours(dy * input * norm ** (-beta - 1.0), depth_radius)
    return dy * norm**-beta - 2.0 * alpha * beta * input * across


local_response_normalization.gradient(input=_lrn_gradient)
lrn = local_response_normalization
