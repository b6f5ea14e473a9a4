"""The errors that follow from a gradient that is None name `tape.explain`, or say what it says."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf

NO_GRADIENTS = "No gradients provided for any variable."


def apply(gradients: list[Any], error: Exception) -> None:
    """What Keras's optimizers do, which work in a name scope."""
    with tf.name_scope("sgd"):
        if all(gradient is None for gradient in gradients):
            raise error


def step(error: Exception) -> None:
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        loss = tf.round(x) * 2.0
    variables = [x]
    gradients = tape.gradient(loss, variables)
    apply(gradients, error)


def test_an_optimizers_error_says_why() -> None:
    with pytest.raises(ValueError, match=NO_GRADIENTS) as caught:
        step(ValueError(NO_GRADIENTS))
    assert str(caught.value) == NO_GRADIENTS
    printed = "".join(traceback.format_exception(caught.value))
    assert "the op Round gives no gradient" in printed
    assert "test_missing_gradients.py" in printed


def test_where_the_program_names_no_sources_it_says_how_to_ask() -> None:
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        loss = tf.stop_gradient(x) * 2.0
    gradients = tape.gradient(loss, [x])  # no name for the sources
    with pytest.raises(ValueError, match=NO_GRADIENTS) as caught:
        apply([gradients[0]], ValueError(NO_GRADIENTS))
    assert caught.value.__notes__ == ["print(tape.explain(target, sources)) says why."]


@pytest.mark.parametrize("error", [ValueError("something else"), KeyError(NO_GRADIENTS)])
def test_other_errors_stay_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        step(error)
    assert not hasattr(caught.value, "__notes__")


USES: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda gradient: tf.constant(1.0) - gradient,
    "an assignment": lambda gradient: tf.Variable(1.0).assign_sub(gradient),
    "an op": tf.square,
    "an optimizer": lambda gradient: tf.compat.v1.train.GradientDescentOptimizer(
        0.1
    ).apply_gradients([(gradient, tf.Variable(1.0))]),
}


@pytest.mark.parametrize("name", USES)
def test_what_gets_the_none_names_explain(name: str) -> None:
    x = tf.Variable(1.5)
    with tf.GradientTape() as watcher:
        loss = tf.round(x)
    gradient = watcher.gradient(loss, x)
    with pytest.raises(ValueError, match=r"print\(watcher.explain\(target, sources\)\) says why"):
        USES[name](gradient)


@pytest.mark.parametrize("name", USES)
def test_without_a_tape_nobody_speaks_of_gradients(name: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (what it must not say is asserted)
        USES[name](None)
    assert "explain" not in str(caught.value)
