"""The workloads in JAX: op by op, or each step as one `jax.jit` where MODE says compiled."""

from collections.abc import Callable
from typing import Any

import data
import jax
import jax.numpy as jnp
import numpy as np

VERSION = jax.__version__
MODE = "eager"

Step = Callable[[], Any]


def numbers(answer: Any) -> list[float]:
    return [float(number) for number in np.ravel(np.asarray(answer))]


def _mode(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return jax.jit(function, **options) if MODE == "compiled" else function


def _power(x: Any, factor: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * factor
    return y


def _on_scalar(function: Callable[[Any], Any]) -> Step:
    x = jnp.asarray(data.SCALAR)
    whole = _mode(function)
    return lambda: whole(x).block_until_ready()


def multiply_20() -> Step:
    return _on_scalar(jax.grad(lambda x: _power(x, x, 20)))


def multiply_20_forward() -> Step:
    return _on_scalar(lambda x: _power(x, x, 20))


def multiply_20_constant() -> Step:
    factor = jnp.float32(2.0)
    return _on_scalar(jax.grad(lambda x: _power(x, factor, 20)))


def multiply_20_number() -> Step:
    return _on_scalar(jax.grad(lambda x: _power(x, 2.0, 20)))


def multiply_20_number_forward() -> Step:
    return _on_scalar(lambda x: _power(x, 2.0, 20))


def multiply_20_second_order() -> Step:
    return _on_scalar(jax.grad(jax.grad(lambda x: _power(x, x, 20))))


def multiply_200() -> Step:
    return _on_scalar(jax.grad(lambda x: _power(x, x, 200)))


def fan_100() -> Step:
    def fan(x: Any) -> Any:
        total = x
        for _ in range(100):
            total = total + x
        return total

    return _on_scalar(jax.grad(fan))


def _training(loss: Callable[..., Any], layers: Any, *batch: Any) -> Step:
    parameters = [jnp.asarray(array) for layer in layers for array in layer]
    arrays = [jnp.asarray(array) for array in batch]

    def update(parameters: Any, arrays: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(parameters, *arrays)
        pairs = zip(parameters, gradients, strict=True)
        return value, [p - data.LEARNING_RATE * g for p, g in pairs]

    whole = _mode(update)

    def step() -> Any:
        nonlocal parameters
        value, parameters = whole(parameters, arrays)
        return jax.block_until_ready((value, parameters))[0]

    return step


def small_mlp() -> Step:
    def loss(parameters: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = jnp.tanh(x @ w1 + b1)
        h = jnp.tanh(h @ w2 + b2)
        return jnp.mean((h @ w3 + b3 - y) ** 2)

    return _training(loss, *data.small_mlp())


def wide_mlp() -> Step:
    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        probabilities = jax.nn.log_softmax(h @ w3 + b3)
        return -jnp.mean(jnp.take_along_axis(probabilities, labels[:, None], axis=1))

    return _training(loss, *data.wide_mlp())


def deep_mlp() -> Step:
    layers, x = data.deep_mlp()
    parameters = [jnp.asarray(array) for layer in layers for array in layer]
    x = jnp.asarray(x)

    def loss(parameters: Any, x: Any) -> Any:
        h = x
        for weights, bias in zip(parameters[::2], parameters[1::2], strict=True):
            h = jax.nn.relu(h @ weights + bias)
        return jnp.mean(h * h)

    whole = _mode(jax.grad(loss))
    return lambda: jnp.sum(jax.block_until_ready(whole(parameters, x))[0])
