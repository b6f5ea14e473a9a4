"""Counters and gauges of a process: ``tensorflow.python.eager.monitoring``. Only the program reads them.

Libraries make them when they are imported, to count how often they are used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tapegrad.framework.printed import Printed

PUBLIC = {"__internal__.monitoring": "BoolGauge"}


class Cell:
    """One value of a metric: that for certain labels."""

    def __init__(self, start: Any) -> None:
        self._value = start

    def value(self) -> Any:
        """The value now."""
        return self._value

    def set(self, value: Any) -> None:
        """Replace the value."""
        self._value = value

    def increase_by(self, value: int) -> None:
        """Add to the value."""
        self._value += value

    def add(self, value: float) -> None:
        """Add a sample to the list of samples."""
        self._value = [*self._value, value]


class Metric(Printed):
    """Values by their labels. A subclass says in START what each begins with."""

    START: Any = None

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._labels = labels
        self._cells: dict[tuple[str, ...], Cell] = {}

    def get_cell(self, *labels: str) -> Cell:
        """The value for these labels."""
        if len(labels) != len(self._labels):
            raise ValueError(f"The {type(self).__name__} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, Cell(self.START))


class Counter(Metric):
    """A number that grows."""

    START = 0


class IntGauge(Metric):
    """A whole number."""

    START = 0


class StringGauge(Metric):
    """A string."""

    START = ""


class BoolGauge(Metric):
    """True or False.

    >>> gauge = tf.__internal__.monitoring.BoolGauge("/library/used", "whether it was used")
    >>> gauge.get_cell().set(True)
    >>> gauge.get_cell().value()
    True
    """

    START = False


class ExponentialBuckets(NamedTuple):
    """Limits of a histogram, each ``growth_factor`` times the one before."""

    scale: float
    growth_factor: float
    bucket_count: int


class Sampler(Metric):
    """Samples of a number."""

    START: Any = ()

    def __init__(self, name: str, buckets: Any, description: str, *labels: str) -> None:
        super().__init__(name, description, *labels)
        self.buckets = buckets
