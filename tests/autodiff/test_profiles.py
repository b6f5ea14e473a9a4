"""`tape.profile` and `tf.function(f).profile`: times, bytes and operations by op and by line."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.profiling import machine_rates, named_ops


def line_of(mark: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"  # {mark}")]
    return number


def profiled(**options: Any) -> Any:
    w = tf.Variable(tf.ones([20, 30]))
    x = tf.ones([10, 20])
    with tf.GradientTape(profile=True, **options) as tape:
        y = x @ w  # the product
        loss = tf.reduce_sum(tf.tanh(y) * 2.0)  # the loss
    assert tape.profile().backward == 0
    tape.gradient(loss, w)
    return tape


def test_rows_are_the_calls_in_their_order() -> None:
    rows = profiled().profile().rows
    assert [row.op for row in rows] == ["MatMul", "Tanh", "Mul", "Sum"]
    assert all(row.calls == 1 and row.forward > 0 and row.backward > 0 for row in rows)
    here = "profiled"
    assert [row.where for row in rows] == [
        (__file__, line_of("the product"), here),
        *[(__file__, line_of("the loss"), here)] * 3,
    ]


def test_bytes_and_operations() -> None:
    product, tanh, *_ = profiled().profile()
    inputs, results = 10 * 20 + 20 * 30, 10 * 30
    assert product.bytes == 4 * (inputs + results)
    assert product.backward_bytes == 4 * (2 * inputs + results)
    assert product.flops == 2 * 10 * 20 * 30
    assert product.backward_flops == 2 * product.flops
    assert tanh.bytes == 4 * 2 * results
    assert tanh.flops == results
    bytes_a_second, flops_a_second = machine_rates()
    assert product.forward_bound == max(
        product.bytes / bytes_a_second, product.flops / flops_a_second
    )


def test_a_convolution_counts_the_filter() -> None:
    image, kernel = tf.Variable(tf.ones([2, 8, 8, 3])), tf.Variable(tf.ones([3, 3, 3, 5]))
    with tf.GradientTape(profile=True) as tape:
        tf.nn.conv2d(image, kernel, 1, "SAME")
    (row,) = [row for row in tape.profile() if row.op == "Conv2D"]
    assert row.flops == 2 * (2 * 8 * 8 * 5) * (3 * 3 * 3)


def test_by_op_and_by_line() -> None:
    profile = profiled().profile()
    assert set(profile.by_op()) == {"MatMul", "Tanh", "Mul", "Sum"}
    lines = profile.by_line()
    row = lines[__file__, line_of("the loss"), "profiled"]
    assert row.calls == 3
    assert row.op == ""
    assert sum([row.forward for row in lines.values()]) == pytest.approx(profile.forward)
    times = [row.forward + row.backward for row in lines.values()]
    assert times == sorted(times, reverse=True)


def test_the_printed_tables() -> None:
    text = str(profiled().profile())
    assert text.splitlines()[0].startswith("A tape: 4 calls, forward ")
    heads = [line.split()[:3] for line in text.splitlines() if " calls " in line]
    assert heads == [["op", "calls", "forward"], ["line", "calls", "forward"]]
    assert f"(test_profiles.py:{line_of('the product')}): y = x @ w" in text
    assert profiled().profile()._repr_html_().startswith("<pre>A tape: ")


def test_walks_of_a_persistent_tape_add_up() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape(profile=True, persistent=True) as tape:
        y = tf.exp(w)
    tape.gradient(y, w)
    once = tape.profile().backward
    tape.gradient(y, w)
    assert tape.profile().backward > once > 0


def test_a_tape_that_timed_nothing_says_how() -> None:
    with tf.GradientTape() as tape:
        tf.exp(tf.Variable(1.0))
    with pytest.raises(ValueError, match=r"open it with tf.GradientTape\(profile=True\)"):
        tape.profile()


def test_reset_and_stop_recording() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape(profile=True) as tape:
        tf.exp(w)
        tape.reset()
        y = tf.sin(w)
        with tape.stop_recording():
            tf.cos(w)
        z = tf.sinh(y)
    assert tape.gradient(z, w) is not None
    assert [row.op for row in tape.profile() if row.backward] == ["Sin", "Sinh"]


def test_one_profiler_at_a_time_and_none_is_left_behind() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape(profile=True), pytest.raises(tf.errors.AlreadyExistsError):  # noqa: SIM117
        with tf.GradientTape(profile=True):
            pass
    with pytest.raises(ZeroDivisionError), tf.GradientTape(profile=True):
        raise ZeroDivisionError
    with named_ops(), pytest.raises(tf.errors.AlreadyExistsError):  # noqa: SIM117
        with tf.GradientTape(profile=True):
            pass
    tape = tf.GradientTape(profile=True)
    tape.watch(w)
    del tape
    with tf.GradientTape(profile=True) as tape:
        tf.exp(w)
    assert [row.op for row in tape.profile()] == ["Exp"]


def test_other_threads_are_not_counted() -> None:
    with tf.GradientTape(profile=True) as tape:
        thread = threading.Thread(target=lambda: tf.exp(tf.ones([3])))
        thread.start()
        thread.join()
    assert len(tape.profile()) == 0


def test_the_gradient_is_the_same() -> None:
    w = tf.Variable([0.5, 2.0])

    def step(**options: Any) -> list[float]:
        with tf.GradientTape(**options) as tape:
            loss = tf.reduce_sum(tf.exp(w) * tf.sin(w) / w)
        return tape.gradient(loss, w).numpy().tolist()

    assert step(profile=True) == step()


def test_a_recorded_function() -> None:
    w = tf.Variable(tf.ones([20, 30]))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w))  # the function's loss
        w.assign_sub(tape.gradient(loss, w))
        return loss

    profile = step.profile(tf.ones([10, 20]))
    assert profile.title == "step(float32[10, 20])"
    assert profile.forward > 0
    products = profile.by_op()["MatMul"]
    assert products.bytes >= 4 * (10 * 20 + 20 * 30 + 10 * 30)
    assert products.flops >= 2 * 10 * 20 * 30
    assert None not in profile.by_line()
    lines = {where[1] for where in profile.by_line() if where is not None}
    assert line_of("the function's loss") in lines
    assert "line" in str(profile)


def test_steps_that_are_done_at_once_count_the_operations_of_all_their_parts() -> None:
    filter, w, b = tf.ones([3, 3, 4, 6]), tf.ones([20, 30]), tf.Variable(tf.ones([100, 30]))
    images = 2 * 8 * 7

    @tf.function
    def convolved(x: Any) -> Any:
        return tf.nn.relu(tf.nn.conv2d(x, filter, 1, "SAME") + tf.ones([6]))

    @tf.function
    def added(x: Any) -> Any:
        b.assign_add(x @ w)
        return tf.constant(0.0)

    counts = convolved.profile(tf.ones([2, 8, 7, 4])).by_op()
    assert counts["Conv2D, AddV2 and Relu"].flops == images * 6 * (2 * 3 * 3 * 4 + 2)
    counts = added.profile(tf.ones([100, 20])).by_op()
    (row,) = [row for name, row in counts.items() if name.startswith("MatMul")]
    assert row.flops == 2 * 100 * 20 * 30


def test_a_profile_of_a_step_trains_nothing() -> None:
    w, count, last = tf.Variable(tf.ones([20, 30])), tf.Variable(0), tf.Variable(0.0)
    generator = tf.random.Generator.from_seed(1)
    state = generator.state.numpy()

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w)) + generator.normal([]) + tf.random.normal([])
        w.assign_sub(tape.gradient(loss, w))
        count.assign_add(1)
        last.assign(loss)
        return loss

    tf.random.set_seed(1)
    step.profile(tf.ones([10, 20]))
    drawn = tf.random.normal([])
    assert np.array_equal(w, np.ones([20, 30]))
    assert (int(count), float(last)) == (0, 0.0)
    assert np.array_equal(generator.state, state)
    tf.random.set_seed(1)
    assert float(tf.random.normal([])) == float(drawn)


def test_a_method_that_is_recorded() -> None:
    class Scale:
        def __init__(self) -> None:
            self.factor = tf.Variable(2.0)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return tf.matmul(x, x) * self.factor

    scale = Scale()
    assert "MatMul" in scale.__call__.profile(tf.ones([4, 4])).by_op()


def test_a_function_that_is_not_recorded_says_why() -> None:
    @tf.function
    def as_numpy(x: Any) -> Any:
        return float(tf.reduce_sum(x).numpy()) * tf.reduce_sum(tf.constant(x.numpy()))

    with pytest.raises(ValueError, match="is not replayed with these arguments"):
        as_numpy.profile(tf.ones([100, 100]))
