"""The exponential of each matrix of a batch, by scaling and squaring (Higham 2005; Al-Mohy and Higham 2009).

`matrix_functions` has the op, its gradient and the other functions of matrices. For each matrix A by itself:

1. The Padé approximant of order m is p(A) / p(-A), where p has degree m. The greatest sum of a column,
   the 1-norm, chooses m: up to ``LIMITS[m]`` the approximant is the exponential of A (1 + e) with e below
   rounding.
2. A larger A is halved s times, to come within half of the limit of the order 13. The error depends on
   powers of A from the 27th on. These may be small where A is large: all are zero if A is ``[[0, 1e10],
   [0, 0]]``. So s comes from the norms of the even powers up to the tenth. Each superfluous squaring
   would double the error.
3. The even powers of p are added to v, the odd ones to u: p(A) = v + u and p(-A) = v - u, so one solve
   does.
4. The result is squared s times. Rounding would lose the diagonal of a large triangle. That and the
   diagonal above it have formulas, and are written over after each square. A matrix that another order of
   its rows and columns makes an upper triangle is put into that order first.

The largest floats are halved a thousand times, so the number of products has a limit.
"""

from __future__ import annotations

from itertools import pairwise
from math import comb, factorial
from typing import Any

import numpy as np

from tapegrad.ops.linalg.solvers import solve

# For each order m the largest t for which the sum of |c_k| t^(k-1) is at most 2^-53, where c_k are the
# coefficients of log(exp(-x) p(x) / p(-x)), which begin at k = 2 m + 1. Computed with 60 digits.
LIMITS = {
    3: 0.014955852179582915,
    5: 0.2539398330063232,
    7: 0.9504178996162932,
    9: 2.0978479612570675,
    13: 5.3719203511481523,
}
ORDERS = tuple(LIMITS)
LOWER_LIMITS = np.array([*LIMITS.values()][:-1])
HIGHEST = ORDERS[-1]
# Below the limit t of an order, p(-A) may lose exp(t) / 2 units of its last digit to terms that cancel:
# 108 for the order 13. One more squaring doubles what it finds: 2 times 7.
HALVED_TO = LIMITS[HIGHEST] / 2
# |c_27| for the order 13.
FIRST_LEFT_OUT = 1 / (comb(2 * HIGHEST, HIGHEST) * factorial(2 * HIGHEST + 1))
# The coefficients of p for each order. The first is 1, so that a large nilpotent matrix does not overflow.
COEFFICIENTS = {
    m: [comb(m, k) * factorial(2 * m - k) / factorial(2 * m) for k in range(m + 1)] for m in ORDERS
}
# Matrices with as many rows and more are taken one by one. A product that threads share may have other last
# bits alone than in a batch, which is cut into its matrices.
ONE_BY_ONE = 64


def exponentials(xp: Any, matrices: Any) -> Any:
    """The exponentials of float64 or complex128 matrices; NaN where the 1-norm is not finite."""
    size = matrices.shape[-1]
    flat = matrices.reshape(-1, size, size)
    if size < ONE_BY_ONE or len(flat) == 1:
        out = _exponentials(xp, flat)
    else:
        out = np.empty_like(flat)
        for i in range(len(flat)):
            out[i : i + 1] = _exponentials(xp, flat[i : i + 1])
    return out.reshape(matrices.shape)


def _exponentials(xp: Any, matrices: Any) -> Any:
    norms = _norms(matrices)
    places = LOWER_LIMITS.searchsorted(norms)
    places[~np.isfinite(norms)] = len(ORDERS)
    smallest = places.min()
    if smallest == places.max():
        return _of_one_order(xp, matrices, norms, smallest)
    out = np.empty_like(matrices)
    for place in np.unique(places):
        rows = np.flatnonzero(places == place)
        out[rows] = _of_one_order(xp, matrices[rows], norms[rows], place)
    return out


def _of_one_order(xp: Any, matrices: Any, norms: Any, place: int) -> Any:
    """The exponentials by approximants of the order ``ORDERS[place]``; beyond the last order, NaN."""
    if place == len(ORDERS):
        return np.full_like(matrices, np.nan)
    if matrices.shape[-1] == 1:
        return np.exp(matrices)
    order = ORDERS[place]
    if order == HIGHEST:
        return _scaled_and_squared(xp, matrices, norms)
    powers = [xp.matmul(matrices, matrices)]
    while len(powers) < order // 2:
        powers.append(xp.matmul(powers[0], powers[-1]))
    return _approximant(xp, matrices, powers, order)


