# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.distribute import CrossDeviceOps as _CrossDeviceOps
from tapegrad.distribute import experimental_set_strategy as _experimental_set_strategy
from tapegrad.distribute import get_replica_context as _get_replica_context
from tapegrad.distribute import get_strategy as _get_strategy
from tapegrad.distribute import has_strategy as _has_strategy
from tapegrad.distribute import HierarchicalCopyAllReduce as _HierarchicalCopyAllReduce
from tapegrad.distribute import in_cross_replica_context as _in_cross_replica_context
from tapegrad.distribute import InputContext as _InputContext
from tapegrad.distribute import InputReplicationMode as _InputReplicationMode
from tapegrad.distribute import NcclAllReduce as _NcclAllReduce
from tapegrad.distribute import ReduceOp as _ReduceOp
from tapegrad.distribute import ReductionToOneDevice as _ReductionToOneDevice
from tapegrad.distribute import RunOptions as _RunOptions
from tapegrad.compat.v1.distribute import cluster_resolver as cluster_resolver
from tapegrad.compat.v1.distribute import experimental as experimental

CrossDeviceOps = _CrossDeviceOps
experimental_set_strategy = _experimental_set_strategy
get_replica_context = _get_replica_context
get_strategy = _get_strategy
has_strategy = _has_strategy
HierarchicalCopyAllReduce = _HierarchicalCopyAllReduce
in_cross_replica_context = _in_cross_replica_context
InputContext = _InputContext
InputReplicationMode = _InputReplicationMode
NcclAllReduce = _NcclAllReduce
ReduceOp = _ReduceOp
ReductionToOneDevice = _ReductionToOneDevice
RunOptions = _RunOptions
