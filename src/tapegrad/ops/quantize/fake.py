"""Fake quantisation: floats are rounded as if they were small integers, and gradients ignore the rounding.

``fake_quant_*`` count steps from the lower bound, and ``quantize_and_dequantize*`` count them from 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public, static_value
from tapegrad.core.sizes import broadcast_shape
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_bool, static_int
from tapegrad.ops.batching import (
    all_spread,
    channelwise,
    into_axis,
    leading,
    moved_axis,
    out_of_axis,
)
from tapegrad.ops.op import op
from tapegrad.ops.shape import array
from tapegrad.ops.shape_rules import each_like, same_shape

PUBLIC = {
    "quantization compat.v1.quantization": (
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
        "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
        "fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient "
        "quantize_and_dequantize quantize_and_dequantize_v2"
    ),
}


SINGLE = frozenset({dtypes.float32})


def _levels(num_bits: int, narrow_range: bool) -> tuple[Any, Any]:
    """The smallest and the largest of the integers that represent floats."""
    if not 2 <= num_bits <= 16:
        refuse(f"num_bits must be between 2 and 16, inclusive; it is {num_bits}.")
    return np.float32(1 if narrow_range else 0), np.float32((1 << num_bits) - 1)


def _nudged(low: Any, high: Any, levels: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """The range moved a little, so that 0 is one of its steps, and the size of a step; all in float32."""
    first, last = levels
    scale = (high - low) / (last - first)
    zero = first - low / scale
    # Round half away from zero. A zero outside the levels becomes the nearest level.
    rounded = np.floor(zero + np.float32(0.5))
    zero = np.where(zero < first, first, np.where(zero > last, last, rounded))
    return (first - zero) * scale, (last - zero) * scale, scale


def _quantized(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Any:
    floor, ceiling, scale = _nudged(low, high, _levels(num_bits, narrow_range))
    clamped = np.maximum(np.minimum(inputs, ceiling), floor)
    # Steps are counted from 0, which is exact, and by multiplying with an inverse. TensorFlow rounds like
    # this, which shows half-way between two steps.
    first, last = _levels(num_bits, narrow_range)
    inverse = (last - first) / (high - low)
    half = np.float32(0.5)
    zero = np.floor(-floor * inverse + half)
    steps = np.floor((clamped - floor) * inverse - zero + half)
    return np.where((low == 0) & (high == 0), np.float32(0), steps * scale)


def _inside(
    inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool
) -> tuple[Any, Any, Any]:
    """Where gradients pass to the inputs, to the lower bound, and to the upper bound."""
    floor, ceiling, _ = _nudged(low, high, _levels(num_bits, narrow_range))
    # If both bounds are 0, every gradient passes to the inputs.
    nothing = (low == 0) & (high == 0)
    below, too_large = (inputs < floor) & ~nothing, (inputs > ceiling) & ~nothing
    return ((inputs >= floor) & (inputs <= ceiling)) | nothing, below, too_large


class Gradients(NamedTuple):
    """The gradients of the inputs, of the lower bound and of the upper bound."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


_SETTINGS = {"num_bits": static_int, "narrow_range": static_bool}


# The range as plain numbers


def _static_float(value: Any) -> float:
    return float(static_value(convert(value, dtypes.float32), "range"))


_BOUNDS = {**_SETTINGS, "min": _static_float, "max": _static_float}


def _check_bounds(low: float, high: float) -> tuple[Any, Any]:
    if not low < high:
        refuse(f"min has to be smaller than max, was: {low} >= {high}")
    return np.float32(low), np.float32(high)


