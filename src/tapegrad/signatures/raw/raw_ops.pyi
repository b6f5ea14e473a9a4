# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.io.audio import DecodeWav as _DecodeWav
from tapegrad.ops.image.boxes import CombinedNonMaxSuppression as _CombinedNonMaxSuppression
from tapegrad.ops.indexing.approx_top_k import ApproxTopK as _ApproxTopK
from tapegrad.ops.indexing.masks import ListDiff as _ListDiff
from tapegrad.ops.indexing.masks import Unique as _Unique
from tapegrad.ops.indexing.masks import UniqueV2 as _UniqueV2
from tapegrad.ops.indexing.masks import UniqueWithCounts as _UniqueWithCounts
from tapegrad.ops.indexing.masks import UniqueWithCountsV2 as _UniqueWithCountsV2
from tapegrad.ops.indexing.sort import TopKV2 as _TopKV2
from tapegrad.ops.linalg.decompositions import Lu as _Lu
from tapegrad.ops.linalg.decompositions import Qr as _Qr
from tapegrad.ops.linalg.solvers import LogMatrixDeterminant as _LogMatrixDeterminant
from tapegrad.ops.nn.ctc import CTCLoss as _CTCLoss
from tapegrad.ops.nn.fractional_pool import FractionalAvgPool as _FractionalAvgPool
from tapegrad.ops.nn.fractional_pool import FractionalMaxPool as _FractionalMaxPool
from tapegrad.ops.nn.isotonic import IsotonicRegression as _IsotonicRegression
from tapegrad.ops.nn.pool import MaxPoolWithArgmax as _MaxPoolWithArgmax
from tapegrad.ops.quantize.fake import Gradients as Gradients
from tapegrad.ops.quantize.fake import StepGradients as StepGradients
from tapegrad.ops.quantize.quantized import QuantizeV2 as _QuantizeV2
from tapegrad.ops.random.samplers import AccidentalHits as AccidentalHits
from tapegrad.ops.random.samplers import Candidates as Candidates
from tapegrad.ops.sparse.parts import SparseAdd as _SparseAdd
from tapegrad.ops.sparse.parts import SparseAddGrad as _SparseAddGrad
from tapegrad.ops.sparse.parts import SparseFillEmptyRows as _SparseFillEmptyRows
from tapegrad.ops.sparse.parts import SparseFillEmptyRowsGrad as _SparseFillEmptyRowsGrad
from tapegrad.ops.sparse.parts import SparseReorder as _SparseReorder
from tapegrad.ops.sparse.parts import SparseReshape as _SparseReshape
from tapegrad.ops.sparse.parts import SparseSlice as _SparseSlice
from typing import Any as _Any
from typing import SupportsIndex as SupportsIndex

