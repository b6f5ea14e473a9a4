"""``TensorShape``, the possibly incomplete shape of a tensor, and ``Dimension``, one axis of it.

The behaviour is TensorFlow 2's: a shape of known rank is a sequence of ints and None. ``Dimension`` objects
appear only in ``TensorShape.dims`` and ``tf.compat.dimension_at_index``, for programs that still ask for
them. While a function is recorded for open sizes, a dimension may be a `Size`: a comparison of shapes then
leaves guards.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, TypeVar, overload

from tapegrad.core.sizes import Size, is_unknown
from tapegrad.framework.absent import lacks

Other = TypeVar("Other")

PUBLIC = {
    ". compat.v1": "TensorShape",
    "compat.v1": "Dimension",
    "compat compat.v1 compat.v1.compat": "dimension_at_index dimension_value",
}


def _dimension_size(value: Any) -> Any:
    """The size of an axis as an int, or None if it is unknown. A `Size` stays one.

    Raises:
      TypeError: ``value`` is neither an integer nor None nor a Dimension.
      ValueError: It is negative.
    """
    if (type(value) is int and value >= 0) or value is None or is_unknown(value):
        return value
    if isinstance(value, Dimension):
        return value.value
    try:
        size = value if type(value) is Size else int(operator.index(value))
    except TypeError:
        raise TypeError(
            "A dimension must be an integer, None for an unknown one, "
            f"or an object with an __index__ method; got {value!r} of type {type(value).__name__}"
        ) from None
    if size < 0:
        raise ValueError(
            f"Dimension {size} must be >= 0; the size of an unknown dimension is written None"
        )
    return size


class SizeMessage:
    """One axis of a `ShapeMessage`."""

    __slots__ = ("name", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.name = ""


class ShapeMessage:
    """A shape with the fields of TensorFlow's message for shapes. It cannot be written as bytes."""

    __slots__ = ("dim", "unknown_rank")

    def __init__(self, shape: TensorShape) -> None:
        self.unknown_rank = shape.rank is None
        sizes = () if shape.rank is None else shape.as_list()
        self.dim = [SizeMessage(-1 if size is None else size) for size in sizes]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeMessage) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        lines = [f"dim {{\n  size: {dim.size}\n}}\n" for dim in self.dim]
        return "".join(lines) + ("unknown_rank: true\n" if self.unknown_rank else "")


def gets_none(frame: FrameType, sizes: Iterable[Any]) -> bool:
    """Whether a line of a library asks that makes ints of ``sizes``, and leaves alone what is None.

    In a recording for open sizes it gets None, then, as in TensorFlow's graphs. To others that
    would say less than an open size, by which they can decide. TensorFlow Probability gets None where a
    function is saved: it has another way for None, but not for all that it can do.
    """
    library = str(frame.f_globals.get("__name__")).partition(".")[0]
    if library == "tensorflow_probability":
        return any(
            type(size) is Size and size.scope is not None and size.scope.saves for size in sizes
        )
    return library in ("keras", "tf_keras")


