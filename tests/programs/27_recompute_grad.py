"""recompute_grad: the same values and gradients, fewer kept arrays, calls counted."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(15)
kernels = [tf.Variable(np.float32(rng.randn(6, 6) / 3)) for _ in range(4)]
calls = []


def block(x, kernel):
    """One layer with several inner values."""
    calls.append(1)
    y = tf.tanh(x @ kernel)
    y = y * tf.sigmoid(y) + tf.sin(x)
    return tf.nn.softplus(y) - 0.5


def network(x, layer):
    """All layers."""
    for kernel in kernels:
        x = layer(x, kernel)
    return tf.reduce_mean(x**2)


x = tf.constant(np.float32(rng.randn(3, 6)))
results = []
for layer in (block, tf.recompute_grad(block)):
    calls.clear()
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = network(x, layer)
    forward = len(calls)
    grads = tape.gradient(loss, [x, *kernels])
    print(loss.numpy(), "calls", forward, len(calls), [tf.norm(g).numpy() for g in grads])
    results.append(grads)
print([bool(np.allclose(a, b, rtol=1e-6)) for a, b in zip(*results)])


@tf.recompute_grad
def with_captured(x):
    """Variables from outside are found."""
    return tf.reduce_sum(tf.nn.relu(x @ kernels[0]) @ kernels[1])


with tf.GradientTape() as tape:
    y = with_captured(x)
grads = tape.gradient(y, kernels)
print(y.numpy(), [None if g is None else tf.norm(g).numpy() for g in grads])
print(callable(with_captured.__wrapped__))


@tf.recompute_grad
def noisy(x, seed):
    """Stateless noise is the same both times."""
    return x * tf.random.stateless_normal(x.shape, seed)


with tf.GradientTape() as tape:
    tape.watch(x)
    y = noisy(x, tf.constant([1, 2]))
g = tape.gradient(y, x)
print(np.allclose(g * x, y), g[0])

square = tf.recompute_grad(lambda x: tf.sin(x) * x)
point = tf.constant(1.5)
with tf.GradientTape() as outer:
    outer.watch(point)
    with tf.GradientTape() as inner:
        inner.watch(point)
        value = square(point)
    first = inner.gradient(value, point)
print(value.numpy(), first.numpy(), outer.gradient(first, point).numpy())
