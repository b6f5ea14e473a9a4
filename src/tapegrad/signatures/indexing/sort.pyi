# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.indexing.sort import TopKV2 as TopKV2

def argsort(
    values: TensorLike,
    axis: Axis = -1,
    direction: str = 'ASCENDING',
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices that sort ``values`` along ``axis``. Equal elements keep their order.

    >>> tf.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]

    Differs from TensorFlow: NaN always counts as the largest number.
    """

def in_top_k(
    targets: TensorLike,
    predictions: TensorLike,
    k: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Whether the prediction for each row's target is among the ``k`` largest of the row.

    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy().tolist()
    [True, False]
    """

def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = 'left',
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The index at which each of ``values`` would be inserted in ``sorted_sequence``, along the last axis.

    >>> tf.searchsorted([1, 3, 5], [0, 3, 6]).numpy().tolist()
    [0, 1, 3]
    >>> tf.searchsorted([1, 3, 5], [0, 3, 6], side="right").numpy().tolist()
    [0, 2, 3]
    """

def sort(
    values: TensorLike,
    axis: Axis = -1,
    direction: str = 'ASCENDING',
    name: str | None = None,
) -> Tensor:
    """``values`` in order along ``axis``.

    >>> tf.sort([3, 1, 2]).numpy().tolist(), tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
    ([1, 2, 3], [3, 2, 1])

    Differs from TensorFlow: NaN always counts as the largest number.
    """

def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """The ``k`` largest elements of each row of ``input``, largest first, and their indices.

    >>> values, indices = tf.math.top_k([1.0, 3.0, 2.0], k=2)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([3.0, 2.0], [1, 2])

    Of equal elements the one with the lower index comes first.

    Differs from TensorFlow: NaN always counts as the largest number, and the elements are sorted even with
    ``sorted=False``.

    Args:
        input: a tensor of real numbers.
        k: 1 if left out.
        sorted: True if left out.
        index_type: tf.int32 if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: values, indices.
    """
