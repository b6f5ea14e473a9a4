"""Activations that are one op each against the ops they stand for."""

import numpy as np
import pytest

import tapegrad as tf

COMPOSED = {
    "gelu": (tf.nn.gelu, lambda x: 0.5 * x * tf.math.erfc(x * -(0.5**0.5))),
    "gelu by tanh": (
        lambda x: tf.nn.gelu(x, approximate=True),
        lambda x: 0.5 * x * (1.0 + tf.tanh((x + 0.044715 * x * x * x) * 0.7978845608028654)),
    ),
    "silu": (tf.nn.silu, lambda x: x * tf.sigmoid(x)),
    "log_sigmoid": (tf.math.log_sigmoid, lambda x: -tf.nn.softplus(-x)),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_activations_that_are_one_op(name):
    random = np.random.default_rng(0)
    x = tf.constant(np.concatenate([random.standard_normal(50) * 3, [0.0, 30.0, -30.0]]))
    found = []
    for function in COMPOSED[name]:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            slope = inner.gradient(y, x)
        found.append((y, slope, outer.gradient(slope, x)))
    for ours, expected in zip(*found, strict=True):
        np.testing.assert_allclose(ours.numpy(), expected.numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_selu_is_flat_far_below_zero(dtype: str) -> None:
    x = tf.cast([-1000.0, -30.0, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.selu(x)
    slope = tf.cast(tape.gradient(y, x), tf.float64).numpy()
    np.testing.assert_allclose(slope, [0.0, 0.0, 1.0507], rtol=1e-2, atol=1e-12)
