"""Strategies for hardware that does not exist here, for programs that check `isinstance`."""

from __future__ import annotations

from typing import Any, Self

from tapegrad.annex.strategies.strategy import Strategy
from tapegrad.framework.printed import Printed

PUBLIC = {
    "__internal__.distribute": "ShardedVariable",
    "distribute": "ParameterServerStrategy TPUStrategy",
    "distribute.experimental": "ParameterServerStrategy TPUStrategy=ExperimentalTPUStrategy",
    "distribute.experimental.coordinator": "ClusterCoordinator RemoteValue",
}


class TPUStrategy(Strategy):
    """Replicas on the cores of TPUs. There are none here."""

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        raise NotImplementedError(
            "tf.distribute.TPUStrategy needs TPUs, and there are none here: "
            "tf.distribute.get_strategy() gives a strategy of one replica, on the CPU."
        )


class ExperimentalTPUStrategy(TPUStrategy):
    """The older form of `TPUStrategy`."""

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)


class ParameterServerStrategy(Strategy):
    """Variables on parameter servers. There are no servers here."""

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        raise NotImplementedError(
            "tf.distribute.ParameterServerStrategy needs a cluster of servers, which tapegrad does not "
            "run: tf.distribute.MirroredStrategy() keeps all variables in this process."
        )


class ShardedVariable(Printed):
    """A variable with parts on several servers. No variable is one; libraries check with `isinstance`."""

    def __init__(self, variables: Any, name: str = "ShardedVariable") -> None:
        raise NotImplementedError(
            "tf.__internal__.distribute.ShardedVariable needs a cluster of servers, which tapegrad does "
            "not run."
        )


class ClusterCoordinator(Printed):
    """Sends the steps of a `ParameterServerStrategy` to workers. There are no servers here."""

    def __new__(cls, strategy: Any) -> Self:
        raise NotImplementedError(
            "tf.distribute.experimental.coordinator.ClusterCoordinator needs a cluster of servers, which "
            "tapegrad does not run: tf.distribute.MultiWorkerMirroredStrategy trains on several processes."
        )


class RemoteValue(Printed):
    """A worker's result for a coordinator. No result is one; libraries check with `isinstance`."""
