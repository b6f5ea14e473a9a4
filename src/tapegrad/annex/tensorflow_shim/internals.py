"""The modules below ``tensorflow.python``, ``.compiler`` and ``.core``, as one table and a class of modules.

These modules are no part of TensorFlow's public API, but libraries import them: Keras, Sonnet, GPflow,
TensorFlow Probability. Here each is a view: most names are public ones, which ``internals.txt`` maps; the
rest is in modules of ours, which ``ours.txt`` maps.
"""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from tapegrad.annex.tensorflow_shim import type_numbers
from tapegrad.annex.tensorflow_shim.absent import inventory, reason, stand_in_for
from tapegrad.annex.tensorflow_shim.columns import HOMES, columns
from tapegrad.annex.tensorflow_shim.generated import in_order, names_in
from tapegrad.core import public
from tapegrad.framework.missing import said_by_us
from tapegrad.lazy import TABLES, describe, listing_of, namespace, read_table

METRICS = " ".join(TABLES["compat.v1.metrics"])

# Names that are public nowhere: module -> where they come from -> names.
OURS = columns("ours.txt") | {
    "core.framework.types_pb2": {
        "tapegrad.annex.tensorflow_shim.type_numbers": " ".join(type_numbers.NAMES)
    },
    "python.ops.metrics": {"compat.v1.metrics": METRICS},
    "python.ops.metrics_impl": {"compat.v1.metrics": METRICS},
}

# Which public names TensorFlow's modules hold: module -> namespace, or `IN_ORDER` -> names there.
RECORDED = columns("internals.txt")

# Modules that give what several others hold.
UNIONS = {
    "python.eager.def_function": "eager.polymorphic_function.polymorphic_function",
    "python.framework.errors": "framework.errors_impl",
    "python.ops.gradients": "ops.gradients_impl ops.custom_gradient",
    "python.ops.image_ops": "ops.image_ops_impl",
    "python.ops.linalg.linalg": "ops.linalg.linalg_impl ops.linalg_ops ops.special_math_ops",
    "python.ops.rnn_cell": "ops.rnn_cell_impl",
    "python.ops.rnn_cell_impl": "keras.layers.legacy_rnn.rnn_cell_impl",
    "python.ops.nn": (
        "ops.nn_impl ops.nn_ops ops.ctc_ops ops.embedding_ops ops.candidate_sampling_ops"
    ),
    "python.ops.standard_ops": (
        "ops.array_ops ops.math_ops ops.control_flow_ops ops.gradients_impl ops.random_ops "
        "ops.check_ops ops.clip_ops ops.sort_ops ops.while_loop ops.cond"
    ),
}

# How a source begins that is a module.
MODULE = ("tapegrad.", "python.")

# The source of functions that take the arguments of an op in order, as `generated` makes them.
IN_ORDER = "raw_ops()"

# Modules that begin with all public names of another one, and then redefine some of them.
BEGINNINGS = {
    f"python.ops.{module}": f"python.ops.gen_{generated}"
    for module, _, generated in (
        entry.partition("=") if "=" in entry else (entry, "", entry)
        for entry in (
            "array_ops bitwise_ops control_flow_ops data_flow_ops image_ops io_ops linalg_ops list_ops "
            "logging_ops lookup_ops math_ops nn=nn_ops nn_ops parsing_ops random_ops "
            "resource_variable_ops sparse_ops standard_ops=math_ops state_ops string_ops"
        ).split()
    )
}

# Module -> where the classes come from that say they live there -> their names.
CLASSES: dict[str, dict[str, str]] = {}
for source, classes_by_home in HOMES.items():
    for home, classes in classes_by_home.items():
        if home.startswith(("core.", "dtensor.", "python.")):
            CLASSES.setdefault(home, {})[f"tapegrad.{source}"] = classes


@functools.cache
def modules() -> frozenset[str]:
    """The modules that have some names here."""
    return frozenset({*RECORDED, *OURS, *UNIONS, *BEGINNINGS, *CLASSES})


@functools.cache
def packages() -> frozenset[str]:
    """These modules and all folders that they are in."""
    parts = [path.split(".") for path in modules()]
    return frozenset(".".join(part[: length + 1]) for part in parts for length in range(len(part)))


@functools.cache
def names_of(path: str) -> dict[str, tuple[str, str]]:
    """What the module ``tensorflow.path`` holds: name -> source and the name there."""
    names: dict[str, tuple[str, str]] = {}
    if path in BEGINNINGS:
        own = inventory().get(path, ())
        beginning = names_of(BEGINNINGS[path]).items()
        names |= {
            name: origin
            for name, origin in beginning
            if name not in own and not name.startswith("_")
        }
    for part in UNIONS.get(path, "").split():
        names |= names_of(f"python.{part}")
    public = {**RECORDED.get(path, {})}
    for name, type in names_in(public.pop(IN_ORDER, "")).items():
        names[name] = ("raw_ops" if name == type else IN_ORDER, type)
    for table in (public, CLASSES.get(path, {}), OURS.get(path, {})):
        names |= read_table(table.items())
    return names


