"""Factorisations of the matrices in the last two axes, and functions that are computed from them.

Where singular values or eigenvalues coincide, a gradient leaves out the part that would be divided by their
difference.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, overload

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import maximum, minimum
from tapegrad.engines.numpy import factors, lapack, orthogonal
from tapegrad.errors import refuse
from tapegrad.framework import check_numerics, logging
from tapegrad.ops.args import operand_of_dtype, static_bool, static_dtype
from tapegrad.ops.batching import broadcast_to, leading
from tapegrad.ops.constants import number
from tapegrad.ops.elementwise import complex, exponential, math
from tapegrad.ops.linalg import diagonals
from tapegrad.ops.linalg.products import adjoint, matmul
from tapegrad.ops.linalg.solvers import (
    LETTERS,
    SOLVER_TYPES,
    WITH_HALF,
    check_matrix,
    check_square,
    conjugate_transpose,
    divide_by_adjoint,
    each_matrix,
    finite_svd,
    restack,
    solve,
    square_shape,
    triangular_solve,
)
from tapegrad.ops.op import op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts, creation, joining
from tapegrad.ops.shape_rules import Abstract

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    ". linalg": "eig eigvals",
    "linalg compat.v1.linalg": (
        "cholesky cholesky_solve eigh eigvalsh logdet lstsq lu matrix_rank pinv qr svd"
    ),
}


# Cholesky and QR


def values_and_vectors(items, *arguments):
    """`leading` for ops that return a scalar in place of vectors that are not requested."""
    return [
        result if result.ndim else broadcast_to(result, (items.size,))
        for result in leading(items, *arguments)
    ]


@op(
    "Cholesky",
    check_numerics={
        "NaN": "A matrix is not positive definite: add a small number to its diagonal, as in "
        "tf.linalg.cholesky(a + 1e-6 * tf.eye(n)), or compute in float64.",
        "gradient": "A matrix is almost singular: add a small number to its diagonal, as in "
        "tf.linalg.cholesky(a + 1e-6 * tf.eye(n)).",
    },
    values="elements",
    dtypes=SOLVER_TYPES,
    holomorphic=False,
    lane=factors.cholesky,
)
def cholesky(xp, input):
    """The lower triangular ``L`` for which ``L @ adjoint(L)`` is the Hermitian positive definite input.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy()
    array([[2., 0.],
           [1., 1.]], dtype=float32)

    Only the lower triangle is read. A matrix that is not positive definite gives NaN.
    """
    check_square(input)
    if not input.size:  # a batch can hold very many empty matrices, and LAPACK would visit each
        return input
    try:
        return xp.linalg.cholesky(input)
    except np.linalg.LinAlgError:
        parts = each_matrix(_cholesky_or_nan, input)
        return restack(parts, input.shape[:-2], input.dtype, input.shape[-2:])


cholesky.shape(square_shape)


def _cholesky_or_nan(matrix: Any) -> Any:
    try:
        return lapack.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.tril(np.full(matrix.shape, np.nan, matrix.dtype))


def _cholesky_gradient(dy, out):
    # With P the lower triangle of L^H dL, its diagonal halved: the gradient is L^-H P L^-1, symmetrised.
    middle = _halved_triangle(matmul(out, dy, adjoint_a=True))
    gradient = triangular_solve(out, middle, True, True)
    gradient = adjoint(triangular_solve(out, adjoint(gradient), True, True))
    return (gradient + adjoint(gradient)) * 0.5


def _halved_triangle(matrix: Tensor) -> Tensor:
    """The lower triangle with a halved diagonal."""
    lower = diagonals.band_part(matrix, -1, 0)
    return diagonals.set_diag(lower, diagonals.diag_part(matrix) * 0.5)


cholesky.gradient(input=_cholesky_gradient)
cholesky.batching(leading)


@public
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """``x`` with ``matmul(A, x) == rhs``, given the Cholesky factor of ``A``.

    >>> factor = tf.linalg.cholesky([[4.0, 0.0], [0.0, 1.0]])
    >>> tf.linalg.cholesky_solve(factor, [[8.0], [3.0]]).numpy()
    array([[2.],
           [3.]], dtype=float32)

    Args:
        chol: lower triangular matrices in the last two axes, as `tf.linalg.cholesky` gives.
        rhs: right-hand sides in the shape [..., size, columns].
    """
    return triangular_solve(chol, triangular_solve(chol, rhs, True, False), True, True)


class Qr(NamedTuple):
    """An orthogonal and an upper triangular factor."""

    q: Tensor
    r: Tensor


@op(
    "Qr",
    dtypes=WITH_HALF,
    outputs=("q", "r"),
    result=Qr,
    holomorphic=False,
    convert={"full_matrices": static_bool},
    accumulate="float32",
    lane=orthogonal.orthogonal,
    values="elements",
)
def qr(xp, input, *, full_matrices=False):
    """``q`` with orthonormal columns and an upper triangular ``r``, whose product is the matrix.

    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> tf.matmul(q, r).numpy().round(4)
    array([[3., 1.],
           [4., 2.]], dtype=float32)

    Args:
        input: matrices in the last two axes.
        full_matrices: whether ``q`` is square. ``r`` then has rows of zeros.
    """
    check_matrix(input)
    if not input.shape[-2]:
        return xp.zeros((*input.shape[:-1], 0), input.dtype), input
    q, r = xp.linalg.qr(input, mode="complete" if full_matrices else "reduced")
    return q.astype(input.dtype, copy=False), r.astype(input.dtype, copy=False)


@qr.shape
def qr_shapes(input, full_matrices):
    check_matrix(input)
    *outer, rows, columns = input.shape
    inner = rows if full_matrices else minimum(rows, columns)
    return [(*outer, rows, inner), (*outer, inner, columns)]


def _qr_gradient(dy, arrived, input_shape, q, r, full_matrices):
    dq, dr = dy
    rows, columns = input_shape[-2:]
    if full_matrices and rows > columns:
        raise NotImplementedError(
            "The gradient of tf.linalg.qr with full_matrices=True is not defined for matrices "
            f"with more rows than columns ({rows} by {columns}): "
            "the added columns of q are not determined."
        )
    if rows >= columns:
        return _square_qr_gradient(q, r, dq if arrived[0] else None, dr)
    # A = [X Y] with X square: X = q u and r = [u, q^H Y].
    y_part = matmul(q, r[..., rows:])
    dq = dq + matmul(y_part, dr[..., rows:], adjoint_b=True)
    by_x = _square_qr_gradient(q, r[..., :rows], dq, dr[..., :rows])
    return joining.concat([by_x, matmul(q, dr[..., rows:])], -1)


def _square_qr_gradient(q: Tensor, r: Tensor, dq: Tensor | None, dr: Tensor) -> Tensor:
    # Let X = q^H dA r^-1. The lower triangle of X is that of q^H dq. The rest is dr r^-1.
    scaling = matmul(dr, r, adjoint_b=True)
    if dq is None:
        by_middle = scaling + _halved_triangle(adjoint(scaling) - scaling)
        return divide_by_adjoint(matmul(q, by_middle), r)
    rotation = matmul(q, dq, adjoint_a=True)
    both = rotation - adjoint(rotation) + adjoint(scaling) - scaling
    by_middle = scaling + _halved_triangle(both)
    return divide_by_adjoint(dq + matmul(q, by_middle - rotation), r)


qr.gradient(input=_qr_gradient)
qr.batching(leading)


@public
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of each Hermitian positive definite matrix.

    >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 2.0]]).numpy().round(4)
    np.float32(1.3863)

    Args:
        matrix: square matrices in the last two axes, of which only the lower triangle is read.
    """
    factor = cholesky(matrix)
    diagonal = complex.real(diagonals.diag_part(factor))
    return 2.0 * reduce.reduce_sum(exponential.log(diagonal), axis=[-1])


