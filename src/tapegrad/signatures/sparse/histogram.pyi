# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike

def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: Axis | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each integer from 0 on occurs in ``arr``.

    >>> tf.math.bincount([1, 1, 2, 3]).numpy()
    array([0, 2, 1, 1], dtype=int32)
    >>> tf.math.bincount([[1, 1], [2, 3]], axis=-1).numpy()
    array([[0, 2, 0, 0],
           [0, 0, 1, 1]], dtype=int32)

    Args:
        weights: the weight of each element of ``arr``, in place of 1. It decides the dtype of the result.
        minlength, maxlength: bounds for the length of the result. Larger integers are not counted.
        dtype: the dtype of the result if there are no weights.
        axis: None or 0 to count all elements, -1 to count in each row.
        binary_output: whether to return only if an integer occurs.
    """

def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each class (row) was predicted as each class (column).

    >>> tf.math.confusion_matrix([1, 2, 2], [2, 2, 0]).numpy()
    array([[0, 0, 0],
           [0, 0, 1],
           [1, 0, 1]], dtype=int32)

    Args:
        num_classes: the number of classes; by default one more than the largest label or prediction.
        weights: the weight of each prediction, in place of 1.

    Differs from TensorFlow: labels of rank 2 and more are counted element by element.
    """

def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many of ``values`` fall into each of ``nbins`` equal parts of ``value_range``.

    Values below the range count for the first bin, and values above it for the last.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)

    Args:
        values: a tensor of float32 or float64 or int32 or int64.
        value_range: a tensor of the dtype of ``values``.
        nbins: 100 if left out.
        dtype: tf.int32 if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The number of the bin into which each of ``values`` falls, of ``nbins`` equal parts of the range.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)

    The result is int32 whatever ``dtype`` is, as in TensorFlow.

    Differs from TensorFlow: it takes integers too.
    """
