"""Tensors from values and sizes: ``constant``, ``zeros``, ``one_hot`` and their like.

``framework/convert.py`` decides what becomes a tensor, and with which dtype. Casts are in
``ops/shape/casts.py``.
"""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import numpy as np

from tapegrad import core, dtypes, errors
from tapegrad.core import EagerTensor, Tensor, VariableBase, public
from tapegrad.core.sizes import Size, UnknownSize
from tapegrad.dtypes import DType
from tapegrad.engines.numpy import bands, lanes
from tapegrad.errors import refuse
from tapegrad.framework import convert
from tapegrad.framework.bases import TensorBase
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import check_size, static_dtype, static_int, static_shape
from tapegrad.ops.batching import broadcast_to
from tapegrad.ops.op import BOOL, NUMERIC, op, says
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract, same_shape, shaped

PUBLIC = {
    ".": "constant convert_to_tensor is_symbolic_tensor ones_like zeros_like",
    ". compat.v1": "fill is_tensor one_hot ones zeros",
    ". linalg compat.v1 compat.v1.linalg": "eye",
}


@public
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
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
    return convert.convert_to_tensor(value, dtype, dtype_hint)


@public
def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const"
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
    wanted = static_dtype(dtype)
    if isinstance(value, Tensor) and wanted is not None and value.dtype is not wanted:
        raise TypeError(
            f"tf.constant() was given a {value.dtype.name} tensor of shape {value.shape} "
            f"and dtype={wanted.name}: it casts no tensor. Use tf.cast(value, tf.{wanted.name})."
        )
    if isinstance(value, VariableBase):
        tensor = convert_to_tensor(value)
        if wanted is not None and tensor.dtype is not wanted:
            tensor = cast(tensor, wanted)
    else:
        tensor = convert_to_tensor(value, wanted)
    return tensor if shape is None else _shaped(tensor, shape)


def _shaped(tensor: Any, shape: Any) -> Tensor:
    own = tensor._shape_tuple()
    size = math.prod(own)
    if type(shape) is tuple and core.are_ints(shape) and min(shape, default=0) >= 0:
        if shape == own:
            return tensor
        if math.prod(shape) == size:
            return core.registry["Reshape"](tensor, shape)
    asked = TensorShape(shape)
    sizes = asked.as_list()
    if own == tuple(sizes):
        return tensor
    if asked.num_elements() == size:
        return core.registry["Reshape"](tensor, tuple(sizes))
    if size == 1 and None not in sizes:
        return fill(sizes, tensor)
    raise TypeError(
        f"tf.constant() was given {size} values (in shape {own}) and shape={asked}, "
        f"which takes {asked.num_elements()}"
    )


@public(computes=False)
def is_tensor(x: Any) -> builtins.bool:
    """Whether ``x`` is a tensor, a variable, or made of tensors, as ``tf.SparseTensor`` is.

    >>> tf.is_tensor(tf.Variable(1.0)), tf.is_tensor(1.0), tf.is_tensor(np.ones(2))
    (True, False, False)

    Args:
        x: any object.
    """
    if isinstance(x, (Tensor, VariableBase, TensorBase)):
        return True
    # Objects declare it themselves: those that act as variables, and those made of several tensors.
    return not isinstance(x, type) and builtins.bool(
        getattr(x, "is_tensor_like", False)
        or getattr(x, "_should_act_as_resource_variable", False)
        or hasattr(type(x), "map_values")
    )


