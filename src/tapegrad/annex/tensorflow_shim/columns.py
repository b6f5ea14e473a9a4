"""The tables of this package, which are text: a line has a place, a second one, and words.

``class_homes.txt`` says where our classes say that they live, ``internals.txt`` and ``ours.txt`` what
TensorFlow's modules hold. Comments in these files explain each.
"""

from __future__ import annotations

from pathlib import Path


def columns(file: str) -> dict[str, dict[str, str]]:
    """What ``file`` says: place -> second place -> words."""
    table: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_name(file).read_text().splitlines():
        if not line.startswith("#"):
            place, second, words = line.split(" ", 2)
            table.setdefault(place, {})[second] = words
    return table


# Our module -> module of TensorFlow -> the classes of ours that say they live there.
HOMES = columns("class_homes.txt")
