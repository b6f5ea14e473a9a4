"""Gathers and scatters: elements and slices read from a tensor, or written to one, by their indices.

Indices are checked before they are used. Negative ones are refused, as in TensorFlow. The gradient of a
gather along the first axis is an ``IndexedSlices``: rows that were not gathered cost nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, convert, public
from tapegrad.engines.numpy import copies, gathers
from tapegrad.engines.numpy.slicing import part_of
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.args import (
    check_memory,
    normalize_axis,
    static_int,
    static_shape,
    untyped,
)
from tapegrad.ops.batching import moved_axis
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import add, keep_where, zero_safe_divide
from tapegrad.ops.gradients import zeros
from tapegrad.ops.indexing.numbered import numbered
from tapegrad.ops.indexing.segment import (
    check_indices,
    reduce_by_segment,
    sum_by_segment,
    unsorted_segment_sum,
)
from tapegrad.ops.op import ANY, BOOL, NUMERIC, REAL, op
from tapegrad.ops.shape.array import reshape, transpose_op
from tapegrad.ops.shape.casts import cast, cast_op
from tapegrad.ops.shape.joining import concat_op
from tapegrad.ops.shape_rules import Abstract, same_shape, shaped

PUBLIC = {
    ".": "gather gather_nd",
    ". compat.v1": (
        "scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_sub tensor_scatter_nd_update"
    ),
    "compat.v1": "batch_gather",
}


GATHER_INDICES = frozenset({dtypes.int16, dtypes.int32, dtypes.int64})
SCATTER_INDICES = frozenset({dtypes.int32, dtypes.int64})
UPDATE_INDICES = GATHER_INDICES | {dtypes.uint16}
# TensorFlow's sums here do not take booleans or strings, though its scatter_nd does.
ADDED = NUMERIC


# gather


@op(
    "GatherV2",
    moves="params",
    dtypes={"params": ANY, "indices": GATHER_INDICES},
    convert={"axis": untyped(static_int), "batch_dims": static_int},
    raw=("params", "indices", "axis", "batch_dims"),
    holomorphic=False,
    lane=gathers.rows,
    linear="params",
    values="errors",
)
def gather_op(xp, params, indices, *, axis, batch_dims=0):
    axis, batch_dims = gather_axes(params.shape, indices.shape, axis, batch_dims)
    if batch_dims or not indices.ndim:
        check_indices(indices, params.shape[axis])
        if batch_dims:
            return gather_in_batches(params, indices, axis, batch_dims)
        return part_of(params, (*(slice(None),) * axis, int(indices), ...))
    result = gathers.gather(params, indices, axis)
    if result is None:
        check_indices(indices, params.shape[axis])
    return result


@gather_op.shape
def gather_shape(params, indices, axis, batch_dims):
    axis, batch_dims = gather_axes(params.shape, indices.shape, axis, batch_dims)
    picked = (*indices.shape[batch_dims:], *params.shape[axis + 1 :])
    return (*params.shape[:axis], *picked)


def gather_axes(
    params: tuple[int, ...], indices: tuple[int, ...], axis: int, batch_dims: int
) -> tuple[int, int]:
    """``axis`` and ``batch_dims`` as non-negative numbers, checked against both shapes."""
    if not params:
        refuse("gather() expects params of rank 1 or more.")
    axis = normalize_axis(axis, len(params))
    if not -len(indices) <= batch_dims <= len(indices):
        refuse(f"batch_dims = {batch_dims} does not suit indices of rank {len(indices)}.")
    batch_dims += len(indices) if batch_dims < 0 else 0
    if batch_dims > axis or params[:batch_dims] != indices[:batch_dims]:
        refuse(
            f"gather() with batch_dims = {batch_dims} and axis = {axis}: "
            f"params of shape {list(params)} and indices of shape {list(indices)} must agree "
            f"in their first {batch_dims} sizes, and axis come after these."
        )
    return axis, batch_dims


def gather_in_batches(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Gather from each item of the leading axes separately, done as one gather of rows."""
    batch, before, after = (
        params.shape[:batch_dims],
        params.shape[batch_dims:axis],
        params.shape[axis + 1 :],
    )
    items = int(np.prod(batch))
    # Move axis to the front of each item: (items, n, before..., after...), with indices (items, picks).
    rows = np.moveaxis(
        params.reshape((items, *params.shape[batch_dims:])), 1 + axis - batch_dims, 1
    )
    picked = rows[
        np.arange(items)[:, None],
        indices.reshape((items, int(np.prod(indices.shape[batch_dims:])))),
    ]
    picked = np.moveaxis(picked, 1, 1 + len(before))
    return picked.reshape(batch + before + indices.shape[batch_dims:] + after)


