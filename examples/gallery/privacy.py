"""Training with a privacy budget: each example's gradient is clipped, and noise is added to their sum.

    python examples/gallery/privacy.py [picture]

The budget epsilon is that of the Gaussian mechanism over all steps, by zero-concentrated differential privacy
for full batches: rho = steps / (2 noise²), epsilon = rho + 2 sqrt(rho log(1 / delta)).
"""

import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf

STEPS, DELTA, CLIP = 60, 1e-5, 1.0


def moons(count: int, seed: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Two half moons, and which one a point is on."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0, np.pi, count)
    side = random.integers(0, 2, count)
    points = np.stack(
        [np.cos(angle) + side - 0.5, np.sin(angle) * (1 - 2 * side) + 0.25 * (2 * side - 1)], axis=1
    )
    points += random.normal(scale=0.15, size=points.shape)
    return tf.constant(points, tf.float32), tf.constant(side, tf.float32)


def noise_for(epsilon: float) -> float:
    """The noise of one step, as a multiple of CLIP, with which STEPS steps keep to the budget."""
    root = math.sqrt(math.log(1 / DELTA) + epsilon) - math.sqrt(math.log(1 / DELTA))
    return math.sqrt(STEPS / 2) / root


class Network(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = tf.Variable(tf.random.stateless_normal([2, 16], seed=[2, 1]))
        self.bias = tf.Variable(tf.zeros([16]))
        self.outer = tf.Variable(tf.random.stateless_normal([16], seed=[2, 2], stddev=0.3))

    def __call__(self, points: tf.Tensor) -> tf.Tensor:
        return tf.linalg.matvec(tf.tanh(points @ self.inner + self.bias), self.outer)


def train(epsilon: float, points: tf.Tensor, labels: tf.Tensor) -> Network:
    network, count = Network(), points.shape[0]
    noise = 0.0 if math.isinf(epsilon) else noise_for(epsilon)
    generator = tf.random.Generator.from_seed(3)

    def loss(point: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        """The loss of one example."""
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=network(point[None])[0])

    gradients_of = tf.autodiff.per_example_gradients(loss, wrt=network)
    for _ in range(STEPS):
        gradients = gradients_of(points, labels)
        squares = [tf.reduce_sum(tf.reshape(part, [count, -1]) ** 2, axis=1) for part in gradients]
        factors = tf.minimum(1.0, CLIP / tf.sqrt(tf.add_n(squares) + 1e-12))
        for variable, part in zip(network.trainable_variables, gradients, strict=True):
            total = tf.tensordot(factors, part, 1)
            total += noise * CLIP * generator.normal(total.shape)
            variable.assign_sub(4.0 * total / count)
    return network


def main(path: str) -> None:
    points, labels = moons(2000, seed=0)
    others, answers = moons(1000, seed=1)
    epsilons = [math.inf, 1.0, 0.3, 0.1]
    x, y = np.meshgrid(np.linspace(-2, 2, 80), np.linspace(-1.6, 1.6, 60))
    grid = tf.constant(np.stack([x.ravel(), y.ravel()], axis=1), tf.float32)

    figure, axes = plt.subplots(1, 4, figsize=(9, 2.3), layout="constrained")
    parts = []
    for axis, epsilon in zip(axes, epsilons, strict=True):
        network = train(epsilon, points, labels)
        right = float(
            tf.reduce_mean(tf.cast((network(others) > 0.0) == (answers > 0.5), tf.float32))
        )
        axis.contourf(
            x, y, tf.sigmoid(network(grid)).numpy().reshape(x.shape), 10, cmap="RdBu_r", alpha=0.8
        )
        axis.scatter(
            *others[:150].numpy().T,
            c=answers[:150].numpy(),
            cmap="RdBu_r",
            s=9,
            edgecolors="k",
            linewidths=0.4,
        )
        axis.set_title(f"epsilon {epsilon:g}: {right:.0%}", fontsize=10)
        axis.set_axis_off()
        parts.append(f"{right:.3f}")
    figure.savefig(path, dpi=80)
    print(f"right: {', '.join(parts)}, for epsilon {', '.join(map(str, epsilons))}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "privacy.png")
