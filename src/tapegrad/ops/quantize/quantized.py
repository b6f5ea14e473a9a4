"""Floats as small integers and back: ``quantize`` and ``dequantize``, on tensors of the quantised dtypes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_bool, static_int
from tapegrad.ops.op import QUANTIZED, op
from tapegrad.ops.shape_rules import Abstract, like

PUBLIC = {
    "quantization compat.v1 compat.v1.quantization": "dequantize quantize",
}

MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
ROUND_MODES = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
SINGLE = frozenset({dtypes.float32})


class QuantizeV2(NamedTuple):
    """The result of `quantize`."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


def one_of(what: str, allowed: tuple[str, ...]) -> Any:
    """A converter that accepts the words in ``allowed``."""

    def check(value: Any) -> str:
        if value not in allowed:
            refuse(f"{what} must be one of {', '.join(allowed)}, not {value!r}.")
        return str(value)

    return check


def quantized_dtype(value: Any) -> dtypes.DType:
    dtype = dtypes.as_dtype(value)
    if not dtype.is_quantized:
        names = sorted(dtype.name for dtype in QUANTIZED)
        refuse(f"One of {', '.join(names)} is expected as the type, not {dtype.name}.")
    return dtype


def limits_of(dtype: dtypes.DType, narrow_range: bool = False) -> tuple[Any, Any]:
    """The lowest and the highest of the dtype's integers, as floats."""
    limits = np.iinfo(dtype.numpy_dtype[0])
    return np.float32(limits.min + narrow_range), np.float32(limits.max)


def ranges(shape: Any, low: Any, high: Any, axis: int, mode: str) -> tuple[Any, Any]:
    """The bounds in a shape that broadcasts against the shape of the numbers."""
    if axis == -1:
        for name, bound in (("min_range", low), ("max_range", high)):
            if bound.size != 1:
                refuse(f"{name} must be one number where no axis is given, not {bound.size}.")
        return low.reshape(()), high.reshape(())
    axis = normalize_axis(axis, len(shape))
    if mode == "MIN_FIRST":
        refuse("The mode MIN_FIRST takes no axis.", error=errors.UnimplementedError)
    for name, bound in (("min_range", low), ("max_range", high)):
        if bound.shape != (shape[axis],):
            refuse(
                f"{name} must be a vector of {shape[axis]}, the size of axis {axis}, "
                f"not of shape {list(bound.shape)}."
            )
    aligned = tuple(-1 if place == axis else 1 for place in range(len(shape)))
    return low.reshape(aligned), high.reshape(aligned)


def away_from_zero(numbers: Any) -> Any:
    """The numbers rounded to whole ones, halves away from zero."""
    return np.copysign(np.floor(np.abs(numbers) + np.float32(0.5)), numbers)


def first_scale(low: Any, high: Any, dtype: dtypes.DType) -> Any:
    """The number of MIN_FIRST's steps in a unit. The steps in the range are one fewer than the integers."""
    count = 2.0 ** (8 * dtype.size)
    return count / ((high - low).astype(np.float64) * (count / (count - 1.0)))


def first_steps(numbers: Any, low: Any, high: Any, dtype: dtypes.DType) -> Any:
    """MIN_FIRST's integers for floats, as whole floats. They may lie beyond the limits of the dtype."""
    lowest = limits_of(dtype)[0]
    if low == high:
        return np.full(np.shape(numbers), np.float64(lowest))
    scale = first_scale(low, high, dtype)
    return away_from_zero(numbers * scale) - away_from_zero(low * scale) + lowest


def first_floats(integers: Any, low: Any, high: Any, dtype: dtypes.DType) -> Any:
    """The floats for which MIN_FIRST's integers stand: float32, computed in double precision."""
    if low == high:
        return np.full(integers.shape, low)
    step = 1.0 / first_scale(low, high, dtype)
    # As in TensorFlow, where a range whose lower end is half-way between two steps shows it.
    rounded_step = np.float64(np.float32(step))
    start = away_from_zero(low / rounded_step) * rounded_step
    lowest = np.float64(limits_of(dtype)[0])
    return (start + (integers - lowest) * step).astype(np.float32)


def symmetric_scale(low: Any, high: Any, bounds: tuple[Any, Any]) -> Any:
    """The number of integers in a unit in the mode SCALED, such that both ends of the range fit."""
    most = np.finfo(np.float32).max
    below = np.where(bounds[0] * low > 0, bounds[0] / low, most)
    upper = np.where(bounds[1] * high > 0, bounds[1] / high, most)
    return np.minimum(below, upper).astype(np.float32)


def shifted(dtype: dtypes.DType) -> Any:
    """The number that MIN_COMBINED subtracts: half the number of integers if they are signed, else 0."""
    signed = dtype.numpy_dtype[0].kind == "i"
    return np.float32(2.0 ** (8 * dtype.size - 1) if signed else 0.0)


