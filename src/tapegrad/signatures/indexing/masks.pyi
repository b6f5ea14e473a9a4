# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.indexing.masks import ListDiff as ListDiff
from tapegrad.ops.indexing.masks import Unique as Unique
from tapegrad.ops.indexing.masks import UniqueWithCounts as UniqueWithCounts
from typing import Any as Any

def boolean_mask(
    tensor: TensorLike,
    mask: TensorLike,
    axis: Axis | None = None,
    name: str | None = 'boolean_mask',
) -> Tensor:
    """The elements, or slices, of ``tensor`` where ``mask`` holds, along one axis.

    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]
    >>> tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=1).numpy().tolist()
    [[1], [3]]
    """

def dynamic_partition(
    data: TensorLike,
    partitions: TensorLike,
    num_partitions: TensorLike,
    name: str | None = None,
) -> list[Tensor]:
    """The slices of ``data`` in ``num_partitions`` tensors: ``partitions`` says which is whose.

    >>> [t.numpy().tolist() for t in tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)]
    [[10, 30], [20]]

    Args:
        data: a tensor.
        partitions: a tensor of int32.
        num_partitions: required.
        name: accepted, and of no effect.

    Returns:
        A list of tensors.
    """

def dynamic_stitch(indices: TensorLike, data: Any, name: str | None = None) -> Tensor:
    """A tensor whose slice ``indices[m][i]`` is ``data[m][i]``. If an index is repeated, the last one counts.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]

    Differs from TensorFlow: a slice that was overwritten gets no gradient.
    """

def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid: each vector in ``args`` repeated along the axes of the other vectors.

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])

    Args:
        indexing: "xy" (the default: the first vector along axis 1) or "ij" (along axis 0).
    """

def sequence_mask(
    lengths: TensorLike,
    maxlen: TensorLike | None = None,
    dtype: DTypeLike = dtypes.bool,
    name: str | None = None,
) -> Tensor:
    """A row for each length, whose first elements, as many as the length, are True (or 1, in ``dtype``).

    >>> tf.sequence_mask([1, 3]).numpy().tolist()
    [[True, False, False], [True, True, True]]
    """

def setdiff1d(
    x: TensorLike,
    y: TensorLike,
    index_dtype: TensorLike = dtypes.int32,
    name: str | None = None,
) -> ListDiff:
    """The elements of the vector ``x`` that are not in ``y``, in their order, and their places in ``x``.

    >>> out, idx = tf.compat.v1.setdiff1d([1, 2, 3, 4, 2], [2, 4])
    >>> out.numpy().tolist(), idx.numpy().tolist()
    ([1, 3], [0, 2])
    """

def unique(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of the vector ``x`` in order of appearance, and which of them each element is.

    >>> y, idx = tf.unique([7, 7, 3, 7])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([7, 3], [0, 0, 1, 0])

    Args:
        x: a tensor.
        out_idx: tf.int32 if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: y, idx.
    """

def unique_with_counts(
    x: TensorLike,
    out_idx: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> UniqueWithCounts:
    """The distinct elements of the vector ``x``, which of them each element is, and how often each appears.

    >>> tf.unique_with_counts([7, 7, 3, 7]).count.numpy().tolist()
    [3, 1]

    Args:
        x: a tensor.
        out_idx: tf.int32 if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: y, idx, count.
    """