def _norms(matrices: Any) -> Any:
    """The 1-norm of each matrix."""
    return np.abs(matrices).sum(-2).max(-1)


def _approximant(xp: Any, matrices: Any, powers: list[Any], order: int) -> Any:
    """``p(A) / p(-A)``, from the even powers of A up to ``order - 1``; up to the sixth for the order 13."""
    coefficients = COEFFICIENTS[order]
    even, odd = coefficients[2::2], coefficients[3::2]
    v, u = _combination(powers, even), _combination(powers, odd)
    if order == HIGHEST:
        v += xp.matmul(powers[-1], _combination(powers, even[3:]))
        u += xp.matmul(powers[-1], _combination(powers, odd[3:]))
    step = matrices.shape[-1] + 1
    v.reshape(len(v), -1)[:, ::step] += coefficients[0]
    u.reshape(len(u), -1)[:, ::step] += coefficients[1]
    u = xp.matmul(matrices, u)
    return solve.run([v - u, v + u], (False,))


def _combination(powers: list[Any], coefficients: list[float]) -> Any:
    total = powers[0] * coefficients[0]
    for power, coefficient in zip(powers[1:], coefficients[1:], strict=False):
        total += power * coefficient
    return total


def _scaled_and_squared(xp: Any, matrices: Any, norms: Any) -> Any:
    """The exponentials by approximants of the order 13."""
    most = _halvings(norms)
    scales = most.any()
    if scales:
        triangles, orders = _triangles(matrices, np.flatnonzero(most))
        if triangles.size:
            matrices = matrices.copy()
            matrices[triangles] = _reordered(matrices[triangles], orders)
    second = xp.matmul(matrices, matrices)
    fourth = xp.matmul(second, second)
    sixth = xp.matmul(fourth, second)
    if not scales:
        return _approximant(xp, matrices, [second, fourth, sixth], HIGHEST)

    of_sixth = _norms(sixth)
    halvings = _fewest_halvings(xp, matrices, norms, most, fourth, sixth, of_sixth)
    scale = np.exp2(-halvings)[:, None, None]
    square = scale * scale
    matrices = matrices * scale
    second = second * square
    fourth = fourth * square * square
    sixth = sixth * square * square * square
    overflown = np.flatnonzero(~np.isfinite(of_sixth))
    if overflown.size:
        part = matrices[overflown]
        second[overflown] = square = xp.matmul(part, part)
        fourth[overflown] = square = xp.matmul(square, square)
        sixth[overflown] = xp.matmul(square, second[overflown])
    out = _approximant(xp, matrices, [second, fourth, sixth], HIGHEST)

    inexact = triangles
    for done in range(int(halvings.max()) + 1):
        if done:
            rows = np.flatnonzero(halvings >= done)
            if rows.size == len(out):
                out = xp.matmul(out, out)
            else:
                part = out[rows]
                out[rows] = xp.matmul(part, part)
        if inexact.size:
            inexact = inexact[halvings[inexact] >= max(done, 1)]
            _restore_diagonals(out, matrices, inexact, 2.0**done)
    if triangles.size:
        out[triangles] = _reordered(out[triangles], orders.argsort(-1))
    return out


def _halvings(norms: Any) -> Any:
    """How often a matrix of such a norm is halved to come within ``HALVED_TO``."""
    return np.maximum(np.frexp(norms / HALVED_TO)[1], 0).astype(np.float64)