@functools.cache
def definitions(path: str) -> dict[str, str]:
    """The functions and classes that TensorFlow's own module has: name -> the module that defines it."""
    names: dict[str, str] = {}
    for part in UNIONS.get(path, "").split():
        names |= definitions(f"python.{part}")
    return names | dict.fromkeys(inventory().get(path, ()), path)


class Internals(ModuleType):
    """A module below ``tensorflow.python``, whose names are loaded on first use."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "A view of tapegrad, under the name of a module inside TensorFlow.")

    @public(computes=False)
    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix("tensorflow.")
        if is_module(f"{path}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        if name == "__all__":  # what `from ... import *` binds
            names = {name for name, origin in names_of(path).items() if is_here(*origin)}
            return sorted(name for name in names | {*definitions(path)} if name[0] != "_")
        value = value_of(path, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        path = self.__name__.removeprefix("tensorflow.")
        return listing_of(self, {*names_of(path), *definitions(path)})


def is_module(path: str) -> bool:
    """Whether TensorFlow has a module ``tensorflow.path`` that is not public."""
    return path in packages() or path in inventory()


def value_of(path: str, name: str) -> Any:
    """What the module ``tensorflow.path`` has under ``name``.

    Raises:
        AttributeError: it is not here, and is no function or class of that module in TensorFlow.
    """
    origin = names_of(path).get(name)
    if origin is not None and is_here(*origin):
        return load(*origin)
    if path.startswith("python.keras"):
        theirs = of_keras(path.split(".")[2:], name)
        if theirs is not None:
            return theirs
    stand_in = stand_in_for(definitions(path).get(name, path), name)
    if stand_in is not None:
        return stand_in
    said = absence(path, name)
    raise said_by_us(f"module 'tensorflow.{path}' has no attribute {name!r}{said}", name)


def of_keras(folders: list[str], name: str) -> Any:
    """What tf.keras has for a name of TensorFlow's old copy of Keras; None if it has nothing.

    A module ``keras.utils.generic_utils`` there leads to ``tf.keras.utils``, and a class of a module that has
    no public name to ``tf.keras`` itself. Keras 2 still has most of these modules: what has no public name
    is taken from the one of that path.
    """
    try:
        keras = import_module("tapegrad.keras")
    except ImportError:
        return None
    for length in range(len(folders), -1, -1):
        value: Any = keras
        for folder in folders[:length]:
            value = getattr(value, folder, None)
        if hasattr(value, name):
            return getattr(value, name)
    if not keras.__name__.startswith("tf_keras") or name.startswith("__"):
        return None
    try:
        return getattr(import_module(".".join(["tf_keras.src", *folders])), name, None)
    except ModuleNotFoundError:
        return None


def is_here(source: str, name: str) -> bool:
    """Whether tapegrad has what a table of modules leads to."""
    if source.startswith(MODULE):
        return True
    return hasattr(namespace_of(source.strip(".()")), name)


def load(source: str, name: str) -> Any:
    """The name ``name`` of a module, or of the public namespace ``source``."""
    if source == IN_ORDER:
        return in_order(name)
    if not source.startswith(MODULE):
        return getattr(namespace_of(source.strip(".")), name)
    module = import_module(source.removeprefix("python."))
    return module if name == "." else getattr(module, name)


def absence(path: str, name: str) -> str:
    """Why the module ``tensorflow.path`` has no ``name`` here: the end of a message."""
    if name.startswith("__"):
        return "."
    if (origin := names_of(path).get(name)) is not None:
        space = origin[0].strip(".()")
        public = f"{space}.{origin[1]}".lstrip(".")
        return f": it is tf.{public}{describe(public)}"
    where = [
        f"tf.{space}.{name}".replace("..", ".")
        for space in TABLES
        if name in TABLES[space] and not space.startswith("__")
    ]
    if where:
        return f": use {min(where, key=len)}; docs/moving.md says more."
    said = reason(f"{path}.{name}" if path.startswith("python.keras") else "")
    return f": {said}; docs/moving.md says more."


def namespace_of(space: str) -> Any:
    """The public namespace ``tf.space``; None if tapegrad has none."""
    if space == "raw_ops":  # a module, which is loaded when it is first used
        return sys.modules["tapegrad"].raw_ops
    return namespace(space) if space in TABLES else None