@op("FakeQuantWithMinMaxArgs", dtypes=SINGLE, convert=_BOUNDS, elementwise=True, dispatched="no")
def fake_quant_with_min_max_args(xp, inputs, *, min=-6, max=6, num_bits=8, narrow_range=False):
    """``inputs`` rounded to the nearest of ``2 ** num_bits`` even steps from ``min`` to ``max``.

    >>> tf.quantization.fake_quant_with_min_max_args([0.1, 1.2, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 1., 3.], dtype=float32)

    The range is moved a little if 0 would not be a step. The gradient passes where the input is inside.
    """
    return _quantized(inputs, *_check_bounds(min, max), num_bits, narrow_range)


fake_quant_with_min_max_args.gradient(
    inputs=lambda dy, inputs, min, max, num_bits, narrow_range: (
        fake_quant_with_min_max_args_gradient(dy, inputs, min, max, num_bits, narrow_range)
    )
)
fake_quant_with_min_max_args.batching(leading)


@op(
    "FakeQuantWithMinMaxArgsGradient",
    dtypes=SINGLE,
    convert=_BOUNDS,
    linear="gradients",
    elementwise=True,
    dispatched="no",
)
def fake_quant_with_min_max_args_gradient(
    xp, gradients, inputs, *, min=-6, max=6, num_bits=8, narrow_range=False
):
    """``gradients`` where ``inputs`` are inside the range, and 0 elsewhere.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.5, 9.0]).numpy()
    array([1., 0.], dtype=float32)
    """
    _check_same(gradients, inputs)
    passes = _inside(inputs, *_check_bounds(min, max), num_bits, narrow_range)[0]
    return np.where(passes, gradients, np.float32(0))


fake_quant_with_min_max_args_gradient.gradient(
    gradients=lambda dy, inputs, min, max, num_bits, narrow_range: (
        fake_quant_with_min_max_args_gradient(dy, inputs, min, max, num_bits, narrow_range)
    ),
    inputs=lambda dy: array.zeros_of(dy._shape_tuple(), dy),
)
fake_quant_with_min_max_args_gradient.batching(leading)


def _check_same(gradients: Any, inputs: Any) -> None:
    if gradients.shape != inputs.shape:
        refuse(
            f"gradients of shape {list(gradients.shape)} do not fit inputs "
            f"of shape {list(inputs.shape)}."
        )


# The range as tensors


def _check_scalars(inputs: Any, low: Any, high: Any) -> None:
    for name, bound in (("min", low), ("max", high)):
        if bound.ndim:
            refuse(f"`{name}` must be rank 0 but is rank {bound.ndim}.")


def _check_channels(inputs: Any, low: Any, high: Any) -> None:
    if not inputs.ndim:
        refuse("inputs must have channels, as their last axis; they are a scalar.")
    for name, bound in (("min", low), ("max", high)):
        if bound.ndim != 1:
            refuse(f"`{name}` must be rank 1 but is rank {bound.ndim}.")
        if bound.shape[0] != inputs.shape[-1]:
            refuse(f"{name} has incorrect size, expected {inputs.shape[-1]} was {bound.shape[0]}")


@op("FakeQuantWithMinMaxVars", dtypes=SINGLE, convert=_SETTINGS, values="elements")
def fake_quant_with_min_max_vars(xp, inputs, min, max, *, num_bits=8, narrow_range=False):
    """``inputs`` rounded to the nearest of ``2 ** num_bits`` even steps from ``min`` to ``max``, two scalars.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 1.2, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 1., 3.], dtype=float32)

    An element below the range sends its gradient to ``min``, and one above it sends it to ``max``.
    """
    _check_scalars(inputs, min, max)
    return _quantized(inputs, min, max, num_bits, narrow_range)


fake_quant_with_min_max_vars.shape(same_shape)


def _by_range(dy, inputs, min, max, num_bits, narrow_range):
    return tuple(
        fake_quant_with_min_max_vars_gradient(dy, inputs, min, max, num_bits, narrow_range)
    )


fake_quant_with_min_max_vars.gradient(_by_range)


