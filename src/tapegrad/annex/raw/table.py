"""The raw names that are not an op under its own arguments: one row for each, as `rows` explains.

TensorFlow's older versions of an op, arguments that are only hints, ops whose public function takes other
arguments, and ops that are a function of ours. Where more is to be done than passing arguments on, a small
function in a module beside this one does it.
"""

from __future__ import annotations

import operator

from tapegrad.annex.raw import cudnn, older, random, recurrent, resource, slices, sparse
from tapegrad.annex.raw.rows import Row
from tapegrad.ops.elementwise import logic, signs
from tapegrad.ops.image import boxes
from tapegrad.ops.indexing import gather, masks, segment, sort
from tapegrad.ops.linalg import decompositions, diagonals, products, tridiagonal
from tapegrad.ops.nn import biases, conv, normalization, pool
from tapegrad.ops.program import debugging
from tapegrad.ops.random import distributions, draws
from tapegrad.ops.shape import array, shapes
from tapegrad.ops.sparse import functions

MASKS = "begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0"

# Arguments that say how TensorFlow is to compute something, and make no difference to what.
HINTS = (
    Row("ComplexAbs", signs.complex_abs, "x Tout->_=tf.float32"),
    Row(
        "MatMul",
        products.multiply_matrices,
        "a b transpose_a=False transpose_b=False grad_a->_=False grad_b->_=False",
    ),
    *(
        Row(
            type,
            op,
            f"{tensors} strides padding use_cudnn_on_gpu->_=True explicit_paddings=[] "
            "data_format='NHWC' dilations=[1,1,1,1]",
        )
        for type, op, tensors in (
            ("Conv2D", conv.conv2d_op, "input filter"),
            (
                "Conv2DBackpropFilter",
                conv.conv2d_backprop_filter,
                "input filter_sizes out_backprop",
            ),
            ("Conv2DBackpropInput", conv.conv2d_backprop_input, "input_sizes filter out_backprop"),
        )
    ),
)

ARRAYS = (
    Row("BatchToSpace", older.batch_to_space),
    Row("Cast", older.cast),
    Row("Concat", array.concat_op, "concat_dim->axis values"),
    Row("Gather", gather.gather_op, "params indices validate_indices->_=True", axis=0),
    Row("IdentityN", array.identity_n),
    Row("ParallelDynamicStitch", masks.dynamic_stitch),
    Row("Reverse", older.reverse),
    Row(
        "ScatterNdNonAliasingAdd",
        gather.tensor_scatter_nd_add,
        "input->tensor indices updates bad_indices_policy=''",
    ),
    Row("SpaceToBatch", older.space_to_batch),
    Row("StridedSlice", slices.take, f"input begin end strides {MASKS}"),
    Row("StridedSliceGrad", slices.put, f"shape begin end strides dy {MASKS}"),
    Row("TensorStridedSliceUpdate", slices.update, f"input begin end strides value {MASKS}"),
    Row("TopK", sort.top_k, "input k sorted=True"),
)

# Shapes, and what checks or shows tensors on their way
PROGRAM = (
    Row("Assert", older.check_assertion),
    Row("BroadcastGradientArgs", older.broadcast_gradient_args),
    Row("CheckNumericsV2", debugging.check_numerics),
    Row("ConcatOffset", older.concat_offset),
    Row("DebugGradientIdentity", array.identity),
    Row(
        "DebugIdentityV2",
        array.identity,
        "input tfdbg_context_id->_='' op_name->_='' output_slot->_=-1 tensor_debug_mode->_=-1 "
        "debug_urls->_=[] circular_buffer_size->_=1000 tfdbg_run_id->_=''",
    ),
    Row("Equal", older.compare, op=logic.equal, otherwise=False),
    Row("NotEqual", older.compare, op=logic.not_equal, otherwise=True),
    Row("ShapeN", shapes.shape_n),
)

