"""NumPy's products of matrices, their large results in memory of the pool."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.engines.numpy.buffers import empty

Array = np.ndarray[Any, Any]

# Bytes of a result that is worth the look into the pool, which Python does here.
LARGE = 1 << 17


def dot(a: Array, b: Array) -> Array:
    """As `numpy.dot`, of two arrays of one dtype."""
    if a.ndim == 2 == b.ndim and a.dtype.kind in "fc":
        rows, columns = a.shape[0], b.shape[1]
        if rows * columns * a.itemsize >= LARGE:
            out = empty((rows, columns), a.dtype)
            a.dot(b, out=out)
            return out
    product: Array = a.dot(b)
    return product


def matmul(a: Array, b: Array) -> Array:
    """As `numpy.matmul`, of two arrays of one dtype."""
    if a.ndim < 2 or b.ndim < 2 or a.dtype != b.dtype:
        product: Array = np.matmul(a, b)
        return product
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) if a.ndim > 2 or b.ndim > 2 else ()
    shape = (*batch, a.shape[-2], b.shape[-1])
    out = empty(shape, a.dtype)
    np.matmul(a, b, out=out)
    return out
