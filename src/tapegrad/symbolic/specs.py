"""What a function gives for specs: `outputs_of`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import VariableBase
from tapegrad.framework.nest import CONTAINERS, map_structure
from tapegrad.framework.spec import TensorSpec, TypeSpec, type_spec_from_value
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec
from tapegrad.symbolic.graphs import FuncGraph, unknown_sparse
from tapegrad.symbolic.nests import NESTS
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import Trace


def outputs_of(function: Callable[..., Any], specs: Any) -> Any:
    """The specs of what ``function(*specs)`` gives, worked out without values and without effects.

    >>> outputs_of(lambda x: [tf.transpose(x)], [tf.TensorSpec([None, 3])])
    [TensorSpec(shape=(3, None), dtype=tf.float32, name=None)]

    Args:
        function: called once, or a few times, on tensors without values.
        specs: a list or tuple with the spec of each argument, or a nest of specs.

    Raises:
        NeedsValues: the function asks for values. What it gives is known only when it runs.
    """
    trace = FuncGraph(getattr(function, "__name__", "function"))
    with trace.as_default():
        return specs_of(function(*arguments(trace, list(specs))))


def arguments(trace: Trace, specs: Any) -> Any:
    """The nest ``specs`` with a tensor, or what is made of tensors, for each spec."""
    return NESTS.map(lambda leaf: argument(trace, leaf), specs)


def argument(trace: Trace, spec: Any, name: str | None = None) -> Any:
    """A tensor without values, or what is made of such tensors, for a spec; what is no spec stays."""
    if isinstance(spec, TensorSpec):
        return trace.unknown(spec.shape, spec.dtype, name or spec.name or "Placeholder")
    if isinstance(spec, SparseTensorSpec):
        return unknown_sparse(trace, spec.shape, spec.dtype)
    if hasattr(spec, "ragged_rank"):
        return unknown_ragged(trace, spec)
    if isinstance(spec, TypeSpec):
        made = spec._without_values(trace)
        return unknown_composite(trace, spec) if made is None else made
    return spec


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
    return CONTAINERS.map(_spec_of, value)


def _spec_of(leaf: Any) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, (SymbolicTensor, VariableBase)):
        known: Any = leaf
        return TensorSpec(known.shape, known.dtype)
    return leaf._type_spec if hasattr(leaf, "_type_spec") else type_spec_from_value(leaf)
