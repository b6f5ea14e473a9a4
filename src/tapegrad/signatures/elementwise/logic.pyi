# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in both.

    >>> tf.bitwise.bitwise_and(6, 3).numpy()
    np.int32(2)

    Args:
        x: a tensor of integers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in at least one.

    >>> tf.bitwise.bitwise_or(6, 3).numpy()
    np.int32(7)

    Args:
        x: a tensor of integers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in exactly one.

    >>> tf.bitwise.bitwise_xor(6, 3).numpy()
    np.int32(5)

    Args:
        x: a tensor of integers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether ``x`` and ``y`` are equal, element by element, broadcasting. NaN equals nothing.

    >>> tf.equal([1, 2], [1, 3]).numpy()
    array([ True, False])

    Args:
        x: a tensor.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x > y``, element by element, broadcasting.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x >= y``, element by element, broadcasting.

    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit flipped.

    >>> tf.bitwise.invert(tf.constant([0, 5])).numpy()
    array([-1, -6], dtype=int32)

    Args:
        x: a tensor of integers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether an element is neither infinite nor NaN.

    >>> tf.math.is_finite([1.0, np.nan]).numpy()
    array([ True, False])

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether an element is infinite.

    >>> tf.math.is_inf([1.0, -np.inf]).numpy()
    array([False,  True])

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether an element is NaN.

    >>> tf.math.is_nan([1.0, np.nan]).numpy()
    array([False,  True])

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits moved up by ``y`` places, at most by the width of the dtype minus 1.

    >>> tf.bitwise.left_shift(1, 4).numpy()
    np.int32(16)

    Args:
        x: a tensor of integers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x < y``, element by element, broadcasting.

    >>> tf.less([1, 2], 2).numpy()
    array([ True, False])

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x <= y``, element by element, broadcasting.

    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether both are true, element by element, broadcasting.

    >>> tf.logical_and([True, False], True).numpy()
    array([ True, False])

    Args:
        x: a tensor of booleans.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """The opposite.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])

    Args:
        x: a tensor of booleans.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether at least one is true, element by element, broadcasting.

    >>> tf.logical_or([True, False], False).numpy()
    array([ True, False])

    Args:
        x: a tensor of booleans.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def logical_xor(x: TensorLike, y: TensorLike, name: str | None = 'LogicalXor') -> Tensor:
    """Whether exactly one is true, element by element, broadcasting.

    >>> tf.math.logical_xor([True, False], True).numpy()
    array([False,  True])
    """

def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether ``x`` and ``y`` differ, element by element, broadcasting. NaN differs from everything.

    >>> tf.not_equal([1, 2], [1, 3]).numpy()
    array([False,  True])

    Args:
        x: a tensor.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits moved down by ``y`` places. Copies of the sign bit fill the places at the top.

    >>> tf.bitwise.right_shift(-8, 1).numpy()
    np.int32(-4)

    Args:
        x: a tensor of integers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """
