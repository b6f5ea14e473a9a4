# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.dlpack import from_dlpack as from_dlpack
from tapegrad.framework.dlpack import to_dlpack as to_dlpack
