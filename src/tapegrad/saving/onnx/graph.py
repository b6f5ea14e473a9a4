"""`Graph`: nodes of ONNX's ops as they are emitted, and `Value`, a tensor among them.

A node is emitted by `Graph.op`, which

1. turns numbers and lists among the inputs into constants,
2. gives the constant that a node of known sizes comes to, and the result of an equal node if there is one,
3. lets transposes wait: an elementwise op on ``Transpose(x)`` becomes ``Transpose(op(x))``, and two
   transposes that meet become one or none. Nobody reads those that are left over.

`Graph.message` drops what no output needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.dtypes import DType
from tapegrad.saving.onnx import messages
from tapegrad.saving.onnx.shapes import known_elements, result_of

UNARY = frozenset(
    "Abs Acos Acosh Asin Asinh Atan Atanh Cast Ceil Clip Cos Cosh Elu Erf Exp Floor Identity "
    "IsInf IsNaN LeakyRelu Log Neg Not Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign "
    "Sqrt Tan Tanh".split()
)
BINARY = frozenset(
    "Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Or Pow Sub Where Xor".split()
)
CHANNELS_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
"""The rank -> the order in which the axes of images with channels first come if they are to be last."""
CHANNELS_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}
LARGEST_EQUAL = 1024  # bytes of a constant that is compared with others


class NoWay(Exception):
    """ONNX has no way to do what an op does."""


class Value:
    """A tensor of the graph.

    Args:
        name: its name.
        dtype: its dtype.
        shape: a number, a name or None for each axis; None if the rank is unknown.
        array: its elements, of a constant.
        sizes: its elements as far as they are known, of a small tensor of integers.
    """

    __slots__ = ("array", "dtype", "name", "shape", "sizes")

    def __init__(
        self, name: str, dtype: DType, shape: Any, array: Any = None, sizes: Any = None
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.array = array
        self.sizes = sizes

    @property
    def rank(self) -> int:
        """The number of axes.

        Raises:
            NoWay: it is unknown.
        """
        if self.shape is None:
            raise NoWay("an unknown rank")
        return len(self.shape)

    def constant(self, what: str) -> Any:
        """The elements, of what has to be a constant.

        Raises:
            NoWay: it is none.
        """
        if self.array is None:
            raise NoWay(f"{what} that is computed")
        return self.array


class Graph:
    """A graph, or the graph of a branch in another one.

    Args:
        outer: the graph around it.
    """

    def __init__(self, outer: Graph | None = None) -> None:
        self.outer = outer
        self.root: Graph = self if outer is None else outer.root
        self.nodes: list[messages.Node] = []
        self.inputs: list[Value] = []
        self.constants: dict[str, Value] = {}  # of the root, by name
        self._names: Counter[str] = Counter()
        self._equal: dict[Any, Value] = {}  # constants, of the root
        self._kept: list[Any] = []  # arrays whose ids are keys above
        self._results: dict[Any, Value] = {}  # of nodes that are there already
        self._turned: dict[str, tuple[Value, tuple[int, ...]]] = {}  # of transposes, their inputs

    # Inputs and constants

    def new_name(self, stem: str) -> str:
        """A name that no other tensor has."""
        names = self.root._names
        names[stem] += 1
        return stem if names[stem] == 1 else self.new_name(f"{stem}_{names[stem] - 1}")

    def input(self, name: str, dtype: DType, shape: Any) -> Value:
        """A new input."""
        value = Value(self.new_name(name), dtype, shape)
        self.inputs.append(value)
        return value

    def constant(self, array: Any, name: str = "constant", dtype: DType | None = None) -> Value:
        """A constant: the one that is there already, if one is equal."""
        array = np.asarray(array)
        if dtype is not None:
            array = array.astype(dtype.numpy_dtype)
        dtype = dtypes.from_numpy(array.dtype)
        root = self.root
        key: Any = (dtype, array.shape, array.tobytes())
        if array.nbytes > LARGEST_EQUAL or array.dtype.hasobject:
            key = id(array)
        if key not in root._equal:
            value = Value(root.new_name(name), dtype, array.shape, array)
            root._equal[key] = root.constants[value.name] = value
            root._kept.append(array)
        return root._equal[key]

    def like(self, number: Any, value: Value) -> Value:
        """A scalar constant of the dtype of a value."""
        return self.constant(np.array(number), dtype=value.dtype)

    # Nodes

    def op(self, type: str, *inputs: Any, **attributes: Any) -> Value:
        """The only result of a node.

        Args:
            type: the op.
            inputs: values; a number is a constant of the dtype of the first value, a list one of int64. None
                stands for an input that is left out.
            attributes: its attributes. None stands for one that is left out.
        """
        attributes = {name: own for name, own in attributes.items() if own is not None}
        values = self._operands(inputs)
        if type == "Transpose":
            return self.turn(values[0], attributes["perm"])
        waiting = self._with_transposes_after(type, values, attributes)
        if waiting is not None:
            return waiting
        sizes = known_elements(type, values, attributes)
        dtype, shape = result_of(type, values, attributes)
        if type == "Cast":
            dtype = _DTYPES[attributes["to"]]
        if sizes is not None and all(isinstance(size, int) for size in sizes.flat):
            return self.constant(sizes.astype(dtype.numpy_dtype))
        [result] = self.node(type, values, [(dtype, shape)], **attributes)
        result.sizes = sizes
        return result

    def node(
        self, type: str, inputs: Sequence[Any], results: list[tuple[DType, Any]], **attributes: Any
    ) -> list[Value]:
        """The results of a node, whose dtypes and shapes the caller knows."""
        attributes = {name: own for name, own in attributes.items() if own is not None}
        values = self._operands(inputs)
        key = (type, tuple([value and value.name for value in values]), repr(attributes))
        has_graphs = any(isinstance(own, messages.Graph) for own in attributes.values())
        if len(results) == 1 and not has_graphs:
            graph: Graph | None = self
            while graph is not None:
                if key in graph._results:
                    return [graph._results[key]]
                graph = graph.outer
        outputs = [Value(self.new_name(type), dtype, shape) for dtype, shape in results]
        message = messages.Node(op_type=type, name=outputs[0].name)
        message.input.extend(["" if value is None else value.name for value in values])
        while message.input and message.input[-1] == "":
            del message.input[-1]
        message.output.extend([value.name for value in outputs])
        for name, own in attributes.items():
            message.attribute.append(messages.attribute_of(name, own))
        self.nodes.append(message)
        if len(results) == 1 and not has_graphs:
            self._results[key] = outputs[0]
        return outputs

    def _operands(self, inputs: Sequence[Any]) -> list[Any]:
        first = next((value for value in inputs if isinstance(value, Value)), None)
        return [self._operand(value, first) for value in inputs]

    def _operand(self, value: Any, first: Value | None) -> Any:
        if value is None or isinstance(value, Value):
            return value
        if isinstance(value, (list, tuple)):
            return self.constant(np.array(value, np.int64))
        if isinstance(value, np.ndarray) or first is None:
            return self.constant(np.asarray(value))
        return self.like(value, first)

    # Transposes

    def turn(self, value: Value, perm: Sequence[int]) -> Value:
        """A value with its axes in another order."""
        perm = tuple([int(axis) % len(perm) for axis in perm])
        if value.name in self._turned:
            value, first = self._turned[value.name]
            perm = tuple([first[axis] for axis in perm])
        if perm == tuple(range(len(perm))):
            return value
        if value.array is not None:
            key = ("turned", value.name, perm)
            if key not in self.root._results:
                array = np.ascontiguousarray(value.array.transpose(perm))
                self.root._results[key] = self.constant(array, f"{value.name}_transposed")
            return self.root._results[key]
        shape = None if value.shape is None else tuple([value.shape[axis] for axis in perm])
        [result] = self.node("Transpose", [value], [(value.dtype, shape)], perm=list(perm))
        self._turned[result.name] = value, perm
        return result

    def before_transpose(self, value: Value) -> tuple[Value, tuple[int, ...]] | None:
        """The images with channels first of which a value is the transposed form, and the order of axes."""
        source = self._turned.get(value.name)
        if source is None or CHANNELS_LAST.get(len(source[1])) != source[1]:
            return None
        return source

    def _with_transposes_after(
        self, type: str, values: list[Any], attributes: dict[str, Any]
    ) -> Value | None:
        """The result of an op as a transposed one, if its inputs are transposed images."""
        if type not in UNARY and type not in BINARY and type != "Concat":
            return None
        sources = [self.before_transpose(value) for value in values if value is not None]
        perms = {source[1] for source in sources if source is not None}
        if len(perms) != 1 or None in values:
            return None
        [perm] = perms
        rank = len(perm)
        back = CHANNELS_FIRST[rank]
        moved = []
        for value, source in zip(values, sources, strict=True):
            if source is not None:
                moved.append(source[0])
            elif value.shape is None or len(value.shape) > rank or value.array is None:
                return None
            elif type in UNARY or value.array.ndim == 0:
                moved.append(value)
            elif type == "Concat":
                return None
            else:
                array = value.array.reshape((1,) * (rank - value.array.ndim) + value.array.shape)
                moved.append(self.turn(self.constant(array, value.name), back))
        if type == "Concat":
            attributes = {"axis": perm[attributes["axis"] % rank]}
        return self.turn(self.op(type, *moved, **attributes), perm)

    # Often used

    def cast(self, value: Value, dtype: DType) -> Value:
        """The value in a dtype."""
        if value.dtype is dtype:
            return value
        if value.array is not None and not value.array.dtype.hasobject:
            return self.constant(value.array.astype(dtype.numpy_dtype), value.name)
        for own in (value.dtype, dtype):
            if own.name not in messages.DTYPES:
                raise NoWay(f"numbers of {own.name}")
        return self.op("Cast", value, to=messages.DTYPES[dtype.name])

    def whole(self, value: Value) -> Value:
        """The value in int64."""
        return self.cast(value, dtypes.int64)

    def shape(self, value: Value) -> Value:
        """The shape, in int64: of a transposed value the sizes of what it comes from, in its order."""
        if value.name in self._turned:
            source, perm = self._turned[value.name]
            return self.op("Gather", self.shape(source), [*perm], axis=0)
        return self.op("Shape", value)

    def size(self, value: Value, axis: int) -> Value:
        """How long an axis is, as a vector of one element."""
        axis = axis % value.rank
        return self.op("Slice", self.shape(value), [axis], [axis + 1], [0], [1])

    def joined(self, *parts: Any) -> Value:
        """Vectors of int64 end to end. A number is a vector of one."""
        vectors = [[part] if isinstance(part, (int, np.integer)) else part for part in parts]
        vectors = [part for part in vectors if isinstance(part, Value) or part]
        if not vectors:
            return self.constant(np.zeros([0], np.int64))
        return self.op("Concat", *vectors, axis=0)

    def vector(self, value: Value) -> Value:
        """A vector of int64 of a scalar or a vector."""
        value = self.whole(value)
        return value if value.rank else self.op("Unsqueeze", value, [0])

    def reshape(self, value: Value, *sizes: Any) -> Value:
        """The value in another shape, of numbers and vectors of sizes.

        One unknown size becomes -1, so that the shape is a constant.
        """
        shape = self.joined(*sizes)
        if value.array is not None and shape.array is not None:
            return self.constant(value.array.reshape(shape.array), value.name)
        known = shape.sizes
        if shape.array is not None and value.shape == tuple(shape.array.tolist()):
            return value
        if known is not None:
            unknown = [place for place, size in enumerate(known) if not isinstance(size, int)]
            if len(unknown) == 1 and 0 not in known and -1 not in known:
                plain = [size if isinstance(size, int) else -1 for size in known]
                result = self.op("Reshape", value, plain)
                if result.shape is not None:
                    place = unknown[0]
                    own = result.shape[place] or known[place]
                    result.shape = (*result.shape[:place], own, *result.shape[place + 1 :])
                return result
        return self.op("Reshape", value, shape)

    def unsqueeze(self, value: Value, axes: Sequence[int]) -> Value:
        """The value with more axes of size 1."""
        if not axes:
            return value
        if value.array is not None:
            return self.constant(np.expand_dims(value.array, tuple(axes)), value.name)
        return self.op("Unsqueeze", value, [*axes])

    def squeeze(self, value: Value, axes: Sequence[int]) -> Value:
        """The value without these axes."""
        return self.op("Squeeze", value, [*axes]) if axes else value

    def where(self, condition: Value, value: Any, other: Any) -> Value:
        """Elements of one of two values."""
        first = value if isinstance(value, Value) else other
        parts = [
            part if isinstance(part, Value) else self.like(part, first) for part in (value, other)
        ]
        if first.dtype is dtypes.bool:  # which ONNX Runtime does not take
            chosen = self.op("And", condition, parts[0])
            return self.op("Or", chosen, self.op("And", self.op("Not", condition), parts[1]))
        return self.op("Where", condition, *parts)

    # The message

    def message(self, name: str, outputs: list[tuple[str, Value, Any]]) -> messages.Graph:
        """The message of the graph.

        Args:
            name: its name.
            outputs: the name of each output, its value, and the shape that is told.
        """
        own = {value.name for value in self.inputs}
        node_results = {result for node in self.nodes for result in node.output}
        renamed: dict[str, str] = {}
        for output, value, _ in outputs:
            own.add(output)
            if value.name in node_results and value.name not in renamed:
                renamed[value.name] = output
                continue
            node = messages.Node(
                op_type="Identity", name=output, input=[value.name], output=[output]
            )
            self.nodes.append(node)
        rename(self.nodes, renamed)
        used = {output for output, _, _ in outputs}
        kept = []
        for node in reversed(self.nodes):
            if used.intersection(node.output):
                kept.append(node)
                used |= reads_of(node)
        graph = messages.Graph(name=name)
        graph.node.extend(kept[::-1])
        for value in self.inputs:
            graph.input.append(messages.value_info(value.name, value.dtype, value.shape))
        for output, value, shape in outputs:
            graph.output.append(messages.value_info(output, value.dtype, shape))
        for constant, value in self.constants.items():
            if constant in used and constant not in own:
                graph.initializer.append(messages.tensor_of(constant, value.array, value.dtype))
        return graph


def rename(nodes: Any, names: dict[str, str]) -> None:
    """Give tensors other names, also in the graphs among the attributes of nodes."""
    for node in nodes:
        for tensors in (node.input, node.output):
            tensors[:] = [names.get(tensor, tensor) for tensor in tensors]
        for attribute in node.attribute:
            if attribute.type == 5:
                rename(attribute.g.node, names)


def reads_of(node: Any) -> set[str]:
    """The tensors that a node reads, also in the graphs among its attributes."""
    reads = set(node.input)
    for attribute in node.attribute:
        if attribute.type == 5:
            for inner in attribute.g.node:
                reads |= reads_of(inner)
    return reads


_DTYPES = {number: dtypes.as_dtype(name) for name, number in messages.DTYPES.items()}
