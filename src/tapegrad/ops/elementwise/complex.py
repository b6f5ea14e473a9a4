"""Complex numbers from their parts, and the parts of complex numbers.

None of these functions is holomorphic, so each rule applies TensorFlow's convention:
the gradient of a real loss L in z = x + iy is dL/dx + i dL/dy.
"""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.batching import BROADCASTS
from tapegrad.ops.op import COMPLEX, elementwise, op, says
from tapegrad.ops.shape.creation import zeros_like

PUBLIC = {
    ". dtypes compat.v1 compat.v1.dtypes": "complex",
    "math": "conj imag real",
}


PARTS = frozenset({dtypes.float32, dtypes.float64})


@op(
    "Complex",
    dtypes=PARTS,
    broadcasts=True,
    holomorphic=False,
    linear="real imag",
    elementwise=True,
)
def complex_op(xp, real, imag, *, Tout=None):
    # Not real + imag * 1j, which is NaN where a part is infinite.
    parts = xp.stack(xp.broadcast_arrays(real, imag), -1)
    return parts.view(xp.result_type(parts.dtype, xp.complex64))[..., 0]


complex_op.gradient(real=lambda dy: real(dy), imag=lambda dy: imag(dy))
complex_op.batching(BROADCASTS)


@public
@says(dispatched="binary")
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """The complex tensor with these real and imaginary parts, broadcast against each other.

    >>> tf.complex([1.0, 2.0], 3.0).numpy()
    array([1.+3.j, 2.+3.j], dtype=complex64)

    Args:
        real, imag: tensors of one dtype, float32 or float64.

    Raises:
        TypeError: unless both parts are float32, or both are float64.
    """
    real = convert(real)
    imag = convert(imag)
    if real.dtype is not imag.dtype or real.dtype not in PARTS:
        raise TypeError(
            "The `real` and `imag` components have incorrect types: "
            f"{real.dtype.name} {imag.dtype.name}. They must be consistent, "
            "and one of [tf.float32, tf.float64]."
        )
    return complex_op(real, imag)


widen = elementwise(
    "_RealToComplex",
    lambda xp, x: x.astype(xp.result_type(x.dtype, xp.complex64)),
    name="widen",
    dtypes=PARTS,
    holomorphic=False,
    doc="The same real numbers in a complex dtype.",
    linear="x",
)
widen.gradient(x=lambda dy: real(dy))


@op("Real", dtypes=COMPLEX, holomorphic=False, linear="input", elementwise=True)
def real_op(xp, input, *, Tout=None):
    return xp.real(input)


real_op.gradient(input=lambda dy: widen(dy))
real_op.batching(BROADCASTS)


@op("Imag", dtypes=COMPLEX, holomorphic=False, linear="input", elementwise=True)
def imag_op(xp, input, *, Tout=None):
    return xp.imag(input)


imag_op.gradient(input=lambda dy: complex_op(dy * 0.0, dy))
imag_op.batching(BROADCASTS)


def refuse_other(tensor: Tensor, function: str) -> None:
    """Raise unless the tensor holds numbers."""
    if not (tensor.dtype.is_floating or tensor.dtype.is_integer):
        raise TypeError(f"{function}() expects a numeric tensor; one of {tensor.dtype.name} came.")


@public
@says(dispatched="unary")
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of complex numbers. Real numbers come back unchanged.

    >>> tf.math.real(tf.constant([1 + 2j, 3 - 1j])).numpy()
    array([1., 3.])

    Args:
        input: a tensor of complex or real numbers.
    """
    input = convert_to_tensor(input)
    if input.dtype.is_complex:
        return real_op(input)
    refuse_other(input, "real")
    return input


@public
@says(dispatched="unary")
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of complex numbers. For real numbers it is zeros.

    >>> tf.math.imag(tf.constant([1 + 2j, 3 - 1j])).numpy()
    array([ 2., -1.])

    Args:
        input: a tensor of complex or real numbers.
    """
    input = convert(input)
    if input.dtype.is_complex:
        return imag_op(input)
    refuse_other(input, "imag")
    return zeros_like(input)


conj_op = elementwise(
    "Conj",
    "conjugate",
    name="conj",
    inputs=("input",),
    dtypes=COMPLEX,
    holomorphic=False,
    linear="input",
)
conj_op.gradient(input=lambda dy: conj_op(dy))


@public
@says(dispatched="unary")
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate. Real numbers come back unchanged.

    >>> tf.math.conj(tf.constant([1 + 2j, 3 - 1j])).numpy()
    array([1.-2.j, 3.+1.j])

    Args:
        x: a tensor of complex or real numbers.
    """
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return conj_op(x)
    refuse_other(x, "conj")
    return x
