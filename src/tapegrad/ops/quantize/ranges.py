"""The ranges of quantised tensors: ops that give their integers another range, and others that say which.

A quantised tensor goes with two floats, ``low`` and ``high``, for which its lowest and its highest integer
stand, as in the mode MIN_FIRST of `quantize`. `products` and `layers` compute with such tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Op
from tapegrad.core.sizes import UnknownSize, equal_size
from tapegrad.errors import refuse
from tapegrad.ops.op import op
from tapegrad.ops.quantize.quantized import (
    SINGLE,
    first_steps,
    limits_of,
    quantized_dtype,
)
from tapegrad.ops.shape_rules import Abstract

QINT32 = frozenset({dtypes.qint32})
QUINT8 = frozenset({dtypes.quint8})
BYTES = frozenset({dtypes.qint8, dtypes.quint8})
SCALAR = Abstract((), dtypes.float32)


def one_number(**bounds: Any) -> list[Any]:
    """The bounds, which have to be scalars."""
    for name, bound in bounds.items():
        if bound.ndim:
            refuse(f"{name} must be a scalar, not of shape {list(bound.shape)}.")
    return [bound[()] for bound in bounds.values()]


def check_pictures(array: Any, name: str) -> None:
    """Raise unless the array has the axes of pictures."""
    if array.ndim != 4:
        refuse(f"{name} must have rank 4, [batch, height, width, channels], not {array.ndim}.")


def one_for_each_channel(shape: Any, **vectors: Any) -> None:
    """Raise unless these are vectors with a number for each channel, the last axis of ``shape``."""
    for name, vector in vectors.items():
        try:
            fits = vector.ndim == 1 and equal_size(vector.shape[0], shape[-1]) is not None
        except UnknownSize:
            raise
        except ValueError:
            fits = False
        if not fits:
            refuse(
                f"{name} must be a vector with a number for each of the {shape[-1]} channels, "
                f"not of shape {list(vector.shape)}."
            )


def ascending(what: str, low: Any, high: Any) -> None:
    """Raise unless the range has a width."""
    if not low < high:
        refuse(f"The range of {what} must have a width, but it goes from {low} to {high}.")


def of_dtype(dtype: dtypes.DType, allowed: frozenset[dtypes.DType], what: str) -> None:
    """Raise if ``dtype``, an attribute, is none of those."""
    if dtype not in allowed:
        names = ", ".join(sorted(one.name for one in allowed))
        refuse(f"{what} must be one of {names}, not {dtype.name}.")


def within(whole: Any, dtype: dtypes.DType) -> Any:
    """Whole floats as the nearest integers of a quantised dtype."""
    limits = np.iinfo(dtype.numpy_dtype[0])
    return packed(np.clip(whole, limits.min, limits.max), dtype)


def packed(whole: Any, dtype: dtypes.DType) -> Any:
    """Whole numbers as integers of a quantised dtype; 32-bit integers wrap around."""
    plain = dtype.numpy_dtype[0]
    return np.asarray(whole).astype(np.int64).astype(plain).view(dtype.numpy_dtype)


def computed(operation: Op, xp: Any, *arrays: Any, **attributes: Any) -> Any:
    """What the kernel of another op makes of plain arrays."""
    kernel = operation.kernel
    assert kernel is not None, operation.type
    return kernel(xp, *arrays, **attributes)


def with_range(shape: Any, dtype: dtypes.DType) -> list[Abstract]:
    """What ops give: integers, and the ends of their range."""
    return [Abstract(shape, dtype), SCALAR, SCALAR]


# Other ranges

_REQUANTIZED = {
    "input": QINT32,
    "input_min": SINGLE,
    "input_max": SINGLE,
    "requested_output_min": SINGLE,
    "requested_output_max": SINGLE,
}


@op(
    "Requantize",
    dtypes=_REQUANTIZED,
    convert={"out_type": quantized_dtype},
    outputs=("output", "output_min", "output_max"),
    values="errors",
)
def requantize(
    xp, input, input_min, input_max, requested_output_min, requested_output_max, *, out_type
):
    """The integers, as those of a smaller dtype with another range."""
    of_dtype(out_type, BYTES, "out_type")
    low, high, new_low, new_high = one_number(
        input_min=input_min,
        input_max=input_max,
        requested_output_min=requested_output_min,
        requested_output_max=requested_output_max,
    )
    if new_low > 0:
        refuse(f"requested_output_min must be at most 0, not {new_low}.")
    if new_low > new_high:
        refuse(f"The requested range goes from {new_low} down to {new_high}.")
    integers = dtypes.stored(input)
    output = requantized(integers, (low, high), (new_low, new_high), out_type)
    return output, new_low, new_high


def requantized(integers: Any, old: Any, new: Any, dtype: dtypes.DType) -> Any:
    """Integers of 32 bits as those of ``dtype`` that stand for the same in another range."""
    # The middle of the old range stands for 0.
    step = np.float64(old[1] - old[0]) / 2.0**32
    floats = integers * step + np.float64(old[0] + old[1]) / 2
    if dtype is not dtypes.quint8:
        return within(first_steps(floats.astype(np.float32), new[0], new[1], dtype), dtype)
    # TensorFlow has a faster way for this dtype: the lower end of the new range is not rounded to a step.
    width = np.float64(new[1]) - new[0]
    if not width:
        return packed(np.zeros(integers.shape), dtype)
    return within(np.floor((floats - new[0]) * 255 / width + 0.5), dtype)


requantize.shape(lambda input, out_type: with_range(input.shape, out_type))


def wide_floats(integers: Any, low: Any, high: Any) -> Any:
    """The floats for which integers of 32 bits stand. The lower end is not rounded to a step."""
    step = np.float64(high - low) / (2.0**32 - 1)
    return (np.float64(low) + (integers + 2.0**31) * step).astype(np.float32)


def actual_range(integers: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The floats for which the lowest and the highest of the integers stand; the lower one is at most 0."""
    if not integers.size:
        return np.float32(0), np.float32(0)
    least, most = wide_floats(np.array([integers.min(), integers.max()]), low, high)
    return np.minimum(least, np.float32(0)), most


