"""Concrete functions: a call is recorded and replayed as a call of the function is."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from hostile import replays


def test_calls_are_replayed() -> None:
    runs = []

    @tf.function
    def function(x: Any, scale: Any = 2.0) -> Any:
        runs.append(1)
        return {"y": x * scale, "n": tf.shape(x)[0]}

    concrete = function.get_concrete_function(tf.TensorSpec([None, 2]))
    runs.clear()
    for rows in (1, 3, 1, 3, 1):
        found = concrete(tf.ones([rows, 2]))
        assert found["y"].numpy().tolist() == [[2.0, 2.0]] * rows
        assert int(found["n"]) == rows
    assert (len(runs), replays(function)) == (2, 3)
    # TensorFlow would not have traced for these calls, and does not save them.
    assert function.experimental_get_tracing_count() == 1
    assert len(function._list_all_concrete_functions()) == 1


def test_an_input_signature_is_replayed_by_both() -> None:
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def function(x: Any) -> Any:
        runs.append(1)
        return tf.reduce_sum(x * x)

    concrete = function.get_concrete_function()
    runs.clear()
    for value in ([1.0, 2.0], np.float32([3.0, 4.0]), tf.constant([5.0, 6.0]), (7, 8)):
        wanted = float(np.sum(np.square(np.float32(value))))
        assert float(function(value)) == float(concrete(tf.constant(value, tf.float32))) == wanted
    assert (len(runs), replays(function)) == (1, 7)


def test_methods_of_objects_that_go() -> None:
    class Scaled:
        def __init__(self, scale: float) -> None:
            self.scale = tf.Variable(scale)

        @tf.function
        def apply(self, x: Any) -> Any:
            return x * self.scale

    objects = [Scaled(2.0), Scaled(3.0)]
    concretes = [each.apply.get_concrete_function(tf.TensorSpec([])) for each in objects]
    x = tf.constant(1.0)
    for _ in range(3):
        assert [float(concrete(x)) for concrete in concretes] == [2.0, 3.0]
    assert replays(Scaled.apply) == 4
    del objects[0]
    gc.collect()
    with pytest.raises(ReferenceError, match="does not exist any more"):
        concretes[0](x)
    assert float(concretes[1](x)) == 3.0


def test_under_tapes_with_variables_draws_and_branches() -> None:
    w = tf.Variable([1.0, 2.0])

    def python(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            x = x * 2.0
        w.assign_add(x)
        return tf.reduce_sum(w * x + tf.random.normal([2]))

    answers = []
    for recorded in (False, True):
        w.assign([1.0, 2.0])
        tf.random.set_seed(1)
        function = tf.function(python)
        concrete = function.get_concrete_function(tf.TensorSpec([2]))
        found = []
        for sign in (1.0, -1.0, 1.0, 1.0, -1.0):
            x = tf.constant([1.0, 2.0]) * sign
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = concrete(x) if recorded else function._run((x,), {})
            found.append([float(y), tape.gradient(y, x).numpy().tolist(), w.numpy().tolist()])
        answers.append(found)
    np.testing.assert_allclose(
        *[[np.hstack(parts) for parts in found] for found in answers], rtol=1e-6
    )


def test_wrong_arguments_are_refused_at_each_call() -> None:
    concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    for _ in range(2):
        assert int(concrete(tf.constant(1))) == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be"):
            concrete(tf.constant(1.0))


class Layer:
    def call(self, x: Any, scale: Any = None, *, shift: float = 1.0) -> Any:
        return x * (1.0 if scale is None else scale) + shift


def test_functions_of_bound_methods_take_defaults() -> None:
    function = tf.function(Layer().call)
    assert function(tf.ones([2])).numpy().tolist() == [2, 2]
    assert function(tf.ones([2]), scale=3.0).numpy().tolist() == [4, 4]
    assert function(tf.ones([2]), 3.0, shift=2.0).numpy().tolist() == [5, 5]
    concrete = function.get_concrete_function(tf.TensorSpec([None]))
    assert concrete(tf.ones([2])).numpy().tolist() == [2, 2]
    with pytest.raises(TypeError, match="positional"):
        function(tf.ones([2]), 3.0, 4.0)


@pytest.mark.parametrize(
    ("x", "example", "shape"),
    [
        ([None] * 3, [None] * 4, [None] * 4),
        ([None, 2, 2], [None, 3, 5], [None, 3, 2, 2]),
        ([None, 2, 2], [None, 2], [None, 2, 2, 2]),
    ],
)
def test_a_size_that_has_to_be_a_product_of_others_is_unknown(x, example, shape):
    """Where all unknown sizes are 0 it is one, which says nothing about other sizes."""

    @tf.function
    def split(x, example):
        return tf.reshape(x, tf.concat([tf.shape(example)[:2], tf.shape(x)[1:]], 0)) + 1.0

    concrete = split.get_concrete_function(tf.TensorSpec(x), tf.TensorSpec(example))
    assert concrete.output_shapes.as_list() == shape
    sizes = [2 if size is None else size for size in example]
    values = tf.ones([sizes[0] * sizes[1], 2, 2])
    assert concrete(values, tf.ones(sizes)).shape == [*sizes[:2], 2, 2]


def test_a_size_of_nothing_that_arguments_have_stays_known():
    function = tf.function(lambda x: tf.reshape(x, [-1, 0]))
    concrete = function.get_concrete_function(tf.TensorSpec([None, 0]))
    assert concrete.output_shapes.as_list()[1] == 0
