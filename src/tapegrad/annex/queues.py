"""`tf.queue`: queues between threads, whose elements are tuples of tensors.

A queue is one lock with a condition, and a store that says in which order elements leave: `FIFOQueue`,
`PaddingFIFOQueue`, `RandomShuffleQueue` and `PriorityQueue` differ in that. Threads that wait look about from
time to time, so that Ctrl-C reaches them.
"""

from __future__ import annotations

import heapq
import itertools
import os
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Lock
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, alias, note_departure, refuse_recording, static_value
from tapegrad.data.arguments import check_seed, truth, whole_number
from tapegrad.dtypes import as_dtype
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.shape.creation import zeros
from tapegrad.ops.shape.joining import stack, unstack
from tapegrad.ops.shape.padding import pad

PUBLIC = {
    "queue compat.v1.io": "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "queue compat.v1": "FIFOQueue",
    "compat.v1": "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
}

Element = tuple[EagerTensor, ...]

# How long a thread waits before it looks whether the user has pressed Ctrl-C.
LOOK_ABOUT = 0.1

IN_FUNCTIONS = "a queue, which no op of ours changes"


class Store(Protocol):
    """The elements of a queue, and which of them leaves next."""

    def __len__(self) -> int: ...

    def put(self, element: Element) -> None:
        """Add an element."""

    def take(self) -> Element:
        """Remove the next element."""

    def put_back(self, elements: Sequence[Element]) -> None:
        """Undo several calls of `take`, which returned these elements."""


class InOrder:
    """Elements leave in the order in which they came."""

    def __init__(self) -> None:
        self._elements: deque[Element] = deque()

    def __len__(self) -> int:
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Add an element."""
        self._elements.append(element)

    def take(self) -> Element:
        """Remove the oldest element."""
        return self._elements.popleft()

    def put_back(self, elements: Sequence[Element]) -> None:
        """Undo several calls of `take`."""
        self._elements.extendleft(reversed(elements))


class AtRandom:
    """Elements leave in random order; ``words`` gives random numbers of 32 bits."""

    def __init__(self, words: Any) -> None:
        self._elements: list[Element] = []
        self._words = words

    def __len__(self) -> int:
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Add an element."""
        self._elements.append(element)

    def take(self) -> Element:
        """Remove an element; the last takes its place, as in TensorFlow."""
        at = next(self._words) % len(self._elements)
        element: Element = self._elements[at]
        self._elements[at] = self._elements[-1]
        self._elements.pop()
        return element

    def put_back(self, elements: Sequence[Element]) -> None:
        """Undo several calls of `take`."""
        self._elements.extend(elements)


class ByPriority:
    """Elements leave in the order of their first component; equal ones in the order in which they came."""

    def __init__(self) -> None:
        self._elements: list[tuple[int, int, Element]] = []
        self._count = itertools.count()

    def __len__(self) -> int:
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Add an element."""
        priority = int(static_value(element[0], "a priority"))
        heapq.heappush(self._elements, (priority, next(self._count), element))

    def take(self) -> Element:
        """Remove the element with the smallest first component."""
        element: Element = heapq.heappop(self._elements)[2]
        return element

    def put_back(self, elements: Sequence[Element]) -> None:
        """Undo several calls of `take`."""
        for element in elements:
            self.put(element)


class Shared:
    """What queues of the same name have in common: the elements, and whether the queue is closed."""

    def __init__(self, store: Store, least: int) -> None:
        self.store = store
        self.least = least  # so many elements are kept until the queue is closed
        self.closed = False
        self.cancelled = False
        self.waiting = (
            0  # how many threads wait for room, whose elements still come in after `close`
        )
        self.lock = Lock()
        self.changed = Condition(self.lock)
        _shared.add(self)

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until ``ready()``; the lock is held before and after."""
        while not ready():
            self.changed.wait(LOOK_ABOUT)

    def at_hand(self) -> int:
        """How many elements may leave."""
        return len(self.store) - (0 if self.closed else self.least)

    def is_finished(self) -> bool:
        """Whether no more elements come in."""
        return self.closed and (self.cancelled or not self.waiting)


_shared: WeakSet[Shared] = WeakSet()


