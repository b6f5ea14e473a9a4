# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.contexts import strategy_supports_no_merge_call as strategy_supports_no_merge_call
from tapegrad.strategies.contexts import variable_sync_on_read_context as variable_sync_on_read_context
from tapegrad.__internal__.distribute import interim as interim