@op(
    "FakeQuantWithMinMaxVarsGradient",
    dtypes=SINGLE,
    convert=_SETTINGS,
    outputs=Gradients._fields,
    result=Gradients,
    linear="gradients",
    values="elements",
)
def fake_quant_with_min_max_vars_gradient(
    xp, gradients, inputs, min, max, *, num_bits=8, narrow_range=False
):
    """The gradients of the three inputs of ``fake_quant_with_min_max_vars``."""
    _check_same(gradients, inputs)
    _check_scalars(inputs, min, max)
    parts = _inside(inputs, min, max, num_bits, narrow_range)
    inner, below, too_large = [np.where(part, gradients, np.float32(0)) for part in parts]
    return inner, below.sum(dtype=np.float32), too_large.sum(dtype=np.float32)


fake_quant_with_min_max_vars_gradient.shape(each_like("inputs", "min", "max"))


@op("FakeQuantWithMinMaxVarsPerChannel", dtypes=SINGLE, convert=_SETTINGS, values="elements")
def fake_quant_with_min_max_vars_per_channel(
    xp, inputs, min, max, *, num_bits=8, narrow_range=False
):
    """``fake_quant_with_min_max_vars`` with a range for each channel. Channels are the last axis.

    >>> x = [[0.1, 0.1], [1.2, 1.2]]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0.0, 0.0], [3.0, 6.0], 2).numpy()
    array([[0., 0.],
           [1., 2.]], dtype=float32)
    """
    _check_channels(inputs, min, max)
    return _quantized(inputs, min, max, num_bits, narrow_range)


fake_quant_with_min_max_vars_per_channel.shape(same_shape)


def _by_ranges(dy, inputs, min, max, num_bits, narrow_range):
    gradients = fake_quant_with_min_max_vars_per_channel_gradient(
        dy, inputs, min, max, num_bits, narrow_range
    )
    return tuple(gradients)


fake_quant_with_min_max_vars_per_channel.gradient(_by_ranges)

fake_quant_with_min_max_vars_per_channel.batching(channelwise)


@op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    dtypes=SINGLE,
    convert=_SETTINGS,
    outputs=Gradients._fields,
    result=Gradients,
    linear="gradients",
    values="elements",
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    xp, gradients, inputs, min, max, *, num_bits=8, narrow_range=False
):
    """The gradients of the three inputs of ``fake_quant_with_min_max_vars_per_channel``."""
    _check_same(gradients, inputs)
    _check_channels(inputs, min, max)
    parts = _inside(inputs, min, max, num_bits, narrow_range)
    inner, below, too_large = [np.where(part, gradients, np.float32(0)) for part in parts]
    axes = tuple(range(inputs.ndim - 1))
    return inner, below.sum(axis=axes, dtype=np.float32), too_large.sum(axis=axes, dtype=np.float32)


fake_quant_with_min_max_vars_per_channel_gradient.shape(each_like("inputs", "min", "max"))


# Since rounding is ignored, both are linear in the gradients, with masks as factors.


@op(
    "_FakeQuantParts",
    dtypes=SINGLE,
    convert=_SETTINGS,
    outputs=("inner", "below", "above"),
    values="elements",
)
def parts_of_range(xp, inputs, min, max, *, num_bits=8, narrow_range=False):
    """1 where ``inputs`` are inside the range, below it and above it, and 0 elsewhere."""
    parts = _inside(inputs, min, max, num_bits, narrow_range)
    return tuple([part.astype(np.float32) for part in parts])


parts_of_range.shape(
    lambda inputs, min, max: [broadcast_shape(inputs.shape, min.shape, max.shape)] * 3
)
parts_of_range.no_gradient()


def _back_to_gradients(dy, inputs, min, max, num_bits, narrow_range):
    inner, below, too_large = parts_of_range(inputs, min, max, num_bits, narrow_range)
    return dy[0] * inner + dy[1] * below + dy[2] * too_large


