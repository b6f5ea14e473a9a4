"""`tf.gradients` in recorded functions: by whatever a function computes, and what it does on the way once.

The numbers are TensorFlow's (2.21).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

ROWS: list[tuple[Callable[[], Any], Any]] = []


def row(expected: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """A function with what it gives on TensorFlow."""

    def add(function: Callable[[], Any]) -> Callable[[], Any]:
        ROWS.append((function, expected))
        return function

    return add


outside = tf.constant([2.0, 3.0])
fixed = tf.Variable(3.0, trainable=False)
variable = tf.Variable(2.0)
cube = tf.function(lambda t: t**3)


@row([[2.0, 2.0, 2.0]])
def by_a_constant() -> Any:
    x = tf.zeros(3)
    return tf.gradients(tf.reduce_sum(tf.exp(x) * 2), x)


@row([[4.0, 6.0]])
def by_a_tensor_from_outside() -> Any:
    return tf.gradients(outside * outside, outside)


@row([6.0, 4.0])
def by_variables() -> Any:
    return tf.gradients([fixed * fixed, variable * variable], [fixed, variable])


@row([1.0, 1.0])
def by_itself() -> Any:
    x = tf.constant(2.0)
    return tf.gradients(x, x) + tf.gradients(variable, variable)


@row([6.0])
def by_what_was_cast() -> Any:
    x = tf.cast(tf.constant(3), tf.float32)
    return tf.gradients(x**2, x)


@row([2.0, 2.0])
def by_what_was_drawn() -> Any:
    x = tf.random.uniform([2])
    return tf.gradients(x * x, x)[0] / x


@row([108.0, 108.0, 72.0])
def orders() -> Any:
    x = tf.constant(3.0)
    first = tf.gradients(x**4, x)
    second = tf.gradients(first, x)
    return first + second + tf.gradients(second, x)


@row([72.0, 108.0])
def mixed_order() -> Any:
    x, z = tf.constant(3.0), tf.constant(2.0)
    return tf.gradients(tf.gradients(x**3 * z**2, x), [x, z])


@row([6.0, 6.0, 3.0, 6.0, 3.0])
def stopped() -> Any:
    x = tf.constant(3.0)
    z = x * 2
    y = z * x
    return [
        *tf.gradients(y, x, stop_gradients=[z]),
        *tf.gradients(y, [x, z], stop_gradients=z),
        *tf.gradients(y, [x, z], stop_gradients=[x, z]),
    ]


@row([None, [0.0, 0.0]])
def not_connected() -> Any:
    x, y = tf.constant([3.0, 1.0]), tf.constant(2.0) ** 2
    return tf.gradients(y, x) + tf.gradients(y, x, unconnected_gradients="zero")


@row([[9.0, 23.0]])
def seeded() -> Any:
    x = tf.constant([3.0, 1.0])
    return tf.gradients([x * x, x * 3], x, grad_ys=[tf.constant([1.0, 10.0]), None])


@row([[30.0, 14.0]])
def by_the_seed() -> Any:
    x, seed = tf.constant([3.0, 1.0]), tf.constant([1.0, 1.0])
    first = tf.gradients(x * x, x, grad_ys=seed)
    return tf.gradients(first, seed, grad_ys=tf.constant([5.0, 7.0]))


@row([36.0, 9.0, 1.0])
def sources_that_depend_on_each_other() -> Any:
    x = tf.constant(2.0)
    y = x * x
    z = y * y
    return tf.gradients([y, z], [x, y, z])


@row(0.768)
def in_a_loop() -> Any:
    def body(i: Any, x: Any) -> Any:
        return i + 1, x - 0.1 * tf.gradients(x * x, x)[0]

    return tf.while_loop(lambda i, x: i < 3, body, (0, tf.constant(1.5)))[1]


@row([13.5])
def through_a_loop() -> Any:
    x = tf.constant(1.5)
    return tf.gradients(
        tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1], x
    )


@row([4.0, 4.0])
def in_a_branch() -> Any:
    def branch() -> Any:
        x = 2.0 * tf.ones(2)
        return tf.gradients(x * x, x)[0]

    return tf.cond(variable > 0, branch, lambda: tf.zeros(2))


@row([3.0])
def through_a_branch() -> Any:
    x = tf.constant(1.5)
    return tf.gradients(tf.cond(variable > 0, lambda: x * x, lambda: x), x)


@row([12.0])
def through_a_function() -> Any:
    x = tf.constant(2.0)
    return tf.gradients(cube(x), x)


@row([20.0, 4.0])
def by_a_tensor_of_the_function_around() -> Any:
    x = tf.constant(2.0)
    z = x * 1.0
    inner = tf.function(lambda t: tf.gradients(t * z * z, z))
    return inner(tf.constant(5.0)) + tf.function(lambda: tf.gradients(x * x, x))()


@row([100.0])
def through_a_custom_gradient() -> Any:
    square = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * 100.0))
    x = tf.constant(2.0)
    return tf.gradients(square(x) * 1.0, x)


@row([12.0, 12.0])
def beside_a_tape() -> Any:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
        (first,) = tf.gradients(x**3, x)
    return [*tf.gradients(tape.gradient(y, x), x), 12.0 + 0.0 * first]


@row([[[6.0, 0.0], [0.0, 12.0]]])
def second_derivatives() -> Any:
    x = tf.constant([1.0, 2.0])
    return tf.hessians(tf.reduce_sum(x**3), x)


@row([2.0, 4.0])
def in_a_map() -> Any:
    return tf.vectorized_map(lambda t: tf.gradients(t * t, t)[0], tf.constant([1.0, 2.0]))


@row([2.0, 4.0])
def through_a_map() -> Any:
    x = tf.constant([1.0, 2.0])
    return tf.gradients(tf.map_fn(lambda t: t * t, x), x)[0]


@row([4.0, 1.0])
def through_a_tensor_array() -> Any:
    x = tf.constant([1.0, 2.0])
    array = tf.TensorArray(tf.float32, 2).write(0, x[0] ** 2).write(1, x[1] * x[0])
    return tf.gradients(array.stack(), x)[0]


@row([None, None, None])
def numbers() -> Any:
    x = tf.constant(1.0)
    return tf.gradients(3.0, x) + tf.gradients(x, 3.0) + tf.gradients(x, np.float32(1.0))


def plain(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [plain(part) for part in result]
    return None if result is None else result.numpy().tolist()


@pytest.mark.parametrize(("function", "expected"), ROWS, ids=[each.__name__ for each, _ in ROWS])
def test_gradients_are_tensorflows(function: Callable[[], Any], expected: Any) -> None:
    recorded = tf.function(function)
    for _ in range(3):
        found = plain(recorded())
        assert str(found).count("None") == str(expected).count("None")
        if None not in (expected if isinstance(expected, list) else [expected]):
            np.testing.assert_allclose(found, expected, rtol=1e-6)


ERRORS = [
    (lambda x: tf.gradients(x, {"a": x}), TypeError, "`xs` .* a dict"),
    (lambda x: tf.gradients({"a": x}, x), TypeError, "`ys` .* a dict"),
    (lambda x: tf.gradients(x, [[x]]), TypeError, "`xs` .* a list"),
    (lambda x: tf.gradients(None, x), AttributeError, "None"),
    (lambda x: tf.gradients(x, [None]), AttributeError, "None"),
    (lambda x: tf.gradients("a", x), TypeError, "strings"),
    (lambda x: tf.gradients(x, x, stop_gradients=3.0), AttributeError, "float"),
    (lambda x: tf.gradients([x, x], x, grad_ys=[1.0]), ValueError, "2 targets and 1"),
    (lambda x: tf.gradients(x, x, grad_ys=tf.constant(1)), TypeError, "int32"),
    (lambda x: tf.gradients(x, x, grad_ys=tf.ones(3)), ValueError, r"\(3,\)"),
    (lambda x: tf.gradients(x, x, unconnected_gradients="some"), ValueError, "some"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS)
def test_errors(call: Callable[[Any], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tf.function(call)(tf.constant([1.0, 2.0]))


UNARY = [tf.sin, tf.exp, tf.square, tf.identity, tf.stop_gradient, lambda x: 0.5 * x, tf.floor]
BINARY = [tf.add, tf.multiply, tf.subtract, tf.maximum]


def drawn(number: int) -> tuple[Callable[[Any], Any], list[int], list[int]]:
    """A program of some tensors, and the numbers of those that are sources and that no gradient passes."""
    chooser = random.Random(number)
    steps: list[tuple[Any, tuple[int, ...]]] = []
    for count in range(2, 10):
        if chooser.random() < 0.5:
            steps.append((chooser.choice(UNARY), (chooser.randrange(count),)))
        else:
            pair = chooser.randrange(count), chooser.randrange(count)
            steps.append((chooser.choice(BINARY), pair))

    def program(watch: Any) -> Any:
        tensors = [watch(tf.constant([0.3, -0.7])), watch(variable * [1.0, 1.1])]
        for op, places in steps:
            tensors.append(watch(op(*[tensors[place] for place in places])))
        return tensors

    return program, chooser.sample(range(10), 3), chooser.sample(range(9), 2)


@pytest.mark.parametrize("number", range(60))
def test_a_function_gives_what_a_tape_that_watches_all_gives(number: int) -> None:
    program, sources, stops = drawn(number)

    def eager(seconds: bool) -> Any:
        with tf.GradientTape(persistent=True) as tape:

            def watch(tensor: Any) -> Any:
                tape.watch(tensor)
                return tensor

            tensors = program(watch)
            xs = [tensors[place] for place in sources]
            first = tape.gradient(tensors[-1], xs, unconnected_gradients="zero")
        return tape.gradient(first, xs, unconnected_gradients="zero") if seconds else first

    @tf.function
    def function() -> Any:
        tensors = program(lambda tensor: tensor)
        xs = [tensors[place] for place in sources]
        first = tf.gradients(tensors[-1], xs, unconnected_gradients="zero")
        second = tf.gradients(first, xs, unconnected_gradients="zero")
        return first, second

    for _ in range(3):
        first, second = function()
        for found, expected in zip(first + second, eager(False) + eager(True), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6)

    @tf.function
    def stopped() -> Any:
        tensors = program(lambda tensor: tensor)
        return tf.gradients(
            tensors[-1],
            [tensors[place] for place in stops],
            stop_gradients=[tensors[place] for place in stops],
            unconnected_gradients="zero",
        )

    def cut(tape: Any) -> Any:
        """The same by a tape: what is stopped is made anew, as a constant."""
        place = iter(range(10))

        def watch(tensor: Any) -> Any:
            if next(place) in stops:
                tensor = tf.identity(tf.stop_gradient(tensor))
            tape.watch(tensor)
            return tensor

        return program(watch)

    with tf.GradientTape() as tape:
        tensors = cut(tape)
    expected = tape.gradient(
        tensors[-1], [tensors[place] for place in stops], unconnected_gradients="zero"
    )
    for found, each in zip(stopped(), expected, strict=True):
        np.testing.assert_allclose(found, each, rtol=1e-6)


def helper(x: Any) -> Any:
    return tf.gradients(x * x, x)[0]


class Slopes:
    """Methods lead to `tf.gradients` too."""

    def slope(self, x: Any) -> Any:
        return helper(x)


SEEN = [
    lambda x: tf.gradients(x * x, x)[0],
    lambda x: (lambda y: tf.gradients(y * y, y)[0])(x),
    helper,
    lambda x: helper(x),
    lambda x: tf.reduce_sum(tf.hessians(x**3, x)[0]),
]


@pytest.mark.parametrize("slope", SEEN)
def test_what_comes_before_is_done_once(slope: Callable[[Any], Any]) -> None:
    """The code shows that the function calls `tf.gradients`, so that it has a tape at once."""
    runs = []
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)
    elements = iter(tf.data.Dataset.range(10))

    def note() -> int:
        runs.append(2)
        return 0

    @tf.function
    def f(x: Any) -> Any:
        runs.append(1)
        tf.py_function(note, [], tf.int32)
        table.insert(table.size(), 1)
        return slope(x), next(elements)

    x = tf.constant(3.0)
    expected = 6.0 if slope is not SEEN[-1] else 18.0
    assert plain(f(x)) == [expected, 0]
    assert runs == [1, 2]
    assert table.size() == 1


def test_the_code_of_methods_is_looked_at() -> None:
    runs = []

    class Model(Slopes):
        @tf.function
        def step(self, x: Any) -> Any:
            runs.append(1)
            return self.slope(x)

    assert Model().step(tf.constant(3.0)) == 6.0
    assert runs == [1]


def test_who_is_not_seen_to_call_it_begins_anew() -> None:
    runs, total = [], tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        runs.append(1)
        total.assign_add(x)
        return getattr(tf, "grad" + "ients")(x * x, x)[0] + total

    assert [float(f(tf.constant(3.0))) for _ in range(3)] == [9.0, 12.0, 15.0]
    assert len(runs) == 2


def test_who_names_it_and_does_not_call_it_has_no_tape_afterwards() -> None:
    @tf.function
    def f(x: Any, second: bool) -> Any:
        return tf.gradients(x * x, x)[0] if second else x

    x = tf.constant(3.0)
    assert f(x, False) == 3.0
    assert f._calls_gradients is False
    assert f(x, True) == 6.0
    assert f._calls_gradients is True


class Unwilling:
    """As proxies outside of what they stand for: whatever is asked of it raises."""

    def __getattr__(self, name: str) -> Any:
        error = AttributeError if name.startswith("__") else RuntimeError
        raise error(f"asked for {name}")


unwilling = Unwilling()


def test_a_function_may_name_what_raises_when_it_is_asked() -> None:
    @tf.function
    def f(x: Any, asks: bool) -> Any:
        return unwilling.value if asks else 2 * x

    assert f(tf.constant(3.0), False) == 6.0


@pytest.mark.parametrize("by_values", [False, True])
def test_a_tensor_from_outside_is_watched_where_sizes_are_open(by_values: bool) -> None:
    """Steps that no argument decides were computed once for all calls, and no tape saw them."""
    weights = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def function(x: Any, n: Any) -> Any:
        return tf.reduce_sum((x[:n] if by_values else x) @ (weights * 2.0))

    for size in (3, 4, 5, 6, 5):
        x = tf.ones([8 if by_values else size, 2])
        with tf.GradientTape() as tape:
            tape.watch(weights)
            y = function(x, tf.constant(size))
        np.testing.assert_array_equal(tape.gradient(y, weights), np.full([2, 2], 2.0 * size))
        with tf.autodiff.ForwardAccumulator(weights, tf.ones([2, 2])) as accumulator:
            y = function(x, tf.constant(size))
        assert float(accumulator.jvp(y)) == 8.0 * size