@op("MatrixSolveLs", dtypes=SOLVER_TYPES, values="errors")
def solve_least_squares(xp, matrix, rhs, l2_regularizer, *, fast=True):
    """The least-squares solution of least norm, by a complete orthogonal decomposition."""
    if not matrix.size:
        return xp.zeros((*rhs.shape[:-2], matrix.shape[-1], rhs.shape[-1]), rhs.dtype)
    pseudo_inverse = xp.linalg.pinv(matrix, rcond=_rank_tolerance(matrix.shape, matrix.dtype))
    return xp.matmul(pseudo_inverse, rhs)


solve_least_squares.shape(
    lambda matrix, rhs: Abstract((*rhs.shape[:-2], matrix.shape[-1], rhs.shape[-1]), rhs.dtype)
)


def _rank_tolerance(shape: tuple[int, ...], numpy_dtype: Any) -> Any:
    """The part of the largest singular value below which others count as 0: a float, or a tensor."""
    largest = functools.reduce(maximum, shape[-2:], 1)
    return float(np.finfo(numpy_dtype).eps) * number(largest, dtypes.from_numpy(numpy_dtype))


@composition
def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The ``x`` for which ``matmul(matrix, x)`` is closest to ``rhs``.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(5)
    array([[2.]], dtype=float32)

    If there are several, it is the one of least norm.

    Args:
        matrix: matrices in the last two axes.
        rhs: right-hand sides in the shape [..., rows of a matrix, columns].
        l2_regularizer: the weight of the sum of the squares of ``x`` in what is minimised.
        fast: whether to solve the normal equations, which needs matrices of full rank. Without it any rank
            will do, but the regulariser is not used and there is no gradient.
    """
    matrix = convert(matrix)
    rhs = operand_of_dtype(rhs, matrix.dtype)
    if not fast:
        return solve_least_squares(matrix, rhs, convert(0, matrix.dtype), fast=False)
    check_matrix(matrix)
    rows, columns = matrix._shape_tuple()[-2:]
    tall = rows >= columns
    gram = (
        matmul(matrix, matrix, adjoint_a=True) if tall else matmul(matrix, matrix, adjoint_b=True)
    )
    if not isinstance(l2_regularizer, (int, float)) or l2_regularizer != 0:
        size = min(rows, columns)
        if isinstance(l2_regularizer, (int, float)):
            l2_regularizer = convert(l2_regularizer, matrix.dtype)
        penalty = casts.cast(l2_regularizer, matrix.dtype)
        gram = gram + penalty * creation.eye(size, dtype=matrix.dtype)
    factor = cholesky(gram)
    if tall:
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


# Singular values and eigenvalues


def _safe_reciprocal(x: Tensor) -> Tensor:
    """``1 / x``, and 0 where ``x`` is 0, which is the limit of x / (x^2 + epsilon)."""
    return math.divide_no_nan(convert(1, x.dtype), x)


def _differences(values: Tensor) -> Tensor:
    """``values[j] - values[i]`` at row i and column j. Equal values warn if numerics are checked."""
    if check_numerics.is_enabled() and static_bool(_some_are_equal(values)):
        logging.warn(
            "The gradient of singular or eigen vectors is asked for where values are equal: the vectors are "
            "not determined there, and the part of the gradient that mixes them is left out."
        )
    return array.expand_dims(values, -2) - array.expand_dims(values, -1)


@op("_SomeAreEqual")
def _some_are_equal(xp, values):
    return xp.asarray((xp.diff(xp.sort(values, axis=-1), axis=-1) == 0).any())


_some_are_equal.shape(lambda values: Abstract((), dtypes.bool))
_some_are_equal.no_gradient()


@op(
    "Svd",
    dtypes=SOLVER_TYPES,
    outputs=("s", "u", "v"),
    holomorphic=False,
    convert={"compute_uv": static_bool, "full_matrices": static_bool},
    lane=orthogonal.singular,
    values="elements",
)
def svd_op(xp, input, *, compute_uv=True, full_matrices=False):
    """Singular values, and left and right singular vectors. See ``tf.linalg.svd``."""
    check_matrix(input)
    real = np.dtype(input.real.dtype)
    if not compute_uv:
        nothing = xp.zeros((), input.dtype)
        return _values_or_nan(xp, input, real), nothing, nothing
    try:
        u, s, vh = finite_svd(xp, input, full_matrices)
    except np.linalg.LinAlgError:
        u, s, vh = _svd_or_nan(xp, input, full_matrices)
    return (
        s.astype(real, copy=False),
        u,
        conjugate_transpose(xp, vh),
    )


@svd_op.shape
def svd_shapes(input, compute_uv, full_matrices):
    check_matrix(input)
    *outer, rows, columns = input.shape
    least = minimum(rows, columns)
    values = Abstract((*outer, least), input.dtype.real_dtype)
    if not compute_uv:
        return [values, (), ()]
    wide, high = (rows, columns) if full_matrices else (least, least)
    return [values, (*outer, rows, wide), (*outer, columns, high)]


def _values_or_nan(xp: Any, matrix: Any, dtype: Any) -> Any:
    if not matrix.size:
        return xp.zeros((*matrix.shape[:-2], min(matrix.shape[-2:])), dtype)
    try:
        return xp.linalg.svd(matrix, compute_uv=False).astype(dtype, copy=False)
    except np.linalg.LinAlgError:
        return _svd_or_nan(xp, matrix, False)[1].astype(dtype, copy=False)


def _svd_or_nan(xp: Any, matrices: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """The decomposition of each matrix, or NaN for a matrix that has none."""
    rows, columns = matrices.shape[-2:]
    least = min(rows, columns)
    shapes = (
        (rows, rows if full_matrices else least),
        (least,),
        (columns if full_matrices else least, columns),
    )

    def decompose(matrix: Any) -> tuple[Any, ...]:
        try:
            return finite_svd(xp, matrix, full_matrices)
        except np.linalg.LinAlgError:
            return tuple([np.full(shape, np.nan, matrix.dtype) for shape in shapes])

    parts = each_matrix(decompose, matrices)
    kinds = (matrices.dtype, matrices.real.dtype, matrices.dtype)
    u, s, vh = (
        restack([part[i] for part in parts], matrices.shape[:-2], kinds[i], shapes[i])
        for i in range(3)
    )
    return u, s, vh


def turned(vectors, added, dadded):
    """What the gradient by the vector at right angles to all ``vectors`` takes from theirs; 0 without one."""
    if added is None:
        return 0.0
    return matmul(added, matmul(vectors, dadded, adjoint_a=True), adjoint_b=True)


def _svd_gradient(dy, arrived, input, s, u, v, compute_uv, full_matrices):
    ds, du, dv = dy
    rows, columns = input._shape_tuple()[-2:]
    if not compute_uv:
        _, u, v = svd_op(input, True, False)
    added = dadded = None
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError(
            "The gradient of tf.linalg.svd with full_matrices=True is defined for at most "
            f"one row or column more than the other, not for {rows} by {columns}: "
            "the added singular vectors are not determined."
        )
    if full_matrices and rows > columns:
        (u, added), (du, dadded) = ((x[..., :columns], x[..., columns:]) for x in (u, du))
    elif full_matrices and rows < columns:
        (v, added), (dv, dadded) = ((x[..., :rows], x[..., rows:]) for x in (v, dv))
    dtype = u.dtype
    if not compute_uv or not (arrived[1] or arrived[2]):
        return matmul(u * array.expand_dims(casts.cast(ds, dtype), -2), v, adjoint_b=True)
    values = casts.cast(s, dtype)
    row = array.expand_dims(values, -2)
    column = array.expand_dims(values, -1)
    inverse = _safe_reciprocal(row)
    # u^H A v = diag(s): first-order changes of u and v mix vectors i and j by 1 / (s_j^2 - s_i^2).
    mixing = _safe_reciprocal(
        _differences(s) * (array.expand_dims(s, -2) + array.expand_dims(s, -1))
    )
    mixing = casts.cast(mixing, dtype)
    left, right = matmul(u, du, adjoint_a=True), matmul(v, dv, adjoint_a=True)
    mixed_left, mixed_right = mixing * left, mixing * right
    middle = (mixed_left + adjoint(mixed_left)) * row + column * (
        mixed_right + adjoint(mixed_right)
    )
    middle = middle + diagonals.diag(casts.cast(ds, dtype))
    if dtype.is_complex:
        turning = diagonals.diag_part(right)
        middle = middle + diagonals.diag(
            (complex.conj(turning) - turning) * _safe_reciprocal(values) * 0.5
        )
    gradient = matmul(matmul(u, middle), v, adjoint_b=True)
    if rows > columns:
        beyond = (du - matmul(u, left) - turned(u, added, dadded)) * inverse
        gradient = gradient + matmul(beyond, v, adjoint_b=True)
    elif rows < columns:
        beyond = (dv - matmul(v, right) - turned(v, added, dadded)) * inverse
        gradient = gradient + matmul(u, beyond, adjoint_b=True)
    return gradient


svd_op.gradient(input=_svd_gradient)
svd_op.batching(values_and_vectors)


@overload
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: Literal[True] = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    *,
    compute_uv: Literal[False],
    name: str | None = None,
) -> Tensor: ...
@public
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values ``s``, descending, and vectors for which ``tensor == u @ diag(s) @ adjoint(v)``.

    >>> s, u, v = tf.linalg.svd(tf.constant([[3.0, 0.0], [0.0, -2.0]]))
    >>> s.numpy()
    array([3., 2.], dtype=float32)

    Args:
        tensor: matrices in the last two axes.
        full_matrices: whether ``u`` and ``v`` are square.
        compute_uv: whether to compute the vectors. Without them only ``s`` is returned.
    """
    s, u, v = svd_op(tensor, compute_uv, full_matrices)
    return (s, u, v) if compute_uv else s


