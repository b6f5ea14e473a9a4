"""Functions that move, join or pick elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops, shapes
from tapegrad.annex.numpy_like.promotion import asarray, promoted
from tapegrad.core import Tensor

PUBLIC = {
    "array_api": (
        "broadcast_arrays broadcast_shapes broadcast_to concat diff expand_dims flip moveaxis "
        "permute_dims repeat reshape roll squeeze stack take take_along_axis tile unstack where"
    ),
    "array_api array_api.linalg": "matrix_transpose",
}

moveaxis = shapes.moveaxis


def axes_of(x: Tensor, axis: Any) -> list[int]:
    """The axes that ``axis`` names, counted from the first one; all if it is None."""
    if axis is None:
        return list(range(x.ndim))
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    if any(not -x.ndim <= place < x.ndim for place in axes):
        raise IndexError(f"axis={axis} came for a tensor with {x.ndim} axes")
    axes = [place % x.ndim for place in axes]
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis={axis} names an axis twice")
    return axes


def truth(x: Any) -> Tensor:
    """Whether elements are not zero. (A cast from complex numbers looks at their real parts alone.)"""
    tensor = asarray(x)
    return tensor if tensor.dtype.is_bool else ops.not_equal(tensor, ops.zeros([], tensor.dtype))


def broadcast_arrays(*arrays: Any) -> tuple[Tensor, ...]:
    """The tensors, each repeated to fill the shape of them all.

    Args:
        arrays: tensors whose shapes broadcast.
    """
    return tuple(shapes.broadcast_arrays(*arrays))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape to which tensors of these shapes broadcast.

    Args:
        shapes: tuples of integers.
    """
    return np.broadcast_shapes(*(tuple(shape) for shape in shapes))


def broadcast_to(x: Any, /, shape: Any) -> Tensor:
    """The elements, repeated to fill ``shape``.

    Args:
        x: a tensor.
        shape: the shape of the result: a tuple of integers.
    """
    return shapes.broadcast_to(x, shape)


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """The tensors one after the other along ``axis``; their elements in a row if it is None.

    Args:
        arrays: a list of tensors, which are cast to one dtype; their shapes differ along ``axis`` alone.
        axis: an axis, or None.
    """
    return shapes.concatenate(arrays, axis)


def expand_dims(x: Any, /, axis: Any) -> Tensor:
    """More axes, of size 1, at these places of the result.

    Args:
        x: a tensor.
        axis: a place, or a tuple of different places; negative numbers count from the last.
    """
    places = axis if isinstance(axis, tuple) else (axis,)
    rank = x.ndim + len(places)
    if any(not -rank <= place < rank for place in places):
        raise IndexError(f"axis={axis} came for a result with {rank} axes")
    if len({place % rank for place in places}) < len(places):
        raise ValueError(f"axis={axis} names a place twice")
    for place in sorted(place % rank for place in places):
        x = ops.expand_dims(x, place)
    return asarray(x)


def flip(x: Any, /, *, axis: Any = None) -> Tensor:
    """The elements along ``axis`` from the last to the first; along all axes if it is None.

    Args:
        x: a tensor.
        axis: an axis, or a tuple of axes; None for all of them.
    """
    return ops.reverse(x, axes_of(x, axis)) if x.ndim else ops.identity(x)


def matrix_transpose(x: Any, /) -> Tensor:
    """The matrices along the last two axes, each turned over.

    Args:
        x: a tensor with two axes at least.
    """
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose() needs two axes; a tensor with {x.ndim} came")
    return ops.matrix_transpose(x)


