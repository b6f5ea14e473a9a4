# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.sparse.sets import difference as difference
from tapegrad.signatures.sparse.sets import intersection as intersection
from tapegrad.signatures.sparse.sets import set_size as _set_size
from tapegrad.signatures.sparse.sets import union as union

size = _set_size
