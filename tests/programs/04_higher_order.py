"""Derivatives of derivatives: nested tapes, gradients inside tapes, a gradient penalty."""

import math

import tapegrad as tf

x = tf.Variable(1.0)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = x * x * x
    dy_dx = t1.gradient(y, x)
d2y_dx2 = t2.gradient(dy_dx, x)
print("dy_dx:", dy_dx.numpy(), "d2y_dx2:", d2y_dx2.numpy())


def nth(function, order):
    """The derivative of the given order, one tape inside another."""
    if order == 0:
        return function

    def derivative(point):
        with tf.GradientTape() as tape:
            tape.watch(point)
            value = nth(function, order - 1)(point)
        return tape.gradient(value, point)

    return derivative


for order in range(6):
    print(order, nth(tf.sin, order)(tf.constant(0.5)), nth(tf.exp, order)(tf.constant(0.5)).numpy())
for order in range(5):
    print(order, nth(lambda v: v**4, order)(tf.constant(2.0)).numpy(), math.perm(4, order))
print(nth(tf.tanh, 3)(tf.constant([0.0, 0.1, 1.0])), nth(tf.nn.softplus, 2)(tf.constant(0.0)))
print(nth(lambda v: 1.0 / v, 3)(tf.constant(2.0, tf.float64)))
print(nth(tf.nn.relu, 2)(tf.constant([1.0, -1.0])), nth(tf.nn.elu, 2)(tf.constant([1.0, -1.0])))

# One persistent tape, used inside its own context.
x = tf.constant(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x**5
    first = tape.gradient(y, x)
    second = tape.gradient(first, x)
    third = tape.gradient(second, x)
print(first.numpy(), second.numpy(), third.numpy())

# A gradient penalty.
kernel = tf.Variable([[0.5, -1.0], [0.25, 2.0]])
bias = tf.Variable([0.1, -0.1])
points = tf.constant([[0.3, -0.4], [1.5, 0.2], [-0.7, 0.9]])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(points)
        output = tf.tanh(points @ kernel + bias)
    slopes = inner.gradient(output, points)
    norm = tf.sqrt(tf.reduce_sum(slopes**2, axis=1))
    penalty = tf.reduce_mean((norm - 1.0) ** 2)
g_kernel, g_bias = outer.gradient(penalty, [kernel, bias])
print(slopes, norm, penalty.numpy())
print(g_kernel, g_bias)

# Mixed partial derivatives of a function of two variables.
u, v = tf.Variable(1.5), tf.Variable(-0.5)
with tf.GradientTape(persistent=True) as t2:
    with tf.GradientTape() as t1:
        f = tf.exp(u * v) + u**3 * tf.cos(v)
    fu, fv = t1.gradient(f, [u, v])
print([[t2.gradient(g, s).numpy() for s in (u, v)] for g in (fu, fv)])
