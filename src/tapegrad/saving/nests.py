"""Attributes of steps, and results of saved functions, as nests. Their tensors: `functions.components`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapegrad.core import EagerTensor
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec
from tapegrad.functions.components import components, flatten
from tapegrad.saving.open_sizes import BuiltTensor, Expression


def _look_at(type_: type) -> int:
    """What is read from an expression is one value."""
    if issubclass(type_, (Expression, BuiltTensor)):
        return nest.LEAF
    return nest.SLICE if type_ is slice else nest.container_kind(type_)


# Attributes of steps, and results: these in the order of sorted keys, as `flatten` has them.
ATTRIBUTES = nest.Walker(_look_at)
_RESULTS = nest.Walker(
    lambda type_: nest.MAPPING if issubclass(type_, Mapping) else nest.container_kind(type_)
)


class Leaf:
    """Stands in a nest for the tensor with this number, or for a composite that begins with it."""

    def __init__(self, number: int, spec: Any) -> None:
        self.number = number
        self.spec = spec

    @property
    def count(self) -> int:
        """How many tensors it is made of."""
        return len(components(self.spec))


def leaves_of(value: Any, shapes: list[Any]) -> Any:
    """The nest of results ``value`` with a `Leaf` for each tensor or composite.

    Args:
        value: what a function gave.
        shapes: the shape of each tensor in it, as far as it is the same for all sizes.
    """
    index = 0

    def leaf_of(part: Any) -> Any:
        nonlocal index
        if isinstance(part, EagerTensor):
            index += 1
            return Leaf(index - 1, TensorSpec(shapes[index - 1], part.dtype))
        if part is None:
            return None
        if hasattr(type(part), "_nest_components"):
            first = index
            index += len(flatten(part))
            spec: Any = part._type_spec
            if hasattr(spec, "ragged_rank"):
                inner = shapes[first].as_list()[1:] if shapes[first].rank is not None else []
                outer = shapes[first + 1].as_list() if spec.ragged_rank else shapes[first].as_list()
                rows = None if outer[0] is None else outer[0] - (1 if spec.ragged_rank else 0)
                spec = type(spec)(
                    [rows, *[None] * spec.ragged_rank, *inner],
                    spec.dtype, spec.ragged_rank, spec.row_splits_dtype,
                )  # fmt: skip
            elif type(spec).__name__ == "SparseTensorSpec":
                spec = type(spec)([None] * spec.shape.rank, spec.dtype)
            return Leaf(first, spec)
        raise TypeError(f"it returns a {type(part).__name__}")

    return _RESULTS.map(leaf_of, value)


def parameter_name(key: str) -> str:
    """TensorFlow's name of the parameter for an input ``key`` of a signature, which Python need not allow."""
    name = "".join([letter if letter.isalnum() else "_" for letter in key])
    return name if name[:1].isalpha() else f"arg_{name}"
