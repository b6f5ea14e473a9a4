"""How TensorFlow calls the inputs and outputs of its ops: what ``op_arguments.txt`` says."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple


class Argument(NamedTuple):
    """An input or output of an op. ``attribute`` is the one that says how many tensors a list has."""

    name: str
    attribute: str | None = None


class Arguments(NamedTuple):
    """The inputs and the outputs of an op, and attributes that `tf.raw_ops` has under other names."""

    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    renamed: tuple[tuple[str, str], ...] = ()


@functools.cache
def _lines() -> dict[str, str]:
    text = Path(__file__).with_suffix(".txt").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines)


@functools.cache
def arguments_of(op: str) -> Arguments | None:
    """The inputs and outputs of an op; None if it is not known here."""
    line = _lines().get(op)
    if line is None:
        return None
    line, _, renamed = line.partition("|")
    before, _, after = line.partition("->")
    pairs = [word.partition("=") for word in renamed.split()]
    return Arguments(
        _listed(before), _listed(after), tuple([(own, name) for own, _, name in pairs])
    )


def _listed(text: str) -> tuple[Argument, ...]:
    words = [word.partition("*") for word in text.split()]
    return tuple([Argument(name, count or None) for name, _, count in words])
