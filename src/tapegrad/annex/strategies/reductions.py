"""`ReduceOp`, and the classes that name ways to reduce over devices. With one device they all do nothing."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Any

from tapegrad.framework.printed import Printed

PUBLIC = {
    "distribute": (
        "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReduceOp ReductionToOneDevice"
    ),
}


class ReduceOp(enum.Enum):
    """How the values of all replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op_of(value: Any, caller: str) -> ReduceOp:
    """``value``, which may be the name of a member in small or capital letters.

    Raises:
        ValueError: it is a string that names no member.
        TypeError: it is neither a string nor a member.
    """
    if isinstance(value, str):
        return ReduceOp(value.upper())
    if not isinstance(value, ReduceOp):
        raise TypeError(
            f"{caller} takes a tf.distribute.ReduceOp or its name, 'sum' or 'mean'; "
            f"{value!r} came, a {type(value).__name__}."
        )
    return value


class CrossDeviceOps(Printed):
    """A way to reduce values over devices. There is one device, so the result is the value.

    >>> tf.distribute.ReductionToOneDevice().reduce("mean", tf.constant(2.0), "/cpu:0").numpy()
    np.float32(2.0)
    """

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """``per_replica_value``, reduced over its only replica."""
        reduce_op_of(reduce_op, "CrossDeviceOps.reduce()")
        return only_value(per_replica_value)

    def batch_reduce(
        self,
        reduce_op: Any,
        value_destination_pairs: Iterable[tuple[Any, Any]],
        options: Any = None,
    ) -> list[Any]:
        """`reduce` for every pair of a value and its destination."""
        return [
            self.reduce(reduce_op, value, destination, options)
            for value, destination in value_destination_pairs
        ]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """``tensor``, which is on the only device already."""
        return tensor


def only_value(value: Any) -> Any:
    """The value of the only replica."""
    return value.values[0] if hasattr(type(value), "_is_distributed_value") else value


class ReductionToOneDevice(CrossDeviceOps):
    """Copies all values to one device, and reduces them there."""

    def __init__(
        self,
        reduce_to_device: str | None = None,
        accumulation_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


class _Packed(CrossDeviceOps):
    """A reduction that joins tensors into ``num_packs`` larger ones first."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"{type(self).__name__} needs a num_packs of 0 or more; {num_packs} came."
            )
        self._num_packs = num_packs


class NcclAllReduce(_Packed):
    """Reduction by NVIDIA's library. Nothing is reduced with one device, so the library is not needed."""


class HierarchicalCopyAllReduce(_Packed):
    """Reduction along a tree of devices."""
