"""The specs of data sets and of iterators."""

from __future__ import annotations

from typing import Any

from tapegrad.data.element_spec import ElementSpec
from tapegrad.framework.shape import TensorShape


class DatasetSpec(ElementSpec):
    """The spec of data sets whose elements have ``element_spec``.

    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_dataset_shape",)

    _values: Any = None  # the class of data sets, which `dataset` sets

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the elements."""
        return self._element_spec

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The spec of this data set."""
        return DatasetSpec(value.element_spec)

    @property
    def value_type(self) -> Any:
        """The class of data sets."""
        return self._values

    def _without_values(self, trace: Any) -> Any:
        # Loaded with the first function that is traced for data sets, not with every data set.
        from tapegrad.data.unknown import UnknownDataset

        return UnknownDataset(trace, self)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec, self._dataset_shape)

    def _batch(self, size: int | None) -> DatasetSpec:
        return DatasetSpec(self._element_spec, TensorShape([size]).concatenate(self._dataset_shape))

    def _unbatch(self) -> DatasetSpec:
        if not self._dataset_shape.rank:
            raise ValueError(f"Unbatching a dataset is only supported for rank >= 1: {self}.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])


class IteratorSpec(ElementSpec):
    """The spec of iterators over elements of ``element_spec``."""

    __slots__ = ()

    _values: Any = None  # the class of iterators, which `iterators` sets

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the elements."""
        return self._element_spec

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        """The spec of this iterator."""
        return IteratorSpec(value.element_spec)

    @property
    def value_type(self) -> Any:
        """The class of iterators."""
        return self._values

    def _without_values(self, trace: Any) -> Any:
        from tapegrad.data.unknown import UnknownIterator

        return UnknownIterator(trace, self)
