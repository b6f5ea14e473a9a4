"""`Strategy`, `StrategyExtended` and `ReplicaContext`, and the default strategy, which has one replica."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

from tapegrad.annex.strategies.contexts import Frame, current, set_default_frame
from tapegrad.annex.strategies.datasets import DistributedDataset
from tapegrad.annex.strategies.reductions import ReduceOp, reduce_op_of
from tapegrad.annex.strategies.values import (
    DistributedValues,
    InputContext,
    InputOptions,
    RunOptions,
    ValueContext,
    select,
)
from tapegrad.core import Tensor, VariableBase
from tapegrad.framework import nest
from tapegrad.framework.config import CPU_NAME
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.printed import Printed
from tapegrad.ops.elementwise.math import truediv
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import identity
from tapegrad.ops.shape.creation import ones_like

PUBLIC = {"distribute": "ReplicaContext Strategy StrategyExtended"}

_serials = itertools.count()


class ReplicaContext:
    """One replica of a computation, for the code that computes it.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> def step(x):
    ...     return tf.distribute.get_replica_context().all_reduce("sum", x)
    >>> strategy.run(step, args=(tf.constant(3.0),)).numpy()
    np.float32(3.0)
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int) -> None:
        self._strategy = strategy
        self._replica_id_in_sync_group = replica_id_in_sync_group

    @property
    def strategy(self) -> Strategy:
        """The strategy to which the replica belongs."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas compute together."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica, from 0, as a tensor."""
        return convert_to_tensor(self._replica_id_in_sync_group)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices on which the replica computes."""
        return tuple(self._strategy.extended.worker_devices)

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Iterable[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """``merge_fn(strategy, *args, **kwargs)``, as all replicas at once."""
        with Frame(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The tensors in the nest ``value``, each reduced over all replicas. Gradients flow through it.

        Raises:
            ValueError: ``reduce_op`` is a string other than "sum" and "mean".
        """
        reduce_op = reduce_op_of(reduce_op, "all_reduce()")
        parts = [
            part if isinstance(part, IndexedSlices) else convert_to_tensor(part)
            for part in nest.flatten(value)
        ]
        reduced = self._strategy.extended._all_reduce_many(reduce_op, parts)
        return nest.pack_sequence_as(value, reduced)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The tensors in the nest ``value``, each joined along ``axis`` with those of the other replicas.

        Raises:
            NotImplementedError: for `IndexedSlices`.
        """
        return gathered(self._strategy, value, axis, "all_gather")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._replica_id_in_sync_group} of {self._strategy!r}>"


class DefaultReplicaContext(ReplicaContext):
    """The replica of the default strategy."""

    @property
    def replica_id_in_sync_group(self) -> int:
        """0: there is one replica."""
        return self._replica_id_in_sync_group

    @property
    def devices(self) -> tuple[str, ...]:
        """No device in particular."""
        return ("",)


def gathered(strategy: Strategy, value: Any, axis: Any, name: str) -> Any:
    """Every tensor in the nest ``value``, joined with those of the other replicas."""

    def gather(part: Any) -> Any:
        if isinstance(part, IndexedSlices):
            raise NotImplementedError(f"{name} does not support IndexedSlices")
        return strategy.extended._all_gather(convert_to_tensor(part), axis)

    return nest.map_structure(gather, value)


class Strategy(Printed):
    """Computes with several replicas. The strategies of this package run on the CPU.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(3.0),)).numpy()
    np.float32(3.0)
    """

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended
        self._serial = next(_serials)

    def _printed_state(self) -> str:
        return f"{self.num_replicas_in_sync} replicas"

    def _class_of_variable(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> type | None:
        """The class of a variable that is made in the scope of these arguments; None for an ordinary one."""
        return None

    @property
    def extended(self) -> StrategyExtended:
        """Methods for authors of libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """Over how many replicas gradients are summed up."""
        return self._extended._num_replicas_in_sync

    @property
    def _should_use_with_coordinator(self) -> bool:
        """Whether parameter servers and a coordinator run the steps: never. Keras 2 calls this."""
        return False

    @property
    def cluster_resolver(self) -> Any:
        """What describes the cluster; None where there is none."""
        return self._extended._cluster_resolver

    def scope(self) -> Frame:
        """A context in which this is the strategy, and in which its variables are made.

        Raises:
            RuntimeError: On entering, inside the scope of another strategy or inside `run`.
        """
        return _Scope(self, None)

    def run(
        self,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        options: RunOptions | None = None,
    ) -> Any:
        """``fn(*args, **kwargs)`` in every replica on this machine, with the replica's part of each value.

        Raises:
            ValueError: ``args`` is neither a list nor a tuple.
            RuntimeError: inside another `run`.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        with self.scope():
            return self._extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """The tensors in the nest ``value``, reduced over the replicas, and before that along ``axis``.

        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.reduce("mean", tf.constant([1.0, 2.0, 6.0]), axis=0).numpy()
        np.float32(3.0)

        Args:
            reduce_op: a `ReduceOp`, or its name.
            value: what `run` returned.
            axis: the axis or axes of examples, or None.
        """
        self._check_cross_replica()
        reduce_op = reduce_op_of(reduce_op, "Strategy.reduce()")
        reduce = self._extended._reduce
        return nest.map_structure(lambda part: reduce(reduce_op, part, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The tensors in the nest ``value``, each joined along ``axis`` with those of the other replicas."""
        self._check_cross_replica()
        return self._extended._gather(value, axis)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """What each replica on this machine returned, as a tuple."""
        return self._extended._local_results(value)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The same as `experimental_local_results`."""
        return self._extended._local_results(value)

    def group(self, value: Any, name: str | None = None) -> Any:
        """The one value of ``value``: everything has run when it returns."""
        return self._extended._group(value)

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None
    ) -> Any:
        """The data set, with each batch divided among the replicas."""
        return self._extended._distribute_dataset(dataset, options)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None = None
    ) -> Any:
        """The data set that ``dataset_fn`` makes for this process; it divides batches itself."""
        context = self._extended._input_context()
        return self._extended._take_dataset(dataset_fn(context), divided=False)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """What ``value_fn`` makes for the replica on this machine."""
        return self._extended._distribute_value(value_fn)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """The same as `StrategyExtended.colocate_vars_with`."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def _check_cross_replica(self) -> None:
        """Raise inside `run`."""
        frame = current()
        if frame.replica is not None and not isinstance(frame.replica, DefaultReplicaContext):
            raise RuntimeError(
                "Method requires being in cross-replica context, use "
                "get_replica_context().merge_call()"
            )


