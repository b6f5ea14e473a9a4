# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.fallbacks import add_dispatch_support as add_dispatch_support
from tapegrad.internal.fallbacks import GlobalOpDispatcher as GlobalOpDispatcher
from tapegrad.internal.fallbacks import OpDispatcher as OpDispatcher
