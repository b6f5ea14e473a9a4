"""One pass over a data set: ``iter(dataset)``, and the base classes of its parts."""

from __future__ import annotations

import collections.abc
import copy
import json
import os
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock
from typing import Any, NoReturn
from weakref import WeakSet

import numpy as np

from tapegrad import core
from tapegrad.core import Tensor, static_value
from tapegrad.data import leaves, optional, structure
from tapegrad.data.specs import IteratorSpec
from tapegrad.errors import FailedPreconditionError, OutOfRangeError, refuse
from tapegrad.framework import calls
from tapegrad.framework.bases import Trackable
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.names import current_graph
from tapegrad.framework.printed import Printed
from tapegrad.ops.sparse.functions import to_dense
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

PUBLIC = {
    "data": "Iterator=IteratorBase NumpyIterator",
    "compat.v1.data": "NumpyIterator",
    "data.experimental compat.v1.data.experimental": "get_next_as_optional",
}


class IterationContext:
    """State that all data sets of one pass share.

    What random ops draw depends on where their data set stands, as in TensorFlow: each input of a `zip` or
    `concatenate` is a `part` of its own, also where it is the same data set twice. Data sets that a function
    makes for each element go on where those of the last element ended.

    Attributes:
        options: the `Options` of the outermost data set.
        by_index: whether data sets may work on indices where they can.
        is_trial: whether the pass only finds out what elements look like, and must change no seeds.
    """

    __slots__ = ("_is_inside", "_parts", "_streams", "by_index", "is_trial", "options")

    def __init__(self, options: Any, by_index: bool = True, is_trial: bool = False) -> None:
        self.options = options
        self.by_index = by_index
        self.is_trial = is_trial
        core.refuse_recording("a pass over a data set")
        graph = current_graph()
        if graph is not None:
            graph.refuse("it reads a data set")
        self._begin()

    def _begin(self) -> None:
        self._streams: dict[Any, calls.Streams] = {}
        self._parts: dict[Any, IterationContext] = {}
        self._is_inside = False

    def part(self, name: Any) -> IterationContext:
        """The context of one of several inputs of a data set."""
        if self._is_inside:  # there TensorFlow keeps a data set once, wherever it is used
            return self
        if name not in self._parts:
            part = copy.copy(self)
            part._begin()
            self._parts[name] = part
        return self._parts[name]

    def inside(self, function: Any) -> IterationContext:
        """The context of the data sets that a `functions.DataFunction` returns."""
        inside = self.part(function)
        inside._is_inside = True
        return inside

    def streams_of(self, function: Any) -> calls.Streams:
        """The random streams of a `functions.DataFunction` in this pass."""
        streams = self._streams.get(function.place)
        if streams is None:
            new_streams = calls.Streams(function.seed, lasting=True)
            streams = self._streams.setdefault(function.place, new_streams)
        return streams


def close(elements: Any) -> None:
    """End a pass that is not read to its end: close files, end threads."""
    closing = getattr(elements, "close", None)
    if closing is not None:
        closing()


class Elements:
    """A pass over a data set. After an error it may still give the next element.

    Args:
        *inputs: the passes that it reads, closed with it.
    """

    __slots__ = ("__weakref__", "inputs")

    def __init__(self, *inputs: Iterator[Any]) -> None:
        self.inputs = inputs

    def __iter__(self) -> Elements:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError

    def close(self) -> None:
        """End the pass."""
        for iterator in self.inputs:
            close(iterator)


def refuse_after_fork(what: str) -> NoReturn:
    """Raise because ``what`` is so in this process, which was forked."""
    refuse(
        f"{what} when this process was forked. Make a new iterator in the child.",
        error=FailedPreconditionError,
    )


class LeftBehind(Elements):
    """In a process that was forked, the pass that another thread was reading then."""

    __slots__ = ()

    def __next__(self) -> Any:
        refuse_after_fork("Another thread was reading this iterator")


class Failure:
    """An error in the place of an element. The reader of the element raises it."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class IteratorBase(Printed, collections.abc.Iterator[Any]):
    """The base of the iterators over data sets: ``tf.data.Iterator``."""

    _changes = True  # as in a data set

    def _printed_state(self) -> str:
        return f"elements of {self.element_spec}"

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The nest of specs of the elements."""

    @abstractmethod
    def get_next(self) -> Any:
        """The next element. Past the end this raises `tf.errors.OutOfRangeError`."""

    @abstractmethod
    def get_next_as_optional(self) -> Any:
        """The next element in a `tf.experimental.Optional`, which is empty past the end."""

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)


# All iterators that are alive.
_iterators: WeakSet[OwnedIterator] = WeakSet()


def _free_locks() -> None:
    """In the child of a fork, free what threads held that stayed in the parent."""
    for iterator in list(_iterators):
        if iterator._lock.locked():
            iterator._lock = Lock()
            iterator._elements = LeftBehind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_locks)


def seed_generators(dataset: Any) -> list[Any]:
    """The generators of seeds of a data set and of all that it reads."""
    generators, waiting, seen = [], [dataset], {id(dataset)}
    for node in waiting:
        generator = getattr(node, "_generator", None)
        if hasattr(generator, "set_count"):
            generators.append(generator)
        for read in node._inputs():
            if id(read) not in seen:
                seen.add(id(read))
                waiting.append(read)
    return generators


