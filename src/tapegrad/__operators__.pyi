# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.operators import add as add
from tapegrad.internal.operators import eq as eq
from tapegrad.internal.operators import getitem as getitem
from tapegrad.internal.operators import ne as ne
from tapegrad.internal.operators import ragged_getitem as ragged_getitem
