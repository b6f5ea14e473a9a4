"""Programs: what a function did to tensors without values, to be done again to tensors with values.

`Traced` calls a function once, in a graph. Each step that the graph noted can then run on real tensors,
without the function: Python's own side effects have happened, and the Python values that it read stay what
they were.
"""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.errors import OpError
from tapegrad.framework import calls
from tapegrad.framework.names import enter_graph
from tapegrad.framework.nest import CONTAINERS, LEAF, children_of, rebuilt
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec
from tapegrad.symbolic.graphs import FuncGraph, VariableReads
from tapegrad.symbolic.inference import Call
from tapegrad.symbolic.nests import (
    ARGUMENTS,
    NESTS,
    SymbolicObject,
    is_symbolic,
    substitute,
    symbolic_in,
)
from tapegrad.symbolic.specs import argument
from tapegrad.symbolic.tensors import NeedsValues, Source, SymbolicTensor
from tapegrad.symbolic.tracing import Trace

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Unfit(Exception):
    """A program cannot say what the function does. The message says why."""


class Step:
    """One call of a program.

    Attributes:
        function: what is called.
        sources: what the results stand for in the graph.
        acts: whether the step does something besides giving results.
        place: the file, line and name of the code that made the call.
    """

    __slots__ = ("acts", "args", "function", "kwargs", "place", "sources")

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        sources: list[Source],
        acts: bool,
    ) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.sources = sources
        self.acts = acts
        self.place = _place_of_caller()


def _place_of_caller() -> tuple[str, int, str] | None:
    """The innermost line that runs now and is not of this package."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return (
        None if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    )


class ProgramGraph(FuncGraph):
    """A graph that notes its steps."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.steps: list[Step] = []
        self.unfit: str | None = None
        self.given: set[Source] = set()  # what the arguments came from

    def note(self, call: Call) -> None:
        """Make ``call``, which could be computed, a step."""
        if call.acts and getattr(calls.current(), "parent", None) is not None:
            # Its draws have streams of their own, which the steps do not name.
            self.refuse("a function that it calls draws numbers, or has effects")
        self.steps.append(
            Step(call.function, _copied(call.args), _copied(call.kwargs), [call], call.acts)
        )

    def defer(
        self, function: Callable[..., Any], args: Any, kwargs: Any, results: list[Any]
    ) -> None:
        """Make a call a step that is not tried on dummies. ``results`` are its tensors without values."""
        sources = [result._source for result in results]
        self.steps.append(Step(function, _copied(args), _copied(kwargs), sources, True))

    def refuse(self, reason: str) -> None:
        """Say why there can be no program."""
        self.unfit = self.unfit or reason


def _copied(value: Any) -> Any:
    """A nest with containers of its own, which nobody changes, and functions whose names stay bound."""
    return CONTAINERS.map(_copied_function, value)


def _copied_function(value: Any) -> Any:
    if type(value) is not FunctionType or not value.__closure__:
        return value
    cells = tuple([_copied_cell(cell) for cell in value.__closure__])
    copy = FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, cells
    )
    copy.__kwdefaults__ = value.__kwdefaults__
    return copy


def _copied_cell(cell: CellType) -> CellType:
    try:
        return CellType(cell.cell_contents)
    except ValueError:  # it is empty
        return cell


class _Watch(VariableReads):
    """Sees what a function does apart from steps: it reads variables, draws, and has effects."""

    graph: ProgramGraph

    def value_read(self, tensor: EagerTensor, how: str) -> None:
        if self.graph.world is None and id(tensor) in self.graph.reads:
            self.graph.refuse("it reads the value of a variable")

    def observe(
        self, op: Any, inputs: list[Any], outputs: list[Any], attributes: tuple[Any, ...]
    ) -> None:
        graph, effect = self.graph, op.effect
        if effect is not None and effect.startswith("writes resource"):
            graph.refuse("it assigns a variable")
        elif graph.world is not None:
            if effect is not None and graph.inside is not None and not effect.startswith("reads"):
                graph.inside.acts = True
        elif effect is None:
            if any(id(tensor) in graph.reads for tensor in inputs):
                graph.refuse("it computes with variables alone")
        elif effect in ("draws", "calls"):
            graph.unsettled += 1
        elif effect == "reads resource" and outputs:
            self.note_reading(op, outputs[0], attributes)
        else:
            graph.refuse(f"{op.type} is called without the element")


