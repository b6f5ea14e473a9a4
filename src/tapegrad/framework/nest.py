"""Nests: values inside lists, tuples, dicts and their kin, to any depth, taken apart and put
together.

`GradientTape.gradient` returns gradients in the shape its sources came in, so this runs once per
training step; a type is looked at once and remembered. Why by hand:
docs/decisions/0002-nest-by-hand.md.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    Sequence,
    ValuesView,
)
from typing import Any, NoReturn, TypeAlias

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

PUBLIC = {
    "nest compat.v1.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
}


# The path to the container, None for the outermost, and the key there. A tuple of all the keys, made at
# each level, would take a deep nest quadratic time and memory.
Path: TypeAlias = "tuple[Path, Any] | None"

# What a type is to us. A composite (IndexedSlices, SparseTensor) is a leaf until somebody asks for
# its components: it offers `_nest_components()`, a list, and `_nest_rebuild(components)`, another
# like it.
LEAF, COMPOSITE, SEQUENCE, NAMEDTUPLE, MAPPING, ATTRS, VIEW, CUSTOM = range(8)

_kinds: dict[type, int] = {dict: MAPPING, list: SEQUENCE, tuple: SEQUENCE, str: LEAF, bytes: LEAF}
# The table keeps the types in it alive, so a program that makes types by the thousand empties it.
_KINDS_KEPT = 4096


def _classify(kind_of: type) -> int:
    if len(_kinds) >= _KINDS_KEPT:
        _kinds.clear()
    kind = _kinds[kind_of] = _look_at(kind_of)
    return kind


def _look_at(kind_of: type) -> int:
    if hasattr(kind_of, "_nest_components"):
        return COMPOSITE
    if hasattr(kind_of, "__tf_flatten__") and hasattr(kind_of, "__tf_unflatten__"):
        return CUSTOM
    if hasattr(kind_of, "__attrs_attrs__"):
        return ATTRS
    if issubclass(kind_of, (str, bytes)):
        return LEAF
    if issubclass(kind_of, tuple):
        fields = getattr(kind_of, "_fields", None)
        if isinstance(fields, tuple) and all(isinstance(field, str) for field in fields):
            return NAMEDTUPLE
        return SEQUENCE
    if issubclass(kind_of, Mapping):
        return MAPPING
    if issubclass(kind_of, (KeysView, ValuesView, ItemsView)):
        return VIEW
    return SEQUENCE if issubclass(kind_of, Sequence) else LEAF


def _kind(structure: Any, expand_composites: bool) -> int:
    kind = _kinds.get(type(structure))
    if kind is None:
        kind = _classify(type(structure))
    return LEAF if kind == COMPOSITE and not expand_composites else kind


def _children(structure: Any, kind: int) -> Iterable[Any]:
    """What ``structure``, which is no leaf, holds, in the order it flattens in."""
    if kind == MAPPING:
        return [structure[key] for key in _sorted_keys(structure)]
    if kind == COMPOSITE:
        components: list[Any] = structure._nest_components()
        return components
    if kind == ATTRS:
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    if kind == CUSTOM:
        children: Iterable[Any] = structure.__tf_flatten__()[1]
        return children
    values: Iterable[Any] = structure
    return values


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError as error:
        raise TypeError(
            "A dict in a nest flattens in the order of its sorted keys, "
            f"but the keys {list(mapping)!r} cannot be sorted ({error}). "
            "Give them one type, for instance by making them all strings."
        ) from None


def is_nested(seq: Any) -> bool:
    """Whether ``seq`` holds other values, rather than being one.

    Lists, tuples, dicts, named tuples, attrs classes, other sequences and mappings, and classes
    with ``__tf_flatten__`` do; strings, sets, arrays, tensors and variables do not.

    >>> tf.nest.is_nested({"a": 1}), tf.nest.is_nested("a"), tf.nest.is_nested(tf.ones([3]))
    (True, False, False)
    """
    return _kind(seq, False) != LEAF


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of ``structure``, from left to right, in a new list. A leaf alone gives a list of
    one.

    >>> tf.nest.flatten([1, (2, [3]), {"b": 5, "a": 4}])
    [1, 2, 3, 4, 5]

    Args:
      structure: A leaf or a nest of any depth. Dicts give their values in the order of their sorted
        keys.
      expand_composites: Whether sparse tensors and `IndexedSlices` give the tensors they are made
        of.

    Raises:
      TypeError: A dict has keys that cannot be sorted.
      RecursionError: The nest is deeper than Python can follow, or contains itself.
    """
    leaves: list[Any] = []
    try:
        _flatten_into(structure, leaves, expand_composites)
    except RecursionError:
        _too_deep()
    return leaves


