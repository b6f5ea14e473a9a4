# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.decorators import make_decorator as make_decorator
from tapegrad.internal.decorators import unwrap as unwrap