def _fewest_halvings(
    xp: Any, matrices: Any, norms: Any, most: Any, fourth: Any, sixth: Any, of_sixth: Any
) -> Any:
    """How often each matrix has to be halved: ``most`` times, or fewer times if its powers allow it.

    The error is a series in the even powers of A from the 26th on, times A. If ``p (p - 1) <= 26 / 2``,
    each of these exponents is a sum of multiples of 2 p and 2 p + 2. So the norm may be replaced by the
    greater one of ``|A^(2 p)| ** (1 / (2 p))`` and the same with p + 1, for p of 2, 3 and 4.
    """
    by_fourth, by_sixth = _norms(fourth) ** (1 / 4), of_sixth ** (1 / 6)
    # An overflow is no bound. fmin takes the other number where one is NaN.
    halvings = _halvings(np.fmin(norms, np.maximum(by_fourth, by_sixth)))
    # Higher powers are worth two products where the bound falls from the fourth power to the sixth.
    falling = np.flatnonzero((by_sixth < by_fourth / 2) & (halvings > 0))
    if falling.size:
        fourth = fourth[falling]
        bounds = [
            by_sixth[falling],
            _norms(xp.matmul(fourth, fourth)) ** (1 / 8),
            _norms(xp.matmul(fourth, sixth[falling])) ** (1 / 10),
        ]
        for bound, next_bound in pairwise(bounds):
            by_these = _halvings(np.fmin(norms[falling], np.maximum(bound, next_bound)))
            halvings[falling] = np.minimum(halvings[falling], by_these)

    # Powers may be small because numbers of both signs cancel, which rounding errors do not. So the first
    # term that is left out must be below rounding with the absolute values, too.
    fewer = np.flatnonzero(halvings < most)
    if fewer.size:
        sizes = np.abs(matrices[fewer]) * np.exp2(-halvings[fewer])[:, None, None]
        sums = np.ones((fewer.size, 1, sizes.shape[-1]))
        for _ in range(2 * HIGHEST + 1):
            sums = xp.matmul(sums, sizes)
        excess = FIRST_LEFT_OUT * sums.max((-2, -1)) / _norms(sizes) / 2.0**-53
        more = np.ceil(np.log2(np.maximum(excess, 1)) / (2 * HIGHEST))
        halvings[fewer] = np.fmin(most[fewer], halvings[fewer] + more)
    return halvings


def _triangles(matrices: Any, rows: Any) -> tuple[Any, Any]:
    """Which matrices of ``rows`` another order of rows and columns makes upper triangles, and that order.

    A lower triangle is one, backwards. As it lies, the solver would exchange its rows, and lose small numbers
    beside large ones.
    """
    index = np.arange(matrices.shape[-1])
    depends = matrices[rows] != 0
    depends[:, index, index] = False
    # The first column of a triangle has no number below the diagonal, nor beside it.
    candidates = np.flatnonzero(~depends.any(-2).all(-1))
    if not candidates.size:
        return candidates, candidates
    rows, depends = rows[candidates], depends[candidates]
    left = np.ones(depends.shape[:2], bool)
    stages = np.zeros(left.shape, np.intp)
    for _ in index:
        # A column comes after the rows in which it has numbers.
        left &= (depends & left[..., None]).any(-2)
        stages += left
        if not left.any():
            break
    ordered = ~left.any(-1)
    return rows[ordered], stages[ordered].argsort(-1, kind="stable")


def _reordered(matrices: Any, orders: Any) -> Any:
    rows = np.arange(len(orders))[:, None, None]
    return matrices[rows, orders[:, :, None], orders[:, None, :]]


def _restore_diagonals(out: Any, matrices: Any, rows: Any, factor: float) -> None:
    """Write two diagonals of the exponentials of upper triangles ``matrices * factor`` into ``out``.

    Beside a and b on the diagonal, c becomes ``c (exp(b) - exp(a)) / (b - a)``. What is below becomes
    zero again: infinity times zero gave NaN.
    """
    out[rows] = np.triu(out[rows])
    rows, index = rows[:, None], np.arange(matrices.shape[-1])
    diagonal = matrices[rows, index, index] * factor
    out[rows, index, index] = np.exp(diagonal)
    first, second = diagonal[:, :-1], diagonal[:, 1:]
    ascends = second.real > first.real
    greater = np.where(ascends, second, first)
    gap = np.where(ascends, second - first, first - second)
    mean = np.where(gap == 0, 1, -np.expm1(-gap) / np.where(gap == 0, 1, gap))
    beside = matrices[rows, index[:-1], index[1:]] * factor
    # Not infinity times zero where there is nothing above the diagonal.
    out[rows, index[:-1], index[1:]] = np.where(beside == 0, 0, beside * mean * np.exp(greater))
