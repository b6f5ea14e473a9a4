"""The specs of data sets and of iterators."""

from __future__ import annotations

from typing import Any

from tapegrad.data import structure
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TypeSpec


class DatasetSpec(TypeSpec):
    """The spec of data sets whose elements have ``element_spec``.

    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_dataset_shape", "_element_spec")

    _nest_is_spec = False  # its values have no components
    _values: Any = None  # the class of data sets, which `dataset` sets

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the elements."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """The class of data sets."""
        return self._values

    def _without_values(self, trace: Any) -> Any:
        # Loaded with the first function that is traced for data sets, not with every data set.
        from tapegrad.data.unknown import UnknownDataset

        return UnknownDataset(trace, self)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The spec of this data set."""
        return DatasetSpec(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec, self._dataset_shape)

    def _batch(self, size: int | None) -> DatasetSpec:
        return DatasetSpec(self._element_spec, TensorShape([size]).concatenate(self._dataset_shape))

    def _unbatch(self) -> DatasetSpec:
        if not self._dataset_shape.rank:
            raise ValueError(f"Unbatching a dataset is only supported for rank >= 1: {self}.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec describes the data set, or some of those of the given spec."""
        spec = getattr(spec_or_value, "_type_spec", spec_or_value)
        return isinstance(spec, DatasetSpec) and structure.compatible(
            self._element_spec, spec._element_spec
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash(DatasetSpec)

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return DatasetSpec, self._serialize()


class IteratorSpec(TypeSpec):
    """The spec of iterators over elements of ``element_spec``."""

    __slots__ = ("_element_spec",)

    _nest_is_spec = False  # as in a data set
    _values: Any = None  # the class of iterators, which `iterators` sets

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the elements."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """The class of iterators."""
        return self._values

    def _without_values(self, trace: Any) -> Any:
        from tapegrad.data.unknown import UnknownIterator

        return UnknownIterator(trace, self)

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        """The spec of this iterator."""
        return IteratorSpec(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec describes the iterator, or every one of the given spec."""
        spec = getattr(spec_or_value, "_type_spec", spec_or_value)
        return isinstance(spec, IteratorSpec) and structure.compatible(
            self._element_spec, spec._element_spec
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IteratorSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(IteratorSpec)

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"

    def __reduce__(self) -> tuple[Any, ...]:
        return IteratorSpec, (self._element_spec,)
