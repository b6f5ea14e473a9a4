# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.xla import compile as compile
from tapegrad.internal.xla import jit_scope as jit_scope
