"""tf.function on loops, gradients, defaults and state from outside."""

import tapegrad as tf


@tf.function
def polynomial(coefficients, v):
    """Horner in a loop."""
    result = tf.zeros_like(v)
    for c in coefficients:
        result = result * v + c
    return result


@tf.function
def slope(v):
    """A gradient within a function."""
    with tf.GradientTape() as tape:
        tape.watch(v)
        value = polynomial(tf.constant([1.0, 0.0, -2.0, 1.0]), v)
    return tape.gradient(value, v), value


v = tf.constant([0.5, 1.0, 2.0])
print(*slope(v))
with tf.GradientTape() as tape:
    tape.watch(v)
    outer = tf.reduce_sum(slope(v)[0] ** 2)
print(outer, tape.gradient(outer, v))


@tf.function(reduce_retracing=True)
def count_down(n):
    """A while loop on a tensor."""
    steps = tf.constant(0)
    while n > 0:
        n -= 3
        steps += 1
    return steps


print(count_down(tf.constant(10)), count_down(tf.constant(1)))
double = tf.function(lambda a, scale=2.0: a * scale)
print(double(tf.constant(3.0)), double(tf.constant(3.0), scale=tf.constant(5.0)))
counter = tf.Variable(0)


@tf.function(autograph=False)
def increase(amount=1):
    """State from outside."""
    counter.assign_add(amount)
    return counter + 0


print(increase(), increase(5), counter.numpy())
print(slope.python_function.__name__, callable(increase), tf.executing_eagerly())
