"""`tf.py_function` and `tf.numpy_function`: how often they call, and what `Tout` says of results.

Expected values, and how often TensorFlow calls a function, are TensorFlow's unless a comment says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

ROWS = tf.constant([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]], tf.float64)
ANGLES = [0.1, 0.2, 0.3]


class Counted:
    """A function, and how often it was called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.function(*args)


def by_value(v):
    return v.numpy() * 2


def by_op(v):
    return v * 2


KINDS = [(tf.py_function, by_value), (tf.py_function, by_op), (tf.numpy_function, by_op)]
kinds = pytest.mark.parametrize(
    ("call", "function"), KINDS, ids=["py-by-value", "py-by-op", "numpy"]
)


# In vectorized_map


@kinds
@pytest.mark.parametrize("recorded", [False, True])
def test_a_map_calls_for_one_item_after_the_other(call: Any, function: Any, recorded: bool) -> None:
    counted = Counted(function)

    def mapped(rows):
        return tf.vectorized_map(lambda row: call(counted, [row], tf.float64) + row, rows)

    run = tf.function(mapped) if recorded else mapped
    for times in (1, 2, 3):
        np.testing.assert_array_equal(run(ROWS), ROWS * 3)
        assert counted.calls == 4 * times


@kinds
def test_several_results_and_constants(call: Any, function: Any) -> None:
    counted = Counted(lambda v, w: (function(v), function(w)))
    one = tf.ones([2], tf.float64)
    first, second = tf.vectorized_map(
        lambda row: call(counted, [row, one], [tf.float64, tf.float64]), ROWS
    )
    np.testing.assert_array_equal(first, ROWS * 2)
    np.testing.assert_array_equal(second, np.full([4, 2], 2.0))
    assert counted.calls == 4
    alone = Counted(function)
    np.testing.assert_array_equal(
        tf.vectorized_map(lambda row: row + call(alone, [one], tf.float64), ROWS), ROWS + 2
    )
    assert alone.calls == 4


@kinds
def test_maps_within_maps(call: Any, function: Any) -> None:
    counted = Counted(function)
    doubled = tf.vectorized_map(
        lambda row: tf.vectorized_map(lambda x: call(counted, [x], tf.float64), row), ROWS
    )
    np.testing.assert_array_equal(doubled, ROWS * 2)
    assert counted.calls == 8


@kinds
def test_a_map_over_nothing(call: Any, function: Any) -> None:
    result = tf.vectorized_map(lambda row: call(function, [row], tf.float64), ROWS[:0])
    assert (result.shape, result.dtype) == ([0, 2], tf.float64)


def test_gradients_flow_through_a_map():
    """TensorFlow's fail."""
    counted = Counted(lambda v: v * v)

    def one(row):
        return tf.py_function(counted, [row], tf.float64)

    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        y = tf.vectorized_map(one, ROWS)
    np.testing.assert_array_equal(tape.gradient(y, ROWS), ROWS * 2)

    def inside(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = one(row)
        return tape.gradient(y, row)

    np.testing.assert_array_equal(tf.vectorized_map(inside, ROWS), ROWS * 2)
    assert counted.calls == 8


@kinds
def test_no_loop_is_wanted(call: Any, function: Any) -> None:
    counted = Counted(function)
    with pytest.raises(ValueError, match=r"(Eager)?PyFunc: tf.\w+ calls its function"):
        tf.vectorized_map(
            lambda row: call(counted, [row], tf.float64), ROWS, fallback_to_while_loop=False
        )
    assert counted.calls == 0


def test_a_function_that_meets_the_batch_around_it():
    """It takes the items by name, not as an argument. Then the whole map is done item by item."""

    def one(row):
        return tf.py_function(
            lambda v: v.numpy() + row.numpy(), [tf.ones([2], tf.float64)], tf.float64
        )

    np.testing.assert_array_equal(tf.vectorized_map(one, ROWS), ROWS + 1)


def test_results_of_different_shapes():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"EagerPyFunc"):
        tf.vectorized_map(
            lambda row: tf.py_function(lambda v: np.ones(int(v.numpy()[0])), [row], tf.float64),
            ROWS,
        )


def test_an_error_of_the_function_is_its_own():
    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        tf.vectorized_map(lambda row: tf.py_function(lambda v: 1 / 0, [row], tf.float64), ROWS)


# In Jacobians


def sine(call: Any, function: Any, runs: list[str]) -> Any:
    """The sine with a gradient function that calls Python, which gives twice the gradient."""

    @tf.custom_gradient
    def f(x):
        def gradient(dy):
            runs.append("gradient")
            return call(function, [dy], tf.float64) * tf.cos(x)

        return tf.sin(x), gradient

    return f


