"""When gradients are on their way, noted down for whoever measures it."""

from __future__ import annotations

import time
from typing import NamedTuple

# What the thread that computes does for messages: it carries them, and waits for them, also while it carries.
CARRIES, WAITS = "carries", "waits"


class Event(NamedTuple):
    """A message, or what the thread that computes does for one; in seconds of `time.perf_counter`."""

    what: str
    ready: float
    began: float
    ended: float
    size: int


# A list while somebody measures.
events: list[Event] | None = None


def note(what: str, began: float, ready: float = 0.0, size: int = 0) -> None:
    """Note down what ends now, if somebody measures."""
    if events is not None:
        events.append(Event(what, ready or began, began, time.perf_counter(), size))
