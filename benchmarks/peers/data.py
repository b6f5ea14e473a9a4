"""The numbers all peers start from, as NumPy arrays: the same weights and data for everyone."""

from itertools import pairwise
from typing import Any

import numpy as np

SCALAR = np.float32(1.001)
LEARNING_RATE = 0.01
# The embedding's loss pulls its rows towards zero: faster than this, and a long run would end among
# numbers so small that processors take a hundred times longer for them.
EMBEDDING_RATE = 1e-5
ADAM = {"rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
NORM_EPSILON = 1e-5
VISCOSITY = 0.01
HEADS = 8
# So many operations are recorded to see what one of them keeps alive.
KEPT_OPS = 50_000

Arrays = list[tuple[Any, Any]]

# Arrays of up to so many numbers are compared number by number.
SMALL = 16


def fingerprint(array: Any) -> list[float]:
    """A few numbers that stand for an array, all of about the size of its norm."""
    flat = np.asarray(array, np.float64).ravel()
    if flat.size <= SMALL:
        return [float(number) for number in flat]
    pattern = np.random.RandomState(flat.size % 1000).randn(flat.size)
    return [float(np.linalg.norm(flat)), float(flat @ pattern)]


def compare_by(first: list[Any], second: list[Any]) -> list[list[float]]:
    """What peers must agree on, from the arrays that two steps answered with.

    Arrays that change from one step to the next are being trained: their change is the gradient.
    """
    groups = []
    for before, after in zip(first, second, strict=True):
        groups.append(fingerprint(before))
        if not np.array_equal(before, after):
            groups.append(fingerprint(after if before.size == 1 else after - before))
    return groups


def flat(answer: Any) -> list[Any]:
    """The tensors of an answer, out of whatever lists and tuples they come in."""
    if isinstance(answer, (list, tuple)):
        return [tensor for part in answer for tensor in flat(part)]
    return [answer]


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> Any:
    return (np.random.RandomState(seed).randn(*shape) * scale).astype(np.float32)


def layers(*widths: int, seed: int = 0) -> Arrays:
    """A weight matrix and a bias for each pair of neighbouring widths."""
    random = np.random.RandomState(seed)
    return [
        (
            (random.randn(inputs, outputs) * np.sqrt(2.0 / inputs)).astype(np.float32),
            (random.randn(outputs) * 0.1).astype(np.float32),
        )
        for inputs, outputs in pairwise(widths)
    ]


def small_mlp() -> tuple[Arrays, Any, Any]:
    """Weights, one example, its target."""
    random = np.random.RandomState(1)
    x = random.randn(1, 4).astype(np.float32)
    y = random.randn(1, 2).astype(np.float32)
    return layers(4, 32, 32, 2), x, y


def wide_mlp() -> tuple[Arrays, Any, Any]:
    """Weights, a batch of pictures, their labels (int64)."""
    random = np.random.RandomState(2)
    x = random.rand(128, 784).astype(np.float32)
    labels = random.randint(0, 10, 128)
    return layers(784, 512, 512, 10), x, labels


def deep_mlp() -> tuple[Arrays, Any]:
    """Weights of twenty square layers, and a batch."""
    x = np.random.RandomState(3).randn(4096, 1024).astype(np.float32)
    return layers(*[1024] * 21), x


def rosenbrock() -> Any:
    return normal(100, seed=4, scale=0.5)


def elementwise(size: int) -> Any:
    return normal(size, seed=5)


def cnn() -> list[Any]:
    """Pictures (NHWC), and two filters (height, width, channels in, channels out)."""
    return [
        normal(32, 32, 32, 3, seed=6),
        normal(3, 3, 3, 32, seed=7, scale=0.3),
        normal(3, 3, 32, 64, seed=8, scale=0.08),
    ]


def attention() -> tuple[Any, list[Any]]:
    """A batch of sequences, and the parameters of a block in the order in which it uses them."""
    width, hidden = 256, 1024
    one, zero = np.ones(width, np.float32), np.zeros(width, np.float32)
    (query_key_value,) = layers(width, 3 * width, seed=9)
    (projection,) = layers(width, width, seed=10)
    up, down = layers(width, hidden, width, seed=11)
    parameters = [one, zero, *query_key_value, *projection, one, zero, *up, *down]
    return normal(8, 128, width, seed=12), [np.array(parameter) for parameter in parameters]


def lstm() -> tuple[Any, list[Any]]:
    """Fifty steps of a batch, and the weights of inputs and state, and the bias, of the four gates."""
    parameters = [
        normal(128, 512, seed=13, scale=0.08),
        normal(128, 512, seed=14, scale=0.08),
        normal(512, seed=15, scale=0.1),
    ]
    return normal(50, 32, 128, seed=16), parameters


def embedding() -> tuple[Any, Any]:
    """A table, and which of its rows are looked up; some of them twice."""
    return normal(50_000, 64, seed=17), np.random.RandomState(18).randint(0, 50_000, 4096)


def pinn() -> tuple[list[Any], Any, Any]:
    """Weights, and the points in space and in time at which the equation shall hold."""
    parameters = [array for layer in layers(2, 50, 50, 1, seed=19) for array in layer]
    random = np.random.RandomState(20)
    x = random.uniform(-1, 1, (1000, 1)).astype(np.float32)
    t = random.uniform(0, 1, (1000, 1)).astype(np.float32)
    return parameters, x, t


def jacobian() -> tuple[Any, Any]:
    """A matrix and a vector."""
    return normal(200, 200, seed=30, scale=0.07), normal(200, seed=31)


def long_jacobian() -> tuple[Any, Any]:
    """A matrix of many rows and a vector."""
    return normal(4000, 500, seed=32, scale=0.04), normal(500, seed=33)


def square_jacobian() -> tuple[Any, Any]:
    return normal(2000, 2000, seed=36, scale=0.02), normal(2000, seed=37)


def tall_jacobian() -> tuple[Arrays, Any]:
    """Weights of a network with many more results than inputs, and one input."""
    return layers(8, 256, 256, 4000, seed=38), normal(8, seed=39)


def batch_jacobian() -> tuple[Arrays, Any]:
    """Weights, and a batch of inputs."""
    return layers(64, 64, 64, 32, seed=34), normal(256, 64, seed=35)


def per_example() -> tuple[Arrays, Any, Any]:
    """Weights, a batch of inputs, and labels."""
    labels = np.random.RandomState(37).randint(0, 10, 256)
    return layers(64, 64, 10, seed=36), normal(256, 64, seed=38), labels


def valley(count: int) -> tuple[Any, Any]:
    """A place in the valley of Rosenbrock's function, and a direction."""
    return np.linspace(-1, 1, count, dtype=np.float32), normal(count, seed=39)


def points() -> Any:
    """Where to differentiate tanh."""
    return np.linspace(-3, 3, 200, dtype=np.float32)


def laplacian() -> tuple[Arrays, Any, Any]:
    """Weights, points in the unit square, and what the Laplacian shall be there."""
    xy = np.random.RandomState(40).uniform(0, 1, (500, 2)).astype(np.float32)
    return (
        layers(2, 32, 32, 1, seed=41),
        xy,
        np.sin(np.pi * xy).prod(1, keepdims=True).astype(np.float32),
    )


def gp() -> tuple[Any, Any, list[Any]]:
    """Points, values at them, and the logarithms of length, scale and noise, in double precision."""
    random = np.random.RandomState(27)
    x = random.standard_normal((300, 3))
    y = np.sin(x.sum(axis=1, keepdims=True)) + 0.1 * random.standard_normal((300, 1))
    return x, y, [np.float64(value) for value in (0.3, 0.1, -1.0)]


ODE_STEPS, ODE_STEP = 10, np.float32(0.05)
ODE_SIZE = 32


def neural_ode() -> tuple[Arrays, Any, Any]:
    """Weights of the field, points where paths begin, and where they shall end."""
    return layers(2, 50, 2, seed=50), normal(16, 2, seed=51, scale=0.5), normal(16, 2, seed=52)


def maml() -> tuple[Arrays, list[tuple[Any, Any, Any, Any]]]:
    """Weights, and for each of eight tasks, sines of other phases: points, values, new points, new values."""
    random = np.random.RandomState(54)
    tasks = []
    for _ in range(8):
        height, phase = random.uniform(0.1, 5), random.uniform(0, np.pi)
        x, x_new = random.uniform(-5, 5, (2, 10, 1)).astype(np.float32)
        tasks.append(tuple([
            each.astype(np.float32)
            for each in (x, height * np.sin(x + phase), x_new, height * np.sin(x_new + phase))
        ]))  # fmt: skip
    return layers(1, 40, 40, 1, seed=53), tasks


def cross_entropy() -> tuple[Any, Any]:
    """Logits and labels."""
    return normal(4096, 1000, seed=21), np.random.RandomState(22).randint(0, 1000, 4096)


def norm() -> tuple[Any, Any, Any, Any]:
    """Inputs, scale, offset, and the gradient that arrives at the result."""
    x = normal(8192, 512, seed=23, scale=2.0) + np.float32(0.5)
    return (
        x,
        normal(512, seed=24) + np.float32(1.0),
        normal(512, seed=25),
        normal(8192, 512, seed=26),
    )


BATCH = 128
MAPPED_ROWS = 2000


def pictures() -> tuple[Any, Any]:
    """60,000 rows of 784 numbers, and a label for each."""
    random = np.random.RandomState(7)
    return random.rand(60000, 784).astype(np.float32), random.randint(0, 10, 60000)
