"""Recorded functions that are called by functions which cannot be recorded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core

TURNS = 5
LARGE = tf.random.stateless_normal([2000], [1, 2])


def over_an_argument(inner: Any) -> Callable[[Any], Any]:
    @tf.function
    def outer(elements: Any, x: Any) -> Any:
        for _ in elements:
            x = inner(x)
        return x

    return lambda x: outer(tf.data.Dataset.range(TURNS), x)


def over_a_data_set(inner: Any) -> Callable[[Any], Any]:
    @tf.function
    def outer(x: Any) -> Any:
        for _ in tf.data.Dataset.range(TURNS):
            x = inner(x)
        return x

    return outer


def after_a_large_value(inner: Any) -> Callable[[Any], Any]:
    @tf.function
    def outer(x: Any) -> Any:
        if (LARGE * x).numpy().shape:
            for _ in range(TURNS):
                x = inner(x)
        return x

    return outer


def with_gradients(inner: Any) -> Callable[[Any], Any]:
    @tf.function
    def outer(elements: Any, x: Any) -> Any:
        y = x
        for _ in elements:
            y = inner(y)
        return y + tf.gradients(y, x)[0]

    return lambda x: outer(tf.data.Dataset.range(TURNS), x)


def with_a_custom_gradient(inner: Any) -> Callable[[Any], Any]:
    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return inner(x), lambda dy, variables=None: (2.0 * dy, [None for _ in variables or ()])

    @tf.function
    def outer(elements: Any, x: Any) -> Any:
        for _ in elements:
            x = doubled(x)
        return x

    return lambda x: outer(tf.data.Dataset.range(TURNS), x)


OUTERS = [
    over_an_argument, over_a_data_set, after_a_large_value, with_gradients, with_a_custom_gradient
]  # fmt: skip


def steps(body: Any) -> tuple[Any, Any, list[str]]:
    """A function that reads, writes and draws; its variable; and a list that grows as its code runs."""
    v, runs = tf.Variable(2.0), []

    def step(x: Any) -> Any:
        runs.append("step")
        y = body(x)
        v.assign_add(0.25 * x)
        return y * 0.5 * v + tf.random.uniform([], maxval=0.01)

    return step, v, runs


def bodies() -> list[Any]:
    return [lambda x: x, lambda x: x if x > 0 else 2.0 * x]


@pytest.mark.parametrize("tape", [False, True])
@pytest.mark.parametrize("body", bodies())
@pytest.mark.parametrize("outer", OUTERS)
def test_they_are_recorded_once(outer: Any, body: Any, tape: bool) -> None:
    found = []
    for decorate in (tf.function, lambda function: function):
        tf.random.set_seed(3)
        step, v, runs = steps(body)
        inner = decorate(step)
        call = outer(inner)
        for number in (1.0, 0.5, 1.5):
            x = tf.constant(number)
            with tf.GradientTape() if tape else nullcontext() as outside:
                if tape:
                    outside.watch(x)
                y = call(x)
            found.append([y.numpy(), v.numpy(), outside.gradient(y, x).numpy() if tape else 0.0])
        if decorate is tf.function:
            # Once, and once more where a tape looks on that `tf.gradients` reads. It counts as one.
            # (Who is to learn which variables a branch reads has Python say so.)
            assert len(runs) <= 2 or (
                outer is with_a_custom_gradient and inner._recordings.recorded
            )
            assert inner.experimental_get_tracing_count() == 1
    recorded, eager = found[:3], found[3:]
    for one, other in zip(recorded, eager, strict=True):
        # The draws of a function in a function are numbered for themselves.
        np.testing.assert_allclose(one, other, rtol=0.2)


def test_variables_that_begin_anew_have_their_values() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def inner(x: Any) -> Any:
        v.assign_add(x)
        return v * x

    inner(tf.constant(0.0)), inner(tf.constant(0.0))

    @tf.function
    def outer(elements: Any, x: Any) -> Any:
        for _ in elements:
            y = inner(x)
        return tf.gradients(y, x)[0]

    for turn in range(1, 4):
        assert outer(tf.data.Dataset.range(2), tf.constant(1.0)) == 1.0 + 2.0 * turn
        assert v == 1.0 + 2.0 * turn


def test_variables_made_inside() -> None:
    class Layer(tf.Module):
        weight: Any = None
        runs = 0

        @tf.function
        def __call__(self, x: Any) -> Any:
            self.runs += 1
            if self.weight is None:
                self.weight = tf.Variable(3.0)
            return self.weight * x

    layer = Layer()
    call = over_an_argument(layer)
    assert [float(call(tf.constant(1.0))) for _ in range(3)] == [3.0**TURNS] * 3
    assert (
        layer.runs == 2
    )  # it counts as in TensorFlow: the call that makes variables is not recorded


def test_a_first_call_inside_a_later_one_makes_variables() -> None:
    class Layer(tf.Module):
        made: ClassVar[list[Any]] = []

        @tf.function
        def __call__(self, x: Any, again: bool) -> Any:
            if again or not self.made:
                self.made.append(tf.Variable(3.0))
            return self.made[-1] * x

    layer, x = Layer(), tf.constant(2.0)

    @tf.function
    def outer(x: Any, inside: bool, again: bool = False) -> Any:
        return layer(x, again) if inside else x

    assert outer(x, False) == 2.0
    assert [float(outer(x, True)) for _ in range(3)] == [6.0] * 3
    assert outer._recordings.recorded == 2
    with pytest.raises(ValueError, match="non-first call"):
        outer(x, True, True)


def test_who_watches_variables_learns_of_them() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def plain(x: Any) -> Any:
        return v * x

    @tf.function
    def branches(x: Any) -> Any:
        return v * x if x > 0 else w * x

    for function, number, wanted in [
        (plain, 1.0, [v]),
        (plain, 1.0, [v]),
        (branches, 1.0, [v]),
        (branches, -1.0, [w]),
        (branches, 1.0, [v]),
    ]:
        with core.VariableWatcher() as watcher:
            function(tf.constant(number))
        assert [each is other for each, other in zip(watcher.variables, wanted, strict=True)]


def test_a_method_is_an_instance_of_the_class_of_functions() -> None:
    """As in TensorFlow (2.21), where both have one class."""

    class Model(tf.Module):
        @tf.function
        def call(self, x: Any) -> Any:
            return x

    model = Model()
    assert isinstance(model.call, type(tf.function(abs)))
    assert model.call == model.call
    assert model.call != Model().call
    assert model.call(tf.constant(2.0)) == 2.0


def slope_of_own_argument(x: Any) -> Any:
    @tf.function
    def inside(z: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = z * x
        return tape.gradient(y, z)

    return inside(x)


def slope_of_argument_in_a_nest(x: Any) -> Any:
    @tf.function
    def inside(pair: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(pair["a"])
            y = pair["a"] * x
        return tape.gradient(y, pair["a"])

    return inside({"a": x})


@pytest.mark.parametrize("program", [slope_of_own_argument, slope_of_argument_in_a_nest])
@pytest.mark.parametrize("where", ["eager", "function", "stays Python", "map", "map_fn"])
@pytest.mark.parametrize("taped", [False, True])
def test_an_argument_is_another_tensor_than_the_same_captured(
    program: Any, where: str, taped: bool
) -> None:
    """As in TensorFlow, the derivative of z * x by z is x, though the function was called with x for z."""

    def unrecorded(x: Any) -> Any:
        with tf.GradientTape(persistent=True):
            y = tf.custom_gradient(lambda a: (tf.identity(a), lambda dy: dy))(x)
        return program(y)

    calls = {
        "eager": program,
        "function": tf.function(program),
        "stays Python": tf.function(unrecorded),
        "map": lambda x: tf.vectorized_map(program, x),
        "map_fn": lambda x: tf.map_fn(program, x),
    }
    for value in ([1.0, 2.0], [3.0, -1.0], [0.5, 4.0]):
        x = tf.constant(value)
        if not taped:
            assert calls[where](x).numpy().tolist() == value
            continue
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = calls[where](x)
        assert y.numpy().tolist() == value
        assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("cut", [lambda x: x, lambda x: tf.boolean_mask(x, x[:, 0] > 0.5)])
def test_under_a_tape_they_are_parts_of_a_recording_for_all_sizes(cut: Any) -> None:
    """Their arguments are new tensors there with a gradient, for sizes of arguments and of values."""
    weight = tf.Variable([0.7, -0.3])
    other = tf.constant([2.0, 3.0])
    runs = [0]

    def scaled(x: Any, y: Any) -> Any:
        return tf.tanh(x) * y * weight + other

    def outer(x: Any, inner: Any) -> Any:
        runs[0] += inner is not scaled
        y = cut(x)
        for _ in range(3):
            y = inner(y, y)
        return y

    inner = tf.function(scaled)
    recorded = tf.function(lambda x: outer(x, inner))
    for number, rows in enumerate((3, 3, 5, 6, 4, 7, 5, 9, 8, 11, 10, 2)):
        x = tf.random.stateless_uniform([rows, 2], [1, number]) + tf.constant(
            [[1.0], *[[0.2]] * (rows - 1)]
        )
        found = []
        for function in (recorded, lambda x: outer(x, scaled)):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([x, other])
                y = function(x)
                z = tf.reduce_sum(y * y)
            gradients = tape.gradient(z, [x, weight, other])
            found.append([y, *gradients, tape.gradient(y, x)])
        for one, expected in zip(*found, strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-5)
    assert runs[0] <= 4
