"""Takes nests apart and puts them together: values inside lists, tuples, dicts and the like, to any depth.

`GradientTape.gradient` returns gradients in the structure of its sources, so this code runs in every
training step. It examines each type once and remembers the answer.
docs/decisions/calls.md says why it is written by hand.
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

PUBLIC = {
    "nest compat.v1.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
}


# The path to the container (None for the outermost) and the key in it. A tuple of all keys at each level
# would take quadratic time and memory in a deep nest.
Path: TypeAlias = "tuple[Path, Any] | None"

# The kinds of types. A composite (IndexedSlices, SparseTensor) has the methods `_nest_components()`, which
# gives a list, and `_nest_rebuild(components)`. The spec of composites expands with them: to the specs of
# their components. The values of a MAPPING come in the order of its sorted keys, those of ITEMS in its own.
LEAF, SEQUENCE, NAMEDTUPLE, MAPPING, ITEMS, ATTRS, VIEW, CUSTOM, SLICE, COMPOSITE, SPEC = range(11)

# The tables keep their types alive, so a table is emptied when it is full: some programs make types all the
# time.
_TYPES_KEPT = 4096


class Walker:
    """Walks nests: says which types of values hold others, and which are leaves.

    `PLAIN` and `EXPANDED` are those of `tf.nest`. In elements of data sets a list is a leaf, see
    `data.structure`. In `CONTAINERS`, for graphs, recordings and files, a dict keeps its order, and its keys
    need not be such as can be sorted.

    Args:
      look_at: Gives the kind of a type. It is called once for each type.
    """

    def __init__(self, look_at: Callable[[type], int]) -> None:
        self.look_at = look_at
        self.kinds: dict[type, int] = {}

    def learn(self, type_: type) -> int:
        """The kind of a type that is not in the table of ``kinds``."""
        if len(self.kinds) >= _TYPES_KEPT:
            self.kinds.clear()
        kind = self.kinds[type_] = self.look_at(type_)
        return kind

    def kind_of(self, value: Any) -> int:
        """LEAF, or how ``value`` holds others."""
        kind = self.kinds.get(type(value))
        return self.learn(type(value)) if kind is None else kind

    def flatten(self, structure: Any) -> list[Any]:
        """The leaves, from left to right."""
        if self.kinds.get(type(structure)) == LEAF:
            return [structure]
        leaves: list[Any] = []
        try:
            self._flatten_into(structure, leaves)
        except RecursionError:
            _too_deep()
        return leaves

    def _flatten_into(self, structure: Any, leaves: list[Any]) -> None:
        kinds = self.kinds
        kind = kinds.get(type(structure))
        if kind is None:
            kind = self.learn(type(structure))
        if kind == LEAF:
            leaves.append(structure)
            return
        for child in children_of(structure, kind):
            # Most children are leaves of a type seen before: these are handled here, without a call.
            if kinds.get(type(child)) == LEAF:
                leaves.append(child)
            else:
                self._flatten_into(child, leaves)

    def flatten_with_paths(self, structure: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """The leaves, each with the keys, fields and indices that lead to it."""
        leaves: list[tuple[Path, Any]] = []
        try:
            self._flatten_with_paths_into(structure, leaves, None)
        except RecursionError:
            _too_deep()
        for path, leaf in leaves:
            yield _steps(path), leaf

    def _flatten_with_paths_into(
        self, structure: Any, leaves: list[tuple[Path, Any]], path: Path
    ) -> None:
        kind = self.kind_of(structure)
        if kind == LEAF:
            leaves.append((path, structure))
            return
        for key, child in zip(keys_of(structure, kind), children_of(structure, kind), strict=False):
            self._flatten_with_paths_into(child, leaves, (path, key))

    def map(self, function: Callable[[Any], Any], structure: Any) -> Any:
        """``function`` of each leaf, in the nest of ``structure``."""
        kinds = self.kinds
        kind = kinds.get(type(structure))
        if kind is None:
            kind = self.learn(type(structure))
        if kind == LEAF:
            return function(structure)
        children = [
            function(child) if kinds.get(type(child)) == LEAF else self.map(function, child)
            for child in children_of(structure, kind)
        ]
        return rebuilt(structure, kind, children)

    def replace(self, function: Callable[[Any], Any], structure: Any) -> Any:
        """As `map`, but a nest whose leaves ``function`` returns unchanged is returned as the same object."""
        kind = self.kind_of(structure)
        if kind == LEAF:
            return function(structure)
        before = list(children_of(structure, kind))
        after = [self.replace(function, child) for child in before]
        if all(new is old for new, old in zip(after, before, strict=True)):
            return structure
        return rebuilt(structure, kind, after)

    def pack(self, structure: Any, leaves: Iterable[Any]) -> Any:
        """The leaves in the nest of ``structure``."""
        return self._pack(structure, leaves if type(leaves) is list else list(leaves), 0)[0]

    def _pack(self, structure: Any, values: Sequence[Any], at: int) -> tuple[Any, int]:
        """``structure`` with the leaves ``values[at:]``, and the index of the first value that is left."""
        kinds = self.kinds
        kind = kinds.get(type(structure))
        if kind is None:
            kind = self.learn(type(structure))
        if kind == LEAF:
            return values[at], at + 1
        children = []
        for child in children_of(structure, kind):
            if kinds.get(type(child)) == LEAF:
                children.append(values[at])
                at += 1
            else:
                packed, at = self._pack(child, values, at)
                children.append(packed)
        return rebuilt(structure, kind, children), at


def _look_at(type_: type) -> int:
    if hasattr(type_, "_nest_components"):
        return COMPOSITE
    if getattr(type_, "_nest_is_spec", False):
        return SPEC
    if hasattr(type_, "__tf_flatten__") and hasattr(type_, "__tf_unflatten__"):
        return CUSTOM
    if hasattr(type_, "__attrs_attrs__"):
        return ATTRS
    if issubclass(type_, (str, bytes)):
        return LEAF
    if issubclass(type_, tuple):
        fields = getattr(type_, "_fields", None)
        if isinstance(fields, tuple) and all(isinstance(field, str) for field in fields):
            return NAMEDTUPLE
        return SEQUENCE
    if issubclass(type_, Mapping):
        return MAPPING
    if issubclass(type_, (KeysView, ValuesView, ItemsView)):
        return VIEW
    return SEQUENCE if issubclass(type_, Sequence) else LEAF


def _look_at_whole(type_: type) -> int:
    kind = _look_at(type_)
    return LEAF if kind >= COMPOSITE else kind


# For tf.nest: composites are leaves, or are expanded.
PLAIN = Walker(_look_at_whole)
EXPANDED = Walker(_look_at)


def walker_for(expand_composites: bool) -> Walker:
    """The walker of `tf.nest`."""
    return EXPANDED if expand_composites else PLAIN


def container_kind(type_: type) -> int:
    """The kind of lists, tuples and dicts, whose values keep their order. All else is a leaf."""
    if issubclass(type_, dict):
        return ITEMS
    if issubclass(type_, tuple) and hasattr(type_, "_fields"):
        return NAMEDTUPLE
    return SEQUENCE if issubclass(type_, (list, tuple)) else LEAF


CONTAINERS = Walker(container_kind)


def children_of(structure: Any, kind: int) -> Iterable[Any]:
    """The values in ``structure``, which is no leaf, in the order of `flatten`."""
    if kind == SEQUENCE:
        values: Iterable[Any] = structure
        return values
    if kind == MAPPING:
        return [structure[key] for key in _sorted_keys(structure)]
    if kind == ITEMS:
        return list(structure.values())
    if kind == COMPOSITE:
        components: list[Any] = structure._nest_components()
        return components
    if kind == SPEC:
        return [structure._component_specs]
    if kind == ATTRS:
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    if kind == CUSTOM:
        children: Iterable[Any] = structure.__tf_flatten__()[1]
        return children
    if kind == SLICE:
        return (structure.start, structure.stop, structure.step)
    others: Iterable[Any] = structure
    return others


def keys_of(structure: Any, kind: int) -> Iterable[Any]:
    """The key, field or index of each of `children_of`, which may be fewer."""
    if kind == MAPPING:
        return _sorted_keys(structure)
    if kind == ITEMS:
        return list(structure)
    if kind == NAMEDTUPLE:
        fields: Iterable[Any] = structure._fields
        return fields
    if kind == ATTRS:
        return [field.name for field in type(structure).__attrs_attrs__]
    return itertools.count()


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
    """Whether ``seq`` is a nest, which holds other values, and not a leaf.

    Lists, tuples, dicts, named tuples, attrs classes, other sequences and mappings, and classes with
    ``__tf_flatten__`` are nests. Strings, sets, arrays, tensors and variables are leaves.

    >>> tf.nest.is_nested({"a": 1}), tf.nest.is_nested("a"), tf.nest.is_nested(tf.ones([3]))
    (True, False, False)

    Args:
        seq: any object.
    """
    return PLAIN.kind_of(seq) != LEAF


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of ``structure``, from left to right, in a new list. A single leaf gives a list of one.

    >>> tf.nest.flatten([1, (2, [3]), {"b": 5, "a": 4}])
    [1, 2, 3, 4, 5]

    Args:
      structure: A leaf or a nest of any depth. Dicts give their values in the order of their sorted keys.
      expand_composites: Whether sparse tensors and `IndexedSlices` give the tensors they consist of, and
        their specs those of the tensors.

    Raises:
      TypeError: A dict has keys that cannot be sorted.
      RecursionError: The nest is deeper than Python can follow, or contains itself.
    """
    walker = EXPANDED if expand_composites else PLAIN
    # A leaf takes a quarter less time here than in the method.
    return [structure] if walker.kinds.get(type(structure)) == LEAF else walker.flatten(structure)


