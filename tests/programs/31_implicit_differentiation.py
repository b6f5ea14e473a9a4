"""Implicit functions: square roots by Newton, fixed points, an inner optimum, an adjoint."""

import numpy as np

import tapegrad as tf


@tf.custom_gradient
def newton_root(a):
    """x with x**3 + x = a, with the gradient of the implicit function theorem."""
    x = tf.zeros_like(a)
    for _ in range(30):
        x = x - (x**3 + x - a) / (3 * x**2 + 1)
    return x, lambda dy: dy / (3 * x**2 + 1)


a = tf.constant([0.0, 2.0, 10.0, -30.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(a)
    root = newton_root(a)
print(root, tape.gradient(root, a))
with tf.GradientTape() as tape:
    tape.watch(a)
    x = tf.zeros_like(a)
    for _ in range(30):
        x = x - (x**3 + x - a) / (3 * x**2 + 1)
print("unrolled", tape.gradient(x, a))

rng = np.random.RandomState(19)
w = tf.Variable(rng.randn(4, 4) * 0.2)
u = tf.constant(rng.randn(4, 1))


def cell(z, w):
    """A contraction."""
    return tf.tanh(w @ z + u)


def equilibrium(w):
    """The fixed point, whose backward pass solves one linear system."""

    @tf.custom_gradient
    def solve(w):
        z = tf.zeros_like(u)
        while True:
            new = cell(z, w)
            if tf.reduce_max(tf.abs(new - z)) < 1e-14:
                break
            z = new

        def grad(dy):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([z, w])
                image = cell(z, w)
            j = tf.reshape(tape.jacobian(image, z), [4, 4])
            adjoint = tf.linalg.solve(tf.eye(4, dtype=tf.float64) - j, dy, adjoint=True)
            return tape.gradient(image, w, output_gradients=adjoint)

        return z, grad

    return solve(w)


with tf.GradientTape() as tape:
    fixed = equilibrium(tf.convert_to_tensor(w))
    loss = tf.reduce_sum(fixed**2)
implicit = tape.gradient(loss, w)
with tf.GradientTape() as tape:
    z = tf.zeros_like(u)
    for _ in range(80):
        z = cell(z, w)
    loss = tf.reduce_sum(z**2)
explicit = tape.gradient(loss, w)
print(fixed, implicit[0], np.allclose(implicit, explicit, atol=1e-10))
