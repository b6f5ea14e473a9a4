"""`tf.nest`: what is a container, in which order, rebuilt as what. The answers are TensorFlow's."""

import collections
import dataclasses
import sys
import tracemalloc
import types
import typing
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.framework import nest

Point = collections.namedtuple("Point", "x y")
Pair = collections.namedtuple("Pair", "x y")
OtherPoint = collections.namedtuple("Point", "x y")
PointXZ = collections.namedtuple("Point", "x z")


class Typed(typing.NamedTuple):
    x: int
    y: int = 3


class List(list):
    pass


class OtherList(list):
    pass


class Tuple(tuple):
    pass


class Dict(dict):
    pass


class Frozen(collections.abc.Mapping):
    """A mapping that cannot be changed, made from pairs."""

    def __init__(self, pairs):
        self.pairs = dict(pairs)

    def __len__(self):
        return len(self.pairs)

    def __iter__(self):
        return iter(self.pairs)

    def __getitem__(self, key):
        return self.pairs[key]

    def __eq__(self, other):
        return self.pairs == other.pairs


class Row(collections.abc.Sequence):
    def __init__(self, *values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]


@dataclasses.dataclass
class Plain:
    b: int
    a: int


@dataclasses.dataclass
class Flattenable:
    note: str
    b: object
    a: object

    def __tf_flatten__(self):
        return (self.note,), (self.b, self.a)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


class Composite:
    """Stands for IndexedSlices: one leaf, or its components when they are asked for."""

    def __init__(self, *components):
        self.components = components

    def _nest_components(self):
        return list(self.components)

    def _nest_rebuild(self, components):
        return Composite(*components)


ORDERED = collections.OrderedDict([("z", 1), ("a", 2)])
DEFAULT = collections.defaultdict(list, {"z": 1, "a": 2})


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (3, [3]),
        (None, [None]),
        ("abc", ["abc"]),
        (b"ab", [b"ab"]),
        ([], []),
        ([[], (), {}], []),
        ([1, (2, [3]), {"b": 4, "a": 5}], [1, 2, 3, 5, 4]),
        ({"b": 1, "a": (2, 3)}, [2, 3, 1]),
        ({(1, 2): 1, (0, 3): 2}, [2, 1]),
        ({True: 1, 0: 2, 2.5: 3}, [2, 1, 3]),
        ({1, 2}, [{1, 2}]),
        (ORDERED, [2, 1]),
        (DEFAULT, [2, 1]),
        (Dict(b=1, a=2), [2, 1]),
        (Frozen({"b": 1, "a": 2}), [2, 1]),
        (types.MappingProxyType({"b": 1, "a": 2}), [2, 1]),
        (collections.UserDict(b=1, a=2), [2, 1]),
        (collections.ChainMap({"b": 1}, {"a": 2}), [2, 1]),
        (collections.Counter("abca"), [2, 1, 1]),
        ({"b": 1, "a": 2}.values(), [1, 2]),
        ({"b": 1, "a": 2}.keys(), ["b", "a"]),
        ({"b": 1, "a": 2}.items(), ["b", 1, "a", 2]),
        (Point(1, [2, 3]), [1, 2, 3]),
        (Typed(1), [1, 3]),
        (List([1, 2]), [1, 2]),
        (Tuple([1, 2]), [1, 2]),
        (Row(1, 2), [1, 2]),
        (range(3), [0, 1, 2]),
        (collections.deque([1, 2]), [1, 2]),
        (bytearray(b"ab"), [97, 98]),
        (Flattenable("note", [1, 2], {"a": 3}), [1, 2, 3]),
    ],
    ids=repr,
)
def test_flatten(structure, leaves):
    assert nest.flatten(structure) == leaves


def test_objects_that_are_no_containers_are_leaves():
    plain, composite, numbers = Plain(1, 2), Composite(1, 2), iter([1, 2])
    array = np.array([[1], [2]], object)
    assert nest.flatten([plain, composite, numbers, array]) == [plain, composite, numbers, array]


def test_tensors_and_variables_are_leaves():
    tensor, variable, shape = tf.constant([1.0, 2.0]), tf.Variable([1.0]), tf.TensorShape([1, 2])
    leaves = nest.flatten({"b": tensor, "a": [variable, shape]})
    assert leaves[0] is variable
    assert leaves[1] is shape
    assert leaves[2] is tensor
    for leaf in leaves:
        assert not nest.is_nested(leaf)


