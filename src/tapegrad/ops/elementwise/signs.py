"""Absolute values, signs, and the angles of complex numbers."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any, overload

from tapegrad.core import Tensor, convert, public
from tapegrad.ops.batching import BROADCASTS
from tapegrad.ops.elementwise.complex import (
    complex_op,
    conj,
    imag_op,
    real,
    real_op,
    refuse_other,
    widen,
)
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.math import WITH_SIGN, divide_no_nan_op, multiply_no_nan
from tapegrad.ops.op import COMPLEX, REAL, UNSIGNED, elementwise, op, says
from tapegrad.ops.shape.creation import ones_like, zeros_like

if TYPE_CHECKING:
    from tapegrad.framework.types import Composite, TensorLike

PUBLIC = {
    ". math compat.v1": "abs sign",
    "math": "angle",
}

abs_op = elementwise(
    "Abs",
    "absolute",
    dtypes=REAL - UNSIGNED,
    name="abs",
)
# At 0 the sign is 0: TensorFlow's convention, and the subgradient of least norm.
abs_op.gradient(x=lambda dy, x: dy * sign(x))

complex_abs = elementwise(
    "ComplexAbs",
    "absolute",
    dtypes=COMPLEX,
    holomorphic=False,
    name="complex_abs",
)


complex_abs.gradient(x=lambda dy, x: widen(dy) * sign(x))


@overload
def abs(x: Composite, name: str | None = None) -> Composite: ...
@overload
def abs(x: TensorLike, name: str | None = None) -> Tensor: ...
@public
@says(dispatched="unary")
def abs(x: Any, name: str | None = None) -> Any:
    """The absolute value. For a complex number it is the modulus, in the matching real dtype.

    >>> tf.abs([-1.5, 2.0]).numpy(), tf.abs(tf.constant(3 + 4j)).numpy()
    (array([1.5, 2. ], dtype=float32), np.float64(5.0))

    Args:
        x: a tensor of numbers.
    """
    if type(x) not in abs_op.overrides:
        x = convert(x)
    return complex_abs(x) if x.dtype.is_complex else abs_op(x)


sign = elementwise(
    "Sign",
    "sign",
    dtypes=WITH_SIGN,
    holomorphic=False,
    doc="""-1, 0 or 1. For a complex number it is the number of modulus 1 in the same direction.

    >>> tf.sign([-3.0, 0.0, 2.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """,
)


def sign_gradient(dy, x, out):
    if not dy.dtype.is_complex:
        return multiply_no_nan(dy, 0.0)
    # Only the part of a step at right angles to x turns x / |x|. The part along x changes the length alone.
    across = dy - out * widen(real(dy * conj(out)))
    return divide_no_nan_op(across, widen(complex_abs(x)))


sign.gradient(x=sign_gradient)


@op("Angle", dtypes=COMPLEX, holomorphic=False, elementwise=True)
def angle_op(xp, input, *, Tout=None):
    return xp.angle(input)


def angle_gradient(dy, input):
    # A step at right angles to the number turns the angle, and turns it less the longer the number is.
    # At 0 there is no angle: the gradient is 0, as atan2's is.
    direction = sign(input)
    across = complex_op(-imag_op(direction), real_op(direction))
    return across * widen(divide_no_nan_op(dy, complex_abs(input)))


angle_op.gradient(input=angle_gradient)
angle_op.batching(BROADCASTS)


@public
@says(dispatched="unary")
def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle of complex numbers in radians. For real numbers it is pi below zero, else 0.

    >>> tf.math.angle(tf.constant([1j, -1.0 + 0j])).numpy()
    array([1.57079633, 3.14159265])

    Args:
        input: a tensor of complex or floating point numbers.
    """
    input = convert(input)
    if input.dtype.is_complex:
        return angle_op(input)
    refuse_other(input, "angle")
    return where(input < 0, pi * ones_like(input), zeros_like(input))