def sizes_of(shape: tuple[int, ...], dtype: dtypes.DType = dtypes.int32) -> EagerTensor:
    """The dense_shape of slices, in int32 as TensorFlow's, or in ``dtype`` where it can hold the sizes."""
    return constant(shape, dtype if max(shape) < 2**31 else dtypes.int64)


def gather_gradient(dy, params_shape, indices, axis, batch_dims):
    indices_shape = indices._shape_tuple()
    if axis == 0 and batch_dims == 0:
        count = math.prod(indices_shape)
        return IndexedSlices(
            reshape(dy, (count,) + params_shape[1:]),
            reshape(indices, (count,)),
            sizes_of(params_shape),
        )
    axis, batch_dims = gather_axes(params_shape, indices_shape, axis, batch_dims)
    if not batch_dims:
        return add_along(dy, indices, axis, params_shape[axis])
    batch, size = params_shape[:batch_dims], params_shape[axis]
    before, after = params_shape[batch_dims:axis], params_shape[axis + 1 :]
    picks = len(indices_shape) - batch_dims
    # dy is (batch, before, picks, after). Move the picks forward, add up by (item, index), and move the
    # axis back.
    rank = batch_dims + len(before) + picks + len(after)
    start = batch_dims + len(before)
    forward = (
        *range(batch_dims),
        *range(start, start + picks),
        *range(batch_dims, start),
        *range(start + picks, rank),
    )
    places = places_in_batches(indices, batch_dims, size)
    total = unsorted_segment_sum(transpose_op(dy, forward), places, math.prod(batch) * size)
    total = reshape(total, (*batch, size, *before, *after))
    back = (
        *range(batch_dims),
        *range(batch_dims + 1, batch_dims + 1 + len(before)),
        batch_dims,
        *range(batch_dims + 1 + len(before), len(params_shape)),
    )
    return transpose_op(total, back)


gather_op.gradient(params=gather_gradient)


def gather_rule(items, params, indices, axis, batch_dims):
    in_params, in_indices = items.batched
    axis += params.ndim - in_params if axis < 0 else 0
    batch_dims += indices.ndim - in_indices if batch_dims < 0 else 0
    if in_indices and not in_params and not batch_dims:
        return moved_axis(items.run(params, indices, axis=axis), axis, 0)
    if not in_indices and not batch_dims:
        return items.run(params, indices, axis=axis + 1)
    params, indices = items.spread(params, 0), items.spread(indices, 1)
    return items.run(params, indices, axis=axis + 1, batch_dims=batch_dims + 1)


gather_op.batching(gather_rule)


@op("_PlacesInBatches", dtypes=GATHER_INDICES, values="elements")
def places_in_batches(xp, indices, *, batch_dims, size):
    """``indices`` into the items of a batch, each of ``size``, as indices into all items end to end."""
    batch = indices.shape[:batch_dims]
    offsets = xp.arange(math.prod(batch)) * size
    return indices.astype(np.int64) + offsets.reshape(batch + (1,) * (indices.ndim - batch_dims))


places_in_batches.shape(lambda indices: Abstract(indices.shape, dtypes.int64))
places_in_batches.no_gradient()


def places_rule(items, indices, batch_dims, size):
    offsets = items.run(np.zeros(indices.shape[1:], np.int64))
    return items.call(add, items.call(cast_op, indices, dtype=dtypes.int64), offsets)


places_in_batches.batching(places_rule)


@op(
    "_AddAlong", dtypes={"values": ANY, "indices": GATHER_INDICES}, linear="values", values="errors"
)
def add_along(xp, values, indices, *, axis, size):
    """Zeros with ``size`` slices along ``axis``. Each slice of ``values`` is added at its index."""
    before, after = values.shape[:axis], values.shape[axis + indices.ndim :]
    slices = values.reshape((*before, indices.size, *after))
    result = copies.zeros((*before, size, *after), values.dtype)
    if gathers.scatter(result, indices.reshape(-1), slices, "add", axis):
        return result
    total = sum_by_segment(xp, np.moveaxis(slices, axis, 0), indices.reshape(-1), size)
    return np.moveaxis(total, 0, axis)