def _flatten_into(structure: Any, leaves: list[Any], expand_composites: bool) -> None:
    kind = _kind(structure, expand_composites)
    if kind == LEAF:
        leaves.append(structure)
        return
    for child in _children(structure, kind):
        # The commonest child is a leaf of a type seen before: it is not worth a call.
        if _kinds.get(type(child)) == LEAF:
            leaves.append(child)
        else:
            _flatten_into(child, leaves, expand_composites)


def flatten_with_paths(
    structure: Any, expand_composites: bool = False
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves of ``structure``, each with the keys, fields and indices that lead to it."""
    leaves: list[tuple[Path, Any]] = []
    try:
        _flatten_with_paths_into(structure, leaves, expand_composites, None)
    except RecursionError:
        _too_deep()
    for path, leaf in leaves:
        yield _steps(path), leaf


def _flatten_with_paths_into(
    structure: Any, leaves: list[tuple[Path, Any]], expand_composites: bool, path: Path
) -> None:
    kind = _kind(structure, expand_composites)
    if kind == LEAF:
        leaves.append((path, structure))
        return
    for key, child in zip(_keys(structure, kind), _children(structure, kind), strict=False):
        _flatten_with_paths_into(child, leaves, expand_composites, (path, key))


def _steps(path: Path) -> tuple[Any, ...]:
    """The keys of ``path``, from the top down."""
    steps = []
    while path is not None:
        path, key = path
        steps.append(key)
    return tuple(reversed(steps))


def _keys(structure: Any, kind: int) -> Iterable[Any]:
    """What each child of ``structure`` is reached by."""
    if kind == MAPPING:
        return _sorted_keys(structure)
    if kind == NAMEDTUPLE:
        fields: Iterable[Any] = structure._fields
        return fields
    if kind == ATTRS:
        return [field.name for field in type(structure).__attrs_attrs__]
    return itertools.count()


def _too_deep() -> NoReturn:
    raise RecursionError(
        "The nest is deeper than Python's recursion limit allows, or it contains itself. "
        "Flatten it as it is built, or raise the limit with sys.setrecursionlimit()."
    ) from None


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The values of ``flat_sequence`` in the shape of ``structure``: the way back from `flatten`.

    >>> tf.nest.pack_sequence_as({"b": [0, 0], "a": 0}, [1, 2, 3])
    {'b': [2, 3], 'a': 1}

    Args:
      structure: The nest to copy; what its leaves are does not matter.
      flat_sequence: One value for each leaf, in a sequence such as a list; the values go in as they
        are.
      expand_composites: Whether sparse tensors and `IndexedSlices` are put together from their
        components.

    Raises:
      TypeError: ``flat_sequence`` is no sequence.
      ValueError: It holds more values or fewer than ``structure`` has leaves.
    """
    kind = _kinds.get(type(flat_sequence))
    if kind is None:
        kind = _classify(type(flat_sequence))
    if kind in (LEAF, COMPOSITE):
        raise TypeError(
            "The values to pack must come in a sequence such as a list; "
            f"a {type(flat_sequence).__name__} came: {_brief(flat_sequence)}. "
            "A single value goes in as [value]."
        )
    values = flat_sequence if kind == SEQUENCE else list(_children(flat_sequence, kind))
    try:
        packed, used = _pack(structure, values, 0, expand_composites)
    except RecursionError:
        _too_deep()
    except IndexError:
        # The structure wants more than there is. Only now is it worth counting how much.
        used = len(flatten(structure, expand_composites))
        if used <= len(values):
            raise
    if used != len(values):
        raise ValueError(
            f"Cannot pack {len(values)} values into a structure of {used} leaves: "
            f"{_outline(structure, expand_composites)}."
        )
    return packed


def _pack(
    structure: Any, values: Sequence[Any], at: int, expand_composites: bool
) -> tuple[Any, int]:
    """``structure`` with ``values[at:]`` for its leaves, and where the values it did not need
    begin."""
    kind = _kind(structure, expand_composites)
    if kind == LEAF:
        return values[at], at + 1
    children = []
    for child in _children(structure, kind):
        if _kinds.get(type(child)) == LEAF:
            children.append(values[at])
            at += 1
        else:
            packed, at = _pack(child, values, at, expand_composites)
            children.append(packed)
    return _rebuild(structure, kind, children), at


def _rebuild(structure: Any, kind: int, children: list[Any]) -> Any:
    """Another ``structure`` with these ``children``: of the same type, with everything else it
    carries."""
    made_as: Any = type(structure)
    if made_as is list or kind == VIEW or made_as in (range, memoryview):
        return children
    if made_as is tuple:
        return tuple(children)
    if kind == MAPPING:
        return _rebuild_mapping(
            structure, dict(zip(_sorted_keys(structure), children, strict=True))
        )
    if kind == NAMEDTUPLE:
        return made_as(*children)
    if kind == COMPOSITE:
        return structure._nest_rebuild(children)
    if kind == CUSTOM:
        return made_as.__tf_unflatten__(structure.__tf_flatten__()[0], tuple(children))
    if kind == ATTRS:
        return _rebuild_attrs(structure, children)
    return made_as(children)


def _rebuild_mapping(mapping: Mapping[Any, Any], values: dict[Any, Any]) -> Any:
    made_as: Any = type(mapping)
    ordered = {key: values[key] for key in mapping}
    if made_as is dict:
        return ordered
    if isinstance(mapping, collections.defaultdict):
        return made_as(mapping.default_factory, ordered)
    if isinstance(mapping, MutableMapping):
        # A constructor may read its argument its own way: Counter would count these pairs.
        made = made_as()
        for key, value in ordered.items():
            made[key] = value
        return made
    try:
        return made_as(list(ordered.items()))
    except TypeError:
        return made_as(ordered)  # types.MappingProxyType wants a mapping


def _rebuild_attrs(instance: Any, children: list[Any]) -> Any:
    fields = type(instance).__attrs_attrs__
    arguments = {
        getattr(field, "alias", None) or field.name.lstrip("_"): child
        for field, child in zip(fields, children, strict=True)
        if field.init
    }
    made = type(instance)(**arguments)
    for field, child in zip(fields, children, strict=True):
        if not field.init:
            object.__setattr__(made, field.name, child)
    return made


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless both nests have leaves in the same places; what the leaves are does not matter.

    >>> tf.nest.assert_same_structure([1, {"a": 2}], ["x", {"a": None}])

    Args:
      nest1: A leaf or a nest.
      nest2: What to compare it with.
      check_types: Whether containers must be of one kind too (a list is not a tuple) and dicts have
        the same keys. Any mapping may stand for another, a subclass of list for a list, and a named
        tuple for another of the same name and fields.
      expand_composites: Whether to look into sparse tensors and `IndexedSlices`.

    Raises:
      ValueError: One has more values, or other keys, or a nest where the other has a leaf.
      TypeError: The kinds of two containers differ, and ``check_types`` is True.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites, None)
    except RecursionError:
        _too_deep()


