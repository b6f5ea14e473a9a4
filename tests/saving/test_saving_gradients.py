"""Saved functions with gradients of their own: a loaded one has these, or raises when one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

NUMBERS = tf.TensorSpec([None])
TABLE = tf.TensorSpec([None, None])


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return x * x, lambda dy: dy * 2.0


@tf.custom_gradient
def clipped(x: Any) -> Any:
    return tf.identity(x), lambda dy: tf.clip_by_norm(dy, 0.5)


@tf.custom_gradient
def log1pexp(x: Any) -> Any:
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@tf.custom_gradient
def both(x: Any, y: Any) -> Any:
    def gradient(dx: Any, dy: Any) -> Any:
        return dx * 3.0 + tf.reduce_sum(dy), tf.reduce_sum(dy) * tf.ones_like(y)

    return (x + 1.0, tf.reduce_sum(x) * y), gradient


@tf.custom_gradient
def rows(x: Any, places: Any) -> Any:
    def gradient(dy: Any) -> Any:
        return tf.IndexedSlices(dy * 10.0, places, tf.shape(x)), None

    return tf.gather(x, places), gradient


@tf.custom_gradient
def outer(x: Any) -> Any:
    y = doubled(x)
    return y + 1.0, lambda dy: doubled(dy) * y


@tf.custom_gradient
def of_size(x: Any) -> Any:
    return x * 1.0, lambda dy: dy * tf.cast(tf.shape(x)[0], tf.float32)


@tf.custom_gradient
def padded(x: Any) -> Any:
    return x[1:], lambda dy: tf.concat([tf.zeros([tf.shape(x)[0] - tf.shape(dy)[0]]), dy], 0)


@tf.custom_gradient
def decided(x: Any) -> Any:
    return x * 1.0, lambda dy: dy * 2.0 if tf.reduce_sum(dy) > 0 else dy


@tf.custom_gradient
def in_python(x: Any) -> Any:
    return x * x, lambda dy: tf.numpy_function(lambda array: array * 2, [dy], tf.float32)


@tf.custom_gradient
def drawing(x: Any) -> Any:
    return x * x, lambda dy: dy * tf.random.uniform([])


CASES: list[tuple[Callable[..., Any], list[Any], tuple[Any, ...]]] = [
    (lambda x: doubled(x) * x, [NUMBERS], ([1.0, -2.0, 5.0],)),
    (lambda x: doubled(tf.sin(x)) + doubled(x), [NUMBERS], ([1.0, -2.0],)),
    (lambda x: clipped(x) * 3.0, [NUMBERS], ([1.0, 2.0, 3.0, 4.0],)),
    (log1pexp, [NUMBERS], ([100.0, 1.0],)),
    (both, [NUMBERS, NUMBERS], ([1.0, 2.0], [3.0, 4.0, 5.0])),
    (lambda x: both(x, x)[1], [NUMBERS], ([1.0, 2.0],)),
    (lambda x: rows(x, tf.constant([0, 1, 0])), [TABLE], ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],)),
    (outer, [NUMBERS], ([1.0, 2.0, 3.0],)),
    (of_size, [NUMBERS], ([1.0] * 5,)),
    (padded, [NUMBERS], ([1.0, 2.0, 3.0],)),
    (lambda x: tf.grad_pass_through(tf.round)(x) * 3.0, [NUMBERS], ([1.6, 2.2],)),
    (lambda x: tf.recompute_grad(lambda y: tf.tanh(tf.exp(y) * y))(x), [NUMBERS], ([0.5, 1.0],)),
    (lambda x: doubled(x) if tf.reduce_sum(x) > 0 else clipped(x), [NUMBERS], ([1.0, 2.0],)),
    (lambda x: doubled(x) if tf.reduce_sum(x) > 0 else clipped(x), [NUMBERS], ([-1.0, -2.0],)),
    (lambda x: tf.quantization.fake_quant_with_min_max_args(x), [NUMBERS], ([1.0, 9.0],)),
]


def saved(function: Callable[..., Any], specs: list[Any], folder: Path, **options: Any) -> Any:
    module = tf.Module()
    module.f = tf.function(function, input_signature=specs)  # type: ignore[attr-defined]
    tf.saved_model.save(module, str(folder), options=tf.saved_model.SaveOptions(**options))
    return tf.saved_model.load(str(folder))


def dense(gradients: Any) -> list[Any]:
    return [None if dy is None else tf.convert_to_tensor(dy) for dy in gradients]


def gradients(function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
    inputs = [tf.constant(argument) for argument in arguments]
    with tf.GradientTape() as outer_tape:
        outer_tape.watch(inputs)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            results = tf.nest.flatten(function(*inputs))
            target = tf.add_n([tf.reduce_sum(result * result) for result in results])
        first = [
            None if dy is None else tf.convert_to_tensor(dy) for dy in tape.gradient(target, inputs)
        ]
        total = tf.add_n([tf.reduce_sum(dy * dy) for dy in first if dy is not None])
    return [*results, *first, *dense(outer_tape.gradient(total, inputs))]


@pytest.mark.parametrize("place", range(len(CASES)))
def test_loaded_functions_have_the_gradients_that_were_saved(place: int, tmp_path: Path) -> None:
    function, specs, arguments = CASES[place]
    loaded = saved(function, specs, tmp_path / "one")
    again = saved(loaded.f, specs, tmp_path / "two")
    expected = gradients(function, arguments)
    functions = [loaded.f, again.f, tf.function(lambda *args: loaded.f(*args))]
    if (
        function is padded
    ):  # the loaded gradient asserts that a size is not negative: see the next test
        functions.remove(again.f)
    for other in functions:
        for found, wanted in zip(gradients(other, arguments), expected, strict=True):
            if wanted is None:
                assert found is None
            else:
                np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("function", [decided, in_python, drawing])
def test_gradients_that_cannot_be_saved_are_errors_when_asked_for(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    loaded = saved(function, [NUMBERS], tmp_path)
    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(loaded.f(x), function(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    with pytest.raises(
        LookupError, match=r"was not saved: .*(asks for a value|calls Python|draws)"
    ):
        tape.gradient(y, x)
    with (
        pytest.raises(LookupError, match="was not saved"),
        tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator,
    ):
        accumulator.jvp(loaded.f(x))


def test_models_saved_without_custom_gradients_have_none(tmp_path: Path) -> None:
    loaded = saved(doubled, [NUMBERS], tmp_path, experimental_custom_gradients=False)
    x = tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = loaded.f(x)
    with pytest.raises(LookupError, match="experimental_custom_gradients=False"):
        tape.gradient(y, x)


def test_variables_of_custom_gradients_get_theirs(tmp_path: Path) -> None:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        def gradient(dy: Any, variables: Any = None) -> Any:
            return dy * module.v, [tf.reduce_sum(dy) * 100.0]

        return x * module.v, gradient

    module: Any = tf.Module()
    module.v = tf.Variable(4.0)
    module.f = tf.function(lambda x: scaled(x), input_signature=[NUMBERS])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    x = tf.Variable([3.0, 1.0])
    loaded.v.assign(5.0)
    with tf.GradientTape() as tape:
        y = loaded.f(x)
    dx, dv = tape.gradient(y, [x, loaded.v])
    np.testing.assert_array_equal(y, [15.0, 5.0])
    np.testing.assert_array_equal(dx, [5.0, 5.0])
    np.testing.assert_array_equal(dv, 200.0)


@pytest.mark.parametrize("reduce", [tf.reduce_mean, tf.reduce_sum, tf.reduce_max, tf.reduce_prod])
def test_steps_of_training_are_saved_for_any_size_of_a_batch(reduce: Any, tmp_path: Path) -> None:
    """The gradients of means and look-ups ask for the size of a batch that is open."""

    class Model(tf.Module):
        def __init__(self) -> None:
            self.table = tf.Variable([[1.0, -2.0], [0.5, 3.0], [2.0, 1.5]])

        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([None], tf.int32)])
        def step(self, rate: Any, places: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = reduce(tf.square(tf.gather(self.table, places)))
            slope = tape.gradient(loss, self.table)
            self.table.assign_sub(rate * tf.convert_to_tensor(slope))
            return loss

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "model"), signatures={"step": model.step})
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    for places in ([2, 0, 2], [1]):
        losses = [each.step(tf.constant(0.125), tf.constant(places)) for each in (model, loaded)]
        assert losses[0].numpy() == losses[1].numpy()
        assert loaded.table.numpy().tolist() == model.table.numpy().tolist()
