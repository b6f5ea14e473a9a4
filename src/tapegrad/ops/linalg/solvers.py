"""Inverses, determinants and linear equations, over the last two axes of a batch.

The rules use adjoints, as the definition of a gradient does, so they hold for both real and complex matrices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor
from tapegrad.core.sizes import broadcast_shape
from tapegrad.engines.numpy import factors, triangular
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool
from tapegrad.ops.batching import BROADCASTS, leading
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import complex
from tapegrad.ops.indexing import gather
from tapegrad.ops.linalg.diagonals import band_part
from tapegrad.ops.linalg.products import adjoint, matmul
from tapegrad.ops.op import op
from tapegrad.ops.shape import array
from tapegrad.ops.shape.pull_back import pull_back
from tapegrad.ops.shape_rules import Abstract, same_shape

PUBLIC = {
    "linalg compat.v1.linalg": "det inv slogdet solve triangular_solve",
}


SOLVER_TYPES = frozenset({dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128})
LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
"""The first letter of the names of BLAS's and LAPACK's functions, for NumPy's types."""
WITH_HALF = SOLVER_TYPES | {dtypes.float16}


def check_matrix(matrix: Any) -> None:
    if matrix.ndim < 2:
        refuse(
            f"Input tensor 0 must have rank >= 2, got {matrix.ndim}: "
            f"a matrix, or a batch of them, was expected; its shape is {list(matrix.shape)}."
        )


