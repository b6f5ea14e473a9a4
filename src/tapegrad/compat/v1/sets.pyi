# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ops.sets import difference as difference
from tapegrad.ops.sets import intersection as intersection
from tapegrad.ops.sets import set_size as size
from tapegrad.ops.sets import union as union
