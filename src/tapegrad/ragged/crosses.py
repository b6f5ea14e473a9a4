"""``tf.ragged.cross``: all combinations of the elements of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapegrad import dtypes
from tapegrad.core import convert, public
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.program.strings import as_string
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.sparse.sparse_tensor import SparseTensor
from tapegrad.ops.strings.hashes import cross_numbers, fingerprints
from tapegrad.ops.strings.pieces import cross_texts
from tapegrad.ragged.convert import from_sparse
from tapegrad.ragged.ragged_tensor import RaggedTensor, nrows_of, tensor_of
from tapegrad.ragged.row_partition import partition_of_splits, splits_of_lengths
from tapegrad.ragged.rows import as_ragged, rank_of

PUBLIC = {"ragged compat.v1.ragged": "cross cross_hashed"}

HASH_KEY = 0xDECAFCAFFE


@public
def cross(inputs: Any, name: str | None = None) -> Any:
    """For each row all combinations of an element of each input, joined by ``_X_``.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>

    Args:
        inputs: a list of ragged tensors, tensors or sparse tensors of rank 2, of strings or integers.
    """
    columns = columns_of(inputs)
    texts = [
        column if column.dtype is dtypes.string else column.with_values(as_string(column.values))
        for column in columns
    ]
    return crossed(columns, cross_texts, [text.values for text in texts])


@public
def cross_hashed(
    inputs: Any, num_buckets: Any = 0, hash_key: Any = None, name: str | None = None
) -> Any:
    """For each row hashes of all combinations of an element of each input.

    Args:
        inputs: as for `cross`.
        num_buckets: the number of buckets, or 0 for all of int64.
        hash_key: a number that the hashes depend on.
    """
    columns = columns_of(inputs)
    numbers = [
        fingerprints(column.values)
        if column.dtype is dtypes.string
        else cast(column.values, dtypes.int64)
        for column in columns
    ]
    count = static_int(num_buckets)
    if count < 0:
        raise ValueError(f"num_buckets must not be negative, but is {count}.")
    key = HASH_KEY if hash_key is None or static_int(hash_key) == 0 else static_int(hash_key)
    return crossed(columns, cross_numbers, numbers, num_buckets=count, key=key)


def columns_of(inputs: Any) -> list[RaggedTensor]:
    """The inputs as ragged tensors of strings or int64, with as many rows each."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list, not {type(inputs).__name__}.")
    columns = []
    for input_column in inputs:
        if isinstance(input_column, SparseTensor):
            input_column = from_sparse(input_column, dtypes.int64)
        column = input_column if isinstance(input_column, RaggedTensor) else convert(input_column)
        if rank_of(column) != 2:
            raise ValueError(f"tf.ragged.cross requires inputs of rank 2, not {rank_of(column)}.")
        if not (column.dtype.is_integer or column.dtype is dtypes.string):
            raise ValueError(f"Unexpected dtype for inputs: {column.dtype.name}.")
        columns.append(as_ragged(column).with_row_splits_dtype(dtypes.int64))
    if len({nrows_of(column) for column in columns}) != 1:
        refuse("inputs must all have as many rows, and there must be one at least.")
    return columns


def crossed(
    columns: Sequence[RaggedTensor], function: Any, values: Sequence[Any], **extra: Any
) -> Any:
    splits = tuple(tuple(column.row_splits.numpy().tolist()) for column in columns)
    crossings, lengths = function(list(values), splits=splits, **extra)
    return tensor_of(crossings, partition_of_splits(splits_of_lengths(lengths)))
