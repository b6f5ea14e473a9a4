"""Matrices given by a few diagonals, and solutions and inverses from an LU decomposition.

SciPy's banded solver solves tridiagonal systems in linear time. Banded triangular systems and eigenvalues
are computed with ops on whole matrices here, which is as exact but not as fast as it could be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public, static_value
from tapegrad.core.abstract import value_to_check
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import is_unknown, maximum
from tapegrad.engines.numpy import lapack
from tapegrad.errors import refuse
from tapegrad.ops.args import operand_of_dtype, static_bool, static_int
from tapegrad.ops.batching import leading
from tapegrad.ops.elementwise import complex
from tapegrad.ops.gradients import ones
from tapegrad.ops.indexing import gather
from tapegrad.ops.indexing.sort import argsort
from tapegrad.ops.linalg import decompositions, diagonals, products, solvers
from tapegrad.ops.op import COMPLEX, op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, creation, joining
from tapegrad.ops.shape.padding import pad
from tapegrad.ops.shape.rearrange import roll
from tapegrad.ops.shape_rules import like

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    "linalg": "banded_triangular_solve",
    "linalg compat.v1.linalg": (
        "eigh_tridiagonal lu_matrix_inverse lu_reconstruct lu_solve tridiagonal_matmul "
        "tridiagonal_solve"
    ),
}


SOLVED = frozenset({dtypes.float32, dtypes.float64}) | COMPLEX


# Tridiagonal systems


@op(
    "TridiagonalSolve",
    dtypes=SOLVED,
    convert={"partial_pivoting": static_bool, "perturb_singular": static_bool},
    linear="rhs",
    values="errors",
)
def solve_tridiagonal(xp, diagonals, rhs, *, partial_pivoting=True, perturb_singular=False):
    """Solutions for right-hand sides in columns. See ``tf.linalg.tridiagonal_solve``."""
    if diagonals.ndim < 2 or diagonals.shape[-2] != 3:
        refuse(
            f"Expected 3 diagonals, in the shape [..., 3, size]; got shape {list(diagonals.shape)}."
        )
    size = diagonals.shape[-1]
    if rhs.ndim != diagonals.ndim or rhs.shape[:-2] != diagonals.shape[:-2]:
        refuse(
            f"Diagonals {list(diagonals.shape)} and right-hand sides {list(rhs.shape)} "
            "must have the same batch dimensions."
        )
    if rhs.shape[-2] != size:
        refuse(
            f"Expected same number of right-hand sides as the diagonals are long, {size}; "
            f"their shape is {list(rhs.shape)}."
        )
    solve_banded = lapack.scipys("scipy.linalg", "solve_banded", "tf.linalg.tridiagonal_solve()")
    out = np.empty(rhs.shape, rhs.dtype)
    flat = out.reshape((-1, *rhs.shape[-2:])) if out.size else out[:0]
    systems = diagonals.reshape((-1, 3, size)) if out.size else ()
    sides = rhs.reshape((-1, *rhs.shape[-2:])) if out.size else ()
    for number, (bands, columns) in enumerate(zip(systems, sides, strict=True)):
        # SciPy expects the upper band shifted right and the lower one shifted left.
        shifted = np.stack([np.roll(bands[0], 1), bands[1], np.roll(bands[2], -1)])
        shifted[0, 0] = shifted[2, -1] = 0
        try:
            if size == 1:
                if bands[1, 0] == 0:
                    raise np.linalg.LinAlgError
                flat[number] = columns / bands[1, 0]
            else:
                flat[number] = solve_banded((1, 1), shifted, columns, check_finite=False)
        except np.linalg.LinAlgError:
            refuse("The tridiagonal matrix is not invertible.")
    return out


solve_tridiagonal.shape(like("rhs"))


def _tridiagonal_gradient(dy, diagonals, out, needs):
    by_rhs = solve_tridiagonal(_transposed(diagonals), dy)
    if not needs[0]:
        return None, by_rhs
    # d A = -by_rhs out^T, of which only the three diagonals count. Elements shifted in at the ends do not.
    upper = reduce.reduce_sum(by_rhs[..., :-1, :] * out[..., 1:, :], -1)
    main = reduce.reduce_sum(by_rhs * out, -1)
    below = reduce.reduce_sum(by_rhs[..., 1:, :] * out[..., :-1, :], -1)
    front = [[0, 0]] * (out.ndim - 2)
    parts = [pad(upper, [*front, [0, 1]]), main, pad(below, [*front, [1, 0]])]
    return -joining.stack(parts, axis=-2), by_rhs


def _transposed(bands: Tensor) -> Tensor:
    """The diagonals of the transpose: the outer diagonals change places, shifted by one."""
    upper, main, below = joining.unstack(bands, axis=-2)
    return joining.stack([roll(below, -1, -1), main, roll(upper, 1, -1)], axis=-2)


solve_tridiagonal.gradient(_tridiagonal_gradient)
solve_tridiagonal.batching(leading)


def _compact(value: Any, form: str) -> Tensor:
    """Diagonals given in any of the three forms, as [..., 3, size]."""
    if form == "compact":
        return convert(value)
    if form == "sequence":
        if not isinstance(value, (tuple, list)) or len(value) != 3:
            raise ValueError(
                "Expected diagonals to be a sequence of length 3: "
                "superdiagonal, diagonal, subdiagonal."
            )
        parts: list[Tensor] = [convert(part) for part in value]
        upper, main, below = parts
        size = main._shape_tuple()[-1]
        front = [[0, 0]] * (main.ndim - 1)
        if upper._shape_tuple()[-1] == size - 1:
            upper = pad(upper, [*front, [0, 1]])
        if below._shape_tuple()[-1] == size - 1:
            below = pad(below, [*front, [1, 0]])
        return joining.stack([upper, main, below], axis=-2)
    if form == "matrix":
        matrix = convert(value)
        shape = matrix._shape_tuple()
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise ValueError(f"Expected square matrices of diagonals_format 'matrix', got {shape}.")
        return diagonals.diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")
    raise ValueError(
        f"Unrecognized diagonals_format: {form}. It is 'compact', 'sequence' or 'matrix'."
    )


@composition
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solutions of tridiagonal systems.

    >>> bands = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
    >>> tf.linalg.tridiagonal_solve(bands, [5.0, 6.0, 5.0]).numpy().round(4)
    array([1., 1., 1.], dtype=float32)

    Args:
        diagonals: the upper, the main and the lower diagonal: as [..., 3, size] ("compact", where the last
            element of the upper and the first of the lower diagonal do not count), as a list of three
            ("sequence"), or as matrices that hold them ("matrix").
        rhs: right-hand sides [..., size, count], or [..., size] for one each.
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs, conjugate_rhs: whether to transpose or to conjugate ``rhs`` first.
        partial_pivoting: accepted and ignored: rows are always pivoted.
        perturb_singular: accepted and ignored.
    """
    bands = _compact(diagonals, diagonals_format)
    rhs = operand_of_dtype(rhs, bands.dtype)
    if conjugate_rhs and rhs.dtype.is_complex:
        rhs = complex.conj(rhs)
    if rhs.ndim == bands.ndim - 1:
        columns = array.expand_dims(rhs, -1)
        return array.squeeze(solve_tridiagonal(bands, columns), [-1])
    if transpose_rhs:
        rhs = products.matrix_transpose(rhs)
    return solve_tridiagonal(bands, rhs, partial_pivoting, perturb_singular)


