"""What strategies take and give: values per replica, and options."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from tapegrad.core import VariableBase
from tapegrad.framework import nest
from tapegrad.framework.printed import Printed
from tapegrad.framework.spec import TypeSpec, type_spec_from_value

PUBLIC = {
    "distribute": ("DistributedValues InputContext InputOptions InputReplicationMode RunOptions"),
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
        return self._shown(repr)

    def __str__(self) -> str:
        return self._shown(str)

    def _shown(self, show: Callable[[Any], str]) -> str:
        lines = [f"  {number}: {show(value)}" for number, value in enumerate(self._values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


class PerReplica(DistributedValues):
    """Values that differ from replica to replica."""

    def _nest_components(self) -> list[Any]:
        return list(self._values)

    def _nest_rebuild(self, components: Sequence[Any]) -> PerReplica:
        return PerReplica(tuple(components))

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*[type_spec_from_value(value) for value in self._values])

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> NoReturn:
        raise ValueError(
            "It looks like you are using a PerReplica object while not inside a replica context, which is "
            "not supported. Try running your op or function inside a replica context by using "
            "`strategy.run`, or take its `values`."
        )


class PerReplicaSpec(TypeSpec):
    """The specs of the values in a `PerReplica`."""

    __slots__ = ("_value_specs",)

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> type:
        """The class of the values described."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return self._value_specs

    def _to_components(self, value: Any) -> Any:
        return value.values

    def _from_components(self, components: Any) -> Any:
        return PerReplica(components)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec describes the value, or every one of the given spec."""
        spec = getattr(spec_or_value, "_type_spec", spec_or_value)
        return (
            isinstance(spec, PerReplicaSpec)
            and len(spec._value_specs) == len(self._value_specs)
            and all(map(_fits, self._value_specs, spec._value_specs))
        )

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


def _fits(spec: Any, other: Any) -> bool:
    return bool(spec.is_compatible_with(other))


class Mirrored(DistributedValues):
    """Values that are the same in every replica."""


def regroup(
    values: Sequence[Any], kind: type[DistributedValues] = PerReplica, always: bool = False
) -> Any:
    """One nest of what the replicas gave: where they gave different objects, these in a ``kind``.

    Args:
        values: what each replica gave.
        kind: what to make of them.
        always: whether to make it of equal objects too.
    """
    first = values[0]
    for other in values[1:]:
        nest.assert_same_structure(first, other)
    leaves = zip(*[nest.flatten(value) for value in values], strict=True)
    return nest.pack_sequence_as(
        first, [kind(parts) if always else _as_one(parts, kind) for parts in leaves]
    )


def _as_one(parts: tuple[Any, ...], kind: type[DistributedValues]) -> Any:
    if all(part is parts[0] for part in parts):
        return parts[0]
    wholes = [getattr(part, "_distributed_container", lambda: None)() for part in parts]
    if wholes[0] is not None and all(whole is wholes[0] for whole in wholes):
        return wholes[0]
    if isinstance(parts[0], str) and len(set(parts)) == 1:
        return parts[0]
    return kind(parts)


def select(number: int, value: Any) -> Any:
    """The nest ``value``, with the part of one replica wherever it differs from replica to replica.

    Variables are not replaced: a replica that reads one reads its own copy.
    """

    def part_of(part: Any) -> Any:
        if isinstance(part, DistributedValues) and not isinstance(part, VariableBase):
            return part.values[number]
        return part

    return nest.map_structure(part_of, value)


class InputContext(Printed):
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


class ValueContext(Printed):
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
    experimental_xla_options: object = None