@kinds
@pytest.mark.parametrize("pfor", [True, False])
def test_jacobian(call: Any, function: Any, pfor: bool) -> None:
    counted, runs = Counted(function), []
    x = tf.Variable(ANGLES, dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        y = sine(call, counted, runs)(x)
    matrix = tape.jacobian(y, x, experimental_use_pfor=pfor)
    np.testing.assert_allclose(matrix, 2 * np.diag(np.cos(ANGLES)))
    assert counted.calls == 3
    assert len(runs) == (1 if pfor else 3)


@kinds
@pytest.mark.parametrize("pfor", [True, False])
def test_batch_jacobian(call: Any, function: Any, pfor: bool) -> None:
    counted, runs = Counted(function), []
    x = tf.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        y = sine(call, counted, runs)(x)
    found = tape.batch_jacobian(y, x, experimental_use_pfor=pfor)
    np.testing.assert_allclose(found, [2 * np.diag(np.cos(row)) for row in x.numpy()])
    assert counted.calls == 2
    assert len(runs) == (1 if pfor else 2)


@kinds
def test_jacobian_of_a_jacobian(call: Any, function: Any) -> None:
    """TensorFlow forgets the inner gradient function there, and calls it without pfor alone."""
    inner: list[str] = []

    @tf.custom_gradient
    def scaled(dy, x):
        def gradient(ddy):
            inner.append("gradient")
            twice = call(function, [ddy], tf.float64)
            return twice * tf.cos(x), -twice * tf.sin(x) * dy

        return dy * tf.cos(x), gradient

    f = tf.custom_gradient(lambda x: (tf.sin(x), lambda dy: scaled(dy, x)))
    x = tf.Variable(ANGLES, dtype=tf.float64)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as tape:
            y = f(x)
        matrix = tape.jacobian(y, x)
    expected = np.zeros([3, 3, 3])
    expected[np.arange(3), np.arange(3), np.arange(3)] = -2 * np.sin(ANGLES)
    np.testing.assert_allclose(outer.jacobian(matrix, x), expected, atol=1e-15)
    assert len(inner) == 1


@pytest.mark.parametrize(("pfor", "most"), [(True, 4), (False, 3)])
def test_a_gradient_function_that_asks_for_values(pfor: bool, most: int) -> None:
    """It runs once a row; with pfor, which TensorFlow refuses here, once more to find that out."""
    runs = []

    @tf.custom_gradient
    def f(x):
        def gradient(dy):
            runs.append(1)
            return tf.constant(dy.numpy() * np.cos(x.numpy()))

        return tf.sin(x), gradient

    x = tf.Variable(ANGLES, dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
    matrix = tape.jacobian(y, x, experimental_use_pfor=pfor)
    np.testing.assert_allclose(matrix, np.diag(np.cos(ANGLES)))
    assert len(runs) <= most


def test_a_gradient_function_of_ops_runs_once():
    runs = []

    @tf.custom_gradient
    def f(x):
        def gradient(dy):
            runs.append(1)
            return dy * np.cos(x.numpy())

        return tf.sin(x), gradient

    x = tf.Variable(ANGLES, dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
    np.testing.assert_allclose(tape.jacobian(y, x), np.diag(np.cos(ANGLES)))
    assert len(runs) == 1


# What Tout says of the results

X = [tf.constant([1.0, 2.0])]


def dtypes_of(results: Any) -> Any:
    if isinstance(results, list):
        return [dtypes_of(each) for each in results]
    return None if results is None else results.dtype.name


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ((np.float32(1),) * 3, ["float32"] * 3),
        ((np.float32(1),), "float32"),
        ([np.float32(1)], "float32"),
        (np.float32([1, 2]), "float32"),
        (np.float64(1), "float64"),
        (1.5, "float32"),
        (1, "int32"),
        (np.int64(1), "int64"),
        ("a", "string"),
        (1j, "complex128"),
        (None, None),
        ((None, np.float16(1)), [None, "float16"]),
        ([], []),
        ({"b": 1, "a": 1.5}, ["float32", "int32"]),
        ([[1.0], [1.0, 2]], ["float32", "float32", "int32"]),
        (tf.constant(1, tf.int8), "int8"),
    ],
)
def test_numpy_function_in_eager_code_gives_what_the_function_gives(
    returned: Any, expected: Any
) -> None:
    for types in (tf.float64, [tf.float64], [tf.float64, tf.float32], []):
        results = tf.numpy_function(lambda x: returned, X, types)
        assert dtypes_of(results) == expected


@pytest.mark.parametrize(
    ("returned", "types"),
    [
        ((np.float32(1),) * 3, [tf.float32] * 2),
        ((np.float32(1),), [tf.float32] * 2),
        ([np.float32(1)] * 2, tf.float32),
        (np.float32([1, 2]), [tf.float32] * 2),
        (np.float64(1), tf.float32),
        (1.5, tf.float32),
        (1, tf.int32),
        (np.int64(1), tf.int32),
        ("a", tf.float32),
        (np.float16(1), tf.float32),
        (tf.constant(1.0, tf.float64), tf.float32),
        (None, tf.float32),
        ([], tf.float32),
    ],
)
def test_numpy_function_in_a_function_gives_what_Tout_says(returned: Any, types: Any) -> None:
    def call(x: Any) -> Any:
        return tf.numpy_function(lambda x: returned, [x], types)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:PyFunc\]"):
        tf.function(call)(X[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:PyFunc\]"):
        list(tf.data.Dataset.from_tensors(X[0]).map(call))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:PyFunc\]"):
        tf.vectorized_map(call, ROWS)


