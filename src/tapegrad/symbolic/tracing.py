"""A trace: functions called in two worlds, one after the other, and what can be said of the result."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from tapegrad import errors
from tapegrad.autodiff.graphs import gradients_before
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import EagerTensor, Op, Tensor, VariableBase, callbacks, convert, no_recording
from tapegrad.core.abstract import Abstract
from tapegrad.dtypes import DType
from tapegrad.framework.names import current_graph, current_scope
from tapegrad.framework.nest import (
    COMPOSITE,
    ITEMS,
    LEAF,
    SLICE,
    Walker,
    children_of,
    container_kind,
)
from tapegrad.framework.shape import TensorShape, unknown_shape
from tapegrad.framework.spec import TypeSpec
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.casts import cast
from tapegrad.symbolic.inference import abstract_of, has_rule, results_of
from tapegrad.symbolic.operations import Operation
from tapegrad.symbolic.tensors import (
    NeedsNumber,
    NeedsSizes,
    NeedsValues,
    SymbolicTensor,
)
from tapegrad.symbolic.worlds import Unknown, World, Worlds, beside, dummy, fixed_worlds, pairs

# What may go wrong in one world and not in another: a size that does not fit, a value out of range.
_PASSING = (errors.OpError, ValueError, IndexError, ArithmeticError)


# What a call that is simply wrong may cost before it is given up.
MOST_EVALUATIONS = 2000
# How many questions of Python's are answered both ways, and how many paths that makes at most.
MOST_QUESTIONS = 6
MOST_PATHS = 24

# Functions and ops that give their first argument in a shape which the values of the second one decide.
BY_VALUES = {
    "transpose": ("a", "perm"),
    "Transpose": ("x", "perm"),
    "reshape": ("tensor", "shape"),
    "Reshape": ("tensor", "shape"),
    "broadcast_to": ("input", "shape"),
    "BroadcastTo": ("input", "shape"),
}


def current() -> Trace | None:
    """The trace of this thread that is open, and not left by `init_scope`."""
    return current_graph()  # type: ignore[no-any-return]


# The world that runs while a shape rule says what an op gives.
WITHOUT_VALUES = World(0, 0, 0, 0, 0)

# Stands for the result of a call that failed. The error itself would keep the frames that it came through,
# and with them whatever the caller holds: an iterator and its threads.
FAILED: Any = object()


class Trace:
    """What is known of the tensors of one function, or of one graph."""

    def __init__(self) -> None:
        self.unknowns: list[Unknown] = []
        self.names: dict[str, int] = {}
        self.operations: list[Operation] = []
        # What tensors without values answer when Python asks whether they are true; None to refuse.
        self.answers: list[bool] | None = None
        self.asked = 0
        self.tapes = 0  # how many calls of `tf.gradients` there were
        self.evaluations = 0  # how often a function was called in a world
        self.world: World | None = None  # the world that runs now
        self.inside: Call | None = None  # the call whose function runs now
        self.inner = False  # whether a public function runs as it stands, with all that it calls
        self.has_tape = False
        # Sizes that calls were found to need, by trying, or that unknown sizes may have to be equal to.
        self.sizes_found: set[int] = set()
        self.unsettled = 0  # how many draws and the like there were outside of all calls

    def note(self, call: Call) -> None:
        """``call`` could be computed, and its results are about to be used."""

    def variable_made(self, variable: Any) -> None:
        """A variable was made in this trace. Graphs that sessions run put it into collections."""

    def refuse(self, reason: str) -> None:
        """What happens now is done by no call, so a program could not do it again."""

    def defer(
        self, function: Callable[..., Any], args: Any, kwargs: Any, results: list[Any]
    ) -> None:
        """A call whose function does not run on dummies is to be made in each run, giving ``results``."""

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """``name``, or ``name_1`` and so on where the trace has had it before."""
        count = self.names.get(name, 0)
        if mark_as_used:
            self.names[name] = count + 1
        return self.unique_name(f"{name}_{count}", mark_as_used) if count else name

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
        self, derive: Callable[..., Any], ys: Any, xs: Any, args: Any, kwargs: Any
    ) -> Any:
        """What ``derive(world, tape, ys, xs, *args, **kwargs)`` gives of the nests ``ys`` and ``xs``.

        What depends on ``xs`` is worked out once more, while the tape records.
        """
        self.tapes += 1
        number = self.tapes
        sources = sorted(NESTS.flatten(xs), key=self._order)

        def derivatives(*args: Any, **kwargs: Any) -> Any:
            assert self.world is not None
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

        derivatives.__name__ = "gradients"
        return self.call(derivatives, args, kwargs)

    def _order(self, source: Any) -> int:
        """The number of the operation that gives a source; those with values come first."""
        return self.operations.index(source.op) if isinstance(source, SymbolicTensor) else -1

    def operation(self, name: str, kind: str, read: Any = ()) -> Operation:
        """A new operation, which tensors say they come from."""
        operation = Operation(self.unique_name(current_scope() + name), kind, self, list(read))
        self.operations.append(operation)
        return operation

    def unknown(self, shape: Any, dtype: DType, name: str, kind: str = "Placeholder") -> Any:
        """A new tensor of which no more is known than that."""
        shape = TensorShape(shape)
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
        """What ``function`` gives, as far as it is the same in two worlds."""
        call = Call(self, function, args, kwargs)
        inferred = self.inferred(call)
        if inferred is not None:
            return inferred
        error: Exception | None = None
        try:
            for worlds in _found_worlds((args, kwargs)):
                if all(call.works_in(world) for world in worlds):
                    return self.noted(call, worlds, searched=True)
            for worlds in pairs(call.unknowns):
                try:
                    call.result(worlds[0])
                    call.result(worlds[1])
                    more = [
                        world for world in beside(worlds[1], call.unknowns) if call.works_in(world)
                    ]
                    return self.noted(call, (*worlds, *more))
                except (NeedsValues, UnknownNumber):
                    raise
                except _PASSING as failed:
                    error = error or failed
            if _has_no_rows((args, kwargs)):
                # Nothing can be taken out of it, whatever is unknown; TensorFlow infers a shape all the same.
                filled = Call(self, function, args, kwargs, fills=True)
                for worlds in pairs(call.unknowns):
                    if all(filled.works_in(world) for world in worlds):
                        return self.noted(filled, worlds, searched=True)
            most = self.evaluations + MOST_EVALUATIONS
            known = _sizes((args, kwargs))
            for group in fixed_worlds(call.unknowns, known, call.solutions(known)):
                if self.evaluations > most:
                    break
                possible = [pair for pair in group if all(call.works_in(world) for world in pair)]
                if possible:
                    found = tuple([world for pair in possible for world in pair])
                    return self.noted(call, found, searched=True)
            if _name(function) in BY_VALUES and holds_symbolic(call.moved()[1]):
                # Dummies are no permutation, or have another number of elements: the shape remains unknown.
                return self.noted(call, call.be_unknown())
            assert error is not None
            if isinstance(error, errors.InvalidArgumentError):
                if "was expected to be a" in error.message:
                    raise _certain(TypeError(error.message)) from error
                # What TensorFlow finds wrong while it makes a graph is a ValueError.
                leaves = NESTS.flatten((args, kwargs))
                tensors = [leaf for leaf in leaves if type(leaf) is SymbolicTensor]
                shapes = ", ".join(sorted({str(tensor.shape) for tensor in tensors}))
                sizes = any(
                    unknown.dtype.is_integer and unknown.shape.rank in (0, 1)
                    for unknown in call.unknowns
                )
                if all(
                    unknown.dtype.is_floating and unknown.shape.is_fully_defined()
                    for unknown in call.unknowns
                ):
                    raise _certain(ValueError(error.message)) from error
                raise (NeedsSizes if sizes else ValueError)(
                    f"{error.message} (What is unknown in the shapes {shapes} was taken to be 1 and "
                    "other sizes.)"
                ) from error
            raise error
        finally:
            del error  # else the error would hold this frame and the frame the error

    def inferred(self, call: Call) -> Any:
        """What the shape rule of an op says of ``call``; None where runs on dummies have to say it."""
        if self.has_tape or not has_rule(_op_of(call.function)):
            return None
        symbolic = symbolic_in((call.args, call.kwargs))
        arrays = {id(leaf): abstract_of(leaf) for leaf in symbolic if type(leaf) is SymbolicTensor}
        if not symbolic or len(arrays) < len({id(leaf) for leaf in symbolic}):
            return None
        if None in arrays.values():
            return None
        before, self.world = self.world, WITHOUT_VALUES
        try:
            args, kwargs = ARGUMENTS.replace(
                lambda leaf: EagerTensor(arrays[id(leaf)]) if is_symbolic(leaf) else leaf,
                (call.args, call.kwargs),
            )
            result = call.function(*args, **kwargs)
        except Exception:
            return None  # it depends on an unknown size, or is wrong: the runs on dummies find out
        finally:
            self.world = before
        leaves: list[Any] = NESTS.flatten(result)
        abstract = results_of(leaves)
        return None if abstract is None else self.pack_inferred(call, result, abstract)

    def pack_inferred(self, call: Call, result: Any, arrays: list[Abstract]) -> Any:
        """Tensors without values in the place of abstract ones."""
        operation = call.operation()
        call.count, call.before_tapes = len(arrays), True
        tensors = []
        for place, array in enumerate(arrays):
            shape = TensorShape([size if type(size) is int else None for size in array.shape])
            tensor = SymbolicTensor(call, place, array.dtype, shape, operation)
            tensor._abstract = array
            tensors.append(tensor)
        sizes = _sizes_of_tensors((call.args, call.kwargs))
        if None in sizes:
            self.sizes_found.update([size for size in sizes if size is not None and size > 1])
        self.note(call)
        return NESTS.pack(result, tensors)

    def noted(self, call: Call, worlds: Worlds, searched: bool = False) -> Any:
        """What ``call`` gives in all these worlds, which may have taken a search."""
        if searched:
            call.worlds = worlds
            self.sizes_found.update([size for world in worlds for _, size in world.fixed])
        result = call.compare(worlds)
        self.note(call)
        return result


class Call:
    """A call of a function, which may be repeated in other worlds."""

    def __init__(
        self,
        trace: Trace,
        function: Callable[..., Any],
        args: Any,
        kwargs: Any,
        fills: bool = False,
    ) -> None:
        self.trace = trace
        self.fills = fills  # whether arguments without rows get some in each world
        # Whether it was made before any tape. It may run later, beside one.
        self.before_tapes = False
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.found: dict[World, Any] = {}
        self.worlds: Worlds = ()  # those in which it works, if the first pairs of worlds did not do
        self.acts = False  # whether it does something besides giving results
        self.captured: dict[int, Any] = {}  # the tensors that its function used by itself, by id
        self.unknown: Unknown | None = None  # its result, if it works in no world
        self.count = 0  # how many results it has, without their structure
        # The unknown tensors on which the results depend.
        self.unknowns = sorted(_unknowns((args, kwargs)), key=lambda unknown: unknown.numbers.start)
        if not self.unknowns:
            self.unknowns = trace.unknowns  # a function that calls others may use any of them

    def read(self) -> list[tuple[str, Any]]:
        """What the function gets: tensors and numbers, with the names of the arguments of an op."""
        made = _op_of(self.function)
        names = () if made is None else made.inputs
        found: list[tuple[str, Any]] = []
        for place, value in enumerate(self.args):
            if names and place >= len(names) and self.kwargs.get(names[-1]) is None:
                break  # attributes
            name = names[place] if place < len(names) else "input"
            values = (
                value if isinstance(value, (list, tuple)) and holds_symbolic(value) else [value]
            )
            found.extend([(name, each) for each in values])
        for name, value in self.kwargs.items():
            if not names or name in names:
                found.append((name, value))
        if not names:  # a Python function: which of the numbers are tensors, nobody knows
            found = [(name, value) for name, value in found if isinstance(value, Tensor)]
        return found

    def solutions(self, wanted: set[int]) -> set[int]:
        """Sizes for the unknown axes with which an argument made of them has one of the sizes ``wanted``.

        What `x[:, 2:]` gives has 5 columns where `x` has 7.
        """
        found = set()
        for first, second in pairs(self.unknowns):
            shapes = [_shapes_in((self.args, self.kwargs), world) for world in (first, second)]
            for short, long in zip(*shapes, strict=False):
                for size, larger in zip(short, long, strict=False):
                    step = (larger - size) / (second.other - first.other)
                    if step:
                        exact = [first.other + (each - size) / step for each in wanted]
                        found.update([int(each) for each in exact if each >= 0 and each % 1 == 0])
            if found:
                break
        return found

    def moved(self) -> list[Any]:
        """The tensor that the function gives in another shape, and what decides which (`BY_VALUES`)."""
        names = BY_VALUES[_name(self.function)]
        values = {**dict(zip(names, self.args, strict=False)), **self.kwargs}
        return [values.get(name) for name in names]

    def be_unknown(self) -> Worlds:
        """Let the result be unknown, though its dtype and perhaps its rank are known; worlds to compare."""
        tensor, numbers = self.moved()
        tensor = convert(tensor)
        rank = tensor.shape.rank if _name(self.function) in ("transpose", "Transpose") else None
        if isinstance(numbers, (list, tuple)):
            rank = len(numbers)
        elif rank is None and numbers.shape.rank == 1:
            rank = numbers.shape[0]
        self.unknown = self.trace.new_unknown(unknown_shape(rank), tensor.dtype)
        self.unknowns = [*self.unknowns, self.unknown]
        self.found.clear()
        return next(pairs([self.unknown]))

    def unknown_result(self, unknown: Unknown, world: World) -> Any:
        """The dummy of ``unknown`` in a world. A gradient there finds that it comes of the tensor moved."""
        (result,) = unknown.leaves(world)
        if world.tapes and (unknown.dtype.is_floating or unknown.dtype.is_complex):
            result = result + reduce_sum(substitute(self.moved()[0], world)) * 0
        return result

    def connected(self, result: Any, world: World) -> Any:
        """A dummy of a result of Python code. A gradient finds that it comes of the arguments."""
        if _name(self.function) == "py_function" and result.dtype.is_floating:
            for tensor in symbolic_in((self.args, self.kwargs)):
                if tensor.dtype.is_floating:
                    result = result + cast(reduce_sum(tensor.in_world(world)) * 0, result.dtype)
        return result

    def works_in(self, world: World) -> bool:
        """Whether the function gives something in a world."""
        if self.found.get(world) is FAILED:
            return False
        try:
            self.result(world)
        except NeedsValues:
            raise
        except _PASSING:
            return False
        return True

    def result(self, world: World) -> Any:
        """What the function gives in a world. It is called there once, or again if it failed."""
        if self.found.get(world, FAILED) is not FAILED:
            return self.found[world]
        if self.unknown is not None:
            self.found[world] = self.unknown_result(self.unknown, world)
        else:
            trace = self.trace
            before, trace.world = trace.world, world
            outer, trace.inside = trace.inside, None
            trace.evaluations += 1
            try:
                args, kwargs = substitute((self.args, self.kwargs), world)
                if self.fills:
                    args, kwargs = _filled((args, kwargs), world)
                trace.inside = self
                with no_recording() if self.before_tapes and not world.tapes else nullcontext():
                    self.found[world] = substitute(self.function(*args, **kwargs), world)
            except _PASSING:
                self.found[world] = FAILED
                raise
            finally:
                trace.world, trace.inside = before, outer
        return self.found[world]

    def leaves(self, world: World) -> list[Any]:
        """The results in a world, without their structure."""
        return NESTS.flatten(self.result(world))

    def operation(self) -> Operation:
        """A new operation, from which the results come."""
        name, kind = _name_and_type(self.function)
        requested = self.kwargs.get("name")
        if isinstance(requested, str):
            name = requested
        return self.trace.operation(name, kind, self.read())

    def compare(self, worlds: Worlds) -> Any:
        """The results, with what differs between the worlds unknown."""
        all_leaves: list[list[Any]] = [[] for _ in worlds]
        shapes = [
            structure(self.result(world), leaves)
            for world, leaves in zip(worlds, all_leaves, strict=True)
        ]
        if any(shape != shapes[0] for shape in shapes):
            raise UnknownNumber(
                f"How many results {_name(self.function)}() gives depends on a size or a value that is "
                "unknown: cannot infer it."
            )
        operation = self.operation()
        self.count = len(all_leaves[0])
        empty = self.works_when_empty_alone(worlds)
        found = [
            self.merged(place, versions, operation, empty)
            for place, versions in enumerate(zip(*all_leaves, strict=True))
        ]
        return NESTS.pack(self.result(worlds[0]), found)

    def works_when_empty_alone(self, worlds: Worlds) -> bool:
        """Whether unknown sizes are 0 in all these worlds, though no argument says so.

        Any size is a product of others, or divides them, where all are 0. That it is 0 does not follow.
        """
        fixed = {size for world in worlds for _, size in world.fixed or ((0, 1),)}
        return fixed == {0} and 0 not in _sizes((self.args, self.kwargs))

    def merged(
        self, place: int, versions: tuple[Any, ...], operation: Operation, empty: bool
    ) -> Any:
        """One result, of which there is a version for each world. Sizes of 0 are unknown if ``empty``."""

        def covering(shapes: list[TensorShape]) -> Any:
            shape: Any = shapes[0].most_specific_common_supertype(shapes)
            if empty and shape.rank is not None:
                return TensorShape([size or None for size in shape.as_list()])
            return shape

        first = versions[0]
        if all(version is first for version in versions) or isinstance(first, VariableBase):
            return first
        kind = type(first)
        if any(type(version) is not kind for version in versions):
            pass
        elif kind is EagerTensor:
            if any(version.dtype is not first.dtype for version in versions):
                raise TypeError(
                    f"{operation.name} gives tensors of "
                    f"{' or '.join(sorted({version.dtype.name for version in versions}))}, "
                    "as a value decides that is unknown."
                )
            if (
                values_of(self.function) == "nothing"
                and not empty
                and all(np.array_equal(first.numpy(), version.numpy()) for version in versions)
            ):
                return first  # all sizes are known: a constant, as it is in TensorFlow's graphs
            return SymbolicTensor(
                self, place, first.dtype, covering([v.shape for v in versions]), operation
            )
        elif kind is TensorShape:
            return covering(list(versions))
        elif isinstance(first, TypeSpec):
            spec = first.most_specific_common_supertype(list(versions))
            if spec is not None:
                return spec
        elif isinstance(first, (str, bytes, int, float, DType)):
            if all(version == first for version in versions):
                return first
        elif isinstance(first, (np.ndarray, np.generic)):
            if all(np.array_equal(first, version) for version in versions):
                return first
        else:
            return SymbolicObject(self, place, kind)
        raise NeedsNumber(
            f"{operation.name} gives {first!r} or something else: a size or a value decides that is unknown."
        )


class UnknownNumber(ValueError):
    """How many results there are differs from world to world."""


class Constant:
    """A tensor that is the same in all worlds."""

    unknowns: tuple[Unknown, ...] = ()

    def __init__(self, tensor: EagerTensor) -> None:
        self.tensor = tensor

    def leaves(self, world: World) -> list[Any]:
        """The tensor, as the one result."""
        return [self.tensor]


class SymbolicObject:
    """An object, such as a TensorArray, that holds other tensors in each world. Its methods run in both."""

    def __init__(self, source: Call, place: int, kind: type) -> None:
        self._source = source
        self._place = place
        self._kind = kind

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self._kind

    def in_world(self, world: World) -> Any:
        """The object as it is in a world."""
        if type(world) is not World:
            return world.value_of(self)  # type: ignore[attr-defined]  # the values of a run
        inside = self._source.trace.inside
        if inside is not None:
            inside.captured[id(self)] = self
        return self._source.leaves(world)[self._place]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        trace = self._source.trace
        if trace.world is not None:
            return getattr(self.in_world(trace.world), name)
        if callable(getattr(self._kind, name, None)):

            def method(*args: Any, **kwargs: Any) -> Any:
                return trace.call(_calling(name), (self, *args), kwargs)

            return method
        return trace.call(getattr, (self, name), {})


def _calling(name: str) -> Callable[..., Any]:
    def call(instance: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(instance, name)(*args, **kwargs)

    call.__name__ = name
    return call


def _operator(name: str) -> Callable[..., Any]:
    called = _calling(name)

    def operate(self: Any, *operands: Any) -> Any:
        result = lift(called, (self, *operands), {})
        if result is NotImplemented:
            raise TypeError(f"{self._kind.__name__} without values is out of scope here.")
        return result

    return operate


for _word in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv mod pow neg abs lt le gt ge getitem"
).split():
    setattr(SymbolicObject, f"__{_word}__", _operator(f"__{_word}__"))


def lift(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``function`` gives in two worlds; NotImplemented if no argument is without values."""
    trace = current()
    if trace is None or not holds_symbolic((args, kwargs)):
        return NotImplemented
    if trace.world is not None:
        args, kwargs = substitute((args, kwargs), trace.world)
        return function(*args, **kwargs)
    made = function if isinstance(function, Op) else getattr(function, "__self__", None)
    if isinstance(made, Op) and (made.effect or "").startswith("writes table"):
        return trace.defer(function, args, kwargs, [])  # a table would keep the dummies
    return trace.call(function, args, kwargs)


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
    first, _ = next(pairs(trace.unknowns))
    return tensor.in_world(first)


