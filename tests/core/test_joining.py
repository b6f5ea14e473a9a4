"""Convolutions in recordings, joined with what follows them, give eager code's bits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.threads import set_thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

LEVELS, BEST = levels()


def draw(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def bits(result: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in tf.nest.flatten(result)]


def names(function: Any) -> list[str]:
    """What is run of a recorded function, step by step."""
    found: list[str] = []
    for program in function._recordings.values():
        program.compile()
        for path in program.paths():
            found.extend(path.run_names())
    return found


def joined(function: Any) -> list[str]:
    return [name for name in names(function) if " and " in name]


class Layer:
    """A convolution, its bias and its normalisation, whose numbers are variables."""

    def __init__(
        self, filter_shape: tuple[int, ...], channels: int, dtype: str = "float32"
    ) -> None:
        self.filter = tf.Variable(draw(*filter_shape, dtype=dtype))
        self.bias = tf.Variable(draw(channels, seed=1, dtype=dtype))
        self.mean = tf.Variable(draw(1, 1, 1, channels, seed=2, dtype=dtype))
        self.variance = tf.Variable(np.abs(draw(1, 1, 1, channels, seed=3, dtype=dtype)))
        self.offset = tf.Variable(draw(1, 1, 1, channels, seed=4, dtype=dtype))
        self.scale = tf.Variable(draw(1, 1, 1, channels, seed=5, dtype=dtype))

    def normalized(self, x: Any) -> Any:
        return tf.nn.batch_normalization(x, self.mean, self.variance, self.offset, self.scale, 1e-3)

    def __call__(self, x: Any, strides: int = 1) -> Any:
        convolved = tf.nn.conv2d(x, self.filter, strides, "SAME")
        return self.normalized(tf.nn.bias_add(convolved, self.bias))


def agree(python: Callable[..., Any], *args: Any) -> Any:
    """Compare three calls of the recorded function with the Python function's."""
    function = tf.function(python)
    for _ in range(3):
        assert bits(function(*args)) == bits(python(*args))
    assert sum(program.replays for program in function._recordings.values()) == 2
    return function


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("channels", [1, 3, 16, 33, 130])
@pytest.mark.parametrize("strides", [1, 2])
def test_all_stages_give_the_bits_of_eager_code(
    strides: int, channels: int, level: int, dtype: str
) -> None:
    if level > BEST:
        pytest.skip("this processor has no vectors as wide")
    set_level(level)
    layer = Layer((3, 3, 5, channels), channels, dtype)
    x = tf.constant(draw(2, 13, 11, 5, dtype=dtype))
    size = (13, 11) if strides == 1 else (7, 6)
    residual = tf.constant(draw(2, *size, channels, seed=9, dtype=dtype))

    def function(x: Any, residual: Any) -> Any:
        return tf.nn.relu(residual + tf.nn.silu(layer(x, strides)) * layer.bias)

    recorded = agree(function, x, residual)
    assert joined(recorded) == ["Conv2D, BiasAdd, _BatchNormalization, _Silu, Mul, AddV2 and Relu"]


@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_convolutions_are_joined(multiplier: int) -> None:
    layer = Layer((3, 3, 18, multiplier), 18 * multiplier)
    x = tf.constant(draw(2, 9, 8, 18))

    def function(x: Any) -> Any:
        convolved = tf.nn.depthwise_conv2d(x, layer.filter, [1, 1, 1, 1], "SAME")
        return tf.nn.relu(layer.normalized(convolved))

    assert joined(agree(function, x)) == ["DepthwiseConv2dNative, _BatchNormalization and Relu"]


def test_channels_with_a_filter_each_are_joined_and_other_groups_run_step_by_step() -> None:
    x = tf.constant(draw(2, 6, 7, 12))
    for depth in (1, 4):
        filter = tf.constant(draw(3, 3, depth, 12))

        def function(x: Any, filter: Any = filter) -> Any:
            return tf.nn.relu(tf.nn.conv2d(x, filter, 1, "SAME") + 1.0 * x)

        agree(function, x)


def test_a_variable_is_read_at_each_call() -> None:
    layer = Layer((1, 1, 5, 8), 8)
    x = tf.constant(draw(3, 4, 4, 5))
    function = agree(lambda x: tf.nn.relu(layer(x)), x)
    for variable in vars(layer).values():
        variable.assign(2.0 * variable)
        assert bits(function(x)) == bits(tf.nn.relu(layer(x)))


