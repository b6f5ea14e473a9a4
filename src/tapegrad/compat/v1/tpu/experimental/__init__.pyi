# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.tpus import DeviceAssignment as DeviceAssignment
from tapegrad.strategies.tpus import DeviceOrderMode as DeviceOrderMode
from tapegrad.strategies.tpus import HardwareFeature as HardwareFeature
from tapegrad.strategies.tpus import initialize_tpu_system as initialize_tpu_system
from tapegrad.strategies.tpus import shutdown_tpu_system as shutdown_tpu_system
from tapegrad.strategies.tpus import Topology as Topology
from tapegrad.strategies.tpus import TPUSystemMetadata as TPUSystemMetadata
from tapegrad.compat.v1.tpu.experimental import embedding as embedding
