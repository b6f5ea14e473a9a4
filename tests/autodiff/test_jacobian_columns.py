"""Jacobians that are taller than wide, by columns; and the memory of Jacobians that come in chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.autodiff import jacobian
from tapegrad.engines.numpy import buffers

W = tf.constant(np.random.default_rng(0).normal(size=(400, 3)))
X = tf.constant([0.5, -1.0, 2.0], tf.float64)
Tall = Callable[[Any], Any]


def tall(x: Any) -> Any:
    return tf.tanh(tf.linalg.matvec(W, x)) * tf.reduce_sum(x)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each Jacobian from now on, whether it went by columns."""
    taken: list[bool] = []
    whole = jacobian.columns_of

    def columns_of(*args: Any) -> Any:
        columns = whole(*args)
        taken.append(columns is not None)
        return columns

    monkeypatch.setattr(jacobian, "columns_of", columns_of)
    return taken


def by_rows(function: Tall, x: Any) -> Any:
    """The Jacobian from one gradient for each row."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        rows = tf.unstack(tf.reshape(function(x), [-1]))
    return np.stack([tf.convert_to_tensor(tape.gradient(row, x)).numpy() for row in rows])


def test_a_tall_jacobian_goes_by_columns(ways: list[bool]) -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tall(X)
    found = tape.jacobian(y, X)
    np.testing.assert_allclose(found, by_rows(tall, X), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found, tf.autodiff.jacfwd(tall)(X), rtol=1e-12, atol=1e-14)
    with pytest.raises(RuntimeError):
        tape.jacobian(y, X)
    assert ways == [True]


def test_a_wide_or_small_jacobian_goes_by_rows(ways: list[bool]) -> None:
    for function in (lambda x: tf.reduce_sum(x) * x, lambda x: x[:1], lambda x: tall(x)[:100]):
        tf.autodiff.jacrev(function)(X)
    assert ways == [False, False, False]


def test_several_sources_unconnected_ones_and_a_persistent_tape(ways: list[bool]) -> None:
    scale, other = tf.Variable(2.0, dtype=tf.float64), tf.Variable([1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = tall(X) * scale
    for _ in range(2):
        by_x, by_scale, by_other = tape.jacobian(y, [X, scale, other])
        np.testing.assert_allclose(by_x, 2 * by_rows(tall, X), rtol=1e-12)
        np.testing.assert_allclose(by_scale, tall(X))
        assert by_other is None
    assert tape.jacobian(y, other, unconnected_gradients="zero").numpy().shape == (400, 1)
    assert tape.jacobian(y, {"x": X, "y": y[:0]})["x"].shape == [400, 3]
    assert all(ways)


def test_rows_of_a_table_and_other_dtypes(ways: list[bool]) -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def function(_: Any) -> Any:
        rows = tf.cast(tf.gather(table, [1, 0, 1]), tf.float64)
        return tf.reduce_sum(tf.linalg.matmul(rows, W[:, :2], transpose_b=True) ** 2, 0)

    with tf.GradientTape() as tape:
        y = function(table)
    found = tape.jacobian(y, table)
    assert found.dtype == tf.float32
    assert found.shape == [400, 2, 2]
    np.testing.assert_allclose(found, by_rows(function, table), rtol=1e-5)
    assert ways == [True]


def test_a_batch_jacobian_by_columns(ways: list[bool]) -> None:
    x = tf.constant(np.random.default_rng(1).normal(size=(5, 3, 1)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x[..., 0], W, transpose_b=True))[:, None]
    found = tape.batch_jacobian(y, x)
    assert found.shape == [5, 1, 400, 3, 1]
    for i in range(5):
        rows = by_rows(lambda x: tf.tanh(tf.linalg.matvec(W, x[:, 0])), x[i])
        np.testing.assert_allclose(found[i, 0], rows, rtol=1e-12)
    np.testing.assert_array_equal(tape.batch_jacobian(y, x, parallel_iterations=2), found)
    assert ways == [True, True]


def test_further_derivatives_of_columns(ways: list[bool]) -> None:
    """Outer tapes, tapes still open, accumulators and chunks see one and the same function."""
    v = tf.constant([1.0, 0.5, -1.0], tf.float64)

    def matrix(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tall(x)
        return tape.jacobian(y, x, parallel_iterations=2)

    with tf.autodiff.ForwardAccumulator(X, v) as acc, tf.GradientTape() as outer:
        outer.watch(X)
        first = matrix(X)
        total = tf.reduce_sum(first**2)
    slope = outer.gradient(total, X)
    step = 1e-6
    moved = (matrix(X + step * v) - matrix(X - step * v)) / (2 * step)
    np.testing.assert_allclose(acc.jvp(first), moved, atol=1e-8)
    there = tf.reduce_sum(slope * v)
    np.testing.assert_allclose(there, tf.reduce_sum(2 * first * acc.jvp(first)), rtol=1e-10)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        inside = tape.jacobian(tall(X), X)
        total = tf.reduce_sum(inside, 0)
    np.testing.assert_allclose(inside, first, rtol=1e-12)
    second = tape.jacobian(total, X)
    np.testing.assert_allclose(second, tf.transpose(second), rtol=1e-10)
    assert all(ways[:-1])


def test_columns_in_a_recorded_function_and_over_a_map(ways: list[bool]) -> None:
    @tf.function  # type: ignore[untyped-decorator]
    def matrix(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tall(x)
        return tape.jacobian(y, x)

    for x in (X, 2.0 * X, X - 1.0):
        np.testing.assert_allclose(matrix(x), by_rows(tall, x), rtol=1e-10, atol=1e-13)
    assert ways[0]
    rows = tf.Variable(np.random.default_rng(2).normal(size=(100, 3)))

    def mapped(x: Any) -> Any:
        return tf.reshape(tf.vectorized_map(lambda w: tf.sin(w * x) * x[0], rows), [-1])

    ways.clear()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = mapped(X)
    np.testing.assert_allclose(tape.jacobian(y, X), by_rows(mapped, X), rtol=1e-12)
    assert ways == [True]


@tf.custom_gradient  # type: ignore[untyped-decorator]
def _clipped(x: Any) -> Any:
    return tf.identity(x), lambda dy: tf.clip_by_value(dy, -0.5, 0.5)


UNKNOWN = {
    "a custom gradient": _clipped,
    "recompute_grad": tf.recompute_grad(tf.tanh),
    "complex numbers": lambda x: tf.math.real(tf.cast(x, tf.complex128) ** 2),
    "an infinite factor": lambda x: x * np.inf,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_columns_cannot_do_goes_by_rows(name: str, ways: list[bool]) -> None:
    """Complex numbers between real ones go by columns, too."""

    def function(x: Any) -> Any:
        return UNKNOWN[name](tall(x))

    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = function(X)
        np.testing.assert_allclose(tape.jacobian(y, X), by_rows(function, X), rtol=1e-12)
    assert ways == [name == "complex numbers"] * 2


def test_a_registered_gradient_goes_by_rows() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = tall(X)
        z = _clipped(y)
    assert core.has_transpose(tape._tape, y, [X])
    assert not core.has_transpose(tape._tape, z, [X])
    assert core.has_transpose(tape._tape, z, [tf.Variable(1.0)])


@pytest.mark.parametrize("rows", [200, 800])
@pytest.mark.parametrize("columns", [20, 400])
def test_memory_grows_with_the_chunk_and_not_with_the_jacobian(rows: int, columns: int) -> None:
    """Tall ones by columns and wide ones by rows: beyond the result, a walk and a half at most."""
    x, other = tf.ones([columns], tf.float64), tf.ones([rows, 1], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(other * tf.exp(x * 1e-3)), 1)
    result, kept = rows * columns * 8, rows * columns * 8

    def extra(**options: Any) -> int:
        """Bytes on loan at most, but for the result."""
        before = buffers.statistics()["in_use"]
        buffers.reset_peak()
        tape.jacobian(y, x, **options)
        return int(buffers.statistics()["most"]) - before - result

    for size in (2, 16):
        assert extra(parallel_iterations=size) <= 3.5 * size * kept + 2**20
    assert extra() <= 3.5 * max(jacobian.CHUNK_BYTES, kept) + 2**20
