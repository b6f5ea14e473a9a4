"""Lists and dicts as TensorFlow's trackable objects hold them: ``python.trackable.data_structures``.

Libraries ask whether something is one of them, and make them. They are Python's lists and dicts; what is put
into one becomes one of them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self, SupportsIndex

PUBLIC = {"__internal__.tracking": "TrackableDataStructure wrap=wrap_or_unwrap"}


class NoDependency:
    """Holds ``value``, for which no wrapper is to be made."""

    def __init__(self, value: Any) -> None:
        self.value = value


class TrackableDataStructure:
    """A base of the lists and dicts here: libraries ask whether a part of a model is one."""


class ListWrapper(TrackableDataStructure, list[Any]):
    """A list that shows what it is, and wraps the lists and dicts put into it."""

    def __init__(self, wrapped_list: Iterable[Any]) -> None:
        super().__init__(wrap_or_unwrap(value) for value in wrapped_list)

    def append(self, value: Any) -> None:
        super().append(wrap_or_unwrap(value))

    def extend(self, values: Iterable[Any]) -> None:
        super().extend(wrap_or_unwrap(value) for value in values)

    def insert(self, index: SupportsIndex, obj: Any) -> None:
        super().insert(index, wrap_or_unwrap(obj))

    def __setitem__(self, key: Any, value: Any) -> None:
        one = not isinstance(key, slice)
        super().__setitem__(key, wrap_or_unwrap(value) if one else map(wrap_or_unwrap, value))

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]  # as of list itself
        self.extend(values)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ListWrapper, (list(self),)

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"


class _DictWrapper(TrackableDataStructure, dict[Any, Any]):
    """A dict that shows what it is, and wraps the lists and dicts put into it."""

    def __init__(self, wrapped_dict: Mapping[Any, Any] | None = None) -> None:
        super().__init__()
        self.update(wrapped_dict or {})

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, wrap_or_unwrap(value))

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **values: Any) -> None:
        for key, value in dict(*others, **values).items():
            self[key] = value

    def __reduce__(self) -> tuple[Any, ...]:
        return _DictWrapper, (dict(self),)

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"

    def __str__(self) -> str:
        return super().__repr__()


def wrap_or_unwrap(value: Any) -> Any:
    """``value`` as a trackable object holds it: lists and dicts wrapped, `NoDependency` taken off."""
    if isinstance(value, NoDependency):
        return value.value
    if type(value) is list:
        return ListWrapper(value)
    if type(value) is dict:
        return _DictWrapper(value)
    return value
