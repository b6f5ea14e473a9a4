"""The tensors of which the arguments and results of a function are made, composites included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.framework import nest
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec


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
