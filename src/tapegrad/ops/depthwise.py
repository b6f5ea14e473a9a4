"""Convolutions in which each channel has filters of its own, and separable ones."""

from __future__ import annotations

from typing import Any

from tapegrad.core import Tensor, convert
from tapegrad.ops.args import static_shape
from tapegrad.ops.conv import (
    ATTRIBUTES,
    check_gradient_shape,
    check_ranks,
    conv2d,
    convolution_windows,
)
from tapegrad.ops.halves import widened
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.windows import (
    check_format,
    from_channels_last,
    invalid,
    per_axis,
    shape_to_channels_last,
    split_padding,
    to_channels_last,
)

PUBLIC = {
    "nn": "depthwise_conv2d separable_conv2d",
    "nn compat.v1.nn": "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input",
}


def _depthwise_windows(x_shape, filter_shape, how):
    if x_shape[-1] != filter_shape[-2]:
        raise invalid(
            f"input depth must be evenly divisible by filter depth: {x_shape[-1]} vs {filter_shape[-2]}"
        )
    if 0 in filter_shape:
        raise invalid(f"filter must not have zero elements; its shape is {list(filter_shape)}.")
    return convolution_windows(x_shape, filter_shape, *how)


@op("DepthwiseConv2dNative", dtypes=REAL_FLOATING, convert=ATTRIBUTES)
def depthwise_conv2d_op(
    xp,
    input,
    filter,
    *,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
):
    """Each channel convolved with filters of its own. See ``tf.nn.depthwise_conv2d``."""
    check_ranks(2, input=input.shape, filter=filter.shape)
    x = to_channels_last(xp, widened(input), data_format)
    how = (strides, padding, explicit_paddings, data_format, dilations)
    places = _depthwise_windows(x.shape, filter.shape, how)
    out = xp.depthwise(x, widened(filter), places.steps)
    return from_channels_last(xp, out, data_format).astype(input.dtype, copy=False)


@op(
    "DepthwiseConv2dNativeBackpropInput",
    dtypes=REAL_FLOATING,
    convert={**ATTRIBUTES, "input_sizes": static_shape},
)
def depthwise_conv2d_backprop_input_op(
    xp,
    filter,
    out_backprop,
    *,
    input_sizes,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
):
    """The gradient of DepthwiseConv2dNative by its input."""
    check_ranks(2, input_sizes=input_sizes, filter=filter.shape, out_backprop=out_backprop.shape)
    shape = shape_to_channels_last(input_sizes, data_format)
    dy = to_channels_last(xp, widened(out_backprop), data_format)
    how = (strides, padding, explicit_paddings, data_format, dilations)
    places = _depthwise_windows(shape, filter.shape, how)
    check_gradient_shape(dy.shape, shape[0], places, filter.shape[-2] * filter.shape[-1])
    out = xp.depthwise_by_input(shape, widened(filter), dy, places.steps)
    return from_channels_last(xp, out, data_format).astype(out_backprop.dtype, copy=False)


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    dtypes=REAL_FLOATING,
    convert={**ATTRIBUTES, "filter_sizes": static_shape},
)
def depthwise_conv2d_backprop_filter_op(
    xp,
    input,
    out_backprop,
    *,
    filter_sizes,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
):
    """The gradient of DepthwiseConv2dNative by its filter."""
    check_ranks(2, input=input.shape, filter_sizes=filter_sizes, out_backprop=out_backprop.shape)
    x = to_channels_last(xp, widened(input), data_format)
    dy = to_channels_last(xp, widened(out_backprop), data_format)
    how = (strides, padding, explicit_paddings, data_format, dilations)
    places = _depthwise_windows(x.shape, filter_sizes, how)
    check_gradient_shape(dy.shape, x.shape[0], places, filter_sizes[-2] * filter_sizes[-1])
    gradient = xp.depthwise_by_filter(x, filter_sizes, dy, places.steps)
    return gradient.astype(out_backprop.dtype, copy=False)


