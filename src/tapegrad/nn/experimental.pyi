# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ops.dropout import general_dropout as general_dropout
from tapegrad.ops.nn import stateless_dropout as stateless_dropout