add_along.shape(
    lambda values, indices, axis, size: (
        *values.shape[:axis],
        size,
        *values.shape[axis + indices.ndim :],
    )
)
add_along.gradient(values=lambda dy, indices, axis: gather_op(dy, indices, axis))


def add_along_rule(items, values, indices, axis, size):
    if not items.batched[1]:
        return items.run(values, indices, axis=axis + 1)
    places = numbered(items, indices, size)
    spread = moved_axis(items.spread(values, 0), 0, axis)
    total = items.run(spread, places, size=items.size * size, axis=axis)
    sizes = (*total.shape[:axis], items.size, size, *total.shape[axis + 1 :])
    return moved_axis(total.reshape(sizes), axis, 0)


add_along.batching(add_along_rule)


@public
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of ``params`` at ``indices`` along ``axis`` (by default the first after ``batch_dims``).

    >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy().tolist()
    [[5, 6], [1, 2]]
    >>> tf.gather([[1, 2], [3, 4]], [1, 0], batch_dims=1).numpy().tolist()
    [2, 3]

    Args:
        params: the tensor from which slices are taken.
        indices: integers of any shape, which takes the place of ``axis`` in the result.
        validate_indices: accepted, and of no effect.
        axis: the axis of ``params`` that the indices count along; None is ``batch_dims``.
        batch_dims: the number of first axes that ``params`` and ``indices`` have in common.

    Raises:
        InvalidArgumentError: for an index out of range, including a negative one.
    """
    if axis is None:
        axis = batch_dims
    elif batch_dims and axis == 0:
        # TensorFlow looks at `batch_dims` only along other axes.
        batch_dims = 0
    return gather_op(params, indices, axis, batch_dims)


@public
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """`gather` in which all axes of ``indices`` but the last are batch dimensions.

    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]

    Args:
        params: the tensor from which slices are taken.
        indices: integers of at least one axis. All axes but the last are the first axes of ``params`` too.
    """
    indices = convert(indices)
    batch_dims = indices.ndim - 1
    return gather_op(params, indices, batch_dims, batch_dims)


# gather_nd and the scatters


def bad_indices(policy: Any) -> bool:
    """Whether the policy is to ignore indices that are out of range."""
    if isinstance(policy, bool):
        return policy
    policy = policy.decode() if isinstance(policy, bytes) else policy
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        refuse(f"bad_indices_policy must be '', 'DEFAULT', 'ERROR' or 'IGNORE', not {policy!r}.")
    return policy == "IGNORE"


def depth_of(indices: Any, shape: tuple[int, ...]) -> int:
    """How many of the first axes the indices are for."""
    depth = int(indices.shape[-1])
    if depth > len(shape):
        refuse(
            f"Indices of length {depth} are too long for a tensor of shape {list(shape)}, "
            f"which has rank {len(shape)}."
        )
    return depth


def flat_places(indices: Any, shape: tuple[int, ...], ignore: bool) -> tuple[Any, int, Any]:
    """Row numbers for the indices into the first axes of ``shape``, how many rows there are, and which
    indices are good.

    The last is None where all indices are good.
    """
    depth = depth_of(indices, shape)
    columns = (
        indices.reshape((-1, depth))
        if depth
        else indices.reshape((math.prod(indices.shape[:-1]), 0))
    )
    rows = math.prod(shape[:depth])
    if depth:
        places, wrong = gathers.flatten(columns, shape[:depth])
        if wrong < 0:
            return places, rows, None
    sizes = np.array(shape[:depth], np.int64)
    columns = columns.astype(np.int64, copy=False)
    good = ((columns >= 0) & (columns < sizes)).all(axis=1)
    if good.all():
        good = None
    elif not ignore:
        row = int(np.argmin(good))
        refuse(f"indices[{row}] = {columns[row].tolist()} does not index into shape {list(shape)}")
    else:
        columns = np.where(good[:, None], columns, 0)
    strides = np.ones(depth, np.int64)
    for axis in range(depth - 2, -1, -1):
        strides[axis] = strides[axis + 1] * sizes[axis + 1]
    return columns @ strides, rows, good


@op(
    "GatherNd",
    moves="params",
    dtypes={"params": ANY, "indices": GATHER_INDICES},
    convert={"bad_indices_policy": bad_indices},
    raw=("params", "indices", "bad_indices_policy"),
    holomorphic=False,
    linear="params",
    lane=gathers.gather_nd,
    values="errors",
)
def gather_nd_op(xp, params, indices, *, bad_indices_policy=""):
    if not params.ndim or not indices.ndim:
        refuse("gather_nd() expects params and indices of rank 1 or more.")
    shape = params.shape
    depth = indices.shape[-1]
    places, rows, good = flat_places(indices, shape, bad_indices_policy)
    result_shape = indices.shape[:-1] + shape[depth:]
    if good is not None:
        result = xp.zeros((len(places), *shape[depth:]), dtype=params.dtype)
        if params.dtype.kind == "O":
            result[...] = b""
        result[good] = params.reshape((rows, *shape[depth:]))[places[good]]
        return result.reshape(result_shape)
    result = gathers.gather(params.reshape((rows, *shape[depth:])), places, 0)
    assert result is not None, "flat_places has checked them"
    return result.reshape(result_shape)


@gather_nd_op.shape
def gather_nd_shape(params, indices):
    if not params.ndim or not indices.ndim:
        refuse("gather_nd() expects params and indices of rank 1 or more.")
    return (*indices.shape[:-1], *params.shape[depth_of(indices, params.shape) :])


def gather_nd_gradient(dy, params_shape, indices, bad_indices_policy):
    shape = indices._shape_tuple()
    if len(shape) == 1:
        # A single position: scatter_nd takes a list of positions.
        indices, dy = reshape(indices, (1, *shape)), reshape(dy, (1, *dy._shape_tuple()))
    if len(shape) == 2 and shape[1] == 1 and not bad_indices_policy:
        # dense_shape has the dtype of the indices here, but always int32 in `gather`: TensorFlow's choice.
        whole = sizes_of(params_shape, indices.dtype)
        return IndexedSlices(dy, reshape(indices, (shape[0],)), whole)
    return scatter_nd(indices, dy, params_shape, "IGNORE" if bad_indices_policy else "")


gather_nd_op.gradient(params=gather_nd_gradient)


def gather_nd_rule(items, params, indices, bad_indices_policy):
    depth, lists = indices.shape[-1], indices.ndim - 1
    if all(items.batched):
        return items.run(params, with_items(items, indices))
    if items.batched[1]:
        return items.run(params, indices)
    return moved_axis(items.run(moved_axis(params, 0, depth), indices), lists, 0)


def with_items(items, indices):
    """Indices into an item, each behind the number of its item."""
    shape = (*indices.shape[:-1], 1)
    numbers = np.arange(items.size, dtype=indices.dtype).reshape(
        (items.size, *[1] * (len(shape) - 1))
    )
    return items.call(concat_op, np.broadcast_to(numbers, shape), indices, axis=-1)


gather_nd_op.batching(gather_nd_rule)


@public
def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: Any = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The elements or slices of ``params`` at the positions given by the rows of ``indices``.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    >>> tf.gather_nd([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
    [2, 3]

    Args:
        params: the tensor from which elements or slices are taken.
        indices: integers; their last axis has a position along the first axes of ``params``.
        batch_dims: the number of first axes that ``params`` and ``indices`` have in common.
        bad_indices_policy: "" and "ERROR" raise for an index out of range, "IGNORE" gives zeros.
    """
    batch_dims = static_int(batch_dims)
    if batch_dims:
        params = convert(params)
        indices = indices_with_batch(params._shape_tuple(), convert(indices), batch_dims)
    return gather_nd_op(params, indices, bad_indices_policy)


