"""`tf.function(jit_compile=True)` of what is not recorded: an error where TensorFlow compiles nothing either.

What TensorFlow 2.21 compiles runs as Python, gives the same, and the log says so once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

KEPT: list[Any] = []
Compile = Callable[[Callable[..., Any]], Any]


class NoHash:
    __hash__ = None  # type: ignore[assignment]


@tf.custom_gradient
def tripled(x):
    return x * x, lambda dy: 3.0 * dy


def keeps(compiled: Compile) -> Any:
    @compiled
    def f(x):
        y = x * 2.0
        KEPT.append(y)
        return y + 1.0

    return [f(tf.constant(number)) for number in (1.0, 2.0, 3.0)] + KEPT[-3:]


def gradients_of_its_own(compiled: Compile) -> Any:
    f = compiled(lambda x: tripled(x) + 1.0)
    found = []
    for number in (1.0, 2.0, 3.0):
        x = tf.constant(number)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found += [y, tape.gradient(y, x)]
    return found


def in_a_map(compiled: Compile) -> Any:
    f = compiled(lambda x: x * x + 1.0)
    return [tf.vectorized_map(f, tf.constant([number, 2.0])) for number in (1.0, 3.0)]


def catches(compiled: Compile) -> Any:
    @compiled
    def f(x):
        try:
            return tf.reshape(x, [7])
        except tf.errors.InvalidArgumentError:
            return x * 2.0

    return [f(tf.constant([number, 1.0])) for number in (1.0, 2.0, 3.0)]


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (keeps, "a tensor that it computes is kept elsewhere"),
        (gradients_of_its_own, "a custom gradient, or a copy of a tensor, under a tape"),
        (in_a_map, "an argument is a batch"),
        (catches, "an op failed, and the function went on"),
    ],
)
def test_what_tensorflow_compiles_runs_as_python(
    use: Any, reason: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tapegrad.framework.logging._times_said", {})
    expected = use(lambda function: function)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        found = use(tf.function(jit_compile=True))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    (record,) = caplog.records
    assert f"has jit_compile=True and cannot be recorded: {reason}" in record.message
    assert record.message.endswith("It runs as Python.")


def reads_values(x: Any) -> Any:
    return tf.constant(np.sum(tf.tile(x, [4000]).numpy()))


def takes_elements(x: Any) -> Any:
    for element in tf.data.Dataset.range(3):
        x += tf.cast(element, tf.float32)
    return x


def leaves_the_function(x: Any) -> Any:
    y = x + 1.0
    with tf.init_scope():
        return y + 1.0


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (reads_values, "Python code reads the values of a tensor"),
        (takes_elements, "a pass over a data set"),
        (leaves_the_function, "tf.init_scope uses a tensor"),
    ],
)
def test_what_tensorflow_does_not_compile_is_an_error_at_each_call(
    function: Any, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    compiled = tf.function(function, jit_compile=True)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            compiled(tf.constant([1.0]))
        assert f"has jit_compile=True and cannot be recorded: {reason}" in caught.value.message
    assert not caplog.records


def test_an_argument_without_a_hash_is_an_error_and_other_arguments_are_none() -> None:
    compiled = tf.function(lambda x, _: x + 1.0, jit_compile=True)
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"a NoHash, .* has no hash"):
            compiled(tf.constant(1.0), NoHash())
        np.testing.assert_array_equal(compiled(tf.constant(1.0), 2), 2.0)
