"""``tf.sparse.bincount``: how often each integer occurs, as a sparse tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import floordiv, minimum
from tapegrad.ops.indexing.segment import take_segments, unsorted_segment_sum
from tapegrad.ops.op import INDEX, op
from tapegrad.ops.shape.array import broadcast_to, reshape
from tapegrad.ops.shape.sequences import range as number_range
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.functions import same_places
from tapegrad.ops.sparse.parts import coordinates
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, shape_of

PUBLIC = {"sparse compat.v1.sparse": "bincount"}


COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@composition
def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer occurs in ``values``, as a sparse tensor of the integers that do.

    >>> counts = tf.sparse.bincount([[7, 7], [2, 0]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 7], [1, 0], [1, 2]], [2, 1, 1])

    Args:
        values: a vector or matrix of int32 or int64, or a sparse tensor of them.
        weights: the weight of each element, in place of 1. It decides the dtype of the result.
        axis: 0 or None to count all elements, -1 to count in each row.
        minlength, maxlength: bounds for the last size of the result. Larger integers are not counted.
        binary_output: whether to return only if an integer occurs.

    Differs from TensorFlow: gradients flow to ``weights``.
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if binary_output and weights is not None:
        raise ValueError("Give either binary_output=True or weights: they exclude each other.")
    if isinstance(values, SparseTensor):
        numbers, rows, leading = values.values, values.indices[:, 0], shape_of(values)[:1]
        by_row = len(shape_of(values)) > 1
        weights = None if weights is None else matching_values(values, weights)
    else:
        numbers = convert(values)
        leading, by_row = numbers._shape_tuple()[:1], numbers.ndim == 2
        if axis == -1 and numbers.ndim not in (1, 2):
            refuse(
                f"values must be a vector or a matrix, not of shape {list(numbers._shape_tuple())}."
            )
        if weights is not None:
            weights = convert(weights)
            if weights._shape_tuple() != numbers._shape_tuple():
                refuse(
                    f"weights must be of the shape of values, {list(numbers._shape_tuple())}, "
                    f"not {list(weights._shape_tuple())}."
                )
            weights = reshape(weights, (-1,))
        size, width = math.prod(numbers._shape_tuple()), math.prod(numbers._shape_tuple()[1:])
        rows = floordiv(number_range(size, dtype=dtypes.int64), max(width, 1))
    for what, tensor, allowed in (("values", numbers, INDEX), ("weights", weights, COUNTED)):
        if tensor is not None and tensor.dtype not in allowed:
            refuse(
                f"{what} must be {', '.join(sorted(dtype.name for dtype in allowed))}, "
                f"not {tensor.dtype.name}."
            )
    bounds = [None if bound is None else static_int(bound) for bound in (minlength, maxlength)]
    indices, bins, kept, shape = count_places(
        numbers, rows, *bounds, leading if axis == -1 and by_row else None
    )
    count = indices._shape_tuple()[0]
    if weights is not None:
        counts = unsorted_segment_sum(take_segments(weights, kept), bins, count)
    else:
        one = constant(1, numbers.dtype)
        counts = unsorted_segment_sum(broadcast_to(one, bins._shape_tuple()), bins, count)
        counts = minimum(counts, one) if binary_output else counts
    return SparseTensor(indices, counts, shape)


@op(
    "_CountPlaces",
    dtypes={"numbers": INDEX, "rows": {dtypes.int64}},
    outputs=("indices", "bins", "kept", "shape"),
)
def count_places(xp, numbers, rows, *, minlength, maxlength, leading):
    """The indices of the counts of ``numbers``, the count to which each number belongs, which numbers are
    counted, and the shape of the result: a row of bins for each of ``leading``, or a single row for None."""
    flat = numbers.reshape(-1)
    size = bin_count(flat, minlength, maxlength)
    kept = xp.flatnonzero(flat < size)
    keys = flat[kept].astype(np.int64)
    shape: tuple[int, ...] = (size,)
    if leading is not None:
        shape = check_size((*leading, size))
        keys = keys + rows[kept] * size
    distinct, bins = xp.unique(keys, return_inverse=True)
    return coordinates(distinct, shape), bins.reshape(-1), kept, xp.array(shape, np.int64)


@count_places.shape
def count_shapes(leading):
    rank = 1 if leading is None else 2
    numbers = Abstract([None], dtypes.int64)
    return [Abstract([None, rank], dtypes.int64), numbers, numbers, Abstract([rank], dtypes.int64)]


count_places.no_gradient()


def matching_values(values: SparseTensor, weights: Any) -> Tensor:
    """The values of sparse weights, whose indices must be those of the values that are counted."""
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "sparse.bincount(): weights must be a SparseTensor if values is one, "
            f"not {type(weights).__name__}."
        )
    if not same_places(values, weights):
        refuse("weights and values must have the same indices.")
    return weights.values


def bin_count(numbers: Any, minlength: int | None, maxlength: int | None) -> int:
    """The number of bins: enough for the numbers, within the bounds."""
    if numbers.size and int(numbers.min()) < 0:
        refuse("the integers to count must not be negative.")
    size = int(numbers.max()) + 1 if numbers.size else 1
    for length, what, nearer in ((minlength, "minlength", max), (maxlength, "maxlength", min)):
        if length is not None:
            if length < 0:
                refuse(f"{what} = {length} must not be negative.")
            size = nearer(size, length)
    return size
