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
    """Restart all random numbers, like ``tf.random.set_seed``."""
    set_seed(s)


def randn(*args: int) -> Tensor:
    """Normal numbers in the given sizes.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(args)


def standard_normal(size: Any = None) -> Tensor:
    """Normal numbers in the shape ``size``."""
    return ops.normal(() if size is None else sizes(size), dtype=numpy_dtype(float))


def rand(*size: int) -> Tensor:
    """Numbers between 0 and 1 in the given sizes."""
    return uniform(size=size)


def random(size: Any = None) -> Tensor:
    """Numbers between 0 and 1 in the shape ``size``."""
    return uniform(size=size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers between ``low`` and ``high``."""
    dtype = numpy_dtype(float)
    low, high = ops.cast(low, dtype), ops.cast(high, dtype)
    shape = ops.broadcast_static_shape(low.shape, high.shape) if size is None else sizes(size)
    drawn: Tensor = ops.uniform(shape, dtype=dtype) * (high - low) + low
    return drawn


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Tensor:
    """Integers from ``low`` to below ``high``; from 0 to below ``low`` if that is None."""
    first, last = (0, low) if high is None else (low, high)
    drawn = ops.uniform(() if size is None else sizes(size), first, last, dtypes.int64)
    return ops.cast(drawn, numpy_dtype(dtype))


def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers of events, with the mean ``lam``."""
    return ops.poisson(() if size is None else sizes(size), lam, dtypes.int64)


def sizes(size: Any) -> Any:
    return [size] if isinstance(size, int) else size
