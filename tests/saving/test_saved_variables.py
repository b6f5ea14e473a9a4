"""What saved functions do to variables: values that are read and assigned, whole and in slices."""

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


ROW = tf.TensorSpec([4])
WHOLE = tf.TensorSpec([], tf.int32)


@pytest.mark.parametrize(
    ("index", "specs", "calls"),
    [
        (lambda x: 1, [ROW], [([1.0, 2.0, 3.0, 4.0],), ([0.0] * 4,)]),
        (lambda x: (slice(0, 2), slice(None, None, 2)), [tf.TensorSpec([])], [(5.0,)]),
        (lambda x: (..., -1), [tf.TensorSpec([None])], [([1.0, 2.0, 3.0],), ([1.0],)]),
        (lambda x: (None, 1, slice(1, 3)), [tf.TensorSpec([2])], [([1.0, 2.0],)]),
        (lambda x: (slice(None, None, -1), 0), [tf.TensorSpec([3])], [([1.0, 2.0, 3.0],)]),
        (
            lambda x: (0, slice(0, tf.shape(x)[0])),
            [tf.TensorSpec([None])],
            [([1.0],), ([2.0] * 3,)],
        ),
        (lambda x, i: i, [ROW, WHOLE], [([1.0] * 4, 0), ([2.0] * 4, 2)]),
        (lambda x, i: (slice(0, i), 0), [tf.TensorSpec([]), WHOLE], [(7.0, 1), (8.0, 3), (9.0, 0)]),
    ],
)
def test_slices_that_are_assigned(tmp_path: Path, index: Any, specs: Any, calls: Any) -> None:
    model: Any = tf.Module()
    model.table = table = tf.Variable(tf.reshape(tf.range(12.0), [3, 4]))

    @tf.function(input_signature=specs)
    def assign(*arguments: Any) -> Any:
        before = table.read_value()
        table[index(*arguments)].assign(arguments[0])
        return before, table.read_value()

    model.f = assign
    alike(model, tmp_path / "model", calls)


def test_shuffles_of_any_length(tmp_path: Path) -> None:
    model: Any = tf.Module()

    @tf.function(input_signature=[WHOLE])
    def shuffled(count: Any) -> Any:
        return tf.random.experimental.stateless_shuffle(tf.range(count), [1, 2])

    model.f = shuffled
    alike(model, tmp_path / "model", [(0,), (1,), (2,), (30,)])


def when_positive(variable: Any, way: int, x: Any) -> Any:
    """Ways that only tensors of the size of a variable can go."""
    if way == 0:
        return variable - x if tf.reduce_sum(x) > 0 else x
    if way == 1:
        if tf.reduce_sum(x) > 0:
            variable.assign_add(x)
        return variable.read_value()
    if way == 2:
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x * 1.0, lambda: x - variable)
    if tf.reduce_sum(x) > 0:
        return tf.linalg.matvec(tf.ones([2, 2]), x)
    return x * variable if tf.reduce_max(x) > 0 else variable + 0.0


@pytest.mark.parametrize("way", range(4))
def test_a_way_that_one_size_can_go(tmp_path: Path, way: int) -> None:
    """Stand-ins of other sizes fail on it, and go the other one: it was not saved, and raised."""
    model: Any = tf.Module()
    model.pair = tf.Variable([1.0, 2.0])
    specs = [tf.TensorSpec([None])]
    model.f = tf.function(lambda x: when_positive(model.pair, way, x), input_signature=specs)
    calls = [([1.0, 2.0],), ([-1.0, -2.0],), ([-5.0, 2.0],)]
    alike(model, tmp_path / "model", calls)
