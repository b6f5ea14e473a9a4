# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.linalg.solvers import LogMatrixDeterminant as LogMatrixDeterminant

def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of each matrix.

    >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy().round(5)
    np.float32(-2.0)

    Differs from TensorFlow: singular matrices have gradients too.

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of each matrix, or of its conjugate transpose.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128 or float16.
        adjoint: False if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: for a singular matrix.
    """

def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant of each matrix, and the logarithm of its absolute value.

    >>> sign, logarithm = tf.linalg.slogdet([[0.0, 2.0], [2.0, 0.0]])
    >>> print(sign.numpy(), logarithm.numpy().round(4))
    -1.0 1.3863

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: sign, log_abs_determinant.
    """

def solve(
    matrix: TensorLike,
    rhs: TensorLike,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """The ``x`` for which ``matmul(matrix, x) == rhs``.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]]).numpy()
    array([[0.5 ],
           [0.25]], dtype=float32)

    Args:
        adjoint: solve with the conjugate transpose of ``matrix``.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: for a singular matrix.
    """

def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """The ``x`` for which ``matmul(matrix, x) == rhs``. Only the lower or upper triangle is read.

    >>> tf.linalg.triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
        lower: whether to read the lower triangle or the upper one.
        adjoint: whether to solve with the conjugate transpose of ``matrix``.

    Returns:
        A tensor of the shape that matrix and rhs broadcast to.
    """
