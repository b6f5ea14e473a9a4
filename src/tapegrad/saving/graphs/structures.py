"""Nests of specs and Python values, from the messages that TensorFlow has for them."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, static_value
from tapegrad.framework import nest, spec_names
from tapegrad.framework.bounded_spec import BoundedTensorSpec
from tapegrad.framework.indexed_slices import IndexedSlicesSpec
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec
from tapegrad.io.tensors import TensorProto, TensorShapeProto, array_in
from tapegrad.lazy import find
from tapegrad.ops.args import check_memory
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.messages import FunctionSpec, StructuredValue, TypeSpecProto
from tapegrad.saving.restored import Default

REFERENCES = 100  # added to the number of a dtype, this says that a tensor is a variable of TF 1
# Classes of specs, as `TypeSpecProto` numbers them.
SPARSE, SLICES, RAGGED, REGISTERED, EXTENSION = 1, 2, 3, 12, 13


class NotRead(Exception):
    """A model has something that is not read here."""


def dtype_of(number: int) -> dtypes.DType:
    """The dtype of a number in a message."""
    try:
        return dtypes.as_dtype(number % REFERENCES)
    except TypeError:
        raise Damaged(f"there is no dtype {number}") from None


def shape_of(proto: TensorShapeProto) -> TensorShape:
    """The shape in a message."""
    if proto.unknown_rank:
        return TensorShape(None)
    sizes = [dim.size for dim in proto.dim]
    if any(size < -1 for size in sizes):
        raise Damaged(f"{sizes} is no shape")
    return TensorShape([None if size == -1 else size for size in sizes])


def shape_said_by(tensor: Any) -> TensorShape:
    """The shape that a tensor of sizes says, in which -1 is unknown: as a scalar, all of it."""
    sizes = static_value(tensor, "shape")
    if not sizes.ndim:
        return TensorShape(None)
    return TensorShape([None if size < 0 else int(size) for size in sizes])


def tensor_of(proto: TensorProto) -> EagerTensor:
    """The tensor in a message."""
    try:
        # One value may stand for all elements, of however large a shape.
        check_memory(
            tuple([max(dim.size, 0) for dim in proto.tensor_shape.dim]),
            dtype_of(proto.dtype).numpy_dtype,
        )
        return EagerTensor(array_in(proto))
    except (ValueError, TypeError, OverflowError) as error:
        raise Damaged(f"a tensor cannot be read ({error})") from None


def value_of(proto: StructuredValue) -> Any:
    """The nest in a message.

    Raises:
        NotRead: it has a spec that is not read here.
        Damaged: it holds nothing.
    """
    kind = proto.WhichOneof("kind")
    if kind is None:
        raise Damaged("a nest has an element without a value")
    inside = getattr(proto, kind)
    match kind:
        case "none_value":
            return None
        case "float64_value" | "int64_value" | "string_value" | "bool_value":
            return inside
        case "tensor_shape_value":
            return shape_of(inside)
        case "tensor_dtype_value":
            return dtype_of(inside)
        case "bounded_tensor_spec_value":
            return BoundedTensorSpec(
                shape_of(inside.shape),
                dtype_of(inside.dtype),
                tensor_of(inside.minimum).numpy(),
                tensor_of(inside.maximum).numpy(),
                inside.name or None,
            )
        case "tensor_spec_value":
            return TensorSpec(shape_of(inside.shape), dtype_of(inside.dtype), inside.name or None)
        case "list_value":
            return [value_of(part) for part in inside.values]
        case "tuple_value":
            return tuple([value_of(part) for part in inside.values])
        case "dict_value":
            return {key: value_of(part) for key, part in inside.fields.items()}
        case "named_tuple_value":
            parts = {pair.key: value_of(pair.value) for pair in inside.values}
            try:
                return namedtuple(inside.name, [*parts])(**parts)
            except (ValueError, TypeError) as error:
                raise Damaged(f"a named tuple is none ({error})") from None
        case "tensor_value":
            return tensor_of(inside)
        case "numpy_value":
            return tensor_of(inside).numpy()
        case _:
            return spec_of(inside)


def spec_of(proto: TypeSpecProto) -> Any:
    """The spec of a composite in a message."""
    state = value_of(proto.type_state)
    try:
        if proto.type_spec_class == SPARSE:
            return SparseTensorSpec(*state)
        if proto.type_spec_class == SLICES:
            shape, dtype, index_dtype, shape_dtype, index_shape = state
            return IndexedSlicesSpec(shape, dtype, index_dtype, shape_dtype, index_shape)
        if proto.type_spec_class == RAGGED:
            return find("RaggedTensorSpec")(*state[:4])
        if proto.type_spec_class in (REGISTERED, EXTENSION):
            return _registered(proto, state)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise Damaged(f"the spec of a composite is none ({error})") from None
    name = proto.type_spec_class_name or f"spec number {proto.type_spec_class}"
    raise NotRead(f"a value of the type {name}")


def fields_of(spec_type: Any) -> list[str] | None:
    """The names of the fields of an extension type, by the class of its spec; None for other classes."""
    value_type = getattr(spec_type, "_value_type", None)
    fields = getattr(value_type, "_tf_extension_type_fields", None)
    return None if fields is None else [field.name for field in fields]


def _registered(proto: TypeSpecProto, state: Any) -> Any:
    """The spec of a class that the program has registered under a name."""
    name = proto.type_spec_class_name
    try:
        spec_type: Any = spec_names.lookup(name)
    except ValueError:
        raise NotRead(f"a value of the type {name}, which no class is registered for") from None
    if proto.type_spec_class == EXTENSION:
        parts = dict(state)
        state = tuple([parts[name] for name in fields_of(spec_type) or ()])
    return spec_type._deserialize(state)


def has_text_as_default(signature: inspect.Signature) -> bool:
    """Whether a default of a parameter holds text, from which a name of a file could be made."""
    defaults = [parameter.default for parameter in signature.parameters.values()]
    leaves = nest.flatten([own.value for own in defaults if isinstance(own, Default)])
    return any(
        isinstance(leaf, (str, bytes))
        or getattr(leaf, "dtype", None) in (dtypes.string, np.dtype(object))
        for leaf in leaves
    )


def without_defaults(signature: inspect.Signature) -> inspect.Signature:
    """The parameters without their defaults."""
    parameters = signature.parameters.values()
    return signature.replace(
        parameters=[parameter.replace(default=inspect.Parameter.empty) for parameter in parameters]
    )


def parameters_of(spec: FunctionSpec) -> tuple[inspect.Signature, Any]:
    """The parameters of a function, and its input signature."""
    listed = value_of(spec.fullargspec)
    try:
        fields = listed._asdict()
        names, defaults = list(fields["args"]), list(fields["defaults"] or ())
        only_defaults = dict(fields["kwonlydefaults"] or {})
        kind = inspect.Parameter
        without = len(names) - len(defaults)
        parameters = [
            kind(
                name,
                kind.POSITIONAL_OR_KEYWORD,
                default=Default(defaults[place - without]) if place >= without else kind.empty,
            )
            for place, name in enumerate(names)
            if not (place == 0 and (spec.is_method or name == "self"))
        ]
        if fields["varargs"]:
            parameters.append(kind(fields["varargs"], kind.VAR_POSITIONAL))
        for name in fields["kwonlyargs"]:
            default = Default(only_defaults[name]) if name in only_defaults else kind.empty
            parameters.append(kind(name, kind.KEYWORD_ONLY, default=default))
        if fields["varkw"]:
            parameters.append(kind(fields["varkw"], kind.VAR_KEYWORD))
        signature = inspect.Signature(parameters)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Damaged(f"the parameters of a function are none ({error})") from None
    return signature, value_of(spec.input_signature)
