"""Custom gradients that use variables, define second derivatives, or are wrong."""

import tapegrad as tf

x = tf.Variable([1.0, 2.0])
scale = tf.Variable(3.0, name="scale")


@tf.custom_gradient
def scaled(x):
    """Uses a variable from outside."""
    result = x * scale

    def grad(dy, variables=None):
        return dy * scale, [tf.reduce_sum(dy * x) * 100.0 for _ in variables]

    return result, grad


with tf.GradientTape() as tape:
    y = scaled(x)
print(tape.gradient(y, [x, scale]))


@tf.custom_gradient
def cube(x):
    """A wrong second derivative, on purpose: the inner one has a rule of its own."""

    @tf.custom_gradient
    def slope(x):
        return 3.0 * x**2, lambda dy: dy * 1000.0

    return x**3, lambda dy: dy * slope(x)


x = tf.constant(2.0)
with tf.GradientTape() as t2, tf.GradientTape() as t1:
    t1.watch(x)
    t2.watch(x)
    y = cube(x)
    with t1.stop_recording():
        first = t1.gradient(y, x)
print(y.numpy(), first.numpy(), t2.gradient(first, x).numpy())


@tf.custom_gradient
def wrong(x, y):
    return x * y, lambda dy: dy


with tf.GradientTape() as tape:
    tape.watch(x)
    y = wrong(x, x)
try:
    tape.gradient(y, x)
except Exception as error:
    print(type(error).__name__)
