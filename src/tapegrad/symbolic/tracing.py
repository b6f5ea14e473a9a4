"""A trace: what is known of the tensors of one function, or of one graph, and of the calls that gave them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapegrad.autodiff.graphs import gradients_before
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.dtypes import DType, as_dtype
from tapegrad.framework.names import current_scope
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.shape.casts import cast
from tapegrad.symbolic.inference import Call
from tapegrad.symbolic.nests import ARGUMENTS, NESTS, current, substitute
from tapegrad.symbolic.operations import Operation
from tapegrad.symbolic.tensors import NeedsNumber, NeedsValues, SymbolicTensor, shape_in_graphs
from tapegrad.symbolic.worlds import ABSTRACT, WITHOUT_ELEMENTS, Unknown, World, pairs

# How many questions of Python's are answered both ways, and how many paths that makes at most.
MOST_QUESTIONS = 6
MOST_PATHS = 24


class Trace(Printed):
    """What is known of the tensors of one function, or of one graph."""

    def __init__(self) -> None:
        self.unknowns: list[Unknown] = []
        self.names: dict[str, int] = {}
        self.operations: list[Operation] = []
        # What tensors without values answer when Python asks whether they are true; None to refuse.
        self.answers: list[bool] | None = None
        self.asked = 0
        # Of what has its value at once, in a block of a graph.
        self.tape: GradientTape | None = None
        self.tapes = 0  # how many calls of `tf.gradients` there were
        self.depth = 0  # how many calls run one within the other
        self.evaluations = 0  # how often a function was called in a world
        self.world: World | None = None  # the world that runs now
        self.inside: Call | None = None  # the call whose function runs now
        self.inner = False  # whether a public function runs as it stands, with all that it calls
        self.has_tape = False
        # Sizes that calls were found to need, by trying, or that unknown sizes may have to be equal to.
        self.sizes_found: set[int] = set()
        self.unsettled = 0  # how many draws and the like there were outside of all calls
        # The variable whose assignment comes before what is made now
        self.assigning: str | None = None

    def _printed_state(self) -> str:
        return f"{len(self.operations)} operations"

    def note(self, call: Call) -> None:
        """``call`` could be computed, and its results are about to be used."""

    def variable_made(self, variable: Any) -> None:
        """A variable was made in this trace. Graphs that sessions run put it into collections."""

    def assigned(self, variable: Any) -> Any:
        """What stands for a variable after an assignment, in a graph that sessions run; else None."""

    def after(self, inputs: Any) -> AbstractContextManager[None]:
        """The context of `tf.control_dependencies`."""
        return nullcontext()

    def refuse(self, reason: str) -> None:
        """What happens now is done by no call, so a program could not do it again."""

    def defer(
        self, function: Callable[..., Any], args: Any, kwargs: Any, results: list[Any]
    ) -> None:
        """A call whose function does not run on dummies is to be made in each run, giving ``results``."""

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """``name``, or ``name_1`` and so on where the trace has had it before, in whichever case."""
        key = base = name.lower()
        count = self.names.get(key, 0)
        if mark_as_used:
            self.names[key] = count + 1
        if not count:
            return name
        while key in self.names:
            key = f"{base}_{count}"
            count += 1
        if mark_as_used:
            self.names[key] = 1
        return f"{name}_{count - 1}"

    def unique_scope(self, path: str) -> str:
        """The path of a name scope that is entered. What runs on dummies, or in a session, names nothing."""
        return self.unique_name(path) if self.world is None else path

    def choose(self) -> bool | None:
        """The answer to the next question whether a tensor without values is true; None if there is none."""
        if self.answers is None or self.asked > 100:
            return None
        self.asked += 1
        if self.asked > MOST_QUESTIONS:
            return self.asked % 2 == 0  # so that loops end, whichever answer ends them
        if self.asked > len(self.answers):
            self.answers.append(True)
        return self.answers[self.asked - 1]

    def paths(self, function: Callable[[], Any]) -> list[Any]:
        """What ``function`` gives for either answer, wherever it asks whether a tensor is true."""
        found: list[Any] = []
        error: Exception | None = None
        self.answers = []
        try:
            for _ in range(MOST_PATHS):
                self.asked = 0
                try:
                    found.append(function())
                except NeedsValues:
                    raise
                except Exception as failed:
                    if not self.answers:
                        raise
                    error = failed  # this branch only says what is wrong
                while self.answers and not self.answers[-1]:
                    self.answers.pop()
                if not self.answers:
                    break
                self.answers[-1] = False
            if not found and error is not None:
                raise error
            return found
        finally:
            self.answers = None
            del error  # else the error would hold this frame and the frame the error

    def tape_of(self, values: list[Any]) -> GradientTape | None:
        """The tape of the graph's block, if all of ``values`` were computed there at once."""
        return None if any(isinstance(value, SymbolicTensor) for value in values) else self.tape

    def gradients(
        self, ys: list[Any], xs: list[Any], grad_ys: Any, unconnected: Any, stops: list[Any]
    ) -> list[Any]:
        """What `tf.gradients` gives in this graph."""

        def derive(world: Any, tape: Any, targets: Any, sources: Any, *seeds: Any) -> list[Any]:
            stopped = substitute(stops, world)
            return gradients_before(
                tape, stopped, targets, sources, list(seeds) or None, unconnected
            )

        return list(self.derivatives(derive, ys, xs, tuple(grad_ys or ()), {}))

    def derivatives(
        self,
        derive: Callable[..., Any],
        ys: Any,
        xs: Any,
        args: Any,
        kwargs: Any,
        recorded: Callable[..., Any] | None = None,
    ) -> Any:
        """What ``derive(world, tape, ys, xs, *args, **kwargs)`` gives of the nests ``ys`` and ``xs``.

        What depends on ``xs`` is worked out once more, while the tape records. On abstract arrays it is what
        ``recorded(ys, xs, *args, **kwargs)`` gives, if that is there.
        """
        self.tapes += 1
        number = self.tapes
        sources = sorted(NESTS.flatten(xs), key=self._order)

        def derivatives(*args: Any, **kwargs: Any) -> Any:
            assert self.world is not None
            if recorded is not None:
                if self.world == ABSTRACT:
                    return recorded(*args, **kwargs)
                args = args[2:]
            world = self.world.with_tape(number)
            fixed: dict[int, Any] = {}
            with GradientTape(persistent=True) as tape:
                for x in sources:
                    # What an unknown tensor is, or what the tape records: a source may come of another one.
                    unknown = isinstance(x, SymbolicTensor) and isinstance(x._source, Unknown)
                    fixed[id(x)] = source = substitute(x, self.world if unknown else world)
                    tape.watch(source)
                    if isinstance(x, SymbolicTensor):
                        world.fix(x, source)
                targets = substitute(ys, world)
            found = NESTS.map(lambda x: fixed[id(x)], xs)
            return derive(world, tape, targets, found, *args, **kwargs)

        derivatives.__name__ = "gradients" if recorded is None else recorded.__name__
        # Where it was recorded, the call tries the worlds in which there are targets and sources.
        return self.call(derivatives, args if recorded is None else (ys, xs, *args), kwargs)

    def _order(self, source: Any) -> int:
        """The number of the operation that gives a source; those with values come first."""
        return self.operations.index(source.op) if isinstance(source, SymbolicTensor) else -1

    def operation(self, name: str, kind: str, read: Any = ()) -> Operation:
        """A new operation, which tensors say they come from."""
        operation = Operation(self.unique_name(current_scope() + name), kind, self, list(read))
        operation.assigns = operation.assigns or self.assigning
        self.operations.append(operation)
        return operation

    def unknown(self, shape: Any, dtype: DType, name: str, kind: str = "Placeholder") -> Any:
        """A new tensor of which no more is known than that."""
        shape = shape_in_graphs(shape)
        source = self.new_unknown(shape, dtype)
        operation = self.operation(name, kind)
        return SymbolicTensor(source, 0, dtype, shape, operation)

    def new_unknown(self, shape: TensorShape, dtype: DType) -> Unknown:
        """The source of such a tensor."""
        source = Unknown(shape, dtype, 100 * len(self.unknowns))
        self.unknowns.append(source)
        return source

    def renamed(self, tensor: Any, name: str) -> Any:
        """``tensor`` under another name, as a tensor without values."""
        operation = self.operation(name, name, [("input", tensor)])
        if isinstance(tensor, SymbolicTensor):
            source, place = tensor._source, tensor._place
        else:
            source, place = Constant(convert(tensor)), 0
        return SymbolicTensor(source, place, tensor.dtype, tensor.shape, operation)

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What ``function`` gives on abstract arrays, or as far as it is the same in two worlds."""
        if function is not read_as:
            args, kwargs = ARGUMENTS.replace(self._as_it_reads_now, (args, kwargs))
        call = Call(self, function, args, kwargs)
        worlds = call.fitting_worlds()
        self.sizes_found.update([size for world in call.worlds for _, size in world.fixed])
        if worlds == (ABSTRACT,):
            call.before_tapes = not self.has_tape
            self.sizes_found.update(call.sizes_beside_unknown_ones())
        result = call.results(worlds)
        if not self.has_tape:
            call.stand_in(result)
        self.note(call)
        return result

    def _as_it_reads_now(self, leaf: Any) -> Any:
        """A variable of Keras in mixed precision as a tensor of the dtype that it has in this block.

        The call may be repeated outside the block, where the variable reads as another dtype.
        """
        if isinstance(leaf, Tensor):
            return leaf
        if not isinstance(leaf, VariableBase) and not hasattr(leaf, "__tf_tensor__"):
            return leaf
        stored = getattr(leaf, "true_dtype", None) or getattr(leaf, "_dtype", None)
        if stored is None or as_dtype(stored) is as_dtype(leaf.dtype):
            return leaf
        return self.call(read_as, (leaf, as_dtype(leaf.dtype)), {})


def read_as(variable: Any, dtype: DType) -> Any:
    """The value of a variable, cast to the dtype that it had where it was used."""
    return cast(convert(variable), dtype)


class Constant:
    """A tensor that is the same in all worlds."""

    unknowns: tuple[Unknown, ...] = ()

    def __init__(self, tensor: EagerTensor) -> None:
        self.tensor = tensor

    def leaves(self, world: World) -> list[Any]:
        """The tensor, as the one result."""
        return [self.tensor]


def resolve(tensor: Any, how: str | None = None) -> Any:
    """``tensor`` in the world that runs now. Outside it is itself, and ``how`` says who asks for values."""
    if not isinstance(tensor, SymbolicTensor):
        raise TypeError(f"a {type(tensor).__name__} that no op has made has no value")
    trace = current()
    if trace is None:
        if how is None:
            return tensor
        raise TypeError(
            f"{tensor!r} is out of scope and cannot be used here: it was made in a graph or a function, "
            "and has no values."
        )
    if trace.world is not None:
        return tensor.in_world(trace.world)
    if how is None:
        return tensor
    raise NeedsNumber(f"{tensor!r} has no values yet, and is asked for them: {how}.")


def value_in_a_world(tensor: SymbolicTensor) -> Any:
    """``tensor`` in the world that runs now, or in one of its own: for questions that no value answers."""
    trace = current()
    if trace is None:
        return resolve(tensor, "which tapes watch it")
    if trace.world is not None:
        return tensor.in_world(trace.world)
    any_rank = any(unknown.shape.rank is None for unknown in trace.unknowns)
    first, _ = next(pairs(trace.unknowns, WITHOUT_ELEMENTS, any_rank))
    return tensor.in_world(first)
