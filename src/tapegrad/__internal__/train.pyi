# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.hooks import is_mixed_precision_graph_rewrite_enabled as is_mixed_precision_graph_rewrite_enabled
from tapegrad.internal.hooks import set_using_mixed_precision_policy as set_using_mixed_precision_policy
from tapegrad.saving.checkpoint_files import update_checkpoint_state_internal as _update_checkpoint_state_internal

update_checkpoint_state = _update_checkpoint_state_internal
