"""`Finder` answers every import below ``tensorflow`` while tapegrad stands in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tapegrad import core
from tapegrad.annex.tensorflow_shim import homes
from tapegrad.annex.tensorflow_shim.internals import Internals, absence, is_module
from tapegrad.lazy import (
    TABLES,
    describe,
    find_keras,
    is_import,
    names_of_callers,
    namespace,
    refuse_import,
)

# Packages of TensorFlow that are not public.
INSIDE = ("compiler", "core", "dtensor", "python", "tools", "tsl")


class Existing(Loader):
    """A loader that puts a module which exists already under another name, instead of making one."""

    def __init__(self, load: Callable[[], ModuleType]) -> None:
        self.load = load

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # After this, Python reads the module from sys.modules.
        sys.modules[module.__name__] = self.load()


class Internal(Loader):
    """A loader that makes a module below ``tensorflow.python`` or ``tensorflow.compiler``."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Internals(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the module loads names on first use."""


class Finder:
    """The first finder on `sys.meta_path`.

    It finds ``tensorflow`` and all below it, so that Python does not look for those modules in the folder of
    tapegrad, and makes second copies of ours.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package not in ("tapegrad", "tensorflow"):
            return None
        while package == "tensorflow" and (rest == "compat.v2" or rest.startswith("compat.v2.")):
            rest = rest.removeprefix("compat.v2").removeprefix(".")
        if rest.partition(".")[0] == "keras":
            return find_keras(name, rest)
        if package == "tapegrad":
            return homes.find_spec(name, rest, path, self)
        if rest in TABLES:
            return ModuleSpec(name, Existing(lambda: namespace(rest)), is_package=True)
        if (
            rest == "core"
        ):  # an import binds the name in the package, where `core` is a module of ours
            return ModuleSpec(name, Existing(lambda: core), is_package=True)
        if is_module(rest):
            return ModuleSpec(name, Internal(), is_package=True)
        modules = {
            entry: source for entry, (source, inner) in table_above(rest).items() if inner == "."
        }
        if (source := modules.get(rest.rpartition(".")[2])) is not None:
            ours = f"tapegrad.{source}"
            return ModuleSpec(name, Existing(lambda: import_module(ours)), is_package=False)
        refuse(name, rest)
        return None


def refuse(name: str, rest: str) -> None:
    """Raise the error of an import of ``name``, or of a missing module of ours."""
    if not is_import() and f"tapegrad.{rest}" not in sys.modules:
        return
    parent, _, last = rest.rpartition(".")
    if is_module(parent) and "_handle_fromlist" in names_of_callers(7):
        refuse_import(name, absence(parent, last))
    elif rest.partition(".")[0] == "tsl":
        refuse_import(name, ": tapegrad has no such insides of TensorFlow.")
    elif rest.partition(".")[0] in INSIDE:
        refuse_import(name, ". TensorFlow 2.21 has no such module either.")
    else:
        refuse_import(name, describe(rest))


def table_above(rest: str) -> dict[str, tuple[str, str]]:
    """The names of the namespace that holds ``rest``."""
    return TABLES.get(rest.rpartition(".")[0], {})
