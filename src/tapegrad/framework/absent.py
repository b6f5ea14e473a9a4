"""Attributes that TensorFlow's objects have and ours do not. Their messages are loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tapegrad.core import public

T = TypeVar("T")


class Absent:
    """Stands in a class for an attribute that TensorFlow's class has. Asking for it raises, and says why."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    @public(computes=False)
    def __get__(self, instance: Any, owner: type) -> Any:
        from tapegrad.framework.missing import missing_attribute

        return missing_attribute(owner if instance is None else instance, self.kind, self.name)


def lacks(kind: str, names: str) -> Callable[[type[T]], type[T]]:
    """A decorator for a class that lacks the attributes ``names`` of TensorFlow's class ``kind``."""

    def decorate(cls: type[T]) -> type[T]:
        for name in names.split():
            if name in vars(cls):
                raise TypeError(f"{cls.__name__} has {name!r}, so it cannot be said to lack it")
            setattr(cls, name, Absent(kind, name))
        return cls

    return decorate
