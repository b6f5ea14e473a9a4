"""`MultiWorkerMirroredStrategy`: one replica in each of several processes."""

from __future__ import annotations

from typing import Any

from tapegrad.annex.strategies import copies, local
from tapegrad.annex.strategies.contexts import current
from tapegrad.annex.strategies.copies import reduce_op_of_aggregation
from tapegrad.annex.strategies.options import CommunicationImplementation, CommunicationOptions
from tapegrad.annex.strategies.reductions import ReduceOp
from tapegrad.annex.strategies.sharding import WorkersDataset
from tapegrad.annex.strategies.strategy import Strategy, StrategyExtended
from tapegrad.annex.strategies.values import InputContext, InputOptions, Mirrored, select
from tapegrad.core import EagerTensor
from tapegrad.distribute import cluster
from tapegrad.distribute.collectives import (
    all_gather_rows,
    all_reduce_sum_many,
    broadcast_from,
    divided,
    reduced_slices,
)
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.synchronization import VariableAggregation, VariableSynchronization
from tapegrad.framework.variable import ResourceVariable
from tapegrad.ops.shape.array import identity, transpose

PUBLIC = {
    "distribute": "MultiWorkerMirroredStrategy",
    "distribute.experimental": "MultiWorkerMirroredStrategy=ExperimentalMultiWorkerStrategy",
}


class MultiWorkerMirroredStrategy(Strategy):
    """One replica in each process of a job, each with a copy of every variable.

    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1

    Start the processes with ``python -m tapegrad.distribute -n 4 script.py``, or another launcher of MPI
    programs: see the guide. The environment variable TF_CONFIG then says only which of them is which.

    Differs from TensorFlow: there are no servers at the addresses in TF_CONFIG. The processes find each
    other through MPI.

    Args:
        cluster_resolver: which processes there are; what TF_CONFIG says if left out.
        communication_options: ``timeout_seconds`` is how long a process waits for the others.

    Raises:
        RuntimeError: TF_CONFIG, or ``cluster_resolver``, speaks of other processes than there are.
    """

    def __init__(
        self,
        cluster_resolver: Any = None,
        communication_options: CommunicationOptions | None = None,
    ) -> None:
        resolver = cluster_resolver or cluster.TFConfigClusterResolver()
        timeout = None if communication_options is None else communication_options.timeout_seconds
        group = cluster.group_of(resolver, timeout)
        super().__init__(WorkersExtended(self, group))
        self._extended._cluster_resolver = resolver

    def _class_of_variable(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> type | None:
        synchronization = args[9] if len(args) > 9 else kwargs.get("synchronization")
        if synchronization is VariableSynchronization.NONE:
            raise ValueError(
                "`NONE` variable synchronization mode is not supported with tf.distribute strategy: "
                "leave `synchronization` out."
            )
        if synchronization is VariableSynchronization.ON_READ:
            return SyncOnReadVariable
        return local.MirroredVariable if self.num_replicas_in_sync == 1 else MirroredVariable


class ExperimentalMultiWorkerStrategy(MultiWorkerMirroredStrategy):
    """The older form of `MultiWorkerMirroredStrategy`."""

    def __init__(
        self,
        communication: CommunicationImplementation = CommunicationImplementation.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))


