"""Products, convolutions and sums of quantised tensors: integers of 32 bits with a range of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core.abstract import infer
from tapegrad.core.sizes import broadcast_shape
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_ints
from tapegrad.ops.linalg.products import multiply_matrices
from tapegrad.ops.nn.conv import conv2d_op
from tapegrad.ops.op import op
from tapegrad.ops.quantize.quantized import (
    SINGLE,
    away_from_zero,
    first_floats,
    first_scale,
    first_steps,
    limits_of,
    quantized_dtype,
)
from tapegrad.ops.quantize.ranges import (
    BYTES,
    QINT32,
    QUINT8,
    ascending,
    computed,
    of_dtype,
    one_for_each_channel,
    one_number,
    packed,
    with_range,
    within,
)
from tapegrad.ops.shape_rules import Abstract

DOUBLE = dtypes.float64


def centred(array: Any, low: Any, high: Any) -> Any:
    """The integers as floats, counted from the one that stands for 0, so that products need no offset.

    In double precision all sums of such products are exact.
    """
    dtype = dtypes.from_numpy(array.dtype)
    zero = first_steps(np.float64(0), low, high, dtype)
    return dtypes.stored(array).astype(np.float64) - zero


def product_range(first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, Any]:
    """For what the lowest and the highest of 32-bit products of two bytes stand, whose ranges these are."""
    steps = [np.float32((high - low) / np.float64(255)) for low, high in (first, second)]
    step = steps[0] * steps[1]
    lowest, highest = limits_of(dtypes.qint32)
    return step * lowest, step * highest


@op(
    "QuantizedMatMul",
    dtypes={"a": QUINT8, "b": QUINT8, "min_a": SINGLE, "max_a": SINGLE, "min_b": SINGLE, "max_b": SINGLE},
    convert={
        "Toutput": quantized_dtype,
        "transpose_a": static_bool,
        "transpose_b": static_bool,
        "Tactivation": quantized_dtype,
    },
    outputs=("out", "min_out", "max_out"),
    values="errors",
)  # fmt: skip
def quantized_matmul(
    xp,
    a,
    b,
    min_a,
    max_a,
    min_b,
    max_b,
    *,
    Toutput=dtypes.qint32,
    transpose_a=False,
    transpose_b=False,
    Tactivation=dtypes.quint8,
):
    """The product of two matrices."""
    of_dtype(Toutput, QINT32, "Toutput")
    bounds = one_number(min_a=min_a, max_a=max_a, min_b=min_b, max_b=max_b)
    first, second = bounds[:2], bounds[2:]
    ascending("a", *first)
    ascending("b", *second)
    left, right = centred(a, *first), centred(b, *second)
    product = computed(
        multiply_matrices, xp, left, right, transpose_a=transpose_a, transpose_b=transpose_b
    )
    return packed(product, Toutput), *product_range(first, second)


@quantized_matmul.shape
def quantized_matmul_shape(a, b, Toutput, transpose_a, transpose_b):
    operands = [Abstract(array.shape, DOUBLE) for array in (a, b)]
    product = infer(multiply_matrices, operands, (transpose_a, transpose_b))
    return with_range(product[0].shape, Toutput)


@op(
    "QuantizedConv2D",
    dtypes={
        "input": QUINT8,
        "filter": QUINT8,
        "min_input": SINGLE,
        "max_input": SINGLE,
        "min_filter": SINGLE,
        "max_filter": SINGLE,
    },
    convert={"strides": static_ints, "out_type": quantized_dtype, "dilations": static_ints},
    outputs=("output", "min_output", "max_output"),
    values="errors",
)
def quantized_conv2d(
    xp,
    input,
    filter,
    min_input,
    max_input,
    min_filter,
    max_filter,
    *,
    strides,
    padding,
    out_type=dtypes.qint32,
    dilations=(1, 1, 1, 1),
):
    """The convolution of pictures. Padding stands for 0."""
    of_dtype(out_type, QINT32, "out_type")
    bounds = one_number(
        min_input=min_input, max_input=max_input, min_filter=min_filter, max_filter=max_filter
    )
    settings = convolution_settings(strides, padding, dilations)
    pictures, filters = centred(input, *bounds[:2]), centred(filter, *bounds[2:])
    output = computed(
        conv2d_op, xp, pictures, filters, **dict(zip(conv2d_op.attributes, settings, strict=True))
    )
    return packed(output, out_type), *product_range(bounds[:2], bounds[2:])


def convolution_settings(strides: Any, padding: str, dilations: Any) -> tuple[Any, ...]:
    """The attributes of `conv2d_op`, in its order."""
    if any(rate != 1 for rate in dilations):
        refuse(f"Quantised convolutions have no dilations, but {list(dilations)} came.")
    return strides, padding, (), "NHWC", dilations


@quantized_conv2d.shape
def quantized_conv2d_shape(input, filter, strides, padding, out_type, dilations):
    operands = [Abstract(array.shape, DOUBLE) for array in (input, filter)]
    convolved = infer(conv2d_op, operands, convolution_settings(strides, padding, dilations))
    return with_range(convolved[0].shape, out_type)


# Sums. Both tensors get the range of the result first, which leaves room for many more.


def sum_range(room: int, *bounds: Any) -> tuple[Any, Any]:
    """A range that reaches ``room`` times as far as the farthest of the bounds, both up and down."""
    most = np.max(np.abs(bounds)) * np.float32(room)
    return -most, most


@op(
    "QuantizedBiasAdd",
    dtypes={
        "input": BYTES,
        "bias": BYTES,
        "min_input": SINGLE,
        "max_input": SINGLE,
        "min_bias": SINGLE,
        "max_bias": SINGLE,
    },
    convert={"out_type": quantized_dtype},
    outputs=("output", "min_out", "max_out"),
    values="errors",
)
def quantized_bias_add(
    xp, input, bias, min_input, max_input, min_bias, max_bias, *, out_type=dtypes.qint32
):
    """A number of ``bias`` added to each channel, the last axis."""
    of_dtype(out_type, QINT32, "out_type")
    check_biases(input, bias)
    low, high, low_bias, high_bias = one_number(
        min_input=min_input, max_input=max_input, min_bias=min_bias, max_bias=max_bias
    )
    ends = sum_range(1 << 17, low, high, low_bias, high_bias)
    total = sum_steps(input, (low, high), ends) + sum_steps(bias, (low_bias, high_bias), ends)
    return packed(total + first_steps(np.float64(0), *ends, out_type), out_type), *ends


def check_biases(input: Any, bias: Any) -> Any:
    """Raise if these are no biases for the channels, and return the shape of the result."""
    if input.dtype != bias.dtype:
        refuse(f"input and bias must have one dtype, not {input.dtype} and {bias.dtype}.")
    if input.ndim < 2:
        refuse(f"input must have two axes or more, not the shape {list(input.shape)}.")
    one_for_each_channel(input.shape, bias=bias)
    return input.shape


def sum_steps(array: Any, old: Sequence[Any], new: Sequence[Any]) -> Any:
    """The integers of 32 bits in a symmetric range that stand for the same.

    TensorFlow computes in single precision here. So in some ranges all are off by 128: the scale is rounded
    such that the lowest integer does not stand for the lower end.
    """
    dtype = dtypes.from_numpy(array.dtype)
    step = np.float32((old[1] - old[0]) / np.float64(255))
    start = old[0] if old[0] == old[1] else away_from_zero(old[0] / step) * step
    lowest = limits_of(dtype)[0]
    floats = (dtypes.stored(array).astype(np.float32) - lowest) * step + start
    scale = np.float32(first_scale(new[0], new[1], dtypes.qint32))
    shift = away_from_zero(new[0] * scale) - limits_of(dtypes.qint32)[0]
    return (away_from_zero(floats * scale) - shift).astype(np.float64)


quantized_bias_add.shape(
    lambda input, bias, out_type: with_range(check_biases(input, bias), out_type)
)

_OPERANDS = {
    "x": QUINT8,
    "y": QUINT8,
    "min_x": SINGLE,
    "max_x": SINGLE,
    "min_y": SINGLE,
    "max_y": SINGLE,
}


def checked_ranges(min_x: Any, max_x: Any, min_y: Any, max_y: Any) -> list[Any]:
    """The bounds of two operands, whose ranges have to have a width."""
    bounds = one_number(min_x=min_x, max_x=max_x, min_y=min_y, max_y=max_y)
    ascending("x", *bounds[:2])
    ascending("y", *bounds[2:])
    return bounds


@op(
    "QuantizedMul",
    dtypes=_OPERANDS,
    convert={"Toutput": quantized_dtype},
    outputs=("z", "min_z", "max_z"),
    values="errors",
)
def quantized_multiply(xp, x, y, min_x, max_x, min_y, max_y, *, Toutput=dtypes.qint32):
    """The product of two tensors, element by element."""
    of_dtype(Toutput, QINT32, "Toutput")
    bounds = checked_ranges(min_x, max_x, min_y, max_y)
    product = centred(x, *bounds[:2]) * centred(y, *bounds[2:])
    return packed(product, Toutput), *product_range(bounds[:2], bounds[2:])


@op(
    "QuantizedAdd",
    dtypes=_OPERANDS,
    convert={"Toutput": quantized_dtype},
    outputs=("z", "min_z", "max_z"),
    values="errors",
)
def quantized_add(xp, x, y, min_x, max_x, min_y, max_y, *, Toutput=dtypes.qint32):
    """The sum of two tensors, element by element."""
    of_dtype(Toutput, QINT32, "Toutput")
    bounds = checked_ranges(min_x, max_x, min_y, max_y)
    ends = sum_range(1 << 14, *bounds)
    total = even_steps(x, bounds[:2], ends) + even_steps(y, bounds[2:], ends)
    return packed(total, Toutput), *ends


def even_steps(array: Any, old: Any, new: tuple[Any, Any]) -> Any:
    """The integers of 32 bits in another range that stand for the same, at whole distances.

    TensorFlow converts the first two bytes, and goes on from there: the error grows with the byte. A scalar
    it converts by itself.
    """
    bytes_ = dtypes.stored(array)
    if not bytes_.ndim:
        return converted(bytes_, old, new)
    first, second = converted(np.array([0, 1]), old, new)
    return first + bytes_ * (second - first)


def converted(bytes_: Any, old: Any, new: tuple[Any, Any]) -> Any:
    """The integers of 32 bits that stand for the same as those of 8, as floats."""
    floats = first_floats(bytes_, old[0], old[1], dtypes.quint8)
    return dtypes.stored(within(first_steps(floats, *new, dtypes.qint32), dtypes.qint32)).astype(
        np.float64
    )


for _operation in (quantized_multiply, quantized_add):
    _operation.shape(lambda x, y, Toutput: with_range(broadcast_shape(x.shape, y.shape), Toutput))