def _certain(error: Any) -> Exception:
    """``error``, which no values can help."""
    error.is_certain = True
    return error  # type: ignore[no-any-return]


def _op_of(function: Any) -> Any:
    """The op that a function calls: itself, or that of an operator; else None."""
    if isinstance(function, Op):
        return function
    if hasattr(function, "slot"):
        entry = callbacks().operators[function.__name__]
        return _op_of(entry[0] if isinstance(entry, tuple) else entry)
    made = getattr(function, "__self__", None)
    return made if isinstance(made, Op) else None


def values_of(function: Any) -> str | None:
    """What the values of its arguments decide: see `ops.op.op`."""
    return getattr(_op_of(function) or function, "values", None)


# TensorFlow's names for the results of operators.
OF_OPERATORS = {
    "subtract": "sub",
    "multiply": "mul",
    "negative": "Neg",
    "abs": "Abs",
    "matmul": "matmul",
}
COMPARISONS = frozenset("less less_equal equal not_equal greater greater_equal".split())


def _name_and_type(function: Any) -> tuple[str, str]:
    """The name that TensorFlow gives an operation, and its type."""
    made = _op_of(function)
    name = _name(function)
    if made is None:
        return name, name
    if isinstance(function, Op) or not hasattr(function, "slot"):
        return made.type, made.type
    return made.type if name in COMPARISONS else OF_OPERATORS.get(name, name), made.type


