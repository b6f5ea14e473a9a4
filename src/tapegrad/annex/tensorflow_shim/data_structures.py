"""Lists, dicts and tuples as TensorFlow's trackable objects hold them: ``python.trackable.data_structures``.

Libraries check whether an object is one of them, and make them. They are Python's lists, dicts and tuples;
values that are added to one are converted too. Keras 2 finds the layers of a model in them by ``_values``,
and the variables of these by the properties.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping
from typing import Any, Self, SupportsIndex

from tapegrad.core import VariableBase
from tapegrad.framework.bases import KeyByKey
from tapegrad.framework.printed import Printed

PUBLIC = {"__internal__.tracking": "TrackableDataStructure wrap=wrap_or_unwrap"}


class NoDependency:
    """Holds ``value``, for which no wrapper is to be made."""

    def __init__(self, value: Any) -> None:
        self.value = value


class TrackableDataStructure(Printed):
    """The base of the lists, dicts and tuples here: libraries check whether a part of a model is one."""

    trainable = True

    @property
    def _values(self) -> list[Any]:
        """What it holds, in an order that does not change."""
        return list(self)  # type: ignore[call-overload, no-any-return]  # each subclass can be iterated

    def _collected(self, name: str) -> list[Any]:
        """The lists that the parts have under ``name``, as one."""
        return [item for value in self._values for item in getattr(value, name, ())]

    @property
    def layers(self) -> list[Any]:
        """The parts that have variables of their own, also inside of lists."""
        layers = []
        for value in self._values:
            if isinstance(value, TrackableDataStructure):
                layers += value.layers
            elif hasattr(type(value), "trainable_variables"):
                layers.append(value)
        return layers

    def _own_variables(self, trainable: bool) -> list[Any]:
        variables = [value for value in self._values if isinstance(value, VariableBase)]
        return [variable for variable in variables if bool(variable.trainable) == trainable]

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables of the parts that are trained; none if this is not trainable."""
        if not self.trainable:
            return []
        return self._collected("trainable_variables") + self._own_variables(True)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other variables of the parts."""
        others = self._collected("non_trainable_variables") + self._own_variables(False)
        if self.trainable:
            return others
        return self._collected("trainable_variables") + self._own_variables(True) + others

    @property
    def variables(self) -> list[Any]:
        """All variables of the parts."""
        return self.trainable_variables + self.non_trainable_variables

    trainable_weights, non_trainable_weights = trainable_variables, non_trainable_variables
    weights = variables

    @property
    def losses(self) -> list[Any]:
        """The losses of the parts."""
        return self._collected("losses")

    @property
    def updates(self) -> list[Any]:
        """The updates of the parts."""
        return self._collected("updates")


class Sharing(TrackableDataStructure):
    """A list or dict that has the same values as the one of the program that it was made of, at all times.

    Each method of `list` or `dict` first takes over what the program did to its own one, and afterwards
    does the same to that. So both have wrapped values.
    """

    own: Any  # the list or dict of the program

    def __init_subclass__(cls) -> None:
        kind = cls.__bases__[1]
        names = (
            "sort reverse pop popitem remove clear index count get keys values items copy".split()
        )
        names += "__len__ __iter__ __contains__ __getitem__ __delitem__ __eq__ __ne__".split()
        names += "__reversed__ __add__ __mul__ __imul__ __or__ __ior__".split()
        for name in names:
            if hasattr(kind, name):
                setattr(cls, name, shared(getattr(kind, name)))


def shared(method: Any) -> Any:
    """``method`` of a list or a dict, made one of `Sharing`."""

    @functools.wraps(method)
    def on_both(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._take_over()
        result = method(self, *args, **kwargs)
        self._give()
        return result

    return on_both


class ListWrapper(Sharing, list[Any]):
    """A list that prints as one, and wraps the lists and dicts that are added."""

    def __init__(self, wrapped_list: Iterable[Any]) -> None:
        super().__init__()
        self.own = wrapped_list if type(wrapped_list) is list else list(wrapped_list)
        self._take_over()

    def _take_over(self) -> None:
        own = self.own
        if len(own) != list.__len__(self) or any(map(operator.is_not, own, list.__iter__(self))):
            list.__setitem__(self, slice(None), [wrap_or_unwrap(value) for value in own])
            self._give()

    def _give(self) -> None:
        self.own[:] = list.__iter__(self)

    @shared
    def append(self, value: Any) -> None:
        super().append(wrap_or_unwrap(value))

    @shared
    def extend(self, values: Iterable[Any]) -> None:
        super().extend([wrap_or_unwrap(value) for value in values])

    @shared
    def insert(self, index: SupportsIndex, obj: Any) -> None:
        super().insert(index, wrap_or_unwrap(obj))

    @shared
    def __setitem__(self, key: Any, value: Any) -> None:
        one = not isinstance(key, slice)
        super().__setitem__(key, wrap_or_unwrap(value) if one else map(wrap_or_unwrap, value))

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]  # as of list itself
        self.extend(values)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ListWrapper, (list(self),)

    @shared
    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"


class _DictWrapper(Sharing, KeyByKey):
    """A dict that prints as one, and wraps the lists and dicts that are added."""

    def __init__(self, wrapped_dict: Mapping[Any, Any] | None = None) -> None:
        super().__init__()
        self.own = wrapped_dict if type(wrapped_dict) is dict else dict(wrapped_dict or {})
        self._take_over()

    def _take_over(self) -> None:
        pairs = [dict.items(self), self.own.items()]
        if len({tuple((id(key), id(value)) for key, value in items) for items in pairs}) > 1:
            dict.clear(self)
            dict.update(self, {key: wrap_or_unwrap(value) for key, value in pairs[1]})
            self._give()

    def _give(self) -> None:
        self.own.clear()
        self.own.update(dict.items(self))

    @property
    def _values(self) -> list[Any]:
        """What it holds, by its keys in order."""
        try:
            return [self[key] for key in sorted(self)]
        except TypeError:  # keys of several types
            return list(self.values())

    @shared
    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, wrap_or_unwrap(value))

    def __reduce__(self) -> tuple[Any, ...]:
        return _DictWrapper, (dict(self),)

    def __repr__(self) -> str:
        return f"DictWrapper({self})"

    @shared
    def __str__(self) -> str:
        return super().__repr__()


class _TupleWrapper(TrackableDataStructure, tuple[Any, ...]):
    """A tuple with parts that have variables."""

    _nest_type = tuple

    def __reduce__(self) -> tuple[Any, ...]:
        return _TupleWrapper, (tuple(self),)


@functools.cache
def _named_wrapper(kind: Any) -> Any:
    """The class of tuples of the class ``kind``, which has names for the parts, as `_TupleWrapper` is."""
    members = {"__reduce__": lambda self: (kind, tuple(self)), "__slots__": ()}
    return type(kind.__name__, (_NamedTupleWrapper, kind), members)


class _NamedTupleWrapper(TrackableDataStructure):
    """What tuples with names for the parts are too, if the parts have variables."""


def _has_variables(value: Any) -> bool:
    return isinstance(value, TrackableDataStructure) or hasattr(type(value), "trainable_weights")


def _wrapped_tuple(value: Any) -> Any:
    """A tuple whose parts are wrapped; the same if that changes nothing, and no part has variables."""
    parts = [wrap_or_unwrap(part) for part in value]
    if not any(_has_variables(part) for part in parts):
        return value
    kind: Any = type(value)
    return _TupleWrapper(parts) if kind is tuple else _named_wrapper(kind)(*parts)


def wrap_or_unwrap(value: Any) -> Any:
    """``value`` as a trackable object holds it: lists, dicts and tuples wrapped, `NoDependency` taken off.

    Tuples without variables are not wrapped.

    Args:
        value: any object.
    """
    if isinstance(value, NoDependency):
        return value.value
    if type(value) is list:
        return ListWrapper(value)
    if type(value) is dict:
        return _DictWrapper(value)
    if type(value) is tuple or (hasattr(type(value), "_fields") and isinstance(value, tuple)):
        return value if isinstance(value, TrackableDataStructure) else _wrapped_tuple(value)
    return value
