"""Sizes and places of elements, one-hot vectors, embeddings, partitions and counts, of ragged tensors.

All functions here are overrides of public functions for ragged tensors: see `core.Function`.
"""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, VariableBase, convert
from tapegrad.errors import refuse
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.conditions import where as where_tensor
from tapegrad.ops.indexing.masks import boolean_mask
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import stack
from tapegrad.ragged.broadcast import aligned
from tapegrad.ragged.convert import places_of_values, to_sparse
from tapegrad.ragged.ragged_tensor import RaggedTensor, check_ragged, rebuilt, same_rows
from tapegrad.ragged.rows import rank_of, uneven


def rank(function: Any, input: RaggedTensor) -> Any:
    return constant(rank_of(input), dtypes.int32)


def size(function: Any, input: RaggedTensor, out_type: Any = dtypes.int32) -> Any:
    return function(input.flat_values, out_type)


def where(function: Any, condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """The ragged override of `tf.where`."""
    if x is None and y is None:
        if condition.dtype is not dtypes.bool:
            refuse("tf.where() of a RaggedTensor alone expects booleans.")
        flat = condition.flat_values
        places = cast(stack(places_of_values(condition), axis=1), dtypes.int64)
        if flat.ndim == 1:
            return boolean_mask(places, flat)
        return (
            to_sparse(condition.with_flat_values(flat)).indices[:0]
            if not flat.shape[0]
            else (boolean_mask(to_sparse(condition).indices, to_sparse(condition).values))
        )
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    tensors: Any = (Tensor, VariableBase, RaggedTensor)
    dtype = next((value.dtype for value in (x, y) if isinstance(value, tensors)), None)
    chosen = [
        value
        if isinstance(value, RaggedTensor)
        else convert(value, None if isinstance(value, tensors) else dtype)
        for value in (x, y)
    ]
    asked = condition if isinstance(condition, RaggedTensor) else convert(condition, dtypes.bool)
    values, partitions = aligned([asked, *chosen])
    return rebuilt(where_tensor(*values), partitions)


def one_hot(
    function: Any,
    indices: RaggedTensor,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    """The ragged override of `tf.one_hot`."""
    check_ragged(indices, "indices")
    place = -1 if axis is None else int(axis)
    if place >= 0:
        if place <= indices.ragged_rank:
            raise ValueError(
                f"axis ({place}) must be greater than indices.ragged_rank ({indices.ragged_rank})."
            )
        place -= indices.ragged_rank
    return indices.with_flat_values(
        function(indices.flat_values, depth, on_value, off_value, place, dtype)
    )


def embedding_lookup(
    function: Any,
    params: Any,
    ids: RaggedTensor,
    max_norm: Any = None,
    name: Any = None,
    **others: Any,
) -> Any:
    """The ragged override of `tf.nn.embedding_lookup`."""
    check_ragged(ids, "ids")
    return ids.with_flat_values(function(params, ids.flat_values, max_norm, **others))


def embedding_lookup_sparse(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The ragged override of `tf.nn.embedding_lookup_sparse`: a sparse tensor has the same rows."""
    arguments = [to_sparse(value) if isinstance(value, RaggedTensor) else value for value in args]
    named = {
        key: to_sparse(value) if isinstance(value, RaggedTensor) else value
        for key, value in kwargs.items()
    }
    return function(*arguments, **named)


def compare(function: Any, x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    """The ragged override of the assertions that compare two tensors element by element."""
    values, _ = aligned([x, y])
    return function(*values, *args, **kwargs)


def dynamic_partition(function: Any, data: Any, partitions: Any, num_partitions: Any) -> Any:
    """The ragged override of `tf.dynamic_partition`."""
    if not isinstance(data, RaggedTensor) or not isinstance(partitions, RaggedTensor):
        from tapegrad.ragged.arrange import stack_dynamic_partitions

        rows = stack_dynamic_partitions(data, partitions, num_partitions)
        return [uneven(rows[number]) for number in range(num_partitions)]
    if not same_rows(data, partitions):
        refuse("data and partitions must have the same rows.")
    return function(data.flat_values, partitions.flat_values, num_partitions)


def bincount(
    function: Any,
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: Any = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """The ragged override of `tf.math.bincount`."""
    flat_weights = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    if axis in (None, 0):
        return function(
            arr.flat_values, flat_weights, minlength, maxlength, dtype, binary_output=binary_output
        )
    if rank_of(arr) != 2:
        raise ValueError(
            f"bincount with axis=-1 takes a ragged tensor of rank 2, not of rank {rank_of(arr)}."
        )
    ours = None if weights is None else to_sparse(weights)
    return function(
        to_sparse(arr), ours, minlength, maxlength, dtype, axis=axis, binary_output=binary_output
    )


def sparse_bincount(
    function: Any,
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: Any = None,
) -> Any:
    """The ragged override of `tf.sparse.bincount`."""
    ours = to_sparse(weights) if isinstance(weights, RaggedTensor) else weights
    return function(to_sparse(values), ours, axis, minlength, maxlength, binary_output)