@op(
    "RequantizationRange",
    dtypes={"input": QINT32, "input_min": SINGLE, "input_max": SINGLE},
    outputs=("output_min", "output_max"),
    values="errors",
)
def requantization_range(xp, input, input_min, input_max):
    """The range that the integers of a tensor make use of."""
    return actual_range(dtypes.stored(input), *one_number(input_min=input_min, input_max=input_max))


requantization_range.shape(lambda input: [SCALAR, SCALAR])


@op(
    "QuantizeDownAndShrinkRange",
    dtypes={"input": QINT32, "input_min": SINGLE, "input_max": SINGLE},
    convert={"out_type": quantized_dtype},
    outputs=("output", "output_min", "output_max"),
    values="errors",
)
def quantize_down_and_shrink_range(xp, input, input_min, input_max, *, out_type):
    """`requantize` into the range of `requantization_range`."""
    of_dtype(out_type, QUINT8, "out_type")
    old = one_number(input_min=input_min, input_max=input_max)
    integers = dtypes.stored(input)
    new = actual_range(integers, *old)
    return requantized(integers, old, new, out_type), *new


quantize_down_and_shrink_range.shape(lambda input, out_type: with_range(input.shape, out_type))


# A range for each channel. Here 0 stands for 0, and the range reaches as far down as up.


def channel_limits(input: Any, low: Any, high: Any) -> Any:
    """The larger of the ends of each channel's range, without signs."""
    check_pictures(input, "input")
    one_for_each_channel(input.shape, input_min=low, input_max=high)
    return np.maximum(np.abs(low), np.abs(high))


@op(
    "RequantizePerChannel",
    dtypes=_REQUANTIZED,
    convert={"out_type": quantized_dtype},
    outputs=("output", "output_min", "output_max"),
    values="errors",
)
def requantize_per_channel(
    xp,
    input,
    input_min,
    input_max,
    requested_output_min,
    requested_output_max,
    *,
    out_type=dtypes.quint8,
):
    """Integers whose channels have ranges of their own, as those of a smaller dtype with one range."""
    of_dtype(out_type, BYTES, "out_type")
    low, high = one_number(
        requested_output_min=requested_output_min, requested_output_max=requested_output_max
    )
    limits = channel_limits(input, input_min, input_max)
    top = np.maximum(np.abs(low), np.abs(high))
    if out_type is dtypes.qint8 and not low < 0:
        refuse(f"requested_output_min must be negative for qint8, not {low}.")
    scales = limits_of(out_type)[1] * limits / top / np.float32(2.0**31)
    whole = np.rint(dtypes.stored(input).astype(np.float32) * scales)
    return within(np.where(np.isnan(whole), 0.0, whole), out_type), low, high


requantize_per_channel.shape(lambda input, out_type: with_range(input.shape, out_type))


@op(
    "RequantizationRangePerChannel",
    dtypes={"input": QINT32, "input_min": SINGLE, "input_max": SINGLE},
    convert={"clip_value_max": float},
    outputs=("output_min", "output_max"),
    values="errors",
)
def requantization_range_per_channel(xp, input, input_min, input_max, *, clip_value_max):
    """The range that the integers make use of, up to ``clip_value_max``; from 0 on if none is negative."""
    scales = channel_limits(input, input_min, input_max) / np.float32(2.0**31)
    integers = dtypes.stored(input)
    if not integers.size:
        return np.float32(0), np.float32(0)
    lowest = (integers.min((0, 1, 2)).astype(np.float32) * scales).min()
    highest = (integers.max((0, 1, 2)).astype(np.float32) * scales).max()
    top = np.minimum(np.maximum(np.abs(lowest), np.abs(highest)), np.float32(clip_value_max))
    return (-top if lowest < 0 else np.float32(0)), top


requantization_range_per_channel.shape(lambda input: [SCALAR, SCALAR])
