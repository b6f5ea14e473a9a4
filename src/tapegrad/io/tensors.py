"""Tensors as strings of bytes: `tf.io.serialize_tensor`, `parse_tensor`, `tf.make_tensor_proto`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, static_value
from tapegrad.dtypes import DType, as_dtype
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.io.messages import Message
from tapegrad.io.wire import DecodeError
from tapegrad.ops.op import HALVES, op
from tapegrad.ops.shape_rules import Abstract, of_any_rank

PUBLIC = {
    "io compat.v1.io": "parse_tensor serialize_tensor",
    "compat.v1": "make_ndarray make_tensor_proto parse_tensor serialize_tensor TensorProto",
    ".": "make_ndarray make_tensor_proto",
}

Array = np.ndarray[Any, Any]


class _Dim(Message):
    """The size of one axis, -1 if it is unknown."""

    FULL_NAME = "tensorflow.TensorShapeProto.Dim"
    SCHEMA = "int64 size = 1; string name = 2;"


class TensorShapeProto(Message):
    """A shape."""

    SCHEMA = "repeated Dim dim = 2; bool unknown_rank = 3;"


ODD_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
ENUMERATION = {
    int(dtype.as_datatype_enum): f"DT_{ODD_NAMES.get(dtype.name, dtype.name.upper())}"
    for dtype in (as_dtype(number) for number in (*range(1, 20), 21, 22, 23))
}


class TensorProto(Message):
    """A tensor: its dtype, its shape, and its values in ``tensor_content`` or in a list of their kind.

    >>> tf.make_tensor_proto([1.5, 2.5])
    dtype: DT_FLOAT
    tensor_shape {
      dim {
        size: 2
      }
    }
    tensor_content: "\\000\\000\\300?\\000\\000 @"
    """

    SCHEMA = """
        ENUMERATION dtype = 1; TensorShapeProto tensor_shape = 2; int32 version_number = 3;
        bytes tensor_content = 4; repeated float float_val = 5; repeated double double_val = 6;
        repeated int32 int_val = 7; repeated bytes string_val = 8; repeated float scomplex_val = 9;
        repeated int64 int64_val = 10; repeated bool bool_val = 11;
        repeated double dcomplex_val = 12; repeated int32 half_val = 13;
        repeated uint32 uint32_val = 16; repeated uint64 uint64_val = 17;
    """


LISTS = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.string: "string_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
    dtypes.int64: "int64_val",
    dtypes.bool: "bool_val",
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
}


# Of these dtypes `make_tensor_proto` writes the bytes; of others it lists the values, as TensorFlow does.
AS_CONTENT = {
    *(dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.float16, dtypes.bfloat16),
}


def list_for(dtype: DType) -> str:
    """The field that lists values of a dtype."""
    return LISTS.get(dtype, "int_val")


def empty_proto(dtype: DType, shape: Any) -> TensorProto:
    proto = TensorProto(dtype=int(dtype.as_datatype_enum))
    proto.tensor_shape.SetInParent()
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    return proto


def plain_values(array: Array, dtype: DType) -> list[Any]:
    """The elements as the lists of a `TensorProto` hold them."""
    if dtype in HALVES:
        array = array.view(np.uint16)
    if dtype.is_complex:
        # Flat, as an array without axes cannot be viewed as two numbers.
        array = array.ravel().view(np.float32 if dtype is dtypes.complex64 else np.float64)
    return array.ravel().tolist()


def array_in(proto: TensorProto) -> Array:
    """The values of a `TensorProto`.

    Raises:
        ValueError: it is not consistent.
    """
    dtype = as_dtype(proto.dtype)
    shape = tuple(dim.size for dim in proto.tensor_shape.dim)
    if any(size < 0 for size in shape):
        raise ValueError(f"its shape {[*shape]} has a negative size")
    size = math.prod(shape)
    content = proto.tensor_content
    if content and dtype is not dtypes.string:
        if len(content) != size * dtype.numpy_dtype.itemsize:
            raise ValueError(
                f"it has {len(content)} bytes for the shape {[*shape]} of {dtype.name}"
            )
        return np.frombuffer(content, dtype.numpy_dtype).reshape(shape).copy()
    values = [*getattr(proto, list_for(dtype))]
    parts = 2 if dtype.is_complex else 1
    if len(values) > size * parts or len(values) % parts:
        raise ValueError(f"it has {len(values)} values for the shape {[*shape]}")
    if dtype is dtypes.string:
        result = np.empty(size, object)
        result[:] = values + (values[-1:] or [b""]) * (size - len(values))
        return result.reshape(shape)
    kind: Any = np.uint16 if dtype in HALVES else dtype.numpy_dtype
    if dtype.is_complex:
        kind = np.float32 if dtype is dtypes.complex64 else np.float64
    array = np.array(values, np.int64 if kind == np.uint16 else kind).astype(kind)
    array = array.view(dtype.numpy_dtype)
    # The last value is repeated for all further elements.
    last = array[-1:] if len(array) else np.zeros(1, dtype.numpy_dtype)
    return np.concatenate([array, np.repeat(last, size - len(array))]).reshape(shape)


def encode(array: Array, dtype: DType) -> bytes:
    """The encoding of an array as TensorFlow's serialize_tensor writes it."""
    proto = empty_proto(dtype, array.shape)
    if dtype is dtypes.string:
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto.SerializeToString()