@pytest.mark.parametrize(
    "structure",
    [[], {}, (), Point(1, 2), Row(1), Frozen({}), range(2), {}.values(), {}.items(), {}.keys(),
     bytearray(b"a"), Flattenable("note", 1, 2)],
    ids=repr,
)  # fmt: skip
def test_is_nested(structure):
    assert nest.is_nested(structure)


@pytest.mark.parametrize("leaf", [None, 3, "a", b"a", {1}, np.ones(2), Plain(1, 2)], ids=repr)
def test_is_not_nested(leaf):
    assert not nest.is_nested(leaf)


@pytest.mark.parametrize(
    "structure",
    [
        5,
        [1, (2, 3)],
        ORDERED,
        DEFAULT,
        Dict(b=1, a=2),
        Frozen({"b": 1, "a": 2}),
        types.MappingProxyType({"b": 1, "a": 2}),
        collections.UserDict(b=1, a=2),
        collections.Counter("abca"),
        Point(1, [2, 3]),
        Typed(1),
        List([1, 2]),
        Tuple([1, 2]),
        collections.deque([1, 2]),
        Flattenable("note", [1, 2], {"a": 3}),
    ],
    ids=repr,
)
def test_packing_keeps_the_type_and_the_order_of_keys(structure):
    packed = nest.pack_sequence_as(structure, nest.flatten(structure))
    assert packed == structure
    assert type(packed) is type(structure)
    if isinstance(structure, collections.abc.Mapping):
        assert list(packed) == list(structure)


def test_packing_what_cannot_be_rebuilt_gives_a_list():
    assert nest.pack_sequence_as(range(2), [3, 4]) == [3, 4]
    assert nest.pack_sequence_as({"a": 1}.values(), [3]) == [3]
    assert nest.map_structure(lambda x: x, {"a": 1}.items()) == [("a", 1)]


def test_packing_keeps_a_default_factory():
    packed = nest.map_structure(lambda x: x + 1, DEFAULT)
    assert packed == {"z": 2, "a": 3}
    assert packed.default_factory is list


def test_packing_puts_values_in_as_they_are():
    assert nest.pack_sequence_as({"b": 1, "a": 2}, ["x", ["y"]]) == {"b": ["y"], "a": "x"}
    assert nest.pack_sequence_as([1, [2, 3]], [[1, 2], 3, 4]) == [[1, 2], [3, 4]]
    assert nest.pack_sequence_as([1, (2, 3)], (4, 5, 6)) == [4, (5, 6)]
    assert nest.pack_sequence_as([], []) == []
    assert nest.pack_sequence_as(None, [1]) == 1


def test_packing_too_few_or_too_many():
    with pytest.raises(
        ValueError, match=r"Cannot pack 2 values into a structure of 3 leaves: \[\., "
    ):
        nest.pack_sequence_as([1, (2, 3)], [4, 5])
    with pytest.raises(ValueError, match="Cannot pack 4 values into a structure of 3 leaves"):
        nest.pack_sequence_as([1, (2, 3)], [4, 5, 6, 7])
    with pytest.raises(ValueError, match="Cannot pack 2 values into a structure of 1 leaves"):
        nest.pack_sequence_as(1, [4, 5])


@pytest.mark.parametrize("values", [4, "ab", np.array([3, 4]), tf.constant([3, 4]), iter([1, 2])])
def test_packing_takes_sequences_only(values):
    with pytest.raises(TypeError, match="must come in a sequence such as a list"):
        nest.pack_sequence_as([1, 2], values)


def test_composites():
    composite = Composite(1, [2, 3])
    assert nest.flatten([composite, 4], expand_composites=True) == [1, 2, 3, 4]
    packed = nest.map_structure(lambda x: x * 10, [composite, 4], expand_composites=True)
    assert packed[0].components == (10, [20, 30])
    assert packed[1] == 40
    nest.assert_same_structure(composite, composite, expand_composites=True)
    with pytest.raises(ValueError, match="The two nests differ at the top"):
        nest.assert_same_structure(composite, 1, expand_composites=True)


def test_indexed_slices_are_one_leaf_or_three():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([3, 1]))
    assert nest.flatten(slices) == [slices]
    assert [leaf.numpy().tolist() for leaf in nest.flatten(slices, True)] == [[[1.0]], [0], [3, 1]]
    again = nest.pack_sequence_as(slices, nest.flatten(slices, True), expand_composites=True)
    assert isinstance(again, tf.IndexedSlices)
    without_shape = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    assert len(nest.flatten(without_shape, True)) == 2


