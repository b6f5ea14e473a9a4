# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Composite as Composite
from tapegrad.framework.types import TensorLike as TensorLike
from typing import overload as overload

def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x + y``, broadcasting. Strings are joined.

    >>> tf.add([1, 2], 3).numpy()
    array([4, 5], dtype=int32)

    Args:
        x: a tensor of float32 or float64 or int32 or uint8 or int16 or int8 or string or complex64 or int64 or bfloat16 or uint16 or complex128 or float16 or uint32 or uint64.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

@overload
def divide(x: Composite, y: TensorLike, name: str | None = None) -> Composite:
    """``x / y``, as Python divides: see `tf.truediv`. A ``tf.SparseTensor`` uses its own operator ``/``.

    >>> tf.divide([1.0, 3.0], 2.0).numpy()
    array([0.5, 1.5], dtype=float32)
    """

@overload
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y``, as Python divides: see `tf.truediv`. A ``tf.SparseTensor`` uses its own operator ``/``.

    >>> tf.divide([1.0, 3.0], 2.0).numpy()
    array([0.5, 1.5], dtype=float32)
    """

def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y``, and 0 where ``y`` is 0; the gradients are 0 there too.

    >>> tf.math.divide_no_nan([1.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """

def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number not above ``x / y``.

    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Raises:
        InvalidArgumentError: for an integer division by zero.
    """

def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `tf.math.floordiv`: ``x - floor(x / y) * y``, which has the sign of ``y``.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of each pair, broadcasting; NaN where either is NaN. A tie's gradient goes to ``x``.

    >>> tf.maximum([1.0, 5.0], 3.0).numpy()
    array([3., 5.], dtype=float32)

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of each pair, broadcasting; NaN where either is NaN. A tie's gradient goes to ``x``.

    >>> tf.minimum([1.0, 5.0], 3.0).numpy()
    array([1., 3.], dtype=float32)

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def mod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `tf.math.floordiv`: ``x - floor(x / y) * y``, which has the sign of ``y``.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x * y``, element by element, broadcasting.

    >>> tf.multiply([1.0, 2.0], 3.0).numpy()
    array([3., 6.], dtype=float32)

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x * y``, and 0 where ``y`` is 0 even if ``x`` is infinite or NaN there.

    >>> tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]).numpy()
    array([0., 6.], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """``-x``.

    >>> tf.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)

    Args:
        x: a tensor of float32 or float64 or int32 or int16 or int8 or complex64 or int64 or bfloat16 or complex128 or float16.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The number next to ``x1`` in the direction of ``x2``.

    >>> tf.math.nextafter(1.0, 2.0).numpy()
    np.float32(1.0000001)

    Args:
        x1: a tensor of float32 or float64.
        x2: a tensor of the dtype of ``x1``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x1 and x2 broadcast to.
    """

def polyval(coeffs: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients, highest power first, evaluated at ``x`` by Horner's scheme.

    >>> tf.math.polyval([2.0, 0.0, 1.0], 3.0).numpy()        # 2 * 3**2 + 1
    np.float32(19.0)
    """

def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x ** y``, broadcasting.

    >>> tf.pow([2.0, 3.0], 2.0).numpy()
    array([4., 9.], dtype=float32)

    Args:
        x: a tensor of float32 or float64 or int32 or int16 or int8 or complex64 or int64 or bfloat16 or complex128 or float16.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Raises:
        InvalidArgumentError: for an integer raised to a negative power, since the result is no integer.
    """

def real_divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y`` for floating point or complex numbers.

    >>> tf.realdiv([1.0, 2.0], 4.0).numpy()
    array([0.25, 0.5 ], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """``1 / x``.

    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """``1 / x``, and 0 where ``x`` is 0.

    >>> tf.math.reciprocal_no_nan([0.0, 4.0]).numpy()
    array([0.  , 0.25], dtype=float32)
    """

def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """``1 / sqrt(x)``.

    >>> tf.math.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

@overload
def scalar_mul(scalar: TensorLike, x: Composite, name: str | None = None) -> Composite:
    """``scalar * x`` for one number and a tensor, a variable or ``tf.IndexedSlices``.

    >>> tf.scalar_mul(2.0, tf.constant([1.0, 3.0])).numpy()
    array([2., 6.], dtype=float32)

    Raises:
        ValueError: if ``scalar`` is not of rank 0, or a tensor of another dtype than ``x``.
    """

@overload
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``scalar * x`` for one number and a tensor, a variable or ``tf.IndexedSlices``.

    >>> tf.scalar_mul(2.0, tf.constant([1.0, 3.0])).numpy()
    array([2., 6.], dtype=float32)

    Raises:
        ValueError: if ``scalar`` is not of rank 0, or a tensor of another dtype than ``x``.
    """

def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def square(x: TensorLike, name: str | None = None) -> Tensor:
    """``x * x``.

    >>> tf.square([-2.0, 3.0]).numpy()
    array([4., 9.], dtype=float32)

    Args:
        x: a tensor of numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``(x - y) ** 2``, broadcasting. For complex numbers it is the squared distance ``|x - y| ** 2``.

    >>> tf.math.squared_difference([1.0, 4.0], 2.0).numpy()
    array([1., 4.], dtype=float32)

    Args:
        x: a tensor of float32 or float64 or int32 or complex64 or int64 or bfloat16 or complex128 or float16.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x - y``, broadcasting.

    >>> tf.subtract(5.0, [1.0, 2.0]).numpy()
    array([4., 3.], dtype=float32)

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y``, broadcasting. Integers are divided as float64 (those of 8 and 16 bits as float32).

    >>> tf.truediv(tf.constant([1, 2]), 4).numpy()
    array([0.25, 0.5 ])

    Raises:
        TypeError: if the operands have different dtypes, or hold no numbers. An operand that is not a tensor
            takes the dtype of ``x`` if ``x`` is a tensor. Beside a tensor ``y`` it keeps its own dtype,
            unlike in ``x / y``.
    """

def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y`` without its fractional part.

    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)

    Args:
        x: a tensor of real numbers.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """

def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `tf.truncatediv`, which has the sign of ``x``.

    >>> tf.truncatemod([7, -7], 3).numpy()
    array([ 1, -1], dtype=int32)

    Args:
        x: a tensor of float32 or float64 or int32 or int64 or bfloat16 or float16.
        y: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and y broadcast to.
    """