def _name(function: Any) -> str:
    name = str(getattr(function, "type", None) or getattr(function, "__name__", "call"))
    return name.rsplit(".", 1)[-1].strip("_<>")


# Nests: lists, tuples, dicts and objects made of tensors. In arguments, slices hold others too.


def _look_at(type_: type) -> int:
    """A ragged tensor is a leaf: where it has no values it is an object of its own."""
    if hasattr(type_, "_nest_components") and not hasattr(type_, "ragged_rank"):
        return COMPOSITE
    return container_kind(type_)


NESTS = Walker(_look_at)
ARGUMENTS = Walker(lambda type_: SLICE if type_ is slice else _look_at(type_))


def is_symbolic(leaf: Any) -> bool:
    """Whether a leaf is without values."""
    return type(leaf) is SymbolicTensor or type(leaf) is SymbolicObject


def symbolic_in(value: Any) -> list[Any]:
    """The leaves of a nest that have no values."""
    return [leaf for leaf in ARGUMENTS.flatten(value) if is_symbolic(leaf)]


def holds_symbolic(value: Any) -> bool:
    """Whether something in a nest has no values."""
    return bool(symbolic_in(value))


def substitute(value: Any, world: World) -> Any:
    """``value`` with all that has no values as it is in a world."""
    return ARGUMENTS.replace(
        lambda leaf: leaf.in_world(world) if is_symbolic(leaf) else leaf, value
    )


