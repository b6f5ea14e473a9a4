# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.contexts import maybe_merge_call as maybe_merge_call
