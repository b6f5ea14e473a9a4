"""Moments and normalisation by them as single ops, where TensorFlow composes them of many.

Layer and batch normalisation, written in `tf.nn.moments` and `tf.nn.batch_normalization`, cross memory a
few times instead of some thirty. What these do not cover is composed as before.
"""

from __future__ import annotations

import math as plain_math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.engines.numpy.norms import has_layout
from tapegrad.ops.array import reshape
from tapegrad.ops.math import rsqrt
from tapegrad.ops.op import op
from tapegrad.ops.reduce import kept_shape, reduce_sum, reduced_axes, sum_to_shape

Shape = tuple[int, ...]

FLOATS = {dtypes.float32, dtypes.float64}


def moment_axes(x: Tensor, axis: int | Shape | None) -> Shape | None:
    """The axes from the front, if `moments_op` takes them and ``x``."""
    shape = x._shape_tuple()
    rank = len(shape)
    axes = reduced_axes(axis, rank)
    if x.dtype not in FLOATS or not axes or len(set(axes)) < len(axes):
        return None
    if min(axes) < 0 or max(axes) >= rank or not has_layout(shape, axes):
        return None
    return axes


@op("_Moments", dtypes=FLOATS, outputs=("mean", "variance"))
def moments_op(xp, x, *, axes, keepdims):
    """The mean over ``axes``, and the variance around it."""
    mean, variance = xp.moments(x, axes)
    if keepdims:
        return mean, variance
    shape = tuple([length for i, length in enumerate(x.shape) if i not in axes])
    return mean.reshape(shape), variance.reshape(shape)


# The mean within the variance counts as a constant: deviations from it sum to zero.
moments_op.gradient(x=lambda dy, x, mean, axes: moments_grad(x, mean, dy[0], dy[1], axes))


@op("_MomentsGrad", dtypes=FLOATS)
def moments_grad(xp, x, mean, by_mean, by_variance, *, axes):
    """``(by_mean + 2 (x - mean) by_variance) / count``: what `moments_op` sends back."""
    count = x.size // mean.size
    return xp.normalize(x, mean, by_variance * (2 / count), by_mean * (1 / count), axes)


def _moments_second(dy, x, mean, by_mean, by_variance, axes, needs):
    shape, own = x._shape_tuple(), mean._shape_tuple()
    kept = kept_shape(shape, axes)
    share = 1.0 / plain_math.prod([shape[i] for i in axes])

    def total(tensor):
        return reshape(reduce_sum(tensor, axes, True), own)

    through_x = dy * (reshape(by_variance, kept) * (2.0 * share))
    through_variance = None
    if needs[3]:
        through_variance = total(dy * (x - reshape(mean, kept))) * (2.0 * share)
    return (
        through_x,
        -total(through_x) if needs[1] else None,
        total(dy) * share if needs[2] else None,
        through_variance,
    )


moments_grad.gradient(_moments_second)


# --- Normalisation ------------------------------------------------------------------------------------


def shared_axes(shape: Shape, given: Shape) -> Shape:
    """The axes along which an operand of shape ``given`` is broadcast to ``shape``."""
    extra = len(shape) - len(given)
    return tuple([i for i in range(len(shape)) if i < extra or given[i - extra] != shape[i]])


def is_spread(shape: Shape, given: Shape) -> bool:
    """Whether ``given`` broadcasts to ``shape``, and not beyond it."""
    extra = len(shape) - len(given)
    return extra >= 0 and all(length in (1, shape[i + extra]) for i, length in enumerate(given))


