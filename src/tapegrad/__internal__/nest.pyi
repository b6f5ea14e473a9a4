# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.standing.nested import flatten_up_to as flatten_up_to
from tapegrad.standing.nested import get_traverse_shallow_structure as get_traverse_shallow_structure
from tapegrad.standing.nested import is_attrs as is_attrs
from tapegrad.standing.nested import is_mapping as is_mapping
from tapegrad.standing.nested import list_to_tuple as list_to_tuple
from tapegrad.standing.nested import map_structure_up_to as map_structure_up_to
from tapegrad.standing.nested import sequence_like as sequence_like
from tapegrad.standing.nested import yield_flat_paths as yield_flat_paths
