"""The workloads in HIPS autograd. Its scalars are NumPy's."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import grad, value_and_grad

import data

VERSION = version("autograd")
MODE = "eager"

Step = Callable[[], Any]


def arrays(answer: Any) -> list[Any]:
    return [np.array(array) for array in data.flat(answer)]


def _power(x: Any, factor: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * factor
    return y


def _derivative(function: Callable[[Any], Any]) -> Step:
    derivative = grad(function)
    return lambda: derivative(data.SCALAR)


def multiply_20() -> Step:
    return _derivative(lambda x: _power(x, x, 20))


def multiply_20_constant() -> Step:
    factor = np.float32(2.0)
    return _derivative(lambda x: _power(x, factor, 20))


def multiply_20_number() -> Step:
    return _derivative(lambda x: _power(x, 2.0, 20))


def multiply_20_second_order() -> Step:
    return _derivative(grad(lambda x: _power(x, x, 20)))


def multiply_200() -> Step:
    return _derivative(lambda x: _power(x, x, 200))


def fan_100() -> Step:
    def fan(x: Any) -> Any:
        total = x
        for _ in range(100):
            total = total + x
        return total

    return _derivative(fan)


def small_mlp() -> Step:
    layers, x, y = data.small_mlp()
    parameters = [array for layer in layers for array in layer]

    def loss(parameters: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = anp.tanh(anp.dot(x, w1) + b1)
        h = anp.tanh(anp.dot(h, w2) + b2)
        return anp.mean((anp.dot(h, w3) + b3 - y) ** 2)

    return _training(loss, parameters)


def wide_mlp() -> Step:
    layers, x, labels = data.wide_mlp()
    parameters = [array for layer in layers for array in layer]
    rows = np.arange(len(labels))

    def loss(parameters: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = anp.maximum(anp.dot(x, w1) + b1, 0)
        h = anp.maximum(anp.dot(h, w2) + b2, 0)
        logits = anp.dot(h, w3) + b3
        largest = anp.max(logits, axis=1, keepdims=True)
        total = anp.log(anp.sum(anp.exp(logits - largest), axis=1)) + largest[:, 0]
        return anp.mean(total - logits[rows, labels])

    return _training(loss, parameters)


def _training(loss: Callable[[Any], Any], parameters: list[Any]) -> Step:
    value_and_gradients = value_and_grad(loss)

    def step() -> Any:
        value, gradients = value_and_gradients(parameters)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter -= np.float32(data.LEARNING_RATE) * gradient
        return value, parameters

    return step


def rosenbrock() -> Step:
    def loss(x: Any) -> Any:
        head, tail = x[:-1], x[1:]
        return anp.sum(100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2)

    return _gradient(loss, data.rosenbrock())


def elementwise_1e6() -> Step:
    return _elementwise(1_000_000)


def elementwise_1e4() -> Step:
    return _elementwise(10_000)


def _elementwise(size: int) -> Step:
    return _gradient(
        lambda x: anp.sum(anp.tanh(2.0 * x + 1.0) * anp.exp(-(x**2))), data.elementwise(size)
    )


def _gradient(loss: Callable[[Any], Any], x: Any) -> Step:
    value_and_gradient = value_and_grad(loss)
    return lambda: value_and_gradient(x)