@op(
    "SelfAdjointEigV2",
    dtypes=SOLVER_TYPES,
    outputs=("e", "v"),
    holomorphic=False,
    convert={"compute_v": static_bool},
    lane=orthogonal.self_adjoint,
    values="errors",
)
def eigh_op(xp, input, *, compute_v=True):
    """Eigenvalues and eigenvectors of Hermitian matrices. See ``tf.linalg.eigh``."""
    check_square(input)
    if not input.size:
        return xp.zeros(input.shape[:-1], input.dtype), input
    try:
        if compute_v:
            e, v = xp.linalg.eigh(input)
        else:
            e, v = xp.linalg.eigvalsh(input), xp.zeros((), input.dtype)
    except np.linalg.LinAlgError:
        _no_eigenvalues("Self-adjoint eigen")
    if not xp.isfinite(input).all():
        _no_eigenvalues("Self-adjoint eigen")
    return e.astype(input.dtype), v


@eigh_op.shape
def eigh_shapes(input, compute_v):
    check_square(input)
    return [input.shape[:-1], input.shape if compute_v or not input.size else ()]


def _no_eigenvalues(what: str) -> NoReturn:
    refuse(
        f"{what} decomposition was not successful. The input might not be valid: it may hold NaN or infinity."
    )


def _eigh_gradient(dy, arrived, input, e, v, compute_v):
    de, dv = dy
    if not compute_v:
        _, v = eigh_op(input, True)
    if not compute_v or not arrived[1]:
        gradient = matmul(v * array.expand_dims(de, -2), v, adjoint_b=True)
    else:
        mixing = _safe_reciprocal(_differences(e))
        middle = diagonals.diag(de) + mixing * matmul(v, dv, adjoint_a=True)
        gradient = matmul(matmul(v, middle), v, adjoint_b=True)
    # Only the lower triangle of the input is read, so the upper triangle's gradient is added to it.
    lower = diagonals.band_part(gradient + adjoint(gradient), -1, 0)
    return diagonals.set_diag(lower, diagonals.diag_part(lower) * 0.5)


