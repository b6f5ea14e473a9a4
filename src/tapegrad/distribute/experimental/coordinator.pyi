# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.refused import ClusterCoordinator as ClusterCoordinator
from tapegrad.strategies.refused import RemoteValue as RemoteValue
