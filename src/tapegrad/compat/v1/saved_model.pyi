# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.saving.saved_model import contains_saved_model as contains_saved_model