eigh_op.gradient(input=_eigh_gradient)
eigh_op.batching(values_and_vectors)


@public
def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors (as columns) of Hermitian matrices.

    >>> e, v = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> e.numpy().round(4)
    array([1., 3.], dtype=float32)

    Only the lower triangle is read.

    Args:
        tensor: square matrices in the last two axes, of floating point or complex numbers.
    """
    e, v = eigh_op(tensor, True)
    return e, v


@public
def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues, ascending, of Hermitian matrices.

    >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(4)
    array([1., 3.], dtype=float32)

    Args:
        tensor: square matrices in the last two axes, of which only the lower triangle is read.
    """
    return eigh_op(tensor, False)[0]


@op(
    "Eig",
    dtypes=SOLVER_TYPES,
    outputs=("e", "v"),
    holomorphic=False,
    convert={"compute_v": static_bool, "Tout": static_dtype},
    values="errors",
)
def eig_op(xp, input, *, compute_v=True, Tout=None):
    """Eigenvalues and eigenvectors of any square matrices. See ``tf.linalg.eig``."""
    check_square(input)
    dtype = np.result_type(input.dtype, np.complex64)
    if not input.size:
        return xp.zeros(input.shape[:-1], dtype), input.astype(dtype)
    try:
        if compute_v:
            e, v = xp.linalg.eig(input)
        else:
            e, v = xp.linalg.eigvals(input), xp.zeros((), dtype)
    except np.linalg.LinAlgError:
        _no_eigenvalues("Eigen")
    return e.astype(dtype, copy=False), v.astype(dtype, copy=False)