@pytest.mark.parametrize(
    ("returned", "types", "expected"),
    [
        ((np.float32(1),) * 3, [tf.float32] * 2, ["float32"] * 2),
        ([np.float32(1)] * 2, tf.float32, "float32"),
        ((np.float32(1),), tf.float32, "float32"),
        (np.float32(1), [tf.float32], ["float32"]),
        (np.float64([1, 2]), tf.float32, "float32"),
        (np.float16(1), tf.float32, "float32"),
        (1.5, tf.float64, "float64"),
        (1, tf.float32, "float32"),
        (np.int64(1), tf.int32, "int32"),
        ([1.5, 2.5], tf.float32, "float32"),
        (np.array(["a", "bc"]), tf.string, "string"),
        (1j, tf.complex64, "complex64"),
        (None, [], []),
    ],
)
def test_py_function_converts_and_drops(returned: Any, types: Any, expected: Any) -> None:
    def call(x: Any) -> Any:
        return tf.py_function(lambda x: returned, [x], types)

    assert dtypes_of(call(X[0])) == expected
    assert dtypes_of(tf.function(call)(X[0])) == expected


@pytest.mark.parametrize(
    ("returned", "types"),
    [
        ((np.float32(1),), [tf.float32] * 2),
        (np.float32([1, 2, 3]), [tf.float32] * 2),
        (1.5, tf.int32),
        ("a", tf.float32),
        (None, tf.float32),
        ([], tf.float32),
        (np.float32(1), []),
        ({"a": 1}, tf.float32),
        (tf.constant(1.0, tf.float64), tf.float32),
    ],
)
def test_py_function_refuses(returned: Any, types: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:EagerPyFunc\]"):
        tf.py_function(lambda x: returned, X, types)


def test_numpy_function_in_eager_code_gets_numpys_arrays() -> None:
    """As in TensorFlow: only what is a tensor already has a dtype of TensorFlow's."""
    received: list[Any] = []

    def func(*arrays: Any) -> Any:
        received.extend(arrays)
        return np.float64(1.0)

    inp = [
        0.1,
        1,
        [0.1, 0.2],
        "a",
        None,
        {"b": 2},
        tf.constant(0.5),
        tf.Variable(1.0),
        tf.constant("c"),
    ]
    assert tf.numpy_function(func, inp, tf.float64) == 1.0
    assert all(type(array) is np.ndarray for array in received)
    assert [array.dtype.str[1:] for array in received] == [
        "f8", "i8", "f8", "U1", "O", "O", "f4", "f4", "O",
    ]  # fmt: skip
    assert (received[0], received[4], received[5], received[8]) == (0.1, None, {"b": 2}, b"c")
    received.clear()
    tf.function(lambda: tf.numpy_function(func, inp[:3], tf.float64))()
    assert [array.dtype.name for array in received] == ["float32", "int32", "float32"]


@pytest.mark.parametrize("name", ["py_function", "numpy_function"])
def test_without_Tout(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\) takes Tout, .* @tf.{name}\(Tout="):
        getattr(tf, name)(lambda x: x, X)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ZeroDivisionError, tf.errors.UnknownError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (ValueError, tf.errors.InvalidArgumentError),
    ],
)
def test_errors_of_a_function_of_arrays(error: type[Exception], expected: Any) -> None:
    """In eager code they are its own; elsewhere those of the op."""

    def fails(x: Any) -> Any:
        raise error("not today")

    def call(x: Any) -> Any:
        return tf.numpy_function(fails, [x], tf.float64)

    with pytest.raises(error, match=r"^not today$"):
        call(ROWS)
    for run in (
        lambda: tf.function(call)(ROWS),
        lambda: tf.vectorized_map(call, ROWS),
        lambda: list(tf.data.Dataset.from_tensors(ROWS).map(call)),
    ):
        with pytest.raises(expected, match="not today"):
            run()
