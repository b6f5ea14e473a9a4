"""Nests along the outline of another nest, and with paths: what ``python.util.nest`` has beyond `tf.nest`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tapegrad.framework.nest import (
    ATTRS,
    LEAF,
    MAPPING,
    NAMEDTUPLE,
    children_of,
    flatten_with_paths,
    is_nested,
    kind_of,
    map_structure,
    pack_sequence_as,
    rebuilt,
)

PUBLIC = {
    "__internal__.nest": (
        "flatten_up_to get_traverse_shallow_structure is_attrs is_mapping list_to_tuple "
        "map_structure_up_to sequence_like yield_flat_paths"
    ),
}

Path = tuple[Any, ...]


def is_nested_or_composite(seq: Any) -> bool:
    """Whether ``seq`` is a nest, or holds tensors as sparse tensors do."""
    return kind_of(seq, True) != LEAF


def is_mapping(obj: Any) -> bool:
    return isinstance(obj, Mapping)


def is_attrs(obj: Any) -> bool:
    return kind_of(obj, False) == ATTRS


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    return kind_of(instance, False) == NAMEDTUPLE and (
        not strict or type(instance).__base__ is tuple
    )


def sequence_like(instance: Any, args: Iterable[Any]) -> Any:
    """A container like ``instance`` that holds ``args``, which are in the order of `tf.nest.flatten`."""
    return rebuilt(instance, kind_of(instance, True), list(args))


def yield_value(iterable: Any) -> Iterator[Any]:
    """What ``iterable`` holds, in the order of `tf.nest.flatten`."""
    yield from children_of(iterable, kind_of(iterable, True))


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """What ``iterable`` holds, each with its key, field or index."""
    kind = kind_of(iterable, True)
    yield from zip(keys_of(iterable, kind), children_of(iterable, kind), strict=True)


def keys_of(structure: Any, kind: int) -> list[Any]:
    """The key, field or index of everything that ``structure`` holds."""
    if kind == MAPPING:
        return sorted(structure)
    if kind == NAMEDTUPLE:
        return list(structure._fields)
    if kind == ATTRS:
        return [field.name for field in type(structure).__attrs_attrs__]
    return list(range(len(list(children_of(structure, kind)))))


def list_to_tuple(structure: Any) -> Any:
    """``structure`` with tuples in place of lists."""
    if not is_nested(structure):
        return structure
    children = [list_to_tuple(child) for child in yield_value(structure)]
    return tuple(children) if isinstance(structure, list) else sequence_like(structure, children)


# --- Paths ------------------------------------------------------------------------------------------


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The leaves, each with the keys that lead to it.

    >>> from tapegrad.standing.nested import flatten_with_tuple_paths
    >>> flatten_with_tuple_paths({"a": [5, 6]})
    [(('a', 0), 5), (('a', 1), 6)]
    """
    return list(flatten_with_paths(structure, expand_composites))


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The keys that lead to each leaf."""
    for path, _ in flatten_with_paths(nest, expand_composites):
        yield path


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves, each with the keys that lead to it, joined to one string."""
    paths = flatten_with_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in paths]


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The nest of ``func(path, *leaves)``, for the leaves at the same place of each structure."""
    expand = kwargs.get("expand_composites", False)
    paths = pack_sequence_as(
        structure[0], [Leaf(path) for path in yield_flat_paths(structure[0], expand)], expand
    )
    return map_structure(
        lambda path, *leaves: func(path.value, *leaves), paths, *structure, **kwargs
    )


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The nest of ``func(path, *leaves)``, where a path is a string of keys between slashes."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves: func("/".join(map(str, path)), *leaves), *structure, **kwargs
    )


class Leaf:
    """Holds a value that would be a nest itself."""

    def __init__(self, value: Any) -> None:
        self.value = value


# --- Up to the leaves of another nest ---------------------------------------------------------------


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless ``input_tree`` begins as ``shallow_tree`` does, and goes on where that has leaves."""
    kind = kind_of(shallow_tree, expand_composites)
    if kind == LEAF:
        return
    if kind_of(input_tree, expand_composites) == LEAF:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: {type(input_tree)}."
        )
    if check_types and not same_type(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    children = list(children_of(shallow_tree, kind))
    found = list(yield_value(input_tree))
    if len(found) != len(children):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(found)}, while shallow structure has length {len(children)}."
        )
    if kind == MAPPING:
        if missing := sorted(set(shallow_tree) - set(input_tree)):
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                f"shallow_tree has the following keys that are not in the input_tree: {missing}."
            )
        found = [input_tree[key] for key in keys_of(shallow_tree, kind)]
    for child, other in zip(children, found, strict=True):
        assert_shallow_structure(child, other, check_types, expand_composites)


def same_type(first: Any, second: Any) -> bool:
    """Whether two nests have one type, but for mappings, and named tuples of the same fields."""
    if is_mapping(first) and is_mapping(second):
        return True
    if is_namedtuple(first) and is_namedtuple(second):
        same: bool = first._fields == second._fields
        return same and type(first).__name__ == type(second).__name__
    return isinstance(first, type(second)) or isinstance(second, type(first))


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """What ``input_tree`` has at the leaves of ``shallow_tree``, each with the keys that lead to it."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    paths = yield_flat_paths(shallow_tree, expand_composites)
    return [(path, at(input_tree, path)) for path in paths]


def at(tree: Any, path: Path) -> Any:
    """What ``tree`` holds at the end of ``path``."""
    for key in path:
        tree = tree[key] if is_mapping(tree) else dict(enumerate_all(tree))[key]
    return tree


def enumerate_all(tree: Any) -> Iterator[tuple[Any, Any]]:
    """What ``tree`` holds, by key, field or index, and by index where it has fields."""
    items = list(yield_sorted_items(tree))
    yield from enumerate(value for _, value in items)
    yield from items


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """What ``input_tree`` has at the leaves of ``shallow_tree``.

    >>> from tapegrad.standing.nested import flatten_up_to
    >>> flatten_up_to([True, True], [{"a": 1}, [2, 3]])
    [{'a': 1}, [2, 3]]
    """
    found = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in found]


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """The nest of ``func`` of what all ``inputs`` have at each leaf of ``shallow_tree``."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values: func(*values), *inputs, **kwargs
    )


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """As `map_structure_up_to`; ``func`` gets first the keys that lead to the leaf."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise TypeError(f"map_structure_up_to: unknown arguments {', '.join(kwargs)}")
    columns = [
        flatten_with_tuple_paths_up_to(shallow_tree, each, check_types, expand) for each in inputs
    ]
    results = [func(row[0][0], *(value for _, value in row)) for row in zip(*columns, strict=True)]
    return pack_sequence_as(shallow_tree, results, expand)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """An outline of ``structure``: True at its leaves, and False where ``traverse_fn`` goes no deeper."""
    answer = traverse_fn(structure)
    if kind_of(structure, expand_composites) == LEAF:
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned a non-bool scalar: {answer} for input: {structure}"
            )
        return answer
    if not is_nested(answer):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned a non-bool scalar: {answer} for input: {structure}"
            )
        if not answer:
            return False
        answers: Iterable[Any] = [True for _ in yield_value(structure)]
    else:
        assert_shallow_structure(answer, structure, check_types=False)
        answers = yield_value(answer)
    level = [
        get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go_on else False
        for go_on, child in zip(answers, yield_value(structure), strict=True)
    ]
    return sequence_like(structure, level)
