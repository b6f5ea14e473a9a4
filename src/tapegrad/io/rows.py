"""Values of several records, one after another, as rows: of sparse and of ragged tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import static_value
from tapegrad.errors import refuse
from tapegrad.io.features import RaggedFeature, SparseFeature
from tapegrad.ops.op import op
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.functions import reorder
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

Values = tuple[Any, Any]
"""Values, and how many of them each record has."""


@op("_PlacesInRecords", dtypes={"lengths": {dtypes.int64}}, outputs=("indices", "dense_shape"))
def places_in_rows(xp, lengths):  # type: ignore[no-untyped-def]
    """The indices of a sparse tensor whose rows have these lengths, and its shape."""
    total = int(lengths.sum())
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.arange(total, dtype=np.int64)
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    shape = np.array([len(lengths), lengths.max(initial=0)], np.int64)
    return np.stack([rows, places - starts], 1), shape


@op(
    "_LengthsInRecords",
    dtypes={name: {dtypes.int64} for name in ("values", "counts", "sizes")},
    outputs=("lengths", "rows"),
)
def lengths_of_rows(xp, values, counts, sizes, *, how):  # type: ignore[no-untyped-def]
    """The lengths of the rows of all records, and the number of rows of each record.

    ``values`` divide the values of a record into rows, in the representation ``how``; each record has as many
    as ``counts`` says, and as many values as ``sizes`` says.
    """
    parts = np.split(values, np.cumsum(counts)[:-1]) if len(counts) else []
    parts_lengths = [
        row_lengths(part, how, int(size)) for part, size in zip(parts, sizes, strict=True)
    ]
    lengths = np.concatenate(parts_lengths) if parts_lengths else np.zeros(0, np.int64)
    return lengths.astype(np.int64), np.array(
        [len(part_lengths) for part_lengths in parts_lengths], np.int64
    )


places_in_rows.shape(lambda: [Abstract([None, 2], dtypes.int64), Abstract([2], dtypes.int64)])
lengths_of_rows.shape(
    lambda counts: [Abstract([None], dtypes.int64), Abstract(counts.shape, dtypes.int64)]
)
for operation in (places_in_rows, lengths_of_rows):
    operation.no_gradient()


def row_lengths(part: np.ndarray[Any, Any], how: str, size: int) -> np.ndarray[Any, Any]:
    """The lengths of the rows of one record with ``size`` values."""
    if how == "RowLengths":
        row_counts = part
    elif how == "RowSplits":
        row_counts = np.diff(part)
    elif how == "RowStarts":
        row_counts = np.diff(np.append(part, size))
    elif how == "RowLimits":
        row_counts = np.diff(np.append(0, part))
    else:  # ValueRowIds
        if part.size and (part.min() < 0 or (np.diff(part) < 0).any()):
            refuse("The numbers of rows in ValueRowIds must not be negative, and must not fall.")
        row_counts = np.bincount(part) if part.size else part
    if row_counts.sum() != size or (row_counts.size and row_counts.min() < 0):
        refuse(
            f"{how} of a ragged feature part {row_counts.sum()} values into rows, and there are {size}."
        )
    return row_counts


def sparse_rows(values: Any, lengths: Any, alone: bool) -> SparseTensor:
    """A sparse tensor with a row for each record; its one row if the record stands alone."""
    indices, shape = places_in_rows(lengths)
    if alone:
        return SparseTensor(indices[:, 1:], values, shape[1:])
    return SparseTensor(indices, values, shape)


def sparse_positions(
    feature: SparseFeature, indices: Sequence[Values], values: Values, alone: bool
) -> SparseTensor:
    """A sparse tensor of values, and of their positions along each axis."""
    sizes = [feature.size] if isinstance(feature.size, int) else [*feature.size]
    if len(sizes) != len(indices):
        raise ValueError(
            f"SparseFeature has {len(indices)} index keys and {len(sizes)} sizes: one of each is needed "
            f"for an axis. {feature!r}"
        )
    wanted = static_value(values[1], "lengths").tolist()
    for _, lengths in indices:
        counts = static_value(lengths, "lengths").tolist()
        if counts != wanted:
            raise ValueError(
                f"Records have {counts} positions for {wanted} values: SparseFeature needs as many of both. "
                f"{feature!r}"
            )
    places, shape = places_in_rows(values[1])
    columns = [column for column, _ in indices]
    if not alone:
        columns = [places[:, 0], *columns]
        sizes = [static_value(shape, "shape").tolist()[0], *sizes]
    sparse = SparseTensor(stack(columns, 1), values[0], sizes)
    return sparse if feature.already_sorted else reorder(sparse)


def ragged_rows(feature: RaggedFeature, key: str, listed: Mapping[str, Values], alone: bool) -> Any:
    """A ragged tensor with a row for each record; its one row if the record stands alone."""
    from tapegrad.ragged.ragged_tensor import RaggedTensor

    result, counts = listed[feature.value_key or key]
    splits = feature.row_splits_dtype
    for partition in reversed(feature.partitions):
        if isinstance(partition, RaggedFeature.UniformRowLength):
            result = RaggedTensor.from_uniform_row_length(result, cast(partition.length, splits))
            counts = counts // partition.length
            continue
        values, numbers = listed[partition.key]
        lengths, counts = lengths_of_rows(values, numbers, counts, how=type(partition).__name__)
        result = RaggedTensor.from_row_lengths(result, cast(lengths, splits), validate=False)
    if alone:
        return result
    return RaggedTensor.from_row_lengths(result, cast(counts, splits), validate=False)
