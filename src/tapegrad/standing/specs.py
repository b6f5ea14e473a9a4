"""The registry of type specs by name: ``tensorflow.python.framework.type_spec_registry``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from tapegrad.dtypes import float32
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.framework.variable import Variable

T = TypeVar("T", bound=type)

_NAME_TO_TYPE_SPEC: dict[str, type] = {}
_TYPE_SPEC_TO_NAME: dict[type, str] = {}


def register(name: str) -> Callable[[T], T]:
    """A decorator that registers a subclass of `tf.TypeSpec` as ``name``, such as ``"project.ClassName"``."""
    if not isinstance(name, str):
        raise TypeError(f"register: expected `name` to be a string, got {name!r}")
    if not re.fullmatch(r"(\w+\.)+\w+", name):
        raise ValueError(
            f"register: expected a name with the form '{{project_name}}.{{type_spec_name}}', got {name!r}"
        )

    def decorator(cls: T) -> T:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"register: expected `cls` to be a TypeSpec, got {cls!r}")
        if cls in _TYPE_SPEC_TO_NAME:
            raise ValueError(
                f"register: {cls.__name__} is registered already, as {_TYPE_SPEC_TO_NAME[cls]!r}"
            )
        if name in _NAME_TO_TYPE_SPEC:
            raise ValueError(
                f"register: {name!r} names {_NAME_TO_TYPE_SPEC[name].__name__} already"
            )
        _NAME_TO_TYPE_SPEC[name] = cls
        _TYPE_SPEC_TO_NAME[cls] = name
        return cls

    return decorator


def get_name(cls: Any) -> str:
    """The name under which the type spec ``cls`` is registered."""
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"get_name: expected `cls` to be a subclass of TypeSpec, got {cls!r}")
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(
            f"get_name: TypeSpec {cls.__module__}.{cls.__name__} has not been registered"
        )
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type:
    """The type spec that is registered as ``name``."""
    if not isinstance(name, str):
        raise TypeError(f"lookup: expected `name` to be a string, got {name!r}")
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"lookup: no TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]


register("tf.TensorSpec")(TensorSpec)


class VariableSpec(TensorSpec):
    """The spec of a variable, for libraries that ask for one: ``python.ops.resource_variable_ops``."""

    __slots__ = ("alias_id", "trainable")

    def __init__(
        self, shape: Any, dtype: Any = float32, trainable: bool = True, alias_id: int | None = None
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self) -> type:
        """The class of the values described."""
        return Variable

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of this variable."""
        return cls(value.shape, value.dtype, value.trainable)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a variable, or what another spec describes, could be what this spec describes."""
        return (
            isinstance(spec_or_tensor, (VariableSpec, Variable))
            and self.dtype == spec_or_tensor.dtype
            and self.shape.is_compatible_with(spec_or_tensor.shape)
            and self.trainable == spec_or_tensor.trainable
        )

    def _to_components(self, value: Any) -> Any:
        return [value]

    def _from_components(self, components: Any) -> Any:
        return components[0]

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, "
            f"trainable={self.trainable!r}, alias_id={self.alias_id!r})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return VariableSpec, (self.shape, self.dtype, self.trainable, self.alias_id)
