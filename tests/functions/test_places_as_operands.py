"""Integers in an index, and places of blocks, that the arguments of a function decide: each is an operand."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

ARRAY = np.arange(60.0).reshape(3, 4, 5)
PLACE = "place"
PARTS = [PLACE, slice(None), slice(None, None, -2), None, Ellipsis, 1]
INDICES = [
    index
    for count in (1, 2, 3)
    for index in itertools.product(PARTS, repeat=count)
    if PLACE in index and index.count(Ellipsis) < 2
]


def at(index: tuple[Any, ...], places: Any) -> tuple[Any, ...]:
    """The index with the next of the places for each PLACE."""
    left = iter(places)
    return tuple(next(left) if part is PLACE else part for part in index)


def counted(function: Callable[..., Any]) -> tuple[Any, list[None]]:
    """The function as a `tf.function`, and a list with an entry for each time that Python runs it."""
    runs: list[None] = []

    @tf.function
    def recorded(*arguments: Any) -> Any:
        runs.append(None)
        return function(*arguments)

    return recorded, runs


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_one_recording_serves_every_place(dtype: str) -> None:
    x = tf.constant(ARRAY)
    for index in INDICES:
        recorded, runs = counted(lambda a, b, c, index=index: x[at(index, (a, b, c))])
        for places in ((0, 1, 2), (2, -1, 0), (-3, 1, -2)):
            result = recorded(*[tf.constant(place, dtype) for place in places])
            np.testing.assert_array_equal(result, ARRAY[at(index, places)], err_msg=str(index))
        assert len(runs) == 1, index


def test_items_of_a_batch_have_places_of_their_own(caplog: pytest.LogCaptureFixture) -> None:
    places = np.array([[0, 1, 2], [2, -1, 0], [-3, 1, -2]])
    rows = np.stack([ARRAY, ARRAY + 100, -ARRAY])
    for index in INDICES:
        expected = np.stack([ARRAY[at(index, row)] for row in places.tolist()])
        shared = tf.vectorized_map(
            lambda row, index=index: tf.constant(ARRAY)[at(index, tf.unstack(row))],
            tf.constant(places),
        )
        np.testing.assert_array_equal(shared, expected, err_msg=str(index))
        expected = np.stack(
            [row[at(index, own)] for row, own in zip(rows, places.tolist(), strict=True)]
        )
        own = tf.vectorized_map(
            lambda item, index=index: item[0][at(index, tf.unstack(item[1]))],
            (tf.constant(rows), tf.constant(places)),
        )
        np.testing.assert_array_equal(own, expected, err_msg=str(index))
    assert not caplog.records


def places_of(index: tuple[Any, ...], places: Any) -> np.ndarray[Any, Any]:
    """Which elements the index takes, as an array of numbers."""
    return np.arange(ARRAY.size).reshape(ARRAY.shape)[at(index, places)]


@pytest.mark.parametrize("index", [(PLACE,), (PLACE, 1), (Ellipsis, PLACE), (PLACE, None, PLACE)])
def test_gradients(index: tuple[Any, ...]) -> None:
    def derivatives(x: Any, a: Any, b: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x[at(index, (a, b))] ** 3
            dx = inner.gradient(y, x)
        return dx, outer.gradient(dx, x)

    recorded, runs = counted(derivatives)
    for places in ((0, 1), (2, -1)):
        dx, second = recorded(tf.constant(ARRAY), *map(tf.constant, places))
        taken = np.isin(np.arange(ARRAY.size).reshape(ARRAY.shape), places_of(index, places))
        np.testing.assert_allclose(dx, 3 * ARRAY**2 * taken)
        np.testing.assert_allclose(second, 6 * ARRAY * taken)
    assert len(runs) == 1


def test_the_gradient_of_a_variable_is_dense() -> None:
    v = tf.Variable(ARRAY)

    def gradient(place: Any) -> Any:
        with tf.GradientTape() as tape:
            y = v[place]
        return tape.gradient(y, v)

    recorded, _ = counted(gradient)
    result = recorded(tf.constant(1))
    assert isinstance(result, tf.Tensor)
    np.testing.assert_array_equal(result, np.stack([ARRAY[0] * 0, ARRAY[0] * 0 + 1, ARRAY[0] * 0]))


def test_a_place_that_is_not_there() -> None:
    recorded, _ = counted(lambda x, place: x[:, place])
    x = tf.constant(ARRAY)
    recorded(x, tf.constant(3))
    for place in (4, -5):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 4\)"):
            recorded(x, tf.constant(place))
    np.testing.assert_array_equal(recorded(x, tf.constant(-4)), ARRAY[:, 0])


def test_a_counter_and_other_sizes() -> None:
    counter = tf.Variable(0)

    def next_row(x: Any) -> Any:
        return x[counter.assign_add(1) % tf.shape(x)[0]]

    recorded, runs = counted(next_row)
    for number in range(1, 9):
        array = np.arange(12.0 * (number % 4 + 2)).reshape(-1, 12)
        np.testing.assert_array_equal(
            recorded(tf.constant(array)), array[number % (number % 4 + 2)]
        )
    assert len(runs) == 2  # the second one is for any size


WINDOWS = [
    lambda x, i, j: x[i:j],
    lambda x, i, j: x[:, i:j],
    lambda x, i, j: x[..., i:j],
    lambda x, i, j: x[0, i:j, None, i],
    lambda x, i, j: x[i:j, ..., i:j],
    lambda x, i, j: x[i:j][:, i:j],
]


@pytest.mark.parametrize("take", WINDOWS, ids=range(len(WINDOWS)))
def test_windows_of_one_length(take: Callable[..., Any]) -> None:
    recorded, runs = counted(lambda x, i: take(x, i, i + 2))
    array = np.arange(216.0).reshape(6, 6, 6)
    for place in (0, 3, 4, 1):
        expected = take(array, place, place + 2)
        np.testing.assert_array_equal(recorded(tf.constant(array), tf.constant(place)), expected)
    assert len(runs) == 1
    for place in (5, 8, -1, -2, -4, -9):  # over an end, or counted from it
        if take not in (WINDOWS[3],):
            expected = take(array, place, place + 2)
            np.testing.assert_array_equal(
                recorded(tf.constant(array), tf.constant(place)), expected
            )
    places = tf.constant([0, 3, 1])
    mapped = tf.vectorized_map(lambda i: take(tf.constant(array), i, i + 2), places)
    np.testing.assert_array_equal(mapped, np.stack([take(array, i, i + 2) for i in (0, 3, 1)]))


def test_windows_of_other_lengths() -> None:
    recorded, runs = counted(lambda x, i, j: x[i:j])
    array = np.arange(12.0).reshape(6, 2)
    for i, j in ((0, 2), (1, 3), (2, 5), (0, 0), (3, 6), (4, 4), (4, 2)):
        result = recorded(tf.constant(array), tf.constant(i, tf.int64), tf.constant(j, tf.int64))
        np.testing.assert_array_equal(result, array[i:j])
    assert len(runs) == 4  # one for each length, and one where the end comes first


# Blocks


def test_one_recording_serves_blocks_anywhere() -> None:
    recorded, runs = counted(lambda x, begin: tf.slice(x, begin, [2, 1, 3]))
    for begin in ((0, 0, 0), (1, 3, 2), (0, 2, 1)):
        part = tuple(
            slice(first, first + size) for first, size in zip(begin, (2, 1, 3), strict=True)
        )
        for array in (ARRAY, ARRAY + 1j):
            result = recorded(tf.constant(array), tf.constant(begin))
            np.testing.assert_array_equal(result, array[part])
    assert len(runs) == 2  # one for each dtype of x
    for begin in ((2, 0, 0), (0, 0, -1), (0, 0), (0, 0, 0, 0)):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="slice"):
            recorded(tf.constant(ARRAY), tf.constant(begin))


def test_gradients_of_blocks() -> None:
    def derivatives(x: Any, begin: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.slice(x, begin, [2, 1, 3]) ** 3
            dx = inner.gradient(y, x)
        return dx, outer.gradient(dx, x)

    recorded, runs = counted(derivatives)
    for begin in ((0, 0, 0), (1, 3, 2)):
        dx, second = recorded(tf.constant(ARRAY), tf.constant(begin, tf.int64))
        taken = np.zeros_like(ARRAY)
        taken[begin[0] : begin[0] + 2, begin[1] : begin[1] + 1, begin[2] : begin[2] + 3] = 1
        np.testing.assert_allclose(dx, 3 * ARRAY**2 * taken)
        np.testing.assert_allclose(second, 6 * ARRAY * taken)
    assert len(runs) == 1


def test_blocks_of_items() -> None:
    x = tf.constant(np.stack([ARRAY, -ARRAY]))
    shared = tf.vectorized_map(lambda item: tf.slice(item, tf.constant([1, 0, 2]), [2, 4, 1]), x)
    np.testing.assert_array_equal(shared, x.numpy()[:, 1:, :, 2:3])
    begins = tf.constant([[0, 0, 0], [2, 1, 3]])
    own = tf.vectorized_map(lambda item: tf.slice(item[0], item[1], [1, 2, 2]), (x, begins))
    np.testing.assert_array_equal(own, np.stack([ARRAY[:1, :2, :2], -ARRAY[2:, 1:3, 3:]]))

    def gradient(begin: Any) -> Any:
        """Of a function that maps items in a batch with a place for all of them."""
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(lambda item: tf.slice(item, begin, [1, 2, 2]) ** 2, x)
        return tape.gradient(y, x)

    recorded, runs = counted(gradient)
    for begin in ((0, 0, 0), (2, 1, 3)):
        taken = np.zeros_like(x)
        taken[:, begin[0] : begin[0] + 1, begin[1] : begin[1] + 2, begin[2] : begin[2] + 2] = (
            2
            * x.numpy()[
                :, begin[0] : begin[0] + 1, begin[1] : begin[1] + 2, begin[2] : begin[2] + 2
            ]
        )
        np.testing.assert_array_equal(recorded(tf.constant(begin)), taken)
    assert len(runs) == 1


@pytest.mark.parametrize(
    "augment",
    [
        lambda x: tf.image.random_crop(x, [2, 6, 5, 3]),
        lambda x: tf.image.random_hue(x, 0.3),
        lambda x: tf.image.adjust_gamma(x, tf.random.uniform([])),
    ],
    ids=["crop", "hue", "gamma"],
)
def test_draws_decide_nothing_in_python(augment: Callable[[Any], Any]) -> None:
    recorded, runs = counted(augment)
    x = tf.random.stateless_uniform([2, 9, 9, 3], [1, 2])
    results = [recorded(x).numpy().tobytes() for _ in range(10)]
    assert len(runs) == 1
    assert len(set(results)) > 5


def test_a_crop_is_saved(tmp_path: Path) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 9, 9, 3]), tf.TensorSpec([2], tf.int32)])
    def crop(x: Any, seed: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.image.stateless_random_crop(x, [2, 6, 5, 3], seed) ** 2
        return y, tape.gradient(y, x)

    module = tf.Module()
    module.crop = crop
    tf.saved_model.save(module, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    for size, seed in ((2, [1, 2]), (5, [3, 4])):
        x = tf.random.stateless_uniform([size, 9, 9, 3], [1, 2])
        for result, expected in zip(loaded.crop(x, seed), crop(x, seed), strict=True):
            np.testing.assert_array_equal(result, expected)
