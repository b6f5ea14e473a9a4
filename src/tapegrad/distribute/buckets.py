"""Reduces gradients over all ranks during the walk back, several gradients in one message.

The algorithm:

1. Before the walk, `Buckets` puts the sources in an order that all ranks compute alike, and cuts the order
   into buckets of one dtype and about ``bucket_bytes`` bytes.
2. During the walk, `Buckets.gradient_ready` is called whenever the gradient of a source is complete.
3. When all gradients of the next bucket are complete, they become a `Message`, which goes into the queue of
   the group's `BucketReducer`. Buckets enter the queue in their order, on all ranks.
4. The reducer takes messages from the queue one after the other. It reduces each by a collective over all
   ranks. A collective is a generator: it stops where the other ranks have to do something first.
5. If a processor is free, a background thread runs the reducer, and waits at those stops.
6. If none is free, the walk runs it, each time that a gradient is complete, and never waits: it stops where
   another rank has not arrived yet.
7. After the walk, `Buckets.finish` sends the buckets that are incomplete, with zeros for missing gradients,
   and then one message of flags that say which gradients this rank has.
8. `Buckets.finish` then reduces what is still in the queue, waits, and takes the results out of the messages.
9. If the walk raised, `Buckets.fail` sends failures in place of the messages that the others expect, so that
   all ranks raise.

::

    rank 0   walk:     dW3  db3 | dW2  db2 | dW1  db1 | end
                                |          |          |
             messages:       bucket 0   bucket 1   bucket 2   flags
                                |          |          |         |
             all ranks:      all_reduce all_reduce all_reduce all_reduce   in this order on each rank
                                |          |          |         |
    rank 1   messages:       bucket 0   bucket 1   bucket 2   flags

"""

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
from tapegrad.distribute.groups import Array, is_half, reported_line, user_line
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices

if TYPE_CHECKING:
    from tapegrad.distribute.mpi import MPIGroup

# How many seconds a thread waits for the interpreter while another computes; Python's own is 0.005.
SWITCH_INTERVAL = 2e-4


# The key, among the numbers of sources, of the array that says which gradients a rank has.
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


class BucketReducer:
    """A queue of messages, which are reduced over all ranks one after the other, through a group of its own.

    If this rank has a processor to spare, or if the ranks exchange messages over a network, a background
    thread reduces the messages. Otherwise the thread that walks does so (`reduce_ready`), as far as it can
    without waiting for other ranks. After the walk, the thread that wants the results reduces the remaining
    messages itself (`reduce_next`), so that no other thread has to wake up first.
    """

    def __init__(self, group: MPIGroup) -> None:
        self._group = group.twin()
        self._exchange = Exchange(self._group)
        self._queue: deque[Message] = deque()
        self._message: Message | None = None
        self._steps: Steps[None] | None = None
        """What is left to do for ``_message``, which has left the queue."""
        self._can_poll = False
        """Whether `Exchange.all_here` says if ``_steps`` can go on without waiting."""
        self._queued = threading.Semaphore(0)
        self._lock = threading.Lock()
        self.has_thread = self._group.has_free_processor
        if self.has_thread:
            threading.Thread(target=self._run, daemon=True, name="tapegrad gradients").start()

    def _run(self) -> None:
        while True:
            self._queued.acquire()
            self.reduce_next(in_background=True)

    def reduce_next(self, in_background: bool = False, wait: bool = True) -> bool:
        """Reduce the oldest message. With ``wait``, wait for the other ranks where that is necessary.

        Only one thread at a time is in here: so if the queue is empty, all messages are reduced.

        Returns: whether a message has been reduced completely.
        """
        began = time.perf_counter()
        with self._lock:
            if self.has_thread and not in_background:
                trace.note(trace.WAITS, began)
            if self._message is None:
                if not self._queue:
                    return False
                self._message = self._queue.popleft()
                self._steps = self._message.reduce(self._exchange, self._group)
                self._can_poll = True
            elif not wait and not (self._can_poll and self._exchange.all_here()):
                return False
            reported_line.text = self._message.user_line if in_background else None
            self._exchange.in_background = in_background
            message, steps = self._message, self._steps
            assert steps is not None
            try:
                while True:
                    self._can_poll = next(steps)
                    if not wait and not (self._can_poll and self._exchange.all_here()):
                        return False
            except StopIteration:
                self._message = self._steps = None
            except BaseException as error:
                self._message = self._steps = None
                message.error = error
                if not in_background and not isinstance(error, Exception):
                    raise  # an interrupt
        return True

    def add(self, message: Message) -> None:
        """Put the message at the end of the queue."""
        self._queue.append(message)
        if self.has_thread:
            self._queued.release()

    def reduce_ready(self) -> None:
        """Reduce messages until one has to wait for other ranks."""
        began = time.perf_counter()
        while self.reduce_next(wait=False):
            pass
        trace.note(trace.REDUCES, began)

    def reduce_all(self) -> None:
        """Reduce all messages in the queue, and wait for the other ranks."""
        began = time.perf_counter()
        while self.reduce_next():
            pass
        trace.note(trace.REDUCES, began)


