"""`trace` records what a function does for inputs of some specs, for all sizes that the specs leave open.

The algorithm:

1. Choose stand-ins for the inputs: arrays whose unknown axes have open sizes (`stand_ins`).
2. Run the function on them, and write down its ops (`op_trace`), with a formula for each size in them
   (`open_sizes`). If Python reads a boolean tensor, run it again with the other answer: the runs are a tree
   of blocks.
3. Run it on other elements of other sizes. What it does has to be the same, formula by formula: so no number
   is taken for a constant that code outside of ops has got from an element or a size.
4. Remove dead code: steps whose results no step uses.
5. If the function fails on these stand-ins, try the next ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tapegrad.batching.mapping import vectorized_map
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.errors import InvalidArgumentError
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.program.scopes import Maps
from tapegrad.saving.nests import ATTRIBUTES, leaves_of
from tapegrad.saving.op_trace import (
    BoolRead,
    CustomGradient,
    OpCall,
    OpTrace,
    ValueRead,
    trace_ops,
)
from tapegrad.saving.open_sizes import BuiltTensor, Differs, Expression, same_array
from tapegrad.saving.stand_ins import Choice, multiples, stand_ins
from tapegrad.saving.steps import (
    Block,
    BranchStep,
    CannotRecord,
    Constant,
    GradientStep,
    LoopStep,
    Recording,
    ShapeGuard,
    SizeGuard,
    Step,
    ValueGuard,
    line_of,
)
from tapegrad.saving.ways import BranchCall, LoopCall, WholeLoops

# Numbers that Python code reads in these ways; other numbers are values that an op reads.
OF_PYTHON = frozenset("bool int float complex array numpy iterate list tolist".split())
MOST_PATHS = 48
MOST_QUESTIONS = 8  # booleans of a path for which both answers are tried
LARGEST_FOLDED = 1 << 20


class CannotTrace(Exception):
    """A function cannot be recorded; the message says why."""


def trace(
    call: Callable[[list[EagerTensor]], Any],
    flatten: Callable[[Any], list[Any]],
    specs: list[Any],
    needed: Iterable[int] = (),
) -> Recording:
    """What ``call`` does with tensors of these specs.

    Args:
        call: gets a list of tensors.
        flatten: gives the tensors of a result, in a list.
        specs: a `TensorSpec` for each tensor.
        needed: sizes that an unknown axis may have to be a multiple of.

    Raises:
        CannotTrace: it does something that ops do not do, or something else for each size.
        Exception: whatever the function raises for all stand-ins.
    """
    with Maps() as maps:
        one_by_one: Recording | None = None
        try:
            one_by_one = _trace(call, flatten, specs, needed)
            if not maps.used or not _pins_sizes(one_by_one):
                return one_by_one
        except CannotTrace as error:
            if not maps.used:
                raise
            reason = error
    # A map over an unknown number of elements can be saved if it runs on all elements at once.
    try:
        with Maps(_map_at_once):
            at_once = _trace(call, flatten, specs, needed)
    except Exception:
        if one_by_one is None:
            raise reason from None
        return one_by_one
    # Else each element would draw other numbers.
    if not any(isinstance(step, Step) and step.op.effect == "draws" for step in _steps(at_once)):
        return at_once
    if one_by_one is None:
        raise reason
    return one_by_one


def _steps(recording: Recording) -> list[Any]:
    return [step for block in recording.block.blocks() for step in block.steps]


def _pins_sizes(recording: Recording) -> bool:
    """Whether Python code has decided that an open size is one number."""
    return any(
        isinstance(step, SizeGuard)
        and step.relation == "=="
        and all(factor > 0 for _, factor in step.guard.terms)
        for step in _steps(recording)
    )


def _fails_by_sizes(recording: Recording) -> bool:
    """Whether a way ends with the error of an op, which sizes that fit together may not have."""
    return any(
        isinstance(block.error, InvalidArgumentError) and "[Op:" in str(block.error)
        for block in recording.block.blocks()
    )


def _map_at_once(fn: Callable[[Any], Any], elems: Any) -> Any:
    return vectorized_map(fn, elems, fallback_to_while_loop=False, warn=False)


def _trace(
    call: Callable[[list[EagerTensor]], Any],
    flatten: Callable[[Any], list[Any]],
    specs: list[Any],
    needed: Iterable[int],
) -> Recording:
    """`trace`, with maps as they are: loops as steps of their own, or turn by turn if they cannot be that."""
    whole_loops = WholeLoops()
    reason = ""
    try:
        return _trace_with(call, flatten, specs, needed, whole_loops)
    except CannotTrace as error:
        if not whole_loops.met:
            raise
        reason = f". As a step of its own it cannot be saved: {error}"
    except Exception:
        if not whole_loops.met:
            raise
    try:
        return _trace_with(call, flatten, specs, needed, None)
    except CannotTrace as error:
        raise CannotTrace(f"{error}{reason}") from None


def _trace_with(
    call: Callable[[list[EagerTensor]], Any],
    flatten: Callable[[Any], list[Any]],
    specs: list[Any],
    needed: Iterable[int],
    whole_loops: WholeLoops | None,
) -> Recording:
    failed: Exception | None = None
    reason: Exception | None = None
    fails_for_some: Exception | None = None
    for_one_size: Recording | None = None
    fails_in_part: Recording | None = None
    choices = itertools.chain(
        zip(stand_ins(specs), itertools.repeat(False)),
        zip(multiples(specs, needed), itertools.repeat(True)),
    )
    for choice, is_needed in choices:
        if reason is not None and choice.is_large:
            continue  # it works on small ones
        if fails_in_part is not None and not is_needed:
            continue  # other sizes that say nothing of the function would fail too
        try:
            paths = _Paths(call, flatten, specs, choice, whole_loops)
            recording = paths.find()
            if paths.lack_one or _fails_by_sizes(recording):
                fails_in_part = fails_in_part or recording
            elif not _pins_sizes(recording):
                return recording
            else:
                for_one_size = for_one_size or recording
        except FailsForSome as error:
            fails_for_some = error
        except Differs as error:
            reason = reason or error
        except CannotRecord as error:
            if reason is None and failed is None and fails_in_part is None:
                raise CannotTrace(str(error)) from None
        except _Fails as error:
            failed = failed or error.error
    if for_one_size is not None and (reason is None or fails_in_part is not None):
        return for_one_size
    if fails_in_part is not None:
        return fails_in_part
    reason = reason or fails_for_some
    if reason is not None:
        raise CannotTrace(f"what it does depends on sizes in a way that is not seen: {reason}")
    assert failed is not None
    raise failed


def _parting_of(first: list[Any], other: list[Any]) -> str:
    """Where the longer one of two runs takes a step that the other one does not."""
    shorter, longer = sorted((first, other), key=len)
    alike = [
        getattr(a, "op", type(a)) == getattr(b, "op", type(b)) for a, b in zip(shorter, longer)
    ]
    step = longer[alike.index(False) if False in alike else len(shorter)]
    return line_of(step) if getattr(step, "place", None) is not None else ""


class FailsForSome(Differs):
    """The function raises an error in one of two runs."""


class _Fails(Exception):
    """The function raises an error on these stand-ins."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class _Paths:
    """All paths through a function, on one choice of stand-ins."""

    def __init__(
        self,
        call: Any,
        flatten: Any,
        specs: list[Any],
        choice: Choice,
        whole_loops: WholeLoops | None,
    ) -> None:
        self._whole_loops = whole_loops
        self._call, self._flatten, self._specs = call, flatten, specs
        self._stand_ins = choice.arrays()
        self._variables: dict[int, Any] = {}
        self.lack_one = False  # whether a path is left out, as it fails for some sizes

    def _run(self, number: int, answers: tuple[bool, ...]) -> OpTrace:
        arrays = self._stand_ins[number]
        axes = _open_axes(self._specs, arrays)
        return trace_ops(self._call, self._flatten, arrays, axes, answers, self._whole_loops)

    def find(self) -> Recording:
        """A recording of all paths, from runs on the stand-ins."""
        root = Block()
        waiting: list[tuple[bool, ...]] = [()]
        seen: set[tuple[bool, ...]] = set()
        path_count = 0
        first_error: Exception | None = None
        while waiting and path_count < MOST_PATHS:
            answers = waiting.pop(0)
            first = self._run(0, answers)
            asked = tuple(first.answers)
            if asked in seen:
                continue
            seen.add(asked)
            if first.error is not None and not asked:
                raise _Fails(first.error)
            try:
                self._insert(root, first, self._run(1, asked))
                path_count += 1
            except (Differs, CannotRecord) as error:
                if not answers:
                    raise
                self.lack_one |= isinstance(error, FailsForSome)
                continue  # this branch is not saved
            if first.error is not None:
                first_error = first_error or first.error
            for index in range(len(answers), min(len(asked), MOST_QUESTIONS)):
                waiting.append((*asked[:index], not asked[index]))
        if all(block.results is None for block in root.blocks()):
            assert first_error is not None
            raise _Fails(first_error)
        _drop_unused(root)
        return Recording(self._specs, root, list(self._variables.values()))

    def _insert(self, root: Block, first: OpTrace, other: OpTrace) -> None:
        """Compare two runs of one path, and add it to the tree of blocks."""
        if (other.error is None) != (first.error is None):
            raise FailsForSome("it fails for some sizes")
        if len(other.steps) != len(first.steps):
            raise Differs(f"how many steps it takes{_parting_of(first.steps, other.steps)}")
        for step in _calls(first.steps):
            for value in step.attributes:
                if isinstance(value, VariableBase):
                    self._variables[value._unique_id] = value
        path = _Path(first, other)
        # Parts of the path: steps up to a boolean that Python reads, its slot, and the answer.
        parts: list[tuple[list[Any], int, bool]] = []
        steps: list[Any] = []
        for step, twin in zip(first.steps, other.steps, strict=True):
            if isinstance(step, BoolRead):
                if type(twin) is not BoolRead or twin.slot != step.slot:
                    raise Differs("what Python asks for")
                parts.append((steps, step.slot, step.answer))
                steps = []
            else:
                steps.extend(path.compared(step, twin))
        if first.slots != other.slots:
            raise Differs("its results")
        steps.extend(path.constants_of(first.slots))
        path.check_reads()
        block, fresh = root, not root.complete
        for before, slot, answer in parts:
            if fresh:
                block.steps, block.asks, block.complete = before, slot, True
            elif block.asks != slot:
                raise Differs("the Python code does not do the same each time")
            fresh = answer not in block.answers
            block = block.answers.setdefault(answer, Block())
        if not fresh:
            return
        block.steps, block.complete = steps, True
        if first.error is not None:
            block.error = first.error
            return
        block.results = first.slots
        shapes = [
            TensorShape(first.shapes[slot]).most_specific_common_supertype(
                [TensorShape(other.shapes[slot])]
            )
            for slot in first.slots
        ]
        try:
            block.structure = leaves_of(first.results, shapes)
        except TypeError as error:
            raise CannotRecord(str(error)) from None


