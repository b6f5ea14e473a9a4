"""Functions that move, join or pick elements, by NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapegrad as tf
from tapegrad.core import Tensor
from tapegrad.numpy_like.lattice import mark_like
from tapegrad.numpy_like.promotion import asarray, promoted

PUBLIC = {
    "experimental.numpy": (
        "broadcast_to concatenate diag expand_dims flatten=ravel flip hstack meshgrid moveaxis ndim nonzero "
        "ravel repeat reshape roll select shape size split squeeze stack swapaxes take tile trace "
        "transpose tri tril triu vstack where"
    ),
}


def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """The elements in another shape. In the order "F" the first axis runs fastest."""
    tensor = asarray(a)
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported value for `order`: {order!r}. It is 'C' or 'F'.")
    sizes = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return tf.reshape(tensor, sizes)
    return tf.transpose(tf.reshape(tf.transpose(tensor), asarray(sizes, np.int32)[::-1]))


def ravel(a: Any) -> Tensor:
    """The elements in a row."""
    return tf.reshape(asarray(a), [-1])


def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in another order; turned round if ``axes`` is None."""
    return tf.transpose(asarray(a), axes)


def expand_dims(a: Any, axis: int) -> Tensor:
    """One more axis, of size 1."""
    return tf.expand_dims(asarray(a), axis)


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Without axes of size 1."""
    return tf.squeeze(asarray(a), axis)


def broadcast_to(array: Any, shape: Any) -> Tensor:
    """The elements, repeated to fill ``shape``."""
    return tf.broadcast_to(asarray(array), shape)


def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """The axes ``source`` at the places ``destination``."""
    tensor = asarray(a)
    sources = [axis % tensor.ndim for axis in np.atleast_1d(source).tolist()]
    targets = [axis % tensor.ndim for axis in np.atleast_1d(destination).tolist()]
    order = [axis for axis in range(tensor.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return tf.transpose(tensor, order)


def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """Two axes, each in the place of the other."""
    tensor = asarray(a)
    order = list(range(tensor.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(tensor, order)


def concatenate(arys: Any, axis: Any = 0) -> Tensor:
    """The tensors one after the other along ``axis``."""
    tensors = promoted(*arys)
    if axis is None:
        tensors, axis = [ravel(tensor) for tensor in tensors], 0
    return tf.concat(tensors, axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """The tensors along a new axis."""
    return tf.stack(promoted(*arrays), axis)


def vstack(tup: Any) -> Tensor:
    """The rows of all tensors; a vector is a row."""
    return concatenate(
        [asarray(a) if asarray(a).ndim > 1 else tf.reshape(asarray(a), [1, -1]) for a in tup]
    )


def hstack(tup: Any) -> Tensor:
    """The columns of all tensors, or the elements of vectors."""
    tensors = [asarray(a) if asarray(a).ndim else ravel(a) for a in tup]
    return concatenate(tensors, 0 if tensors[0].ndim == 1 else 1)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """A list of parts: so many equal ones, or those between the given positions."""
    tensor = asarray(ary)
    if isinstance(indices_or_sections, int):
        return tf.split(tensor, indices_or_sections, axis)
    borders = [0, *indices_or_sections, tensor._shape_tuple()[axis]]
    return tf.split(tensor, np.diff(borders).tolist(), axis)


def tile(a: Any, reps: Any) -> Tensor:
    """``a`` so many times along each axis."""
    tensor, counts = asarray(a), np.atleast_1d(reps).tolist()
    rank = max(tensor.ndim, len(counts))
    tensor = tf.reshape(tensor, [1] * (rank - tensor.ndim) + list(tensor._shape_tuple()))
    return tf.tile(tensor, [1] * (rank - len(counts)) + counts)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Each element so many times."""
    tensor = asarray(a)
    return mark_like(tf.repeat(tensor, repeats, axis), tensor)


def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """The elements moved along, those at the end to the beginning."""
    tensor = asarray(a)
    if axis is None:
        return tf.reshape(tf.roll(ravel(tensor), shift, 0), tf.shape(tensor))
    return tf.roll(tensor, shift, axis)


