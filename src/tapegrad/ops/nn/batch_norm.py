"""Batch normalisation as one op, as TensorFlow fuses it: each channel by its mean and variance.

`normalization.batch_normalization` takes the moments as arguments. Here they are the batch's own (if
``is_training``), and running averages of them are returned with the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.engines.numpy import norms
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool
from tapegrad.ops.batching import all_spread, broadcast_to, into_axis, out_of_axis
from tapegrad.ops.gradients import zeros
from tapegrad.ops.nn.merged import normalization_gradient
from tapegrad.ops.nn.normalization import moments
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.reduce.moments import moments_gradient
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.pull_back import pull_back
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "compat.v1.nn": "fused_batch_norm",
}


FORMATS = ("NHWC", "NCHW", "NDHWC", "NCDHW")
# For half precision inputs, the scale, offset and moments are in float32.
TYPES = {"x": REAL_FLOATING, "T": {dtypes.float32, dtypes.float64}}


def static_format(value: Any) -> str:
    if value not in FORMATS:
        refuse(f"data_format must be one of {', '.join(FORMATS)}, not {value!r}.")
    return str(value)


SETTINGS: dict[str, Callable[[Any], Any]] = {
    "epsilon": float,
    "data_format": static_format,
    "is_training": static_bool,
}


def channel_axis(data_format: str, rank: int) -> int:
    return 1 if data_format.startswith("NC") else rank - 1


def other_axes(data_format: str, rank: int) -> tuple[int, ...]:
    """The axes over which a channel's moments are taken."""
    channel = channel_axis(data_format, rank)
    return tuple([axis for axis in range(rank) if axis != channel])


def along_channels(data_format: str, rank: int) -> tuple[int, ...]:
    """The shape that broadcasts a vector along the channels of a tensor."""
    channel = channel_axis(data_format, rank)
    return tuple([-1 if axis == channel else 1 for axis in range(rank)])


def check_input(x: Any, scale: Any, data_format: str) -> int:
    """The number of channels. Raises if ``x`` is no batch, or if its moments have another dtype."""
    if x.ndim not in (4, 5):
        refuse(f"x must be 4 or 5-dimensional: its shape is {list(x.shape)}.")
    if (x.dtype == np.float64) != (scale.dtype == np.float64):
        refuse(
            "scale, offset, mean and variance must be "
            f"{'float64' if x.dtype == np.float64 else 'float32'} where x is {x.dtype.name}; "
            f"{scale.dtype.name} came."
        )
    return int(x.shape[channel_axis(data_format, x.ndim)])


def check_vector(name: str, vector: Any, channels: int, why: str = "") -> None:
    if vector.ndim != 1 or len(vector) != channels:
        refuse(
            f"{why}{name} must be a vector with an element for each of the {channels} channels "
            f"of x, not of shape {list(vector.shape)}."
        )


@op(
    "FusedBatchNormV3",
    dtypes=TYPES,
    convert={**SETTINGS, "exponential_avg_factor": float},
    outputs=(
        "y",
        "batch_mean",
        "batch_variance",
        "reserve_space_1",
        "reserve_space_2",
        "reserve_space_3",
    ),
    accumulate={"y": "float32"},
    lane=norms.batch_normalization,
    values="elements",
)
def fused_batch_norm_v3(
    xp,
    x,
    scale,
    offset,
    mean,
    variance,
    *,
    epsilon=0.0001,
    exponential_avg_factor=1,
    data_format="NHWC",
    is_training=True,
):
    """The normalised batch, the moments to keep for inference, and what the gradient uses.

    Differs from TensorFlow: it takes float64 too. The reserved space that TensorFlow leaves undefined holds
    the moments that were used.
    """
    channels = check_input(x, scale, data_format)
    check_vector("scale", scale, channels)
    check_vector("offset", offset, channels)
    if not is_training or exponential_avg_factor != 1:
        why = "Where is_training is False or exponential_avg_factor is not 1, "
        check_vector("mean", mean, channels, why)
        check_vector("variance", variance, channels, why)
    axes = other_axes(data_format, x.ndim)
    count = x.size // channels if channels else 0
    if not is_training:
        used_mean, used_variance = mean, variance
        kept_mean, kept_variance = mean, variance
    elif not count:
        used_mean = used_variance = kept_mean = kept_variance = xp.full(channels, xp.nan)
    else:
        used_mean, used_variance = [part.reshape(channels) for part in xp.moments(x, axes)]
        # The variance to keep is the unbiased one.
        kept_mean, kept_variance = used_mean, used_variance * (count / max(count - 1, 1))
        if exponential_avg_factor != 1:
            factor = exponential_avg_factor
            kept_mean = (1 - factor) * mean + factor * kept_mean
            kept_variance = (1 - factor) * variance + factor * kept_variance
    if count:
        factor = scale / xp.sqrt(used_variance + scale.dtype.type(epsilon))
        y = xp.normalize(x, used_mean, factor, offset, axes)
    else:
        y = x
    own = scale.dtype
    return (
        y.astype(x.dtype, copy=False),
        kept_mean.astype(own, copy=False),
        kept_variance.astype(own, copy=False),
        used_mean.astype(own, copy=False),
        used_variance.astype(own, copy=False),
        xp.zeros((), own),
    )


