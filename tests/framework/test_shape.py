"""TensorShape, Dimension and TensorSpec; expectations are TensorFlow's answers."""

import copy
import pickle

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import dtypes
from tapegrad.core import EagerTensor
from tapegrad.core.abstract import Abstract
from tapegrad.core.sizes import OpenSizes, UnknownSize
from tapegrad.framework.shape import Dimension, TensorShape, dimension_at_index, dimension_value
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.ops.shape.creation import constant

S = TensorShape
UNKNOWN = TensorShape(None)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, "TensorShape(None)"),
        ([], "TensorShape([])"),
        (3, "TensorShape([3])"),
        ((None, 2), "TensorShape([None, 2])"),
        (range(3), "TensorShape([0, 1, 2])"),
        ((size for size in (1, 2)), "TensorShape([1, 2])"),
        (np.array([1, 2]), "TensorShape([1, 2])"),
        (np.array(3), "TensorShape([3])"),
        (np.int64(3), "TensorShape([3])"),
        ([np.int64(3), np.int32(2)], "TensorShape([3, 2])"),
        (constant([1, 2]), "TensorShape([1, 2])"),
        (constant(3), "TensorShape([3])"),
        ([constant(3)], "TensorShape([3])"),
        ([Dimension(3), Dimension(None)], "TensorShape([3, None])"),
        (TensorShape([1, None]), "TensorShape([1, None])"),
        ([2**70], "TensorShape([1180591620717411303424])"),
    ],
)
def test_construction(given, text):
    assert repr(TensorShape(given)) == text


@pytest.mark.parametrize(
    "given",
    ["abc", "3", b"3", [1.0], [1.5], 3.0, ["3"], [1, [2, 3]], object(), [object()], [S([1])]]
    + [np.array([1.5]), np.array([[1, 2]]), constant([1.0])],
    ids=repr,
)
def test_construction_refuses_types(given):
    with pytest.raises(TypeError):
        TensorShape(given)


@pytest.mark.parametrize("given", [-1, [-1, 2], [-2]])
def test_construction_refuses_negative_sizes(given):
    with pytest.raises(ValueError, match="must be >= 0"):
        TensorShape(given)


def test_signature():
    with pytest.raises(TypeError):
        TensorShape()
    with pytest.raises(TypeError):
        TensorShape([1], [2])
    assert TensorShape(dims=[3]) == [3]
    assert TensorShape._of((2, 3)) == TensorShape([2, 3])


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (UNKNOWN, "<unknown>"),
        (S([]), "()"),
        (S([3]), "(3,)"),
        (S([3, 2]), "(3, 2)"),
        (S([None, 2]), "(None, 2)"),
    ],
)
def test_str(shape, text):
    assert str(shape) == f"{shape}" == text


def test_rank_and_dims():
    assert (UNKNOWN.rank, S([]).rank, S([1, 2]).ndims, UNKNOWN.ndims) == (None, 0, 2, None)
    assert UNKNOWN.dims is None
    assert repr(S([None, 2]).dims) == "[Dimension(None), Dimension(2)]"
    assert S([None, 2]).as_list() == [None, 2]
    with pytest.raises(ValueError, match="unknown rank"):
        UNKNOWN.as_list()
    with pytest.raises(AttributeError):
        S([1]).dims = 3


def test_as_a_sequence():
    shape = S([1, 2, 3])
    assert (shape[0], shape[-1], shape[np.int64(1)], shape[constant(1)]) == (1, 3, 2, 2)
    assert repr([shape[1:], shape[:2], shape[::2]]) == (
        "[TensorShape([2, 3]), TensorShape([1, 2]), TensorShape([1, 3])]"
    )
    assert (list(shape), len(shape), list(reversed(shape)), 2 in shape) == (
        [1, 2, 3],
        3,
        [3, 2, 1],
        True,
    )
    assert tuple(S([1, None])) == (1, None)
    assert np.zeros(S([1, 2])).shape == (1, 2)
    assert np.array(S([1, 2])).tolist() == [1, 2]
    for wrong, error in ((3, IndexError), ("a", TypeError), (None, TypeError), (1.0, TypeError)):
        with pytest.raises(error):
            shape[wrong]


