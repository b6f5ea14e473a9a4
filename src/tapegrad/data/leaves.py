"""Stack leaves into batches, take them out of batches, and describe them by specs, for each kind of leaf.

Only this module of `tf.data` distinguishes the kinds of leaves: tensors, None, sparse and ragged tensors.
Specs of other kinds that have ``_batch(size)`` and ``_unbatch()`` have specs of batches too, and their values
can be batched if the specs have ``_stack_values(values)`` and ``_unstack_value(batch)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tapegrad.core import EagerTensor, Tensor
from tapegrad.data import structure
from tapegrad.data.structure import Leaf
from tapegrad.errors import refuse
from tapegrad.framework.nest import flatten
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import NoneTensorSpec, TensorSpec
from tapegrad.ops.shape.joining import stack, unstack
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorSpec


def is_ragged(spec: Any) -> bool:
    """Whether this is a `RaggedTensorSpec`, whose module may not be loaded yet."""
    return type(spec).__name__ == "RaggedTensorSpec"


def may_hold_rows(spec: Any) -> bool:
    """Whether values may be, or be encoded as, tensors that are rows of a ragged tensor."""
    return is_ragged(spec) or hasattr(spec, "_stack_values")


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of ``size`` values of ``spec`` in a batch, where None is any number."""
    if isinstance(spec, NoneTensorSpec):
        return spec
    if not hasattr(spec, "_batch"):
        raise TypeError(f"A batch cannot hold values of {spec!r}.")
    return spec._batch(size)


def unbatched_spec(spec: Any) -> Any:
    """The spec of one value in a batch of ``spec``."""
    if isinstance(spec, (TensorSpec, SparseTensorSpec)) and not spec.shape.rank:
        return type(spec)(None, spec.dtype)
    if isinstance(spec, NoneTensorSpec):
        return spec
    if not hasattr(spec, "_unbatch"):
        raise TypeError(f"Values of {spec!r} are no batches.")
    return spec._unbatch()


def covering(first: Any, second: Any) -> Any:
    """The nest of the narrowest specs that cover both, leaf by leaf.

    Raises:
        TypeError: their nests or their kinds of leaves differ.
    """
    structure.assert_same_structure(first, second, "Specs")
    covers = []
    for mine, theirs in zip(structure.flatten(first), structure.flatten(second), strict=True):
        cover = mine.most_specific_common_supertype([theirs])
        if cover is None:
            raise TypeError(f"No spec covers both {mine} and {theirs}.")
        covers.append(cover)
    return structure.pack(first, covers)


def stacked(values: Sequence[Leaf], component: int, spec: Any) -> Leaf:
    """One batch of ``values``, which are the leaves number ``component`` of elements.

    ``spec`` describes them. It may be None if none of them is a tensor that is a ragged row.
    """
    first = values[0]
    if spec is not None and is_ragged(spec):
        return stack_ragged(values, spec)
    if isinstance(first, EagerTensor):
        return stack_tensors(values, component)
    if first is None:
        return None
    if isinstance(first, SparseTensor):
        return stack_sparse(values)
    own = spec if hasattr(spec, "_stack_values") else structure.spec_of_leaf(first)
    if is_ragged(own):
        return stack_ragged(values, own)
    if hasattr(own, "_stack_values"):
        return own._stack_values(values)
    raise TypeError(f"A batch cannot hold values of {own!r}.")


def stack_tensors(values: Sequence[Any], component: int) -> Tensor:
    """Tensors of one shape as rows of one tensor.

    Raises:
        InvalidArgumentError: Their shapes or dtypes differ.
    """
    first = values[0]
    shape, dtype = first._shape_tuple(), first.dtype
    for index, value in enumerate(values):
        if value._shape_tuple() != shape:
            refuse(
                f"Cannot batch tensors with different shapes in component {component}. First element "
                f"had shape {list(shape)} and element {index} had shape "
                f"{list(value._shape_tuple())}. `padded_batch` pads them to one shape, and "
                "`ragged_batch` keeps their shapes."
            )
        if value.dtype is not dtype:
            refuse(
                f"Cannot batch tensors with different dtypes in component {component}: the first "
                f"element has {dtype.name}, element {index} has {value.dtype.name}."
            )
    return stack(values)


