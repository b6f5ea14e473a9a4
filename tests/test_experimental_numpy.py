"""``tf.experimental.numpy``: what NumPy gives, and the dtypes that TensorFlow gives."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

tnp: Any = tf.experimental.numpy
F32, I32 = tf.constant([1.0, 2.0]), tf.constant([1, 2])
NAN = float("nan")
MATRIX = np.array([[3, 1, 2], [0, 5, 4]])


def same(ours: Any, theirs: Any) -> None:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.ones([2]),
        lambda np: np.ones([2], dtype=int),
        lambda np: np.zeros_like(MATRIX),
        lambda np: np.full([2], 7),
        lambda np: np.full_like([1.0, 2.0], 3),
        lambda np: np.eye(2, 3, 1),
        lambda np: np.identity(2),
        lambda np: np.arange(3),
        lambda np: np.arange(1.0, 2.0, 0.25),
        lambda np: np.linspace(0, 1, 5),
        lambda np: np.linspace(0, 1, 5, endpoint=False),
        lambda np: np.asarray([1.0, 2]),
        lambda np: np.array(3, ndmin=2),
        lambda np: np.add(1, 2.5),
        lambda np: np.add([True], [True]),
        lambda np: np.multiply([1, 2], 1j),
        lambda np: np.true_divide(MATRIX, 2),
        lambda np: np.floor_divide([7, -7], 2),
        lambda np: np.power([1.0, 2.0], 3),
        lambda np: np.mod(-7, 3),
        lambda np: np.exp([1, 2]),
        lambda np: np.log10([1.0, 100.0]),
        lambda np: np.sqrt(4),
        lambda np: np.square(MATRIX),
        lambda np: np.hypot(3, 4),
        lambda np: np.logaddexp(1.0, 2.0),
        lambda np: np.round(1.2345, 2),
        lambda np: np.clip(MATRIX, 1, 3),
        lambda np: np.isclose([1.0, NAN, 2.0], [1.0, NAN, 3.0], equal_nan=True),
        lambda np: np.logical_and([1, 0], [2, 3]),
        lambda np: np.sum(np.array([[1, 2]], dtype=np.int32)),
        lambda np: np.sum([True, True]),
        lambda np: np.prod(MATRIX, axis=1, keepdims=True),
        lambda np: np.mean(MATRIX, axis=0),
        lambda np: np.average(MATRIX, axis=1, weights=[1.0, 2.0, 3.0]),
        lambda np: np.var(MATRIX, ddof=1),
        lambda np: np.std(MATRIX, axis=1),
        lambda np: np.max(MATRIX, axis=1),
        lambda np: np.amin(MATRIX),
        lambda np: np.any(MATRIX, axis=0),
        lambda np: np.cumsum(MATRIX),
        lambda np: np.argmax(MATRIX),
        lambda np: np.argsort(MATRIX, axis=0),
        lambda np: np.sort(MATRIX),
        lambda np: np.matmul(MATRIX, [1.0, 2.0, 3.0]),
        lambda np: np.matmul([1, 2], MATRIX),
        lambda np: np.dot(MATRIX, MATRIX.T),
        lambda np: np.outer([1, 2], [3, 4.0]),
        lambda np: np.kron([[1, 2]], MATRIX),
        lambda np: np.einsum("ij,j->i", MATRIX, [1.0, 0.0, 0.0]),
        lambda np: np.reshape(MATRIX, (3, 2), order="F"),
        lambda np: np.moveaxis(np.ones([2, 3, 4]), 0, -1),
        lambda np: np.swapaxes(MATRIX, 0, 1),
        lambda np: np.concatenate([MATRIX, [[1.0, 2.0, 3.0]]]),
        lambda np: np.vstack([[1, 2], [3, 4]]),
        lambda np: np.hstack([[1, 2], [3]]),
        lambda np: np.split(MATRIX, [1, 2], axis=1)[1],
        lambda np: np.tile([1, 2], (2, 2)),
        lambda np: np.roll(MATRIX, 1),
        lambda np: np.flip(MATRIX),
        lambda np: np.where(MATRIX > 2, MATRIX, 0.5),
        lambda np: np.nonzero(MATRIX),
        lambda np: np.select([[True, False], [False, True]], [[1, 2], [3.0, 4.0]], 9),
        lambda np: np.take(MATRIX, [0, 9], mode="wrap"),
        lambda np: np.diag([1, 2], 1),
        lambda np: np.diag(MATRIX, -1),
        lambda np: np.trace(MATRIX),
        lambda np: np.tril(MATRIX),
        lambda np: np.triu(MATRIX, 1),
        lambda np: np.meshgrid([1, 2], [3, 4, 5])[1],
        lambda np: np.finfo(np.float32).max,
        lambda np: np.size(MATRIX),
    ],
)  # fmt: skip
def test_as_numpy(call: Any) -> None:
    same(call(tnp), call(np))


@pytest.mark.parametrize(
    ("x", "y", "dtype"),
    [
        (F32, I32, "float64"),
        (F32, 1, "float32"),
        (F32, 1j, "complex64"),
        (I32, 1.5, "float64"),
        (I32, tf.constant([1, 2], tf.int64), "int64"),
        (F32, np.float64(2.0), "float64"),
        (tf.cast(F32, tf.bfloat16), F32, "float32"),
        (tf.constant(1, tf.int8), 100, "int8"),
    ],
)
def test_promotion(x: Any, y: Any, dtype: str) -> None:
    assert tnp.add(x, y).dtype == tnp.multiply(x, y).dtype == dtype
    assert tnp.result_type(x, y) == np.dtype(tf.as_dtype(dtype).as_numpy_dtype)


def test_gradients_flow() -> None:
    x = tf.constant([1.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sum(tnp.sqrt(x) * 3.0)
    assert tape.gradient(y, x).numpy().tolist() == [1.5, 0.75]


def test_random_numbers() -> None:
    tnp.random.seed(3)
    first = tnp.random.randn(2, 3)
    assert (first.dtype, first.shape) == (tf.float64, [2, 3])
    tnp.random.seed(3)
    same(tnp.random.randn(2, 3), first)
    drawn = tnp.random.uniform(2.0, 3.0, size=[100]).numpy()
    assert (drawn >= 2).all()
    assert (drawn < 3).all()
    whole = tnp.random.randint(3, size=50)
    assert whole.dtype == tf.int64
    assert set(whole.numpy().tolist()) == {0, 1, 2}


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="non-zero"):
        tnp.arange(1, 2, 0)
    with pytest.raises(ValueError, match="same length"):
        tnp.select([[True]], [], 0)
    with pytest.raises(ValueError, match="dtype_conversion_mode='x'"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="float tensor but is a int32"):
        F32 + I32


BEHAVIOR = """
import numpy as np, tapegrad as tf
tf.experimental.numpy.experimental_enable_numpy_behavior()
f, i, a = tf.constant([1.0, 2.0]), tf.constant([1, 2]), tf.constant([[1, 2], [3, 4]])
def check(tensor, dtype, value):
    assert (tensor.dtype, tensor.numpy().tolist()) == (tf.as_dtype(dtype), value), tensor
