"""``tf.sparse.cross`` and ``cross_hashed``: the combinations and the hashes are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import tapegrad as tf

WORDS, LETTERS = tf.constant([["a", "b"], ["c", "d"]]), tf.constant([["x"], ["y"]])
NUMBERS, LONG = tf.constant([[1, 2], [3, 4]]), tf.constant([[1, 2], [3, 4]], tf.int64)
FIRST = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["p", "q", "r"], [2, 2])
SECOND = tf.SparseTensor([[0, 0], [1, 1]], tf.constant([7, 8], tf.int64), [2, 2])
EMPTY = tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.constant([], tf.string), [2, 2])


def rows(result: Any) -> list[list[Any]]:
    """The combinations of each row. Their indices must count from 0."""
    found: list[list[Any]] = [[] for _ in range(result.dense_shape.numpy()[0])]
    for (row, column), value in zip(
        result.indices.numpy().tolist(), result.values.numpy().tolist(), strict=True
    ):
        assert column == len(found[row])
        found[row].append(value)
    assert result.dense_shape.numpy()[1] == max(map(len, found), default=0)
    return found


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([WORDS, LETTERS], [["a_X_x", "b_X_x"], ["c_X_y", "d_X_y"]]),
        ([FIRST, SECOND], [["p_X_7"], ["q_X_8", "r_X_8"]]),
        ([WORDS, FIRST], [["p_X_a", "p_X_b"], ["q_X_c", "q_X_d", "r_X_c", "r_X_d"]]),
        (
            [NUMBERS, LONG],
            [["1_X_1", "1_X_2", "2_X_1", "2_X_2"], ["3_X_3", "3_X_4", "4_X_3", "4_X_4"]],
        ),
        ([WORDS], [["a", "b"], ["c", "d"]]),
        ([tf.constant([[1.0]]), tf.constant([[True]])], [["1_X_1"]]),
        ([EMPTY, WORDS], [[], []]),
        ([], []),
    ],
)
def test_cross(inputs: list[Any], expected: list[list[str]]) -> None:
    crossed = tf.sparse.cross(inputs)
    assert crossed.dtype == tf.string
    assert rows(crossed) == [[text.encode() for text in row] for row in expected]


def test_separator() -> None:
    assert rows(tf.sparse.cross([LETTERS, LETTERS], separator="-")) == [[b"x-x"], [b"y-y"]]
    assert rows(tf.compat.v1.sparse.cross([LETTERS], None, "+")) == [[b"x"], [b"y"]]


@pytest.mark.parametrize(
    ("inputs", "options", "expected"),
    [
        ([WORDS, LETTERS], {"num_buckets": 100}, [[92, 4], [60, 6]]),
        (
            [WORDS, LETTERS],
            {},
            [
                [1484974617627318892, 3552177129620670004],
                [6571367263544129360, 3132355153294617199],
            ],
        ),
        (
            [WORDS, LETTERS],
            {"hash_key": 1},
            [[4587187218450306006, 3050726035604380138], [1589541054111069343, 790127239756803911]],
        ),
        ([NUMBERS, LONG], {"num_buckets": 1000}, [[641, 357, 716, 891], [185, 786, 794, 952]]),
        ([FIRST, SECOND, NUMBERS], {"num_buckets": 1000}, [[427, 956], [310, 459, 85, 615]]),
        ([WORDS], {"num_buckets": 50}, [[15, 18], [26, 6]]),
        (
            [tf.constant([["x" * 40, ""]]), tf.constant([["y" * 100]])],
            {"num_buckets": 1000},
            [[566, 997]],
        ),
        (
            [tf.constant([[2**40, -1]], tf.int64), tf.constant([[5]])],
            {"num_buckets": 1000},
            [[328, 399]],
        ),
        ([EMPTY, WORDS], {"num_buckets": 10}, [[], []]),
    ],
)
def test_cross_hashed(inputs: list[Any], options: Any, expected: list[list[int]]) -> None:
    crossed = tf.sparse.cross_hashed(inputs, **options)
    assert crossed.dtype == tf.int64
    assert rows(crossed) == expected


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="Inputs must be a list"):
        tf.sparse.cross(WORDS)
    with pytest.raises(TypeError, match="All inputs must be Tensor or SparseTensor"):
        tf.sparse.cross([[["a"]]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dense inputs should be a matrix"):
        tf.sparse.cross([tf.constant(["a"])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected batch size 2 got 1"):
        tf.sparse.cross_hashed([WORDS, tf.constant([["a"]])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least minimum 0"):
        tf.sparse.cross_hashed([WORDS], -5)
