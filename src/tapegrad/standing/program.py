"""Runs a program, as Python does, in which tapegrad stands in for TensorFlow."""

from __future__ import annotations

import os
import runpy
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

from tapegrad.standing.entry import stand_in

USAGE = """\
usage: python -m tapegrad program.py [arguments ...]
       python -m tapegrad -m module [arguments ...]

Runs the program with tapegrad as the module `tensorflow`."""


def main() -> None:
    """Run what the command line names. What the program raises, and its exit status, are left as they are."""
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
    if as_module:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    elif os.path.isfile(arguments[0]) and arguments[0].endswith(".py"):
        run_file(arguments[0])
    else:
        runpy.run_path(arguments[0], run_name="__main__")


def run_file(path: str) -> None:
    """Run the program at ``path`` as ``python path`` does: as the module ``__main__``, which stays."""
    whole = os.path.abspath(path)
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    loader = SourceFileLoader("__main__", whole)
    program = ModuleType("__main__")
    vars(program).update(__file__=whole, __loader__=loader, __builtins__=__builtins__)
    sys.modules["__main__"] = program
    exec(loader.source_to_code(loader.get_data(whole), whole), vars(program))