def test_unknown_rank_as_a_sequence():
    assert UNKNOWN[0] is None
    assert repr(
        [UNKNOWN[1:], UNKNOWN[:2], UNKNOWN[1:3], UNKNOWN[-1:], UNKNOWN[:-1], UNKNOWN[3:1]]
    ) == (
        "[TensorShape(None), TensorShape([None, None]), TensorShape([None, None]), TensorShape(None), "
        "TensorShape(None), TensorShape([])]"
    )
    for use in (len, list, lambda shape: shape[::2], lambda shape: shape[0:4:2]):
        with pytest.raises(ValueError, match="unknown rank"):
            use(UNKNOWN)


def test_truth():
    assert [bool(shape) for shape in (UNKNOWN, S([]), S([0]))] == [False, True, True]


def test_concatenate():
    made = [S([1]) + S([2]), S([1]) + [2], [1] + S([2]), (1,) + S([2]), S([1]).concatenate(2)]
    assert all(shape == S([1, 2]) and isinstance(shape, TensorShape) for shape in made)
    assert repr(3 + S([1])) == "TensorShape([3, 1])"
    for unknown in (UNKNOWN + [2], S([1]) + None, None + S([1])):
        assert repr(unknown) == "TensorShape(None)"
    with pytest.raises(TypeError):
        S([1]) + "a"


def test_merge_and_compatible():
    assert repr(S([None, 2]).merge_with([3, None])) == "TensorShape([3, 2])"
    assert UNKNOWN.merge_with([1]) == S([1]).merge_with(None) == S([1])
    for other in ([3, 2], [1]):
        with pytest.raises(ValueError, match="not compatible"):
            S([1, 2]).merge_with(other)
    assert S([None, 2]).is_compatible_with([3, None])
    assert S([1]).is_compatible_with(None)
    assert S([1]).is_compatible_with(1)
    assert not S([1]).is_compatible_with([1, 1])
    S([3, 2]).assert_is_compatible_with([None, 2])
    with pytest.raises(ValueError, match=r"Shapes \(3, 2\) and \(4, 2\) are incompatible"):
        S([3, 2]).assert_is_compatible_with([4, 2])


def test_subtypes():
    assert S([3, 2]).is_subtype_of(S([None, 2]))
    assert S([3, 2]).is_subtype_of(UNKNOWN)
    assert UNKNOWN.is_subtype_of(UNKNOWN)
    assert not S([None, 2]).is_subtype_of(S([3, 2]))
    assert not UNKNOWN.is_subtype_of(S([1]))
    assert not S([3]).is_subtype_of([3])
    assert repr(S([3, 2]).most_specific_compatible_shape([3, 5])) == "TensorShape([3, None])"
    assert repr(S([3, 2]).most_specific_compatible_shape([3])) == "TensorShape(None)"
    assert (
        repr(S([3, 2]).most_specific_common_supertype([S([3, 5]), S([4, 2])]))
        == "TensorShape([None, None])"
    )
    assert S([3, 2]).most_specific_common_supertype([3]) is None


def test_assertions_and_ranks():
    S([3, 2]).assert_has_rank(2)
    UNKNOWN.assert_has_rank(3)
    S([3, 2]).assert_same_rank([1, 2])
    S([3, 2]).assert_is_fully_defined()
    for check in (
        lambda: S([3, 2]).assert_has_rank(3),
        lambda: S([3, 2]).assert_same_rank([1]),
        lambda: S([None, 2]).assert_is_fully_defined(),
        lambda: UNKNOWN.assert_is_fully_defined(),
        lambda: S([2, 3]).with_rank(3),
        lambda: S([2, 3]).with_rank_at_least(3),
        lambda: S([2, 3]).with_rank_at_most(1),
    ):
        with pytest.raises(ValueError, match=r"must have|not fully defined"):
            check()
    assert repr(UNKNOWN.with_rank(2)) == "TensorShape([None, None])"
    assert S([2]).with_rank_at_least(1) == S([2]).with_rank_at_most(1) == [2]


