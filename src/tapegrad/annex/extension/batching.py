"""How values of extension types are batched: field by field, unless a class says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapegrad.annex.extension.fields import FIELDS
from tapegrad.data.leaves import is_ragged, sparse_rows, stack_ragged, stack_sparse
from tapegrad.framework import nest
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

PUBLIC = {"experimental": "ExtensionTypeBatchEncoder"}


class ExtensionTypeBatchEncoder(Printed):
    """Says how values of a `BatchableExtensionType` are batched, and taken out of batches.

    A value is encoded as a nest of tensors, which are batched, sliced and joined in its place. This class
    keeps the fields unchanged. A subclass with another encoding defines all five methods.
    """

    def batch(self, spec: Any, batch_size: Any) -> Any:
        """The spec of ``batch_size`` values of ``spec`` in a batch."""

        def batched(part: Any) -> Any:
            if isinstance(part, TensorShape):
                return TensorShape([batch_size]).concatenate(part)
            if isinstance(part, TensorSpec):
                return TensorSpec(TensorShape([batch_size]).concatenate(part.shape), part.dtype)
            return part._batch(batch_size)

        return _changed(spec, batched)

    def unbatch(self, spec: Any) -> Any:
        """The spec of one value in a batch of ``spec``."""

        def unbatched(part: Any) -> Any:
            if isinstance(part, TensorShape):
                return part[1:] if part.rank else part
            if isinstance(part, TensorSpec):
                return TensorSpec(unbatched(part.shape), part.dtype)
            return part._unbatch()

        return _changed(spec, unbatched)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """The nest of tensors that encodes ``value``, which ``spec`` describes."""
        return spec._to_components(value)

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what `encode` gives."""
        return spec._component_specs

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of ``spec`` that ``encoded_value`` encodes."""
        return spec._from_components(encoded_value)


def _changed(spec: Any, change: Any) -> Any:
    """``spec`` with ``change`` of each spec and each shape in it."""

    def changed(part: Any) -> Any:
        return change(part) if isinstance(part, (TypeSpec, TensorShape)) else part

    return spec._deserialize(FIELDS.map(changed, spec._serialize()))


def encoder_of(spec: Any) -> Any:
    """What encodes values of ``spec``: None if they cannot be batched."""
    return getattr(getattr(spec, "value_type", None), "__batch_encoder__", None)


def stack_values(values: Any, spec: Any) -> Any:
    """Values of an extension type as one value that is a batch of them."""
    encoder = encoder_of(spec)
    encoded = [encoder.encode(spec, value) for value in values]
    columns = zip(*map(nest.flatten, encoded), strict=True)
    parts = nest.flatten(encoder.encoding_specs(spec))
    stacked = [_joined(column, part) for column, part in zip(columns, parts, strict=True)]
    return encoder.decode(spec._batch(len(values)), nest.pack_sequence_as(encoded[0], stacked))


def unstack_value(value: Any) -> list[Any]:
    """The values in a batch of an extension type."""
    spec = value._type_spec
    encoder = encoder_of(spec)
    encoded = encoder.encode(spec, value, 1)
    columns = [_items(part) for part in nest.flatten(encoded)]
    inner = spec._unbatch()
    return [
        encoder.decode(inner, nest.pack_sequence_as(encoded, row))
        for row in zip(*columns, strict=True)
    ]


def _items(batch: Any) -> Any:
    """The items along the first axis."""
    if hasattr(type(batch), "__batch_encoder__"):
        return unstack_value(batch)
    if isinstance(batch, SparseTensor):
        return list(sparse_rows(batch))
    return [batch[number] for number in range(batch.shape[0])]


def _joined(items: Sequence[Any], spec: Any = None) -> Any:
    """The items as one batch: ragged if their ``spec`` is."""
    if spec is not None and is_ragged(spec):
        return stack_ragged(items, spec)
    if hasattr(type(items[0]), "__batch_encoder__"):
        return stack_values(items, items[0]._type_spec)
    return stack_sparse(items) if isinstance(items[0], SparseTensor) else stack(items)


def map_rows(
    _: Any,
    fn: Any,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`tf.map_fn` where elements or results are of an extension type."""
    columns = [_items(part) for part in nest.flatten(elems)]
    results = [fn(nest.pack_sequence_as(elems, row)) for row in zip(*columns, strict=True)]
    if not results:
        raise ValueError("map_fn needs at least one element of an extension type.")
    return nest.map_structure(lambda *items: _joined(items), *results)
