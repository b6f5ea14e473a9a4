# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.xla.experimental import compile as _compile
from tapegrad.xla.experimental import jit_scope as _jit_scope

compile = _compile
jit_scope = _jit_scope
