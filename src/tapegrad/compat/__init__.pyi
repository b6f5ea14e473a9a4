"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.compat import v1 as v1
