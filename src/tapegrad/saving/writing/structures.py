"""Nests of specs and Python values as TensorFlow's messages: what ``graphs/structures.py`` reads."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.framework import spec_names
from tapegrad.framework.bounded_spec import BoundedTensorSpec
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.components import components
from tapegrad.io.tensors import make_tensor_proto
from tapegrad.saving.graphs.messages import (
    BoundedTensorSpecProto,
    DictValue,
    FunctionSpec,
    ListValue,
    NamedTupleValue,
    NoneValue,
    PairValue,
    StructuredValue,
    TensorSpecProto,
    TupleValue,
    TypeSpecProto,
)
from tapegrad.saving.graphs.structures import EXTENSION, RAGGED, REGISTERED, SPARSE, fields_of
from tapegrad.saving.nests import Leaf
from tapegrad.saving.steps import CannotEncode
from tapegrad.saving.writing.nodes import shape_proto


def structured(value: Any) -> StructuredValue:
    """A nest as a message.

    Raises:
        CannotEncode: it has something in it that TensorFlow's message has no field for.
    """
    if isinstance(value, Leaf):
        return structured(value.spec)
    if value is None:
        return StructuredValue(none_value=NoneValue())
    if isinstance(value, bool):
        return StructuredValue(bool_value=value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return StructuredValue(int64_value=value)
    if isinstance(value, float) and math.isfinite(value):
        return StructuredValue(float64_value=value)
    if isinstance(value, str):
        return StructuredValue(string_value=value)
    if isinstance(value, DType):
        return StructuredValue(tensor_dtype_value=int(value.as_datatype_enum))
    if isinstance(value, TensorShape):
        return StructuredValue(tensor_shape_value=shape_proto(value))
    if isinstance(value, BoundedTensorSpec):
        return StructuredValue(bounded_tensor_spec_value=_bounded(value))
    if isinstance(value, TensorSpec):
        return StructuredValue(tensor_spec_value=_spec(value))
    if isinstance(value, (EagerTensor, np.ndarray)):
        return StructuredValue(tensor_value=make_tensor_proto(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = [
            PairValue(key=key, value=structured(part))
            for key, part in zip(value._fields, value, strict=True)
        ]
        return StructuredValue(
            named_tuple_value=NamedTupleValue(name=type(value).__name__, values=pairs)
        )
    if isinstance(value, tuple):
        return StructuredValue(tuple_value=TupleValue(values=[structured(part) for part in value]))
    if isinstance(value, list):
        return StructuredValue(list_value=ListValue(values=[structured(part) for part in value]))
    if isinstance(value, Mapping):
        fields = DictValue()
        fields.SetInParent()
        for key, part in value.items():
            if not isinstance(key, str):
                raise CannotEncode(f"a dict with the key {key!r}, which is no string")
            fields.fields[key].CopyFrom(structured(part))
        return StructuredValue(dict_value=fields)
    return StructuredValue(type_spec_value=_composite(value))


def _spec(spec: TensorSpec) -> TensorSpecProto:
    return TensorSpecProto(
        name=spec.name or "", shape=shape_proto(spec.shape), dtype=int(spec.dtype.as_datatype_enum)
    )


def _bounded(spec: BoundedTensorSpec) -> BoundedTensorSpecProto:
    return BoundedTensorSpecProto(
        name=spec.name or "",
        shape=shape_proto(spec.shape),
        dtype=int(spec.dtype.as_datatype_enum),
        minimum=make_tensor_proto(spec.minimum),
        maximum=make_tensor_proto(spec.maximum),
    )


def _composite(spec: Any) -> TypeSpecProto:
    """The spec of a composite."""
    name = type(spec).__name__
    if name == "RaggedTensorSpec":
        kind = RAGGED
        state: Any = (spec.shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    elif name == "SparseTensorSpec":
        kind, state = SPARSE, (spec.shape, spec.dtype)
    elif isinstance(spec, TypeSpec):
        return _registered(spec)
    else:
        raise CannotEncode(f"a {name}, for which TensorFlow has no message")
    return TypeSpecProto(
        type_spec_class=kind,
        type_spec_class_name=name,
        type_state=structured(state),
        num_flat_components=len(components(spec)),
    )


def _registered(spec: TypeSpec) -> TypeSpecProto:
    """A spec by the name that its class is registered under."""
    try:
        name = spec_names.get_name(type(spec))
    except ValueError:
        raise CannotEncode(
            f"the type spec {type(spec).__qualname__}, which is not registered: an ExtensionType is by a "
            '`__name__ = "project.ClassName"` in the class'
        ) from None
    state: Any = spec._serialize()
    fields = fields_of(type(spec))
    if fields is not None:
        state = tuple(zip(fields, state, strict=True))
    return TypeSpecProto(
        type_spec_class=REGISTERED if fields is None else EXTENSION,
        type_spec_class_name=name,
        type_state=structured(state),
        num_flat_components=len(components(spec)),
    )


def function_spec(signature: inspect.Signature, input_signature: Any = None) -> FunctionSpec:
    """The parameters of a function, and its input signature if it has one."""
    kinds = inspect.Parameter
    args: list[Any] = []
    defaults: list[Any] = []
    only: list[Any] = []
    only_defaults: dict[str, Any] = {}
    others: dict[Any, str] = {}
    for parameter in signature.parameters.values():
        if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            args.append(parameter.name)
            if parameter.default is not kinds.empty:
                defaults.append(parameter.default)
        elif parameter.kind is kinds.KEYWORD_ONLY:
            only.append(parameter.name)
            if parameter.default is not kinds.empty:
                only_defaults[parameter.name] = parameter.default
        else:
            others[parameter.kind] = parameter.name
    fields = {
        "args": args,
        "varargs": others.get(kinds.VAR_POSITIONAL),
        "varkw": others.get(kinds.VAR_KEYWORD),
        "defaults": tuple(map(_default, defaults)) or None,
        "kwonlyargs": only,
        "kwonlydefaults": {name: _default(part) for name, part in only_defaults.items()} or None,
        "annotations": {},
    }
    values = [PairValue(key=key, value=structured(part)) for key, part in fields.items()]
    full = StructuredValue(named_tuple_value=NamedTupleValue(name="FullArgSpec", values=values))
    own = None if input_signature is None else tuple(input_signature)
    return FunctionSpec(fullargspec=full, is_method=False, input_signature=structured(own))


def _default(value: Any) -> Any:
    """A default of a parameter; None for one that no message can hold."""
    value = getattr(value, "value", value)
    try:
        structured(value)
    except CannotEncode:
        return None
    return value
