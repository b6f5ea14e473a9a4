"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.ops.dropout import general_dropout as general_dropout
from tapegrad.ops.nn import stateless_dropout as stateless_dropout