@composition
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Tridiagonal matrices times ``rhs``.

    >>> bands = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
    >>> tf.linalg.tridiagonal_matmul(bands, tf.ones([3, 1])).numpy().ravel()
    array([5., 6., 5.], dtype=float32)

    Args:
        diagonals: the upper, the main and the lower diagonal: as [..., 3, size] ("compact"), as a list of
            three ("sequence"), or as matrices that hold them ("matrix").
        rhs: matrices in the shape [..., size, columns].
        diagonals_format: "compact", "sequence" or "matrix".
    """
    bands = _compact(diagonals, diagonals_format)
    rhs = operand_of_dtype(rhs, bands.dtype)
    if bands.dtype not in SOLVED:
        refuse(f"TridiagonalMatMul takes float32, float64 and complex, not {bands.dtype.name}.")
    if (
        rhs.ndim != bands.ndim
        or bands.ndim < 2
        or rhs._shape_tuple()[-2] != bands._shape_tuple()[-1]
    ):
        refuse(
            f"Diagonals {list(bands.shape)} and right-hand sides {list(rhs.shape)} must fit: "
            "[..., 3, size] and [..., size, columns]."
        )
    if bands._shape_tuple()[-2] != 3:
        refuse(f"Expected 3 diagonals, in the shape [..., 3, size]; got shape {list(bands.shape)}.")
    upper, main, below = [array.expand_dims(part, -1) for part in joining.unstack(bands, axis=-2)]
    front = [[0, 0]] * (rhs.ndim - 2)
    after = pad(upper[..., :-1, :] * rhs[..., 1:, :], [*front, [0, 1], [0, 0]])
    before = pad(below[..., 1:, :] * rhs[..., :-1, :], [*front, [1, 0], [0, 0]])
    return main * rhs + after + before


@composition
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solutions of triangular systems in which only a few diagonals are not zero.

    >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]         # the diagonal, and the one below it
    >>> tf.linalg.banded_triangular_solve(bands, tf.constant([[2.0], [3.0], [3.0]])).numpy().ravel()
    array([1., 1., 1.], dtype=float32)

    Args:
        bands: [..., count, size], from the uppermost diagonal down. Of a lower diagonal the first elements do
            not count, of an upper one the last ones.
        rhs: [..., size, columns].
        lower: whether ``bands`` are the diagonal and those below it; else they are those above it and the
            diagonal.
        adjoint: whether to solve the systems of the matrices conjugated and turned over.
    """
    bands = convert(bands)
    count, size = bands._shape_tuple()[-2:] if bands.ndim >= 2 else (0, 0)
    if not is_unknown(count) and not 0 < count <= maximum(size, 1):
        refuse(
            "bands must have shape [..., count, size], count from 1 to size; "
            f"it is {list(bands.shape)}."
        )
    numbers = value_to_check(bands, "the diagonal")
    if numbers is not None and not numbers[..., 0 if lower else -1, :].all():
        refuse("Input matrix is not invertible: there are zeros on its diagonal.")
    k = (1 - count, 0) if lower else (0, count - 1)
    if count == 1:
        matrix = diagonals.diag(array.squeeze(bands, [-2]))
    else:
        matrix = diagonals.diag(bands, k=k, align="LEFT_RIGHT")
    return solvers.triangular_solve(matrix, operand_of_dtype(rhs, bands.dtype), lower, adjoint)


