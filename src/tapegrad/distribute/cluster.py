"""What TF_CONFIG, or a resolver in its place, says of the processes of a job.

Environment variables:
    TF_CONFIG: which processes a job has and which of them this one is, as TensorFlow reads it: see
        docs/distributed.md.
"""

from __future__ import annotations

import collections
import json
import os
from typing import Any

from tapegrad.distribute import ranks
from tapegrad.distribute.groups import Group, LocalGroup
from tapegrad.framework.printed import Printed

PUBLIC = {
    "distribute.cluster_resolver": (
        "ClusterResolver SimpleClusterResolver TFConfigClusterResolver"
    ),
    "train": "ClusterSpec",
}


class ClusterSpec:
    """The tasks of a cluster: for each job, the addresses of its tasks by their numbers.

    >>> tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).num_tasks("worker")
    2

    Args:
        cluster: a dict of lists of addresses, or of dicts from numbers to addresses; or another spec.
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, dict):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
                "or a `ClusterDef` protocol buffer"
            )
        self._tasks: dict[str, dict[int, str]] = {}
        for job, tasks in cluster.items():
            if isinstance(tasks, (list, tuple)):
                tasks = dict(enumerate(tasks))
            if not isinstance(tasks, dict):
                raise TypeError(
                    f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
                )
            self._tasks[job] = {int(number): str(address) for number, address in tasks.items()}

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ClusterSpec):
            return self._tasks == other._tasks
        return isinstance(other, dict) and self.as_dict() == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [f"{job!r}: {self.as_dict()[job]!r}" for job in sorted(self._tasks)]
        return "ClusterSpec({" + ", ".join(parts) + "})"

    def as_dict(self) -> dict[str, Any]:
        """For each job the list of its addresses, or a dict where numbers are left out."""
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._tasks.items()
        }

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks the job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of the job."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task."""
        try:
            return self._job(job_name)[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of the tasks of a job, with None for numbers that are left out."""
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._tasks[name]


class ClusterResolver(Printed):
    """Says which processes there are, and which of them this is."""

    task_type: str | None = None
    task_id: int | None = None
    environment: str | None = ""

    def cluster_spec(self) -> ClusterSpec:
        """The processes of the cluster."""
        raise NotImplementedError()

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task; an empty text where the cluster has one task or none."""
        spec = self.cluster_spec()
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None or _workers(spec) == 1:
            return ""
        address = spec.task_address(kind, number)
        return f"{rpc_layer}://{address}" if rpc_layer else address

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: Any = None,
    ) -> dict[str, int]:
        """How many accelerators of each kind a process has: none."""
        return collections.defaultdict(int)


class SimpleClusterResolver(ClusterResolver):
    """Returns its arguments."""

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Any = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._spec = cluster_spec
        self.task_type = task_type
        self.task_id = task_id
        self.environment = environment
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The processes of the cluster."""
        return ClusterSpec(self._spec)


class TFConfigClusterResolver(ClusterResolver):
    """Says what the environment variable TF_CONFIG says.

    >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec()
    ClusterSpec({})
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        task = self._read().get("task", {})
        declared_type = task.get("type")
        self.task_type = task_type if task_type is not None else declared_type
        index = task_id if task_id is not None else task.get("index")
        self.task_id = None if index is None else int(index)
        self.rpc_layer = rpc_layer or self._read().get("rpc_layer")
        self.environment = environment or self._read().get("environment")

    @staticmethod
    def _read() -> dict[str, Any]:
        config: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
        return config

    def cluster_spec(self) -> ClusterSpec:
        """The processes of the cluster."""
        return ClusterSpec(self._read().get("cluster", {}))


def _workers(spec: ClusterSpec) -> int:
    """How many processes train: chiefs and workers."""
    return sum(spec.num_tasks(job) for job in ("chief", "worker") if job in spec.jobs)


def _number(resolver: ClusterResolver, spec: ClusterSpec) -> int | None:
    """Which of the processes that train this is; None where the resolver does not say."""
    if resolver.task_type not in ("chief", "worker") or resolver.task_id is None:
        return None
    before = spec.num_tasks("chief") if "chief" in spec.jobs else 0
    return resolver.task_id + (before if resolver.task_type == "worker" else 0)


def group_of(resolver: Any, timeout: float | None) -> Group:
    """The ranks of which the resolver speaks; all ranks of the job where it speaks of none.

    Raises:
        RuntimeError: there are not as many.
    """
    spec = ClusterSpec(resolver.cluster_spec())
    workers = _workers(spec)
    if workers == 1:
        return LocalGroup()
    ranks.init(timeout=timeout)
    group = ranks.all_ranks()
    if workers and workers != group.size:
        raise RuntimeError(
            f"TF_CONFIG, or the cluster_resolver, speaks of {workers} processes, and the launcher has "
            f"started {group.size}. There are no servers at the addresses in TF_CONFIG: start the processes "
            f'together, with "python -m tapegrad.distribute -n {workers} script.py" on one machine, with '
            "mpiexec or srun on several."
        )
    number = _number(resolver, spec)
    if workers > 1:
        numbers = group.all_objects(number)
        if set(numbers) == set(range(group.size)):
            part = group.subgroup([numbers.index(k) for k in range(group.size)])
            return group if part is None else part
    return group
