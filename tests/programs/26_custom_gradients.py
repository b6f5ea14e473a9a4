"""Custom gradients: log1pexp, clipping the backward pass, reversal, several outputs."""

import numpy as np

import tapegrad as tf


def naive(x):
    """Overflows."""
    return tf.math.log(1 + tf.exp(x))


@tf.custom_gradient
def log1pexp(x):
    """Has a stable gradient."""
    e = tf.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


for function in (naive, log1pexp):
    for value in (0.0, 100.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        print(function.__name__, value, y.numpy(), tape.gradient(y, x).numpy())


@tf.custom_gradient
def clip_gradients(y):
    """The identity, with a clipped gradient."""
    return y, lambda dy: tf.clip_by_norm(dy, 0.5)


v = tf.Variable(2.0)
with tf.GradientTape() as t:
    output = clip_gradients(v * v)
print(t.gradient(output, v))


@tf.custom_gradient
def reverse(x, strength=1.0):
    """Gradient reversal."""
    return tf.identity(x), lambda dy: -strength * dy


x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x * reverse(x**2))
print(tape.gradient(y, x))


@tf.custom_gradient
def linear(x, w, b):
    """Several inputs and outputs."""

    def grad(dy, dz):
        dy = dy + 2.0 * dz
        return dy @ tf.transpose(w), tf.transpose(x) @ dy, tf.reduce_sum(dy, 0)

    y = x @ w + b
    return (y, 2.0 * y), grad


a, w, b = tf.ones([2, 3]), tf.Variable(tf.ones([3, 2]) * 0.5), tf.Variable([1.0, -1.0])
with tf.GradientTape() as tape:
    tape.watch(a)
    y, z = linear(a, w, b)
    total = tf.reduce_sum(y**2) + tf.reduce_sum(z)
print(total.numpy(), *tape.gradient(total, [a, w, b]))
print(np.asarray(log1pexp(np.float32([0.0, 1.0]))), log1pexp.__name__)