def indices_with_batch(
    params_shape: tuple[int, ...], indices: EagerTensor, batch_dims: int
) -> EagerTensor:
    """``indices`` with each row preceded by its own index along the batch dimensions."""
    shape = indices._shape_tuple()
    if not 0 <= batch_dims < len(shape):
        raise ValueError(
            f"batch_dims = {batch_dims} must be less than the rank of indices, {len(shape)}."
        )
    if params_shape[:batch_dims] != shape[:batch_dims]:
        refuse(
            f"gather_nd() with batch_dims = {batch_dims}: "
            f"params of shape {list(params_shape)} and indices of shape {list(shape)} must agree "
            f"in their first {batch_dims} sizes."
        )
    return after_batch_places(indices, batch_dims)


@op("_AfterBatchPlaces", dtypes=GATHER_INDICES, values="elements")
def after_batch_places(xp, indices, *, batch_dims):
    batch = indices.shape[:batch_dims]
    check_memory((batch_dims, *batch), indices.dtype)
    columns = [
        xp.broadcast_to(
            place.reshape(batch + (1,) * (indices.ndim - batch_dims)), (*indices.shape[:-1], 1)
        )
        for place in xp.indices(batch, dtype=indices.dtype)
    ]
    return xp.concatenate([*columns, indices], axis=-1)