class WorkersExtended(StrategyExtended):
    """The part of `MultiWorkerMirroredStrategy` that is for authors of libraries."""

    def __init__(self, container_strategy: Strategy, group: Any) -> None:
        super().__init__(container_strategy)
        self._group_of_workers = group
        self._num_replicas_in_sync = group.size
        self._replica_id = group.rank

    def _in_multi_worker_mode(self) -> bool:
        """Whether there are other processes. Keras calls this."""
        return self._num_replicas_in_sync > 1

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process is the one that writes checkpoints for all."""
        return self._replica_id == 0

    @property
    def should_save_summary(self) -> bool:
        """Whether this process is the one that writes summaries for all."""
        return self._replica_id == 0

    def _all_reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        value = select(0, value)
        if self._num_replicas_in_sync == 1:
            return super()._all_reduce(reduce_op, value)
        return self._all_reduce_many(reduce_op, [value])[0]

    def _all_reduce_many(self, reduce_op: ReduceOp, values: list[Any]) -> list[Any]:
        """Several tensors; tensors of one dtype are sent in one message."""
        group = self._group_of_workers
        if group.size == 1:
            return super()._all_reduce_many(reduce_op, values)
        count = group.size if reduce_op is ReduceOp.MEAN else 1
        results: list[Any] = [None] * len(values)
        of_dtype: dict[Any, list[int]] = {}
        for k, value in enumerate(values):
            if isinstance(value, IndexedSlices):
                results[k] = reduced_slices(value, reduce_op.value.lower(), group)
            elif value is not None:
                values[k] = convert_to_tensor(value)
                of_dtype.setdefault(values[k].dtype, []).append(k)
        for numbers in of_dtype.values():
            totals = all_reduce_sum_many([values[k] for k in numbers], group=group)
            for k, total in zip(numbers, totals, strict=True):
                results[k] = divided(total, count)
        return results

    def _all_gather(self, value: Any, axis: Any) -> Any:
        group = self._group_of_workers
        value = convert_to_tensor(value)
        if group.size == 1:
            return identity(value)
        axis = int(axis) + (value.shape.rank if int(axis) < 0 else 0)
        if axis == 0:
            return all_gather_rows(value, group=group)[0]
        order = [axis, *[k for k in range(value.shape.rank) if k != axis]]
        rows = all_gather_rows(transpose(value, order), group=group)[0]
        return transpose(rows, [order.index(k) for k in range(value.shape.rank)])

    def _reduce(self, reduce_op: ReduceOp, value: Any, axis: Any) -> Any:
        # Keras requests the mean of metrics along axis 0, although they are scalars.
        if self._num_replicas_in_sync > 1 and axis is not None:
            value = convert_to_tensor(select(0, value))
            axis = axis if value.shape.rank else None
        return super()._reduce(reduce_op, value, axis)

    def _broadcast(self, value: Any) -> EagerTensor:
        """What the first process has."""
        result: EagerTensor = broadcast_from(
            convert_to_tensor(value), group=self._group_of_workers, root=0
        )
        return result

    def _input_context(self) -> InputContext:
        return InputContext(
            self._num_replicas_in_sync, self._replica_id, self._num_replicas_in_sync
        )

    def _distribute_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        if self._num_replicas_in_sync == 1:
            return self._take_dataset(dataset)
        return WorkersDataset(dataset, self._container_strategy, self._group_of_workers)

    def _take_dataset(self, dataset: Any, divided: bool = True) -> Any:
        if self._num_replicas_in_sync == 1:
            return super()._take_dataset(dataset, divided)
        return WorkersDataset(dataset, self._container_strategy, self._group_of_workers, False)


class MirroredVariable(ResourceVariable, Mirrored):
    """A variable with a copy in each process. They begin with the value that the first process has.

    Without an aggregation, a replica assigns to its own copy. With one, all replicas wait for each other, and
    the aggregate of what they assign goes to all copies.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._distribute_strategy = strategy = current().strategy
        numeric = self.dtype.is_numeric or self.dtype.is_bool
        extended: Any = strategy.extended
        if numeric:
            super().assign(extended._broadcast(self.value()))

    @property
    def _values(self) -> tuple[Any, ...]:  # type: ignore[override]
        return (self,)

    def _agreed(self, value: Any) -> Any:
        """The value that a replica assigns, combined with the values of the others."""
        frame = current()
        strategy = self._distribute_strategy
        kind = VariableAggregation(self._aggregation.value)
        merged = kind is not VariableAggregation.NONE
        if frame.replica is None or frame.strategy is not strategy or not merged:
            return value
        value = convert_to_tensor(value, self.dtype)
        extended: Any = strategy.extended
        if kind is VariableAggregation.ONLY_FIRST_REPLICA:
            return extended._broadcast(value)
        return extended._all_reduce(reduce_op_of_aggregation(kind), value)

    def assign(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Set the value, and return the variable."""
        return super().assign(self._agreed(value), *args, **kwargs)

    def assign_add(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        """Add to the value, and return the variable."""
        return super().assign_add(self._agreed(delta), *args, **kwargs)

    def assign_sub(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        """Subtract from the value, and return the variable."""
        return super().assign_sub(self._agreed(delta), *args, **kwargs)

    def __repr__(self) -> str:
        return f"MirroredVariable:{{\n  0: {super().__repr__()}\n}}"


class SyncOnReadVariable(copies.SyncOnReadVariable):
    """A variable whose copies differ: a reading outside of replicas gives their aggregate."""

    def _number(self) -> int | None:
        # There is one copy in this process, whatever the number of its replica.
        return None if super()._number() is None else 0

    def _chosen(self) -> Any:
        kind = VariableAggregation(self._aggregation.value)
        if self._number() is None and kind is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._distribute_strategy.extended._broadcast(self._copies[0])
        return super()._chosen()
