"""Ops of `tf.raw_ops` that later versions replaced, under their older names, and those of sparse tensors.

Each is the op or function that does its work today, called with the older arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import errors
from tapegrad.core import Tensor, convert
from tapegrad.ops import (
    array,
    batch_norm,
    diagonals,
    gather,
    linalg,
    nn,
    pool,
    rearrange,
    segment,
    sort,
    sparse,
    sparse_more,
)
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.op import REAL_FLOATING
from tapegrad.ops.sparse_tensor import SparseTensor, at_places


def refuse(type_name: str, message: str) -> None:
    raise errors.InvalidArgumentError(None, None, f"{message} [Op:{type_name}]")


# What TensorFlow itself has taken out


def quantize_and_dequantize_v1(
    input, signed_input=True, num_bits=8, range_given=False, input_min=0, input_max=0, name=None
):
    raise errors.UnimplementedError(
        None,
        None,
        "QuantizeAndDequantize was removed in version 22 of TensorFlow's graphs and replaced by "
        "QuantizeAndDequantizeV2. [Op:QuantizeAndDequantize]",
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
    flags = convert(dims)._array
    if flags.shape != (tensor.ndim,) or flags.dtype != np.bool_:
        refuse("Reverse", f"dims must be {tensor.ndim} truth values, one for each axis of tensor.")
    return rearrange.reverse(tensor, np.flatnonzero(flags).tolist())


def space_to_batch_v1(input, paddings, block_size, name=None):
    return rearrange.space_to_batch_nd(input, [static_int(block_size)] * 2, paddings)


def batch_to_space_v1(input, crops, block_size, name=None):
    return rearrange.batch_to_space_nd(input, [static_int(block_size)] * 2, crops)


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
            "BatchMatMul",
            f"x and y must be batches of one shape, not of shapes {list(x._shape_tuple())} and "
            f"{list(y._shape_tuple())}: BatchMatMulV2 broadcasts them.",
        )
    return linalg.multiply_batches(x, y, adj_x, adj_y, grad_x, grad_y)


def bias_add_v1(value, bias, name=None):
    return nn.bias_add_op(value, bias)


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
            refuse(type_name, f"x must be float32, not {x.dtype.name}.")
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
    none = convert(np.zeros(0, scale.dtype.numpy_dtype))
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


# Segments of chosen rows


def sparse_segment(function: Any) -> Any:
    def reduce_rows(data, indices, segment_ids, sparse_gradient=False, name=None):
        return function(data, indices, segment_ids)

    return reduce_rows


def sparse_segment_counted(function: Any) -> Any:
    def reduce_rows(data, indices, segment_ids, num_segments, sparse_gradient=False, name=None):
        return function(data, indices, segment_ids, num_segments=num_segments)

    return reduce_rows


# Sparse tensors in three parts


def parts(value: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    return value.indices, value.values, value.dense_shape


def softmax_parts(sp_indices, sp_values, sp_shape, name=None):
    return sparse_more.sparse_softmax(SparseTensor(sp_indices, sp_values, sp_shape)).values


def sparse_pair(function: Any) -> Any:
    def choose(a_indices, a_values, a_shape, b_indices, b_values, b_shape, name=None):
        chosen = function(
            SparseTensor(a_indices, a_values, a_shape), SparseTensor(b_indices, b_values, b_shape)
        )
        return chosen.indices, chosen.values

    return choose


def add_parts(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh, name=None):
    return parts(
        sparse.sparse_add(
            SparseTensor(a_indices, a_values, a_shape),
            SparseTensor(b_indices, b_values, b_shape),
            thresh,
        )
    )


def sparse_tensor_dense_add(a_indices, a_values, a_shape, b, name=None):
    return sparse.sparse_add(SparseTensor(a_indices, a_values, a_shape), b)


def sparse_tensor_dense_matmul(
    a_indices, a_values, a_shape, b, adjoint_a=False, adjoint_b=False, name=None
):
    return sparse.sparse_dense_matmul(
        SparseTensor(a_indices, a_values, a_shape),
        b,
        static_bool(adjoint_a),
        static_bool(adjoint_b),
    )


def sparse_reduce(function: Any) -> Any:
    def reduce_axes(
        input_indices, input_values, input_shape, reduction_axes, keep_dims=False, name=None
    ):
        return function(
            SparseTensor(input_indices, input_values, input_shape), reduction_axes, keep_dims
        )

    return reduce_axes


def reorder_parts(input_indices, input_values, input_shape, name=None):
    ordered = sparse.reorder(SparseTensor(input_indices, input_values, input_shape))
    return ordered.indices, ordered.values


def slice_parts(indices, values, shape, start, size, name=None):
    return parts(sparse.sparse_slice(SparseTensor(indices, values, shape), start, size))


def sparse_with_dense(function: Any) -> Any:
    def combine(sp_indices, sp_values, sp_shape, dense, name=None):
        return function(SparseTensor(sp_indices, sp_values, sp_shape), dense).values

    return combine


def add_dense(sparse_tensor, dense):
    return sparse_tensor.with_values(sparse_tensor.values + at_places(sparse_tensor, dense))


RAW_FORMS = {
    "BatchMatMul": batch_matmul_v1,
    "BatchToSpace": batch_to_space_v1,
    "BiasAddV1": bias_add_v1,
    "Concat": concat_v1,
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
    "MaxPoolV2": max_pool_v2,
    "QuantizeAndDequantize": quantize_and_dequantize_v1,
    "Reverse": reverse_v1,
    "SpaceToBatch": space_to_batch_v1,
    "SparseAdd": add_parts,
    "SparseDenseCwiseAdd": sparse_with_dense(add_dense),
    "SparseDenseCwiseDiv": sparse_with_dense(SparseTensor.__truediv__),
    "SparseDenseCwiseMul": sparse_with_dense(SparseTensor.__mul__),
    "SparseReduceMax": sparse_reduce(sparse.sparse_reduce_max),
    "SparseReduceSum": sparse_reduce(sparse.sparse_reduce_sum),
    "SparseReorder": reorder_parts,
    "SparseSegmentMean": sparse_segment(segment.sparse_segment_mean),
    "SparseSegmentMeanWithNumSegments": sparse_segment_counted(segment.sparse_segment_mean),
    "SparseSegmentSqrtN": sparse_segment(segment.sparse_segment_sqrt_n),
    "SparseSegmentSqrtNWithNumSegments": sparse_segment_counted(segment.sparse_segment_sqrt_n),
    "SparseSegmentSum": sparse_segment(segment.sparse_segment_sum),
    "SparseSegmentSumWithNumSegments": sparse_segment_counted(segment.sparse_segment_sum),
    "SparseSlice": slice_parts,
    "SparseSoftmax": softmax_parts,
    "SparseSparseMaximum": sparse_pair(sparse_more.sparse_maximum),
    "SparseSparseMinimum": sparse_pair(sparse_more.sparse_minimum),
    "SparseTensorDenseAdd": sparse_tensor_dense_add,
    "SparseTensorDenseMatMul": sparse_tensor_dense_matmul,
    "TopK": top_k_v1,
}
