# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.autograph import set_verbosity as set_verbosity
from tapegrad.internal.autograph import to_code as to_code
from tapegrad.internal.autograph import to_graph as to_graph
from tapegrad.internal.autograph import trace as trace
from tapegrad.autograph import experimental as experimental