def structure(value: Any, leaves: list[Any]) -> Any:
    """A description of a nest, which is equal for equal nests. Its leaves are added to ``leaves``."""
    kind = NESTS.kind_of(value)
    if kind == LEAF:
        leaves.append(value)
        return "leaf"
    keys = tuple(value) if kind == ITEMS else ()
    parts = [structure(part, leaves) for part in children_of(value, kind)]
    return (type(value), keys, tuple(parts))


def _has_no_rows(value: Any) -> bool:
    """Whether a tensor in a nest has an axis of size 0."""
    return any(
        isinstance(leaf, Tensor) and leaf.shape.rank is not None and 0 in leaf.shape.as_list()
        for leaf in NESTS.flatten(value)
    )


def _filled(value: Any, world: World) -> Any:
    """``value`` with as many rows in the axes of size 0 of its tensors as unknown axes have in a world."""

    def filled(leaf: Any) -> Any:
        if type(leaf) is not EagerTensor or 0 not in leaf.shape:
            return leaf
        shape = tuple([size or world.batch for size in leaf.shape.as_list()])
        return dummy(shape, leaf.dtype, world)

    return NESTS.map(filled, value)


def _shapes_in(value: Any, world: World) -> list[tuple[int, ...]]:
    """The shapes that the symbolic tensors in a nest have in a world; none for those that fail there."""

    def shape_of(tensor: SymbolicTensor) -> tuple[int, ...]:
        try:
            return tuple(tensor.in_world(world).shape)
        except _PASSING:
            return ()

    return [shape_of(leaf) for leaf in NESTS.flatten(value) if type(leaf) is SymbolicTensor]


