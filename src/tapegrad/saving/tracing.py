"""`trace` records what a function does for inputs of some specs, for all sizes that the specs leave open.

The algorithm:

1. Choose stand-ins for the inputs: in each of four runs, arrays with other sizes along the unknown axes
   (`stand_ins`).
2. Run the function on them, and write down its ops (`op_trace`). If Python reads a boolean tensor, run it
   again with the other answer: the runs are a tree of blocks.
3. Compare the four runs of each path, step by step. What is the same in all runs is a constant; a number
   that differs must follow from sizes (`size_expressions`). Steps of the same op become one step.
4. Remove dead code: steps whose results no step uses.
5. Run the function on further inputs, and compare these runs with the recording (`validation`).
6. If a comparison fails, try the next stand-ins; if none are left, the function cannot be saved, and
   `CannotTrace` says why.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.batching.mapping import vectorized_map
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.program.control import Maps
from tapegrad.ops.program.tables import Entries
from tapegrad.saving.nests import ATTRIBUTES, leaves_of
from tapegrad.saving.op_trace import (
    BoolRead,
    CannotRecord,
    CustomGradient,
    HasBatches,
    OpCall,
    OpTrace,
    ValueRead,
    trace_ops,
)
from tapegrad.saving.size_expressions import BuiltTensor, Differs, Expression, Sizes, same_array
from tapegrad.saving.stand_ins import FILLS, RUNS, Choice, multiples, stand_in, stand_ins
from tapegrad.saving.steps import (
    Block,
    Constant,
    GradientStep,
    Recording,
    ShapeGuard,
    Step,
    ValueGuard,
)
from tapegrad.saving.validation import Verdict, verdict

# Numbers that Python code reads in these ways; other numbers are sizes that an op reads.
OF_PYTHON = frozenset("bool int float complex array numpy iterate list tolist".split())
MOST_PATHS = 48
MOST_QUESTIONS = 8  # booleans of a path for which both answers are tried
MOST_WORDS = 40
LARGEST_FOLDED = 1 << 20
MOST_VALIDATED = 1 << 25  # elements computed in validation runs; after that no further run begins


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
        try:
            return _trace(call, flatten, specs, needed)
        except CannotTrace as error:
            if not maps.used:
                raise
            reason = error
    # A map over an unknown number of elements can be saved if it runs on all elements at once.
    try:
        with Maps(_map_at_once):
            recording = _trace(call, flatten, specs, needed)
    except Exception:
        raise reason from None
    steps = itertools.chain(*[block.steps for block in recording.block.blocks()])
    if any(isinstance(step, Step) and step.op.effect == "draws" for step in steps):
        raise reason  # each element would draw other numbers
    return recording


def _map_at_once(fn: Callable[[Any], Any], elems: Any) -> Any:
    return vectorized_map(fn, elems, fallback_to_while_loop=False, warn=False)


def _trace(
    call: Callable[[list[EagerTensor]], Any],
    flatten: Callable[[Any], list[Any]],
    specs: list[Any],
    needed: Iterable[int],
) -> Recording:
    """`trace`, with maps as they are."""
    vary = any(not spec.shape.is_fully_defined() for spec in specs)
    poor: tuple[int, Recording] | None = None  # how often the recording would raise; never wrong
    richer = False
    failed: Exception | None = None
    reason: Exception | None = None
    revealing_fill: str | None = (
        None  # the fill of stand-ins that showed a difference: other fills could hide it
    )
    choices = itertools.chain(stand_ins(specs, FILLS), multiples(specs, needed))
    while True:
        choice = next(choices, None)
        if choice is None:
            break
        if revealing_fill not in (None, choice.fill):
            continue
        try:
            paths = _Paths(call, flatten, specs, choice, vary)
            recording, verdicts = paths.validated()
            if Verdict.WRONG not in verdicts:
                refused = verdicts.count(Verdict.REFUSES)
                if not refused:
                    return recording
                if poor is None or refused < poor[0]:
                    poor = refused, recording
            else:
                reason = reason or Differs("it does something else for other sizes or values")
            if not richer:
                # Stand-ins that show more. If these fail, a recording that raises for some inputs is
                # better than none.
                richer = True
                rich = stand_ins(specs, ("rich",), paths.words)
                choices = itertools.chain(rich, () if poor else choices)
        except Differs as error:
            reason, revealing_fill = reason or error, choice.fill
        except CannotRecord as error:
            if not richer:
                raise CannotTrace(str(error)) from None
        except _Fails as error:
            failed = failed or error.error
    if poor is not None:
        return poor[1]
    if reason is not None:
        raise CannotTrace(f"what it does depends on sizes in a way that is not seen: {reason}")
    assert failed is not None
    raise failed


class _Fails(Exception):
    """The function raises an error on these stand-ins."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class _Paths:
    """All paths through a function, on one choice of stand-ins."""

    def __init__(
        self, call: Any, flatten: Any, specs: list[Any], choice: Choice, vary: bool
    ) -> None:
        self._call, self._flatten, self._specs = call, flatten, specs
        self._choice = choice
        self._stand_ins = choice.runs if vary else choice.runs[:RUNS]
        self._vary = vary
        self._batches = False
        self._variables: dict[int, Any] = {}
        self.words: list[bytes] = []  # the keys of tables that the function looks up
        self._coincidental: set[tuple[int, int]] = set()  # see `Sizes.add_tensor`

    def validated(self) -> tuple[Recording, list[Verdict]]:
        """The recording, and the verdicts for further sizes and values.

        A size that values decide may equal another size of the function by chance. If a validation run shows
        that, the recording is made again, with the two sizes told apart.

        Raises:
            Differs: steps follow from such a size, and no run shows from which of the two.
        """
        recording = self.find()
        while True:
            verdicts, coincidences = self._validate(recording)
            if coincidences <= self._coincidental:
                return recording, verdicts
            self._coincidental |= coincidences
            try:
                corrected = self.find()
            except Differs:
                if Verdict.WRONG in verdicts:
                    raise
                return (
                    recording,
                    verdicts,
                )  # it raises an error for inputs where the two sizes differ
            recording = corrected

    def _validate(self, recording: Recording) -> tuple[list[Verdict], set[tuple[int, int]]]:
        verdicts = []
        coincidences: set[tuple[int, int]] = set()
        computed = 0
        # Small inputs first: a slow function is validated with a few items.
        for fill, run, shapes in sorted(
            self._choice.validation_shapes(self._specs, self._vary),
            key=lambda entry: sum(math.prod(shape) for shape in entry[2]),
        ):
            if computed > MOST_VALIDATED:
                break
            inputs = [
                EagerTensor(stand_in(spec, shape, fill, run, number, self.words))
                for number, (spec, shape) in enumerate(zip(self._specs, shapes, strict=True))
            ]
            with contextlib.suppress(CannotRecord):
                other_run = trace_ops(
                    self._call, self._flatten, inputs, self._vary, (), self._batches
                )
                verdicts.append(verdict(recording.block, other_run, coincidences))
                computed += sum(tensor._array.size for tensor in other_run.tensors)
        return verdicts, coincidences

    def _run(self, number: int, answers: tuple[bool, ...]) -> OpTrace:
        inputs = [EagerTensor(array) for array in self._stand_ins[number]]
        try:
            return trace_ops(self._call, self._flatten, inputs, self._vary, answers, self._batches)
        except HasBatches:
            self._batches = True
            return self._run(number, answers)

    def find(self) -> Recording:
        """A recording of all paths, from runs on the stand-ins."""
        root = Block()
        waiting: list[tuple[bool, ...]] = [()]
        seen: set[tuple[bool, ...]] = set()
        path_count = 0
        first_error: Exception | None = None
        while waiting and path_count < MOST_PATHS:
            answers = waiting.pop(0)
            runs = [self._run(0, answers)]
            asked = tuple(runs[0].answers)
            if asked in seen:
                continue
            seen.add(asked)
            if runs[0].error is not None and not asked:
                raise _Fails(runs[0].error)
            try:
                runs += [self._run(i, asked) for i in range(1, len(self._stand_ins))]
                self._insert(root, runs)
                path_count += 1
            except (Differs, CannotRecord):
                if not answers:
                    raise
                continue  # this branch is not saved
            if runs[0].error is not None:
                first_error = first_error or runs[0].error
            for index in range(len(answers), min(len(asked), MOST_QUESTIONS)):
                waiting.append((*asked[:index], not asked[index]))
        if all(block.results is None for block in root.blocks()):
            assert first_error is not None
            raise _Fails(first_error)
        _drop_unused(root)
        return Recording(self._specs, root, list(self._variables.values()))

    def _insert(self, root: Block, runs: list[OpTrace]) -> None:
        """Merge the runs of one path, and add it to the tree of blocks."""
        first = runs[0]
        if any((run.error is None) != (first.error is None) for run in runs):
            raise Differs("it fails for some sizes")
        if any(len(run.steps) != len(first.steps) for run in runs):
            raise Differs("how many steps it takes")
        for step in first.steps:
            if isinstance(step, OpCall):
                for value in step.attributes:
                    if isinstance(value, VariableBase):
                        self._variables[value._unique_id] = value
                    elif isinstance(value, Entries) and value.key_dtype is dtypes.string:
                        self.words.extend(itertools.islice(value.values, MOST_WORDS))
        path = _Path(runs, len(self._specs), self._coincidental)
        # Parts of the path: steps up to a boolean that Python reads, its slot, and the answer.
        parts: list[tuple[list[Any], int, bool]] = []
        steps: list[Any] = []
        for versions in zip(*[run.steps for run in runs], strict=True):
            first_step = versions[0]
            if isinstance(first_step, BoolRead):
                if any(type(v) is not BoolRead or v.slot != first_step.slot for v in versions):
                    raise Differs("what Python asks for")
                parts.append((steps, first_step.slot, first_step.answer))
                steps = []
            else:
                steps.extend(path.merged(versions))
        if any(run.slots != first.slots for run in runs):
            raise Differs("its results")
        steps.extend(path.constants_of(first.slots))
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
            first.tensors[slot].shape.most_specific_common_supertype(
                [run.tensors[slot].shape for run in runs[1:]]
            )
            for slot in first.slots
        ]
        try:
            block.structure = leaves_of(first.results, shapes)
        except TypeError as error:
            raise CannotRecord(str(error)) from None


