# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number not below ``x``.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number not above ``x``.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number. If two are equally near, it is the even one.

    >>> tf.math.rint([0.5, 1.5]).numpy()
    array([0., 2.], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number. If two are equally near, it is the even one. Integers stay as they are.

    >>> tf.round([0.5, 1.5]).numpy()
    array([0., 2.], dtype=float32)

    Args:
        x: a tensor of real numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
