"""Resolvers that ask others: several resolvers as one, Slurm, and services that are not here."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from tapegrad.distribute.cluster import ClusterResolver, ClusterSpec
from tapegrad.errors import NotFoundError, refuse

PUBLIC = {
    "distribute.cluster_resolver": (
        "GCEClusterResolver KubernetesClusterResolver KubernetesExecutableLocation SlurmClusterResolver "
        "TPUClusterResolver UnionResolver"
    ),
}


class UnionResolver(ClusterResolver):
    """The processes of several resolvers. What one process is comes from the first that says it.

    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver
    >>> first = resolver(tf.train.ClusterSpec({"worker": ["a:1"]}))
    >>> second = resolver(tf.train.ClusterSpec({"worker": ["b:1"], "ps": ["c:1"]}))
    >>> tf.distribute.cluster_resolver.UnionResolver(first, second).cluster_spec()
    ClusterSpec({'ps': ['c:1'], 'worker': ['a:1', 'b:1']})
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        self.rpc_layer: str | None = kwargs.pop("rpc_layer", None)
        self.task_type = kwargs.pop("task_type", None)
        self.task_id = kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        first = args[0]
        self.task_type = first.task_type if self.task_type is None else self.task_type
        self.task_id = first.task_id if self.task_id is None else self.task_id
        self.rpc_layer = self.rpc_layer or getattr(first, "rpc_layer", "") or ""
        self.environment = first.environment

    def cluster_spec(self) -> ClusterSpec:
        """The processes of all resolvers; those of one job one after the other."""
        tasks: dict[str, Any] = {}
        for resolver in self._resolvers:
            for job, more in resolver.cluster_spec().as_dict().items():
                if job not in tasks:
                    tasks[job] = more
                elif isinstance(tasks[job], list) and isinstance(more, list):
                    tasks[job] = [*tasks[job], *more]
                else:
                    tasks[job] = _united(tasks[job], more)
        return ClusterSpec(tasks)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task; that of the first resolver if no task is named."""
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return f"{rpc_layer}://{address}" if rpc_layer else address
        return self._resolvers[0].master(rpc_layer=rpc_layer)


def _united(first: Any, second: Any) -> dict[int, str]:
    numbered = [
        dict(enumerate(tasks)) if isinstance(tasks, list) else tasks for tasks in (first, second)
    ]
    both = numbered[0].keys() & numbered[1].keys()
    if both:
        raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {both}")
    return {**numbered[0], **numbered[1]}


class SlurmClusterResolver(ClusterResolver):
    """The processes of a step that Slurm's ``srun`` has started, from its environment variables.

    Args:
        jobs: how many processes each job has, in the order of their ranks; all are workers if left out.
        port_base: the port of the first process on each machine.
        gpus_per_node: accepted, as are the other arguments about GPUs: there are none here.
        tasks_per_node: how many processes each machine has; what Slurm says if left out.
        rpc_layer: the protocol in the addresses that `master` gives.
    """

    environment = ""

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | dict[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._rank = int(_said_by_slurm("PROCID"))
        count = int(_said_by_slurm("STEP_NUM_TASKS"))
        self._jobs = {"worker": count} if jobs is None else dict(jobs)
        if sum(self._jobs.values()) != count:
            raise RuntimeError(
                f"Requested {sum(self._jobs.values())} tasks but only {count} were assigned."
            )
        machines = list(_machines(_said_by_slurm("STEP_NODELIST")))
        self._places = list(_places(machines, tasks_per_node, port_base))[:count]
        if len(self._places) < count:
            raise RuntimeError(
                f"Slurm speaks of {count} processes, and of {len(self._places)} places for them: "
                "tasks_per_node does not fit."
            )
        self.rpc_layer = rpc_layer
        self.task_type, self.task_id = self.get_task_info()

    def cluster_spec(self) -> ClusterSpec:
        """The processes: machines in Slurm's order, and ports from ``port_base`` on."""
        places = iter(self._places)
        return ClusterSpec(
            {job: [next(places) for _ in range(count)] for job, count in self._jobs.items()}
        )

    def get_task_info(self) -> tuple[str, int]:
        """The job of this process, and its number there."""
        rank = self._rank
        for job, count in self._jobs.items():
            if rank < count:
                return job, rank
            rank -= count
        raise RuntimeError(
            f"The rank {self._rank} of this process belongs to no job: {self._jobs}."
        )

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task, by default that of this process."""
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        address = self.cluster_spec().task_address(str(kind), int(number or 0))
        layer = rpc_layer or self.rpc_layer
        return f"{layer}://{address}" if layer else address


def _said_by_slurm(name: str) -> str:
    try:
        return os.environ[f"SLURM_{name}"]
    except KeyError:
        raise RuntimeError(
            f"SLURM_{name} not found in environment. Not running inside a SLURM step?"
        ) from None


def _machines(listed: str) -> Iterator[str]:
    """The names in a list such as ``n[01-03,7],m2``."""
    for prefix, ranges in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", listed):
        if not ranges:
            yield prefix
        for part in filter(None, ranges.split(",")):
            low, _, high = part.partition("-")
            for number in range(int(low), int(high or low) + 1):
                yield f"{prefix}{number:0{len(low)}d}"


def _places(machines: list[str], tasks: Any, port_base: int) -> Iterator[str]:
    """An address for each process, one machine after the other."""
    number_on: Callable[[int, str], int]
    if tasks is None:
        counts: list[int] = []
        for count, times in re.findall(
            r"(\d+)(?:\(x(\d+)\))?", _said_by_slurm("STEP_TASKS_PER_NODE")
        ):
            counts += [int(count)] * int(times or 1)

        def number_on(place: int, machine: str) -> int:
            return counts[place] if place < len(counts) else 0
    elif isinstance(tasks, dict):

        def number_on(place: int, machine: str) -> int:
            return int(tasks[machine])
    else:

        def number_on(place: int, machine: str) -> int:
            return int(tasks)

    for place, machine in enumerate(machines):
        for number in range(number_on(place, machine)):
            yield f"{machine}:{port_base + number}"


class TPUClusterResolver(ClusterResolver):
    """The address of a TPU. It has none: there are no TPUs here.

    >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("local")
    >>> resolver.num_accelerators()
    {'TPU': 0}

    Args:
        tpu: "local", or an address such as "grpc://10.0.0.1:8470"; the environment variable ``TPU_NAME`` if
            left out.
        job_name: the name of the job that has the TPU.
        zone, project, coordinator_name, coordinator_address, credentials, service, discovery_url: accepted,
            and of no effect.

    Raises:
        ValueError: there is no name.
        NotFoundError: the name is one of Google's cloud, which is not asked.
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        name = os.environ.get("TPU_NAME", "") if tpu is None else tpu
        if not name:
            raise ValueError("Please provide a TPU Name to connect to.")
        if name != "local" and not re.match(r"(grpc|uptc)://", name):
            refuse(
                f"TPUClusterResolver({name!r}) asks Google's cloud for a TPU of that name, which is not "
                "asked here: there are no TPUs.",
                error=NotFoundError,
            )
        self._address = "" if name == "local" else name
        self._job_name = job_name
        self.task_type, self.task_id = job_name, 0

    @staticmethod
    def connect(tpu: str | None = None, zone: Any = None, project: Any = None) -> NoReturn:
        """Raises: there are no TPUs to connect to."""
        TPUClusterResolver(tpu, zone=zone, project=project)
        refuse("TPUs not found in the cluster: there are none here.", error=NotFoundError)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address; empty for "local"."""
        return self._address

    def get_master(self) -> str:
        """The address; empty for "local"."""
        return self._address

    def get_job_name(self) -> str:
        """The name of the job that has the TPU."""
        return self._job_name

    def cluster_spec(self) -> ClusterSpec:
        """The address, as the one process of the job; nothing for "local"."""
        host = self._address.rpartition("://")[2]
        return ClusterSpec({self._job_name: [host]} if host else {})

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """How many TPUs there are: none."""
        return {"TPU": 0}

    @property
    def tpu_hardware_feature(self) -> None:
        """What the TPU can do: not known."""

    def get_coordination_service_leader(self) -> str:
        """The task that the others would report to."""
        return f"/job:{self._job_name}/task:0"

    def set_tpu_topology(self, serialized_tpu_topology: bytes) -> None:
        """Nothing: there is no TPU whose parts could lie anywhere."""


def _service(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.distribute.cluster_resolver.{name} asks a service for addresses, which is not done here. "
        "SimpleClusterResolver and TFConfigClusterResolver take them from the program or from TF_CONFIG."
    )


class GCEClusterResolver(ClusterResolver):
    """Not here: the machines of a group in Google's cloud."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _service("GCEClusterResolver")


class KubernetesClusterResolver(ClusterResolver):
    """Not here: the pods of a Kubernetes cluster."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _service("KubernetesClusterResolver")


class KubernetesExecutableLocation(enum.Enum):
    """Where a program with a `KubernetesClusterResolver` runs."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1
