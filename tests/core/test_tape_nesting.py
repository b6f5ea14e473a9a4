"""Tapes inside tapes, and what a tape makes of integers, strings, Python and NumPy.

All of it holds of TensorFlow 2.21 as well.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

import tapegrad as tf

# Nested tapes


def test_second_order() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    assert first.numpy() == 27.0
    assert outer.gradient(first, x).numpy() == 18.0


def test_sixth_order() -> None:
    x = tf.constant(0.5)

    def derivative(order: int) -> Any:
        if order == 0:
            return tf.exp(2.0 * x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(order - 1)
        return tape.gradient(y, x)

    np.testing.assert_allclose(derivative(6).numpy(), 64 * np.exp(1.0), rtol=1e-5)


def test_order_of_nesting_decides() -> None:
    x = tf.constant(3.0)
    inner, outer = tf.GradientTape(), tf.GradientTape()
    with outer:
        outer.watch(x)
        with inner:
            inner.watch(x)
            y = x**3
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy() == 18.0


def test_gradient_taken_outside_the_outer_block_is_not_recorded() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
    first = inner.gradient(y, x)
    assert first.numpy() == 6.0
    assert outer.gradient(first, x) is None


def test_mixed_second_derivatives() -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            z = x * x * y + tf.sin(x * y)
        by_x, by_y = inner.gradient(z, [x, y])
    np.testing.assert_allclose(
        outer.gradient(by_x, y).numpy(), outer.gradient(by_y, x).numpy(), rtol=1e-5
    )
    expected = 2 * 2.0 + np.cos(6.0) - 6.0 * np.sin(6.0)
    np.testing.assert_allclose(outer.gradient(by_x, y).numpy(), expected, rtol=1e-5)


def test_gradient_of_gradients_of_several_sources() -> None:
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch([a, b])
        with tf.GradientTape() as inner:
            inner.watch([a, b])
            y = a * a * b
        found = inner.gradient(y, [a, b])
    assert [g.numpy() for g in outer.gradient(found, [a, b])] == [10.0, 4.0]


def test_tapes_that_do_not_nest_properly() -> None:
    x = tf.constant(2.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    second.__enter__()
    first.watch(x)
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    assert first.gradient(y, x).numpy() == 4.0
    assert second.gradient(z, x).numpy() == 12.0


# Integers and strings


def test_integer_target_and_source() -> None:
    x = tf.constant(10)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(x, x).numpy() == 1
    assert tape.gradient(y, x) is None


def test_watching_integers_is_warned_about_once_each(capfd: Any, caplog: Any) -> None:
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    shown = capfd.readouterr().err or caplog.text  # pytest may have taken the log over
    assert shown.count("The dtype of the watched tensor must be floating") == 1
    assert "got tf.int32" in shown
    caplog.clear()
    tape.gradient(y, x)
    assert "dtype" not in capfd.readouterr().err + caplog.text


def test_cast_to_integers_cuts() -> None:
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * x
    assert tape.gradient(y, x).numpy() == 2.0


def test_cast_between_floats_does_not() -> None:
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float64) * 3.0
    found = tape.gradient(y, x)
    assert found.numpy() == 3.0
    assert found.dtype == tf.float32


def test_strings_have_no_gradient() -> None:
    text, x = tf.constant("a"), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, text) is None
    assert tape.gradient(text, x) is None


def test_comparison_has_no_gradient() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x > 1.0, tf.float32)
    assert tape.gradient(y, x) is None


# Python and NumPy around it


def test_python_control_flow() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        while y < 100.0:
            y *= x
    assert y.numpy() == 128.0
    assert tape.gradient(y, x).numpy() == 7 * 2.0**6


def test_leaving_through_numpy_cuts() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(np.mean(x**2, axis=0))
    assert tape.gradient(y, x) is None


def test_numpy_arrays_beside_tensors() -> None:
    x = tf.constant([1.0, 2.0])
    array = np.array([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * array, array * x
    assert y.dtype == z.dtype == tf.float32
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 4.0]
    assert tape.gradient(z, x).numpy().tolist() == [3.0, 4.0]


def test_chain_of_20000_operations() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(20_000):
            y = y * 1.0
    assert tape.gradient(y, x).numpy() == 1.0


def test_long_chain_dies_without_recursion() -> None:
    x = tf.constant(1.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x
        for _ in range(50_000):
            y = y + 1.0
    del tape, y
    gc.collect()


def test_wide_fan() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.add_n([x * float(i) for i in range(1000)])
    assert tape.gradient(y, x).numpy() == 499500.0


def test_diamond() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(60):
            y = y + y  # 2**60 paths
    assert tape.gradient(y, x).numpy() == 2.0**60
