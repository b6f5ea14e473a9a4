"""`testing.check_gradients` finds a wrong derivative in either mode, and names the worst entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import check_gradients, max_error


def scaled(factor: Any) -> Any:
    """A sine whose gradient is multiplied with ``factor``."""

    @tf.custom_gradient
    def sine(x: Any) -> Any:
        return tf.sin(x), lambda dy: dy * tf.cos(x) * factor

    return sine


X = np.array([0.3, 0.4, 0.5])


def test_right_derivatives_pass() -> None:
    check_gradients(tf.sin, [X], order=3)
    check_gradients(scaled(1.0), [X], order=2)
    check_gradients(tf.matmul, (np.ones((2, 3)), np.ones((3, 2))), order=2)
    check_gradients(lambda z: z * tf.exp(z), [np.array([1 + 2j, 0.5j])], order=2)
    check_gradients(
        lambda z: tf.abs(tf.math.conj(z)) + tf.math.angle(z), [np.array([1 + 2j, 0.5j])], order=2
    )
    check_gradients(lambda x, i: tf.gather(x, i), ([1.0, 2.0], [1, 1]))
    check_gradients(lambda x: {"a": x * x, "b": [tf.cast(x, tf.int32), x]}, [3.0])
    check_gradients(lambda p, x: p["w"] * x + p["b"], ({"w": X, "b": 1.0}, X), order=2)
    check_gradients(lambda x, y: x * 2.0, (1.0, 5.0))
    check_gradients(tf.recompute_grad(lambda x: tf.tanh(x) * x), [X], order=2)
    check_gradients(tf.identity, [np.zeros((0, 3))])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_the_worst_entry_is_named(mode: str) -> None:
    expected = (
        rf"{mode} mode differentiates sine\(\) wrongly. The worst entry is the derivative of the result at "
        r"\[2\] by argument 0 at \[2\]: by the rules it is 1.316373843, by finite differences 0.87758256"
    )
    with pytest.raises(AssertionError, match=expected):
        check_gradients(scaled([1.0, 1.0, 1.5]), [X], modes=mode)
    with pytest.raises(AssertionError, match=r"by argument 0\['b'\]\[1\] at \[0\]"):
        check_gradients(lambda d: scaled(2.0)(d["b"][1]) + d["b"][0], [{"b": (X[:1], X[:1])}])
    with pytest.raises(AssertionError, match=r"worst entry of the 4096 looked at"):
        check_gradients(scaled(1.5), [np.linspace(0, 1, 1000)], modes=[mode])


def test_a_small_error_and_a_missing_gradient_are_found() -> None:
    with pytest.raises(AssertionError, match="wrongly"):
        check_gradients(scaled(1.0001), [X])
    with pytest.raises(AssertionError, match=r"by the rules it is 3, by finite differences 6\b"):
        check_gradients(lambda x: x * tf.stop_gradient(x), [3.0])
    with pytest.raises(AssertionError, match="wrongly"):
        check_gradients(scaled(float("nan")), [X])


@pytest.mark.parametrize("modes", [["forward"], ["reverse"], ["forward", "reverse"]])
def test_second_order_is_checked_in_every_nesting(modes: list[str]) -> None:
    @tf.custom_gradient
    def wrong_at_second_order(x: Any) -> Any:
        return tf.sin(x), lambda dy: dy * tf.stop_gradient(tf.cos(x))

    check_gradients(wrong_at_second_order, [X], modes=modes)
    with pytest.raises(AssertionError, match=f"the {modes[0]} derivative of wrong_at"):
        check_gradients(wrong_at_second_order, [X], 2, modes)


@pytest.mark.parametrize("dtype", [tf.float64, tf.float32])
def test_variables_are_moved_and_put_back(dtype: Any) -> None:
    module = tf.Module()
    module.weight = tf.Variable(tf.cast([0.3, 0.7], dtype))
    x = tf.constant([[1.0, 2.0]], dtype)

    def right() -> Any:
        return tf.tanh(module.weight * x)

    check_gradients(right, wrt=module, order=2)
    check_gradients(right, wrt=module.weight)

    @tf.custom_gradient
    def wrong() -> Any:
        def gradient(dy: Any, variables: Any) -> Any:
            return [], [tf.reduce_sum(dy * tf.cast([[1.0, 2.5]], dtype), 0)]

        return module.weight * x, gradient

    with pytest.raises(AssertionError, match=r"by the variable 'Variable:0' at \[1\]"):
        check_gradients(wrong, wrt=module)
    np.testing.assert_array_equal(module.weight, tf.cast([0.3, 0.7], dtype))

    def failing() -> Any:
        if float(module.weight[0]) != float(tf.cast(0.3, dtype)):
            raise RuntimeError("moved")
        return module.weight

    with pytest.raises(RuntimeError, match="moved"):
        check_gradients(failing, wrt=module)
    np.testing.assert_array_equal(module.weight, tf.cast([0.3, 0.7], dtype))


def test_a_kink_cannot_be_judged() -> None:
    with pytest.raises(AssertionError, match=r"do not settle|wrongly"):
        check_gradients(tf.abs, [np.array([1e-4])])


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="'forward', 'reverse' or both"):
        check_gradients(tf.sin, [1.0], modes=["fwd"])
    with pytest.raises(ValueError, match="at least 1"):
        check_gradients(tf.sin, [1.0], 0)
    with pytest.raises(TypeError, match="also where it has one"):
        check_gradients(tf.sin, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no floating argument"):
        check_gradients(tf.abs, [1])
    with pytest.raises(ValueError, match="returns no floating tensor"):
        check_gradients(tf.math.is_nan, [1.0])
    with pytest.raises(TypeError, match="`wrt` says what to differentiate by"):
        check_gradients(tf.sin, [1.0], wrt="x")
    with pytest.raises(ValueError, match="positional argument 3"):
        check_gradients(tf.sin, [1.0], wrt=3)


def test_largest_errors() -> None:
    a = (np.array([[1.0, 2.0]]), np.array([[0.0]]))
    b = (np.array([[1.0, 2.5]]), np.array([[0.0]]))
    assert max_error(a, b) == 0.5
    assert max_error(a, a) == 0.0
    assert np.isnan(max_error([np.array([np.nan])], [np.array([1.0])]))
    with pytest.raises(ValueError, match="as many"):
        max_error(a, b[:1])
    with pytest.raises(ValueError, match="one shape"):
        max_error(a[:1], [np.zeros((3, 3))])


def test_arguments_keep_their_dtype_beside_coarse_variables() -> None:
    weight = tf.Variable([1.0, -2.0])
    check_gradients(lambda x: tf.tanh(weight * x), [0.3], order=2, wrt=(0, weight))
    check_gradients(lambda x: tf.tanh(weight * x), [tf.constant([0.3])], wrt=weight)
    with pytest.raises(AssertionError, match="by argument 0"):
        check_gradients(lambda x: weight * scaled(1.5)(x), [0.3], wrt=(0, weight))
