"""Names and arguments of `tf.raw_ops` and `tf.compat.v1` that are others here: what ``spellings.txt`` says.

    x Tout->_=tf.float32
    input dimension->axis output_type=tf.int64 name=None
    input_tensor axis=None keepdims=None reduction_indices->axis=None keep_dims->keepdims=None

A text lists the arguments of a function of TensorFlow's, in its order. Another function, ours, does the work:

    name          required; the argument of the same name of our function
    name=value    the default: a Python literal without blanks, or a dtype such as tf.int32
    name->other   the argument ``other`` of our function; several names may stand for one
    name->_       accepted, and not used
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tapegrad import dtypes
from tapegrad.core import REQUIRED

UNUSED = "_"


@functools.cache
def sections() -> dict[str, list[str]]:
    """Title -> lines."""
    by_title: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text().splitlines():
        if line.startswith("["):
            lines = by_title.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return by_title


def section(title: str) -> Iterator[tuple[str, str]]:
    """The first word of every line of a section, and the rest of the line."""
    several = dict(line.split(" ", 1) for line in sections()["arguments of several"])
    for line in sections()[title]:
        first, _, rest = line.format(**several).partition(" ")
        yield first, rest


@functools.cache
def paths_today() -> dict[str, str]:
    """Name in TensorFlow 1.x -> path below tf today, for names that have another one today."""
    paths: dict[str, str] = {}
    for names, row in section("functions"):
        paths |= dict.fromkeys(names.split(","), row.split()[0])
    for namespace, names in section("today"):
        for name, _, path in (word.partition("=") for word in names.split()):
            paths[f"{namespace}.{name}"] = path
    return {name.rpartition(".")[2]: path for name, path in paths.items() if path}


class Arguments(NamedTuple):
    """What a function of TensorFlow's takes."""

    defaults: dict[str, Any]
    """Argument -> its default, REQUIRED where there is none, in TensorFlow's order."""
    targets: dict[str, str]
    """Argument -> the argument of our function that it becomes, for those that are used."""


def read(text: str) -> Arguments:
    """The arguments that ``text`` lists."""
    defaults, targets = {}, {}
    for word in text.split():
        argument, has_default, default = word.partition("=")
        name, has_arrow, target = argument.partition("->")
        defaults[name] = value_of(default) if has_default else REQUIRED
        if target != UNUSED:
            targets[name] = target if has_arrow else name
    return Arguments(defaults, targets)


def value_of(text: str) -> Any:
    if text.startswith("tf."):
        return getattr(dtypes, text.removeprefix("tf."))
    return ast.literal_eval(text)


def signature(defaults: dict[str, Any]) -> Any:
    """What `inspect.signature` shows of a function with these arguments and defaults."""
    from inspect import Parameter, Signature

    kind = Parameter.POSITIONAL_OR_KEYWORD
    return Signature(
        [
            Parameter(name, kind, default=Parameter.empty if default is REQUIRED else default)
            for name, default in defaults.items()
        ]
    )
