"""Exponentials, logarithms and square roots of matrices: how exact they are, and that they always end.

The exact exponential comes from Taylor's series in whole numbers, each standing for itself times
``2 ** -bits``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import threads
from tapegrad.ops.linalg.exponential import COEFFICIENTS, LIMITS, ONE_BY_ONE
from tapegrad.testing import check_gradient

Matrix = Any
inf, nan = float("inf"), float("nan")

numbers = np.random.default_rng(37)


def normal(*shape: int) -> Matrix:
    return numbers.normal(size=shape)


def whole(matrix: Matrix, bits: int) -> Matrix:
    return np.vectorize(lambda x: int(Fraction(float(x)) * 2**bits), otypes=[object])(matrix)


def as_real(matrix: Matrix) -> Matrix:
    """A complex matrix as a real one of twice the size, whose exponential is that of the matrix."""
    if matrix.dtype.kind != "c":
        return matrix
    return np.block([[matrix.real, -matrix.imag], [matrix.imag, matrix.real]])


def exact(matrix: Matrix, bits: int) -> Matrix:
    halvings = halvings_of(matrix)
    part = whole(matrix, bits) >> halvings
    one = whole(np.eye(len(matrix)), bits)
    term, total = one, one
    for n in range(1, 2000):
        term = (term @ part >> bits) // n
        if not term.any():
            break
        total = total + term
    for _ in range(halvings):
        total = total @ total >> bits
    return total


def halvings_of(matrix: Matrix) -> int:
    return max(int(np.log2(np.abs(matrix).sum(0).max() + 1)) + 6, 0)


def error(matrix: Matrix) -> float:
    """The error of the exponential by the 1-norm, in units of the last digit of the exact one's."""
    found = tf.linalg.expm(tf.constant(matrix)).numpy()
    assert found.dtype == matrix.dtype
    unit = np.finfo(matrix.dtype).eps
    found, matrix = as_real(found), as_real(matrix).astype(np.float64)
    # Each square doubles the error, and a falling exponential is as small as exp(-norm).
    bits = 100 + 2 * halvings_of(matrix) + 3 * min(int(np.abs(matrix).sum(0).max()), 200)
    right = exact(matrix, bits)
    difference = np.abs(whole(found, bits) - right).sum(0).max()
    return float(Fraction(difference, np.abs(right).sum(0).max())) / float(unit)


DTYPES = ("float32", "float64", "complex64", "complex128")


def of(dtype: str, matrix: Matrix) -> Matrix:
    if dtype.startswith("complex"):
        matrix = matrix + 1j * matrix[::-1]
    return matrix.astype(dtype)


