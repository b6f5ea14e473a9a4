# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.policies import get_experimental_options as get_experimental_options
from tapegrad.framework.policies import get_jit as get_jit
from tapegrad.framework.policies import set_experimental_options as set_experimental_options
from tapegrad.framework.policies import set_jit as set_jit
