"""Convolutions in which each channel has filters of its own, and separable ones."""

from __future__ import annotations

from typing import Any

from tapegrad.core import Tensor, convert, public
from tapegrad.ops.nn.conv import conv2d, convolution_ops
from tapegrad.ops.nn.windows import check_format, per_axis, split_padding
from tapegrad.ops.op import REAL_FLOATING

PUBLIC = {
    "nn": "depthwise_conv2d separable_conv2d",
    "nn compat.v1.nn": "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input",
}


(
    depthwise_conv2d_op,
    depthwise_conv2d_backprop_input_op,
    depthwise_conv2d_backprop_filter_op,
) = convolution_ops(
    (
        "DepthwiseConv2dNative",
        "DepthwiseConv2dNativeBackpropInput",
        "DepthwiseConv2dNativeBackpropFilter",
    ),
    2,
    REAL_FLOATING,
    depthwise=True,
)


@public
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of each channel with filters of its own.

    >>> x, filter = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 3])
    >>> tf.nn.depthwise_conv2d(x, filter, strides=[1, 1, 1, 1], padding="SAME").shape
    TensorShape([1, 4, 4, 6])

    Args:
        input: pictures of (batch, height, width, channels), or as ``data_format`` says.
        filter: of shape (height, width, channels of the input, results per channel).
        strides: four steps, of which the first and last are 1.
        padding: "VALID", "SAME", or a pair of numbers for each axis.
        data_format: "NHWC" (the default) or "NCHW".
        dilations: the distance between the elements of a filter, down and across; None is 1.
    """
    data_format = check_format(data_format or "NHWC", 2)
    input = convert(input)
    filter = convert(filter, input.dtype) if not isinstance(filter, Tensor) else filter
    kind, numbers = split_padding(padding, 2)
    strides = per_axis(strides, 2, "strides", data_format)
    dilations = per_axis(dilations, 2, "dilations", data_format)
    return depthwise_conv2d_op(input, filter, strides, kind, numbers, data_format, dilations)


@public
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
    """The gradient of ``depthwise_conv2d`` in its input, which has the shape ``input_sizes``.

    Args:
        input_sizes: (batch, height, width, channels).
        filter: of shape (height, width, channels, results for each channel).
        out_backprop: the gradient of the result of `tf.nn.depthwise_conv2d`.
        strides: the steps of the filter, one for each axis.
        padding: "VALID", "SAME", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if channels come before the height.
        dilations: the distances between the elements of the filter, one for each axis.
    """
    kind, numbers = split_padding(padding, 2)
    how = (strides, kind, numbers, data_format, dilations)
    return depthwise_conv2d_backprop_input_op(filter, out_backprop, input_sizes, *how)


@public
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
    """The gradient of ``depthwise_conv2d`` in its filter, which has the shape ``filter_sizes``.

    Args:
        input: of shape (batch, height, width, channels).
        filter_sizes: (height, width, channels, results for each channel).
        out_backprop: the gradient of the result of `tf.nn.depthwise_conv2d`.
        strides: the steps of the filter, one for each axis.
        padding: "VALID", "SAME", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if channels come before the height.
        dilations: the distances between the elements of the filter, one for each axis.
    """
    kind, numbers = split_padding(padding, 2)
    how = (strides, kind, numbers, data_format, dilations)
    return depthwise_conv2d_backprop_filter_op(input, out_backprop, filter_sizes, *how)


@public
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
    """A depthwise convolution, followed by one of size 1 by 1 that mixes the channels.

    >>> x = tf.ones([1, 4, 4, 2])
    >>> depthwise, pointwise = tf.ones([2, 2, 2, 3]), tf.ones([1, 1, 6, 5])
    >>> tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 5])

    Args:
        input: pictures of (batch, height, width, channels), or as ``data_format`` says.
        depthwise_filter: of shape (height, width, channels, results per channel).
        pointwise_filter: of shape (1, 1, channels times results per channel, channels of the result).
        strides: four steps, of which the first and last are 1.
        padding: "VALID", "SAME", or a pair of numbers for each axis.
        data_format: "NHWC" (the default) or "NCHW".
        dilations: the distance between the elements of a filter, down and across; None is 1.
    """
    data_format = check_format(data_format or "NHWC", 2)
    middle = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(middle, pointwise_filter, 1, "VALID", data_format)
