"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.ops.shapes import size as size
