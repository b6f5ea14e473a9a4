"""What saved functions do to variables: values that are read, and values that are assigned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def alike(model: Any, folder: Path, calls: list[tuple[Any, ...]]) -> Any:
    """The loaded model, after calls of its function `f` have given what the model's own gives."""
    tf.saved_model.save(model, folder)
    loaded = tf.saved_model.load(folder)
    for arguments in calls:
        wanted, found = model.f(*arguments), loaded.f(*arguments)
        tf.nest.assert_same_structure(wanted, found)
        for one, other in zip(tf.nest.flatten(wanted), tf.nest.flatten(found), strict=True):
            assert one.dtype is other.dtype
            np.testing.assert_array_equal(one.numpy(), other.numpy())
    return loaded


@pytest.mark.parametrize("value", [0, 1, 2.0])
def test_a_variable_that_holds_a_number_of_the_program(tmp_path: Path, value: float) -> None:
    """Its array is that of the number in the program: it once was taken for the variable's value."""
    model: Any = tf.Module()
    model.counter = counter = tf.Variable(value)

    @tf.function(input_signature=[])
    def count() -> Any:
        before = counter.read_value()
        counter.assign_add(value)
        counter.assign_add(1)
        return before, counter * value, tf.constant(value)

    model.f = count
    alike(model, tmp_path / "model", [()] * 3)


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return x * 2, lambda dy: dy * x


def test_variables_that_hold_one_tensor(tmp_path: Path) -> None:
    """An alias of what one was read is not taken for the other one, nor for the tensor."""
    model: Any = tf.Module()
    start = tf.constant([1.0, 2.0])
    model.one, model.other = one, other = tf.Variable(start), tf.Variable(start)

    @tf.function(input_signature=[])
    def change() -> Any:
        first, second = one.read_value(), other.read_value()
        third = one * start
        one.assign_add(start)
        other.assign([9.0, 9.0])
        return [doubled(x) for x in (first, second, start, one, other)], third

    model.f = change
    loaded = alike(model, tmp_path / "model", [()] * 3)
    np.testing.assert_array_equal(loaded.one.numpy(), model.one.numpy())


def test_saving_leaves_variables_as_they_are(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.weight = weight = tf.Variable(tf.ones([200, 300]))
    before = weight.value()._array

    @tf.function(input_signature=[tf.TensorSpec([200, 300])])
    def add(x: Any) -> Any:
        first = weight * 2.0
        weight.assign_add(x)
        return tf.reduce_sum(first), tf.reduce_sum(weight)

    model.f = add
    tf.saved_model.save(model, tmp_path / "model")
    assert weight.value()._array is before
    assert tf.reduce_all(weight == 1.0)
    alike(model, tmp_path / "again", [(tf.ones([200, 300]),)] * 2)
