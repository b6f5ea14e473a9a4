"""Look-ups in tables of one part and of several, over which ids are spread by a strategy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def halves() -> list[Any]:
    """A table of five rows in two parts: as "div" spreads them, rows 0 to 2 and rows 3 and 4."""
    return [tf.Variable([[0.0], [2.0], [4.0]]), tf.Variable([[1.0], [3.0]])]


def ids_of(rows: list[list[int]], ids: list[int]) -> Any:
    return tf.SparseTensor(rows, tf.constant(ids, tf.int64), [2, 2])


@pytest.mark.parametrize("ids", [[0, 1, 2, 3, 4], [[4, 0], [3, 1]], 3, [], [2, 2, 2]])
def test_parts_of_a_table(ids: Any) -> None:
    """TensorFlow 2 gives each part a run of the ids, TensorFlow 1 deals them out in turn."""
    places = np.asarray(ids, np.int32)
    divided = np.array([[0.0], [2.0], [4.0], [1.0], [3.0]], np.float32)
    dealt = np.arange(5, dtype=np.float32)[:, None]
    version_1 = tf.compat.v1.nn.embedding_lookup
    for found, table in [
        (tf.nn.embedding_lookup(halves(), places), divided),
        (version_1(halves(), places), dealt),
        (version_1(halves(), places, partition_strategy="div"), divided),
    ]:
        assert found.numpy().tolist() == table[places].tolist()


def test_parts_get_sparse_gradients() -> None:
    parts = halves()
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(parts, [0, 1, 3, 3])
    first, second = tape.gradient(rows, parts)
    assert (first.values.numpy().tolist(), first.indices.numpy().tolist()) == ([[1], [1]], [0, 1])
    assert (second.values.numpy().tolist(), second.indices.numpy().tolist()) == ([[1], [1]], [0, 0])
    assert second.dense_shape.numpy().tolist() == [2, 1]


def test_rows_are_clipped_in_every_part() -> None:
    found = tf.nn.embedding_lookup(halves(), [0, 1, 2, 4], max_norm=2.0)
    assert found.numpy().tolist() == [[0.0], [2.0], [2.0], [2.0]]


def test_a_list_is_parts_and_a_tuple_one_table() -> None:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    assert tf.nn.embedding_lookup(rows, [1, 0]).numpy().tolist() == [2.0, 1.0]
    assert tf.nn.embedding_lookup(tuple(rows), [1]).numpy().tolist() == [[3.0, 4.0]]
    assert tf.nn.embedding_lookup([rows], [1]).numpy().tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize("ids", [[5], [-1], [2**31 - 1]])
@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_ids_that_are_in_no_part(ids: list[int], strategy: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.compat.v1.nn.embedding_lookup(halves(), ids, partition_strategy=strategy)


def test_parts_of_other_sizes_than_the_strategy_says() -> None:
    """Id 2 belongs to the first part, which has no such row."""
    parts = halves()[::-1]
    assert tf.nn.embedding_lookup(parts, [0, 1, 3, 4]).numpy().ravel().tolist() == [1, 3, 0, 2]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = 2 is not in \[0, 2\)"
    ):
        tf.nn.embedding_lookup(parts, [2])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"params": [], "ids": [0]}, ValueError),
        ({"params": None, "ids": [0]}, ValueError),
        ({"params": "parts", "ids": [0.0]}, tf.errors.InvalidArgumentError),
        ({"params": "parts", "ids": [0], "partition_strategy": "turns"}, ValueError),
    ],
)
def test_refused(arguments: dict[str, Any], error: type[Exception]) -> None:
    if arguments["params"] == "parts":
        arguments = {**arguments, "params": halves()}
    with pytest.raises(error):
        tf.compat.v1.nn.embedding_lookup(**arguments)


@pytest.mark.parametrize(
    ("combiner", "divided", "dealt"),
    [
        ("mean", [[1.5], [1.0]], [[2.0], [3.0]]),
        ("sum", [[3.0], [1.0]], [[4.0], [3.0]]),
        ("sqrtn", [[3 / 2**0.5], [1.0]], [[4 / 2**0.5], [3.0]]),
    ],
)
def test_combined_rows_of_parts(combiner: str, divided: Any, dealt: Any) -> None:
    ids = ids_of([[0, 0], [0, 1], [1, 0]], [0, 4, 3])
    now, before = tf.nn, tf.compat.v1.nn
    for found, expected in [
        (now.embedding_lookup_sparse(halves(), ids, None, combiner), divided),
        (before.embedding_lookup_sparse(halves(), ids, None, combiner=combiner), dealt),
        (before.embedding_lookup_sparse(halves(), ids, None, "div", combiner=combiner), divided),
        (now.safe_embedding_lookup_sparse(halves(), ids, combiner=combiner), divided),
        (before.safe_embedding_lookup_sparse(halves(), ids, combiner=combiner), divided),
        (
            before.safe_embedding_lookup_sparse(
                halves(), ids, combiner=combiner, partition_strategy="mod"
            ),
            dealt,
        ),
    ]:
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