def _calls(steps: list[Any]) -> Iterator[OpCall]:
    """The calls of ops among steps, and in the loops among them."""
    for step in steps:
        if isinstance(step, OpCall):
            yield step
        elif isinstance(step, LoopCall):
            yield from _calls([*step.condition, *step.body])
        elif isinstance(step, BranchCall):
            yield from _calls([part for way, _ in step.ways for part in way])


def _open_axes(specs: list[Any], arrays: list[Any]) -> list[list[int]]:
    """For each input the axes of which the spec does not know the size."""
    return [
        [axis for axis in range(array.ndim) if spec.shape.rank is None or spec.shape[axis] is None]
        for spec, array in zip(specs, arrays, strict=True)
    ]


class _Path:
    """Steps along one path, which two runs have to have in common."""

    def __init__(self, first: OpTrace, other: OpTrace) -> None:
        self._first, self._other = first, other
        self._emitted: set[int] = set()  # slots of constants for which there is a step
        self._folded: dict[int, Any] = {}
        # Numbers that Python has read, others in each run, and why. No attribute is what was read.
        self._unused_reads: dict[int, str] = {}

    def check_reads(self) -> None:
        """Refuse if numbers that Python has read may have decided what it does.

        Raises:
            Differs: they are others in each run, and nothing else is known of what became of them.
        """
        if self._unused_reads:
            raise Differs(f"what Python reads ({next(iter(self._unused_reads.values()))})")

    def compared(self, step: Any, twin: Any) -> Iterator[Any]:
        """The steps of a saved function for one of the trace.

        Raises:
            Differs: its twin in the other run is another one.
        """
        if type(step) is not type(twin):
            raise Differs("what it does")
        if isinstance(step, SizeGuard):
            if (step.formula, step.relation, step.value) != (
                twin.formula,
                twin.relation,
                twin.value,
            ):
                raise Differs(
                    f"Python decides by a size: {step.guard}, or {twin.guard}{line_of(step)}"
                )
            yield step
        elif isinstance(step, ShapeGuard):
            if step.slot != twin.slot:
                raise Differs("values decide a shape")
            if len(step.sizes) == len(twin.sizes):  # else the rank is unknown
                pairs = zip(step.sizes, twin.sizes, strict=True)
                sizes = [size if size == same else None for size, same in pairs]
                yield ShapeGuard(step.slot, sizes)
        elif isinstance(step, ValueRead):
            if step.slot != twin.slot:
                raise Differs("what Python reads")
            if same_array(step.value, twin.value):
                yield ValueGuard(step.slot, step.value, step.how)
            else:
                self._unused_reads[step.slot] = step.how
        elif isinstance(step, CustomGradient):
            yield from self._rule(step, twin)
        elif isinstance(step, LoopCall):
            yield from self._loop(step, twin)
        elif isinstance(step, BranchCall):
            yield from self._branch(step, twin)
        else:
            yield from self._call(step, twin)

    def _call(self, step: OpCall, twin: OpCall) -> Iterator[Any]:
        if (step.op, step.inputs, step.outputs) != (twin.op, twin.inputs, twin.outputs):
            raise Differs(f"it calls {step.op.type} or {twin.op.type}")
        attributes = []
        for name, *pair in zip(step.op.attributes, step.attributes, twin.attributes, strict=True):
            try:
                attributes.append(self._same(*pair))
            except Differs as error:
                raise Differs(f"{error}, as {name} of {step.op.type}{line_of(step)}") from None
        if self._fold(step, attributes):
            return
        yield from self.constants_of(step.inputs)
        called = Step(step.op, step.inputs, tuple(attributes), list(step.outputs), step.place)
        called.kinds = [self._first.tensors[slot].dtype for slot in step.outputs]
        called.ranks = {slot: len(self._first.shapes[slot]) for slot in step.outputs}
        yield called

    def _same(self, value: Any, other: Any) -> Any:
        """A value that both runs have.

        Raises:
            Differs: they have different ones.
        """
        if value is other:
            return value
        kind = type(value)
        if type(other) is not kind:
            raise Differs(f"a value is a {kind.__name__} or a {type(other).__name__}")
        if isinstance(value, EagerTensor):
            value_array, other_array = value._array, other._array
            if same_array(value_array, other_array):
                return value
            raise Differs("a tensor among the attributes has other values")
        if isinstance(value, tuple | list) and kind is not Expression:
            if len(value) != len(other):
                raise Differs("a list has other lengths")
            parts = [self._same(*pair) for pair in zip(value, other, strict=True)]
            return kind(*parts) if hasattr(value, "_fields") else kind(parts)
        if kind is dict:
            if value.keys() != other.keys():
                raise Differs("a dict has other keys")
            return {key: self._same(value[key], other[key]) for key in value}
        if kind is slice:
            ends = [self._same(getattr(value, end), getattr(other, end)) for end in _SLICE]
            return slice(*ends)
        if hasattr(value, "dtype") and hasattr(value, "tobytes"):
            if same_array(value, other):
                return value
            return self._read_array(value, other)
        if isinstance(value, VariableBase) or not (value == other or value != value):
            raise Differs(f"a value is {value!r} or {other!r}")
        return value

    def _read_array(self, value: Any, other: Any) -> BuiltTensor:
        """A constant that differs, if it is what Python has read from a tensor, as it was."""
        for slot, numbers in self._first.read.items():
            if self._unused_reads.get(slot) in OF_PYTHON:
                continue
            same = self._other.read.get(slot)
            if same is not None and np.array_equal(numbers, value) and np.array_equal(same, other):
                self._unused_reads.pop(slot, None)
                return BuiltTensor("values", Expression(["values", slot, 0]), None, value.dtype)
        raise Differs(f"a constant of shape {value.shape} has other values or another shape")

    def _rule(self, step: CustomGradient, twin: CustomGradient) -> Iterator[Any]:
        if (step.inputs, step.plain, step.outputs) != (twin.inputs, twin.plain, twin.outputs):
            raise Differs(f"{step.name} has other arguments")
        yield from self.constants_of((*step.inputs, *step.plain))
        rule = GradientStep(step)
        rule.reason = step.reason if step.reason is not None else twin.reason
        if rule.reason is None:
            # Constants of the gradient are not available after it.
            emitted, folded = set(self._emitted), dict(self._folded)
            try:
                rule.gradient = self._gradient(step, twin)
            except Differs as error:
                rule.reason = str(error)
            self._emitted, self._folded = emitted, folded
        yield rule

    def _loop(self, step: LoopCall, twin: LoopCall) -> Iterator[Any]:
        if (step.inputs, step.variables, step.limit) != (twin.inputs, twin.variables, twin.limit):
            raise Differs(f"a loop has other variables{line_of(step)}")
        yield from self.constants_of(step.inputs)
        loop = LoopStep(step.inputs, step.variables, step.limit, step.outputs, step.place)
        loop.kinds = [self._first.tensors[slot].dtype for slot in step.variables]
        loop.shapes = [self._first.shapes[slot] for slot in step.outputs]
        asked, asked_again = (step.condition, (step.asked,)), (twin.condition, (twin.asked,))
        self._fill(loop.condition, step, asked, asked_again, step.variables)
        results, same = (step.body, step.results), (twin.body, twin.results)
        self._fill(loop.body, step, results, same, step.variables)
        yield loop

    def _branch(self, step: BranchCall, twin: BranchCall) -> Iterator[Any]:
        if step.asked != twin.asked:
            raise Differs(f"a branch has another condition{line_of(step)}")
        yield from self.constants_of((step.asked,))
        branch = BranchStep(step.asked, step.outputs, step.place)
        branch.kinds = [self._first.tensors[slot].dtype for slot in step.outputs]
        branch.shapes = [self._first.shapes[slot] for slot in step.outputs]
        for block, way, same in zip(branch.ways.values(), step.ways, twin.ways, strict=True):
            self._fill(block, step, way, same, ())
        yield branch

    def _fill(
        self,
        block: Block,
        step: LoopCall | BranchCall,
        part: tuple[list[Any], tuple[int, ...]],
        same: tuple[list[Any], tuple[int, ...]],
        variables: tuple[int, ...],
    ) -> None:
        """Fill a block of a loop or of a branch: with steps, and with the slots of their results."""
        (steps, slots), (others, other_slots) = part, same
        if len(steps) != len(others) or slots != other_slots:
            raise Differs(f"what a loop does{line_of(step)}")
        # Constants of a block are not available after it.
        emitted, folded = set(self._emitted), dict(self._folded)
        for pair in zip(steps, others, strict=True):
            block.steps.extend(self.compared(*pair))
        block.steps.extend(self.constants_of(slots))
        self._emitted, self._folded = emitted, folded
        block.results = list(slots)
        _close(block, variables)

    def _gradient(self, step: CustomGradient, twin: CustomGradient) -> Block:
        if len(step.steps) != len(twin.steps) or step.dys != twin.dys:
            raise Differs(f"how many steps it takes{_parting_of(step.steps, twin.steps)}")
        block = Block()
        for inner, inner_twin in zip(step.steps, twin.steps, strict=True):
            block.steps.extend(self.compared(inner, inner_twin))
        if step.slots != twin.slots:
            raise Differs("its results")
        block.steps.extend(self.constants_of(step.slots))
        block.results = step.slots
        try:
            block.structure = leaves_of(step.results, [TensorShape(None) for _ in step.slots])
        except TypeError as error:
            raise Differs(str(error)) from None
        if any(isinstance(inner, Step) and inner.op.effect == "draws" for inner in block.steps):
            raise Differs("it draws random numbers")
        _close(block, step.dys)
        if any(slot > max(step.outputs) and slot not in self._emitted for slot in block.needs):
            raise Differs("it uses what is computed after it")
        return block

    def _fold(self, called: OpCall, attributes: Any) -> bool:
        """Whether the results are constants. If so, they are folded: no step computes them."""
        first, other = self._first, self._other
        if called.op.effect is not None or _holds_expression(attributes):
            return False
        if not all(slot in self._folded or self._is_constant(slot) for slot in called.inputs):
            return False
        arrays = [
            (first.tensors[slot]._array, other.tensors[slot]._array) for slot in called.outputs
        ]
        if not all(same_array(*pair) for pair in arrays):
            return False
        if sum(array.nbytes for array, _ in arrays) > LARGEST_FOLDED:
            return False
        for slot, (array, _) in zip(called.outputs, arrays, strict=True):
            self._folded[slot] = array
        return True

    def _is_constant(self, slot: int) -> bool:
        constant = self._first.constants.get(slot)
        return constant is not None and not isinstance(constant, BuiltTensor)

    def constants_of(self, slots: Any) -> Iterator[Constant]:
        """A step for each of the slots that holds a constant, before its first use."""
        for slot in slots:
            if slot in self._emitted:
                continue
            if slot in self._folded:
                self._emitted.add(slot)
                yield Constant(slot, self._folded[slot])
            elif slot in self._first.constants:
                self._emitted.add(slot)
                if slot not in self._other.constants:
                    raise Differs("what it computes from its arguments")
                values = self._first.constants[slot], self._other.constants[slot]
                yield Constant(slot, self._same(*values))


