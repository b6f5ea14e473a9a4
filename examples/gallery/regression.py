"""Linear and logistic regression from scratch: a line through points, and a border between two clouds.

    python examples/gallery/regression.py [picture]

The line is found by gradient descent written out, the border by Newton's method with the Hessian of a tape.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf


def fit_line(x: tf.Tensor, y: tf.Tensor) -> tuple[float, float]:
    """Slope and offset with the least mean square, by gradient descent."""
    slope, offset = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(200):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((slope * x + offset - y) ** 2)
        for variable, gradient in zip(
            [slope, offset], tape.gradient(loss, [slope, offset]), strict=True
        ):
            variable.assign_sub(0.1 * gradient)
    return float(slope), float(offset)


def fit_border(points: tf.Tensor, labels: tf.Tensor) -> tf.Variable:
    """Weights of the two coordinates and an offset, by Newton's method: some six steps."""
    rows = tf.concat([points, tf.ones([points.shape[0], 1])], axis=1)
    weights = tf.Variable([0.0, 0.0, 0.0])
    for _ in range(8):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                logits = tf.linalg.matvec(rows, weights)
                losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
                loss = tf.reduce_mean(losses) + 1e-3 * tf.reduce_sum(weights**2)
            slope = inner.gradient(loss, weights)
        hessian = outer.jacobian(slope, weights)
        weights.assign_sub(tf.linalg.solve(hessian, slope[:, None])[:, 0])
    return weights


def main(path: str) -> None:
    random = np.random.default_rng(0)
    x = random.uniform(-1.0, 1.0, 60).astype("float32")
    y = (1.5 * x - 0.5 + random.normal(scale=0.25, size=60)).astype("float32")
    slope, offset = fit_line(tf.constant(x), tf.constant(y))

    clouds = [random.normal([-0.7, -0.4], 0.5, (80, 2)), random.normal([0.6, 0.5], 0.5, (80, 2))]
    points, labels = (
        np.concatenate(clouds).astype("float32"),
        np.repeat([0.0, 1.0], 80).astype("float32"),
    )
    weights = fit_border(tf.constant(points), tf.constant(labels)).numpy()
    right = np.mean((points @ weights[:2] + weights[2] > 0) == (labels > 0.5))

    figure, (left, border) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    left.plot(x, y, "o", ms=4, alpha=0.6)
    left.plot([-1, 1], [offset - slope, offset + slope], lw=2)
    left.set_title(f"y = {slope:.2f} x {offset:+.2f}")
    for cloud in clouds:
        border.plot(*cloud.T, "o", ms=4, alpha=0.6)
    ends = np.array([-2.0, 2.0])
    border.plot(ends, -(weights[0] * ends + weights[2]) / weights[1], "k", lw=2)
    border.set(xlim=(-2, 2), ylim=(-2, 2), title=f"{right:.0%} on the right side")
    figure.savefig(path, dpi=80)
    print(f"slope {slope:.3f}, offset {offset:.3f}, right {right:.3f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "regression.png")