def _steps(path: Path) -> tuple[Any, ...]:
    """The keys of ``path``, from the top down."""
    steps = []
    while path is not None:
        path, key = path
        steps.append(key)
    return tuple(reversed(steps))


def _too_deep() -> NoReturn:
    raise RecursionError(
        "The nest is deeper than Python's recursion limit allows, or it contains itself. "
        "Flatten it as it is built, or raise the limit with sys.setrecursionlimit()."
    ) from None


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The values of ``flat_sequence`` in the structure of ``structure``. This undoes `flatten`.

    >>> tf.nest.pack_sequence_as({"b": [0, 0], "a": 0}, [1, 2, 3])
    {'b': [2, 3], 'a': 1}

    Args:
      structure: The nest to copy. Its leaves do not matter.
      flat_sequence: One value for each leaf, in a sequence such as a list. The values go in unchanged.
      expand_composites: Whether sparse tensors and `IndexedSlices` are put together from their components.
        Their specs will do in ``structure``.

    Raises:
      TypeError: ``flat_sequence`` is no sequence.
      ValueError: It holds more values or fewer than ``structure`` has leaves.
    """
    kind = PLAIN.kind_of(flat_sequence)
    if kind == LEAF:
        raise TypeError(
            "The values to pack must come in a sequence such as a list; "
            f"a {type(flat_sequence).__name__} came: {_brief(flat_sequence)}. "
            "A single value goes in as [value]."
        )
    values = flat_sequence if kind == SEQUENCE else list(children_of(flat_sequence, kind))
    walker = walker_for(expand_composites)
    try:
        packed, used = walker._pack(structure, values, 0)
    except RecursionError:
        _too_deep()
    except IndexError:
        # The structure needs more values than there are. Only for the message is it counted how many.
        used = len(walker.flatten(structure))
        if used <= len(values):
            raise
    if used != len(values):
        raise ValueError(
            f"Cannot pack {len(values)} values into a structure of {used} leaves: "
            f"{_outline(structure, walker)}."
        )
    return packed


def rebuilt(structure: Any, kind: int, children: list[Any]) -> Any:
    """A copy of ``structure`` with these ``children``: of the same type, with its other attributes."""
    container: Any = type(structure)
    if container is tuple:
        return tuple(children)
    if container is list or kind == VIEW or container in (range, memoryview):
        return children
    if kind in (MAPPING, ITEMS):
        values = dict(zip(keys_of(structure, kind), children, strict=True))
        return _rebuild_mapping(structure, {key: values[key] for key in structure})
    if kind == NAMEDTUPLE:
        return container(*children)
    if kind == COMPOSITE:
        return structure._nest_rebuild(children)
    if kind == SPEC:
        return structure._from_components(children[0])
    if kind == CUSTOM:
        return container.__tf_unflatten__(structure.__tf_flatten__()[0], tuple(children))
    if kind == ATTRS:
        return _rebuild_attrs(structure, children)
    if kind == SLICE:
        return slice(*children)
    return container(children)


def _rebuild_mapping(mapping: Mapping[Any, Any], ordered: dict[Any, Any]) -> Any:
    container: Any = type(mapping)
    if container is dict:
        return ordered
    if isinstance(mapping, collections.defaultdict):
        return container(mapping.default_factory, ordered)
    if isinstance(mapping, MutableMapping):
        # A constructor may use its argument differently: Counter would count these pairs.
        copy = container()
        for key, value in ordered.items():
            copy[key] = value
        return copy
    try:
        return container(list(ordered.items()))
    except TypeError:
        return container(ordered)  # types.MappingProxyType wants a mapping


def _rebuild_attrs(instance: Any, children: list[Any]) -> Any:
    fields = type(instance).__attrs_attrs__
    arguments = {
        getattr(field, "alias", None) or field.name.lstrip("_"): child
        for field, child in zip(fields, children, strict=True)
        if field.init
    }
    copy = type(instance)(**arguments)
    for field, child in zip(fields, children, strict=True):
        if not field.init:
            object.__setattr__(copy, field.name, child)
    return copy


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless both nests have leaves in the same places. The leaves themselves do not matter.

    >>> tf.nest.assert_same_structure([1, {"a": 2}], ["x", {"a": None}])

    Args:
      nest1: A leaf or a nest.
      nest2: What to compare it with.
      check_types: Whether containers must also be of the same kind (a list is not a tuple) and dicts must
        have the same keys. Any mapping matches another, a subclass of list matches a list, and a named tuple
        matches one of the same name and fields.
      expand_composites: Whether to look into sparse tensors and `IndexedSlices`.

    Raises:
      ValueError: One has more values, or other keys, or a nest where the other has a leaf.
      TypeError: The kinds of two containers differ, and ``check_types`` is True.
    """
    try:
        _compare(nest1, nest2, check_types, walker_for(expand_composites), None)
    except RecursionError:
        _too_deep()


