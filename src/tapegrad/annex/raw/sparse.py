"""Ops of ``tf.raw_ops`` on sparse tensors whose work other ops or functions do.

Each is called with the older arguments: places, values and shapes one by one.
"""

from __future__ import annotations

import operator

from tapegrad.core.compositions import composition
from tapegrad.ops.args import static_bool
from tapegrad.ops.elementwise.math import truncatediv
from tapegrad.ops.nn import ctc
from tapegrad.ops.sparse import arithmetic, edit_distance, functions
from tapegrad.ops.sparse.functions import parts_of
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, at_places


@composition
def choose(function, a_indices, a_values, a_shape, b_indices, b_values, b_shape):
    chosen = function(
        SparseTensor(a_indices, a_values, a_shape), SparseTensor(b_indices, b_values, b_shape)
    )
    return chosen.indices, chosen.values


@composition
def largest_along(input_indices, input_values, input_shape, reduction_axes, keep_dims=False):
    whole = SparseTensor(input_indices, input_values, input_shape)
    return arithmetic.sparse_reduce_max(whole, reduction_axes, static_bool(keep_dims))


@composition
def concat_parts(indices, values, shapes, concat_dim):
    inputs = [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]
    return parts_of(functions.sparse_concat(concat_dim, inputs))


@composition
def with_dense(function, sp_indices, sp_values, sp_shape, dense):
    return function(SparseTensor(sp_indices, sp_values, sp_shape), dense).values


def add_dense(sparse_tensor, dense):
    return sparse_tensor.with_values(sparse_tensor.values + at_places(sparse_tensor, dense))


multiply_by_dense = operator.mul


def divide_by_dense(sparse_tensor, dense):
    if not sparse_tensor.dtype.is_integer:
        return sparse_tensor / dense
    return sparse_tensor.with_values(
        truncatediv(sparse_tensor.values, at_places(sparse_tensor, dense))
    )


@composition
def edit_distances(
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    normalize=True,
):
    return edit_distance.edit_distance(
        SparseTensor(hypothesis_indices, hypothesis_values, hypothesis_shape),
        SparseTensor(truth_indices, truth_values, truth_shape),
        normalize,
    )


# What connectionist temporal classification spells


@composition
def beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=True):
    *parts, log_probability = ctc.beam_search_op(
        inputs, sequence_length, beam_width, top_paths, merge_repeated
    )
    paths = len(parts) // 3
    return parts[:paths], parts[paths : 2 * paths], parts[2 * paths :], log_probability
