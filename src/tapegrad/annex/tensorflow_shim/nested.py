"""Nests along the outline of another nest, and with paths: what ``python.util.nest`` has beyond `tf.nest`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tapegrad.framework.nest import (
    ATTRS,
    EXPANDED,
    LEAF,
    MAPPING,
    NAMEDTUPLE,
    PLAIN,
    children_of,
    is_nested,
    keys_of,
    map_structure,
    pack_sequence_as,
    rebuilt,
    walker_for,
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
    return EXPANDED.kind_of(seq) != LEAF


def is_mapping(obj: Any) -> bool:
    """Whether ``obj`` is a mapping, such as a dict.

    Args:
        obj: any object.
    """
    return isinstance(obj, Mapping)


def is_attrs(obj: Any) -> bool:
    """Whether ``obj`` is of a class that ``attrs`` made.

    Args:
        obj: any object.
    """
    return PLAIN.kind_of(obj) == ATTRS


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    return PLAIN.kind_of(instance) == NAMEDTUPLE and (
        not strict or type(instance).__base__ is tuple
    )


def sequence_like(instance: Any, args: Iterable[Any]) -> Any:
    """A container like ``instance`` that holds ``args``, which are in the order of `tf.nest.flatten`.

    Args:
        instance: a list, tuple, named tuple, dict or other container.
        args: the values that the new container holds, as many as ``instance`` has.
    """
    return rebuilt(instance, EXPANDED.kind_of(instance), list(args))


def yield_value(iterable: Any) -> Iterator[Any]:
    """What ``iterable`` holds, in the order of `tf.nest.flatten`."""
    yield from children_of(iterable, EXPANDED.kind_of(iterable))


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """What ``iterable`` holds, each with its key, field or index."""
    kind = EXPANDED.kind_of(iterable)
    yield from zip(keys_of(iterable, kind), children_of(iterable, kind), strict=False)


def list_to_tuple(structure: Any) -> Any:
    """``structure`` with tuples in place of lists.

    Args:
        structure: a nest.
    """
    if not is_nested(structure):
        return structure
    children = [list_to_tuple(child) for child in yield_value(structure)]
    return tuple(children) if isinstance(structure, list) else sequence_like(structure, children)


# --- Paths ------------------------------------------------------------------------------------------


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The leaves, each with the keys that lead to it.

    >>> from tapegrad.annex.tensorflow_shim.nested import flatten_with_tuple_paths
    >>> flatten_with_tuple_paths({"a": [5, 6]})
    [(('a', 0), 5), (('a', 1), 6)]
    """
    return list(walker_for(expand_composites).flatten_with_paths(structure))


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The keys that lead to each leaf.

    Args:
        nest: a nest.
        expand_composites: whether sparse and ragged tensors and the like are nests of their tensors.
    """
    for path, _ in walker_for(expand_composites).flatten_with_paths(nest):
        yield path


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves, each with the keys that lead to it, joined to one string."""
    paths = walker_for(expand_composites).flatten_with_paths(structure)
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
    """Raise unless ``input_tree`` begins as ``shallow_tree`` does; it may continue where that has leaves."""
    walker = walker_for(expand_composites)
    kind = walker.kind_of(shallow_tree)
    if kind == LEAF:
        return
    if walker.kind_of(input_tree) == LEAF:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: {type(input_tree)}."
        )
    if check_types and not same_type(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    lengths = [len(list(yield_value(tree))) for tree in (input_tree, shallow_tree)]
    if lengths[0] != lengths[1]:
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{lengths[0]}, while shallow structure has length {lengths[1]}."
        )
    if kind == MAPPING and (missing := sorted(set(shallow_tree) - set(input_tree))):
        raise ValueError(
            "The shallow_tree's keys are not a subset of the input_tree's keys. The "
            f"shallow_tree has the following keys that are not in the input_tree: {missing}."
        )
    for _, child, inner in _both(shallow_tree, input_tree, kind):
        assert_shallow_structure(child, inner, check_types, expand_composites)


def _both(shallow_tree: Any, input_tree: Any, kind: int) -> Iterator[tuple[Any, Any, Any]]:
    """The keys of a nest of this kind, with what it and another nest of its length hold there."""
    keys = keys_of(shallow_tree, kind)
    if kind == MAPPING:
        inside: Iterable[Any] = [input_tree[key] for key in keys]
    else:
        inside = yield_value(input_tree)
    return zip(keys, children_of(shallow_tree, kind), inside, strict=False)


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
    walker = walker_for(expand_composites)

    def visit(shallow: Any, tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
        kind = walker.kind_of(shallow)
        if kind == LEAF:
            yield path, tree
            return
        for key, child, inner in _both(shallow, tree, kind):
            yield from visit(child, inner, (*path, key))

    return list(visit(shallow_tree, input_tree, ()))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """What ``input_tree`` has at the leaves of ``shallow_tree``.

    >>> from tapegrad.annex.tensorflow_shim.nested import flatten_up_to
    >>> flatten_up_to([True, True], [{"a": 1}, [2, 3]])
    [{'a': 1}, [2, 3]]

    Args:
        shallow_tree: a nest. Its leaves may stand for nests of ``input_tree``.
        input_tree: a nest that begins as ``shallow_tree`` does.
        check_types: whether the containers of both must be of the same classes.
        expand_composites: whether sparse and ragged tensors and the like are nests of their tensors.
    """
    pairs = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in pairs]


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """The nest of ``func`` of what all ``inputs`` have at each leaf of ``shallow_tree``.

    Args:
        shallow_tree: a nest, which says where ``func`` is called.
        func: a function with an argument for each of ``inputs``.
        *inputs: nests that begin as ``shallow_tree`` does.
    """
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
        flatten_with_tuple_paths_up_to(shallow_tree, tree, check_types, expand) for tree in inputs
    ]
    results = [func(row[0][0], *(value for _, value in row)) for row in zip(*columns, strict=True)]
    return pack_sequence_as(shallow_tree, results, expand)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """An outline of ``structure``: True at its leaves, and False where ``traverse_fn`` goes no deeper.

    Args:
        traverse_fn: a function of a part of ``structure``: a bool, whether to go into the part; or a nest of
            bools, one for each part of it.
        structure: a nest.
        expand_composites: whether sparse and ragged tensors and the like are nests of their tensors.
    """
    answer = traverse_fn(structure)
    is_leaf = walker_for(expand_composites).kind_of(structure) == LEAF
    if is_leaf or not is_nested(answer):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned a non-bool scalar: {answer} for input: {structure}"
            )
        if is_leaf or not answer:
            return answer
        answers: Iterable[Any] = [True for _ in yield_value(structure)]
    else:
        assert_shallow_structure(answer, structure, check_types=False)
        answers = yield_value(answer)
    level = [
        get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go_on else False
        for go_on, child in zip(answers, yield_value(structure), strict=True)
    ]
    return sequence_like(structure, level)