def _free_locks() -> None:
    """In the child of a fork, free what threads held, and forget those that waited: they stayed behind."""
    for shared in list(_shared):
        shared.lock = Lock()
        shared.changed = Condition(shared.lock)
        shared.waiting = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_locks)


class QueueBase(Printed):
    """The base of the queues.

    Args:
        dtypes: the dtypes of an element's components.
        shapes: their shapes; None if they may have any.
        names: their names, if elements are dicts.
        queue_ref: the handle of the queue.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any) -> None:
        self._dtypes = dtypes
        if shapes is not None:
            if len(shapes) != len(dtypes):
                raise ValueError(
                    "List of shapes must have the same length as the list of dtypes, received "
                    f"len(shapes)={len(shapes)}, len(dtypes)={len(dtypes)}"
                )
            self._shapes = [TensorShape(shape) for shape in shapes]
        else:
            self._shapes = [TensorShape(None) for _ in dtypes]
        if names is not None:
            if not names:
                names = None
            elif len(names) != len(dtypes):
                raise ValueError(
                    "List of names must have the same length as the list of dtypes, received "
                    f"len(names)={len(names)},len(dtypes)={len(dtypes)}"
                )
        self._names = names
        self._queue_ref = queue_ref
        self._name = "Empty"
        self._capacity = -1

    # What the queue is.

    def _printed_state(self) -> str:
        names = ", ".join([dtype.name for dtype in self._dtypes])
        limit = "no limit" if self._capacity < 0 else f"room for {self._capacity}"
        return f"elements of {names}, {limit}"

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue at ``index`` in a list of queues of the same kind."""
        if (
            not queues
            or not isinstance(queues, list)
            or not all(isinstance(queue, QueueBase) for queue in queues)
        ):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue._dtypes != first._dtypes for queue in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        number = static_int(index)
        if not 0 <= number < len(queues):
            refuse(
                f"index must be in [0, {len(queues)}), but it is {number}.",
                op="QueueBase.from_list",
            )
        chosen: QueueBase = queues[number]
        return chosen

    @property
    def queue_ref(self) -> Any:
        """The handle of the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the handle of the queue."""
        return self._name

    @property
    def dtypes(self) -> list[dtypes.DType]:
        """The dtypes of an element's components."""
        return self._dtypes  # type: ignore[no-any-return]

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of an element's components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of an element's components, or None."""
        return self._names  # type: ignore[no-any-return]

    @property
    def _kind(self) -> str:
        return type(self).__name__

    # What comes in.

    def _components(self, vals: Any) -> list[EagerTensor]:
        """The components that a user gave, converted."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                )
            values = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            values = [*vals] if isinstance(vals, (list, tuple)) else [vals]
        tensors = []
        for value, dtype in zip(values, self._dtypes, strict=False):
            tensors.append(convert_to_tensor(value, dtype))
        if len(values) != len(self._dtypes):
            expected = ", ".join(dtype.name for dtype in self._dtypes)
            dtype_names = ", ".join(tensor.dtype.name for tensor in tensors)
            refuse(
                f"Elements of this queue have {len(self._dtypes)} components, of {expected}; there came "
                f"{len(values)}, of {dtype_names}.",
                op="QueueEnqueue",
            )
        return tensors

    def _add(self, elements: list[Element]) -> None:
        """Add elements, waiting for room for each."""
        shared = self._queue_ref
        refuse_recording(IN_FUNCTIONS)
        with shared.lock:
            for element in elements:
                if shared.closed and element is elements[0]:
                    self._refuse_closed()
                self._wait_for_room()
                shared.store.put(element)
                shared.changed.notify_all()

    def _wait_for_room(self) -> None:
        """Wait until there is room, or until waiting is cancelled."""
        shared = self._queue_ref
        refuse_recording(IN_FUNCTIONS)
        shared.waiting += 1
        try:
            shared.wait_until(
                lambda: shared.cancelled or self._capacity < 0 or len(shared.store) < self._capacity
            )
        finally:
            shared.waiting -= 1
            shared.changed.notify_all()
        if shared.cancelled:
            refuse(
                f"{self._kind} '{self._name}': enqueuing was cancelled, as the queue was closed.",
                op="QueueEnqueue",
                error=errors.CancelledError,
            )

    def _refuse_closed(self) -> None:
        refuse(
            f"{self._kind} '{self._name}' is closed.",
            op="QueueEnqueue",
            error=errors.CancelledError,
        )

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Add one element, waiting while the queue is full.

        Args:
            vals: a tensor, a tuple or list of the components, or a dict of them if they have names.
            name: accepted and ignored.

        Raises:
            CancelledError: the queue is closed.
        """
        tensors = self._components(vals)
        for tensor, shape in zip(tensors, self._shapes, strict=True):
            tensor.shape.assert_is_compatible_with(shape)
        self._add([tuple(tensors)])

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Add several elements, which lie along the first axis of the components, waiting for room."""
        tensors = self._components(vals)
        counts = []
        for tensor, shape in zip(tensors, self._shapes, strict=True):
            if tensor.shape.rank == 0:
                raise ValueError(
                    "enqueue_many() takes components with an axis of elements in front; a scalar came."
                )
            counts.append(tensor.shape[0])
            tensor.shape[1:].assert_is_compatible_with(shape)
        if len(set(counts)) > 1:
            raise ValueError(f"Dimensions {counts[0]} and {counts[1]} are not compatible")
        self._add([*zip(*(unstack(tensor) for tensor in tensors), strict=True)])

    # What leaves.

    def _returned(self, tensors: Sequence[Tensor]) -> Any:
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else [*tensors]

    def dequeue(self, name: str | None = None) -> Any:
        """Remove the next element, waiting while there is none.

        Raises:
            OutOfRangeError: the queue is closed and has no more elements.
        """
        (element,) = self._remove(1, at_least=1)
        return self._returned(element)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Remove ``n`` elements, waiting for them. They lie along a new first axis.

        Raises:
            OutOfRangeError: the queue is closed and has fewer elements, which it keeps.
        """
        count = self._count(n, "DequeueMany")
        return self._together(self._remove(count, at_least=count))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Like `dequeue_many`, but a closed queue returns fewer elements, at least one."""
        count = self._count(n, "DequeueUpTo")
        return self._together(self._remove(count, at_least=min(count, 1)))

    def _count(self, n: Any, what: str) -> int:
        if not self._can_batch():
            refuse(
                f"{self._kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes.",
                op=f"Queue{what}",
            )
        count = whole_number(n, "n", dtypes.int32)
        if count < 0:
            refuse(f"{what} requested {count} < 0 elements", op=f"Queue{what}")
        return count

    def _can_batch(self) -> bool:
        return all(shape.is_fully_defined() for shape in self._shapes)

    def _remove(self, count: int, at_least: int) -> list[Element]:
        """Remove ``count`` elements; ``at_least`` so many if the queue is closed."""
        shared = self._queue_ref
        refuse_recording(IN_FUNCTIONS)
        taken: list[Element] = []
        with shared.lock:
            try:
                while len(taken) < count:
                    shared.wait_until(lambda: shared.is_finished() or shared.at_hand() > 0)
                    if shared.at_hand() <= 0:
                        if len(taken) >= at_least:
                            break
                        self._refuse_empty(count, len(taken))
                    taken.append(shared.store.take())
                    shared.changed.notify_all()
            except BaseException:
                shared.store.put_back(taken)
                raise
        # What comes out of a queue is a new tensor, which no tape knows.
        elements = [tuple([alias(tensor) for tensor in element]) for element in taken]
        for element, renamed in zip(taken, elements, strict=True):
            for tensor, new in zip(element, renamed, strict=True):
                note_departure("queue", [tensor], [new])
        return elements

    def _refuse_empty(self, count: int, size: int) -> None:
        refuse(
            f"{self._kind} '{self._name}' is closed and has insufficient elements "
            f"(requested {count}, current size {size})",
            op="QueueDequeue",
            error=errors.OutOfRangeError,
        )

    def _together(self, elements: list[Element]) -> Any:
        if not elements:
            empty = [
                zeros([0, *[size or 0 for size in shape.as_list()]], dtype)
                for shape, dtype in zip(self._shapes, self._dtypes, strict=True)
            ]
            return self._returned(empty)
        return self._returned(
            [self._stacked(components) for components in zip(*elements, strict=True)]
        )

    def _stacked(self, tensors: tuple[EagerTensor, ...]) -> Any:
        return stack(tensors)

    # Its end.

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Let no more elements in. Those inside can still leave.

        Args:
            cancel_pending_enqueues: whether threads that wait for room get a CancelledError. Otherwise their
                elements still come in.
            name: accepted and ignored.

        Raises:
            CancelledError: the queue is closed already.
        """
        shared = self._queue_ref
        if cancel_pending_enqueues is not None:
            truth(cancel_pending_enqueues, "cancel_pending_enqueues", f"{self._kind}.close()")
        refuse_recording(IN_FUNCTIONS)
        with shared.lock:
            if shared.closed and (shared.cancelled or not cancel_pending_enqueues):
                refuse(
                    f"Queue '{self._name}' is already closed.",
                    op="QueueClose",
                    error=errors.CancelledError,
                )
            shared.closed = True
            shared.cancelled = shared.cancelled or cancel_pending_enqueues
            shared.changed.notify_all()

    def is_closed(self, name: str | None = None) -> Any:
        """Whether the queue is closed, as a tensor."""
        with self._queue_ref.lock:
            return constant(self._queue_ref.closed, dtypes.bool)

    def size(self, name: str | None = None) -> Any:
        """The number of elements, as an int32 scalar."""
        refuse_recording(IN_FUNCTIONS)
        with self._queue_ref.lock:
            return constant(len(self._queue_ref.store), dtypes.int32)


def attribute(value: Any, name: str, default: int) -> int:
    """A whole number that a queue is made with, as Python's `int` gives it; ``default`` for None."""
    if value is None:
        return default
    is_complex = isinstance(value, Tensor) and value.dtype.is_complex
    if isinstance(value, (str, bytes)) or is_complex:
        raise TypeError(f"`{name}` of a queue must be a whole number, but got {value!r}.")
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"`{name}` of a queue must be a whole number, but got {value!r}."
        ) from error
    if not dtypes.int32.min <= number <= dtypes.int32.max:
        refuse(f"`{name}` of a queue must have at most 32 bits, but it is {number}.", op="Queue")
    return number


