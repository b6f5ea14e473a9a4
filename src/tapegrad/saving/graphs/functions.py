"""The functions of a model, run node by node: `Library` has them by name, `GraphFunction` is one of them.

A node runs as a function of ours in `OPS`, as a call of another function of the model, or as the op of
`tf.raw_ops` that has its name, so that tapes and recordings see what they see of any program. What a function
needs is looked at as a whole before it runs for the first time: ops that are missing, functions that call
themselves, and files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from tapegrad import errors
from tapegrad.framework import nest
from tapegrad.lazy import find
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs import calls, lists, resources, substitutes
from tapegrad.saving.graphs.messages import Function, Node
from tapegrad.saving.graphs.messages import Library as Definitions
from tapegrad.saving.graphs.op_arguments import Argument, Arguments, arguments_of
from tapegrad.saving.graphs.plans import Bound, FunctionName, Plan, Step
from tapegrad.saving.graphs.reach import check_files

OPS = {**calls.OPS, **lists.OPS, **resources.OPS, **substitutes.OPS}
"""Type of an op -> what runs it: a function of the frame, the node, and the inputs."""

PYTHON = "PyFunc"
"""A part of the names of all ops that call Python."""
MOST_DEPTH = 200
MOST_SHOWN = 20

Call = Callable[[Any, list[Any]], tuple[Any, ...]]


class Frame:
    """One run of a function: the slots of its tensors, and the run that called it."""

    __slots__ = ("caller", "function", "slots")

    def __init__(self, function: GraphFunction, slots: list[Any], caller: Frame | None) -> None:
        self.function = function
        self.slots = slots
        self.caller = caller

    def call(self, name: str, inputs: list[Any]) -> list[Any]:
        """The results of another function of the model."""
        return self.function.library.function(name).run(inputs, self)

    def tensor(self, function: str, name: str) -> Any:
        """A tensor of this run or of one that called it, by the name of the function and of the tensor."""
        frame: Frame | None = self
        while frame is not None:
            if frame.function.name == function:
                return frame.slots[frame.function.plan.kept[name]]
            frame = frame.caller
        raise Damaged(f"{function} does not run, of which {name} is read")


class Library:
    """The functions of a model by name.

    Args:
        definitions: their messages.
    """

    def __init__(self, definitions: Definitions) -> None:
        self.functions: dict[str, GraphFunction] = {}
        for definition in definitions.function:
            function = GraphFunction.of(self, definition)
            self.functions[function.name] = function
        self.gradients = {
            entry.registered_op_type: entry.gradient_func
            for entry in definitions.registered_gradients
        }
        self.captured: dict[str, list[Any]] = {}
        """Gradient of a `tf.custom_gradient` -> what it captures: values, or tensors by function and name."""
        self.results: dict[str, Any] = {}
        """Gradient of a `tf.custom_gradient` -> its results with a spec for each, or None."""
        self.kept: dict[str, set[str]] = {}
        """Function -> the tensors in it that gradients read."""
        self.shared: dict[str, Any] = {}
        """The variables and tables of a graph of TensorFlow 1, by the names of their nodes."""
        self.nodes: Any = ()
        """The nodes of a graph of TensorFlow 1."""

    def function(self, name: str) -> GraphFunction:
        """The function of a name."""
        function = self.functions.get(name)
        if function is None:
            raise Damaged(f"there is no function {name}")
        return function

    def gradients_of(self, name: str, dys: list[Any], frame: Frame) -> list[Any]:
        """What the gradient of a `tf.custom_gradient` gives for the gradients at its results."""
        captured = [
            frame.tensor(*value) if isinstance(value, tuple) else value
            for value in self.captured.get(name, ())
        ]
        function = self.function(name)
        function.check()
        if len(dys) + len(captured) != len(function.arguments):
            raise Damaged(f"the gradient {name} takes {len(function.arguments)} tensors")
        flat = iter(function.run([*dys, *captured], frame))
        results = nest.flatten(self.results.get(name))
        return [None if spec is None else next(flat, None) for spec in results]


class GraphFunction:
    """A function of a model. It takes its arguments, and what it captures, as one list.

    Args:
        library: all functions of the model.
        name: its name.
        nodes: its nodes, of which it runs those that its results and effects need.
        arguments: the names of its arguments.
        results: the tensors that it gives.
        effects: the names of nodes that run whether a result needs them or not.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        nodes: Iterable[Node],
        arguments: list[str],
        results: list[str],
        effects: list[str],
    ) -> None:
        self.library = library
        self.name = name
        self.nodes = nodes
        self.arguments = arguments
        self.results = results
        self.effects = effects
        self.outputs: list[str] = []
        """The names of its results where it is called as an op."""
        self.lasts = False
        """Whether what its nodes make is there for the next run too, as in a graph of TensorFlow 1."""
        self._plan: Plan | None = None
        self._is_checked = False

    @classmethod
    def of(cls, library: Library, definition: Function) -> GraphFunction:
        """The function that a message defines."""
        signature = definition.signature
        returned = {entry.key: entry.value for entry in definition.ret}
        outputs = [output.name for output in signature.output_arg]
        missing = [name for name in outputs if name not in returned]
        if missing:
            raise Damaged(f"{signature.name} has a result {missing[0]} that no node gives")
        function = cls(
            library,
            signature.name,
            definition.node_def,
            [argument.name for argument in signature.input_arg],
            [returned[name] for name in outputs],
            [entry.value for entry in definition.control_ret],
        )
        function.outputs = outputs
        return function

    @property
    def plan(self) -> Plan:
        """Its nodes in order."""
        if self._plan is None:
            self._plan = Plan(
                self.name,
                by_name(self.nodes, self.name),
                self.arguments,
                self.results,
                self.effects,
                self.bind,
                self.library.kept.get(self.name, ()),
            )
        return self._plan

    def bind(self, node: Bound) -> tuple[Call | None, tuple[Argument, ...], tuple[Argument, ...]]:
        """What runs a node (None if its op is not here), and the inputs and outputs of its op."""
        named = arguments_of(node.op)
        if node.op in self.library.functions:
            return _called(self.library.functions[node.op])
        if node.op in OPS:
            own = named or Arguments((), ())
            return _own(node, OPS[node.op]), own.inputs, own.outputs
        raw = raw_op(node.op)
        if raw is None or named is None or PYTHON in node.op:
            return None, (), ()
        return _raw(node, raw, named), named.inputs, named.outputs

    def run(self, inputs: list[Any], caller: Frame | None = None) -> list[Any]:
        """The results for some inputs."""
        plan = self.plan
        if len(inputs) != len(self.arguments):
            raise Damaged(f"{self.name} takes {len(self.arguments)} tensors, {len(inputs)} came")
        slots: list[Any] = [*inputs, *[None] * (plan.count - len(inputs))]
        for slot, value in plan.constants:
            slots[slot] = value
        frame = Frame(self, slots, caller)
        for step in plan.steps:
            values = [
                [slots[slot] for slot in part] if isinstance(part, list) else slots[part]
                for part in step.inputs
            ]
            if plan.has_sides and step.node.op != "Merge" and _is_dead(step, slots, values):
                slots[step.first : step.first + step.results] = [calls.DEAD] * step.results
                continue
            try:
                results = step.call(frame, values)
                if len(results) != step.results:
                    raise Damaged(
                        f"{step.node.op} gives {len(results)} tensors, not {step.results}"
                    )
            except Exception as error:
                error.add_note(f"This is the node {step.node.where}, of type {step.node.op}.")
                raise
            slots[step.first : step.first + step.results] = results
            for slot in step.released:
                slots[slot] = None
        return [slots[slot] for slot in plan.results]

    def callees(self, node: Bound) -> list[str]:
        """The names of the functions that a node calls."""
        return [*functions_of(node, self.library)]

    def check(self, names: Iterable[int] = ()) -> None:
        """Look at all that the function needs, before it runs for the first time.

        Args:
            names: the places of arguments whose strings may name files.

        Raises:
            UnimplementedError: ops are missing; the message lists all of them.
            InvalidArgumentError: it reads a file that the user does not name, or writes one.
            Damaged: it is no function.
        """
        if self._is_checked:
            return
        unknown: dict[str, list[str]] = {}
        done: set[str] = set()
        path: list[str] = []

        def visit(function: GraphFunction) -> None:
            if function.name in path or len(path) > MOST_DEPTH:
                raise Damaged(f"the function {function.name} calls itself")
            if function.name in done:
                return
            path.append(function.name)
            for node in function.plan.missing.values():
                unknown.setdefault(node.op, []).append(node.where)
            for step in function.plan.steps:
                for name in functions_of(step.node, function.library):
                    visit(function.library.function(name))
            done.add(path.pop())

        visit(self)
        if unknown:
            _refuse_ops(self.name, unknown)
        check_files(self, set(names))
        self._is_checked = True


