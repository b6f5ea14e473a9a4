"""Functions of a SavedModel as ONNX's graphs: `Translation` writes each node by the row of its op.

A node whose inputs are constants runs here, and its results are constants. A call is written as what the
function consists of. An `If` is one of ONNX's, unless one branch always raises: then the other one is written
alone. ONNX has no assertions: those of the program are left out. What must hold for the way that was recorded
is noted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, VariableBase, static_value
from tapegrad.saving.graphs.calls import named
from tapegrad.saving.graphs.functions import GraphFunction, Library
from tapegrad.saving.graphs.plans import Bound, FunctionName, Step
from tapegrad.saving.onnx import arrays, elements, layers, pictures
from tapegrad.saving.onnx.graph import Graph, NoWay, Value
from tapegrad.saving.onnx.messages import DTYPES
from tapegrad.saving.writing.functions import OTHER_WAY

OPS = {**elements.OPS, **arrays.OPS, **layers.OPS, **pictures.OPS}
CALLS = frozenset(["PartitionedCall", "StatefulPartitionedCall"])
BRANCHES = frozenset(["If", "StatelessIf"])
LOOPS = frozenset(["While", "StatelessWhile"])
SILENT = frozenset(["Assert", "NoOp", "PrintV2", "ControlTrigger"])
"""Ops that give nothing, and are left out."""
REASONS = {
    "Random": "random numbers: draw them outside, and take them as an argument",
    "Multinomial": "random numbers: draw them outside, and take them as an argument",
    "LookupTable": "a table: look up outside, and take the results as an argument",
    "FFT": "complex numbers",
}
"""A part of the names of ops -> why there is no row for them."""
LARGEST_FOLDED = 1 << 16  # bytes of a constant that is more than what it is computed from


class Translation:
    """Functions of a model as nodes of a graph.

    Args:
        library: the functions by name.

    Attributes:
        expected: what must hold for the ways that were recorded.
        missing: op -> its places and what ONNX lacks, of ops that cannot be written.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.expected: list[str] = []
        self.missing: dict[tuple[str, str], list[str]] = {}
        self._variables: dict[int, Value] = {}

    def run(self, to: Graph, function: GraphFunction, arguments: list[Any]) -> list[Any]:
        """Write the nodes of a function.

        Args:
            to: the graph that gets them.
            function: the function.
            arguments: values; for handles of variables and tables these objects.

        Returns:
            The results. None stands for one that cannot be computed.
        """
        plan = function.plan
        slots: list[Any] = [*arguments, *[None] * (plan.count - len(arguments))]
        for slot, tensor in plan.constants:
            slots[slot] = to.constant(static_value(tensor, "exporting"))
        for node in plan.missing.values():
            self._miss(node, "")
        for step in plan.steps:
            inputs = [
                [slots[slot] for slot in part] if isinstance(part, list) else slots[part]
                for part in step.inputs
            ]
            flat = [
                value for part in inputs for value in (part if isinstance(part, list) else [part])
            ]
            if step.node.op in SILENT:
                self._note(step, inputs)
                continue
            try:
                results = self._written(to, step, inputs, flat)
            except NoWay as error:
                self._miss(step.node, str(error))
                continue
            slots[step.first : step.first + step.results] = results[: step.results]
        return [slots[slot] for slot in plan.results]

    def _miss(self, node: Bound, reason: str) -> None:
        self.missing.setdefault((node.op, reason), []).append(node.where)

    def _note(self, step: Step, inputs: list[Any]) -> None:
        """Note what an assertion of the recording expects, unless it holds in any case."""
        if step.node.op != "Assert" or inputs[0] is None:
            return
        condition, parts = inputs
        if condition.array is None or not condition.array.all():
            self._expect([part.array for part in parts if part is not None])

    def _expect(self, parts: list[Any]) -> None:
        """Note what has to hold, if it is no assertion of the program."""
        strings = [part for part in parts if part is not None and part.dtype.hasobject]
        texts = [text for part in strings for text in part.ravel()]
        text = b" ".join(texts).decode(errors="replace")
        condition = text.removeprefix(OTHER_WAY).removeprefix(": not ").rstrip(".")
        if text.startswith(OTHER_WAY) and condition not in self.expected:
            self.expected.append(condition or "values take no other way than those recorded")

    def _written(self, to: Graph, step: Step, inputs: list[Any], flat: list[Any]) -> list[Any]:
        node = step.node
        unknown = [None] * step.results
        if node.op in CALLS:
            return self.run(to, self.library.function(named(node, "f")), inputs[0])
        lacks = any(value is None for value in flat)  # what it needs could not be written
        if lacks and node.op in BRANCHES | LOOPS:
            for name in node.attributes.values():
                if isinstance(name, FunctionName):  # for what cannot be written in there
                    self.run(Graph(to), self.library.function(name), inputs[-1])
            return unknown
        if node.op in BRANCHES:
            return self._branch(to, node, *inputs)
        if node.op in LOOPS:
            return self._loop(to, node, inputs[0])
        if node.op == "ReadVariableOp":
            return [self._variable(to, inputs[0])]
        if any(isinstance(value, VariableBase) for value in flat):
            raise NoWay("a variable that changes")
        row: Callable[..., Any] | None = OPS.get(node.op)
        if row is None:
            reasons = [reason for part, reason in REASONS.items() if part in node.op]
            raise NoWay(reasons[0] if reasons else "")
        if lacks:
            return unknown
        for value in flat:
            if value.dtype.name not in DTYPES:
                raise NoWay(f"numbers of {value.dtype.name}")
        if flat and all(value.array is not None for value in flat):
            folded = _folded(to, step, inputs, flat)
            if folded is not None:
                return folded
        results = row(to, node.attributes, *inputs)
        return results if isinstance(results, list) else [results]

    def _variable(self, to: Graph, variable: Any) -> Value:
        if not isinstance(variable, VariableBase):
            raise NoWay("a table")
        if id(variable) not in self._variables:
            name = str(getattr(variable, "name", "variable")).removesuffix(":0")
            array = np.array(static_value(variable._snapshot, "exporting"))
            self._variables[id(variable)] = to.constant(array, name)
        return self._variables[id(variable)]

    # Branches and loops

    def _branch(self, to: Graph, node: Bound, condition: Value, inputs: list[Any]) -> list[Any]:
        condition = _truth(to, condition)
        functions = [
            self.library.function(named(node, name)) for name in ("then_branch", "else_branch")
        ]
        if condition.array is not None:
            return self.run(to, functions[0 if condition.array.item() else 1], inputs)
        raising = [_always_raises(function) for function in functions]
        if any(raising):
            other = raising.index(False) if not all(raising) else 0
            for condition, parts in _assertions(functions[1 - other]):
                if condition is not None:
                    self._expect(
                        [static_value(part, "exporting") for part in parts if part is not None]
                    )
            return self.run(to, functions[other], inputs)
        graphs = [Graph(to), Graph(to)]
        results = [
            self.run(graph, function, inputs)
            for graph, function in zip(graphs, functions, strict=True)
        ]
        if any(value is None for own in results for value in own):
            return [None] * len(results[0])
        specs = [
            (one.dtype, _one_shape(one.shape, other.shape))
            for one, other in zip(*results, strict=True)
        ]
        messages = [
            graph.message(
                to.new_name(name),
                [
                    (to.new_name("result"), value, shape)
                    for value, (_, shape) in zip(own, specs, strict=True)
                ],
            )
            for graph, own, name in zip(graphs, results, ("then", "else"), strict=True)
        ]
        return to.node("If", [condition], specs, then_branch=messages[0], else_branch=messages[1])

    def _loop(self, to: Graph, node: Bound, values: list[Any]) -> list[Any]:
        """A `Loop`, whose body computes the next values and asks whether to go on.

        The condition is asked before the first round outside of the loop. What each round gives as it is,
        such as a limit or a variable, is no value of the loop.
        """
        condition = self.library.function(named(node, "cond"))
        body = self.library.function(named(node, "body"))
        kept = [result == place for place, result in enumerate(body.plan.results[: len(values)])]
        begin = _truth(to, self.run(to, condition, values)[0])
        inner = Graph(to)
        number = inner.input("round", dtypes.int64, ())
        going = inner.input("going_on", dtypes.bool, ())
        carried = [value for value, same in zip(values, kept, strict=True) if not same]
        own = iter([inner.input("state", value.dtype, _open(value.shape)) for value in carried])
        state = [value if same else next(own) for value, same in zip(values, kept, strict=True)]
        results = self.run(inner, body, state)
        again = self.run(inner, condition, results)[0]
        if again is None or any(value is None for value in results):
            return [None] * len(values)
        nexts = [value for value, same in zip(results, kept, strict=True) if not same]
        outputs = [(to.new_name("go_on"), _truth(inner, again), ())]
        outputs += [(to.new_name("next"), value, _open(value.shape)) for value in nexts]
        assert [number, going] == inner.inputs[:2]
        message = inner.message(to.new_name("body"), outputs)
        specs = [(value.dtype, _open(value.shape)) for value in carried]
        after = iter(to.node("Loop", [None, begin, *carried], specs, body=message) if specs else [])
        return [value if same else next(after) for value, same in zip(values, kept, strict=True)]


