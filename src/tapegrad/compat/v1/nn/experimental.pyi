# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.nn.experimental import general_dropout as _general_dropout
from tapegrad.nn.experimental import stateless_dropout as _stateless_dropout

general_dropout = _general_dropout
stateless_dropout = _stateless_dropout
