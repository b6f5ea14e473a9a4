"""The objects below a root, the entries of tables, and the files of assets."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad.core import VariableBase, static_value
from tapegrad.framework.bases import DictWrapper, Trackable
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.kinds import GenericFunction
from tapegrad.ops.program.tables import Entries
from tapegrad.saving.options import Asset
from tapegrad.tables import LookupInterface, StaticVocabularyTable


def children_of(value: Any, kind: str = "savedmodel", cache: Any = None) -> dict[Any, Any]:
    """The parts of a trackable object, a list or a dict, by name.

    Raises:
        ValueError: a part of a dict has a key that is no name.
    """
    if isinstance(value, Mapping):
        if type(value) not in (dict, OrderedDict, DictWrapper):
            # TensorFlow does not track these at all. Keras has some, with numbers as keys.
            return {key: part for key, part in value.items() if isinstance(key, str)}
        for key, part in value.items():
            if not isinstance(key, str) and is_part(part):
                raise ValueError(
                    f"Unable to save the object {value!r}: its key {key!r} is no text, and maps to something "
                    "that is saved. To leave out such a dict, wrap it in an object that is not trackable."
                )
        return dict(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple)):
        return {str(number): part for number, part in enumerate(value)}
    if isinstance(value, Trackable):
        value._maybe_initialize_trackable()
    parts = dict(value._trackable_children(kind, cache={} if cache is None else cache))
    if parts.get("_functional") is not None:
        # A Keras Sequential puts an input layer before its others when it is built: the places in its list
        # change. The functional model that it makes then has the same layers in places that stay.
        parts.pop("_layers", None)
    return parts


def is_part(value: Any) -> bool:
    """Whether a value is saved as a part of the object that has it."""
    return isinstance(
        value, (Trackable, GenericFunction, ConcreteFunction, VariableBase, list, tuple, Mapping)
    )


def owner_of(variable: Any) -> Any:
    """The variable that has the value of this one: itself, or the one that it wraps.

    The copy of a replica of a strategy belongs to the variable of all replicas.
    """
    container = getattr(variable, "_distributed_container", None)
    whole = None if container is None else container()
    if whole is not None:
        return whole
    return variable if variable._owner is None else variable._owner


def variable_in(value: Any) -> Any:
    """The variable that a value is, or holds as Keras's variables do; None if it is no variable."""
    if isinstance(value, VariableBase):
        return owner_of(value)
    inner = getattr(value, "_value", None) if isinstance(value, Trackable) else None
    if isinstance(inner, VariableBase) and hasattr(value, "_export_to_saved_model_graph"):
        return owner_of(inner)
    return None


class Graph:
    """All objects below a root, each once, in the order in which they are met.

    Attributes:
        objects: the objects. The caller writes those that are functions.
    """

    def __init__(self, root: Any) -> None:
        self.objects: list[Any] = []
        self.children: list[dict[Any, int]] = []
        self._numbers: dict[Any, int] = {}
        self._entries: dict[int, int] = {}
        self.assets: dict[int, int] = {}  # the number of each, by the id of the array with its path
        self._cache: dict[Any, Any] = {}
        self.number(root)
        done = 0
        while done < len(self.objects):
            value = self.objects[done]
            children: dict[Any, int] = {}
            self.children.append(children)
            done += 1
            if not is_container(value):
                continue
            # A layer of Keras 2 in another object is its variables and layers, as one of Keras 3 is. What its
            # own `save` adds to them are functions by which Keras 2 loads it.
            layer = value is not root and hasattr(type(value), "_trackable_saved_model_saver")
            kind = "checkpoint" if layer else "savedmodel"
            for name, part in children_of(value, kind, self._cache).items():
                if is_part(part):
                    children[name] = self.number(part)

    def number(self, value: Any) -> int:
        """The number of an object, which is new if the object is."""
        variable = variable_in(value)
        value = value if variable is None else variable
        try:
            key: Any = value if isinstance(value, GenericFunction) else id(value)
            known = self._numbers.get(key)
        except TypeError:
            key = id(value)
            known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.objects)
            self.objects.append(value)
            table: Any = value._words if isinstance(value, StaticVocabularyTable) else value
            if isinstance(value, Asset):
                self.assets[id(value.asset_path._array)] = known
            if isinstance(getattr(table, "_entries", None), Entries):
                self._entries[id(table._entries)] = known
        return known

    def find(self, value: Any) -> int | None:
        """The number of a variable or of what a table holds; None if nothing below the root has it."""
        if isinstance(value, Entries):
            return self._entries.get(id(value))
        return self._numbers.get(id(value))


def is_container(value: Any) -> bool:
    """Whether the parts of an object are looked for."""
    return not isinstance(
        value, (VariableBase, GenericFunction, ConcreteFunction, LookupInterface, Asset)
    )


def table_arrays(table: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The keys and the values of a table."""
    entries = table._entries
    return (
        _array(list(entries.values), entries.key_dtype, entries.key_shape),
        _array(list(entries.values.values()), entries.value_dtype, entries.value_shape),
    )


def reserved_keys(table: Any) -> list[np.ndarray[Any, Any]]:
    """The keys that no entry of a dense table has: that of an empty bucket, and that of a deleted one."""
    entries = table._entries
    return [
        _array([key], entries.key_dtype, entries.key_shape).reshape(entries.key_shape)
        for key in entries.reserved
    ]


def _array(elements: list[Any], dtype: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.empty((len(elements), *shape), dtype.numpy_dtype)
    for index, element in enumerate(elements):
        array[index] = element
    return array


def asset_file(asset: Asset, taken: set[str]) -> tuple[str, str]:
    """A name for the file of an asset that is not taken yet, and its path."""
    source = Path(static_value(asset.asset_path, "a path").item().decode())
    return free_name(source.stem, taken, source.suffix), str(source)


def free_name(stem: str, taken: Container[str], suffix: str = "") -> str:
    """The first of `x`, `x_1`, `x_2` and so on that is not taken."""
    name, number = stem + suffix, 0
    while name in taken:
        number += 1
        name = f"{stem}_{number}{suffix}"
    return name
