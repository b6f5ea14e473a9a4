"""Events for measurements: when gradients are sent, and how long that keeps the computing thread busy."""

from __future__ import annotations

import time
from typing import NamedTuple

# What the thread that computes does for messages: it reduces them, and it waits, also inside of "reduces".
REDUCES, WAITS = "reduces", "waits"


class Event(NamedTuple):
    """A message, or work of the computing thread for one. Times are seconds of `time.perf_counter`."""

    what: str
    ready: float
    began: float
    ended: float
    size: int


# A list during a measurement.
events: list[Event] | None = None


def note(what: str, began: float, ready: float = 0.0, size: int = 0) -> None:
    """Add an event that ends now, during a measurement."""
    if events is not None:
        events.append(Event(what, ready or began, began, time.perf_counter(), size))