def stack_sparse(values: Sequence[SparseTensor]) -> SparseTensor:
    """Sparse tensors as rows of one, whose rows are as large as the largest of them."""
    from tapegrad.ops.sparse.functions import sparse_concat, sparse_reshape

    rows = [sparse_reshape(value, [1, *value.shape.as_list()]) for value in values]
    return sparse_concat(0, rows, expand_nonconcat_dims=True)


def stack_ragged(values: Sequence[Leaf], spec: Any) -> Any:
    """Ragged tensors, or tensors with as many dimensions, as rows of one ragged tensor."""
    from tapegrad.ragged.ragged_tensor import RaggedTensor
    from tapegrad.ragged.rows import concat_rows, even, wrapped

    splits = spec.row_splits_dtype
    if not spec.ragged_rank and spec.shape.is_fully_defined():
        # All rows have one length, and the shape of the batch says so.
        return RaggedTensor.from_tensor(
            stack_tensors(values, 0), ragged_rank=1, row_splits_dtype=splits
        )
    rows = [
        RaggedTensor.from_tensor(value, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)
        if isinstance(value, EagerTensor) and spec.ragged_rank
        else value
        for value in values
    ]
    batch = concat_rows([wrapped(row) for row in rows]).with_row_splits_dtype(splits)
    return batch if spec.shape.rank is None else even(batch, spec.shape.as_list())


def rows_of(value: Leaf) -> Iterable[Leaf]:
    """The values of which the batch ``value`` is made."""
    if isinstance(value, EagerTensor):
        return unstack(value)
    if isinstance(value, SparseTensor):
        return sparse_rows(value)
    own = structure.spec_of_leaf(value)
    if is_ragged(own):
        return map(value.__getitem__, range(value.shape[0]))
    if hasattr(own, "_unstack_value"):
        rows: list[Leaf] = own._unstack_value(value)
        return rows
    raise TypeError(f"{value!r} has no rows.")


def shapes_in(value: Leaf) -> list[TensorShape]:
    """The shapes of a leaf, whose first axis counts rows: of an extension type, those of what encodes it.

    Raises:
        TypeError: The leaf is of a type that has no rows.
    """
    if value is None:
        return []
    if hasattr(type(value), "shape") or not hasattr(type(value), "_nest_components"):
        return [value.shape]
    encoder = getattr(type(value), "__batch_encoder__", None)
    if encoder is None:
        raise TypeError(f"{value!r} has no rows.")
    encoded = encoder.encode(structure.spec_of_leaf(value), value, 1)
    return [shape for part in flatten(encoded) for shape in shapes_in(part)]


def sparse_rows(value: SparseTensor) -> Iterator[SparseTensor]:
    """The rows of a sparse tensor, as sparse tensors of one axis less."""
    from tapegrad.ops.sparse.functions import sparse_reshape, sparse_slice

    sizes = value.shape.as_list()
    for index in range(sizes[0] or 0):
        row = sparse_slice(value, [index, *[0] * (len(sizes) - 1)], [1, *sizes[1:]])
        yield sparse_reshape(row, sizes[1:])


def ragged_spec(spec: Any, splits: Any) -> Any:
    """The spec of ``spec`` where batches keep the sizes of their rows: ragged if a size is unknown."""
    if not isinstance(spec, TensorSpec) or spec.shape.is_fully_defined():
        return spec
    from tapegrad.ragged.spec import RaggedTensorSpec

    if spec.shape.rank is None:
        raise ValueError(
            f"ragged_batch() needs elements of known rank, but their spec is {spec}. "
            "Give them one with tf.ensure_shape in a map."
        )
    last_unknown = max(axis for axis, size in enumerate(spec.shape.as_list()) if size is None)
    return RaggedTensorSpec(spec.shape, spec.dtype, last_unknown, splits)
