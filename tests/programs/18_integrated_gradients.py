"""Saliency, gradient times input, SmoothGrad and integrated gradients of a small image model."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(8)
image = tf.constant(rng.rand(6, 6, 1), tf.float32)
kernel = tf.constant(rng.randn(3, 3, 1, 4) * 0.5, tf.float32)
dense = tf.constant(rng.randn(4, 3), tf.float32)


def model(batch):
    """Convolution, relu, global mean, classes."""
    features = tf.nn.relu(tf.nn.conv2d(batch, kernel, strides=1, padding="SAME"))
    return tf.reduce_mean(features, axis=[1, 2]) @ dense


print(tf.nn.softmax(model(image[tf.newaxis])))
baseline = tf.zeros(shape=(6, 6, 1))
m_steps = 20
alphas = tf.linspace(start=0.0, stop=1.0, num=m_steps + 1)


def interpolate_images(baseline, image, alphas):
    """Images on the straight line between the two."""
    alphas_x = alphas[:, tf.newaxis, tf.newaxis, tf.newaxis]
    baseline_x = tf.expand_dims(baseline, axis=0)
    delta = tf.expand_dims(image, axis=0) - baseline_x
    return baseline_x + alphas_x * delta


def compute_gradients(images, target_class_idx):
    """Of the class probability."""
    with tf.GradientTape() as tape:
        tape.watch(images)
        probs = tf.nn.softmax(model(images), axis=-1)[:, target_class_idx]
    return tape.gradient(probs, images)


def integral_approximation(gradients):
    """The trapezoidal rule."""
    grads = (gradients[:-1] + gradients[1:]) / tf.constant(2.0)
    return tf.math.reduce_mean(grads, axis=0)


interpolated = interpolate_images(baseline, image, alphas)
path_gradients = compute_gradients(interpolated, target_class_idx=1)
print(interpolated.shape, path_gradients.shape)
ig = integral_approximation(path_gradients)
attributions = (image - baseline) * ig
print(tf.squeeze(attributions))
ends = tf.nn.softmax(model(tf.stack([baseline, image])))[:, 1]
print("completeness", (ends[1] - ends[0]).numpy(), tf.reduce_sum(attributions).numpy())

saliency = tf.reduce_max(tf.abs(compute_gradients(image[None], 0)), axis=-1)[0]
low, high = tf.reduce_min(saliency), tf.reduce_max(saliency)
normalised = tf.cast((saliency - low) / (high - low) * 255, tf.uint8)
print(saliency[0], tf.unravel_index(tf.argmax(tf.reshape(saliency, [-1])), [6, 6]))
print(tf.reduce_mean(tf.cast(normalised, tf.int32)), normalised.dtype)
noise = tf.random.stateless_normal([8, 6, 6, 1], seed=[1, 2], stddev=0.1)
smooth = tf.reduce_mean(compute_gradients(image + noise, 2), axis=0)
print(tf.squeeze(smooth)[2:4])

# The fast gradient sign.
with tf.GradientTape() as tape:
    tape.watch(image)
    logits = model(image[None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(logits, 1), logits)
signed = tf.sign(tape.gradient(loss, image))
adversarial = tf.clip_by_value(image + 0.05 * signed, 0.0, 1.0)
print(int(tf.reduce_sum(signed)), tf.nn.softmax(model(adversarial[None])).numpy())
