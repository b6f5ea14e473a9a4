"""Random order and random numbers: the same seeds give what TensorFlow's data sets give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.data.arguments import check_seed, truth, whole_number
from tapegrad.data.dataset import (
    INFINITE,
    UNKNOWN,
    DatasetSource,
    DatasetV2,
    UnaryUnchangedStructureDataset,
)
from tapegrad.data.indexed import CHUNK, Indexed, Numbers
from tapegrad.data.iterators import Elements, IterationContext, close
from tapegrad.engines.numpy.random import bits32
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.spec import TensorSpec

Seeds = tuple[int, int]

# Four words come from each counter.
_WORDS_PER_COUNTER = 4


class Words:
    """The words of a Philox stream, one by one. The iteration never ends."""

    __slots__ = ("_counter", "_iterator", "_key")

    def __init__(self, seeds: Seeds) -> None:
        self._key, self._counter = seeds[0], seeds[1] << 64
        self._iterator: Iterator[int] = self._all()

    def _all(self) -> Iterator[int]:
        count = 64
        while True:
            yield from bits32(self._key, self._counter, count).tolist()
            self._counter += count // _WORDS_PER_COUNTER
            count = min(2 * count, CHUNK)

    def __iter__(self) -> Iterator[int]:
        return self._iterator

    def __next__(self) -> int:
        return next(self._iterator)


def seeds_of(seed: Any) -> Seeds | None:
    """The seeds of a data set with this ``seed`` argument; None for new ones each time."""
    check_seed(seed, "Dataset")
    first, second = random_state.get_seed(
        seed if seed is None or type(seed) is int else whole_number(seed, "seed")
    )
    return None if first is None or second is None else (first, second)


def chosen_by_nobody() -> Seeds:
    """Seeds from the system's entropy."""
    first, second = random_state.non_deterministic_integers(2)
    return first & 0xFFFFFFFFFFFFFFFF, second & 0xFFFFFFFFFFFFFFFF


class SeedGenerator:
    """The seeds of each pass over a data set: the same for all passes, or new ones for each.

    Args:
        seeds: the seeds of the data set, or None.
        anew: whether each pass gets new seeds.
        count: how many passes have drawn their seeds.
    """

    def __init__(self, seeds: Seeds | None, anew: bool, count: int = 0) -> None:
        self._asked_for = seeds
        self._seeds = chosen_by_nobody() if seeds is None else seeds
        self._anew = anew
        self.set_count(count)

    def set_count(self, count: int) -> None:
        """Go to where ``count`` passes have drawn their seeds."""
        self.count = count
        self._words = Words(self._seeds)
        for _ in range(2 * count if self._anew else 0):
            next(self._words)

    def described(self) -> tuple[Seeds | None, bool]:
        """The requested seeds, and whether each pass gets new ones: for fingerprints."""
        return self._asked_for, self._anew

    def next(self, context: IterationContext) -> Seeds:
        """The seeds of the pass ``context``."""
        if not self._anew or context.is_trial:
            return self._seeds
        self.count += 1
        return next(self._words), next(self._words)

    def __reduce__(self) -> Any:
        return SeedGenerator, (self._seeds, self._anew, self.count)