_SLICE = ("start", "stop", "step")


def _holds_expression(value: Any) -> bool:
    return any(isinstance(leaf, (Expression, BuiltTensor)) for leaf in ATTRIBUTES.flatten(value))


def _slots_of(value: Any, slots: set[int]) -> None:
    """Add the slots that expressions in an attribute read."""
    for leaf in ATTRIBUTES.flatten(value):
        if isinstance(leaf, Expression):
            _slots_of_formula(leaf.formula, slots)
        elif isinstance(leaf, BuiltTensor):
            _slots_of([leaf.value, leaf.shape], slots)


def _slots_of_formula(formula: Any, slots: set[int]) -> None:
    if isinstance(formula, list):
        if formula[0] in ("size", "value", "values"):
            slots.add(formula[1])
        else:
            for part in formula[1:]:
                _slots_of_formula(part, slots)


def _close(block: Block, variables: Iterable[int]) -> None:
    """Remove dead code from a block within a function, which needs what neither it nor its arguments give."""
    _drop_unused(block)
    block.needs.difference_update(variables)
    for inner in block.steps:
        if isinstance(inner, Constant):
            block.needs.discard(inner.slot)
        elif isinstance(inner, (Step, GradientStep, LoopStep, BranchStep)):
            block.needs.difference_update(inner.outputs)


