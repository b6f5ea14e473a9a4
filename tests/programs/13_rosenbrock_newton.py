"""Optimisers on Rosenbrock's valley: gradient descent, Newton, Levenberg-Marquardt, line search."""

import tapegrad as tf


def rosenbrock(p):
    """The banana."""
    return 100.0 * (p[1] - p[0] ** 2) ** 2 + (1.0 - p[0]) ** 2


def value_and_gradient(p):
    """Both, for the optimisers below."""
    with tf.GradientTape() as tape:
        tape.watch(p)
        value = rosenbrock(p)
    return value, tape.gradient(value, p)


start = tf.constant([-1.2, 1.0], tf.float64)
print(value_and_gradient(start))

p = tf.Variable(start)
for _ in range(200):
    with tf.GradientTape() as tape:
        loss = rosenbrock(p)
    p.assign_sub(0.001 * tape.gradient(loss, p))
print("descent", p.numpy(), loss.numpy())

p = tf.identity(start)
for step in range(8):
    with tf.GradientTape() as outer:
        outer.watch(p)
        with tf.GradientTape() as inner:
            inner.watch(p)
            loss = rosenbrock(p)
        g = inner.gradient(loss, p)
    h = outer.jacobian(g, p)
    p = p - tf.linalg.solve(h, g[:, tf.newaxis])[:, 0]
    print(f"newton {step} loss {loss.numpy():.3e}", p.numpy())
    if tf.norm(g) < 1e-8:
        break
print(h)


def residuals(p):
    """The same valley as a sum of two squares."""
    return tf.stack([10.0 * (p[1] - p[0] ** 2), 1.0 - p[0]])


p, damping = tf.identity(start), 1e-2
for _ in range(12):
    with tf.GradientTape() as tape:
        tape.watch(p)
        r = residuals(p)
    j = tape.jacobian(r, p)
    jt = tf.transpose(j)
    move = tf.linalg.solve(jt @ j + damping * tf.eye(2, dtype=tf.float64), jt @ r[:, None])[:, 0]
    if tf.reduce_sum(residuals(p - move) ** 2) < tf.reduce_sum(r**2):
        p, damping = p - move, damping * 0.5
    else:
        damping *= 4.0
print("levenberg", p, damping)

p = tf.identity(start)
for _ in range(50):
    value, g = value_and_gradient(p)
    size = 1.0
    while rosenbrock(p - size * g) > value - 1e-4 * size * tf.reduce_sum(g * g):
        size *= 0.5
    p = p - size * g
print("backtracking", p.numpy(), value.numpy(), size)