def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements along ``axis`` from the last to the first; along all axes if it is None."""
    tensor = asarray(m)
    axes = list(range(tensor.ndim)) if axis is None else [axis]
    return mark_like(tf.reverse(tensor, axes), tensor)


def shape(a: Any) -> tuple[int, ...]:
    """The sizes, as a tuple."""
    return tuple(asarray(a)._shape_tuple())


def size(x: Any, axis: Any = None) -> Any:
    """The number of elements, or the size of one axis."""
    sizes = list(asarray(x)._shape_tuple())
    return np.prod(sizes, dtype=np.int64) if axis is None else sizes[axis]


def ndim(a: Any) -> int:
    """The number of axes."""
    return int(asarray(a).ndim)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """The elements of ``x`` where ``condition`` is true, else those of ``y``; without them, its positions."""
    truth = tf.cast(asarray(condition), tf.bool)
    if x is None and y is None:
        return nonzero(truth)
    if x is None or y is None:
        raise ValueError("Give both x and y, or none of them.")
    x, y = promoted(x, y)
    return tf.where(truth, x, y)


def nonzero(a: Any) -> list[Tensor]:
    """For each axis the positions of the elements that are not zero."""
    return list(tf.unstack(tf.transpose(tf.where(tf.cast(asarray(a), tf.bool))), asarray(a).ndim))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """The elements of the first choice whose condition is true, else ``default``."""
    if len(condlist) != len(choicelist):
        raise ValueError("condlist and choicelist must be of the same length.")
    if not condlist:
        raise ValueError("condlist must not be empty.")
    default, *choices = promoted(default, *map(asarray, choicelist))
    result: Tensor = default
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = tf.where(tf.cast(asarray(condition), tf.bool), choice, result)
    return result


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Tensor:
    """The elements at ``indices``. Those beyond the end are the last ones, or with "wrap" count anew."""
    tensor, places = asarray(a), asarray(indices)
    if axis is None:
        tensor, axis = ravel(tensor), 0
    count = tf.cast(tensor._shape_tuple()[axis], places.dtype)
    places = (
        tf.math.floormod(places, count)
        if mode == "wrap"
        else tf.clip_by_value(places, 0, count - 1)
    )
    return tf.gather(tensor, places, axis=axis)


def diag(v: Any, k: int = 0) -> Tensor:
    """The diagonal ``k`` of a matrix, or the matrix that has it."""
    tensor = asarray(v)
    if tensor.ndim == 1:
        return tf.linalg.diag(tensor, k=k)
    return tf.linalg.diag_part(tensor, k=k)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """The sum of a diagonal."""
    tensor = moveaxis(asarray(a, dtype), [axis1, axis2], [-2, -1])
    return tf.reduce_sum(tf.linalg.diag_part(tensor, k=offset, padding_value=0), -1)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones at and below the diagonal ``k``."""
    return asarray(np.tri(N, M, k), np.float64 if dtype is None else dtype)


def tril(m: Any, k: int = 0) -> Tensor:
    """The elements at and below the diagonal ``k``, and zeros."""
    tensor = asarray(m)
    kept = tri(tensor._shape_tuple()[-2], tensor._shape_tuple()[-1], k, bool)
    return tf.where(kept, tensor, tf.zeros_like(tensor))


def triu(m: Any, k: int = 0) -> Tensor:
    """The elements at and above the diagonal ``k``, and zeros."""
    tensor = asarray(m)
    kept = tri(tensor._shape_tuple()[-2], tensor._shape_tuple()[-1], k - 1, bool)
    return mark_like(tf.where(kept, tf.zeros_like(tensor), tensor), tensor)


def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid with these numbers along its axes: a list with a tensor for each."""
    if not kwargs.pop("copy", True) or kwargs.pop("sparse", False):
        raise ValueError("meshgrid makes whole copies alone: leave `copy` and `sparse` out.")
    return tf.meshgrid(*(asarray(x) for x in xi), **kwargs)
