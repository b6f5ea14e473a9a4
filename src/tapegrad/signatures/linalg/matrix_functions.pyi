# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of each matrix: the sum of ``matrix ** n / n!`` over all n.

    >>> tf.linalg.expm(tf.constant([[0.0, 1.0], [0.0, 0.0]])).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithm of each complex matrix.

    >>> tf.linalg.logm(tf.eye(2, dtype=tf.complex64)).numpy().real
    array([[0., 0.],
           [0., 0.]], dtype=float32)

    Args:
        input: a tensor of complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square root of each matrix; NaN for a real matrix whose root is not real.

    >>> tf.linalg.sqrtm(tf.constant([[4.0, 0.0], [0.0, 9.0]])).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)

    Args:
        input: a tensor of float32 or float64 or complex64 or complex128.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
