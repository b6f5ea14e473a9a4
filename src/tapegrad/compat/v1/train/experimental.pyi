# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.train.experimental import PythonState as _PythonState

PythonState = _PythonState
