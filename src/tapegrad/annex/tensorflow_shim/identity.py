"""Sets and dicts that compare objects by identity: ``tensorflow.python.util.object_identity``."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any


class Reference:
    """A hashable reference to an object. Two are equal if they refer to one object."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.deref() is other.deref()

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self.deref()!r}>"


class WeakReference(Reference):
    """A `Reference` that does not keep its object alive."""

    __slots__ = ("_id",)

    def __init__(self, wrapped: Any) -> None:
        super().__init__(weakref.ref(wrapped))
        self._id = id(wrapped)

    def deref(self) -> Any:
        return self._wrapped()

    def __hash__(self) -> int:
        return self._id


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dict whose keys are compared by identity."""

    _reference: type[Reference] = Reference

    def __init__(self) -> None:
        self._storage: dict[Reference, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._storage[self._reference(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._reference(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._reference(key)]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self._storage):
            key = reference.deref()
            if key is None and self._reference is WeakReference:
                del self._storage[reference]
            else:
                yield key


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """An `ObjectIdentityDictionary` that does not keep its keys alive."""

    _reference = WeakReference


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose members are compared by identity."""

    _kind: type[ObjectIdentityDictionary] = ObjectIdentityDictionary

    def __init__(self, members: Iterable[Any] = ()) -> None:
        self._members = self._kind()
        for member in members:
            self.add(member)

    def add(self, value: Any) -> None:
        self._members[value] = True

    def discard(self, value: Any) -> None:
        self._members.pop(value, None)

    def update(self, values: Iterable[Any]) -> None:
        for value in values:
            self.add(value)

    def __contains__(self, value: object) -> bool:
        return value in self._members

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """An `ObjectIdentitySet` that does not keep its members alive."""

    _kind = ObjectIdentityWeakKeyDictionary
