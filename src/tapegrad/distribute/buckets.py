"""Gradients on their way to the other ranks, several in one message, while the walk back goes on."""

from __future__ import annotations

import queue
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad.core import EagerTensor
from tapegrad.distribute.groups import Array, Group, behalf, is_half, user_line
from tapegrad.engines.numpy.buffers import empty
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices

# A thread that wants the interpreter while another computes waits so many seconds, not Python's 0.005.
SWITCH_INTERVAL = 2e-4


class Event(NamedTuple):
    """What happened to one message, in seconds of `time.perf_counter`."""

    what: str
    ready: float
    began: float
    ended: float
    size: int


# Where messages are noted down while somebody measures them; None else.
trace: list[Event] | None = None


class Plan(NamedTuple):
    """How the gradients of a step are reduced."""

    group: Group
    divisor: int
    """By how much the sum is divided."""
    half: np.dtype[Any] | None
    """The dtype in which float32 and float64 travel."""
    tree: bool
    bucket_bytes: int


class Courier:
    """A thread that reduces what it is given, one message after the other, through a group of its own."""

    def __init__(self, group: Group) -> None:
        self._group = group.twin()
        self._orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name="tapegrad gradients").start()

    def _run(self) -> None:
        while True:
            message = self._orders.get()
            behalf.where = message.where
            if message.error is None:
                try:
                    message.travel(self._group)
                except BaseException as error:
                    message.error = error
            message.arrived.set()
            del message

    def take(self, message: Message) -> None:
        """Send it when those before it have arrived."""
        self._orders.put(message)


_couriers: weakref.WeakKeyDictionary[Group, Courier] = weakref.WeakKeyDictionary()


def courier_of(group: Group) -> Courier:
    """The courier of a group. The first call is made by all ranks at the same place."""
    if group not in _couriers:
        _couriers[group] = Courier(group)
    return _couriers[group]


class Message:
    """Gradients that travel together, as arrays of one dtype; and flags that say which ones there were."""

    def __init__(self, plan: Plan, where: str) -> None:
        self.plan = plan
        self.where = where
        self.numbers: list[int] = []
        self.arrays: list[Array] = []
        self.flags: Array | None = None
        self.seen: Array | None = None
        self.results: list[Any] = []
        self.slices: IndexedSlices | None = None
        self.error: BaseException | None = None
        self.arrived = threading.Event()
        self.ready = time.perf_counter()

    def travel(self, group: Group) -> None:
        """Reduce the arrays over all ranks."""
        began = time.perf_counter()
        size = sum(array.nbytes for array in self.arrays)
        if self.slices is not None:
            self._gather(group, self.slices)
        elif self.flags is None and len(self.arrays) == 1:
            total = self._reduced(group, self.arrays[0])
            self.results = [total]
        else:
            flags = self.flags if self.flags is not None else self.arrays[0][:0]
            flat = _packed([*self.arrays, flags])
            total = self._reduced(group, flat)
            begin = 0
            for array in self.arrays:
                part = total[begin : begin + array.size]
                self.results.append(part.reshape(array.shape))
                begin += array.size
            if self.flags is not None:
                self.seen = total[begin:] > 0
        self.arrays = []
        if trace is not None:
            name = "slices" if self.slices is not None else f"gradients {self.numbers}"
            trace.append(Event(name, self.ready, began, time.perf_counter(), size))

    def _reduced(self, group: Group, array: Array) -> Array:
        dtype = array.dtype
        half = self.plan.half
        if half is not None and dtype.kind == "f" and not is_half(dtype):
            array = array.astype(half)
        total = group.all_reduce(array, "sum", self.plan.tree)
        if total.dtype != dtype:
            total = total.astype(dtype)
        if self.plan.divisor > 1:
            total = np.divide(total, dtype.type(self.plan.divisor)).astype(dtype, copy=False)
        return total

    def _gather(self, group: Group, slices: IndexedSlices) -> None:
        values, _ = group.all_gather(slices.values._array)
        indices, _ = group.all_gather(slices.indices._array)
        if self.plan.divisor > 1:
            values = np.divide(values, values.dtype.type(self.plan.divisor)).astype(
                values.dtype, copy=False
            )
        self.results = [(values, indices)]


def _packed(arrays: Sequence[Array]) -> Array:
    """All elements in one array."""
    flat = empty(sum(array.size for array in arrays), arrays[0].dtype)
    begin = 0
    for array in arrays:
        flat[begin : begin + array.size].reshape(array.shape)[...] = array
        begin += array.size
    return flat


