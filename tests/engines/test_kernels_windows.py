"""The loops for dilations, means of windows side by side and responses give what NumPy gives step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import resampling
from tapegrad.ops.nn import morphology

Array = np.ndarray[Any, Any]


def drawn(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype)
    numbers = random.normal(size=shape).astype(dtype)
    numbers.flat[:: max(1, numbers.size // 7)] = np.nan
    return numbers


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "int64"])
@pytest.mark.parametrize("channels", [1, 3, 17, 300])
@pytest.mark.parametrize(("stride", "rate"), [(1, 1), (2, 1), (1, 2), (3, 2)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_dilations_are_those_of_numpy(
    dtype: str, channels: int, stride: int, rate: int, padding: str
) -> None:
    x, filters = drawn((2, 7, 9, channels), dtype), drawn((3, 2, channels), dtype, 1)
    strides, rates = (1, stride, stride, 1), (1, rate, rate, 1)
    places = morphology._places(x, filters, strides, rates, padding)
    largest, winner = morphology._maxima(x, filters, places)
    arguments = {"strides": strides, "rates": rates, "padding": padding}
    found = tf.raw_ops.Dilation2D(input=x, filter=filters, **arguments).numpy()
    np.testing.assert_array_equal(found, largest)

    dy = drawn(largest.shape, dtype, 2)
    dy[dy != dy] = 0
    by_input = np.zeros(x.shape, dtype)
    by_filters = np.zeros(filters.shape, np.float64 if dtype == "float32" else dtype)
    for index in np.ndindex(*winner.shape):
        b, i, j, c = index
        offset = np.unravel_index(winner[index], filters.shape[:2])
        row = i * stride - places.before[0] + offset[0] * rate
        column = j * stride - places.before[1] + offset[1] * rate
        with np.errstate(over="ignore"):
            by_input[b, row, column, c] += dy[index]
            by_filters[(*offset, c)] += dy[index]
    arguments["out_backprop"] = dy
    found = tf.raw_ops.Dilation2DBackpropInput(input=x, filter=filters, **arguments).numpy()
    np.testing.assert_allclose(found, by_input, rtol=1e-5, atol=1e-5)
    found = tf.raw_ops.Dilation2DBackpropFilter(input=x, filter=filters, **arguments).numpy()
    np.testing.assert_allclose(found, by_filters, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("channels", [1, 3, 40])
@pytest.mark.parametrize("window", [(2, 2), (3, 3), (5, 4), (1, 9), (9, 1), (20, 20)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_means_of_windows_side_by_side(
    dtype: str, channels: int, window: tuple[int, int], padding: str
) -> None:
    x = np.random.default_rng(0).normal(size=(2, 11, 23, channels)).astype(dtype)
    if padding == "VALID" and window[0] > 11:
        window = (11, 20)
    found = tf.nn.avg_pool2d(x, window, 1, padding).numpy()
    before = [(size - 1) // 2 if padding == "SAME" else 0 for size in window]
    for i, j in np.ndindex(*found.shape[1:3]):
        top, left = i - before[0], j - before[1]
        part = x[:, max(top, 0) : top + window[0], max(left, 0) : left + window[1]]
        np.testing.assert_allclose(
            found[:, i, j], part.astype(np.float64).mean((1, 2)), rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("channels", [1, 2, 7, 16, 33, 256, 300])
@pytest.mark.parametrize("radius", [0, 1, 5, 1000])
def test_sums_of_neighbours_and_responses(dtype: str, channels: int, radius: int) -> None:
    # Of 16 channels more rows than are summed together, and a few besides.
    x = np.random.default_rng(0).normal(size=(3, 7, 9, channels)).astype(dtype)
    wide = x.astype(np.float64)

    def around(values: Array) -> Array:
        return np.stack(
            [values[..., max(0, c - radius) : c + radius + 1].sum(-1) for c in range(channels)],
            axis=-1,
        )

    found = resampling.sum_of_neighbours(x, radius)
    np.testing.assert_allclose(found, around(wide), rtol=1e-4, atol=1e-4)
    for beta in (0.5, 0.75, 1.0, 0.6):
        found = tf.nn.lrn(x, depth_radius=radius, bias=2.0, alpha=0.3, beta=beta).numpy()
        expected = wide * (2.0 + 0.3 * around(wide * wide)) ** -beta
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 50])
@pytest.mark.parametrize("method", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(4, 5), (13, 7), (20, 30)])
def test_resized_pictures_are_weighted_sums(
    channels: int, method: str, size: tuple[int, int]
) -> None:
    x = np.random.default_rng(0).normal(size=(2, 7, 13, channels)).astype(np.float32)
    found = [tf.image.resize(x, size, method).numpy() for _ in range(2)]
    assert (found[0] == found[1]).all()
    alone = [tf.image.resize(x[..., c : c + 1], size, method).numpy() for c in range(channels)]
    np.testing.assert_array_equal(found[1], np.concatenate(alone, axis=-1))
