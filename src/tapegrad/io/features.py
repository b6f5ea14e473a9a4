"""Descriptions of the features of records, for `tf.io.parse_example`."""

from __future__ import annotations

import collections
from typing import Any

from tapegrad import dtypes
from tapegrad.dtypes import as_dtype

PUBLIC = {
    "io compat.v1 compat.v1.io": (
        "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature"
    ),
}


class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """A feature with any number of values: `parse_example` gives a sparse tensor."""

    __slots__ = ()


class FixedLenFeature(
    collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])
):
    """A feature with the same number of values in each record: `parse_example` gives a tensor.

    ``default_value`` stands in where a record lacks it; without one, each record must have it.
    """

    __slots__ = ()

    def __new__(cls, shape: Any, dtype: Any, default_value: Any = None) -> FixedLenFeature:
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(
    collections.namedtuple(
        "FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"]
    )
):
    """A feature with any number of entries of one shape: a tensor, filled up to the longest.

    ``allow_missing`` says that records may lack it. ``default_value`` is the padding of rows.
    """

    __slots__ = ()

    def __new__(
        cls, shape: Any, dtype: Any, allow_missing: bool = False, default_value: Any = None
    ) -> FixedLenSequenceFeature:
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class SparseFeature(
    collections.namedtuple(
        "SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"]
    )
):
    """A sparse tensor whose positions are in one feature, or in a list of several, and its values in another.

    ``already_sorted`` says that the positions are in order; otherwise they are put in order.
    """

    __slots__ = ()

    def __new__(
        cls, index_key: Any, value_key: str, dtype: Any, size: Any, already_sorted: bool = False
    ) -> SparseFeature:
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class RaggedFeature(
    collections.namedtuple(
        "RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"]
    )
):
    """A feature with any number of values: a ragged tensor.

    ``partitions`` say how the values are parted into rows, each by another feature: `RowSplits`,
    `RowLengths`, `RowStarts`, `RowLimits`, `ValueRowIds`; or into rows of one length: `UniformRowLength`.
    """

    __slots__ = ()

    RowSplits = collections.namedtuple("RowSplits", ["key"])
    RowLengths = collections.namedtuple("RowLengths", ["key"])
    RowStarts = collections.namedtuple("RowStarts", ["key"])
    RowLimits = collections.namedtuple("RowLimits", ["key"])
    ValueRowIds = collections.namedtuple("ValueRowIds", ["key"])
    UniformRowLength = collections.namedtuple("UniformRowLength", ["length"])

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise TypeError(f"Argument `value_key` must be a string; got {value_key!r}")
        splits_dtype = as_dtype(row_splits_dtype)
        if splits_dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Argument `row_splits_dtype` must be int32 or int64; got {row_splits_dtype!r}"
            )
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"Argument `partitions` must be a list or tuple; got {partitions!r}")
        for partition in partitions:
            if not isinstance(partition, PARTITIONS):
                names = ", ".join(kind.__name__ for kind in PARTITIONS)
                raise TypeError(
                    "Argument `partitions` cannot be cast to any of the partition types in "
                    f"({names}); got {partition!r}"
                )
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(
            cls, as_dtype(dtype), value_key, tuple(partitions), splits_dtype, validate
        )


PARTITIONS = (
    RaggedFeature.RowSplits,
    RaggedFeature.RowLengths,
    RaggedFeature.RowStarts,
    RaggedFeature.RowLimits,
    RaggedFeature.ValueRowIds,
    RaggedFeature.UniformRowLength,
)
