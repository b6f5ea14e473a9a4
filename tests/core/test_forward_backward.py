"""A recorded function under a tape from outside: a recording forward, one backward, one record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

Model = Callable[[Any], Any]


def bits(result: Any) -> list[Any]:
    return [
        None
        if leaf is None
        else (np.asarray(leaf).dtype, np.asarray(leaf).shape, np.asarray(leaf).tobytes())
        for leaf in tf.nest.flatten(result)
    ]


@pytest.fixture
def variables() -> list[Any]:
    random = np.random.RandomState(0)
    return [
        tf.Variable(random.standard_normal((4, 3)).astype("float32")),
        tf.Variable(random.standard_normal(3).astype("float32")),
    ]


@pytest.fixture
def model(variables: list[Any]) -> Model:
    w, b = variables

    def model(x: Any) -> Any:
        h = tf.tanh(x @ w + b)
        h = tf.nn.relu(h @ tf.transpose(w) * 2.0) + x
        return tf.reduce_sum(h * h, axis=1)

    return model


def inputs(seed: int = 1) -> Any:
    return tf.constant(np.random.RandomState(seed).standard_normal((5, 4)).astype("float32"))


def pairs(function: Any) -> int:
    """How many pairs of recordings there are."""
    return sum(
        program.forward_backward.built
        for program in function._recordings.values()
        if program.forward_backward
    )


def agree(
    python: Model, function: Any, gradient: Callable[[Model, Any], Any], built: int = 1
) -> None:
    for seed in range(5):
        x = inputs(seed)
        assert bits(gradient(python, x)) == bits(gradient(function, x))
    assert pairs(function) == built


def test_gradients_of_variables(model: Model, variables: list[Any]) -> None:
    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = function(x)
            loss = tf.reduce_mean(y * 3.0)
        return y, tape.gradient(loss, variables)

    agree(model, tf.function(model), gradient)


def test_gradients_of_arguments(model: Model, variables: list[Any]) -> None:
    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = function(tf.sin(x))
        return tape.gradient(y, [x, *variables])

    agree(model, tf.function(model), gradient)


def test_nothing_is_watched(model: Model) -> None:
    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            y = function(x)
        return y, tape.gradient(y, x)

    agree(model, tf.function(model), gradient)


def test_a_pair_for_each_choice_of_what_is_watched(model: Model, variables: list[Any]) -> None:
    function = tf.function(model)
    for watches in (True, False, True):
        for seed in range(3):
            x = inputs(seed)
            found = []
            for each in (model, function):
                with tf.GradientTape() as tape:
                    if watches:
                        tape.watch(x)
                    y = each(x)
                found.append(tape.gradient(y, [x, *variables]))
            assert bits(found[0]) == bits(found[1])
    assert pairs(function) == 2


def test_second_order_by_two_tapes(model: Model, variables: list[Any]) -> None:
    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_mean(function(x))
            slopes = inner.gradient(loss, variables)
            size = tf.add_n([tf.reduce_sum(slope * slope) for slope in slopes])
        return outer.gradient(size, variables)

    agree(model, tf.function(model), gradient, built=0)


def test_second_order_by_one_persistent_tape(model: Model) -> None:
    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            loss = tf.reduce_mean(function(x))
            slope = tape.gradient(loss, x)
            size = tf.reduce_sum(slope * slope)
        return slope, tape.gradient(size, x), tape.gradient(loss, x)

    agree(model, tf.function(model), gradient)


def test_jacobians_and_forward_mode(model: Model, variables: list[Any]) -> None:
    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = function(x)
        rows = tape.jacobian(y, variables)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = function(x)
        return rows, accumulator.jvp(y)

    agree(
        model, tf.function(model), gradient, built=2
    )  # one under the tape, one under the accumulator


def test_a_variable_that_is_written_before_the_walk(model: Model, variables: list[Any]) -> None:
    function = tf.function(model)
    start = [variable.numpy() for variable in variables]
    for seed in range(4):
        x, found = inputs(seed), []
        for each in (model, function):
            for variable, value in zip(variables, start, strict=True):
                variable.assign(value)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                loss = tf.reduce_mean(each(x))
            variables[0].assign_add(variables[0] * 0.5)
            first = tape.gradient(loss, [x, *variables])
            with tf.GradientTape() as outer:
                outer.watch(x)
                again = tape.gradient(loss, x)  # the function op by op, with the value it had
                size = again * 2.0
            found.append((first, again, outer.gradient(size, variables[1])))
        assert bits(found[0]) == bits(found[1])
    assert pairs(function) == 1


def test_several_results_of_which_some_get_no_gradient(variables: list[Any]) -> None:
    w, b = variables

    def model(x: Any) -> Any:
        y = tf.tanh(x @ w + b) * 2.0
        z = tf.exp(-y) + y
        return {"y": y, "z": [z, tf.argmax(z, axis=1)], "size": tf.reduce_sum(z) * 1.0}

    def gradient(function: Model, x: Any) -> Any:
        with tf.GradientTape() as tape:
            found = function(x)
            loss = tf.reduce_sum(found["z"][0])
        return found, tape.gradient(loss, variables)

    agree(model, tf.function(model), gradient)


def test_training_writes_variables_in_place(model: Model, variables: list[Any]) -> None:
    function = tf.function(model)
    x = inputs()
    for _ in range(6):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(function(x))
        for variable, slope in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.01 * slope)
    where = variables[0]._snapshot._array.ctypes.data
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(function(x))
    slope = tape.gradient(loss, variables[0])
    variables[0].assign_sub(0.01 * slope)
    assert variables[0]._snapshot._array.ctypes.data == where


def test_an_op_without_a_gradient_is_named() -> None:
    def model(x: Any) -> Any:
        y = x * 2.0 + 1.0
        for _ in range(4):
            y = y * x
        return tf.raw_ops.Betainc(a=tf.abs(y), b=tf.abs(y) + 1.0, x=tf.sigmoid(y)) + y

    function = tf.function(model)
    x = tf.constant([0.5, 1.5])
    messages = []
    for each in (model, function, function, function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = each(x)
        try:
            messages.append(bits(tape.gradient(y, x)))
        except LookupError as error:
            messages.append(str(error))  # type: ignore[arg-type]
    assert all(message == messages[0] for message in messages)


def as_python(model: Model) -> Model:
    """The function as Python, with the streams of draws of a recorded one."""
    function = tf.function(model)
    return lambda x: function._run((x,), {})


def gradients_of_calls(function: Model, sources: list[Any], jacobian: bool = False) -> list[Any]:
    """What some calls give and their gradients, each under a tape, from the same seed."""
    tf.random.set_seed(3)
    found = []
    for seed in range(5):
        x = inputs(seed)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        take = tape.jacobian if jacobian else tape.gradient
        found.append(bits([y, take(y, [x, *sources])]))
    return found


@pytest.mark.parametrize("jacobian", [False, True])
def test_draws_come_before_a_pair(variables: list[Any], jacobian: bool) -> None:
    w, b = variables

    def model(x: Any) -> Any:
        y = tf.nn.dropout(tf.tanh(x @ w + b), 0.3, seed=5)
        noise = tf.random.normal([5, 3])
        return tf.nn.dropout(y * noise + tf.random.uniform([3]), 0.5)

    function = tf.function(model)
    wanted = gradients_of_calls(as_python(model), variables, jacobian)
    for one, other in zip(gradients_of_calls(function, variables, jacobian), wanted, strict=True):
        for (_, shape, found), (_, _, python) in zip(one, other, strict=True):
            np.testing.assert_allclose(
                np.frombuffer(found, "float32").reshape(shape),
                np.frombuffer(python, "float32").reshape(shape),
                rtol=1e-5,
                atol=1e-6,
            )
    assert [calls[0] for calls in gradients_of_calls(tf.function(model), [])] == [
        calls[0] for calls in gradients_of_calls(as_python(model), [])
    ]
    assert pairs(function) == 1


def test_writes_come_after_a_pair(variables: list[Any]) -> None:
    w, b = variables

    def statistics() -> list[Any]:
        return [tf.Variable(tf.zeros([3])), tf.Variable(0)]

    def model_of(mean: Any, calls: Any) -> Model:
        def model(x: Any) -> Any:
            y = tf.tanh(x @ w + b)
            calls.assign_add(1)
            seen = tf.reduce_mean(y, axis=0)
            mean.assign(0.9 * mean + 0.1 * seen)
            return tf.reduce_sum((y - seen) ** 2 * 3.0)

        return model

    one, other = statistics(), statistics()
    function = tf.function(model_of(*one))
    found = gradients_of_calls(function, variables)
    assert found == gradients_of_calls(model_of(*other), variables)
    assert bits(one) == bits(other)
    assert pairs(function) == 1


def test_a_variable_read_after_it_was_written_is_no_pair(variables: list[Any]) -> None:
    w, b = variables
    total = tf.Variable(tf.zeros([3]))

    def model(x: Any) -> Any:
        y = tf.tanh(x @ w + b)
        total.assign_add(tf.reduce_sum(y, axis=0))
        return tf.reduce_sum(y * total)

    function = tf.function(model)
    found = gradients_of_calls(function, variables)
    total.assign(tf.zeros([3]))
    assert found == gradients_of_calls(model, variables)
    assert pairs(function) == 0


def test_a_call_that_fails_draws_once(variables: list[Any]) -> None:
    w, _ = variables

    def model(x: Any) -> Any:
        y = tf.tanh(x @ w) + tf.random.normal([5, 3])
        y = tf.debugging.check_numerics(y * tf.reduce_sum(x), "model")
        return tf.reduce_sum(y * y, axis=1)

    results = []
    for function in (tf.function(model), as_python(model)):
        tf.random.set_seed(3)
        found: list[Any] = []
        for scale in (1.0, 1.0, 1.0, np.nan, 1.0):
            x = scale * inputs()
            with tf.GradientTape() as tape:
                try:
                    found.append(bits(function(x)))
                    assert tape.watched_variables()
                except tf.errors.InvalidArgumentError as error:
                    found.append(str(error))
        results.append(found)
    assert results[0] == results[1]


@pytest.mark.parametrize("pfor", [True, False])
def test_one_tensor_as_several_arguments(pfor: bool) -> None:
    """Walks in a batch, and under a tape, run op by op: each argument has its own gradient there too."""

    def python(a: Any, b: Any, c: Any) -> Any:
        return tf.sin(a) * b**2 + tf.exp(b * a) * tf.cos(c) - b * c

    function = tf.function(python)
    for value in ([0.3, 0.5], [-0.4, 0.2], [1.0, -2.0], [0.1, 0.7]):
        x, y = tf.constant(value, tf.float64), tf.constant([0.5, -1.5], tf.float64)
        answers = []
        for call in (python, function):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([x, y])
                result = call(x, y, x)
            seed = tf.ones_like(x)
            with tf.GradientTape() as transpose:
                transpose.watch(seed)
                slope = tape.gradient(result, x, seed)
            answers.append([
                tape.gradient(result, x),
                *tape.jacobian(result, [x, y], experimental_use_pfor=pfor),
                slope,
                transpose.gradient(slope, seed),
            ])  # fmt: skip
        for wanted, found in zip(*answers, strict=True):
            np.testing.assert_allclose(found, wanted, 1e-12)
    assert "1 pair of recordings" in str(function.explain())
