"""Data sets, iterators and optionals that have specs and no elements: for calls without values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes
from tapegrad.data import structure
from tapegrad.data.optional import OptionalImpl
from tapegrad.symbolic.specs import arguments
from tapegrad.symbolic.tensors import NeedsMethod

if TYPE_CHECKING:
    from tapegrad.data.specs import DatasetSpec, IteratorSpec
    from tapegrad.symbolic.tracing import Trace


class UnknownDataset:
    """A data set that has only the spec of its elements. A loop over it runs once."""

    _kind = "A data set"

    def __init__(self, trace: Trace, spec: DatasetSpec | IteratorSpec) -> None:
        self._trace = trace
        self._type_spec = spec
        self.element_spec = spec.element_spec

    def __iter__(self) -> Iterator[Any]:
        yield arguments(self._trace, self.element_spec)

    def __getattr__(self, name: str) -> Any:
        raise NeedsMethod(f"{self._kind} that is not there yet is asked for {name}.")


class UnknownIterator(UnknownDataset):
    """An iterator that has only the spec of its elements. It always has one more element."""

    _kind = "An iterator"

    def __next__(self) -> Any:
        return self.get_next()

    def next(self) -> Any:
        """The next element, without values."""
        return self.get_next()

    def get_next(self) -> Any:
        """The next element, without values."""
        return arguments(self._trace, self.element_spec)

    def get_next_as_optional(self) -> Any:
        """The next element, which may exist or not."""
        return UnknownOptional(self._trace, self.get_next())


class UnknownOptional(OptionalImpl):
    """An optional that has only the spec of its element."""

    __slots__ = ("_trace",)

    def __init__(self, trace: Trace, element: Any) -> None:
        super().__init__(element, structure.spec_of(element))
        self._trace = trace

    def has_value(self, name: str | None = None) -> Any:
        """A scalar without a value."""
        return self._trace.unknown([], dtypes.bool, "OptionalHasValue", "OptionalHasValue")