def listed_dtypes(values: Any) -> list[dtypes.DType]:
    if not isinstance(values, (list, tuple)):
        values = [values]
    return [as_dtype(value) for value in values]


def listed_shapes(shapes: Any, count: int) -> list[TensorShape] | None:
    """The shapes of components, given as one or as a list."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        return [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise TypeError(f"`shapes` of a queue must be a list of shapes, but got {shapes!r}.")
    is_one = all(isinstance(size, int) or size is None for size in shapes)
    if isinstance(shapes, (list, tuple)) and shapes and not (is_one and None not in shapes):
        return [TensorShape(shape) for shape in shapes]
    if count == 1 or not shapes:
        return [TensorShape(shapes)]
    return [TensorShape(shape) for shape in shapes]


class _Queue(QueueBase):
    """A queue with a store."""

    def __init__(
        self,
        capacity: Any,
        types: list[dtypes.DType],
        shapes: list[TensorShape] | None,
        names: Any,
        make: Callable[[], Store],
        least: int = 0,
    ) -> None:
        if not types:
            refuse(f"A {self._kind} needs one component at least.", op=self._kind)
        if shapes is not None and len(shapes) != len(types):
            refuse(
                f"Different number of component types.  Types: {', '.join(dtype.name for dtype in types)}, "
                f"Shapes: {shapes}",
                op=self._kind,
            )
        if names is not None:
            names = [*names] if isinstance(names, (list, tuple)) else [names]
            if len(names) != len(types):
                raise ValueError(
                    f"{self._kind}: `names` must have a name for each of the {len(types)} components, "
                    f"but got {names}."
                )
        super().__init__(types, shapes, names, Shared(make(), least))
        self._capacity = attribute(capacity, "capacity", -1)


class FIFOQueue(_Queue):
    """A queue whose elements leave in the order in which they came.

    >>> queue = tf.queue.FIFOQueue(10, [tf.int32], shapes=[[]])
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> queue.dequeue().numpy(), queue.dequeue_many(2).numpy()
    (np.int32(1), array([2, 3], dtype=int32))

    Args:
        capacity: how many elements it holds; without limit if it is negative.
        dtypes: the dtypes of an element's components.
        shapes: their shapes; `dequeue_many` needs them.
        names: their names, if elements are to be dicts.
        shared_name, name: accepted and ignored. As when TensorFlow runs eagerly, queues of the same name are
            separate.
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = listed_dtypes(dtypes)
        component_shapes = fully_defined(listed_shapes(shapes, len(types)))
        super().__init__(capacity, types, component_shapes, names, InOrder)


