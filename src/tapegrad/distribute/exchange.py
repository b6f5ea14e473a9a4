"""Gradients of all ranks, added up or gathered in steps: between them the same thread goes on computing."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tapegrad.distribute import trace
from tapegrad.distribute.gate import Gate
from tapegrad.distribute.groups import ALL_GATHER, ALL_REDUCE, Array, shares
from tapegrad.engines.numpy.buffers import empty

if TYPE_CHECKING:
    from tapegrad.distribute.mpi import MPIGroup

Result = TypeVar("Result")
# A collective stops where other ranks are awaited. It gives True if `Exchange.all_here` says whether they
# have come, and False if only a call that waits for them leads on.
Steps = Generator[bool, None, Result]

ADDED_AT_THE_GATE = {np.dtype(kind).num for kind in (np.float32, np.float64, np.int32, np.int64)}


class Exchange:
    """Collectives of a group in steps.

    Where the ranks share memory, they lay their arrays down there, as far as these fit. Nobody waits for the
    others then but at the end: who finds their arrays there takes them, whatever the others do meanwhile.
    Larger arrays, and those of ranks on several machines, go through the calls of MPI.
    """

    def __init__(self, group: MPIGroup) -> None:
        self._group = group
        self._gate = group.gate if isinstance(group.gate, Gate) else None
        self.aside = False
        """Whether a thread beside the one that computes takes the steps: it may wait."""

    def all_here(self) -> bool:
        """Whether all ranks have come to the step at which this one is."""
        return self._gate is not None and self._gate.all_here()

    def _conclude(self, call: str, array: Array) -> None:
        began = time.perf_counter()
        self._group.conclude(call, array)
        self._waited(began)

    def _waited(self, began: float) -> None:
        if not self.aside:
            trace.note(trace.WAITS, began)

    def all_reduce(self, parts: Sequence[Array], divisor: int, tree: bool) -> Steps[Array]:
        """The sum over all ranks of arrays of one dtype, one after the other.

        Sums that are no integers are divided.
        """
        dtype = parts[0].dtype
        count = sum(part.size for part in parts)
        size = count * dtype.itemsize
        gate = self._gate
        if gate is None or size > gate.capacity or dtype.num not in ADDED_AT_THE_GATE:
            yield False
            began = time.perf_counter()
            total = self._by_mpi(parts, count, tree)
            self._waited(began)
            divide(total, divisor, total)
            return total
        laid = gate.place()[:size].view(dtype)
        pack(parts, laid)
        gate.arrive(ALL_REDUCE, laid, 0)
        yield True
        self._conclude("all_reduce(sum)", laid)
        if self._group.size == 2:
            return gate.total(laid, divisor=divisor)  # type: ignore[return-value]
        # Each rank adds up its part of the elements.
        counts = list(shares(count, self._group.size))
        own, begin = counts[self._group.rank], sum(counts[: self._group.rank])
        share = gate.place()[: own * dtype.itemsize].view(dtype)
        gate.total(laid, begin, own, share, divisor)
        gate.arrive(ALL_GATHER, share, 0, 1)
        yield True
        # Users are told of the collective of which this is the second half.
        self._conclude("all_reduce(sum)", laid)
        return gate.joined(share, counts)

    def _by_mpi(self, parts: Sequence[Array], count: int, tree: bool) -> Array:
        if len(parts) == 1:
            return self._group.all_reduce(parts[0], "sum", tree).reshape(-1)
        flat = empty((count,), parts[0].dtype)
        pack(parts, flat)
        return self._group.all_reduce(flat, "sum", tree, flat)

    def all_gather(self, values: Array, indices: Array, divisor: int) -> Steps[tuple[Array, Array]]:
        """The slices of all ranks, whose values are divided if they are no integers."""
        gate = self._gate
        if gate is not None:
            row = values.itemsize * math.prod(values.shape[1:])
            both = row + indices.itemsize
            if len(values) * both <= gate.capacity:
                place = gate.place()
                divide(
                    values, divisor, place[: values.nbytes].view(values.dtype).reshape(values.shape)
                )
                place[values.nbytes :][: indices.nbytes].view(indices.dtype)[...] = indices
            gate.arrive(ALL_GATHER, values, indices.dtype.num, 1)
            yield True
            self._conclude("all_gather()", values)
            counts = gate.counts()
            if max(counts) * both <= gate.capacity:
                rows = gate.joined(values, counts)
                return rows, gate.joined(indices, counts, before=row)
        yield False
        own = empty(values.shape, values.dtype)
        divide(values, divisor, own)
        began = time.perf_counter()
        gathered, _ = self._group.all_gather(indices)
        rows, _ = self._group.all_gather(own)
        self._waited(began)
        return rows, gathered


def divide(array: Array, divisor: int, out: Array) -> None:
    """Write ``array``, divided if it holds no integers, to ``out``, which may be the array itself."""
    dtype = array.dtype
    if divisor == 1 or dtype.kind in "iub":
        if out is not array:
            np.copyto(out, array)
    elif dtype in (np.float32, np.float64) and divisor & (divisor - 1) == 0:
        np.multiply(array, dtype.type(1 / divisor), out=out)  # the same bits, sooner
    else:
        np.divide(array, dtype.type(divisor), out=out)


def pack(arrays: Sequence[Array], flat: Array) -> None:
    """Write all elements into one array."""
    begin = 0
    for array in arrays:
        flat[begin : begin + array.size].reshape(array.shape)[...] = array
        begin += array.size
