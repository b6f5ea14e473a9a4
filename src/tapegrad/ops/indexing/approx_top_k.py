"""The k largest or smallest elements along an axis. TensorFlow's op approximates; this one is exact."""

from __future__ import annotations

import math as python_math
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.core.sizes import broadcast_shape
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_bool, static_int
from tapegrad.ops.batching import with_axes
from tapegrad.ops.indexing.gather import scatter_nd
from tapegrad.ops.indexing.sort import places_of_largest, stable_order
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". compat.v1": "approx_top_k",
    "math nn compat.v1.math compat.v1.nn": "approx_max_k approx_min_k",
}


class ApproxTopK(NamedTuple):
    """The result of `tf.approx_top_k`."""

    values: Tensor
    indices: Tensor


@op(
    "ApproxTopK",
    dtypes=REAL_FLOATING,
    convert={
        "k": static_int,
        "reduction_dimension": static_int,
        "recall_target": float,
        "is_max_k": static_bool,
        "reduction_input_size_override": static_int,
        "aggregate_to_topk": static_bool,
    },
    outputs=("values", "indices"),
    result=ApproxTopK,
    values="elements",
)
def approx_top_k(
    xp,
    input,
    *,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    is_max_k=True,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
):
    """The ``k`` largest (or smallest) elements along an axis, in order, and their indices.

    >>> values, indices = tf.approx_top_k([1.0, 3.0, 2.0], 2, is_max_k=False)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([1.0, 2.0], [0, 2])

    The result is exact, so ``recall_target`` and the arguments that tune the search change nothing.

    Differs from TensorFlow: on the CPU too, it takes float64 and any axis, and finds the smallest elements.
    """
    if not input.ndim:
        refuse("approx_top_k() needs an input of at least one dimension; a scalar came.")
    axis = normalize_axis(reduction_dimension, input.ndim, "reduction_dimension")
    if not 0 <= k <= input.shape[axis]:
        refuse(
            f"approx_top_k() cannot take {k} elements along axis {axis} of an input "
            f"of shape {list(input.shape)}."
        )
    rows = xp.moveaxis(input, axis, -1)
    order = places_of_largest(rows, k) if is_max_k else stable_order(rows, False)[..., :k]
    order = xp.moveaxis(order, -1, axis)
    return xp.take_along_axis(input, order, axis=axis), order.astype(np.int32)


@approx_top_k.shape
def approx_top_k_shapes(input, k, reduction_dimension):
    axis = normalize_axis(reduction_dimension, input.ndim, "reduction_dimension")
    shape = (*input.shape[:axis], k, *input.shape[axis + 1 :])
    return [shape, Abstract(shape, dtypes.int32)]


def approx_top_k_gradient(dy, input_shape, indices, reduction_dimension):
    size = python_math.prod(input_shape)
    chosen = numbers_along(indices, input_shape, reduction_dimension)
    count = python_math.prod(chosen._shape_tuple())
    flat = scatter_nd(reshape(chosen, (count, 1)), reshape(dy[0], (count,)), (size,))
    return reshape(flat, input_shape)


@op("_NumbersAlong", dtypes={dtypes.int32}, values="errors")
def numbers_along(xp, indices, *, shape, axis):
    """The index, in a flattened tensor of ``shape``, of each element that ``indices`` names along an axis."""
    places = xp.arange(python_math.prod(shape)).reshape(shape)
    return xp.take_along_axis(places, indices.astype(np.int64), axis)


@numbers_along.shape
def numbers_along_shape(indices, shape, axis):
    others = list(shape)
    others[axis] = 1
    return Abstract(broadcast_shape(indices.shape, others), dtypes.int64)


numbers_along.no_gradient()
approx_top_k.gradient(input=approx_top_k_gradient)

approx_top_k.batching(with_axes("reduction_dimension"))


@public
def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest elements along an axis, largest first, and their indices.

    >>> tf.math.approx_max_k(tf.constant([1.0, 3.0, 2.0]), 2).indices.numpy().tolist()
    [1, 2]

    The result is exact: ``recall_target`` and the arguments that tune the search change nothing.

    Args:
        operand: a tensor of floating point numbers.
        k: how many elements, at most as many as the axis has.
        reduction_dimension: the axis.
        recall_target, reduction_input_size_override, aggregate_to_topk: of no effect.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, True)


@public
def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` smallest elements along an axis, smallest first, and their indices.

    >>> tf.math.approx_min_k(tf.constant([1.0, 3.0, 2.0]), 2).indices.numpy().tolist()
    [0, 2]

    The result is exact: ``recall_target`` and the arguments that tune the search change nothing.

    Args:
        operand: a tensor of floating point numbers.
        k: how many elements, at most as many as the axis has.
        reduction_dimension: the axis.
        recall_target, reduction_input_size_override, aggregate_to_topk: of no effect.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, False)