@eig_op.shape
def eig_shapes(input, compute_v):
    check_square(input)
    wide = input.dtype.real_dtype is dtypes.float64
    dtype = dtypes.complex128 if wide else dtypes.complex64
    shape = input.shape if compute_v or not input.size else ()
    return [Abstract(input.shape[:-1], dtype), Abstract(shape, dtype)]


def _eig_gradient(dy, input, e, v, compute_v):
    de, dv = dy
    if not compute_v:
        _, v = eig_op(input, True)
        middle = diagonals.diag(de)
    else:
        # Eigenvectors have length 1, so the part of a change that lies along the vector is taken away.
        mixing = complex.conj(_safe_reciprocal(_differences(e)))
        along = matmul(v, dv, adjoint_a=True)
        lengths = casts.cast(complex.real(diagonals.diag_part(along)), along.dtype)
        overlap = matmul(v, v, adjoint_a=True) * array.expand_dims(lengths, -2)
        middle = diagonals.diag(de) + mixing * (along - overlap)
    gradient = solve(v, matmul(middle, v, adjoint_b=True), True)
    return gradient if input.dtype.is_complex else complex.real(gradient)


eig_op.gradient(input=_eig_gradient)
eig_op.batching(values_and_vectors)


@public
def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues and eigenvectors (as columns) of square matrices.

    >>> e, v = tf.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> e.numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)

    Args:
        tensor: square matrices in the last two axes, of floating point or complex numbers.
    """
    e, v = eig_op(tensor, True)
    return e, v


@public
def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Complex eigenvalues of square matrices.

    >>> tf.linalg.eigvals([[0.0, 1.0], [-1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)

    Args:
        tensor: square matrices in the last two axes, of floating point or complex numbers.
    """
    return eig_op(tensor, False)[0]


