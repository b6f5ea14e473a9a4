# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.timelines import monitor as monitor
from tapegrad.timelines import trace as trace
