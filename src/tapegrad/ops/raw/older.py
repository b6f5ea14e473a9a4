"""Ops of `tf.raw_ops` whose work other ops do: older versions, and those that were for graphs.

Each is the op or function that does its work today, called with the other's arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import convert, static_value
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    normalize_axis,
    static_bool,
    static_float,
    static_int,
    static_ints,
    static_vector,
)
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import logic
from tapegrad.ops.gradients import zeros
from tapegrad.ops.image import geometry
from tapegrad.ops.indexing import gather, masks, sort
from tapegrad.ops.linalg import decompositions, diagonals, products, tridiagonal
from tapegrad.ops.nn import activations, batch_norm, normalization, pool
from tapegrad.ops.op import REAL_FLOATING, broadcastable
from tapegrad.ops.program import debugging
from tapegrad.ops.shape import array, casts, creation, rearrange, shapes

# What TensorFlow itself has taken out


def quantize_and_dequantize_v1(
    input, signed_input=True, num_bits=8, range_given=False, input_min=0, input_max=0, name=None
):
    refuse(
        "QuantizeAndDequantize was removed in version 22 of TensorFlow's graphs "
        "and replaced by QuantizeAndDequantizeV2.",
        op="QuantizeAndDequantize",
        error=errors.UnimplementedError,
    )


# Arrays


def gather_v1(params, indices, validate_indices=True, name=None):
    return gather.gather_op(params, indices, 0)


def concat_v1(concat_dim, values, name=None):
    return array.concat_op(values, concat_dim)


def top_k_v1(input, k, sorted=True, name=None):
    return sort.top_k(input, k, sorted)


def reverse_v1(tensor, dims, name=None):
    tensor = convert(tensor)
    flags = static_value(convert(dims), "axes")
    if flags.shape != (tensor.ndim,) or flags.dtype != np.bool_:
        refuse(
            f"dims must be {tensor.ndim} truth values, one for each axis of tensor.", op="Reverse"
        )
    return rearrange.reverse(tensor, [axis for axis, flag in enumerate(flags) if flag])


def space_to_batch_v1(input, paddings, block_size, name=None):
    return rearrange.space_to_batch_nd(input, [static_int(block_size)] * 2, paddings)


def batch_to_space_v1(input, crops, block_size, name=None):
    return rearrange.batch_to_space_nd(input, [static_int(block_size)] * 2, crops)


def scatter_non_aliasing(input, indices, updates, bad_indices_policy="", name=None):
    return gather.tensor_scatter_nd_add(input, indices, updates, bad_indices_policy)


# Shapes, and what checks or shows tensors on their way


def shape_n(input, out_type=dtypes.int32, name=None):
    return shapes.shape_n(input, out_type)


def broadcast_gradient_args(s0, s1, name=None):
    """The axes over which the gradients of two inputs of these shapes are summed, one by one."""
    first, second = convert(s0), convert(s1)
    sizes = [static_vector(first), static_vector(second)]
    rank = max(map(len, sizes))
    longer = [(1,) * (rank - len(each)) + each for each in sizes]
    for pair in zip(*longer, strict=True):
        if 1 not in pair and len(set(pair)) > 1:
            refuse(f"Incompatible shapes: {sizes[0]} vs. {sizes[1]}.", op="BroadcastGradientArgs")
    same = sizes[0] == sizes[1]
    return tuple(
        constant([axis for axis, size in enumerate(each) if size == 1 and not same], first.dtype)
        for each in longer
    )


def concat_offset(concat_dim, shape, name=None):
    """Where each of the parts of these shapes begins in what they are joined to."""
    parts = [convert(each) for each in shape]
    sizes = [static_vector(each) for each in parts]
    axis = normalize_axis(static_int(concat_dim), len(sizes[0]), "concat_dim")
    others = [each[:axis] + each[axis + 1 :] for each in sizes]
    if any(each != others[0] for each in others):
        refuse(
            f"All sizes but those along axis {axis} must agree; they are {sizes}.",
            op="ConcatOffset",
        )
    offsets, begin = [], 0
    for each in sizes:
        offset = [0] * len(each)
        offset[axis] = begin
        offsets.append(constant(offset, parts[0].dtype))
        begin += each[axis]
    return offsets


def check_assertion(condition, data, summarize=3, name=None):
    debugging.Assert(convert(condition), list(data), summarize)


def debug_identity(
    input,
    tfdbg_context_id="",
    op_name="",
    output_slot=-1,
    tensor_debug_mode=-1,
    debug_urls=(),
    circular_buffer_size=1000,
    tfdbg_run_id="",
    name=None,
):
    return array.identity(input)


def compare(op: Any, otherwise: bool) -> Any:
    """A comparison that need not raise where shapes do not broadcast: ``otherwise`` is its answer."""

    def run(x, y, incompatible_shape_error=True, name=None):
        try:
            return op(x, y)
        except errors.InvalidArgumentError:
            x, y = convert(x), convert(y)
            shapes = [list(x._shape_tuple()), list(y._shape_tuple())]
            if incompatible_shape_error or broadcastable(shapes):
                raise
            return constant(otherwise, dtypes.bool)

    return run


def cast(x, DstT, Truncate=False, name=None):
    if Truncate:
        refuse(
            "Cast rounds to the nearest number; Truncate=True is not supported.",
            op="Cast",
            error=errors.UnimplementedError,
        )
    return casts.cast_op(x, DstT)


# Diagonals: the second versions keep what is shorter than the longest at the left.


def matrix_diag_v1(diagonal, name=None):
    return diagonals.diag(diagonal)


def matrix_diag_v2(diagonal, k, num_rows, num_cols, padding_value, name=None):
    return diagonals.matrix_diag(diagonal, padding_value, k, num_rows, num_cols, "LEFT_LEFT")


def matrix_diag_part_v1(input, name=None):
    return diagonals.diag_part(input)


def matrix_diag_part_v2(input, k, padding_value, name=None):
    return diagonals.matrix_diag_part(input, padding_value, k, "LEFT_LEFT")


def matrix_set_diag_v1(input, diagonal, name=None):
    return diagonals.set_diag(input, diagonal)


def matrix_set_diag_v2(input, diagonal, k, name=None):
    return diagonals.matrix_set_diag(input, diagonal, k, "LEFT_LEFT")


# Linear algebra and neural nets


def batch_matmul_v1(x, y, adj_x=False, adj_y=False, grad_x=False, grad_y=False, name=None):
    x, y = convert(x), convert(y)
    if x._shape_tuple()[:-2] != y._shape_tuple()[:-2]:
        refuse(
            f"x and y must be batches of one shape, not of shapes {list(x._shape_tuple())} and "
            f"{list(y._shape_tuple())}: BatchMatMulV2 broadcasts them.",
            op="BatchMatMul",
        )
    return products.multiply_batches(x, y, adj_x, adj_y, grad_x, grad_y)


def bias_add_v1(value, bias, name=None):
    return activations.bias_add_op(value, bias)


def average_pool_3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    return pool.average_pool3d_op(
        input, static_ints(ksize), static_ints(strides), padding, data_format
    )


def max_pool_v2(input, ksize, strides, padding, data_format="NHWC", name=None):
    return pool.max_pool(input, ksize, strides, padding, data_format)


def batch_norm_before(type_name: str, float32_only: bool) -> Any:
    """Batch normalisation without the third reserved space."""

    def normalise(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=0.0001,
        exponential_avg_factor=1,
        data_format="NHWC",
        is_training=True,
        name=None,
    ):
        x = convert(x)
        if float32_only and x.dtype in REAL_FLOATING and x.dtype.size < 4:
            refuse(f"x must be float32, not {x.dtype.name}.", op=type_name)
        return tuple(
            batch_norm.fused_batch_norm_v3(
                x,
                scale,
                offset,
                mean,
                variance,
                epsilon,
                exponential_avg_factor,
                data_format,
                is_training,
            )
        )[:5]

    return normalise


def batch_norm_grad_before(
    y_backprop,
    x,
    scale,
    reserve_space_1,
    reserve_space_2,
    epsilon=0.0001,
    data_format="NHWC",
    is_training=True,
    name=None,
):
    scale = convert(scale)
    none = zeros((0,), scale.dtype)
    return batch_norm.fused_batch_norm_grad_v3(
        y_backprop,
        x,
        scale,
        reserve_space_1,
        reserve_space_2,
        none,
        epsilon,
        data_format,
        is_training,
    )


def batch_norm_with_global_normalization(
    t, m, v, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    return normalization.batch_norm_with_global_normalization(
        t, m, v, beta, gamma, variance_epsilon, static_bool(scale_after_normalization)
    )


def sparse_matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    name=None,
):
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
        creation.cast(a, dtypes.float32),
        creation.cast(b, dtypes.float32),
        static_bool(transpose_a),
        static_bool(transpose_b),
    )


def banded_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    return tridiagonal.banded_triangular_solve(
        matrix, rhs, static_bool(lower), static_bool(adjoint)
    )


def tridiagonal_matmul(superdiag, maindiag, subdiag, rhs, name=None):
    bands = [convert(band) for band in (superdiag, maindiag, subdiag)]
    # Rows of one, as the older op wants them, side by side.
    return tridiagonal.tridiagonal_matmul(array.concat_op(bands, -2), rhs)


def max_pool_grad_v2(
    orig_input, orig_output, grad, ksize, strides, padding, data_format="NHWC", name=None
):
    return pool.max_pool2d_grad(
        orig_input,
        orig_output,
        grad,
        static_ints(ksize),
        static_ints(strides),
        padding,
        (),
        data_format,
    )


# Images


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, name=None):
    return boxes.non_max_suppression_op(
        boxes, scores, max_output_size, static_float(iou_threshold), -np.inf
    )


def extract_glimpse(
    input,
    size,
    offsets,
    centered=True,
    normalized=True,
    uniform_noise=True,
    noise="uniform",
    name=None,
):
    # A constant to a tape, as in TensorFlow.
    return geometry.extract_glimpse_op(
        array.stop_gradient(input), offsets, size, centered, normalized, uniform_noise, noise
    )


RAW_FORMS = {
    "Assert": check_assertion,
    "AvgPool3D": average_pool_3d,
    "BandedTriangularSolve": banded_triangular_solve,
    "BatchMatMul": batch_matmul_v1,
    "BatchNormWithGlobalNormalization": batch_norm_with_global_normalization,
    "BatchToSpace": batch_to_space_v1,
    "BiasAddV1": bias_add_v1,
    "BroadcastGradientArgs": broadcast_gradient_args,
    "Cast": cast,
    "CheckNumericsV2": debugging.check_numerics,
    "Concat": concat_v1,
    "ConcatOffset": concat_offset,
    "DebugGradientIdentity": array.identity,
    "DebugIdentityV2": debug_identity,
    "Equal": compare(logic.equal, False),
    "ExtractGlimpse": extract_glimpse,
    "FusedBatchNorm": batch_norm_before("FusedBatchNorm", True),
    "FusedBatchNormGrad": batch_norm_grad_before,
    "FusedBatchNormGradV2": batch_norm_grad_before,
    "FusedBatchNormV2": batch_norm_before("FusedBatchNormV2", False),
    "Gather": gather_v1,
    "IdentityN": array.identity_n,
    "MatrixDiag": matrix_diag_v1,
    "MatrixDiagPart": matrix_diag_part_v1,
    "MatrixDiagPartV2": matrix_diag_part_v2,
    "MatrixDiagV2": matrix_diag_v2,
    "MatrixSetDiag": matrix_set_diag_v1,
    "MatrixSetDiagV2": matrix_set_diag_v2,
    "MatrixSolveLs": decompositions.lstsq,
    "MaxPoolGradV2": max_pool_grad_v2,
    "MaxPoolV2": max_pool_v2,
    "NonMaxSuppression": non_max_suppression,
    "NonMaxSuppressionV2": non_max_suppression,
    "NotEqual": compare(logic.not_equal, True),
    "ParallelDynamicStitch": masks.dynamic_stitch,
    "QuantizeAndDequantize": quantize_and_dequantize_v1,
    "Reverse": reverse_v1,
    "ScatterNdNonAliasingAdd": scatter_non_aliasing,
    "ShapeN": shape_n,
    "SpaceToBatch": space_to_batch_v1,
    "SparseMatMul": sparse_matmul,
    "TopK": top_k_v1,
    "TridiagonalMatMul": tridiagonal_matmul,
}