after_batch_places.shape(
    lambda indices, batch_dims: (*indices.shape[:-1], indices.shape[-1] + batch_dims)
)
after_batch_places.no_gradient()


def check_updates(indices: Any, updates: Any, shape: tuple[int, ...]) -> None:
    """Raise unless ``updates`` holds one slice of a tensor of ``shape`` for each row of ``indices``."""
    if not indices.ndim or not updates.ndim:
        refuse("A scatter expects indices and updates of rank 1 or more.")
    depth = indices.shape[-1]
    if depth > len(shape) or updates.shape != indices.shape[:-1] + shape[depth:]:
        refuse(
            f"Indices of shape {list(indices.shape)} into a tensor "
            f"of shape {list(shape)} need updates of shape "
            f"{[*indices.shape[:-1], *shape[depth:]]}, not {list(updates.shape)}."
        )
    if indices.size and 0 in shape[:depth]:
        refuse(f"Nothing can be scattered into an empty tensor of shape {list(shape)}.")


def scatter_rows(
    indices: Any, updates: Any, shape: tuple[int, ...], ignore: bool
) -> tuple[Any, Any, tuple[int, ...]]:
    """Row numbers, the updates as rows, and the shape of the whole tensor as rows."""
    check_updates(indices, updates, shape)
    depth = indices.shape[-1]
    places, rows, good = flat_places(indices, shape, ignore)
    slices = updates.reshape((len(places), *shape[depth:]))
    if good is not None:
        places, slices = places[good], slices[good]
    return places, slices, (rows, *shape[depth:])


@op(
    "ScatterNd",
    dtypes={"indices": GATHER_INDICES, "updates": ANY},
    convert={"shape": static_shape, "bad_indices_policy": bad_indices},
    raw=("indices", "updates", "shape", "bad_indices_policy"),
    linear="updates",
    lane=gathers.scatter_nd,
    values="errors",
)
def scatter_nd(xp, indices, updates, *, shape, bad_indices_policy=""):
    """Zeros of shape ``shape``, with ``updates`` added at the positions given by the rows of ``indices``.

    >>> tf.scatter_nd([[0], [2], [0]], [1.0, 2.0, 3.0], [4]).numpy().tolist()
    [4.0, 0.0, 2.0, 0.0]
    """
    places, slices, rows = scatter_rows(indices, updates, shape, bad_indices_policy)
    return sum_by_segment(xp, slices, places, rows[0]).reshape(shape)


scatter_nd.shape(shaped(dtype="updates"))


def gather_updates(dy, indices, bad_indices_policy):
    return gather_nd_op(dy, indices, "IGNORE" if bad_indices_policy else "")


scatter_nd.gradient(updates=gather_updates)


def scatter_rule(items, indices, updates, shape, bad_indices_policy):
    if items.batched[0]:
        updates = items.spread(updates, 1)
        return items.run(with_items(items, indices), updates, shape=(items.size, *shape))
    depth, lists = indices.shape[-1], indices.ndim - 1
    sizes = (*shape[:depth], items.size, *shape[depth:])
    return moved_axis(items.run(indices, moved_axis(updates, 0, lists), shape=sizes), depth, 0)


scatter_nd.batching(scatter_rule)


