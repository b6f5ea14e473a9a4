"""Layer, batch, group, instance and RMS normalisation, weight standardisation, moving averages."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(9)
x = tf.constant(rng.randn(4, 6) * 3 + 1)
gamma, beta = tf.Variable(rng.rand(6) + 0.5), tf.Variable(rng.randn(6))


def layer_norm(x, epsilon=1e-6):
    """By hand."""
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
    return gamma * (x - mean) * tf.math.rsqrt(variance + epsilon) + beta


def moments_norm(x):
    """By moments."""
    mean, variance = tf.nn.moments(x, axes=-1, keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, variance_epsilon=1e-6)


def rms_norm(x):
    """Without the mean."""
    return x / tf.sqrt(tf.reduce_mean(x**2, axis=-1, keepdims=True) + 1e-6) * gamma


for normalise in (layer_norm, moments_norm, rms_norm):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = normalise(x)
        loss = tf.reduce_sum(tf.sin(y))
    gx, gg, gb = tape.gradient(loss, [x, gamma, beta], unconnected_gradients="zero")
    print(normalise.__name__, y[0], gx[0], gg, gb)


class BatchNorm(tf.Module):
    """With moving averages."""

    def __init__(self, size, momentum=0.9):
        super().__init__()
        self.scale, self.offset = tf.Variable(tf.ones(size)), tf.Variable(tf.zeros(size))
        self.mean = tf.Variable(tf.zeros(size), trainable=False)
        self.variance = tf.Variable(tf.ones(size), trainable=False)
        self.momentum = momentum

    def __call__(self, x, training):
        if training:
            mean, variance = tf.nn.moments(x, axes=list(range(len(x.shape) - 1)))
            for slot, new in ((self.mean, mean), (self.variance, variance)):
                slot.assign(slot * self.momentum + new * (1 - self.momentum))
        else:
            mean, variance = self.mean, self.variance
        return tf.nn.batch_normalization(x, mean, variance, self.offset, self.scale, 1e-3)


layer = BatchNorm(3)
images = tf.constant(np.float32(rng.randn(2, 4, 4, 3) * [1, 2, 3] + [0, 1, 2]))
for _ in range(3):
    with tf.GradientTape() as tape:
        out = layer(images, training=True)
        loss = tf.reduce_mean(out**2 * tf.constant([1.0, 2.0, 3.0]) + out**3)
    grads = tape.gradient(loss, layer.trainable_variables)
print(loss.numpy(), *grads, layer.mean, layer.variance)
print(layer(images, training=False)[0, 0], len(layer.trainable_variables))
grouped = tf.reshape(tf.tile(images, [1, 1, 1, 2]), [2, 4, 4, 2, 3])
mean, variance = tf.nn.moments(grouped, [1, 2, 4], keepdims=True)
print(mean.shape, tf.squeeze(variance), tf.math.reduce_variance(images, axis=[1, 2]))
kernel = tf.Variable(rng.randn(3, 4))
with tf.GradientTape() as tape:
    standard = (kernel - tf.reduce_mean(kernel, 0)) / (tf.math.reduce_std(kernel, 0) + 1e-5)
    total = tf.reduce_sum(standard * x[:3, :4])
print(tape.gradient(total, kernel), tf.math.l2_normalize(kernel, axis=1))
weights = tf.constant(rng.rand(4, 1))
mean = tf.reduce_sum(weights * x, 0) / tf.reduce_sum(weights)
print(mean, tf.reduce_sum(weights * (x - mean) ** 2, 0) / tf.reduce_sum(weights))