def test_map_structure():
    assert nest.map_structure(lambda x: x + 1, {"z": 1, "a": (2, 3)}) == {"z": 2, "a": (3, 4)}
    assert nest.map_structure(lambda *leaves: leaves, 1, 2, 3) == (1, 2, 3)
    assert nest.map_structure(lambda x: [x, x], (1, 2)) == ([1, 1], [2, 2])
    assert nest.map_structure(lambda *leaves: leaves, [], []) == []
    ordered = collections.OrderedDict(b=3, a=4)
    mapped = nest.map_structure(lambda x, y: x * 10 + y, {"a": 1, "b": 2}, ordered)
    assert mapped == {"a": 14, "b": 23}
    assert type(mapped) is dict


def test_map_structure_calls_in_the_order_of_flatten():
    seen = []
    nest.map_structure(seen.append, {"b": 1, "a": [2, 3]})
    assert seen == [2, 3, 1]


def test_map_structure_refuses():
    with pytest.raises(TypeError, match="func must be callable; a int came: 3"):
        nest.map_structure(3, [1])
    with pytest.raises(ValueError, match="at least one nest"):
        nest.map_structure(lambda x: x)
    with pytest.raises(ValueError, match="'foo' came"):
        nest.map_structure(lambda x: x, [1], foo=3)
    with pytest.raises(ZeroDivisionError):
        nest.map_structure(lambda x: x / 0, [1])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a", 1),
        ([1, {"a": 2}], ["x", {"a": None}]),
        ({"z": 1, "a": 2}, ORDERED),
        (DEFAULT, ORDERED),
        (Dict(a=1), {"a": 1}),
        ({"a": 1}, Frozen({"a": 1})),
        ({1: 2}, {1.0: 3}),
        (List([1]), [1]),
        (List([1]), OtherList([1])),
        (Point(1, 2), OtherPoint(3, 4)),
        (Flattenable("a", 1, 2), Flattenable("b", 1, 2)),
        ({"a": 1}.values(), {"b": 1}.values()),
    ],
    ids=repr,
)
def test_same_structure(first, second):
    nest.assert_same_structure(first, second)
    nest.assert_same_structure(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2], (1, 2)),
        ((1,), Tuple((1,))),
        (Row(1), [1]),
        (collections.deque([1]), [1]),
        (range(1), [1]),
        ({"a": 1}.values(), [1]),
        (Point(1, 2), Pair(1, 2)),
        (Point(1, 2), PointXZ(1, 2)),
        (Point(1, 2), (1, 2)),
        ([], {}),
        ([[]], [{}]),
        (Flattenable("a", 1, 2), [1, 2]),
    ],
    ids=repr,
)
def test_kinds_that_differ_are_a_type_error_unless_types_do_not_matter(first, second):
    with pytest.raises(TypeError, match="The two nests differ"):
        nest.assert_same_structure(first, second)
    nest.assert_same_structure(first, second, check_types=False)


@pytest.mark.parametrize(
    ("first", "second", "check_types"),
    [
        ([1, 2], [1], True),
        ([1, 2], (1,), False),
        ([1, 2], 3, True),
        (None, [], False),
        ("a", ["a"], True),
        ([1, 2], [1, [2]], True),
        ({"a": 1}, {"b": 1}, True),
        ({"a": 1, "b": 2}, {"b": 1}, True),
        ({"a": 1}, [1, 2], False),
    ],
    ids=repr,
)
def test_structures_that_differ(first, second, check_types):
    for one, other in ((first, second), (second, first)):
        with pytest.raises(ValueError, match="The two nests differ"):
            nest.assert_same_structure(one, other, check_types=check_types)