# A norm below each limit, and some beyond. Rounding a matrix changes its exponential by its norm times as
# much.
@pytest.mark.parametrize("norm", [0.01, 0.2, 0.9, 2.0, 5.0, 8.0, 30.0, 80.0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials_of_every_order(dtype: str, norm: float) -> None:
    for size in (1, 2, 3, 7):
        matrix = of(dtype, normal(size, size))
        matrix *= norm / np.abs(matrix).sum(0).max()
        assert error(matrix) < (1 if dtype in ("float32", "complex64") else 4 + 2 * norm)


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials_of_turning_and_falling_matrices(dtype: str) -> None:
    matrix = normal(5, 5)
    for special in (3 * (matrix - matrix.T), -matrix @ matrix.T):
        assert error(of(dtype, special)) < (1 if dtype in ("float32", "complex64") else 60)


# Powers of these are far smaller than their norms. Halved as often as the norms say, they would lose all
# digits.
GRADED = {
    "nilpotent": np.array([[0.0, 1e10], [0.0, 0.0]]),
    "far nilpotent": np.array([[0.0, 1e300], [0.0, 0.0]]),
    "nilpotent below": np.array([[0.0, 0.0, 0.0], [1e30, 0.0, 0.0], [5.0, 1e3, 0.0]]),
    "Jordan": np.array([[1.0, 1e10], [0.0, 1.0]]),
    "far Jordan": np.array([[1.0, 1e250], [0.0, 1.0]]),
    "other signs": np.array([[1.0, 1e6], [0.0, -1.0]]),
    "steep": np.array([[-30.0, 1e8], [0.0, 2.0]]),
    "upper": np.triu(normal(6, 6), 1) * 1e5 + np.diag(normal(6)),
    "lower": np.tril(normal(6, 6), -1) * 1e5 + np.diag(normal(6)),
    "large diagonal": np.triu(normal(5, 5)) * 40,
    "complex": np.triu(normal(4, 4) + 1j, 1) * 1e4 + np.diag(normal(4) + 3j * normal(4)),
    "blocks": np.block([[normal(3, 3), 1e8 * normal(3, 3)], [np.zeros((3, 3)), normal(3, 3)]]),
}


@pytest.mark.parametrize("name", GRADED)
def test_exponentials_of_graded_matrices(name: str) -> None:
    assert error(GRADED[name]) < 40


def test_triangles_in_any_order_of_rows_and_columns() -> None:
    for size in (2, 3, 6):
        for numbers_beside in (1.0, 0.4):
            upper = np.triu(normal(size, size), 1) * 10.0 ** numbers.uniform(-3, 9, (size, size))
            upper *= numbers.random(upper.shape) < numbers_beside
            upper += np.diag(normal(size) * 5)
            right = tf.linalg.expm(upper).numpy()
            for _ in range(3):
                order = numbers.permutation(size)
                found = tf.linalg.expm(upper[np.ix_(order, order)]).numpy()
                difference = np.abs(found - right[np.ix_(order, order)]).sum(0).max()
                assert difference < 1e-14 * np.abs(right).sum(0).max()


def test_coefficients_are_those_of_the_exponential() -> None:
    """In whole numbers: ``p(x) - p(-x) exp(x)`` begins with the power 2 m + 1."""
    factorials = [1]
    for n in range(1, 40):
        factorials.append(factorials[-1] * n)
    for order, rounded in COEFFICIENTS.items():
        p = [
            Fraction(
                factorials[2 * order - k] * factorials[order],
                factorials[2 * order] * factorials[order - k] * factorials[k],
            )
            for k in range(order + 1)
        ]
        assert rounded == [float(x) for x in p]
        for power in range(2 * order + 2):
            product = sum(
                (-1) ** k * p[k] / factorials[power - k] for k in range(min(power, order) + 1)
            )
            missing = (p[power] if power <= order else 0) - product
            assert (missing == 0) == (power <= 2 * order)
    assert sorted(LIMITS.values()) == list(LIMITS.values())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_a_matrix_that_is_not_finite_is_nan_and_others_of_the_batch_are_not(
    dtype: str, number: float
) -> None:
    functions = [tf.linalg.expm, tf.linalg.sqrtm]
    if dtype.startswith("complex"):
        functions.append(tf.linalg.logm)
    good = np.array([[2.0, 0.5], [0.25, 1.0]], dtype)
    for function in functions:
        alone = function(tf.constant(good)).numpy()
        for place in ([0, 0], [0, 1], [1, 0], [1, 1]):
            bad = good.copy()
            bad[tuple(place)] = number
            found = function(tf.constant(np.stack([good, bad, good]))).numpy()
            assert np.isnan(found[1]).all()
            assert np.array_equal(found[[0, 2]], [alone, alone])


def expm(matrix: Any, dtype: str = "float64") -> Any:
    return tf.linalg.expm(tf.constant(matrix, dtype)).numpy().tolist()


def test_large_numbers() -> None:
    assert expm([[-1e10, 0.0], [0.0, -2e10]]) == [[0.0, 0.0], [0.0, 0.0]]
    assert expm([[1e10, 0.0], [0.0, -1.0]]) == [[inf, 0.0], [0.0, np.exp(-1.0)]]
    assert expm([[1e300, 1e300], [1e300, 1e300]]) == [[inf, inf], [inf, inf]]
    assert expm([[1e3]]) == [[inf]]
    assert expm([[-3e38, 1e38], [1e38, -3e38]], "float32") == [[0.0, 0.0], [0.0, 0.0]]
    # The norm overflows, as it does in TensorFlow.
    assert np.isnan(expm([[1.5e308, 0.0], [1.5e308, 0.0]])).all()
    # All digits of such an angle are known, and its sine and cosine are.
    turned = np.array(expm([[0.0, -1e5], [1e5, 0.0]]))
    np.testing.assert_allclose(turned[:, 0], [np.cos(1e5), np.sin(1e5)], atol=1e-10)


def test_matrices_have_the_same_bits_alone_and_in_a_batch() -> None:
    before = threads.thread_count()
    scales = np.array([1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0])[:, None, None]
    try:
        for size in (2, 3, 5, 16, ONE_BY_ONE - 1, ONE_BY_ONE, 130):
            for dtype in ("float64", "complex128"):
                batch = of(dtype, normal(size, size)) * scales / size
                batch = np.concatenate([batch, np.triu(batch[-2:]), np.tril(batch)])
                threads.set_thread_count(1)
                alone = [tf.linalg.expm(tf.constant(matrix)).numpy() for matrix in batch]
                for number in (1, 2, 3):
                    threads.set_thread_count(number)
                    together = tf.linalg.expm(tf.constant(batch)).numpy()
                    assert together.tobytes() == np.stack(alone).tobytes()
                    halves = batch[::2].reshape(-1, 1, size, size)
                    together = tf.linalg.expm(tf.constant(halves)).numpy()
                    assert together.tobytes() == np.stack(alone[::2]).tobytes()
    finally:
        threads.set_thread_count(before)


@pytest.mark.parametrize("scale", [0.05, 1.0, 4.0])
def test_derivatives_of_exponentials(scale: float) -> None:
    for matrix in (normal(3, 3), normal(2, 2, 2), normal(2, 2) + 1j * normal(2, 2)):
        check_gradient(tf.linalg.expm, matrix * scale / 2, order=2)
    check_gradient(tf.linalg.expm, np.triu(normal(3, 3)) * scale, order=2)


def test_the_derivative_at_a_graded_matrix() -> None:
    """d/dc exp([[a, c], [0, b]]) is (exp(b) - exp(a)) / (b - a) in one place."""
    x = tf.Variable([[1.0, 1e6], [0.0, -1.0]], dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.linalg.expm(x)[0, 1]
    assert float(tape.gradient(y, x)[0, 1]) == pytest.approx(np.sinh(1.0), rel=1e-12)


def logm(matrix: Matrix, dtype: str = "complex128") -> Matrix:
    return tf.linalg.logm(tf.constant(matrix, dtype)).numpy()


def test_logarithms_undo_exponentials() -> None:
    for size in (1, 2, 3, 8, 20):
        for norm in (1e-12, 1e-3, 0.3, 1.0, 2.5):
            matrix = of("complex128", normal(size, size))
            matrix *= norm / np.abs(matrix).sum(0).max()
            found = logm(tf.linalg.expm(matrix).numpy())
            # The exponential has only the digits beside 1.
            assert np.abs(found - matrix).sum(0).max() < 10 * size * 2.0**-52 * max(norm, 1)


def test_logarithms_near_one() -> None:
    """By the first terms of the series: the others are below 1e-36."""
    x = of("complex128", normal(5, 5)) * 1e-9
    near = np.eye(5) + x
    x = near - np.eye(5)
    np.testing.assert_allclose(logm(near), x - x @ x / 2 + x @ x @ x / 3, rtol=1e-14)


@pytest.mark.parametrize(
    ("size", "number"), [(3, 1e-3), (8, 1e-3), (12, 0.1), (20, 1e-3), (20, 2.0)]
)
def test_logarithms_of_jordan_blocks(size: int, number: float) -> None:
    """On the k-th diagonal beside the first one are ``-(-1 / number) ** k / k``."""
    block = number * np.eye(size) + np.eye(size, k=1)
    right = np.log(number) * np.eye(size)
    for k in range(1, size):
        right -= (-1 / number) ** k / k * np.eye(size, k=k)
    difference = np.abs(logm(block) - right).sum(0).max()
    assert difference < 1e-13 * np.abs(right).sum(0).max()


# What is beside the diagonal is multiplied by log's slope between the two numbers.
SLOPES = [
    (1, 2, np.log(2)),
    (3, 3, 1 / 3),
    (1e-5, 1e5, np.log(1e10) / (1e5 - 1e-5)),
    (2, -2, -np.pi / 4 * 1j),
    (1 + 1e-9, 1, np.log1p((1 + 1e-9) - 1) / ((1 + 1e-9) - 1)),
    # Logarithms of neighbours are a whole turn apart on both sides of the negative numbers.
    (-1 + 0.1j, -1 - 0.1j, -2j * (np.pi - np.arctan(0.1)) / -0.2j),
]


@pytest.mark.parametrize(("a", "b", "slope"), SLOPES)
def test_logarithms_of_two_by_two(a: complex, b: complex, slope: complex) -> None:
    expected = [[np.log(a + 0j), 5 * slope], [0, np.log(b + 0j)]]
    np.testing.assert_allclose(logm([[a, 5.0], [0.0, b]]), expected, rtol=1e-14)


def test_logarithms_end() -> None:
    """SciPy's does not for these: infinities, numbers that overflow on the way, twenty ones beside zeros."""
    assert np.isnan(logm(np.eye(20, k=1))).all()
    assert np.isnan(logm(np.eye(20) + 1e30 * np.eye(20, k=1))).any()
    assert np.isnan(logm([[0.0, 0.0], [0.0, 0.0]])).all()
    huge = logm([[1.5e308, 1e307], [2e307, 1e308]])
    small = logm([[1.5, 0.1], [0.2, 1.0]])
    np.testing.assert_allclose(huge, small + np.log(1e154) * 2 * np.eye(2), rtol=1e-12)
    assert np.array_equal(logm([[1.0, 1e300], [0.0, 1.0]]), [[0.0, 1e300], [0.0, 0.0]])
    found = logm([[1.0, 2.0], [0.0, complex(-1.0, -0.0)]])
    assert found[1, 1] == np.pi * 1j
