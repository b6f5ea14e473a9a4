"""Nests of what has no values, and objects among it that hold tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapegrad.core import Op
from tapegrad.framework.names import current_graph
from tapegrad.framework.nest import (
    COMPOSITE,
    ITEMS,
    LEAF,
    SLICE,
    Walker,
    children_of,
    container_kind,
)
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.worlds import World

if TYPE_CHECKING:
    from tapegrad.symbolic.inference import Call
    from tapegrad.symbolic.tracing import Trace


def current() -> Trace | None:
    """The trace of this thread that is open, and not left by `init_scope`."""
    return current_graph()  # type: ignore[no-any-return]


def _look_at(type_: type) -> int:
    """A ragged tensor is a leaf: where it has no values it is an object of its own."""
    if hasattr(type_, "_nest_components") and not hasattr(type_, "ragged_rank"):
        return COMPOSITE
    return container_kind(type_)


NESTS = Walker(_look_at)
ARGUMENTS = Walker(lambda type_: SLICE if type_ is slice else _look_at(type_))


def is_symbolic(leaf: Any) -> bool:
    """Whether a leaf is without values."""
    return type(leaf) is SymbolicTensor or type(leaf) is SymbolicObject


def symbolic_in(value: Any) -> list[Any]:
    """The leaves of a nest that have no values."""
    return [leaf for leaf in ARGUMENTS.flatten(value) if is_symbolic(leaf)]


def holds_symbolic(value: Any) -> bool:
    """Whether something in a nest has no values."""
    return bool(symbolic_in(value))


def substitute(value: Any, world: World) -> Any:
    """``value`` with all that has no values as it is in a world."""
    return ARGUMENTS.replace(
        lambda leaf: leaf.in_world(world) if is_symbolic(leaf) else leaf, value
    )


def structure(value: Any, leaves: list[Any]) -> Any:
    """A description of a nest, which is equal for equal nests. Its leaves are added to ``leaves``."""
    kind = NESTS.kind_of(value)
    if kind == LEAF:
        leaves.append(value)
        return "leaf"
    keys = tuple(value) if kind == ITEMS else ()
    parts = [structure(part, leaves) for part in children_of(value, kind)]
    return (type(value), keys, tuple(parts))


class SymbolicObject:
    """An object, such as a TensorArray, that holds other tensors in each world. Its methods run in both."""

    def __init__(self, source: Call, place: int, kind: type) -> None:
        self._source = source
        self._place = place
        self._kind = kind

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self._kind

    def in_world(self, world: World) -> Any:
        """The object as it is in a world."""
        if type(world) is not World:
            return world.value_of(self)  # type: ignore[attr-defined]  # the values of a run
        inside = self._source.trace.inside
        if inside is not None:
            inside.captured[id(self)] = self
        return self._source.leaves(world)[self._place]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        trace = self._source.trace
        if trace.world is not None:
            return getattr(self.in_world(trace.world), name)
        if callable(getattr(self._kind, name, None)):

            def method(*args: Any, **kwargs: Any) -> Any:
                return trace.call(_calling(name), (self, *args), kwargs)

            return method
        return trace.call(getattr, (self, name), {})


def _calling(name: str) -> Callable[..., Any]:
    def call(instance: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(instance, name)(*args, **kwargs)

    call.__name__ = name
    return call


def _operator(name: str) -> Callable[..., Any]:
    called = _calling(name)

    def operate(self: Any, *operands: Any) -> Any:
        result = lift(called, (self, *operands), {})
        if result is NotImplemented:
            raise TypeError(f"{self._kind.__name__} without values is out of scope here.")
        return result

    return operate


for _word in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv mod pow neg abs lt le gt ge getitem"
).split():
    setattr(SymbolicObject, f"__{_word}__", _operator(f"__{_word}__"))


def lift(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``function`` gives in two worlds; NotImplemented if no argument is without values."""
    trace = current()
    if trace is None or not holds_symbolic((args, kwargs)):
        return NotImplemented
    if trace.world is not None:
        args, kwargs = substitute((args, kwargs), trace.world)
        return function(*args, **kwargs)
    made = function if isinstance(function, Op) else getattr(function, "__self__", None)
    if isinstance(made, Op) and (made.effect or "").startswith("writes table"):
        return trace.defer(function, args, kwargs, [])  # a table would keep the dummies
    return trace.call(function, args, kwargs)