@lacks(
    "TensorShape",
    "cast experimental_type_proto flatten from_tensors placeholder_value to_tensors",
)
class TensorShape:
    """The shape of a tensor. The rank or some dimensions may be unknown.

    >>> import tapegrad as tf
    >>> shape = tf.TensorShape([None, 3])
    >>> shape, shape[1], shape.rank, shape.is_compatible_with([5, 3])
    (TensorShape([None, 3]), 3, 2, True)
    >>> print(tf.TensorShape(None))
    <unknown>

    It compares equal to lists and tuples, and works where Python expects a sequence of ints.

    Args:
      dims: None for an unknown rank; an int, an iterable of ints and Nones, a TensorShape, or a
        tensor or array of integers.
    """

    __slots__ = ("_dims",)

    _dims: tuple[Any, ...] | None  # ints, sizes and None; None for all: unknown rank

    def __init__(self, dims: Any) -> None:
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, (tuple, list)):
            self._dims = tuple([_dimension_size(dimension) for dimension in dims])
        elif hasattr(dims, "unknown_rank"):
            # A message for a shape, TensorFlow's or ours, where -1 is an unknown size.
            sizes = (None if dim.size == -1 else _dimension_size(dim.size) for dim in dims.dim)
            self._dims = None if dims.unknown_rank else tuple(sizes)
        elif isinstance(dims, (str, bytes)):
            raise TypeError(f"A shape is an integer, None or a sequence of these; got {dims!r}")
        else:
            try:
                dimensions = iter(dims)
            except TypeError:  # one dimension: TensorShape(3) is the shape of a vector
                self._dims = (_dimension_size(dims),)
            else:
                self._dims = tuple([_dimension_size(dimension) for dimension in dimensions])

    @classmethod
    def _of(cls, dims: tuple[Any, ...]) -> TensorShape:
        """The shape with these ints or sizes, which are not checked: they are an array's."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """How many dimensions there are, or None if that is unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The older name of `rank`."""
        return None if self._dims is None else len(self._dims)

    @property
    def dims(self) -> list[Dimension] | None:
        """A list of Dimension objects, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """The dimensions as a list of ints, with None for each unknown one.

        Raises:
          ValueError: Not even the rank is known.
        """
        if self._has_sizes() and gets_none(sys._getframe(1), self._dims or ()):
            return [None if type(size) is Size else size for size in self._dims or ()]
        return list(self._known("as_list() has no answer for"))

    def is_fully_defined(self) -> bool:
        """Whether the rank and every dimension are known."""
        if self._has_sizes() and gets_none(sys._getframe(1), self._dims or ()):
            return False
        return self._dims is not None and not any(map(_is_missing, self._dims))

    def _has_sizes(self) -> bool:
        """Whether a dimension is a `Size`."""
        return self._dims is not None and any(type(size) is Size for size in self._dims)

    def num_elements(self) -> int | None:
        """How many elements a tensor of this shape holds, or None if that is unknown."""
        if self._dims is None:
            return None
        product = 1
        for size in self._dims:
            if _is_missing(size):
                return None
            product *= size
        return product

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one tensor could have both shapes: unknown parts fit anything."""
        theirs = _as_shape(other)._dims
        if self._dims is None or theirs is None:
            return True
        return len(self._dims) == len(theirs) and all(
            mine is size  # no call for what is asked most
            or (mine == size if type(mine) is int and type(size) is int else _may_be(mine, size))
            for mine, size in zip(self._dims, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless one tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {_as_shape(other)} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """The sizes known from either shape; ValueError if they contradict each other.

        >>> import tapegrad as tf
        >>> tf.TensorShape([None, 2]).merge_with([3, None])
        TensorShape([3, 2])
        """
        shape = _as_shape(other)
        if self._dims is None:
            return shape
        if shape._dims is None:
            return self
        if not self.is_compatible_with(shape):
            raise ValueError(f"Shapes {self} and {shape} are not compatible")
        return TensorShape(
            [
                theirs if _is_missing(mine) else mine
                for mine, theirs in zip(self._dims, shape._dims, strict=True)
            ]
        )

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape followed by those of ``other``."""
        other = _as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return _as_shape(other).concatenate(self)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape also has the shape ``other``."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        return (
            self._dims is not None
            and len(self._dims) == len(other._dims)
            and all(
                _is_missing(theirs) or (not _is_missing(mine) and mine == theirs)
                for mine, theirs in zip(self._dims, other._dims, strict=True)
            )
        )

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that tensors of either shape have: None where the two differ.

        >>> import tapegrad as tf
        >>> tf.TensorShape([3, 2]).most_specific_compatible_shape([3, 5])
        TensorShape([3, None])
        """
        other = _as_shape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return unknown_shape()
        return TensorShape(
            [
                mine
                if not _is_missing(mine) and not _is_missing(theirs) and mine == theirs
                else None
                for mine, theirs in zip(self._dims, other._dims, strict=True)
            ]
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """The narrowest shape that covers this and all the others; None if one is not a shape."""
        shape = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            shape = shape.most_specific_compatible_shape(other)
        return shape

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have that rank; ValueError if it has another."""
        if self._dims is None:
            return unknown_shape(rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if it is known to have a lower rank."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if it is known to have a higher rank."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int | None) -> None:
        """Raise ValueError if the rank is known and different."""
        if self._dims is not None and rank is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ."""
        other = _as_shape(other)
        if self._dims is not None and other._dims is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def as_proto(self) -> ShapeMessage:
        """The fields of TensorFlow's message: ``dim``, each with a ``size``, and ``unknown_rank``.

        >>> [dim.size for dim in tf.TensorShape([2, None]).as_proto().dim]
        [2, -1]
        """
        return ShapeMessage(self)

    experimental_as_proto = as_proto

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> TensorShape:
        """The shape in a message, which is TensorFlow's or what `as_proto` gives."""
        return cls(proto)

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError if the rank or a dimension is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def _known(self, what_for: str) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError(f"{what_for} a shape of unknown rank")
        return self._dims

    def __len__(self) -> int:
        return len(self._known("There is no length to"))

    def __bool__(self) -> bool:
        """Whether the rank is known, as in TensorFlow: the shape of a scalar is true."""
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known("There are no dimensions to iterate over in"))

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: Any) -> int | None: ...
    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape._of(self._dims[key])
            return self._dims[key]
        if isinstance(key, slice):
            return _slice_of_unknown(key)
        return None

    def __eq__(self, other: Any) -> bool:
        try:
            theirs = _as_shape(other)._dims
        except TypeError:
            return NotImplemented
        except ValueError:  # a negative size: no shape at all
            return False
        if self._dims is None or theirs is None or len(self._dims) != len(theirs):
            return self._dims is theirs  # tuples of other lengths would be compared size by size
        return self._dims == theirs

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(tuple(map(_printed, self._dims)))

    def __repr__(self) -> str:
        sizes = None if self._dims is None else [*map(_printed, self._dims)]
        return f"TensorShape({sizes})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)


