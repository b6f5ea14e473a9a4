"""Rows of batches in other batches, and rows of ragged tensors behind functions, as in TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf

Dataset = tf.data.Dataset
ROWS = [[1], [2, 3], [], [4, 5, 6]]


def ragged() -> Any:
    return tf.ragged.constant(ROWS)


def rows() -> Any:
    return Dataset.from_tensor_slices(ragged())


def lists(dataset: Any) -> list[Any]:
    assert isinstance(dataset.element_spec, tf.RaggedTensorSpec)
    elements = list(dataset)
    assert all(isinstance(element, tf.RaggedTensor) for element in elements)
    return [element.to_list() for element in elements]


@pytest.mark.parametrize(
    ("dataset", "sizes", "drop", "expected"),
    [
        (lambda: Dataset.from_tensor_slices(tf.zeros([6, 2, 2])), 2, False, [2, 2]),
        (lambda: Dataset.from_tensor_slices(tf.zeros([6, 2, 2])), 1, False, [1, 2]),
        (lambda: Dataset.from_tensor_slices(tf.zeros([6, 2, 2])), 3, False, [None, 2]),
        (lambda: Dataset.from_tensor_slices(tf.zeros([6, 2, 2])), 3, True, [3, 2]),
        (lambda: Dataset.from_tensor_slices(tf.zeros([3, 0, 2])), 2, False, [2, 2]),
        (lambda: Dataset.range(8).batch(4), 2, False, [None]),
        (lambda: Dataset.range(8).batch(4, True), 2, False, [2]),
        (lambda: Dataset.range(8).batch(4, True), [2, 2], False, [2]),
        (lambda: Dataset.range(8).batch(4, True), [2, 1], False, [None]),
        (lambda: Dataset.range(8).batch(4, True), 8, False, [None]),
        (lambda: Dataset.from_tensor_slices([["a", "b"]]), 1, False, [1]),
    ],
)
def test_the_sizes_of_new_batches(
    dataset: Callable[[], Any], sizes: Any, drop: bool, expected: list[int | None]
) -> None:
    made = dataset().rebatch(sizes, drop_remainder=drop)
    assert made.element_spec.shape.as_list() == expected
    for element in made:
        assert made.element_spec.shape.is_compatible_with(element.shape)


@pytest.mark.parametrize("options", [{}, {"drop_remainder": True}])
@pytest.mark.parametrize(
    "dataset",
    [
        lambda: Dataset.range(4),
        lambda: Dataset.range(4).map(lambda x: x + 1),
        lambda: Dataset.from_tensor_slices((tf.zeros([4, 2]), tf.range(4))),
    ],
)
def test_elements_without_rows_are_refused_when_the_data_set_is_made(
    dataset: Callable[[], Any], options: Any
) -> None:
    with pytest.raises(ValueError, match=r"found a dataset with scalar elements.*batch\(\) makes"):
        dataset().rebatch(2, **options)


def test_components_with_other_numbers_of_rows_are_refused_as_soon_as_they_are_known() -> None:
    unequal = Dataset.from_tensor_slices((tf.zeros([4, 2]), tf.zeros([4, 3])))
    with pytest.raises(ValueError, match=r"the batch dimensions of its components are \[2, 3\]"):
        unequal.rebatch(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same batch size"):
        list(unequal.rebatch(2, drop_remainder=True))


BY_TWO = [[[1], [2, 3]], [[2, 3], []], [[], [4, 5, 6]], [[4, 5, 6]]]
RAGGED: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "windows": (lambda: rows().window(2, 1).flat_map(lambda w: w.batch(2)), BY_TWO),
    "windows in new batches": (
        lambda: rows().window(2, 1).flat_map(lambda w: w.batch(2)).rebatch(3),
        [[[1], [2, 3], [2, 3]], [[], [], [4, 5, 6]], [[4, 5, 6]]],
    ),
    "windows of rows": (
        lambda: rows().window(2).flat_map(lambda w: w).batch(3),
        [ROWS[:3], ROWS[3:]],
    ),
    "filter": (lambda: rows().filter(lambda x: True).batch(3), [ROWS[:3], ROWS[3:]]),
    "take_while": (lambda: rows().take_while(lambda x: True).batch(3), [ROWS[:3], ROWS[3:]]),
    "interleave": (
        lambda: Dataset.range(1).interleave(lambda i: rows()).batch(3),
        [ROWS[:3], ROWS[3:]],
    ),
    "interleaved batches": (
        lambda: Dataset.range(1).interleave(lambda i: rows().batch(2)).rebatch(3),
        [ROWS[:3], ROWS[3:]],
    ),
    "map": (
        lambda: rows().batch(2).map(lambda x: x * 2).rebatch(3),
        [[[2], [4, 6], []], [[8, 10, 12]]],
    ),
    "map, unbatch": (
        lambda: rows().batch(2).map(lambda x: x * 2).unbatch().batch(3),
        [[[2], [4, 6], []], [[8, 10, 12]]],
    ),
    "groups": (
        lambda: (
            rows()
            .group_by_window(lambda x: tf.constant(0, tf.int64), lambda k, w: w, window_size=3)
            .batch(2)
        ),
        [ROWS[:2], ROWS[2:]],
    ),
    "rows of equal length": (
        lambda: (
            Dataset.from_tensor_slices(tf.ragged.constant([[1], [2]]))
            .filter(lambda x: True)
            .batch(2)
        ),
        [[[1], [2]]],
    ),
}


@pytest.mark.parametrize("name", RAGGED)
def test_rows_of_ragged_tensors_behind_functions(name: str) -> None:
    make, expected = RAGGED[name]
    assert lists(make()) == expected


def test_ragged_rows_beside_others() -> None:
    both = Dataset.from_tensor_slices({"a": ragged(), "b": tf.range(4)})
    windows = both.window(2).flat_map(lambda w: Dataset.zip((w["a"].batch(2), w["b"].batch(2))))
    found = [(a.to_list(), b.numpy().tolist()) for a, b in windows.rebatch(3)]
    assert found == [(ROWS[:3], [0, 1, 2]), (ROWS[3:], [3])]


def test_what_a_function_makes_of_a_row_is_a_tensor() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
        list(rows().map(lambda x: x).batch(2))


def test_batches_know_the_sizes_that_all_their_ragged_elements_have() -> None:
    squares = Dataset.range(3).map(lambda _: tf.RaggedTensor.from_tensor(tf.ones([2, 2])))
    batch = next(iter(squares.batch(3)))
    assert batch.shape.as_list() == [3, 2, 2]
    assert (int(batch.uniform_row_length), int(batch.values.uniform_row_length)) == (2, 2)
    assert next(iter(squares.batch(3).unbatch())).shape.as_list() == [2, 2]
    threes = rows().concatenate(rows()).ragged_batch(3, drop_remainder=True).batch(2)
    assert next(iter(threes)).shape.as_list() == [2, 3, None]