for gradient_op in (
    fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel_gradient,
):
    gradient_op.gradient(
        gradients=_back_to_gradients,
        inputs=lambda dy, inputs: array.zeros_of(inputs._shape_tuple(), inputs),
        min=lambda dy, min: array.zeros_of(min._shape_tuple(), min),
        max=lambda dy, max: array.zeros_of(max._shape_tuple(), max),
    )


# Steps counted from 0

WIDE = frozenset({dtypes.float32, dtypes.float64})
ROUNDINGS = ("HALF_TO_EVEN", "HALF_UP")


def _static_rounding(value: Any) -> str:
    mode = value.decode() if isinstance(value, bytes) else value
    if mode not in ROUNDINGS:
        refuse(f"round_mode must be one of {', '.join(ROUNDINGS)}, not {value!r}.")
    return str(mode)


_STEPS = {
    "signed_input": static_bool,
    "num_bits": static_int,
    "range_given": static_bool,
    "round_mode": _static_rounding,
    "narrow_range": static_bool,
    "axis": static_int,
}


def _integers(num_bits: int, signed: bool, narrow: bool) -> tuple[int, int]:
    """The smallest and the largest of the integers to which floats are rounded."""
    if not 0 < num_bits < (62 if signed else 63):
        refuse(f"num_bits is out of range: {num_bits} with signed_input {signed}")
    if not signed:
        return 0, (1 << num_bits) - 1
    last = (1 << (num_bits - 1)) - 1
    return (-last if narrow else -last - 1), last


def _check_axis(x: Any, axis: int) -> None:
    if axis < -1:
        refuse(f"Axis must be at least -1. Found {axis}")
    if axis >= x.ndim:
        refuse(f"Shape must be at least rank {axis + 1} but is rank {x.ndim}")


def _along(bound: Any, x: Any, axis: int, name: str) -> Any:
    """A bound in a shape that fits ``x``: one number, or one for each slice along ``axis``."""
    if bound.size == 1 and (axis < 0 or not bound.ndim):
        return bound.reshape(())
    if axis < 0:
        refuse(f"{name} must be a scalar if there is no axis; its shape is {bound.shape}.")
    if bound.shape != (x.shape[axis],):
        refuse(f"{name} must have shape [{x.shape[axis]}]; it has {list(bound.shape)}.")
    return bound.reshape((-1,) + (1,) * (x.ndim - 1 - axis))


def _range_of(x: Any, axis: int) -> tuple[Any, Any]:
    """The smallest and the largest number, or those of each slice along ``axis``. NaN is ignored."""
    reduced_axes = tuple([other for other in range(x.ndim) if other != axis])
    return (
        np.fmin.reduce(x, axis=reduced_axes, keepdims=True),
        np.fmax.reduce(x, axis=reduced_axes, keepdims=True),
    )


def in_steps(
    xp,
    input,
    input_min,
    input_max,
    *,
    signed_input=True,
    num_bits=8,
    range_given=False,
    round_mode="HALF_TO_EVEN",
    narrow_range=False,
    axis=-1,
):
    """``input`` in whole steps, whose size is such that the available integers reach both bounds."""
    x, low, high = input, input_min, input_max
    _check_axis(x, axis)
    first, last = [x.dtype.type(bound) for bound in _integers(num_bits, signed_input, narrow_range)]
    if range_given:
        low, high = _along(low, x, axis, "input_min"), _along(high, x, axis, "input_max")
        if not (low <= high).all():
            refuse(f"Invalid range: input_min {low} > input_max {high}")
    elif x.size:
        low, high = _range_of(x, axis)
    if not x.size:
        return x
    limits = np.finfo(x.dtype)
    # A bound on a side where there are no integers sets no scale. Neither does a bound so close to 0 that
    # its inverse overflows.
    by_low = np.where(first * low >= limits.tiny, first / low, limits.max)
    by_high = np.where(last * high >= limits.tiny, last / high, limits.max)
    scale = np.minimum(by_low, by_high)
    step = np.where(by_low < by_high, low / first, high / last)
    if range_given:
        floor = np.where(by_low < by_high, low, first * step)
        ceiling = np.where(by_low < by_high, last * step, high)
        x = np.maximum(np.minimum(x, ceiling), floor)
    steps = x * scale
    steps = np.rint(steps) if round_mode == "HALF_TO_EVEN" else np.floor(steps + x.dtype.type(0.5))
    return steps * step


