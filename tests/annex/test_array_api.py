"""The array API standard: what tensors and their namespace have, and that tapes and recordings follow it.

The standard's own tests are not here: ``make array-api-tests``.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import check_gradient

ROOT = Path(__file__).resolve().parents[2]
xp: Any = tf.constant(0.0).__array_namespace__()


# What a tensor has


def test_every_tensor_gives_the_namespace() -> None:
    for value in (1.0, [True], tf.zeros([2, 0], tf.int8)):
        tensor: Any = tf.constant(value)
        assert tensor.__array_namespace__(api_version="2024.12") is xp
    assert importlib.import_module("tapegrad.array_api") is xp
    assert importlib.import_module("tapegrad.array_api.linalg") is xp.linalg
    with pytest.raises(ValueError, match=r"api_version='1999\.1' came"):
        tensor.__array_namespace__(api_version="1999.1")


def test_attributes_of_the_standard() -> None:
    x = tf.constant([[[1, 2], [3, 4], [5, 6]]])
    assert x.size == 6
    assert x.mT.shape == (1, 2, 3)
    assert x[0].T.numpy().tolist() == [[1, 3, 5], [2, 4, 6]]
    assert not hasattr(x, "T")  # three axes
    assert not hasattr(x[0, 0], "mT")
    for device in (x.device, "cpu", *xp.__array_namespace_info__().devices()):
        assert x.to_device(device).numpy().tolist() == x.numpy().tolist()
        assert xp.ones(2, device=device).device == x.device
    with pytest.raises(ValueError, match="device='gpu' came"):
        x.to_device("gpu")
    with pytest.raises(AttributeError):
        tf.Variable(1.0).__array_namespace__()


def test_operators_that_tensorflow_lacks() -> None:
    x = tf.constant([1, -3], tf.int16)
    assert (x << 2).numpy().tolist() == [4, -12]
    assert (x >> 1).numpy().tolist() == [0, -2]
    assert (1 << tf.constant([3], tf.int16)).numpy().tolist() == [8]
    y = +tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = +y * 3.0
    assert tape.gradient(z, y).numpy() == 3.0


def test_operators_stay_tensorflows() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="never mixed"):
        tf.constant(1, tf.int8) + tf.constant(1, tf.int16)
    assert xp.add(tf.constant(1, tf.int8), tf.constant(1, tf.int16)).dtype is tf.int16


def test_numpy_behavior_keeps_its_own_attributes() -> None:
    program = """
import tapegrad as tf
x = tf.ones([1, 2, 3])
assert not hasattr(x, "T") and type(x.size) is int
tf.experimental.numpy.experimental_enable_numpy_behavior()
assert x.T.shape == (3, 2, 1) and x.mT.shape == (1, 3, 2)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# Dtypes


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ("int8", "uint8", "int16"),
        ("uint32", "int8", "int64"),
        ("float32", "float64", "float64"),
        ("float64", "complex64", "complex128"),
        ("bfloat16", "float32", "float32"),
    ],
)
def test_promotion(first: str, second: str, result: str) -> None:
    x, y = tf.ones([2], first), tf.ones([2], second)
    for found in (xp.result_type(x, second), xp.add(x, y).dtype, xp.concat([y, x]).dtype):
        assert found is getattr(tf, result)


def test_numbers_of_python_give_way() -> None:
    x = tf.constant([1.0])
    assert xp.add(x, 1).dtype is xp.result_type(x, 1.0) is tf.float32
    assert xp.where(x > 0, x, 0).dtype is tf.float32
    assert xp.asarray([1]).dtype is tf.int64
    defaults = xp.__array_namespace_info__().default_dtypes()
    assert defaults["real floating"] is xp.ones(1).dtype is tf.float64


def test_limits_and_kinds() -> None:
    assert xp.finfo(tf.complex64) == xp.finfo(tf.float32)
    assert xp.finfo(tf.float64).eps == 2.0**-52
    assert xp.finfo(tf.bfloat16).bits == 16
    assert (xp.iinfo(tf.uint8).min, xp.iinfo(tf.uint8).max) == (0, 255)
    assert xp.isdtype(tf.int8, ("real floating", "signed integer"))
    assert not xp.isdtype(tf.bool, "numeric")
    with pytest.raises(ValueError, match="no kind of dtypes"):
        xp.isdtype(tf.int8, "number")
    with pytest.raises(TypeError, match="take real"):
        xp.astype(tf.constant(1j), tf.float64)


