# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.shape import TensorShape as TensorShape
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def broadcast_dynamic_shape(
    shape_x: TensorLike,
    shape_y: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The shape, as a tensor, to which shapes ``shape_x`` and ``shape_y`` broadcast.

    >>> tf.broadcast_dynamic_shape([3, 1], [4]).numpy().tolist()
    [3, 4]

    Args:
        shape_x: a tensor of int32 or int64.
        shape_y: a tensor of the dtype of ``shape_x``.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape to which shapes ``shape_x`` and ``shape_y`` broadcast.

    >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([None, 4]))
    TensorShape([3, 4])
    """

def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """The value of ``tensor`` as an array. None for a variable, whose value may change, and a SparseTensor.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """

def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes ``x``: the index at which each of 0, 1, 2, … stands in ``x``.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]

    Args:
        x: a tensor of int32 or int64.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of axes of ``input``, as an int32 scalar.

    >>> tf.rank([[1, 2], [3, 4]]).numpy()
    np.int32(2)

    Args:
        input: a tensor.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def shape(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The sizes of ``input`` along its axes, as an int32 vector (or in ``out_type``).

    >>> tf.shape([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    """

def shape_n(
    input: TensorLike,
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> list[Tensor]:
    """The shapes of several tensors, as a list of vectors.

    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], 3])]
    [[2], []]
    """

def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements in ``input``, as an int32 scalar (or in ``out_type``).

    >>> tf.size([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(6)

    Args:
        input: a tensor.
        out_type: None if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