class _Scope(Frame):
    """`Strategy.scope`."""

    __slots__ = ()

    def __enter__(self) -> Strategy:
        frame = current()
        self.strategy._check_cross_replica()
        outermost = isinstance(frame.replica, DefaultReplicaContext)
        if not outermost and frame.strategy is not self.strategy:
            raise RuntimeError(
                "Mixing different tf.distribute.Strategy objects: "
                f"{frame.strategy!r} is not {self.strategy!r}"
            )
        return super().__enter__()


class StrategyExtended(Printed):
    """The part of a strategy that is for authors of libraries."""

    _cluster_resolver: Any = None
    _num_replicas_in_sync = 1
    _replica_id = 0
    _global_batch_size = True  # a batch of a data set is for all replicas together

    def __init__(self, container_strategy: Strategy) -> None:
        self._container_strategy = container_strategy

    # Methods that a strategy of several processes overrides

    def _all_reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        """One tensor, reduced over all replicas."""
        return value if isinstance(value, IndexedSlices) else identity(value)

    def _all_reduce_many(self, reduce_op: ReduceOp, values: list[Any]) -> list[Any]:
        """Several tensors, each reduced over all replicas."""
        return [self._all_reduce(reduce_op, value) for value in values]

    def _all_gather(self, value: Tensor, axis: Any) -> Tensor:
        """One tensor, joined along ``axis`` with those of all other replicas."""
        return identity(value)

    # What follows from that

    def _input_context(self) -> InputContext:
        return InputContext(
            self._num_replicas_in_sync, self._replica_id, self._num_replicas_in_sync
        )

    def _reduce(self, reduce_op: ReduceOp, value: Any, axis: Any) -> Any:
        """One value, reduced over all replicas, and before that along ``axis``."""
        value = select(0, value)
        if axis is None:
            return value if self._num_replicas_in_sync == 1 else self._all_reduce(reduce_op, value)
        value = convert_to_tensor(value)
        total = self._all_reduce(ReduceOp.SUM, reduce_sum(value, axis=axis))
        if reduce_op is ReduceOp.SUM:
            return total
        count = reduce_sum(ones_like(value), axis=axis)
        return truediv(total, self._all_reduce(ReduceOp.SUM, count))

    def _gather(self, value: Any, axis: Any) -> Any:
        """The nest ``value``, joined along ``axis`` over all replicas."""
        return gathered(self._container_strategy, select(0, value), axis, "gather")

    def _group(self, value: Any) -> Any:
        return select(0, value)

    def _use_merge_call(self) -> bool:
        """Whether a replica waits for the others to update a variable."""
        return False

    def _take_dataset(self, dataset: Any, divided: bool = True) -> Any:
        return DistributedDataset(dataset, self._container_strategy, divided)

    def _distribute_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        return self._take_dataset(dataset)

    def _distribute_value(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return value_fn(ValueContext(self._replica_id, self._num_replicas_in_sync))

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return value.values if isinstance(value, DistributedValues) else (value,)

    def _replica_context(self) -> ReplicaContext:
        return ReplicaContext(self._container_strategy, self._replica_id)

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """``fn(*args, **kwargs)`` in every replica on this machine."""
        args, kwargs = select(0, tuple(args)), select(0, dict(kwargs or {}))
        with Frame(self._container_strategy, self._replica_context()):
            return fn(*args, **kwargs)

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """``fn(var, *args, **kwargs)`` for every copy of the variable on this machine.

        Returns:
            What ``fn`` returned; in a tuple if ``group`` is false.
        """
        with Frame(self._container_strategy, None):
            result = fn(var, *select(0, tuple(args)), **(kwargs or {}))
        return result if group else self._local_results(result)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """One value, reduced over all replicas, for the devices of ``destinations``."""
        reduce_op = reduce_op_of(reduce_op, "reduce_to()")
        return self._all_reduce(reduce_op, select(0, value))

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """`reduce_to` for every pair of a value and its destinations."""
        return [
            self.reduce_to(reduce_op, value, destinations, options)
            for value, destinations in value_destination_pairs
        ]

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the variable was made in the scope of this strategy."""
        return v._distribute_strategy is self._container_strategy

    def value_container(self, value: Any) -> Any:
        """The variable that has ``value`` as its only copy."""
        return value

    def read_var(self, v: Any) -> Any:
        """The value of a variable."""
        return convert_to_tensor(v)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context for variables that go where ``colocate_with_variable`` is, which is the one device.

        Raises:
            ValueError: that is no variable, or was not made in the scope of this strategy.
        """
        made_here = isinstance(colocate_with_variable, VariableBase)
        if not (made_here and self.variable_created_in_scope(colocate_with_variable)):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this "
                f"tf.distribute.Strategy.scope(), not: {colocate_with_variable!r}"
            )
        return nullcontext()

    def _in_multi_worker_mode(self) -> bool:
        """Whether processes that know of each other compute together."""
        return False

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices on which replicas compute."""
        return (CPU_NAME,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return self.worker_devices

    @property
    def experimental_require_static_shapes(self) -> bool:
        """Whether shapes must be known before anything runs: they need not."""
        return False


class DefaultStrategy(Strategy):
    """The strategy outside all scopes. It changes nothing."""

    def __init__(self) -> None:
        super().__init__(DefaultExtended(self))

    def scope(self) -> Frame:
        """A context in which this is the strategy."""
        return Frame(self, DefaultReplicaContext(self, 0))

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None
    ) -> Any:
        """``dataset`` itself."""
        return dataset


class DefaultExtended(StrategyExtended):
    """The part of the default strategy that is for authors of libraries."""

    def _take_dataset(self, dataset: Any, divided: bool = True) -> Any:
        return dataset

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the variable was made outside the scopes of other strategies."""
        return v._distribute_strategy is None

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context that changes nothing."""
        return nullcontext()

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Raises RuntimeError: the default strategy says nothing of devices."""
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Raises RuntimeError: the default strategy says nothing of devices."""
        raise RuntimeError(
            "parameter_devices() method unsupported by default tf.distribute.Strategy."
        )


set_default_frame(DefaultStrategy().scope())
