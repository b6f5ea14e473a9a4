"""Draws the pictures in docs/pictures: what `tf.autodiff` computes, shown.

    python examples/transforms.py               all of them, in about a minute
    python examples/transforms.py pinn          one: jacobian, pinn, taylor or recompute

Needs Matplotlib, as `make demo` does.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tapegrad as tf
from tapegrad.engines.numpy import buffers

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def figure(columns: int, height: float = 2.9):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(1, columns, figsize=(3.4 * columns, height), layout="constrained")


def save(drawing, name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    drawing.savefig(FOLDER / f"{name}.png", dpi=110)
    print(FOLDER / f"{name}.png")


def jacobian() -> None:
    """Which outputs depend on which inputs: two layers of attention over 16 places."""
    random = np.random.default_rng(0)
    places, width = 16, 4
    weights = [tf.constant(random.standard_normal((width, width)) / 2) for _ in range(6)]

    def attend(x, masked: bool):
        for query, key, value in (weights[:3], weights[3:]):
            scores = (x @ query) @ tf.transpose(x @ key)
            if masked:
                scores = tf.where(
                    tf.linalg.band_part(tf.ones_like(scores), -1, 0) > 0, scores, -1e9
                )
            x = x + tf.nn.softmax(scores) @ (x @ value)
        return x

    x = tf.constant(random.standard_normal((places, width)))
    drawing, axes = figure(2, 3.4)
    for axis, masked in zip(axes, (False, True), strict=True):
        blocks = tf.autodiff.jacrev(lambda x, masked=masked: attend(x, masked))(x)
        matrix = tf.reshape(blocks, [places * width, places * width]).numpy()
        size = np.abs(matrix).max()
        axis.imshow(np.arcsinh(20 * matrix / size), cmap="RdBu_r", vmin=-3.7, vmax=3.7)
        axis.set_title("causal attention" if masked else "attention", fontsize=10)
        axis.set_xlabel("by this number of the input", fontsize=8)
        axis.set_ylabel("this number of the output", fontsize=8)
        axis.tick_params(labelsize=7)
    save(drawing, "jacobian")


def pinn() -> None:
    """A network that solves the Poisson equation on a square, and the solution."""
    tf.random.set_seed(1)
    random = np.random.default_rng(1)

    class Field(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            widths = [(2, 24), (24, 24), (24, 1)]
            self.layers = [
                (
                    tf.Variable(random.standard_normal((a, b)) / np.sqrt(a)),
                    tf.Variable(np.zeros(b)),
                )
                for a, b in widths
            ]

        def __call__(self, xy):
            *hidden, (w, b) = self.layers
            h = xy
            for weight, bias in hidden:
                h = tf.tanh(h @ weight + bias)
            # Zero on the edges of the square, whatever the network says.
            edges = tf.reduce_prod(xy * (1.0 - xy), axis=1, keepdims=True)
            return (h @ w + b) * edges

    field = Field()
    xy = tf.constant(random.uniform(0, 1, (400, 2)))
    right = -2 * np.pi**2 * tf.reduce_prod(tf.sin(np.pi * xy), axis=1, keepdims=True)
    ways = [
        tf.constant([[1.0, 0.0]] * 400, tf.float64),
        tf.constant([[0.0, 1.0]] * 400, tf.float64),
    ]

    def loss():
        laplacian = sum(2.0 * tf.autodiff.taylor(field, xy, 2, direction=way)[2] for way in ways)
        return tf.reduce_mean((laplacian - right) ** 2)

    found = tf.autodiff.minimize(loss, wrt=field, options={"maxiter": 400})
    print(f"loss {found.fun:.2e} after {found.nit} steps of L-BFGS")
    line = np.linspace(0, 1, 81)
    grid = np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)
    ours = field(tf.constant(grid)).numpy().reshape(81, 81)
    exact = np.sin(np.pi * grid).prod(1).reshape(81, 81)
    print(f"largest error {np.abs(ours - exact).max():.1e}")
    drawing, axes = figure(3)
    for axis, values, title in zip(
        axes,
        (ours, exact, ours - exact),
        ("the network", "sin(pi x) sin(pi y)", "their difference"),
        strict=True,
    ):
        shown = axis.imshow(
            values,
            origin="lower",
            extent=(0, 1, 0, 1),
        )
        drawing.colorbar(shown, ax=axis, shrink=0.8, format="%.0e" if "diff" in title else None)
        axis.set_title(title, fontsize=10)
        axis.tick_params(labelsize=7)
    save(drawing, "pinn")


def taylor() -> None:
    """The derivatives of tanh, and its Taylor polynomials."""
    import math

    x = tf.constant(np.linspace(-4, 4, 400))
    coefficients = tf.autodiff.taylor(tf.tanh, x, 6)
    drawing, (left, right) = figure(2, 3.0)
    for order in range(7):
        derivative = coefficients[order] * math.factorial(order)
        left.plot(x, derivative / np.abs(derivative).max(), label=f"{order}", linewidth=1)
    left.legend(fontsize=6, ncols=2, title="order", title_fontsize=6)
    left.set_title("tanh and its derivatives, scaled", fontsize=10)
    at = 0.5
    around = [float(c) for c in tf.autodiff.taylor(tf.tanh, tf.constant(at, tf.float64), 9)]
    right.plot(x, np.tanh(x), "k", linewidth=2)
    for order in (1, 3, 5, 9):
        right.plot(x, np.polyval(around[order::-1], x - at), label=f"{order}", linewidth=1)
    right.set_ylim(-1.6, 1.6)
    right.legend(fontsize=6, title="degree", title_fontsize=6)
    right.set_title("its Taylor polynomials at 0.5", fontsize=10)
    for axis in (left, right):
        axis.tick_params(labelsize=7)
    save(drawing, "taylor")


def recompute() -> None:
    """The peak of a gradient through 24 layers under a limit, and how much is computed again."""
    weights = [tf.Variable(tf.random.normal([256, 256], stddev=0.06)) for _ in range(24)]
    layers = [lambda x, w=w: tf.nn.relu(x @ w) * tf.tanh(x) + x for w in weights]
    x = tf.random.normal([1024, 256])

    def peak(function: Callable) -> float:
        before = buffers.statistics()["in_use"]
        buffers.reset_most()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(function(x))
        tape.gradient(y, weights[0])
        return (buffers.statistics()["most"] - before) / 1e6

    free = tf.autodiff.recompute_sequence(layers, 10**9)
    rows = [(peak(free), peak(free), 0.0)]
    for part in (0.9, 0.75, 0.6, 0.5, 0.4, 0.33, 0.27, 0.23):
        limit = int(part * free.plan(x).memory)
        model = tf.autodiff.recompute_sequence(layers, limit)
        rows.append((limit / 1e6, peak(model), model.plan(x).again))
        print("limit {:6.1f} MB, peak {:6.1f} MB, {:.2f} forward runs added".format(*rows[-1]))
    limits, peaks, again = np.array(rows).T
    drawing, (left, right) = figure(2)
    left.plot(limits, limits, "k--", linewidth=1, label="the limit")
    left.plot(limits, peaks, "o-", markersize=3, label="measured")
    left.set(xlabel="limit, MB", ylabel="peak, MB", ylim=(0, None))
    left.legend(fontsize=7)
    right.plot(limits, again, "o-", markersize=3)
    right.set(xlabel="limit, MB", ylabel="forward runs added", ylim=(0, None))
    for axis in (left, right):
        axis.tick_params(labelsize=7)
        axis.xaxis.label.set_size(8)
        axis.yaxis.label.set_size(8)
    save(drawing, "recompute")


if __name__ == "__main__":
    drawings = {f.__name__: f for f in (jacobian, pinn, taylor, recompute)}
    for name in sys.argv[1:] or drawings:
        drawings[name]()
