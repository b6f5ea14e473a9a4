"""Hypergradients: a ridge penalty through the solution, weight decay through unrolled steps."""

import tapegrad as tf
import numpy as np

rng = np.random.RandomState(19)
# Ridge regression: how the validation loss depends on the penalty.
features, target = tf.constant(rng.randn(12, 3)), tf.constant(rng.randn(12, 1))
penalty = tf.Variable(0.5, dtype=tf.float64)
with tf.GradientTape() as tape:
    gram = tf.matmul(features[:8], features[:8], transpose_a=True)
    system = gram + tf.exp(penalty) * tf.eye(3, dtype=tf.float64)
    ridge = tf.linalg.solve(system, tf.matmul(features[:8], target[:8], transpose_a=True))
    validation = tf.reduce_mean((features[8:] @ ridge - target[8:]) ** 2)
slope = tape.gradient(validation, penalty)
print(ridge, validation.numpy(), slope.numpy())


def at(value):
    """For finite differences."""
    system = gram + tf.exp(tf.constant(value, tf.float64)) * tf.eye(3, dtype=tf.float64)
    ridge = tf.linalg.inv(system) @ (tf.transpose(features[:8]) @ target[:8])
    return tf.reduce_mean((features[8:] @ ridge - target[8:]) ** 2).numpy()


print(abs((at(0.5 + 1e-5) - at(0.5 - 1e-5)) / 2e-5 - slope.numpy()) < 1e-8)

# The hypergradient of weight decay through twenty unrolled steps.
decay = tf.Variable(0.1, dtype=tf.float64)
a = tf.constant(rng.randn(6, 3))
b = tf.constant(rng.randn(6, 1))
with tf.GradientTape() as tape:
    w = tf.zeros([3, 1], tf.float64)
    for _ in range(20):
        w = w - 0.05 * (tf.transpose(a) @ (a @ w - b) + decay * w)
    validation = tf.reduce_sum((a[:2] @ w - b[:2] * 0.5) ** 2)
print(validation.numpy(), tape.gradient(validation, decay).numpy())
