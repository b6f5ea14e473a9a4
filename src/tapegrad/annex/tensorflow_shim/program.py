"""Runs a program, as Python does, in which tapegrad stands in for TensorFlow."""

from __future__ import annotations

import builtins
import os
import runpy
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import ModuleType

from tapegrad.annex.tensorflow_shim.entry import stand_in
from tapegrad.core import hide

USAGE = """\
usage: python -m tapegrad program.py [arguments ...]
       python -m tapegrad -m module [arguments ...]

Runs the program with tapegrad as the module `tensorflow`."""


def main() -> None:
    """Run the program of the command line. Its errors and its exit status are passed on."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return
    as_module = arguments[:1] == ["-m"]
    if as_module:
        del arguments[0]
    if not arguments or (arguments[0].startswith("-") and not as_module):
        print(USAGE, file=sys.stderr)
        raise SystemExit(2)
    try:
        stand_in()
    except RuntimeError as error:
        raise SystemExit(f"python -m tapegrad: {error}") from None
    sys.argv = arguments
    try:
        if as_module:
            run_module(arguments[0])
        else:
            run_path(arguments[0])
    except Exception as error:
        hide(error)
        raise


def is_source(path: str) -> bool:
    """Whether Python runs the text of the file at ``path``: it is no folder, archive or compiled module."""
    if path.endswith(".py"):
        return True
    import zipfile  # slow to import, and seldom needed

    return not (os.path.isdir(path) or zipfile.is_zipfile(path) or path.endswith(".pyc"))


def run_module(name: str) -> None:
    """Run the module as ``python -m name`` does."""
    if find_spec(name) is None:
        raise SystemExit(f"python -m tapegrad: No module named {name}")
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def run_path(path: str) -> None:
    """Run the program at ``path`` as ``python path`` does: as the module ``__main__``, which is kept."""
    if not sys.flags.safe_path:
        del sys.path[0]  # Python's: the current folder, where it looked for tapegrad
    if not is_source(path):
        runpy.run_path(path, run_name="__main__")
        return
    whole = os.path.abspath(path)
    loader = SourceFileLoader("__main__", whole)
    try:
        source = loader.get_data(whole)
    except OSError as error:
        print(f"python -m tapegrad: can't open file {whole!r}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    if not sys.flags.safe_path:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    program = ModuleType("__main__")
    vars(program).update(__file__=whole, __loader__=loader, __builtins__=builtins)
    sys.modules["__main__"] = program
    exec(loader.source_to_code(source, whole), vars(program))