def _is_dead(step: Step, slots: list[Any], values: list[Any]) -> bool:
    """Whether a node is on the side of a `Switch` that is not taken."""
    flat = [value for part in values for value in (part if isinstance(part, list) else [part])]
    flat += [slots[slot] for slot in step.controls]
    return any(value is calls.DEAD for value in flat)


def by_name(nodes: Iterable[Node], inside: str) -> dict[str, Node]:
    """The nodes of a function by name."""
    named: dict[str, Node] = {}
    for node in nodes:
        if node.name in named:
            raise Damaged(f"{inside} has two nodes {node.name}")
        named[node.name] = node
    return named


def functions_of(node: Bound, library: Library) -> Iterator[str]:
    """The names of the functions that a node calls."""
    if node.op in library.functions:
        yield node.op
    for value in node.attributes.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, FunctionName):
                yield part


def raw_op(op: str) -> Any:
    """The op of `tf.raw_ops` with TensorFlow's name ``op``; None if there is none, or it is private."""
    if not op.isidentifier() or op.startswith("_"):
        return None
    return getattr(find("raw_ops"), op, None)


def _raw(node: Bound, raw: Any, named: Arguments) -> Call:
    accepted = raw.__signature__.parameters
    other_names = {attribute.name: attribute.public for attribute in named.attributes}
    attributes = {
        other_names.get(name, name): value
        for name, value in node.attributes.items()
        if other_names.get(name, name) in accepted
    }
    names = [argument.name for argument in named.inputs]
    outputs = named.outputs
    single = len(outputs) == 1

    def call(frame: Frame, inputs: list[Any]) -> tuple[Any, ...]:
        result = raw(**dict(zip(names, inputs, strict=True)), **attributes)
        if single:
            return (result,) if outputs[0].attribute is None else tuple(result)
        flat: list[Any] = []
        for output, part in zip(outputs, result or (), strict=True):
            flat.extend([part] if output.attribute is None else part)
        return tuple(flat)

    return call


def _own(node: Bound, function: Callable[..., Any]) -> Call:
    def call(frame: Frame, inputs: list[Any]) -> tuple[Any, ...]:
        result = function(frame, node, *inputs)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)

    return call


def _called(function: GraphFunction) -> tuple[Call, tuple[Argument, ...], tuple[Argument, ...]]:
    """A node whose type is the name of a function of the model."""

    def call(frame: Frame, inputs: list[Any]) -> tuple[Any, ...]:
        return tuple(function.run(inputs, frame))

    outputs = tuple([Argument(output) for output in function.outputs])
    return call, tuple([Argument(name) for name in function.arguments]), outputs


def _refuse_ops(function: str, unknown: dict[str, list[str]]) -> NoReturn:
    lines = []
    for op, places in sorted(unknown.items()):
        more = f", and {len(places) - MOST_SHOWN} more" if len(places) > MOST_SHOWN else ""
        what = " (Python code, which no model runs here)" if PYTHON in op else ""
        lines.append(f"  {op}{what}: {', '.join(places[:MOST_SHOWN])}{more}")
    listed = "\n".join(lines)
    errors.refuse(
        f"The saved function {function} needs ops that tapegrad does not have:\n{listed}",
        error=errors.UnimplementedError,
    )