def test_keys_matter_only_where_types_do():
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            [1, {"a": 2}],
            [1, {"a": (2,)}],
            "The two nests differ at [1]['a']: the first has a leaf (int) there, "
            "the second a tuple of 1: (.).",
        ),
        (
            {"a": 1},
            {"b": 1},
            "The two nests differ at the top: the first has a dict with the keys ['a'] there, "
            "the second a dict with the keys ['b'].",
        ),
        (
            [(1, 2)],
            [[1, 2]],
            "The two nests differ at [0]: the first has a tuple of 2: (., .) there, "
            "the second a list of 2: [., .].",
        ),
    ],
)
def test_a_mismatch_says_where_and_what(first, second, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        nest.assert_same_structure(first, second)
    assert str(caught.value) == message


@pytest.mark.parametrize("keys", [(1, "a"), (None, 2), ("a", b"b")], ids=repr)
def test_keys_that_cannot_be_sorted(keys):
    mixed = dict.fromkeys(keys, 0)
    for call in (
        lambda: nest.flatten(mixed),
        lambda: nest.pack_sequence_as(mixed, [1, 2]),
        lambda: nest.map_structure(lambda x: x, mixed),
        lambda: nest.assert_same_structure(mixed, mixed),
    ):
        with pytest.raises(TypeError, match="cannot be sorted"):
            call()


def test_nests_beyond_the_recursion_limit_are_an_error():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    endless = []
    endless.append(endless)
    for structure in (deep, endless):
        for call in (
            lambda s=structure: nest.flatten(s),
            lambda s=structure: nest.pack_sequence_as(s, []),
            lambda s=structure: nest.map_structure(lambda x: x, s),
            lambda s=structure: nest.assert_same_structure(s, s),
        ):
            with pytest.raises(RecursionError, match="deeper than Python's recursion limit"):
                call()
    while deep:  # Let go from the outside in, which takes no recursion.
        deep = deep[0]


def walkers() -> dict[str, nest.Walker]:
    from tapegrad.annex.extension import fields
    from tapegrad.data import structure
    from tapegrad.functions import recordings
    from tapegrad.saving import nests
    from tapegrad.symbolic import nests as symbolic_nests

    return {
        "plain": nest.PLAIN,
        "expanded": nest.EXPANDED,
        "containers": nest.CONTAINERS,
        "data sets": structure.WALKER,
        "fields": fields.FIELDS,
        "recordings": recordings._ARGUMENTS,
        "attributes": nests.ATTRIBUTES,
        "graphs": symbolic_nests.NESTS,
        "arguments": symbolic_nests.ARGUMENTS,
    }


Pair = collections.namedtuple("Pair", "first second")
WALKED = [
    5,
    [],
    [1, (2, [3])],
    (1, {"b": [2], "a": Pair(3, (4,))}),
    collections.OrderedDict(b=1, a=(slice(2, 3), range(3))),
    {"empty": {}, "none": None},
]


@pytest.mark.parametrize("name", walkers())
@pytest.mark.parametrize("structure", WALKED, ids=repr)
def test_what_a_walker_takes_apart_it_puts_together(name: str, structure: Any) -> None:
    walker = walkers()[name]
    leaves = walker.flatten(structure)
    assert [leaf for _, leaf in walker.flatten_with_paths(structure)] == leaves
    assert all(walker.kind_of(leaf) == nest.LEAF for leaf in leaves)
    heard: list[Any] = []
    mapped = walker.map(lambda leaf: heard.append(leaf) or (leaf,), structure)
    assert heard == leaves
    assert repr(mapped) == repr(walker.pack(structure, [(leaf,) for leaf in leaves]))
    assert walker.pack(structure, leaves) == walker.map(lambda leaf: leaf, structure)
    assert walker.replace(lambda leaf: leaf, structure) is structure


def test_only_tf_nest_sorts_keys() -> None:
    mixed = {"b": 1, 2: [3], "a": 4}
    assert nest.CONTAINERS.flatten(mixed) == [1, 3, 4]
    assert list(nest.CONTAINERS.map(str, mixed).items()) == [("b", "1"), (2, ["3"]), ("a", "4")]
    with pytest.raises(TypeError, match="cannot be sorted"):
        nest.PLAIN.flatten(mixed)


def test_replacing_keeps_the_objects_in_which_nothing_changes() -> None:
    same, other = [1, 2], [3]
    result = nest.CONTAINERS.replace(lambda leaf: leaf * 10 if leaf == 3 else leaf, (same, other))
    assert result == ([1, 2], [30])
    assert result[0] is same
    assert other == [3]


def test_many_types_do_not_stay_alive():
    from tapegrad.framework import nest as module

    for i in range(5000):
        nest.flatten(type(f"Leaf{i}", (), {})())
    assert len(module.PLAIN.kinds) <= module._TYPES_KEPT


def test_attrs_classes():
    attr = pytest.importorskip("attr")

    @attr.s
    class Position:
        b = attr.ib()
        a = attr.ib()

    @attr.s
    class Keyworded:
        _b = attr.ib(kw_only=True)
        a = attr.ib(init=False, default=5)

    assert nest.flatten(Position(1, [2, 3])) == [1, 2, 3]
    assert nest.map_structure(lambda x: x + 1, Position(1, [2, 3])) == Position(2, [3, 4])
    mapped = nest.map_structure(lambda x: x + 1, Keyworded(b=1))
    assert (mapped._b, mapped.a) == (2, 6)
    with pytest.raises(TypeError, match="The two nests differ"):
        nest.assert_same_structure(Position(1, 2), [1, 2])


def test_a_deep_nest_takes_linear_memory():
    def peak(depth):
        nests = []
        for _ in range(2):
            structure = 1.0
            for _ in range(depth):
                structure = {"a": structure}
            nests.append(structure)
        tracemalloc.start()
        tf.nest.assert_same_structure(*nests)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(800) < 3 * peak(400)


def test_no_path_is_handed_on_level_by_level():
    depth, leaves, calls = 200, 100, 0
    structure = [1.0] * leaves
    for _ in range(depth):
        structure = [structure]

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        paths = list(nest.PLAIN.flatten_with_paths(structure))
    finally:
        sys.setprofile(None)
    assert paths[3] == ((0,) * depth + (3,), 1.0)
    assert calls < 10 * (depth + leaves)


RAGGED = tf.ragged.constant([[[1.0], [2.0, 3.0]], [[4.0]]])
COMPOSITES = [
    RAGGED,
    tf.ragged.constant([[[1.0, 2.0]], []], ragged_rank=1, inner_shape=(2,)),
    tf.sparse.from_dense([[1, 0], [0, 2]]),
    tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4])),
    tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]), tf.constant([5, 3])),
]


