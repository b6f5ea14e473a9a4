"""Norms of vectors and matrices, and tensors divided by their norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_axis, static_bool
from tapegrad.ops.elementwise import conditions, math, signs
from tapegrad.ops.linalg.decompositions import svd
from tapegrad.ops.op import FLOATING
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts, creation

PUBLIC = {
    ". linalg": "norm",
    "linalg compat.v1.linalg": "normalize",
}


@composition
def norm(
    tensor: Any,
    ord: str | float = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
) -> Tensor:
    """A norm of vectors or matrices: of everything, along an axis, or over a pair of axes.

    >>> tf.norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    >>> tf.norm([[1.0, -2.0], [3.0, 4.0]], ord=1, axis=0).numpy()
    array([4., 6.], dtype=float32)
    >>> tf.norm([[3.0, 0.0], [0.0, 4.0]], ord=2, axis=[0, 1]).numpy().round(4)
    np.float32(4.0)

    Differs from TensorFlow: the gradient at zero is 0, and no square overflows or underflows.

    Args:
        tensor: a tensor of floating point or complex numbers.
        ord: for vectors "euclidean", 1, 2, inf, or any positive number p; for matrices "euclidean", "fro",
            1 (the largest column sum), 2 (the largest singular value), inf (the largest row sum).
        axis: None for one vector of all elements, a number for vectors, a pair for matrices.
        keepdims: whether the axes stay in the result, with size 1. None is False.
    """
    tensor = convert(tensor)
    axes = static_axis(axis)
    keepdims = static_bool(keepdims)
    if not isinstance(ord, (str, int, float, np.integer, np.floating)):
        raise ValueError(f"'ord' must be a name or a number, got {ord!r}")
    if isinstance(axes, tuple):
        if len(axes) != 2 or axes[0] == axes[1]:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        if ord not in ("euclidean", "fro", 1, 2, np.inf):
            raise ValueError(
                "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], "
                f"got {ord}"
            )
        if ord in (1, 2, np.inf):
            return _matrix_norm(tensor, ord, (axes[0], axes[1]), keepdims)
    elif ord != "euclidean" and (isinstance(ord, str) or not ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if ord in ("euclidean", "fro", 2):
        return _euclidean_norm(tensor, axes, keepdims)
    if ord == 1:
        return reduce.reduce_sum(signs.abs(tensor), axes, keepdims)
    if ord == np.inf:
        return reduce.reduce_max(signs.abs(tensor), axes, keepdims)
    return _power_norm(signs.abs(tensor), float(ord), axes, keepdims)


def _euclidean_norm(tensor: Tensor, axis: Any, keepdims: bool) -> Tensor:
    if tensor.dtype not in FLOATING:
        refuse(
            f"norm does not take {tensor.dtype.name}: "
            "the root of the sum of squares is no integer. Use tf.cast."
        )
    return reduce.reduce_euclidean_norm(tensor, axis, keepdims)


def _power_norm(magnitudes: Tensor, power: float, axis: Any, keepdims: bool) -> Tensor:
    """``sum(magnitudes ** power) ** (1 / power)``."""
    parts = magnitudes
    if power > 1:
        # Dividing by the largest cancels out and keeps powers in range. Those below 1 are so by themselves.
        scale = array.stop_gradient(reduce.reduce_max(magnitudes, axis, keepdims=True))
        usable = (scale > 0.0) & (scale < np.inf)
        scale = conditions.where(usable, scale, creation.ones_like(scale))
        parts = magnitudes / scale
    total = reduce.reduce_sum(math.pow(parts, power), axis, keepdims=True)
    # The root has no derivative at 0, so its argument is replaced by 1 there.
    differentiable = total != 0.0
    root = math.pow(conditions.where(differentiable, total, creation.ones_like(total)), 1.0 / power)
    result = math.keep_where(root * scale if power > 1 else root, differentiable)
    if power > 1:
        # The derivative of an infinite root is 0, and hides that there is none. The Euclidean norm gives NaN
        # for infinite elements, and 0 for the others.
        infinite = reduce.reduce_euclidean_norm(magnitudes, axis, True)
        result = conditions.where(total < np.inf, result, infinite)
    if keepdims:
        return result
    shape = reduce.reduce_sum(array.stop_gradient(magnitudes), axis)._shape_tuple()
    return array.reshape(result, shape)


def _matrix_norm(tensor: Tensor, ord: Any, axes: tuple[int, int], keepdims: bool) -> Tensor:
    rows, columns = [normalize_axis(axis, tensor.ndim) for axis in axes]
    if ord == 2:
        order = [axis for axis in range(tensor.ndim) if axis not in (rows, columns)]
        values = svd(array.transpose(tensor, [*order, rows, columns]), compute_uv=False)
        largest = reduce.reduce_max(values, -1)
        # At 0 all singular values are the largest. Of the subgradients there, 0 has the least norm.
        result = math.keep_where(largest, largest != 0.0)
    else:
        summed, compared = (rows, columns) if ord == 1 else (columns, rows)
        sums = reduce.reduce_sum(signs.abs(tensor), summed, keepdims=True)
        result = reduce.reduce_max(sums, compared, keepdims=True)
    kept = [size if i not in (rows, columns) else 1 for i, size in enumerate(tensor._shape_tuple())]
    if not keepdims:
        kept = [size for i, size in enumerate(kept) if i not in (rows, columns)]
    return array.reshape(result, kept)


@public
def normalize(
    tensor: Any, ord: str | float = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """``tensor`` divided by its norm, and the norm. See ``tf.norm``.

    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> print(unit.numpy(), length.numpy())
    [0.6 0.8] [5.]

    Args:
        tensor: a tensor of floating point or complex numbers.
        ord: the norm, as for `tf.norm`.
        axis: None for one vector of all elements, a number for vectors, a pair for matrices.
    """
    tensor = convert(tensor)
    length = norm(tensor, ord=ord, axis=axis, keepdims=True)
    return tensor / casts.cast(length, tensor.dtype), length
