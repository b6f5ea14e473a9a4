"""Biases: a number for each channel, added to all its elements."""

from __future__ import annotations

from typing import Any

from tapegrad.core import Operand, Tensor, convert, public
from tapegrad.engines.numpy import resampling
from tapegrad.errors import refuse
from tapegrad.ops.args import convert_beside
from tapegrad.ops.batching import rows
from tapegrad.ops.elementwise import math
from tapegrad.ops.op import NUMERIC, op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array

PUBLIC = {
    "nn compat.v1.nn": "bias_add",
}


def _static_format(data_format: Any) -> str:
    if not isinstance(data_format, str) or data_format not in ("NHWC", "NCHW"):
        refuse(
            f"Value for attr 'data_format' of {data_format!r} is not in the list "
            "of allowed values: NHWC, NCHW."
        )
    return data_format


def _channel_axis(data_format: str, rank: int) -> int:
    return 1 if data_format == "NCHW" else rank - 1


def _bias_axis(value: tuple[int, ...], bias: tuple[int, ...], data_format: str) -> int:
    """The axis of the channels, which have a bias each."""
    if len(value) < 2:
        refuse(f"Input tensor must be at least 2D: {list(value)}")
    if len(bias) != 1:
        refuse(f"Biases must be 1D: {list(bias)}")
    axis = _channel_axis(data_format, len(value))
    if bias[0] != value[axis]:
        refuse(
            f"Must provide as many biases as the channels of the input tensor, axis {axis}: "
            f"{list(bias)} vs. {list(value)}"
        )
    return axis


@op(
    "BiasAdd",
    dtypes=NUMERIC,
    convert={"data_format": _static_format},
    linear="value bias",
    lane=resampling.bias_add,
)
def bias_add_op(xp, value, bias, *, data_format="NHWC"):
    """``value + bias``, the bias along the axis of channels. See ``tf.nn.bias_add``."""
    axis = _bias_axis(value.shape, bias.shape, data_format)
    return value + xp.reshape(bias, (-1,) + (1,) * (value.ndim - axis - 1))


@bias_add_op.shape
def bias_add_shape(value, bias, data_format):
    _bias_axis(value.shape, bias.shape, data_format)
    return value.shape


bias_add_op.gradient(
    value=lambda dy: dy,
    bias=lambda dy, data_format: bias_add_grad(dy, data_format),
)


def bias_rule(items, value, bias, data_format):
    if not items.batched[1]:
        return rows(1)(items, value, bias, data_format)
    value = items.spread(value, 0)
    axis = _channel_axis(data_format, value.ndim - 1) + 1
    shape = (items.size, *[1] * (axis - 1), bias.shape[1], *[1] * (value.ndim - axis - 1))
    return items.call(math.add, value, bias.reshape(shape))


bias_add_op.batching(bias_rule)


@op(
    "BiasAddGrad",
    dtypes=NUMERIC,
    convert={"data_format": _static_format},
    accumulate="float32",
    linear="out_backprop",
)
def bias_add_grad(xp, out_backprop, *, data_format="NHWC"):
    """``out_backprop`` summed over all axes but the channels."""
    if out_backprop.ndim < 2:
        refuse(f"Input tensor must be at least 2D: {list(out_backprop.shape)}")
    axis = _channel_axis(data_format, out_backprop.ndim)
    axes = tuple([i for i in range(out_backprop.ndim) if i != axis])
    total = xp.sum_axes(out_backprop, axes, False)
    if total is not None:
        return total
    return xp.sum(out_backprop, axis=axes, dtype=out_backprop.dtype)


@bias_add_grad.shape
def bias_add_gradient_shape(out_backprop, data_format):
    if out_backprop.ndim < 2:
        refuse(f"Input tensor must be at least 2D: {list(out_backprop.shape)}")
    return (out_backprop.shape[_channel_axis(data_format, out_backprop.ndim)],)


def _spread_bias(dy, out_backprop_shape, data_format):
    rank = len(out_backprop_shape)
    axis = _channel_axis(data_format, rank)
    dy = array.reshape(dy, (-1,) + (1,) * (rank - axis - 1))
    return array.broadcast_to(dy, out_backprop_shape)


bias_add_grad.gradient(out_backprop=_spread_bias)


def bias_gradient_rule(items, out_backprop, data_format):
    channels = _channel_axis(data_format, out_backprop.ndim - 1) + 1
    axes = tuple([axis for axis in range(1, out_backprop.ndim) if axis != channels])
    return items.call(reduce.reduce_sum, out_backprop, axis=axes)


bias_add_grad.batching(bias_gradient_rule)


@public
def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """``value`` with the vector ``bias`` added along its axis of channels.

    >>> tf.nn.bias_add(tf.zeros([2, 3]), [1.0, 2.0, 3.0]).numpy()
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)

    Args:
        value: a tensor.
        bias: a vector with an element for each channel.
        data_format: ``"N...C"`` (the default) if channels are the last axis, ``"NC..."`` if they are the
            second.
    """
    named = "N...C" if data_format is None else data_format
    if isinstance(named, str) and named.startswith("N") and named.endswith("C"):
        layout = "NHWC"
    elif isinstance(named, str) and named.startswith("NC"):
        layout = "NCHW"
    else:
        raise ValueError(
            "`data_format` must be of the form `N...C` or `NC...`. Received: "
            f"data_format={data_format}"
        )
    value = convert_beside(value, bias)
    if not isinstance(bias, Operand):
        bias = convert(bias, value.dtype)
    return bias_add_op(value, bias, layout)
