# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.values import Mirrored as Mirrored
from tapegrad.strategies.values import PerReplica as PerReplica
