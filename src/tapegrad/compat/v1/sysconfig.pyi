# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.sysconfig import get_build_info as _get_build_info
from tapegrad.sysconfig import get_compile_flags as _get_compile_flags
from tapegrad.sysconfig import get_include as _get_include
from tapegrad.sysconfig import get_lib as _get_lib
from tapegrad.sysconfig import get_link_flags as _get_link_flags

get_build_info = _get_build_info
get_compile_flags = _get_compile_flags
get_include = _get_include
get_lib = _get_lib
get_link_flags = _get_link_flags