class Traced:
    """What came of calling a function once on tensors without values.

    Attributes:
        result: what the function returned, made of such tensors.
        program: None if the function has to run for each element.
        reason: why there is no program.
    """

    def __init__(self, function: Callable[..., Any], leaves: list[Any], pack: Any) -> None:
        """Call the function.

        Args:
            function: called with ``*pack(arguments)``.
            leaves: the specs of its arguments, without their nests.
            pack: makes the arguments, in their nests, of the list of them.
        """
        graph = ProgramGraph(getattr(function, "__name__", "function"))
        self.program: Program | None = None
        self.reason: str | None = None
        with graph.as_default(), _Watch(graph):
            given = [argument(graph, leaf) for leaf in leaves]
            graph.given = {source for step in graph.steps for source in step.sources}
            graph.steps.clear()
            self.result = function(*pack(given))
        if graph.unsettled:
            graph.refuse("it draws numbers where the program does not see it")
        if graph.tapes or graph.has_tape:
            graph.refuse("it takes gradients")
        if not all(_is_of_tensors(leaf) for leaf in leaves):
            graph.refuse("an argument is no tensor")
        self.graph = graph
        self.given = given

    def make_program(self, results: list[Any]) -> None:
        """Make the program that gives ``results``, leaves of the result, if there can be one."""
        if self.graph.unfit is None:
            try:
                self.program = Program(self.graph, self.given, results)
            except Unfit as unfit:
                self.graph.refuse(str(unfit))
        self.reason = self.graph.unfit


def _is_of_tensors(spec: Any) -> bool:
    """Whether the leaf of a spec is a tensor, made of tensors, or None."""
    return (
        isinstance(spec, (TensorSpec, SparseTensorSpec))
        or hasattr(spec, "ragged_rank")
        or type(spec).__name__ == "NoneTensorSpec"
    )


class Values:
    """The world of one run of a program, in which tensors are what they are in this run."""

    __slots__ = ("places", "registers")

    def __init__(self, places: dict[tuple[Any, int], int], registers: list[Any]) -> None:
        self.places = places
        self.registers = registers

    def value_of(self, tensor: Any) -> Any:
        """What a tensor without values is in this run."""
        return self.registers[self.places[tensor._source, tensor._place]]


class Running(Trace):
    """The trace in which a step calls users' functions that hold tensors of the graph."""

    building_function = True

    def __init__(self, values: Any) -> None:
        super().__init__()
        self.world = values


# Makes a value of the registers.
Fill = Callable[[list[Any]], Any]


class Program:
    """The steps of a function, compiled: each register holds what one tensor of the graph is in a run."""

    def __init__(self, graph: ProgramGraph, given: list[Any], results: list[Any]) -> None:
        self.reads = graph.reads
        self.places: dict[tuple[Any, int], int] = {}
        self.given = [self._fed(leaf) for leaf in given]
        known = {source for source, _ in self.places}
        self.results = [self._filled(self._checked(leaf)) for leaf in results]
        self.steps = [self._compiled(step) for step in self._needed(graph, results, known)]
        self.size = len(self.places)
        self.acts = any(step.acts for step, *_ in self.steps)

    def _checked(self, leaf: Any) -> Any:
        """A leaf of the result, if a program can give such."""
        # The parts of a composite may be nests: those of an extension type are a tuple.
        if (kind := NESTS.kind_of(leaf)) != LEAF:
            for part in children_of(leaf, kind):
                self._checked(part)
        elif not (
            leaf is None
            or isinstance(leaf, (EagerTensor, SymbolicTensor))
            or (type(leaf) is SymbolicObject and hasattr(leaf._kind, "ragged_rank"))
        ):
            raise Unfit(f"it returns a {type(leaf).__name__}")
        return leaf

    def _place(self, source: Any, number: int) -> int:
        return self.places.setdefault((source, number), len(self.places))

    def _fed(self, leaf: Any) -> list[tuple[int, int]]:
        """Where the parts of an argument go: pairs of the part's number and a register."""
        return [
            (i, self._place(part._source, part._place))
            for i, part in enumerate(NESTS.flatten(leaf))
            if is_symbolic(part)
        ]

    def _needed(self, graph: ProgramGraph, results: list[Any], known: set[Any]) -> list[Step]:
        """The steps that act, and those of which something is used."""
        wanted = _sources(results)
        needed: list[Step] = []
        for step in reversed(graph.steps):
            if step.acts or any(source in wanted for source in step.sources):
                needed.append(step)
                wanted |= _sources((step.args, step.kwargs))
                for source in step.sources:
                    wanted |= _sources(list(_captured(source)))
        made = {source for step in needed for source in step.sources}
        if wanted - made - known:
            raise Unfit("it uses a tensor that no step makes")
        return needed[::-1]

    def _compiled(self, step: Step) -> Any:
        args = [self._filled(value) for value in step.args]
        kwargs = {key: self._filled(value) for key, value in step.kwargs.items()}
        source = step.sources[0] if len(step.sources) == 1 else None
        captured = _captured(source)
        for tensor in captured:
            self._place(tensor._source, tensor._place)
        if isinstance(source, Call):
            places = [self._place(source, i) for i in range(source.count)]
        else:
            places = [self._place(each, 0) for each in step.sources]
        return step, args, kwargs, places, bool(captured)

    def _filled(self, value: Any) -> tuple[Any, int, Fill | None]:
        """How to get a value: it is (value, -1, None), a register (None, number, None), or a function's."""
        if is_symbolic(value):
            return None, self._place(value._source, value._place), None
        if type(value) is EagerTensor and id(value) in self.reads:
            variable = self.reads[id(value)][0]
            return None, -1, lambda registers: variable.read_value()
        kind = ARGUMENTS.kind_of(value)
        if kind == LEAF:
            return value, -1, None
        parts = [self._filled(part) for part in children_of(value, kind)]
        if all(_is_fixed(part) for part in parts):
            return value, -1, None
        return (
            None,
            -1,
            lambda registers: rebuilt(value, kind, [_get(part, registers) for part in parts]),
        )

    def run(self, leaves: list[Any]) -> list[Any]:
        """The leaves of the result for the leaves of the arguments."""
        registers: list[Any] = [None] * self.size
        for leaf, places in zip(leaves, self.given, strict=True):
            if type(leaf) is EagerTensor:
                registers[places[0][1]] = leaf
            elif places:
                parts = NESTS.flatten(leaf)
                for number, place in places:
                    registers[place] = parts[number]
        for step, args, kwargs, places, captures in self.steps:
            values = [
                registers[place] if place >= 0 else fixed if fill is None else fill(registers)
                for fixed, place, fill in args
            ]
            named = (
                {key: _get(value, registers) for key, value in kwargs.items()} if kwargs else kwargs
            )
            try:
                if captures:
                    result = self._call_inside(step.function, values, named, registers)
                else:
                    result = step.function(*values, **named)
            except Exception as error:
                raise _at(error, step.place)  # noqa: B904 - it is the same error, with its own cause
            if type(result) is EagerTensor:
                registers[places[0]] = result
            elif places:
                for place, leaf in zip(places, NESTS.flatten(result), strict=True):
                    registers[place] = leaf
        return [
            registers[place] if place >= 0 else fixed if fill is None else fill(registers)
            for fixed, place, fill in self.results
        ]

    def _call_inside(
        self, function: Callable[..., Any], args: Any, kwargs: Any, registers: list[Any]
    ) -> Any:
        """What a function gives that may hold tensors of the graph, as the branches of a `tf.cond` do."""
        world: Any = Values(self.places, registers)
        before = enter_graph(Running(world))
        core.open_trace(1)
        try:
            return substitute(function(*args, **kwargs), world)
        finally:
            core.open_trace(-1)
            enter_graph(before)