def normalization_operands(
    x: EagerTensor, mean: EagerTensor, variance: EagerTensor, offset: Any, scale: Any
) -> list[EagerTensor] | None:
    """What `batch_normalization_op` takes; None where these are not for it.

    Either all four have one element for each of the same parts of ``x``, as in batch normalisation, or mean
    and variance are those of rows and the others those of columns, as in layer normalisation.
    """
    shape, own = x._shape_tuple(), mean._shape_tuple()
    if x.dtype not in FLOATS or variance._shape_tuple() != own or not is_spread(shape, own):
        return None
    others = []
    for value in (offset, scale):
        if value is not None:
            if not isinstance(value, (Tensor, VariableBase)):
                return None
            value = convert(value)
            if value.dtype is not x.dtype or not is_spread(shape, value._shape_tuple()):
                return None
        others.append(value)
    offset, scale = others
    like = next((each for each in others if each is not None), mean)
    if offset is None:
        offset = EagerTensor(np.zeros(like._shape_tuple(), x.dtype.numpy_dtype))
    if scale is None:
        scale = EagerTensor(np.ones(like._shape_tuple(), x.dtype.numpy_dtype))
    axes, other_axes = shared_axes(shape, own), shared_axes(shape, scale._shape_tuple())
    if shared_axes(shape, offset._shape_tuple()) != other_axes:
        return None
    if axes == other_axes:
        return [x, mean, variance, offset, scale] if has_layout(shape, axes) else None
    # Rows and columns: the first axes have the moments, all after them the scale.
    first = len(shape) - len(axes)
    if axes == tuple(range(first, len(shape))) and other_axes == tuple(range(first)):
        return [x, mean, variance, offset, scale] if has_layout(shape, axes) else None
    return None


def inverse_deviation(xp: Any, variance: Any, epsilon: float) -> Any:
    return xp.rsqrt(variance + variance.dtype.type(epsilon))


@op("_BatchNormalization", dtypes=FLOATS)
def batch_normalization_op(xp, x, mean, variance, offset, scale, *, epsilon):
    """``(x - mean) / sqrt(variance + epsilon) * scale + offset`` of what `normalization_operands` gives."""
    factor = inverse_deviation(xp, variance, epsilon)
    axes = shared_axes(x.shape, mean.shape)
    if axes != shared_axes(x.shape, scale.shape):
        return xp.normalize_rows(x, mean, factor, scale, offset)
    return xp.normalize(x, mean, factor * scale.reshape(factor.shape), offset, axes)


batch_normalization_op.gradient(
    lambda dy, x, mean, variance, offset_shape, scale, epsilon: batch_normalization_grad(
        dy, x, mean, variance, scale, offset_shape, epsilon
    )
)


@op(
    "_BatchNormalizationGrad",
    dtypes=FLOATS,
    outputs=("by_x", "by_mean", "by_variance", "by_offset", "by_scale"),
)
def batch_normalization_grad(xp, gradients, x, mean, variance, scale, *, offset_shape, epsilon):
    """What `batch_normalization_op` sends back to each of its operands."""
    factor = inverse_deviation(xp, variance, epsilon)
    axes = shared_axes(x.shape, mean.shape)
    if axes != shared_axes(x.shape, scale.shape):
        *found, by_offset, by_scale = xp.normalize_rows_grad(gradients, x, mean, factor, scale)
        return *found, by_offset.reshape(offset_shape), by_scale
    plain, weighted = xp.weighted_sums(gradients, x, mean, axes)
    both = factor * scale.reshape(factor.shape)
    return (
        xp.scale_gradient(gradients, both, axes),
        -plain * both,
        -0.5 * weighted * both * factor * factor,
        plain.reshape(offset_shape),
        (weighted * factor).reshape(scale.shape),
    )


def _batch_normalization_second(dy, gradients, x, mean, variance, scale, epsilon, needs):
    # With r the inverse deviation, c = x - mean, and u, m, v, o, s what comes to the five results, all of it
    # is the derivative of sum(gradients * (scale r (u - m) - v scale c r^3 / 2 + o + s c r)).
    u, m, v, o, s = dy
    r, c = rsqrt(variance + epsilon), x - mean
    along, cubed = u - m, v * r * r * r * 0.5
    by_gradients = scale * (r * along - cubed * c) + o + s * c * r if needs[0] else None
    by_x = by_mean = by_variance = by_scale = None
    if needs[1] or needs[2]:
        by_x = gradients * (s * r - scale * cubed)
        by_mean = -sum_to_shape(by_x, mean._shape_tuple()) if needs[2] else None
    if needs[3]:
        by_r = gradients * (scale * (along - 1.5 * v * r * r * c) + s * c)
        by_variance = sum_to_shape(by_r, variance._shape_tuple()) * r * r * r * -0.5
    if needs[4]:
        by_scale = sum_to_shape(gradients * (r * along - cubed * c), scale._shape_tuple())
    return by_gradients, by_x, by_mean, by_variance, by_scale


batch_normalization_grad.gradient(_batch_normalization_second)
