"""Style without a style: an input is optimised until its statistics are those of another picture.

    python examples/gallery/texture.py [picture]

As in style transfer, the products of a convolution's channels are compared (Gram matrices). Random filters of
three sizes stand in for a trained network: they are enough for textures. L-BFGS moves the pixels.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf

SIZE = 48


def patterns() -> dict[str, np.ndarray]:
    """Pictures of (SIZE, SIZE, 3) to take the texture of."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    waves = 0.5 + 0.5 * np.sin(40 * x + 6 * np.sin(9 * y))
    bricks = ((y * 8) % 1 > 0.15) & (((x * 4 + 0.5 * (np.floor(y * 8) % 2)) % 1) > 0.1)
    dots = np.hypot((x * 7) % 1 - 0.5, (y * 7) % 1 - 0.5) < 0.3
    return {
        "waves": np.stack([waves, 0.4 * waves + 0.2, 1 - waves], axis=-1),
        "bricks": np.where(bricks[..., None], [0.75, 0.3, 0.2], [0.85, 0.85, 0.8]),
        "dots": np.where(dots[..., None], [0.1, 0.3, 0.6], [0.95, 0.9, 0.6]),
    }


FILTERS = [
    tf.random.stateless_normal(
        [size, size, 3, 32], seed=[size, 0], stddev=1.0 / size, dtype=tf.float64
    )
    for size in (3, 5, 9)
]


def statistics(picture: tf.Tensor) -> list[tf.Tensor]:
    """The Gram matrix of the channels of each size of filters."""
    grams = []
    for filters in FILTERS:
        channels = tf.nn.relu(
            tf.nn.conv2d(picture[None] - 0.5, filters, strides=1, padding="VALID")
        )
        rows = tf.reshape(channels, [-1, channels.shape[-1]])
        grams.append(tf.matmul(rows, rows, transpose_a=True) / rows.shape[0])
    return grams


def textured(example: np.ndarray, steps: int = 60) -> tuple[tf.Tensor, float]:
    """Noise that has become a texture like that of the example, and the loss that is left."""
    wanted = statistics(tf.constant(example))
    picture = tf.Variable(tf.random.stateless_uniform(example.shape, seed=[0, 1], dtype=tf.float64))

    @tf.function
    def loss() -> tf.Tensor:
        pairs = zip(statistics(picture), wanted, strict=True)
        outside = tf.reduce_mean(tf.nn.relu(picture - 1.0) ** 2 + tf.nn.relu(-picture) ** 2)
        return (
            1000.0 * tf.add_n([tf.reduce_mean((gram - other) ** 2) for gram, other in pairs])
            + outside
        )

    before = float(loss())
    result = tf.autodiff.minimize(loss, wrt=picture, options={"maxiter": steps})
    return tf.clip_by_value(picture, 0.0, 1.0), float(result.fun) / before


def main(path: str) -> None:
    examples = patterns()
    figure, axes = plt.subplots(2, 3, figsize=(5, 3.5), layout="constrained")
    words = []
    for column, (name, example) in enumerate(examples.items()):
        picture, left = textured(example)
        axes[0, column].imshow(example)
        axes[1, column].imshow(picture)
        words.append(f"{name} {left:.5f}")
    for axis in axes.flat:
        axis.set_axis_off()
    figure.savefig(path, dpi=60)
    print(f"loss that is left: {', '.join(words)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "texture.png")
