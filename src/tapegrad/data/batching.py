"""Batches, and the rows of batches again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad.core import EagerTensor
from tapegrad.data import leaves, structure
from tapegrad.data.dataset import INFINITE, UNKNOWN, DatasetV2, UnaryDataset, positive
from tapegrad.data.indexed import Indexed
from tapegrad.data.iterators import Elements, Run
from tapegrad.data.transforms import MapDataset


def batched(
    dataset: DatasetV2,
    batch_size: Any,
    drop_remainder: Any,
    num_parallel_calls: Any,
    deterministic: bool | None,
    name: str | None,
) -> DatasetV2:
    """``dataset.batch``."""
    if num_parallel_calls is None:
        return BatchDataset(dataset, batch_size, drop_remainder, name)
    return ParallelBatchDataset(dataset, batch_size, drop_remainder, name)


class BatchDataset(UnaryDataset):
    """Batches of so many elements."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        batch_size: Any,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name)
        self._batch_size = positive(batch_size, "Batch size", "BatchDatasetV2")
        self._drops = bool(drop_remainder)

    @property
    def element_spec(self) -> Any:
        size = self._batch_size if self._drops else None
        return structure.map_leaves(
            lambda spec: leaves.batched_spec(spec, size), self._input.element_spec
        )

    def _elements(self, run: Run) -> Iterator[Any]:
        indexed = self._input._indexed(run) if run.by_index else None
        if indexed is not None:
            return GatheredBatches(indexed, self._batch_size, self._drops)
        # TensorFlow makes one step of a map and a batch, so that an error spoils the whole batch.
        spoils = isinstance(self._input, MapDataset)
        return Batches(
            self._input._elements(run), self._batch_size, self._drops, spoils, self._stack
        )

    def _stack(self, elements: list[Any]) -> Any:
        return stack_elements(elements)

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if number in (INFINITE, UNKNOWN):
            return number
        return number // self._batch_size if self._drops else -(-number // self._batch_size)


class ParallelBatchDataset(BatchDataset):
    """What ``batch`` with ``num_parallel_calls`` returns. One thread makes the batches."""


def stack_elements(elements: list[Any]) -> Any:
    """Elements as one batch."""
    first = elements[0]
    if type(first) is EagerTensor:
        return leaves.stack_tensors(elements, 0)
    columns = zip(*map(structure.flatten, elements), strict=True)
    stacked = [leaves.stacked(column, component) for component, column in enumerate(columns)]
    return structure.pack(first, stacked)


class GatheredBatches(Elements):
    """Batches that gathers make."""

    __slots__ = ("_blocks", "_rows", "_smallest")

    def __init__(self, indexed: Indexed, size: int, drops: bool) -> None:
        super().__init__()
        self._rows = indexed.rows
        self._blocks = indexed.blocks(size)
        self._smallest = size if drops else 1

    def __next__(self) -> Any:
        numbers = next(self._blocks)
        if len(numbers) < self._smallest:
            raise StopIteration
        return self._rows.gather(numbers)


class Batches(Elements):
    """Batches of the elements of a pass.

    Args:
        elements: the pass.
        size: the number of elements in a batch.
        drops: whether a smaller last batch is left out.
        spoils: whether an error takes the other elements of its batch along.
        stack: makes a batch of a list of elements.
    """

    __slots__ = ("_drops", "_input", "_size", "_spoils", "_stack")

    def __init__(
        self,
        elements: Iterator[Any],
        size: int,
        drops: bool,
        spoils: bool,
        stack: Callable[[list[Any]], Any],
    ) -> None:
        super().__init__(elements)
        self._input = elements
        self._size = size
        self._drops = drops
        self._spoils = spoils
        self._stack = stack

    def __next__(self) -> Any:
        elements: list[Any] = []
        following, size = self._input, self._size
        try:
            while len(elements) < size:
                elements.append(next(following))
        except StopIteration:
            if not elements or self._drops:
                raise StopIteration from None
        except Exception:
            if self._spoils:
                self._skip(size - len(elements) - 1)
            raise
        return self._stack(elements)

    def _skip(self, count: int) -> None:
        """Read and drop the next elements and errors."""
        while count > 0:
            try:
                next(self._input)
            except StopIteration:
                return
            except Exception:  # the batch has failed already, with its first error
                pass
            count -= 1
