# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """``e ** x``.

    >>> tf.exp([0.0, 1.0]).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """``exp(x) - 1``, exact for small ``x`` too.

    >>> tf.math.expm1([0.0, 1e-10]).numpy()
    array([0.e+00, 1.e-10], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm.

    >>> tf.math.log([1.0, 10.0]).numpy().round(4)
    array([0.    , 2.3026], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """``log(1 + x)``, exact for small ``x`` too.

    >>> tf.math.log1p([0.0, 1e-10]).numpy()
    array([0.e+00, 1.e-10], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``.

    >>> tf.sigmoid([0.0, 100.0]).numpy()
    array([0.5, 1. ], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y``, and 0 where ``x`` is 0; the gradients are 0 there too.

    >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x * log(1 + y)``, and 0 where ``x`` is 0; the gradients are 0 there too.

    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x * log(y)``, and 0 where ``x`` is 0; the gradients are 0 there too.

    >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """
