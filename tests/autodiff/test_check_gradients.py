"""The gradient checker finds what is wrong, and says where; it does not cry wolf."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import testing


@tf.custom_gradient
def wrong_by_a_little(x: Any) -> Any:
    return tf.sin(x), lambda dy: dy * tf.cos(x) * 1.0001


@tf.custom_gradient
def wrong_in_one_place(x: Any) -> Any:
    return tf.sin(x), lambda dy: dy * tf.cos(x) + tf.constant([0.0, 0.0, 0.5], x.dtype)


@tf.custom_gradient
def wrong_at_second_order(x: Any) -> Any:
    def gradient(dy: Any) -> Any:
        return dy * tf.stop_gradient(tf.cos(x))

    return tf.sin(x), gradient


@tf.custom_gradient
def unconjugated(z: Any) -> Any:
    return z * z, lambda dy: dy * 2.0 * z


def test_right_gradients_pass() -> None:
    testing.check_gradient(tf.sin, [0.1, 0.2], order=2)
    testing.check_gradient(lambda x, y: tf.matmul(x, y), np.ones((2, 3)), np.ones((3, 2)), order=2)
    testing.check_gradient(lambda z: z * tf.exp(z), [1 + 2j, 0.5j], order=2)
    testing.check_gradient(lambda x, i: tf.gather(x, i), [1.0, 2.0], [1, 1], order=2)
    testing.check_gradient(lambda x: {"a": x * x, "b": [tf.cast(x, tf.int32), x]}, 3.0)
    testing.check_gradient(lambda x, y: x * 2.0, 1.0, 5.0)


def test_wrong_gradients_do_not() -> None:
    with pytest.raises(AssertionError, match="by input 0"):
        testing.check_gradient(wrong_by_a_little, [0.3, 0.4, 0.5])
    with pytest.raises(AssertionError, match=r"worst element is \[2\]"):
        testing.check_gradient(wrong_in_one_place, [0.3, 0.4, 0.5])
    with pytest.raises(AssertionError, match="the gradient of square"):
        testing.check_gradient(unconjugated, 1 + 2j, name="square")


def test_second_order_is_checked_only_when_asked() -> None:
    testing.check_gradient(wrong_at_second_order, [0.3, 0.4])
    with pytest.raises(AssertionError, match="the gradient of the gradient of"):
        testing.check_gradient(wrong_at_second_order, [0.3, 0.4], order=2)


def test_missing_gradient_is_found() -> None:
    with pytest.raises(AssertionError, match="the tape says 0,"):
        testing.check_gradient(tf.stop_gradient, 1.0)


def test_kinks_cannot_be_judged() -> None:
    with pytest.raises(AssertionError, match=r"do not settle|is wrong"):
        testing.check_gradient(lambda x: tf.sqrt(tf.abs(x)), 1e-9)


def test_no_floating_result() -> None:
    with pytest.raises(ValueError, match="no floating tensor"):
        testing.check_gradient(lambda x: tf.cast(x, tf.int32), 1.0)


def test_assert_close() -> None:
    testing.assert_close(tf.constant([1.0, np.nan, np.inf]), [1.0, np.nan, np.inf])
    testing.assert_close(tf.constant(1.0) + 1e-7, 1.0)
    testing.assert_close(tf.constant([1, 2]), [1, 2])
    testing.assert_close(tf.constant(2**62, tf.int64), np.int64(2**62))
    for actual, expected, words in [
        (tf.constant([1.0, 2.0]), [1.0, 3.0], r"at \[1\]: 2.0, expected 3.0"),
        (tf.constant([1.0, 2.0]), [1.0], r"has shape \[2\], expected shape \[1\]"),
        (tf.constant(np.nan), 1.0, "nan"),
        (tf.constant(np.inf), -np.inf, "inf"),
        (tf.constant(2**62 + 1, tf.int64), np.int64(2**62), "expected"),
        (tf.constant(True), False, "True"),
        (tf.constant("a"), b"b", "a"),
    ]:
        with pytest.raises(AssertionError, match=words):
            testing.assert_close(actual, expected)


def test_directional_derivative_is_exact_to_many_digits() -> None:
    found, error = testing.directional_derivative(
        lambda x, y: float(np.sum(np.exp(x) * np.sin(y))),
        [np.array([0.3, 1.0]), np.array([0.7, 0.2])],
        [np.array([1.0, -2.0]), None],
    )
    expected = np.exp(0.3) * np.sin(0.7) - 2 * np.exp(1.0) * np.sin(0.2)
    assert abs(found - expected) < 1e-11
    assert error < 1e-9
