"""`named_ops`: profiles by cProfile, or another profiler of Python, that show each op.

`begin` and `end` are for profilers of ours, which put a function of their own around each op: one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from keyword import iskeyword
from threading import Lock
from time import perf_counter
from typing import Any, TypeAlias

from tapegrad import core
from tapegrad.core import profiling
from tapegrad.core.operators import SLOT_NAMES
from tapegrad.errors import AlreadyExistsError, refuse

__all__ = ["named_ops"]

_depth = 0
_is_wrapped = False
_lock = Lock()

Wrap: TypeAlias = Callable[[str, Callable[..., Any]], Callable[..., Any]]


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


def begin(wrap: Wrap) -> None:
    """Let the calls of ops and operators, in all threads, go through functions that ``wrap`` makes.

    Args:
        wrap: gets the name of an op or operator, and a function that calls it; returns one to call instead.
            The function takes the op, a tuple and a dict of arguments; or an operator's number and operands.

    Raises:
        AlreadyExistsError: something is being profiled already.
    """
    global _is_wrapped
    with _lock:
        if _is_wrapped or _depth:
            refuse("Another profiler is running.", error=AlreadyExistsError)
        core.load_ops()
        core.profile_by(
            {op: _wrapped_op(op, wrap) for op in core.registry.values()},
            tuple([wrap(name, profiling.operate) for name in SLOT_NAMES]),
        )
        _is_wrapped = True


def end() -> None:
    """Let the calls of ops be as they were before `begin`."""
    global _is_wrapped
    with _lock:
        core.profile_by({}, ())
        _is_wrapped = False


def _wrapped_op(op: core.Op, wrap: Wrap) -> Callable[..., Any]:
    wrapped = wrap(op.type, profiling.call)

    def call(*args: Any, **keywords: Any) -> Any:
        return wrapped(op, args, keywords)

    return call


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


@cache
def machine_rates() -> tuple[float, float]:
    """What this machine does at best in a second: bytes read and written, and float32 operations.

    Measured once, in some 50 ms: a copy of 32 MiB, and a product of matrices.
    """
    import numpy as np

    from tapegrad.engines.numpy import products

    source = np.ones(1 << 22, np.float64)
    target = np.empty_like(source)
    matrix = np.ones((512, 512), np.float32)
    copying = _shortest(lambda: np.copyto(target, source))
    multiplying = _shortest(lambda: products.matmul(matrix, matrix))
    return 2.0 * source.nbytes / copying, 2.0 * 512**3 / multiplying


def _shortest(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        begun = perf_counter()
        call()
        times.append(perf_counter() - begun)
    return max(min(times[1:]), 1e-9)
