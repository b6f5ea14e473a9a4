# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [0, pi] whose cosine is ``x``; NaN outside [-1, 1].

    >>> tf.acos([1.0, 0.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine; NaN below 1.

    >>> tf.acosh([1.0, 2.0]).numpy().round(4)
    array([0.   , 1.317], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is ``x``; NaN outside [-1, 1].

    >>> tf.asin([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine.

    >>> tf.asinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8814], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [-pi/2, pi/2] whose tangent is ``x``.

    >>> tf.atan([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7854], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point (x, y) seen from the origin, in radians. At the origin its gradients are 0.

    >>> tf.atan2([1.0, 0.0], [0.0, -1.0]).numpy().round(4)
    array([1.5708, 3.1416], dtype=float32)

    Args:
        y: a tensor of floating point numbers.
        x: a tensor of the dtype of ``y``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that y and x broadcast to.
    """

def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1].

    >>> tf.atanh([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5493], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of an angle in radians.

    >>> tf.cos([0.0, np.pi]).numpy()
    array([ 1., -1.], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine.

    >>> tf.cosh([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.5431], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of an angle in radians.

    >>> tf.sin([0.0, np.pi / 2]).numpy()
    array([0., 1.], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine.

    >>> tf.sinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.1752], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of an angle in radians.

    >>> tf.tan([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5463], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent.

    >>> tf.tanh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7616], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
