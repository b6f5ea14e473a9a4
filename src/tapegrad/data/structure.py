"""Elements: nests whose leaves are tensors. Unlike in `tf.nest`, a list is a leaf: it becomes a tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapegrad.core import EagerTensor, Tensor, VariableBase
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.nest import LEAF, MAPPING, PLAIN, SEQUENCE, Walker, children_of
from tapegrad.framework.spec import NoneTensorSpec, TensorSpec, TypeSpec
from tapegrad.ops.sparse.sparse_tensor import SparseTensorValue, as_sparse

Leaf = Any
Element = Any


def _look_at(type_: type) -> int:
    if issubclass(type_, (TypeSpec, SparseTensorValue)):
        return LEAF
    kind = PLAIN.look_at(type_)
    return LEAF if kind == SEQUENCE and not issubclass(type_, tuple) else kind


WALKER = Walker(_look_at)
flatten = WALKER.flatten
map_leaves = WALKER.map
pack = WALKER.pack


def is_nested(value: Any) -> bool:
    """Whether ``value`` is a tuple, a mapping or an attrs object, which holds leaves."""
    return WALKER.kind_of(value) != LEAF


def children(value: Any) -> Iterable[Any]:
    """What the nest ``value`` holds, in the order of `flatten`."""
    return children_of(value, WALKER.kind_of(value))


def flatten_up_to(spec: Any, value: Any, what: str) -> list[Any]:
    """The parts of ``value`` at the leaves of ``spec``. A nest of numbers may be one tensor.

    Raises:
        ValueError: ``value`` has more values or fewer, other keys, or one value in place of several.
        TypeError: Two containers differ in kind.
    """
    if not is_nested(spec):
        return [value]
    assert_same_container(value, spec, what)
    return [
        leaf
        for part, inner in zip(children(spec), children(value), strict=True)
        for leaf in flatten_up_to(part, inner, what)
    ]


def assert_same_structure(first: Any, second: Any, what: str) -> None:
    """Raise unless two nests have leaves in the same places, in containers of the same kind.

    Raises:
        ValueError: One has more values, other keys, or a nest where the other has a leaf.
        TypeError: Two containers differ in kind.
    """
    if is_nested(first) or is_nested(second):
        assert_same_container(first, second, what)
        for one, other in zip(children(first), children(second), strict=True):
            assert_same_structure(one, other, what)


def assert_same_container(first: Any, second: Any, what: str) -> None:
    """The checks of `assert_same_structure` for two nests themselves, without their items."""
    kinds = WALKER.kind_of(first), WALKER.kind_of(second)
    if LEAF in kinds:
        raise ValueError(
            f"{what} do not have the same nested structure: one has a nest where the other has "
            f"a single value. First: {first!r}. Second: {second!r}."
        )
    if kinds[0] != kinds[1]:
        raise TypeError(
            f"{what} do not have the same sequence type: "
            f"{type(first).__name__} and {type(second).__name__}."
        )
    if kinds[0] == MAPPING and set(first) != set(second):
        raise ValueError(
            f"{what} do not have the same keys: {sorted(first)!r} and {sorted(second)!r}."
        )
    counts = len(list(children(first))), len(list(children(second)))
    if counts[0] != counts[1]:
        raise ValueError(
            f"{what} do not have the same number of values: {counts[0]} and {counts[1]}. "
            f"First: {first!r}. Second: {second!r}."
        )


def to_leaf(value: Any) -> Leaf:
    """``value`` as a leaf: numbers, lists and arrays become tensors; other kinds are returned unchanged."""
    if isinstance(value, EagerTensor) or value is None:
        return value
    if isinstance(value, SparseTensorValue):
        return as_sparse(value)
    if isinstance(value, VariableBase) or not hasattr(value, "_type_spec"):
        return value if isinstance(value, Tensor) else convert_to_tensor(value)
    return value


def to_element(value: Any) -> Element:
    """The nest ``value`` with its leaves converted to tensors.

    >>> to_element(([1, 2], {"a": 3.0}))[1]["a"]
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """
    kind = type(value)
    if kind is EagerTensor:
        return value
    if kind is tuple:
        for leaf in value:
            if type(leaf) is not EagerTensor:
                break
        else:
            return value
    return map_leaves(to_leaf, value)


def spec_of_leaf(value: Leaf) -> Any:
    """The spec that describes this leaf exactly."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    return NoneTensorSpec() if value is None else value._type_spec


def spec_of(element: Element) -> Any:
    """The nest of specs that describes this element exactly."""
    return map_leaves(spec_of_leaf, element)


def compatible(spec: Any, other: Any) -> bool:
    """Whether two nests of specs describe some elements in common."""
    try:
        assert_same_structure(spec, other, "Specs")
    except (TypeError, ValueError):
        return False
    return all(
        theirs is None if mine is None else mine.is_compatible_with(theirs)
        for mine, theirs in zip(flatten(spec), flatten(other), strict=True)
    )
