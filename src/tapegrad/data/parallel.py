"""Threads: elements computed ahead of time, and functions called for several elements at once.

A pass starts its threads when its first element is read. They end with the pass: at its end, when it is
closed, or when it is garbage. They hold no reference to the pass, so that it can become garbage. A pass that
ends early waits for the element that a thread is making, as TensorFlow does: generators and functions, which
may draw numbers, must not go on beside what the program does next.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from typing import Any

from tapegrad.data.arguments import parallel_calls, positive, whole_number
from tapegrad.data.combine import InterleaveDataset, TakingTurns
from tapegrad.data.dataset import (
    AUTOTUNE,
    INFINITE,
    UNKNOWN,
    DatasetV2,
    UnaryUnchangedStructureDataset,
)
from tapegrad.data.indexed import Indexed
from tapegrad.data.iterators import Elements, Failure, IterationContext, close, refuse_after_fork
from tapegrad.data.transforms import MapDataset, Mapped
from tapegrad.errors import refuse

# How many elements AUTOTUNE makes ahead, and how many threads it takes at most.
_AHEAD = 2
_MOST_THREADS = 16
# More elements than this are never made ahead.
_MOST_AHEAD = 65_536
# Calls that take longer than this, in seconds, go to threads under AUTOTUNE. Handing over costs about 30 us.
_WORTH_A_THREAD = 1e-3
# So many in a row, because the first call may load modules.
_SLOW_CALLS = 3

# How long the end of a pass waits for elements under way, in seconds: one may never come.
_LONGEST_WAIT = 5.0

_END: Any = object()
THREADS = "This iterator has threads, which stayed in the parent process"

# Set by `tf.data.experimental.enable_debug_mode`.
debugging = False


class PrefetchDataset(UnaryUnchangedStructureDataset):
    """The same elements, made ahead by a thread."""

    def __init__(self, input_dataset: DatasetV2, buffer_size: Any, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        size = AUTOTUNE if buffer_size is None else whole_number(buffer_size, "buffer_size")
        if size < AUTOTUNE:
            refuse(
                f"buffer_size must be >= 0 or set buffer_size to be {AUTOTUNE} for auto-tuning, "
                f"but it is {size}.",
                op="PrefetchDataset",
            )
        self._size = size

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        elements = self._input._elements(context)
        size = _AHEAD if self._size == AUTOTUNE else self._size
        # A trial reads one element, and should make no more.
        return elements if size == 0 or context.is_trial else MadeAhead(elements, size)

    def _cardinality(self) -> int:
        return self._input._cardinality()

    def _indexed(self, context: IterationContext) -> Indexed | None:
        # Numbers cost too little to make them ahead.
        return self._input._indexed(context)


class MadeAhead(Elements):
    """A pass that a thread reads, some elements ahead.

    Args:
        elements: the pass.
        size: how many elements ahead.
    """

    __slots__ = ("_elements", "_ended", "_process", "_ready", "_threads", "_wanted")

    def __init__(self, elements: Iterator[Any], size: int) -> None:
        super().__init__()
        self._threads: list[Thread] = []
        self._elements: Iterator[Any] | None = elements
        # The thread makes one element for each True in here, and ends at a False.
        self._wanted: SimpleQueue[bool] = SimpleQueue()
        self._ready: SimpleQueue[Any] = SimpleQueue()
        for _ in range(min(size, _MOST_AHEAD)):
            self._wanted.put(True)
        self._process = os.getpid()
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        if self._elements is not None:
            self._threads = [start(read_ahead, self._elements, self._wanted, self._ready)]
            self._elements, self._process = None, os.getpid()
        elif os.getpid() != self._process:
            refuse_after_fork(THREADS)
        element = self._ready.get()
        if element is _END:
            self._ended = True
            raise StopIteration
        self._wanted.put(True)
        if type(element) is Failure:
            try:
                raise element.error
            finally:
                del element  # else the error would hold this frame and the frame the error
        return element

    def close(self) -> None:
        self._ended = True
        if self._elements is not None:
            close(self._elements)
            self._elements = None
        # Requested elements that are not computed yet are dropped.
        drain(self._wanted)
        self._wanted.put(False)
        wait_for(self._threads)

    def __del__(self) -> None:
        if os.getpid() == self._process:
            self.close()


def drain(queue: SimpleQueue[Any]) -> None:
    """Take out what waits in a queue. Threads may take some of it first, so this must not wait for it."""
    try:
        while True:
            queue.get_nowait()
    except Empty:
        return


def start(function: Callable[..., None], *arguments: Any) -> Thread:
    """Start a thread that does not keep the program from ending."""
    thread = Thread(target=function, args=arguments, name="tapegrad.data", daemon=True)
    thread.start()
    return thread


def wait_for(threads: list[Thread]) -> None:
    """Wait until threads that were told to end have finished what they are doing."""
    # When Python ends, threads stand still.
    if sys.is_finalizing():
        return
    limit = time.monotonic() + _LONGEST_WAIT
    for thread in threads:
        # The garbage collector may end a pass in any thread.
        if thread is not current_thread():
            thread.join(max(0.0, limit - time.monotonic()))


def read_ahead(elements: Iterator[Any], wanted: SimpleQueue[bool], ready: SimpleQueue[Any]) -> None:
    """What the thread of a `MadeAhead` does."""
    try:
        while wanted.get():
            try:
                ready.put(next(elements))
            except StopIteration:
                break
            except BaseException as error:
                ready.put(Failure(error))
    finally:
        close(elements)
        ready.put(_END)
        # An error that is never read stays in ``ready`` and holds this frame: the frame must not hold it.
        del elements, ready


class ParallelMapDataset(MapDataset):
    """The results of a function that is called for several elements at once."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        num_parallel_calls: Any,
        deterministic: bool | None,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, map_func, name)
        self._calls = parallel_calls(
            num_parallel_calls, "num_parallel_calls", "ParallelMapDatasetV2"
        )
        self._deterministic = None if deterministic is None else bool(deterministic)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        call, elements = self._function.caller(context), self._input._elements(context)
        if self._calls == 1 or debugging or context.is_trial:
            return Mapped(call, elements)
        ordered = (
            context.options.deterministic if self._deterministic is None else self._deterministic
        )
        kind = MappedWhenWorthIt if self._calls == AUTOTUNE else MappedByThreads
        return kind(call, elements, threads_for(self._calls, context), ordered is not False)


