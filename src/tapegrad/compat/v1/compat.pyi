# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.shape import dimension_at_index as dimension_at_index
from tapegrad.framework.shape import dimension_value as dimension_value
from tapegrad.framework.texts import as_bytes as as_bytes
from tapegrad.framework.texts import as_str as as_str
from tapegrad.framework.texts import as_str_any as as_str_any
from tapegrad.framework.texts import as_text as as_text
from tapegrad.framework.texts import bytes_or_text_types as bytes_or_text_types
from tapegrad.framework.texts import complex_types as complex_types
from tapegrad.framework.texts import integral_types as integral_types
from tapegrad.framework.texts import path_to_str as path_to_str
from tapegrad.framework.texts import real_types as real_types
from tapegrad.releases import v2 as v2
