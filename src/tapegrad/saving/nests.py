"""Arguments and results of saved functions: nests, and the tensors in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor
from tapegrad.framework import nest
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.saving.size_expressions import BuiltTensor, Expression

__all__ = [
    "ATTRIBUTES",
    "Leaf",
    "Part",
    "components",
    "composite",
    "fill",
    "flat_specs",
    "flatten",
    "leaves_of",
]


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


class Part:
    """A tensor of which a composite is made: its spec, and stand-ins for it that fit the other parts."""

    def __init__(self, shape: Any, dtype: Any, stand_in: Callable[[int], Any]) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtype
        self.stand_in = stand_in


def components(spec: Any) -> list[Any]:
    """What a value of a spec is made of: a spec for each tensor."""
    if isinstance(spec, TensorSpec):
        return [spec]
    rank = getattr(spec, "ragged_rank", None)
    if rank is not None:
        return _ragged_parts(spec, rank)
    if type(spec).__name__ == "SparseTensorSpec":
        return _sparse_parts(spec)
    return nest.flatten(spec._component_specs)


def _ragged_parts(spec: Any, rank: int) -> list[Any]:
    row_type = spec.row_splits_dtype.numpy_dtype
    inner = [] if spec.shape.rank is None else spec.shape.as_list()[rank + 1 :]
    rows = None if spec.shape.rank is None else spec.shape.as_list()[0]

    def counts(run: int) -> list[int]:
        """How many rows there are at each depth, and how many values."""
        row_counts = [run + 2 if rows is None else rows]
        for _ in range(rank):
            row_counts.append(2 * row_counts[-1] + run)
        return row_counts

    def values(run: int) -> Any:
        shape = (counts(run)[rank], *[2 + run if size is None else size for size in inner])
        array = np.arange(int(np.prod(shape))).reshape(shape) % 2
        if spec.dtype.numpy_dtype.hasobject:
            return np.array([b"0", b"1"], object)[array]
        return array.astype(spec.dtype.numpy_dtype)

    def splits(depth: int) -> Callable[[int], Any]:
        def stand_in(run: int) -> Any:
            outer, inner_count = counts(run)[depth], counts(run)[depth + 1]
            row_splits = np.minimum(np.arange(outer + 1) * 2, inner_count)
            row_splits[-1] = inner_count if outer else 0
            return row_splits.astype(row_type)

        return stand_in

    first = Part([None, *inner], spec.dtype, values)
    others = [
        Part([None if rows is None or depth else rows + 1], spec.row_splits_dtype, splits(depth))
        for depth in range(rank)
    ]
    return [first, *others]


def _sparse_parts(spec: Any) -> list[Any]:
    rank = spec.shape.rank or 2
    sizes = [None] * rank if spec.shape.rank is None else spec.shape.as_list()

    def shape(run: int) -> Any:
        return np.array([run + 3 if size is None else size for size in sizes], np.int64)

    def indices(run: int) -> Any:
        count = min(run + 2, *[int(size) for size in shape(run)]) if rank else 0
        return np.repeat(np.arange(count, dtype=np.int64)[:, None], rank, axis=1)

    def values(run: int) -> Any:
        count = len(indices(run))
        if spec.dtype.numpy_dtype.hasobject:
            return np.full(count, b"1", object)
        return np.ones(count, spec.dtype.numpy_dtype)

    return [
        Part([None, rank], dtypes.int64, indices),
        Part([None], spec.dtype, values),
        Part([rank], dtypes.int64, shape),
    ]


def composite(spec: Any, tensors: list[Any]) -> Any:
    """The value of a spec that is made of these tensors."""
    if isinstance(spec, TensorSpec):
        return tensors[0]
    if getattr(spec, "ragged_rank", None) is not None:
        from tapegrad.ragged.ragged_tensor import RaggedTensor

        return RaggedTensor.from_nested_row_splits(tensors[0], tensors[1:], validate=False)
    if type(spec).__name__ == "SparseTensorSpec":
        from tapegrad.ops.sparse.sparse_tensor import SparseTensor

        return SparseTensor(*tensors)
    return spec._from_components(nest.pack_sequence_as(spec._component_specs, tensors))


def flat_specs(arguments: Any) -> list[Any]:
    """A spec for each tensor in a nest of specs."""
    return [
        part
        for leaf in nest.flatten(arguments)
        if isinstance(leaf, TypeSpec)
        for part in components(leaf)
    ]


def fill(arguments: Any, tensors: list[Any]) -> Any:
    """The nest of specs with values made of these tensors."""
    remaining: Iterator[Any] = iter(tensors)

    def value(leaf: Any) -> Any:
        if not isinstance(leaf, TypeSpec):
            return leaf
        return composite(leaf, [next(remaining) for _ in components(leaf)])

    return nest.map_structure(value, arguments)


def flatten(value: Any) -> list[Any]:
    """The tensors of a nest; those that composites are made of, too."""
    return [
        leaf for leaf in nest.flatten(value, expand_composites=True) if isinstance(leaf, Tensor)
    ]


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
    place = 0

    def leaf_of(part: Any) -> Any:
        nonlocal place
        if isinstance(part, EagerTensor):
            place += 1
            return Leaf(place - 1, TensorSpec(shapes[place - 1], part.dtype))
        if part is None:
            return None
        if hasattr(type(part), "_nest_components"):
            first = place
            place += len(flatten(part))
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
