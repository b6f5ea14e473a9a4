"""Older versions of ops, and those that were for graphs, where `table` cannot just pass arguments on."""

from __future__ import annotations

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import convert, public, static_value
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    convert_beside,
    normalize_axis,
    static_bool,
    static_int,
    static_vector,
)
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import math
from tapegrad.ops.gradients import zeros
from tapegrad.ops.image import geometry
from tapegrad.ops.linalg import products, tridiagonal
from tapegrad.ops.nn import batch_norm
from tapegrad.ops.op import REAL_FLOATING, broadcastable
from tapegrad.ops.program import debugging
from tapegrad.ops.shape import array, casts, joining, rearrange


@public
def refuse_quantize_and_dequantize():
    refuse(
        "QuantizeAndDequantize was removed in version 22 of TensorFlow's graphs "
        "and replaced by QuantizeAndDequantizeV2.",
        op="QuantizeAndDequantize",
        error=errors.UnimplementedError,
    )


# Arrays


@composition
def add(x, y):
    """The sum in the dtype of the tensor among ``x`` and ``y``, where `tf.add` takes that of ``x``."""
    return math.add(convert_beside(x, y), y)


@composition
def reverse(tensor, dims):
    tensor = convert(tensor)
    flags = static_value(convert(dims), "axes")
    if flags.shape != (tensor.ndim,) or flags.dtype != np.bool_:
        refuse(
            f"dims must be {tensor.ndim} truth values, one for each axis of tensor.", op="Reverse"
        )
    return rearrange.reverse(tensor, [axis for axis, flag in enumerate(flags) if flag])


@composition
def space_to_batch(input, paddings, block_size):
    return rearrange.space_to_batch_nd(input, [static_int(block_size)] * 2, paddings)


@composition
def batch_to_space(input, crops, block_size):
    return rearrange.batch_to_space_nd(input, [static_int(block_size)] * 2, crops)


# Shapes, and what checks or shows tensors on their way


@composition
def broadcast_gradient_args(s0, s1):
    """The axes over which the gradients of two inputs of these shapes are summed, one by one."""
    first, second = convert(s0), convert(s1)
    sizes = [static_vector(first), static_vector(second)]
    rank = max(map(len, sizes))
    longer = [(1,) * (rank - len(size)) + size for size in sizes]
    for pair in zip(*longer, strict=True):
        if 1 not in pair and len(set(pair)) > 1:
            refuse(f"Incompatible shapes: {sizes[0]} vs. {sizes[1]}.", op="BroadcastGradientArgs")
    same = sizes[0] == sizes[1]
    return tuple(
        constant(
            [axis for axis, number in enumerate(size) if number == 1 and not same], first.dtype
        )
        for size in longer
    )


@composition
def concat_offset(concat_dim, shape):
    """Where each of the parts of these shapes begins in what they are joined to."""
    parts = [convert(vector) for vector in shape]
    sizes = [static_vector(part) for part in parts]
    axis = normalize_axis(static_int(concat_dim), len(sizes[0]), "concat_dim")
    others = [size[:axis] + size[axis + 1 :] for size in sizes]
    if any(size != others[0] for size in others):
        refuse(
            f"All sizes but those along axis {axis} must agree; they are {sizes}.",
            op="ConcatOffset",
        )
    offsets, begin = [], 0
    for size in sizes:
        offset = [0] * len(size)
        offset[axis] = begin
        offsets.append(constant(offset, parts[0].dtype))
        begin += size[axis]
    return offsets


@public
def check_assertion(condition, data, summarize=3):
    debugging.Assert(convert(condition), list(data), summarize)


@composition
def compare(op, otherwise, x, y, incompatible_shape_error=True):
    """A comparison that need not raise where shapes do not broadcast."""
    if not incompatible_shape_error:
        x, y = convert(x), convert(y)
        shapes = [list(x._shape_tuple()), list(y._shape_tuple())]
        if x.dtype == y.dtype and not broadcastable(shapes):
            return constant(otherwise, dtypes.bool)
    return op(x, y)


@public
def cast(x, DstT, Truncate=False):
    x = convert(x)
    # Truncate is about floats that are rounded to narrower ones: all others lose their fraction anyway.
    if Truncate and dtypes.as_dtype(DstT).is_floating and x.dtype.is_floating:
        refuse(
            "Cast of floats to floats rounds to the nearest number; Truncate=True is not supported.",
            op="Cast",
            error=errors.UnimplementedError,
        )
    return casts.cast_op(x, dtypes.as_dtype(DstT))


# Linear algebra and neural nets


@composition
def batch_matmul(x, y, **how):
    x, y = convert(x), convert(y)
    if x._shape_tuple()[:-2] != y._shape_tuple()[:-2]:
        refuse(
            f"x and y must be batches of one shape, not of shapes {list(x._shape_tuple())} and "
            f"{list(y._shape_tuple())}: BatchMatMulV2 broadcasts them.",
            op="BatchMatMul",
        )
    return products.multiply_batches(x, y, **how)


@composition
def batch_norm_in_single(x, **others):
    """The first version takes single precision alone."""
    x = convert(x)
    if x.dtype in REAL_FLOATING and x.dtype.size < 4:
        refuse(f"x must be float32, not {x.dtype.name}.", op="FusedBatchNorm")
    return batch_norm_of_five(x=x, **others)


@composition
def batch_norm_of_five(**arguments):
    """Batch normalisation without the third reserved space."""
    return tuple(batch_norm.fused_batch_norm_v3(**arguments))[:5]


@composition
def batch_norm_grad(scale, **others):
    scale = convert(scale)
    nothing = zeros((0,), scale.dtype)
    return batch_norm.fused_batch_norm_grad_v3(scale=scale, reserve_space_3=nothing, **others)


@composition
def sparse_matmul(a, b, transpose_a, transpose_b):
    """The product of two matrices that are stored like others, many of whose elements are zero."""
    a, b = convert(a), convert(b)
    for name, matrix in (("a", a), ("b", b)):
        if matrix.dtype not in (dtypes.float32, dtypes.bfloat16):
            refuse(
                f"{name} must be float32 or bfloat16, not {matrix.dtype.name}.", op="SparseMatMul"
            )
        if matrix.ndim != 2:
            refuse(
                f"{name} must be a matrix, not of shape {list(matrix.shape)}.", op="SparseMatMul"
            )
    return products.matmul(
        casts.cast(a, dtypes.float32),
        casts.cast(b, dtypes.float32),
        static_bool(transpose_a),
        static_bool(transpose_b),
    )


@composition
def tridiagonal_matmul(superdiag, maindiag, subdiag, rhs):
    bands = [convert(band) for band in (superdiag, maindiag, subdiag)]
    # Rows of one, as the older op wants them, side by side.
    return tridiagonal.tridiagonal_matmul(joining.concat_op(bands, -2), rhs)


@composition
def extract_glimpse(input, **others):
    # A constant to a tape, as in TensorFlow.
    return geometry.extract_glimpse_op(input=array.stop_gradient(input), **others)
