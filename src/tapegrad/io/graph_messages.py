"""The messages of graphs: `GraphDef` and its parts, in the encoding that TensorFlow's tools read."""

from __future__ import annotations

from tapegrad.io.messages import Message, add_fields
from tapegrad.io.tensors import (  # the schemas name them
    ENUMERATION,  # noqa: F401
    TensorProto,  # noqa: F401
    TensorShapeProto,  # noqa: F401
)

PUBLIC = {"compat.v1": "AttrValue GraphDef NodeDef"}


class ListValue(Message):
    """A list of values of an attribute."""

    FULL_NAME = "tensorflow.AttrValue.ListValue"
    SCHEMA = """
        repeated bytes s = 2; repeated int64 i = 3; repeated float f = 4; repeated bool b = 5;
        repeated ENUMERATION type = 6; repeated TensorShapeProto shape = 7;
        repeated TensorProto tensor = 8;
    """


class AttrValue(Message):
    """The value of an attribute of an op.

    >>> tf.compat.v1.AttrValue(type=int(tf.float32.as_datatype_enum))
    type: DT_FLOAT
    """

    SCHEMA = """
        oneof value { ListValue list = 1; bytes s = 2; int64 i = 3; float f = 4; bool b = 5;
        ENUMERATION type = 6; TensorShapeProto shape = 7; TensorProto tensor = 8;
        string placeholder = 9; }
    """


class NameAttrList(Message):
    """A function by its name in the library, with attributes."""

    SCHEMA = "string name = 1; map<string, AttrValue> attr = 2;"


# A function among the attributes has attributes: these fields are added once its class is there.
add_fields(ListValue, "repeated NameAttrList func = 9;")
add_fields(AttrValue, "oneof value { NameAttrList func = 10; }")


class NodeDef(Message):
    """One op of a graph: its name, its type, what it reads, and its attributes."""

    SCHEMA = """
        string name = 1; string op = 2; repeated string input = 3; string device = 4;
        map<string, AttrValue> attr = 5;
    """


class VersionDef(Message):
    """Which readers understand a graph."""

    SCHEMA = "int32 producer = 1; int32 min_consumer = 2;"


class OpDef(Message):
    """The name of a function in the library of a graph."""

    SCHEMA = "string name = 1;"


class FunctionDef(Message):
    """A function in the library of a graph."""

    SCHEMA = "OpDef signature = 1; repeated NodeDef node_def = 3;"


class FunctionDefLibrary(Message):
    """The functions that the nodes of a graph call by their names."""

    SCHEMA = "repeated FunctionDef function = 1;"


class GraphDef(Message):
    """A graph: its ops, in the order in which they were called."""

    SCHEMA = """
        repeated NodeDef node = 1; FunctionDefLibrary library = 2; int32 version = 3;
        VersionDef versions = 4;
    """