def _captured(source: Any) -> list[Any]:
    """The tensors that the function of a call used by itself."""
    return list(source.captured.values()) if isinstance(source, Call) else []


def _is_fixed(filled: tuple[Any, int, Fill | None]) -> bool:
    return filled[1] < 0 and filled[2] is None


def _get(filled: tuple[Any, int, Fill | None], registers: list[Any]) -> Any:
    fixed, place, fill = filled
    return registers[place] if place >= 0 else fixed if fill is None else fill(registers)


def _sources(value: Any) -> set[Any]:
    """What the tensors without values in a nest come from."""
    return {leaf._source for leaf in symbolic_in(value)}


def _at(error: Exception, place: tuple[str, int, str] | None) -> Exception:
    """``error``, whose traceback also shows the line of the function that asked for the step."""
    if place is None:
        return error
    filename, line, name = place
    code = compile("\n" * (line - 1) + "raise held.pop()", filename, "exec").replace(co_name=name)
    # No frame may hold the error, which holds the frames: an iterator would stay with them.
    held = [error]
    del error
    try:
        exec(code, {"held": held})
    except Exception as raised:
        raised.__traceback__ = (raised.__traceback__ and raised.__traceback__.tb_next) or None
        return raised
    raise AssertionError("raise held.pop() raises")


# What a function does by itself at the place where it raises: all but calls and operators.
_OWN = frozenset(["RAISE_VARARGS", "RERAISE"])
_NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF", "LOAD_ATTR", "LOAD_METHOD")


def is_own_error(error: BaseException, caller: CodeType) -> bool:
    """Whether a function that was called without values is wrong with values too.

    It is, if its own code raises, if it does not take the arguments, and if dtypes or shapes that are known
    do not fit. It may not be, if an op raised, or if it asked for values or for an unknown size.

    Args:
        error: what the function raised.
        caller: the code that called the function.
    """
    if getattr(error, "is_certain", False):
        return True
    if isinstance(error, (NeedsValues, OpError)) or error.__cause__ or error.__context__:
        return False
    if isinstance(error, AttributeError) and type(error.obj) is SymbolicTensor:
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    if code is caller:
        return isinstance(error, TypeError)
    if code.co_filename.startswith(_PACKAGE) or code.co_filename.endswith(".pyx"):
        return False
    # Frames of this package may be hidden, so what the last line does tells who raised.
    does = dis.opname[code.co_code[trace.tb_lasti]]
    return does in _OWN or does.startswith(_NAMES)


__all__ = ["Program", "Traced", "is_own_error"]
