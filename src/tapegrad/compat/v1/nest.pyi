# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.nest import assert_same_structure as assert_same_structure
from tapegrad.framework.nest import flatten as flatten
from tapegrad.framework.nest import is_nested as is_nested
from tapegrad.framework.nest import map_structure as map_structure
from tapegrad.framework.nest import pack_sequence_as as pack_sequence_as
