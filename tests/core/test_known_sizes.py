"""Whole numbers that are computed of sizes: abstract arrays carry them as their values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core import EagerTensor
from tapegrad.core.abstract import Abstract
from tapegrad.core.sizes import OpenSizes, UnknownSize, exact_quotient, unknown_size


@pytest.fixture
def sizes() -> Iterator[OpenSizes]:
    with OpenSizes() as scope:
        yield scope


def without_elements(*shape: Any, dtype: Any = tf.float32) -> Any:
    return EagerTensor(Abstract(shape, dtype))


def value(tensor: Any) -> str:
    elements = tensor._array.value
    return str(elements) if elements.ndim else repr(elements.item())


def test_shapes_are_values(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    x = without_elements(n, m, 4)
    shape = tf.shape(x)
    assert value(shape) == "[n m 4]"
    assert shape.dtype is tf.int32
    assert value(tf.shape(x, tf.int64)) == "[n m 4]"
    assert value(tf.size(x)) == "4*m*n"
    assert value(tf.rank(x)) == "3"
    assert value(tf.convert_to_tensor(x.shape)) == "[n m 4]"
    assert value(tf.convert_to_tensor([n, 2])) == "[n 2]"
    assert value(tf.convert_to_tensor(n, tf.int64)) == "n"
    assert sizes.guards == []


def test_whole_numbers_keep_expressions(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    shape = tf.shape(without_elements(n, m, 4))
    results = [
        shape[0] * 2 + 1, 7 - shape[0], -shape[1], shape // [2, 1, 3], shape[0] % 2,
        tf.maximum(shape[0], 3), tf.minimum(shape, 4), tf.reduce_prod(shape), tf.reduce_sum(shape[1:]),
        tf.reduce_max(shape[:2], keepdims=True), tf.cast(shape[0], tf.int64) + 1,
        tf.cast(shape[0], tf.float32),
        tf.concat([shape[:1], [7]], 0), tf.stack([shape[0], 3, shape[1]]), tf.reverse(shape, [0]),
        tf.gather(shape, [2, 0]), tf.where([True, False, True], shape, 1), tf.unstack(shape)[1],
        tf.reshape(shape, [3, 1]), shape - shape, shape[0] - n,
    ]  # fmt: skip
    assert [value(result) for result in results] == [
        "2*n + 1", "-n + 7", "-m", "[(n//2) m 1]", "-2*(n//2) + n",
        "max(3, n)", "[min(4, n) min(4, m) 4]", "4*m*n", "m + 4",
        "[max(m, n)]", "n + 1", "n",
        "[n 7]", "[n 3 m]", "[4 m n]",
        "[4 n]", "[n 1 4]", "m",
        "[[n]\n [m]\n [4]]", "[0 0 0]", "0",
    ]  # fmt: skip
    assert sizes.guards == []
    assert results[-2]._array.value.dtype == np.int32


def test_shapes_of_results(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    x = without_elements(n, m, 4)
    shape = tf.shape(x)
    loss = tf.reduce_sum(x)
    results = [
        tf.reshape(x, [shape[0] * shape[1], 4]),
        tf.reshape(x, tf.stack([x.shape[0] * x.shape[1], 4])),
        tf.broadcast_to(loss, shape),
        tf.fill(shape[:2], loss),
        tf.tile(x, [1, shape[0], 1]),
        tf.range(shape[0]),
        tf.range(2, n + 2, 2),
        tf.pad(x, [[0, n], [1, 1], [0, 0]]),
        x[:, : shape[1] // 2],
        x[: n - 1, 0],
        loss / n,
        n * loss,
        tf.cast(n, tf.float32) + loss,
    ]
    assert [repr(result._shape_tuple()) for result in results] == [
        "(m*n, 4)", "(m*n, 4)", "(n, m, 4)", "(n, m)", "(n, m*n, 4)", "(n,)", "(((n + 1)//2),)",
        "(2*n, m + 2, 4)", "(n, min((m//2), m), 4)", "(max(0, n - 1), 4)", "()", "()", "()",
    ]  # fmt: skip
    assert [repr(guard) for guard in sizes.guards] == ["n >= 1", "m > 0"]


def test_what_is_read_is_decided(sizes: OpenSizes) -> None:
    n = sizes.size("n", 5)
    length = tf.shape(without_elements(n, 2))[0]
    assert int(length) == 5
    assert [repr(guard) for guard in sizes.guards] == ["n == 5"]
    assert float(tf.cast(length + 1, tf.float32)) == 6.0
    assert tf.zeros([length]).shape == [5]


def test_unknown_sizes_are_carried() -> None:
    x = without_elements(None, 6)
    shape = tf.shape(x)
    assert str(tf.reshape(x, [shape[0], 2, -1]).shape) == "(None, 2, 3)"
    assert str(tf.reshape(x, [-1, shape[0]]).shape) == "(6, None)"
    assert str(tf.reshape(x, [-1, 4]).shape) == "(None, 4)"
    assert str(tf.tile(x, [shape[0], 2]).shape) == "(None, 12)"
    assert str(x[: shape[0] - 1].shape) == "(None, 6)"
    assert str(tf.range(shape[0] - 3).shape) == "(None,)"
    assert tf.range(shape[1]).shape == [6]
    with pytest.raises(UnknownSize):
        int(shape[0])


def test_values_that_an_op_refuses_are_left_to_its_run() -> None:
    shape = tf.shape(without_elements(2, 3))
    assert (shape // 0)._array.value is None
    assert str(shape // 0)[:22] == "<tf.Tensor: shape=(2,)"


def test_exact_quotients(sizes: OpenSizes) -> None:
    n, size = sizes.size("n", 5), unknown_size()
    assert exact_quotient(12, 4) == 3
    assert exact_quotient(12 * size, 4 * size) == 3
    assert repr(exact_quotient(6 * n * size, 2 * size)) == "3*n"
    assert exact_quotient(6 * n * size, 2 * size).hint == 15
    assert exact_quotient(6 * size, 4) is None
    assert exact_quotient(6, 0) == 0
    assert sizes.guards == []


@pytest.mark.parametrize(
    "program",
    [
        lambda x: tf.reduce_sum(x) / x.shape[0],
        lambda x: x.shape[0] * tf.range(4),
        lambda x: tf.reduce_sum(x) * tf.constant(x.shape[0], tf.float32),
        lambda x: tf.reshape(x, [tf.shape(x)[0] * 2, -1]),
        lambda x: tf.reshape(x, tf.stack([tf.shape(x)[0] * 2, 2])),
        lambda x: tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32),
        lambda x: tf.zeros([x.shape[0], 3]),
        lambda x: x[: tf.shape(x)[0] - 1],
        lambda x: tf.tile(x, [1, tf.shape(x)[0]]),
    ],
)
def test_a_function_of_sizes_is_recorded_once_for_all(program: Any) -> None:
    recorded: list[int] = []

    @tf.function
    def function(x: Any) -> Any:
        recorded.append(x.shape[0])
        return program(x)

    for length in (3, 4, 5, 8):
        x = tf.ones([length, 4])
        assert function(x).numpy().tolist() == program(x).numpy().tolist()
    assert len(recorded) == 2  # for the first sizes, and then for all
