"""The messages of an ONNX model, with the fields that are written, and the numbers of its dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.dtypes import DType
from tapegrad.io.messages import Message, add_fields

DTYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
    "string": 8, "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
}  # fmt: skip
"""The name of a dtype -> its number in ONNX. Complex ones have numbers too, and no ops."""
IR_VERSION = 8
"""The version of the messages: the oldest that has all that is written."""


class _Pair(Message):
    """A key and its value."""

    FULL_NAME = "onnx.StringStringEntryProto"
    SCHEMA = "string key = 1; string value = 2;"


class Tensor(Message):
    """A tensor: its values are bytes, little-endian, or strings."""

    FULL_NAME = "onnx.TensorProto"
    SCHEMA = """
        repeated int64 dims = 1; int32 data_type = 2; repeated bytes string_data = 6;
        string name = 8; bytes raw_data = 9;
    """


class _Size(Message):
    """The size of an axis: a number, or a name that all axes of this size have."""

    FULL_NAME = "onnx.TensorShapeProto.Dimension"
    SCHEMA = "oneof value { int64 dim_value = 1; string dim_param = 2; }"


class _Shape(Message):
    FULL_NAME = "onnx.TensorShapeProto"
    SCHEMA = "repeated _Size dim = 1;"


class _TensorType(Message):
    FULL_NAME = "onnx.TypeProto.Tensor"
    SCHEMA = "int32 elem_type = 1; _Shape shape = 2;"


class _Type(Message):
    FULL_NAME = "onnx.TypeProto"
    SCHEMA = "oneof value { _TensorType tensor_type = 1; }"


class ValueInfo(Message):
    """The name of an input or output, its dtype and its shape."""

    FULL_NAME = "onnx.ValueInfoProto"
    SCHEMA = "string name = 1; _Type type = 2;"


class Attribute(Message):
    """An attribute of a node: its name, its value, and the number of the kind that the value is of."""

    FULL_NAME = "onnx.AttributeProto"
    SCHEMA = """
        string name = 1; float f = 2; int64 i = 3; bytes s = 4; Tensor t = 5;
        repeated float floats = 7; repeated int64 ints = 8; repeated bytes strings = 9; int32 type = 20;
    """


class Node(Message):
    """A node: the names of what it reads and gives, its op, and its attributes."""

    FULL_NAME = "onnx.NodeProto"
    SCHEMA = """
        repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4;
        repeated Attribute attribute = 5;
    """


class Graph(Message):
    """Nodes in an order in which they can run, constants, inputs and outputs."""

    FULL_NAME = "onnx.GraphProto"
    SCHEMA = """
        repeated Node node = 1; string name = 2; repeated Tensor initializer = 5;
        repeated ValueInfo input = 11; repeated ValueInfo output = 12;
    """


add_fields(Attribute, "Graph g = 6;")


class _Opset(Message):
    FULL_NAME = "onnx.OperatorSetIdProto"
    SCHEMA = "string domain = 1; int64 version = 2;"


class Model(Message):
    """The content of an ``.onnx`` file."""

    FULL_NAME = "onnx.ModelProto"
    SCHEMA = """
        int64 ir_version = 1; string producer_name = 2; string producer_version = 3;
        string doc_string = 6; Graph graph = 7; repeated _Opset opset_import = 8;
        repeated _Pair metadata_props = 14;
    """


def tensor_of(name: str, array: np.ndarray[Any, Any], dtype: DType) -> Tensor:
    """An array as a message."""
    message = Tensor(name=name, data_type=DTYPES[dtype.name], dims=[*array.shape])
    if array.dtype.hasobject:
        message.string_data.extend([bytes(text) for text in array.ravel()])
    else:
        little = array.dtype.newbyteorder("<") if array.dtype.isbuiltin else array.dtype
        message.raw_data = np.ascontiguousarray(array).astype(little, copy=False).tobytes()
    return message


def value_info(name: str, dtype: DType, shape: Any) -> ValueInfo:
    """The message about a tensor. Sizes are numbers, names, or None; the shape may be None."""
    info = ValueInfo(name=name)
    info.type.tensor_type.elem_type = DTYPES[dtype.name]
    if shape is not None:
        info.type.tensor_type.shape.SetInParent()
        for size in shape:
            dim = info.type.tensor_type.shape.dim.add()
            if isinstance(size, str):
                dim.dim_param = size
            elif size is not None:
                dim.dim_value = size
    return info


def attribute_of(name: str, value: Any) -> Attribute:
    """An attribute. A list is of integers unless it holds floats or text."""
    message = Attribute(name=name)
    if isinstance(value, Graph):
        message.g.CopyFrom(value)
        message.type = 5
    elif isinstance(value, Tensor):
        message.t.CopyFrom(value)
        message.type = 4
    elif isinstance(value, str):
        message.s, message.type = value.encode(), 3
    elif isinstance(value, float):
        message.f, message.type = value, 1
    elif isinstance(value, (bool, int, np.integer)):
        message.i, message.type = int(value), 2
    elif value and all(isinstance(part, float) for part in value):
        message.floats.extend(value)
        message.type = 6
    elif value and all(isinstance(part, str) for part in value):
        message.strings.extend([part.encode() for part in value])
        message.type = 8
    else:
        message.ints.extend([int(part) for part in value])
        message.type = 7
    return message
