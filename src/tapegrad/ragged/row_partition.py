"""``RowPartition``: divides the elements of a vector into rows, one row after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Operand, Tensor, convert, observers, static_value
from tapegrad.core.abstract import is_true
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.logic import logical_or, not_equal
from tapegrad.ops.elementwise.math import subtract
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.repeats import repeat
from tapegrad.ops.indexing.segment import unsorted_segment_sum
from tapegrad.ops.reduce.reduce import reduce_any
from tapegrad.ops.reduce.scan import cumsum
from tapegrad.ops.shape.array import broadcast_to
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat
from tapegrad.ops.shape.sequences import range as number_range

PUBLIC = {"experimental": "RowPartition"}

SPLIT_TYPES = (dtypes.int32, dtypes.int64)


def partition_tensor(values: Any, name: str, dtype: Any = None) -> Tensor:
    """A vector of int32 or int64; for values that are no tensors, of ``dtype`` or int64."""
    if isinstance(values, Operand):
        tensor: Tensor = convert(values)
    else:
        hinted = getattr(values, "dtype", None)
        keeps = hinted is not None and str(hinted) in ("int32", "int64")
        converted = convert(values)
        if converted.dtype not in SPLIT_TYPES and converted.shape.num_elements():
            raise ValueError(f"{name} must have dtype int32 or int64, not {converted.dtype.name}.")
        tensor = converted if keeps else cast(converted, dtypes.int64)
    if tensor.dtype not in SPLIT_TYPES:
        raise ValueError(f"{name} must have dtype int32 or int64, not {tensor.dtype.name}.")
    if tensor.ndim != 1:
        raise ValueError(f"{name} must be a vector: shape {tensor.shape} must have rank 1.")
    return tensor if dtype is None else cast(tensor, dtype)


class RowPartition:
    """Divides the ``nvals`` elements of a vector into ``nrows`` rows, one row after the other.

    >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    tf.RowPartition(row_splits=[0 2 2 3])
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform_row_length", "_value_rowids")

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: Any = None,
    ) -> None:
        if internal is not _key:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods instead "
                "(e.g., RowPartition.from_row_lengths())"
            )
        self._row_splits: Tensor = row_splits
        self._value_rowids: Tensor | None = value_rowids
        self._uniform_row_length: int | None = uniform_row_length

    # --- Constructors, one for each representation of a partition

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """The partition whose row ``i`` is ``[row_splits[i], row_splits[i + 1])``."""
        splits = partition_tensor(row_splits, "row_splits", dtype)
        if not splits.shape[0]:
            raise ValueError("row_splits tensor may not be empty.")
        if validate and is_true(not_equal(splits[0], 0), "row_splits"):
            refuse(
                "Arguments to from_row_splits do not form a valid RaggedTensor:zero. "
                f"The first of row_splits is {static_value(splits, 'row_splits')[0]} and must be 0."
            )
        if validate and is_true(decreases(splits), "row_splits"):
            refuse(
                "Arguments to from_row_splits do not form a valid RaggedTensor:monotonic. "
                f"No element of row_splits = {brief(splits)} may be less than the one before."
            )
        return partition_of_splits(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """The partition into rows of these lengths."""
        lengths = partition_tensor(row_lengths, "row_lengths", dtype)
        if validate and is_true(reduce_any(lengths < 0), "row_lengths"):
            refuse(
                "Arguments to from_row_lengths do not form a valid RowPartition. "
                f"row_lengths = {brief(lengths)} holds a negative number."
            )
        return partition_of_splits(splits_of_lengths(lengths))

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """The partition in which element ``i`` is in the row ``value_rowids[i]``."""
        rowids = partition_tensor(value_rowids, "value_rowids", dtype)
        size = rowids._shape_tuple()[0]
        if nrows is None:
            count = static_int(rowids[-1]) + 1 if size else 0
        else:
            count = static_int(nrows)
        if count < 0:
            raise ValueError(f"Expected nrows >= 0; got {count}")
        if nrows is not None and validate and size and is_true(rowids[-1] >= count, "value_rowids"):
            last = static_value(rowids, "value_rowids")[-1]
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]={last}"
            )
        if (
            validate
            and size
            and is_true(logical_or(rowids[0] < 0, decreases(rowids)), "value_rowids")
        ):
            refuse(
                "Arguments to from_value_rowids do not form a valid RowPartition. "
                f"value_rowids = {brief(rowids)} must be sorted and not negative."
            )
        ones = broadcast_to(constant(1, rowids.dtype), (size,))
        lengths = unsorted_segment_sum(ones, rowids, count)
        return partition_of_splits(splits_of_lengths(lengths), rowids)

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """The partition whose row ``i`` begins at ``row_starts[i]``, of ``nvals`` elements."""
        starts = partition_tensor(row_starts, "row_starts", dtype)
        count = static_int(nvals)
        if validate and starts._shape_tuple()[0]:
            outside = logical_or(not_equal(starts[0], 0), starts[-1] > count)
            if is_true(logical_or(outside, decreases(starts)), "row_starts"):
                numbers = static_value(starts, "row_starts").tolist()
                refuse(
                    "Arguments to from_row_starts do not form a valid RaggedTensor. "
                    f"row_starts = {numbers} must begin with 0, be sorted and not exceed {count}."
                )
        return partition_of_splits(concat([starts, constant([count], starts.dtype)], 0))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """The partition whose row ``i`` ends before ``row_limits[i]``."""
        limits = partition_tensor(row_limits, "row_limits", dtype)
        checked = validate and limits._shape_tuple()[0]
        if checked and is_true(logical_or(limits[0] < 0, decreases(limits)), "row_limits"):
            numbers = static_value(limits, "row_limits").tolist()
            refuse(
                "Arguments to from_row_limits do not form a valid RaggedTensor. "
                f"row_limits = {numbers} must be sorted and not negative."
            )
        return partition_of_splits(concat([constant([0], limits.dtype), limits], 0))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = dtypes.int64,
    ) -> RowPartition:
        """The partition into rows that all have one length."""
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        length = static_int(uniform_row_length)
        if length < 0:
            raise ValueError(f"Expected uniform_row_length >= 0; got {length}")
        count = None if nvals is None else static_int(nvals)
        if nrows is not None:
            rows = static_int(nrows)
        else:
            rows = (count or 0) // length if length else 0
        if rows < 0:
            raise ValueError(f"Expected nrows >= 0; got {rows}")
        if validate and count is not None and rows * length != count:
            raise ValueError(
                f"uniform_row_length={length} times nrows={rows} must equal nvals={count}"
            )
        types = [
            convert(value).dtype
            for value in (uniform_row_length, nvals, nrows)
            if isinstance(value, Operand)
        ]
        wanted = dtypes.as_dtype(dtype or (types[0] if types else dtype_hint))
        splits = number_range(rows + 1, dtype=wanted) * constant(length, wanted)
        return partition_of_splits(splits, uniform=length)

    # --- The partition in each of these representations

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the numbers: int32 or int64."""
        return self._row_splits.dtype

    def row_splits(self) -> Tensor:
        """Where each row begins, and behind them the number of elements."""
        return self._row_splits

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self) -> Tensor:
        """Before which element each row ends."""
        return self._row_splits[1:]

    def row_lengths(self) -> Tensor:
        """The length of each row."""
        lengths: Tensor = subtract(self._row_splits[1:], self._row_splits[:-1])
        return lengths

    def value_rowids(self) -> Tensor:
        """The row of each element."""
        if self._value_rowids is not None:
            return self._value_rowids
        rows: Tensor = repeat(
            number_range(self.static_nrows, dtype=self.dtype), self.row_lengths(), axis=0
        )
        if not observers():  # a function that is recorded keeps no tensor in its argument
            self._value_rowids = rows
        return rows

    def nrows(self) -> Tensor:
        """The number of rows."""
        return constant(self.static_nrows, self.dtype)

    def nvals(self) -> Tensor:
        """The number of elements."""
        last: Tensor = self._row_splits[-1]
        return last

    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, if the partition was made with one length; else None."""
        if self._uniform_row_length is None:
            return None
        return constant(self._uniform_row_length, self.dtype)

    def offsets_in_rows(self) -> Tensor:
        """The place of each element in its row.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).offsets_in_rows().numpy()
        array([0, 1, 0])
        """
        positions = number_range(self.static_nvals, dtype=self.dtype)
        offsets: Tensor = subtract(positions, gather(self._row_splits, self.value_rowids()))
        return offsets

    def is_uniform(self) -> bool:
        """Whether the partition was made with one length for all rows."""
        return self._uniform_row_length is not None

    @property
    def static_nrows(self) -> int:
        """The number of rows, as a Python number."""
        count: int = self._row_splits._shape_tuple()[0]
        return count - 1

    @property
    def static_nvals(self) -> int:
        """The number of elements, as a Python number."""
        count: int = static_value(self._row_splits[-1], "integer").item()
        return count

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, or None, as a Python number."""
        return self._uniform_row_length

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same partition in numbers of another dtype, int32 or int64."""
        wanted = dtypes.as_dtype(dtype)
        if wanted not in SPLIT_TYPES:
            raise ValueError(f"row_splits must have dtype int32 or int64, not {wanted.name}.")
        if wanted is self.dtype:
            return self
        return partition_of_splits(cast(self._row_splits, wanted), uniform=self._uniform_row_length)

    def merge_precomputed_encodings(self, other: Any, validate: bool = True) -> RowPartition:
        """This partition, which must be equal to ``other``."""
        if validate and not same_partition(self, other):
            raise ValueError("The two partitions differ.")
        return self

    def __repr__(self) -> str:
        if self._uniform_row_length is not None:
            return (
                f"tf.RowPartition(nrows={self.static_nrows}, "
                f"uniform_row_length={self._uniform_row_length})"
            )
        return f"tf.RowPartition(row_splits={static_value(self._row_splits, 'repr')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (partition_of_splits, (self._row_splits, None, self._uniform_row_length))

    def _nest_components(self) -> list[Any]:
        return [self._row_splits]

    def _nest_rebuild(self, components: list[Any]) -> RowPartition:
        return partition_of_splits(components[0], uniform=self._uniform_row_length)


