# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.config.optimizer import get_experimental_options as _get_experimental_options
from tapegrad.config.optimizer import get_jit as _get_jit
from tapegrad.config.optimizer import set_experimental_options as _set_experimental_options
from tapegrad.config.optimizer import set_jit as _set_jit

get_experimental_options = _get_experimental_options
get_jit = _get_jit
set_experimental_options = _set_experimental_options
set_jit = _set_jit
