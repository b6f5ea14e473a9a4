# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike

def argmax(
    input: TensorLike,
    axis: Axis | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The index of the largest element along ``axis`` (0 by default); the first one of equal elements.

    >>> tf.argmax([[1, 5], [7, 2]]).numpy(), tf.argmax([[1, 5], [7, 2]], axis=1).numpy()
    (array([1, 0]), array([1, 0]))

    Args:
        input: a tensor of real numbers or truth values. NaN counts as the lowest number.
        axis: the axis to search along.
        output_type: tf.int64, or another integer type.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if the axis is empty: there is nothing to point at.
    """

def argmin(
    input: TensorLike,
    axis: Axis | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The index of the smallest element along ``axis`` (0 by default); the first one of equal elements.

    >>> tf.argmin([[1, 5], [7, 2]], axis=1).numpy()
    array([0, 1])

    Args:
        input: a tensor of real numbers or truth values. NaN counts as the highest number.
        axis: the axis to search along.
        output_type: tf.int64 or tf.int32.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if the axis is empty: there is nothing to point at.
    """

def count_nonzero(
    input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The number of elements over ``axis``, or over all axes, that are not zero, False or the empty string.

    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=1).numpy()
    array([1, 2])

    Args:
        input: a tensor of any dtype. NaN counts as not zero.
        axis: an axis or several; None for all.
        keepdims: whether the counted axes stay, with length 1.
        dtype: the dtype of the counts.
    """

def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element of the flattened tensor is smaller than the one before it.

    >>> tf.math.is_non_decreasing([1, 2, 2]).numpy()
    np.True_
    """

def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether every element of the flattened tensor is larger than the one before it.

    >>> tf.math.is_strictly_increasing([1, 2, 2]).numpy()
    np.False_
    """

def reduce_all(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether all elements over ``axis``, or over all axes, are true. Without elements, True.

    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])

    Args:
        input_tensor: a tensor of truth values.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the reduced axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_any(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether any element over ``axis``, or over all axes, is true. Without elements, False.

    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])

    Args:
        input_tensor: a tensor of truth values.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the reduced axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The square root of the sum of squares over ``axis``, or over all axes.

    >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [3e30, 4e30]], axis=1).numpy()
    array([5.e+00, 5.e+30], dtype=float32)

    Differs from TensorFlow: no square overflows or underflows, and the gradient at 0 is 0.

    Args:
        input_tensor: a tensor of numbers. For integers the norm is cut to an integer.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the reduced axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The logarithm of the sum of ``exp(x)`` over ``axis``, or over all axes, without overflow.

    >>> tf.reduce_logsumexp([1000.0, 1000.0]).numpy()
    np.float32(1000.6932)

    Differs from TensorFlow: the gradient is 0 where all elements are -inf. Where some are inf, those share
    the gradient.

    Args:
        input_tensor: a tensor of real floating point numbers. Without elements, the result is -inf.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the reduced axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_max(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The largest element over ``axis``, or over all axes; NaN if there is one. Ties share the gradient.

    >>> tf.reduce_max([[1, 5], [7, 2]], axis=1).numpy()
    array([5, 7], dtype=int32)

    Args:
        input_tensor: a tensor of real numbers. Without elements, the maximum is the dtype's lowest number.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the reduced axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_mean(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean over ``axis``, or over all axes. The mean of integers is cut to an integer.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    >>> tf.reduce_mean(x).numpy(), tf.reduce_mean(x, axis=0).numpy()
    (np.float32(2.75), array([2. , 3.5], dtype=float32))

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the averaged axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_min(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The smallest element over ``axis``, or over all axes; NaN if there is one. Ties share the gradient.

    >>> tf.reduce_min([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 2], dtype=int32)

    Args:
        input_tensor: a tensor of real numbers. Without elements, the minimum is the dtype's highest number.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the reduced axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_prod(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product over ``axis``, or over all axes.

    >>> tf.reduce_prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12], dtype=int32)

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the multiplied axes stay, with length 1.

    Returns:
        A tensor.
    """

def reduce_sum(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The sum over ``axis``, or over all axes.

    >>> x = tf.constant([[1, 2], [3, 4]])
    >>> tf.reduce_sum(x).numpy(), tf.reduce_sum(x, axis=0).numpy()
    (np.int32(10), array([4, 6], dtype=int32))

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether the summed axes stay, with length 1.

    Returns:
        A tensor.
    """

def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The share of zeros among all elements, as a float32; NaN if there are no elements.

    >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy()
    np.float32(0.5)
    """