def _check_float(a: Tensor) -> Tensor:
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.ndim}).")
    return a


@composition
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The number of singular values of each matrix that are above ``tol``.

    >>> tf.linalg.matrix_rank(tf.constant([[1.0, 2.0], [2.0, 4.0]]))
    <tf.Tensor: shape=(), dtype=int32, numpy=1>

    Args:
        a: matrices in the last two axes, of floating point or complex numbers.
        tol: by default the largest singular value, times the larger size, times the dtype's epsilon.
        validate_args: of no effect.
    """
    a = _check_float(convert(a))
    values = svd(a, compute_uv=False)
    if tol is None:
        factor = _rank_tolerance(a._shape_tuple(), a.dtype.numpy_dtype)
        tol = factor * reduce.reduce_max(values, axis=-1, keepdims=True)
    return reduce.reduce_sum(casts.cast(values > tol, dtypes.int32), axis=-1)


@composition
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudo-inverse of each matrix, which gives the least-squares solution of least norm.

    >>> tf.linalg.pinv(tf.constant([[1.0], [1.0]])).numpy().round(4)
    array([[0.5, 0.5]], dtype=float32)

    Args:
        a: matrices in the last two axes, of floating point or complex numbers.
        rcond: singular values below ``rcond`` times the largest one count as zero. The default is ten times
            the larger size times the dtype's epsilon.
        validate_args: of no effect.
    """
    a = _check_float(convert(a))
    s, u, v = svd(a)
    if rcond is None:
        rcond = 10.0 * _rank_tolerance(a._shape_tuple(), a.dtype.numpy_dtype)
    rcond = convert(rcond, s.dtype)
    cutoff = array.expand_dims(rcond, -1) * reduce.reduce_max(s, axis=-1, keepdims=True)
    inverse = math.keep_where(_safe_reciprocal(s), s > cutoff)
    return matmul(v * array.expand_dims(casts.cast(inverse, v.dtype), -2), u, adjoint_b=True)


