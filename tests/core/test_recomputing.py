"""First calls let go of the memory of intermediate results, and compute those again that are used later."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

COUNT = 60  # tensors of 1 MB: more than a function may hold
MEGABYTE = 1 << 20


def start() -> tf.Tensor:
    return tf.reshape(tf.linspace(-1.0, 1.0, MEGABYTE // 4), [512, 512])


def hoard(x: tf.Tensor) -> list[tf.Tensor]:
    """Tensors that are each computed from the one before."""
    held = [x]
    for number in range(COUNT):
        held.append(held[-1] * 0.5 + float(number))
    return held


def is_gone(tensor: tf.Tensor) -> bool:
    """Whether the memory of a tensor was let go of. Asking `_array` would compute it again."""
    before = in_use()
    tensor._array  # noqa: B018
    return in_use() > before


def in_use() -> int:
    return int(tf.config.experimental.get_memory_info("CPU:0")["current"])


def peak_of(call: Callable[[], Any]) -> int:
    before = in_use()
    tf.config.experimental.reset_memory_stats("CPU:0")
    call()
    return int(tf.config.experimental.get_memory_info("CPU:0")["peak"]) - before


def check(function: Callable[..., Any], *args: Any) -> Any:
    """An eager call, a first call and replays give the same bits. Returns the function with its recording."""
    expected = [tensor.numpy() for tensor in tf.nest.flatten(function(*args))]
    recorded = tf.function(function)
    for _ in range(3):
        results = tf.nest.flatten(recorded(*args))
        assert [type(tensor._array) for tensor in results] == [np.ndarray] * len(expected)
        for result, value in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result.numpy(), value)
    return recorded


def test_first_call_does_not_hold_what_python_holds() -> None:
    x = start()
    recorded = tf.function(lambda x: hoard(x)[-1])
    assert peak_of(lambda: recorded(x)) < COUNT * MEGABYTE / 2
    assert peak_of(lambda: hoard(x)[-1]) > COUNT * MEGABYTE
    check(lambda x: hoard(x)[-1], x)


def test_a_few_long_connections_do_not_hold_all() -> None:
    """As in a U-Net: the result of each half size is read again on the way up, joined to others."""

    def down_and_up(x: tf.Tensor) -> tf.Tensor:
        held, across = [x], []
        for _ in range(3):
            for _ in range(7):
                held.append(tf.tanh(held[-1]))
            across.append(held[-1])
            held.append(held[-1][:, ::2])
        for skipped in across[::-1]:
            held.append(tf.repeat(held[-1], 2, axis=1))
            held.append(tf.concat([held[-1], skipped], axis=0))
            for _ in range(6):
                held.append(tf.tanh(held[-1]))
            held.append(held[-1][: x.shape[0]])
        return held[-1]

    x = tf.ones([1024, 2048])  # 8 MB
    recorded = tf.function(down_and_up)
    # What is joined last has 16 MB, as have its parts. All together have 308 MB.
    assert peak_of(lambda: recorded(x)) < 80 * MEGABYTE
    assert peak_of(lambda: down_and_up(x)) > 300 * MEGABYTE
    check(down_and_up, x)


def test_memory_is_let_go_of_and_comes_back() -> None:
    seen = []

    @tf.function
    def last(x: tf.Tensor) -> tf.Tensor:
        held = hoard(x)
        seen.extend([is_gone(held[1]), is_gone(held[1]), is_gone(held[-1])])
        return held[-1]

    last(start())
    assert seen == [True, False, False]


def convolved(x: tf.Tensor, again: bool) -> list[tf.Tensor]:
    """The results of five convolutions, and of their stages, of 2 MB each. Stages may be read ``again``."""
    filters = tf.reshape(tf.linspace(-0.2, 0.3, 1024), [1, 1, 32, 32])
    held = [x]
    for _ in range(5):
        held.append(tf.nn.conv2d(held[-1], filters, 1, "SAME"))
        held.append(tf.nn.bias_add(held[-1], tf.linspace(-1.0, 1.0, 32)))
        held.append(tf.nn.relu(held[-1]))
        if again:
            held.append(held[-1] + held[-2] * 0.5)
    return held


def test_what_the_next_stage_has_read_goes_first() -> None:
    seen: list[list[bool]] = []

    @tf.function
    def last(x: tf.Tensor) -> tf.Tensor:
        held = convolved(x, again=False)
        seen.append([is_gone(tensor) for tensor in [held[3], held[6], held[4], held[5]]])
        return held[-1]

    last(tf.ones([4, 64, 64, 32]))
    assert seen == [[False, False, True, True]]


def test_stages_that_are_read_again() -> None:
    x = tf.reshape(tf.linspace(-1.0, 1.0, 4 * 64 * 64 * 32), [4, 64, 64, 32])
    check(lambda x: convolved(x, again=True)[-1], x)
    check(lambda x: tf.add_n(convolved(x, again=True)), x)


@pytest.mark.parametrize("order", [1, -1])
def test_tensors_are_used_later(order: int) -> None:
    def total(x: tf.Tensor) -> tf.Tensor:
        result = tf.zeros_like(x)
        for tensor in hoard(x)[::order]:
            result = result * 0.9 + tensor
        return result

    assert "recorded" in str(check(total, start()).explain())


def test_all_are_joined() -> None:
    check(lambda x: tf.reduce_sum(tf.stack(hoard(x)), axis=0), start())


def test_all_are_results() -> None:
    check(lambda x: hoard(x), start())


def test_shape_and_dtype_are_known_without_the_memory() -> None:
    def first(x: tf.Tensor) -> tf.Tensor:
        tensor = hoard(x)[1]
        assert tensor.shape == [512, 512]
        assert tensor.dtype == tf.float32
        assert (tensor.ndim, len(tensor)) == (2, 512)
        return tf.zeros(tensor.shape)

    check(first, start())


def test_views_of_each_other() -> None:
    def reshaped(x: tf.Tensor) -> tf.Tensor:
        held = hoard(x)
        views = [tf.reshape(tensor, [-1]) for tensor in held]
        return views[0] + tf.reshape(held[0], [-1]) + views[-1]

    check(reshaped, start())


def test_ops_with_several_results() -> None:
    def moments(x: tf.Tensor) -> tf.Tensor:
        held = [tf.unstack(tensor) for tensor in hoard(x)]
        return tf.stack([row for rows in held for row in rows[:2]])

    check(moments, start())


def test_a_tape_opens_later() -> None:
    def gradient(x: tf.Tensor) -> list[tf.Tensor]:
        held = hoard(x)
        with tf.GradientTape() as tape:
            tape.watch(held[1])
            loss = tf.reduce_sum(held[1] * held[2] * held[-1])
        return tape.gradient(loss, [held[1]])

    check(gradient, start())


def test_rules_find_what_they_ask_for() -> None:
    seen: list[list[bool]] = []

    @tf.function
    def gradient(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            held = convolved(x, again=False)
            loss = tf.reduce_sum(held[-1])
        # What convolutions and biases gave, which no rule asks for, and what relu gave.
        seen.append([is_gone(tensor) for tensor in [held[1], held[8], held[14], held[3], held[6]]])
        return tape.gradient(loss, x)

    gradient(tf.ones([4, 64, 64, 32]))
    assert seen == [[True, True, True, False, False]]


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_gradients_of_what_python_holds(again: bool, persistent: bool) -> None:
    def gradients(x: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            held = convolved(x, again)
            square = tf.reduce_sum(held[-1] * held[-1])
        results = [tape.gradient(square, x)]
        if persistent:
            results.append(tape.gradient(held[-2], x))
        return [*results, held[1] + held[4]]

    check(gradients, tf.reshape(tf.linspace(-1.0, 1.0, 4 * 64 * 64 * 32), [4, 64, 64, 32]))


def test_a_function_of_the_user_finds_what_it_holds() -> None:
    @tf.custom_gradient
    def cubed(x: tf.Tensor) -> Any:
        square = x * x
        return square * x, lambda dy: dy * square * 3.0

    def gradient(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            held = [x]
            for number in range(COUNT):
                held.append(cubed(held[-1] * 0.5) + held[-1] * 0.1 * float(number % 2))
            loss = tf.reduce_sum(held[-1])
        return tape.gradient(loss, x)

    check(gradient, start())


def test_training_steps_of_a_model_that_is_held() -> None:
    filters = [
        tf.Variable(tf.reshape(tf.linspace(-0.2, 0.3, 1024), [1, 1, 32, 32])) for _ in range(5)
    ]
    average = tf.Variable(tf.zeros([32]))
    large = tf.Variable(tf.ones([64, 64, 32]))
    variables = [*filters, large]
    first = [variable.numpy() for variable in [*variables, average]]

    def step(x: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            held = [x * large]
            for filter in filters:
                held.append(tf.nn.conv2d(held[-1], filter, 1, "SAME"))
                mean, variance = tf.nn.moments(held[-1], [0, 1, 2])
                average.assign(average * 0.9 + mean * 0.1)
                held.append(tf.nn.batch_normalization(held[-1], mean, variance, None, None, 1e-3))
                held.append(tf.nn.relu(held[-1]))
            loss = tf.reduce_mean(held[-1] * held[2])
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * gradient)
        return [loss, held[5] + held[8], *variables, average]

    def run(function: Any) -> list[Any]:
        for variable, value in zip([*variables, average], first, strict=True):
            variable.assign(value)
        return [tensor.numpy() for _ in range(3) for tensor in function(x)]

    x = tf.reshape(tf.linspace(-1.0, 1.0, 4 * 64 * 64 * 32), [4, 64, 64, 32])
    recorded = tf.function(step)
    for expected, result in zip(run(step), run(recorded), strict=True):
        np.testing.assert_array_equal(result, expected)
    assert "recorded" in str(recorded.explain())


def test_the_walk_of_a_first_call_writes_over_what_nobody_reads() -> None:
    def chained(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(8):
                y = tf.nn.relu(y)
            loss = tf.reduce_sum(w * y)
        return tape.gradient(loss, x)

    def summed(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(w * tf.nn.relu(x)) + tf.reduce_sum(w * tf.nn.relu(x))
        return tape.gradient(loss, x)

    x = start()
    w = x * 2.0
    for gradient, held in ((chained, 9), (summed, 3)):
        check(gradient, x, w)
        recorded = tf.function(gradient)
        assert peak_of(functools.partial(recorded, x, w)) <= (held + 0.5) * MEGABYTE


def test_gradients_that_someone_holds_are_not_written_over() -> None:
    def gradient(x: tf.Tensor) -> list[tf.Tensor]:
        seen: list[tf.Tensor] = []

        @tf.custom_gradient
        def watched(x: tf.Tensor) -> Any:
            def backward(dy: tf.Tensor) -> tf.Tensor:
                seen.append(dy)
                return dy

            return tf.identity(x), backward

        seed = tf.ones_like(x) * 2.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(watched(tf.nn.relu(x) + x))
        return [tape.gradient(y, x, seed), seed, *seen]

    check(gradient, start())


def test_a_variable_is_read_before_and_written_after() -> None:
    v = tf.Variable(start())
    first = v.numpy()

    def update(x: tf.Tensor) -> tf.Tensor:
        held = hoard(v * x)
        v.assign(held[1] + v)
        return held[2] + v

    expected = update(start()).numpy()
    after = v.numpy()
    v.assign(first)
    recorded = tf.function(update)
    for _ in range(2):
        v.assign(first)
        np.testing.assert_array_equal(recorded(start()), expected)
        np.testing.assert_array_equal(v, after)


def test_a_variable_holds_a_tensor_that_was_let_go_of() -> None:
    v = tf.Variable(tf.zeros([512, 512]))

    def assign(x: tf.Tensor) -> tf.Tensor:
        v.assign(hoard(x)[1])
        return v + 1.0

    check(assign, start())


def test_draws_are_not_repeated() -> None:
    @tf.function
    def drawn(x: tf.Tensor) -> list[tf.Tensor]:
        noise = tf.random.uniform([512, 512])
        held = hoard(x + noise)
        return [held[0] + noise, noise]

    results = [[tensor.numpy() for tensor in drawn(start())] for _ in range(2)]
    for joined, noise in results:
        np.testing.assert_array_equal(joined, start() + noise + noise)


def test_functions_and_maps_inside() -> None:
    double = tf.function(lambda x: x * 2.0)

    def outer(x: tf.Tensor) -> list[tf.Tensor]:
        held = hoard(x)
        rows = tf.vectorized_map(lambda row: row + held[2][0], held[3])
        return [double(held[1]), rows]

    check(outer, start())


def test_python_reads_the_values() -> None:
    def read(x: tf.Tensor) -> tf.Tensor:
        held = hoard(x)
        return held[-1] + float(held[1].numpy()[0, 0])

    assert "reads the values" in str(check(read, start()).explain())


def test_tensors_outlive_the_function() -> None:
    left: list[tf.Tensor] = []

    @tf.function
    def leaking(x: tf.Tensor) -> tf.Tensor:
        left[:] = hoard(x)
        return left[-1]

    @tf.function
    def failing(x: tf.Tensor) -> tf.Tensor:
        left[:] = hoard(x)
        raise ValueError("after the ops")

    leaking(start())
    assert "kept elsewhere" in str(leaking.explain())
    for tensor, expected in zip(left, hoard(left[0]), strict=True):
        np.testing.assert_array_equal(tensor.numpy(), expected.numpy())
    with pytest.raises(ValueError, match="after the ops"):
        failing(start())
    assert "shape=(512, 512), dtype=float32, numpy=" in repr(left[1])
    for tensor, expected in zip(left, hoard(left[0]), strict=True):
        np.testing.assert_array_equal(tensor + 0.0, expected)


def test_another_thread_reads() -> None:
    def beside(x: tf.Tensor) -> tf.Tensor:
        held = hoard(x)
        sums: list[Any] = []
        thread = threading.Thread(target=lambda: sums.append(tf.reduce_sum(held[1]).numpy()))
        thread.start()
        thread.join()
        return held[-1] * sums[0]

    check(beside, start())