@op("SerializeTensor")
def _serialize_tensor(xp, tensor):  # type: ignore[no-untyped-def]
    """The tensor as a string."""
    return np.array(encode(tensor, dtypes.from_numpy(tensor.dtype)), object)


_serialize_tensor.shape(lambda: Abstract((), dtypes.string))


@op("ParseTensor", dtypes={"serialized": {dtypes.string}}, convert={"out_type": as_dtype})
def parse_tensor(xp, serialized, *, out_type):  # type: ignore[no-untyped-def]
    """The tensor that a string of `serialize_tensor` holds.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>

    Raises:
        InvalidArgumentError: the string holds no tensor, or one of another dtype.
    """
    if serialized.ndim:
        refuse(f"Expected `serialized` to be a scalar, got shape: {[*serialized.shape]}")
    try:
        proto = TensorProto.FromString(serialized.item())
    except DecodeError as error:
        refuse(f"Could not parse `serialized` as TensorProto: {error}")
    if not proto.dtype:
        refuse("Cannot parse tensor from proto: it has no dtype.")
    try:
        array = array_in(proto)
        stored_dtype = dtypes.from_numpy(array.dtype)
    except (TypeError, ValueError) as error:
        refuse(f"Cannot parse tensor from proto: {error}")
    if stored_dtype is not out_type:
        refuse(
            f"Type mismatch between parsed tensor ({stored_dtype.name}) and dtype ({out_type.name})"
        )
    return array


parse_tensor.shape(lambda out_type: of_any_rank(out_type, "tf.io.parse_tensor"))
for operation in (_serialize_tensor, parse_tensor):
    operation.no_gradient()


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """The tensor as a string, a `TensorProto`: what `parse_tensor` reads.

    >>> tf.io.serialize_tensor(tf.constant(1, tf.uint8))
    <tf.Tensor: shape=(), dtype=string, numpy=b'\\x08\\x04\\x12\\x00"\\x01\\x01'>

    Args:
        tensor: a tensor of any dtype, or what becomes one.
    """
    return _serialize_tensor(tensor)  # type: ignore[no-any-return]


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """A `TensorProto` of these values.

    Args:
        values: numbers, strings, lists of them, arrays.
        dtype: their dtype, unless it is that which `tf.constant` gives them.
        shape: their shape; one value may be repeated for all of them.
        verify_shape: whether to refuse values of another shape.
        allow_broadcast: whether one value may be given for a shape, together with ``verify_shape``.
    """
    if TensorProto._is_like(values):
        return values if type(values) is TensorProto else TensorProto._made(values)  # type: ignore[return-value]
    tensor = convert_to_tensor(values, None if dtype is None else as_dtype(dtype))
    array = static_value(tensor, "values")
    kind = tensor.dtype
    sizes = tuple(array.shape if shape is None else [int(size) for size in shape])
    size = math.prod(sizes)
    if verify_shape and sizes != array.shape and not (allow_broadcast and array.size == 1):
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    if array.size > size or (array.size < size and array.size != 1):
        raise ValueError(f"{array.size} values do not fill the shape {sizes}.")
    proto = empty_proto(kind, sizes)
    if kind in AS_CONTENT and array.size == size and size > 1:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    else:
        getattr(proto, list_for(kind)).extend(plain_values(array, kind))
    return proto


def make_ndarray(tensor: TensorProto) -> Array:
    """The NumPy array with the values of a `TensorProto`: of this class, or of another with the same fields.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2])).tolist()
    [1, 2]

    Args:
        tensor: a `tf.compat.v1.TensorProto`, or another object with its fields.
    """
    if not TensorProto._is_like(tensor):
        kind = f"{type(tensor).__module__}.{type(tensor).__qualname__}".removeprefix("builtins.")
        raise TypeError(
            "make_ndarray() takes a TensorProto, which has the fields dtype, tensor_shape and "
            f"tensor_content; it got a {kind}."
        )
    return array_in(tensor)
