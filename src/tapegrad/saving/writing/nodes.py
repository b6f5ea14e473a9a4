"""`Nodes`: the nodes of a function that is written, each an op of TensorFlow's with its types.

The types follow from the inputs, as ``graphs/op_arguments.txt`` says. An input that is no tensor of the
function becomes a constant, or nodes that compute it from sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, convert
from tapegrad.dtypes import DType
from tapegrad.framework.shape import TensorShape
from tapegrad.io.graph_messages import AttrValue, NameAttrList
from tapegrad.io.tensors import TensorShapeProto, make_tensor_proto
from tapegrad.saving.graphs.messages import ArgDef, Attribute, Entry, Function, Node
from tapegrad.saving.graphs.op_arguments import Argument, Arguments, arguments_of
from tapegrad.saving.open_sizes import BuiltTensor, Expression
from tapegrad.saving.steps import CannotEncode

SIZES = dtypes.int64
"""The dtype in which sizes are computed."""


class Tensor(NamedTuple):
    """A tensor of the function: its name, its dtype, and its rank if that is known.

    ``place`` counts the results of its node.
    """

    name: str
    dtype: DType
    rank: int | None = None
    place: int = 0

    @property
    def name_in_graph(self) -> str:
        """Its name where the function has become a graph, in which results have numbers alone."""
        return f"{self.name.partition(':')[0]}:{self.place}"


class FunctionName(str):
    """The name of a function in the library, as the value of an attribute."""

    __slots__ = ()


class Nodes:
    """The nodes of one function.

    Args:
        name: the name of the function.
        size_of: gives the tensor of a leaf of a formula: a size or a value of a slot.
        in_graph: whether they are the nodes of a graph, where tensors have other names.
    """

    def __init__(
        self, name: str, size_of: Callable[[Any], Tensor] | None = None, in_graph: bool = False
    ) -> None:
        self.name = name
        self.in_graph = in_graph
        self.message = Function()
        self.message.signature.name = name
        self._size_of = size_of
        self._names: dict[str, int] = {}
        self._known: dict[Any, Tensor] = {}  # constants and sizes that are there already
        self._kept: list[Any] = []  # objects whose ids are keys above

    # Arguments and results

    def argument(self, name: str, dtype: DType, rank: int | None = None) -> Tensor:
        """A new argument of the function."""
        name = self._new_name(name)
        self.message.signature.input_arg.append(ArgDef(name=name, type=int(dtype.as_datatype_enum)))
        return Tensor(name, dtype, rank)

    def result(self, name: str, tensor: Tensor) -> None:
        """Let the function give a tensor."""
        self.message.signature.output_arg.append(
            ArgDef(name=name, type=int(tensor.dtype.as_datatype_enum))
        )
        self.message.ret.append(Entry(key=name, value=tensor.name))

    def effect(self, node: str) -> None:
        """Let a node run whether a result needs it or not."""
        self.message.signature.control_output.append(node)
        self.message.control_ret.append(Entry(key=node, value=node))

    # Nodes

    def one(self, op: str, *inputs: Any, **attributes: Any) -> Tensor:
        """The only result of a new node."""
        [tensor] = self.all(op, *inputs, **attributes)
        return tensor

    def all(self, op: str, *inputs: Any, **attributes: Any) -> list[Tensor]:
        """The results of a new node.

        Args:
            op: its type.
            inputs: its inputs in order; a list where the op takes one.
            attributes: its attributes by the names they have in graphs. Types follow from the inputs.
        """
        return self.node(op, inputs, attributes)[1]

    def named(self, op: str, name: str, **attributes: Any) -> Tensor:
        """The only result of a new node without inputs, of this name if it is free."""
        [tensor] = self.node(op, [], attributes, name=name)[1]
        return tensor

    def node(
        self,
        op: str,
        inputs: Sequence[Any],
        attributes: dict[str, Any],
        after: Iterable[str] = (),
        name: str | None = None,
    ) -> tuple[str, list[Tensor]]:
        """The name and the results of a new node, which runs after other ones."""
        arguments = arguments_of(op)
        if arguments is None:
            raise CannotEncode(f"the op {op}, which TensorFlow does not have")
        values = dict(attributes)
        for argument, value in zip(arguments.inputs, inputs, strict=True):
            parts = value if argument.attribute is not None else [value]
            if any(attribute.name == argument.type for attribute in arguments.attributes):
                of_tensors = [part.dtype for part in parts if isinstance(part, Tensor)]
                if of_tensors:
                    values.setdefault(argument.type, of_tensors[0])
        tensors: list[Tensor] = []
        for argument, value in zip(arguments.inputs, inputs, strict=True):
            tensors += self._operands(op, arguments, argument, value, values)
        for attribute in arguments.attributes:
            if attribute.name not in values and attribute.kind == "type" and attribute.default:
                values[attribute.name] = dtypes.as_dtype(attribute.default)
        name = self._new_name(name or op)
        node = Node(name=name, op=op)
        node.input.extend([tensor.name for tensor in tensors] + [f"^{other}" for other in after])
        for attribute in arguments.attributes:
            if attribute.name in values:
                encoded = attribute_value(attribute.kind, values[attribute.name])
                node.attr.append(Attribute(key=attribute.name, value=encoded).SerializeToString())
            elif attribute.default is None:
                raise CannotEncode(f"{op} without its attribute {attribute.name}")
        self.message.node_def.append(node)
        return name, self._results(name, arguments, values)

    def _operands(
        self, op: str, arguments: Arguments, argument: Argument, value: Any, values: dict[str, Any]
    ) -> list[Tensor]:
        """The tensors of one input, whose types and number go into the attributes."""
        if argument.attribute is None:
            parts = [value]
        elif isinstance(value, (list, tuple)):
            parts = list(value)
        else:
            raise CannotEncode(f"one tensor where {op} takes a list")
        dtype = _dtype_named(argument.type, values)
        if dtype is None:
            dtype = next((part.dtype for part in parts if isinstance(part, Tensor)), None)
        if dtype is None and argument.type:
            defaults = [a.default for a in arguments.attributes if a.name == argument.type]
            dtype = dtypes.as_dtype(defaults[0]) if defaults and defaults[0] else None
        tensors = [self.operand(part, dtype if argument.type else None) for part in parts]
        if argument.type in _NUMBERS:
            # TensorFlow takes one dtype where this library takes several.
            tensors = [self.cast(tensor, dtypes.as_dtype(argument.type)) for tensor in tensors]
        is_attribute = any(a.name == argument.type for a in arguments.attributes)
        if is_attribute and argument.type not in values and tensors:
            values[argument.type] = tensors[0].dtype
        if argument.attribute is not None:
            counted = [tensor.dtype for tensor in tensors]
            values[argument.attribute] = len(tensors) if argument.type else counted
        return tensors

    def _results(self, name: str, arguments: Arguments, values: dict[str, Any]) -> list[Tensor]:
        tensors: list[Tensor] = []
        for output in arguments.outputs:
            dtype = _dtype_named(output.type, values)
            if output.attribute is None:
                kinds: list[Any] = [dtype]
            elif output.type:
                kinds = [dtype] * values[output.attribute]
            else:
                kinds = list(values[output.attribute])
            for place, kind in enumerate(kinds):
                assert kind is not None, f"{name} has a result {output.name} without a dtype"
                number = len(tensors)
                own = self._tensor_name(name, output.name, place, number)
                tensors.append(Tensor(own, kind, place=number))
        return tensors

    def _tensor_name(self, node: str, output: str, place: int, number: int) -> str:
        return f"{node}:{number}" if self.in_graph else f"{node}:{output}:{place}"

    def _new_name(self, stem: str) -> str:
        number = self._names.get(stem, 0)
        self._names[stem] = number + 1
        if not number:
            return stem
        return self._new_name(f"{stem}_{number}")

    # Operands

    def operand(self, value: Any, dtype: DType | None) -> Tensor:
        """A tensor for what an op takes: as it is, of sizes, or a constant of the dtype.

        Raises:
            CannotEncode: it is nothing that a tensor can hold.
        """
        if isinstance(value, Tensor):
            return value
        if isinstance(value, Expression):
            return self.cast(self.formula(value.formula), dtype or SIZES)
        if isinstance(value, BuiltTensor):
            return self._built(value)
        if isinstance(value, TensorShape):
            value = value.as_list()
        if isinstance(value, (list, tuple)) and holds_sizes(value):
            parts = [self.operand(part, dtype or SIZES) for part in value]
            return self.one("Pack", parts, axis=0)
        if isinstance(value, EagerTensor):
            value = value._array
            if value.dtype.hasobject:
                return self.constant(value)
        if isinstance(value, DType):
            raise CannotEncode("a dtype where TensorFlow takes a tensor")
        if value is None:
            raise CannotEncode("None where TensorFlow takes a tensor")
        if isinstance(value, np.ndarray):
            return self.constant(value if dtype is None else value.astype(dtype.numpy_dtype))
        empty = isinstance(value, (list, tuple)) and not value
        array = convert(value, dtypes.int32 if empty and dtype is None else dtype)
        return self.constant(array._array)

    def constant(self, array: Any, once: bool = True) -> Tensor:
        """A constant: the one that is there already, unless it is to be another one."""
        dtype = dtypes.from_numpy(array.dtype)
        key = (dtype, array.shape, array.tobytes()) if array.nbytes <= 256 else id(array)
        if dtype.numpy_dtype.hasobject:
            key = (dtype, array.shape, repr(array.tolist()))
        if key not in self._known or not once:
            name = self._new_name("Const")
            node = Node(name=name, op="Const")
            proto = make_tensor_proto(EagerTensor(array))
            for key_word, value in (
                ("dtype", type_value(dtype)),
                ("value", AttrValue(tensor=proto)),
            ):
                node.attr.append(Attribute(key=key_word, value=value).SerializeToString())
            self.message.node_def.append(node)
            own = self._tensor_name(name, "output", 0, 0)
            self._known[key] = Tensor(own, dtype, array.ndim)
            self._kept.append(array)
        return self._known[key]

    def cast(self, tensor: Tensor, dtype: DType) -> Tensor:
        """The tensor in a dtype."""
        return tensor if tensor.dtype is dtype else self.one("Cast", tensor, DstT=dtype)

    # Sizes

    def formula(self, formula: Any) -> Tensor:
        """A scalar that a formula of sizes gives."""
        if isinstance(formula, int):
            return self.constant(np.array(formula, SIZES.numpy_dtype))
        if isinstance(formula, float):
            return self.constant(np.array(formula))
        key = repr(formula)
        if key not in self._known:
            self._known[key] = self._computed(formula)
        return self._known[key]

    def _computed(self, formula: Any) -> Tensor:
        if formula[0] not in _OPERATORS:
            assert self._size_of is not None, "a function without sizes has a formula"
            return self._size_of(formula)
        operands = [self.formula(part) for part in formula[1:]]
        if formula[0] == "/" or any(operand.dtype is not SIZES for operand in operands):
            operands = [self.cast(operand, dtypes.float64) for operand in operands]
        return self.one(_OPERATORS[formula[0]], *operands)

    def size(self, tensor: Tensor, axis: int) -> Tensor:
        """How long an axis of a tensor is."""
        key = (tensor.name, axis)
        if key not in self._known:
            shape = self.one("Shape", tensor, out_type=SIZES)
            self._known[key] = self.element(shape, axis)
        return self._known[key]

    def element(self, vector: Tensor, place: int) -> Tensor:
        """One element of a vector."""
        return self.one("StridedSlice", vector, [place], [place + 1], [1], shrink_axis_mask=1)

    def axes(self, tensor: Tensor) -> Tensor:
        """All axes of a tensor."""
        if tensor.rank is not None:
            return self.operand(list(range(tensor.rank)), dtypes.int32)
        return self.one("Range", 0, self.one("Rank", tensor), 1)

    def _built(self, built: BuiltTensor) -> Tensor:
        dtype = dtypes.from_numpy(built.dtype)
        if built.how == "values":
            return self.cast(self.formula(built.value.formula), dtype)
        if built.how == "filled":
            content = np.asarray(built.value).astype(built.dtype)
            return self.one("Fill", self.operand(list(built.shape), SIZES), self.constant(content))
        if built.how == "numbers":
            flat = self.operand(list(built.value), SIZES)
            return self.cast(
                self.one("Reshape", flat, self.operand(list(built.shape), SIZES)), dtype
            )
        raise CannotEncode(f"a tensor made of sizes by {built.how}")


_OPERATORS = {
    "+": "AddV2",
    "*": "Mul",
    "//": "FloorDiv",
    "/": "RealDiv",
    "min": "Minimum",
    "max": "Maximum",
}


def holds_sizes(value: Any) -> bool:
    """Whether a number in a value follows from sizes or is a tensor."""
    if isinstance(value, (Expression, Tensor, BuiltTensor)):
        return True
    return isinstance(value, (list, tuple)) and any(map(holds_sizes, value))


def _dtype_named(name: str, values: dict[str, Any]) -> DType | None:
    """The dtype of an argument: a fixed one, or that of an attribute."""
    if name in values:
        return dtypes.as_dtype(values[name])
    return dtypes.as_dtype(name) if name in _FIXED else None


_NUMBERS = frozenset(["int32", "int64", "float32", "float64"])
_FIXED = frozenset(
    "bool complex64 complex128 float16 float32 float64 int8 int16 int32 int64 qint8 qint32 quint8 "
    "resource string uint8 uint16 uint32 uint64 variant bfloat16".split()
)


# Attributes


def type_value(dtype: DType) -> AttrValue:
    """A dtype as an attribute."""
    return AttrValue(type=int(dtype.as_datatype_enum))


def shape_proto(shape: Any) -> TensorShapeProto:
    """A shape as a message."""
    shape = TensorShape(shape)
    proto = TensorShapeProto(unknown_rank=True) if shape.rank is None else TensorShapeProto()
    for size in shape.as_list() if shape.rank else ():
        proto.dim.add(size=-1 if size is None else size)
    return proto


def attribute_value(kind: str, value: Any) -> AttrValue:
    """The message of an attribute.

    Raises:
        CannotEncode: it is of another kind, or follows from sizes.
    """
    if holds_sizes(value):
        raise CannotEncode("a size that is open, where TensorFlow takes a number")
    listed = kind.startswith("list(")
    if not listed and value is None:
        raise CannotEncode("None")
    try:
        if not listed:
            field, content = _plain(kind, value)
            return AttrValue(**{field: content})
        encoded = AttrValue()
        encoded.list.SetInParent()
        for part in value:
            field, content = _plain(kind[5:-1], part)
            getattr(encoded.list, field).append(content)
        return encoded
    except (TypeError, ValueError) as error:
        raise CannotEncode(f"{value!r}, which is no {kind} ({error})") from None


def _plain(kind: str, value: Any) -> tuple[str, Any]:
    match kind:
        case "type":
            return "type", int(dtypes.as_dtype(value).as_datatype_enum)
        case "bool":
            return "b", bool(value)
        case "int":
            return "i", int(value)
        case "float":
            return "f", float(value)
        case "string":
            return "s", value.encode() if isinstance(value, str) else bytes(value)
        case "shape":
            return "shape", shape_proto(value)
        case "tensor":
            return "tensor", make_tensor_proto(value)
        case "func":
            return "func", NameAttrList(name=value)
        case _:
            raise CannotEncode(f"an attribute of the kind {kind}")
