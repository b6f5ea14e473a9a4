"""The messages of graphs: `GraphDef` and its parts, in the encoding that TensorFlow's tools read."""

from __future__ import annotations

from typing import ClassVar

from tapegrad.io.messages import Field, Message
from tapegrad.io.tensors import ENUMERATION, TensorProto, TensorShapeProto

PUBLIC = {"compat.v1": "AttrValue GraphDef NodeDef"}


class ListValue(Message):
    """A list of values of an attribute."""

    __slots__ = ()
    FULL_NAME = "tensorflow.AttrValue.ListValue"
    FIELDS: ClassVar = {
        "s": Field(2, "bytes", "list"),
        "i": Field(3, "int64", "list"),
        "f": Field(4, "float", "list"),
        "b": Field(5, "bool", "list"),
        "type": Field(6, "int32", "list", names=ENUMERATION),
        "shape": Field(7, TensorShapeProto, "list"),
        "tensor": Field(8, TensorProto, "list"),
    }


class AttrValue(Message):
    """The value of an attribute of an op.

    >>> tf.compat.v1.AttrValue(type=int(tf.float32.as_datatype_enum))
    type: DT_FLOAT
    """

    __slots__ = ()
    FULL_NAME = "tensorflow.AttrValue"
    FIELDS: ClassVar = {
        "list": Field(1, ListValue, oneof="value"),
        "s": Field(2, "bytes", oneof="value"),
        "i": Field(3, "int64", oneof="value"),
        "f": Field(4, "float", oneof="value"),
        "b": Field(5, "bool", oneof="value"),
        "type": Field(6, "int32", oneof="value", names=ENUMERATION),
        "shape": Field(7, TensorShapeProto, oneof="value"),
        "tensor": Field(8, TensorProto, oneof="value"),
        "placeholder": Field(9, "string", oneof="value"),
    }


class NodeDef(Message):
    """One op of a graph: its name, its type, what it reads, and its attributes."""

    __slots__ = ()
    FULL_NAME = "tensorflow.NodeDef"
    FIELDS: ClassVar = {
        "name": Field(1, "string"),
        "op": Field(2, "string"),
        "input": Field(3, "string", "list"),
        "device": Field(4, "string"),
        "attr": Field(5, AttrValue, "map"),
    }


class VersionDef(Message):
    """Which readers understand a graph."""

    __slots__ = ()
    FULL_NAME = "tensorflow.VersionDef"
    FIELDS: ClassVar = {"producer": Field(1, "int32"), "min_consumer": Field(2, "int32")}


class OpDef(Message):
    """The name of a function in the library of a graph."""

    __slots__ = ()
    FULL_NAME = "tensorflow.OpDef"
    FIELDS: ClassVar = {"name": Field(1, "string")}


class FunctionDef(Message):
    """A function in the library of a graph."""

    __slots__ = ()
    FULL_NAME = "tensorflow.FunctionDef"
    FIELDS: ClassVar = {"signature": Field(1, OpDef), "node_def": Field(3, NodeDef, "list")}


class FunctionDefLibrary(Message):
    """The functions that the nodes of a graph call by their names."""

    __slots__ = ()
    FULL_NAME = "tensorflow.FunctionDefLibrary"
    FIELDS: ClassVar = {"function": Field(1, FunctionDef, "list")}


class GraphDef(Message):
    """A graph: its ops, in the order in which they were called."""

    __slots__ = ()
    FULL_NAME = "tensorflow.GraphDef"
    FIELDS: ClassVar = {
        "node": Field(1, NodeDef, "list"),
        "library": Field(2, FunctionDefLibrary),
        "version": Field(3, "int32"),
        "versions": Field(4, VersionDef),
    }
