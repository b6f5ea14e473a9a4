# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.builds import get_build_info as get_build_info
from tapegrad.builds import get_compile_flags as get_compile_flags
from tapegrad.builds import get_include as get_include
from tapegrad.builds import get_lib as get_lib
from tapegrad.builds import get_link_flags as get_link_flags
