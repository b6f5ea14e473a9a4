"""What a function gives for specs: `outputs_of`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import VariableBase
from tapegrad.data import structure as structure_of_data
from tapegrad.data.optional import OptionalImpl
from tapegrad.data.specs import DatasetSpec, IteratorSpec
from tapegrad.data.structure import NoneTensorSpec
from tapegrad.framework.nest import map_structure
from tapegrad.framework.spec import TensorSpec, TypeSpec, type_spec_from_value
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec
from tapegrad.symbolic.graphs import FuncGraph, unknown_sparse
from tapegrad.symbolic.tensors import NeedsMethod, SymbolicTensor
from tapegrad.symbolic.tracing import Trace, rebuild, structure


def outputs_of(function: Callable[..., Any], specs: Any, kwargs: Any = None) -> Any:
    """The specs of what ``function(*specs)`` gives, worked out without values and without effects.

    >>> outputs_of(lambda x: [tf.transpose(x)], [tf.TensorSpec([None, 3])])
    [TensorSpec(shape=(3, None), dtype=tf.float32, name=None)]

    Args:
        function: called once, or a few times, on tensors without values.
        specs: a list or tuple with the spec of each argument, or a nest of specs.
        kwargs: the same for arguments by keyword.

    Raises:
        NeedsValues: the function asks for values. What it gives is known only when it runs.
    """
    trace = FuncGraph(getattr(function, "__name__", "function"))
    with trace.as_default():
        args, named = arguments(trace, (list(specs), dict(kwargs or {})))
        return specs_of(function(*args, **named))


def arguments(trace: Trace, specs: Any) -> Any:
    """The nest ``specs`` with a tensor, or what is made of tensors, for each spec."""
    leaves: list[Any] = []
    structure(specs, leaves)
    return rebuild(specs, iter([argument(trace, leaf) for leaf in leaves]))


def argument(trace: Trace, spec: Any, name: str | None = None) -> Any:
    """A tensor without values, or what is made of such tensors, for a spec; what is no spec stays."""
    if isinstance(spec, TensorSpec):
        return trace.unknown(spec.shape, spec.dtype, name or spec.name or "Placeholder")
    if isinstance(spec, SparseTensorSpec):
        return unknown_sparse(trace, spec.shape, spec.dtype)
    if hasattr(spec, "ragged_rank"):
        return unknown_ragged(trace, spec)
    if isinstance(spec, DatasetSpec):
        return UnknownDataset(trace, spec)
    if isinstance(spec, IteratorSpec):
        return UnknownIterator(trace, spec)
    if isinstance(spec, TypeSpec) and not isinstance(spec, NoneTensorSpec):
        return unknown_composite(trace, spec)
    return spec


class UnknownDataset:
    """A data set of which no more is known than the spec of its elements. A loop over it runs once."""

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
    """An iterator of which no more is known than the spec of its elements. It always has one more."""

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
        """The next element, of which nobody knows whether it is there."""
        return UnknownOptional(self._trace, self.get_next())


class UnknownOptional(OptionalImpl):
    """An optional of which no more is known than the spec of its element."""

    __slots__ = ("_trace",)

    def __init__(self, trace: Trace, element: Any) -> None:
        super().__init__(element, structure_of_data.spec_of(element))
        self._trace = trace

    def has_value(self, name: str | None = None) -> Any:
        """A scalar without a value."""
        return self._trace.unknown([], dtypes.bool, "OptionalHasValue", "OptionalHasValue")


def unknown_composite(trace: Trace, spec: Any) -> Any:
    """A composite of another library, or of a program, made of tensors without values."""
    try:
        specs = spec._component_specs
    except NotImplementedError:
        return spec
    components = map_structure(lambda part: argument(trace, part), specs)
    return spec._from_components(components)


def unknown_ragged(trace: Trace, spec: Any) -> Any:
    """A ragged tensor of which no more is known than its spec."""
    dense = trace.unknown(spec.shape, spec.dtype, "Placeholder")
    if not spec.ragged_rank:
        return dense

    def ragged(dense: Any) -> Any:
        return spec.value_type.from_tensor(
            dense, ragged_rank=spec.ragged_rank, row_splits_dtype=spec.row_splits_dtype
        )

    return trace.call(ragged, (dense,), {})


def specs_of(value: Any) -> Any:
    """The nest ``value`` with the spec of each tensor in it."""
    if isinstance(value, (SymbolicTensor, VariableBase)):
        known: Any = value
        return TensorSpec(known.shape, known.dtype)
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if isinstance(value, dict):
        return {key: specs_of(part) for key, part in value.items()}
    if isinstance(value, tuple):
        parts = [specs_of(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if value is None:
        return None
    if isinstance(value, list):
        return [specs_of(part) for part in value]
    return type_spec_from_value(value)