def tensor_scatter(
    xp: Any, combine: Any, tensor: Any, indices: Any, updates: Any, ignore: bool
) -> Any:
    places, slices, rows = scatter_rows(indices, updates, tensor.shape, ignore)
    result = copies.copied(tensor).reshape(rows)
    name = combine.__name__
    if gathers.scatter(result, places, slices, name):
        return result.reshape(tensor.shape)
    if len(places):
        reducer = xp.add if combine is xp.subtract else combine
        targets, totals = reduce_by_segment(reducer, slices, places)
        result[targets] = combine(result[targets], totals)
    return result.reshape(tensor.shape)


@op(
    "TensorScatterAdd",
    dtypes={"T": ADDED, "indices": SCATTER_INDICES},
    convert={"bad_indices_policy": bad_indices},
    linear="tensor updates",
    lane=gathers.scatter_add,
    values="errors",
)
def tensor_scatter_nd_add(xp, tensor, indices, updates, *, bad_indices_policy=""):
    """``tensor`` with ``updates`` added at the positions given by the rows of ``indices``.

    >>> tf.tensor_scatter_nd_add([1, 1, 1], [[0], [0]], [5, 6]).numpy().tolist()
    [12, 1, 1]
    """
    return tensor_scatter(xp, xp.add, tensor, indices, updates, bad_indices_policy)


tensor_scatter_nd_add.shape(same_shape)


@op(
    "TensorScatterSub",
    dtypes={"T": ADDED, "indices": SCATTER_INDICES},
    convert={"bad_indices_policy": bad_indices},
    linear="tensor updates",
    lane=gathers.scatter_subtract,
    values="errors",
)
def tensor_scatter_nd_sub(xp, tensor, indices, updates, *, bad_indices_policy=""):
    """``tensor`` with ``updates`` subtracted at the positions given by the rows of ``indices``.

    >>> tf.tensor_scatter_nd_sub([1, 1, 1], [[0], [0]], [5, 6]).numpy().tolist()
    [-10, 1, 1]
    """
    return tensor_scatter(xp, xp.subtract, tensor, indices, updates, bad_indices_policy)


tensor_scatter_nd_sub.shape(same_shape)


tensor_scatter_nd_add.gradient(tensor=lambda dy: dy, updates=gather_updates)


def update_rule(items, tensor, indices, updates, bad_indices_policy):
    tensor, updates = items.spread(tensor, 0), items.spread(updates, 2)
    if items.batched[1]:
        return items.run(tensor, with_items(items, indices), updates)
    depth, lists = indices.shape[-1], indices.ndim - 1
    result = items.run(moved_axis(tensor, 0, depth), indices, moved_axis(updates, 0, lists))
    return moved_axis(result, depth, 0)


tensor_scatter_nd_add.batching(update_rule)
tensor_scatter_nd_sub.gradient(
    tensor=lambda dy: dy,
    updates=lambda dy, indices, bad_indices_policy: (
        -gather_updates(dy, indices, bad_indices_policy)
    ),
)
tensor_scatter_nd_sub.batching(update_rule)


@op(
    "TensorScatterMax",
    dtypes={"T": REAL, "indices": SCATTER_INDICES},
    convert={"bad_indices_policy": bad_indices},
    values="errors",
)
def tensor_scatter_nd_max(xp, tensor, indices, updates, *, bad_indices_policy=""):
    """The larger of ``tensor`` and ``updates`` at the positions given by ``indices``, else ``tensor``.

    >>> tf.tensor_scatter_nd_max([1, 1, 1], [[0], [1]], [5, 0]).numpy().tolist()
    [5, 1, 1]
    """
    return tensor_scatter(xp, xp.maximum, tensor, indices, updates, bad_indices_policy)


tensor_scatter_nd_max.shape(same_shape)


@op(
    "TensorScatterMin",
    dtypes={"T": REAL, "indices": SCATTER_INDICES},
    convert={"bad_indices_policy": bad_indices},
    values="errors",
)
def tensor_scatter_nd_min(xp, tensor, indices, updates, *, bad_indices_policy=""):
    """The smaller of ``tensor`` and ``updates`` at the positions given by ``indices``, else ``tensor``.

    >>> tf.tensor_scatter_nd_min([1, 1, 1], [[0], [1]], [5, 0]).numpy().tolist()
    [1, 0, 1]
    """
    return tensor_scatter(xp, xp.minimum, tensor, indices, updates, bad_indices_policy)


