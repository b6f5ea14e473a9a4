"""``SymbolicTensor``, a tensor with a dtype and a shape and no values, and errors for who asks for values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from tapegrad.core import EagerTensor, Tensor, callbacks, registry, static_value
from tapegrad.dtypes import DType
from tapegrad.errors import OperatorNotAllowedInGraphError
from tapegrad.framework.names import current_graph, default_sessions
from tapegrad.framework.shape import TensorShape
from tapegrad.symbolic.worlds import NO_ELEMENTS, UnknownRank, World, dummy

if TYPE_CHECKING:
    from tapegrad.symbolic.operations import Operation

PUBLIC = {"__internal__": "SymbolicTensor EagerTensor"}

__all__ = ["EagerTensor", "NeedsValues", "SymbolicTensor"]


class NeedsValues(Exception):
    """A function asked for the values of a tensor that has none yet.

    What is raised has besides the class that TensorFlow raises in the same place.
    """


class NeedsTruth(NeedsValues, OperatorNotAllowedInGraphError):
    """Python asked a tensor without values whether it is true, or for its elements one by one."""


class NeedsNumber(NeedsValues, TypeError):
    """Python asked a tensor without values for a number."""


class NeedsArray(NeedsValues, NotImplementedError):
    """NumPy asked a tensor without values for them."""


class NeedsSizes(NeedsValues, ValueError):
    """A function failed on dummies, among which are whole numbers that it may take for sizes."""


class NeedsMethod(NeedsValues, AttributeError):
    """A program asked a tensor without values for a method that gives them."""


class Source(Protocol):
    """What symbolic tensors come from."""

    def leaves(self, world: World) -> list[Any]:
        """The results in a world."""
        ...


def session_for(what: str, session: Any) -> Any:
    """``session``, or the default one of this thread."""
    if session is None and not default_sessions():
        raise ValueError(
            f"Cannot {what}: No default session is registered. Use `with sess.as_default()` or pass an "
            "explicit session."
        )
    return default_sessions()[-1] if session is None else session


def _shape_of_sizes(sizes: Any) -> TensorShape:
    return shape_in_graphs(static_value(sizes, "sizes").tolist())


def shape_in_graphs(shape: Any) -> TensorShape:
    """``shape`` with None for what is no int: an abstract array's sizes mean nothing outside of its world."""
    known = TensorShape(shape)
    if known.rank is None:
        return known
    return TensorShape([size if type(size) is int else None for size in known])


