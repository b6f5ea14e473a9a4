"""Normalisation as a single op, where TensorFlow composes it of many ops.

Layer and batch normalisation, written with `tf.nn.moments` and `tf.nn.batch_normalization`, thus pass over
memory a few times instead of some thirty. Cases that this op does not cover are composed of several ops.

`normalization_gradient` and `moments_gradient` of `ops.reduce.moments` are the rules of every batch
normalisation in this package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.core.sizes import Size, cached_for_ints, plain_sizes
from tapegrad.engines.numpy import norms
from tapegrad.ops.elementwise.math import (
    add,
    multiply,
    rsqrt,
    rsqrt_grad,
    slope_of_inverse_root,
    subtract,
)
from tapegrad.ops.gradients import ones, zeros
from tapegrad.ops.op import op
from tapegrad.ops.reduce.moments import FLOATS, is_float
from tapegrad.ops.reduce.reduce import sum_to_shape
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape_rules import same_shape

Shape = tuple[int, ...]

# Normalisation


@cached_for_ints(1024)
def shared_axes(shape: Shape, reduced: Shape) -> Shape:
    """The axes along which an operand of shape ``reduced`` is broadcast to ``shape``."""
    extra = len(shape) - len(reduced)
    return tuple(
        [i for i in range(len(shape)) if i < extra or is_shared(reduced[i - extra], shape[i])]
    )


def is_shared(length: Any, size: Any) -> bool:
    """Whether an axis of ``length`` is broadcast to an axis of ``size``.

    Where the size is open, 1 counts as broadcast, also where the size turns out to be 1: it is the same then.
    """
    return length is not size and ((type(size) is Size and length == 1) or length != size)


def is_spread(shape: Shape, reduced: Shape) -> bool:
    """Whether ``reduced`` broadcasts to ``shape``, and not beyond it."""
    extra = len(shape) - len(reduced)
    if extra < 0:
        return False
    length: Any  # an int, or a `Size`
    for i, length in enumerate(reduced):
        # Nothing is decided by an open size that is the same one, nor by one beside a 1.
        size = shape[i + extra]
        if length is not size and (type(length) is Size or length != 1) and length != size:
            return False
    return True


def normalization_operands(
    x: EagerTensor, mean: EagerTensor, variance: EagerTensor, offset: Any, scale: Any
) -> list[EagerTensor] | None:
    """The operands of `batch_normalization_op`, or None if it does not cover them.

    Either all four have one element for each of the same parts of ``x``, as in batch normalisation. Or mean
    and variance belong to rows, and scale and offset to columns, as in layer normalisation.
    """
    shape, own = x._shape_tuple(), mean._shape_tuple()
    dtype = x.dtype
    if not is_float(dtype) or variance._shape_tuple() != own:
        return None
    if offset is not None:
        if type(offset) is not EagerTensor and not isinstance(offset, (Tensor, VariableBase)):
            return None
        offset = convert(offset)
        if offset.dtype is not dtype:
            return None
    if scale is not None:
        if type(scale) is not EagerTensor and not isinstance(scale, (Tensor, VariableBase)):
            return None
        scale = convert(scale)
        if scale.dtype is not dtype:
            return None
    missing = scale if scale is not None else mean
    offset_shape = (missing if offset is None else offset)._shape_tuple()
    scale_shape = offset_shape if scale is None else scale._shape_tuple()
    if not _suits_normalization(shape, own, offset_shape, scale_shape):
        return None
    if scale is None:
        scale = ones(scale_shape, x.dtype)
    if offset is None:
        offset = zeros(scale_shape, x.dtype)
    elif offset_shape != scale_shape:
        offset = reshape(offset, scale_shape)
    return [x, mean, variance, offset, scale]


@cached_for_ints(256)
def _suits_normalization(shape: Shape, own: Shape, offset: Shape, scale: Shape) -> bool:
    """Whether `batch_normalization_op` covers moments, an offset and a scale of these shapes."""
    if not (is_spread(shape, own) and is_spread(shape, offset) and is_spread(shape, scale)):
        return False
    axes, other_axes = shared_axes(shape, own), shared_axes(shape, scale)
    if shared_axes(shape, offset) != other_axes or not norms.has_layout(plain_sizes(shape), axes):
        return False
    # Rows and columns: the first axes have moments of their own, and the axes after them a scale.
    first = len(shape) - len(axes)
    rows_and_columns = axes == tuple(range(first, len(shape))) and other_axes == tuple(range(first))
    return axes == other_axes or rows_and_columns


def inverse_deviation(xp: Any, variance: Any, epsilon: float) -> Any:
    return xp.rsqrt(variance + variance.dtype.type(epsilon))


@op(
    "_BatchNormalization",
    dtypes=FLOATS,
    broadcasts=True,
    linear="x mean offset",
    lane=norms.normalization,
    values="elements",
)
def batch_normalization_op(xp, x, mean, variance, offset, scale, *, epsilon):
    """``(x - mean) / sqrt(variance + epsilon) * scale + offset`` of what `normalization_operands` gives."""
    factor = inverse_deviation(xp, variance, epsilon)
    axes = shared_axes(x.shape, mean.shape)
    if axes != shared_axes(x.shape, scale.shape):
        return xp.normalize_rows(x, mean, factor, scale, offset)
    return xp.normalize(x, mean, factor * scale.reshape(factor.shape), offset, axes)


batch_normalization_op.shape(same_shape)


def normalization_gradient(dy, x, mean, variance, scale, epsilon):
    """The gradient of each operand, the variance's in its own shape and the others in the shape of ``x``.

    The core sums over the axes that were broadcast.
    """
    inverse = rsqrt(variance + epsilon)
    deviations = x - mean
    # Summed first: `rsqrt_grad` gives 0 for 0, also where the inverse is infinite.
    by_inverse = sum_to_shape(dy * scale * deviations, variance._shape_tuple())
    by_x = dy * (inverse * scale)
    return by_x, -by_x, rsqrt_grad(inverse, by_inverse), dy, dy * (deviations * inverse)


def _normalization_fast(xp, dy, x, mean, variance, scale, epsilon):
    if dy.dtype != x.dtype:
        return None
    factor = inverse_deviation(xp, variance, epsilon)
    axes = shared_axes(x.shape, mean.shape)
    if axes != shared_axes(x.shape, scale.shape):
        return xp.normalize_rows_grad(dy, x, mean, factor, scale)
    plain, weighted = xp.weighted_sums(dy, x, mean, axes)
    both = factor * scale.reshape(factor.shape)
    return (
        xp.scale_gradient(dy, both, axes),
        -plain * both,
        slope_of_inverse_root(xp, factor, weighted * scale.reshape(factor.shape)),
        plain.reshape(scale.shape),
        (weighted * factor).reshape(scale.shape),
    )


batch_normalization_op.gradient(normalization_gradient, fast=_normalization_fast)


@batch_normalization_op.batching
def normalization_rule(items, x, mean, variance, offset, scale, epsilon):
    """The items are rows with moments of their own, which no kernel takes: it is composed of ops."""
    rank = max(
        array.ndim - own
        for array, own in zip((x, mean, variance, offset, scale), items.batched, strict=True)
    )
    x, mean, variance, offset, scale = [
        array.reshape((items.size, *[1] * (rank - array.ndim + 1), *array.shape[1:]))
        if own
        else array
        for array, own in zip((x, mean, variance, offset, scale), items.batched, strict=True)
    ]
    factor = items.call(rsqrt, items.call(add, variance, np.asarray(epsilon, variance.dtype)))
    deviation = items.call(multiply, items.call(subtract, x, mean), factor)
    return items.call(add, items.call(multiply, deviation, scale), offset)