tensor_scatter_nd_min.shape(same_shape)


def extremum_gradient(dy, tensor, indices, updates, out, bad_indices_policy, needs):
    """The inputs that are as large (or small) as the result share the gradient evenly, as in TensorFlow."""
    policy = "IGNORE" if bad_indices_policy else ""
    chosen = tensor == out
    chosen_updates = updates == gather_nd_op(out, indices, policy)
    ones = convert(1, out.dtype)
    shares = keep_where(ones, chosen) + scatter_nd(
        indices, keep_where(ones, chosen_updates), tensor._shape_tuple(), policy
    )
    share = zero_safe_divide(dy, shares)
    return (
        keep_where(share, chosen) if needs[0] else None,
        None,
        keep_where(gather_nd_op(share, indices, policy), chosen_updates) if needs[2] else None,
    )


tensor_scatter_nd_max.gradient(extremum_gradient)
tensor_scatter_nd_max.batching(update_rule)
tensor_scatter_nd_min.gradient(extremum_gradient)
tensor_scatter_nd_min.batching(update_rule)


@op(
    "TensorScatterUpdate",
    dtypes={"T": NUMERIC | BOOL | {dtypes.string}, "indices": UPDATE_INDICES},
    convert={"bad_indices_policy": bad_indices},
    linear="tensor updates",
    lane=gathers.scatter_update,
    values="errors",
)
def tensor_scatter_update_op(xp, tensor, indices, updates, *, bad_indices_policy=""):
    places, slices, rows = scatter_rows(indices, updates, tensor.shape, bad_indices_policy)
    result = copies.copied(tensor).reshape(rows)
    if not gathers.scatter(result, places, slices, "update"):
        result[places] = slices
    return result.reshape(tensor.shape)


tensor_scatter_update_op.shape(same_shape)


def update_gradient(dy, indices, updates_shape, bad_indices_policy, needs):
    """``tensor`` gets zero where it was overwritten, and so does an update that a later one overwrote.

    TensorFlow gives the gradient to every update of one position, but only the last one has any influence.
    """
    policy = "IGNORE" if bad_indices_policy else ""
    nothing = zeros(updates_shape, dy.dtype)
    kept = tensor_scatter_update_op(dy, indices, nothing, policy) if needs[0] else None
    if not needs[2]:
        return kept, None, None
    passed = gather_nd_op(dy, widened(indices), policy)

    return kept, None, keep_where(passed, last_of_place(indices, len(updates_shape)))


def widened(indices):
    """Indices of a type that every gather takes."""
    return cast(indices, dtypes.int32) if indices.dtype is dtypes.uint16 else indices


@op("_LastOfPlace", dtypes=UPDATE_INDICES, values="elements")
def last_of_place(xp, indices, *, rank):
    """Which rows of ``indices`` do not appear again later, shaped to go with updates of ``rank`` axes."""
    rows = indices.reshape((math.prod(indices.shape[:-1]), indices.shape[-1]))
    result = xp.zeros(len(rows), dtype=bool)
    if rows.size:
        _, last = xp.unique(rows[::-1], axis=0, return_index=True)
        result[len(rows) - 1 - last] = True
    else:
        result[-1:] = True  # rows without columns are alike
    return result.reshape((*indices.shape[:-1], *(1,) * (rank - indices.ndim + 1)))


last_of_place.shape(
    lambda indices, rank: Abstract(
        (*indices.shape[:-1], *(1,) * (rank - indices.ndim + 1)), dtypes.bool
    )
)
last_of_place.no_gradient()


tensor_scatter_update_op.gradient(update_gradient)
tensor_scatter_update_op.batching(update_rule)


@public
def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """``tensor`` with ``updates`` in place of the elements or slices at the rows of ``indices``.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [9, 8]).numpy().tolist()
    [9, 2, 8]

    Differs from TensorFlow: where a position is written twice, only the update that remains gets a gradient.

    Args:
        tensor: the tensor to start from; it stays as it is.
        indices: integers; their last axis has a position along the first axes of ``tensor``.
        updates: a value or slice for each position.
    """
    return tensor_scatter_update_op(tensor, indices, updates)
