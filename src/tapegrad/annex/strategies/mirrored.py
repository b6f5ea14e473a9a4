"""`StrategyExtended` and `ReplicaContext` for several replicas in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes
from tapegrad.annex.strategies.contexts import Frame, current
from tapegrad.annex.strategies.copies import MirroredVariable, SyncOnReadVariable
from tapegrad.annex.strategies.reductions import ReduceOp, reduce_op_of
from tapegrad.annex.strategies.replicas import run_replicas
from tapegrad.annex.strategies.strategy import ReplicaContext, StrategyExtended
from tapegrad.annex.strategies.values import (
    DistributedValues,
    InputContext,
    Mirrored,
    PerReplica,
    ValueContext,
    regroup,
    select,
)
from tapegrad.autodiff.custom import custom_gradient
from tapegrad.framework import nest
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.creators import variable_creator_scope
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.synchronization import VariableSynchronization
from tapegrad.framework.variable import Variable
from tapegrad.ops.elementwise.math import truediv
from tapegrad.ops.reduce.clip import add_n
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import identity
from tapegrad.ops.shape.creation import ones_like
from tapegrad.ops.shape.joining import concat

if TYPE_CHECKING:
    from tapegrad.annex.strategies.strategy import Strategy


def check_axis(name: str, part: Any, axis: int, least: int = 0) -> None:
    """Raise unless a replica's tensor has the axis, counted from ``least``.

    Raises:
        ValueError: it has not.
    """
    rank = part.shape.rank
    if rank is not None and not least <= axis < rank:
        raise ValueError(
            f"{name} was given the axis {axis}, and a tensor of shape {part.shape}: axes are counted from "
            f"{least} to {rank - 1}."
            if rank
            else f"{name} was given the axis {axis}, and a scalar, which has none."
        )


class ThreadContext(ReplicaContext):
    """A replica that has a thread of its own."""

    def __init__(self, strategy: Strategy, number: int, thread: Any) -> None:
        super().__init__(strategy, number)
        self._thread = thread

    @property
    def devices(self) -> tuple[str, ...]:
        """The device on which the replica computes."""
        return (self._strategy.extended.worker_devices[self._replica_id_in_sync_group],)

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Iterable[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """``merge_fn(strategy, *args, **kwargs)``, called once with the values of all replicas.

        Raises:
            RuntimeError: another replica does not come to a ``merge_call``.
        """
        return self._thread.merge_call((merge_fn, tuple(args), dict(kwargs or {})))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The tensors in the nest ``value``, each reduced over all replicas. Gradients flow through it.

        A tensor that is the same object in all replicas, such as one made outside of them, is one value: it
        stays as it is.

        Raises:
            ValueError: ``reduce_op`` is a string other than "sum" and "mean".
        """
        reduce_op = reduce_op_of(reduce_op, "all_reduce()")
        leaves = [
            leaf if isinstance(leaf, IndexedSlices) else convert_to_tensor(leaf)
            for leaf in nest.flatten(value)
        ]

        def merge(strategy: Any, *parts: Any) -> list[Any]:
            reduce = strategy.extended._all_reduce
            return [
                reduce(reduce_op, part) if isinstance(part, DistributedValues) else part
                for part in parts
            ]

        if any(isinstance(leaf, IndexedSlices) for leaf in leaves):
            return nest.pack_sequence_as(value, self.merge_call(merge, leaves))

        @custom_gradient
        def reduced(*parts: Any) -> Any:
            def gradient(*dys: Any) -> Any:
                return self.all_reduce(reduce_op, list(dys))

            return self.merge_call(merge, parts), gradient

        return nest.pack_sequence_as(value, reduced(*leaves))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The tensors in the nest ``value``, each joined along ``axis`` with those of the other replicas.

        Raises:
            NotImplementedError: for `IndexedSlices`.
        """
        if any(isinstance(leaf, IndexedSlices) for leaf in nest.flatten(value)):
            raise NotImplementedError("all_gather does not support IndexedSlices")
        return nest.map_structure(lambda leaf: self._gathered(convert_to_tensor(leaf), axis), value)

    def _gathered(self, tensor: Any, axis: int) -> Any:
        def merge(strategy: Any, part: Any) -> Any:
            if not isinstance(part, DistributedValues):
                return part, None
            for value in part.values:
                check_axis("all_gather()", value, axis)
            sizes = [int(value.shape[axis]) for value in part.values]
            return concat(part.values, axis), sizes

        @custom_gradient
        def gathered(part: Any) -> Any:
            whole, sizes = self.merge_call(merge, (part,))

            def gradient(dy: Any) -> Any:
                dy = self.all_reduce(ReduceOp.SUM, dy)
                if sizes is None:
                    return dy
                number = self._replica_id_in_sync_group
                begin = [0] * dy.shape.rank
                begin[axis] = sum(sizes[:number])
                size = dy.shape.as_list()
                size[axis] = sizes[number]
                return dy[tuple([slice(a, a + n) for a, n in zip(begin, size, strict=True)])]

            return whole, gradient

        return gathered(tensor)


class SeveralReplicas(StrategyExtended):
    """The part of a strategy of several replicas that is for authors of libraries.

    All devices are the processor and its memory: only the copies of variables are their own.
    """

    def __init__(self, container_strategy: Strategy, devices: tuple[str, ...]) -> None:
        super().__init__(container_strategy)
        self._devices = devices
        self._num_replicas_in_sync = len(devices)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices on which replicas compute."""
        return self._devices

    def _context_of(self, number: int, thread: Any) -> ThreadContext:
        return ThreadContext(self._container_strategy, number, thread)

    def _class_of_variable(self, synchronization: Any) -> type:
        if synchronization is VariableSynchronization.NONE:
            raise ValueError(
                "`NONE` variable synchronization mode is not supported with tf.distribute strategy: "
                "leave `synchronization` out."
            )
        if synchronization is VariableSynchronization.ON_READ:
            return SyncOnReadVariable
        return MirroredVariable

    def _parts(self, value: Any) -> list[Any]:
        """The values of the replicas; a single one if it is the same for all."""
        return list(value.values) if isinstance(value, DistributedValues) else [value]

    def _all_reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        if not isinstance(value, DistributedValues):
            if reduce_op is ReduceOp.MEAN:
                return value
            raise ValueError(
                f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
                f"{reduce_op}: it is the same in all replicas. Give what Strategy.run() returned, or make "
                "a tensor in each replica."
            )
        parts = list(value.values)
        count = len(parts)
        if all(isinstance(part, IndexedSlices) for part in parts):
            values = concat([convert_to_tensor(part.values) for part in parts], 0)
            indices = concat([convert_to_tensor(part.indices) for part in parts], 0)
            if reduce_op is ReduceOp.MEAN:
                values = values / count
            return IndexedSlices(values, indices, parts[0].dense_shape)
        total = add_n([convert_to_tensor(part) for part in parts])
        return truediv(total, count) if reduce_op is ReduceOp.MEAN else total

    def _reduce(self, reduce_op: ReduceOp, value: Any, axis: Any) -> Any:
        if axis is None:
            return self._all_reduce(reduce_op, value)
        parts = [convert_to_tensor(part) for part in self._parts(value)]
        for part in parts:
            if part.dtype is dtypes.bool:
                raise TypeError(
                    "Strategy.reduce() adds up numbers along axes; truth values came: cast them."
                )
            for one in nest.flatten(axis):
                check_axis("Strategy.reduce()", part, one, -(part.shape.rank or 0))
        if len(parts) == 1:  # every replica has the whole of it
            parts *= len(self._devices)
        total = add_n([reduce_sum(part, axis=axis) for part in parts])
        if reduce_op is ReduceOp.SUM:
            return total
        return truediv(total, add_n([reduce_sum(ones_like(part), axis=axis) for part in parts]))

    def _gather(self, value: Any, axis: Any) -> Any:
        def gather(part: Any) -> Any:
            parts = self._parts(part)
            if len(parts) == 1:
                return part
            if any(isinstance(component, IndexedSlices) for component in parts):
                raise NotImplementedError("gather does not support IndexedSlices")
            parts = [convert_to_tensor(component) for component in parts]
            for component in parts:
                check_axis("Strategy.gather()", component, axis)
            return concat(parts, axis)

        return nest.map_structure(gather, value)

    def _group(self, value: Any) -> None:
        return None

    def _use_merge_call(self) -> bool:
        return True

    def _input_context(self) -> InputContext:
        return InputContext(1, 0, self._num_replicas_in_sync)

    def _distribute_value(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        count = self._num_replicas_in_sync
        return regroup([value_fn(ValueContext(i, count)) for i in range(count)], PerReplica, True)

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, DistributedValues):
            return value.values
        if nest.is_nested(value):
            return tuple([select(i, value) for i in range(len(self._devices))])
        return (value,)

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """``fn(*args, **kwargs)`` in every replica."""
        variables = _SharedVariables()

        def called(*args: Any, **kwargs: Any) -> Any:
            with variable_creator_scope(variables.creator()):
                return fn(*args, **kwargs)

        return run_replicas(self, called, tuple(args), dict(kwargs or {}))

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """``fn(copy, *args, **kwargs)`` for every copy of the variable.

        Returns:
            What ``fn`` returned, for all copies together; in a tuple if ``group`` is false.
        """
        results = []
        for i, copy in enumerate(var.values):
            with Frame(self._container_strategy, None, i):
                results.append(fn(copy, *select(i, tuple(args)), **select(i, dict(kwargs or {}))))
        if group:
            results = [
                nest.map_structure(
                    lambda leaf: leaf.value() if isinstance(leaf, Variable) else leaf, result
                )
                for result in results
            ]
            return regroup(results, Mirrored)
        return self._local_results(regroup(results, Mirrored))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """One value, reduced over all replicas, for the devices of ``destinations``.

        Returns:
            A tensor; where ``destinations`` is a value or variable of all replicas, one for each of these.
        """
        reduce_op = reduce_op_of(reduce_op, "reduce_to()")
        result = self._all_reduce(reduce_op, value)
        if isinstance(destinations, DistributedValues):
            return Mirrored((result, *[identity(result) for _ in self._devices[1:]]))
        return result

    def value_container(self, value: Any) -> Any:
        """The variable of which ``value`` is a copy."""
        container = getattr(value, "_distributed_container", None)
        return value if container is None else container()


class _SharedVariables:
    """The variables that are made in replicas: the first one makes them, and the others find them by name."""

    def __init__(self) -> None:
        self._made: dict[str, list[Any]] = {}

    def creator(self) -> Callable[..., Any]:
        """A creator for the thread of a replica."""
        counts: dict[str, int] = {}

        def create(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            name = arguments.get("name") or "Variable"
            variables = self._made.setdefault(name, [])
            context = current().replica
            if context is not None and context._replica_id_in_sync_group == 0:
                variables.append(next_creator(**arguments))
                return variables[-1]
            count = counts[name] = counts.get(name, 0) + 1
            if count > len(variables):
                raise RuntimeError(
                    f"A replica makes a variable {name!r} that the first replica has not made: all replicas "
                    "must make the same variables in the same order, or none but the first."
                )
            return variables[count - 1]

        return create
