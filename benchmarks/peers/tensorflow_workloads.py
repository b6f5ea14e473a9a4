"""The workloads in TensorFlow: eager, or each step as one `tf.function` where MODE says compiled."""

from collections.abc import Callable
from typing import Any

import data
import numpy as np
import tensorflow as tf

VERSION = tf.__version__
MODE = "eager"

Step = Callable[[], Any]


def numbers(answer: Any) -> list[float]:
    return [float(number) for number in np.ravel(answer.numpy())]


def _mode(step: Step) -> Step:
    return tf.function(step) if MODE == "compiled" else step


def _power(x: Any, factor: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * factor
    return y


def _derivative(function: Callable[[Any], Any]) -> Step:
    x = tf.constant(data.SCALAR)

    def step(x: Any = x) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    # An argument, so that the compiled form cannot compute its one answer beforehand.
    whole = _mode(step)
    return lambda: whole(x)


def multiply_20() -> Step:
    return _derivative(lambda x: _power(x, x, 20))


def multiply_20_forward() -> Step:
    x = tf.constant(data.SCALAR)
    whole = _mode(lambda x: _power(x, x, 20))
    return lambda: whole(x)


def multiply_20_constant() -> Step:
    factor = tf.constant(2.0)
    return _derivative(lambda x: _power(x, factor, 20))


def multiply_20_number() -> Step:
    return _derivative(lambda x: _power(x, 2.0, 20))


def multiply_20_number_forward() -> Step:
    x = tf.constant(data.SCALAR)
    whole = _mode(lambda x: _power(x, 2.0, 20))
    return lambda: whole(x)


def multiply_20_second_order() -> Step:
    x = tf.constant(data.SCALAR)

    def step(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = _power(x, x, 20)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    whole = _mode(step)
    return lambda: whole(x)


def multiply_20_recorded() -> Step | None:
    if MODE == "compiled":
        return None
    x = tf.constant(data.SCALAR)

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            return _power(x, x, 20)

    return step


def multiply_200() -> Step:
    return _derivative(lambda x: _power(x, x, 200))


def chain_20000() -> Step | None:
    # Building a graph of 20,000 nodes takes minutes and shows nothing of running one.
    return None if MODE == "compiled" else _derivative(lambda x: _power(x, x, 20_000))


def fan_100() -> Step:
    def fan(x: Any) -> Any:
        total = x
        for _ in range(100):
            total = total + x
        return total

    return _derivative(fan)


def kept_chain() -> Step:
    x = tf.constant(data.SCALAR)

    def record() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            return tape, _power(x, x, data.KEPT_OPS)

    return record


def _variables(layers: Any) -> list[Any]:
    return [tf.Variable(array) for layer in layers for array in layer]


def _descend(variables: list[Any], gradients: list[Any]) -> None:
    for variable, gradient in zip(variables, gradients, strict=True):
        variable.assign_sub(data.LEARNING_RATE * gradient)


def small_mlp() -> Step:
    layers, x, y = data.small_mlp()
    x, y = tf.constant(x), tf.constant(y)
    variables = _variables(layers)
    w1, b1, w2, b2, w3, b3 = variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ w1 + b1)
            h = tf.tanh(h @ w2 + b2)
            loss = tf.reduce_mean(tf.math.squared_difference(h @ w3 + b3, y))
        _descend(variables, tape.gradient(loss, variables))
        return loss

    return _mode(step)


def wide_mlp() -> Step:
    layers, x, labels = data.wide_mlp()
    x, labels = tf.constant(x), tf.constant(labels)
    variables = _variables(layers)
    w1, b1, w2, b2, w3, b3 = variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            logits = h @ w3 + b3
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        _descend(variables, tape.gradient(loss, variables))
        return loss

    return _mode(step)


def deep_mlp() -> Step:
    layers, x = data.deep_mlp()
    x = tf.constant(x)
    variables = _variables(layers)

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = x
            for weights, bias in zip(variables[::2], variables[1::2], strict=True):
                h = tf.nn.relu(h @ weights + bias)
            loss = tf.reduce_mean(h * h)
        gradients = tape.gradient(loss, variables)
        return tf.reduce_sum(gradients[0])

    return _mode(step)
