# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.autograph.experimental import do_not_convert as _do_not_convert
from tapegrad.autograph.experimental import Feature as _Feature
from tapegrad.autograph.experimental import set_loop_options as _set_loop_options

do_not_convert = _do_not_convert
Feature = _Feature
set_loop_options = _set_loop_options