def test_a_variable_that_the_function_writes_has_its_value_of_before() -> None:
    layer = Layer((1, 1, 5, 8), 8)
    x = tf.constant(draw(3, 4, 4, 5))

    def function(x: Any) -> Any:
        convolved = tf.nn.conv2d(x, layer.filter, 1, "SAME")
        layer.filter.assign(-layer.filter)
        out = tf.nn.relu(tf.nn.bias_add(convolved, layer.bias))
        layer.bias.assign_add(tf.ones(8))
        return out

    recorded = tf.function(function)
    results = [bits(recorded(x)) for _ in range(4)]
    assert joined(recorded) == ["Conv2D, BiasAdd and Relu"]
    layer.__init__((1, 1, 5, 8), 8)  # type: ignore[misc]
    assert results == [bits(function(x)) for _ in range(4)]


def test_what_is_read_twice_stays() -> None:
    layer = Layer((3, 3, 5, 8), 8)
    x = tf.constant(draw(2, 6, 6, 5))

    def function(x: Any) -> Any:
        convolved = tf.nn.conv2d(x, layer.filter, 1, "SAME")
        biased = tf.nn.bias_add(convolved, layer.bias)
        return tf.nn.relu(biased), tf.reduce_sum(biased)

    assert joined(agree(function, x)) == ["Conv2D and BiasAdd"]


def test_a_result_that_is_returned_stays() -> None:
    layer = Layer((3, 3, 5, 8), 8)

    def function(x: Any) -> Any:
        convolved = tf.nn.conv2d(x, layer.filter, 1, "SAME")
        return convolved, tf.nn.relu(convolved)

    assert joined(agree(function, tf.constant(draw(2, 6, 6, 5)))) == []


def test_both_sides_of_a_sum_are_joined() -> None:
    first, second = Layer((3, 3, 5, 8), 8), Layer((1, 1, 5, 8), 8)
    function = agree(lambda x: tf.nn.relu(first(x) + second(x)), tf.constant(draw(2, 6, 6, 5)))
    assert joined(function) == [
        "Conv2D, BiasAdd and _BatchNormalization",
        "Conv2D, BiasAdd, _BatchNormalization, AddV2 and Relu",
    ]


def test_a_filter_that_is_not_finite_makes_no_nan_of_padding() -> None:
    filter = draw(3, 3, 5, 8)
    filter[0, 0, 1, 2], filter[2, 2, 1, 3] = np.inf, np.nan
    variable = tf.Variable(filter)
    function = agree(
        lambda x: tf.nn.relu(tf.nn.conv2d(x, variable, 1, "SAME") + 1.0 * variable[0, 0, 0]),
        tf.constant(draw(2, 6, 6, 5)),
    )
    assert joined(function) == ["Conv2D, AddV2 and Relu"]


def test_a_tape_inside_gets_the_gradients_of_eager_code() -> None:
    layer = Layer((3, 3, 5, 8), 8)

    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.silu(layer(x)) ** 2)
        return loss, tape.gradient(loss, [layer.filter, layer.bias, layer.scale, layer.offset])

    agree(function, tf.constant(draw(2, 6, 6, 5)))


def test_a_tape_outside_gets_the_gradients_of_eager_code() -> None:
    layer = Layer((3, 3, 5, 8), 8)
    x = tf.constant(draw(2, 6, 6, 5))
    function = tf.function(lambda x: tf.nn.relu(layer(x)))
    for _ in range(3):
        gradients = []
        for call in (function, function.python_function):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(call(x) ** 2)
            gradients.append(tape.gradient(loss, layer.filter))
        np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-5, atol=1e-5)
        assert bits(function(x)) == bits(tf.nn.relu(layer(x)))


def test_other_sizes() -> None:
    layer = Layer((3, 3, 5, 8), 8)
    function = tf.function(lambda x: tf.nn.relu(layer(x)))
    for size in (4, 7, 4, 9, 0, 7, 1):
        x = tf.constant(draw(size, 6, 6, 5))
        assert bits(function(x)) == bits(tf.nn.relu(layer(x)))


def test_channels_first_runs_step_by_step() -> None:
    filter = tf.constant(draw(3, 3, 5, 8))

    def function(x: Any) -> Any:
        return tf.nn.relu(tf.nn.conv2d(x, filter, 1, "SAME", data_format="NCHW"))

    assert joined(agree(function, tf.constant(draw(2, 5, 6, 6)))) == []


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(threads: int) -> None:
    layer = Layer((3, 3, 16, 40), 40)
    x = tf.constant(draw(4, 20, 20, 16))
    expected = bits(tf.nn.silu(layer(x)))
    set_thread_count(threads)
    assert bits(agree(lambda x: tf.nn.silu(layer(x)), x)(x)) == expected


