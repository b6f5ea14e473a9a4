# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.saving.loading import load_partial as load_partial
from tapegrad.__internal__.saved_model import load as load
