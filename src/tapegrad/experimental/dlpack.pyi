"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.framework.tensor import to_dlpack as to_dlpack
