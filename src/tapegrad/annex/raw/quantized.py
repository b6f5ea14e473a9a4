"""Raw ops on quantised tensors that are made of other ops: joining, and other shapes."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.errors import refuse
from tapegrad.ops.elementwise import math
from tapegrad.ops.quantize.quantized import dequantize_op, quantize_op
from tapegrad.ops.reduce.reduce import reduce_max, reduce_min
from tapegrad.ops.shape import array, joining


def concat(concat_dim: Any, values: Any, input_mins: Any, input_maxes: Any) -> tuple[Tensor, ...]:
    """Quantised tensors one after the other, in a range that has those of all."""
    if len(values) < 2 or not len(values) == len(input_mins) == len(input_maxes):
        refuse(
            "QuantizedConcat joins two values or more, each with a range, but there are "
            f"{len(values)} values, {len(input_mins)} of input_mins and {len(input_maxes)} of input_maxes."
        )
    tensors = [convert(value) for value in values]
    lows, highs = (
        [array.stop_gradient(convert(end, dtypes.float32)) for end in ends]
        for ends in (input_mins, input_maxes)
    )
    dtype = tensors[0].dtype
    low, high = reduce_min(joining.stack(lows)), reduce_max(joining.stack(highs))
    low = math.minimum(low, 0.0)
    if dtype is dtypes.qint32:
        high = math.maximum(-low, high)
        low = -high
    parts = [
        quantize_op(
            dequantize_op(tensor, *ends, "MIN_FIRST"),
            low,
            high,
            dtype,
            "MIN_FIRST",
            ensure_minimum_range=0.0,
        ).output
        for tensor, *ends in zip(tensors, lows, highs, strict=True)
    ]
    return joining.concat(parts, concat_dim), low, high


def reshape(tensor: Any, shape: Any, input_min: Any, input_max: Any) -> tuple[Tensor, ...]:
    """A quantised tensor in another shape, and its range."""
    ends = [array.stop_gradient(convert(end, dtypes.float32)) for end in (input_min, input_max)]
    return array.reshape(tensor, shape), *ends