def _compare(first: Any, second: Any, check_types: bool, walker: Walker, path: Path) -> None:
    kind1, kind2 = walker.kind_of(first), walker.kind_of(second)
    if kind1 == LEAF or kind2 == LEAF:
        if kind1 != kind2:
            _mismatch(ValueError, path, first, second, walker)
        return
    if kind1 == SPEC or kind2 == SPEC:
        if not _same_composite(first, second, kind1, kind2):
            _mismatch(ValueError, path, first, second, walker)
        return
    if check_types:
        if not _same_type(first, second, kind1, kind2):
            _mismatch(TypeError, path, first, second, walker)
        if kind1 == MAPPING and set(first) != set(second):
            _mismatch(ValueError, path, first, second, walker)
    children1, children2 = list(children_of(first, kind1)), list(children_of(second, kind2))
    if len(children1) != len(children2):
        _mismatch(ValueError, path, first, second, walker)
    kinds = walker.kinds
    for key, child1, child2 in zip(keys_of(first, kind1), children1, children2, strict=False):
        if kinds.get(type(child1)) != LEAF or kinds.get(type(child2)) != LEAF:
            _compare(child1, child2, check_types, walker, (path, key))


def _same_composite(first: Any, second: Any, kind1: int, kind2: int) -> bool:
    """Whether two values are composites of one kind; one or both are specs."""
    if kind1 == kind2:
        return type(first) is type(second) and len(flatten(first, True)) == len(
            flatten(second, True)
        )
    if COMPOSITE not in (kind1, kind2):
        return False
    spec, value = (first, second) if kind1 == SPEC else (second, first)
    return spec.most_specific_common_supertype([value._type_spec]) is not None


