"""The ops that `IndexedSlices` need: becoming a tensor, and being added to other gradients."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.args import static_shape
from tapegrad.ops.elementwise.math import add
from tapegrad.ops.indexing.segment import unsorted_segment_sum
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat_op


def to_tensor(slices: IndexedSlices) -> Tensor:
    """The whole tensor. Slices with the same index are added up."""
    shape = static_shape(slices.dense_shape)
    if not shape:
        refuse("IndexedSlices have a first axis: their dense_shape must not be empty.")
    total = unsorted_segment_sum(slices.values, slices.indices, shape[0])
    return total if total._shape_tuple() == shape else reshape(total, shape)


def densify(gradient: Any) -> Any:
    """A gradient that a rule can take: slices become a tensor, tensors are unchanged."""
    return to_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient


def aggregate(gradients: list[Any]) -> Any:
    """The sum of the gradients of one tensor. It is sparse if all of them are sparse."""
    if any(not isinstance(gradient, IndexedSlices) for gradient in gradients):
        total, *rest = [convert(densify(gradient)) for gradient in gradients]
        for other in rest:
            total = add(total, other)
        return total
    # The backward walk delivers the latest gradient first. Slices come in the order of the program.
    ordered = gradients[::-1]
    indices = [slices.indices for slices in ordered]
    if any(part.dtype is not indices[0].dtype for part in indices):
        indices = [cast(part, dtypes.int64) for part in indices]
    return IndexedSlices(
        concat_op([slices.values for slices in ordered], 0),
        concat_op(indices, 0),
        ordered[0].dense_shape,
    )
