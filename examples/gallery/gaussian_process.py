"""A Gaussian process: length, height and noise by the gradient of its log likelihood.

python examples/gallery/gaussian_process.py [picture]
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf


class Process(tf.Module):
    """A squared exponential kernel, and noise. The logarithms are fitted, since the numbers are positive."""

    def __init__(self) -> None:
        super().__init__()
        self.log_length = tf.Variable(1.0, dtype=tf.float64)
        self.log_height = tf.Variable(0.0, dtype=tf.float64)
        self.log_noise = tf.Variable(0.0, dtype=tf.float64)

    def kernel(self, a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        distances = (a[:, None] - b[None, :]) / tf.exp(self.log_length)
        return tf.exp(2.0 * self.log_height - 0.5 * distances**2)

    def factor(self, x: tf.Tensor) -> tf.Tensor:
        return tf.linalg.cholesky(
            self.kernel(x, x) + tf.exp(2.0 * self.log_noise) * tf.eye(x.shape[0], dtype=x.dtype)
        )

    def loss(self, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        """The negative log likelihood of the data, but for a constant."""
        factor = self.factor(x)
        whitened = tf.linalg.triangular_solve(factor, y[:, None])
        return 0.5 * tf.reduce_sum(whitened**2) + tf.reduce_sum(
            tf.math.log(tf.linalg.diag_part(factor))
        )

    def predict(self, x: tf.Tensor, y: tf.Tensor, places: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and standard deviation at other places."""
        factor, across = self.factor(x), self.kernel(x, places)
        whitened = tf.linalg.triangular_solve(factor, across)
        mean = tf.linalg.matvec(
            whitened, tf.linalg.triangular_solve(factor, y[:, None])[:, 0], transpose_a=True
        )
        variance = tf.exp(2.0 * self.log_height) - tf.reduce_sum(whitened**2, axis=0)
        return mean, tf.sqrt(variance)


def main(path: str) -> None:
    random = np.random.default_rng(1)
    x = np.sort(np.concatenate([random.uniform(0, 4, 25), random.uniform(6, 10, 25)]))
    y = np.sin(1.5 * x) + 0.2 * x + random.normal(scale=0.15, size=50)
    x, y, places = (tf.constant(array) for array in (x, y - y.mean(), np.linspace(-1, 11, 300)))

    process = Process()
    with_start = process.predict(x, y, places)
    result = tf.autodiff.minimize(lambda: process.loss(x, y), wrt=process)  # L-BFGS by SciPy
    fitted = process.predict(x, y, places)

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    for axis, (mean, deviation), title in zip(
        axes, [with_start, fitted], ["at first", "fitted"], strict=True
    ):
        axis.fill_between(places, mean - 2 * deviation, mean + 2 * deviation, alpha=0.25)
        axis.plot(places, mean)
        axis.plot(x, y, "k.", ms=4)
        axis.set_title(title)
    figure.savefig(path, dpi=80)
    print(f"loss {float(result.fun):.3f}, noise {float(tf.exp(process.log_noise)):.3f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "gaussian_process.png")