def _truth(to: Graph, value: Any) -> Value:
    """A condition as a boolean scalar."""
    if value is None:
        raise NoWay("a condition that cannot be computed")
    condition = to.cast(value, dtypes.bool)
    if condition.array is not None:
        return to.constant(condition.array.reshape(()))
    if condition.shape == ():
        return condition
    return to.op("Reshape", condition, to.constant(np.zeros([0], np.int64)))


def _open(shape: Any) -> Any:
    """A shape that changes in the rounds of a loop, of which the rank stays."""
    return None if shape is None else (None,) * len(shape)


def _one_shape(one: Any, other: Any) -> Any:
    """The shape of a result that may come from two branches."""
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple([size if size == same else None for size, same in zip(one, other, strict=True)])


def _assertions(function: GraphFunction) -> list[tuple[Any, list[Any]]]:
    """The conditions, where they are constants, and the messages of the assertions of a function."""
    constants = dict(function.plan.constants)
    return [
        (constants.get(step.inputs[0]), [constants.get(slot) for slot in step.inputs[1]])
        for step in function.plan.steps
        if step.node.op == "Assert"
    ]


def _always_raises(function: GraphFunction) -> bool:
    return any(
        condition is not None and not condition.numpy().all()
        for condition, _ in _assertions(function)
    )


def _folded(to: Graph, step: Step, inputs: list[Any], flat: list[Any]) -> list[Any] | None:
    """The results of a node of constants, which runs here; None if they are much larger."""
    if _size_of_result(flat) > LARGEST_FOLDED:
        return None
    tensors = [
        [EagerTensor(value.array) for value in part]
        if isinstance(part, list)
        else EagerTensor(part.array)
        for part in inputs
    ]
    results = [static_value(tensor, "exporting") for tensor in step.call(None, tensors)]
    before = sum(value.array.nbytes for value in flat)
    if sum(array.nbytes for array in results) > max(LARGEST_FOLDED, before):
        return None
    stem = flat[0].name if flat[0].array.nbytes > 64 else "constant"
    return [to.constant(array, stem) for array in results]


def _size_of_result(flat: list[Any]) -> int:
    """An upper bound for what a tensor of the sizes in a vector takes, in bytes."""
    sizes = [value.array for value in flat if value.array.dtype.kind in "iu" and value.rank == 1]
    return max([math.prod(map(int, array.tolist())) * 8 for array in sizes], default=0)
