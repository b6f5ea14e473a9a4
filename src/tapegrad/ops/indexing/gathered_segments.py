"""Sums and means by segment of slices that are gathered first: `tf.sparse.segment_sum` and its kin.

The segment numbers are sorted, as those of `segment_sum`. With ``sparse_gradient`` the gradient is
``IndexedSlices`` of the rows that were gathered, each one once and in ascending order.
"""

from __future__ import annotations

from typing import Any

from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool
from tapegrad.ops.elementwise.math import sqrt
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.masks import unique
from tapegrad.ops.indexing.segment import (
    check_indices,
    check_sorted,
    segment_count,
    segment_sizes,
    segment_sum,
    take_segments,
    unsorted_segment_sum,
)
from tapegrad.ops.indexing.sort import searchsorted, sort
from tapegrad.ops.op import INDEX, REAL, REAL_FLOATING, op
from tapegrad.ops.shape_rules import each_like

PUBLIC = {
    "sparse": (
        "segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n "
        "segment_sum=sparse_segment_sum"
    ),
}


def sparse_segment(
    reduce: str,
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any,
    sparse_gradient: Any,
) -> Tensor:
    """The slices ``data[indices]`` reduced by segment. Their segment numbers are sorted."""
    data, indices, ids = convert(data), convert(indices), convert(segment_ids)
    allowed = REAL if reduce == "sum" else REAL_FLOATING
    if data.dtype not in allowed:
        refuse(f"sparse.segment_{reduce}() does not take data of {data.dtype.name}.")
    for tensor in (indices, ids):
        if tensor.dtype not in INDEX:
            refuse(
                "sparse.segment_ functions expect indices and segment_ids of int32 or int64, "
                f"not {tensor.dtype.name}."
            )
    if indices.ndim != 1 or indices._shape_tuple() != ids._shape_tuple():
        refuse(
            "sparse.segment_ functions expect indices and segment_ids to be vectors of one size."
        )
    if not data.ndim:
        refuse("sparse.segment_ functions expect data of rank 1 or more.")
    count = None if num_segments is None else segment_count(num_segments)
    indices, ids = checked_segments(indices, ids, data._shape_tuple()[0], count)
    if static_bool(sparse_gradient):
        rows = unique(sort(indices)).y
        data, indices = gather(data, rows), searchsorted(rows, indices)
    picked = take_segments(data, indices)
    total = segment_sum(picked, ids) if count is None else unsorted_segment_sum(picked, ids, count)
    if reduce == "sum":
        return total
    sizes = segment_sizes(ids, total._shape_tuple()[0], total)
    return total / (sizes if reduce == "mean" else sqrt(sizes))


@op(
    "_CheckedSegments",
    dtypes={"indices": INDEX, "segment_ids": INDEX},
    outputs=("indices", "ids"),
    values="errors",
)
def checked_segments(xp, indices, segment_ids, *, rows, count):
    """Both inputs unchanged, if they fit data of ``rows`` rows and, unless None, ``count`` segments."""
    check_indices(indices, rows)
    segments = check_sorted(indices, segment_ids)
    if count is not None and segments > count:
        refuse(f"segment ids must be less than num_segments = {count}.")
    return indices, segment_ids


checked_segments.shape(each_like("indices", "segment_ids"))
checked_segments.no_gradient()


@composition
def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`segment_sum` of the slices of ``data`` at ``indices``.

    >>> tf.sparse.segment_sum([[1.0], [2.0], [4.0]], [0, 2, 2], [0, 0, 1]).numpy().tolist()
    [[5.0], [4.0]]

    Args:
        data: a tensor with one axis at least.
        indices: a vector of the rows of ``data`` that are taken.
        segment_ids: the number of the segment of each of them, in ascending order.
        num_segments: the number of rows of the result; None for one more than the last of ``segment_ids``.
        sparse_gradient: whether the gradient by ``data`` is `tf.IndexedSlices`, and not a dense tensor.
    """
    return sparse_segment("sum", data, indices, segment_ids, num_segments, sparse_gradient)


@composition
def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`segment_mean` of the slices of ``data`` at ``indices``.

    >>> tf.sparse.segment_mean([[1.0], [2.0], [4.0]], [0, 2, 2], [0, 0, 1]).numpy().tolist()
    [[2.5], [4.0]]

    Args:
        data: a tensor with one axis at least.
        indices: a vector of the rows of ``data`` that are taken.
        segment_ids: the number of the segment of each of them, in ascending order.
        num_segments: the number of rows of the result; None for one more than the last of ``segment_ids``.
        sparse_gradient: whether the gradient by ``data`` is `tf.IndexedSlices`, and not a dense tensor.
    """
    return sparse_segment("mean", data, indices, segment_ids, num_segments, sparse_gradient)


@composition
def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of the slices of ``data`` at ``indices`` by segment, divided by the root of their number.

    >>> tf.sparse.segment_sqrt_n([[4.0]], [0, 0, 0, 0], [0, 0, 0, 0]).numpy().tolist()
    [[8.0]]

    Args:
        data: a tensor with one axis at least.
        indices: a vector of the rows of ``data`` that are taken.
        segment_ids: the number of the segment of each of them, in ascending order.
        num_segments: the number of rows of the result; None for one more than the last of ``segment_ids``.
        sparse_gradient: whether the gradient by ``data`` is `tf.IndexedSlices`, and not a dense tensor.
    """
    return sparse_segment("sqrt_n", data, indices, segment_ids, num_segments, sparse_gradient)
