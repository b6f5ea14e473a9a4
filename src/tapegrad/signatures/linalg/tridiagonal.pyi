# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Literal as Literal
from typing import overload as overload

def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions of triangular systems in which only a few diagonals are not zero.

    >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]         # the diagonal, and the one below it
    >>> tf.linalg.banded_triangular_solve(bands, tf.constant([[2.0], [3.0], [3.0]])).numpy().ravel()
    array([1., 1., 1.], dtype=float32)

    Args:
        bands: [..., count, size], from the uppermost diagonal down. Of a lower diagonal the first elements do
            not count, of an upper one the last ones.
        rhs: [..., size, columns].
    """

@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: Literal[True] = True,
    select: str = 'a',
    select_range: TensorLike | None = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Eigenvalues, ascending, of a Hermitian tridiagonal matrix; and on request its eigenvectors.

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4)
    array([1., 3.], dtype=float32)

    Args:
        alpha: the diagonal.
        beta: the diagonal above it, one shorter.
        select: "a" for all, "i" for those numbered ``select_range[0]`` to ``select_range[1]``, "v" for values
            above ``select_range[0]`` and up to ``select_range[1]``.
        tol: accepted and ignored: the results are always as exact as their dtype.
    """

@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: Literal[False],
    select: str = 'a',
    select_range: TensorLike | None = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, of a Hermitian tridiagonal matrix; and on request its eigenvectors.

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4)
    array([1., 3.], dtype=float32)

    Args:
        alpha: the diagonal.
        beta: the diagonal above it, one shorter.
        select: "a" for all, "i" for those numbered ``select_range[0]`` to ``select_range[1]``, "v" for values
            above ``select_range[0]`` and up to ``select_range[1]``.
        tol: accepted and ignored: the results are always as exact as their dtype.
    """

def lu_matrix_inverse(
    lower_upper: TensorLike,
    perm: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The inverses of the matrices from which ``tf.linalg.lu`` made these factors.

    >>> matrix = tf.constant([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu(matrix)).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """

def lu_reconstruct(
    lower_upper: TensorLike,
    perm: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrices from which ``tf.linalg.lu`` made these factors.

    >>> matrix = tf.constant([[1.0, 2.0], [4.0, 4.0]])
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu(matrix)).numpy()
    array([[1., 2.],
           [4., 4.]], dtype=float32)
    """

def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions X of ``A @ X = rhs``, given the result of ``tf.linalg.lu(A)``.

    >>> matrix = tf.constant([[1.0, 2.0], [4.0, 4.0]])
    >>> tf.linalg.lu_solve(*tf.linalg.lu(matrix), [[3.0], [8.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """

def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = 'compact',
    name: str | None = None,
) -> Tensor:
    """Tridiagonal matrices times ``rhs``. The arguments are those of ``tridiagonal_solve``.

    >>> bands = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
    >>> tf.linalg.tridiagonal_matmul(bands, tf.ones([3, 1])).numpy().ravel()
    array([5., 6., 5.], dtype=float32)
    """

def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = 'compact',
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
        transpose_rhs, conjugate_rhs: whether to transpose or to conjugate ``rhs`` first.
        partial_pivoting: accepted and ignored: rows are always pivoted.
    """
