"""What each kind of leaf can do: be stacked into batches, sliced out of them, and described by specs.

This is the one place in `tf.data` that knows the kinds of leaves. A spec class of another kind takes part by
having these methods:

- ``_data_batched(size)``: the spec of ``size`` such values in a batch, where None is any number;
- ``_data_unbatched()``: the spec of one of them;
- ``_data_stack(values)``: the values in one batch;
- ``_data_rows(value)``: the values of which a batch is made, as a sequence or iterator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tapegrad.core import EagerTensor
from tapegrad.data.structure import Leaf, NoneTensorSpec
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.shape.array import stack
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of ``size`` values of ``spec`` in a batch."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    return _of(spec, "_data_batched")(size)


def unbatched_spec(spec: Any) -> Any:
    """The spec of one value in a batch of ``spec``."""
    if isinstance(spec, (TensorSpec, SparseTensorSpec)):
        shape = spec.shape
        if shape.rank == 0:
            raise ValueError(f"A batch has at least one axis, but the spec is {spec}.")
        return type(spec)(shape[1:] if shape.rank else TensorShape(None), spec.dtype)
    return _of(spec, "_data_unbatched")()


def stacked(spec: Any, values: Sequence[Leaf]) -> Leaf:
    """One batch of ``values``, each of them described by ``spec``."""
    if isinstance(values[0], EagerTensor):
        return stack_tensors(values)
    if isinstance(spec, SparseTensorSpec):
        return stack_sparse(values)
    return _of(spec, "_data_stack")(values)


def stack_tensors(values: Sequence[EagerTensor]) -> EagerTensor:
    """Tensors of one shape as rows of one tensor.

    Raises:
        InvalidArgumentError: Their shapes or dtypes differ.
    """
    first = values[0]
    shape, dtype = first._shape_tuple(), first.dtype
    for index, value in enumerate(values):
        if value._shape_tuple() != shape:
            refuse(
                "Cannot batch tensors with different shapes in component 0. First element had "
                f"shape {list(shape)} and element {index} had shape {list(value._shape_tuple())}."
                " `padded_batch` pads them to one shape, and `ragged_batch` keeps their shapes."
            )
        if value.dtype is not dtype:
            refuse(
                f"Cannot batch tensors of different dtypes: the first element has {dtype.name}, "
                f"element {index} has {value.dtype.name}."
            )
    stacked_tensor: EagerTensor = stack(values)
    return stacked_tensor


def stack_sparse(values: Sequence[Any]) -> Any:
    """Sparse tensors of one rank as one, with an axis in front. The largest size along each axis counts."""
    from tapegrad.ops.sparse.functions import sparse_concat, sparse_reshape

    rows = [
        sparse_reshape(value, [1, *value.shape.as_list()])
        for value in values
    ]
    return sparse_concat(0, rows, expand_nonconcat_dims=True)


def rows_of(spec: Any, value: Leaf) -> Iterable[Leaf]:
    """The values of which the batch ``value`` is made."""
    if isinstance(value, EagerTensor):
        shape = value._shape_tuple()
        if not shape:
            refuse("Cannot take a scalar apart: it has no rows.")
        return (value[index] for index in range(shape[0]))
    if isinstance(spec, SparseTensorSpec):
        return sparse_rows(value)
    rows: Iterable[Leaf] = _of(spec, "_data_rows")(value)
    return rows


def sparse_rows(value: Any) -> Iterable[Any]:
    """The rows of a sparse tensor, as sparse tensors of one axis less."""
    from tapegrad.ops.sparse.functions import sparse_reshape, sparse_slice

    sizes = value.shape.as_list()
    for index in range(sizes[0]):
        row = sparse_slice(value, [index, *[0] * (len(sizes) - 1)], [1, *sizes[1:]])
        yield sparse_reshape(row, sizes[1:])


def _of(spec: Any, method: str) -> Callable[..., Any]:
    function: Callable[..., Any] | None = getattr(spec, method, None)
    if function is None:
        what = "None" if isinstance(spec, NoneTensorSpec) else f"a value of {spec!r}"
        raise TypeError(f"A batch cannot hold {what}.")
    return function
