# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor

def difference(
    a: TensorLike,
    b: TensorLike,
    aminusb: bool = True,
    validate_indices: bool = True,
) -> SparseTensor:
    """For each row, the elements that are in ``a`` and not in ``b``, in order.

    >>> tf.sets.difference(tf.constant([[1, 2, 4]]), tf.constant([[2, 3, 1]])).values.numpy().tolist()
    [4]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        aminusb: False for the elements that are in ``b`` and not in ``a``.
        validate_indices: whether to check that the indices of sparse tensors are in order.
    """

def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in both ``a`` and ``b``, in order.

    >>> both = tf.sets.intersection(tf.constant([[1, 2, 2]]), tf.constant([[2, 3, 1]]))
    >>> both.values.numpy().tolist()
    [1, 2]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        validate_indices: whether to check that the indices of sparse tensors are in order.
    """

def set_size(a: TensorLike, validate_indices: bool = True) -> Tensor:
    """The number of different elements in each row of a sparse tensor.

    >>> tf.sets.size(tf.SparseTensor([[0, 0], [0, 1]], [7, 7], [2, 2])).numpy().tolist()
    [1, 0]
    """

def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in ``a`` or ``b``, in order.

    >>> tf.sets.union(tf.constant([[1, 2, 2]]), tf.constant([[2, 3, 1]])).values.numpy().tolist()
    [1, 2, 3]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        validate_indices: whether to check that the indices of sparse tensors are in order.
    """