def _may_be(size: Any, other: Any) -> bool:
    """Whether both may be one size: they are equal, or one is unknown."""
    return _is_missing(size) or _is_missing(other) or bool(size == other)


def _is_missing(size: Any) -> bool:
    """Whether only a run tells how long an axis is."""
    return size is None or is_unknown(size)


def _printed(size: Any) -> Any:
    """A size as shapes show it: None where it is open, as TensorFlow's graphs have it."""
    return None if type(size) is Size else size


def _as_shape(value: Any) -> TensorShape:
    return value if isinstance(value, TensorShape) else TensorShape(value)


def _slice_of_unknown(key: slice) -> TensorShape:
    """A slice of a shape of unknown rank. At most its rank is known."""
    if key.step not in (None, 1):
        raise ValueError(f"A shape of unknown rank cannot be sliced in steps; got step {key.step}")
    start = 0 if key.start is None else operator.index(key.start)
    if key.stop is None:
        return unknown_shape()
    stop = operator.index(key.stop)
    if start < 0 or stop < 0:
        return unknown_shape()
    return unknown_shape(max(stop - start, 0))


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape of unknown rank, or with unknown sizes."""
    return TensorShape(None if rank is None else [None] * rank)


class Dimension:
    """The size of one axis, or None; found in ``TensorShape.dims`` and in old programs.

    Arithmetic with an unknown size gives an unknown size. A comparison with one, such as ``==``, gives None,
    as in TensorFlow.
    """

    __slots__ = ("value",)

    value: Any  # an int, a `Size` or None

    # Equality has three answers, and no hash can agree with that.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        size = _dimension_size(value)
        self.value = None if is_unknown(size) else size

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the two sizes are equal or one of them is unknown."""
        size = _dimension_size(other)
        return self.value is None or size is None or self.value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if the sizes are known and differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The known one of the two sizes; ValueError if both are known and differ."""
        self.assert_is_compatible_with(other)
        return Dimension(other if self.value is None else self.value)

    def __eq__(self, other: Any) -> Any:
        try:
            size = _dimension_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self.value is None or size is None else self.value == size

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is None or equal is NotImplemented else not equal

    def __int__(self) -> int:
        if type(self.value) is Size:
            return int(self.value)
        return self.value  # type: ignore[no-any-return]  # Python refuses None in its own words

    def __index__(self) -> int:
        return self.__int__()

    def __bool__(self) -> bool:
        return bool(self.value)

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self.value,)

    def _compare(self, other: Any, compare: Any) -> Any:
        size = _dimension_size(other)
        return None if self.value is None or size is None else compare(self.value, size)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge)

    def _combine(self, other: Any, combine: Any, swapped: bool = False) -> Any:
        try:
            size = _dimension_size(other)
        except TypeError:
            return NotImplemented
        if self.value is None or size is None:
            return Dimension(None)
        return Dimension(combine(size, self.value) if swapped else combine(self.value, size))

    def __add__(self, other: Any) -> Any:
        return self._combine(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._combine(other, operator.add, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, operator.sub, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._combine(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._combine(other, operator.mul, swapped=True)

    def __floordiv__(self, other: Any) -> Any:
        return self._combine(other, operator.floordiv)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._combine(other, operator.floordiv, swapped=True)

    def __mod__(self, other: Any) -> Any:
        return self._combine(other, operator.mod)

    def __rmod__(self, other: Any) -> Any:
        return self._combine(other, operator.mod, swapped=True)


@overload
def dimension_value(dimension: Dimension) -> int | None: ...
@overload
def dimension_value(dimension: Other) -> Other: ...
def dimension_value(dimension: Any) -> Any:
    """The int or None in a Dimension; anything else unchanged.

    >>> tf.compat.dimension_value(tf.compat.v1.Dimension(3)), tf.compat.dimension_value(3)
    (3, 3)

    Args:
        dimension: a `tf.compat.v1.Dimension`, an int or None.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The Dimension at ``index``, an unknown one if the rank of ``shape`` is unknown.

    >>> tf.compat.dimension_at_index(tf.TensorShape([2, None]), 0)
    Dimension(2)

    Args:
        shape: a `tf.TensorShape`.
        index: the number of the axis; negative numbers count from the end.
    """
    return Dimension(None if shape.rank is None else shape[index])