def permute_dims(x: Any, /, axes: Any) -> Tensor:
    """The axes in another order.

    Args:
        x: a tensor.
        axes: the axes of ``x`` in their new order.
    """
    return ops.transpose(x, list(axes))


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element so many times.

    Args:
        x: a tensor.
        repeats: how often: one integer for all elements, or one for each index along ``axis``.
        axis: the axis along which copies follow each other; None for a row of all elements.
    """
    if isinstance(repeats, Tensor):
        repeats = ops.cast(repeats, dtypes.int64)
    return ops.repeat(x, repeats, axis) if x.ndim else ops.repeat(ops.reshape(x, [1]), repeats)


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    """The elements in another shape.

    Args:
        x: a tensor.
        shape: the sizes: a tuple of integers, one of which may be -1 for what is left.
        copy: of no effect: tensors do not change, so a copy is never told from the original.
    """
    return ops.reshape(x, shape)


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Tensor:
    """The elements moved along, those at the end to the beginning.

    Args:
        x: a tensor.
        shift: by how many places, or a tuple of that for each axis. A negative number moves elements towards
            the beginning.
        axis: an axis, or a tuple of axes; None moves all elements as one row.
    """
    if axis is None:
        return ops.reshape(ops.roll(ops.reshape(x, [-1]), shift, 0), ops.shape(x))
    places = axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(places)
    return ops.roll(x, list(shifts), list(places))


def squeeze(x: Any, /, axis: Any) -> Tensor:
    """Without these axes, which are of size 1.

    Args:
        x: a tensor.
        axis: an axis, or a tuple of axes.
    """
    places = axes_of(x, axis)
    wrong = [place for place in places if x.shape[place] != 1]
    if wrong:
        raise ValueError(f"squeeze() drops axes of size 1; of the shape {x.shape} axis={axis} came")
    return ops.squeeze(x, places) if places else ops.identity(x)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """The tensors along a new axis.

    Args:
        arrays: a list of tensors of one shape, which are cast to one dtype.
        axis: the place of the new axis in the result.
    """
    return shapes.stack(arrays, axis)


def tile(x: Any, repetitions: Any, /) -> Tensor:
    """The tensor so many times along each axis.

    Args:
        x: a tensor.
        repetitions: how often, for each axis. Missing axes of either are put in front.
    """
    return shapes.tile(x, repetitions)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along ``axis``.

    Args:
        x: a tensor with one axis at least.
        axis: the axis, which the slices do not have.
    """
    return tuple(ops.unstack(x, axis=axis))


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Tensor:
    """The elements at ``indices`` along ``axis``, which a vector need not name.

    Args:
        x: a tensor.
        indices: a vector of integers. Negative ones count from the end.
        axis: an axis; None for that of a vector.
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take() needs an axis of a tensor with {x.ndim} axes")
        axis = 0
    return ops.gather(x, from_the_start(indices, x._shape_tuple()[axis]), axis=axis)


def from_the_start(indices: Tensor, size: int) -> Tensor:
    """Indices of which negative ones count from the end."""
    if indices.dtype.is_unsigned:
        return ops.cast(indices, dtypes.int64)
    places = ops.cast(indices, dtypes.int64)
    return ops.where(ops.less(places, 0), places + size, places)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Tensor:
    """For each row along ``axis`` the elements at its own ``indices``.

    Args:
        x: a tensor.
        indices: integers, with as many axes as ``x``; they broadcast along the other axes. Negative ones
            count from the end.
        axis: the axis that ``indices`` count along.
    """
    return shapes.take_along_axis(x, ops.cast(indices, dtypes.int64), axis)


def where(condition: Any, x1: Any, x2: Any, /) -> Tensor:
    """The elements of ``x1`` where ``condition`` is true, else those of ``x2``.

    Args:
        condition: a tensor of bools.
        x1, x2: tensors or numbers, which are cast to one dtype. All shapes broadcast.
    """
    x1, x2 = promoted(x1, x2)
    return ops.where(condition, x1, x2)


def diff(
    x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None
) -> Tensor:
    """The differences of neighbours along ``axis``, taken ``n`` times.

    Args:
        x: a tensor.
        axis: the axis.
        n: how often; 0 leaves the elements as they are.
        prepend, append: tensors that are put before and behind ``x`` along ``axis`` first, or None.
    """
    parts = [part for part in (prepend, x, append) if part is not None]
    whole = asarray(x) if len(parts) == 1 else shapes.concatenate(parts, axis)
    if not n:
        return whole
    axis = axes_of(whole, axis)[0]
    whole = moveaxis(whole, axis, 0)
    for _ in range(n):
        if whole.dtype.is_bool:
            whole = ops.not_equal(whole[1:], whole[:-1])
        else:
            whole = whole[1:] - whole[:-1]
    return moveaxis(whole, 0, axis)