def test_sizes():
    assert [s.is_fully_defined() for s in (S([None]), S([1]), S([]), UNKNOWN)] == [
        False,
        True,
        True,
        False,
    ]
    sizes = [s.num_elements() for s in (S([2, 3]), S([]), S([None, 1]), UNKNOWN, S([0, 3]))]
    assert sizes == [6, 1, None, None, 0]


def test_equality_and_hash():
    assert S([2, 3]) == [2, 3]
    assert [S([2, 3])] == [(2, 3)]
    assert S([None, 2]) == S([None, 2])
    assert UNKNOWN == None  # noqa: E711  # as in TensorFlow
    assert S([2]) == 2
    assert S([2, 3]) == np.array([2, 3])
    for other in ("a", object(), None, [3], [-1], [1.5], {}, UNKNOWN):
        assert S([2]) != other
    assert hash(S([2, 3])) == hash((2, 3))
    assert len({S([1, None]), S([1, None]), UNKNOWN}) == 2
    with pytest.raises(TypeError):
        S([3]) < S([4])  # noqa: B015


@pytest.mark.parametrize("shape", [S([1, None]), UNKNOWN, S([])], ids=str)
def test_copies(shape):
    for again in (copy.copy(shape), copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert repr(again) == repr(shape)


def test_dimension():
    three, unknown = Dimension(3), Dimension(None)
    assert (repr(three), str(three), repr(unknown), str(unknown)) == (
        "Dimension(3)",
        "3",
        "Dimension(None)",
        "?",
    )
    assert (three == 3, three == Dimension(3), three != 4, three == "a", three == 1.5) == (
        True,
        True,
        True,
        False,
        False,
    )
    assert (three == None, unknown == unknown, unknown < 3) == (None, None, None)  # noqa: E711
    made = [
        three + 2,
        2 + three,
        three - 1,
        5 - three,
        three * 2,
        7 // Dimension(2),
        7 % Dimension(4),
    ]
    assert [size.value for size in made] == [5, 5, 2, 2, 6, 3, 3]
    assert (unknown + 1).value is None
    assert (three < 4, three <= 3, three > 4, three >= 4) == (True, True, False, False)
    assert (int(three), range(5)[three], bool(Dimension(0)), bool(unknown)) == (3, 3, False, False)
    assert max(three, Dimension(4)).value == 4
    assert three.merge_with(None).value == 3
    assert three.is_compatible_with(None)
    assert dimension_value(three) == dimension_value(3) == 3
    assert dimension_at_index(S([1, 2]), 1) == 2
    assert dimension_at_index(UNKNOWN, 1).value is None
    assert repr(pickle.loads(pickle.dumps(three))) == "Dimension(3)"
    for error, wrong in [
        (TypeError, lambda: Dimension("3")),
        (TypeError, lambda: Dimension(1.5)),
        (TypeError, lambda: three + "a"),
        (TypeError, lambda: three + 1.5),
        (TypeError, lambda: three / 2),
        (TypeError, lambda: three < "a"),
        (TypeError, lambda: hash(three)),
        (TypeError, lambda: int(unknown)),
        (ValueError, lambda: Dimension(-1)),
        (ValueError, lambda: three - 5),
        (ValueError, lambda: three.merge_with(4)),
        (ZeroDivisionError, lambda: three // 0),
    ]:
        with pytest.raises(error):
            wrong()


def test_spec():
    spec = TensorSpec([None, 2], "int8", "x")
    assert repr(spec) == "TensorSpec(shape=(None, 2), dtype=tf.int8, name='x')"
    assert repr(TensorSpec(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    assert (spec.shape, spec.dtype, spec.name) == (S([None, 2]), dtypes.int8, "x")
    assert isinstance(spec, TypeSpec)
    assert TensorSpec([2]) == TensorSpec([2], np.float32)
    assert TensorSpec([2]) != TensorSpec([2], name="x")
    assert TensorSpec([2]) != 3
    assert hash(TensorSpec([2])) == hash(TensorSpec([2], name="x"))
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    for wrong in (
        lambda: TensorSpec([2], None),
        lambda: TensorSpec("abc"),
        lambda: TensorSpec([2], "bogus"),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(AttributeError):
        spec.shape = 3


def test_spec_from_tensor():
    tensor = constant([1, 2])
    assert (
        repr(TensorSpec.from_tensor(tensor, "z"))
        == "TensorSpec(shape=(2,), dtype=tf.int32, name='z')"
    )
    for other in (np.array([1]), [1], 3):
        with pytest.raises(ValueError, match=r"takes a tf\.Tensor"):
            TensorSpec.from_tensor(other)
    assert TensorSpec.from_spec(TensorSpec([2], name="a")).name == "a"
    assert TensorSpec.from_spec(TensorSpec([2], name="a"), name="b").name == "b"
    assert isinstance(tensor, TensorSpec([2]).value_type)


def test_spec_compatibility():
    spec = TensorSpec([2])
    assert TensorSpec([None]).is_compatible_with(constant([1.0, 2.0]))
    assert spec.is_compatible_with(TensorSpec([None]))
    for other in (
        TensorSpec([2], "int32"),
        [1.0, 2.0],
        np.zeros(2, np.float32),
        3,
        None,
        S([2]),
        constant([1, 2]),
    ):
        assert not spec.is_compatible_with(other)
    assert TensorSpec([2, 3]).is_subtype_of(TensorSpec([None, 3]))
    assert not TensorSpec([None, 3]).is_subtype_of(TensorSpec([2, 3]))
    names = [
        TensorSpec([2], name=mine).is_subtype_of(TensorSpec([2], name=theirs))
        for mine, theirs in (("a", None), (None, "a"), ("b", "a"), ("a", "a"))
    ]
    assert names == [False, True, False, True]
    assert not spec.is_subtype_of(3)


def test_spec_supertypes():
    spec = TensorSpec([2, 3])
    assert spec.most_specific_common_supertype([TensorSpec([2, 4])]) == TensorSpec([2, None])
    for other in (TensorSpec([2, 4], "int32"), TensorSpec([2, 3], name="q"), 3):
        assert spec.most_specific_common_supertype([other]) is None
        with pytest.raises(ValueError, match="No spec covers both"):
            spec.most_specific_compatible_type(other)
    assert spec.most_specific_compatible_type(TensorSpec([2])) == TensorSpec(None)


@pytest.mark.parametrize("dims", [None, [], [2, None], [0, 3]])
def test_a_message_has_the_fields_of_tensorflows(dims):
    shape = TensorShape(dims)
    message = shape.as_proto()
    assert message.unknown_rank == (dims is None)
    assert [dim.size for dim in message.dim] == [-1 if d is None else d for d in dims or []]
    assert message == shape.experimental_as_proto()
    back = TensorShape.experimental_from_proto(message)
    assert (back.rank, back == shape) == (shape.rank, True)


def test_a_message_prints_as_tensorflows_does():
    assert str(TensorShape([1, None]).as_proto()) == "dim {\n  size: 1\n}\ndim {\n  size: -1\n}\n"
    assert str(TensorShape(None).as_proto()) == "unknown_rank: true\n"


def test_open_sizes_keep_their_expressions():
    with OpenSizes() as sizes:
        n, m = sizes.size("n", 5), sizes.size("m", 3)
        shape = EagerTensor(Abstract([n, 2, m], dtypes.float32)).shape
        assert shape.rank == len(shape) == 3
        texts = [
            shape[0] * 2,
            shape.as_list(),
            [*shape],
            [*shape[1:]],
            shape.num_elements(),
            [*(shape + [m])],
            [*TensorShape([n * 2, 3])],
        ]
        assert [repr(text) for text in texts] == [
            "2*n", "[n, 2, m]", "[n, 2, m]", "[2, m]", "2*m*n", "[n, 2, m, m]", "[2*n, 3]",
        ]  # fmt: skip
        # A shape shows None for them, as in TensorFlow's graphs.
        assert (str(shape), repr(shape)) == ("(None, 2, None)", "TensorShape([None, 2, None])")
        assert shape.is_fully_defined()
        assert shape == [n, 2, m]
        assert shape != [n, 2]
        assert shape != [5, 2]  # the rank decides
        assert shape != UNKNOWN
        assert shape.is_compatible_with([None, 2, m])
        assert repr([*shape.merge_with([n, None, None])]) == "[n, 2, m]"
        assert copy.deepcopy(shape)[0] is n
        assert sizes.guards == []


def test_decisions_by_shapes_leave_guards():
    with OpenSizes() as sizes:
        n, m = sizes.size("n", 5), sizes.size("m", 3)
        shape = TensorShape([n, m])
        assert shape != [n, 4]
        assert shape.is_compatible_with([5, None])
        assert [repr(guard) for guard in sizes.guards] == ["m != 4", "n == 5"]
        assert not shape.is_compatible_with([n, 2])
        with pytest.raises(ValueError, match="not compatible"):
            shape.merge_with([4, m])
        assert int(Dimension(m + n)) == 8
        assert [repr(guard) for guard in sizes.guards[2:]] == ["m != 2", "n != 4", "m + n == 8"]
        assert pickle.loads(pickle.dumps(shape)) == [5, 3]
        assert {shape: 1}[TensorShape([5, 3])] == 1


def test_unknown_sizes_count_as_none():
    shape = EagerTensor(Abstract([None, 3], dtypes.float32)).shape
    assert str(shape) == "(None, 3)"
    assert repr(shape) == "TensorShape([None, 3])"
    assert not shape.is_fully_defined()
    assert shape.num_elements() is None
    assert shape.is_compatible_with([7, 3])
    assert not shape.is_compatible_with([7, 4])
    assert shape.merge_with([7, None]) == [7, 3]
    assert TensorShape([7, None]).merge_with(shape) == [7, 3]
    assert repr(shape.most_specific_compatible_shape([7, 3])) == "TensorShape([None, 3])"
    assert S([7, 3]).is_subtype_of(shape)
    assert not shape.is_subtype_of(S([7, 3]))
    assert shape.dims[0].value is None
    assert shape == EagerTensor(Abstract(shape, dtypes.float32)).shape
    with pytest.raises(UnknownSize):
        shape[0] == 3  # noqa: B015  # one size decides nothing in secret


def test_a_spec_with_the_ranks_of_its_shapes_alone():
    tensor = TensorSpec([2, None], dtypes.int32, "a")
    for spec, expected in {
        tensor: "TensorSpec(shape=(None, None), dtype=tf.int32, name='a')",
        TensorSpec(None, dtypes.string): "TensorSpec(shape=<unknown>, dtype=tf.string, name=None)",
        TensorSpec([], dtypes.float32): "TensorSpec(shape=(), dtype=tf.float32, name=None)",
        tf.RaggedTensorSpec([2, None, 3], dtypes.int64, 1): (
            "RaggedTensorSpec(TensorShape([None, None, None]), tf.int64, 1, tf.int64)"
        ),
        tf.SparseTensorSpec([None, 4]): "SparseTensorSpec(TensorShape([None, None]), tf.float32)",
        tf.OptionalSpec(tensor): (
            "OptionalSpec(TensorSpec(shape=(None, None), dtype=tf.int32, name='a'),)"
        ),
    }.items():
        assert repr(spec._with_tensor_ranks_only()) == expected


@pytest.mark.parametrize("kind", [tf.TensorSpec, tf.SparseTensorSpec])
def test_the_spec_of_a_batch(kind):
    spec = kind([2, None], tf.int32)
    assert spec._batch(None) == kind([None, 2, None], tf.int32)
    assert spec._batch(3)._unbatch() == spec
    with pytest.raises(ValueError, match="only supported for rank >= 1"):
        kind([])._unbatch()