@fused_batch_norm_v3.shape
def fused_batch_norm_shapes(x, scale, data_format):
    channels = check_input(x, scale, data_format)
    check_vector("scale", scale, channels)
    per_channel = Abstract(scale.shape, scale.dtype)
    return [x, *[per_channel] * 4, Abstract((), scale.dtype)]


def channels_rule(items, *arguments):
    """The items are more channels, which are normalised separately."""
    arrays = all_spread(items, list(arguments[: len(items.op.inputs)]))
    at = dict(zip(items.op.attributes, items.attributes, strict=True))["data_format"].index("C")
    stacked = [
        array[(0,)] if array.ndim == 1 else into_axis(array, 0 if array.ndim == 2 else at)
        for array in arrays
    ]
    results = []
    for result in items.run(*stacked):
        if not result.ndim:
            results.append(broadcast_to(result, (items.size, *result.shape)))
        else:
            results.append(out_of_axis(items, result, 0 if result.ndim == 1 else at))
    return results


fused_batch_norm_v3.batching(channels_rule)


def batch_norm_gradient(
    dy, x, scale, reserve_space_1, reserve_space_2, epsilon, data_format, is_training
):
    # Only the first result is differentiated. The moments count as constants, as in TensorFlow.
    rank, own = len(x._shape_tuple()), scale.dtype
    axes, spread = other_axes(data_format, rank), along_channels(data_format, rank)
    g, wide = cast(dy[0], own), cast(x, own)
    if is_training:
        # Computed again from x, so that a tape that records this gradient follows the moments back to x.
        mean, variance = moments(wide, axes, keepdims=True)
    else:
        mean, variance = reshape(reserve_space_1, spread), reshape(reserve_space_2, spread)
    by_x, by_mean, by_variance, by_offset, by_scale = normalization_gradient(
        g, wide, mean, variance, reshape(scale, spread), epsilon
    )
    if is_training:
        by_moments = reduce_sum(by_mean, axes, True), by_variance
        by_x = by_x + moments_gradient(by_moments, wide, mean, axes)
    by_scale, by_offset = reduce_sum(by_scale, axes), reduce_sum(by_offset, axes)
    return cast(by_x, x.dtype), by_scale, by_offset, None, None