_reducers: weakref.WeakKeyDictionary[MPIGroup, BucketReducer] = weakref.WeakKeyDictionary()


def reducer_of(group: MPIGroup) -> BucketReducer:
    """The reducer of a group. All ranks make the first call at the same place in the program."""
    if group not in _reducers:
        _reducers[group] = BucketReducer(group)
    return _reducers[group]


class Message:
    """Gradients that are reduced together: arrays of one dtype, and slices; later their results.

    All ranks send the same messages. If one fails in the middle, it has failed for all of them.
    """

    def __init__(self, plan: Plan, line: str) -> None:
        self.plan = plan
        self.user_line = line
        """The line of the user's program that asked for the gradients."""
        self.arrays: dict[int, Array] = {}
        self.slices: dict[int, IndexedSlices] = {}
        self.failure: str | None = None
        """Why this rank cannot send gradients: see `Buckets.fail`."""
        self.results: dict[int, Any] = {}
        self.error: BaseException | None = None
        self.ready = time.perf_counter()

    def reduce(self, exchange: Exchange, group: MPIGroup) -> Steps[None]:
        """Reduce everything over all ranks, in steps: see `Steps`."""
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
                elements = total[begin : begin + array.size]
                self.results[k] = EagerTensor(elements.reshape(array.shape))
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

    The sources are ordered from the last to the first: gradients are completed in about this order.
    They are divided into buckets of one dtype and about ``bucket_bytes``. A bucket is sent when it is
    complete and all buckets before it are sent. So a rank whose walk takes another path sends the same
    messages.

    If the first source has most of the bytes, its gradient would come last, and the walk would have nothing
    left to compute while it is sent. So it is sent first: the walk defers what leads only to the other
    sources (`deferred`), and computes that meanwhile.

    Args:
        plan: how the gradients are reduced.
        sources: tensors and variables.
    """

    def __init__(self, plan: Plan, sources: Sequence[Any]) -> None:
        self._plan = plan
        self._sources = sources
        self._reducer = reducer_of(plan.group)
        self._line = user_line()
        self.has_thread = self._reducer.has_thread
        order, self.deferred = _send_order(sources)
        self._buckets = _split(sources, order, plan.bucket_bytes)
        self._bucket_of = {k: b for b, bucket in enumerate(self._buckets) for k in bucket}
        self._missing = [len(bucket) for bucket in self._buckets]
        self._gradients: dict[int, Any] = {}
        self._next = 0
        self._messages: list[Message] = []

    def gradient_ready(self, number: int, gradient: Any) -> None:
        """The walk calls this when the gradient by a source is complete."""
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
        self._missing[self._bucket_of[number]] -= 1
        while self._next < len(self._buckets) and self._missing[self._next] == 0:
            self._send(self._next)
        if not self.has_thread:
            self._reducer.reduce_ready()

    def _send(self, bucket: int) -> None:
        self._next = bucket + 1
        message = Message(self._plan, self._line)
        for k in self._buckets[bucket]:
            gradient = self._gradients.get(k)
            if isinstance(gradient, IndexedSlices):
                message.slices[k] = gradient
            else:
                message.arrays[k] = (
                    _zeros_of(self._sources[k]) if gradient is None else gradient._array
                )
        self._add(message)

    def _add(self, message: Message) -> None:
        self._messages.append(message)
        self._reducer.add(message)

    def finish(self, gradients: Sequence[Any]) -> list[Any]:
        """The reduced gradients; None where no rank has one."""
        for k, gradient in enumerate(gradients):
            self._gradients.setdefault(k, gradient)
        while self._next < len(self._buckets):
            self._send(self._next)
        # Integers, since these are not divided: the sum says on how many ranks a gradient exists.
        flags = Message(self._plan, self._line)
        flags.arrays[FLAGS] = np.array([dx is not None for dx in gradients], np.int32)
        self._add(flags)
        self._reducer.reduce_all()
        for message in self._messages:
            if message.error is not None:
                raise message.error
        results = {k: dx for message in self._messages for k, dx in message.results.items()}
        rank_counts = results[FLAGS]._array
        return [results[k] if rank_counts[k] else None for k in range(len(gradients))]

    def fail(self, error: Exception) -> None:
        """Send a failure in place of each message that the others still expect, so that all ranks raise."""
        for _ in range(self._next, len(self._buckets) + 1):
            message = Message(self._plan, self._line)
            message.failure = f"its walk back raised {type(error).__name__}: {error}"
            self._add(message)
        self._reducer.reduce_all()


def _zeros_of(source: Any) -> Array:
    return np.zeros(tuple(source.shape), source.dtype.numpy_dtype)


def _send_order(sources: Sequence[Any]) -> tuple[list[int], tuple[int, ...]]:
    """The order in which the gradients by the sources are sent, and the sources that the walk defers."""
    sizes = []
    for source in sources:
        if not source.shape.is_fully_defined():
            refuse("The gradient by a variable of no fixed shape cannot be reduced over ranks.")
        sizes.append(source.shape.num_elements() * source.dtype.size)
    numbers = list(range(len(sources)))
    if 2 * sizes[0] > sum(sizes):
        # Small gradients would hide little, and cost more once their operands have left the cache.
        return numbers, tuple(k for k in numbers[1:] if 8 * sizes[k] >= max(sizes[1:]))
    return numbers[::-1], ()


def _split(sources: Sequence[Any], order: Sequence[int], bucket_bytes: int) -> list[list[int]]:
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


class frequent_thread_switches:
    """A context in which Python switches threads more often, so that messages leave during the walk.

    Without a background thread (``has_thread``) it changes nothing. Several threads may be in such contexts
    at once: the last one to leave restores the interval that the first one read.
    """

    _lock = threading.Lock()
    _inside = 0
    _interval = 0.0

    def __init__(self, has_thread: bool) -> None:
        self._has_thread = has_thread

    def __enter__(self) -> None:
        if not self._has_thread:
            return
        with frequent_thread_switches._lock:
            if frequent_thread_switches._inside == 0:
                frequent_thread_switches._interval = sys.getswitchinterval()
                sys.setswitchinterval(SWITCH_INTERVAL)
            frequent_thread_switches._inside += 1

    def __exit__(self, *error: object) -> None:
        if not self._has_thread:
            return
        with frequent_thread_switches._lock:
            frequent_thread_switches._inside -= 1
            if frequent_thread_switches._inside == 0:
                sys.setswitchinterval(frequent_thread_switches._interval)
