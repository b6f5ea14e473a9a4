"""``ragged[...]``: rows, slices along any axis, and new axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import add, maximum, minimum
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.shape.casts import cast
from tapegrad.ragged.ragged_tensor import RaggedTensor, tensor_of
from tapegrad.ragged.row_partition import partition_of_splits, splits_of_lengths
from tapegrad.ragged.rows import (
    rank_of,
    slice_rows,
    take,
    take_numbers,
    uniform_rows,
    wrapped,
)

WHOLE = slice(None)


def getitem(ragged: RaggedTensor, key: Any) -> Any:
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    return pick(ragged, spelled_out([checked(key) for key in keys], rank_of(ragged)))


def checked(key: Any) -> Any:
    """A key as an integer, a slice of integers, an ellipsis or None."""
    if key is None or key is Ellipsis:
        return key
    if isinstance(key, slice):
        return slice(
            *(None if bound is None else number(bound) for bound in (key.start, key.stop, key.step))
        )
    return number(key)


def number(key: Any) -> int:
    whole = isinstance(key, (int, np.integer)) and not isinstance(key, bool)
    if isinstance(key, Tensor) and not key.ndim and key.dtype in (dtypes.int32, dtypes.int64):
        whole = True
    if not whole:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {key!r}"
        )
    return static_int(key)


def spelled_out(keys: list[Any], rank: int) -> list[Any]:
    """The keys, with the first ellipsis replaced by whole slices. Other ellipses are dropped."""
    if Ellipsis not in keys:
        return keys
    place = keys.index(Ellipsis)
    rest = [key for key in keys[place + 1 :] if key is not Ellipsis]
    key_count = sum(key is not None for key in keys[:place] + rest)
    return [*keys[:place], *[WHOLE] * max(rank - key_count, 0), *rest]


def pick(values: Any, keys: list[Any]) -> Any:
    """``values[keys]`` for a tensor or a ragged tensor."""
    if not keys:
        return values
    if not isinstance(values, RaggedTensor):
        return values[tuple(keys)]
    first, *rest = keys
    if first is None:
        return pick_inside(wrapped(values), rest)
    if first == WHOLE:
        return pick_inside(values, rest)
    count = values._row_partition.static_nrows
    if isinstance(first, slice):
        if first.step == 0:
            refuse("strides[0] must be non-zero: a slice of a RaggedTensor has the step 0.")
        start, stop, step = first.indices(count)
        if step == 1:
            return pick_inside(slice_rows(values, start, max(start, stop)), rest)
        return pick_inside(take_numbers(values, range(start, stop, step)), rest)
    if first >= count:
        raise IndexError(f"Row key {first} out of bounds: there are {count} rows.")
    if first < -count:
        refuse(f"slice index {first} of dimension 0 out of bounds: there are {count} rows.")
    splits = values._row_partition.row_splits()
    place = first % count
    row = slice_rows(values.values, static_int(splits[place]), static_int(splits[place + 1]))
    return pick(row, rest)


def pick_inside(values: Any, keys: list[Any]) -> Any:
    """``values[:, *keys]`` for a tensor or a ragged tensor."""
    if not keys:
        return values
    if not isinstance(values, RaggedTensor):
        return values[(WHOLE, *keys)]
    first, *rest = keys
    partition = values._row_partition
    if first is None:
        rows = uniform_rows(1, partition.static_nrows, partition.dtype)
        return tensor_of(pick_inside(values, rest), rows)
    if isinstance(first, slice):
        cut = values if first == WHOLE else slice_columns(values, first)
        return tensor_of(pick_inside(cut.values, rest), cut._row_partition)
    length = partition.static_uniform_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    if not -length <= first < length:
        refuse(
            f"Index out of bounds when indexing into a ragged tensor: {first} in rows of {length}."
        )
    numbers = add(partition.row_starts(), constant(first % length, partition.dtype))
    return pick_inside(take(values.values, numbers), rest)


def slice_columns(ragged: RaggedTensor, key: slice) -> RaggedTensor:
    """``ragged[:, key]``."""
    if key.step == 0:
        refuse("strides[1] must be non-zero: a slice of a RaggedTensor has the step 0.")
    partition = ragged._row_partition
    lengths = cast(partition.row_lengths(), dtypes.int64)
    step = 1 if key.step is None else key.step
    # Python's own rules for slices: the places before the first and behind the last column that can be meant.
    first, last = (0, lengths) if step > 0 else (-1, lengths - 1)
    ends = [
        otherwise
        if bound is None
        else (maximum(lengths + bound, first) if bound < 0 else minimum(bound, last))
        for bound, otherwise in (
            (key.start, lengths * 0 if step > 0 else last),
            (key.stop, last if step > 0 else lengths * 0 - 1),
        )
    ]
    start, stop = ends
    counts = maximum((stop - start + (step - 1 if step > 0 else step + 1)) // step, 0)
    uniform = partition.static_uniform_row_length
    if uniform is not None:
        uniform = len(range(*key.indices(uniform)))
    rows = partition_of_splits(splits_of_lengths(cast(counts, partition.dtype)), uniform=uniform)
    before = cast(partition.row_starts(), dtypes.int64) + start
    within = cast(rows.offsets_in_rows(), dtypes.int64) * step
    return tensor_of(take(ragged.values, gather(before, rows.value_rowids()) + within), rows)
