# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose row i is the maximum of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_max([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [2, 0, 4]

    Args:
        data: a tensor of real numbers.
        segment_ids: a tensor of int32 or int64.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose row i is the mean of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_mean([1.0, 2.0, 4.0], [0, 0, 2]).numpy().tolist()
    [1.5, 0.0, 4.0]

    Args:
        data: a tensor of numbers.
        segment_ids: a tensor of int32 or int64.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose row i is the minimum of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_min([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [1, 0, 4]

    Args:
        data: a tensor of real numbers.
        segment_ids: a tensor of int32 or int64.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose row i is the product of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_prod([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [2, 1, 4]

    Args:
        data: a tensor of numbers.
        segment_ids: a tensor of int32 or int64.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose row i is the sum of the slices of ``data`` in segment i. The numbers are sorted.

    >>> tf.math.segment_sum([1, 2, 4], [0, 0, 2]).numpy().tolist()
    [3, 0, 4]

    Args:
        data: a tensor of numbers.
        segment_ids: a tensor of int32 or int64.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def sparse_segment_mean(
    data: Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`segment_mean` of the slices of ``data`` at ``indices``.

    >>> tf.sparse.segment_mean([[1.0], [2.0], [4.0]], [0, 2, 2], [0, 0, 1]).numpy().tolist()
    [[2.5], [4.0]]
    """

def sparse_segment_sqrt_n(
    data: Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of the slices of ``data`` at ``indices`` by segment, divided by the root of their number.

    >>> tf.sparse.segment_sqrt_n([[4.0]], [0, 0, 0, 0], [0, 0, 0, 0]).numpy().tolist()
    [[8.0]]
    """

def sparse_segment_sum(
    data: Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`segment_sum` of the slices of ``data`` at ``indices``.

    >>> tf.sparse.segment_sum([[1.0], [2.0], [4.0]], [0, 2, 2], [0, 0, 1]).numpy().tolist()
    [[5.0], [4.0]]
    """

def unsorted_segment_max(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A tensor whose row i is the maximum of the slices in segment i, or the lowest number without slices.

    >>> tf.math.unsorted_segment_max([1, 2, 4], [1, 0, 1], num_segments=2).numpy().tolist()
    [2, 4]

    Args:
        data: a tensor of real numbers.
        segment_ids: a tensor of int32 or int16 or int64.
        num_segments: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def unsorted_segment_mean(
    data: Any,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A tensor whose row i is the mean of the slices of ``data`` in segment i.

    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 4.0], [2, 0, 2], num_segments=3).numpy().tolist()
    [2.0, 0.0, 2.5]
    """

def unsorted_segment_min(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A tensor whose row i is the minimum of the slices in segment i, or the highest number without slices.

    >>> tf.math.unsorted_segment_min([1, 2, 4], [1, 0, 1], num_segments=2).numpy().tolist()
    [2, 1]

    Args:
        data: a tensor of real numbers.
        segment_ids: a tensor of int32 or int16 or int64.
        num_segments: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def unsorted_segment_prod(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A tensor whose row i is the product of the slices of ``data`` in segment i.

    >>> tf.math.unsorted_segment_prod([1, 2, 4], [2, 0, 2], num_segments=3).numpy().tolist()
    [2, 1, 4]

    Args:
        data: a tensor of numbers.
        segment_ids: a tensor of int32 or int16 or int64.
        num_segments: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def unsorted_segment_sqrt_n(
    data: Any,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A tensor whose row i is the sum of the slices in segment i, divided by the root of their number.

    >>> tf.math.unsorted_segment_sqrt_n([3.0, 1.0, 1.0, 1.0, 1.0], [0, 1, 1, 1, 1], 2).numpy().tolist()
    [3.0, 2.0]
    """

def unsorted_segment_sum(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A tensor whose row i is the sum of the slices of ``data`` in segment i.

    >>> tf.math.unsorted_segment_sum([1, 2, 4], [2, 0, 2], num_segments=3).numpy().tolist()
    [2, 0, 5]

    Args:
        data: a tensor of numbers.
        segment_ids: a tensor of int32 or int16 or int64.
        num_segments: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
