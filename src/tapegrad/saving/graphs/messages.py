"""The messages of a SavedModel, as far as they are read or written.

Attributes of nodes stay bytes until a function is called: most functions of a model never are.
"""

from __future__ import annotations

from tapegrad.io.graph_messages import AttrValue, VersionDef  # noqa: F401 -- the schemas name them
from tapegrad.io.messages import Message, add_fields
from tapegrad.io.tensors import (  # the schemas name them
    ENUMERATION,  # noqa: F401
    TensorProto,  # noqa: F401
    TensorShapeProto,  # noqa: F401
)


class Entry(Message):
    """An entry of a map from strings to strings."""

    SCHEMA = "string key = 1; string value = 2;"


class Attribute(Message):
    """An entry of the map of a node's attributes."""

    FULL_NAME = "tensorflow.NodeDef.AttrEntry"
    SCHEMA = "string key = 1; AttrValue value = 2;"


class Node(Message):
    """A `NodeDef` whose attributes, `Attribute` messages, are not decoded yet."""

    FULL_NAME = "tensorflow.NodeDef"
    SCHEMA = "string name = 1; string op = 2; repeated string input = 3; repeated bytes attr = 5;"


class ArgDef(Message):
    """An input or output of a function."""

    FULL_NAME = "tensorflow.OpDef.ArgDef"
    SCHEMA = "string name = 1; ENUMERATION type = 3;"


class Signature(Message):
    """The name of a function, its inputs and outputs, and the names of nodes that run in any case."""

    FULL_NAME = "tensorflow.OpDef"
    SCHEMA = """
        string name = 1; repeated ArgDef input_arg = 2; repeated ArgDef output_arg = 3;
        repeated string control_output = 20;
    """


class Function(Message):
    """A `FunctionDef`: nodes, and which of their outputs are the results."""

    FULL_NAME = "tensorflow.FunctionDef"
    SCHEMA = """
        Signature signature = 1; repeated Node node_def = 3; repeated Entry ret = 4;
        map<string, AttrValue> attr = 5; repeated Entry control_ret = 6;
    """


class RegisteredGradient(Message):
    """The function that is the gradient of a `tf.custom_gradient`."""

    SCHEMA = "string gradient_func = 1; string registered_op_type = 2;"


class Library(Message):
    """The functions of a graph."""

    FULL_NAME = "tensorflow.FunctionDefLibrary"
    SCHEMA = "repeated Function function = 1; repeated RegisteredGradient registered_gradients = 3;"


class Graph(Message):
    """A `GraphDef` with nodes whose attributes are not decoded yet."""

    FULL_NAME = "tensorflow.GraphDef"
    SCHEMA = "repeated Node node = 1; Library library = 2; VersionDef versions = 4;"


class MetaInfo(Message):
    """What a graph is for, and which TensorFlow wrote it."""

    FULL_NAME = "tensorflow.MetaGraphDef.MetaInfoDef"
    SCHEMA = """
        repeated string tags = 4; string tensorflow_version = 5; string tensorflow_git_version = 6;
        bool stripped_default_attrs = 7; repeated Entry function_aliases = 8;
    """


class SaverDef(Message):
    """The nodes by which a graph reads its variables."""

    SCHEMA = """
        string filename_tensor_name = 1; string save_tensor_name = 2; string restore_op_name = 3;
        int32 version = 7;
    """


class TensorInfo(Message):
    """A tensor of a graph, by its name."""

    SCHEMA = "string name = 1; ENUMERATION dtype = 2; TensorShapeProto tensor_shape = 3;"


class SignatureDef(Message):
    """A signature: names of inputs and outputs, and their tensors in the graph."""

    SCHEMA = """
        map<string, TensorInfo> inputs = 1; map<string, TensorInfo> outputs = 2;
        string method_name = 3;
    """


class AssetFileDef(Message):
    """A file in ``assets/``, and the tensor that gets its path."""

    SCHEMA = "TensorInfo tensor_info = 1; string filename = 2;"


