# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike

def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate transpose of the matrices in the last two axes.

    >>> tf.linalg.adjoint([[1 + 2j, 3.0 - 1j]])
    <tf.Tensor: shape=(2, 1), dtype=complex128, numpy=
    array([[1.-2.j],
           [3.+1.j]])>
    """

def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of the 3-vectors in the last axis.

    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 0., 1.], dtype=float32)>

    Args:
        a: a tensor of real numbers.
        b: a tensor of the dtype of ``a``.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product ``a @ b`` over the last two axes. The axes before them are broadcast.

    >>> a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.matmul(a, [[1.0], [1.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[3.],
           [7.]], dtype=float32)>
    >>> tf.matmul(tf.ones([5, 2, 3]), tf.ones([3, 4])).shape
    TensorShape([5, 2, 4])

    Args:
        transpose_a, transpose_b: whether to multiply by the transpose.
        adjoint_a, adjoint_b: whether to multiply by the conjugate transpose.
        a_is_sparse, b_is_sparse: hints that TensorFlow takes. They change nothing here.
        output_type: the dtype to compute in, which is useful for small integers.

    Raises:
        InvalidArgumentError: for vectors and scalars, inner sizes that differ, batches that do not
            broadcast, and operands of different dtypes.
    """

def matrix_transpose(
    a: TensorLike,
    name: str = 'matrix_transpose',
    conjugate: bool = False,
) -> Tensor:
    """``a`` with its last two axes exchanged.

    >>> tf.linalg.matrix_transpose(tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])
    """

def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices in ``a`` with the vectors in ``b``.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 7.], dtype=float32)>
    """

def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the products of ``a`` and ``b`` over the given axes.

    >>> a, b = tf.ones([2, 3, 4]), tf.ones([4, 3, 5])
    >>> tf.tensordot(a, b, [[1, 2], [1, 0]]).shape        # axis 1 of a with 1 of b, 2 of a with 0 of b
    TensorShape([2, 5])
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1)           # the last axis of a with the first of b
    <tf.Tensor: shape=(), dtype=float32, numpy=11.0>

    Args:
        axes: the number of last axes of ``a`` to sum with the same number of first axes of ``b``; or a pair
            of lists of axes.
    """