in_steps_v2 = op("QuantizeAndDequantizeV2", dtypes=WIDE, convert=_STEPS, values="errors")(in_steps)
in_steps_v2.shape(same_shape)
in_steps_v4 = op("QuantizeAndDequantizeV4", dtypes=WIDE, convert=_STEPS, values="errors")(in_steps)
in_steps_v4.shape(same_shape)


@op(
    "QuantizeAndDequantizeV3",
    dtypes=WIDE,
    convert={name: function for name, function in _STEPS.items() if name != "round_mode"},
    values="errors",
)
def in_steps_v3(
    xp,
    input,
    input_min,
    input_max,
    *,
    num_bits,
    signed_input=True,
    range_given=True,
    narrow_range=False,
    axis=-1,
):
    return in_steps(
        xp,
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        narrow_range=narrow_range,
        axis=axis,
    )


in_steps_v3.shape(same_shape)


for through in (in_steps_v2, in_steps_v3):
    through.gradient(input=lambda dy: dy, input_min=lambda dy: None, input_max=lambda dy: None)


in_steps_v4.gradient(
    lambda dy, input, input_min, input_max, axis: tuple(
        in_steps_gradient(dy, input, input_min, input_max, axis)
    )
)


class StepGradients(NamedTuple):
    """The gradient of the input, and those of its bounds, which are zero."""

    input_backprop: Tensor
    input_min_backprop: Tensor
    input_max_backprop: Tensor


@op(
    "QuantizeAndDequantizeV4Grad",
    dtypes=WIDE,
    convert={"axis": static_int},
    outputs=StepGradients._fields,
    result=StepGradients,
    linear="gradients",
    values="elements",
)
def in_steps_gradient(xp, gradients, input, input_min, input_max, *, axis=-1):
    if gradients.shape != input.shape:
        refuse(
            "gradient and input must be the same size; "
            f"they have {list(gradients.shape)} and {list(input.shape)}."
        )
    _check_axis(input, axis)
    low, high = (
        _along(input_min, input, axis, "input_min"),
        _along(input_max, input, axis, "input_max"),
    )
    inside = (input >= low) & (input <= high)
    return (
        np.where(inside, gradients, gradients.dtype.type(0)),
        np.zeros_like(input_min),
        np.zeros_like(input_max),
    )


in_steps_gradient.shape(each_like("gradients", "input_min", "input_max"))
in_steps_gradient.gradient(
    gradients=lambda dy, input, input_min, input_max, axis: (
        in_steps_gradient(dy[0], input, input_min, input_max, axis).input_backprop
    ),
    input=lambda dy, input: array.zeros_of(input._shape_tuple(), input),
    input_min=lambda dy, input_min: array.zeros_of(input_min._shape_tuple(), input_min),
    input_max=lambda dy, input_max: array.zeros_of(input_max._shape_tuple(), input_max),
)


fake_quant_with_min_max_vars_per_channel_gradient.batching(channelwise)


def ranges_rule(items, *arguments):
    """The items are channels, each with a range of its own."""
    *inputs, low, high = all_spread(items, list(arguments[: len(items.op.inputs)]))
    if low.ndim != 1 or high.ndim != 1:
        return None
    by_channel = (
        fake_quant_with_min_max_vars_per_channel
        if items.op is fake_quant_with_min_max_vars
        else fake_quant_with_min_max_vars_per_channel_gradient
    )
    last = inputs[0].ndim - 1
    moved = [moved_axis(array, 0, last) for array in inputs]
    names = dict(zip(items.op.attributes, items.attributes, strict=True))
    results = items.call(by_channel, *moved, low, high, **names)
    if isinstance(results, list):
        return [moved_axis(results[0], last, 0), *results[1:]]
    return moved_axis(results, last, 0)


