# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Iterable as Iterable
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def Assert(
    condition: TensorLike,
    data: Any,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``condition`` is true, and show ``data``.

    >>> tf.debugging.Assert(tf.constant(2) > 1, ["two"])

    Args:
      condition: A scalar.
      data: A list of tensors, or of values that can become tensors, for the message.
      summarize: How many elements of each to show: 3 by default, -1 for all.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: ``condition`` is false.
      TypeError: ``data`` is not a list.
    """

def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """``x`` as a tensor, if none of its elements is NaN or infinite. See `check_numerics`.

    Raises:
      InvalidArgumentError: An element is NaN or infinite.
    """

def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x == y`` in every place, with shapes broadcast.

    >>> tf.debugging.assert_equal([1, 2], [1, 3], message="labels")
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: labels
    The condition x == y does not hold in 1 of 2 places:
      at [1]: x = 2, y = 3

    Args:
      x: A tensor, or a value that can become one.
      y: Another one of the same dtype.
      message: How the error begins if the check fails.
      summarize: How many places to show: 3 by default, -1 for all.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: The condition does not hold, or dtypes or shapes do not fit together.
    """

def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x > y`` in every place; see `assert_equal`."""

def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x >= y`` in every place; see `assert_equal`."""

def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise a TypeError unless ``x`` holds integers."""

def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x < y`` in every place; see `assert_equal`."""

def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x <= y`` in every place; see `assert_equal`."""

def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``abs(x - y) < atol + rtol * abs(y)`` in every place, with shapes broadcast.

    >>> tf.debugging.assert_near(1.0, 1.0 + 1e-7)

    Args:
      x: A tensor of floating-point or complex numbers, or a value that can become one.
      y: Another one, which is converted to the dtype of ``x``.
      rtol: Relative tolerance; by default ten times the spacing of the dtype's numbers around 1.
      atol: Absolute tolerance, with the same default.
      message: How the error begins if the check fails.
      summarize: How many places to show: 3 by default, -1 for all.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: The condition does not hold. NaN and infinity are near nothing.
      ValueError: ``x`` is of another dtype.
    """

def assert_negative(
    x: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x < 0`` in every place; see `assert_positive`."""

def assert_non_negative(
    x: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x >= 0`` in every place; see `assert_positive`."""

def assert_non_positive(
    x: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x <= 0`` in every place; see `assert_positive`."""

def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x != y`` in every place; see `assert_equal`."""

def assert_positive(
    x: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x > 0`` in every place.

    >>> tf.debugging.assert_positive([1.0, 2.0])

    Raises:
      InvalidArgumentError: An element is zero, negative or NaN.
      TypeError: ``x`` does not hold numbers.
    """

def assert_proper_iterable(values: TensorLike) -> None:
    """Raise a TypeError unless ``values`` is a collection to iterate over. Tensors, arrays and strings are
    not, but a variable is.
    """

def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x`` has ``rank`` dimensions.

    >>> tf.debugging.assert_rank(tf.ones([2, 3]), 2)

    Raises:
      ValueError: ``x`` has another number of dimensions.
      TypeError: ``rank`` is not an integer.
    """

def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x`` has ``rank`` dimensions or more; see `assert_rank`."""

def assert_rank_in(
    x: TensorLike,
    ranks: Iterable[Any],
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless the number of dimensions of ``x`` is one of ``ranks``; see `assert_rank`."""

def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> dtypes.DType:
    """The one floating-point dtype that all of ``tensors`` have; float32 if there are none.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
    tf.float32

    Args:
      tensors: A list of tensors. None in it is skipped.
      dtype: The dtype that they must have; by default that of the first.

    Raises:
      ValueError: The dtypes differ, or are not of floating point.
    """

def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise a ValueError unless ``tensor`` has no dimensions."""

def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless each tensor has its shape, and the shapes agree with each other.

    >>> images, labels = tf.ones([8, 5, 5]), tf.zeros([8])
    >>> tf.debugging.assert_shapes([(images, ("N", "W", "W")), (labels, ("N",))])

    Args:
      shapes: A list of pairs, or a dict, of tensors and their shapes. For each dimension a shape holds a
        number, a symbol that stands for the same number everywhere, or None or ``"."`` for any number.
        ``"..."`` or ``"*"`` in the first place stands for any number of dimensions. A scalar counts as one
        element.
      data: Accepted and ignored.
      summarize: Accepted and ignored.
      message: How the error begins if the check fails.
      name: Accepted and ignored.

    Raises:
      ValueError: A tensor has another shape, or a shape cannot be read.
    """

def assert_type(
    tensor: TensorLike,
    tf_type: DTypeLike,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``tensor`` has the dtype ``tf_type``.

    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)

    Raises:
      TypeError: It has another dtype.
    """

def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """``tensor`` itself, if none of its elements is NaN or infinite. Its gradient is checked likewise.

    >>> tf.debugging.check_numerics(tf.constant([1.0, 2.0]), "the loss").numpy()
    array([1., 2.], dtype=float32)
    >>> tf.debugging.check_numerics(tf.constant([1.0, float("nan")]), "loss")
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: loss : Tensor had NaN values (1 of 2, shape (2,)) [Op:CheckNumerics]

    Args:
      tensor: A tensor of real floating-point numbers.
      message: How the error begins if the check fails.

    Returns:
        A tensor.

    Raises:
      InvalidArgumentError: An element is NaN or infinite.
    """

def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Whether ``tensor`` is a tensor of numbers: not a variable, and not of bools or strings.

    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(1)
    (True, False)
    """