def _same_type(first: Any, second: Any, kind1: int, kind2: int) -> bool:
    type1, type2 = type(first), type(second)
    if type1 is type2:
        return True
    if kind1 != kind2:
        return False
    if kind1 == NAMEDTUPLE:
        return bool(type1.__name__ == type2.__name__ and type1._fields == type2._fields)
    if kind1 == MAPPING or (isinstance(first, list) and isinstance(second, list)):
        return True
    # A class may say which class its objects stand for, as tuples with parts of a model do.
    return getattr(type1, "_nest_type", type1) is getattr(type2, "_nest_type", type2)


def _mismatch(
    error: type[Exception], path: Path, first: Any, second: Any, walker: Walker
) -> NoReturn:
    where = "".join([f"[{key!r}]" for key in _steps(path)])
    place = f"at {where}" if where else "at the top"
    raise error(
        f"The two nests differ {place}: the first has {_describe(first, walker)} there, "
        f"the second {_describe(second, walker)}."
    )


def _describe(structure: Any, walker: Walker) -> str:
    kind = walker.kind_of(structure)
    name = type(structure).__name__
    if kind == LEAF:
        return f"a leaf ({name})"
    if kind == MAPPING:
        return f"a {name} with the keys {list(structure)!r}"
    size = len(list(children_of(structure, kind)))
    return f"a {name} of {size}: {_outline(structure, walker)}"


def _outline(structure: Any, walker: Walker) -> str:
    """``structure`` with a dot for each leaf, cut off where it gets long."""

    def draw(part: Any, depth: int) -> str:
        kind = walker.kind_of(part)
        if kind == LEAF:
            return "."
        if depth == 0:
            return "..."
        children = list(itertools.islice(children_of(part, kind), 11))
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
    """``func`` of each leaf, in the nest of ``structure``. ``func`` gets a leaf from each of several nests.

    >>> tf.nest.map_structure(lambda x, y: x * y, {"a": 2, "b": [3]}, {"a": 10, "b": [10]})
    {'a': 20, 'b': [30]}

    Args:
      func: Takes as many arguments as there are nests.
      *structure: One nest or more, of the same structure (see `assert_same_structure`). The result is built
        like the first.
      **kwargs: ``check_types`` (default True) and ``expand_composites`` (default False), as in
        `assert_same_structure`.

    Raises:
      TypeError: ``func`` cannot be called, or the nests differ in their kinds of containers.
      ValueError: No nest was given, or an unknown keyword, or the nests differ in their sizes or keys.
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
    walker = EXPANDED if expand_composites else PLAIN
    first, *others = structure
    if not others and walker.kinds.get(type(first)) == LEAF:
        return func(first)
    for other in others:
        assert_same_structure(first, other, check_types, expand_composites)
    leaves = [walker.flatten(nest) for nest in structure]
    results = [func(*values) for values in zip(*leaves, strict=True)]
    try:
        return walker.pack(first, results)
    except RecursionError:
        _too_deep()