@public(computes=False)
def is_symbolic_tensor(tensor: Any) -> builtins.bool:
    """Whether ``tensor`` has a dtype and a shape and no value, as in the block of a graph.

    >>> tf.is_symbolic_tensor(tf.constant(1.0))
    False

    Args:
        tensor: any object.
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


# One value everywhere


def _sizes(shape: Any) -> tuple[int, ...]:
    """The shape for zeros and ones. It is `static_shape`, but for something that is no shape the error has
    the class that a failed conversion to int32 has: TypeError for floats and strings. As in TensorFlow, and
    here alone, a list of sizes may begin with a boolean."""
    if isinstance(shape, (list, tuple)) and bool in map(type, shape):
        shape = [int(size) if type(size) is bool else size for size in shape]
    try:
        return static_shape(shape)
    except errors.InvalidArgumentError:
        if not isinstance(shape, core.Operand):
            convert_to_tensor(shape, dtypes.int32)
        raise


LAZY = 1 << 25
"""Zeros of more bytes come from the system, which makes each page when it is touched."""


def _full(shape: tuple[int, ...], value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """An array that repeats one value. Raises ResourceExhaustedError if it is too large."""
    try:
        numpy_dtype = dtype.numpy_dtype
        if type(value) is int and value == 0 and math.prod(shape) * numpy_dtype.itemsize > LAZY:
            return np.zeros(shape, numpy_dtype)
        return bands.full(shape, value, numpy_dtype)
    except UnknownSize:
        raise
    except (MemoryError, ValueError) as error:
        raise errors.ResourceExhaustedError(
            None, None, f"No memory for a {dtype.name} tensor of shape {list(shape)}"
        ) from error


def _check_number_dtype(dtype: DType, value: int) -> None:
    if not (dtype.is_numeric or dtype.is_bool):
        raise TypeError(f"Cannot convert {value} to a tensor of dtype {dtype.name}")


@public
def zeros(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
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
    wanted = dtypes.as_dtype(dtype)
    if wanted is dtypes.string:
        return filled_op.apply([], (_sizes(shape), b"", wanted))
    _check_number_dtype(wanted, 0)
    return filled_op.apply([], (_sizes(shape), 0, wanted))


@public
def ones(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
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
    wanted = dtypes.as_dtype(dtype)
    _check_number_dtype(wanted, 1)
    return filled_op.apply([], (_sizes(shape), 1, wanted))


@op("_Filled", lane=lanes.filled)
def filled_op(xp, *, shape, value, dtype):
    return _full(shape, value, dtype)


filled_op.shape(shaped(dtype="dtype"))
filled_op.no_gradient()


@op(
    "Fill",
    check_numerics=False,
    convert={"dims": static_shape},
    raw=("value", "dims"),
    linear="value",
    lane=bands.fill,
    moves="value",
)
def fill_op(xp, value, *, dims):
    if value.ndim and value.shape != (1,):
        refuse(
            f"fill() repeats a single value; the value given has the shape {list(value.shape)}. "
            "tf.broadcast_to repeats tensors."
        )
    return _full(dims, value.reshape(())[()], dtypes.from_numpy(value.dtype))


fill_op.shape(lambda value, dims: dims)


# Every element is a copy of the one value, so its gradient is the sum of the elements' gradients.
fill_op.gradient(
    value=lambda dy, value_shape: core.registry["Reshape"](core.registry["Sum"](dy), value_shape)
)


def fill_rule(items, value, dims):
    if value.ndim > 2 or (value.ndim == 2 and value.shape[1] != 1):
        return None
    return broadcast_to(value.reshape((items.size, *[1] * len(dims))), (items.size, *dims))


fill_op.batching(fill_rule)


@public
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
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
    return fill_op(value, dims)


@op("ZerosLike", values="nothing", raw=("x",), lane=lanes.zeros_like)
def zeros_like_op(xp, input):
    dtype = dtypes.from_numpy(input.dtype)
    return _full(input.shape, b"" if dtype is dtypes.string else 0, dtype)


zeros_like_op.shape(same_shape)


@op("OnesLike", values="nothing", dtypes=NUMERIC | BOOL, raw=("x",))
def ones_like_op(xp, input):
    return _full(input.shape, 1, dtypes.from_numpy(input.dtype))


ones_like_op.shape(same_shape)


zeros_like_op.no_gradient()
ones_like_op.no_gradient()


@public
@says(values="nothing", dispatched="unary")
def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros in the shape of ``input``, and in its dtype unless another one is given.

    >>> tf.zeros_like([[1.0, 2.0]])
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[0., 0.]], dtype=float32)>

    Args:
        input: a tensor, or what becomes one.
        dtype: the dtype of the result; None takes that of ``input``.
        layout: accepted, and of no effect.
    """
    if dtype is None and type(input) is EagerTensor:
        return zeros_like_op(input)
    wanted = static_dtype(dtype)
    if type(input) is not EagerTensor and wanted is not None and hasattr(input, "map_values"):
        return zeros(input.shape, wanted)  # IndexedSlices, SparseTensor: they need not become dense
    tensor = core.convert(input)
    if wanted is None or wanted is tensor.dtype:
        return zeros_like_op(tensor)
    return zeros(tensor._shape_tuple(), wanted)


@public
@says(values="nothing", dispatched="unary")
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones in the shape of ``input``, and in its dtype unless another one is given.

    >>> tf.ones_like([1, 2], dtype=tf.bool)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>

    Args:
        input: a tensor, or what becomes one.
        dtype: the dtype of the result; None takes that of ``input``.
        layout: accepted, and of no effect.
    """
    if dtype is None and type(input) is EagerTensor:
        return ones_like_op(input)
    wanted = static_dtype(dtype)
    if type(input) is not EagerTensor and wanted is not None and hasattr(input, "map_values"):
        return ones(input.shape, wanted)  # IndexedSlices, SparseTensor: they need not become dense
    tensor = core.convert(input)
    if wanted is None or wanted is tensor.dtype:
        return ones_like_op(tensor)
    return ones(tensor._shape_tuple(), wanted)


@public
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
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
    wanted = dtypes.as_dtype(dtype)
    _check_number_dtype(wanted, 1)
    rows = _matrix_size(num_rows, "num_rows")
    columns = rows if num_columns is None else _matrix_size(num_columns, "num_columns")
    if isinstance(batch_shape, int):
        raise TypeError(f"batch_shape must be a list of ints, but is the int {batch_shape}")
    batch = () if batch_shape is None else static_shape(batch_shape)
    return eye_op.apply([], (check_size((*batch, rows, columns)), wanted))


@op("_Eye", lane=bands.eye)
def eye_op(xp, *, shape, dtype):
    matrices = _full(shape, 0, dtype)
    diagonal = xp.arange(min(shape[-2:]))
    matrices[..., diagonal, diagonal] = 1
    return matrices


eye_op.shape(shaped(dtype="dtype"))
eye_op.no_gradient()


def _matrix_size(size: Any, argument: str) -> int:
    if isinstance(size, (core.Operand, np.integer, Size)):
        return static_int(size)
    if not isinstance(size, int) or isinstance(size, builtins.bool):
        raise TypeError(f"eye() needs an integer as {argument}, but got {size!r}")
    return size


def _one_hot_depth(depth: Any) -> int:
    if type(depth) is int and 0 <= depth < 2**31:
        return depth
    tensor = convert.convert_to_tensor(depth)
    array = core.static_value(tensor, "integer")
    if array.ndim or not tensor.dtype.is_integer:
        refuse(f"depth must be an integer scalar, got {array.dtype} of shape {list(array.shape)}")
    depth = array.item()  # an open size stays one
    if depth < 0:
        refuse(f"depth must not be negative, got {array}")
    return depth


@op(
    "OneHot",
    dtypes={
        "indices": {dtypes.uint8, dtypes.int8, dtypes.int32, dtypes.int64},
        "T": None,
    },
    convert={"depth": _one_hot_depth, "axis": static_int},
    raw=("indices", "on_value", "off_value", "depth", "axis"),
    lane=bands.one_hot,
    values="elements",
)
def one_hot_op(xp, indices, on_value, off_value, *, depth, axis=-1):
    for name, value in (("on_value", on_value), ("off_value", off_value)):
        if value.ndim:
            refuse(f"{name} must be a scalar, but has the shape {list(value.shape)}")
    rank = indices.ndim
    if not -1 <= axis <= rank:
        refuse(f"axis must be -1 or from 0 to {rank}, the rank of indices; got {axis}")
    flat = indices.reshape(-1)
    shape = check_size((flat.size, depth))
    rows = _full(shape, off_value[()], dtypes.from_numpy(off_value.dtype))
    # An index outside [0, depth) sets nothing: its row holds off_value throughout.
    (inside,) = np.nonzero((flat >= 0) & (flat < depth))
    rows[inside, flat[inside]] = on_value[()]
    return np.moveaxis(rows.reshape((*indices.shape, depth)), -1, axis)


@one_hot_op.shape
def one_hot_shape(indices, on_value, depth, axis):
    axis += indices.ndim + 1 if axis < 0 else 0
    return Abstract((*indices.shape[:axis], depth, *indices.shape[axis:]), on_value.dtype)


one_hot_op.no_gradient()


def one_hot_rule(items, indices, on_value, off_value, depth, axis):
    if any(items.batched[1:]):
        return None
    return items.run(indices, on_value, off_value, axis=axis if axis < 0 else axis + 1)


one_hot_op.batching(one_hot_rule)


@functools.cache
def _one_and_zero(dtype: DType) -> tuple[Tensor, Tensor]:
    return convert.convert_to_tensor(1, dtype), convert.convert_to_tensor(0, dtype)


@public
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
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
    wanted = static_dtype(dtype)
    if on_value is None and off_value is None and type(depth) is int:
        one, zero = _one_and_zero(wanted or dtypes.float32)
        return one_hot_op(indices, one, zero, depth, -1 if axis is None else axis)
    on = None if on_value is None else convert.convert_to_tensor(on_value, dtype_hint=wanted)
    off = None if off_value is None else convert.convert_to_tensor(off_value, dtype_hint=wanted)
    if on is not None and off is not None and on.dtype is not off.dtype:
        raise TypeError(
            f"on_value is {on.dtype.name} and off_value {off.dtype.name}: they must be of one dtype"
        )
    value = on if on is not None else off
    if value is not None and wanted is not None and value.dtype is not wanted:
        raise TypeError(
            f"{'off' if on is None else 'on'}_value is {value.dtype.name}, "
            f"but dtype={wanted.name} was asked for"
        )
    shared = wanted or (dtypes.float32 if value is None else value.dtype)
    if on is None:
        on = convert.convert_to_tensor(1, shared)
    if off is None:
        off = convert.convert_to_tensor(0, shared)
    if isinstance(depth, float):
        raise TypeError(f"depth must be an integer, got {depth!r}")
    return one_hot_op(indices, on, off, depth, -1 if axis is None else axis)
