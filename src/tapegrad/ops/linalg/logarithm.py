"""The logarithm of a matrix, by inverse scaling and squaring of its triangle (Kenney and Laub 1989).

1. Schur's form is A = Z T Z^H with a triangle T, whose logarithm L is computed: log(A) = Z L Z^H.
2. Square roots of T are taken until the s-th root R is near I: log(T) = 2^s log(R).
3. log(I + X) is the integral of ``X (I + t X)^-1`` from 0 to 1. Gauss's rule with 8 nodes is exact to
   rounding up to a norm of X of ``LIMIT``.
4. The diagonals of R - I and L, and the one beside that of L, have formulas, which lose no digits.

A matrix near I needs the third step alone.

`scipy.linalg.logm` takes roots until a number is small, which NaN never is: it does not end where numbers
overflow, as for a matrix with an eigenvalue 0 and 20 ones beside the diagonal. Here the number of roots has
a limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.engines.numpy import lapack
from tapegrad.ops.linalg.solvers import solve, triangular_solve

# Gauss's rule on the numbers from 0 to 1: zeros of a polynomial of Legendre, and weights.
NODES = np.array(
    [
        0.019855071751231884,
        0.10166676129318664,
        0.2372337950418355,
        0.4082826787521751,
        0.591717321247825,
        0.7627662049581645,
        0.8983332387068134,
        0.9801449282487681,
    ]
)[:, None, None]
WEIGHTS = np.array(
    [
        0.05061426814518813,
        0.11119051722668724,
        0.15685332293894363,
        0.181341891689181,
        0.181341891689181,
        0.15685332293894363,
        0.11119051722668724,
        0.05061426814518813,
    ]
)[:, None, None]
# The largest t for which the rule gives log(1 - t) to a relative error of 2^-53.
LIMIT = 0.3253
# Each root halves the exponents of large floats, and what lies beside a diagonal of ones.
MOST_ROOTS = 1000
# Beyond, Schur's form is that of a smaller matrix, because its sums might overflow.
LARGE = 2.0**500


def logarithm(xp: Any, matrix: Any) -> Any:
    """The principal logarithm of a complex128 matrix; NaN if it is not finite, or has an eigenvalue 0."""
    if not np.isfinite(matrix).all():
        return matrix * np.nan
    one = np.eye(len(matrix))
    if np.abs(matrix - one).sum(0).max() <= LIMIT:
        return _near_one(matrix - one)
    if not np.tril(matrix, -1).any():
        return _of_triangle(xp, matrix)
    largest = max(np.abs(matrix.real).max(), np.abs(matrix.imag).max())
    exponent = int(np.frexp(largest)[1]) if largest > LARGE else 0
    schur = lapack.scipys("scipy.linalg", "schur", "tf.linalg.logm()")
    triangle, vectors = schur(matrix * 2.0**-exponent, output="complex")
    out = _of_triangle(xp, triangle)
    out = xp.matmul(xp.matmul(vectors, out), vectors.conj().T)
    return out + exponent * np.log(2.0) * one if exponent else out


def _of_triangle(xp: Any, triangle: Any) -> Any:
    nothing = triangle * np.nan
    # An imaginary part of -0 becomes 0: roots of -1 of both signs would have the sum 0.
    diagonal = np.diagonal(triangle) + 0.0
    if not diagonal.all():
        return nothing
    root, one = triangle, np.eye(len(triangle))
    roots, x = 0, root - one
    while not _size(xp, x) <= LIMIT:
        if roots == MOST_ROOTS or not np.isfinite(root).all():
            return nothing
        root = _square_root(root)
        roots, x = roots + 1, root - one
    index = np.arange(len(triangle))
    logarithms = np.log(diagonal)
    x[index, index] = np.expm1(logarithms * 2.0**-roots)
    out = _near_one(x) * 2.0**roots
    out[index, index] = logarithms
    beside = triangle[index[:-1], index[1:]]
    out[index[:-1], index[1:]] = beside * _slopes(diagonal, logarithms)
    return out


def _square_root(triangle: Any) -> Any:
    """The root of an upper triangle, column by column: above r on the diagonal (R + r I) x = t."""
    out = np.diag(np.sqrt(np.diagonal(triangle) + 0.0))
    for column in range(1, len(out)):
        matrix = out[:column, :column] + out[column, column] * np.eye(column)
        right = triangle[:column, column : column + 1]
        out[:column, column : column + 1] = triangular_solve.run([matrix, right], (False, False))
    return out


def _near_one(x: Any) -> Any:
    """log(I + x) by the integral."""
    x = np.broadcast_to(x, (len(NODES), *x.shape))
    return (WEIGHTS * solve.run([np.eye(x.shape[-1]) + NODES * x, x], (False,))).sum(0)


def _size(xp: Any, x: Any) -> Any:
    """A bound for the powers of x in the error, from the 17th on: less than the norm for nilpotent matrices.

    If ``p (p - 1) <= 17``, these exponents are sums of multiples of p and p + 1: see `exponential`.
    """
    power, bounds = x, []
    for p in range(2, 6):
        power = xp.matmul(power, x)
        bounds.append(np.abs(power).sum(0).max() ** (1 / p))
    return np.fmin.reduce([np.abs(x).sum(0).max(), *map(np.maximum, bounds[:-1], bounds[1:])])


def _slopes(diagonal: Any, logarithms: Any) -> Any:
    """``(log(b) - log(a)) / (b - a)`` for neighbours a and b on the diagonal."""
    a, b = diagonal[:-1], diagonal[1:]
    gap = b - a
    same, total = gap == 0, np.where(a + b == 0, 1, a + b)
    difference = logarithms[1:] - logarithms[:-1]
    # Near each other log(b) - log(a) is 2 atanh((b - a) / (b + a)), and as many turns as the logarithms are
    # apart. (b - a) / (b + a) has less than the size 1 / 2 then.
    turns = np.ceil((difference.imag - np.pi) / (2 * np.pi))
    near = np.abs(gap) < np.abs(a + b) / 2
    by_series = 2 * np.arctanh(np.where(near, gap / total, 0)) + 2j * np.pi * turns
    return np.where(same, 1 / a, np.where(near, by_series, difference) / np.where(same, 1, gap))
