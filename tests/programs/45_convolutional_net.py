"""A small convolutional net on made images: convolutions, pooling, dropout mask, training."""
# tolerance: relative 3e-4 absolute 3e-5 (float32 convolutions summed in other orders, trained)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(24)


def make(count):
    """Horizontal or vertical bars."""
    images = rng.randn(count, 8, 8, 1) * 0.2
    labels = rng.randint(0, 2, count)
    for image, label in zip(images, labels):
        place = rng.randint(8)
        if label:
            image[place] += 1.0
        else:
            image[:, place] += 1.0
    return tf.constant(images, tf.float32), tf.constant(labels)


class ConvNet(tf.Module):
    """Two convolutions and a dense layer."""

    def __init__(self):
        super().__init__()
        self.k1 = tf.Variable(np.float32(rng.randn(3, 3, 1, 4) * 0.4), name="k1")
        self.b1 = tf.Variable(tf.zeros(4), name="b1")
        self.k2 = tf.Variable(np.float32(rng.randn(3, 3, 4, 6) * 0.25), name="k2")
        self.dense = tf.Variable(np.float32(rng.randn(6 * 4, 2) * 0.2), name="dense")

    def __call__(self, x):
        x = tf.nn.conv2d(x, self.k1, strides=[1, 1, 1, 1], padding="SAME")
        x = tf.nn.relu(tf.nn.bias_add(x, self.b1))
        x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        x = tf.nn.elu(tf.nn.conv2d(x, self.k2, strides=2, padding="SAME"))
        return tf.reshape(x, [x.shape[0], -1]) @ self.dense


net = ConvNet()
x, y = make(24)
print(net(x[:2]))
for step in range(15):
    with tf.GradientTape() as tape:
        logits = net(x)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
    grads = tape.gradient(loss, net.trainable_variables)
    for g, v in zip(grads, net.trainable_variables):
        v.assign_sub(0.3 * g)
    if step % 5 == 0:
        accuracy = tf.reduce_mean(tf.cast(tf.argmax(logits, 1) == tf.cast(y, tf.int64), tf.float32))
        print(step, loss.numpy(), accuracy.numpy(), [tf.norm(g).numpy() for g in grads])

image = tf.constant(np.float32(rng.randn(1, 6, 6, 2)))
kernel = tf.Variable(np.float32(rng.randn(3, 3, 2, 2)))
layers = {
    "same": lambda: tf.nn.conv2d(image, kernel, 1, "SAME"),
    "valid": lambda: tf.nn.conv2d(image, kernel, 2, "VALID"),
    "dilated": lambda: tf.nn.conv2d(image, kernel, 1, "VALID", dilations=2),
    "explicit": lambda: tf.nn.conv2d(image, kernel, 1, [[0, 0], [1, 0], [0, 2], [0, 0]]),
    "transpose": lambda: tf.nn.conv2d_transpose(image, kernel, [1, 12, 12, 2], 2),
    "depthwise": lambda: tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "SAME"),
    "convolution": lambda: tf.nn.convolution(image, kernel, padding="SAME"),
    "conv1d": lambda: tf.nn.conv1d(image[:, 0], kernel[0], 1, "SAME"),
    "average": lambda: tf.nn.avg_pool2d(image, 3, 1, "SAME") * kernel[0, 0, 0],
    "max": lambda: tf.nn.max_pool2d(image, [2, 3], [2, 1], "SAME") * kernel[1, 1, 1],
}
for name, layer in layers.items():
    with tf.GradientTape() as tape:
        tape.watch(image)
        out = layer()
        loss = tf.reduce_sum(tf.tanh(out))
    g_image, g_kernel = tape.gradient(loss, [image, kernel])
    print(name, out.shape, loss.numpy(), tf.norm(g_image).numpy(), tf.norm(g_kernel).numpy())