# Values, gradients and recordings


def reals(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).uniform(0.2, 0.9, shape)


SQUARE = reals(3, 3) + 2 * np.eye(3)
SYMMETRIC = SQUARE @ SQUARE.T

# Functions that are more than a name for one of tf, and what NumPy gives.
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[Any]]] = {
    "hypot": (lambda x, y: xp.hypot(x, y), np.hypot, [reals(3), reals(2, 1)]),
    "copysign": (
        lambda x, y: xp.copysign(x, -y) * y,
        lambda x, y: np.copysign(x, -y) * y,
        [reals(3), reals(3)],
    ),
    "clip": (lambda x: xp.clip(x, 0.3, 0.7), lambda x: np.clip(x, 0.3, 0.7), [reals(9)]),
    "trunc": (lambda x: xp.trunc(3 * x) * x, lambda x: np.trunc(3 * x) * x, [reals(5)]),
    "var": (
        lambda x: xp.var(x, axis=(0, 2), correction=1),
        lambda x: np.var(x, (0, 2), ddof=1),
        [reals(2, 3, 4)],
    ),
    "std": (lambda x: xp.std(x, correction=1.5), lambda x: np.std(x, ddof=1.5), [reals(2, 3)]),
    "cumulative_prod": (
        lambda x: xp.cumulative_prod(x, include_initial=True),
        lambda x: np.concatenate([[1.0], np.cumprod(x)]),
        [reals(4)],
    ),
    "sort": (
        lambda x: xp.sort(x, axis=0, descending=True),
        lambda x: np.sort(x, 0)[::-1],
        [reals(4, 2)],
    ),
    "take": (
        lambda x: xp.take(x, tf.constant([-1, 0]), axis=1),
        lambda x: x[:, [-1, 0]],
        [reals(2, 3)],
    ),
    "diff": (
        lambda x: xp.diff(x, n=2, axis=0, append=x[:1]),
        lambda x: np.diff(x, 2, 0, append=x[:1]),
        [reals(4, 2)],
    ),
    "unique_values": (xp.unique_values, np.unique, [np.array([0.5, 0.25, 0.75])]),
    "vecdot": (
        lambda x, y: xp.vecdot(x, y, axis=0),
        lambda x, y: np.sum(x * y, 0),
        [reals(3, 2), reals(3, 1)],
    ),
    "solve": (
        lambda a, b: xp.linalg.solve(a, b),
        lambda a, b: np.linalg.solve(a, b),
        [SQUARE, reals(3)],
    ),
    "matrix_power": (
        lambda a: xp.linalg.matrix_power(a, -3),
        lambda a: np.linalg.matrix_power(a, -3),
        [SQUARE],
    ),
    "pinv": (lambda a: xp.linalg.pinv(a), np.linalg.pinv, [reals(4, 3)]),
    "cholesky": (
        lambda a: xp.linalg.cholesky(a + xp.matrix_transpose(a), upper=True),
        lambda a: np.linalg.cholesky(a + a.T).T,
        [SYMMETRIC],
    ),
    "nuclear": (
        lambda a: xp.linalg.matrix_norm(a, ord="nuc"),
        lambda a: np.linalg.norm(a, "nuc"),
        [SQUARE],
    ),
    "vector_norm": (
        lambda x: xp.linalg.vector_norm(x, axis=(0, 1), ord=3),
        lambda x: np.sum(np.abs(x) ** 3) ** (1 / 3),
        [reals(2, 3)],
    ),
    "rfft": (
        lambda x: xp.abs(xp.fft.rfft(x, n=6, axis=0, norm="ortho")),
        lambda x: np.abs(np.fft.rfft(x, 6, 0, "ortho")),
        [reals(4, 2)],
    ),
    "irfftn": (
        lambda x: xp.fft.irfftn(xp.astype(x, xp.complex128), s=(3, 5)),
        lambda x: np.fft.irfftn(x, (3, 5), (0, 1)),
        [reals(2, 4)],
    ),
    "hfft": (
        lambda x: xp.fft.hfft(x, norm="forward"),
        lambda x: np.fft.hfft(x, norm="forward"),
        [reals(5)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_gradients_and_recordings(name: str) -> None:
    function, expected, inputs = FUNCTIONS[name]
    tensors = [tf.constant(x) for x in inputs]
    answer = expected(*inputs)
    np.testing.assert_allclose(function(*tensors), answer, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(tf.function(function)(*tensors), answer, rtol=1e-10, atol=1e-12)
    check_gradient(function, *tensors)


def test_sets() -> None:
    nan = float("nan")
    found = xp.unique_all(tf.constant([[3.0, nan, 1.0], [1.0, 3.0, nan]]))
    assert found.values.numpy()[:2].tolist() == [1.0, 3.0]
    assert np.isnan(found.values.numpy()[2:]).all()
    assert found.indices.numpy().tolist() == [2, 0, 1, 5]
    assert found.counts.numpy().tolist() == [2, 2, 1, 1]
    assert found.inverse_indices.numpy().tolist() == [[1, 2, 0], [0, 1, 3]]
    assert xp.unique_counts(tf.constant([1j, 1.0, 1j])).counts.numpy().tolist() == [2, 1]
    assert xp.unique_inverse(tf.zeros([0])).inverse_indices.shape == (0,)
    assert xp.isin(tf.constant([1, 5]), tf.constant([5, 7])).numpy().tolist() == [False, True]
    assert xp.isin(tf.constant([1, 5]), tf.zeros([0], tf.int32)).numpy().tolist() == [False, False]


def test_imaginary_numbers_are_true() -> None:
    x = tf.constant([0j, 1j, 1.0])
    assert xp.count_nonzero(x).numpy() == 2
    assert xp.nonzero(x)[0].numpy().tolist() == [1, 2]
    assert xp.astype(x, xp.bool).numpy().tolist() == [False, True, True]
    assert xp.all(x[1:]).numpy()
    assert xp.any(x[:2]).numpy()


def test_signs_of_zero_and_nan() -> None:
    x = tf.constant([-0.0, 0.0, float("nan"), -float("nan"), -1.0])
    assert xp.signbit(x).numpy().tolist() == np.signbit(x).tolist()
    halves = tf.cast(x, tf.bfloat16)
    assert xp.signbit(halves).numpy().tolist() == np.signbit(x).tolist()


def test_what_is_wrong_is_refused() -> None:
    x = tf.ones([2, 3])
    for call, error in (
        (lambda: xp.squeeze(x, 0), ValueError),
        (lambda: xp.expand_dims(x, 5), IndexError),
        (lambda: xp.take(x, tf.constant([0])), ValueError),
        (lambda: xp.matrix_transpose(x[0]), ValueError),
        (lambda: xp.nonzero(tf.constant(1)), ValueError),
        (lambda: xp.cumulative_sum(x), ValueError),
        (lambda: xp.linalg.cross(x, x[:, :2]), ValueError),
        (lambda: xp.linalg.qr(x, mode="raw"), ValueError),
        (lambda: xp.linalg.matrix_norm(x, ord=7), ValueError),
        (lambda: xp.fft.fft(x, norm="none"), ValueError),
        (lambda: xp.fft.fft(x, n=0), ValueError),
        (lambda: xp.asarray([1.0], copy=False), ValueError),
        (lambda: xp.iinfo(tf.float32), TypeError),
    ):
        with pytest.raises(error):
            call()


def test_memory_of_another_library_is_borrowed() -> None:
    array = np.arange(3.0)
    assert np.shares_memory(np.asarray(xp.from_dlpack(array)), array)
    assert not np.shares_memory(np.asarray(xp.from_dlpack(array, copy=True)), array)


# The document


def programs(section: str) -> tuple[str, str]:
    """The program of a section of docs/arrays.md, and what it prints."""
    text = (ROOT / "docs" / "arrays.md").read_text()
    (body,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    (code,) = re.findall(r"^```python\n(.*?)^```", body, re.MULTILINE | re.DOTALL)
    printed = re.findall(r"^    (.*\n)", body.split("```")[2], re.MULTILINE)
    return code, "".join(printed)


@pytest.mark.parametrize(
    ("section", "package", "oldest"), [("SciPy", "scipy", 15), ("scikit-learn", "sklearn", 6)]
)
def test_the_programs_of_the_document(section: str, package: str, oldest: int) -> None:
    # scikit-learn is no dependency of the tests, and older ones of both do not know the standard.
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    version = importlib.import_module(package).__version__
    if int(version.split(".")[1]) < oldest:
        pytest.skip(f"{package} {version} does not compute with other arrays")
    code, printed = programs(section)
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
    )
    assert finished.stdout == printed, finished.stderr
