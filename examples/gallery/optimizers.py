"""Four optimizers on Rosenbrock's valley, animated: gradient descent, momentum, Adam and Newton.

python examples/gallery/optimizers.py [picture, a GIF]
"""

import sys
from collections.abc import Callable

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter

import tapegrad as tf

STEPS = 160
Step = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]


def rosenbrock(x: tf.Tensor) -> tf.Tensor:
    """A bent valley, whose lowest place is (1, 1)."""
    return (1.0 - x[0]) ** 2 + 20.0 * (x[1] - x[0] ** 2) ** 2


def descent() -> Step:
    return lambda x, slope: x - 0.004 * slope


def momentum() -> Step:
    speed = tf.Variable([0.0, 0.0])
    return lambda x, slope: x - 0.003 * speed.assign(0.9 * speed + slope)


def adam() -> Step:
    mean, square, count = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0]), tf.Variable(0.0)

    def step(x: tf.Tensor, slope: tf.Tensor) -> tf.Tensor:
        count.assign_add(1.0)
        mean.assign(0.9 * mean + 0.1 * slope)
        square.assign(0.99 * square + 0.01 * slope**2)
        scale = tf.sqrt(1.0 - 0.99**count) / (1.0 - 0.9**count)
        return x - 0.05 * scale * mean / (tf.sqrt(square) + 1e-8)

    return step


def newton() -> Step:
    hessian = tf.autodiff.hessian(rosenbrock)
    return lambda x, slope: x - 0.1 * tf.linalg.solve(hessian(x), slope[:, None])[:, 0]


def walk(step: Step) -> np.ndarray:
    """The places of an optimizer, one a step."""
    slope = tf.autodiff.grad(rosenbrock)
    places = [tf.constant([-1.2, 1.2])]
    for _ in range(STEPS):
        places.append(step(places[-1], slope(places[-1])))
    return np.array([place.numpy() for place in places])


def main(path: str) -> None:
    walks = {f.__name__: walk(f()) for f in (descent, momentum, adam, newton)}

    x, y = np.meshgrid(np.linspace(-1.6, 1.5, 120), np.linspace(-0.6, 1.8, 90))
    heights = tf.autodiff.vmap(rosenbrock)(tf.constant(np.stack([x.ravel(), y.ravel()], axis=1)))
    figure, axis = plt.subplots(figsize=(5, 3.9), layout="constrained")
    axis.contour(x, y, np.log1p(heights.numpy().reshape(x.shape)), 14, cmap="Greys", linewidths=0.7)
    axis.plot(1, 1, "k*", ms=10)
    lines = [axis.plot([], [], "-o", markevery=[-1], lw=1.5, label=name)[0] for name in walks]
    axis.legend(loc="lower left")

    def draw(frame: int) -> list:
        for line, places in zip(lines, walks.values(), strict=True):
            line.set_data(*places[: 4 * frame + 1].T)
        return lines

    FuncAnimation(figure, draw, frames=STEPS // 4 + 1).save(path, PillowWriter(fps=8), dpi=60)
    ends = ", ".join(
        f"{name} {np.linalg.norm(places[-1] - 1):.3f}" for name, places in walks.items()
    )
    print(f"distances from the lowest place: {ends}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "optimizers.gif")
