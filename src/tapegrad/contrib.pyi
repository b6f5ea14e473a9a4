"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.contrib import eager as eager
