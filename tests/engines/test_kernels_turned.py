"""Two operands of which one or both lie transposed, beside NumPy's answers: tile by tile, or copied first."""

import itertools

import numpy as np
import pytest

import tapegrad as tf

SHAPES = [(64, 64), (65, 130), (33, 257), (2, 4000), (4000, 2), (3, 70, 41), (2, 3, 40, 35)]


def laid_out(array):
    """``array`` as it is, and with its last axis exchanged with each of the others in memory."""
    yield array
    for axis in range(array.ndim - 1):
        yield np.ascontiguousarray(array.swapaxes(axis, -1)).swapaxes(axis, -1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16", "complex64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_and_differences_of_turned_operands(shape, dtype):
    random = np.random.default_rng(1)
    x, y = (np.round(random.standard_normal(shape) * 90).astype(dtype) for _ in range(2))
    for a, b in itertools.product(laid_out(x), laid_out(y)):
        np.testing.assert_array_equal(tf.subtract(a, b).numpy(), x - y, strict=True)
    a = list(laid_out(x))[-1]
    np.testing.assert_array_equal(tf.equal(a, y).numpy(), x == y, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_turned_operands_that_broadcast(dtype):
    random = np.random.default_rng(2)
    x = random.standard_normal((150, 90)).astype(dtype).T
    for shape in ((), (150,), (1, 150), (90, 1), (3, 90, 150), (3, 1, 150)):
        y = random.standard_normal(shape).astype(dtype)
        np.testing.assert_array_equal(tf.subtract(x, y).numpy(), x - y, strict=True)
        np.testing.assert_array_equal(tf.subtract(y, x).numpy(), y - x, strict=True)


def test_turned_operands_with_gaps_and_backwards():
    random = np.random.default_rng(3)
    wide = random.standard_normal((200, 180))
    y = random.standard_normal((90, 100))
    for x in (wide[::2, :90].T, wide[199:99:-1, :90].T, wide[:100, 90:].T[::-1]):
        np.testing.assert_array_equal(tf.subtract(x, y).numpy(), x - y, strict=True)
        np.testing.assert_array_equal(tf.subtract(y[::-1], x).numpy(), y[::-1] - x, strict=True)
    strided = random.standard_normal((90, 200))[:, ::2]
    np.testing.assert_array_equal(
        tf.subtract(strided, wide[:100, :90].T).numpy(), strided - wide[:100, :90].T
    )
