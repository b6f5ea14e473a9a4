"""The workloads in NumPy, forward and backward written by hand: the time that remains without any tape."""

from collections.abc import Callable
from typing import Any

import numpy as np

import data

VERSION = np.__version__
MODE = "eager"

Step = Callable[[], Any]


def arrays(answer: Any) -> list[Any]:
    return [np.array(array) for array in data.flat(answer)]


def multiply_20_forward() -> Step:
    x = np.asarray(data.SCALAR)

    def step() -> Any:
        y = x
        for _ in range(20):
            y = y * x
        return y

    return step


def multiply_20_number_forward() -> Step:
    x = np.asarray(data.SCALAR)

    def step() -> Any:
        y = x
        for _ in range(20):
            y = y * 2.0
        return y

    return step


def small_mlp() -> Step:
    layers, x, y = data.small_mlp()
    (w1, b1), (w2, b2), (w3, b3) = layers
    rate = np.float32(data.LEARNING_RATE)

    def step() -> Any:
        h1 = np.tanh(x @ w1 + b1)
        h2 = np.tanh(h1 @ w2 + b2)
        difference = h2 @ w3 + b3 - y
        loss = np.mean(difference * difference)
        d3 = difference * np.float32(2 / difference.size)
        d2 = (d3 @ w3.T) * (1 - h2 * h2)
        d1 = (d2 @ w2.T) * (1 - h1 * h1)
        for weights, bias, dy, inputs in ((w3, b3, d3, h2), (w2, b2, d2, h1), (w1, b1, d1, x)):
            np.subtract(weights, rate * (inputs.T @ dy), out=weights)
            np.subtract(bias, rate * dy[0], out=bias)
        return loss, layers

    return step


def wide_mlp() -> Step:
    layers, x, labels = data.wide_mlp()
    (w1, b1), (w2, b2), (w3, b3) = layers
    rows = np.arange(len(labels))
    rate = np.float32(data.LEARNING_RATE)

    def step() -> Any:
        h1 = x @ w1
        h1 += b1
        np.maximum(h1, 0, out=h1)
        h2 = h1 @ w2
        h2 += b2
        np.maximum(h2, 0, out=h2)
        logits = h2 @ w3 + b3
        logits -= logits.max(axis=1, keepdims=True)
        exponentials = np.exp(logits)
        total = exponentials.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(total[:, 0]) - logits[rows, labels])
        d3 = exponentials / total
        d3[rows, labels] -= 1
        d3 /= np.float32(len(labels))
        d2 = d3 @ w3.T
        d2 *= h2 > 0
        d1 = d2 @ w2.T
        d1 *= h1 > 0
        for weights, bias, dy, inputs in ((w3, b3, d3, h2), (w2, b2, d2, h1), (w1, b1, d1, x)):
            gradient = inputs.T @ dy
            gradient *= rate
            weights -= gradient
            bias -= rate * dy.sum(axis=0)
        return loss, layers

    return step


def rosenbrock() -> Step:
    x = data.rosenbrock()
    gradient = np.empty_like(x)

    def step() -> Any:
        head, tail = x[:-1], x[1:]
        residual = tail - head * head
        rest = 1 - head
        loss = 100 * residual.dot(residual) + rest.dot(rest)
        gradient[0] = 0
        np.multiply(residual, 200, out=gradient[1:])
        gradient[:-1] -= 400 * head * residual + 2 * rest
        return loss, gradient

    return step


def elementwise_1e6() -> Step:
    return _elementwise(1_000_000)


def elementwise_1e4() -> Step:
    return _elementwise(10_000)


def _elementwise(size: int) -> Step:
    x = data.elementwise(size)

    def step() -> Any:
        t = np.tanh(2 * x + 1)
        bell = np.exp(-x * x)
        y = t.dot(bell)
        return y, 2 * bell * (1 - t * t - x * t)

    return step
