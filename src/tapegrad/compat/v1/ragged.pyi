# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ragged.arrange import boolean_mask as boolean_mask
from tapegrad.ragged.arrange import stack as stack
from tapegrad.ragged.arrange import stack_dynamic_partitions as stack_dynamic_partitions
from tapegrad.ragged.broadcast import map_flat_values as map_flat_values
from tapegrad.ragged.crosses import cross as cross
from tapegrad.ragged.crosses import cross_hashed as cross_hashed
from tapegrad.ragged.make import constant as constant
from tapegrad.ragged.make import range as range
from tapegrad.ragged.make import row_splits_to_segment_ids as row_splits_to_segment_ids
from tapegrad.ragged.make import segment_ids_to_row_splits as segment_ids_to_row_splits
from tapegrad.v1.ragged_values import constant_value as constant_value
from tapegrad.v1.ragged_values import RaggedTensorValue as RaggedTensorValue