fake_quant_with_min_max_vars.batching(ranges_rule)
fake_quant_with_min_max_vars_gradient.batching(ranges_rule)


def steps_rule(items, *arguments):
    """The items are more of the slices that have steps of their own, or the only such slices."""
    *inputs, low, high = all_spread(items, list(arguments[: len(items.op.inputs)]))
    axis = dict(zip(items.op.attributes, items.attributes, strict=True))["axis"]
    if axis < 0:
        if low.ndim != 1 or high.ndim != 1:
            return None
        return items.run(*inputs, low, high, axis=0)
    results = items.run(
        *[into_axis(array, axis) for array in inputs],
        *[into_axis(bound, 0) if bound.ndim == 2 else bound for bound in (low, high)],
    )
    if isinstance(results, list):
        return [
            out_of_axis(items, result, axis if result.ndim == inputs[0].ndim - 1 else 0)
            for result in results
        ]
    return out_of_axis(items, results, axis)


for operation in (in_steps_v2, in_steps_v3, in_steps_v4, in_steps_gradient):
    operation.batching(steps_rule)


@public
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """``input`` rounded to whole steps, counted from 0, so that the numbers of steps fit in ``num_bits``.

    >>> x = tf.constant([-1.2, 0.3, 0.5, 1.5])
    >>> tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.5, True, 3, range_given=True).numpy()
    array([-1. ,  0.5,  0.5,  1.5], dtype=float32)

    The gradient passes where ``input`` is from ``input_min`` to ``input_max``, and is 0 elsewhere, even if
    these do not set the range.

    Args:
        input: a tensor of float32 or float64.
        input_min, input_max: the ends of the range: scalars, or vectors with ``axis``.
        signed_input: whether the numbers of steps may be negative: then one of the bits is the sign.
        num_bits: the number of bits of the numbers of steps.
        range_given: whether the range goes from ``input_min`` to ``input_max``, to which ``input`` is then
            clipped. Otherwise it goes from the smallest to the largest number in ``input``.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: whether to leave out the lowest negative integer.
        axis: the axis along which each slice has a range of its own. The bounds are then vectors.

    Differs from TensorFlow: ranges that are given for each slice work.
    """
    x = convert(input)
    return in_steps_v4(
        x,
        input_min,
        input_max,
        signed_input,
        num_bits,
        range_given,
        round_mode,
        narrow_range,
        -1 if axis is None else normalize_axis(static_int(axis), x.ndim),
    )


@public
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """An older form of ``quantize_and_dequantize_v2``, in which the whole gradient passes.

    >>> tf.quantization.quantize_and_dequantize([-1.2, 0.3], -1.0, 1.5, True, 3, True).numpy()
    array([-1. ,  0.5], dtype=float32)

    Args:
        input: a tensor of float32 or float64.
        input_min, input_max: the ends of the range: scalars, or vectors with ``axis``.
        signed_input: whether the numbers of steps may be negative: then one of the bits is the sign.
        num_bits: the number of bits of the numbers of steps.
        range_given: whether ``input_min`` and ``input_max`` set the range; otherwise the smallest and the
            largest number of ``input`` do.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: whether to leave out the lowest negative integer.
        axis: the axis along which each slice has a range of its own; None for one range.
    """
    x = convert(input)
    return in_steps_v2(
        x,
        input_min,
        input_max,
        signed_input,
        num_bits,
        range_given,
        round_mode,
        narrow_range,
        -1 if axis is None else normalize_axis(static_int(axis), x.ndim),
    )
