"""The fields of extension types: which annotations there are, and how values are made to fit them."""

from __future__ import annotations

import collections.abc
import sys
import typing
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from tapegrad import dtypes
from tapegrad.annex.internal.composite import CompositeTensor
from tapegrad.core import Tensor, VariableBase
from tapegrad.framework.nest import LEAF, MAPPING, Walker, container_kind
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TypeSpec, type_spec_from_value
from tapegrad.ops.shape.creation import convert_to_tensor

PRIMITIVES = (int, float, str, bytes, bool, type(None), dtypes.DType)
RESERVED = ("self", "Spec")
# Names of attributes that begin with this belong to the machinery.
PREFIX = "_tf_extension_type"


class ImmutableDict(Mapping[Any, Any]):
    """A dict that does not change: what a field of type ``Mapping`` holds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._dict = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._dict[key]

    def __contains__(self, key: object) -> bool:
        return key in self._dict

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dict)

    def __len__(self) -> int:
        return len(self._dict)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._dict})"


def _look_at(type_: type) -> int:
    if issubclass(type_, tuple):
        return container_kind(type_)
    return MAPPING if issubclass(type_, Mapping) else LEAF


# What fields hold: tuples, and mappings in the order of their sorted keys.
FIELDS = Walker(_look_at)


class Field(typing.NamedTuple):
    """One field: its name, its annotated type, and its default."""

    name: str
    value_type: Any
    default: Any


# The default of a field that has none.
NO_DEFAULT = object()


def resolved(annotation: Any, cls: type) -> Any:
    """``annotation``, or the class that a string names. A name that is not yet defined is left a string."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    if annotation == cls.__name__:
        return cls
    module = sys.modules.get(cls.__module__)
    try:
        return eval(annotation, dict(vars(module)) if module else {})
    except NameError:
        return annotation


def _is_class(annotation: Any) -> bool:
    """Whether this is a class, and not a generic one with its arguments, such as ``tuple[int, str]``."""
    return isinstance(annotation, type) and typing.get_origin(annotation) is None


def check_annotation(annotation: Any, field: str) -> None:
    """Refuse an annotation that no field can have.

    Raises:
        TypeError: It is none of those that extension types know.
    """
    if annotation is None or annotation is TensorShape:
        return
    if isinstance(annotation, (str, typing.ForwardRef)):
        return
    if _is_class(annotation):
        if annotation in PRIMITIVES or annotation is Tensor:
            return
        if issubclass(annotation, CompositeTensor) and not issubclass(annotation, VariableBase):
            return
        raise TypeError(f"In field {field!r}: Unsupported type annotation {annotation.__name__!r}")
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union:
        for part in parts:
            check_annotation(part, field)
        return
    if origin is tuple and parts:
        for part in parts:
            if part is not Ellipsis:
                check_annotation(part, field)
        return
    if origin is collections.abc.Mapping and len(parts) == 2:
        check_annotation(parts[0], field)
        check_annotation(parts[1], field)
        return
    raise TypeError(f"In field {field!r}: Unsupported type annotation {_named(annotation)}")


def _named(annotation: Any) -> str:
    return repr(annotation) if annotation is not Any else "'Any'"


def _refuse(path: str, expected: str, value: Any) -> NoReturn:
    raise TypeError(f"{path}: expected {expected}, got {type(value).__name__!r}")


def converted(value: Any, annotation: Any, path: str, cls: type, spec: bool) -> Any:
    """``value`` as a field of type ``annotation`` holds it; or, for a field of a spec, its spec.

    Raises:
        TypeError: The value does not fit.
    """
    annotation = resolved(annotation, cls)
    if annotation is None:
        annotation = type(None)
    if isinstance(annotation, str):
        raise TypeError(f"{path}: the type {annotation!r} in the annotation is not defined")
    if annotation is Tensor:
        return _spec_of_tensor(value, path) if spec else _tensor(value, path)
    if annotation is TensorShape:
        return _shape(value, path)
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union:
        return _one_of(value, parts, path, cls, spec)
    if origin is tuple:
        return _tuple(value, parts, path, cls, spec)
    if origin is collections.abc.Mapping:
        if not isinstance(value, Mapping):
            _refuse(path, "mapping", value)
        pairs = {
            converted(key, parts[0], f"{path}.keys()", cls, False): converted(
                item, parts[1], f"{path}[{key!r}]", cls, spec
            )
            for key, item in value.items()
        }
        return ImmutableDict(pairs)
    if issubclass(annotation, CompositeTensor):
        return _composite(value, annotation, path, spec)
    if annotation is dtypes.DType:
        try:
            return dtypes.as_dtype(value)
        except TypeError:
            _refuse(path, "'DType'", value)
    if type(value) is bool and annotation is not bool:
        _refuse(path, repr(annotation.__name__), value)
    if not isinstance(value, annotation):
        _refuse(path, repr(annotation.__name__), value)
    return value


def _tensor(value: Any, path: str) -> Any:
    if isinstance(value, (Tensor, TypeSpec)):
        return value
    if isinstance(value, CompositeTensor) and not isinstance(value, VariableBase):
        _refuse(path, "a Tensor", value)
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        _refuse(path, "a Tensor", value)


def _spec_of_tensor(value: Any, path: str) -> Any:
    # The value of a RaggedTensorSpec of ragged rank 0 is a tensor.
    if isinstance(value, TypeSpec) and issubclass(value.value_type, Tensor):
        return value
    if isinstance(value, Tensor):
        return type_spec_from_value(value)
    return _refuse(path, "a TensorSpec", value)


def _shape(value: Any, path: str) -> Any:
    if isinstance(value, TensorShape):
        return value
    try:
        return TensorShape(value)
    except (TypeError, ValueError):
        _refuse(path, "'TensorShape'", value)


def _composite(value: Any, annotation: Any, path: str, spec: bool) -> Any:
    if not spec:
        if isinstance(value, (annotation, TypeSpec)):
            return value
        _refuse(path, repr(annotation.__name__), value)
    if isinstance(value, annotation):
        return type_spec_from_value(value)
    if isinstance(value, TypeSpec) and issubclass(value.value_type, annotation):
        return value
    return _refuse(path, f"a TypeSpec for {annotation.__name__!r}", value)


def _one_of(value: Any, parts: tuple[Any, ...], path: str, cls: type, spec: bool) -> Any:
    # A type that the value has already comes before one that it can be made into.
    for exact in (True, False):
        for part in parts:
            part = type(None) if part is None else resolved(part, cls)
            if exact and not (_is_class(part) and type(value) is part):
                continue
            try:
                return converted(value, part, path, cls, spec)
            except TypeError:
                continue
    names = ", ".join(getattr(part, "__name__", str(part)) for part in parts)
    return _refuse(path, f"one of: {names}", value)


def _tuple(value: Any, parts: tuple[Any, ...], path: str, cls: type, spec: bool) -> Any:
    if not isinstance(value, (list, tuple)):
        _refuse(path, "tuple", value)
    if len(parts) == 2 and parts[1] is Ellipsis:
        kinds = (parts[0],) * len(value)
    elif len(parts) != len(value):
        _refuse(path, f"tuple with length {len(parts)}", value)
    else:
        kinds = parts
    return tuple(
        converted(item, kind, f"{path}[{i}]", cls, spec)
        for i, (item, kind) in enumerate(zip(value, kinds, strict=True))
    )