@op(
    "QuantizeV2",
    dtypes=SINGLE,
    convert={
        "T": quantized_dtype,
        "mode": one_of("mode", MODES),
        "round_mode": one_of("round_mode", ROUND_MODES),
        "narrow_range": static_bool,
        "axis": lambda value: -1 if value is None else static_int(value),
        "ensure_minimum_range": float,
    },
    outputs=("output", "output_min", "output_max"),
    result=QuantizeV2,
    raw=("input", "min_range", "max_range", "T", "mode", "round_mode", "narrow_range", "axis",
         "ensure_minimum_range"), values="errors",
)  # fmt: skip
def quantize_op(
    xp,
    input,
    min_range,
    max_range,
    *,
    T,
    mode="MIN_COMBINED",
    round_mode="HALF_AWAY_FROM_ZERO",
    narrow_range=False,
    axis=None,
    ensure_minimum_range=0.01,
):
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        refuse(f"The round mode HALF_TO_EVEN is for the mode SCALED, not {mode}.")
    low, high = ranges(input.shape, min_range, max_range, axis, mode)
    if (low > high).any():
        refuse("max_range must not be below min_range.")
    low = np.minimum(low, np.float32(0))
    least = np.maximum(np.float32(1), np.maximum(np.abs(low), np.abs(high)))
    high = np.maximum(
        np.float32(0), np.maximum(high, low + least * np.float32(ensure_minimum_range))
    )
    lowest, highest = bounds = limits_of(T, mode == "SCALED" and narrow_range)
    if mode == "SCALED":
        scale = symmetric_scale(low, high, bounds)
        low, high = lowest / scale, highest / scale
        steps = np.minimum(np.maximum(input, low), high) * scale
        steps = np.rint(steps) if round_mode == "HALF_TO_EVEN" else away_from_zero(steps)
    elif mode == "MIN_FIRST":
        steps = first_steps(input, low, high, T)
    else:
        scale = (highest - lowest) / (high - low)
        steps = (np.minimum(np.maximum(input, low), high) - low) * scale - shifted(T)
        steps = away_from_zero(steps)
    # NaN counts as 0. The floats nearest to the limits of 32-bit integers lie beyond these limits.
    limits = np.iinfo(T.numpy_dtype[0])
    whole = np.where(np.isnan(steps), 0.0, steps).astype(np.float64).clip(limits.min, limits.max)
    output = whole.astype(T.numpy_dtype[0]).view(T.numpy_dtype)
    shape = min_range.shape if axis != -1 else ()
    return output, low.astype(np.float32).reshape(shape), high.astype(np.float32).reshape(shape)


@quantize_op.shape
def quantized_shapes(input, min_range, T, axis):
    limit = Abstract(min_range.shape if axis != -1 else (), dtypes.float32)
    return [Abstract(input.shape, T), limit, limit]


@composition
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: Any = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """``input`` as steps from ``min_range`` to ``max_range``, in a quantised dtype; and the range used.

    >>> tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8).output
    <tf.Tensor: shape=(3,), dtype=quint8, numpy=array([  0, 128, 255], dtype=uint8)>

    The op has no gradient. `quantize_and_dequantize_v2` has one that ignores the rounding.

    Args:
        input: a tensor of float32.
        min_range, max_range: the ends of the range that is asked for: scalars, or vectors with ``axis``.
        T: qint8, quint8, qint16, quint16 or qint32.
        mode: "MIN_COMBINED", "MIN_FIRST" (in which 0 may be rounded too) or "SCALED" (in which 0 stays 0).
        round_mode: "HALF_AWAY_FROM_ZERO", or for "SCALED" also "HALF_TO_EVEN".
        narrow_range: whether the mode "SCALED" leaves out the lowest integer.
        axis: the axis along which each slice has a range of its own.
        ensure_minimum_range: the least width of the range, relative to its larger bound.
    """
    quantized: QuantizeV2 = quantize_op(
        input, min_range, max_range, T, mode, round_mode, narrow_range, axis, ensure_minimum_range
    )
    return quantized


@op(
    "Dequantize",
    dtypes={"input": QUANTIZED, "min_range": SINGLE, "max_range": SINGLE},
    convert={
        "mode": one_of("mode", MODES),
        "axis": lambda value: -1 if value is None else static_int(value),
        "narrow_range": static_bool,
        "dtype": dtypes.as_dtype,
    },
    raw=("input", "min_range", "max_range", "mode", "axis", "narrow_range", "dtype"),
    values="elements",
)
def dequantize_op(
    xp,
    input,
    min_range,
    max_range,
    *,
    mode="MIN_COMBINED",
    axis=None,
    narrow_range=False,
    dtype=dtypes.float32,
):
    if dtype not in (dtypes.float32, dtypes.bfloat16):
        refuse(f"float32 or bfloat16 is expected as the dtype, not {dtype.name}.")
    quantized = dtypes.from_numpy(input.dtype)
    integers = dtypes.stored(input)
    numbers = integers.astype(np.float32)
    low, high = ranges(input.shape, min_range, max_range, axis, mode)
    lowest, highest = limits_of(quantized, mode == "SCALED" and narrow_range)
    if mode == "SCALED":
        scale = high / highest if lowest == 0 else np.maximum(low / lowest, high / highest)
        result = numbers * scale
    elif mode == "MIN_FIRST":
        result = first_floats(integers, low, high, quantized)
    else:
        scale = (high - low) / (highest - lowest)
        result = (numbers + shifted(quantized)) * scale + low
    return result.astype(np.float32).astype(dtype.numpy_dtype)


dequantize_op.shape(like("input", "dtype"))


@composition
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: Any = None,
    narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> Tensor:
    """The floats for which the integers of a quantised tensor stand: see `quantize`.

    >>> steps, low, high = tf.quantization.quantize([0.0, 0.25, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.dequantize(steps, low, high).numpy().round(2)
    array([0.  , 0.25, 1.  ], dtype=float32)

    Args:
        input: a tensor of a quantised dtype.
        min_range, max_range: the ends of the range for which the integers stand, as `quantize` returns them.
        mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED", as it was for `quantize`.
        axis: the axis along which each slice has a range of its own; None for one range.
        narrow_range: whether the mode "SCALED" has left out the lowest integer.
        dtype: the dtype of the result: tf.float32 or tf.bfloat16.
    """
    return dequantize_op(convert(input), min_range, max_range, mode, axis, narrow_range, dtype)
