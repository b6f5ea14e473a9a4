"""`MPIGroup`: ranks that are processes, by mpi4py. The arrays are given to MPI where they lie."""

from __future__ import annotations

import math
import os
import time
import weakref
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from mpi4py import MPI

from tapegrad.distribute.gate import (
    AGREED,
    DEFAULT_CAPACITY,
    DISAGREED,
    GONE,
    HEAD_SIZE,
    LATE,
    LEFT,
    Gate,
    RankArrays,
    digest_of,
    slot_size,
)
from tapegrad.distribute.groups import (
    ALL_GATHER,
    ALL_REDUCE,
    BARRIER,
    BROADCAST,
    DESCRIPTION_TIMEOUT,
    FAILURE,
    NOTHING,
    OBJECT,
    REDUCE_SCATTER,
    REDUCTIONS,
    TREE_REDUCE,
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
    is_half,
    processor_count,
    processors_of_rank,
    refuse_disagreement,
    refuse_waiting,
    result_array,
)
from tapegrad.distribute.processes import Neighbours, namespace
from tapegrad.engines.numpy.buffers import empty
from tapegrad.engines.numpy.copies import contiguous

OPERATIONS = {"sum": MPI.SUM, "max": MPI.MAX, "min": MPI.MIN}
# Arrays of up to so many bytes, of all ranks together, are copied to memory that the ranks share. Each rank
# reads those of the others there, and MPI has nothing to send.
SHARED_BYTES = 262_144
# In a group for gradients: the most bytes that one rank shares, and that all of them share together.
GRADIENTS, GRADIENTS_TOGETHER = 4 << 20, 16 << 20
# Bytes in a message of `MessageGate`: a header, and an array of up to INLINE bytes, if there are at most FEW
# ranks; with more of them, each would receive too much.
HEADER, INLINE, FEW = 16, 240, 64
# Seconds between checks, in a rank that waits for messages, that the processes of the others still run.
CHECK_INTERVAL = 0.05


# In place of MPI's type for halves. MPI has none: halves are added here.
HALF = object()


def datatype_of(dtype: np.dtype[Any]) -> Any:
    """MPI's type for elements that MPI can add up, or HALF."""
    return HALF if is_half(dtype) else MPI.Datatype.fromcode(dtype.char)


KINDS = {np.dtype(code).num: datatype_of(np.dtype(code)) for code in "fdilqeFDbBhHIL"}