def threads_for(calls: int, context: IterationContext) -> int:
    """How many threads make ``calls`` parallel calls in a pass."""
    if calls == AUTOTUNE:
        calls = min(os.cpu_count() or 1, _MOST_THREADS)
    limit = context.options.threading.private_threadpool_size
    return min(calls, limit) if limit else calls


class Task:
    """A call that a thread makes: the element, and then the result."""

    __slots__ = ("done", "value")

    def __init__(self, element: Any) -> None:
        self.value = element
        # Where the thread puts the task once it is done.
        self.done: SimpleQueue[Task]


def work(call: Callable[[Any], Any], tasks: SimpleQueue[Task | None]) -> None:
    """What a thread of a `MappedByThreads` does."""
    while (task := tasks.get()) is not None:
        try:
            task.value = call(task.value)
        except BaseException as error:
            task.value = Failure(error)
        task.done.put(task)
        del task  # else an error would hold this frame and the frame the error


class MappedByThreads(Mapped):
    """A function of each element of a pass, called in threads for several at once.

    Args:
        call: the function.
        elements: the pass. The thread that asks for results reads it.
        threads: how many threads there are, and how many elements are under way.
        ordered: whether results have the order of the elements.
    """

    __slots__ = (
        "_done",
        "_more",
        "_ordered",
        "_process",
        "_tasks",
        "_threads",
        "_under_way",
        "_workers",
    )

    def __init__(
        self, call: Callable[[Any], Any], elements: Iterator[Any], threads: int, ordered: bool
    ) -> None:
        super().__init__(call, elements)
        self._threads = threads
        self._ordered = ordered
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        # All tasks under way; if any result may be first, as many Nones.
        self._under_way: deque[Task | Failure | None] = deque()
        self._done: SimpleQueue[Task] = SimpleQueue()
        self._more = True
        self._workers: list[Thread] = []
        self._process = os.getpid()

    def __next__(self) -> Any:
        if os.getpid() != self._process:
            if self._workers:
                refuse_after_fork(THREADS)
            self._process = os.getpid()
        self._hand_out()
        if not self._under_way:
            raise StopIteration
        oldest = self._under_way.popleft()
        value = (
            oldest
            if isinstance(oldest, Failure)
            else (self._done if oldest is None else oldest.done).get().value
        )
        if type(value) is Failure:
            try:
                raise value.error
            finally:
                del oldest, value  # else the error would hold this frame and the frame the error
        return value

    def _hand_out(self) -> None:
        """Queue elements for the threads until the limit of elements under way is reached."""
        while self._more and len(self._under_way) < self._threads:
            try:
                task = Task(next(self._input))
            except StopIteration:
                self._more = False
                self._dismiss()
                return
            except Exception as error:
                # It must follow the results of the earlier elements.
                self._under_way.append(Failure(error))
                continue
            task.done = SimpleQueue() if self._ordered else self._done
            self._under_way.append(task if self._ordered else None)
            self._tasks.put(task)
            if len(self._workers) < self._threads:
                self._workers.append(start(work, self._call, self._tasks))

    def _dismiss(self) -> list[Thread]:
        """Let the threads end once no task is left."""
        workers, self._workers = self._workers, []
        for _ in workers:
            self._tasks.put(None)
        return workers

    def _end(self) -> None:
        """Let the threads end, and wait for the calls that they are making."""
        if self._workers:
            # No thread has been dismissed yet, so that only tasks are waiting here.
            drain(self._tasks)
            wait_for(self._dismiss())

    def close(self) -> None:
        self._more = False
        self._under_way.clear()
        self._end()
        super().close()

    def __del__(self) -> None:
        if os.getpid() == self._process:
            self._end()


