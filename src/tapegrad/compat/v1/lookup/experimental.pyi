# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.tables import DenseHashTable as DenseHashTable
from tapegrad.tables import MutableHashTable as MutableHashTable