def finite_svd(xp: Any, matrices: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """u, s and vh of each matrix; NaN if it is not finite, as LAPACK may never end on an infinity."""
    if not matrices.size:
        return _empty_svd(xp, matrices, full_matrices)
    finite = xp.isfinite(matrices).all(axis=(-2, -1))
    if finite.all():
        return tuple(xp.linalg.svd(matrices, full_matrices=full_matrices))
    parts = xp.linalg.svd(
        xp.where(finite[..., None, None], matrices, 0), full_matrices=full_matrices
    )
    return tuple(
        xp.where(finite.reshape(finite.shape + (1,) * (part.ndim - finite.ndim)), part, xp.nan)
        for part in parts
    )


def _empty_svd(xp: Any, matrices: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """`finite_svd` for matrices without elements. NumPy and LAPACK would visit each row or column."""
    *outer, rows, columns = matrices.shape
    least = min(rows, columns)

    def basis(size: int) -> Any:
        count = size if full_matrices else least
        out = xp.zeros((*outer, size, count), matrices.dtype)
        if out.size:
            out[...] = xp.eye(size, count)
        return out

    vh = xp.swapaxes(basis(columns), -1, -2)
    return basis(rows), xp.zeros((*outer, least), matrices.real.dtype), vh


def check_square(matrix: Any) -> None:
    check_matrix(matrix)
    if matrix.shape[-1] != matrix.shape[-2]:
        refuse(f"Input matrix must be square; it has shape {list(matrix.shape)}.")


def square_shape(input):
    """The shape rule of ops that make a square matrix of another one."""
    check_square(input)
    return input.shape


def conjugate_transpose(xp: Any, matrix: Any) -> Any:
    return xp.conj(xp.swapaxes(matrix, -1, -2))


def each_matrix(function: Any, matrices: Any, *others: Any) -> list[Any]:
    """``function`` applied to every matrix of a batch, for libraries that take one matrix at a time."""
    shape = matrices.shape[:-2]
    return [
        function(matrices[index], *[other[index] for other in others])
        for index in np.ndindex(shape)
    ]


def restack(
    results: list[Any], shape: tuple[int, ...], dtype: Any, core_shape: tuple[int, ...]
) -> Any:
    out = np.empty((len(results), *core_shape), dtype)
    for i, result in enumerate(results):
        out[i] = result
    return out.reshape(*shape, *core_shape)


# Inverses and determinants


@op(
    "MatrixInverse",
    dtypes=WITH_HALF,
    holomorphic=False,
    convert={"adjoint": static_bool},
    lane=factors.inverse,
    accumulate="float32",
    values="errors",
)
def inv(xp, input, *, adjoint=False):
    """The inverse of each matrix, or of its conjugate transpose.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Raises:
        InvalidArgumentError: for a singular matrix.
    """
    check_square(input)
    if not input.size:
        return input
    try:
        inverse = xp.linalg.inv(conjugate_transpose(xp, input) if adjoint else input)
    except np.linalg.LinAlgError:
        refuse("Input is not invertible.")
    return inverse.astype(input.dtype, copy=False)


inv.shape(square_shape)


def _inverse_gradient(dy, out, adjoint):
    # d A^-1 = -A^-1 dA A^-1
    if adjoint:
        return -matmul(out, matmul(dy, out, adjoint_a=True))
    return -matmul(out, matmul(dy, out, adjoint_b=True), adjoint_a=True)


inv.gradient(input=_inverse_gradient)
inv.batching(leading)


@op("MatrixDeterminant", dtypes=SOLVER_TYPES, lane=factors.determinant, values="elements")
def det(xp, input):
    """The determinant of each matrix.

    >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy().round(5)
    np.float32(-2.0)

    Differs from TensorFlow: singular matrices have gradients too.
    """
    check_square(input)
    if not input.size:
        return xp.ones(input.shape[:-2], input.dtype)
    return xp.linalg.det(input).astype(input.dtype, copy=False)


@det.shape
def det_shape(input):
    check_square(input)
    return input.shape[:-2]


def _spread(scale: Tensor) -> Tensor:
    """A number for each matrix, shaped to multiply it."""
    return array.expand_dims(array.expand_dims(scale, -1), -1)


def _det_gradient(dy, input, out):
    return _spread(dy) * cofactors(input)


def _det_fast(xp, dy, input, out):
    if dy.dtype != input.dtype or not input.size:
        return None
    turned = _turned_inverse(xp, input)
    if turned is None:
        return dy[..., None, None] * _cofactors_by_values(xp, input)
    return (dy * out)[..., None, None] * turned


det.gradient(input=_det_gradient, fast={"input": _det_fast})
det.batching(leading)


def _singular_basis(xp: Any, matrix: Any) -> tuple[Any, Any, Any, Any]:
    """u, s and vh, where matrix = u diag(s) vh, and the determinant of u vh."""
    u, s, vh = finite_svd(xp, matrix, True)
    return u, s, vh, xp.linalg.det(u) * xp.linalg.det(vh)


def _products_of_others(xp: Any, s: Any) -> Any:
    """For each element, the product of the others: those before it times those after it."""
    ones = xp.ones((*s.shape[:-1], 1), s.dtype)
    before = xp.concatenate([ones, xp.cumprod(s[..., :-1], axis=-1)], axis=-1)
    after = xp.concatenate([ones, xp.cumprod(s[..., :0:-1], axis=-1)], axis=-1)[..., ::-1]
    return before * after


def _turned_inverse(xp: Any, input: Any) -> Any:
    """``inv(A)^T``; None unless all matrices are real and far from singular.

    The error of an inverse grows with the condition number. Up to here at least half of the digits are
    right; the singular values, from which the others are computed, have the same error.
    """
    if input.dtype.kind != "f":
        return None
    try:
        turned = inv.run([input], (True,))
    except errors.InvalidArgumentError:
        return None
    condition = xp.abs(input).sum(-2).max(-1) * xp.abs(turned).sum(-1).max(-1)
    return turned if (condition < np.finfo(input.dtype).eps ** -0.5).all() else None


def _cofactors_by_values(xp: Any, input: Any) -> Any:
    """The cofactors, which are diagonal in the basis of the singular vectors.

    Each entry is the product of the other singular values.
    """
    u, s, vh, phase = _singular_basis(xp, input)
    products = _products_of_others(xp, s)[..., None, :].astype(input.dtype)
    scale = phase[..., None, None].astype(input.dtype, copy=False)
    return scale * xp.matmul(xp.conj(u) * products, xp.conj(vh))


@op("_MatrixCofactors", dtypes=SOLVER_TYPES, holomorphic=False, values="elements")
def cofactors(xp, input):
    """The derivative of the determinant, ``det(A) inv(A)^T``, which exists even where A is singular."""
    if not input.size:
        return input
    turned = _turned_inverse(xp, input)
    if turned is None:
        return _cofactors_by_values(xp, input)
    return det.run([input], ())[..., None, None] * turned


cofactors.shape(same_shape)


def _cofactors_by_minors(input: Tensor) -> Tensor:
    """The cofactors by their definition: determinants of A without a row and a column, with their signs.

    They take much longer, and memory for n^4 numbers, but can be differentiated as determinants are.
    """
    *outer, _, size = range(input.ndim)
    n = input._shape_tuple()[-1]
    others = constant([[j for j in range(n) if j != i] for i in range(n)], dtypes.int64)
    minors = gather.gather(gather.gather(input, others, axis=-2), others, axis=-1)
    minors = array.transpose(minors, [*outer, size - 1, size + 1, size, size + 2])
    signs = constant([[(-1) ** (i + j) for j in range(n)] for i in range(n)], input.dtype)
    return det(minors) * signs


def _cofactors_gradient(dy, input):
    return pull_back(_cofactors_by_minors, [input], dy)[0] if all(input._shape_tuple()) else dy


def _cofactors_fast(xp, dy, input):
    # Let A = u diag(s) vh and X' = u^H X v. To second order in X, det(A + X) is det(u vh) times the sum over
    # pairs i < j of the product of all other singular values times (X'_ii X'_jj - X'_ij X'_ji).
    if dy.dtype != input.dtype or not input.size:
        return None
    size = input.shape[-1]
    u, s, vh, phase = _singular_basis(xp, input)
    pairs = xp.zeros((*s.shape, size), s.dtype)
    for i in range(size):
        rest = xp.concatenate([s[..., :i], s[..., i + 1 :]], axis=-1)
        others = _products_of_others(xp, rest) if size > 1 else rest
        pairs[..., i, :i] = others[..., :i]
        pairs[..., i, i + 1 :] = others[..., i:]
    pairs = pairs.astype(input.dtype)
    turned = xp.matmul(
        conjugate_transpose(xp, u), xp.matmul(xp.conj(dy), conjugate_transpose(xp, vh))
    )
    diagonal = xp.diagonal(turned, 0, -2, -1)
    on_diagonal = xp.matmul(pairs, diagonal[..., None])[..., 0]
    inner = -pairs * xp.swapaxes(turned, -1, -2)
    index = xp.arange(size)
    inner[..., index, index] = on_diagonal
    scale = phase[..., None, None].astype(input.dtype, copy=False)
    return xp.conj(scale * xp.matmul(xp.matmul(xp.conj(u), inner), xp.conj(vh)))


cofactors.gradient(input=_cofactors_gradient, fast={"input": _cofactors_fast})
cofactors.batching(leading)


class LogMatrixDeterminant(NamedTuple):
    """The sign of a determinant and the logarithm of its absolute value."""

    sign: Tensor
    log_abs_determinant: Tensor


@op(
    "LogMatrixDeterminant",
    dtypes=SOLVER_TYPES,
    outputs=("sign", "log_abs_determinant"),
    result=LogMatrixDeterminant,
    holomorphic=False,
    lane=factors.log_determinant,
    values="elements",
)
def slogdet(xp, input):
    """The sign of the determinant of each matrix, and the logarithm of its absolute value.

    >>> sign, logarithm = tf.linalg.slogdet([[0.0, 2.0], [2.0, 0.0]])
    >>> print(sign.numpy(), logarithm.numpy().round(4))
    -1.0 1.3863
    """
    check_square(input)
    if not input.size:
        return xp.ones(input.shape[:-2], input.dtype), xp.zeros(input.shape[:-2], input.dtype)
    sign, logarithm = xp.linalg.slogdet(input)
    return (
        xp.asarray(sign).astype(input.dtype, copy=False),
        xp.asarray(logarithm).astype(input.dtype, copy=False),
    )


@slogdet.shape
def slogdet_shapes(input):
    check_square(input)
    return [input.shape[:-2]] * 2


def _log_determinant_gradient(dy, input, sign):
    by_sign, by_logarithm = dy
    inverse = inv(input, True)
    if not input.dtype.is_complex:
        # The sign is constant wherever its derivative exists.
        return _spread(by_logarithm) * inverse
    # d log|det A| = Re tr(A^-1 dA) and d sign = i sign Im tr(A^-1 dA)
    turning = complex.imag(complex.conj(by_sign) * sign)
    weight = complex.complex(complex.real(by_logarithm), -turning)
    return _spread(weight) * inverse


slogdet.gradient(input=_log_determinant_gradient)
slogdet.batching(leading)


# Solving


@op(
    "MatrixSolve",
    dtypes=SOLVER_TYPES,
    holomorphic=False,
    convert={"adjoint": static_bool},
    linear="rhs",
    lane=factors.solve,
    values="errors",
)
def solve(xp, matrix, rhs, *, adjoint=False):
    """The ``x`` for which ``matmul(matrix, x) == rhs``.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]]).numpy()
    array([[0.5 ],
           [0.25]], dtype=float32)

    Args:
        matrix: square matrices in the last two axes.
        rhs: matrices whose columns are the right sides.
        adjoint: solve with the conjugate transpose of ``matrix``.

    Raises:
        InvalidArgumentError: for a singular matrix.
    """
    check_matrix(matrix)
    if matrix.ndim != rhs.ndim:
        refuse(
            "All input tensors must have the same rank: "
            f"matrix has shape {list(matrix.shape)}, rhs {list(rhs.shape)}. "
            "A vector needs an axis more: rhs[:, tf.newaxis]."
        )
    check_square(matrix)
    if matrix.shape[:-2] != rhs.shape[:-2]:
        refuse(
            "All input tensors must have the same outer dimensions: "
            f"{list(matrix.shape)} and {list(rhs.shape)}."
        )
    if matrix.shape[-1] != rhs.shape[-2]:
        refuse(
            f"Input matrix and rhs are incompatible: {list(matrix.shape)} and {list(rhs.shape)}."
        )
    if not rhs.size:
        return rhs
    try:
        return xp.linalg.solve(conjugate_transpose(xp, matrix) if adjoint else matrix, rhs)
    except np.linalg.LinAlgError:
        refuse("Input matrix is not invertible.")


@solve.shape
def solve_shape(matrix, rhs):
    check_matrix(matrix)
    check_square(matrix)
    return Abstract(rhs.shape, rhs.dtype)


def _solve_gradient(dy, matrix, out, adjoint, needs):
    by_rhs = solve(matrix, dy, not adjoint)
    if not needs[0]:
        return None, by_rhs
    if adjoint:
        return -matmul(out, by_rhs, adjoint_b=True), by_rhs
    return -matmul(by_rhs, out, adjoint_b=True), by_rhs


solve.gradient(_solve_gradient)
solve.batching(leading)


@op(
    "MatrixTriangularSolve",
    dtypes=SOLVER_TYPES,
    broadcasts=True,
    holomorphic=False,
    convert={"lower": static_bool, "adjoint": static_bool},
    linear="rhs",
    lane=triangular.triangular_solve,
    values="elements",
)
def triangular_solve(xp, matrix, rhs, *, lower=True, adjoint=False):
    """The ``x`` for which ``matmul(matrix, x) == rhs``. Only the lower or upper triangle is read.

    >>> tf.linalg.triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
        matrix: square matrices in the last two axes.
        rhs: matrices whose columns are the right sides.
        lower: whether to read the lower triangle or the upper one.
        adjoint: whether to solve with the conjugate transpose of ``matrix``.
    """
    for position, operand in enumerate((matrix, rhs)):
        if operand.ndim < 2:
            refuse(f"In[{position}] ndims must be >= 2: {operand.ndim}")
    rows, columns = matrix.shape[-2:]
    if rows != columns:
        refuse(f"In[0] matrices in the last dimensions must be square ({columns} =/= {rows}).")
    if rhs.shape[-2] != columns:
        refuse(
            f"In[0] and In[1] must fit: matrices of shape {list(matrix.shape)}, "
            f"right-hand sides of shape {list(rhs.shape)}."
        )
    try:
        outer = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        refuse(
            f"In[0] and In[1] must have compatible batch dimensions: {list(matrix.shape)} vs. "
            f"{list(rhs.shape)}"
        )
    shape = (*outer, rows, rhs.shape[-1])
    if 0 in shape:
        return xp.zeros(shape, rhs.dtype)
    return _substitute(xp, matrix, rhs, shape, lower, adjoint)


triangular_solve.shape(
    lambda matrix, rhs: (
        *broadcast_shape(matrix.shape[:-2], rhs.shape[:-2]),
        matrix.shape[-2],
        rhs.shape[-1],
    )
)


# Rows that are solved at once. The general solver does up to three times the work of a triangular one, and
# takes whole batches; products do the rest.
BLOCK = 64


def _substitute(
    xp: Any, matrix: Any, rhs: Any, shape: tuple[int, ...], lower: bool, adjoint: bool
) -> Any:
    """Substitution by blocks of rows: what is known is subtracted, then a triangle is left."""
    triangle = conjugate_transpose(xp, matrix) if adjoint else matrix
    lower = lower != adjoint
    rows = shape[-2]
    out = xp.empty(shape, rhs.dtype)
    starts = range(0, rows, BLOCK)
    for start in starts if lower else reversed(starts):
        block = slice(start, start + BLOCK)
        known = slice(0, start) if lower else slice(start + BLOCK, rows)
        right = rhs[..., block, :]
        if start != (0 if lower else starts[-1]):
            right = right - xp.matmul(triangle[..., block, known], out[..., known, :])
        out[..., block, :] = _small_triangle(xp, triangle[..., block, block], right, lower)
    return out


def _small_triangle(xp: Any, triangle: Any, right: Any, lower: bool) -> Any:
    """A general solver does just back substitution for an upper triangle, which needs no swaps."""
    try:
        if not lower:
            return xp.linalg.solve(xp.triu(triangle), right)
        # A lower triangle becomes an upper one when rows and columns are counted backwards.
        flipped = xp.linalg.solve(xp.tril(triangle)[..., ::-1, ::-1], right[..., ::-1, :])
        return flipped[..., ::-1, :]
    except np.linalg.LinAlgError:
        # A zero on the diagonal: dividing by it gives infinity.
        outer = np.broadcast_shapes(triangle.shape[:-2], right.shape[:-2])
        out = xp.array(xp.broadcast_to(right, (*outer, *right.shape[-2:])))
        rows = range(out.shape[-2])
        for row in rows if lower else reversed(rows):
            known = slice(0, row) if lower else slice(row + 1, None)
            products = xp.matmul(triangle[..., row : row + 1, known], out[..., known, :])
            difference = out[..., row : row + 1, :] - products
            out[..., row : row + 1, :] = difference / triangle[..., row : row + 1, row : row + 1]
        return out


def _triangular_solve_gradient(dy, matrix, out, lower, adjoint, needs):
    by_rhs = triangular_solve(matrix, dy, lower, not adjoint)
    if not needs[0]:
        return None, by_rhs
    if adjoint:
        by_matrix = -matmul(out, by_rhs, adjoint_b=True)
    else:
        by_matrix = -matmul(by_rhs, out, adjoint_b=True)
    return _triangle(by_matrix, lower), by_rhs


triangular_solve.gradient(_triangular_solve_gradient)
triangular_solve.batching(BROADCASTS)


def _triangle(matrix: Tensor, lower: bool) -> Tensor:
    return band_part(matrix, -1, 0) if lower else band_part(matrix, 0, -1)


def divide_by_adjoint(matrix: Tensor, triangle: Tensor) -> Tensor:
    """``matmul(matrix, inv(adjoint(triangle)))`` for an upper triangular matrix."""
    return adjoint(triangular_solve(triangle, adjoint(matrix), False))
