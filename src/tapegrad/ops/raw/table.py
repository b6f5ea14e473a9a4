"""The raw names that are not an op under its own arguments: one row for each, as `rows` explains.

TensorFlow's older versions of an op, arguments that are only hints, ops whose public function takes other
arguments, and ops that are a function of ours. Where more is to be done than passing arguments on, a small
function in a module beside this one does it.
"""

from __future__ import annotations

import operator

from tapegrad.ops.elementwise import logic, signs
from tapegrad.ops.image import boxes
from tapegrad.ops.indexing import gather, masks, segment, sort
from tapegrad.ops.linalg import decompositions, diagonals, products, tridiagonal
from tapegrad.ops.nn import biases, conv, normalization, pool
from tapegrad.ops.program import debugging
from tapegrad.ops.random import distributions, draws
from tapegrad.ops.raw import cudnn, older, random, recurrent, resource, slices, sparse
from tapegrad.ops.raw.rows import row
from tapegrad.ops.shape import array, shapes
from tapegrad.ops.sparse import functions

MASKS = "begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0"

# Arguments that say how TensorFlow is to compute something, and make no difference to what.
HINTS = (
    row("ComplexAbs", signs.complex_abs, "x Tout->_=tf.float32"),
    row(
        "MatMul",
        products.multiply_matrices,
        "a b transpose_a=False transpose_b=False grad_a->_=False grad_b->_=False",
    ),
    *(
        row(
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
    row("BatchToSpace", older.batch_to_space, "input crops block_size"),
    row("Cast", older.cast, "x DstT Truncate=False"),
    row("Concat", array.concat_op, "concat_dim->axis values"),
    row("Gather", gather.gather_op, "params indices validate_indices->_=True", axis=0),
    row("IdentityN", array.identity_n, "input"),
    row("ParallelDynamicStitch", masks.dynamic_stitch, "indices data"),
    row("Reverse", older.reverse, "tensor dims"),
    row(
        "ScatterNdNonAliasingAdd",
        gather.tensor_scatter_nd_add,
        "input->tensor indices updates bad_indices_policy=''",
    ),
    row("SpaceToBatch", older.space_to_batch, "input paddings block_size"),
    row("StridedSlice", slices.take, f"input begin end strides {MASKS}"),
    row("StridedSliceGrad", slices.put, f"shape begin end strides dy {MASKS}"),
    row("TensorStridedSliceUpdate", slices.update, f"input begin end strides value {MASKS}"),
    row("TopK", sort.top_k, "input k sorted=True"),
)

# Shapes, and what checks or shows tensors on their way
PROGRAM = (
    row("Assert", older.check_assertion, "condition data summarize=3"),
    row("BroadcastGradientArgs", older.broadcast_gradient_args, "s0 s1"),
    row("CheckNumericsV2", debugging.check_numerics, "tensor message"),
    row("ConcatOffset", older.concat_offset, "concat_dim shape"),
    row("DebugGradientIdentity", array.identity, "input"),
    row(
        "DebugIdentityV2",
        array.identity,
        "input tfdbg_context_id->_='' op_name->_='' output_slot->_=-1 tensor_debug_mode->_=-1 "
        "debug_urls->_=[] circular_buffer_size->_=1000 tfdbg_run_id->_=''",
    ),
    row(
        "Equal", older.compare, "x y incompatible_shape_error=True", op=logic.equal, otherwise=False
    ),
    row(
        "NotEqual",
        older.compare,
        "x y incompatible_shape_error=True",
        op=logic.not_equal,
        otherwise=True,
    ),
    row("ShapeN", shapes.shape_n, "input out_type=tf.int32"),
)

# Of diagonals the second versions keep what is shorter than the longest at the left.
LINALG = (
    row(
        "BandedTriangularSolve",
        tridiagonal.banded_triangular_solve,
        "matrix->bands rhs lower=True adjoint=False",
    ),
    row("BatchMatMul", older.batch_matmul, "x y adj_x=False adj_y=False grad_x=False grad_y=False"),
    row("MatrixDiag", diagonals.diag, "diagonal"),
    row("MatrixDiagPart", diagonals.diag_part, "input"),
    row("MatrixDiagPartV2", diagonals.matrix_diag_part, "input k padding_value", align="LEFT_LEFT"),
    row(
        "MatrixDiagV2",
        diagonals.matrix_diag,
        "diagonal k num_rows num_cols padding_value",
        align="LEFT_LEFT",
    ),
    row("MatrixSetDiag", diagonals.set_diag, "input diagonal"),
    row("MatrixSetDiagV2", diagonals.matrix_set_diag, "input diagonal k", align="LEFT_LEFT"),
    row("MatrixSolveLs", decompositions.lstsq, "matrix rhs l2_regularizer fast=True"),
    row(
        "SparseMatMul",
        older.sparse_matmul,
        "a b transpose_a=False transpose_b=False a_is_sparse->_=False b_is_sparse->_=False",
    ),
    row("TridiagonalMatMul", older.tridiagonal_matmul, "superdiag maindiag subdiag rhs"),
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
    row(
        "BatchNormWithGlobalNormalization",
        normalization.batch_norm_with_global_normalization,
        "t->input m->mean v->variance beta gamma variance_epsilon scale_after_normalization",
    ),
    row("BiasAddV1", biases.bias_add_op, "value bias"),
    row(
        "BlockLSTM",
        recurrent.run_through,
        f"{CELLS} forget_bias=1 cell_clip=3 use_peephole=False",
        gates="icfo",
    ),
    row(
        "BlockLSTMV2",
        recurrent.run_through,
        f"{CELLS} cell_clip=0 use_peephole=False",
        gates="ifco",
        forget_bias=0,
    ),
    *(
        row(
            type,
            cudnn.run_through,
            f"input input_h input_c params {CUDNN} is_training=True",
            version=version,
        )
        for type, version in (("CudnnRNN", 1), ("CudnnRNNV2", 2))
    ),
    row(
        "CudnnRNNV3",
        cudnn.run_through,
        f"input input_h input_c params sequence_lengths {CUDNN} num_proj=0 is_training=True time_major=True",
        version=3,
    ),
    row(
        "CTCBeamSearchDecoder",
        sparse.beam_search_decoder,
        "inputs sequence_length beam_width top_paths merge_repeated=True",
    ),
    row("FusedBatchNorm", older.batch_norm_in_single, BATCH_NORM),
    row("FusedBatchNormV2", older.batch_norm_of_five, BATCH_NORM),
    row("FusedBatchNormGrad", older.batch_norm_grad, BATCH_NORM_GRAD),
    row("FusedBatchNormGradV2", older.batch_norm_grad, BATCH_NORM_GRAD),
    row(
        "MaxPoolGradV2",
        pool.max_pool2d_grad,
        "orig_input orig_output grad ksize strides padding data_format='NHWC'",
    ),
    row("MaxPoolV2", pool.max_pool, "input ksize strides padding data_format='NHWC'"),
    row(
        "QuantizeAndDequantize",
        older.refuse_quantize_and_dequantize,
        "input->_ signed_input->_=True num_bits->_=8 range_given->_=False input_min->_=0 "
        "input_max->_=0",
    ),
)

IMAGE = (
    row(
        "ExtractGlimpse",
        older.extract_glimpse,
        "input size offsets centered=True normalized=True uniform_noise=True noise='uniform'",
    ),
    *(
        row(
            type,
            boxes.non_max_suppression_op,
            f"boxes scores max_output_size {threshold}",
            score_threshold=float("-inf"),
        )
        for type, threshold in (
            ("NonMaxSuppression", "iou_threshold=0.5"),
            ("NonMaxSuppressionV2", "iou_threshold"),
        )
    ),
)

# Seeds in pairs, keys and counters as tensors
RANDOM = (
    row(
        "ParameterizedTruncatedNormal",
        random.parameterized_truncated_normal,
        "shape means stdevs minvals maxvals seed=0 seed2=0",
    ),
    *(
        row(op.type, random.draw_floats, "shape dtype seed=0 seed2=0", op=op)
        for op in (draws.standard_normal_op, draws.uniform_op, draws.truncated_normal_op)
    ),
    row("RandomUniformInt", random.draw_integers, "shape minval maxval seed=0 seed2=0"),
    row(
        "StatelessParameterizedTruncatedNormal",
        distributions.stateless_parameterized_truncated_normal,
        "shape seed means stddevs minvals maxvals",
    ),
    row("StatelessRandomGammaV2", random.stateless_gamma, "shape seed alpha"),
    row("StatelessRandomGetAlg", random.algorithm, ""),
    row("StatelessRandomGetKeyCounterAlg", random.key_counter_algorithm, "seed"),
    *(
        row(
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
    row("StatelessRandomUniformInt", random.draw_integers_from_seed, "shape seed minval maxval"),
)

DENSE_SECOND = "sp_indices sp_values sp_shape dense"
TWO_SPARSE = "a_indices a_values a_shape b_indices b_values b_shape"
ROWS_OF_SEGMENTS = "data indices segment_ids"

# Sparse tensors in three parts, places, values and shapes one by one; and segments of chosen rows
SPARSE = (
    row(
        "EditDistance",
        sparse.edit_distances,
        "hypothesis_indices hypothesis_values hypothesis_shape truth_indices truth_values "
        "truth_shape normalize=True",
    ),
    row("SparseConcat", sparse.concat_parts, "indices values shapes concat_dim"),
    row("SparseDenseCwiseAdd", sparse.with_dense, DENSE_SECOND, function=sparse.add_dense),
    row("SparseDenseCwiseDiv", sparse.with_dense, DENSE_SECOND, function=sparse.divide_by_dense),
    row("SparseDenseCwiseMul", sparse.with_dense, DENSE_SECOND, function=operator.mul),
    row(
        "SparseReduceMax",
        sparse.largest_along,
        "input_indices input_values input_shape reduction_axes keep_dims=False",
    ),
    *(
        row(f"SparseSegment{kind}{ending}", function, f"{taken} sparse_gradient->_=False")
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
    row("SparseSparseMaximum", sparse.choose, TWO_SPARSE, function=functions.sparse_maximum),
    row("SparseSparseMinimum", sparse.choose, TWO_SPARSE, function=functions.sparse_minimum),
)

# Ops on the handle of a variable
VARIABLES = (
    row("AssignAddVariableOp", resource.assign_add, "resource value"),
    row("AssignSubVariableOp", resource.assign_sub, "resource value"),
    row("AssignVariableOp", resource.assign, "resource value validate_shape->_=False"),
    row("ReadVariableOp", resource.read, "resource dtype->_"),
    row(
        "ResourceGather",
        resource.gather_rows,
        "resource indices dtype->_ batch_dims=0 validate_indices->_=True",
    ),
    row("ResourceGatherNd", resource.gather_places, "resource indices dtype->_"),
    *(
        row(
            f"ResourceScatter{kind}",
            resource.scatter,
            "resource indices updates",
            op=f"ResourceScatter{kind}",
            method=f"scatter_{kind.lower()}",
        )
        for kind in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
    ),
    *(
        row(
            f"ResourceScatterNd{kind}",
            resource.scatter_nd,
            "ref indices updates use_locking->_=True bad_indices_policy->_=''",
            op=f"ResourceScatterNd{kind}",
            method=f"scatter_nd_{kind.lower()}",
        )
        for kind in ("Add", "Max", "Min", "Sub", "Update")
    ),
    row(
        "ResourceStridedSliceAssign", resource.assign_slice, f"ref begin end strides value {MASKS}"
    ),
    row("VarIsInitializedOp", resource.is_initialized, "resource"),
    row("VariableShape", resource.shape_of, "input out_type=tf.int32"),
)

GROUPS = (HINTS, ARRAYS, PROGRAM, LINALG, NN, IMAGE, RANDOM, SPARSE, VARIABLES)
ROWS = {each.type: each for group in GROUPS for each in group}
"""Raw name -> its row."""
