"""What a graph holds, as the messages that `Graph.as_graph_def` gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tapegrad.core import EagerTensor, VariableBase, convert
from tapegrad.framework.shape import TensorShape
from tapegrad.io.graph_messages import AttrValue, GraphDef, NodeDef
from tapegrad.io.tensors import TensorShapeProto, make_tensor_proto
from tapegrad.releases import GRAPH_DEF_VERSION
from tapegrad.symbolic.tensors import SymbolicTensor

if TYPE_CHECKING:
    from tapegrad.symbolic.operations import Operation


def graph_def(operations: list[Operation]) -> GraphDef:
    """The operations, and a node for each constant that one of them reads."""
    graph = GraphDef()
    for operation in operations:
        for node in _nodes(operation):
            graph.node.append(node)
    graph.versions.producer = GRAPH_DEF_VERSION
    return graph


def node_def(operation: Operation) -> NodeDef:
    """The node of one operation."""
    *_, node = _nodes(operation)
    return node


def _nodes(operation: Operation) -> Iterator[NodeDef]:
    """Nodes for the constants that an operation reads, and its own."""
    node = NodeDef(name=operation.name, op=operation.type)
    for name, value in operation.read:
        if isinstance(value, SymbolicTensor):
            node.input.append(_said(value))
        elif isinstance(value, VariableBase):
            node.input.append(getattr(value, "name", name).partition(":")[0])
        else:
            constant = _constant(f"{operation.name}/{name}", value)
            if constant is not None:
                node.input.append(constant.name)
                yield constant
    results = operation.outputs
    if results and operation.type == "Placeholder":
        node.attr["dtype"].CopyFrom(_type(results[0].dtype))
        node.attr["shape"].CopyFrom(AttrValue(shape=_shape(results[0].shape)))
    elif results:
        node.attr["T"].CopyFrom(_type(_first_dtype(operation)))
    yield node


def _said(tensor: SymbolicTensor) -> str:
    """The name of an input: the first result of an op has the name of the op."""
    return tensor.name.removesuffix(":0")


def _shape(shape: TensorShape) -> TensorShapeProto:
    proto = TensorShapeProto(unknown_rank=True) if shape.rank is None else TensorShapeProto()
    for size in shape.as_list() if shape.rank else ():
        proto.dim.add(size=-1 if size is None else size)
    return proto


def _type(dtype: Any) -> AttrValue:
    return AttrValue(type=int(dtype.as_datatype_enum))


def _first_dtype(operation: Operation) -> Any:
    """The dtype of the first tensor that is read, else of the first result."""
    for _, value in operation.read:
        if isinstance(value, (SymbolicTensor, EagerTensor)):
            return value.dtype
    return operation.outputs[0].dtype


def _constant(name: str, value: Any) -> NodeDef | None:
    """A node that gives ``value``; None if it is no value of a tensor."""
    if not isinstance(
        value, (bool, int, float, complex, str, bytes, np.ndarray, np.generic, EagerTensor)
    ):
        return None
    tensor = convert(value)
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].CopyFrom(_type(tensor.dtype))
    node.attr["value"].CopyFrom(AttrValue(tensor=make_tensor_proto(tensor)))
    return node
