# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.autograph import set_verbosity as _set_verbosity
from tapegrad.autograph import trace as _trace
from tapegrad.compat.v1.autograph import experimental as experimental

set_verbosity = _set_verbosity
trace = _trace
