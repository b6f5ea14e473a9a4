# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.linalg.decompositions import Lu as Lu
from tapegrad.ops.linalg.decompositions import Qr as Qr
from typing import Literal as Literal
from typing import overload as overload

def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular ``L`` for which ``L @ adjoint(L)`` is the Hermitian positive definite input.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy()
    array([[2., 0.],
           [1., 1.]], dtype=float32)

    Only the lower triangle is read. A matrix that is not positive definite gives NaN.

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """``x`` with ``matmul(A, x) == rhs``, given the Cholesky factor of ``A``.

    >>> factor = tf.linalg.cholesky([[4.0, 0.0], [0.0, 1.0]])
    >>> tf.linalg.cholesky_solve(factor, [[8.0], [3.0]]).numpy()
    array([[2.],
           [3.]], dtype=float32)
    """

def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues and eigenvectors (as columns) of square matrices.

    >>> e, v = tf.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> e.numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """

def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors (as columns) of Hermitian matrices.

    >>> e, v = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> e.numpy().round(4)
    array([1., 3.], dtype=float32)

    Only the lower triangle is read.
    """

def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Complex eigenvalues of square matrices.

    >>> tf.linalg.eigvals([[0.0, 1.0], [-1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """

def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Eigenvalues, ascending, of Hermitian matrices.

    >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(4)
    array([1., 3.], dtype=float32)
    """

def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of each Hermitian positive definite matrix.

    >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 2.0]]).numpy().round(4)
    np.float32(1.3863)
    """

def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """The ``x`` for which ``matmul(matrix, x)`` is closest to ``rhs``.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(5)
    array([[2.]], dtype=float32)

    If there are several, it is the one of least norm.

    Args:
        l2_regularizer: the weight of the sum of the squares of ``x`` in what is minimised.
        fast: whether to solve the normal equations, which needs matrices of full rank. Without it any rank
            will do, but the regulariser is not used and there is no gradient.
    """

def lu(input: TensorLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None) -> Lu:
    """The factors ``L`` (below the diagonal, which is 1) and ``U`` in one matrix, and a permutation of rows.

    >>> factors, order = tf.linalg.lu(tf.constant([[1.0, 2.0], [4.0, 2.0]]))
    >>> order.numpy()
    array([1, 0], dtype=int32)

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128.
        output_idx_type: tf.int32 if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: lu, p.

    Raises:
        InvalidArgumentError: for a singular matrix.
    """

def matrix_rank(
    a: TensorLike,
    tol: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The number of singular values of each matrix that are above ``tol``.

    >>> tf.linalg.matrix_rank(tf.constant([[1.0, 2.0], [2.0, 4.0]]))
    <tf.Tensor: shape=(), dtype=int32, numpy=1>

    Args:
        tol: by default the largest singular value, times the larger size, times the dtype's epsilon.
    """

def pinv(
    a: TensorLike,
    rcond: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The pseudo-inverse of each matrix, which gives the least-squares solution of least norm.

    >>> tf.linalg.pinv(tf.constant([[1.0], [1.0]])).numpy().round(4)
    array([[0.5, 0.5]], dtype=float32)

    Args:
        rcond: singular values below ``rcond`` times the largest one count as zero. The default is ten times
            the larger size times the dtype's epsilon.
    """

def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """``q`` with orthonormal columns and an upper triangular ``r``, whose product is the matrix.

    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> tf.matmul(q, r).numpy().round(4)
    array([[3., 1.],
           [4., 2.]], dtype=float32)

    Args:
        full_matrices: whether ``q`` is square. ``r`` then has rows of zeros.

    Returns:
        A named tuple of tensors: q, r.
    """

@overload
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: Literal[True] = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values ``s``, descending, and vectors for which ``tensor == u @ diag(s) @ adjoint(v)``.

    >>> s, u, v = tf.linalg.svd(tf.constant([[3.0, 0.0], [0.0, -2.0]]))
    >>> s.numpy()
    array([3., 2.], dtype=float32)

    Args:
        full_matrices: whether ``u`` and ``v`` are square.
        compute_uv: whether to compute the vectors. Without them only ``s`` is returned.
    """

@overload
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    *,
    compute_uv: Literal[False],
    name: str | None = None,
) -> Tensor:
    """Singular values ``s``, descending, and vectors for which ``tensor == u @ diag(s) @ adjoint(v)``.

    >>> s, u, v = tf.linalg.svd(tf.constant([[3.0, 0.0], [0.0, -2.0]]))
    >>> s.numpy()
    array([3., 2.], dtype=float32)

    Args:
        full_matrices: whether ``u`` and ``v`` are square.
        compute_uv: whether to compute the vectors. Without them only ``s`` is returned.
    """
