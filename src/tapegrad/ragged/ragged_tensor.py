"""``RaggedTensor``: values, and a partition of them into rows of different lengths."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from tapegrad import dtypes
from tapegrad.core import Operand, Tensor, convert, public, static_value
from tapegrad.errors import InvalidArgumentError, refuse
from tapegrad.framework.overrides import load_overrides
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import logic, math
from tapegrad.ops.elementwise.math import maximum
from tapegrad.ops.elementwise.signs import abs as absolute
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.reduce.reduce import reduce_max
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import stack
from tapegrad.ragged.row_partition import (
    RowPartition,
    have_one_length,
    partition_of_splits,
    partition_tensor,
    same_partition,
)

PUBLIC = {". compat.v1": "RaggedTensor"}


Operator = Callable[["RaggedTensor", Any], Any]


def on_the_left(function: Callable[[Any, Any], Any]) -> Operator:
    """The method of an operator whose left operand is the object."""
    return lambda self, other: function(self, other)


def left_and_right(function: Callable[[Any, Any], Any]) -> tuple[Operator, Operator]:
    """The methods of an operator whose left, and whose right, operand is the object."""
    return on_the_left(function), lambda self, other: function(other, self)


class RaggedTensor:
    """A tensor whose rows may have different lengths.

    >>> rt = tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 2, 2, 4])
    >>> rt
    <tf.RaggedTensor [[3, 1], [], [4, 1]]>
    >>> rt.values.numpy(), rt.row_splits.numpy()
    (array([3, 1, 4, 1], dtype=int32), array([0, 2, 2, 4]))

    The values of a ragged tensor may be ragged in turn. The functions whose names begin with ``from_`` make
    ragged tensors; so does `tf.ragged.constant`.
    """

    __slots__ = ("__dict__", "__weakref__", "_row_partition", "_values")

    def __init__(self, values: Any, row_partition: Any, internal: Any = False) -> None:
        if internal is not _key:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead "
                "(e.g., RaggedTensor.from_row_lengths())"
            )
        self._values: Any = values
        self._row_partition: RowPartition = row_partition
        load_overrides("tapegrad.ragged.overrides")

    # --- Constructors, from values and one of the representations of a partition

    @classmethod
    @public
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` is ``values[row_splits[i]:row_splits[i + 1]]``.

        >>> tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 3])
        <tf.RaggedTensor [[3, 1], [4]]>
        """
        values, splits = together(values, row_splits, "row_splits")
        return joined(values, RowPartition.from_row_splits(splits, validate), validate)

    @classmethod
    @public
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of the given lengths.

        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4], [1, 2])
        <tf.RaggedTensor [[3], [1, 4]]>
        """
        values, lengths = together(values, row_lengths, "row_lengths")
        return joined(values, RowPartition.from_row_lengths(lengths, validate), validate)

    @classmethod
    @public
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """``values[i]`` is in the row ``value_rowids[i]``.

        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2], nrows=4)
        <tf.RaggedTensor [[3, 1], [], [4], []]>
        """
        values, rowids = together(values, value_rowids, "value_rowids")
        if rowids.shape[0] != nrows_of(values):
            raise ValueError(
                f"Shapes ({nrows_of(values)},) and ({rowids.shape[0]},) are incompatible: "
                "value_rowids must hold a number for each of values."
            )
        partition = RowPartition.from_value_rowids(rowids, nrows, validate)
        return joined(values, partition, validate)

    @classmethod
    @public
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` begins with ``values[row_starts[i]]``.

        >>> tf.RaggedTensor.from_row_starts([3, 1, 4], [0, 2])
        <tf.RaggedTensor [[3, 1], [4]]>
        """
        values, starts = together(values, row_starts, "row_starts")
        partition = RowPartition.from_row_starts(starts, nrows_of(values), validate)
        return joined(values, partition, validate)

    @classmethod
    @public
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` ends before ``values[row_limits[i]]``.

        >>> tf.RaggedTensor.from_row_limits([3, 1, 4], [2, 3])
        <tf.RaggedTensor [[3, 1], [4]]>
        """
        values, limits = together(values, row_limits, "row_limits")
        return joined(values, RowPartition.from_row_limits(limits, validate), validate)

    @classmethod
    @public
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """Rows that all have one length. The shape of the result has this length.

        >>> rt = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[3], [1, 4]]), 1)
        >>> rt, rt.shape
        (<tf.RaggedTensor [[[3]], [[1, 4]]]>, TensorShape([2, 1, None]))
        """
        values = values_of(values)
        partition = RowPartition.from_uniform_row_length(
            uniform_row_length,
            nrows_of(values),
            nrows,
            validate,
            dtype=values._row_partition.dtype if isinstance(values, RaggedTensor) else None,
        )
        return joined(values, partition, validate)

    @classmethod
    @public
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several levels of rows, each by `from_value_rowids`, the outermost first."""
        levels = levels_of(nested_value_rowids, "nested_value_rowids")
        counts = (
            [None] * len(levels)
            if nested_nrows is None
            else levels_of(nested_nrows, "nested_nrows")
        )
        if len(counts) != len(levels):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as `nested_value_rowids`. "
                f"len(nested_nrows) = {len(counts)} vs. len(nested_values_rowids) = {len(levels)}."
            )
        result = flat_values
        for rowids, count in zip(reversed(levels), reversed(counts), strict=True):
            result = cls.from_value_rowids(result, rowids, count, validate=validate)
        return result

    @classmethod
    @public
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several levels of rows, each by `from_row_splits`, the outermost first.

        >>> tf.RaggedTensor.from_nested_row_splits([3, 1, 4], [[0, 1, 2], [0, 2, 3]])
        <tf.RaggedTensor [[[3, 1]], [[4]]]>
        """
        result = flat_values
        for splits in reversed(levels_of(nested_row_splits, "nested_row_splits")):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    @public
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several levels of rows, each by `from_row_lengths`, the outermost first."""
        result = flat_values
        for lengths in reversed(levels_of(nested_row_lengths, "nested_row_lengths")):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    @public
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> RaggedTensor:
        """A dense tensor as a ragged one.

        >>> tf.RaggedTensor.from_tensor([[3, 1, 0], [4, 0, 0]], padding=0)
        <tf.RaggedTensor [[3, 1], [4]]>
        >>> tf.RaggedTensor.from_tensor([[3, 1, 0], [4, 0, 0]], lengths=[1, 2])
        <tf.RaggedTensor [[3], [4, 0]]>

        Args:
            tensor: the values, of rank 2 or more.
            lengths: how many elements of each row to keep, or a tuple of such vectors, one for each ragged
                axis, the outermost first.
            padding: the value that is left out at the end of rows.
            ragged_rank: how many axes of the result, after the first, are partitioned.
            name: accepted and ignored.
            row_splits_dtype: int32 or int64.
        """
        from tapegrad.ragged.convert import from_dense

        return from_dense(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    @public
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
    ) -> RaggedTensor:
        """A sparse tensor of rank 2, in which each row's elements come first, as a ragged one."""
        from tapegrad.ragged.convert import from_sparse

        return from_sparse(st_input, row_splits_dtype)

    # --- What it consists of

    @property
    def values(self) -> Any:
        """The rows one after the other: a tensor, or a ragged tensor with one axis less."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values  # type: ignore[no-any-return]

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins in `values`, and behind them the number of values."""
        return self._row_partition.row_splits()

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """`row_splits` of every level, the outermost first."""
        return tuple(partition.row_splits() for partition in self._nested_row_partitions)

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        partitions: list[RowPartition] = []
        values: Any = self
        while isinstance(values, RaggedTensor):
            partitions.append(values._row_partition)
            values = values._values
        return tuple(partitions)

    @property
    def ragged_rank(self) -> int:
        """The number of levels of rows."""
        return len(self._nested_row_partitions)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, if the tensor was made with one length for all; else None."""
        return self._row_partition.uniform_row_length()

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for the sizes of ragged axes."""
        partition = self._row_partition
        return TensorShape(
            [partition.static_nrows, partition.static_uniform_row_length]
        ).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The shape, like `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Raise unless the shape is compatible with ``shape``."""
        self.shape.assert_is_compatible_with(shape)

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each of `values`."""
        return self._row_partition.value_rowids()

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """`value_rowids` of every level, the outermost first."""
        return tuple(partition.value_rowids() for partition in self._nested_row_partitions)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        dtype = self._row_partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        return constant(self._row_partition.static_nrows, dtype)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins in `values`."""
        return self._row_partition.row_starts()

    def row_limits(self, name: str | None = None) -> Tensor:
        """Before which of `values` each row ends."""
        return self._row_partition.row_limits()

    def row_lengths(self, axis: Any = 1, name: str | None = None) -> Any:
        """The length of each row: along ``axis`` 1, or those of the rows further inside.

        >>> rt = tf.ragged.constant([[[3, 1], [4]], []])
        >>> rt.row_lengths().numpy(), rt.row_lengths(axis=2)
        (array([2, 0]), <tf.RaggedTensor [[2, 1], []]>)
        """
        place = axis_of(static_int(axis), self.shape.rank)
        if place == 0:
            return self.nrows()
        if place == 1:
            return self._row_partition.row_lengths()
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(place - 1))
        shape = self._values._shape_tuple()
        from tapegrad.ops.shape.creation import fill

        lengths = fill(shape[: place - 1], constant(shape[place - 1], self._row_partition.dtype))
        return self.with_values(lengths)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """`row_lengths` of every level, the outermost first."""
        return tuple(partition.row_lengths() for partition in self._nested_row_partitions)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest dense tensor that holds this one.

        >>> tf.ragged.constant([[3, 1], [], [4]]).bounding_shape().numpy()
        array([3, 2])
        """
        dtype = self._row_partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        sizes: list[Any] = [self.nrows(dtype)]
        for partition in self._nested_row_partitions:
            # What is the largest of no lengths is below 0.
            longest = maximum(reduce_max(partition.row_lengths(), axis=0), 0)
            sizes.append(cast(longest, dtype))
        sizes += [constant(size, dtype) for size in self.flat_values._shape_tuple()[1:]]
        whole = stack(sizes)
        return whole if axis is None else gather(whole, axis)

    # --- Ragged tensors with the same rows

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values."""
        values = values_of(new_values)
        mine = self._values
        if nrows_of(values) != nrows_of(mine):
            raise ValueError(
                f"Shapes ({nrows_of(mine)},) and ({nrows_of(values)},) are incompatible: "
                "new_values must be as many as values."
            )
        partition = self._row_partition
        if isinstance(values, RaggedTensor) and values._row_partition.dtype is not partition.dtype:
            partition = partition.with_dtype(dtypes.int64)
            values = values.with_row_splits_dtype(dtypes.int64)
        return tensor_of(values, partition)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows, at all levels, of other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same tensor with its rows given in numbers of ``dtype``, int32 or int64."""
        wanted = dtypes.as_dtype(dtype)
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(wanted)
        return tensor_of(values, self._row_partition.with_dtype(wanted))

    def merge_dims(self, outer_axis: Any, inner_axis: Any) -> Any:
        """The axes from ``outer_axis`` to ``inner_axis`` as one.

        >>> tf.ragged.constant([[[3, 1], [4]], [], [[1]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[3, 1, 4], [], [1]]>
        """
        from tapegrad.ragged.arrange import merge_dims

        return merge_dims(self, outer_axis, inner_axis)

    # --- To other kinds

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A dense tensor, in which rows are padded with ``default_value`` (by default zero).

        >>> tf.ragged.constant([[3, 1], [], [4]]).to_tensor().numpy().tolist()
        [[3, 1], [0, 0], [4, 0]]

        Args:
            default_value: the padding of rows, of the dtype of the values.
            name: accepted and ignored.
            shape: the shape of the result. None means as many as there are; what exceeds a size
                is cut off.
        """
        from tapegrad.ragged.convert import to_dense

        return to_dense(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor with the same elements at the same indices."""
        from tapegrad.ragged.convert import to_sparse

        return to_sparse(self)

    def to_list(self) -> list[Any]:
        """The elements in nested lists.

        >>> tf.ragged.constant([[3, 1], [], [4]]).to_list()
        [[3, 1], [], [4]]
        """
        values = self._values
        rows: list[Any] = (
            values.to_list() if isinstance(values, RaggedTensor) else values.numpy().tolist()
        )
        splits = static_value(self.row_splits, "list").tolist()
        return [rows[start:limit] for start, limit in itertools.pairwise(splits)]

    def numpy(self) -> Any:
        """An array: of arrays for the rows, unless the rows all have one shape.

        >>> tf.ragged.constant([[3, 1], [4, 1]]).numpy().tolist()
        [[3, 1], [4, 1]]
        """
        from tapegrad.ragged.convert import to_numpy

        return to_numpy(self)

    def consumers(self) -> list[Any]:
        """An empty list: without a graph, nothing is known to use the tensor."""
        return []

    # --- As Python sees it

    def __getitem__(self, key: Any) -> Any:
        from tapegrad.ragged.getitem import getitem

        return getitem(self, key)

    def __iter__(self) -> Iterator[Any]:
        splits = static_value(self.row_splits, "iteration").tolist()
        for start, limit in itertools.pairwise(splits):
            yield self._values[start:limit]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> NoReturn:
        raise ValueError(
            "A RaggedTensor does not convert to a tensor, because its rows may have different lengths: "
            "rt.to_tensor() fills them up, and rt.values is the tensor of all rows one after the other."
        )

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        from tapegrad.ragged.convert import text_of

        return f"<tf.RaggedTensor {text_of(self)}>"

    def _printed(self, summarize: int) -> str:
        """What `tf.print` and `tf.strings.format` show."""
        from tapegrad.ragged.convert import shown

        return shown(self, summarize)

    def __reduce__(self) -> tuple[Any, ...]:
        return (tensor_of, (self._values, self._row_partition))

    # --- How `nest`, tapes and specs take it apart and put it together

    def _nest_components(self) -> list[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def _nest_rebuild(self, components: list[Any]) -> Any:
        result, *levels = components
        mine = self._nested_row_partitions
        for splits, before in zip(reversed(levels), reversed(mine), strict=True):
            uniform = before.static_uniform_row_length
            if uniform is not None and splits is not before.row_splits():
                uniform = uniform if have_one_length(splits, uniform) else None
            result = tensor_of(result, partition_of_splits(splits, uniform=uniform))
        return result

    @property
    def _type_spec(self) -> Any:
        from tapegrad.ragged.spec import RaggedTensorSpec

        return RaggedTensorSpec.from_value(self)

    is_tensor_like = True  # for `tf.is_tensor`
    # Of two operands NumPy leaves the operator to the one of higher priority.
    __array_priority__ = 100

    # --- Operators: each calls the op behind the operator of tensors

    __add__, __radd__ = left_and_right(math.add)
    __sub__, __rsub__ = left_and_right(math.subtract)
    __mul__, __rmul__ = left_and_right(math.multiply)
    __truediv__, __rtruediv__ = left_and_right(math.truediv)
    __floordiv__, __rfloordiv__ = left_and_right(math.floordiv)
    __mod__, __rmod__ = left_and_right(math.floormod)
    __pow__, __rpow__ = left_and_right(math.pow)
    __and__, __rand__ = left_and_right(logic.logical_and)
    __or__, __ror__ = left_and_right(logic.logical_or)
    __xor__, __rxor__ = left_and_right(logic.logical_xor)
    __lt__, __le__ = on_the_left(logic.less), on_the_left(logic.less_equal)
    __gt__, __ge__ = on_the_left(logic.greater), on_the_left(logic.greater_equal)

    def __neg__(self) -> Any:
        return math.negative(self)

    def __abs__(self) -> Any:
        return absolute(self)

    def __invert__(self) -> Any:
        return logic.logical_not(self)

    def __eq__(self, other: Any) -> Any:
        try:
            return logic.equal(self, other)
        except _NOT_COMPARED:
            return False

    def __ne__(self, other: Any) -> Any:
        try:
            return logic.not_equal(self, other)
        except _NOT_COMPARED:
            return True


_key = object()

# Shapes that do not broadcast, and what is no tensor of this dtype: these are unequal, as in TensorFlow.
_NOT_COMPARED = (InvalidArgumentError, TypeError, ValueError)


def tensor_of(values: Any, partition: RowPartition) -> RaggedTensor:
    """The ragged tensor of these parts, unchecked."""
    return RaggedTensor(values, partition, internal=_key)


def values_of(values: Any) -> Any:
    """``values`` as a tensor or a ragged tensor."""
    return values if isinstance(values, RaggedTensor) else convert(values)


def check_ragged(value: Any, name: str) -> RaggedTensor:
    """Raise unless ``value`` is a ragged tensor."""
    if not isinstance(value, RaggedTensor):
        raise TypeError(f"{name} must be a RaggedTensor here, not {type(value).__name__}.")
    return value


def together(values: Any, partition: Any, name: str) -> tuple[Any, Tensor]:
    """``values`` as a tensor, and the vector ``partition`` of the dtype that goes with them."""
    values = values_of(values)
    if not isinstance(values, RaggedTensor):
        return values, partition_tensor(partition, name)
    dtype = values._row_partition.dtype
    if not isinstance(partition, Operand):
        return values, partition_tensor(partition, name, dtype)
    tensor = partition_tensor(partition, name)
    if tensor.dtype is not dtype:
        raise ValueError(
            f"{name} must have the dtype of the row_splits of values, {dtype.name}, "
            f"not {tensor.dtype.name}: use tf.cast, or values.with_row_splits_dtype()."
        )
    return values, tensor


def joined(values: Any, partition: RowPartition, validate: bool) -> RaggedTensor:
    """The ragged tensor of these parts. With ``validate``, the partition must be one of as many values."""
    if not isinstance(values, RaggedTensor) and not values.ndim:
        refuse("The values of a RaggedTensor must have rank 1 or more; a scalar came.")
    if validate and partition.static_nvals != nrows_of(values):
        refuse(
            "Arguments to _from_row_partition do not form a valid RaggedTensor: the rows hold "
            f"{partition.static_nvals} values, and there are {nrows_of(values)}."
        )
    return tensor_of(values, partition)


def levels_of(levels: Any, name: str) -> list[Any]:
    if isinstance(levels, Operand):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received a Tensor.")
    return list(levels)


def nrows_of(values: Any) -> int:
    """The size of the first axis of a tensor or a ragged tensor."""
    if isinstance(values, RaggedTensor):
        return values._row_partition.static_nrows
    shape = values._shape_tuple()
    if not shape:
        refuse("The values of a RaggedTensor must have rank 1 or more; a scalar came.")
    count: int = shape[0]
    return count


def axis_of(axis: int, rank: int | None, name: str = "axis") -> int:
    """``axis`` counted from the front."""
    if rank is None or not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-(rank or 0)}<={name}<{rank}")
    return axis % rank


def same_rows(first: RaggedTensor, second: RaggedTensor) -> bool:
    """Whether two ragged tensors have the same rows at all levels."""
    a, b = first._nested_row_partitions, second._nested_row_partitions
    return len(a) == len(b) and all(
        same_partition(one, other) for one, other in zip(a, b, strict=True)
    )


def rebuilt(values: Any, partitions: Sequence[RowPartition]) -> Any:
    """A ragged tensor of ``values`` with these partitions, the outermost first."""
    for partition in reversed(partitions):
        values = tensor_of(values, partition)
    return values