def _unknowns(value: Any) -> set[Unknown]:
    """The unknown tensors on which a nest depends."""
    found: set[Unknown] = set()
    for leaf in symbolic_in(value):
        source = leaf._source
        found.update([source] if isinstance(source, Unknown) else source.unknowns)
    return found


def _found_worlds(value: Any) -> list[Worlds]:
    """Worlds that calls were found to work in by a search, of the calls whose results are in a nest.

    What takes these results fails in other worlds, too, so nobody need search once more.
    """
    found = [getattr(leaf._source, "worlds", ()) for leaf in symbolic_in(value)]
    return [worlds for worlds in found if worlds]


def _sizes(value: Any) -> set[int]:
    """The known sizes of the tensors in a nest, and small numbers in it, which may be sizes."""
    numbers = [leaf for leaf in NESTS.flatten(value) if type(leaf) is int and 0 < leaf < 4096]
    return {*numbers, *[size for size in _sizes_of_tensors(value) if size is not None]}


def _sizes_of_tensors(value: Any) -> set[int | None]:
    """The sizes of the tensors in a nest, with None if one is unknown."""
    tensors = [leaf for leaf in NESTS.flatten(value) if isinstance(leaf, Tensor)]
    return {size for tensor in tensors if tensor.shape.rank for size in tensor.shape.as_list()}