# Of diagonals the second versions keep what is shorter than the longest at the left.
LINALG = (
    Row(
        "BandedTriangularSolve",
        tridiagonal.banded_triangular_solve,
        "matrix->bands rhs lower=True adjoint=False",
    ),
    Row("BatchMatMul", older.batch_matmul, "x y adj_x=False adj_y=False grad_x=False grad_y=False"),
    Row("MatrixDiag", diagonals.diag, "diagonal"),
    Row("MatrixDiagPart", diagonals.diag_part, "input"),
    Row("MatrixDiagPartV2", diagonals.matrix_diag_part, "input k padding_value", align="LEFT_LEFT"),
    Row(
        "MatrixDiagV2",
        diagonals.matrix_diag,
        "diagonal k num_rows num_cols padding_value",
        align="LEFT_LEFT",
    ),
    Row("MatrixSetDiag", diagonals.set_diag, "input diagonal"),
    Row("MatrixSetDiagV2", diagonals.matrix_set_diag, "input diagonal k", align="LEFT_LEFT"),
    Row("MatrixSolveLs", decompositions.lstsq, "matrix rhs l2_regularizer fast=True"),
    Row(
        "SparseMatMul",
        older.sparse_matmul,
        "a b transpose_a=False transpose_b=False a_is_sparse->_=False b_is_sparse->_=False",
    ),
    Row("TridiagonalMatMul", older.tridiagonal_matmul),
)

BATCH_NORM = (
    "x scale offset mean variance epsilon=0.0001 exponential_avg_factor=1 data_format='NHWC' "
    "is_training=True"
)
BATCH_NORM_GRAD = (
    "y_backprop x scale reserve_space_1 reserve_space_2 epsilon=0.0001 data_format='NHWC' "
    "is_training=True"
)
CUDNN = (
    "rnn_mode='lstm' input_mode='linear_input' direction='unidirectional' dropout=0 seed->_=0 "
    "seed2->_=0"
)
CELLS = "seq_len_max x cs_prev h_prev w wci wcf wco b"

NN = (
    Row(
        "BatchNormWithGlobalNormalization",
        normalization.batch_norm_with_global_normalization,
        "t->input m->mean v->variance beta gamma variance_epsilon scale_after_normalization",
    ),
    Row("BiasAddV1", biases.bias_add_op, "value bias"),
    Row(
        "BlockLSTM",
        recurrent.run_through,
        f"{CELLS} forget_bias=1 cell_clip=3 use_peephole=False",
        gates="icfo",
    ),
    Row(
        "BlockLSTMV2",
        recurrent.run_through,
        f"{CELLS} cell_clip=0 use_peephole=False",
        gates="ifco",
        forget_bias=0,
    ),
    *(
        Row(
            type,
            cudnn.run_through,
            f"input input_h input_c params {CUDNN} is_training=True",
            version=version,
        )
        for type, version in (("CudnnRNN", 1), ("CudnnRNNV2", 2))
    ),
    Row(
        "CudnnRNNV3",
        cudnn.run_through,
        f"input input_h input_c params sequence_lengths {CUDNN} num_proj=0 is_training=True time_major=True",
        version=3,
    ),
    Row("CTCBeamSearchDecoder", sparse.beam_search_decoder),
    Row("FusedBatchNorm", older.batch_norm_in_single, BATCH_NORM),
    Row("FusedBatchNormV2", older.batch_norm_of_five, BATCH_NORM),
    Row("FusedBatchNormGrad", older.batch_norm_grad, BATCH_NORM_GRAD),
    Row("FusedBatchNormGradV2", older.batch_norm_grad, BATCH_NORM_GRAD),
    Row(
        "MaxPoolGradV2",
        pool.max_pool2d_grad,
        "orig_input orig_output grad ksize strides padding data_format='NHWC'",
    ),
    Row("MaxPoolV2", pool.max_pool, "input ksize strides padding data_format='NHWC'"),
    Row(
        "QuantizeAndDequantize",
        older.refuse_quantize_and_dequantize,
        "input->_ signed_input->_=True num_bits->_=8 range_given->_=False input_min->_=0 "
        "input_max->_=0",
    ),
)

IMAGE = (
    Row(
        "ExtractGlimpse",
        older.extract_glimpse,
        "input size offsets centered=True normalized=True uniform_noise=True noise='uniform'",
    ),
    Row(
        "NonMaxSuppression",
        boxes.non_max_suppression_op,
        "boxes scores max_output_size iou_threshold=0.5",
        score_threshold=float("-inf"),
    ),
    Row(
        "NonMaxSuppressionV2",
        boxes.non_max_suppression_op,
        score_threshold=float("-inf"),
    ),
)

