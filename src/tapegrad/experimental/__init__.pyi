"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.experimental import dlpack as dlpack
