"""`named_ops`: profiles by cProfile, or another profiler of Python, that show each op."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapegrad import core
from tapegrad.core import profiling
from tapegrad.core.operators import SLOT_NAMES

__all__ = ["named_ops"]

_depth = 0


def __dir__() -> list[str]:
    """The public names, for completion."""
    return __all__


@contextmanager
def named_ops() -> Iterator[None]:
    """A context in which each op is called by way of a Python function with the op's name.

    Profilers see Python functions, and ops are not: profilers count their time as that of the caller.
    In this context a profile has a line for each op, such as ``<tapegrad op Tanh>:1(tanh)``, and one for each
    operator, ``<tapegrad operator>:1(add)``.

    >>> import cProfile, pstats
    >>> from tapegrad.profiling import named_ops
    >>> x = tf.ones([3, 3])
    >>> with named_ops(), cProfile.Profile() as profile:
    ...     y = tf.tanh(x) + x
    >>> sorted(line for line in pstats.Stats(profile).stats if "tapegrad op" in line[0])
    [('<tapegrad op Tanh>', 1, 'tanh'), ('<tapegrad operator>', 1, 'add')]

    The context is for all threads, and adds about a microsecond to each call. Outside of it nothing is
    slower. Of the walk over a tape, profiles show the rules that are called as Python functions. The time
    of rules that run as programs or fast forms counts as that of `tf.GradientTape.gradient`.
    """
    global _depth
    if _depth == 0:
        core.load_ops()
        profiling.reroute(
            {op: _named_op(op) for op in core.registry.values()},
            tuple(_named_operator(name) for name in SLOT_NAMES),
        )
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            profiling.restore()


def is_active() -> bool:
    """Whether a `named_ops` context is open."""
    return _depth > 0


def _named_op(op: core.Op) -> Callable[..., Any]:
    def call(*args: Any, **keywords: Any) -> Any:
        return profiling.call(op, args, keywords)

    return _renamed(call, op.__name__, f"<tapegrad op {op.type}>")


def _named_operator(name: str) -> Callable[..., Any]:
    def call(slot: int, *operands: Any) -> Any:
        return profiling.operate(slot, *operands)

    return _renamed(call, name, "<tapegrad operator>")


def _renamed(function: Any, name: str, file: str) -> Callable[..., Any]:
    """``function`` with the name and file that profiles and tracebacks are to show."""
    function.__code__ = function.__code__.replace(
        co_name=name, co_qualname=name, co_filename=file, co_firstlineno=1
    )
    function.__name__ = function.__qualname__ = name
    return function  # type: ignore[no-any-return]