class NodeList(Message):
    """Names of nodes."""

    FULL_NAME = "tensorflow.CollectionDef.NodeList"
    SCHEMA = "repeated string value = 1;"


class BytesList(Message):
    """Messages as bytes."""

    FULL_NAME = "tensorflow.CollectionDef.BytesList"
    SCHEMA = "repeated bytes value = 1;"


class AnyMessage(Message):
    """A message as bytes, with its type."""

    FULL_NAME = "google.protobuf.Any"
    SCHEMA = "string type_url = 1; bytes value = 2;"


class AnyList(Message):
    """Messages of any type."""

    FULL_NAME = "tensorflow.CollectionDef.AnyList"
    SCHEMA = "repeated AnyMessage value = 1;"


class CollectionDef(Message):
    """A collection of a graph, such as its variables."""

    SCHEMA = "NodeList node_list = 1; BytesList bytes_list = 2; AnyList any_list = 5;"


class SaveSliceInfoDef(Message):
    """The tensor of a checkpoint of which a variable is a part, and which part."""

    SCHEMA = """
        string full_name = 1; repeated int64 full_shape = 2; repeated int64 var_offset = 3;
        repeated int64 var_shape = 4;
    """


class VariableDef(Message):
    """A variable in the collections of a graph."""

    SCHEMA = """
        string variable_name = 1; string initializer_name = 2; string snapshot_name = 3;
        SaveSliceInfoDef save_slice_info_def = 4; bool is_resource = 5; bool trainable = 7;
    """


# Nests of specs


class TensorSpecProto(Message):
    """A `tf.TensorSpec`."""

    SCHEMA = "string name = 1; TensorShapeProto shape = 2; ENUMERATION dtype = 3;"


class BoundedTensorSpecProto(Message):
    """A spec with limits."""

    SCHEMA = """
        string name = 1; TensorShapeProto shape = 2; ENUMERATION dtype = 3; TensorProto minimum = 4;
        TensorProto maximum = 5;
    """


class NoneValue(Message):
    """None."""

    SCHEMA = ""


class ListValue(Message):
    """A list."""

    SCHEMA = ""


class TupleValue(Message):
    """A tuple."""

    SCHEMA = ""


class DictValue(Message):
    """A dict."""

    SCHEMA = ""


class NamedTupleValue(Message):
    """A named tuple."""

    SCHEMA = "string name = 1;"


class TypeSpecProto(Message):
    """The spec of a composite: which class, and what its parts are."""

    SCHEMA = (
        "int32 type_spec_class = 1; string type_spec_class_name = 3; int32 num_flat_components = 4;"
    )


class StructuredValue(Message):
    """A nest of specs and Python values."""

    SCHEMA = """
        oneof kind { NoneValue none_value = 1; double float64_value = 11; sint64 int64_value = 12;
        string string_value = 13; bool bool_value = 14; TensorShapeProto tensor_shape_value = 31;
        ENUMERATION tensor_dtype_value = 32; TensorSpecProto tensor_spec_value = 33;
        TypeSpecProto type_spec_value = 34; BoundedTensorSpecProto bounded_tensor_spec_value = 35;
        ListValue list_value = 51; TupleValue tuple_value = 52; DictValue dict_value = 53;
        NamedTupleValue named_tuple_value = 54; TensorProto tensor_value = 55;
        TensorProto numpy_value = 56; }
    """


class PairValue(Message):
    """A field of a named tuple."""

    SCHEMA = "string key = 1; StructuredValue value = 2;"


# A nest holds nests: these fields are added once the class is there.
add_fields(ListValue, "repeated StructuredValue values = 1;")
add_fields(TupleValue, "repeated StructuredValue values = 1;")
add_fields(DictValue, "map<string, StructuredValue> fields = 1;")
add_fields(NamedTupleValue, "repeated PairValue values = 2;")
add_fields(TypeSpecProto, "StructuredValue type_state = 2;")


# Objects


class ObjectReference(Message):
    """A part of an object: its number, and its name."""

    FULL_NAME = "tensorflow.TrackableObjectGraph.TrackableObject.ObjectReference"
    SCHEMA = "int32 node_id = 1; string local_name = 2;"