class Buckets:
    """The gradients of one call of `gradient`, in an order that all ranks know beforehand.

    The sources are taken from the last to the first, for that is about how their gradients are completed.
    They are divided into buckets of one dtype and about ``bucket_bytes``. A bucket goes out when it is
    complete and all before it have gone. So a rank whose walk goes another way sends the same messages.

    Args:
        plan: how the gradients are reduced.
        sources: tensors and variables.
    """

    def __init__(self, plan: Plan, sources: Sequence[Any]) -> None:
        self._plan = plan
        self._sources = sources
        self._courier = courier_of(plan.group)
        self._where = user_line()
        self._buckets = _divided(sources, plan.bucket_bytes)
        self._place = {k: b for b, bucket in enumerate(self._buckets) for k in bucket}
        self._missing = [len(bucket) for bucket in self._buckets]
        self._gradients: dict[int, Any] = {}
        self._next = 0
        self._messages: list[Message] = []

    def finished(self, number: int, gradient: Any) -> None:
        """The gradient by a source is complete: called by the walk."""
        if number in self._gradients:
            return
        self._gradients[number] = gradient
        self._missing[self._place[number]] -= 1
        # The last bucket carries the flags, which are known at the end.
        while self._next < len(self._buckets) - 1 and self._missing[self._next] == 0:
            self._send(self._next)

    def _send(self, bucket: int) -> None:
        self._next = bucket + 1
        last = self._next == len(self._buckets)
        message = Message(self._plan, self._where)
        for k in self._buckets[bucket]:
            gradient = self._gradients.get(k)
            if isinstance(gradient, IndexedSlices):
                alone = Message(self._plan, self._where)
                alone.numbers, alone.slices = [k], gradient
                self._order(alone)
                continue
            message.numbers.append(k)
            message.arrays.append(
                _zeros_of(self._sources[k]) if gradient is None else gradient._array
            )
        if last:
            dtype = message.arrays[0].dtype if message.arrays else np.dtype(np.float32)
            came = [self._gradients.get(k) is not None for k in range(len(self._sources))]
            message.flags = np.array(came).astype(dtype)
        if message.arrays or last:
            self._order(message)

    def _order(self, message: Message) -> None:
        self._messages.append(message)
        self._courier.take(message)

    def finish(self, gradients: Sequence[Any]) -> list[Any]:
        """The reduced gradients; None where no rank has one."""
        for k, gradient in enumerate(gradients):
            self._gradients.setdefault(k, gradient)
        while self._next < len(self._buckets):
            self._send(self._next)
        began = time.perf_counter()
        results: list[Any] = [None] * len(self._sources)
        errors = []
        for message in self._messages:
            message.arrived.wait()
            if message.error is not None:
                errors.append(message.error)
                continue
            for k, result in zip(message.numbers, message.results, strict=True):
                results[k] = _tensor(result, message.slices)
        if trace is not None:
            trace.append(Event("wait", began, began, time.perf_counter(), 0))
        if errors:
            raise errors[0]
        seen = self._messages[-1].seen
        return [result if seen is None or seen[k] else None for k, result in enumerate(results)]


def _tensor(result: Any, slices: IndexedSlices | None) -> Any:
    if slices is None:
        return EagerTensor(result)
    values, indices = result
    return IndexedSlices(EagerTensor(values), EagerTensor(indices), slices.dense_shape)


def _zeros_of(source: Any) -> Array:
    return np.zeros(tuple(source.shape), source.dtype.numpy_dtype)


def _divided(sources: Sequence[Any], bucket_bytes: int) -> list[list[int]]:
    """The numbers of the sources, from the last to the first, in buckets of one dtype."""
    buckets: list[list[int]] = []
    held, dtype = 0, None
    for k in range(len(sources) - 1, -1, -1):
        source = sources[k]
        if not source.shape.is_fully_defined():
            refuse("The gradient by a variable of no fixed shape cannot be reduced over ranks.")
        size = source.shape.num_elements() * source.dtype.size
        if not buckets or source.dtype is not dtype or held + size > bucket_bytes:
            buckets.append([])
            held, dtype = 0, source.dtype
        buckets[-1].append(k)
        held += size
    return buckets


class lively:
    """A context in which threads take turns more often, so that messages leave while the walk goes on."""

    def __enter__(self) -> None:
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)

    def __exit__(self, *error: object) -> None:
        sys.setswitchinterval(self._interval)
