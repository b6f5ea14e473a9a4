# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.autograph import control_status_ctx as control_status_ctx
from tapegrad.internal.autograph import tf_convert as tf_convert
