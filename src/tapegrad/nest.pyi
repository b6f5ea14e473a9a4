"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.framework.nest import assert_same_structure as assert_same_structure
from tapegrad.framework.nest import flatten as flatten
from tapegrad.framework.nest import is_nested as is_nested
from tapegrad.framework.nest import map_structure as map_structure
from tapegrad.framework.nest import pack_sequence_as as pack_sequence_as
