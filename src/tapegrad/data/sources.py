"""Data sets of what is in memory: tensors, slices of tensors, ranges, lists, generators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, static_value
from tapegrad.data import leaves, structure
from tapegrad.data.dataset import INFINITE, DatasetSource, DatasetV2, whole_number
from tapegrad.data.indexed import Indexed, RangeRows, Rows, SliceRows
from tapegrad.data.iterators import Elements, Run, close
from tapegrad.errors import InvalidArgumentError, refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec


class TensorDataset(DatasetSource):
    """One element."""

    def __init__(self, element: Any, name: str | None = None) -> None:
        super().__init__(name)
        self._element = structure.to_element(element)
        self._spec = structure.spec_of(self._element)

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, run: Run) -> Iterator[Any]:
        return iter([self._element])

    def _cardinality(self) -> int:
        return 1


class TensorSliceDataset(DatasetSource):
    """The slices of tensors along their first axis."""

    def __init__(self, element: Any, name: str | None = None) -> None:
        super().__init__(name)
        self._tensors = structure.to_element(element)
        flat = structure.flatten(self._tensors)
        if not flat:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        specs = structure.map_leaves(structure.spec_of_leaf, self._tensors)
        for leaf in flat:
            if leaf is None:
                raise TypeError("from_tensor_slices() cannot slice None.")
            if leaf.shape.rank == 0:
                raise ValueError(
                    "Unbatching a tensor is only supported for rank >= 1: "
                    "from_tensor_slices() cannot slice a scalar."
                )
        sizes = [leaf.shape[0] for leaf in flat]
        for size in sizes[1:]:
            if size != sizes[0]:
                raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")
        self._size = int(sizes[0] or 0)
        self._spec = structure.map_leaves(leaves.unbatched_spec, specs)
        self._rows = SliceRows(self._tensors, specs, self._size)

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, run: Run) -> Iterator[Any]:
        return self._rows.elements()

    def _cardinality(self) -> int:
        return self._size

    def _indexed(self, run: Run) -> Indexed | None:
        return Indexed.whole(self._rows) if self._rows.can_gather else None


class RangeDataset(DatasetSource):
    """Whole numbers from a start, in steps."""

    def __init__(self, *args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> None:
        super().__init__(name)
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` should be between 1 and 3, but got {len(args)}."
            )
        numbers = [whole_number(value, "range") for value in args]
        if len(numbers) == 1:
            numbers = [0, *numbers]
        if len(numbers) == 3 and numbers[2] == 0:
            refuse("step must be a non-zero integer.", op="RangeDataset")
        self._range = range(*numbers)
        self._dtype = dtypes.as_dtype(output_type)
        self._rows: Rows = RangeRows(self._range, self._dtype)

    @property
    def element_spec(self) -> Any:
        return TensorSpec([], self._dtype)

    def _elements(self, run: Run) -> Iterator[Any]:
        return self._rows.elements()

    def _cardinality(self) -> int:
        return len(self._range)

    def _indexed(self, run: Run) -> Indexed | None:
        return Indexed.whole(self._rows)


class ListDataset(DatasetSource):
    """The elements of a list."""

    def __init__(self, elements: Any, name: str | None = None) -> None:
        super().__init__(name)
        if not elements:
            raise ValueError("Invalid `elements`. `elements` should not be empty.")
        if not isinstance(elements, list):
            raise ValueError("Invalid `elements`. `elements` must be a list.")
        converted = [structure.to_element(element) for element in elements]
        spec = structure.spec_of(converted[0])
        for element in converted[1:]:
            structure.assert_same_structure(converted[0], element, "The elements")
            spec = leaves.covering(spec, structure.spec_of(element))
        self._list = converted
        self._spec = spec

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, run: Run) -> Iterator[Any]:
        return iter(self._list)

    def _cardinality(self) -> int:
        return len(self._list)


def counter(start: Any, step: Any, dtype: Any, name: str | None = None) -> DatasetV2:
    """The numbers from ``start`` in steps of ``step``, without end."""
    return CounterDataset(start, step, dtypes.as_dtype(dtype), name)


class CounterDataset(DatasetSource):
    """Numbers without end."""

    def __init__(self, start: Any, step: Any, dtype: dtypes.DType, name: str | None = None) -> None:
        super().__init__(name)
        self._start = convert_to_tensor(start, dtype)
        self._step = convert_to_tensor(step, dtype)
        self._dtype = dtype

    @property
    def element_spec(self) -> Any:
        return TensorSpec([], self._dtype)

    def _elements(self, run: Run) -> Iterator[Any]:
        number = self._start
        while True:
            yield number
            number = number + self._step

    def _cardinality(self) -> int:
        return INFINITE
