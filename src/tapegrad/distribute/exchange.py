"""Collectives in steps, so that the thread that runs them can compute between the steps."""

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
# A collective is a generator that stops where other ranks have to act first. It yields True if
# `Exchange.all_here` says whether they have done so, and False if only a call that waits can tell.
Steps = Generator[bool, None, Result]

ADDED_AT_THE_GATE = {np.dtype(kind).num for kind in (np.float32, np.float64, np.int32, np.int64)}


class Exchange:
    """Collectives of a group in steps.

    Ranks that share memory copy their arrays there if these fit. Then a rank waits only until the arrays of
    the others are there, whatever the others do meanwhile. Larger arrays, and those of ranks on several
    machines, go through the calls of MPI.
    """

    def __init__(self, group: MPIGroup) -> None:
        self._group = group
        self._gate = group.gate if isinstance(group.gate, Gate) else None
        self.in_background = False
        """Whether a background thread runs the steps: its waiting is not measured."""

    def all_here(self) -> bool:
        """Whether all ranks have reached the step at which this one stops."""
        return self._gate is not None and self._gate.all_here()

    def _conclude(self, call: str, array: Array) -> None:
        began = time.perf_counter()
        self._group.conclude(call, array)
        self._waited(began)

    def _waited(self, began: float) -> None:
        if not self.in_background:
            trace.note(trace.WAITS, began)

    def all_reduce(self, parts: Sequence[Array], divisor: int, tree: bool) -> Steps[Array]:
        """The sum over all ranks of the elements of several arrays of one dtype, as one vector.

        Sums of floats are divided by ``divisor``.
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
        shared = gate.next_buffer()[:size].view(dtype)
        pack(parts, shared)
        gate.arrive(ALL_REDUCE, shared, 0)
        yield True
        self._conclude("all_reduce(sum)", shared)
        if self._group.size == 2:
            return gate.total(shared, divisor=divisor)  # type: ignore[return-value]
        # Each rank adds up its part of the elements.
        counts = list(shares(count, self._group.size))
        own, begin = counts[self._group.rank], sum(counts[: self._group.rank])
        share = gate.next_buffer()[: own * dtype.itemsize].view(dtype)
        gate.total(shared, begin, own, share, divisor)
        gate.arrive(ALL_GATHER, share, 0, 1)
        yield True
        # This is the second half of an all_reduce: errors name the whole.
        self._conclude("all_reduce(sum)", shared)
        return gate.joined(share, counts)

    def _by_mpi(self, parts: Sequence[Array], count: int, tree: bool) -> Array:
        if len(parts) == 1:
            return self._group.all_reduce(parts[0], "sum", tree).reshape(-1)
        flat = empty((count,), parts[0].dtype)
        pack(parts, flat)
        return self._group.all_reduce(flat, "sum", tree, flat)

    def all_gather(self, values: Array, indices: Array, divisor: int) -> Steps[tuple[Array, Array]]:
        """The slices of all ranks: values, of which floats are divided by ``divisor``, and indices."""
        gate = self._gate
        if gate is not None:
            row_bytes = values.itemsize * math.prod(values.shape[1:])
            slice_bytes = row_bytes + indices.itemsize
            if len(values) * slice_bytes <= gate.capacity:
                buffer = gate.next_buffer()
                divide(
                    values,
                    divisor,
                    buffer[: values.nbytes].view(values.dtype).reshape(values.shape),
                )
                buffer[values.nbytes :][: indices.nbytes].view(indices.dtype)[...] = indices
            gate.arrive(ALL_GATHER, values, indices.dtype.num, 1)
            yield True
            self._conclude("all_gather()", values)
            counts = gate.counts()
            if max(counts) * slice_bytes <= gate.capacity:
                rows = gate.joined(values, counts)
                return rows, gate.joined(indices, counts, before=row_bytes)
        yield False
        own = empty(values.shape, values.dtype)
        divide(values, divisor, own)
        began = time.perf_counter()
        gathered, _ = self._group.all_gather(indices)
        rows, _ = self._group.all_gather(own)
        self._waited(began)
        return rows, gathered


def divide(array: Array, divisor: int, out: Array) -> None:
    """Write ``array`` to ``out``, divided unless it holds integers. ``out`` may be the array itself."""
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
