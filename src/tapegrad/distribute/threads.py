"""`ThreadGroup`: ranks that are threads of one process. For trying out programs, and for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from tapegrad.distribute.gate import LATE, LEFT, digest_of
from tapegrad.distribute.groups import (
    ALL_GATHER,
    ALL_REDUCE,
    BARRIER,
    BROADCAST,
    FAILURE,
    NOTHING,
    OBJECT,
    REDUCE_SCATTER,
    REDUCTIONS,
    Array,
    Group,
    added_as_tree,
    check_counts,
    check_ranks,
    check_reduction,
    check_root,
    check_rows,
    described,
    in_out,
    refuse_disagreement,
    refuse_waiting,
)
from tapegrad.distribute.ranks import in_group
from tapegrad.errors import InvalidArgumentError
from tapegrad.framework.inherited import inheritance

Result = TypeVar("Result")

PUBLIC = {"distribute": "run_in_threads"}


class Meeting:
    """The collectives of a group of threads. The thread that arrives last computes the result for all."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.changed = threading.Condition()
        self.arrivals: dict[int, tuple[int, str, Any]] = {}
        self.turn = 0
        self.outcomes: dict[int, tuple[Any, BaseException | None]] = {}
        self.readers: dict[int, int] = {}
        self.left: dict[int, str] = {}

    def meet(
        self,
        rank: int,
        digest: int,
        text: str,
        value: Any,
        make: Callable[[list[Any]], Any],
        timeout: float,
    ) -> Any:
        """The result of ``make`` for the values of all ranks, in the order of the ranks."""
        with self.changed:
            turn = self.turn
            self.arrivals[rank] = (digest, text, value)
            if len(self.arrivals) == self.size:
                self._conclude(make)
            else:
                self._await(rank, turn, text, timeout)
            result, error = self.outcomes[turn]
            self.readers[turn] += 1
            if self.readers[turn] == self.size:
                del self.outcomes[turn], self.readers[turn]
        if isinstance(error, _Differ):
            refuse_disagreement(error.args[0])
        if error is not None:
            raise error
        return result

    def _conclude(self, make: Callable[[list[Any]], Any]) -> None:
        arrivals = [self.arrivals[k] for k in range(self.size)]
        result: Any = None
        error: BaseException | None = None
        if len({digest for digest, _, _ in arrivals}) > 1:
            error = _Differ([text for _, text, _ in arrivals])
        else:
            try:
                result = make([value for _, _, value in arrivals])
            except Exception as raised:
                error = raised
        self.outcomes[self.turn] = (result, error)
        self.readers[self.turn] = 0
        self.arrivals = {}
        self.turn += 1
        self.changed.notify_all()

    def _await(self, rank: int, turn: int, text: str, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while turn not in self.outcomes:
            gone = [f"rank {k}: {why}" for k, why in self.left.items() if k not in self.arrivals]
            if gone:
                refuse_waiting(LEFT, text, "another has ended: " + "; ".join(gone), timeout)
            if not self.changed.wait(max(deadline - time.monotonic(), 0)):
                missing = [f"rank {k}" for k in range(self.size) if k not in self.arrivals]
                self.left[rank] = f"it gave up waiting in {text}"
                del self.arrivals[rank]
                self.changed.notify_all()
                refuse_waiting(LATE, text, ", ".join(missing), timeout)


def concatenated(parts: list[Array]) -> tuple[Array, list[int]]:
    """The rows of all ranks, and how many each rank has."""
    return np.concatenate(parts), [len(part) for part in parts]


class _Differ(Exception):
    """The ranks called different collectives; the argument is the list of their descriptions."""


class ThreadGroup(Group):
    """The ranks are threads of this process, which look at each other's arrays."""

    def __init__(self, meeting: Meeting, rank: int, timeout: float = 60.0) -> None:
        self._meeting = meeting
        self.rank = rank
        self.size = meeting.size
        self.timeout = timeout

    def _meet(
        self,
        operation: int,
        name: str,
        array: Array,
        make: Callable[[list[Any]], Any],
        detail: int = 0,
        skipped: int = 0,
        value: Any = None,
    ) -> Any:
        text = described(name, None if array is NOTHING else array)
        digest = digest_of(operation, array, detail, skipped)
        value = array if value is None else value
        return self._meeting.meet(self.rank, digest, text, value, make, self.timeout)

    def all_reduce(
        self, array: Array, reduction: str = "sum", tree: bool = False, out: Array | None = None
    ) -> Array:
        """The sum, maximum or minimum over all ranks of arrays of one shape."""
        check_reduction(array, reduction)
        name = f"all_reduce({reduction})"

        def make(parts: list[Array]) -> Array:
            return added_as_tree(parts, reduction)

        result: Array = self._meet(ALL_REDUCE, name, array, make, REDUCTIONS[reduction])
        return in_out(result, out)

    def all_gather(self, array: Array, out: Array | None = None) -> tuple[Array, list[int]]:
        """The arrays of all ranks, joined along their first axis, and how many rows each rank has."""
        check_rows(array)
        rows, counts = self._meet(ALL_GATHER, "all_gather()", array, concatenated, skipped=1)
        return in_out(rows, out), counts

    def reduce_scatter(
        self, array: Array, counts: Sequence[int], out: Array | None = None
    ) -> Array:
        """The sum over all ranks, of which rank ``k`` gets the next ``counts[k]`` rows."""
        check_counts(array, counts, self.size)
        name = f"reduce_scatter({list(counts)})"
        total: Array = self._meet(REDUCE_SCATTER, name, array, added_as_tree, hash(tuple(counts)))
        begin = sum(counts[: self.rank])
        return in_out(total[begin : begin + counts[self.rank]], out)

    def broadcast(self, array: Array, root: int = 0, out: Array | None = None) -> Array:
        """The array of the rank ``root``. The others give arrays of its dtype and shape."""
        check_root(root, self.size)
        result: Array = self._meet(
            BROADCAST, f"broadcast({root})", array, lambda parts: parts[root], root
        )
        return in_out(result, out)

    def barrier(self) -> None:
        """Return when all ranks have come here."""
        self._meet(BARRIER, "barrier()", NOTHING, lambda parts: None)

    def subgroup(self, ranks: Sequence[int]) -> ThreadGroup | None:
        """The group of those ranks, in their order; None for a rank that is not in it. All ranks call it."""
        check_ranks(ranks, self.size)
        meeting = self._meet(
            OBJECT,
            f"subgroup({list(ranks)})",
            NOTHING,
            lambda parts: Meeting(len(ranks)),
            hash(tuple(ranks)),
        )
        if self.rank not in ranks:
            return None
        return ThreadGroup(meeting, list(ranks).index(self.rank), self.timeout)

    def all_objects(self, value: Any) -> list[Any]:
        """The objects that the ranks passed, themselves and not copies."""
        values: list[Any] = self._meet(
            OBJECT,
            "all_objects()",
            NOTHING,
            lambda parts: [part for (part,) in parts],
            value=(value,),
        )
        return values

    def twin(self) -> ThreadGroup:
        """Another group of the same ranks, for a second thread of each."""
        meeting = self._meet(OBJECT, "twin()", NOTHING, lambda parts: Meeting(self.size), 1)
        return ThreadGroup(meeting, self.rank, self.timeout)

    def fail(self, text: str) -> None:
        """Make the collective that the others expect fail on all ranks. ``text`` says why."""
        digest = digest_of(FAILURE, NOTHING, 0, 0)
        with suppress(InvalidArgumentError):
            self._meeting.meet(self.rank, digest, text, None, lambda parts: None, self.timeout)

    def leave(self, reason: str) -> None:
        """Tell the ranks that wait for this one that it makes no more calls."""
        meeting = self._meeting
        with meeting.changed:
            meeting.left.setdefault(self.rank, reason)
            meeting.changed.notify_all()


def run_in_threads(
    count: int, function: Callable[..., Result], *args: Any, timeout: float = 60.0
) -> list[Result]:
    """``function(*args)`` in ``count`` threads, each of which is a rank. Returns what the ranks return.

    >>> def step():
    ...     return int(tf.distribute.all_reduce(tf.distribute.rank() + 1))
    >>> tf.distribute.run_in_threads(3, step)
    [6, 6, 6]

    If ranks raise, the error of the first one to do so is raised here. The others learn of it where they
    wait.

    Args:
        count: the number of ranks.
        function: what the ranks call.
        *args: its arguments, the same for all ranks.
        timeout: for how many seconds a rank waits for the others.
    """
    meeting = Meeting(count)
    take = inheritance()
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        group = ThreadGroup(meeting, rank, timeout)
        try:
            take()
            with in_group(group):
                results[rank] = function(*args)
            group.leave("its function has returned")
        except BaseException as error:
            errors.append(error)
            group.leave(f"it raised {type(error).__name__}: {error}")

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
