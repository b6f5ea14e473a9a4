"""The names of what raw ops with several outputs give: an ``Svd(s=..., u=..., v=...)``."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

# What the ops give -> the ops.
_OUTPUTS = {
    "sampled_candidates true_expected_count sampled_expected_count": (
        "AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler "
        "LogUniformCandidateSampler UniformCandidateSampler"
    ),
    "values indices": "ApproxTopK TopK TopKV2",
    "i cs f o ci co h": "BlockLSTM BlockLSTMV2",
    "r0 r1": "BroadcastGradientArgs",
    "decoded_indices decoded_values decoded_shape log_probability": "CTCBeamSearchDecoder CTCGreedyDecoder",
    "loss gradient": "CTCLoss",
    "nmsed_boxes nmsed_scores nmsed_classes valid_detections": "CombinedNonMaxSuppression",
    "indices ids weights": "ComputeAccidentalHits",
    "output output_h output_c reserve_space": "CudnnRNN",
    "output output_h output_c reserve_space host_reserved": "CudnnRNNV2 CudnnRNNV3",
    "audio sample_rate": "DecodeWav",
    "result_indices result_values result_shape": (
        "DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation"
    ),
    "e v": "Eig SelfAdjointEigV2",
    "backprops_wrt_input backprop_wrt_min backprop_wrt_max": (
        "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient"
    ),
    "output row_pooling_sequence col_pooling_sequence": "FractionalAvgPool FractionalMaxPool",
    "y batch_mean batch_variance reserve_space_1 reserve_space_2": "FusedBatchNorm FusedBatchNormV2",
    "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4": (
        "FusedBatchNormGrad FusedBatchNormGradV2"
    ),
    "x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5": "FusedBatchNormGradV3",
    "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3": "FusedBatchNormV3",
    "output segments": "IsotonicRegression",
    "sign log_abs_determinant": "LogMatrixDeterminant",
    "keys values": "LookupTableExportV2",
    "lu p": "Lu",
    "output argmax": "MaxPoolWithArgmax",
    "selected_indices valid_outputs": "NonMaxSuppressionV4",
    "selected_indices selected_scores valid_outputs": "NonMaxSuppressionV5",
    "q r": "Qr",
    "input_backprop input_min_backprop input_max_backprop": "QuantizeAndDequantizeV4Grad",
    "output output_min output_max": "QuantizeV2",
    "begin size bboxes": "SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox",
    "loss backprop": "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits",
    "sum_indices sum_values sum_shape": "SparseAdd",
    "a_val_grad b_val_grad": "SparseAddGrad",
    "output_indices output_values output_shape": "SparseConcat SparseSlice",
    "output_indices output_values empty_row_indicator reverse_index_map": "SparseFillEmptyRows",
    "d_values d_default_value": "SparseFillEmptyRowsGrad",
    "output_indices output_values": "SparseReorder SparseSparseMaximum SparseSparseMinimum",
    "output_indices output_shape": "SparseReshape",
    "key counter": "StatelessRandomGetKeyCounter",
    "key counter alg": "StatelessRandomGetKeyCounterAlg",
    "s u v": "Svd",
    "out idx": "ListDiff",
    "y idx": "Unique UniqueV2",
    "y idx count": "UniqueWithCounts UniqueWithCountsV2",
}

_OF_OPS = {type: names for names, types in _OUTPUTS.items() for type in types.split()}


def results_of(type: str) -> Any:
    """The named tuple that the raw op ``type`` gives; None where it gives one tensor or one list."""
    return namedtuple(type, _OF_OPS[type]) if type in _OF_OPS else None
