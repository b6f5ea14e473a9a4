# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.tpus import XLAOptions as XLAOptions
from tapegrad.tpu import experimental as experimental
