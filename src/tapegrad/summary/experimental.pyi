# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.summaries.state import get_step as get_step
from tapegrad.summaries.state import set_step as set_step
from tapegrad.summaries.state import summary_scope as summary_scope
from tapegrad.summaries.state import write_raw_pb as write_raw_pb
