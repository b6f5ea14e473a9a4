"""Ops of ``tf.raw_ops`` on sparse tensors whose work other ops or functions do.

Each is called with the older arguments: places, values and shapes one by one.
"""

from __future__ import annotations

from typing import Any

from tapegrad.ops.args import static_bool
from tapegrad.ops.elementwise.math import truncatediv
from tapegrad.ops.indexing import segment
from tapegrad.ops.nn import ctc
from tapegrad.ops.sparse import edit_distance, functions
from tapegrad.ops.sparse.functions import parts_of
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, at_places

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


def sparse_pair(function: Any) -> Any:
    def choose(a_indices, a_values, a_shape, b_indices, b_values, b_shape, name=None):
        chosen = function(
            SparseTensor(a_indices, a_values, a_shape), SparseTensor(b_indices, b_values, b_shape)
        )
        return chosen.indices, chosen.values

    return choose


def largest_along(
    input_indices, input_values, input_shape, reduction_axes, keep_dims=False, name=None
):
    whole = SparseTensor(input_indices, input_values, input_shape)
    return functions.sparse_reduce_max(whole, reduction_axes, static_bool(keep_dims))


def concat_parts(indices, values, shapes, concat_dim, name=None):
    inputs = [SparseTensor(*each) for each in zip(indices, values, shapes, strict=True)]
    return parts_of(functions.sparse_concat(concat_dim, inputs))


def sparse_with_dense(function: Any) -> Any:
    def combine(sp_indices, sp_values, sp_shape, dense, name=None):
        return function(SparseTensor(sp_indices, sp_values, sp_shape), dense).values

    return combine


def add_dense(sparse_tensor, dense):
    return sparse_tensor.with_values(sparse_tensor.values + at_places(sparse_tensor, dense))


def divide_by_dense(sparse_tensor, dense):
    if not sparse_tensor.dtype.is_integer:
        return sparse_tensor / dense
    return sparse_tensor.with_values(
        truncatediv(sparse_tensor.values, at_places(sparse_tensor, dense))
    )


def edit_distances(
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    normalize=True,
    name=None,
):
    return edit_distance.edit_distance(
        SparseTensor(hypothesis_indices, hypothesis_values, hypothesis_shape),
        SparseTensor(truth_indices, truth_values, truth_shape),
        normalize,
    )


# What connectionist temporal classification spells


def beam_search_decoder(
    inputs, sequence_length, beam_width, top_paths, merge_repeated=True, name=None
):
    *parts, log_probability = ctc.beam_search_op(
        inputs, sequence_length, beam_width, top_paths, merge_repeated
    )
    paths = len(parts) // 3
    return parts[:paths], parts[paths : 2 * paths], parts[2 * paths :], log_probability


RAW_FORMS = {
    "CTCBeamSearchDecoder": beam_search_decoder,
    "EditDistance": edit_distances,
    "SparseConcat": concat_parts,
    "SparseDenseCwiseAdd": sparse_with_dense(add_dense),
    "SparseDenseCwiseDiv": sparse_with_dense(divide_by_dense),
    "SparseDenseCwiseMul": sparse_with_dense(SparseTensor.__mul__),
    "SparseReduceMax": largest_along,
    "SparseSegmentMean": sparse_segment(segment.sparse_segment_mean),
    "SparseSegmentMeanWithNumSegments": sparse_segment_counted(segment.sparse_segment_mean),
    "SparseSegmentSqrtN": sparse_segment(segment.sparse_segment_sqrt_n),
    "SparseSegmentSqrtNWithNumSegments": sparse_segment_counted(segment.sparse_segment_sqrt_n),
    "SparseSegmentSum": sparse_segment(segment.sparse_segment_sum),
    "SparseSegmentSumWithNumSegments": sparse_segment_counted(segment.sparse_segment_sum),
    "SparseSparseMaximum": sparse_pair(functions.sparse_maximum),
    "SparseSparseMinimum": sparse_pair(functions.sparse_minimum),
}
"""What `tf.raw_ops` offers, by TensorFlow's names."""
