"""Elements kept in memory after the first pass over a data set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import static_value
from tapegrad.data.dataset import DatasetV2, UnaryUnchangedStructureDataset
from tapegrad.data.iterators import Elements, IterationContext
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor


def cached(dataset: DatasetV2, filename: Any, name: str | None) -> DatasetV2:
    """``dataset.cache``."""
    path = filename
    if not isinstance(filename, str):
        tensor = convert_to_tensor(filename, dtypes.string)
        if tensor.ndim:
            refuse(
                f"filename must be a scalar, but it has the shape {tensor.shape}.",
                op="CacheDatasetV2",
            )
        path = os.fsdecode(static_value(tensor, "path").item())
    if not path:
        return CacheDataset(dataset, name)
    from tapegrad.data.stored import FileCacheDataset

    return FileCacheDataset(dataset, path, name)


class CacheDataset(UnaryUnchangedStructureDataset):
    """The same elements, kept in memory once a pass has read them all."""

    _is_public = True

    def __init__(self, input_dataset: DatasetV2, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        self._kept: list[Any] | None = None

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if self._kept is not None:
            return iter(self._kept)
        return Keeping(self, self._input._elements(context), context)

    def _pass_by(self, context: IterationContext) -> None:
        if self._kept is None:
            super()._pass_by(context)

    def _cardinality(self) -> int:
        return self._input._cardinality()


class Keeping(Elements):
    """A pass that keeps its elements, and gives them to the data set at its end."""

    __slots__ = ("_context", "_dataset", "_input", "_kept")

    def __init__(
        self, dataset: CacheDataset, elements: Iterator[Any], context: IterationContext
    ) -> None:
        super().__init__(elements)
        self._dataset = dataset
        self._input = elements
        self._context = context
        self._kept: list[Any] = []

    def __next__(self) -> Any:
        try:
            element = next(self._input)
        except StopIteration:
            if self._dataset._kept is None and not self._context.is_trial:
                self._dataset._kept = self._kept
            raise
        self._kept.append(element)
        return element
