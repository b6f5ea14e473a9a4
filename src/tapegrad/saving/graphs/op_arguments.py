"""The inputs, outputs and attributes of TensorFlow's ops, as ``op_arguments.txt`` has them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple


class Argument(NamedTuple):
    """An input or output of an op. ``attribute`` is the one that says how many tensors a list has.

    ``type`` is the name of a dtype, or of the attribute that says the dtype; a list of mixed ones has none.
    """

    name: str
    attribute: str | None = None
    type: str = ""


class Attribute(NamedTuple):
    """An attribute of an op: its name in graphs and in `tf.raw_ops`, and its kind, such as ``list(int)``.

    ``default`` is None for one that a node has to have. Else it is the default of a type, and empty for
    others, which TensorFlow fills in.
    """

    name: str
    public: str
    kind: str
    default: str | None = None


class Arguments(NamedTuple):
    """The inputs, the outputs and the attributes of an op."""

    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: tuple[Attribute, ...] = ()


@functools.cache
def _lines() -> dict[str, str]:
    text = Path(__file__).with_suffix(".txt").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines)


@functools.cache
def arguments_of(op: str) -> Arguments | None:
    """The inputs, outputs and attributes of an op; None if it is not known here."""
    line = _lines().get(op)
    if line is None:
        return None
    line, _, attributes = line.partition("|")
    before, _, after = line.partition("->")
    return Arguments(
        tuple([_argument(word) for word in before.split()]),
        tuple([_argument(word) for word in after.split()]),
        tuple([_attribute(word) for word in attributes.split()]),
    )


def _argument(word: str) -> Argument:
    word, _, type_name = word.partition(":")
    name, _, count = word.partition("*")
    return Argument(name, count or None, type_name)


def _attribute(word: str) -> Attribute:
    names, _, kind = word.partition(":")
    name, _, public = names.partition(">")
    kind, equals, default = kind.partition("=")
    return Attribute(name, public or name, kind, default if equals else None)
