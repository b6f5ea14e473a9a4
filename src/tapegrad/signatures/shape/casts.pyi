# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Composite as Composite
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import overload as overload

def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The bits of ``input``, read as values of another dtype.

    >>> tf.bitcast(tf.constant([1.0]), tf.int32)
    <tf.Tensor: shape=(1,), dtype=int32, numpy=array([1065353216], dtype=int32)>
    >>> tf.bitcast(tf.constant([1, 2]), tf.int64).shape     # two values make one of twice the size
    TensorShape([])

    A narrower type adds a last axis, along which the parts of each value lie, lowest bits first. A wider
    type removes the last axis, whose length must be the number of values that make one wider value.
    The op has no gradient.

    Args:
        input: a tensor of float32 or float64 or int32 or uint8 or int16 or int8 or complex64 or int64 or qint8 or quint8 or qint32 or bfloat16 or qint16 or quint16 or uint16 or complex128 or float16 or uint32 or uint64.
        type: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

@overload
def cast(x: Composite, dtype: DTypeLike, name: str | None = None) -> Composite:
    """``x`` with its values converted to ``dtype``. If ``x`` has that dtype already, ``x`` itself.

    >>> tf.cast([1.8, -2.2], tf.int32)                      # towards zero
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2], dtype=int32)>
    >>> tf.cast([0, 1], tf.bool)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>

    >>> tf.cast([300.0, -3.0], tf.uint8)                    # the nearest number
    <tf.Tensor: shape=(2,), dtype=uint8, numpy=array([255,   0], dtype=uint8)>

    Gradients flow between floating dtypes. None flows through an integer or bool dtype. A float that int8,
    uint8, int16 or uint16 cannot hold becomes the nearest number that the dtype holds. NaN, and a float that
    int32 (for 64 bits, int64) cannot hold either, become the lowest number of a signed dtype, and the same
    bits or 0 in an unsigned one: `saturate_cast` gives the nearest number there too. Integers keep the
    bits that fit. A cast from a complex to a real dtype drops the imaginary part and logs a warning.

    Args:
      x: A tensor or variable, or a value that can become one. Of `IndexedSlices` and of a `SparseTensor`
        the values are cast.
      dtype: The dtype of the result.
      name: Accepted and ignored.

    Raises:
      TypeError: ``dtype`` names no dtype.
      UnimplementedError: From or to strings.
    """

@overload
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """``x`` with its values converted to ``dtype``. If ``x`` has that dtype already, ``x`` itself.

    >>> tf.cast([1.8, -2.2], tf.int32)                      # towards zero
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2], dtype=int32)>
    >>> tf.cast([0, 1], tf.bool)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>

    >>> tf.cast([300.0, -3.0], tf.uint8)                    # the nearest number
    <tf.Tensor: shape=(2,), dtype=uint8, numpy=array([255,   0], dtype=uint8)>

    Gradients flow between floating dtypes. None flows through an integer or bool dtype. A float that int8,
    uint8, int16 or uint16 cannot hold becomes the nearest number that the dtype holds. NaN, and a float that
    int32 (for 64 bits, int64) cannot hold either, become the lowest number of a signed dtype, and the same
    bits or 0 in an unsigned one: `saturate_cast` gives the nearest number there too. Integers keep the
    bits that fit. A cast from a complex to a real dtype drops the imaginary part and logs a warning.

    Args:
      x: A tensor or variable, or a value that can become one. Of `IndexedSlices` and of a `SparseTensor`
        the values are cast.
      dtype: The dtype of the result.
      name: Accepted and ignored.

    Raises:
      TypeError: ``dtype`` names no dtype.
      UnimplementedError: From or to strings.
    """

def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`cast`, but a value outside the range of ``dtype`` becomes the nearest value in the range.

    >>> tf.saturate_cast([-20.0, 2.5, 300.0], tf.uint8)
    <tf.Tensor: shape=(3,), dtype=uint8, numpy=array([  0,   2, 255], dtype=uint8)>

    Differs from TensorFlow: a float outside the range of int64 or uint64 becomes the nearest float within
    the range. In TensorFlow it changes its sign.

    Raises:
      TypeError: From or to a dtype without a range, such as bool.
    """
