"""Elements as often as their counts say, and flat indices as positions: ``repeat`` and ``unravel_index``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, VariableBase, convert, public
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import differ
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    INDEX_NAMES,
    check_memory,
    check_size,
    static_array,
    static_int,
)
from tapegrad.ops.constants import constant
from tapegrad.ops.indexing.gather import SCATTER_INDICES, gather_op
from tapegrad.ops.indexing.segment import (
    check_indices,
)
from tapegrad.ops.op import op
from tapegrad.ops.shape.array import broadcast_to, reshape
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". compat.v1": "repeat unravel_index",
}


@public
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Indices into a flattened tensor of shape ``dims`` as positions in the tensor, one column each.

    >>> tf.unravel_index([1, 5], [2, 3]).numpy().tolist()
    [[0, 1], [1, 2]]

    Args:
        indices: integers, a vector or a scalar.
        dims: a vector of sizes.
    """
    return unravel_op(indices, dims)


@op("UnravelIndex", dtypes=SCATTER_INDICES, values="errors")
def unravel_op(xp, indices, dims):
    shape = check_size(tuple(dims.reshape(-1).tolist()))
    total = int(np.prod(dims, dtype=np.int64)) if dims.size else 1
    if 0 in shape:
        refuse(f"unravel_index() expects sizes of at least 1; dims = {list(shape)}.")
    check_indices(indices, total)
    return xp.stack(xp.unravel_index(indices, shape)).astype(indices.dtype)


unravel_op.shape(lambda indices, dims: (dims.size, *indices.shape))
unravel_op.no_gradient()


FEW_COUNTS = 64  # which Python adds up before NumPy has begun


@op("_RepeatedPlaces", values="shapes")
def repeated_places(xp, counts, *, size):
    """The numbers below ``size``, each as often as its count says, or as the one count says."""
    if counts.size not in (1, size):
        refuse(f"repeat() expects a number for each of {size} slices; {counts.size} came.")
    if counts.size <= FEW_COUNTS:
        numbers = counts.tolist()
        least, total = min(numbers, default=0), sum(numbers)
    else:
        least, total = counts.min(), int(counts.sum(dtype=np.int64))
    if least < 0:
        refuse("repeat() expects numbers of at least 0.")
    check_memory((total if counts.size == size else total * size,), np.dtype(np.int64))
    return xp.arange(size).repeat(counts)


repeated_places.shape(lambda counts, size: Abstract([None], dtypes.int64))
repeated_places.no_gradient()


def repeat_counts(repeats: Any) -> Any:
    """A number for all slices, or a vector with a number for each."""
    if type(repeats) is int:
        return static_int(repeats)
    if isinstance(repeats, (Tensor, VariableBase)):
        counts = convert(repeats)
        shape = counts._shape_tuple()
        is_one = not shape or (type(shape[0]) is int and shape[0] == 1)
        if counts.dtype.name in INDEX_NAMES and not is_one:
            return check_counts(counts)
    numbers = static_array(repeats)
    if numbers.size == 1 and numbers.ndim <= 1:
        return numbers.item()
    if numbers.dtype.kind == "O":  # sizes among them
        return check_counts(constant(numbers.tolist(), dtypes.int64))
    return check_counts(convert(numbers))


def check_counts(counts: Tensor) -> Tensor:
    if counts.ndim > 1:
        raise ValueError(
            f"repeat() expects a number or a vector for repeats, not shape {counts.shape}."
        )
    return counts


@composition
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each slice of ``input`` along ``axis`` (each element, without ``axis``) repeated ``repeats`` times.

    >>> tf.repeat([1, 2, 3], repeats=[2, 0, 1]).numpy().tolist()
    [1, 1, 3]
    >>> tf.repeat([[1, 2], [3, 4]], 2, axis=1).numpy().tolist()
    [[1, 1, 2, 2], [3, 3, 4, 4]]

    Args:
        input: a tensor.
        repeats: one number for all slices, or one for each of them.
        axis: the axis of the slices; None repeats the elements of the flattened tensor.
    """
    data = convert(input)
    if isinstance(repeats, float):
        raise TypeError(f"repeat() expects integers for repeats, not {repeats!r}.")
    counts = repeat_counts(repeats)
    if axis is None:
        data, axis = reshape(data, (-1,)), 0
    axis = static_int(axis)
    shape = data._shape_tuple()
    if not -len(shape) <= axis < max(len(shape), 1):
        raise ValueError(f"repeat() got axis = {axis} for an input of rank {len(shape)}.")
    if not shape:
        data, shape = reshape(data, (1,)), (1,)
    axis %= len(shape)
    if not isinstance(counts, Tensor):
        if counts < 0:
            refuse("repeat() expects numbers of at least 0.")
        result_shape = check_size(shape[:axis] + (counts * shape[axis],) + shape[axis + 1 :])
        check_memory(result_shape, data.dtype.numpy_dtype)
        # Each slice gets an axis of its own and is broadcast along it, as a view. No index is needed.
        apart = shape[: axis + 1] + (1,) + shape[axis + 1 :]
        together = shape[: axis + 1] + (counts,) + shape[axis + 1 :]
        repeated = broadcast_to.apply([reshape.apply([data], (apart,))], (together,))
        return reshape.apply([repeated], (result_shape,))
    (length,), slices = counts._shape_tuple(), shape[axis]
    if differ(length, slices):
        raise ValueError(
            f"repeat() expects one number, or one for each of the {slices} slices along axis "
            f"{axis}; {length} came."
        )
    places = repeated_places.apply([counts], (slices,))
    result_shape = shape[:axis] + places._shape_tuple() + shape[axis + 1 :]
    check_memory(result_shape, data.dtype.numpy_dtype)
    # With an axis in front the gather has a dense gradient. Along the first axis it would be IndexedSlices.
    wide = reshape.apply([data], ((1,) + shape,))
    return reshape.apply([gather_op.apply([wide, places], (axis + 1, 0))], (result_shape,))