class MappedWhenWorthIt(MappedByThreads):
    """The same, but threads are used only after a call has taken long enough to be worth it."""

    __slots__ = ("_slow_calls",)

    def __init__(
        self, call: Callable[[Any], Any], elements: Iterator[Any], threads: int, ordered: bool
    ) -> None:
        super().__init__(call, elements, threads, ordered)
        self._slow_calls = 0

    def __next__(self) -> Any:
        if self._slow_calls == _SLOW_CALLS:
            return super().__next__()
        element = next(self._input)
        start_of_call = time.perf_counter()
        try:
            return self._call(element)
        finally:
            slow = time.perf_counter() - start_of_call > _WORTH_A_THREAD
            self._slow_calls = self._slow_calls + 1 if slow else 0


def interleaved(
    dataset: DatasetV2,
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any,
    num_parallel_calls: Any,
    deterministic: bool | None,
    name: str | None,
) -> DatasetV2:
    """``dataset.interleave``."""
    block = (
        1 if block_length is None else positive(block_length, "block_length", "InterleaveDataset")
    )
    calls = (
        None
        if num_parallel_calls is None
        else parallel_calls(num_parallel_calls, "num_parallel_calls", "ParallelInterleaveDatasetV4")
    )
    cycle = AUTOTUNE if cycle_length is None else whole_number(cycle_length, "cycle_length")
    if cycle == AUTOTUNE:
        # TensorFlow's choice. Under AUTOTUNE it leaves room for two threads that read ahead.
        cycle = os.cpu_count() or 1
        if calls == AUTOTUNE:
            cycle = -(-cycle // 3)
        elif calls is not None and calls > 0:
            cycle = min(cycle, calls)
    cycle = positive(cycle, "cycle_length", "InterleaveDataset")
    if calls is None:
        return InterleaveDataset(dataset, map_func, cycle, block, name)
    return ParallelInterleaveDataset(dataset, map_func, cycle, block, calls, deterministic, name)


class ParallelInterleaveDataset(InterleaveDataset):
    """The elements of data sets in turns, read ahead by threads."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        cycle_length: int,
        block_length: int,
        num_parallel_calls: int,
        deterministic: bool | None,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, map_func, cycle_length, block_length, name)
        self._calls = num_parallel_calls
        self._deterministic = None if deterministic is None else bool(deterministic)

    def _cardinality(self) -> int:
        return INFINITE if self._input._cardinality() == INFINITE else UNKNOWN

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if self._calls > self._cycle_length:
            refuse(
                "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
                "`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
                f"`num_parallel_calls` is {self._calls} and `cycle_length` is {self._cycle_length}",
                op="ParallelInterleaveDatasetV4",
            )
        opener = self._opener(context)
        if context.is_trial:
            return TakingTurns(
                opener, self._input._elements(context), self._cycle_length, self._block_length
            )
        return TakingTurns(
            lambda element: MadeAhead(opener(element), self._block_length),
            self._input._elements(context),
            self._cycle_length,
            self._block_length,
        )