def _depthwise_by_input(
    dy, filter, input_shape, strides, padding, explicit_paddings, data_format, dilations
):
    how = (strides, padding, explicit_paddings, data_format, dilations)
    return depthwise_conv2d_backprop_input_op(filter, dy, input_shape, *how)


def _depthwise_by_filter(
    dy, input, filter_shape, strides, padding, explicit_paddings, data_format, dilations
):
    how = (strides, padding, explicit_paddings, data_format, dilations)
    return depthwise_conv2d_backprop_filter_op(input, dy, filter_shape, *how)


def _depthwise_input_gradient_by_filter(
    dy, out_backprop, filter_shape, strides, padding, explicit_paddings, data_format, dilations
):
    how = (strides, padding, explicit_paddings, data_format, dilations)
    return depthwise_conv2d_backprop_filter_op(dy, out_backprop, filter_shape, *how)


def _depthwise_filter_gradient_by_input(
    dy, out_backprop, input_shape, strides, padding, explicit_paddings, data_format, dilations
):
    how = (strides, padding, explicit_paddings, data_format, dilations)
    return depthwise_conv2d_backprop_input_op(dy, out_backprop, input_shape, *how)


def _depthwise_again(dy, filter, strides, padding, explicit_paddings, data_format, dilations):
    how = (strides, padding, explicit_paddings, data_format, dilations)
    return depthwise_conv2d_op(dy, filter, *how)


def _depthwise_with_filter(dy, input, strides, padding, explicit_paddings, data_format, dilations):
    how = (strides, padding, explicit_paddings, data_format, dilations)
    return depthwise_conv2d_op(input, dy, *how)


depthwise_conv2d_op.gradient(input=_depthwise_by_input, filter=_depthwise_by_filter)
depthwise_conv2d_backprop_input_op.gradient(
    filter=_depthwise_input_gradient_by_filter, out_backprop=_depthwise_again
)
depthwise_conv2d_backprop_filter_op.gradient(
    input=_depthwise_filter_gradient_by_input, out_backprop=_depthwise_with_filter
)


# --- Public functions ---------------------------------------------------------------------------------


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Each channel convolved with filters of its own.

    >>> x, filter = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 3])
    >>> tf.nn.depthwise_conv2d(x, filter, strides=[1, 1, 1, 1], padding="SAME").shape
    TensorShape([1, 4, 4, 6])

    Args:
        filter: of shape (height, width, channels of the input, results for each channel).
    """
    data_format = check_format(data_format or "NHWC", 2)
    input = convert(input)
    filter = convert(filter, input.dtype) if not isinstance(filter, Tensor) else filter
    kind, numbers = split_padding(padding, 2)
    strides = per_axis(strides, 2, "strides", data_format)
    dilations = per_axis(dilations, 2, "dilations", data_format)
    return depthwise_conv2d_op(input, filter, strides, kind, numbers, data_format, dilations)


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of ``depthwise_conv2d`` by its input, of shape ``input_sizes``."""
    kind, numbers = split_padding(padding, 2)
    how = (strides, kind, numbers, data_format, dilations)
    return depthwise_conv2d_backprop_input_op(filter, out_backprop, input_sizes, *how)


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of ``depthwise_conv2d`` by its filter, of shape ``filter_sizes``."""
    kind, numbers = split_padding(padding, 2)
    how = (strides, kind, numbers, data_format, dilations)
    return depthwise_conv2d_backprop_filter_op(input, out_backprop, filter_sizes, *how)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A depthwise convolution, then one of size 1 by 1 that mixes the channels.

    >>> x = tf.ones([1, 4, 4, 2])
    >>> depthwise, pointwise = tf.ones([2, 2, 2, 3]), tf.ones([1, 1, 6, 5])
    >>> tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 5])
    """
    data_format = check_format(data_format or "NHWC", 2)
    middle = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(middle, pointwise_filter, 1, "VALID", data_format)
