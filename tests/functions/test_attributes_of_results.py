"""Attributes that a function under `tf.function` sets on tensors: dropped from results, as in TensorFlow.

They are no reason not to record. A tensor that is kept by anybody else still is.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


class Keeper:
    tensor: Any = None


def tagged(x: Any) -> Any:
    y = tf.nn.softmax(x * 2.0)
    y.logits = x * 2.0
    return y


@pytest.mark.parametrize(
    "structure",
    [lambda y: y, lambda y: (y, y + 1.0), lambda y: {"y": [y], "z": (y,)}],
    ids=["one", "several", "nested"],
)
def test_a_result_loses_its_attributes_and_is_replayed(structure: Any) -> None:
    calls = []

    @tf.function
    def f(x):
        calls.append(1)
        return structure(tagged(x))

    for value in ([1.0, 2.0], [3.0, -1.0], [0.0, 0.0]):
        x = tf.constant(value)
        results = tf.nest.flatten(f(x))
        for result, expected in zip(
            results, tf.nest.flatten(structure(tf.nn.softmax(x * 2.0))), strict=True
        ):
            np.testing.assert_array_equal(result, expected)
            assert not hasattr(result, "logits")
    assert len(calls) == 1


def test_attributes_stay_where_the_function_stays_python() -> None:
    keeper = Keeper()

    @tf.function
    def f(x):
        keeper.tensor = y = tagged(x)
        return y

    for value in (1.0, 2.0):
        assert f(tf.constant([value])).logits.numpy() == 2 * value


def test_code_in_the_same_function_reads_them() -> None:
    @tf.function
    def f(x):
        y = tagged(x)
        return y, y.logits + 1.0

    for value in (1.0, 2.0, 3.0):
        assert f(tf.constant([value]))[1].numpy() == 2 * value + 1


def test_an_attribute_that_is_a_result_too() -> None:
    @tf.function
    def f(x):
        y = tagged(x)
        return y, y.logits

    for value in (1.0, 2.0, 3.0):
        assert f(tf.constant([value]))[1].numpy() == 2 * value


def test_attributes_of_what_is_no_result() -> None:
    @tf.function
    def f(x):
        return tf.reduce_sum(tagged(x)) + x

    for value in (1.0, 2.0, 3.0):
        assert f(tf.constant([value])).numpy() == 1 + value


def test_gradients_from_outside() -> None:
    f = tf.function(tagged)
    for value in ([1.0, 2.0], [0.5, 0.25], [3.0, -2.0]):
        x = tf.Variable(value)
        with tf.GradientTape(persistent=True) as tape:
            y, expected = f(x), tf.nn.softmax(x * 2.0)
        np.testing.assert_allclose(tape.gradient(y, x), tape.gradient(expected, x), atol=1e-7)


def test_nothing_is_kept_alive() -> None:
    held = []

    @tf.function
    def f(x):
        y = tagged(x)
        held.append(weakref.ref(y.logits))
        return y

    result = f(tf.constant([1.0, 2.0]))
    gc.collect()
    assert held[0]() is None
    assert result.shape == [2]


@pytest.mark.parametrize(
    "keep",
    [
        lambda keeper, y: setattr(keeper, "tensor", y.logits),
        lambda keeper, y: setattr(keeper, "tensor", y),
        lambda keeper, y: setattr(keeper, "tensor", [{"a": y.logits}]),
        lambda keeper, y: setattr(keeper.outside, "tag", y.logits),
    ],
    ids=["attribute", "result", "nest", "attribute of a tensor from outside"],
)
def test_a_tensor_that_a_long_living_object_keeps_is_seen(keep: Any) -> None:
    keeper = Keeper()
    keeper.outside = tf.constant(0.0)

    @tf.function
    def f(x):
        y = tagged(x)
        keep(keeper, y)
        return y

    for value in (1.0, 2.0, 3.0):
        f(tf.constant([value]))
        kept = keeper.tensor if keeper.tensor is not None else keeper.outside.tag
        kept = kept[0]["a"] if isinstance(kept, list) else kept
        assert kept.numpy() in (2 * value, 1.0)
    assert "is kept elsewhere than in its result" in str(f.explain())


def _values(y: Any) -> Iterator[Any]:
    yield None
    yield y


def _begun(y: Any) -> Iterator[Any]:
    values = _values(y)
    next(values)
    return values


@pytest.mark.parametrize(
    "holder",
    [_begun, _values, lambda y: lambda: y, lambda y: sys._getframe(), lambda y: lambda z=y: z],
    ids=["generator", "generator that has not begun", "closure", "frame", "default"],
)
def test_a_tensor_that_only_a_frame_holds_is_seen(holder: Callable[[Any], Any]) -> None:
    """References that a frame borrows do not count on Python 3.14; one that is left of a call has its own."""
    kept = []

    @tf.function
    def f(x):
        kept.append(holder(x * 2.0))
        return x + 1.0

    for value in (1.0, 2.0, 3.0):
        f(tf.constant(value))
    assert len(kept) == 3
    assert "is kept elsewhere than in its result" in str(f.explain())


def test_tensors_from_outside_keep_theirs() -> None:
    outside = tf.constant([1.0])
    outside.tag = "mine"
    f = tf.function(lambda x: outside)
    for _ in range(3):
        assert f(tf.constant(1.0)).tag == "mine"
    assert outside.tag == "mine"
