"""What a call gives: its function runs on abstract arrays, or in two worlds, and the results are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapegrad import errors
from tapegrad.core import EagerTensor, Op, Tensor, VariableBase, callbacks, no_recording
from tapegrad.core.abstract import Abstract, AnyRank, NoShapeRule
from tapegrad.core.kinds import NeedsValues as NoElements
from tapegrad.core.opening import unknown_sizes
from tapegrad.dtypes import DType
from tapegrad.framework.nest import CONTAINERS
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TypeSpec
from tapegrad.ops.program.host import running_on_stand_ins
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.casts import cast
from tapegrad.symbolic.nests import (
    NESTS,
    SymbolicObject,
    holds_symbolic,
    structure,
    substitute,
    symbolic_in,
)
from tapegrad.symbolic.operations import Operation
from tapegrad.symbolic.tensors import (
    NeedsNumber,
    NeedsSizes,
    NeedsValues,
    SymbolicTensor,
    shape_in_graphs,
)
from tapegrad.symbolic.worlds import (
    ABSTRACT,
    BY_ONE_RANK,
    BY_RANK,
    BY_TRUTH,
    BY_VECTORS,
    NO_ELEMENTS,
    WITH_ELEMENTS,
    WITHOUT_ELEMENTS,
    Fills,
    Unknown,
    World,
    Worlds,
    beside,
    fixed_worlds,
    pairs,
)

if TYPE_CHECKING:
    from tapegrad.symbolic.tracing import Trace


# How many calls run one within the other, as each asks for the results that its arguments are.
DEEPEST = 10


class NeedsElements(Exception):
    """A call failed in a world without elements, so dummies have to say what it gives."""


# What may go wrong in one world and not in another: a size that does not fit, a value out of range.
_PASSING = (errors.OpError, ValueError, IndexError, ArithmeticError, NeedsElements)

# What a call that is simply wrong may cost before it is given up.
MOST_EVALUATIONS = 2000

# Results that are what they are, in whatever world.
PLAIN = (str, bytes, int, float, DType)

# Stands for the result of a call that failed. The error itself would keep the frames that it came through,
# and with them whatever the caller holds: an iterator and its threads.
FAILED: Any = object()


class Known(NamedTuple):
    """What is known of a tensor without values."""

    dtype: DType
    shape: TensorShape


class Call:
    """A call of a function, which may be repeated in other worlds."""

    def __init__(
        self,
        trace: Trace,
        function: Callable[..., Any],
        args: Any,
        kwargs: Any,
    ) -> None:
        self.trace = trace
        self.needs_elements = False  # whether it was last seen to decide by elements
        self.decides_rank = False  # whether values were seen to decide the rank of something
        # Whether it was made before any tape. It may run later, beside one.
        self.before_tapes = False
        self.function = function
        # What follows from sizes alone is a constant where all of them are known.
        self.is_of_sizes = values_of(function) == "nothing" and all(
            leaf.shape.is_fully_defined()
            for leaf in symbolic_in((args, kwargs))
            if type(leaf) is SymbolicTensor
        )
        self.args = args
        self.kwargs = kwargs
        self.found: dict[World, Any] = {}
        self.worlds: Worlds = ()  # those in which it works, if the first pairs of worlds did not do
        self.acts = False  # whether it does something besides giving results
        self.captured: dict[int, Any] = {}  # the tensors that its function used by itself, by id
        self.count = 0  # how many results it has, without their structure
        # The unknown tensors on which the results depend.
        self.unknowns = sorted(_unknowns((args, kwargs)), key=lambda unknown: unknown.numbers.start)
        if not self.unknowns:
            self.unknowns = trace.unknowns  # a function that calls others may use any of them
        shapes = [unknown.shape for unknown in self.unknowns]
        for leaf in symbolic_in((args, kwargs)):
            if type(leaf) is SymbolicTensor:
                shapes.append(leaf.shape)
        # Whether something that it depends on may have any rank.
        self.any_rank = any(shape.rank is None for shape in shapes)

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

    def fitting_worlds(self) -> Worlds:
        """The worlds in which the function works, and which tell what it gives."""
        if not self.is_of_sizes:
            try:
                if self.is_certain():
                    return (ABSTRACT,)
            except NeedsElements as failed:
                if isinstance(failed.__cause__, errors.InvalidArgumentError):
                    raise _certain(_as_in_graphs(failed.__cause__)) from failed.__cause__
        for worlds in _found_worlds((self.args, self.kwargs)):
            has_elements = worlds[0].fill != NO_ELEMENTS
            if all(map(self.works_in, worlds)) if has_elements else self.can_compare(worlds):
                self.worlds = worlds
                return worlds
        fitting = None if self.is_of_sizes else self.without_elements()
        return fitting or self.with_elements()

    def without_elements(self) -> Worlds | None:
        """Worlds without elements in which the function works; None where it decides by elements."""
        for worlds in self.by_truth_rank_and_size():
            if self.can_compare(worlds):
                return self.beside(worlds)
            if self.needs_elements:
                break
        for worlds in BY_VECTORS if self.any_rank else ():
            if self.can_compare(worlds):
                return worlds
        return None if self.needs_elements else self.with_fixed_sizes(WITHOUT_ELEMENTS)

    def by_truth_rank_and_size(self) -> Iterator[Worlds]:
        """Worlds without elements, the best first."""
        yield BY_TRUTH
        if self.any_rank or self.decides_rank:
            yield from BY_RANK
        yield from pairs(self.unknowns, WITHOUT_ELEMENTS, self.any_rank)
        if self.any_rank or self.decides_rank:
            yield from BY_ONE_RANK

    def with_elements(self) -> Worlds:
        """Worlds of dummies in which the function works."""
        error: Exception | None = None
        try:
            for worlds in pairs(self.unknowns, WITH_ELEMENTS, self.any_rank):
                try:
                    self.result(worlds[0])
                    self.result(worlds[1])
                    return self.beside(worlds)
                except NeedsValues:
                    raise
                except _PASSING as failed:
                    error = error or failed
            fitting = self.with_fixed_sizes(WITH_ELEMENTS)
            if fitting is not None:
                return fitting
            assert error is not None
            if isinstance(error, errors.InvalidArgumentError):
                raise self.refusal(error) from error
            raise error
        finally:
            del error  # else the error would hold this frame and the frame the error

    def can_compare(self, worlds: Worlds) -> bool:
        """Whether the function works in worlds without elements, and its results there can be compared."""
        if not all(self.works_in(world) for world in worlds):
            return False
        try:
            self.compare(worlds)
        except (NoElements, NeedsValues, ValueError):
            return False  # among the results are sizes or elements that are not known
        return True

    def beside(self, worlds: Worlds) -> Worlds:
        """A pair of worlds, with the others that are to be compared and in which the function works."""
        more = beside(worlds[1], self.unknowns)
        return (*worlds, *[world for world in more if self.works_in(world)])

    def with_fixed_sizes(self, fills: Fills) -> Worlds | None:
        """Worlds in which the function works, because some unknown sizes are those that it may need."""
        most = self.trace.evaluations + MOST_EVALUATIONS
        known = _sizes((self.args, self.kwargs))
        for group in fixed_worlds(self.unknowns, fills, known, self.solutions(known)):
            if self.trace.evaluations > most:
                break
            possible = [pair for pair in group if all(self.works_in(world) for world in pair)]
            if possible:
                self.worlds = tuple([world for pair in possible for world in pair])
                return self.worlds
        return None

    def solutions(self, wanted: set[int]) -> set[int]:
        """Sizes for the unknown axes with which an argument made of them has one of the sizes ``wanted``.

        What `x[:, 2:]` gives has 5 columns where `x` has 7.
        """
        found = set()
        for first, second in pairs(self.unknowns, WITHOUT_ELEMENTS, self.any_rank):
            shapes = [_shapes_in((self.args, self.kwargs), world) for world in (first, second)]
            start, stop = [world.other or 0 for world in (first, second)]
            for short, long in zip(*shapes, strict=False):
                for size, larger in zip(short, long, strict=False):
                    step = (larger - size) / (stop - start)
                    if step:
                        exact = [start + (each - size) / step for each in wanted]
                        found.update([int(each) for each in exact if each >= 0 and each % 1 == 0])
            if found:
                break
        return found

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
        known = self.found.get(world)
        if known is FAILED and world.fill == NO_ELEMENTS:
            raise NeedsElements
        if world in self.found and known is not FAILED:
            return known
        trace = self.trace
        if trace.depth == DEEPEST and world not in self.found:
            self.call_sources(world)
        before, trace.world = trace.world, world
        outer, trace.inside = trace.inside, None
        trace.depth += 1
        trace.evaluations += 1
        has_elements = world.fill != NO_ELEMENTS
        recording = no_recording() if self.before_tapes and not world.tapes else nullcontext()
        try:
            with (
                running_on_stand_ins()
                if has_elements
                else unknown_sizes(world.truth, world.rank, world.other)
            ):
                args, kwargs = substitute((self.args, self.kwargs), world)
                trace.inside = self
                with recording:
                    self.found[world] = substitute(self.function(*args, **kwargs), world)
        except Exception as error:
            if not has_elements:
                self.needs_elements = isinstance(error, (NoElements, NoShapeRule))
                self.decides_rank |= isinstance(error, AnyRank)
                self.found[world] = FAILED
                raise NeedsElements from error
            if isinstance(error, _PASSING):
                self.found[world] = FAILED
            raise
        finally:
            trace.depth -= 1
            trace.world, trace.inside = before, outer
        return self.found[world]

    def call_sources(self, world: World) -> None:
        """Call in a world what the arguments come from, and before that what these come from.

        One call would otherwise run within the other, and Python ends a recursion that is as deep as a
        network of many layers.
        """
        waiting: list[Call] = [self]
        seen = set[int]()
        while waiting:
            call = waiting[-1]
            if id(call) not in seen:
                seen.add(id(call))
                sources = [leaf._source for leaf in symbolic_in((call.args, call.kwargs))]
                waiting += [x for x in sources if isinstance(x, Call) and world not in x.found]
                continue
            waiting.pop()
            if call is not self and world not in call.found:
                try:
                    call.result(world)
                except Exception:  # it is raised again where the result is asked for
                    return

    def is_certain(self) -> bool:
        """Whether what the function gives on abstract arrays is all that can be said of its results."""
        return all(_is_certain(leaf) for leaf in self.leaves(ABSTRACT))

    def refusal(self, error: errors.InvalidArgumentError) -> Exception:
        """What to raise where the function gave ``error`` on dummies."""
        refused = _as_in_graphs(error)
        floats = [
            unknown.dtype.is_floating and unknown.shape.is_fully_defined()
            for unknown in self.unknowns
        ]
        if type(refused) is TypeError or all(floats):
            return _certain(refused)
        leaves = NESTS.flatten((self.args, self.kwargs))
        shapes = {str(leaf.shape) for leaf in leaves if type(leaf) is SymbolicTensor}
        may_be_sizes = any(
            unknown.dtype.is_integer and unknown.shape.rank in (0, 1) for unknown in self.unknowns
        )
        return (NeedsSizes if may_be_sizes else ValueError)(
            f"{error.message} (What is unknown in the shapes {', '.join(sorted(shapes))} was taken to be 1 "
            "and other sizes.)"
        )

    def sizes_beside_unknown_ones(self) -> list[int]:
        """The sizes of the tensors that the function gets, if unknown ones are among them."""
        sizes = _sizes_of_tensors((self.args, self.kwargs))
        return [size for size in sizes if size is not None and size > 1] if None in sizes else []

    def stand_in(self, result: Any) -> None:
        """Let what takes ``result`` go on with abstract arrays, of the shapes that it turned out to have."""
        leaves = CONTAINERS.flatten(result)
        if self.found.get(ABSTRACT) is FAILED and all(
            type(leaf) is SymbolicTensor and leaf.shape.rank is not None for leaf in leaves
        ):
            self.found[ABSTRACT] = CONTAINERS.map(
                lambda leaf: EagerTensor(Abstract(leaf.shape.as_list(), leaf.dtype)), result
            )

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

    def results(self, worlds: Worlds) -> Any:
        """The results, as they are in a graph, with what differs between the worlds unknown."""
        known = self.compare(worlds)
        operation = self.operation()
        self.count = len(known)
        leaves = [
            SymbolicTensor(self, place, leaf.dtype, leaf.shape, operation)
            if type(leaf) is Known
            else leaf
            for place, leaf in enumerate(known)
        ]
        return NESTS.pack(self.result(worlds[0]), leaves)

    def compare(self, worlds: Worlds) -> list[Any]:
        """The results without their structure, and of tensors what is known of them."""
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
        empty = self.works_when_empty_alone(worlds)
        return [
            self.merged(place, versions, empty)
            for place, versions in enumerate(zip(*all_leaves, strict=True))
        ]

    def works_when_empty_alone(self, worlds: Worlds) -> bool:
        """Whether unknown sizes are 0 in all these worlds, though no argument says so.

        Any size is a product of others, or divides them, where all are 0. That it is 0 does not follow.
        """
        fixed = {size for world in worlds for _, size in world.fixed or ((0, 1),)}
        return fixed == {0} and 0 not in _sizes((self.args, self.kwargs))

    def merged(self, place: int, versions: tuple[Any, ...], empty: bool) -> Any:
        """One result, of which there is a version for each world. Sizes of 0 are unknown if ``empty``."""

        def covering(shapes: list[TensorShape]) -> Any:
            shapes = [shape_in_graphs(shape) for shape in shapes]
            shape: Any = shapes[0].most_specific_common_supertype(shapes)
            if empty and shape.rank is not None:
                return TensorShape([size or None for size in shape.as_list()])
            return shape

        first = versions[0]
        if isinstance(first, VariableBase) or (
            all(version is first for version in versions) and not is_abstract(first)
        ):
            return first
        kind = type(first)
        if any(type(version) is not kind for version in versions):
            pass
        elif kind is EagerTensor:
            if any(version.dtype is not first.dtype for version in versions):
                raise TypeError(
                    f"{_name_and_type(self.function)[0]} gives tensors of "
                    f"{' or '.join(sorted({version.dtype.name for version in versions}))}, "
                    "as a value decides that is unknown."
                )
            if (
                self.is_of_sizes
                and not is_abstract(first)
                and not empty
                and all(np.array_equal(first.numpy(), version.numpy()) for version in versions)
            ):
                return first  # all sizes are known: a constant, as it is in TensorFlow's graphs
            return Known(first.dtype, covering([version.shape for version in versions]))
        elif kind is TensorShape:
            return covering(list(versions))
        elif isinstance(first, TypeSpec):
            spec = first.most_specific_common_supertype(list(versions))
            if spec is not None:
                return spec
        elif isinstance(first, PLAIN):
            if all(version == first for version in versions):
                return first
        elif isinstance(first, (np.ndarray, np.generic)):
            if all(np.array_equal(first, version) for version in versions):
                return first
        else:
            return SymbolicObject(self, place, kind)
        raise NeedsNumber(
            f"{_name_and_type(self.function)[0]} gives {first!r} or something else: "
            "a size or a value decides that is unknown."
        )


class UnknownNumber(ValueError):
    """How many results there are differs from world to world."""


def _as_in_graphs(error: errors.InvalidArgumentError) -> Exception:
    """What TensorFlow raises where it finds ``error`` while it makes a graph."""
    return (TypeError if "was expected to be a" in error.message else ValueError)(error.message)


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
# TensorFlow's names for the results of functions that are no op here, or an op of another name, and the types
# of their last ops, where these differ.
OF_FUNCTIONS = {
    (words := line.split())[0]: (words[1], words[-1])
    for line in """
        matmul MatMul
        abs Abs
        invert LogicalNot
        and and LogicalAnd
        or or LogicalOr
        getitem strided_slice StridedSlice
        truediv truediv RealDiv
        divide truediv RealDiv
        divide_no_nan div_no_nan DivNoNan
        AddV2 Add AddV2
        add_n AddN
        complex Complex
        _LogSumExp ReduceLogSumExp AddV2
        _Trace Trace Sum
        cast Cast
        identity Identity
        stop_gradient StopGradient
        clip_by_value clip_by_value Maximum
        concat concat ConcatV2
        stack stack Pack
        unstack unstack Unpack
        split split Split
        transpose transpose Transpose
        pad Pad
        gather GatherV2
        gather_nd GatherNd
        one_hot one_hot OneHot
        diag diag MatrixDiagV3
        diag_part diag_part MatrixDiagPartV3
        softmax Softmax
        log_softmax LogSoftmax
        leaky_relu LeakyRelu
        silu IdentityN
        l2_normalize l2_normalize Mul
        bias_add BiasAdd
        conv2d Conv2D
        max_pool2d MaxPool2d MaxPool
        avg_pool2d AvgPool2D AvgPool
        sigmoid_cross_entropy_with_logits logistic_loss AddV2
    """.strip().splitlines()
}


def _name_and_type(function: Any) -> tuple[str, str]:
    """The name that TensorFlow gives an operation, and its type."""
    made = _op_of(function)
    name = _name(function) if made is None else made.type
    written, kind = OF_FUNCTIONS.get(name, (name, name))
    if isinstance(function, Op) or not hasattr(function, "slot"):
        return written, kind
    operator = _name(function)
    if operator in COMPARISONS:
        return written, kind
    return OF_OPERATORS.get(operator, written if made is None else operator), kind


def _name(function: Any) -> str:
    name = str(getattr(function, "type", None) or getattr(function, "__name__", "call"))
    return name.rsplit(".", 1)[-1].strip("_<>")


def is_abstract(leaf: Any) -> bool:
    """Whether a leaf is a tensor without elements."""
    array: Any = leaf._array if type(leaf) is EagerTensor else None
    return type(array) is Abstract


def _is_certain(leaf: Any) -> bool:
    """Whether a result on abstract arrays says all that worlds could: it has no elements, or needs none."""
    if isinstance(leaf, np.ndarray):
        return bool(leaf.dtype.kind != "O")
    return (
        is_abstract(leaf) or leaf is None or isinstance(leaf, (*PLAIN, TensorShape, VariableBase))
    )


def _shapes_in(value: Any, world: World) -> list[tuple[int, ...]]:
    """The shapes that the symbolic tensors in a nest have in a world; none for those that fail there."""

    def shape_of(tensor: SymbolicTensor) -> tuple[int, ...]:
        try:
            sizes = tensor.in_world(world).shape
            return tuple([size if type(size) is int else 0 for size in sizes])
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