class MPIGroup(Group):
    """The ranks of a communicator of MPI.

    Args:
        communicator: which processes; its messages stay apart from those of this group.
        timeout: how many seconds a rank waits for the others to make the same call.
        shared: whether ranks on one machine meet in memory that they share, which is faster than messages.
        for_gradients: whether gradients are sent through this group, while the process computes others.
    """

    overlaps = True

    def __init__(
        self,
        communicator: Any,
        timeout: float = 60.0,
        shared: bool = True,
        for_gradients: bool = False,
    ) -> None:
        self.communicator = communicator.Dup()
        self.rank = self.communicator.rank
        self.size = self.communicator.size
        self.timeout = timeout
        self._shared = shared
        local = self.communicator.Split_type(MPI.COMM_TYPE_SHARED, self.rank)
        self.local_rank, self.local_size = local.rank, local.size
        self.has_free_processor = processors_of_rank(local.size) > 1
        """Whether a thread may wait without taking the processor from the thread that computes."""
        self.neighbours = self._neighbours(local)
        self.gate: Gate | MessageGate
        if shared and local.size == self.size:
            capacity = gradient_capacity(local.size) if for_gradients else DEFAULT_CAPACITY
            crowded = (for_gradients and self.has_free_processor) or local.size > processor_count()
            self.gate = self._shared_gate(local, crowded, capacity)
        else:
            self.gate = MessageGate(self.communicator.Dup(), self.neighbours.ended)
            self.has_free_processor = True
        local.Free()
        # Arrays of up to so many bytes go through the gate.
        self._small = min(self.gate.capacity, SHARED_BYTES // self.size)
        groups.add(self)

    def _neighbours(self, local: Any) -> Neighbours:
        """The processes of the other ranks on this machine."""
        own = namespace()
        processes = local.allgather((self.rank, os.getpid(), own))
        return Neighbours(
            {k: pid for k, pid, space in processes if space == own and k != self.rank}
        )

    def _shared_gate(self, local: Any, crowded: bool, capacity: int) -> Gate:
        size = slot_size(capacity)
        self._window = MPI.Win.Allocate_shared(size, 1, comm=local)
        first, _ = self._window.Shared_query(0)
        buffer: Any = MPI.buffer.fromaddress(first.address, size * local.size)
        memory = np.frombuffer(buffer, np.int8)
        begin = size * local.rank
        memory[begin : begin + HEAD_SIZE] = 0
        local.Barrier()
        return Gate(memory, local.rank, local.size, crowded, capacity, self.neighbours.ended)

    def _meet(
        self,
        operation: int,
        name: tuple[str, Any],
        array: Array,
        detail: int = 0,
        skipped: int = 0,
        share: bool = False,
    ) -> None:
        """Return when all ranks are at this collective, and raise in all of them if they mean different ones.

        ``name`` is the name of the call, and its arguments as text.
        """
        code = self.gate.meet(operation, array, detail, self.timeout, skipped, share)
        if code != AGREED:
            call = f"{name[0]}({name[1]})"
            self._explain(code, described(call, None if array is NOTHING else array))

    def conclude(self, call: str, array: Array) -> None:
        """Wait for all ranks at the meeting that this one reached last; raise if they disagree."""
        code = self.gate.wait(self.timeout)
        if code != AGREED:
            self._explain(code, described(call, array))

    def _explain(self, code: int, text: str) -> None:
        gate = self.gate
        if code == DISAGREED:
            gate.describe(text)
            refuse_disagreement(
                [gate.description(k, DESCRIPTION_TIMEOUT) for k in range(self.size)]
            )
        if code == LEFT:
            gone = [f"rank {k}: {gate.description(k, 0)}" for k in gate.who_left()]
            refuse_waiting(code, text, "another has ended: " + "; ".join(gone), self.timeout)
        if code == GONE:
            refuse_waiting(LEFT, text, f"the process of rank {gate.other} has ended", self.timeout)
        late = "rank " + str(gate.other) if gate.other >= 0 else "at least one other rank"
        gate.leave(f"it gave up waiting in {text}")
        refuse_waiting(LATE, text, late, self.timeout)

    def all_reduce(
        self, array: Array, reduction: str = "sum", tree: bool = False, out: Array | None = None
    ) -> Array:
        """The sum, maximum or minimum over all ranks of arrays of one shape."""
        kind = KINDS.get(array.dtype.num)
        detail = REDUCTIONS.get(reduction)
        if kind is None or detail is None or reduction != "sum":
            check_reduction(array, reduction)
            kind = kind or datatype_of(array.dtype)
            detail = REDUCTIONS[reduction]
        array = contiguous(array)
        small = array.nbytes <= self._small
        if out is not None:
            result_array(array, out)
        operation = TREE_REDUCE if tree else ALL_REDUCE
        code = self.gate.meet(operation, array, detail, self.timeout, 0, small)
        if code != AGREED:
            tree_too = ", tree=True" if tree else ""
            self._explain(code, described(f"all_reduce({reduction}{tree_too})", array))
        if small:
            total = self.gate.total(array, out=out) if detail == 1 else None
            if total is not None:
                return total
            arrays = [self.gate.array_of(rank, array) for rank in range(self.size)]
            return in_out(added_as_tree(arrays, reduction), out)
        if tree or kind is HALF:
            return in_out(self._tree_reduced(array, reduction), out)
        sent: Any
        if out is array:
            sent = MPI.IN_PLACE
        else:
            sent = (array, array.size, kind)
            out = result_array(array, out)
        self.communicator.Allreduce(sent, (out, array.size, kind), OPERATIONS[reduction])
        return out

    def _tree_reduced(self, array: Array, reduction: str) -> Array:
        # Each rank adds up one part of the elements of all.
        flat = array.reshape(-1)
        share = -(-flat.size // self.size)
        bounds = [min(k * share, flat.size) for k in range(self.size + 1)]
        counts = [(b - a) * flat.itemsize for a, b in pairwise(bounds)]
        starts = [a * flat.itemsize for a in bounds[:-1]]
        own = counts[self.rank]
        parts = empty((self.size, own // flat.itemsize), flat.dtype)
        self.communicator.Alltoallv(
            [flat.view(np.int8), (counts, starts), MPI.BYTE],
            [parts, ([own] * self.size, [k * own for k in range(self.size)]), MPI.BYTE],
        )
        total = np.ascontiguousarray(added_as_tree(list(parts), reduction))
        result = empty(flat.shape, flat.dtype)
        self.communicator.Allgatherv(
            (_view(total), MPI.BYTE), [_view(result), (counts, starts), MPI.BYTE]
        )
        return result.reshape(array.shape)

    def all_gather(self, array: Array, out: Array | None = None) -> tuple[Array, list[int]]:
        """The arrays of all ranks, joined along their first axis, and how many rows each rank has."""
        kind = KINDS.get(array.dtype.num)
        if kind is None or array.ndim == 0:
            check_rows(array)
        array = contiguous(array)
        if out is not None:
            result_array(array, out, len(out) if out.ndim else 0)
        self._meet(ALL_GATHER, ("all_gather", ""), array, 0, 1, array.nbytes <= self._small)
        counts = self.gate.counts()
        row = array.itemsize * math.prod(array.shape[1:])
        if max(counts) * row <= self._small:
            return self.gate.joined(array, counts, out), counts
        # A rank that raised here would leave the others waiting: `out` is checked when all have their rows.
        requested = out
        rows = sum(counts)
        out = result_array(array, out if out is not None and len(out) == rows else None, rows)
        if min(counts) == max(counts):
            self.communicator.Allgather(_whole(array), _whole(out))
        else:
            sizes = [count * row for count in counts]
            self.communicator.Allgatherv((_view(array), MPI.BYTE), [_view(out), sizes, MPI.BYTE])
        return in_out(out, requested), counts

    def reduce_scatter(
        self, array: Array, counts: Sequence[int], out: Array | None = None
    ) -> Array:
        """The sum over all ranks, of which rank ``k`` gets the next ``counts[k]`` rows."""
        counts = tuple(counts)
        check_counts(array, counts, self.size)
        array = contiguous(array)
        small = array.nbytes <= self._small
        own, begin = counts[self.rank], sum(counts[: self.rank])
        if out is not None:
            result_array(array, out, own)
        self._meet(REDUCE_SCATTER, ("reduce_scatter", counts), array, hash(counts), share=small)
        kind = KINDS.get(array.dtype.num) or datatype_of(array.dtype)
        if small:
            total = self.gate.total(array, begin, own, out)
            if total is not None:
                return total
            arrays = [self.gate.array_of(rank, array) for rank in range(self.size)]
            return in_out(added_as_tree([array[begin : begin + own] for array in arrays]), out)
        if kind is HALF:
            return in_out(self._tree_reduced(array, "sum")[begin : begin + own], out)
        out = result_array(array, out, own)
        if min(counts) == max(counts):
            self.communicator.Reduce_scatter_block((array, kind), (out, kind))
        else:
            row = math.prod(array.shape[1:])
            self.communicator.Reduce_scatter((array, kind), (out, kind), [n * row for n in counts])
        return out

    def broadcast(self, array: Array, root: int = 0, out: Array | None = None) -> Array:
        """The array of the rank ``root``. The others give arrays of its dtype and shape."""
        if not 0 <= root < self.size:
            check_root(root, self.size)
        if array.dtype.kind == "O":
            check_rows(array.reshape(-1))
        array = contiguous(array)
        own = self.rank == root
        small = array.nbytes <= self.gate.capacity
        if out is not None:
            result_array(array, out)
        self._meet(BROADCAST, ("broadcast", root), array, root, 0, own and small)
        if own:
            if not small:
                self.communicator.Bcast(_whole(array), root)
            return in_out(array, out)
        if small:
            return self.gate.array_of(root, array, out)
        out = result_array(array, out)
        self.communicator.Bcast(_whole(out), root)
        return out

    def barrier(self) -> None:
        """Return when all ranks have come here."""
        self._meet(BARRIER, ("barrier", ""), NOTHING)

    def subgroup(self, ranks: Sequence[int]) -> MPIGroup | None:
        """The group of those ranks, in their order; None for a rank that is not in it. All ranks call it."""
        check_ranks(ranks, self.size)
        self._meet(OBJECT, ("subgroup", list(ranks)), NOTHING, hash(tuple(ranks)))
        member = self.rank in ranks
        part = self.communicator.Split(
            0 if member else MPI.UNDEFINED, list(ranks).index(self.rank) if member else 0
        )
        if not member:
            return None
        group = MPIGroup(part, self.timeout, self._shared)
        part.Free()
        return group

    def all_objects(self, value: Any) -> list[Any]:
        """The objects that the ranks passed, in the order of the ranks: any that can be pickled."""
        self._meet(OBJECT, ("all_objects", ""), NOTHING)
        values: list[Any] = self.communicator.allgather(value)
        return values

    def twin(self) -> MPIGroup:
        """Another group of the same ranks, for a second thread of each."""
        self._meet(OBJECT, ("twin", ""), NOTHING, 1)
        return MPIGroup(self.communicator, self.timeout, self._shared, for_gradients=True)

    def fail(self, text: str) -> None:
        """Make the collective that the others expect fail on all ranks. ``text`` says why."""
        code = self.gate.meet(FAILURE, NOTHING, 0, self.timeout)
        if code == DISAGREED:
            self.gate.describe(text)
        elif code != AGREED:
            self._explain(code, text)

    def leave(self, reason: str) -> None:
        """Tell the ranks that wait for this one that it makes no more calls."""
        self.gate.leave(reason)

    def close(self, refuse: Callable[[], NoReturn]) -> None:
        """Call ``refuse``, which raises, in place of each further collective."""
        self.gate.close(refuse)


groups: weakref.WeakSet[MPIGroup] = weakref.WeakSet()


def gradient_capacity(ranks: int) -> int:
    """How many bytes of gradients each rank of a machine can share at once."""
    capacity = min(GRADIENTS, GRADIENTS_TOGETHER // (2 * ranks))
    return max(capacity // 64 * 64, DEFAULT_CAPACITY)


def _view(array: Array) -> Array:
    """The bytes of an array."""
    return array.reshape(-1).view(np.int8)


def _whole(array: Array) -> Any:
    """All elements of an array, as MPI takes them."""
    kind = KINDS.get(array.dtype.num)
    return (_view(array), MPI.BYTE) if kind is None or kind is HALF else (array, kind)


class MessageGate(RankArrays):
    """Does what `Gate` does by messages, for ranks on several machines.

    A rank that gives up waiting cannot take back what it has sent, so its group is of no more use.
    """

    def __init__(self, communicator: Any, ended: Callable[[], list[int]]) -> None:
        self._ended = ended
        self._refuse: Callable[[], NoReturn] | None = None
        capacity = INLINE if communicator.size <= FEW else 0
        stride = HEADER + capacity
        self._bytes = np.zeros(stride, np.int8)
        self._received = np.zeros((communicator.size, stride), np.int8)
        super().__init__(self._received.reshape(-1), HEADER, stride, communicator.size, capacity)
        self._sent = self._bytes[:HEADER].view(np.int64)
        self._headers = self._received[:, :HEADER].view(np.int64)
        self._communicator = communicator
        self._texts: list[str] = []
        self._given_up = ""
        self._request: Any = None
        self.other = -1

    def meet(
        self,
        operation: int,
        array: Array,
        detail: int,
        timeout: float,
        skipped: int = 0,
        share: bool = False,
    ) -> int:
        """Wait until all ranks have come: see `Gate.meet`."""
        if self._refuse is not None:
            self._refuse()
        if self._given_up:
            return LEFT
        self._sent[0] = digest_of(operation, array, detail, skipped)
        self._sent[1] = array.shape[0] if skipped else 0
        if share:
            self._bytes[HEADER : HEADER + array.nbytes] = _view(array)
        self._request = self._communicator.Iallgather(self._bytes, self._received)
        return self.wait(timeout)

    def wait(self, timeout: float) -> int:
        """Wait for the message of each rank."""
        request = self._request
        deadline = None
        interval = 0.0
        next_check = 0.0
        while not request.Test():
            now = time.monotonic()
            if deadline is None:
                deadline = now + timeout
            elif now > deadline:
                return LATE
            if now > next_check:
                next_check = now + CHECK_INTERVAL
                gone = self._ended()
                if gone and not request.Test():
                    self.other = gone[0]
                    return GONE
            time.sleep(interval)
            interval = min(interval + 1e-6, 5e-4)
        return AGREED if bool((self._headers[:, 0] == self._sent[0]).all()) else DISAGREED

    def close(self, refuse: Callable[[], NoReturn]) -> None:
        """Call ``refuse``, which raises, at each further meeting."""
        self._refuse = refuse

    def counts(self) -> list[int]:
        """The numbers of rows that the ranks announced at the last meeting."""
        counts: list[int] = self._headers[:, 1].tolist()
        return counts

    def leave(self, text: str) -> None:
        """Mark the group as unusable on this rank."""
        self._given_up = text

    def who_left(self) -> list[int]:
        """This rank alone: it cannot tell the others that it left."""
        return [self._communicator.rank]

    def describe(self, text: str) -> None:
        """Tell all ranks what this one meant. All of them have seen the disagreement, and do the same."""
        self._texts = self._communicator.allgather(text)

    def description(self, rank: int, timeout: float) -> str | None:
        """What ``rank`` meant at the last meeting, in words."""
        return self._given_up or self._texts[rank]
