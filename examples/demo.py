"""Trains a small network to tell two spirals apart, with a plain GradientTape loop, and draws the result.

Run by `make demo`. Data, model, optimizer and loop are all here, written in ops: nothing is hidden in a
framework. Writes demo.png: the spirals with what the network makes of the plane, and the loss by step.
"""

import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

import tapegrad as tf

STEPS = 4000
POINTS_PER_ARM = 400
BATCH = 100
WIDTHS = (2, 48, 48, 1)
LEARNING_RATE = 0.005
TURNS = 2.0  # of each arm
SMOOTH = 50
PICTURE = Path("demo.png")


def two_spirals(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy points on two interleaved arms, and which arm each is on (0 or 1, a column)."""
    random = np.random.default_rng(0)
    radius = np.sqrt(random.uniform(0.02, 1.0, points))
    angle = 2 * np.pi * TURNS * radius
    arm = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    both = np.concatenate([arm, -arm]) + random.normal(scale=0.02, size=(2 * points, 2))
    labels = np.repeat([[0.0], [1.0]], points, axis=0)
    return both.astype(np.float32), labels.astype(np.float32)


class Network(tf.Module):
    """Dense layers with tanh between them."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        self.weights = []
        self.biases = []
        for inputs, outputs in pairwise(widths):
            start = tf.random.normal((inputs, outputs), stddev=2.0 * inputs**-0.5)
            self.weights.append(tf.Variable(start))
            self.biases.append(tf.Variable(tf.random.normal((outputs,))))

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = tf.tanh(x @ weight + bias)
        return x @ self.weights[-1] + self.biases[-1]


class Adam:
    """Kingma and Ba's optimizer, in ops and assignments."""

    def __init__(self, variables: tuple[tf.Variable, ...], rate: float) -> None:
        self.variables = variables
        self.rate = rate
        self.means = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
        self.squares = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
        self.step = 0

    def apply(self, gradients: list[tf.Tensor]) -> None:
        self.step += 1
        # Both averages start at zero; this undoes the bias of their first steps.
        rate = self.rate * (1 - 0.999**self.step) ** 0.5 / (1 - 0.9**self.step)
        slots = zip(self.variables, self.means, self.squares, gradients, strict=True)
        for variable, mean, square, gradient in slots:
            mean.assign_add(0.1 * (gradient - mean))
            square.assign_add(0.001 * (gradient * gradient - square))
            variable.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))


def progress(steps: int, losses: list[float]) -> Iterator[int]:
    """Counts the steps, and redraws one line with a bar, the latest loss and the speed."""
    started = time.perf_counter()
    width = 30
    for step in range(steps):
        yield step
        if (step + 1) % (steps // 100) == 0:
            filled = (step + 1) * width // steps
            speed = (step + 1) / (time.perf_counter() - started)
            line = f"[{'#' * filled}{'.' * (width - filled)}] {step + 1}/{steps}"
            print(f"\r{line}  loss {losses[-1]:.4f}  {speed:,.0f} steps/s ", end="", flush=True)
    print()


def train(
    network: Network, x: tf.Tensor, labels: tf.Tensor
) -> tuple[list[float], dict[str, float]]:
    """The losses by step, and the seconds that each part of the loop took in all."""
    variables = network.trainable_variables
    optimizer = Adam(variables, LEARNING_RATE)
    losses: list[float] = []
    seconds = {"forward, recorded": 0.0, "gradient": 0.0, "update (Adam)": 0.0}

    for _ in progress(STEPS, losses):
        drawn = tf.random.uniform((BATCH,), maxval=len(x), dtype=tf.int32)
        points, wanted = tf.gather(x, drawn), tf.gather(labels, drawn)
        begin = time.perf_counter()
        with tf.GradientTape() as tape:
            logits = network(points)
            loss = tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits)
            )
        recorded = time.perf_counter()
        gradients = tape.gradient(loss, variables)
        differentiated = time.perf_counter()
        optimizer.apply(gradients)
        updated = time.perf_counter()

        losses.append(float(loss))
        seconds["forward, recorded"] += recorded - begin
        seconds["gradient"] += differentiated - recorded
        seconds["update (Adam)"] += updated - differentiated
    return losses, seconds


def draw(network: Network, points: np.ndarray, labels: np.ndarray, losses: list[float]) -> None:
    import matplotlib

    matplotlib.use("Agg")  # no screen needed
    import matplotlib.pyplot as plt

    figure, (plane, curve) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")

    edge = np.linspace(-1.15, 1.15, 240, dtype=np.float32)
    grid = np.stack(np.meshgrid(edge, edge), axis=-1)
    belief = tf.sigmoid(network(tf.constant(grid.reshape(-1, 2)))).numpy().reshape(grid.shape[:2])
    plane.imshow(
        belief, extent=(-1.15, 1.15, -1.15, 1.15), origin="lower", cmap="RdBu", vmin=0, vmax=1
    )
    for arm, colour in ((0, "#b2182b"), (1, "#2166ac")):
        of_arm = points[labels[:, 0] == arm]
        plane.scatter(*of_arm.T, s=9, color=colour, edgecolors="white", linewidths=0.4)
    plane.set_title("two spirals, and the network's belief")
    plane.set_xticks([])
    plane.set_yticks([])

    smooth = np.convolve(losses, np.ones(SMOOTH) / SMOOTH, mode="valid")
    curve.semilogy(losses, color="#cccccc", linewidth=0.5)
    curve.semilogy(np.arange(len(smooth)) + SMOOTH // 2, smooth, color="#333333", linewidth=1.2)
    curve.set_title(f"loss, by batch and averaged over {SMOOTH}")
    curve.set_xlabel("step")
    curve.grid(alpha=0.3)

    figure.savefig(PICTURE, dpi=110)


def main() -> None:
    started = time.perf_counter()
    tf.random.set_seed(0)
    points, labels = two_spirals(POINTS_PER_ARM)
    network = Network(WIDTHS)
    x, y = tf.constant(points), tf.constant(labels)
    count = sum(int(np.prod(variable.shape)) for variable in network.trainable_variables)
    print(f"{len(points)} points, {count} parameters, {STEPS} steps")

    losses, seconds = train(network, x, y)
    right = float(tf.reduce_mean(tf.cast((network(x) > 0) == (y > 0.5), tf.float32)))
    first, last = np.mean(losses[:SMOOTH]), np.mean(losses[-SMOOTH:])
    print(f"loss {first:.4f} -> {last:.4f}, {100 * right:.1f} % of the points right\n")

    draw(network, points, labels, losses)

    total = time.perf_counter() - started
    seconds["batches, picture, rest"] = total - sum(seconds.values())
    for part, spent in seconds.items():
        each = f"  {spent / STEPS * 1e6:6.0f} µs a step" if part != "batches, picture, rest" else ""
        print(f"{part:22} {spent:6.2f} s  {100 * spent / total:3.0f} %{each}")
    print(f"{'whole run':22} {total:6.2f} s\n\nsee {PICTURE.resolve()}")
    if right < 0.95:
        sys.exit("The network did not learn the spirals: something is wrong.")


if __name__ == "__main__":
    main()
