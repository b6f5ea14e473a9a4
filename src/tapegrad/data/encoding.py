"""Elements as bytes, and their specs as JSON: what the files of `tapegrad.data.stored` hold."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, static_value
from tapegrad.data import structure
from tapegrad.dtypes import as_dtype
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import NoneTensorSpec, TensorSpec
from tapegrad.io import wire
from tapegrad.io.tensors import TensorProto, array_in, encode
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorSpec
from tapegrad.ragged.ragged_tensor import RaggedTensor
from tapegrad.ragged.spec import RaggedTensorSpec

Json = Any


def parts_of(leaf: Any, spec: Any) -> list[Any]:
    """The tensors that make a leaf."""
    if leaf is None:
        return []
    if isinstance(leaf, SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape]
    if isinstance(leaf, RaggedTensor):
        return [leaf.flat_values, *leaf.nested_row_splits]
    if isinstance(leaf, EagerTensor):
        return [leaf]
    raise TypeError(
        f"Elements with {spec!r} cannot be kept in files, as {type(leaf).__name__} cannot."
    )


def leaf_of(parts: list[Any], spec: Any) -> Any:
    """The leaf that these tensors make."""
    if isinstance(spec, NoneTensorSpec):
        return None
    if isinstance(spec, SparseTensorSpec):
        return SparseTensor(*parts)
    if isinstance(spec, RaggedTensorSpec) and len(parts) > 1:
        return RaggedTensor.from_nested_row_splits(parts[0], parts[1:])
    (tensor,) = parts
    return tensor


def encoded(element: Any, spec: Any) -> bytes:
    """An element: for each leaf the tensors that make it, each as a `TensorProto`."""
    record = []
    for leaf, leaf_spec in zip(structure.flatten(element), structure.flatten(spec), strict=True):
        tensors = [
            wire.tagged(1, encode(static_value(part, "what is kept in a file"), part.dtype))
            for part in parts_of(leaf, leaf_spec)
        ]
        record.append(wire.tagged(1, b"".join(tensors)))
    return b"".join(record)


def decoded(record: bytes, spec: Any) -> Any:
    """The element that `encoded` wrote."""
    try:
        leaves = [
            [tensor_in(part) for _, _, part in wire.fields(leaf)]
            for _, _, leaf in wire.fields(memoryview(record))
        ]
        specs = structure.flatten(spec)
        decoded_leaves = [
            leaf_of(parts, leaf_spec) for parts, leaf_spec in zip(leaves, specs, strict=True)
        ]
    except (wire.DecodeError, errors.OpError, ValueError, TypeError, IndexError) as error:
        refuse(f"An element in a file is damaged: {error}", error=errors.DataLossError)
    for leaf, leaf_spec in zip(decoded_leaves, specs, strict=True):
        if leaf is not None and not leaf_spec.is_compatible_with(leaf):
            refuse(f"An element in a file is not of {leaf_spec!r}.", error=errors.DataLossError)
    return structure.pack(spec, decoded_leaves)


def tensor_in(data: memoryview) -> EagerTensor:
    proto = TensorProto.FromString(data)
    array: np.ndarray[Any, Any] = array_in(proto)
    return EagerTensor(array)


# --- Specs ----------------------------------------------------------------------------------------------


def sizes(shape: TensorShape) -> Json:
    return None if shape.rank is None else shape.as_list()


def described(spec: Any) -> Json:
    """A nest of specs as JSON."""
    if isinstance(spec, TensorSpec):
        return {"kind": "tensor", "shape": sizes(spec.shape), "dtype": spec.dtype.name}
    if isinstance(spec, SparseTensorSpec):
        return {"kind": "sparse", "shape": sizes(spec.shape), "dtype": spec.dtype.name}
    if isinstance(spec, RaggedTensorSpec):
        return {
            "kind": "ragged",
            "shape": sizes(spec.shape),
            "dtype": spec.dtype.name,
            "ragged_rank": spec.ragged_rank,
            "row_splits_dtype": spec.row_splits_dtype.name,
        }
    if isinstance(spec, NoneTensorSpec):
        return {"kind": "none"}
    if isinstance(spec, dict) and all(isinstance(key, str) for key in spec):
        kind = "ordered" if isinstance(spec, collections.OrderedDict) else "dict"
        return {"kind": kind, "items": [[key, described(value)] for key, value in spec.items()]}
    if isinstance(spec, tuple):
        form = {"kind": "tuple", "items": [described(value) for value in spec]}
        if hasattr(spec, "_fields"):
            form |= {"name": type(spec).__name__, "fields": [*spec._fields]}
        return form
    raise TypeError(f"Elements with {spec!r} cannot be kept in files.")


def spec_from(content: Json) -> Any:
    """The nest of specs that `described` wrote."""
    kind = content["kind"]
    if kind == "none":
        return NoneTensorSpec()
    if kind in ("dict", "ordered"):
        pairs = [(key, spec_from(value)) for key, value in content["items"]]
        return collections.OrderedDict(pairs) if kind == "ordered" else dict(pairs)
    if kind == "tuple":
        items = [spec_from(value) for value in content["items"]]
        if "fields" in content:
            return collections.namedtuple(content["name"], content["fields"])(*items)
        return tuple(items)
    shape, dtype = content["shape"], as_dtype(content["dtype"])
    if kind == "sparse":
        return SparseTensorSpec(shape, dtype)
    if kind == "ragged":
        splits = dtypes.as_dtype(content["row_splits_dtype"])
        return RaggedTensorSpec(shape, dtype, content["ragged_rank"], splits)
    return TensorSpec(shape, dtype)