def Abs(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``abs``, by the name and the arguments of TensorFlow's op."""

def AccumulateNV2(
    *,
    inputs: TensorLike,
    shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``accumulate_n_op``, by the name and the arguments of TensorFlow's op."""

def Acos(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``acos``, by the name and the arguments of TensorFlow's op."""

def Acosh(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``acosh``, by the name and the arguments of TensorFlow's op."""

def Add(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``add``, by the name and the arguments of TensorFlow's op."""

def AddN(*, inputs: TensorLike, name: str | None = None) -> Tensor:
    """``add_n_op``, by the name and the arguments of TensorFlow's op."""

def AddV2(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``add``, by the name and the arguments of TensorFlow's op."""

def AdjustContrastv2(
    *,
    images: TensorLike,
    contrast_factor: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``adjust_contrast_op``, by the name and the arguments of TensorFlow's op."""

def AdjustHue(*, images: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """``adjust_hue_op``, by the name and the arguments of TensorFlow's op."""

def AdjustSaturation(*, images: TensorLike, scale: TensorLike, name: str | None = None) -> Tensor:
    """``adjust_saturation_op``, by the name and the arguments of TensorFlow's op."""

def All(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_all``, by the name and the arguments of TensorFlow's op."""

def AllCandidateSampler(
    *,
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Candidates:
    """``all_op``, by the name and the arguments of TensorFlow's op."""

def Angle(*, input: TensorLike, Tout: _Any = None, name: str | None = None) -> Tensor:
    """``angle_op``, by the name and the arguments of TensorFlow's op."""

def Any(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_any``, by the name and the arguments of TensorFlow's op."""

def ApproxTopK(
    *,
    input: TensorLike,
    k: TensorLike,
    reduction_dimension: Axis = -1,
    recall_target: TensorLike = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: TensorLike = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> _ApproxTopK:
    """``approx_top_k``, by the name and the arguments of TensorFlow's op."""

def ApproximateEqual(
    *,
    x: TensorLike,
    y: TensorLike,
    tolerance: TensorLike = 1e-05,
    name: str | None = None,
) -> Tensor:
    """``approximate_equal``, by the name and the arguments of TensorFlow's op."""

def ArgMax(
    *,
    input: TensorLike,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``argmax``, by the name and the arguments of TensorFlow's op."""

def ArgMin(
    *,
    input: TensorLike,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``argmin``, by the name and the arguments of TensorFlow's op."""

def AsString(
    *,
    input: TensorLike,
    precision: TensorLike = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: TensorLike = -1,
    fill: str = '',
    name: str | None = None,
) -> Tensor:
    """``as_string``, by the name and the arguments of TensorFlow's op."""

def Asin(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``asin``, by the name and the arguments of TensorFlow's op."""

def Asinh(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``asinh``, by the name and the arguments of TensorFlow's op."""

def Assert(
    *,
    condition: TensorLike,
    data: _Any,
    summarize: TensorLike = 3,
    name: str | None = None,
) -> _Any: ...

def AssignAddVariableOp(
    *,
    resource: TensorLike,
    value: TensorLike,
    name: str | None = None,
) -> None: ...

def AssignSubVariableOp(
    *,
    resource: TensorLike,
    value: TensorLike,
    name: str | None = None,
) -> None: ...

def AssignVariableOp(
    *,
    resource: TensorLike,
    value: TensorLike,
    validate_shape: bool = False,
    name: str | None = None,
) -> None: ...

def Atan(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``atan``, by the name and the arguments of TensorFlow's op."""

def Atan2(*, y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``atan2``, by the name and the arguments of TensorFlow's op."""

def Atanh(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``atanh``, by the name and the arguments of TensorFlow's op."""

def AvgPool(
    *,
    value: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``average_pool``, by the name and the arguments of TensorFlow's op."""

def AvgPool3D(
    *,
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """``average_pool``, by the name and the arguments of TensorFlow's op."""

def AvgPool3DGrad(
    *,
    orig_input_shape: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """``average_pool_grad``, by the name and the arguments of TensorFlow's op."""

def AvgPoolGrad(
    *,
    orig_input_shape: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``average_pool_grad``, by the name and the arguments of TensorFlow's op."""

def BandedTriangularSolve(
    *,
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> _Any:
    """``banded_triangular_solve``, by the name and the arguments of TensorFlow's op."""

def BatchMatMul(
    *,
    x: TensorLike,
    y: TensorLike,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
    name: str | None = None,
) -> _Any: ...

def BatchMatMulV2(
    *,
    x: TensorLike,
    y: TensorLike,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
    name: str | None = None,
) -> Tensor:
    """``multiply_batches``, by the name and the arguments of TensorFlow's op."""

def BatchMatMulV3(
    *,
    x: TensorLike,
    y: TensorLike,
    Tout: _Any,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
    name: str | None = None,
) -> Tensor:
    """``multiply_batches_as``, by the name and the arguments of TensorFlow's op."""

def BatchNormWithGlobalNormalization(
    *,
    t: TensorLike,
    m: TensorLike,
    v: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: TensorLike,
    scale_after_normalization: TensorLike,
    name: str | None = None,
) -> _Any:
    """``batch_norm_with_global_normalization``, by the name and the arguments of TensorFlow's op."""

def BatchToSpace(
    *,
    input: TensorLike,
    crops: TensorLike,
    block_size: TensorLike,
    name: str | None = None,
) -> _Any: ...

def BatchToSpaceND(
    *,
    input: TensorLike,
    block_shape: TensorLike,
    crops: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``batch_to_space_nd``, by the name and the arguments of TensorFlow's op."""

def BesselI0(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_i0``, by the name and the arguments of TensorFlow's op."""

def BesselI0e(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_i0e``, by the name and the arguments of TensorFlow's op."""

def BesselI1(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_i1``, by the name and the arguments of TensorFlow's op."""

def BesselI1e(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_i1e``, by the name and the arguments of TensorFlow's op."""

def BesselJ0(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_j0``, by the name and the arguments of TensorFlow's op."""

def BesselJ1(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_j1``, by the name and the arguments of TensorFlow's op."""

def BesselK0(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_k0``, by the name and the arguments of TensorFlow's op."""

def BesselK0e(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_k0e``, by the name and the arguments of TensorFlow's op."""

def BesselK1(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_k1``, by the name and the arguments of TensorFlow's op."""

def BesselK1e(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_k1e``, by the name and the arguments of TensorFlow's op."""

def BesselY0(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_y0``, by the name and the arguments of TensorFlow's op."""

def BesselY1(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_y1``, by the name and the arguments of TensorFlow's op."""

def Betainc(*, a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``betainc``, by the name and the arguments of TensorFlow's op."""

def BiasAdd(
    *,
    value: TensorLike,
    bias: TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``bias_add_op``, by the name and the arguments of TensorFlow's op."""

def BiasAddGrad(
    *,
    out_backprop: TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``bias_add_grad``, by the name and the arguments of TensorFlow's op."""

def BiasAddV1(*, value: TensorLike, bias: TensorLike, name: str | None = None) -> Tensor:
    """``bias_add_op``, by the name and the arguments of TensorFlow's op."""

def Bitcast(*, input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """``bitcast``, by the name and the arguments of TensorFlow's op."""

def BitwiseAnd(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``bitwise_and``, by the name and the arguments of TensorFlow's op."""

def BitwiseOr(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``bitwise_or``, by the name and the arguments of TensorFlow's op."""

def BitwiseXor(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``bitwise_xor``, by the name and the arguments of TensorFlow's op."""

def BlockLSTM(
    *,
    seq_len_max: TensorLike,
    x: TensorLike,
    cs_prev: TensorLike,
    h_prev: TensorLike,
    w: TensorLike,
    wci: TensorLike,
    wcf: TensorLike,
    wco: TensorLike,
    b: TensorLike,
    forget_bias: TensorLike = 1,
    cell_clip: TensorLike = 3,
    use_peephole: bool = False,
    name: str | None = None,
) -> _Any:
    """What a long short-term memory makes of a sequence: i, cs, f, o, ci, co and h of each step."""

def BlockLSTMV2(
    *,
    seq_len_max: TensorLike,
    x: TensorLike,
    cs_prev: TensorLike,
    h_prev: TensorLike,
    w: TensorLike,
    wci: TensorLike,
    wcf: TensorLike,
    wco: TensorLike,
    b: TensorLike,
    cell_clip: TensorLike = 0,
    use_peephole: bool = False,
    name: str | None = None,
) -> _Any:
    """What a long short-term memory makes of a sequence: i, cs, f, o, ci, co and h of each step."""

def BroadcastArgs(*, s0: TensorLike, s1: TensorLike, name: str | None = None) -> Tensor:
    """``broadcast_dynamic_shape``, by the name and the arguments of TensorFlow's op."""

def BroadcastGradientArgs(*, s0: TensorLike, s1: TensorLike, name: str | None = None) -> _Any:
    """The axes over which the gradients of two inputs of these shapes are summed, one by one."""

def BroadcastTo(*, input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """``broadcast_to``, by the name and the arguments of TensorFlow's op."""

def Bucketize(*, input: TensorLike, boundaries: TensorLike, name: str | None = None) -> Tensor:
    """``bucketize``, by the name and the arguments of TensorFlow's op."""

def CTCBeamSearchDecoder(
    *,
    inputs: _Any,
    sequence_length: TensorLike,
    beam_width: TensorLike,
    top_paths: TensorLike,
    merge_repeated: bool = True,
    name: str | None = None,
) -> _Any: ...

def CTCGreedyDecoder(
    *,
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = False,
    blank_index: TensorLike = -1,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """``greedy_decoder_op``, by the name and the arguments of TensorFlow's op."""

def CTCLoss(
    *,
    inputs: TensorLike,
    labels_indices: TensorLike,
    labels_values: TensorLike,
    sequence_length: TensorLike,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    name: str | None = None,
) -> _CTCLoss:
    """``sparse_ctc_loss``, by the name and the arguments of TensorFlow's op."""

def Cast(
    *,
    x: TensorLike,
    DstT: TensorLike,
    Truncate: bool = False,
    name: str | None = None,
) -> Tensor: ...

def Ceil(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``ceil``, by the name and the arguments of TensorFlow's op."""

def CheckNumerics(*, tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """``check_numerics``, by the name and the arguments of TensorFlow's op."""

def CheckNumericsV2(*, tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """``check_numerics``, by the name and the arguments of TensorFlow's op."""

def Cholesky(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``cholesky``, by the name and the arguments of TensorFlow's op."""

def ClipByValue(
    *,
    t: TensorLike,
    clip_value_min: TensorLike,
    clip_value_max: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``clip_by_value``, by the name and the arguments of TensorFlow's op."""

def CombinedNonMaxSuppression(
    *,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = ...,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> _CombinedNonMaxSuppression:
    """``combined_non_max_suppression``, by the name and the arguments of TensorFlow's op."""

def Complex(
    *,
    real: TensorLike,
    imag: TensorLike,
    Tout: _Any = None,
    name: str | None = None,
) -> Tensor:
    """``complex_op``, by the name and the arguments of TensorFlow's op."""

def ComplexAbs(*, x: TensorLike, Tout: _Any = dtypes.float32, name: str | None = None) -> Tensor:
    """``complex_abs``, by the name and the arguments of TensorFlow's op."""

def ComputeAccidentalHits(
    *,
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> AccidentalHits:
    """``accidental_hits_op``, by the name and the arguments of TensorFlow's op."""

def Concat(*, concat_dim: TensorLike, values: TensorLike, name: str | None = None) -> Tensor:
    """``concat_op``, by the name and the arguments of TensorFlow's op."""

def ConcatOffset(*, concat_dim: TensorLike, shape: ShapeLike, name: str | None = None) -> _Any:
    """Where each of the parts of these shapes begins in what they are joined to."""

def ConcatV2(*, values: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``concat_op``, by the name and the arguments of TensorFlow's op."""

def Conj(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``conj``, by the name and the arguments of TensorFlow's op."""

def ConjugateTranspose(
    *,
    x: TensorLike,
    perm: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``conjugate_transpose_op``, by the name and the arguments of TensorFlow's op."""

def Conv2D(
    *,
    input: TensorLike,
    filter: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``convolve``, by the name and the arguments of TensorFlow's op."""

def Conv2DBackpropFilter(
    *,
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``backprop_filter``, by the name and the arguments of TensorFlow's op."""

def Conv2DBackpropInput(
    *,
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``backprop_input``, by the name and the arguments of TensorFlow's op."""

def Conv3D(
    *,
    input: TensorLike,
    filter: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``convolve``, by the name and the arguments of TensorFlow's op."""

def Conv3DBackpropFilterV2(
    *,
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``backprop_filter``, by the name and the arguments of TensorFlow's op."""

def Conv3DBackpropInputV2(
    *,
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``backprop_input``, by the name and the arguments of TensorFlow's op."""

def Cos(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``cos``, by the name and the arguments of TensorFlow's op."""

def Cosh(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``cosh``, by the name and the arguments of TensorFlow's op."""

def CropAndResize(
    *,
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    crop_size: TensorLike,
    method: str = 'bilinear',
    extrapolation_value: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """``crop_and_resize_op``, by the name and the arguments of TensorFlow's op."""

def CropAndResizeGradBoxes(
    *,
    grads: TensorLike,
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    method: str = 'bilinear',
    name: str | None = None,
) -> Tensor:
    """``crop_and_resize_by_boxes``, by the name and the arguments of TensorFlow's op."""

def CropAndResizeGradImage(
    *,
    grads: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    image_size: TensorLike,
    T: TensorLike,
    method: str = 'bilinear',
    name: str | None = None,
) -> Tensor:
    """``crop_and_resize_by_image``, by the name and the arguments of TensorFlow's op."""

def Cross(*, a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """``cross``, by the name and the arguments of TensorFlow's op."""

def CudnnRNN(
    *,
    input: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: TensorLike,
    rnn_mode: str = 'lstm',
    input_mode: str = 'linear_input',
    direction: str = 'unidirectional',
    dropout: TensorLike = 0,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    is_training: bool = True,
    name: str | None = None,
) -> _Any:
    """The outputs of the last layer, the last states of all layers, and what a GPU would keep: nothing."""

def CudnnRNNV2(
    *,
    input: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: TensorLike,
    rnn_mode: str = 'lstm',
    input_mode: str = 'linear_input',
    direction: str = 'unidirectional',
    dropout: TensorLike = 0,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    is_training: bool = True,
    name: str | None = None,
) -> _Any:
    """The outputs of the last layer, the last states of all layers, and what a GPU would keep: nothing."""

def CudnnRNNV3(
    *,
    input: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: TensorLike,
    sequence_lengths: TensorLike,
    rnn_mode: str = 'lstm',
    input_mode: str = 'linear_input',
    direction: str = 'unidirectional',
    dropout: TensorLike = 0,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    num_proj: TensorLike = 0,
    is_training: bool = True,
    time_major: bool = True,
    name: str | None = None,
) -> _Any:
    """The outputs of the last layer, the last states of all layers, and what a GPU would keep: nothing."""

def Cumprod(
    *,
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """``cumprod``, by the name and the arguments of TensorFlow's op."""

def Cumsum(
    *,
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """``cumsum``, by the name and the arguments of TensorFlow's op."""

def CumulativeLogsumexp(
    *,
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """``cumulative_logsumexp``, by the name and the arguments of TensorFlow's op."""

def Dawsn(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``dawsn``, by the name and the arguments of TensorFlow's op."""

def DebugGradientIdentity(*, input: TensorLike, name: str | None = None) -> _Any:
    """``identity``, by the name and the arguments of TensorFlow's op."""

def DebugIdentityV2(
    *,
    input: TensorLike,
    tfdbg_context_id: str = '',
    op_name: str = '',
    output_slot: TensorLike = -1,
    tensor_debug_mode: TensorLike = -1,
    debug_urls: TensorLike = ...,
    circular_buffer_size: TensorLike = 1000,
    tfdbg_run_id: str = '',
    name: str | None = None,
) -> _Any:
    """``identity``, by the name and the arguments of TensorFlow's op."""

def DecodeAndCropJpeg(
    *,
    contents: TensorLike,
    crop_window: TensorLike,
    channels: TensorLike = 0,
    ratio: TensorLike = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: TensorLike = 1,
    dct_method: str = '',
    name: str | None = None,
) -> Tensor:
    """``decode_and_crop_jpeg``, by the name and the arguments of TensorFlow's op."""

def DecodeBase64(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``decode_base64``, by the name and the arguments of TensorFlow's op."""

def DecodeBmp(*, contents: TensorLike, channels: TensorLike = 0, name: str | None = None) -> Tensor:
    """``decode_bmp``, by the name and the arguments of TensorFlow's op."""

def DecodeCompressed(
    *,
    bytes: TensorLike,
    compression_type: str = '',
    name: str | None = None,
) -> Tensor:
    """``decode_compressed``, by the name and the arguments of TensorFlow's op."""

def DecodeGif(*, contents: TensorLike, name: str | None = None) -> Tensor:
    """``decode_gif``, by the name and the arguments of TensorFlow's op."""

def DecodeImage(
    *,
    contents: TensorLike,
    channels: TensorLike = 0,
    dtype: DTypeLike = dtypes.uint8,
    expand_animations: bool = True,
    name: str | None = None,
) -> Tensor:
    """``_decode_image``, by the name and the arguments of TensorFlow's op."""

def DecodeJSONExample(*, json_examples: TensorLike, name: str | None = None) -> Tensor:
    """``decode_json_example``, by the name and the arguments of TensorFlow's op."""

def DecodeJpeg(
    *,
    contents: TensorLike,
    channels: TensorLike = 0,
    ratio: TensorLike = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: TensorLike = 1,
    dct_method: str = '',
    name: str | None = None,
) -> Tensor:
    """``decode_jpeg``, by the name and the arguments of TensorFlow's op."""

def DecodePaddedRaw(
    *,
    input_bytes: TensorLike,
    fixed_length: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    name: str | None = None,
) -> Tensor:
    """``_decode_padded_raw``, by the name and the arguments of TensorFlow's op."""

def DecodePng(
    *,
    contents: TensorLike,
    channels: TensorLike = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """``decode_png``, by the name and the arguments of TensorFlow's op."""

def DecodeRaw(
    *,
    bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    name: str | None = None,
) -> Tensor:
    """``_decode_raw``, by the name and the arguments of TensorFlow's op."""

def DecodeWav(
    *,
    contents: TensorLike,
    desired_channels: TensorLike = -1,
    desired_samples: TensorLike = -1,
    name: str | None = None,
) -> _DecodeWav:
    """``decode_wav``, by the name and the arguments of TensorFlow's op."""

def DecodeWebP(
    *,
    contents: TensorLike,
    channels: TensorLike = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """``decode_webp``, by the name and the arguments of TensorFlow's op."""

def DenseBincount(
    *,
    input: TensorLike,
    size: TensorLike,
    weights: TensorLike,
    binary_output: bool = False,
    name: str | None = None,
) -> Tensor:
    """``dense_bincount``, by the name and the arguments of TensorFlow's op."""

def DenseToDenseSetOperation(
    *,
    set1: TensorLike,
    set2: TensorLike,
    set_operation: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``dense_with_dense``, by the name and the arguments of TensorFlow's op."""

def DenseToSparseSetOperation(
    *,
    set1: TensorLike,
    set2_indices: TensorLike,
    set2_values: TensorLike,
    set2_shape: TensorLike,
    set_operation: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``dense_with_sparse``, by the name and the arguments of TensorFlow's op."""

def DepthToSpace(
    *,
    input: TensorLike,
    block_size: TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``depth_to_space``, by the name and the arguments of TensorFlow's op."""

def DepthwiseConv2dNative(
    *,
    input: TensorLike,
    filter: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``convolve``, by the name and the arguments of TensorFlow's op."""

def DepthwiseConv2dNativeBackpropFilter(
    *,
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``backprop_filter``, by the name and the arguments of TensorFlow's op."""

def DepthwiseConv2dNativeBackpropInput(
    *,
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``backprop_input``, by the name and the arguments of TensorFlow's op."""

def Dequantize(
    *,
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = 'MIN_COMBINED',
    narrow_range: bool = False,
    axis: Axis | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``dequantize_op``, by the name and the arguments of TensorFlow's op."""

def Diag(*, diagonal: TensorLike, name: str | None = None) -> Tensor:
    """``tensor_diag``, by the name and the arguments of TensorFlow's op."""

def DiagPart(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``tensor_diag_part``, by the name and the arguments of TensorFlow's op."""

def Digamma(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``digamma``, by the name and the arguments of TensorFlow's op."""

def Dilation2D(
    *,
    input: TensorLike,
    filter: TensorLike,
    strides: TensorLike,
    rates: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """``dilation2d_op``, by the name and the arguments of TensorFlow's op."""

def Dilation2DBackpropFilter(
    *,
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    rates: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """``dilation2d_by_filters``, by the name and the arguments of TensorFlow's op."""

def Dilation2DBackpropInput(
    *,
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    rates: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """``dilation2d_by_input``, by the name and the arguments of TensorFlow's op."""

def Div(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``divide``, by the name and the arguments of TensorFlow's op."""

def DivNoNan(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``divide_no_nan``, by the name and the arguments of TensorFlow's op."""

def DrawBoundingBoxes(*, images: TensorLike, boxes: TensorLike, name: str | None = None) -> Tensor:
    """``draw_bounding_boxes_in_our_colors``, by the name and the arguments of TensorFlow's op."""

def DrawBoundingBoxesV2(
    *,
    images: TensorLike,
    boxes: TensorLike,
    colors: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``draw_bounding_boxes_op``, by the name and the arguments of TensorFlow's op."""

def DynamicPartition(
    *,
    data: TensorLike,
    partitions: TensorLike,
    num_partitions: TensorLike,
    name: str | None = None,
) -> list[Tensor]:
    """``dynamic_partition``, by the name and the arguments of TensorFlow's op."""

def DynamicStitch(*, indices: TensorLike, data: TensorLike, name: str | None = None) -> Tensor:
    """``dynamic_stitch_op``, by the name and the arguments of TensorFlow's op."""

def EagerPyFunc(
    *,
    input: TensorLike,
    token: TensorLike,
    Tout: _Any,
    is_async: bool = False,
    name: str | None = None,
) -> list[Tensor]:
    """``call_op``, by the name and the arguments of TensorFlow's op."""

def EditDistance(
    *,
    hypothesis_indices: TensorLike,
    hypothesis_values: TensorLike,
    hypothesis_shape: TensorLike,
    truth_indices: TensorLike,
    truth_values: TensorLike,
    truth_shape: TensorLike,
    normalize: bool = True,
    name: str | None = None,
) -> Tensor: ...

def Eig(
    *,
    input: TensorLike,
    Tout: _Any = None,
    compute_v: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``eig_op``, by the name and the arguments of TensorFlow's op."""

def Einsum(*, inputs: TensorLike, equation: TensorLike, name: str | None = None) -> Tensor:
    """``einsum_op``, by the name and the arguments of TensorFlow's op."""

def Elu(*, features: TensorLike, name: str | None = None) -> Tensor:
    """``elu``, by the name and the arguments of TensorFlow's op."""

def EluGrad(*, gradients: TensorLike, outputs: TensorLike, name: str | None = None) -> Tensor:
    """``EluGrad``, by the name and the arguments of TensorFlow's op."""

def EncodeBase64(*, input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """``encode_base64``, by the name and the arguments of TensorFlow's op."""

def EncodeJpeg(
    *,
    image: TensorLike,
    format: str = '',
    quality: TensorLike = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = 'in',
    x_density: TensorLike = 300,
    y_density: TensorLike = 300,
    xmp_metadata: str = '',
    name: str | None = None,
) -> Tensor:
    """``_encode_jpeg``, by the name and the arguments of TensorFlow's op."""

def EncodePng(
    *,
    image: TensorLike,
    compression: TensorLike = -1,
    name: str | None = None,
) -> Tensor:
    """``encode_png``, by the name and the arguments of TensorFlow's op."""

def EncodeWav(*, audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """``encode_wav``, by the name and the arguments of TensorFlow's op."""

def EnsureShape(*, input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """``ensure_shape``, by the name and the arguments of TensorFlow's op."""

def Equal(
    *,
    x: TensorLike,
    y: TensorLike,
    incompatible_shape_error: bool = True,
    name: str | None = None,
) -> Tensor:
    """A comparison that need not raise where shapes do not broadcast."""

def Erf(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``erf``, by the name and the arguments of TensorFlow's op."""

def Erfc(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``erfc``, by the name and the arguments of TensorFlow's op."""

def Erfinv(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``erfinv``, by the name and the arguments of TensorFlow's op."""

def EuclideanNorm(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_euclidean_norm``, by the name and the arguments of TensorFlow's op."""

def Exp(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``exp``, by the name and the arguments of TensorFlow's op."""

def ExpandDims(*, input: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``expand_dims``, by the name and the arguments of TensorFlow's op."""

def Expint(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``expint``, by the name and the arguments of TensorFlow's op."""

def Expm1(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``expm1``, by the name and the arguments of TensorFlow's op."""

def ExtractGlimpse(
    *,
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = 'uniform',
    name: str | None = None,
) -> _Any: ...

def ExtractGlimpseV2(
    *,
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = 'uniform',
    name: str | None = None,
) -> Tensor:
    """``extract_glimpse_op``, by the name and the arguments of TensorFlow's op."""

def ExtractImagePatches(
    *,
    images: TensorLike,
    ksizes: TensorLike,
    strides: TensorLike,
    rates: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """``extract_patches``, by the name and the arguments of TensorFlow's op."""

def ExtractJpegShape(
    *,
    contents: TensorLike,
    output_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """``extract_jpeg_shape``, by the name and the arguments of TensorFlow's op."""

def ExtractVolumePatches(
    *,
    input: TensorLike,
    ksizes: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """``extract_volume_patches``, by the name and the arguments of TensorFlow's op."""

def FFT(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``fft_op``, by the name and the arguments of TensorFlow's op."""

def FFT2D(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``fft2d_op``, by the name and the arguments of TensorFlow's op."""

def FFT3D(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``fft3d_op``, by the name and the arguments of TensorFlow's op."""

def FFTND(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    name: str | None = None,
) -> Tensor:
    """``fftnd_op``, by the name and the arguments of TensorFlow's op."""

def FakeQuantWithMinMaxArgs(
    *,
    inputs: TensorLike,
    min: TensorLike = -6,
    max: TensorLike = 6,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fake_quant_with_min_max_args``, by the name and the arguments of TensorFlow's op."""

def FakeQuantWithMinMaxArgsGradient(
    *,
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike = -6,
    max: TensorLike = 6,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fake_quant_with_min_max_args_gradient``, by the name and the arguments of TensorFlow's op."""

def FakeQuantWithMinMaxVars(
    *,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fake_quant_with_min_max_vars``, by the name and the arguments of TensorFlow's op."""

def FakeQuantWithMinMaxVarsGradient(
    *,
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Gradients:
    """``fake_quant_with_min_max_vars_gradient``, by the name and the arguments of TensorFlow's op."""

def FakeQuantWithMinMaxVarsPerChannel(
    *,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fake_quant_with_min_max_vars_per_channel``, by the name and the arguments of TensorFlow's op."""

def FakeQuantWithMinMaxVarsPerChannelGradient(
    *,
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Gradients:
    """``fake_quant_with_min_max_vars_per_channel_gradient``, by the name and the arguments of TensorFlow's op."""

def Fill(*, dims: TensorLike, value: TensorLike, name: str | None = None) -> Tensor:
    """``fill_op``, by the name and the arguments of TensorFlow's op."""

def Fingerprint(*, data: TensorLike, method: str = 'farmhash64', name: str | None = None) -> Tensor:
    """``fingerprint``, by the name and the arguments of TensorFlow's op."""

def FixedUnigramCandidateSampler(
    *,
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    vocab_file: str = '',
    distortion: TensorLike = 1.0,
    num_reserved_ids: TensorLike = 0,
    num_shards: TensorLike = 1,
    shard: TensorLike = 0,
    unigrams: TensorLike = ...,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Candidates:
    """``fixed_unigram_op``, by the name and the arguments of TensorFlow's op."""

def Floor(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``floor``, by the name and the arguments of TensorFlow's op."""

def FloorDiv(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``floordiv``, by the name and the arguments of TensorFlow's op."""

def FloorMod(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``floormod``, by the name and the arguments of TensorFlow's op."""

def FractionalAvgPool(
    *,
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> _FractionalAvgPool:
    """``fractional_avg_pool_op``, by the name and the arguments of TensorFlow's op."""

def FractionalAvgPoolGrad(
    *,
    orig_input_tensor_shape: TensorLike,
    out_backprop: TensorLike,
    row_pooling_sequence: TensorLike,
    col_pooling_sequence: TensorLike,
    overlapping: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fractional_avg_pool_grad``, by the name and the arguments of TensorFlow's op."""

def FractionalMaxPool(
    *,
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> _FractionalMaxPool:
    """``fractional_max_pool_op``, by the name and the arguments of TensorFlow's op."""

def FractionalMaxPoolGrad(
    *,
    orig_input: TensorLike,
    orig_output: TensorLike,
    out_backprop: TensorLike,
    row_pooling_sequence: TensorLike,
    col_pooling_sequence: TensorLike,
    overlapping: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fractional_max_pool_grad``, by the name and the arguments of TensorFlow's op."""

def FresnelCos(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``fresnel_cos``, by the name and the arguments of TensorFlow's op."""

def FresnelSin(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``fresnel_sin``, by the name and the arguments of TensorFlow's op."""

def FusedBatchNorm(
    *,
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    epsilon: TensorLike = 0.0001,
    exponential_avg_factor: TensorLike = 1,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
) -> _Any:
    """The first version takes single precision alone."""

def FusedBatchNormGrad(
    *,
    y_backprop: TensorLike,
    x: TensorLike,
    scale: TensorLike,
    reserve_space_1: TensorLike,
    reserve_space_2: TensorLike,
    epsilon: TensorLike = 0.0001,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
) -> _Any: ...

def FusedBatchNormGradV2(
    *,
    y_backprop: TensorLike,
    x: TensorLike,
    scale: TensorLike,
    reserve_space_1: TensorLike,
    reserve_space_2: TensorLike,
    epsilon: TensorLike = 0.0001,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
) -> _Any: ...

def FusedBatchNormGradV3(
    *,
    y_backprop: TensorLike,
    x: TensorLike,
    scale: TensorLike,
    reserve_space_1: TensorLike,
    reserve_space_2: TensorLike,
    reserve_space_3: TensorLike,
    epsilon: TensorLike = 0.0001,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """``fused_batch_norm_grad_v3``, by the name and the arguments of TensorFlow's op."""

def FusedBatchNormV2(
    *,
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    epsilon: TensorLike = 0.0001,
    exponential_avg_factor: TensorLike = 1,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
) -> _Any:
    """Batch normalisation without the third reserved space."""

def FusedBatchNormV3(
    *,
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    epsilon: TensorLike = 0.0001,
    exponential_avg_factor: TensorLike = 1,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """``fused_batch_norm_v3``, by the name and the arguments of TensorFlow's op."""

def Gather(
    *,
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """``gather_op``, by the name and the arguments of TensorFlow's op."""

def GatherNd(
    *,
    params: TensorLike,
    indices: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``gather_nd_op``, by the name and the arguments of TensorFlow's op."""

def GatherV2(
    *,
    params: TensorLike,
    indices: TensorLike,
    axis: Axis,
    batch_dims: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """``gather_op``, by the name and the arguments of TensorFlow's op."""

def Greater(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``greater``, by the name and the arguments of TensorFlow's op."""

def GreaterEqual(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``greater_equal``, by the name and the arguments of TensorFlow's op."""

def HSVToRGB(*, images: TensorLike, name: str | None = None) -> Tensor:
    """``hsv_to_rgb_op``, by the name and the arguments of TensorFlow's op."""

def HistogramFixedWidth(
    *,
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """``histogram_fixed_width``, by the name and the arguments of TensorFlow's op."""

def IFFT(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``ifft_op``, by the name and the arguments of TensorFlow's op."""

def IFFT2D(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``ifft2d_op``, by the name and the arguments of TensorFlow's op."""

def IFFT3D(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``ifft3d_op``, by the name and the arguments of TensorFlow's op."""

def IFFTND(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    name: str | None = None,
) -> Tensor:
    """``ifftnd_op``, by the name and the arguments of TensorFlow's op."""

def IRFFT(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    Treal: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``irfft_op``, by the name and the arguments of TensorFlow's op."""

def IRFFT2D(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    Treal: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``irfft2d_op``, by the name and the arguments of TensorFlow's op."""

def IRFFT3D(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    Treal: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``irfft3d_op``, by the name and the arguments of TensorFlow's op."""

def IRFFTND(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    Treal: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``irfftnd_op``, by the name and the arguments of TensorFlow's op."""

def Identity(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``identity_op``, by the name and the arguments of TensorFlow's op."""

def IdentityN(*, input: TensorLike, name: str | None = None) -> _Any:
    """``identity_n``, by the name and the arguments of TensorFlow's op."""

def Igamma(*, a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``igamma``, by the name and the arguments of TensorFlow's op."""

def IgammaGradA(*, a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``igamma_grad_a``, by the name and the arguments of TensorFlow's op."""

def Igammac(*, a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``igammac``, by the name and the arguments of TensorFlow's op."""

def Imag(*, input: TensorLike, Tout: _Any = None, name: str | None = None) -> Tensor:
    """``imag_op``, by the name and the arguments of TensorFlow's op."""

def ImageProjectiveTransformV2(
    *,
    images: TensorLike,
    transforms: TensorLike,
    output_shape: ShapeLike,
    interpolation: TensorLike,
    fill_mode: str = 'CONSTANT',
    name: str | None = None,
) -> Tensor:
    """``project_on_black_op``, by the name and the arguments of TensorFlow's op."""

def ImageProjectiveTransformV3(
    *,
    images: TensorLike,
    transforms: TensorLike,
    output_shape: ShapeLike,
    fill_value: TensorLike,
    interpolation: TensorLike,
    fill_mode: str = 'CONSTANT',
    name: str | None = None,
) -> Tensor:
    """``project_op``, by the name and the arguments of TensorFlow's op."""

def InTopKV2(
    *,
    predictions: TensorLike,
    targets: TensorLike,
    k: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``in_top_k_op``, by the name and the arguments of TensorFlow's op."""

def Inv(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``inverse``, by the name and the arguments of TensorFlow's op."""

def InvGrad(*, y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor:
    """``inverse_grad``, by the name and the arguments of TensorFlow's op."""

def Invert(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``invert``, by the name and the arguments of TensorFlow's op."""

def InvertPermutation(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``invert_permutation``, by the name and the arguments of TensorFlow's op."""

def IsFinite(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``is_finite``, by the name and the arguments of TensorFlow's op."""

def IsInf(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``is_inf``, by the name and the arguments of TensorFlow's op."""

def IsNan(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``is_nan``, by the name and the arguments of TensorFlow's op."""

def IsotonicRegression(
    *,
    input: TensorLike,
    output_dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> _IsotonicRegression:
    """``isotonic_regression_op``, by the name and the arguments of TensorFlow's op."""

def L2Loss(*, t: TensorLike, name: str | None = None) -> Tensor:
    """``l2_loss``, by the name and the arguments of TensorFlow's op."""

def LRN(
    *,
    input: TensorLike,
    depth_radius: TensorLike = 5,
    bias: TensorLike = 1,
    alpha: TensorLike = 1,
    beta: TensorLike = 0.5,
    name: str | None = None,
) -> Tensor:
    """``local_response_normalization``, by the name and the arguments of TensorFlow's op."""

def LRNGrad(
    *,
    input_grads: TensorLike,
    input_image: TensorLike,
    output_image: TensorLike,
    depth_radius: TensorLike = 5,
    bias: TensorLike = 1,
    alpha: TensorLike = 1,
    beta: TensorLike = 0.5,
    name: str | None = None,
) -> Tensor:
    """``lrn_grad``, by the name and the arguments of TensorFlow's op."""

def LeakyRelu(*, features: TensorLike, alpha: TensorLike = 0.2, name: str | None = None) -> Tensor:
    """``leaky_relu_op``, by the name and the arguments of TensorFlow's op."""

def LeakyReluGrad(
    *,
    gradients: TensorLike,
    features: TensorLike,
    alpha: TensorLike = 0.2,
    name: str | None = None,
) -> Tensor:
    """``leaky_relu_grad``, by the name and the arguments of TensorFlow's op."""

def LearnedUnigramCandidateSampler(
    *,
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Candidates:
    """``learned_unigram_op``, by the name and the arguments of TensorFlow's op."""

def LeftShift(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``left_shift``, by the name and the arguments of TensorFlow's op."""

def Less(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``less``, by the name and the arguments of TensorFlow's op."""

def LessEqual(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``less_equal``, by the name and the arguments of TensorFlow's op."""

def Lgamma(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``lgamma``, by the name and the arguments of TensorFlow's op."""

def LinSpace(
    *,
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``linspace_op``, by the name and the arguments of TensorFlow's op."""

def ListDiff(
    *,
    x: TensorLike,
    y: TensorLike,
    out_idx: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _ListDiff:
    """``list_diff``, by the name and the arguments of TensorFlow's op."""

def Log(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``log``, by the name and the arguments of TensorFlow's op."""

def Log1p(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``log1p``, by the name and the arguments of TensorFlow's op."""

def LogMatrixDeterminant(*, input: TensorLike, name: str | None = None) -> _LogMatrixDeterminant:
    """``slogdet``, by the name and the arguments of TensorFlow's op."""

def LogSoftmax(*, logits: TensorLike, name: str | None = None) -> Tensor:
    """``log_softmax_op``, by the name and the arguments of TensorFlow's op."""

def LogUniformCandidateSampler(
    *,
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Candidates:
    """``log_uniform_op``, by the name and the arguments of TensorFlow's op."""

def LogicalAnd(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``logical_and``, by the name and the arguments of TensorFlow's op."""

def LogicalNot(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``logical_not``, by the name and the arguments of TensorFlow's op."""

def LogicalOr(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``logical_or``, by the name and the arguments of TensorFlow's op."""

def LookupTableExportV2(
    *,
    table_handle: TensorLike,
    Tkeys: TensorLike,
    Tvalues: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``export``, by the name and the arguments of TensorFlow's op."""

def LookupTableFindV2(
    *,
    table_handle: TensorLike,
    keys: TensorLike,
    default_value: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``find``, by the name and the arguments of TensorFlow's op."""

def LookupTableImportV2(
    *,
    table_handle: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    name: str | None = None,
) -> None:
    """``fill``, by the name and the arguments of TensorFlow's op."""

def LookupTableInsertV2(
    *,
    table_handle: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    name: str | None = None,
) -> None:
    """``insert``, by the name and the arguments of TensorFlow's op."""

def LookupTableRemoveV2(
    *,
    table_handle: TensorLike,
    keys: TensorLike,
    name: str | None = None,
) -> None:
    """``remove``, by the name and the arguments of TensorFlow's op."""

def LookupTableSizeV2(*, table_handle: TensorLike, name: str | None = None) -> Tensor:
    """``size``, by the name and the arguments of TensorFlow's op."""

def LowerBound(
    *,
    sorted_inputs: TensorLike,
    values: TensorLike,
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """``lower_bound``, by the name and the arguments of TensorFlow's op."""

def Lu(
    *,
    input: TensorLike,
    output_idx_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _Lu:
    """``lu``, by the name and the arguments of TensorFlow's op."""

def MatMul(
    *,
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """``multiply_matrices``, by the name and the arguments of TensorFlow's op."""

def MatchingFiles(*, pattern: TensorLike, name: str | None = None) -> Tensor:
    """``matching_files``, by the name and the arguments of TensorFlow's op."""

def MatrixBandPart(
    *,
    input: TensorLike,
    num_lower: TensorLike,
    num_upper: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``band_part``, by the name and the arguments of TensorFlow's op."""

def MatrixDeterminant(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``det``, by the name and the arguments of TensorFlow's op."""

def MatrixDiag(*, diagonal: TensorLike, name: str | None = None) -> _Any:
    """``diag``, by the name and the arguments of TensorFlow's op."""

def MatrixDiagPart(*, input: TensorLike, name: str | None = None) -> _Any:
    """``diag_part``, by the name and the arguments of TensorFlow's op."""

def MatrixDiagPartV2(
    *,
    input: TensorLike,
    k: TensorLike,
    padding_value: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``matrix_diag_part``, by the name and the arguments of TensorFlow's op."""

def MatrixDiagPartV3(
    *,
    input: TensorLike,
    k: TensorLike,
    padding_value: TensorLike,
    align: str = 'RIGHT_LEFT',
    name: str | None = None,
) -> Tensor:
    """``matrix_diag_part``, by the name and the arguments of TensorFlow's op."""

def MatrixDiagV2(
    *,
    diagonal: TensorLike,
    k: TensorLike,
    num_rows: TensorLike,
    num_cols: TensorLike,
    padding_value: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``matrix_diag``, by the name and the arguments of TensorFlow's op."""

def MatrixDiagV3(
    *,
    diagonal: TensorLike,
    k: TensorLike,
    num_rows: TensorLike,
    num_cols: TensorLike,
    padding_value: TensorLike,
    align: str = 'RIGHT_LEFT',
    name: str | None = None,
) -> Tensor:
    """``matrix_diag``, by the name and the arguments of TensorFlow's op."""

def MatrixExponential(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``expm``, by the name and the arguments of TensorFlow's op."""

def MatrixInverse(*, input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """``inv``, by the name and the arguments of TensorFlow's op."""

def MatrixLogarithm(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``logm``, by the name and the arguments of TensorFlow's op."""

def MatrixSetDiag(*, input: TensorLike, diagonal: TensorLike, name: str | None = None) -> _Any:
    """``set_diag``, by the name and the arguments of TensorFlow's op."""

def MatrixSetDiagV2(
    *,
    input: TensorLike,
    diagonal: TensorLike,
    k: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``matrix_set_diag``, by the name and the arguments of TensorFlow's op."""

def MatrixSetDiagV3(
    *,
    input: TensorLike,
    diagonal: TensorLike,
    k: TensorLike = ...,
    align: str = 'RIGHT_LEFT',
    name: str | None = None,
) -> Tensor:
    """``matrix_set_diag``, by the name and the arguments of TensorFlow's op."""

def MatrixSolve(
    *,
    matrix: TensorLike,
    rhs: TensorLike,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """``solve``, by the name and the arguments of TensorFlow's op."""

def MatrixSolveLs(
    *,
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """``lstsq``, by the name and the arguments of TensorFlow's op."""

def MatrixSquareRoot(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``sqrtm``, by the name and the arguments of TensorFlow's op."""

def MatrixTriangularSolve(
    *,
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """``triangular_solve``, by the name and the arguments of TensorFlow's op."""

def Max(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_max``, by the name and the arguments of TensorFlow's op."""

def MaxPool(
    *,
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool``, by the name and the arguments of TensorFlow's op."""

def MaxPool3D(
    *,
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool``, by the name and the arguments of TensorFlow's op."""

def MaxPool3DGrad(
    *,
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool_grad``, by the name and the arguments of TensorFlow's op."""

def MaxPool3DGradGrad(
    *,
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool_grad_grad``, by the name and the arguments of TensorFlow's op."""

def MaxPoolGrad(
    *,
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    explicit_paddings: TensorLike = ...,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool_grad``, by the name and the arguments of TensorFlow's op."""

def MaxPoolGradGrad(
    *,
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool_grad_grad``, by the name and the arguments of TensorFlow's op."""

def MaxPoolGradV2(
    *,
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``max_pool_grad``, by the name and the arguments of TensorFlow's op."""

def MaxPoolV2(
    *,
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> _Any:
    """``max_pool``, by the name and the arguments of TensorFlow's op."""

def MaxPoolWithArgmax(
    *,
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    Targmax: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> _MaxPoolWithArgmax:
    """``max_pool_with_argmax_op``, by the name and the arguments of TensorFlow's op."""

def Maximum(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``maximum``, by the name and the arguments of TensorFlow's op."""

def Mean(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_mean``, by the name and the arguments of TensorFlow's op."""

def Min(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_min``, by the name and the arguments of TensorFlow's op."""

def Minimum(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``minimum``, by the name and the arguments of TensorFlow's op."""

def MirrorPad(
    *,
    input: TensorLike,
    paddings: TensorLike,
    mode: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``mirror_pad``, by the name and the arguments of TensorFlow's op."""

def MirrorPadGrad(
    *,
    input: TensorLike,
    paddings: TensorLike,
    mode: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``mirror_pad_gradient``, by the name and the arguments of TensorFlow's op."""

def Mod(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``mod``, by the name and the arguments of TensorFlow's op."""

def Mul(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``multiply``, by the name and the arguments of TensorFlow's op."""

def MulNoNan(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``multiply_no_nan``, by the name and the arguments of TensorFlow's op."""

def Multinomial(
    *,
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``multinomial``, by the name and the arguments of TensorFlow's op."""

def Ndtri(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``ndtri``, by the name and the arguments of TensorFlow's op."""

def Neg(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``negative``, by the name and the arguments of TensorFlow's op."""

def NextAfter(*, x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """``nextafter``, by the name and the arguments of TensorFlow's op."""

def NonMaxSuppression(
    *,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    name: str | None = None,
) -> Tensor:
    """``non_max_suppression_op``, by the name and the arguments of TensorFlow's op."""

def NonMaxSuppressionV2(
    *,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``non_max_suppression_op``, by the name and the arguments of TensorFlow's op."""

def NonMaxSuppressionV3(
    *,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike,
    score_threshold: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``non_max_suppression_op``, by the name and the arguments of TensorFlow's op."""

def NonMaxSuppressionV4(
    *,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike,
    score_threshold: TensorLike,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``non_max_suppression_padded_op``, by the name and the arguments of TensorFlow's op."""

def NonMaxSuppressionV5(
    *,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike,
    score_threshold: TensorLike,
    soft_nms_sigma: TensorLike,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``non_max_suppression_soft_op``, by the name and the arguments of TensorFlow's op."""

def NonMaxSuppressionWithOverlaps(
    *,
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike,
    score_threshold: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``non_max_suppression_overlaps_op``, by the name and the arguments of TensorFlow's op."""

def NotEqual(
    *,
    x: TensorLike,
    y: TensorLike,
    incompatible_shape_error: bool = True,
    name: str | None = None,
) -> Tensor:
    """A comparison that need not raise where shapes do not broadcast."""

def NthElement(
    *,
    input: TensorLike,
    n: TensorLike,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """``nth_element``, by the name and the arguments of TensorFlow's op."""

def OneHot(
    *,
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike,
    off_value: TensorLike,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """``one_hot_op``, by the name and the arguments of TensorFlow's op."""

def OnesLike(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``ones_like_op``, by the name and the arguments of TensorFlow's op."""

def Pack(*, values: TensorLike, axis: Axis = 0, name: str | None = None) -> Tensor:
    """``stack_op``, by the name and the arguments of TensorFlow's op."""

def Pad(*, input: TensorLike, paddings: TensorLike, name: str | None = None) -> Tensor:
    """``pad_op``, by the name and the arguments of TensorFlow's op."""

def PadV2(
    *,
    input: TensorLike,
    paddings: TensorLike,
    constant_values: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``pad_with_value``, by the name and the arguments of TensorFlow's op."""

def ParallelDynamicStitch(*, indices: TensorLike, data: _Any, name: str | None = None) -> _Any:
    """``dynamic_stitch``, by the name and the arguments of TensorFlow's op."""

def ParameterizedTruncatedNormal(
    *,
    shape: ShapeLike,
    means: TensorLike,
    stdevs: TensorLike,
    minvals: TensorLike,
    maxvals: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> _Any:
    """The parameters are scalars, or vectors of one element for each slice of the result."""

def ParseTensor(*, serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """``parse_tensor``, by the name and the arguments of TensorFlow's op."""

def PlaceholderWithDefault(
    *,
    input: TensorLike,
    shape: ShapeLike,
    name: str | None = None,
) -> Tensor:
    """``placeholder_with_default``, by the name and the arguments of TensorFlow's op."""

def Polygamma(*, a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``polygamma``, by the name and the arguments of TensorFlow's op."""

def PopulationCount(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``population_count``, by the name and the arguments of TensorFlow's op."""

def Pow(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``pow``, by the name and the arguments of TensorFlow's op."""

def PreventGradient(*, input: TensorLike, message: str = '', name: str | None = None) -> Tensor:
    """``prevent_gradient``, by the name and the arguments of TensorFlow's op."""

def Print(
    *,
    input: TensorLike,
    data: TensorLike,
    message: str = '',
    first_n: TensorLike = -1,
    summarize: TensorLike = 3,
    name: str | None = None,
) -> Tensor:
    """``print_in_passing``, by the name and the arguments of TensorFlow's op."""

def PrintV2(
    *,
    input: TensorLike,
    output_stream: str = 'stderr',
    end: str = '\n',
    name: str | None = None,
) -> None:
    """``print_op``, by the name and the arguments of TensorFlow's op."""

def Prod(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_prod``, by the name and the arguments of TensorFlow's op."""

def PyFunc(
    *,
    input: TensorLike,
    token: TensorLike,
    Tout: _Any,
    name: str | None = None,
) -> list[Tensor]:
    """``call_with_arrays_op``, by the name and the arguments of TensorFlow's op."""

def Qr(*, input: TensorLike, full_matrices: bool = False, name: str | None = None) -> _Qr:
    """``qr``, by the name and the arguments of TensorFlow's op."""

def QuantizeAndDequantize(
    *,
    input: TensorLike,
    signed_input: bool = True,
    num_bits: TensorLike = 8,
    range_given: bool = False,
    input_min: TensorLike = 0,
    input_max: TensorLike = 0,
    name: str | None = None,
) -> _Any: ...

def QuantizeAndDequantizeV2(
    *,
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: TensorLike = 8,
    range_given: bool = False,
    round_mode: str = 'HALF_TO_EVEN',
    narrow_range: bool = False,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """``in_steps``, by the name and the arguments of TensorFlow's op."""

def QuantizeAndDequantizeV3(
    *,
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    num_bits: TensorLike,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """``in_steps_v3``, by the name and the arguments of TensorFlow's op."""

def QuantizeAndDequantizeV4(
    *,
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: TensorLike = 8,
    range_given: bool = False,
    round_mode: str = 'HALF_TO_EVEN',
    narrow_range: bool = False,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """``in_steps``, by the name and the arguments of TensorFlow's op."""

def QuantizeAndDequantizeV4Grad(
    *,
    gradients: TensorLike,
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    axis: Axis = -1,
    name: str | None = None,
) -> StepGradients:
    """``in_steps_gradient``, by the name and the arguments of TensorFlow's op."""

def QuantizeV2(
    *,
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: TensorLike,
    mode: str = 'MIN_COMBINED',
    round_mode: str = 'HALF_AWAY_FROM_ZERO',
    narrow_range: bool = False,
    axis: Axis | None = None,
    ensure_minimum_range: TensorLike = 0.01,
    name: str | None = None,
) -> _QuantizeV2:
    """``quantize_op``, by the name and the arguments of TensorFlow's op."""

def RFFT(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    Tcomplex: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``rfft_op``, by the name and the arguments of TensorFlow's op."""

def RFFT2D(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    Tcomplex: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``rfft2d_op``, by the name and the arguments of TensorFlow's op."""

def RFFT3D(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    Tcomplex: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``rfft3d_op``, by the name and the arguments of TensorFlow's op."""

def RFFTND(
    *,
    input: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    Tcomplex: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``rfftnd_op``, by the name and the arguments of TensorFlow's op."""

def RGBToHSV(*, images: TensorLike, name: str | None = None) -> Tensor:
    """``rgb_to_hsv_op``, by the name and the arguments of TensorFlow's op."""

def RandomGamma(
    *,
    shape: ShapeLike,
    alpha: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """``random_gamma``, by the name and the arguments of TensorFlow's op."""

def RandomGammaGrad(*, alpha: TensorLike, sample: TensorLike, name: str | None = None) -> Tensor:
    """``random_gamma_grad``, by the name and the arguments of TensorFlow's op."""

def RandomIndexShuffle(
    *,
    index: TensorLike,
    seed: TensorLike,
    max_index: TensorLike,
    rounds: TensorLike = 4,
    name: str | None = None,
) -> Tensor:
    """``random_index_shuffle``, by the name and the arguments of TensorFlow's op."""

def RandomPoissonV2(
    *,
    shape: ShapeLike,
    rate: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``random_poisson``, by the name and the arguments of TensorFlow's op."""

def RandomShuffle(
    *,
    value: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """``shuffle_op``, by the name and the arguments of TensorFlow's op."""

def RandomStandardNormal(
    *,
    shape: ShapeLike,
    dtype: DTypeLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Floats under the pair of seeds; two zeros draw without a seed."""

def RandomUniform(
    *,
    shape: ShapeLike,
    dtype: DTypeLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Floats under the pair of seeds; two zeros draw without a seed."""

def RandomUniformInt(
    *,
    shape: ShapeLike,
    minval: TensorLike,
    maxval: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Tensor: ...

def Range(
    *,
    start: TensorLike,
    limit: TensorLike,
    delta: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``range_op``, by the name and the arguments of TensorFlow's op."""

def Rank(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``rank``, by the name and the arguments of TensorFlow's op."""

def ReadFile(*, filename: TensorLike, name: str | None = None) -> Tensor:
    """``read_file``, by the name and the arguments of TensorFlow's op."""

def ReadVariableOp(*, resource: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor: ...

def Real(*, input: TensorLike, Tout: _Any = None, name: str | None = None) -> Tensor:
    """``real_op``, by the name and the arguments of TensorFlow's op."""

def RealDiv(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``real_divide``, by the name and the arguments of TensorFlow's op."""

def Reciprocal(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``reciprocal``, by the name and the arguments of TensorFlow's op."""

def ReciprocalGrad(*, y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor:
    """``reciprocal_grad``, by the name and the arguments of TensorFlow's op."""

def ReduceJoin(
    *,
    inputs: TensorLike,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool = False,
    separator: str = '',
    name: str | None = None,
) -> Tensor:
    """``reduce_join``, by the name and the arguments of TensorFlow's op."""

def RegexFullMatch(*, input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """``regex_full_match``, by the name and the arguments of TensorFlow's op."""

def RegexReplace(
    *,
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    """``regex_replace``, by the name and the arguments of TensorFlow's op."""

def Relu(*, features: TensorLike, name: str | None = None) -> Tensor:
    """``relu``, by the name and the arguments of TensorFlow's op."""

def Relu6(*, features: TensorLike, name: str | None = None) -> Tensor:
    """``relu6``, by the name and the arguments of TensorFlow's op."""

def Relu6Grad(*, gradients: TensorLike, features: TensorLike, name: str | None = None) -> Tensor:
    """``relu6_grad``, by the name and the arguments of TensorFlow's op."""

def ReluGrad(*, gradients: TensorLike, features: TensorLike, name: str | None = None) -> Tensor:
    """``relu_grad``, by the name and the arguments of TensorFlow's op."""

def Reshape(*, tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """``reshape``, by the name and the arguments of TensorFlow's op."""

def ResizeArea(
    *,
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_area_op``, by the name and the arguments of TensorFlow's op."""

def ResizeBicubic(
    *,
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_bicubic``, by the name and the arguments of TensorFlow's op."""

def ResizeBicubicGrad(
    *,
    grads: TensorLike,
    original_image: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_bicubic_gradient``, by the name and the arguments of TensorFlow's op."""

def ResizeBilinear(
    *,
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_bilinear``, by the name and the arguments of TensorFlow's op."""

def ResizeBilinearGrad(
    *,
    grads: TensorLike,
    original_image: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_bilinear_gradient``, by the name and the arguments of TensorFlow's op."""

def ResizeNearestNeighbor(
    *,
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_nearest_op``, by the name and the arguments of TensorFlow's op."""

def ResizeNearestNeighborGrad(
    *,
    grads: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """``resize_nearest_gradient``, by the name and the arguments of TensorFlow's op."""

def ResourceCountUpTo(
    *,
    resource: TensorLike,
    limit: TensorLike,
    T: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``count_up_to``, by the name and the arguments of TensorFlow's op."""

def ResourceGather(
    *,
    resource: TensorLike,
    indices: TensorLike,
    dtype: DTypeLike,
    batch_dims: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> _Any: ...

def ResourceGatherNd(
    *,
    resource: TensorLike,
    indices: TensorLike,
    dtype: DTypeLike,
    name: str | None = None,
) -> _Any: ...

def ResourceScatterAdd(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceScatterDiv(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceScatterMax(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceScatterMin(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceScatterMul(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceScatterNdAdd(
    *,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> None:
    """Change a variable at the places that ``indices`` holds as vectors."""

def ResourceScatterNdMax(
    *,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> None:
    """Change a variable at the places that ``indices`` holds as vectors."""

def ResourceScatterNdMin(
    *,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> None:
    """Change a variable at the places that ``indices`` holds as vectors."""

def ResourceScatterNdSub(
    *,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> None:
    """Change a variable at the places that ``indices`` holds as vectors."""

def ResourceScatterNdUpdate(
    *,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> None:
    """Change a variable at the places that ``indices`` holds as vectors."""

def ResourceScatterSub(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceScatterUpdate(
    *,
    resource: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> None:
    """Change a variable at ``indices`` along its first axis."""

def ResourceStridedSliceAssign(
    *,
    ref: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    value: TensorLike,
    begin_mask: TensorLike = 0,
    end_mask: TensorLike = 0,
    ellipsis_mask: TensorLike = 0,
    new_axis_mask: TensorLike = 0,
    shrink_axis_mask: TensorLike = 0,
    name: str | None = None,
) -> None: ...

def Reverse(*, tensor: TensorLike, dims: TensorLike, name: str | None = None) -> _Any: ...

def ReverseSequence(
    *,
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_dim: TensorLike,
    batch_dim: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """``reverse_sequence_op``, by the name and the arguments of TensorFlow's op."""

def ReverseV2(*, tensor: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``reverse``, by the name and the arguments of TensorFlow's op."""

def RightShift(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``right_shift``, by the name and the arguments of TensorFlow's op."""

def Rint(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``rint``, by the name and the arguments of TensorFlow's op."""

def RngReadAndSkip(
    *,
    resource: TensorLike,
    alg: str | SupportsIndex,
    delta: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``read_and_skip``, by the name and the arguments of TensorFlow's op."""

def Roll(*, input: TensorLike, shift: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``roll``, by the name and the arguments of TensorFlow's op."""

def Round(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``round``, by the name and the arguments of TensorFlow's op."""

def Rsqrt(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``rsqrt``, by the name and the arguments of TensorFlow's op."""

def RsqrtGrad(*, y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor:
    """``rsqrt_grad``, by the name and the arguments of TensorFlow's op."""

def SampleDistortedBoundingBoxV2(
    *,
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    min_object_covered: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    aspect_ratio_range: TensorLike = ...,
    area_range: TensorLike = ...,
    max_attempts: TensorLike = 100,
    use_image_if_no_bounding_boxes: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``sample_op``, by the name and the arguments of TensorFlow's op."""

def ScaleAndTranslate(
    *,
    images: TensorLike,
    size: TensorLike,
    scale: TensorLike,
    translation: TensorLike,
    kernel_type: str = 'lanczos3',
    antialias: bool = True,
    name: str | None = None,
) -> Tensor:
    """``scale_and_translate_op``, by the name and the arguments of TensorFlow's op."""

def ScaleAndTranslateGrad(
    *,
    grads: TensorLike,
    original_image: TensorLike,
    scale: TensorLike,
    translation: TensorLike,
    kernel_type: str = 'lanczos3',
    antialias: bool = True,
    name: str | None = None,
) -> Tensor:
    """``scale_and_translate_gradient``, by the name and the arguments of TensorFlow's op."""

def ScatterNd(
    *,
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``scatter_nd``, by the name and the arguments of TensorFlow's op."""

def ScatterNdNonAliasingAdd(
    *,
    input: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor_scatter_nd_add``, by the name and the arguments of TensorFlow's op."""

def SegmentMax(*, data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """``segment_max``, by the name and the arguments of TensorFlow's op."""

def SegmentMean(*, data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """``segment_mean``, by the name and the arguments of TensorFlow's op."""

def SegmentMin(*, data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """``segment_min``, by the name and the arguments of TensorFlow's op."""

def SegmentProd(*, data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """``segment_prod``, by the name and the arguments of TensorFlow's op."""

def SegmentSum(*, data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """``segment_sum``, by the name and the arguments of TensorFlow's op."""

def Select(
    *,
    condition: TensorLike,
    x: TensorLike,
    y: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``select_rows``, by the name and the arguments of TensorFlow's op."""

def SelectV2(
    *,
    condition: TensorLike,
    t: TensorLike,
    e: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``select``, by the name and the arguments of TensorFlow's op."""

def SelfAdjointEigV2(
    *,
    input: TensorLike,
    compute_v: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``eigh_op``, by the name and the arguments of TensorFlow's op."""

def Selu(*, features: TensorLike, name: str | None = None) -> Tensor:
    """``selu``, by the name and the arguments of TensorFlow's op."""

def SeluGrad(*, gradients: TensorLike, outputs: TensorLike, name: str | None = None) -> Tensor:
    """``selu_grad``, by the name and the arguments of TensorFlow's op."""

def SerializeTensor(*, tensor: TensorLike, name: str | None = None) -> Tensor:
    """``_serialize_tensor``, by the name and the arguments of TensorFlow's op."""

def SetSize(
    *,
    set_indices: TensorLike,
    set_values: TensorLike,
    set_shape: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """``sizes_of_sets``, by the name and the arguments of TensorFlow's op."""

def Shape(
    *,
    input: TensorLike,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``shape_op``, by the name and the arguments of TensorFlow's op."""

def ShapeN(
    *,
    input: TensorLike,
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _Any:
    """``shape_n``, by the name and the arguments of TensorFlow's op."""

def Sigmoid(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``sigmoid``, by the name and the arguments of TensorFlow's op."""

def SigmoidGrad(*, y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor:
    """``sigmoid_grad``, by the name and the arguments of TensorFlow's op."""

def Sign(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``sign``, by the name and the arguments of TensorFlow's op."""

def Sin(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``sin``, by the name and the arguments of TensorFlow's op."""

def Sinh(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``sinh``, by the name and the arguments of TensorFlow's op."""

def Size(
    *,
    input: TensorLike,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``size``, by the name and the arguments of TensorFlow's op."""

def Slice(
    *,
    input: TensorLike,
    begin: TensorLike,
    size: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``slice_op``, by the name and the arguments of TensorFlow's op."""

def SobolSample(
    *,
    dim: Axis,
    num_results: TensorLike,
    skip: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``sobol_sample_op``, by the name and the arguments of TensorFlow's op."""

def Softmax(*, logits: TensorLike, name: str | None = None) -> Tensor:
    """``softmax_op``, by the name and the arguments of TensorFlow's op."""

def SoftmaxCrossEntropyWithLogits(
    *,
    features: TensorLike,
    labels: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``softmax_cross_entropy``, by the name and the arguments of TensorFlow's op."""

def Softplus(*, features: TensorLike, name: str | None = None) -> Tensor:
    """``softplus``, by the name and the arguments of TensorFlow's op."""

def SoftplusGrad(*, gradients: TensorLike, features: TensorLike, name: str | None = None) -> Tensor:
    """``softplus_grad``, by the name and the arguments of TensorFlow's op."""

def Softsign(*, features: TensorLike, name: str | None = None) -> Tensor:
    """``softsign``, by the name and the arguments of TensorFlow's op."""

def SoftsignGrad(*, gradients: TensorLike, features: TensorLike, name: str | None = None) -> Tensor:
    """``softsign_grad``, by the name and the arguments of TensorFlow's op."""

def SpaceToBatch(
    *,
    input: TensorLike,
    paddings: TensorLike,
    block_size: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SpaceToBatchND(
    *,
    input: TensorLike,
    block_shape: TensorLike,
    paddings: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``space_to_batch_nd``, by the name and the arguments of TensorFlow's op."""

def SpaceToDepth(
    *,
    input: TensorLike,
    block_size: TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``space_to_depth``, by the name and the arguments of TensorFlow's op."""

def SparseAdd(
    *,
    a_indices: TensorLike,
    a_values: TensorLike,
    a_shape: TensorLike,
    b_indices: TensorLike,
    b_values: TensorLike,
    b_shape: TensorLike,
    thresh: TensorLike,
    name: str | None = None,
) -> _SparseAdd:
    """``add_parts``, by the name and the arguments of TensorFlow's op."""

def SparseAddGrad(
    *,
    backprop_val_grad: TensorLike,
    a_indices: TensorLike,
    b_indices: TensorLike,
    sum_indices: TensorLike,
    name: str | None = None,
) -> _SparseAddGrad:
    """``add_parts_gradient``, by the name and the arguments of TensorFlow's op."""

def SparseConcat(
    *,
    indices: TensorLike,
    values: TensorLike,
    shapes: _Any,
    concat_dim: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SparseDenseCwiseAdd(
    *,
    sp_indices: TensorLike,
    sp_values: TensorLike,
    sp_shape: TensorLike,
    dense: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SparseDenseCwiseDiv(
    *,
    sp_indices: TensorLike,
    sp_values: TensorLike,
    sp_shape: TensorLike,
    dense: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SparseDenseCwiseMul(
    *,
    sp_indices: TensorLike,
    sp_values: TensorLike,
    sp_shape: TensorLike,
    dense: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SparseFillEmptyRows(
    *,
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    default_value: TensorLike,
    name: str | None = None,
) -> _SparseFillEmptyRows:
    """``fill_empty_parts``, by the name and the arguments of TensorFlow's op."""

def SparseFillEmptyRowsGrad(
    *,
    reverse_index_map: TensorLike,
    grad_values: TensorLike,
    name: str | None = None,
) -> _SparseFillEmptyRowsGrad:
    """``fill_empty_gradient``, by the name and the arguments of TensorFlow's op."""

def SparseMatMul(
    *,
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> _Any:
    """The product of two matrices that are stored like others, many of whose elements are zero."""

def SparseReduceMax(
    *,
    input_indices: TensorLike,
    input_values: TensorLike,
    input_shape: ShapeLike,
    reduction_axes: TensorLike,
    keep_dims: bool = False,
    name: str | None = None,
) -> _Any: ...

def SparseReduceSum(
    *,
    input_indices: TensorLike,
    input_values: TensorLike,
    input_shape: TensorLike,
    reduction_axes: TensorLike | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``sum_parts``, by the name and the arguments of TensorFlow's op."""

def SparseReorder(
    *,
    input_indices: TensorLike,
    input_values: TensorLike,
    input_shape: TensorLike,
    name: str | None = None,
) -> _SparseReorder:
    """``reorder_parts``, by the name and the arguments of TensorFlow's op."""

def SparseReshape(
    *,
    input_indices: TensorLike,
    input_shape: TensorLike,
    new_shape: ShapeLike,
    name: str | None = None,
) -> _SparseReshape:
    """``reshape_places``, by the name and the arguments of TensorFlow's op."""

def SparseSegmentMean(
    *,
    data: _Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    sparse_gradient: bool = False,
    name: str | None = None,
) -> _Any:
    """``sparse_segment_mean``, by the name and the arguments of TensorFlow's op."""

def SparseSegmentMeanWithNumSegments(
    *,
    data: _Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    sparse_gradient: bool = False,
    name: str | None = None,
) -> _Any:
    """``sparse_segment_mean``, by the name and the arguments of TensorFlow's op."""

def SparseSegmentSqrtN(
    *,
    data: _Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    sparse_gradient: bool = False,
    name: str | None = None,
) -> _Any:
    """``sparse_segment_sqrt_n``, by the name and the arguments of TensorFlow's op."""

def SparseSegmentSqrtNWithNumSegments(
    *,
    data: _Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    sparse_gradient: bool = False,
    name: str | None = None,
) -> _Any:
    """``sparse_segment_sqrt_n``, by the name and the arguments of TensorFlow's op."""

def SparseSegmentSum(
    *,
    data: _Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    sparse_gradient: bool = False,
    name: str | None = None,
) -> _Any:
    """``sparse_segment_sum``, by the name and the arguments of TensorFlow's op."""

def SparseSegmentSumWithNumSegments(
    *,
    data: _Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    sparse_gradient: bool = False,
    name: str | None = None,
) -> _Any:
    """``sparse_segment_sum``, by the name and the arguments of TensorFlow's op."""

def SparseSlice(
    *,
    indices: TensorLike,
    values: TensorLike,
    shape: TensorLike,
    start: TensorLike,
    size: TensorLike,
    name: str | None = None,
) -> _SparseSlice:
    """``slice_parts``, by the name and the arguments of TensorFlow's op."""

def SparseSoftmax(
    *,
    sp_indices: TensorLike,
    sp_values: TensorLike,
    sp_shape: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``softmax_values``, by the name and the arguments of TensorFlow's op."""

def SparseSoftmaxCrossEntropyWithLogits(
    *,
    features: TensorLike,
    labels: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``sparse_softmax_cross_entropy``, by the name and the arguments of TensorFlow's op."""

def SparseSparseMaximum(
    *,
    a_indices: TensorLike,
    a_values: TensorLike,
    a_shape: TensorLike,
    b_indices: TensorLike,
    b_values: TensorLike,
    b_shape: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SparseSparseMinimum(
    *,
    a_indices: TensorLike,
    a_values: TensorLike,
    a_shape: TensorLike,
    b_indices: TensorLike,
    b_values: TensorLike,
    b_shape: TensorLike,
    name: str | None = None,
) -> _Any: ...

def SparseTensorDenseAdd(
    *,
    a_indices: TensorLike,
    a_values: TensorLike,
    a_shape: TensorLike,
    b: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``add_dense``, by the name and the arguments of TensorFlow's op."""

def SparseTensorDenseMatMul(
    *,
    a_indices: TensorLike,
    a_values: TensorLike,
    a_shape: TensorLike,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """``multiply_dense``, by the name and the arguments of TensorFlow's op."""

def SparseToDense(
    *,
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """``fill_in_values``, by the name and the arguments of TensorFlow's op."""

def SparseToSparseSetOperation(
    *,
    set1_indices: TensorLike,
    set1_values: TensorLike,
    set1_shape: TensorLike,
    set2_indices: TensorLike,
    set2_values: TensorLike,
    set2_shape: TensorLike,
    set_operation: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``sparse_with_sparse``, by the name and the arguments of TensorFlow's op."""

def Spence(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``spence``, by the name and the arguments of TensorFlow's op."""

def Split(
    *,
    axis: Axis,
    value: TensorLike,
    num_split: TensorLike,
    name: str | None = None,
) -> list[Tensor]:
    """``split_evenly``, by the name and the arguments of TensorFlow's op."""

def SplitV(
    *,
    value: TensorLike,
    size_splits: TensorLike,
    axis: Axis,
    num_split: TensorLike | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """``split_sizes``, by the name and the arguments of TensorFlow's op."""

def Sqrt(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``sqrt``, by the name and the arguments of TensorFlow's op."""

def SqrtGrad(*, y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor:
    """``sqrt_grad``, by the name and the arguments of TensorFlow's op."""

def Square(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``square``, by the name and the arguments of TensorFlow's op."""

def SquaredDifference(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``squared_difference``, by the name and the arguments of TensorFlow's op."""

def Squeeze(*, input: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """``squeeze``, by the name and the arguments of TensorFlow's op."""

def StatefulRandomBinomial(
    *,
    resource: TensorLike,
    algorithm: TensorLike,
    shape: ShapeLike,
    counts: TensorLike,
    probs: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``binomial_op``, by the name and the arguments of TensorFlow's op."""

def StatefulStandardNormalV2(
    *,
    resource: TensorLike,
    algorithm: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``stateful_standard_normal``, by the name and the arguments of TensorFlow's op."""

def StatefulTruncatedNormal(
    *,
    resource: TensorLike,
    algorithm: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``stateful_truncated_normal``, by the name and the arguments of TensorFlow's op."""

def StatefulUniform(
    *,
    resource: TensorLike,
    algorithm: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``stateful_uniform``, by the name and the arguments of TensorFlow's op."""

def StatefulUniformFullInt(
    *,
    resource: TensorLike,
    algorithm: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.uint64,
    name: str | None = None,
) -> Tensor:
    """``stateful_uniform_full_int``, by the name and the arguments of TensorFlow's op."""

def StatefulUniformInt(
    *,
    resource: TensorLike,
    algorithm: TensorLike,
    shape: ShapeLike,
    minval: TensorLike,
    maxval: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``uniform_int_op``, by the name and the arguments of TensorFlow's op."""

def StatelessMultinomial(
    *,
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``stateless_multinomial``, by the name and the arguments of TensorFlow's op."""

def StatelessParameterizedTruncatedNormal(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike,
    stddevs: TensorLike,
    minvals: TensorLike,
    maxvals: TensorLike,
    name: str | None = None,
) -> _Any:
    """``stateless_parameterized_truncated_normal``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomBinomial(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``stateless_random_binomial``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomGammaV2(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    name: str | None = None,
) -> _Any: ...

def StatelessRandomGammaV3(
    *,
    shape: ShapeLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex,
    alpha: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``gamma_samples``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomGetAlg(*, name: str | None = None) -> _Any: ...

def StatelessRandomGetKeyCounter(
    *,
    seed: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``key_counter_op``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomGetKeyCounterAlg(*, seed: TensorLike, name: str | None = None) -> _Any: ...

def StatelessRandomNormal(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> _Any:
    """What the newer version draws, which takes a key and a counter."""

def StatelessRandomNormalV2(
    *,
    shape: ShapeLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex = 1,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``stateless_random_normal``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomPoisson(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike,
    name: str | None = None,
) -> Tensor:
    """``stateless_random_poisson``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomUniform(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> _Any:
    """What the newer version draws, which takes a key and a counter."""

def StatelessRandomUniformFullInt(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.uint64,
    name: str | None = None,
) -> _Any:
    """What the newer version draws, which takes a key and a counter."""

def StatelessRandomUniformFullIntV2(
    *,
    shape: ShapeLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex = 1,
    dtype: DTypeLike = dtypes.uint64,
    name: str | None = None,
) -> Tensor:
    """``stateless_random_uniform_full_int``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomUniformInt(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike,
    maxval: TensorLike,
    name: str | None = None,
) -> _Any: ...

def StatelessRandomUniformIntV2(
    *,
    shape: ShapeLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex,
    minval: TensorLike,
    maxval: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``stateless_uniform_int_op``, by the name and the arguments of TensorFlow's op."""

def StatelessRandomUniformV2(
    *,
    shape: ShapeLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex = 1,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``stateless_random_uniform``, by the name and the arguments of TensorFlow's op."""

def StatelessSampleDistortedBoundingBox(
    *,
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    min_object_covered: TensorLike,
    seed: TensorLike,
    aspect_ratio_range: TensorLike = ...,
    area_range: TensorLike = ...,
    max_attempts: TensorLike = 100,
    use_image_if_no_bounding_boxes: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``stateless_sample_op``, by the name and the arguments of TensorFlow's op."""

def StatelessShuffle(
    *,
    value: TensorLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex = 1,
    name: str | None = None,
) -> Tensor:
    """``stateless_shuffle_op``, by the name and the arguments of TensorFlow's op."""

def StatelessTruncatedNormal(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> _Any:
    """What the newer version draws, which takes a key and a counter."""

def StatelessTruncatedNormalV2(
    *,
    shape: ShapeLike,
    key: TensorLike,
    counter: TensorLike,
    alg: str | SupportsIndex = 1,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``stateless_truncated_normal``, by the name and the arguments of TensorFlow's op."""

def StopGradient(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``stop_gradient_op``, by the name and the arguments of TensorFlow's op."""

def StridedSlice(
    *,
    input: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    begin_mask: TensorLike = 0,
    end_mask: TensorLike = 0,
    ellipsis_mask: TensorLike = 0,
    new_axis_mask: TensorLike = 0,
    shrink_axis_mask: TensorLike = 0,
    name: str | None = None,
) -> Tensor: ...

def StridedSliceGrad(
    *,
    shape: ShapeLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    dy: TensorLike,
    begin_mask: TensorLike = 0,
    end_mask: TensorLike = 0,
    ellipsis_mask: TensorLike = 0,
    new_axis_mask: TensorLike = 0,
    shrink_axis_mask: TensorLike = 0,
    name: str | None = None,
) -> Tensor: ...

def StringFormat(
    *,
    inputs: TensorLike,
    template: str = '%s',
    placeholder: str = '%s',
    summarize: TensorLike = 3,
    name: str | None = None,
) -> Tensor:
    """``string_format``, by the name and the arguments of TensorFlow's op."""

def StringJoin(
    *,
    inputs: TensorLike,
    separator: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """``join_op``, by the name and the arguments of TensorFlow's op."""

def StringLength(*, input: TensorLike, unit: str = 'BYTE', name: str | None = None) -> Tensor:
    """``length``, by the name and the arguments of TensorFlow's op."""

def StringLower(*, input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """``lower``, by the name and the arguments of TensorFlow's op."""

def StringStrip(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``strip``, by the name and the arguments of TensorFlow's op."""

def StringToHashBucket(
    *,
    string_tensor: TensorLike,
    num_buckets: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``to_hash_bucket``, by the name and the arguments of TensorFlow's op."""

def StringToHashBucketFast(
    *,
    input: TensorLike,
    num_buckets: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``to_hash_bucket_fast``, by the name and the arguments of TensorFlow's op."""

def StringToHashBucketStrong(
    *,
    input: TensorLike,
    num_buckets: TensorLike,
    key: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``to_hash_bucket_strong``, by the name and the arguments of TensorFlow's op."""

def StringToNumber(
    *,
    string_tensor: TensorLike,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """``to_number``, by the name and the arguments of TensorFlow's op."""

def StringUpper(*, input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """``upper``, by the name and the arguments of TensorFlow's op."""

def Sub(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``subtract``, by the name and the arguments of TensorFlow's op."""

def Substr(
    *,
    input: TensorLike,
    pos: TensorLike,
    len: TensorLike,
    unit: str = 'BYTE',
    name: str | None = None,
) -> Tensor:
    """``substr``, by the name and the arguments of TensorFlow's op."""

def Sum(
    *,
    input: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """``reduce_sum``, by the name and the arguments of TensorFlow's op."""

def Svd(
    *,
    input: TensorLike,
    compute_uv: bool = True,
    full_matrices: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``svd_op``, by the name and the arguments of TensorFlow's op."""

def Tan(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``tan``, by the name and the arguments of TensorFlow's op."""

def Tanh(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``tanh``, by the name and the arguments of TensorFlow's op."""

def TanhGrad(*, y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor:
    """``tanh_grad``, by the name and the arguments of TensorFlow's op."""

def TensorScatterAdd(
    *,
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor_scatter_nd_add``, by the name and the arguments of TensorFlow's op."""

def TensorScatterMax(
    *,
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor_scatter_nd_max``, by the name and the arguments of TensorFlow's op."""

def TensorScatterMin(
    *,
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor_scatter_nd_min``, by the name and the arguments of TensorFlow's op."""

def TensorScatterSub(
    *,
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor_scatter_nd_sub``, by the name and the arguments of TensorFlow's op."""

def TensorScatterUpdate(
    *,
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor_scatter_update_op``, by the name and the arguments of TensorFlow's op."""

def TensorStridedSliceUpdate(
    *,
    input: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    value: TensorLike,
    begin_mask: TensorLike = 0,
    end_mask: TensorLike = 0,
    ellipsis_mask: TensorLike = 0,
    new_axis_mask: TensorLike = 0,
    shrink_axis_mask: TensorLike = 0,
    name: str | None = None,
) -> Tensor: ...

def Tile(*, input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """``tile``, by the name and the arguments of TensorFlow's op."""

def TileGrad(*, input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """``tile_gradient``, by the name and the arguments of TensorFlow's op."""

def Timestamp(*, name: str | None = None) -> Tensor:
    """``timestamp``, by the name and the arguments of TensorFlow's op."""

def TopK(
    *,
    input: TensorLike,
    k: TensorLike,
    sorted: bool = True,
    name: str | None = None,
) -> _TopKV2:
    """``top_k``, by the name and the arguments of TensorFlow's op."""

def TopKV2(
    *,
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _TopKV2:
    """``top_k``, by the name and the arguments of TensorFlow's op."""

def Transpose(*, x: TensorLike, perm: TensorLike | None = None, name: str | None = None) -> Tensor:
    """``transpose_op``, by the name and the arguments of TensorFlow's op."""

def TridiagonalMatMul(
    *,
    superdiag: TensorLike,
    maindiag: TensorLike,
    subdiag: TensorLike,
    rhs: TensorLike,
    name: str | None = None,
) -> _Any: ...

def TridiagonalSolve(
    *,
    diagonals: TensorLike,
    rhs: TensorLike,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
    name: str | None = None,
) -> Tensor:
    """``solve_tridiagonal``, by the name and the arguments of TensorFlow's op."""

def TruncateDiv(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``truncatediv``, by the name and the arguments of TensorFlow's op."""

def TruncateMod(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``truncatemod``, by the name and the arguments of TensorFlow's op."""

def TruncatedNormal(
    *,
    shape: ShapeLike,
    dtype: DTypeLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Floats under the pair of seeds; two zeros draw without a seed."""

def UnicodeScript(*, input: TensorLike, name: str | None = None) -> Tensor:
    """``unicode_script``, by the name and the arguments of TensorFlow's op."""

def UnicodeTranscode(
    *,
    input: TensorLike,
    input_encoding: TensorLike,
    output_encoding: TensorLike,
    errors: str = 'replace',
    replacement_char: TensorLike = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """``unicode_transcode``, by the name and the arguments of TensorFlow's op."""

def UniformCandidateSampler(
    *,
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: TensorLike = 0,
    seed2: TensorLike = 0,
    name: str | None = None,
) -> Candidates:
    """``uniform_op``, by the name and the arguments of TensorFlow's op."""

def Unique(*, x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> _Unique:
    """``unique``, by the name and the arguments of TensorFlow's op."""

def UniqueV2(
    *,
    x: TensorLike,
    axis: Axis,
    out_idx: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _UniqueV2:
    """``unique_v2``, by the name and the arguments of TensorFlow's op."""

def UniqueWithCounts(
    *,
    x: TensorLike,
    out_idx: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _UniqueWithCounts:
    """``unique_with_counts``, by the name and the arguments of TensorFlow's op."""

def UniqueWithCountsV2(
    *,
    x: TensorLike,
    axis: Axis,
    out_idx: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _UniqueWithCountsV2:
    """``unique_with_counts_v2``, by the name and the arguments of TensorFlow's op."""

def Unpack(
    *,
    value: TensorLike,
    num: TensorLike | None = None,
    axis: Axis = 0,
    name: str | None = None,
) -> list[Tensor]:
    """``unstack_op``, by the name and the arguments of TensorFlow's op."""

def UnravelIndex(*, indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """``unravel_op``, by the name and the arguments of TensorFlow's op."""

def UnsortedSegmentJoin(
    *,
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = '',
    name: str | None = None,
) -> Tensor:
    """``unsorted_segment_join``, by the name and the arguments of TensorFlow's op."""

def UnsortedSegmentMax(
    *,
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``unsorted_segment_max``, by the name and the arguments of TensorFlow's op."""

def UnsortedSegmentMin(
    *,
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``unsorted_segment_min``, by the name and the arguments of TensorFlow's op."""

def UnsortedSegmentProd(
    *,
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``unsorted_segment_prod``, by the name and the arguments of TensorFlow's op."""

def UnsortedSegmentSum(
    *,
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``unsorted_segment_sum``, by the name and the arguments of TensorFlow's op."""

def UpperBound(
    *,
    sorted_inputs: TensorLike,
    values: TensorLike,
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """``upper_bound``, by the name and the arguments of TensorFlow's op."""

def VarIsInitializedOp(*, resource: TensorLike, name: str | None = None) -> _Any: ...

def VariableShape(
    *,
    input: TensorLike,
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _Any: ...

def Where(*, condition: TensorLike, name: str | None = None) -> Tensor:
    """``true_places``, by the name and the arguments of TensorFlow's op."""

def WriteFile(*, filename: TensorLike, contents: TensorLike, name: str | None = None) -> None:
    """``write_file``, by the name and the arguments of TensorFlow's op."""

def Xdivy(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``xdivy``, by the name and the arguments of TensorFlow's op."""

def Xlog1py(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``xlog1py``, by the name and the arguments of TensorFlow's op."""

def Xlogy(*, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``xlogy``, by the name and the arguments of TensorFlow's op."""

def ZerosLike(*, x: TensorLike, name: str | None = None) -> Tensor:
    """``zeros_like_op``, by the name and the arguments of TensorFlow's op."""

def Zeta(*, x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """``zeta``, by the name and the arguments of TensorFlow's op."""