class ShuffleDataset(UnaryUnchangedStructureDataset):
    """Each element is drawn from a buffer of the next ones."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name)
        self._buffer_size = whole_number(buffer_size, "buffer_size")
        if self._buffer_size < 1 and self._buffer_size != UNKNOWN:
            refuse(
                "buffer_size must be greater than zero or UNKNOWN_CARDINALITY, "
                f"but it is {self._buffer_size}.",
                op="ShuffleDatasetV3",
            )
        anew = reshuffle_each_iteration is None or truth(
            reshuffle_each_iteration, "reshuffle_each_iteration", "Dataset.shuffle()"
        )
        self._generator = SeedGenerator(seeds_of(seed), anew)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        indexed = self._indexed(context) if context.by_index else None
        if indexed is not None:
            return indexed.elements()
        words = Words(self._generator.next(context))
        return Shuffled(lambda: self._input._elements(context), self._buffer_size, words)

    def _pass_by(self, context: IterationContext) -> None:
        self._generator.next(context)  # a pass over the input begins with the first element

    def _joins_repeat(self) -> bool:
        return True

    def _cardinality(self) -> int:
        return self._input._cardinality()

    def _indexed(self, context: IterationContext) -> Indexed | None:
        indexed = self._input._indexed(context)
        if indexed is None:
            return None
        words = Words(self._generator.next(context))
        return Indexed(indexed.source, shuffled_numbers(indexed.chunks, self._buffer_size, words))


class Shuffled(Elements):
    """A pass that draws from a buffer, which is a ring.

    What is drawn gives its place to the oldest element, whose own place the next element takes.

    Args:
        begin: begins the pass over the input, when the first element is wanted.
    """

    __slots__ = ("_begin", "_buffer", "_held", "_input", "_more", "_size", "_start", "_words")

    def __init__(self, begin: Callable[[], Iterator[Any]], size: int, words: Words) -> None:
        super().__init__()
        self._begin = begin
        self._input: Iterator[Any] | None = None
        self._words = words
        self._size = size
        self._buffer: list[Any] = []
        self._start = self._held = 0
        self._more = True

    def __next__(self) -> Any:
        buffer, size = self._buffer, self._size
        if self._input is None:
            self._input = self._begin()
        while self._more and (self._held < size or size == UNKNOWN):
            try:
                element = next(self._input)
            except StopIteration:
                self._more = False
                break
            if len(buffer) < size or size == UNKNOWN:
                buffer.append(element)
            else:
                buffer[(self._start + self._held) % size] = element
            self._held += 1
        if not self._held:
            raise StopIteration
        start, ring = self._start, len(buffer)
        drawn = (start + next(self._words) % self._held) % ring
        element, buffer[drawn], buffer[start] = buffer[drawn], buffer[start], None
        self._start = (start + 1) % ring
        self._held -= 1
        return element

    def close(self) -> None:
        self._buffer, self._held, self._more = [], 0, False
        close(self._input)
        self._input = iter(())


def shuffled_numbers(chunks: Iterator[Numbers], size: int, words: Words) -> Iterator[Numbers]:
    """What `Shuffled` makes of numbers, in chunks."""
    coming = (number for chunk in chunks for number in chunk.tolist())
    buffer = list(coming if size == UNKNOWN else islice(coming, size))
    held, start = len(buffer), 0
    if not held:
        return
    out: list[int] = []
    put = out.append
    if held == size:
        # The buffer is full as long as there are numbers. zip() reads a number first, so that no word is
        # lost when there is none.
        for number, word in zip(coming, words, strict=False):
            drawn = (start + word % size) % size
            put(buffer[drawn])
            buffer[drawn] = buffer[start]
            buffer[start] = number
            start = start + 1 if start + 1 < size else 0
            if len(out) == CHUNK:
                yield np.array(out, np.int64)
                out.clear()
    # The rest, oldest first, so that places need no remainder.
    buffer = buffer[start:] + buffer[:start]
    for start, word in zip(range(held), words, strict=False):
        drawn = start + word % (held - start)
        put(buffer[drawn])
        buffer[drawn] = buffer[start]
        if len(out) == CHUNK:
            yield np.array(out, np.int64)
            out.clear()
    if out:
        yield np.array(out, np.int64)


class RandomDataset(DatasetSource):
    """Random whole numbers without end."""

    def __init__(
        self,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        seeds = seeds_of(seed)
        anew = bool(rerandomize_each_iteration) and truth(
            rerandomize_each_iteration, "rerandomize_each_iteration", "RandomDataset"
        )
        self._generator = SeedGenerator(seeds, anew)

    @property
    def element_spec(self) -> Any:
        return TensorSpec([], dtypes.int64)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        words = Words(self._generator.next(context))
        return (convert_to_tensor(word, dtypes.int64) for word in words)

    def _pass_by(self, context: IterationContext) -> None:
        self._generator.next(context)

    def _cardinality(self) -> int:
        return INFINITE
