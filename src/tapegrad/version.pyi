# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.releases import COMPILER_VERSION as COMPILER_VERSION
from tapegrad.releases import GIT_VERSION as GIT_VERSION
from tapegrad.releases import VERSION as VERSION
