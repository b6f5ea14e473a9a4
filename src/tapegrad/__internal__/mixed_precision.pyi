# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.hooks import register_loss_scale_wrapper as register_loss_scale_wrapper
