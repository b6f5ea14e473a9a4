"""Strategies for machines that are not here. Programs ask whether theirs is one of them, and it never is."""

from __future__ import annotations

import enum
import json
import os
from typing import Any

from tapegrad.strategies.strategy import Strategy, StrategyExtended

PUBLIC = {
    "distribute": "MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy",
    "distribute.experimental": (
        "CollectiveCommunication=CommunicationImplementation CommunicationImplementation "
        "CommunicationOptions MultiWorkerMirroredStrategy=ExperimentalMultiWorkerStrategy "
        "ParameterServerStrategy TPUStrategy=ExperimentalTPUStrategy"
    ),
}


class CommunicationImplementation(enum.Enum):
    """How processes talk to each other. A process alone talks to nobody."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How processes talk to each other.

    Raises:
        ValueError: ``bytes_per_pack`` is negative.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation | str = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(
                "Argument `bytes_per_pack` must be greater than or equal to zero. "
                f"Received {bytes_per_pack}."
            )
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


class TPUStrategy(Strategy):
    """Replicas on the cores of TPUs, of which there are none."""

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
    """Variables on servers, which workers ask for them. There are no servers here."""

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        raise NotImplementedError(
            "tf.distribute.ParameterServerStrategy needs a cluster of servers, which tapegrad does not "
            "run: tf.distribute.MirroredStrategy() keeps all variables in this process."
        )


class MultiWorkerMirroredStrategy(Strategy):
    """One replica in each process of a cluster. A process alone is a cluster of one.

    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1

    Raises:
        NotImplementedError: the environment variable TF_CONFIG, or ``cluster_resolver``, speaks of more
            than one process.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        count = count_workers(cluster_resolver)
        if count > 1:
            raise NotImplementedError(
                f"tf.distribute.MultiWorkerMirroredStrategy was given a cluster of {count} processes: "
                "tapegrad does not talk to other processes yet. Without TF_CONFIG and with no "
                "cluster_resolver it has the one replica of this process."
            )
        super().__init__(StrategyExtended(self))
        self._extended._cluster_resolver = cluster_resolver


class ExperimentalMultiWorkerStrategy(MultiWorkerMirroredStrategy):
    """The older form of `MultiWorkerMirroredStrategy`."""

    def __init__(
        self,
        communication: CommunicationImplementation = CommunicationImplementation.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))


def count_workers(cluster_resolver: Any) -> int:
    """How many processes the resolver, or TF_CONFIG without one, puts into the cluster."""
    if cluster_resolver is not None:
        cluster = cluster_resolver.cluster_spec().as_dict()
    else:
        cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
    return sum(len(cluster.get(job, ())) for job in ("chief", "worker")) or 1
