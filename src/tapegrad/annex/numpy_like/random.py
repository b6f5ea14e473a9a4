"""``tf.experimental.numpy.random``: random numbers, of float64 and with NumPy's arguments."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.promotion import numpy_dtype
from tapegrad.core import Tensor
from tapegrad.framework.random_state import set_seed

PUBLIC = {
    "experimental.numpy.random": "poisson rand randint randn random seed standard_normal uniform",
}


def seed(s: Any) -> None:
    """Restart all random numbers, like ``tf.random.set_seed``.

    Args:
        s: an integer.
    """
    set_seed(s)


def randn(*args: int) -> Tensor:
    """Normal numbers in the given sizes.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])

    Args:
        args: the sizes, integers; none for a scalar.
    """
    return standard_normal(args)


def standard_normal(size: Any = None) -> Tensor:
    """Normal numbers in the shape ``size``.

    Args:
        size: the shape: a list of integers, or one integer; None for a scalar.
    """
    return ops.normal(() if size is None else sizes(size), dtype=numpy_dtype(float))


def rand(*size: int) -> Tensor:
    """Numbers between 0 and 1 in the given sizes.

    Args:
        size: the sizes, integers; none for a scalar.
    """
    return uniform(size=size)


def random(size: Any = None) -> Tensor:
    """Numbers between 0 and 1 in the shape ``size``.

    Args:
        size: the shape: a list of integers, or one integer; None for a scalar.
    """
    return uniform(size=size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers between ``low`` and ``high``.

    Args:
        low, high: the least number, and the end, which is never drawn: numbers, or tensors whose shapes
            broadcast.
        size: the shape: a list of integers, or one integer; None for the shape to which ``low`` and ``high``
            broadcast.
    """
    dtype = numpy_dtype(float)
    low, high = ops.cast(low, dtype), ops.cast(high, dtype)
    shape = ops.broadcast_static_shape(low.shape, high.shape) if size is None else sizes(size)
    drawn: Tensor = ops.uniform(shape, dtype=dtype) * (high - low) + low
    return drawn


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Tensor:
    """Integers from ``low`` to below ``high``; from 0 to below ``low`` if that is None.

    Args:
        low: the least integer, or the end if ``high`` is None.
        high: the end, which is never drawn.
        size: the shape: a list of integers, or one integer; None for a scalar.
        dtype: the dtype of the result.
    """
    first, last = (0, low) if high is None else (low, high)
    drawn = ops.uniform(() if size is None else sizes(size), first, last, dtypes.int64)
    return ops.cast(drawn, numpy_dtype(dtype))


def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers of events, with the mean ``lam``.

    Args:
        lam: the mean: a number, or a tensor, whose shape is then that of the last axes of the result.
        size: the shape, to which that of ``lam`` is added: a list of integers, or one integer; None adds no
            axes.
    """
    return ops.poisson(() if size is None else sizes(size), lam, dtypes.int64)


def sizes(size: Any) -> Any:
    return [size] if isinstance(size, int) else size
