# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

import builtins as builtins
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = 'Const',
) -> Tensor:
    """A tensor of these values.

    >>> tf.constant([1, 2, 3, 4], shape=(2, 2), dtype=tf.float32)
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[1., 2.],
           [3., 4.]], dtype=float32)>
    >>> tf.constant("text")
    <tf.Tensor: shape=(), dtype=string, numpy=b'text'>

    Args:
      value: What `convert_to_tensor` takes.
      dtype: The dtype of the result. If None, an array keeps its dtype, and Python's values become
        float32, int32, bool, string or complex128.
      shape: The shape of the result. There must be as many values as it has elements, or a single value,
        which is repeated.
      name: Accepted and ignored.

    Raises:
      TypeError: The values do not fit ``dtype``, or their number does not fit ``shape``.
      ValueError: ``value`` cannot become a tensor.
    """

def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``value`` as a tensor: tensors come back unchanged; numbers, lists, arrays and variables are converted.

    >>> tf.convert_to_tensor([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.convert_to_tensor(np.array([1.5])).dtype        # arrays keep their dtype
    tf.float64

    Gradients flow through a list to the tensors in it.

    Args:
      value: A number, a string, a nested list or tuple of these, an array, a tensor, a variable, or
        an object that offers ``__tf_tensor__``, ``__array__`` or ``__dlpack__``.
      dtype: The dtype of the result. A tensor or variable must already have it.
      dtype_hint: The dtype of the result, if ``value`` can be converted to it.
      name: Accepted and ignored.

    Raises:
      TypeError: The values do not fit ``dtype``.
      ValueError: ``value`` cannot become a tensor, or is a tensor of another dtype.
    """

def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """An identity matrix, or a batch of them.

    >>> tf.eye(2, num_columns=3)
    <tf.Tensor: shape=(2, 3), dtype=float32, numpy=
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)>

    Args:
      num_rows: The number of rows.
      num_columns: The number of columns; ``num_rows`` if None.
      batch_shape: The shape of the batch. Its axes come before those of the matrices.
      dtype: The dtype of the result.
      name: Accepted and ignored.
    """

def fill(
    dims: TensorLike,
    value: TensorLike,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """A tensor of shape ``dims`` in which every element is ``value``.

    >>> tf.fill([2, 2], 7)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[7, 7],
           [7, 7]], dtype=int32)>

    Args:
      dims: The shape: ints, a TensorShape, or a tensor of integers.
      value: A scalar of any dtype.
      name: Accepted and ignored.
      layout: Accepted and ignored: there is one device.
    """

def is_symbolic_tensor(tensor: TensorLike) -> builtins.bool:
    """Whether ``tensor`` has a dtype and a shape and no value, as in the block of a graph.

    >>> tf.is_symbolic_tensor(tf.constant(1.0))
    False
    """

def is_tensor(x: TensorLike) -> builtins.bool:
    """Whether ``x`` is a tensor, a variable, or made of tensors, as ``tf.SparseTensor`` is.

    >>> tf.is_tensor(tf.Variable(1.0)), tf.is_tensor(1.0), tf.is_tensor(np.ones(2))
    (True, False, False)
    """

def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike,
    name: str | None = None,
    axis: int = 0,
) -> Tensor:
    """``num`` evenly spaced values from ``start`` to ``stop``, both included.

    >>> tf.linspace(0.0, 1.0, 5)
    <tf.Tensor: shape=(5,), dtype=float32, numpy=array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)>
    >>> tf.linspace([0.0, 10.0], [1.0, 20.0], 3, axis=-1)
    <tf.Tensor: shape=(2, 3), dtype=float32, numpy=
    array([[ 0. ,  0.5,  1. ],
           [10. , 15. , 20. ]], dtype=float32)>

    Gradients flow to both ends. Integers become float64.

    Args:
      start: The first value. A tensor of several elements gives a row of values for each of them.
      stop: The last value, of the dtype of ``start``. The two are broadcast against each other.
      num: The number of values.
      name: Accepted and ignored.
      axis: The position of the new axis.
    """

def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A row of ``depth`` values for each index: ``on_value`` at the index and ``off_value`` elsewhere.

    >>> tf.one_hot([0, 2], depth=3)
    <tf.Tensor: shape=(2, 3), dtype=float32, numpy=
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)>

    Args:
      indices: Integers of any shape. One outside ``[0, depth)`` gives a row of ``off_value`` throughout.
      depth: The length of the new axis.
      on_value: The value at the index; 1 by default.
      off_value: The value elsewhere; 0 by default.
      axis: The position of the new axis; last by default.
      dtype: The dtype of the result; by default that of the two values, or float32 without them.
      name: Accepted and ignored.

    Raises:
      TypeError: ``on_value``, ``off_value`` and ``dtype`` disagree.
      InvalidArgumentError: A negative depth, an axis out of range, values that are no scalars.
    """

def ones(
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """A tensor of ones. For ``tf.bool`` it holds True.

    >>> tf.ones([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>

    Args:
      shape: A list or tuple of ints, a TensorShape, an int, or a tensor of integers.
      dtype: The dtype of the result.
      name: Accepted and ignored.
      layout: Accepted and ignored: there is one device.
    """

def ones_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """Ones in the shape of ``input``, and in its dtype unless another one is given.

    >>> tf.ones_like([1, 2], dtype=tf.bool)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>
    """

def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = 'range',
) -> Tensor:
    """The numbers from ``start`` up to ``limit``, which is not included, in steps of ``delta``.

    >>> tf.range(3)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>
    >>> tf.range(1.0, 2.0, 0.25)
    <tf.Tensor: shape=(4,), dtype=float32, numpy=array([1.  , 1.25, 1.5 , 1.75], dtype=float32)>

    Args:
      start: The first number. As the only argument it is the limit, and the numbers start from 0.
      limit: The end, not included.
      delta: The step, which may be negative.
      dtype: The dtype of the result; by default the widest of the arguments' dtypes.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: A step of 0, or one that leads away from the limit.
    """

def zeros(
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """A tensor of zeros. For ``tf.string`` it holds empty strings.

    >>> tf.zeros([2, 3], tf.int32)
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)>

    Args:
      shape: A list or tuple of ints, a TensorShape, an int, or a tensor of integers.
      dtype: The dtype of the result.
      name: Accepted and ignored.
      layout: Accepted and ignored: there is one device.
    """

def zeros_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """Zeros in the shape of ``input``, and in its dtype unless another one is given.

    >>> tf.zeros_like([[1.0, 2.0]])
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[0., 0.]], dtype=float32)>
    """
