# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """The complex tensor with these real and imaginary parts, broadcast against each other.

    >>> tf.complex([1.0, 2.0], 3.0).numpy()
    array([1.+3.j, 2.+3.j], dtype=complex64)

    Raises:
        TypeError: unless both parts are float32, or both are float64.
    """

def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate. Real numbers come back unchanged.

    >>> tf.math.conj(tf.constant([1 + 2j, 3 - 1j])).numpy()
    array([1.-2.j, 3.+1.j])
    """

def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part of complex numbers. For real numbers it is zeros.

    >>> tf.math.imag(tf.constant([1 + 2j, 3 - 1j])).numpy()
    array([ 2., -1.])
    """

def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part of complex numbers. Real numbers come back unchanged.

    >>> tf.math.real(tf.constant([1 + 2j, 3 - 1j])).numpy()
    array([1., 3.])
    """
