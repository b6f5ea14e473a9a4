"""Scopes in which a function is saved: how loops, arrays and maps over elements run meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar, Self


class _Current(threading.local):
    """The scopes of a thread."""

    maps: Maps | None = None
    loops: Loops | None = None


current = _Current()


class Scope:
    """``with scope:`` it is the current one of its kind on this thread."""

    kind: ClassVar[str]

    def __enter__(self) -> Self:
        self._before = getattr(current, self.kind)
        setattr(current, self.kind, self)
        return self

    def __exit__(self, *error: object) -> None:
        setattr(current, self.kind, self._before)


class Maps(Scope):
    """Whether `map_fn` was called on this thread; and a function to use instead of calls for each element.

    >>> with Maps() as maps:
    ...     y = tf.map_fn(lambda x: x, tf.ones([2]))
    >>> maps.used
    True
    """

    kind = "maps"

    def __init__(self, run: Callable[[Any, Any], Any] | None = None) -> None:
        self.run = run
        self.used = False


class Loops(Scope):
    """``with Loops(run, choose, decides, called):`` the scope in which a function is saved.

    ``run`` is asked before each turn of a `while_loop`. It gets what the condition has given, or None for a
    loop that only its turns end, then the condition, the body, the variables in a list and how many turns may
    follow. It gives the variables after the rest of the loop, or None: then the loop runs a turn. ``choose``
    gets a boolean and two functions, and gives the tensors of one of the functions; None where one is called.
    ``decides`` says of a tensor whether it follows from the arguments of the function. ``called`` gives what
    runs in place of a function: one whose Python loops can be steps.
    """

    kind = "loops"

    def __init__(
        self,
        run: Callable[..., list[Any] | None] | None,
        choose: Callable[..., list[Any] | None],
        decides: Callable[[Any], bool],
        called: Callable[[Any], Any],
    ) -> None:
        self.run = run
        self.choose = choose
        self.decides = decides
        self.called = called
