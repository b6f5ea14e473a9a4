"""Data sets with random access: elements have numbers, a batch is one gather, a shuffle mixes numbers.

`RandomAccess` gives elements by number: slices of tensors, or a range. `Indexed` is a pass over them: the
source, and numbers in the order of the pass. Taking, skipping, sharding, repeating, shuffling and prefetching
change the numbers only; batching gathers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor
from tapegrad.data import leaves, structure
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import unstack

Numbers = np.ndarray[Any, np.dtype[np.int64]]

# So many numbers are made at once.
CHUNK = 1 << 16
# So many elements are made at once where they are read one by one.
_AT_ONCE = 64


class RandomAccess:
    """Elements that can be read by number.

    Attributes:
        size: how many there are.
        can_gather: whether `gather` makes batches.
    """

    size: int
    can_gather = True

    def element(self, number: int) -> Any:
        """The element with this number."""
        raise NotImplementedError

    def gather(self, numbers: Numbers) -> Any:
        """The elements with these numbers as one batch."""
        raise NotImplementedError

    def elements(self) -> Iterator[Any]:
        """All elements, in order."""
        return map(self.element, range(self.size))


class SliceAccess(RandomAccess):
    """The slices along the first axis of a nest of tensors.

    Args:
        tensors: a nest of tensors, all with the same number of slices.
        size: that number.
    """

    def __init__(self, tensors: Any, size: int) -> None:
        self.size = size
        self._tensors = tensors
        self._flat = structure.flatten(tensors)
        self.can_gather = all(isinstance(leaf, EagerTensor) for leaf in self._flat)
        # A tuple of tensors, the most frequent nest, needs no packing.
        self._is_plain = type(tensors) is tuple and not any(map(structure.is_nested, tensors))

    def element(self, number: int) -> Any:
        if type(self._tensors) is EagerTensor:
            return self._tensors[number]
        row = [tensor[number] for tensor in self._flat]
        return tuple(row) if self._is_plain else structure.pack(self._tensors, row)

    def gather(self, numbers: Numbers) -> Any:
        first, count = int(numbers[0]), len(numbers)
        if numbers[-1] - first == count - 1 and bool((np.diff(numbers) == 1).all()):
            return structure.map_leaves(lambda tensor: tensor[first : first + count], self._tensors)
        at = convert_to_tensor(numbers)
        return structure.map_leaves(lambda tensor: gather(tensor, at), self._tensors)

    def elements(self) -> Iterator[Any]:
        if self.can_gather:
            columns: list[Any] = [
                chain.from_iterable(map(unstack, self._parts(tensor))) for tensor in self._flat
            ]
            if type(self._tensors) is EagerTensor:
                return iter(columns[0])
        else:
            columns = [
                repeat(None) if leaf is None else leaves.rows_of(leaf) for leaf in self._flat
            ]
        rows = zip(*columns, strict=False)
        if self._is_plain:
            return rows
        return (structure.pack(self._tensors, row) for row in rows)

    def _parts(self, tensor: EagerTensor) -> Iterator[Any]:
        """Slices of a tensor, of a few rows each."""
        for first in range(0, self.size, _AT_ONCE):
            yield tensor[first : first + _AT_ONCE]


def length_of(numbers: range) -> int:
    """``len(numbers)``, also where that is more than Python's `len` gives."""
    return max(-(-(numbers.stop - numbers.start) // numbers.step), 0)


class RangeAccess(RandomAccess):
    """The numbers of a range as tensors."""

    def __init__(self, numbers: range, dtype: dtypes.DType) -> None:
        self.size = length_of(numbers)
        self._range = numbers
        self._dtype = dtype

    def element(self, number: int) -> Any:
        return convert_to_tensor(self._range[number], self._dtype)

    def gather(self, numbers: Numbers) -> Any:
        chosen = numbers * self._range.step + self._range.start
        return cast(convert_to_tensor(chosen), self._dtype)

    def elements(self) -> Iterator[Any]:
        for first in range(0, self.size, _AT_ONCE):
            numbers = np.arange(first, min(first + _AT_ONCE, self.size), dtype=np.int64)
            yield from unstack(self.gather(numbers))


class ZippedAccess(RandomAccess):
    """The elements with the same number of several sources, as one element.

    Args:
        nest: a nest of `RandomAccess`.
    """

    def __init__(self, nest: Any, parts: list[RandomAccess]) -> None:
        self.size = min(part.size for part in parts)
        self._nest = nest
        self._parts = parts

    def element(self, number: int) -> Any:
        return structure.pack(self._nest, [part.element(number) for part in self._parts])

    def gather(self, numbers: Numbers) -> Any:
        return structure.pack(self._nest, [part.gather(numbers) for part in self._parts])

    def elements(self) -> Iterator[Any]:
        parts = [part.elements() for part in self._parts]
        return (structure.pack(self._nest, row) for row in zip(*parts, strict=False))


class Indexed(NamedTuple):
    """A pass over a source: the numbers of elements in the order of the pass, in chunks.

    Attributes:
        source: the elements that the numbers choose from.
        chunks: arrays of int64, none of them empty.
        in_order: whether the numbers are those from 0 to ``source.size``.
    """

    source: RandomAccess
    chunks: Iterator[Numbers]
    in_order: bool = False

    @classmethod
    def whole(cls, source: RandomAccess) -> Indexed:
        """A pass over all elements in order."""
        return cls(source, stretches(source.size), True)

    def elements(self) -> Iterator[Any]:
        """The elements, one by one."""
        if self.in_order:
            return self.source.elements()
        element = self.source.element
        return (element(number) for chunk in self.chunks for number in chunk.tolist())

    def blocks(self, size: int) -> Iterator[Numbers]:
        """The numbers in blocks of ``size``; the last block may be smaller."""
        kept: list[Numbers] = []
        held = 0
        for chunk in self.chunks:
            at = 0
            while held + len(chunk) - at >= size:
                until = at + size - held
                part = chunk[at:until]
                yield np.concatenate([*kept, part]) if kept else part
                kept, held, at = [], 0, until
            if at < len(chunk):
                kept.append(chunk[at:])
                held += len(chunk) - at
        if kept:
            yield np.concatenate(kept)


def stretches(stop: int) -> Iterator[Numbers]:
    """The numbers from 0 to ``stop`` in chunks."""
    for first in range(0, stop, CHUNK):
        yield np.arange(first, min(first + CHUNK, stop), dtype=np.int64)


def part_of(
    chunks: Iterator[Numbers], start: int, stop: int | None, step: int = 1
) -> Iterator[Numbers]:
    """As ``numbers[start:stop:step]``, of numbers in chunks."""
    passed = 0
    if stop == 0:
        return
    for chunk in chunks:
        first = start - passed if passed < start else (start - passed) % step
        part = chunk[first : None if stop is None else stop - passed : step]
        passed += len(chunk)
        if len(part):
            yield part
        # Here, and not at the next chunk: to make that one may draw the seeds of another pass.
        if stop is not None and passed >= stop:
            return