class SymbolicTensor(Tensor):
    """A tensor of which dtype and shape are known, as far as the program tells, and no value.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
    ...     x, tf.transpose(x).shape
    (<tf.Tensor 'x:0' shape=(None, 3) dtype=float32>, TensorShape([3, None]))
    """

    # Tensors keep what users set in a dict of their own, unless the class has the name.
    _source: Any = None
    _place = 0
    _dtype: Any = None
    _known: Any = None
    _pinned: Any = None
    _operation: Any = None
    _tapes: Any = ()
    fixed: Any = None

    def __init__(
        self, source: Source, place: int, dtype: DType, shape: TensorShape, operation: Operation
    ) -> None:
        self._source = source
        self._place = place
        self._dtype = dtype
        self._known = shape
        self._pinned: dict[World, EagerTensor] | None = None
        self._operation = operation
        self._output = len(operation.outputs)
        self.fixed: dict[World, Any] = {}  # what the tensor is where `tf.gradients` says so
        operation.outputs.append(self)

    def in_world(self, world: World) -> Any:
        """The tensor as it is in a world."""
        if type(world) is not World:
            return world.value_of(self)  # type: ignore[attr-defined]  # the values of a run
        inside = self._operation.graph.inside
        if inside is not None:
            inside.captured[id(self)] = self
        tensor = self.fixed[world] if world in self.fixed else self._value_in(world)
        for tape, worlds in self._tapes:
            if world not in worlds:
                worlds.add(world)
                if tape._tape is not None and tape._tape.is_recording:
                    tape.watch(tensor)
        return tensor

    def watched_by(self, tape: Any) -> None:
        """Let ``tape`` watch the tensor in each world, once it is used there."""
        trace = current_graph()
        if trace is not None and trace.world is not None:
            tape.watch(self.in_world(trace.world))
            return
        self._tapes = [*self._tapes, (tape, set())]

    def _value_in(self, world: World) -> Any:
        if self._pinned is None:
            return self._source.leaves(world)[self._place]
        if world not in self._pinned:
            self._pinned[world] = self._with_known_shape(world)
        return self._pinned[world]

    def _with_known_shape(self, world: World) -> Any:
        """The tensor in a world, where the program has said more of the shape than could be known."""
        try:
            tensor = self._source.leaves(world)[self._place]
        except UnknownRank:
            if self._known.rank is None:
                raise
        else:
            if world.fill == NO_ELEMENTS and self._known.rank is not None:
                tensor = registry["EnsureShape"](tensor, shape=self._known)
            if self._known.is_compatible_with(tensor.shape):
                return tensor
        sizes = [world.other if size is None else size for size in self._known]
        return dummy(tuple(sizes), self._dtype, world)

    @property
    def dtype(self) -> DType:
        """The DType of the elements."""
        return self._dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """The TensorShape, with None for each size that is unknown."""
        inside = callbacks().resolve(self)
        return self._known if inside is self else inside.shape  # type: ignore[no-any-return]

    def get_shape(self) -> TensorShape:
        """The TensorShape: ``.shape`` as a method."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Take the shape to be ``shape`` as well, where None stands for what is not said."""
        self._known = self._known.merge_with(shape_in_graphs(shape))
        self._pinned = {}

    @property
    def ndim(self) -> int:
        """How many axes the tensor has."""
        return len(self._shape_tuple())

    def _shape_tuple(self) -> tuple[Any, ...]:
        inside = callbacks().resolve(self)
        if inside is not self:
            return inside._shape_tuple()  # type: ignore[no-any-return]
        if self._known.rank is None:
            raise ValueError(f"The rank of {self!r} is unknown: say it with set_shape().")
        return tuple(self._known.as_list())

    def _as_shape(self) -> TensorShape:
        """The shape that a tensor of sizes stands for, with None where a size is unknown."""
        inside = self._inside()
        if inside is not None:
            return TensorShape(inside.numpy())
        return self._operation.graph.call(_shape_of_sizes, (self,), {})  # type: ignore[no-any-return]

    def _shape_as_list(self) -> Any:
        return None if self._known.rank is None else self._known.as_list()

    def _rank(self) -> Any:
        return self._known.rank

    @property
    def name(self) -> str:
        """The name of the op that made the tensor, and which of its results the tensor is."""
        return f"{self._operation.name}:{self._output}"

    @property
    def op(self) -> Operation:
        """What made the tensor."""
        return self._operation  # type: ignore[no-any-return]

    @property
    def graph(self) -> Any:
        """The `FuncGraph` in which the tensor was made."""
        return self._operation.graph

    @property
    def value_index(self) -> int:
        """Which result of its op the tensor is."""
        return self._output

    @property
    def device(self) -> str:
        """Empty: no device holds the tensor."""
        return ""

    def consumers(self) -> list[Any]:  # type: ignore[override]
        """An empty list: nobody keeps a list of what used the tensor."""
        return []

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self._known} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._known.rank is None else f", shape={self._known}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)

    def __deepcopy__(self, memo: Any) -> SymbolicTensor:
        return self

    def __reduce__(self) -> NoReturn:
        raise NeedsNumber(f"{self!r} has no values that could be pickled.")

    # What asks for values

    def _inside(self) -> Any:
        """The tensor in the world that runs now; None outside."""
        inside = callbacks().resolve(self)
        return None if inside is self else inside

    def __bool__(self) -> bool:
        inside = self._inside()
        if inside is None:
            answer = self._operation.graph.choose()
            if answer is not None:
                return answer  # type: ignore[no-any-return]
            raise NeedsTruth(
                f"Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: {self!r} has no "
                "value yet. Write tf.cond or tf.where, or run the function on real values."
            )
        return bool(inside)

    def __iter__(self) -> Iterator[Any]:
        inside = self._inside()
        if inside is not None:
            return iter(inside)
        if self._known.rank and self._known[0] is not None:
            return iter([self[i] for i in range(self._known[0])])
        goes_on = self._operation.graph.choose() if self._known.rank else None
        if goes_on is not None:
            return self._some_elements(goes_on)
        raise NeedsTruth(
            f"Iterating over a symbolic `tf.Tensor` is not allowed: how many elements {self!r} has "
            "is unknown. Write tf.map_fn or tf.while_loop."
        )

    def _some_elements(self, goes_on: bool | None) -> Iterator[Any]:
        """As many elements as answers say that there is one more. They are alike: none has a value."""
        while goes_on:
            yield self[0]
            goes_on = self._operation.graph.choose()

    def __len__(self) -> int:
        inside = self._inside()
        if inside is None:
            if self._known.rank and self._known[0] is not None:
                return int(self._known[0])  # as the `len` of TensorFlow's AutoGraph
            raise NeedsNumber(
                f"len is not well defined for a symbolic Tensor ({self.name}). "
                "Use x.shape, or tf.shape(x)[0], which is a tensor."
            )
        return len(inside)

    def _number(self, function: Any, wanted: str) -> Any:
        inside = self._inside()
        if inside is None:
            raise NeedsNumber(
                f"{wanted} cannot be made of {self!r}: it has no value yet, only a dtype and a shape."
            )
        return function(inside)

    def __int__(self) -> int:
        return self._number(int, "An int")  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._number(float, "A float")  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._number(complex, "A complex number")  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self._number(lambda inside: inside.__index__(), "An index")  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        inside = self._inside()
        if inside is None:
            raise NeedsArray(
                f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array: it has no "
                "values yet. Use TensorFlow's function of the same purpose instead of NumPy's."
            )
        return inside.__array__(dtype, copy)

    @property
    def numpy(self) -> Any:
        """Raises AttributeError: there are no values."""
        inside = self._inside()
        if inside is None:
            raise NeedsMethod(
                f"'SymbolicTensor' object has no attribute 'numpy': {self.name} has no values yet."
            )
        return inside.numpy

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value as NumPy's array: what the session gives, or the default one."""
        return session_for("evaluate tensor using `eval()`", session).run(self, feed_dict)

    def __hash__(self) -> int:  # type: ignore[override]  # other tensors are no keys
        if self.graph.building_function:
            raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
        return id(self)  # keys of `feed_dict`
