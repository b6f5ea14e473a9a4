"""Gradient ascent on an image, Gram matrices, total variation: what dreams and style transfer do."""
# tolerance: relative 2e-4 absolute 2e-5 (float32 convolutions, many steps)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(28)
kernels = [
    tf.constant(np.float32(rng.randn(3, 3, 3, 4) * 0.3)),
    tf.constant(np.float32(rng.randn(3, 3, 4, 5) * 0.3)),
]
style, content = (tf.constant(np.float32(rng.rand(1, 8, 8, 3))) for _ in range(2))


def features(image):
    """Outputs of each layer."""
    outputs = []
    for kernel in kernels:
        image = tf.nn.relu(tf.nn.conv2d(image, kernel, strides=1, padding="SAME"))
        outputs.append(image)
    return outputs


def gram_matrix(x):
    """Correlations of channels."""
    result = tf.linalg.einsum("bijc,bijd->bcd", x, x)
    shape = tf.shape(x)
    return result / tf.cast(shape[1] * shape[2], tf.float32)


def clip_0_1(image):
    """Keeps a picture a picture."""
    return tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0)


def total_variation(image):
    """How much neighbours differ."""
    x_var = image[:, :, 1:, :] - image[:, :, :-1, :]
    y_var = image[:, 1:, :, :] - image[:, :-1, :, :]
    return tf.reduce_sum(tf.abs(x_var)) + tf.reduce_sum(tf.abs(y_var))


style_targets = [gram_matrix(f) for f in features(style)]
content_target = features(content)[-1]
image = tf.Variable(content)
velocity = tf.Variable(tf.zeros_like(image))
for step in range(12):
    with tf.GradientTape() as tape:
        outputs = features(image)
        style_loss = tf.add_n(
            [tf.reduce_mean((gram_matrix(f) - t) ** 2) for f, t in zip(outputs, style_targets)]
        )
        content_loss = tf.reduce_mean((outputs[-1] - content_target) ** 2)
        loss = 10.0 * style_loss + content_loss + 1e-3 * total_variation(image)
    grad = tape.gradient(loss, image)
    velocity.assign(0.8 * velocity - 0.3 * grad)
    image.assign(clip_0_1(image + velocity))
    if step % 4 == 0:
        print(step, style_loss.numpy(), content_loss.numpy(), loss.numpy())
print(style_targets[0], image[0, 0, :2])

# A dream: normalised ascent on a layer's activation, with rolled tiles.
img = tf.convert_to_tensor(content[0])
for step in range(6):
    shift = tf.random.stateless_uniform([2], seed=[step, 1], minval=-4, maxval=4, dtype=tf.int32)
    rolled = tf.roll(img, shift=shift, axis=[0, 1])
    gradients = tf.zeros_like(rolled)
    for x in tf.range(0, 8, 4):
        for y in tf.range(0, 8, 4):
            with tf.GradientTape() as tape:
                tape.watch(rolled)
                tile = rolled[x : x + 4, y : y + 4]
                activation = tf.math.reduce_mean(features(tile[tf.newaxis])[1])
            gradients = gradients + tape.gradient(activation, rolled)
    gradients = tf.roll(gradients, -shift, [0, 1])
    gradients /= tf.math.reduce_std(gradients) + 1e-8
    img = tf.clip_by_value(img + gradients * 0.02, 0, 1)
    print(step, shift.numpy(), activation.numpy(), tf.reduce_mean(img).numpy())
pixels = tf.cast(255 * (img + 0.0), tf.uint8)
print(pixels[:2, :2, 0], tf.reduce_mean(tf.cast(pixels, tf.float32)).numpy() > 0)