def _compare(
    first: Any, second: Any, check_types: bool, expand_composites: bool, path: Path
) -> None:
    kind1, kind2 = _kind(first, expand_composites), _kind(second, expand_composites)
    if kind1 == LEAF or kind2 == LEAF:
        if kind1 != kind2:
            _mismatch(ValueError, path, first, second, expand_composites)
        return
    if check_types:
        if not _same_type(first, second, kind1, kind2):
            _mismatch(TypeError, path, first, second, expand_composites)
        if kind1 == MAPPING and set(first) != set(second):
            _mismatch(ValueError, path, first, second, expand_composites)
    children1, children2 = list(_children(first, kind1)), list(_children(second, kind2))
    if len(children1) != len(children2):
        _mismatch(ValueError, path, first, second, expand_composites)
    for key, child1, child2 in zip(_keys(first, kind1), children1, children2, strict=False):
        _compare(child1, child2, check_types, expand_composites, (path, key))


def _same_type(first: Any, second: Any, kind1: int, kind2: int) -> bool:
    type1, type2 = type(first), type(second)
    if type1 is type2:
        return True
    if kind1 != kind2:
        return False
    if kind1 == NAMEDTUPLE:
        return bool(type1.__name__ == type2.__name__ and type1._fields == type2._fields)
    return kind1 == MAPPING or (isinstance(first, list) and isinstance(second, list))


