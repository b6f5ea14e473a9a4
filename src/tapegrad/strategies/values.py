"""What strategies take and give: values per replica, data sets, and options."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

PUBLIC = {
    "distribute": (
        "DistributedDataset DistributedIterator DistributedValues InputContext InputOptions "
        "InputReplicationMode RunOptions"
    ),
    "distribute.experimental": "ValueContext",
    "types.experimental.distributed": "Mirrored PerReplica",
}


class DistributedValues:
    """One value for each replica on this machine."""

    _is_distributed_value = True

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the replicas."""
        return self._values

    def __repr__(self) -> str:
        lines = [f"  {number}: {value!r}" for number, value in enumerate(self._values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


class PerReplica(DistributedValues):
    """Values that differ from replica to replica."""


class Mirrored(DistributedValues):
    """Values that are the same in every replica."""


class DistributedDataset:
    """A data set of which each replica takes its part."""

    def __init__(self, dataset: Any, strategy: Any) -> None:
        self._element_spec = dataset.element_spec
        self._dataset = dataset
        self._strategy = strategy

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._dataset), self._strategy)

    @property
    def element_spec(self) -> Any:
        """What is known of each element."""
        return self._element_spec

    @property
    def cardinality(self) -> int:
        """The number of elements, or `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`."""
        return int(self._dataset.cardinality())

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The last state that ``reduce_func(state, element)`` makes, beginning with ``initial_state``."""
        state = initial_state
        for element in self:
            state = reduce_func(state, element)
        return state


class DistributedIterator:
    """An iterator over a `DistributedDataset`."""

    def __init__(self, iterator: Any, strategy: Any) -> None:
        self._iterator = iterator
        self._strategy = strategy

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        return self._iterator.get_next()

    def get_next_as_optional(self) -> Any:
        """The next element as a `tf.experimental.Optional`, which is empty at the end."""
        return self._iterator.get_next_as_optional()

    @property
    def element_spec(self) -> Any:
        """What is known of each element."""
        return self._iterator.element_spec


class InputContext:
    """For the function that makes a data set: which part of the input it is to read.

    >>> context = tf.distribute.InputContext(num_replicas_in_sync=2)
    >>> context.get_per_replica_batch_size(8)
    4
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas share the input."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """Which of the input pipelines this one is."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """How many processes read the input."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that each replica gets.

        Raises:
            ValueError: the batch cannot be divided evenly.
        """
        if global_batch_size % self._num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self._num_replicas_in_sync}."
            )
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self._input_pipeline_id}, "
            f"total: {self._num_input_pipelines})"
        )


class ValueContext:
    """For the function that makes a value per replica: which replica it is for."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._replica_id_in_sync_group = replica_id_in_sync_group
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the replica, from 0."""
        return self._replica_id_in_sync_group

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self._replica_id_in_sync_group},  "
            f"total replicas in sync: {self._num_replicas_in_sync})"
        )


class InputReplicationMode(enum.Enum):
    """For whom a function that makes a data set is called: for every worker, or for every replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How a data set is distributed. With one replica the options have no effect."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """Options of `Strategy.run`. They are about TPUs, and have no effect."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None