def _drop_unused(root: Block) -> None:
    """Remove dead code: steps without effects whose results no step uses."""
    for block in reversed(root.blocks()):
        used: set[int] = set(block.results or ())
        if block.asks is not None:
            used.add(block.asks)
        for following in block.answers.values():
            used |= following.needs
        kept: list[Any] = []
        for step in reversed(block.steps):
            if isinstance(step, Constant):
                if step.slot in used:
                    kept.append(step)
                    _slots_of(step.value, used)
                continue
            if isinstance(step, GradientStep):
                if not used.intersection(step.outputs):
                    continue
                used.update(step.inputs, step.plain)
                if step.gradient is not None:
                    used |= step.gradient.needs
            elif isinstance(step, (LoopStep, BranchStep)):
                if not step.has_effect and not used.intersection(step.outputs):
                    continue
                used.update(step.inputs, step.reads)
            elif isinstance(step, (ValueGuard, ShapeGuard)):
                if isinstance(step, ShapeGuard) and not step.sizes and step.slot not in used:
                    continue  # a result without a use, as `SelfAdjointEigV2` has without vectors
                used.add(step.slot)
            elif isinstance(step, SizeGuard):
                _slots_of_formula(step.formula, used)
            else:
                if (
                    step.op.effect is None or step.op.effect.startswith("reads")
                ) and not used.intersection(step.outputs):
                    continue
                used.update(step.inputs)
                _slots_of(step.attributes, used)
            kept.append(step)
        block.steps = kept[::-1]
        block.needs = used