@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: Literal[True] = True,
    select: str = "a",
    select_range: TensorLike | None = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Tensor: ...
@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: Literal[False],
    select: str = "a",
    select_range: TensorLike | None = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
@public
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues, ascending, of a Hermitian tridiagonal matrix; and on request its eigenvectors.

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4)
    array([1., 3.], dtype=float32)

    Args:
        alpha: the diagonal.
        beta: the diagonal above it, one shorter.
        eigvals_only: whether to leave out the eigenvectors; else the result is a pair.
        select: "a" for all, "i" for those numbered ``select_range[0]`` to ``select_range[1]``, "v" for values
            above ``select_range[0]`` and up to ``select_range[1]``.
        select_range: two numbers, if ``select`` is not "a".
        tol: accepted and ignored: the results are always as exact as their dtype.
    """
    alpha = convert(alpha)
    beta = convert(beta, alpha.dtype)
    size = alpha._shape_tuple()[-1] if alpha.ndim == 1 else -1
    if beta._shape_tuple() != (size - 1,):
        raise ValueError(
            "alpha must be a vector and beta one that is shorter by one; "
            f"their shapes are {alpha.shape} and {beta.shape}."
        )
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select must have a value in {{'a', 'i', 'v'}}. It is {select!r}.")
    if select != "a" and select_range is None:
        raise ValueError("For select='i' and 'v', select_range must be given.")
    matrix = diagonals.diag(alpha)
    if size > 1:
        matrix = matrix + diagonals.diag(beta, k=1)
        below = complex.conj(beta) if beta.dtype.is_complex else beta
        matrix = matrix + diagonals.diag(below, k=-1)
    values, vectors = decompositions.eigh(matrix)
    real = complex.real(values) if values.dtype.is_complex else values
    first, last = 0, size
    if select == "i":
        first, last = static_int(select_range[0]), static_int(select_range[1]) + 1
        if not 0 <= first < last <= size:
            raise ValueError(
                f"select_range {select_range} is no range of the numbers 0 to {size - 1}."
            )
    elif select == "v":
        low, high = [float(bound) for bound in select_range]
        ascending = static_value(convert(real), "values within a range")
        first, last = [int((ascending <= bound).sum()) for bound in (low, high)]
    real, vectors = real[first:last], vectors[:, first:last]
    return real if eigvals_only else (real, vectors)


# Solutions after an LU decomposition


def _permuted(rows: Tensor, perm: Any) -> Tensor:
    """The rows of each matrix in the order ``perm``."""
    perm = convert(perm)
    depth = perm.ndim
    # The added axis in front keeps the gradient dense. Along the first axis it would be IndexedSlices.
    rows, places = array.expand_dims(rows, 0), array.expand_dims(perm, 0)
    return array.squeeze(gather.gather(rows, places, axis=depth, batch_dims=depth), [0])


def _factors(lower_upper: Tensor) -> tuple[Tensor, Tensor]:
    lower = diagonals.band_part(lower_upper, -1, 0)
    return (
        diagonals.set_diag(lower, ones(lower_upper._shape_tuple()[:-1], lower_upper.dtype)),
        diagonals.band_part(lower_upper, 0, -1),
    )


def _check_lu(lower_upper: Any, perm: Any) -> Tensor:
    lower_upper = convert(lower_upper)
    shape = lower_upper._shape_tuple()
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"`lower_upper` must be square matrices; its shape is {shape}.")
    order = convert(perm)
    if order._shape_tuple() != shape[:-1] or order.dtype not in (dtypes.int32, dtypes.int64):
        refuse(
            f"`perm` must be integers of shape {list(shape[:-1])}, a place for each row; "
            f"it is {order.dtype.name} of shape {order.shape}."
        )
    return lower_upper


@composition
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The solutions X of ``A @ X = rhs``, given the result of ``tf.linalg.lu(A)``.

    >>> matrix = tf.constant([[1.0, 2.0], [4.0, 4.0]])
    >>> tf.linalg.lu_solve(*tf.linalg.lu(matrix), [[3.0], [8.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)

    Args:
        lower_upper: both factors in one matrix, in the last two axes.
        perm: the order of the rows, in the last axis.
        rhs: right-hand sides in the shape [..., size, columns].
        validate_args: of no effect.
    """
    lower_upper = _check_lu(lower_upper, perm)
    rhs = operand_of_dtype(rhs, lower_upper.dtype)
    if rhs.ndim < 2 or rhs._shape_tuple()[-2] != lower_upper._shape_tuple()[-1]:
        raise ValueError(
            f"`rhs` must have the shape [..., {lower_upper._shape_tuple()[-1]}, columns]; "
            f"it is {rhs.shape}."
        )
    lower, upper = _factors(lower_upper)
    halfway = solvers.triangular_solve(lower, _permuted(rhs, perm), True)
    return solvers.triangular_solve(upper, halfway, False)


@composition
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices from which ``tf.linalg.lu`` made these factors.

    >>> matrix = tf.constant([[1.0, 2.0], [4.0, 4.0]])
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu(matrix)).numpy()
    array([[1., 2.],
           [4., 4.]], dtype=float32)

    Args:
        lower_upper: both factors in one matrix, in the last two axes.
        perm: the order of the rows, in the last axis.
        validate_args: of no effect.
    """
    lower_upper = _check_lu(lower_upper, perm)
    lower, upper = _factors(lower_upper)
    return _permuted(products.matmul(lower, upper), argsort(perm, axis=-1))


@composition
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of the matrices from which ``tf.linalg.lu`` made these factors.

    >>> matrix = tf.constant([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu(matrix)).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Args:
        lower_upper: both factors in one matrix, in the last two axes.
        perm: the order of the rows, in the last axis.
        validate_args: of no effect.
    """
    lower_upper = _check_lu(lower_upper, perm)
    shape = lower_upper._shape_tuple()
    identity = creation.eye(shape[-1], batch_shape=shape[:-2], dtype=lower_upper.dtype)
    return lu_solve(lower_upper, perm, identity)
