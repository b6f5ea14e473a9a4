"""Monotone regression: the falling or rising row that is nearest to a given row."""

from __future__ import annotations

import math as python_math
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_dtype
from tapegrad.ops.batching import rows
from tapegrad.ops.elementwise.math import negative
from tapegrad.ops.indexing.gather import places_in_batches
from tapegrad.ops.indexing.segment import take_segments, unsorted_segment_mean
from tapegrad.ops.op import REAL, REAL_FLOATING, op
from tapegrad.ops.shape.array import reshape, transpose_op
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "nn": "isotonic_regression",
}


class IsotonicRegression(NamedTuple):
    """The result of `tf.nn.isotonic_regression`."""

    output: Tensor
    segments: Tensor


def falling_blocks(row: list[float]) -> list[tuple[float, int]]:
    """The sums and sizes of the blocks whose means are the falling sequence nearest to ``row``.

    Neighbours in the wrong order are pooled until there are none. SciPy's function also pools equal
    neighbours, whose gradients TensorFlow keeps apart.
    """
    blocks: list[tuple[float, int]] = []
    for value in row:
        total, count = value, 1
        while blocks and blocks[-1][0] / blocks[-1][1] < total / count:
            before, size = blocks.pop()
            total, count = before + total, size + count
        blocks.append((total, count))
    return blocks


@op(
    "IsotonicRegression",
    dtypes=REAL,
    convert={"output_dtype": static_dtype},
    outputs=("output", "segments"),
    result=IsotonicRegression,
    accumulate={},
    values="elements",
)
def isotonic_regression_op(xp, input, *, output_dtype=dtypes.float32):
    """The falling sequence nearest to each row. See ``tf.nn.isotonic_regression``."""
    if output_dtype not in REAL_FLOATING:
        refuse(f"output_dtype must be floating-point, not {output_dtype.name}.")
    output = np.empty(input.shape, np.float64)
    segments = np.empty(input.shape, np.int32)
    length = input.shape[-1] if input.ndim else 1
    rows = input.reshape((-1, length)) if length else np.empty((0, 0))
    for row, means, numbers in zip(
        rows, output.reshape(rows.shape), segments.reshape(rows.shape), strict=True
    ):
        blocks = falling_blocks(row.astype(np.float64).tolist())
        sizes = [count for _, count in blocks]
        means[:] = np.repeat([total / count for total, count in blocks], sizes)
        numbers[:] = np.repeat(np.arange(len(blocks)), sizes)
    return output.astype(output_dtype.numpy_dtype, copy=False), segments


isotonic_regression_op.shape(
    lambda input, output_dtype: [
        Abstract(input.shape, output_dtype),
        Abstract(input.shape, dtypes.int32),
    ]
)


def isotonic_gradient(dy, input_shape, input_dtype, segments):
    # Each element moves the mean of its block, and so moves every element of the block equally.
    length = input_shape[-1] if input_shape else 1
    count = python_math.prod(input_shape)
    rows = reshape(segments, (count // max(length, 1), length))
    blocks = reshape(places_in_batches(rows, 1, length), (count,))
    means = unsorted_segment_mean(reshape(dy[0], (count,)), blocks, count)
    return cast(reshape(take_segments(means, blocks), input_shape), input_dtype)


isotonic_regression_op.gradient(input=isotonic_gradient)
isotonic_regression_op.batching(rows())


@composition
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: int = -1
) -> tuple[Tensor, Tensor]:
    """The falling (or rising) sequence nearest to ``inputs`` along ``axis``, and the block of each element.

    >>> output, segments = tf.nn.isotonic_regression(tf.constant([4.0, 1.0, 3.0]))
    >>> output.numpy().tolist(), segments.numpy().tolist()
    ([4.0, 2.0, 2.0], [0, 1, 1])

    Nearest means least squares. Integers become float32 (signed ones up to 16 bits) or float64. A falling
    sequence along the last axis is what the op gives, and has its names: ``output`` and ``segments``.

    Args:
        inputs: a tensor of real numbers.
        decreasing: whether the sequence falls; else it rises.
        axis: an integer.
    """
    values: Tensor = convert(inputs)
    if not isinstance(axis, int):
        raise TypeError(f"isotonic_regression() takes one integer for axis, not {axis!r}.")
    rank = values.ndim
    if rank or axis not in (0, -1):
        axis = normalize_axis(axis, rank)
    if values.dtype in REAL and values.dtype not in REAL_FLOATING:
        small = values.dtype in (dtypes.int8, dtypes.int16)
        values = cast(values, dtypes.float32 if small else dtypes.float64)
    as_it_is = decreasing and (rank == 0 or axis == rank - 1)
    order = [*range(rank)]
    if rank:
        order[axis], order[-1] = order[-1], order[axis]
        values = transpose_op(values, tuple(order))
    if not decreasing:
        values = negative(values)
    output, segments = isotonic_regression_op(values, values.dtype)
    if not decreasing:
        output = negative(output)
    if rank:
        output, segments = (transpose_op(part, tuple(order)) for part in (output, segments))
    return IsotonicRegression(output, segments) if as_it_is else (output, segments)
