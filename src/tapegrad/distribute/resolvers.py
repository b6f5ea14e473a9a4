"""Resolvers that ask others: several resolvers as one, and the scheduler Slurm."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from tapegrad.distribute.cluster import ClusterResolver, ClusterSpec

PUBLIC = {"distribute.cluster_resolver": "SlurmClusterResolver UnionResolver"}


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
        """The address of a task; that of the first resolver if none is asked for."""
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