class OwnedIterator(IteratorBase, Trackable):
    """A pass over a data set, which `next` and ``get_next`` read.

    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> next(iterator), iterator.get_next_as_optional().has_value().numpy()
    (<tf.Tensor: shape=(), dtype=int64, numpy=0>, np.False_)
    """

    def __init__(
        self, dataset: Any = None, components: Any = None, element_spec: Any = None
    ) -> None:
        if dataset is None:
            raise ValueError(
                "When `dataset` is not provided, both `components` and `element_spec` must be specified."
            )
        self._dataset = dataset
        self._lock = Lock()
        self._begin()
        _iterators.add(self)

    def _begin(self) -> None:
        # From here, the same pass can be made again: it draws the same seeds.
        self._seeds_given = [generator.count for generator in seed_generators(self._dataset)]
        self._elements: Iterator[Any] = self._dataset._elements(
            IterationContext(self._dataset.options())
        )
        self._read = 0

    def _close(self) -> None:
        """End the pass."""
        close(self._elements)

    def _save(self) -> Tensor:
        """Where the pass is, as a scalar of bytes."""
        state = {"read": self._read, "seeds_given": self._seeds_given}
        saved: Tensor = convert_to_tensor(json.dumps(state))
        return saved

    def _state_in(self, text: Any) -> dict[str, Any]:
        """What `_save` wrote."""
        try:
            saved = json.loads(text)
            numbers = [saved["read"], *saved["seeds_given"]]
        except (ValueError, TypeError, KeyError, RecursionError):
            numbers = [None]
        if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
            refuse("The state of the iterator is damaged.", op="DeserializeIterator")
        return saved  # type: ignore[no-any-return]

    def _restore(self, state: Any) -> None:
        """Go to where `_save` was called on an iterator over such a data set.

        The elements up to there are made again.
        """
        generators = seed_generators(self._dataset)
        saved = self._state_in(static_value(convert_to_tensor(state), "state").item())
        if len(generators) != len(saved["seeds_given"]):
            refuse(
                "The state is that of an iterator over another data set.", op="DeserializeIterator"
            )
        with self._lock, core.no_recording():
            close(self._elements)
            for generator, count in zip(generators, saved["seeds_given"], strict=True):
                generator.set_count(count)
            self._begin()
            for _ in range(saved["read"]):
                # An element that failed has failed once already, for who read it then.
                with suppress(Exception):
                    next(self._elements)
            self._read = saved["read"]

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        """What a checkpoint keeps."""
        return {"ITERATOR_STATE": self._save()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Tensor]) -> None:
        """Go to where a checkpoint was written."""
        self._restore(restored_tensors["ITERATOR_STATE"])

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the elements."""
        return self._dataset.element_spec

    def __iter__(self) -> OwnedIterator:
        calls.mark()
        return self

    def __next__(self) -> Any:
        core.refuse_recording("the next element of a data set")
        # Tapes do not record what a data set computes, and its elements have no gradient.
        with self._lock, core.no_recording():
            try:
                element = next(self._elements)
            except StopIteration:
                raise
            except Exception:
                self._read += 1
                raise
            self._read += 1
            return structure.map_leaves(unknown_to_tapes, element)

    def next(self) -> Any:
        """The next element, as Python's `next` gives it."""
        return self.__next__()

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: the pass is at its end.
        """
        return next_of(self)

    def get_next_as_optional(self) -> Any:
        """The next element in a `tf.experimental.Optional`, which is empty past the end."""
        return next_as_optional(self)


def next_of(iterator: Any) -> Any:
    """What ``iterator.get_next()`` gives."""
    try:
        return next(iterator)
    except StopIteration:
        pass
    refuse("End of sequence", op="IteratorGetNext", error=OutOfRangeError)


def next_as_optional(iterator: Any) -> optional.Optional:
    """What ``iterator.get_next_as_optional()`` gives."""
    try:
        element = next(iterator)
    except StopIteration:
        return optional.Optional.empty(iterator.element_spec)
    return optional.OptionalImpl(element, iterator.element_spec)


def unknown_to_tapes(leaf: Any) -> Any:
    """The leaf with a new identity: the data set may hold a tensor that a tape watches."""
    return core.alias(leaf) if isinstance(leaf, core.EagerTensor) else leaf


def to_numpy(leaf: Any) -> Any:
    """A leaf as NumPy has it."""
    if isinstance(leaf, core.EagerTensor):
        array = leaf.numpy()
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
        return array
    if leaf is None:
        return None
    if isinstance(leaf, SparseTensor):
        return to_numpy(to_dense(leaf))
    if leaves.is_ragged(leaf._type_spec):
        return leaf.numpy()
    raise TypeError(
        "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of "
        f"type {type(leaf)}"
    )


class NumpyIterator(collections.abc.Iterator[Any]):
    """An iterator over a data set whose elements hold NumPy arrays."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)
        self._dataset = dataset

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator})"

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return structure.map_leaves(to_numpy, next(self._iterator))

    def next(self) -> Any:
        """The next element; `StopIteration` past the end."""
        return self.__next__()

    def save(self) -> Tensor:
        """Where the iterator is, as a scalar of bytes for `restore`."""
        state: Tensor = self._iterator._save()
        return state

    def restore(self, state: Any) -> None:
        """Go to where `save` was called."""
        self._iterator._restore(state)


def get_next_as_optional(iterator: IteratorBase) -> optional.Optional:
    """The next element of ``iterator`` in a `tf.experimental.Optional`.

    Args:
        iterator: an iterator of a data set.
    """
    if not isinstance(iterator, IteratorBase):
        raise TypeError(
            f"get_next_as_optional(): `iterator` must be a `tf.data.Iterator`, but got {iterator!r}."
        )
    following: optional.Optional = iterator.get_next_as_optional()
    return following


IteratorSpec._values = OwnedIterator
