# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.contexts import experimental_set_strategy as experimental_set_strategy
from tapegrad.strategies.contexts import get_replica_context as get_replica_context
from tapegrad.strategies.contexts import get_strategy as get_strategy
from tapegrad.strategies.contexts import has_strategy as has_strategy
from tapegrad.strategies.contexts import in_cross_replica_context as in_cross_replica_context
from tapegrad.strategies.datasets import DistributedDataset as DistributedDataset
from tapegrad.strategies.datasets import DistributedIterator as DistributedIterator
from tapegrad.strategies.local import MirroredStrategy as MirroredStrategy
from tapegrad.strategies.local import OneDeviceStrategy as OneDeviceStrategy
from tapegrad.strategies.reductions import CrossDeviceOps as CrossDeviceOps
from tapegrad.strategies.reductions import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from tapegrad.strategies.reductions import NcclAllReduce as NcclAllReduce
from tapegrad.strategies.reductions import ReduceOp as ReduceOp
from tapegrad.strategies.reductions import ReductionToOneDevice as ReductionToOneDevice
from tapegrad.strategies.refused import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tapegrad.strategies.refused import ParameterServerStrategy as ParameterServerStrategy
from tapegrad.strategies.refused import TPUStrategy as TPUStrategy
from tapegrad.strategies.strategy import ReplicaContext as ReplicaContext
from tapegrad.strategies.strategy import Strategy as Strategy
from tapegrad.strategies.strategy import StrategyExtended as StrategyExtended
from tapegrad.strategies.values import DistributedValues as DistributedValues
from tapegrad.strategies.values import InputContext as InputContext
from tapegrad.strategies.values import InputOptions as InputOptions
from tapegrad.strategies.values import InputReplicationMode as InputReplicationMode
from tapegrad.strategies.values import RunOptions as RunOptions
from tapegrad.distribute import experimental as experimental
