"""Recorded functions and forward mode: accumulators around a function and in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.autodiff.forward import ForwardAccumulator

W = tf.Variable(np.random.RandomState(0).standard_normal((3, 3)).astype("float32"))
OUTSIDE = tf.constant([0.5, -1.0, 2.0])


def deep(x: Any) -> Any:
    for _ in range(4):
        x = tf.tanh(x @ W) * OUTSIDE + tf.sin(x)
    return x, tf.reduce_sum(x * x), tf.shape(x)


def decides(x: Any) -> Any:
    if tf.reduce_sum(x) > 0:
        return tf.exp(x * 0.1)
    return -x * OUTSIDE


def with_a_tape(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = deep(x)[1]
    return tape.gradient(y, x)


def draws(x: Any) -> Any:
    for _ in range(4):
        x = tf.tanh(x @ W) + tf.random.normal([4, 3], seed=2)
    return tf.nn.dropout(x, 0.5, seed=4)


def writes(x: Any) -> Any:
    total = tf.reduce_sum(tf.tanh(x @ W) ** 2 * OUTSIDE, axis=0)
    COUNT.assign_add(total)
    return total * 2.0


COUNT = tf.Variable([0.0, 0.0, 0.0])
PROGRAMS = [deep, decides, with_a_tape, draws, writes]


def given() -> Any:
    random = np.random.RandomState(1)
    for i in range(6):
        rows = random.standard_normal((4, 3)).astype("float32")
        yield tf.constant(rows if i % 2 else -rows), tf.constant(rows[::-1].copy())


def parts(result: Any) -> list[Any]:
    return [None if leaf is None else np.asarray(leaf) for leaf in tf.nest.flatten(result)]


def pushed(function: Callable[[Any], Any], primal: Any, tangent: Any) -> Any:
    with ForwardAccumulator(primal, tangent) as accumulator:
        y = function(primal)
    return y, accumulator.jvp(y)


def along_a_variable(function: Callable[[Any], Any], x: Any, _: Any) -> Any:
    return pushed(lambda _: function(x), W, tf.ones([3, 3]))


def along_a_constant(function: Callable[[Any], Any], x: Any, _: Any) -> Any:
    return pushed(lambda _: function(x), OUTSIDE, tf.ones([3]))


def twice(function: Callable[[Any], Any], x: Any, way: Any) -> Any:
    return pushed(
        lambda x: [part for part in pushed(function, x, way)[1] if part is not None],
        x,
        tf.ones_like(x),
    )


def under_a_tape(function: Callable[[Any], Any], x: Any, way: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = pushed(function, x, way)
        total = tf.add_n([
            tf.reduce_sum(part)
            for part in tf.nest.flatten(y)
            if part is not None and part.dtype.is_floating
        ])  # fmt: skip
    return y, tape.gradient(total, [x, W, OUTSIDE])


def by_columns(function: Callable[[Any], Any], x: Any, _: Any) -> Any:
    return tf.autodiff.jacfwd(lambda x: tf.nest.flatten(function(x))[0])(x)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize(
    "around",
    [pushed, along_a_variable, along_a_constant, twice, under_a_tape, by_columns],
    ids=lambda around: around.__name__,
)
def test_around_a_function(program: Any, around: Any) -> None:
    function, python = tf.function(program), tf.function(program)
    answers = []
    for each in (lambda x: python._run((x,), {}), function):
        tf.random.set_seed(3)
        COUNT.assign(tf.zeros([3]))
        answers.append([[parts(around(each, *pair)), COUNT.numpy()] for pair in given()])
    for one, other in zip(*answers, strict=True):
        assert one[1].tobytes() == other[1].tobytes()
        for wanted, found in zip(one[0], other[0], strict=True):
            assert (wanted is None) == (found is None)
            if wanted is not None:
                assert wanted.dtype == found.dtype
                np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-5)


def test_inside_of_a_function() -> None:
    def program(x: Any, way: Any) -> Any:
        return pushed(deep, x, way)

    function = tf.function(program)
    for pair in given():
        for wanted, found in zip(parts(program(*pair)), parts(function(*pair)), strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert "stays Python" not in str(function.explain())


def test_one_recording_has_the_tangents() -> None:
    function = tf.function(deep)
    for pair in given():
        pushed(function, *pair)
    (program,) = function._recordings.values()
    assert program.forward_backward
    assert program.forward_backward.built == 1


def test_a_function_that_asks_an_accumulator_from_outside_is_python() -> None:
    def ask(x: Any) -> Any:
        y = tf.sin(x) * 2.0
        return accumulator.jvp(y) + y

    function = tf.function(ask)
    for primal, tangent in given():
        answers = []
        for each in (ask, function):
            with ForwardAccumulator(primal, tangent) as accumulator:
                answers.append(each(primal))
        np.testing.assert_array_equal(*answers)
    assert "made outside" in str(function.explain())


def test_a_constant_that_a_tape_watches() -> None:
    function = tf.function(deep)
    for primal, _ in given():
        gradients = []
        for each in (deep, function):
            with tf.GradientTape() as tape:
                tape.watch(OUTSIDE)
                y = each(primal)[1]
            gradients.append(tape.gradient(y, OUTSIDE))
        np.testing.assert_allclose(*gradients, rtol=1e-5)


def test_a_custom_gradient_that_is_linear_for_some_values() -> None:
    """Values say which tangent it has. The first call had the answer for all."""

    def python(x: Any) -> Any:
        @tf.custom_gradient
        def odd(z: Any) -> Any:
            return tf.sin(z), lambda dy: dy * z + tf.nn.relu(z) * 5.0

        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = odd(x)
        return accumulator.jvp(y)

    function = tf.function(python)
    for value in ([-1.0, -2.0], [1.0, 2.0], [-3.0, -1.0], [3.0, 2.0]):
        x = tf.constant(value)
        np.testing.assert_array_equal(function(x), python(x))
    assert "whether a custom gradient is linear" in str(function.explain())
