"""Sizes that no machine has memory for, and ranks that NumPy has no arrays for: an error that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf

SIZE = 10**15
LINE = 4 * 10**7
SIDE = 10**8

TOO_LARGE: dict[str, Callable[[], Any]] = {
    "zeros": lambda: tf.zeros([SIZE]),
    "ones": lambda: tf.ones([SIZE], tf.int64),
    "fill": lambda: tf.fill([SIZE], 1.0),
    "constant": lambda: tf.constant(1.0, shape=[SIZE]),
    "eye": lambda: tf.eye(SIDE),
    "range": lambda: tf.range(SIZE),
    "linspace": lambda: tf.linspace(0.0, 1.0, SIZE),
    "one_hot": lambda: tf.one_hot([0], SIZE),
    "sequence_mask": lambda: tf.sequence_mask(3, SIZE),
    "broadcast_to": lambda: tf.broadcast_to(1.0, [SIZE]),
    "broadcast_to of rows": lambda: tf.broadcast_to([1.0, 2.0], [SIZE, 2]),
    "tile": lambda: tf.tile([1.0], [SIZE]),
    "repeat": lambda: tf.repeat([1.0], SIZE),
    "pad": lambda: tf.pad([1.0], [[0, SIZE]]),
    "meshgrid": lambda: tf.meshgrid(tf.zeros([LINE]), tf.zeros([LINE])),
    "a sum that broadcasts": lambda: tf.zeros([LINE, 1]) + tf.zeros([1, LINE]),
    "matmul": lambda: tf.matmul(tf.zeros([LINE, 1]), tf.zeros([1, LINE])),
    "scatter_nd": lambda: tf.scatter_nd([[0]], [1.0], tf.constant([SIZE])),
    "unsorted_segment_sum": lambda: tf.math.unsorted_segment_sum([1.0], [0], tf.constant(SIZE)),
    "bincount": lambda: tf.math.bincount([1], minlength=SIZE),
    "IndexedSlices": lambda: tf.convert_to_tensor(
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([SIZE]))
    ),
    "to_dense": lambda: tf.sparse.to_dense(tf.SparseTensor([[0]], [1.0], [SIZE])),
    "resize": lambda: tf.image.resize(tf.ones([1, 2, 2, 1]), [SIDE, SIDE]),
    "hann_window": lambda: tf.signal.hann_window(SIZE),
    "kaiser_window": lambda: tf.signal.kaiser_window(SIZE),
    "linear_to_mel_weight_matrix": lambda: tf.signal.linear_to_mel_weight_matrix(SIZE, 129),
    "rfft": lambda: tf.signal.rfft([1.0], [SIZE]),
    "TensorArray": lambda: tf.TensorArray(tf.float32, SIZE),
    "normal": lambda: tf.random.normal([SIZE]),
    "stateless_uniform": lambda: tf.random.stateless_uniform([SIZE], [1, 2]),
    "gamma": lambda: tf.random.gamma([SIZE], 1.0),
    "poisson": lambda: tf.random.poisson([SIZE], 1.0),
    "truncated normal": lambda: tf.random.stateless_parameterized_truncated_normal([SIZE], [1, 2]),
    "categorical": lambda: tf.random.categorical([[0.0]], SIZE),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large(name: str) -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError):
        TOO_LARGE[name]()


AXES = [1] * 65
TOO_DEEP: dict[str, Callable[[], Any]] = {
    "zeros": lambda: tf.zeros(AXES),
    "broadcast_to": lambda: tf.broadcast_to(1.0, AXES),
    "normal": lambda: tf.random.normal(AXES),
    "gamma": lambda: tf.random.gamma(AXES, 1.0),
    "gamma of a vector": lambda: tf.random.gamma(AXES[1:], [1.0]),
    "poisson": lambda: tf.random.poisson(AXES, 1.0),
    "poisson of a vector": lambda: tf.random.poisson(AXES[1:], [1.0]),
    "stateless_gamma": lambda: tf.random.stateless_gamma(AXES, [1, 2], 1.0),
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_too_many_axes(name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        TOO_DEEP[name]()


@pytest.mark.parametrize("rank", [33, 64])
def test_as_many_axes_as_numpy_has(rank: int) -> None:
    for draw in (
        lambda shape: tf.random.poisson(shape, 2.0),
        lambda shape: tf.random.gamma(shape, 2.0),
        tf.random.normal,
        tf.zeros,
    ):
        assert draw([1] * rank).shape.rank == rank
