"""``tensorflow.python.data.util.nest``: nests as elements of data sets are, in which lists are leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.data import structure as elements
from tapegrad.data.structure import flatten, is_nested

__all__ = ["flatten", "is_nested"]


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError unless two nests have leaves in the same places, TypeError for other containers."""
    if check_types:
        elements.assert_same_structure(nest1, nest2, "Nests")
    elif is_nested(nest1) != is_nested(nest2) or len(flatten(nest1)) != len(flatten(nest2)):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {nest1}\n\nSecond structure: {nest2}"
        )


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """The leaves ``flat_sequence`` in the nest of ``structure``.

    >>> from tapegrad.annex.tensorflow_shim.data_nest import pack_sequence_as
    >>> pack_sequence_as((1, [2, 3]), ["a", "b"])
    ('a', 'b')
    """
    places, leaves = len(flatten(structure)), list(flat_sequence)
    if places != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Argument `structure` had {places} elements, but argument "
            f"`flat_sequence` had {len(leaves)} elements."
        )
    return elements.pack(structure, leaves)


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True) -> Any:
    """``func`` of the leaves at each place, in the nest of the first structure."""
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    columns = [flatten(nest) for nest in structure]
    return elements.pack(structure[0], [func(*leaves) for leaves in zip(*columns, strict=True)])


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Raise unless ``input_tree`` has parts in all places of ``shallow_tree``."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree).__name__!r}."
        )
    if check_types and type(shallow_tree) is not type(input_tree):
        raise TypeError(
            f"The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree).__name__!r}, while shallow structure has type "
            f"{type(shallow_tree).__name__!r}."
        )
    outer, inner = list(elements.children(shallow_tree)), list(elements.children(input_tree))
    if len(outer) != len(inner):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(inner)}, while shallow structure has length {len(outer)}."
        )
    for shallow, deep in zip(outer, inner, strict=True):
        assert_shallow_structure(shallow, deep, check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """The parts of ``input_tree`` in the places of the leaves of ``shallow_tree``.

    >>> from tapegrad.annex.tensorflow_shim.data_nest import flatten_up_to
    >>> flatten_up_to((0, 0), ((1, 2), 3))
    [(1, 2), 3]
    """
    assert_shallow_structure(shallow_tree, input_tree)
    if not is_nested(shallow_tree):
        return [input_tree]
    pairs = zip(elements.children(shallow_tree), elements.children(input_tree), strict=True)
    return [part for shallow, deep in pairs for part in flatten_up_to(shallow, deep)]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """``func`` of the parts in the places of the leaves of ``shallow_tree``, in its nest."""
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    columns = [flatten_up_to(shallow_tree, tree) for tree in inputs]
    return elements.pack(shallow_tree, [func(*parts) for parts in zip(*columns, strict=True)])