def fully_defined(shapes: list[TensorShape] | None) -> list[TensorShape] | None:
    if shapes is not None and not all(shape.is_fully_defined() for shape in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")
    return shapes


class PaddingFIFOQueue(_Queue):
    """A `FIFOQueue` whose components may differ in size: `dequeue_many` fills them up with zeros.

    Args:
        capacity, dtypes, names, shared_name, name: as for `FIFOQueue`.
        shapes: the shapes of the components, with None for sizes that vary.
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        types = listed_dtypes(dtypes)
        is_list = isinstance(shapes, (list, tuple, TensorShape))
        count = len(shapes) if isinstance(shapes, (list, tuple)) else int(is_list)
        component_shapes = listed_shapes(shapes, len(types)) if count == len(types) else None
        if component_shapes is None:
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(types)} dtypes and {count} shapes."
            )
        if any(shape.rank is None for shape in component_shapes):
            raise ValueError(f"The ranks of all shapes must be known: {component_shapes}.")
        super().__init__(capacity, types, component_shapes, names, InOrder)

    def _can_batch(self) -> bool:
        return True

    def _stacked(self, tensors: tuple[EagerTensor, ...]) -> Any:
        sizes = np.array([tensor.shape.as_list() for tensor in tensors], np.int64)
        largest = sizes.max(0) if sizes.size else sizes[0]
        padded: list[Tensor] = []
        for tensor, size in zip(tensors, sizes, strict=True):
            if (size == largest).all():
                padded.append(tensor)
                continue
            padded.append(pad(tensor, [[0, int(missing)] for missing in largest - size]))
        return stack(padded)


class RandomShuffleQueue(_Queue):
    """A queue whose elements leave in random order.

    Args:
        capacity, dtypes, shapes, names, shared_name, name: as for `FIFOQueue`.
        min_after_dequeue: how many elements are kept until the queue is closed, so that the order is random.
        seed: decides the order, together with the global seed.
    """

    def __init__(
        self,
        capacity: Any,
        min_after_dequeue: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        from tapegrad.data.shuffle import Words

        types = listed_dtypes(dtypes)
        component_shapes = fully_defined(listed_shapes(shapes, len(types)))
        least = attribute(min_after_dequeue, "min_after_dequeue", 0)
        most = attribute(capacity, "capacity", -1)
        if least < 0:
            refuse(f"min_after_dequeue {least} must be >= 0", op="RandomShuffleQueue")
        if 0 <= most <= least:
            refuse(f"min_after_dequeue {least} must be < capacity {most}", op="RandomShuffleQueue")
        check_seed(seed, "RandomShuffleQueue")
        seeds = random_seeds(seed, shared_name)
        super().__init__(
            capacity, types, component_shapes, names, lambda: AtRandom(Words(seeds)), least
        )


def random_seeds(seed: int | None, shared_name: str | None) -> tuple[int, int]:
    """The two seeds of a queue in random order, as TensorFlow derives them."""
    from hashlib import md5

    first, second = random_state.get_seed(seed)
    if first is None or second is None:
        one, other = random_state.non_deterministic_integers(2)
        return one & 0xFFFFFFFFFFFFFFFF, other & 0xFFFFFFFFFFFFFFFF
    if seed is None and shared_name is not None:
        text = f"{first}{shared_name}".encode()
        second = int(md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF
    return first, second


class PriorityQueue(_Queue):
    """A queue whose elements leave in the order of their first component, an int64 scalar.

    Args:
        capacity, shapes, names, shared_name, name: as for `FIFOQueue`.
        types: the dtypes of the components after the first.
    """

    def __init__(
        self,
        capacity: Any,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        rest = listed_dtypes(types)
        component_shapes = fully_defined(listed_shapes(shapes, len(rest)))
        scalar = [TensorShape([])]
        # Without shapes the others may have any.
        all_shapes = (
            scalar + (component_shapes or [])
            if component_shapes is not None or not rest
            else scalar + [TensorShape(None) for _ in rest]
        )
        super().__init__(capacity, [dtypes.int64, *rest], all_shapes, names, ByPriority)