class _Path:
    """Merges the steps of several runs along one path."""

    def __init__(
        self, runs: list[OpTrace], inputs: int, coincidental: set[tuple[int, int]]
    ) -> None:
        self._runs = runs
        self._coincidental = coincidental
        self._sizes = Sizes(len(runs))
        self._emitted: set[int] = set()  # slots of constants for which there is a step
        self._folded: dict[int, Any] = {}
        for slot in range(inputs):
            self._add_sizes(slot, True)

    def _add_sizes(self, slot: int, is_input: bool = False) -> None:
        self._sizes.add_tensor(
            slot, [run.tensors[slot]._array.shape for run in self._runs], is_input
        )

    def merged(self, versions: tuple[Any, ...]) -> Iterator[Any]:
        first = versions[0]
        if any(type(version) is not type(first) for version in versions):
            raise Differs("what it does")
        if isinstance(first, ValueRead):
            yield from self._number(versions)
            return
        if isinstance(first, CustomGradient):
            yield from self._rule(versions)
            return
        assert isinstance(first, OpCall)
        for version in versions:
            if (
                version.op is not first.op
                or version.inputs != first.inputs
                or version.outputs != first.outputs
            ):
                raise Differs(f"it calls {first.op.type} or {version.op.type}")
        attributes = tuple(
            [
                self._sizes.value(list(parts))
                for parts in zip(*[v.attributes for v in versions], strict=True)
            ]
        )
        expected = self._shapes_of(first)
        for slot in first.outputs:
            self._add_sizes(slot)
        if self._fold(first, attributes):
            return
        yield from self.constants_of(first.inputs)
        step = Step(first.op, first.inputs, attributes, list(first.outputs))
        step.kinds = [self._runs[0].tensors[slot].dtype for slot in first.outputs]
        yield step
        yield from expected

    def _rule(self, versions: tuple[CustomGradient, ...]) -> Iterator[Any]:
        first = versions[0]
        for version in versions:
            if (version.inputs, version.plain, version.outputs) != (
                first.inputs,
                first.plain,
                first.outputs,
            ):
                raise Differs(f"{first.name} has other arguments")
        yield from self.constants_of((*first.inputs, *first.plain))
        for slot in first.outputs:
            self._add_sizes(slot)
        step = GradientStep(first)
        step.reason = next((v.reason for v in versions if v.reason is not None), None)
        if step.reason is None:
            # Constants and sizes of the gradient are not available after it.
            emitted, folded = set(self._emitted), dict(self._folded)
            self._sizes.begin()
            try:
                step.gradient = self._gradient(versions)
            except Differs as error:
                step.reason = str(error)
            self._sizes.end()
            self._emitted, self._folded = emitted, folded
        yield step

    def _gradient(self, versions: tuple[CustomGradient, ...]) -> Block:
        first = versions[0]
        if any(len(v.steps) != len(first.steps) or v.dys != first.dys for v in versions):
            raise Differs("how many steps it takes")
        block = Block()
        for slot in first.dys:
            self._add_sizes(slot)
        for versions_of_step in zip(*[version.steps for version in versions], strict=True):
            block.steps.extend(self.merged(versions_of_step))
        if any(version.slots != first.slots for version in versions):
            raise Differs("its results")
        block.steps.extend(self.constants_of(first.slots))
        block.results = first.slots
        known = [None] * len(first.slots)
        try:
            block.structure = leaves_of(first.results, [TensorShape(None) for _ in known])
        except TypeError as error:
            raise Differs(str(error)) from None
        if any(isinstance(step, Step) and step.op.effect == "draws" for step in block.steps):
            raise Differs("it draws random numbers")
        _drop_unused(block)
        block.needs.difference_update(first.dys)
        for step in block.steps:
            if isinstance(step, Constant):
                block.needs.discard(step.slot)
            elif isinstance(step, (Step, GradientStep)):
                block.needs.difference_update(step.outputs)
        if any(slot > max(first.outputs) and slot not in self._emitted for slot in block.needs):
            raise Differs("it uses what is computed after it")
        return block

    def _shapes_of(self, called: OpCall) -> list[ShapeGuard]:
        """Guards for the results of an op whose shapes depend on values.

        Python may have used the sizes. A size that differs between runs, and equals no size so far, is a new
        one.
        """
        op = called.op
        if op.values not in (None, "shapes") or op.effect is not None:
            return []
        guards = []
        for slot in called.outputs:
            shapes = [run.tensors[slot]._array.shape for run in self._runs]
            if any(len(shape) != len(shapes[0]) for shape in shapes):
                continue
            for axis, axis_sizes in enumerate(zip(*shapes, strict=True)):
                if (slot, axis) in self._coincidental:
                    self._sizes.mark_coincidental(axis_sizes)
            sizes = [self._sizes.known(sizes) for sizes in zip(*shapes, strict=True)]
            if any(size is not None for size in sizes):
                guards.append(ShapeGuard(slot, sizes))
        return guards

    def _fold(self, called: OpCall, attributes: Any) -> bool:
        """Whether the results are constants. If so, they are folded: no step computes them."""
        runs = self._runs
        if called.op.effect is not None or _holds_expression(attributes):
            return False
        if not all(slot in runs[0].constants or slot in self._folded for slot in called.inputs):
            return False
        size = 0
        for slot in called.outputs:
            arrays = [run.tensors[slot]._array for run in runs]
            if not all(same_array(array, arrays[0]) for array in arrays):
                return False
            size += arrays[0].nbytes
        if size > LARGEST_FOLDED:
            return False
        for slot in called.outputs:
            self._folded[slot] = runs[0].tensors[slot]._array
        return True

    def constants_of(self, slots: Any) -> Iterator[Constant]:
        """A step for each of the slots that holds a constant, before its first use."""
        for slot in slots:
            if slot in self._emitted:
                continue
            if slot in self._folded:
                self._emitted.add(slot)
                yield Constant(slot, self._folded[slot])
            elif slot in self._runs[0].constants:
                self._emitted.add(slot)
                arrays = [run.tensors[slot]._array for run in self._runs]
                yield Constant(slot, self._sizes.value(arrays))

    def _number(self, versions: tuple[Any, ...]) -> Iterator[Any]:
        first = versions[0]
        values = [version.value for version in versions]
        if any(version.slot != first.slot for version in versions):
            raise Differs("what Python reads")
        if all(same_array(value, values[0]) for value in values):
            yield ValueGuard(first.slot, values[0], first.how)
            return
        of_python = first.how in OF_PYTHON
        same_shape = all(value.shape == values[0].shape for value in values)
        if not same_shape:
            if of_python or any(value.ndim != 1 or not value.size for value in values):
                raise Differs(f"what Python reads ({first.how})")
            self._sizes.add_last(first.slot, values)
        elif of_python:
            for numbers in zip(*[value.ravel().tolist() for value in values], strict=True):
                if any(number != numbers[0] for number in numbers):
                    self._sizes.number(tuple(numbers))
            return
        else:
            self._sizes.add_values(first.slot, values)
        self._sizes.add_array(first.slot, values)


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
            elif isinstance(step, (ValueGuard, ShapeGuard)):
                used.add(step.slot)
                _slots_of(step.value if isinstance(step, ValueGuard) else step.sizes, used)
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
