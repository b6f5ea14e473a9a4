"""Finds the compiled modules, which are all in one shared library beside this file.

Each is a Python module like any other, with a name, an initialisation and an import of its own. A library for
each module would take more memory: it begins on new pages, and lists what it calls of Python.
"""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from typing import Any

from tapegrad.names import COMPILED

LIBRARY = __file__.removesuffix("compiled.py") + "compiled_modules" + EXTENSION_SUFFIXES[0]


class CompiledModules:
    """A finder on `sys.meta_path`. By the last part of its name, Python finds what makes a module."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, module = name.partition(".")
        if package != "tapegrad" or module not in COMPILED:
            return None
        spec = ModuleSpec(name, ExtensionFileLoader(name, LIBRARY), origin=LIBRARY)
        spec.has_location = True
        return spec


sys.meta_path.append(CompiledModules())