def batch_norm_fast(
    xp, dy, x, scale, reserve_space_1, reserve_space_2, epsilon, data_format, is_training
):
    g, mean = dy[0], reserve_space_1
    if g.shape != x.shape or g.dtype != x.dtype:
        return None
    if not x.size:
        zeros = xp.zeros_like(scale)
        return x, zeros, zeros, None, None
    axes = other_axes(data_format, x.ndim)
    inverse = 1 / xp.sqrt(reserve_space_2 + scale.dtype.type(epsilon))
    by_offset, weighted = xp.weighted_sums(g, x, mean, axes)
    by_scale = weighted * inverse
    factor = scale * inverse
    if is_training:
        # With n the normalised x: dx = scale / deviation * (g - mean(g) - n mean(g n)).
        share = -factor / g.dtype.type(x.size // len(scale))
        by_x = xp.project_gradient(
            g, x, factor, mean, share * by_scale * inverse, share * by_offset, axes
        )
    else:
        by_x = xp.scale_gradient(g, factor, axes)
    return by_x.astype(x.dtype, copy=False), by_scale, by_offset, None, None


fused_batch_norm_v3.gradient(batch_norm_gradient, fast=batch_norm_fast)


@op(
    "FusedBatchNormGradV3",
    dtypes={"y_backprop": REAL_FLOATING, **TYPES},
    convert=SETTINGS,
    outputs=(
        "x_backprop",
        "scale_backprop",
        "offset_backprop",
        "reserve_space_4",
        "reserve_space_5",
    ),
    accumulate={"x_backprop": "float32"},
    linear="y_backprop",
    values="elements",
)
def fused_batch_norm_grad_v3(
    xp,
    y_backprop,
    x,
    scale,
    reserve_space_1,
    reserve_space_2,
    reserve_space_3,
    *,
    epsilon=0.0001,
    data_format="NHWC",
    is_training=True,
):
    """The gradients of the input, scale and offset of a batch normalisation, given that of its result."""
    if y_backprop.shape != x.shape or y_backprop.dtype != x.dtype:
        refuse(
            "x and y_backprop must have one shape and dtype, "
            f"not {list(x.shape)} {x.dtype.name} and {list(y_backprop.shape)} "
            f"{y_backprop.dtype.name}."
        )
    channels = check_input(x, scale, data_format)
    check_vector("scale", scale, channels)
    check_vector("reserve_space_1", reserve_space_1, channels)
    check_vector("reserve_space_2", reserve_space_2, channels)
    gradients = batch_norm_fast(
        xp,
        (y_backprop,),
        x,
        scale,
        reserve_space_1,
        reserve_space_2,
        epsilon,
        data_format,
        is_training,
    )
    nothing = xp.zeros(0, scale.dtype)
    return *gradients[:3], nothing, nothing


@fused_batch_norm_grad_v3.shape
def fused_batch_norm_gradient_shapes(y_backprop, x, scale, data_format):
    channels = check_input(x, scale, data_format)
    check_vector("scale", scale, channels)
    nothing = Abstract([0], scale.dtype)
    return [Abstract(x.shape, y_backprop.dtype), scale, scale, nothing, nothing]


def batch_norm_second(
    dy,
    y_backprop,
    x,
    scale,
    reserve_space_1,
    reserve_space_2,
    epsilon,
    data_format,
    is_training,
):
    def gradient(y_backprop, x, scale):
        used, settings = (reserve_space_1, reserve_space_2), (epsilon, data_format, is_training)
        return batch_norm_gradient((y_backprop,), x, scale, *used, *settings)[:3]

    return (*pull_back(gradient, [y_backprop, x, scale], dy[:3]), None, None, None)


fused_batch_norm_grad_v3.gradient(batch_norm_second)

fused_batch_norm_grad_v3.batching(channels_rule)


@public
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """``x`` with each channel normalised, scaled and shifted, and the mean and variance to keep.

    >>> x = tf.constant([[[[1.0]], [[3.0]]]])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.0], [0.0], epsilon=3.0)
    >>> print(y.numpy().ravel(), mean.numpy(), variance.numpy())
    [-0.5  0.5] [2.] [2.]

    Args:
        x: images or volumes, of rank 4 or 5. If it is float16 or bfloat16, the other arguments are float32.
        scale, offset: vectors with an element for each channel.
        mean, variance: the moments so far. If not ``is_training``, these are the ones used.
        epsilon: what is added to the variance.
        data_format: the order of the axes: "NHWC", "NCHW", or for volumes "NDHWC" or "NCDHW".
        is_training: whether ``x`` is normalised by its own moments.
        exponential_avg_factor: the weight of this batch's moments in those that are returned.

    Differs from TensorFlow: it takes float64 too, with all arguments in float64.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "fused_batch_norm() needs vectors for `mean` and `variance` when `is_training` "
            f"is False or `exponential_avg_factor` is not 1; they are {mean!r} and {variance!r}."
        )
    x = convert(x)
    own = dtypes.float64 if x.dtype is dtypes.float64 else dtypes.float32
    scale, offset = convert(scale, own), convert(offset, own)
    empty = zeros((0,), own)
    mean = empty if mean is None else convert(mean, own)
    variance = empty if variance is None else convert(variance, own)
    y, batch_mean, batch_variance, *_ = fused_batch_norm_v3(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon,
        exponential_avg_factor,
        data_format,
        is_training,
    )
    return y, batch_mean, batch_variance