check(f + i, "float64", [2.0, 4.0])
check(i * 1.5, "float64", [1.5, 3.0])
check(f * 1j, "complex64", [1j, 2j])
check(tf.constant(2.0, tf.float64) * 1j, "complex128", 2j)
check(i / 2, "float64", [0.5, 1.0])
check(i // tf.constant(2, tf.int64), "int64", [0, 1])
check(f == i, "bool", [True, True])
check(f < tf.constant(1.5, tf.float64), "bool", [True, False])
check(2 * f, "float32", [2.0, 4.0])
check(tf.constant(1, tf.int8) + 1000, "int8", -23)
check(tf.constant([True]) + tf.constant([1]), "int32", [2])
check(a @ tf.experimental.numpy.ones([2, 2]), "float64", [[3.0, 3.0], [7.0, 7.0]])
check(a[[0, 1], [1, 0]], "int32", [2, 3])
check(a[a > 2], "int32", [3, 4])
check(a[:, [1]], "int32", [[2], [4]])
check(a[np.array([1, 0])], "int32", [[3, 4], [1, 2]])
check(a[..., None, [0]], "int32", [[[1]], [[3]]])
check(a[1], "int32", [3, 4])
check(a.T, "int32", [[1, 3], [2, 4]])
check(a.astype(np.float32), "float32", [[1.0, 2.0], [3.0, 4.0]])
check(a.reshape(4), "int32", [1, 2, 3, 4])
check(a.reshape(2, -1, order="F"), "int32", [[1, 2], [3, 4]])
check(a.max(axis=0), "int32", [3, 4])
check(a.mean(), "float64", 2.5)
check(a.clip(2, 3), "int32", [[2, 2], [3, 3]])
assert (a.size, a.tolist(), a.ravel().shape) == (4, [[1, 2], [3, 4]], [4])
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = (x[[0, 0], [1, 1]] * i).T.reshape(2)
check(tape.gradient(y, x), "float32", [[0.0, 3.0], [0.0, 0.0]])
for wrong in (lambda: tf.add(f, i), lambda: f.nothing, lambda: i + "a"):
    try:
        wrong()
    except (tf.errors.InvalidArgumentError, AttributeError, TypeError, ValueError):
        continue
    raise SystemExit("taken")
"""


def test_the_behavior_of_numpy() -> None:
    """In a process of its own: it cannot be switched off."""
    finished = subprocess.run(
        [sys.executable, "-c", BEHAVIOR], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