@pytest.mark.parametrize("value", COMPOSITES, ids=lambda value: type(value).__name__)
def test_a_spec_is_taken_apart_as_its_values_are(value: Any) -> None:
    spec = tf.type_spec_from_value(value)
    parts = tf.nest.flatten([value, 1], expand_composites=True)
    specs = tf.nest.flatten([spec, tf.TensorSpec([], tf.int32)], expand_composites=True)
    assert len(parts) == len(specs)
    for part, described in zip(parts, specs, strict=True):
        assert isinstance(described, tf.TensorSpec)
        assert described.is_compatible_with(tf.convert_to_tensor(part))
    again = tf.nest.pack_sequence_as(spec, parts[:-1], expand_composites=True)
    assert type(again) is type(value)
    assert spec.is_compatible_with(again)
    for part, other in zip(tf.nest.flatten(again, expand_composites=True), parts[:-1], strict=True):
        np.testing.assert_array_equal(part, other)
    tf.nest.assert_same_structure([value], [spec], expand_composites=True)
    tf.nest.assert_same_structure([spec], [value], expand_composites=True)
    # Without composites, a spec is a leaf.
    assert tf.nest.flatten([spec]) == [spec]
    assert not tf.nest.is_nested(spec)
    for other in COMPOSITES:
        if type(other) is not type(value):
            with pytest.raises(ValueError, match="The two nests differ at"):
                tf.nest.assert_same_structure([spec], [other], expand_composites=True)


@pytest.mark.parametrize(
    ("spec", "shapes"),
    [
        (tf.RaggedTensorSpec([2, None]), [[None], [3]]),
        (tf.RaggedTensorSpec([None, None, 3, None]), [[None]] + [[None]] * 3),
        (tf.RaggedTensorSpec([None, None, 3], ragged_rank=1), [[None, 3], [None]]),
        (tf.RaggedTensorSpec(None, ragged_rank=1), [None, [None]]),
        (tf.RaggedTensorSpec([2, None], ragged_rank=0), [[2, None]]),
        (tf.SparseTensorSpec(), [[None, None], [None], [None]]),
        (tf.SparseTensorSpec([3, None]), [[None, 2], [None], [2]]),
        (tf.IndexedSlicesSpec(), [None, [None]]),
        (tf.IndexedSlicesSpec([3, 2]), [[None, 2], [None]]),
        (
            tf.IndexedSlicesSpec([3, 2], dense_shape_dtype=tf.int64, indices_shape=[2]),
            [[2, 2], [2], [2]],
        ),
        (tf.TensorSpec([2]), [[2]]),
        (tf.data.DatasetSpec(tf.TensorSpec([])), None),
    ],
    ids=repr,
)
def test_what_the_components_of_a_spec_are(spec: Any, shapes: Any) -> None:
    specs = tf.nest.flatten(spec, expand_composites=True)
    if shapes is None:
        assert specs == [spec]
    else:
        assert [part.shape for part in specs] == [tf.TensorShape(shape) for shape in shapes]
