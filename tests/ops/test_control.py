"""Branches, loops, maps and TensorArrays."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import check_gradient


def normal(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=shape)


# Branches


def test_cond_calls_one_branch() -> None:
    called = []
    result = tf.cond(
        tf.constant(True), lambda: called.append("true") or 1, lambda: called.append("false")
    )
    assert result == 1
    assert called == ["true"]
    assert tf.cond(tf.constant([1.0]), lambda: "a", lambda: "b") == "a"
    assert tf.cond(tf.Variable(0), lambda: "a", lambda: "b") == "b"


def test_cond_is_differentiable() -> None:
    check_gradient(
        lambda x: tf.cond(x[0] > 0, lambda: x * x, lambda: tf.sin(x)), [1.0, 2.0], order=2
    )
    check_gradient(
        lambda x: tf.cond(x[0] > 0, lambda: x * x, lambda: tf.sin(x)), [-1.0, 2.0], order=2
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((True, 1.0, lambda: 2.0), TypeError),
        ((True, lambda: 1.0, 2.0), TypeError),
        ((True, lambda: 1.0), TypeError),
        ((None, lambda: 1.0, lambda: 2.0), ValueError),
        (([True, False], lambda: 1.0, lambda: 2.0), None),
        ((np.array([True, False]), lambda: 1.0, lambda: 2.0), ValueError),
    ],
)
def test_cond_refuses(arguments: Any, error: Any) -> None:
    if error is None:
        assert tf.cond(*arguments) == 1.0
        return
    with pytest.raises(error):
        tf.cond(*arguments)


def test_case() -> None:
    x = tf.constant(5)
    pairs = [(x < 3, lambda: "small"), (x < 6, lambda: "medium"), (x < 9, lambda: "large")]
    assert tf.case(pairs) == "medium"
    assert tf.case(pairs[:1], default=lambda: "none") == "none"
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one"):
        tf.case(pairs, exclusive=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of the conditions"):
        tf.case(pairs[:1])
    for bad in (5, [(True, lambda: 1)], [(x < 3, 1)], [x < 3, lambda: 1]):
        with pytest.raises(TypeError):
            tf.case(bad)
    with pytest.raises(ValueError, match="Unordered"):
        tf.case({(x < 3).ref(): lambda: 1})


def test_switch_case() -> None:
    branches = [lambda: "zero", lambda: "one"]
    assert tf.switch_case(tf.constant(1), branches) == "one"
    assert tf.switch_case(tf.constant(7), branches) == "one"
    assert tf.switch_case(tf.constant(-1), branches, default=lambda: "default") == "default"
    assert tf.switch_case(tf.constant(0), {1: branches[1], 0: branches[0]}) == "zero"
    for index, functions, error in (
        (1, branches, TypeError),
        (tf.constant(1.0), branches, TypeError),
        (tf.constant([1]), branches, tf.errors.InvalidArgumentError),
        (tf.constant(1), [], ValueError),
        (tf.constant(1), {0: branches[0], 2: branches[1]}, ValueError),
        (tf.constant(1), [1.0, 2.0], TypeError),
    ):
        with pytest.raises(error):
            tf.switch_case(index, functions)


# Loops


def test_while_loop() -> None:
    i, x = tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (tf.constant(0), tf.constant(1.0))
    )
    assert (int(i), float(x)) == (3, 8.0)
    State = collections.namedtuple("State", "i x")
    nested = tf.while_loop(
        lambda s: s.i < 2,
        lambda s: [State(s.i + 1, [s.x[0] + 1.0])],
        [State(tf.constant(0), [tf.constant(0.0)])],
    )
    assert float(nested[0].x[0]) == 2.0
    stopped = tf.while_loop(
        lambda i: True, lambda i: (i + 1,), [tf.constant(0)], maximum_iterations=4
    )
    assert int(stopped[0]) == 4
    array = tf.TensorArray(tf.float32, size=3)
    _, array = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32))),
        (tf.constant(0), array),
    )
    assert array.stack().numpy().tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("most", [None, 2])
def test_the_variables_of_a_loop_may_be_fields(most: int | None) -> None:
    attr = pytest.importorskip("attr")

    @attr.s
    class State:
        i = attr.ib()
        x = attr.ib()

        def __iter__(self) -> Any:
            return iter((self.i, self.x))

        def __len__(self) -> int:
            return 2

    state = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: State(i + 1, x * 2.0),
        State(tf.constant(0), tf.constant(1.0)),
        maximum_iterations=most,
    )
    assert isinstance(state, State)
    assert (int(state.i), float(state.x)) == ((3, 8.0) if most is None else (2, 4.0))
    alone = tf.while_loop(
        lambda s: s.i < 3,
        lambda s: State(s.i + 1, s.x),
        [State(tf.constant(0), tf.constant(1.0))],
        maximum_iterations=most,
    )
    assert int(alone[0].i) == (3 if most is None else 2)


def test_while_loop_is_differentiable() -> None:
    def power(x: Any) -> Any:
        return tf.while_loop(
            lambda i, y: i < 5, lambda i, y: (i + 1, y * x), (tf.constant(0), tf.ones_like(x))
        )[1]

    check_gradient(power, [1.5, -0.5], order=2)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((5, lambda i: (i,), [0]), TypeError),
        ((lambda i: True, 5, [0]), TypeError),
        ((lambda i: True, lambda i: (i,), []), ValueError),
        ((lambda i: True, lambda i: (i,), tf.constant(0)), ValueError),
        ((lambda i, j: True, lambda i, j: (i,), [0, 1]), ValueError),
        ((lambda i: np.array([True, False]), lambda i: (i,), [0]), ValueError),
        ((lambda i: True, lambda i: (i,), [0], None, 0), TypeError),
    ],
)
def test_while_loop_refuses(arguments: Any, error: Any) -> None:
    with pytest.raises(error):
        tf.while_loop(*arguments)


# Maps and folds


def test_map_fn_takes_sparse_tensors() -> None:
    matrices = tf.sparse.from_dense([[[1.0, 0.0], [0.0, 2.0]], [[0.0, 3.0], [0.0, 0.0]]])
    dense = tf.map_fn(tf.sparse.to_dense, matrices, fn_output_signature=tf.float32)
    assert dense.numpy().tolist() == tf.sparse.to_dense(matrices).numpy().tolist()
    doubled = tf.map_fn(lambda matrix: matrix * 2.0, matrices)
    assert tf.sparse.to_dense(doubled).numpy().tolist() == (dense * 2.0).numpy().tolist()
    with pytest.raises(ValueError, match="say so with fn_output_signature"):
        tf.map_fn(tf.sparse.to_dense, matrices)


def test_map_fn() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    assert tf.map_fn(lambda v: v * v, x).numpy().tolist() == [1.0, 4.0, 9.0]
    both = tf.map_fn(
        lambda v: (v, tf.cast(v, tf.int32)), x, fn_output_signature=(tf.float32, tf.int32)
    )
    assert both[1].numpy().tolist() == [1, 2, 3]
    named = tf.map_fn(lambda d: d["a"] + d["b"], {"a": x, "b": x}, fn_output_signature=tf.float32)
    assert named.numpy().tolist() == [2.0, 4.0, 6.0]
    assert tf.map_fn(lambda d: d, {"a": x})["a"].numpy().tolist() == [1.0, 2.0, 3.0]
    older = tf.map_fn(lambda v: tf.cast(v, tf.int32), x, dtype=tf.int32)
    assert older.dtype == tf.int32
    empty = tf.map_fn(
        lambda v: v, tf.zeros([0, 3]), fn_output_signature=tf.TensorSpec([3], tf.float32)
    )
    assert empty.shape == [0, 3]


def test_maps_and_folds_are_differentiable() -> None:
    check_gradient(lambda x: tf.map_fn(lambda v: tf.sin(v) * v[0], x), normal(4, 3), order=2)
    check_gradient(
        lambda x: tf.vectorized_map(lambda v: tf.sin(v) * v[0], x), normal(4, 3), order=2
    )
    check_gradient(lambda x: tf.scan(lambda a, v: tf.tanh(a) * v, x), normal(4, 3), order=2)
    check_gradient(
        lambda x: tf.scan(lambda a, v: tf.tanh(a) * v, x, reverse=True), normal(4, 3), order=2
    )
    check_gradient(
        lambda x, y: tf.foldl(lambda a, v: a * v + a, x, y), normal(4, 3), normal(3), order=2
    )
    check_gradient(lambda x: tf.foldr(lambda a, v: a * v + a, x), normal(4, 3), order=2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.map_fn(lambda v: v, 1.0), ValueError),
        (lambda: tf.map_fn(lambda v: v, ()), ValueError),
        (lambda: tf.map_fn(lambda v: v, (tf.ones([2]), tf.ones([1]))), ValueError),
        (lambda: tf.map_fn(lambda v: (v, v), tf.ones([2])), ValueError),
        (lambda: tf.map_fn(lambda v: None, tf.ones([2])), ValueError),
        (
            lambda: tf.map_fn(lambda v: tf.cast(v, tf.int32), tf.ones([2])),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.map_fn(lambda v: tf.ones([int(v)]), tf.constant([1.0, 2.0])), ValueError),
        (lambda: tf.map_fn(5, tf.ones([2])), TypeError),
        (lambda: tf.scan(lambda a, v: a, tf.zeros([0])), tf.errors.OutOfRangeError),
        (lambda: tf.foldl(lambda a, v: a, tf.zeros([0])), tf.errors.OutOfRangeError),
        (lambda: tf.scan(lambda a, v: (a, a), tf.ones([3])), ValueError),
        (
            lambda: tf.vectorized_map(lambda v: v, (tf.ones([2]), tf.ones([3]))),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.vectorized_map(lambda v: v, 1.0), IndexError),
    ],
)
def test_maps_refuse(call: Any, error: Any) -> None:
    with pytest.raises(error):
        call()


def test_folds_and_scans() -> None:
    x = tf.constant([1, 2, 3])
    assert int(tf.foldl(lambda a, v: a * 10 + v, x)) == 123
    assert int(tf.foldr(lambda a, v: a * 10 + v, x)) == 321
    assert int(tf.foldl(lambda a, v: a + v, x, initializer=10)) == 16
    assert tf.scan(lambda a, v: a + v, x).numpy().tolist() == [1, 3, 6]
    assert tf.scan(lambda a, v: a + v, x, reverse=True).numpy().tolist() == [6, 5, 3]
    first, second = tf.scan(lambda a, v: (a[0] + v, a[1] * v), x, initializer=(0, 1))
    assert first.numpy().tolist() == [1, 3, 6]
    assert second.numpy().tolist() == [1, 2, 6]
    assert tf.scan(lambda a, v: a + v, tf.zeros([0, 2]), initializer=tf.zeros([2])).shape == [0, 2]


def test_vectorized_map() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.vectorized_map(tf.reduce_sum, x).numpy().tolist() == [3.0, 7.0]
    once = tf.vectorized_map(lambda v: v[0] * v[1], (x, tf.constant([[10.0, 1.0]])))
    assert once.numpy().tolist() == [[10.0, 2.0], [30.0, 4.0]]
    assert tf.vectorized_map(lambda v: 1.0, x).numpy().tolist() == [1.0, 1.0]
    assert tf.vectorized_map(lambda v: v * 2, tf.zeros([0, 3])).shape == [0, 3]


def test_maps_whose_sparse_results_differ_in_shape() -> None:
    signature = tf.SparseTensorSpec(None, tf.float32)
    mapped = tf.map_fn(tf.sparse.eye, tf.constant([2, 3]), fn_output_signature=signature)
    assert mapped.dense_shape.numpy().tolist() == [2, 3, 3]
    assert tf.sparse.to_dense(mapped).numpy().tolist() == [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ]


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (lambda i: tf.range(2), tf.TensorSpec([3], tf.int32)),
        (lambda i: tf.range(2), tf.TensorSpec([None, 1], tf.int32)),
        (lambda i: tf.sparse.eye(2), tf.SparseTensorSpec([3, 3], tf.float32)),
        (lambda i: tf.sparse.eye(2), tf.SparseTensorSpec([2, 2], tf.float64)),
        (lambda i: tf.sparse.eye(2), tf.TensorSpec([2, 2], tf.float32)),
        (lambda i: tf.eye(2), tf.SparseTensorSpec([2, 2], tf.float32)),
        (lambda i: tf.range(i), tf.RaggedTensorSpec([None], tf.int64)),
        (lambda i: tf.range(i), tf.RaggedTensorSpec([5], tf.int32)),
        (lambda i: tf.ragged.constant([[1, 2], [3]]), tf.RaggedTensorSpec([3, None], tf.int32)),
    ],
)
def test_a_map_compares_results_with_their_signature(function: Any, signature: Any) -> None:
    with pytest.raises(ValueError, match=r"expected|was to return"):
        tf.map_fn(function, tf.constant([1, 2]), fn_output_signature=signature)


# TensorArray


def test_tensor_array() -> None:
    array = tf.TensorArray(tf.float32, size=3)
    array = array.write(0, 1.0).write(2, tf.constant(3.0))
    assert array.stack().numpy().tolist() == [1.0, 0.0, 3.0]
    assert array.gather([2, 0]).numpy().tolist() == [3.0, 1.0]
    assert int(array.size()) == 3
    assert float(array.read(2)) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        array.read(2)
    growing = tf.TensorArray(tf.int32, size=0, dynamic_size=True).write(2, 5)
    assert growing.stack().numpy().tolist() == [0, 0, 5]
    parts = tf.TensorArray(tf.float32, size=2).split([1.0, 2.0, 3.0], [1, 2])
    assert parts.read(1).numpy().tolist() == [2.0, 3.0]
    assert parts.identity() is parts
    joined = tf.TensorArray(tf.float32, size=2, element_shape=[2]).unstack([[1.0, 2.0], [3.0, 4.0]])
    assert joined.concat().numpy().tolist() == [1.0, 2.0, 3.0, 4.0]
    assert joined.scatter([1], [[5.0, 6.0]]).stack().numpy().tolist() == [[1.0, 2.0], [5.0, 6.0]]
    assert (joined.dtype, joined.element_shape, joined.dynamic_size) == (tf.float32, [2], False)


def written_and_kept() -> Any:
    array = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
    changed = array.write(0, 9.0)
    return array.stack(), changed.stack()


def read_and_stacked() -> Any:
    array = tf.TensorArray(tf.float32, size=2, element_shape=()).unstack([1.0, 2.0])
    return array.read(0), array.stack()


def written_by_the_way() -> Any:
    array = tf.TensorArray(tf.float32, size=2, element_shape=()).unstack([1.0, 2.0])
    array.scatter([0], [7.0])
    array.unstack([7.0, 8.0])
    array.close()
    return array.size(), array.stack()


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_an_empty_array_is_joined_where_the_other_axes_are_known(wrap: Any) -> None:
    def joined(shape: Any) -> Any:
        return tf.TensorArray(tf.float32, 0, True, infer_shape=False, element_shape=shape).concat()

    for shape, expected in (((None, 8), [0, 8]), ((3, 8), [0, 8]), ((None,), [0])):
        assert wrap(lambda shape=shape: joined(shape))().shape.as_list() == expected
    for shape in (None, (None, None), (3, None)):
        with pytest.raises(ValueError, match="not known"):
            wrap(lambda shape=shape: joined(shape))()
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
        wrap(lambda: joined(()))()


def of_another_shape() -> Any:
    array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
    return array.write(0, [5.0]).stack(), array.write(0, [5.0, 6.0]).read(1)


# Each pair from TensorFlow: in eager code, and in a function, where an array is a value as a tensor is.
@pytest.mark.parametrize(
    ("program", "eager", "recorded"),
    [
        (written_and_kept, [[9.0, 2.0], [9.0, 2.0]], [[1.0, 2.0], [9.0, 2.0]]),
        (read_and_stacked, [1.0, [0.0, 2.0]], [1.0, [1.0, 2.0]]),
        (written_by_the_way, [0, []], [2, [1.0, 2.0]]),
        (of_another_shape, ValueError, [[[5.0], [0.0]], [0.0, 0.0]]),
    ],
)
def test_an_array_is_a_value_in_a_function(program: Any, eager: Any, recorded: Any) -> None:
    def numbers(results: Any) -> list[Any]:
        return [result.numpy().tolist() for result in results]

    if eager is ValueError:
        with pytest.raises(ValueError, match="clear_after_read=False"):
            program()
    else:
        assert numbers(program()) == eager
    function = tf.function(program)
    for _ in range(3):
        assert numbers(function()) == recorded
    of_a_data_set = tf.data.Dataset.range(1).map(lambda _: program())
    assert numbers(next(iter(of_a_data_set))) == recorded


def test_elements_are_read_again_in_functions() -> None:
    @tf.function
    def fibonacci(count: int) -> tf.Tensor:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True).unstack([0.0, 1.0])
        for place in range(2, count):
            array = array.write(place, array.read(place - 1) + array.read(place - 2))
        return array.stack()

    assert fibonacci(7).numpy().tolist() == [0.0, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0]


def test_arrays_take_in_eager_code_what_tensorflows_take() -> None:
    # An eager array compares what it is given as a whole with nothing, and cuts it at its own lengths.
    array = tf.TensorArray(tf.float32, size=2, element_shape=(3,)).unstack([1.0, 2.0])
    assert array.stack().numpy().tolist() == [1.0, 2.0]
    assert array.write(0, [1.0, 2.0, 3.0]).read(0).numpy().tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(3 vs. 2\)"):
        tf.TensorArray(tf.float32, size=3).split([1.0, 2.0, 3.0], [1, 2])
    with pytest.raises(tf.errors.OutOfRangeError, match="negative"):
        array.read(-1)
    cleared = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
    cleared.read(0)
    with pytest.raises(ValueError, match="cleared"):
        cleared.stack()


def test_tensor_array_is_differentiable() -> None:
    def swapped(x: Any) -> Any:
        array = tf.TensorArray(x.dtype, size=2, clear_after_read=False).unstack(x)
        return array.read(1) * array.read(1) + array.stack() * array.concat()

    check_gradient(swapped, normal(2, 4)[:, :1], order=2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda a: a.write(5, 1.0), tf.errors.OutOfRangeError),
        (lambda a: a.write(-1, 1.0), tf.errors.OutOfRangeError),
        (lambda a: a.write(0.0, 1.0), TypeError),
        (lambda a: a.write(1, tf.constant(2)), tf.errors.InvalidArgumentError),
        (lambda a: a.write(1, [1.0, 2.0]), ValueError),
        (lambda a: a.read(9), tf.errors.OutOfRangeError),
        (lambda a: a.gather([9]), tf.errors.OutOfRangeError),
        (lambda a: a.gather([-1]), tf.errors.OutOfRangeError),
        (lambda a: a.unstack([1.0] * 5), ValueError),
        (lambda a: a.unstack(1.0), ValueError),
        (lambda a: a.split([1.0, 2.0], [1, 2]), tf.errors.InvalidArgumentError),
        (lambda a: a.concat(), tf.errors.InvalidArgumentError),
        (lambda a: a.grad("x"), NotImplementedError),
        (lambda a: tf.TensorArray(tf.float32), ValueError),
        (lambda a: tf.TensorArray("x", size=1), TypeError),
        (lambda a: tf.TensorArray(tf.float32, size=2).read(0), ValueError),
    ],
)
def test_tensor_array_refuses(call: Any, error: Any) -> None:
    array = tf.TensorArray(tf.float32, size=2).write(0, 1.0)
    with pytest.raises(error):
        call(array)


def test_scatter_compares_the_number_of_places_in_functions() -> None:
    def scattered(places: Any) -> Any:
        rows = [[1.0, 2.0], [3.0, 4.0]]
        return tf.TensorArray(tf.float32, size=3, element_shape=[2]).scatter(places, rows).stack()

    # As in TensorFlow, whose eager arrays pass over what is too much.
    assert scattered([2, 0, 1]).numpy().tolist() == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
    assert scattered([1]).numpy().tolist() == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    for places, message in (([2, 0, 1], "3 vs. 2"), ([1], "1 vs. 2")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"but saw: {message}"):
            tf.function(scattered)(places)


LOOPS_WITHOUT_GRADIENTS = {
    "while_loop": lambda x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x), back_prop=False
    )[1],
    "compat.v1.while_loop": lambda x: tf.compat.v1.while_loop(
        lambda y: tf.reduce_sum(y) < 30.0, lambda y: y * x, [x], back_prop=False
    ),
    "foldl": lambda x: tf.foldl(lambda a, e: a * e, x, back_prop=False),
    "foldr": lambda x: tf.foldr(lambda a, e: a * e, x, back_prop=False),
    "scan": lambda x: tf.scan(lambda a, e: a * e, x, back_prop=False),
    "map_fn": lambda x: tf.map_fn(lambda e: e * e, x, back_prop=False),
    "map_fn of ragged rows": lambda x: (
        tf.map_fn(
            lambda e: e * e, tf.RaggedTensor.from_row_splits(x, [0, 2, 3]), back_prop=False
        ).flat_values
    ),
}


@pytest.mark.parametrize("loop", LOOPS_WITHOUT_GRADIENTS.values(), ids=LOOPS_WITHOUT_GRADIENTS)
def test_loops_of_functions_without_back_prop_have_no_gradient(loop: Any) -> None:
    x = tf.constant([1.5, 2.0, 3.0])

    def gradient(function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    inside = tf.function(gradient, autograph=False)
    recorded = tf.function(loop, autograph=False)
    assert gradient(loop) is not None  # eager code does not look at it, in TensorFlow either
    assert inside(loop) is None
    assert gradient(recorded) is None
    assert recorded(x).numpy().tolist() == loop(x).numpy().tolist()
