"""Draws a Jacobian as an image: ``python examples/jacobian.py [file]``."""

from __future__ import annotations

import sys

import tapegrad as tf

SIZE = 96


def running_sum_of_smoothed(x: tf.Tensor) -> tf.Tensor:
    """The running sum of ``x`` smoothed by a window of 15, through tanh."""
    window = tf.reshape(tf.signal.hann_window(15), [15, 1, 1])
    smoothed = tf.nn.conv1d(tf.reshape(x, [1, SIZE, 1]), window, 1, "SAME")
    return tf.cumsum(tf.tanh(tf.reshape(smoothed, [SIZE]) * 0.3))


def main(path: str) -> None:
    """Write the picture."""
    x = tf.sin(tf.linspace(0.0, 12.0, SIZE))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = running_sum_of_smoothed(x)
    rows = tf.abs(tape.jacobian(y, x))
    shades = tf.cast(255.0 * rows / tf.reduce_max(rows), tf.uint8)
    picture = tf.repeat(tf.repeat(shades, 3, axis=0), 3, axis=1)
    tf.io.write_file(path, tf.io.encode_png(picture[..., None]))
    print(f"The Jacobian of {SIZE} results by {SIZE} inputs is in {path}.")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "jacobian.png")