# Seeds in pairs, keys and counters as tensors
RANDOM = (
    Row("ParameterizedTruncatedNormal", random.parameterized_truncated_normal),
    *(
        Row(op.type, random.draw_floats, op=op)
        for op in (draws.standard_normal_op, draws.uniform_op, draws.truncated_normal_op)
    ),
    Row("RandomUniformInt", random.draw_integers),
    Row(
        "StatelessParameterizedTruncatedNormal",
        distributions.stateless_parameterized_truncated_normal,
        "shape seed means stddevs minvals maxvals",
    ),
    Row("StatelessRandomGammaV2", random.stateless_gamma),
    Row("StatelessRandomGetAlg", random.algorithm),
    Row("StatelessRandomGetKeyCounterAlg", random.key_counter_algorithm),
    *(
        Row(
            type,
            random.draw_from_seed,
            f"shape seed dtype={default}",
            type=type,
            op=op,
            allowed=allowed,
        )
        for type, op, default, allowed in (
            ("StatelessRandomNormal", draws.stateless_normal_op, "tf.float32", draws.FLOATS),
            ("StatelessRandomUniform", draws.stateless_uniform_op, "tf.float32", draws.FLOATS),
            (
                "StatelessRandomUniformFullInt",
                draws.stateless_full_int_op,
                "tf.uint64",
                draws.FULL_INTEGERS,
            ),
            (
                "StatelessTruncatedNormal",
                draws.stateless_truncated_normal_op,
                "tf.float32",
                draws.FLOATS,
            ),
        )
    ),
    Row("StatelessRandomUniformInt", random.draw_integers_from_seed),
)

ROWS_OF_SEGMENTS = "data indices segment_ids"

# Sparse tensors in three parts, places, values and shapes one by one; and segments of chosen rows
SPARSE = (
    Row("EditDistance", sparse.edit_distances),
    Row("SparseConcat", sparse.concat_parts),
    Row("SparseDenseCwiseAdd", sparse.with_dense, function=sparse.add_dense),
    Row("SparseDenseCwiseDiv", sparse.with_dense, function=sparse.divide_by_dense),
    Row("SparseDenseCwiseMul", sparse.with_dense, function=operator.mul),
    Row("SparseReduceMax", sparse.largest_along),
    *(
        Row(f"SparseSegment{kind}{ending}", function, f"{taken} sparse_gradient->_=False")
        for kind, function in (
            ("Mean", segment.sparse_segment_mean),
            ("SqrtN", segment.sparse_segment_sqrt_n),
            ("Sum", segment.sparse_segment_sum),
        )
        for ending, taken in (
            ("", ROWS_OF_SEGMENTS),
            ("WithNumSegments", f"{ROWS_OF_SEGMENTS} num_segments"),
        )
    ),
    Row("SparseSparseMaximum", sparse.choose, function=functions.sparse_maximum),
    Row("SparseSparseMinimum", sparse.choose, function=functions.sparse_minimum),
)

# Ops on the handle of a variable
VARIABLES = (
    Row("AssignAddVariableOp", resource.assign_add),
    Row("AssignSubVariableOp", resource.assign_sub),
    Row("AssignVariableOp", resource.assign, "resource value validate_shape->_=False"),
    Row("ReadVariableOp", resource.read, "resource dtype->_"),
    Row(
        "ResourceGather",
        resource.gather_rows,
        "resource indices dtype->_ batch_dims=0 validate_indices->_=True",
    ),
    Row("ResourceGatherNd", resource.gather_places, "resource indices dtype->_"),
    *(
        Row(
            f"ResourceScatter{kind}",
            resource.scatter,
            op=f"ResourceScatter{kind}",
            method=f"scatter_{kind.lower()}",
        )
        for kind in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
    ),
    *(
        Row(
            f"ResourceScatterNd{kind}",
            resource.scatter_nd,
            "ref indices updates use_locking->_=True bad_indices_policy->_=''",
            op=f"ResourceScatterNd{kind}",
            method=f"scatter_nd_{kind.lower()}",
        )
        for kind in ("Add", "Max", "Min", "Sub", "Update")
    ),
    Row(
        "ResourceStridedSliceAssign", resource.assign_slice, f"ref begin end strides value {MASKS}"
    ),
    Row("VarIsInitializedOp", resource.is_initialized),
    Row("VariableShape", resource.shape_of),
)

GROUPS = (HINTS, ARRAYS, PROGRAM, LINALG, NN, IMAGE, RANDOM, SPARSE, VARIABLES)
ROWS = {each.type: each for group in GROUPS for each in group}
"""Raw name -> its row."""
