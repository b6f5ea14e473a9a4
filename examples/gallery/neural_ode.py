"""A Neural ODE: a network is the speed of a point, and learns to follow a spiral, by the adjoint equation.

    python examples/gallery/neural_ode.py [picture]

A tape over the solver would keep every step. The adjoint runs the path backwards instead, with the gradient
beside it, and keeps the places alone: `tf.custom_gradient` puts it in the place of the tape.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf

STEPS, DT = 80, 0.1
WINDOW = 10  # steps of a path in training: from every place of the spiral


class Speed(tf.Module):
    """The speed of a point, as a network of its cubed coordinates."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = tf.Variable(tf.random.stateless_normal([2, 32], seed=[0, 1], stddev=0.5))
        self.bias = tf.Variable(tf.zeros([32]))
        self.outer = tf.Variable(tf.random.stateless_normal([32, 2], seed=[0, 2], stddev=0.1))

    def __call__(self, y: tf.Tensor) -> tf.Tensor:
        return tf.tanh(y**3 @ self.inner + self.bias) @ self.outer


def runge_kutta(speed, state, dt):
    """One step of order four. A state is a list of tensors."""

    def moved(slopes, part):
        return [s + part * dt * k for s, k in zip(state, slopes, strict=True)]

    a = speed(state)
    b = speed(moved(a, 0.5))
    c = speed(moved(b, 0.5))
    d = speed(moved(c, 1.0))
    mean = [(k + 2.0 * (m + n) + p) / 6.0 for k, m, n, p in zip(a, b, c, d, strict=True)]
    return moved(mean, 1.0)


def path_with_adjoint(speed: Speed, start: tf.Tensor, steps: int) -> tf.Tensor:
    """The path from `start`: (steps + 1, points, 2)."""
    weights = speed.trainable_variables

    def backwards(state):
        """Speeds of the point, of its gradient, and of the gradients of the weights, back in time."""
        y, gradient = state[0], state[1]
        with tf.GradientTape() as tape:
            tape.watch(y)
            rate = speed(y)
        parts = tape.gradient(rate, [y, *weights], output_gradients=gradient)
        return [rate, *(-part for part in parts)]

    @tf.custom_gradient
    def path(start):
        places = [start]
        for _ in range(steps):
            places.append(runge_kutta(lambda state: [speed(state[0])], places[-1:], DT)[0])

        def adjoint(dy, variables):
            state = [places[-1], dy[-1], *(tf.zeros_like(weight) for weight in weights)]
            for step in reversed(range(steps)):
                state = runge_kutta(backwards, state, -DT)
                state[0], state[1] = places[step], state[1] + dy[step]
            by_name = {
                weight.ref(): gradient for weight, gradient in zip(weights, state[2:], strict=True)
            }
            return state[1], [by_name[variable.ref()] for variable in variables]

        return tf.stack(places), adjoint

    return path(start)


def main(path: str) -> None:
    matrix = tf.constant([[-0.1, 2.0], [-2.0, -0.1]])
    start, truth = tf.constant([[2.0, 0.0]]), []
    state = [start]
    for _ in range(STEPS + 1):
        truth.append(state[0])
        state = runge_kutta(lambda now: [now[0] ** 3 @ matrix], state, DT)
    truth = tf.concat(truth, axis=0)
    starts = truth[:-WINDOW]
    windows = tf.stack([truth[step : step + len(starts)] for step in range(WINDOW + 1)])

    speed = Speed()
    means = [tf.Variable(tf.zeros_like(weight)) for weight in speed.trainable_variables]
    squares = [tf.Variable(tf.zeros_like(weight)) for weight in speed.trainable_variables]

    @tf.function
    def train(step: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(path_with_adjoint(speed, starts, WINDOW) - windows))
        scale = 0.01 * tf.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step)
        gradients = tape.gradient(loss, speed.trainable_variables)
        for weight, gradient, mean, square in zip(
            speed.trainable_variables, gradients, means, squares, strict=True
        ):
            mean.assign(0.9 * mean + 0.1 * gradient)
            square.assign(0.999 * square + 0.001 * gradient**2)
            weight.assign_sub(scale * mean / (tf.sqrt(square) + 1e-8))
        return loss

    losses = [float(train(tf.constant(float(step)))) for step in range(1, 801)]
    learned = path_with_adjoint(speed, start, STEPS)[:, 0]

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    left.plot(*truth.numpy().T, "k.", label="truth")
    left.plot(*learned.numpy().T, lw=2, label="learned")
    left.set_aspect("equal")
    left.legend(loc="upper right")
    right.semilogy(losses)
    right.set(xlabel="step", title="mean distance of a path")
    figure.savefig(path, dpi=80)
    print(f"distance {losses[0]:.3f} at first, {np.mean(losses[-20:]):.3f} at last")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "neural_ode.png")
