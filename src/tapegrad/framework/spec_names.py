"""The registry of type specs by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from tapegrad.framework.spec import TypeSpec

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
            f"TypeSpec {cls.__module__}.{cls.__qualname__} has not been registered."
        )
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type:
    """The type spec that is registered as ``name``."""
    if not isinstance(name, str):
        raise TypeError(f"lookup: expected `name` to be a string, got {name!r}")
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]
