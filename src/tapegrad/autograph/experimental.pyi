# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.autograph import do_not_convert as do_not_convert
from tapegrad.internal.autograph import Feature as Feature
from tapegrad.internal.autograph import set_loop_options as set_loop_options
