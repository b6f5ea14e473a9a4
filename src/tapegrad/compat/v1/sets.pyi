# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.sparse.sets import difference as difference
from tapegrad.signatures.sparse.sets import intersection as intersection
from tapegrad.signatures.sparse.sets import set_size as _set_size
from tapegrad.signatures.sparse.sets import union as union
from tapegrad.sets import difference as _set_difference
from tapegrad.sets import intersection as _set_intersection
from tapegrad.sets import size as _set_size
from tapegrad.sets import union as _set_union

size = _set_size
set_difference = _set_difference
set_intersection = _set_intersection
set_size = _set_size
set_union = _set_union
