"""Compiled ways through ops that move elements, beside NumPy's: layouts, dtypes, empty arrays, many axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.core import number_tensor, plain_numbers

SHAPES = [(5,), (3, 4), (2, 3, 4), (1, 7), (4, 1, 3, 2, 2), (0, 3), (300, 257)]
DTYPES = [np.int8, np.float16, np.float32, np.complex128]


def arrays(shape: tuple[int, ...], dtype: Any) -> list[Any]:
    """The same numbers in C order, in Fortran's, and as every other element of a larger array."""
    numbers = np.random.default_rng(len(shape)).integers(-9, 9, shape).astype(dtype)
    wide = np.repeat(numbers, 2, axis=-1)
    return [
        tf.constant(numbers),
        tf.transpose(tf.constant(np.ascontiguousarray(numbers.T))),
        tf.constant(wide)[..., ::2],
    ]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_roll(shape: tuple[int, ...], dtype: Any) -> None:
    generator = np.random.default_rng(1)
    for tensor in arrays(shape, dtype):
        for count in (1, 3):
            axes = [int(axis) for axis in generator.integers(-len(shape), len(shape), count)]
            shifts = [int(shift) for shift in generator.integers(-20, 20, count)]
            expected = tensor.numpy()
            for shift, axis in zip(shifts, axes, strict=True):
                expected = np.roll(expected, shift, axis)
            np.testing.assert_array_equal(tf.roll(tensor, shifts, axes).numpy(), expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_tile(shape: tuple[int, ...], dtype: Any) -> None:
    multiples = [1 + place % 3 for place in range(len(shape))]
    for tensor in arrays(shape, dtype):
        expected = np.tile(tensor.numpy(), multiples)
        np.testing.assert_array_equal(tf.tile(tensor, multiples).numpy(), expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pad(shape: tuple[int, ...], dtype: Any) -> None:
    paddings = [[place % 3, 2 - place % 2] for place in range(len(shape))]
    for tensor in arrays(shape, dtype):
        zeros = tf.pad(tensor, paddings).numpy()
        np.testing.assert_array_equal(zeros, np.pad(tensor.numpy(), paddings))
        sevens = tf.pad(tensor, paddings, constant_values=7).numpy()
        np.testing.assert_array_equal(sevens, np.pad(tensor.numpy(), paddings, constant_values=7))


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 0 not in shape])
@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_mirrors(shape: tuple[int, ...], mode: str) -> None:
    edge = mode == "REFLECT"
    most = [[size - edge, (size - edge) // 2] for size in shape]
    for tensor in arrays(shape, np.float32):
        expected = np.pad(tensor.numpy(), most, mode.lower())  # type: ignore[call-overload]
        np.testing.assert_array_equal(tf.pad(tensor, most, mode).numpy(), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (2, 3, 3), (0, 3), (2, 0, 0)])
def test_trace(shape: tuple[int, ...], dtype: Any) -> None:
    for tensor in arrays(shape, dtype):
        expected = np.trace(tensor.numpy(), axis1=-2, axis2=-1)
        np.testing.assert_array_equal(tf.linalg.trace(tensor).numpy(), expected)


@pytest.mark.parametrize(("length", "step"), [(1, 1), (3, 2), (5, 1), (2, 7), (9, 1), (10, 1)])
def test_frames(length: int, step: int) -> None:
    for tensor in arrays((2, 9), np.float32):
        frames = tf.signal.frame(tensor, length, step).numpy()
        starts = range(0, 9 - length + 1, step)
        expected = [[row[start : start + length] for start in starts] for row in tensor.numpy()]
        np.testing.assert_array_equal(frames, np.reshape(expected, (2, len(starts), length)))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1, 2], "int32"),
        ([[1, 2], [3, 4]], "int32"),
        (((1.0, 2.0),), "float32"),
        ([1, 2.5], "float32"),
        ([[2.5, 1], [0, 1]], "float32"),
        ([[True], [False]], "bool"),
        ([], "float32"),
        ([[]], "float32"),
        (["a", b"b"], object),
    ],
)
def test_plain_numbers(value: Any, dtype: Any) -> None:
    found = plain_numbers(value, None)
    assert found is not None
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, core.callbacks().convert(value, None).numpy())


@pytest.mark.parametrize(
    "value",
    [
        [[1], [2, 3]],
        [1, [2]],
        [True, 1],
        [1, True],
        [2**31],
        [1e39],
        [["a"]],
        ["a", 1],
        ["\ud800"],
        [1j],
        [None],
        [0] * 1000,
    ],
)
def test_numbers_left_to_the_slow_way(value: Any) -> None:
    assert plain_numbers(value, None) is None


def test_numbers_suit_the_dtype() -> None:
    assert plain_numbers([1.0], tf.int32) is None
    assert plain_numbers([1], tf.uint8) is None
    assert number_tensor(1.5, tf.int32) is None
    assert number_tensor("a", tf.float32) is None
    assert number_tensor(None, None) is None
    two = number_tensor(2, tf.float64)
    assert two is not None
    assert two.dtype is tf.float64
    assert number_tensor(2, tf.float64) is not two  # a user may watch it