_key = object()


def partition_of_splits(
    splits: Any, rowids: Any = None, uniform: int | None = None
) -> RowPartition:
    """The partition with these splits, unchecked."""
    return RowPartition(splits, value_rowids=rowids, uniform_row_length=uniform, internal=_key)


def have_one_length(splits: Any, length: int) -> bool:
    """Whether ``splits`` are a tensor, and those of rows that all have this length."""
    if not isinstance(splits, EagerTensor):
        return False
    lengths = splits[1:] - splits[:-1]
    different = logical_or(not_equal(splits[0], 0), reduce_any(not_equal(lengths, length)))
    return not static_value(different, "row_splits")


def splits_of_lengths(lengths: Tensor) -> Tensor:
    return concat([constant([0], lengths.dtype), cumsum(lengths)], 0)


def same_partition(first: RowPartition, second: RowPartition) -> bool:
    """Whether two partitions have equal splits, whatever their dtype."""
    if first is second or first.row_splits() is second.row_splits():
        return True
    a, b = (cast(partition.row_splits(), dtypes.int64) for partition in (first, second))
    if a._shape_tuple() != b._shape_tuple():
        return False
    return not static_value(reduce_any(not_equal(a, b)), "same rows")


def decreases(numbers: Tensor) -> Any:
    """Whether an element of a vector is less than the one before, as a tensor."""
    return reduce_any(numbers[1:] < numbers[:-1])


def brief(tensor: Tensor) -> str:
    """The numbers for a message, the first few alone if there are many."""
    numbers = static_value(tensor, "message")
    shown: list[Any] = numbers[:10].tolist()
    return f"{shown}" if len(numbers) <= 10 else f"{shown[:-1]} ..."


def common_dtype(partitions: Sequence[RowPartition]) -> Any:
    """int64 if any of the partitions has it, else int32."""
    return (
        dtypes.int64
        if any(partition.dtype is dtypes.int64 for partition in partitions)
        else dtypes.int32
    )