def test_several_threads_replay_at_once() -> None:
    layer = Layer((3, 3, 5, 8), 8)
    inputs = [tf.constant(draw(2, 12, 12, 5, seed=seed)) for seed in range(4)]
    function = tf.function(lambda x: tf.nn.relu(layer(x)))
    expected = [bits(tf.nn.relu(layer(x))) for x in inputs]
    for x in inputs[:2]:
        function(x)
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(50):
            if bits(function(inputs[i])) != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_shapes_that_do_not_fit_are_refused_as_in_eager_code() -> None:
    layer = Layer((3, 3, 5, 8), 8)
    function = agree(lambda x: tf.nn.relu(layer(x)), tf.constant(draw(2, 6, 6, 5)))
    for call in (function, lambda x: tf.nn.relu(layer(x))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="input depth"):
            call(tf.constant(draw(2, 6, 6, 4)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize(("strides", "padding"), [(1, "SAME"), (2, "VALID"), (2, "SAME")])
def test_zeros_around_the_input_are_padding_of_the_convolution(
    padding: str, strides: int, depthwise: bool, level: int, dtype: str
) -> None:
    if level > BEST:
        pytest.skip("this processor has no vectors as wide")
    set_level(level)
    layer = Layer((3, 3, 21, 1) if depthwise else (3, 3, 21, 40), 21 if depthwise else 40, dtype)

    def function(x: Any) -> Any:
        x = tf.pad(x, [[0, 0], [0, 1], [2, 1], [0, 0]])
        if depthwise:
            x = tf.nn.depthwise_conv2d(x, layer.filter, [1, strides, strides, 1], padding)
        else:
            x = tf.nn.conv2d(x, layer.filter, strides, padding)
        return tf.nn.relu(layer.normalized(x))

    recorded = agree(function, tf.constant(draw(2, 9, 8, 21, dtype=dtype)))
    convolution = "DepthwiseConv2dNative" if depthwise else "Conv2D"
    assert joined(recorded) == [f"Pad, {convolution}, _BatchNormalization and Relu"]


def test_zeros_around_the_input_are_joined_without_anything_after() -> None:
    filter = tf.Variable(draw(7, 7, 3, 16))
    function = agree(
        lambda x: tf.nn.conv2d(tf.pad(x, [[0, 0], [3, 3], [3, 3], [0, 0]]), filter, 2, "VALID"),
        tf.constant(draw(2, 15, 14, 3)),
    )
    assert joined(function) == ["Pad and Conv2D"]


@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_zeros_around_the_input_meet_infinities_of_the_filter(bad: float, depthwise: bool) -> None:
    filter = draw(3, 3, 8, 1) if depthwise else draw(3, 3, 8, 8)
    filter[0, 1, 2, 0] = bad
    variable = tf.Variable(filter)

    def function(x: Any) -> Any:
        x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
        if depthwise:
            return tf.nn.relu(tf.nn.depthwise_conv2d(x, variable, [1, 1, 1, 1], "VALID"))
        return tf.nn.relu(tf.nn.conv2d(x, variable, 1, "VALID"))

    x = tf.constant(draw(2, 5, 6, 8))
    recorded = agree(function, x)
    assert len(joined(recorded)) == 1
    variable.assign(draw(*filter.shape, seed=7))
    assert bits(recorded(x)) == bits(function(x))


def test_zeros_that_are_more_than_padding_stay() -> None:
    filter = tf.Variable(draw(2, 2, 6, 8))
    x = tf.constant(draw(2, 5, 6, 5))

    def more_channels(x: Any) -> Any:
        return tf.nn.conv2d(tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 1]]), filter, 1, "VALID")

    def more_pictures(x: Any) -> Any:
        x = tf.concat([x, x[..., :1]], 3)
        return tf.nn.conv2d(tf.pad(x, [[1, 0], [1, 1], [1, 1], [0, 0]]), filter, 1, "VALID")

    def read_twice(x: Any) -> Any:
        x = tf.pad(tf.concat([x, x[..., :1]], 3), [[0, 0], [1, 1], [1, 1], [0, 0]])
        return tf.nn.conv2d(x, filter, 1, "VALID"), tf.reduce_sum(x)

    def another_number(x: Any) -> Any:
        x = tf.concat([x, x[..., :1]], 3)
        x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], constant_values=1.0)
        return tf.nn.conv2d(x, filter, 1, "VALID")

    for function in (more_channels, more_pictures, read_twice, another_number):
        assert joined(agree(function, x)) == []
