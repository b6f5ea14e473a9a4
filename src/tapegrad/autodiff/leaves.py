"""The tensors and variables in what users pass as targets and sources, and in what records save."""

from __future__ import annotations

from typing import Any

from tapegrad import core
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.framework import nest
from tapegrad.framework.handle import Handle


def as_source(value: Any) -> Any:
    """``value`` if it is a tensor or a variable; the variable of an object that acts as one; or None."""
    if isinstance(value, (EagerTensor, VariableBase)):
        return value
    if getattr(value, "_should_act_as_resource_variable", False):
        value = value.handle
    if isinstance(value, Handle):
        return value.variable
    return None


def flat_values_of(value: Any) -> Any:
    """The values of a ragged tensor, through which gradients flow to it; ``value`` itself if it is none."""
    if isinstance(value, (EagerTensor, VariableBase)):
        return value
    return value.flat_values if hasattr(type(value), "with_flat_values") else value


def tensors_of(nested: Any) -> list[Any]:
    """The tensors in a nest, also those in composites. Of a ragged tensor the values alone."""
    return [
        tensor
        for leaf in nest.flatten(nested)
        for tensor in nest.flatten(flat_values_of(leaf), expand_composites=True)
    ]


def tensor_or_none(value: Any) -> EagerTensor | None:
    """The tensor of a target; None of what is none, or has no value."""
    leaf = as_source(value)
    return leaf._snapshot if isinstance(leaf, VariableBase) else leaf


def flat_or_whole(nested: Any, flatten: Any) -> list[Any]:
    """The leaves of a nest; what is no nest, and cannot be flattened, is one leaf."""
    if hasattr(type(nested), "trainable_variables"):
        return [nested]
    try:
        return list(flatten(nested))
    except (TypeError, ValueError, AttributeError):
        return [nested]


def array_of(tensor: EagerTensor) -> Any:
    """The array of NumPy that a tensor holds; None for one without values of its own, as in a batch.

    No tape notes that it was read.
    """
    with core.apart():
        try:
            return core.static_value(tensor, "memory")
        except (core.NeedsItems, core.NeedsValues, core.Splits, TypeError):
            return None


def tensors_in(value: Any) -> list[EagerTensor]:
    """The tensors in a value that a record saved."""
    if isinstance(value, EagerTensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in tensors_in(part)]
    return []
