# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.hooks import broadcast_weights as broadcast_weights
from tapegrad.internal.hooks import is_resource_variable as is_resource_variable
