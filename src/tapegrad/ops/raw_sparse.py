"""Ops of ``tf.raw_ops`` on sparse tensors and on sets whose work other ops or functions do.

Each is called with the older arguments: places, values and shapes one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import errors
from tapegrad.core import EagerTensor, Tensor
from tapegrad.ops import ctc, segment, sets, sparse, sparse_more
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.math import truncatediv
from tapegrad.ops.sparse import parts_of
from tapegrad.ops.sparse_tensor import SparseTensor, at_places

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
    return sparse.sparse_reduce_max(whole, reduction_axes, static_bool(keep_dims))


def concat_parts(indices, values, shapes, concat_dim, name=None):
    inputs = [SparseTensor(*each) for each in zip(indices, values, shapes, strict=True)]
    return parts_of(sparse.sparse_concat(concat_dim, inputs))


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
    return sparse_more.edit_distance(
        SparseTensor(hypothesis_indices, hypothesis_values, hypothesis_shape),
        SparseTensor(truth_indices, truth_values, truth_shape),
        normalize,
    )


# Sets

CHOICES = {
    "a-b": set.__sub__,
    "b-a": lambda a, b: b - a,
    "intersection": set.__and__,
    "union": set.__or__,
}


def operation(a: Any, b: Any, set_operation: Any, validate_indices: Any) -> Any:
    name = set_operation.decode() if isinstance(set_operation, bytes) else set_operation
    if name not in CHOICES:
        raise errors.InvalidArgumentError(
            None, None, f"set_operation must be one of {', '.join(CHOICES)}, not {name!r}."
        )
    return parts_of(sets.combined(CHOICES[name], a, b, validate_indices))


def dense_sets(set1, set2, set_operation, validate_indices=True, name=None):
    return operation(set1, set2, set_operation, validate_indices)


def dense_and_sparse_sets(
    set1, set2_indices, set2_values, set2_shape, set_operation, validate_indices=True, name=None
):
    other = SparseTensor(set2_indices, set2_values, set2_shape)
    return operation(set1, other, set_operation, validate_indices)


def sparse_sets(
    set1_indices,
    set1_values,
    set1_shape,
    set2_indices,
    set2_values,
    set2_shape,
    set_operation,
    validate_indices=True,
    name=None,
):
    first = SparseTensor(set1_indices, set1_values, set1_shape)
    second = SparseTensor(set2_indices, set2_values, set2_shape)
    return operation(first, second, set_operation, validate_indices)


def set_sizes(set_indices, set_values, set_shape, validate_indices=True, name=None):
    return sets.set_size(SparseTensor(set_indices, set_values, set_shape), validate_indices)


# What connectionist temporal classification spells


def columns(decoded: list[SparseTensor]) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """The parts of several sparse tensors, kind by kind."""
    return (
        [each.indices for each in decoded],
        [each.values for each in decoded],
        [each.dense_shape for each in decoded],
    )


def greedy_decoder(inputs, sequence_length, merge_repeated=False, blank_index=-1, name=None):
    decoded, score = ctc.ctc_greedy_decoder(
        inputs, sequence_length, static_bool(merge_repeated), static_int(blank_index)
    )
    return (*parts_of(decoded[0]), score)


def without_repeats(decoded: SparseTensor) -> SparseTensor:
    """Rows of labels with runs of equal ones merged."""
    rows, labels = decoded.indices._array[:, 0], decoded.values._array
    kept = np.ones(len(rows), bool)
    kept[1:] = (rows[1:] != rows[:-1]) | (labels[1:] != labels[:-1])
    rows, labels = rows[kept], labels[kept]
    # In each row the columns count from zero again.
    columns = np.arange(len(rows)) - np.searchsorted(rows, rows)
    shape = (int(decoded.dense_shape._array[0]), int(columns.max(initial=-1)) + 1)
    return sparse.made(np.stack([rows, columns], axis=1), EagerTensor(labels), shape)


def beam_search_decoder(
    inputs, sequence_length, beam_width, top_paths, merge_repeated=True, name=None
):
    decoded, score = ctc.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    if static_bool(merge_repeated):
        decoded = [without_repeats(each) for each in decoded]
    return (*columns(decoded), score)


RAW_FORMS = {
    "CTCBeamSearchDecoder": beam_search_decoder,
    "CTCGreedyDecoder": greedy_decoder,
    "DenseToDenseSetOperation": dense_sets,
    "DenseToSparseSetOperation": dense_and_sparse_sets,
    "EditDistance": edit_distances,
    "SetSize": set_sizes,
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
    "SparseSparseMaximum": sparse_pair(sparse_more.sparse_maximum),
    "SparseSparseMinimum": sparse_pair(sparse_more.sparse_minimum),
    "SparseToSparseSetOperation": sparse_sets,
}
"""What `tf.raw_ops` offers, by TensorFlow's names."""
