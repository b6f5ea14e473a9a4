"""Integrated gradients: which pixels of a picture made a small network say what it says.

    python examples/gallery/integrated_gradients.py [picture]

The pictures are drawn here: one bar, upright or level, among noise. The gradients along the way from a black
picture to the real one are averaged. Times the picture they sum to the difference of the network's answers.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf

SIZE = 16


def bars(count: int, seed: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Pictures with a bar of 7 pixels, and whether it is upright."""
    random = np.random.default_rng(seed)
    pictures = 0.3 * random.random((count, SIZE, SIZE))
    upright = random.integers(0, 2, count)
    for picture, stands in zip(pictures, upright, strict=True):
        row, column = random.integers(0, SIZE - 7, 2)
        (picture if stands else picture.T)[row : row + 7, column] = 1.0
    return tf.constant(pictures[..., None], tf.float32), tf.constant(upright[:, None], tf.float32)


class Network(tf.Module):
    """A convolution, the largest answer of each filter, and a sum."""

    def __init__(self) -> None:
        super().__init__()
        self.filters = tf.Variable(
            tf.random.stateless_normal([5, 5, 1, 8], seed=[1, 1], stddev=0.2)
        )
        self.weights = tf.Variable(tf.random.stateless_normal([8, 1], seed=[1, 2], stddev=0.3))
        self.bias = tf.Variable(0.0)

    def __call__(self, pictures: tf.Tensor) -> tf.Tensor:
        answers = tf.nn.relu(tf.nn.conv2d(pictures, self.filters, strides=1, padding="SAME"))
        return tf.reduce_max(answers, axis=[1, 2]) @ self.weights + self.bias


def attributions(network: Network, picture: tf.Tensor, steps: int = 64) -> tf.Tensor:
    """The part of each pixel in the answer: the mean gradient on the way from black, times the picture."""
    parts = (tf.range(steps, dtype=tf.float32) + 0.5) / steps
    way = parts[:, None, None, None] * picture
    with tf.GradientTape() as tape:
        tape.watch(way)
        answers = network(way)
    return tf.reduce_mean(tape.gradient(answers, way), axis=0) * picture


def main(path: str) -> None:
    network = Network()
    pictures, labels = bars(256, seed=0)

    @tf.function
    def train(rate: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            losses = tf.nn.sigmoid_cross_entropy_with_logits(
                labels=labels, logits=network(pictures)
            )
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, network.trainable_variables)
        for variable, gradient in zip(network.trainable_variables, gradients, strict=True):
            variable.assign_sub(rate * gradient)
        return loss

    for _ in range(300):
        train(tf.constant(0.5))
    others, answers = bars(300, seed=1)
    right = float(tf.reduce_mean(tf.cast((network(others) > 0.0) == (answers > 0.5), tf.float32)))

    shown = tf.stack([others[index] for index in (0, 1, 2, 3, 4)])
    maps = [attributions(network, picture) for picture in shown]
    black = network(tf.zeros([1, SIZE, SIZE, 1]))
    gap = max(
        abs(float(tf.reduce_sum(part) - (network(picture[None]) - black)[0, 0]))
        for part, picture in zip(maps, shown, strict=True)
    )

    figure, axes = plt.subplots(2, 5, figsize=(8, 3.4), layout="constrained")
    for column, (picture, part) in enumerate(zip(shown, maps, strict=True)):
        axes[0, column].imshow(picture[..., 0], cmap="gray")
        most = float(tf.reduce_max(tf.abs(part)))
        axes[1, column].imshow(part[..., 0], cmap="RdBu_r", vmin=-most, vmax=most)
        axes[0, column].set_title("upright" if answers[column, 0] > 0.5 else "level")
    for axis in axes.flat:
        axis.set_axis_off()
    figure.savefig(path, dpi=80)
    print(f"right {right:.3f}; the parts miss the answer by {gap:.4f} at most")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "integrated_gradients.png")
