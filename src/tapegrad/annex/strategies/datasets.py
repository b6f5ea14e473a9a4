"""Data sets that are divided among replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad.annex.strategies.values import PerReplica, PerReplicaSpec, regroup
from tapegrad.core import Tensor
from tapegrad.data.iterators import next_as_optional, next_of
from tapegrad.framework import nest
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.shape.creation import zeros

PUBLIC = {"distribute": "DistributedDataset DistributedIterator"}


class DistributedDataset(Printed):
    """A data set that is divided among replicas.

    Args:
        dataset: what gives the elements.
        strategy: the strategy whose replicas take them.
        divided: whether each element is a batch for all replicas, to be divided among them. Else every
            replica takes an element of its own.
    """

    _changes = True  # as in a data set

    def __init__(self, dataset: Any, strategy: Any, divided: bool = True) -> None:
        self._dataset = dataset
        self._strategy = strategy
        self._divided = divided
        count = strategy.num_replicas_in_sync
        if count == 1:
            self._element_spec = dataset.element_spec
        else:
            self._element_spec = nest.map_structure(
                lambda spec: spec_of_parts(spec, count, divided), dataset.element_spec
            )

    def __iter__(self) -> DistributedIterator:
        if self._strategy.num_replicas_in_sync == 1:
            return DistributedIterator(iter(self._dataset), self._strategy)
        return ReplicaIterator(self)

    @property
    def element_spec(self) -> Any:
        """The spec of an element."""
        return self._element_spec

    @property
    def cardinality(self) -> Tensor:
        """The number of elements, or `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`."""
        cardinality: Tensor = self._dataset.cardinality()
        return cardinality

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The last state that ``reduce_func(state, element)`` makes, beginning with ``initial_state``."""
        state = initial_state
        for element in self:
            state = reduce_func(state, element)
        return state


class DistributedIterator(Printed):
    """An iterator over a `DistributedDataset`."""

    _changes = True  # as in an iterator over a data set

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
        """The spec of an element."""
        return self._iterator.element_spec


class DividingIterator(DistributedIterator):
    """An iterator that makes its elements from the elements of the data set that it divides.

    Args:
        dataset: the data set that is divided among replicas.
    """

    def __init__(self, dataset: Any) -> None:
        super().__init__(iter(dataset._dataset), dataset._strategy)
        self._owner = dataset

    def __next__(self) -> Any:
        raise NotImplementedError

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        return next_of(self)

    def get_next_as_optional(self) -> Any:
        """The next element as a `tf.experimental.Optional`, which is empty at the end."""
        return next_as_optional(self)

    @property
    def element_spec(self) -> Any:
        """The spec of an element."""
        return self._owner.element_spec


class ReplicaIterator(DividingIterator):
    """An iterator that gives a `PerReplica` for each tensor of an element."""

    def __next__(self) -> Any:
        count = self._strategy.num_replicas_in_sync
        first = next(self._iterator)
        if self._owner._divided:
            return nest.map_structure(lambda leaf: PerReplica(divided(leaf, count)), first)
        parts = [first]
        while len(parts) < count:
            try:
                parts.append(next(self._iterator))
            except StopIteration:  # the last replicas get batches of no examples
                parts.append(nest.map_structure(empty_like, first))
        return regroup(parts)


def divided(leaf: Any, count: int) -> tuple[Any, ...]:
    """The batch ``leaf`` in parts of the same size, but for the last ones, which may have less or none."""
    rows = int(leaf.shape[0])
    size = -(-rows // count)
    return tuple([leaf[min(i * size, rows) : min((i + 1) * size, rows)] for i in range(count)])


def empty_like(leaf: Any) -> Any:
    """A batch like ``leaf`` without examples."""
    return zeros((0, *leaf.shape[1:]), leaf.dtype) if isinstance(leaf, Tensor) else leaf[:0]


def spec_of_parts(spec: Any, count: int, divided: bool) -> PerReplicaSpec:
    if not isinstance(spec, TensorSpec):
        return PerReplicaSpec(*[spec] * count)
    if spec.shape.rank == 0:
        raise ValueError(
            "A strategy of several replicas divides batches: every tensor of an element needs a first axis, "
            f"along which its examples stand; the data set gives {spec}. Call batch() first."
        )
    if spec.shape.rank is None:
        return PerReplicaSpec(*[spec] * count)
    rows = spec.shape[0]
    share = None if rows is None or rows % count or not divided else rows // count
    part = TensorShape([share, *spec.shape[1:]])
    return PerReplicaSpec(*[TensorSpec(part, spec.dtype)] * count)