def _mismatch(
    error: type[Exception], path: Path, first: Any, second: Any, expand_composites: bool
) -> NoReturn:
    where = "".join([f"[{key!r}]" for key in _steps(path)])
    place = f"at {where}" if where else "at the top"
    raise error(
        f"The two nests differ {place}: the first has {_describe(first, expand_composites)} there, "
        f"the second {_describe(second, expand_composites)}."
    )


def _describe(structure: Any, expand_composites: bool) -> str:
    kind = _kind(structure, expand_composites)
    name = type(structure).__name__
    if kind == LEAF:
        return f"a leaf ({name})"
    if kind == MAPPING:
        return f"a {name} with the keys {list(structure)!r}"
    size = len(list(_children(structure, kind)))
    return f"a {name} of {size}: {_outline(structure, expand_composites)}"


def _outline(structure: Any, expand_composites: bool) -> str:
    """``structure`` with a dot for each leaf, cut off where it gets long."""

    def draw(part: Any, depth: int) -> str:
        kind = _kind(part, expand_composites)
        if kind == LEAF:
            return "."
        if depth == 0:
            return "..."
        children = list(itertools.islice(_children(part, kind), 11))
        drawn = [draw(child, depth - 1) for child in children[:10]] + ["..."] * (len(children) > 10)
        if kind == MAPPING:
            keys = _sorted_keys(part)
            pairs = [f"{key!r}: {text}" for key, text in zip(keys, drawn, strict=False)]
            return "{" + ", ".join(pairs) + "}"
        text = ", ".join(drawn)
        if type(part) is list:
            return f"[{text}]"
        return f"({text})" if type(part) is tuple else f"{type(part).__name__}({text})"

    return draw(structure, 4)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """``func`` of each leaf, in the shape of ``structure``; of several nests, of the leaves in one
    place.

    >>> tf.nest.map_structure(lambda x, y: x * y, {"a": 2, "b": [3]}, {"a": 10, "b": [10]})
    {'a': 20, 'b': [30]}

    Args:
      func: Takes as many arguments as there are nests.
      *structure: One nest or more, alike in structure (see `assert_same_structure`). The result is
        built like the first.
      **kwargs: ``check_types`` (default True) and ``expand_composites`` (default False), as there.

    Raises:
      TypeError: ``func`` cannot be called, or the nests differ in their kinds of containers.
      ValueError: No nest was given, another keyword was, or the nests differ in their numbers or
        keys.
    """
    if not callable(func):
        raise TypeError(f"func must be callable; a {type(func).__name__} came: {_brief(func)}.")
    if not structure:
        raise ValueError("map_structure() takes at least one nest after the function; none came.")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "map_structure() takes the keywords check_types and expand_composites only; "
            f"{next(iter(kwargs))!r} came. Bind what func needs with functools.partial or a lambda."
        )
    first, *others = structure
    for other in others:
        assert_same_structure(first, other, check_types, expand_composites)
    leaves = [flatten(nest, expand_composites) for nest in structure]
    results = [func(*values) for values in zip(*leaves, strict=True)]
    try:
        return _pack(first, results, 0, expand_composites)[0]
    except RecursionError:
        _too_deep()
