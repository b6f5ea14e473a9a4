"""`experimental_get_tracing_count` says how often TensorFlow would have traced for the calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf

RANGE = tf.data.Dataset.range


def variables() -> Any:
    f = tf.function(lambda v: v + 1.0)
    one, two = tf.Variable(1.0), tf.Variable(2.0)
    f(one), f(two), f(one)
    yield f
    f(tf.Variable([1.0, 2.0]))
    yield f


def two_variables() -> Any:
    f = tf.function(lambda v, w: v + w)
    one, two = tf.Variable(1.0), tf.Variable(2.0)
    f(one, two), f(two, one)
    yield f
    f(one, one)
    yield f


def function_of_a_data_set() -> Any:
    f = tf.function(lambda x: x * 2)
    list(RANGE(4).map(f))
    yield f


def data_sets() -> Any:
    @tf.function
    def f(data: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in data:
            total += x
        return total

    f(RANGE(3)), f(RANGE(4))
    yield f


def iterators() -> Any:
    f = tf.function(lambda iterator: next(iterator))
    iterator = iter(RANGE(3))
    f(iterator), f(iterator), f(iter(RANGE(5)))
    yield f


def method() -> Any:
    class Model(tf.Module):
        @tf.function
        def step(self, iterator: Any) -> Any:
            return next(iterator)

    model = Model()
    model.step(iter(RANGE(3))), model.step(iter(RANGE(3)))
    yield model.step


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (variables, [1, 2]),
        (two_variables, [1, 2]),
        (function_of_a_data_set, [1]),
        (data_sets, [1]),
        (iterators, [1]),
        (method, [1]),
    ],
)
def test_tracing_counts(program: Callable[[], Any], counts: list[int]) -> None:
    assert [each.experimental_get_tracing_count() for each in program()] == counts


def test_a_cleared_cache_lets_methods_be_recorded_anew() -> None:
    class Scaled(tf.Module):
        factor = 2.0

        @tf.function
        def __call__(self, x: Any) -> Any:
            return self.factor * x

    first, second = Scaled(), Scaled()
    assert [float(model(3.0)) for model in (first, second)] == [6.0, 6.0]
    concrete = first.__call__.get_concrete_function(tf.constant(3.0))
    first.factor = 5.0
    assert (
        float(first(3.0)) == 6.0
    )  # as TensorFlow: an attribute is read while the function is traced
    function: Any = vars(Scaled)["__call__"]
    assert function._get_tracing_count() == function.experimental_get_tracing_count() == 2
    assert first.__call__._get_tracing_count() == 1
    function._descriptor_cache.clear()
    assert function._get_tracing_count() == first.__call__._get_tracing_count() == 0
    assert [float(model(3.0)) for model in (first, second)] == [15.0, 6.0]
    assert first.__call__.get_concrete_function(tf.constant(3.0)) is not concrete


def test_a_function_may_clear_its_own_cache() -> None:
    runs = []

    @tf.function
    def f(x: Any) -> Any:
        runs.append(x)
        f._descriptor_cache.clear()
        return x * 2.0

    assert [float(f(x)) for x in (tf.constant(1.0), tf.constant(2.0))] == [2.0, 4.0]
    assert float(f(tf.constant(3.0))) == 6.0
    assert runs
