"""A variational autoencoder on digits that are drawn here: seven segments, moved, slanted and blurred.

    python examples/gallery/autoencoder.py [picture]

The gradient passes through a draw: z = mean + deviation * noise. The picture walks over the plane of z.
"""

import sys
from itertools import pairwise

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf

SIZE, CODES, BATCH = 16, 2, 100
# The segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom.
SEGMENTS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011".split()
ENDS = np.array(
    [
        [(0, 0), (1, 0)], [(0, 0), (0, 1)], [(1, 0), (1, 1)], [(0, 1), (1, 1)],
        [(0, 1), (0, 2)], [(1, 1), (1, 2)], [(0, 2), (1, 2)],
    ],
    float,
)  # fmt: skip


def digits(count: int) -> np.ndarray:
    """Pictures of digits as rows of SIZE * SIZE numbers from 0 to 1."""
    random = np.random.default_rng(0)
    place = np.stack(np.meshgrid(np.arange(SIZE), np.arange(SIZE)), axis=-1)
    pictures = np.zeros((count, SIZE, SIZE))
    for picture in pictures:
        slant, width = random.uniform(-0.25, 0.35), random.uniform(0.7, 1.3)
        shape = np.array([[5.5, 0.0], [-4.0 * slant, 5.0]])
        for lit, (start, end) in zip(SEGMENTS[random.integers(10)], ENDS, strict=True):
            if lit == "1":
                start, end = (
                    start @ shape + [5 + 2 * slant, 2.5],
                    end @ shape + [5 + 2 * slant, 2.5],
                )
                part = np.clip((place - start) @ (end - start) / np.sum((end - start) ** 2), 0, 1)
                distance = np.linalg.norm(place - start - part[..., None] * (end - start), axis=-1)
                np.maximum(picture, np.clip(width + 0.5 - distance, 0, 1), out=picture)
    return pictures.reshape(count, -1).astype("float32")


class Layers(tf.Module):
    """Dense layers with relu between them."""

    def __init__(self, sizes: tuple[int, ...], seed: int) -> None:
        super().__init__()
        self.weights = [
            tf.Variable(tf.random.stateless_normal([a, b], seed=[seed, a], stddev=(2 / a) ** 0.5))
            for a, b in pairwise(sizes)
        ]
        self.biases = [tf.Variable(tf.zeros([b])) for b in sizes[1:]]

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        for weights, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = tf.nn.relu(x @ weights + bias)
        return x @ self.weights[-1] + self.biases[-1]


def main(path: str) -> None:
    encoder = Layers((SIZE * SIZE, 128, 64, 2 * CODES), seed=1)
    decoder = Layers((CODES, 64, 128, SIZE * SIZE), seed=2)
    weights = [*encoder.trainable_variables, *decoder.trainable_variables]
    means = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    squares = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    generator = tf.random.Generator.from_seed(0)

    @tf.function
    def train(pictures: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            mean, log_variance = tf.split(encoder(pictures), 2, axis=1)
            z = mean + tf.exp(0.5 * log_variance) * generator.normal(mean.shape)
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=pictures, logits=decoder(z))
            divergence = 0.5 * (tf.exp(log_variance) + mean**2 - 1.0 - log_variance)
            loss = (tf.reduce_sum(losses) + tf.reduce_sum(divergence)) / BATCH
        scale = 0.002 * tf.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step)
        for weight, gradient, mean, square in zip(
            weights, tape.gradient(loss, weights), means, squares, strict=True
        ):
            mean.assign(0.9 * mean + 0.1 * gradient)
            square.assign(0.999 * square + 0.001 * gradient**2)
            weight.assign_sub(scale * mean / (tf.sqrt(square) + 1e-8))
        return loss

    data = (
        tf.data.Dataset.from_tensor_slices(digits(4000))
        .shuffle(4000, seed=0)
        .batch(BATCH)
        .repeat(25)
    )
    losses = [
        float(train(batch, tf.constant(float(step)))) for step, batch in enumerate(data, start=1)
    ]

    ways = tf.linspace(-2.0, 2.0, 16)
    z = tf.stack(tf.meshgrid(ways, ways), axis=-1)
    pictures = tf.reshape(tf.sigmoid(decoder(tf.reshape(z, [-1, CODES]))), [16, 16, SIZE, SIZE])
    whole = tf.reshape(tf.transpose(pictures, [0, 2, 1, 3]), [16 * SIZE, 16 * SIZE])
    figure, axis = plt.subplots(figsize=(4, 4), layout="constrained")
    axis.imshow(whole, cmap="gray_r")
    axis.set_axis_off()
    figure.savefig(path, dpi=80)
    print(f"loss {losses[0]:.1f} at first, {np.mean(losses[-40:]):.1f} at last")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "autoencoder.png")
