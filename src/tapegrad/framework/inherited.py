"""State of a thread, such as its name scope, that the threads it starts to work for it take over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from tapegrad import core

State = TypeVar("State", bound=threading.local)

_states: list[threading.local] = []


def inherited(state: State) -> State:
    """``state``, which such threads take over from now on."""
    _states.append(state)
    return state


def inheritance() -> Callable[[], None]:
    """A function that gives the thread which calls it what this thread has now.

    Observers are not inherited: tapes and others belong to the thread that started them.
    """
    held = core.hold_effects(False)
    core.hold_effects(held)
    values = [(state, dict(state.__dict__)) for state in _states]

    def take() -> None:
        core.hold_effects(held)
        for state, value in values:
            state.__dict__.update(value)

    return take
