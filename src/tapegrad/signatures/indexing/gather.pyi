# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike

def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """`gather` in which all axes of ``indices`` but the last are batch dimensions.

    >>> batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """

def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    axis: Axis | None = None,
    batch_dims: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of ``params`` at ``indices`` along ``axis`` (by default the first after ``batch_dims``).

    >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy().tolist()
    [[5, 6], [1, 2]]
    >>> tf.gather([[1, 2], [3, 4]], [1, 0], batch_dims=1).numpy().tolist()
    [2, 3]

    Raises:
        InvalidArgumentError: for an index out of range, including a negative one.
    """

def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: TensorLike = 0,
    name: str | None = None,
    bad_indices_policy: str = '',
) -> Tensor:
    """The elements or slices of ``params`` at the positions given by the rows of ``indices``.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    >>> tf.gather_nd([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
    [2, 3]
    """

def repeat(
    input: TensorLike,
    repeats: TensorLike,
    axis: Axis | None = None,
    name: str | None = None,
) -> Tensor:
    """Each slice of ``input`` along ``axis`` (each element, without ``axis``) repeated ``repeats`` times.

    >>> tf.repeat([1, 2, 3], repeats=[2, 0, 1]).numpy().tolist()
    [1, 1, 3]
    >>> tf.repeat([[1, 2], [3, 4]], 2, axis=1).numpy().tolist()
    [[1, 1, 2, 2], [3, 3, 4, 4]]
    """

def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """Zeros of shape ``shape``, with ``updates`` added at the positions given by the rows of ``indices``.

    >>> tf.scatter_nd([[0], [2], [0]], [1.0, 2.0, 3.0], [4]).numpy().tolist()
    [4.0, 0.0, 2.0, 0.0]

    Args:
        indices: a tensor of int32 or int16 or int64.
        updates: a tensor.
        shape: required.
        bad_indices_policy: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` added at the positions given by the rows of ``indices``.

    >>> tf.tensor_scatter_nd_add([1, 1, 1], [[0], [0]], [5, 6]).numpy().tolist()
    [12, 1, 1]

    Args:
        tensor: a tensor of numbers.
        indices: a tensor of int32 or int64.
        updates: a tensor of the dtype of ``tensor``.
        bad_indices_policy: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """The larger of ``tensor`` and ``updates`` at the positions given by ``indices``, else ``tensor``.

    >>> tf.tensor_scatter_nd_max([1, 1, 1], [[0], [1]], [5, 0]).numpy().tolist()
    [5, 1, 1]

    Args:
        tensor: a tensor of real numbers.
        indices: a tensor of int32 or int64.
        updates: a tensor of the dtype of ``tensor``.
        bad_indices_policy: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """The smaller of ``tensor`` and ``updates`` at the positions given by ``indices``, else ``tensor``.

    >>> tf.tensor_scatter_nd_min([1, 1, 1], [[0], [1]], [5, 0]).numpy().tolist()
    [1, 0, 1]

    Args:
        tensor: a tensor of real numbers.
        indices: a tensor of int32 or int64.
        updates: a tensor of the dtype of ``tensor``.
        bad_indices_policy: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = '',
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` subtracted at the positions given by the rows of ``indices``.

    >>> tf.tensor_scatter_nd_sub([1, 1, 1], [[0], [0]], [5, 6]).numpy().tolist()
    [-10, 1, 1]

    Args:
        tensor: a tensor of numbers.
        indices: a tensor of int32 or int64.
        updates: a tensor of the dtype of ``tensor``.
        bad_indices_policy: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tensor_scatter_nd_update(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` in place of the elements or slices at the rows of ``indices``.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [9, 8]).numpy().tolist()
    [9, 2, 8]

    Differs from TensorFlow: where a position is written twice, only the update that remains gets a gradient.
    """

def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """Indices into a flattened tensor of shape ``dims`` as positions in the tensor, one column each.

    >>> tf.unravel_index([1, 5], [2, 3]).numpy().tolist()
    [[0, 1], [1, 2]]
    """
