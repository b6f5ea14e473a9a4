# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.elementwise.logic import bitwise_and as bitwise_and
from tapegrad.signatures.elementwise.logic import bitwise_or as bitwise_or
from tapegrad.signatures.elementwise.logic import bitwise_xor as bitwise_xor
from tapegrad.signatures.elementwise.logic import invert as invert
from tapegrad.signatures.elementwise.logic import left_shift as left_shift
from tapegrad.signatures.elementwise.logic import right_shift as right_shift
