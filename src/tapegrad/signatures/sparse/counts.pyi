# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor

def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: Axis = 0,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
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
