"""`named_ops`: profiles by cProfile, or another profiler of Python, that show each op."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from keyword import iskeyword
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
        core.profile_by(
            {op: _named_op(op) for op in core.registry.values()},
            tuple(_named_operator(name) for name in SLOT_NAMES),
        )
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            core.profile_by({}, ())


def is_active() -> bool:
    """Whether a `named_ops` context is open."""
    return _depth > 0


def _named_op(op: core.Op) -> Callable[..., Any]:
    return _named(
        op.__name__,
        "(*args, **keywords): return call(op, args, keywords)",
        f"<tapegrad op {op.type}>",
        {"call": profiling.call, "op": op},
    )


def _named_operator(name: str) -> Callable[..., Any]:
    # The operators `and` and `or` are called so in profiles too, and no function can be.
    return _named(
        f"{name}_" if iskeyword(name) else name,
        "(slot, *operands): return operate(slot, *operands)",
        "<tapegrad operator>",
        {"operate": profiling.operate},
    )


def _named(name: str, rest: str, file: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """A function with the name and file that profiles and tracebacks are to show."""
    exec(compile(f"def {name}{rest}", file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function