# LU


class Lu(NamedTuple):
    """Both triangular factors in one matrix, and a permutation of the rows."""

    lu: Tensor
    p: Tensor


@op(
    "Lu",
    dtypes=SOLVER_TYPES,
    outputs=("lu", "p"),
    result=Lu,
    convert={"output_idx_type": static_dtype},
    values="errors",
)
def lu(xp, input, *, output_idx_type=dtypes.int32):
    """The factors ``L`` (below the diagonal, which is 1) and ``U`` in one matrix, and a permutation of rows.

    >>> factors, order = tf.linalg.lu(tf.constant([[1.0, 2.0], [4.0, 2.0]]))
    >>> order.numpy()
    array([1, 0], dtype=int32)

    Raises:
        InvalidArgumentError: for a singular matrix.
    """
    check_square(input)
    if not input.size:
        return input, xp.zeros(input.shape[:-1], output_idx_type.as_numpy_dtype)
    parts = each_matrix(_lu_of, input)
    outer = input.shape[:-2]
    return (
        restack([part[0] for part in parts], outer, input.dtype, input.shape[-2:]),
        restack(
            [part[1] for part in parts], outer, output_idx_type.as_numpy_dtype, input.shape[-1:]
        ),
    )


@lu.shape
def lu_shapes(input, output_idx_type):
    check_square(input)
    return [input.shape, Abstract(input.shape[:-1], output_idx_type)]


lu.batching(leading)


def _lu_of(matrix: Any) -> tuple[Any, Any]:
    letter = LETTERS[matrix.dtype.char]
    getrf = lapack.scipys("scipy.linalg.lapack", f"{letter}getrf", "tf.linalg.lu()")
    factors, swaps, info = getrf(matrix)
    if info > 0:
        refuse("Input is not invertible.")
    order = np.arange(matrix.shape[0])
    for row, other in enumerate(swaps):
        order[[row, other]] = order[[other, row]]
    return factors, order
