"""Variables with a copy for each replica: which copy is read, and what an assignment does to the copies."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

from tapegrad import core
from tapegrad.annex.strategies.contexts import current
from tapegrad.annex.strategies.reductions import ReduceOp
from tapegrad.annex.strategies.values import DistributedValues, Mirrored, PerReplica, select
from tapegrad.core import EagerTensor
from tapegrad.framework.config import device
from tapegrad.framework.handle import Handle
from tapegrad.framework.synchronization import VariableAggregation, VariableSynchronization
from tapegrad.framework.variable import ResourceVariable, Variable

_SIGNATURE = inspect.signature(Variable.__init__)

# What changes a variable, and returns it.
WRITERS = (
    "assign assign_add assign_sub batch_scatter_update scatter_add scatter_div scatter_max scatter_min "
    "scatter_mul scatter_nd_add scatter_nd_max scatter_nd_min scatter_nd_sub scatter_nd_update "
    "scatter_sub scatter_update"
).split()


class Copy(ResourceVariable):
    """The copy of a variable for one replica."""

    _distributed_container: weakref.ref[Any]
    _copy_device = ""

    @property
    def device(self) -> str:
        """The full name of the device of the replica."""
        return self._copy_device


class DistributedVariable(Variable, DistributedValues):
    """A variable without a value of its own: a reading chooses one of its copies, one for each replica."""

    _copies: tuple[Copy, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        arguments = _SIGNATURE.bind(self, *args, **kwargs).arguments
        del arguments["self"]
        strategy = current().strategy
        arguments["synchronization"] = self._synchronized
        copies: list[Copy] = []
        for number, name in enumerate(strategy.extended.worker_devices):
            if number:
                arguments["initial_value"] = copies[0].value()
                arguments["name"] = f"{self._given_name(args, kwargs)}/replica_{number}"
            with device(name):
                copy = Copy(**arguments)
            copy._copy_device = name
            copy._distributed_container = weakref.ref(self)
            copies.append(copy)
        self._copies = tuple(copies)
        self._distribute_strategy = strategy
        first = copies[0]
        self._trainable, self._dtype, self._shape = first.trainable, first.dtype, first.shape
        self._handle_name, self._constraint = first._handle_name, first.constraint
        self._synchronization, self._aggregation = self._synchronized, first._aggregation

    _synchronized = VariableSynchronization.ON_WRITE

    @staticmethod
    def _given_name(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        return _SIGNATURE.bind(None, *args, **kwargs).arguments.get("name") or "Variable"

    @property
    def _values(self) -> tuple[Any, ...]:  # type: ignore[override]
        return self._copies

    # Which copy

    def _number(self) -> int | None:
        """The number of the copy that the running code reads and writes; None for all copies at once."""
        frame = current()
        if frame.strategy is not self._distribute_strategy:
            return None
        return frame.copy if frame.replica is None else frame.replica._replica_id_in_sync_group

    def _own_copy(self) -> Copy:
        """The copy of the replica that runs, or the first one."""
        return self._copies[self._number() or 0]

    def _chosen(self) -> Any:
        """The value for a read. The core calls this at every read."""
        return self._own_copy()

    @property
    def handle(self) -> Handle:
        """The handle of the copy of the replica that runs, or of the first one."""
        return self._own_copy().handle

    @property
    def device(self) -> str:
        """The full name of the device that holds the copy of the replica that runs, or the first one."""
        return self._own_copy().device

    def set_shape(self, shape: Any) -> None:
        """Make the declared shape more precise, in all copies."""
        for copy in self._copies:
            copy.set_shape(shape)
        self._shape = self._copies[0].shape

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the variable was made."""
        return self._distribute_strategy

    def value(self) -> EagerTensor:
        """The value now, as a new tensor, which later assignments do not change."""
        chosen: Any = self._chosen()
        value: EagerTensor = chosen.value() if isinstance(chosen, Variable) else chosen
        return value

    # Writing

    def _write_copies(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Write to the copy of the replica that runs, or to all of them where none runs."""
        number = self._number()
        if number is not None:
            replica = current().replica
            if replica is not None and self._merges(name):
                return replica.merge_call(self._write_merged, (name, *args), kwargs)
            return getattr(self._copies[number], name)(*args, **kwargs)
        return self._write_all(name, args, kwargs)

    def _merges(self, name: str) -> bool:
        """Whether a replica that assigns waits for the others, so that one value is written to all copies."""
        raise NotImplementedError

    def _write_merged(self, strategy: Any, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Write what the replicas want to assign, taken together, to all copies."""
        if name not in ("assign", "assign_add", "assign_sub"):
            raise NotImplementedError(
                f"{name}() in a replica is for variables without aggregation; this one has "
                f"{self._aggregation}. Call it outside of Strategy.run(), or in merge_call()."
            )
        kind = VariableAggregation(self._aggregation.value)
        if kind is VariableAggregation.ONLY_FIRST_REPLICA:
            value = select(0, value)
        else:
            value = strategy.extended._all_reduce(reduce_op_of_aggregation(kind), value)
        return self._write_all(name, (value, *args), kwargs)

    def _write_all(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Write to all copies. The result is their new value in each replica."""
        strategy = self._distribute_strategy
        written = [
            getattr(copy, name)(*select(i, args), **select(i, kwargs))
            for i, copy in enumerate(self._copies)
        ]
        if strategy is None or any(result is None for result in written):
            return None
        return Mirrored(tuple([result.value() for result in written]))

    def __getitem__(self, slice_spec: Any) -> Any:
        return self._own_copy()[slice_spec]

    def count_up_to(self, limit: int) -> NoReturn:
        """Raises NotImplementedError: each copy would count separately."""
        raise NotImplementedError(
            "count_up_to() is not for variables with a copy for each replica."
        )

    # Copies of the variable itself, and printed forms

    def _copy(self, constraint: Any) -> Any:
        with self._distribute_strategy.scope():
            return type(self)(
                self._copies[0]._snapshot,
                trainable=self._trainable,
                name=self._shared_name,
                shape=self._shape,
                constraint=constraint,
                aggregation=self._aggregation,
            )

    def __reduce__(self) -> NoReturn:
        raise NotImplementedError(
            f"{self.name} has a copy for each replica of a strategy, which is not pickled: "
            "pickle its numpy()."
        )

    def __repr__(self) -> str:
        return self._shown(repr)

    def __str__(self) -> str:
        return self._shown(repr)

    def __hash__(self) -> int:  # type: ignore[override]
        return super().__hash__()


def _writer(name: str) -> Callable[..., Any]:
    @core.public(computes=False)
    def write(self: DistributedVariable, *args: Any, **kwargs: Any) -> Any:
        return self._write_copies(name, args, kwargs)

    write.__name__ = name
    write.__doc__ = getattr(Variable, name).__doc__
    return write


for _name in WRITERS:
    setattr(DistributedVariable, _name, _writer(_name))


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable with equal copies, as long as replicas assign equal values.

    Without an aggregation, a replica assigns to its own copy. With one, all replicas wait for each other, and
    the aggregate of what they assign goes to all copies.
    """

    def _merges(self, name: str) -> bool:
        return VariableAggregation(self._aggregation.value) is not VariableAggregation.NONE


class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies differ: a reading outside of replicas gives their aggregate."""

    _synchronized = VariableSynchronization.ON_READ

    def _merges(self, name: str) -> bool:
        return False

    def _write_copies(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if "scatter" in name:
            raise NotImplementedError(
                f"{name}() is not for variables that are synchronised when they are read: "
                "assign_add() adds to the copy of a replica."
            )
        return super()._write_copies(name, args, kwargs)

    def _chosen(self) -> Any:
        if self._number() is not None:
            return self._own_copy()
        kind = VariableAggregation(self._aggregation.value)
        if kind is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._copies[0]
        with self._distribute_strategy.scope():
            return self._distribute_strategy.extended._all_reduce(
                reduce_op_of_aggregation(kind), PerReplica(self._copies)
            )

    def numpy(self) -> Any:
        """The aggregate of the copies as a NumPy array; in a replica its own copy."""
        return self.value().numpy()

    def _write_all(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if VariableAggregation(self._aggregation.value) is VariableAggregation.SUM:
            if name != "assign":
                raise ValueError(
                    f"SyncOnReadVariable does not support `{name}` in cross-replica context when aggregation "
                    "is set to `tf.VariableAggregation.SUM`."
                )
            # The copies add up to the value.
            value, *rest = args or (kwargs.pop("value"),)
            parts = self._distribute_strategy.num_replicas_in_sync
            args = (core.convert(value, self._dtype) / parts, *rest)
        result = super()._write_all(name, args, kwargs)
        return None if result is None else self.value()


def reduce_op_of_aggregation(aggregation: Any) -> ReduceOp:
    """How the values of replicas are combined for a variable.

    Raises:
        ValueError: they are not.
    """
    if aggregation.name in ReduceOp.__members__:
        return ReduceOp[aggregation.name]
    raise ValueError(
        f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp` type: "
        "the copies of this variable differ, and there is no rule for their aggregate."
    )