class FunctionSpec(Message):
    """The parameters of a function."""

    SCHEMA = (
        "StructuredValue fullargspec = 1; bool is_method = 2; StructuredValue input_signature = 5;"
    )


class SavedUserObject(Message):
    """An object with parts."""

    SCHEMA = "string identifier = 1; VersionDef version = 2;"


class SavedAsset(Message):
    """A file of the model."""

    SCHEMA = "int32 asset_file_def_index = 1;"


class SavedFunction(Message):
    """A `tf.function`."""

    SCHEMA = "repeated string concrete_functions = 1; FunctionSpec function_spec = 2;"


class SavedVariable(Message):
    """A variable. Its value is in the checkpoint."""

    SCHEMA = """
        ENUMERATION dtype = 1; TensorShapeProto shape = 2; bool trainable = 3;
        int32 synchronization = 4; int32 aggregation = 5; string name = 6;
    """


class SavedBareConcreteFunction(Message):
    """A concrete function."""

    SCHEMA = """
        string concrete_function_name = 1; repeated string argument_keywords = 2;
        int64 allowed_positional_arguments = 3; FunctionSpec function_spec = 4;
    """


class SavedConstant(Message):
    """A constant, by the name of its node in the graph."""

    SCHEMA = "string operation = 1;"


class SavedResource(Message):
    """A table, or another resource, which functions among its parts make and fill."""

    SCHEMA = "string device = 1;"


class CapturedTensor(Message):
    """A tensor inside a function, which the gradient of a part of this function reads."""

    SCHEMA = "string name = 1; string concrete_function = 2;"


class SaveableObject(Message):
    """The numbers of the functions that give what a checkpoint has of an object, and that take it back."""

    SCHEMA = "int32 save_function = 2; int32 restore_function = 3;"


class SavedObject(Message):
    """An object of a model."""

    SCHEMA = """
        repeated ObjectReference children = 1;
        oneof kind { SavedUserObject user_object = 4; SavedAsset asset = 5; SavedFunction function = 6;
        SavedVariable variable = 7; SavedBareConcreteFunction bare_concrete_function = 8;
        SavedConstant constant = 9; SavedResource resource = 10; CapturedTensor captured_tensor = 12; }
        map<string, SaveableObject> saveable_objects = 11; string registered_name = 13;
    """


class SavedConcreteFunction(Message):
    """A function for one signature: what it captures, and the specs of its arguments and results."""

    SCHEMA = """
        repeated int32 bound_inputs = 2; StructuredValue canonicalized_input_signature = 3;
        StructuredValue output_signature = 4;
    """


class SavedObjectGraph(Message):
    """The objects of a model, and its concrete functions."""

    SCHEMA = """
        repeated SavedObject nodes = 1; map<string, SavedConcreteFunction> concrete_functions = 2;
    """


class MetaGraphDef(Message):
    """One graph of a model."""

    SCHEMA = """
        MetaInfo meta_info_def = 1; Graph graph_def = 2; SaverDef saver_def = 3;
        map<string, CollectionDef> collection_def = 4; map<string, SignatureDef> signature_def = 5;
        repeated AssetFileDef asset_file_def = 6; SavedObjectGraph object_graph_def = 7;
    """


class SavedModel(Message):
    """A model: its graphs, which have different tags."""

    SCHEMA = "int64 saved_model_schema_version = 1; repeated MetaGraphDef meta_graphs = 2;"


def text_of(node: Node, name: str) -> str:
    """An attribute of a node that is text; empty if it is not there."""
    for data in node.attr:
        entry = Attribute.FromString(data)
        if entry.key == name:
            return entry.value.s.decode(errors="replace")  # type: ignore[no-any-return]  # bytes
    return ""


def attributes_of(node: Node) -> dict[str, AttrValue]:
    """The attributes of a node, decoded.

    Raises:
        DecodeError: they are damaged.
    """
    entries = [Attribute.FromString(data) for data in node.attr]
    return {entry.key: entry.value for entry in entries}
