"""Gradients on their way to the other ranks, several in one message, while the walk back goes on."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapegrad.core import EagerTensor
from tapegrad.distribute import trace
from tapegrad.distribute.exchange import Exchange, Steps, divide
from tapegrad.distribute.groups import Array, behalf, is_half, user_line
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices

if TYPE_CHECKING:
    from tapegrad.distribute.mpi import MPIGroup

# A thread that wants the interpreter while another computes waits so many seconds, not Python's 0.005.
SWITCH_INTERVAL = 2e-4


# The number of the array that says which gradients a rank has.
FLAGS = -1


class Plan(NamedTuple):
    """How the gradients of a step are reduced."""

    group: MPIGroup
    divisor: int
    """By how much the sum is divided."""
    half: np.dtype[Any] | None
    """The dtype in which float32 and float64 travel."""
    tree: bool
    bucket_bytes: int


class Courier:
    """Reduces what it is given, one message after the other, through a group of its own.

    Where the rank has a processor to spare, or other machines are awaited, a thread does that beside the
    walk. Else the walk does it itself: whenever a gradient is complete, messages go on as far as the other
    ranks have come. When the walk has ended, who waits for the messages carries those that are left: no
    thread has to wake up for them.
    """

    def __init__(self, group: MPIGroup) -> None:
        self._group = group.twin()
        self._exchange = Exchange(self._group)
        self._waiting: deque[Message] = deque()
        self._message: Message | None = None
        self._steps: Steps[None] | None = None
        self._polls = False
        self._came = threading.Semaphore(0)
        self._carrying = threading.Lock()
        self.beside = self._group.beside
        if self.beside:
            threading.Thread(target=self._run, daemon=True, name="tapegrad gradients").start()

    def _run(self) -> None:
        while True:
            self._came.acquire()
            self.carry(aside=True)

    def carry(self, aside: bool = False, patient: bool = True) -> bool:
        """Carry the message that has waited longest, and wait for the other ranks if ``patient``.

        While another thread carries one, this waits: so when there is none, all have arrived.

        Returns: whether a message has arrived.
        """
        began = time.perf_counter()
        with self._carrying:
            if self.beside and not aside:
                trace.note(trace.WAITS, began)
            if self._message is None:
                if not self._waiting:
                    return False
                self._message = self._waiting.popleft()
                self._steps = self._message.travel(self._exchange, self._group)
                self._polls = True
            elif not patient and not (self._polls and self._exchange.all_here()):
                return False
            behalf.where = self._message.where if aside else None
            self._exchange.aside = aside
            message, steps = self._message, self._steps
            assert steps is not None
            try:
                while True:
                    self._polls = next(steps)
                    if not patient and not (self._polls and self._exchange.all_here()):
                        return False
            except StopIteration:
                self._message = self._steps = None
            except BaseException as error:
                self._message = self._steps = None
                message.error = error
                if not aside and not isinstance(error, Exception):
                    raise  # an interrupt
        return True

    def take(self, message: Message) -> None:
        """Send it when those before it have arrived."""
        self._waiting.append(message)
        if self.beside:
            self._came.release()

    def go_on(self) -> None:
        """Carry messages as far as the other ranks have come."""
        began = time.perf_counter()
        while self.carry(patient=False):
            pass
        trace.note(trace.CARRIES, began)


_couriers: weakref.WeakKeyDictionary[MPIGroup, Courier] = weakref.WeakKeyDictionary()


def courier_of(group: MPIGroup) -> Courier:
    """The courier of a group. The first call is made by all ranks at the same place."""
    if group not in _couriers:
        _couriers[group] = Courier(group)
    return _couriers[group]


class Message:
    """Gradients that travel together: arrays of one dtype, and slices.

    All ranks send the same messages. If one fails in the middle, it has failed for all of them.
    """

    def __init__(self, plan: Plan, where: str) -> None:
        self.plan = plan
        self.where = where
        self.arrays: dict[int, Array] = {}
        self.slices: dict[int, IndexedSlices] = {}
        self.failure: str | None = None
        """What this rank tells the others in place of gradients that it has not: see `Buckets.fail`."""
        self.results: dict[int, Any] = {}
        self.error: BaseException | None = None
        self.ready = time.perf_counter()

    def travel(self, exchange: Exchange, group: MPIGroup) -> Steps[None]:
        """Reduce everything over all ranks."""
        if self.failure is not None:
            yield False
            group.fail(self.failure)
        began = time.perf_counter()
        what = "slices" if self.slices else "gradients"
        numbers = [*self.slices, *self.arrays]
        size = sum(array.nbytes for array in self.arrays.values())
        for k, part in self.slices.items():
            values, indices = part.values._array, part.indices._array
            size += values.nbytes + indices.nbytes
            values, indices = yield from exchange.all_gather(values, indices, self.plan.divisor)
            self.results[k] = IndexedSlices(
                EagerTensor(values), EagerTensor(indices), part.dense_shape
            )
        if self.arrays:
            total = yield from self._reduced(exchange, list(self.arrays.values()))
            begin = 0
            for k, array in self.arrays.items():
                own = total[begin : begin + array.size]
                self.results[k] = EagerTensor(own.reshape(array.shape))
                begin += array.size
        self.arrays, self.slices = {}, {}
        trace.note(f"{what} {numbers}", began, self.ready, size)

    def _reduced(self, exchange: Exchange, arrays: list[Array]) -> Steps[Array]:
        """The elements of the arrays, as the sum or mean over all ranks."""
        plan, dtype = self.plan, arrays[0].dtype
        if plan.half is None or dtype.kind != "f" or is_half(dtype):
            return (yield from exchange.all_reduce(arrays, plan.divisor, plan.tree))
        halves = [array.astype(plan.half) for array in arrays]
        total = (yield from exchange.all_reduce(halves, 1, plan.tree)).astype(dtype)
        divide(total, plan.divisor, total)
        return total


class Buckets:
    """The gradients of one call of `gradient`, in an order that all ranks know beforehand.

    The sources are taken from the last to the first, for that is about how their gradients are completed.
    They are divided into buckets of one dtype and about ``bucket_bytes``. A bucket goes out when it is
    complete and all before it have gone. So a rank whose walk goes another way sends the same messages.

    Where the first source has most of the bytes, nothing would hide its gradient, which comes last. Then it
    goes first: the walk puts off what leads to the other sources alone (`late`), and does it meanwhile.

    Args:
        plan: how the gradients are reduced.
        sources: tensors and variables.
    """

    def __init__(self, plan: Plan, sources: Sequence[Any]) -> None:
        self._plan = plan
        self._sources = sources
        self._courier = courier_of(plan.group)
        self._where = user_line()
        self.beside = self._courier.beside
        order, self.late = _order(sources)
        self._buckets = _divided(sources, order, plan.bucket_bytes)
        self._place = {k: b for b, bucket in enumerate(self._buckets) for k in bucket}
        self._missing = [len(bucket) for bucket in self._buckets]
        self._gradients: dict[int, Any] = {}
        self._next = 0
        self._messages: list[Message] = []

    def finished(self, number: int, gradient: Any) -> None:
        """The gradient by a source is complete: called by the walk."""
        if number in self._gradients:
            return
        source = self._sources[number]
        if gradient.dtype is not source.dtype or not source.shape.is_compatible_with(
            gradient.shape
        ):
            refuse(
                f"The gradient by source {number} has shape {gradient.shape} and dtype "
                f"{gradient.dtype.name}, the source {source.shape} and {source.dtype.name}: a gradient "
                "function of the program returned it. The sum over ranks takes gradients with the "
                "shapes and dtypes of their sources."
            )
        self._gradients[number] = gradient
        self._missing[self._place[number]] -= 1
        while self._next < len(self._buckets) and self._missing[self._next] == 0:
            self._send(self._next)
        if not self.beside:
            self._courier.go_on()

    def _send(self, bucket: int) -> None:
        self._next = bucket + 1
        message = Message(self._plan, self._where)
        for k in self._buckets[bucket]:
            gradient = self._gradients.get(k)
            if isinstance(gradient, IndexedSlices):
                message.slices[k] = gradient
            else:
                message.arrays[k] = (
                    _zeros_of(self._sources[k]) if gradient is None else gradient._array
                )
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
        # Integers, which are not divided.
        flags = Message(self._plan, self._where)
        flags.arrays[FLAGS] = np.array([dx is not None for dx in gradients], np.int32)
        self._order(flags)
        self._carry()
        for message in self._messages:
            if message.error is not None:
                raise message.error
        results = {k: dx for message in self._messages for k, dx in message.results.items()}
        seen = results[FLAGS]._array
        return [results[k] if seen[k] else None for k in range(len(gradients))]

    def _carry(self) -> None:
        began = time.perf_counter()
        while self._courier.carry():
            pass
        trace.note(trace.CARRIES, began)

    def fail(self, error: Exception) -> None:
        """The walk has failed here: tell the others, at each message that they expect, so that all raise."""
        for _ in range(self._next, len(self._buckets) + 1):
            message = Message(self._plan, self._where)
            message.failure = f"its walk back raised {type(error).__name__}: {error}"
            self._order(message)
        self._carry()


def _zeros_of(source: Any) -> Array:
    return np.zeros(tuple(source.shape), source.dtype.numpy_dtype)


def _order(sources: Sequence[Any]) -> tuple[list[int], tuple[int, ...]]:
    """In which order the gradients by the sources go out, and which of them the walk puts off."""
    sizes = []
    for source in sources:
        if not source.shape.is_fully_defined():
            refuse("The gradient by a variable of no fixed shape cannot be reduced over ranks.")
        sizes.append(source.shape.num_elements() * source.dtype.size)
    numbers = list(range(len(sources)))
    if 2 * sizes[0] > sum(sizes):
        # Small ones would hide little, and cost more when what they are computed from has left the cache.
        return numbers, tuple(k for k in numbers[1:] if 8 * sizes[k] >= max(sizes[1:]))
    return numbers[::-1], ()


def _divided(sources: Sequence[Any], order: Sequence[int], bucket_bytes: int) -> list[list[int]]:
    """The numbers of the sources in their order, in buckets of one dtype."""
    buckets: list[list[int]] = []
    held, dtype = 0, None
    for k in order:
        source = sources[k]
        size = source.shape.num_elements() * source.dtype.size
        full = held + size > bucket_bytes and 8 * held > bucket_bytes
        if not buckets or source.dtype is not dtype or full:
            buckets.append([])
            held, dtype = 0, source.dtype
        buckets[-1].append(k)
        held += size
    return buckets


class lively:
    """A context in which threads take turns more often, so that messages leave while the walk goes on.

    Where ``beside`` is false no thread carries them, and nothing is changed. Several threads may be in such
    contexts at once: the last to leave sets back what the first has found.
    """

    _lock = threading.Lock()
    _inside = 0
    _interval = 0.0

    def __init__(self, beside: bool) -> None:
        self._beside = beside

    def __enter__(self) -> None:
        if not self._beside:
            return
        with lively._lock:
            if lively._inside == 0:
                lively._interval = sys.getswitchinterval()
                sys.setswitchinterval(SWITCH_INTERVAL)
            lively._inside += 1

    def __exit__(self, *error: object) -> None:
        if not self._beside:
            return
        with lively._lock:
            lively._inside -= 1
            if lively._inside == 0:
                sys.setswitchinterval(lively._interval)
