"""`OpTrace` records the ops that a function calls on stand-ins for its arguments, whose sizes are open.

What it writes down holds for all sizes: attributes have expressions where sizes are in them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.core.abstract import CHECK
from tapegrad.core.kinds import Closing
from tapegrad.core.opening import OpenArray, elements_of
from tapegrad.core.recorder import Recorder
from tapegrad.core.sizes import Guard, Size, hint_of
from tapegrad.core.tracebacks import Place, line_of_program, place_of, place_of_program
from tapegrad.framework import calls, random_state
from tapegrad.functions.components import flatten
from tapegrad.functions.first_values import FirstValues
from tapegrad.ops.program.host import running_on_stand_ins
from tapegrad.ops.program.scopes import Loops
from tapegrad.ops.program.tables import keeping_tables
from tapegrad.saving.open_sizes import BuiltTensor, Differs, SavedSizes
from tapegrad.saving.python_loops import called
from tapegrad.saving.steps import CannotRecord, ShapeGuard, SizeGuard
from tapegrad.saving.ways import BranchCall, LoopCall, Way, WholeLoops

# Values read for these reasons are shown to people; the program does not branch on them.
SHOWN = frozenset(["repr", "str", "format"])
MOST_STEPS = 100_000
LARGEST_READ = 512  # elements of a tensor that Python reads
MOST_ORDERS = 2  # a gradient within the gradient of a gradient is not saved


class OpCall(NamedTuple):
    """An op was called: its inputs and results are numbers of slots. ``place`` is in the user's program."""

    op: Any
    inputs: tuple[int, ...]
    attributes: tuple[Any, ...]
    outputs: tuple[int, ...]
    place: Place | None


class BoolRead(NamedTuple):
    """Python read the boolean in a slot, and got this answer."""

    slot: int
    answer: bool


class ValueRead(NamedTuple):
    """Python read the numbers in a slot."""

    slot: int
    value: np.ndarray[Any, Any]
    how: str


class CustomGradient:
    """A custom gradient: ``outputs`` equal ``plain``, and their gradient goes to ``inputs``.

    The gradient has steps, from the slots ``dys`` to ``slots``, or a reason why it cannot be recorded.
    """

    def __init__(
        self,
        name: str,
        inputs: tuple[int, ...],
        plain: tuple[int, ...],
        outputs: tuple[int, ...],
        backward: Callable[..., Any],
        depth: int,
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.plain = plain
        self.outputs = outputs
        self.backward = backward
        self.depth = depth  # 1, or more inside the gradient of another one
        self.dys: list[int] = []
        self.steps: list[Any] = []
        self.results: Any = None
        self.slots: list[int] = []
        self.reason: str | None = None


class OpTrace(core.RuleKeeper):
    """An observer that records the steps of one run of a function on ``inputs``.

    Args:
        answers: the values that Python gets when it reads boolean tensors, in order. Later reads give the
            tensors' own values.

    A `Recorder` observes too. It lowers ops on batches to ops on plain arrays, and this observer is told of
    those.
    """

    def __init__(self, answers: tuple[bool, ...], whole_loops: WholeLoops | None = None) -> None:
        self.tensors: list[
            EagerTensor
        ] = []  # of each slot. They stay alive, so that no id is used twice.
        self.shapes: list[
            list[int | None]
        ] = []  # of each slot, as far as they are the same for all sizes
        self.constants: dict[int, Any] = {}  # arrays, and how they are built from sizes
        self.read: dict[int, Any] = {}  # the numbers that Python has read, of these slots
        self.steps: list[Any] = []
        self.answers: list[bool] = []
        self.results: Any = None
        self.slots: list[int] = []  # of the results
        self.error: Exception | None = None
        self.sizes = SavedSizes(self._refuse, self._decide, self._dependent_slot, self.read)
        self._rules: list[CustomGradient] = []  # custom gradients that have not run yet
        self._rule: CustomGradient | None = None  # the custom gradient that runs now
        self._answers = answers
        self._by_id: dict[int, int] = {}
        self._by_array: dict[int, int] = {}
        self._dependent: set[int] = set()
        self._asked: set[int] = set()
        self._decided: set[Guard] = set()
        self._parted: dict[int, tuple[EagerTensor, Any]] = {}  # by id, with the array it had before
        self._replaced: list[Any] = []  # arrays that stay alive, so that no id is used twice
        self._begun = 0  # the id of the last tensor before the function
        self._recorder: Recorder | None = None
        self._whole_loops = whole_loops
        self._loops = 0  # in how many loops the function is now
        self._way: Way | None = None  # the way through a part of a loop that it takes now
        self._ended: set[int] = set()  # slots within loops that have ended

    def begin(self, inputs: list[EagerTensor], recorder: Recorder) -> None:
        """Take the tensors of the function, which no other code holds."""
        self._recorder = recorder
        self._begun = core.convert(0.0)._id
        for tensor in inputs:
            self._dependent.add(self._new(tensor))

    def _refuse(self, text: str) -> None:
        raise CannotRecord(text)

    def _decide(self, guard: Guard) -> None:
        """Note that Python code has decided by sizes."""
        if guard not in self._decided:
            self._decided.add(guard)
            self._append(SizeGuard(guard, *self.sizes.decision(guard), place_of_program()))

    def _append(self, step: Any) -> None:
        if len(self.steps) >= MOST_STEPS:
            raise CannotRecord(f"it takes more than {MOST_STEPS} steps")
        self.steps.append(step)

    def _dependent_slot(self, tensor: EagerTensor) -> int | None:
        slot = self.find(tensor)
        return slot if slot in self._dependent else None

    def is_decided(self, tensor: EagerTensor) -> bool:
        """Whether a tensor follows from the arguments."""
        return _is_open(tensor) or self._dependent_slot(tensor) is not None

    def _new(self, tensor: EagerTensor) -> int:
        slot = None if self._way is None else self._way.take()
        array: Any = tensor._array
        shape = [None if type(size) is Size else size for size in array.shape]
        if slot is None:
            slot = len(self.tensors)
            self.tensors.append(tensor)
            self.shapes.append(shape)
        else:
            self._replaced.append(self.tensors[slot])
            self.tensors[slot], self.shapes[slot] = tensor, shape
        if self._way is not None:
            self._way.note(slot)
        self._replaced.append(array)
        self._by_id[tensor._id] = slot
        self._by_array[id(array)] = slot
        if type(array) is OpenArray:
            self.sizes.find(slot, array)
        return slot

    def find(self, tensor: EagerTensor) -> int | None:
        """The slot of a tensor, or of the tensor that it aliases; None if the function did not compute it."""
        slot = self._by_id.get(tensor._id)
        if slot is None and tensor._id > self._begun:
            slot = self._by_array.get(id(tensor._array))
        return slot

    def slot(self, tensor: EagerTensor) -> int:
        """The slot of a tensor. A tensor that the function did not compute becomes a constant."""
        slot = self.find(tensor)
        if slot is None:
            value = self.sizes.constant(tensor._array)
            slot = self._new(tensor)
            self.constants[slot] = value
            if isinstance(value, BuiltTensor):
                self._dependent.add(slot)
        elif self._way is not None:
            self._way.repeat(slot)
        if slot in self._ended:
            raise CannotRecord(
                f"it reads a tensor of a loop after the loop{place_of(line_of_program())}"
            )
        return slot

    def observe(
        self,
        op: Any,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[Any, ...],
    ) -> None:
        if not all(_is_followed(tensor) for tensor in (*inputs, *outputs)):
            return  # the recorder lowers it
        places = tuple([self.slot(tensor) for tensor in inputs])
        # What follows from sizes alone is an open array too.
        dependent = (
            op.effect is not None
            or any(_is_open(tensor) for tensor in outputs)
            or (op.values != "nothing" and any(slot in self._dependent for slot in places))
        )
        attributes = self.sizes.expressed(attributes)
        if op.effect == "reads resource":
            self._part(outputs)
        targets = []
        for tensor in outputs:
            targets.append(self._new(tensor))
            if dependent:
                self._dependent.add(targets[-1])
        if self._rule is not None and op.effect == "calls":
            self._rule.reason = f"{op.type} calls Python"
        if op.effect == "draws":
            attributes = _with_seeds(op, attributes)
        self._append(OpCall(op, places, attributes, tuple(targets), place_of_program()))
        for slot, tensor in zip(targets, outputs, strict=True):
            self._expect_shape(op, slot, tensor._array)

    def _part(self, tensors: list[EagerTensor]) -> None:
        """Give what a variable was read as an array of its own, over the same memory, as long as this runs.

        The array of a variable may also be that of a number in the program, of a tensor or of another
        variable. It would not say of which of them a tensor is an alias.
        """
        for tensor in tensors:
            array: Any = tensor._array
            if tensor._id not in self._parted and type(array) is np.ndarray:
                self._parted[tensor._id] = tensor, array
                core.pretend(tensor, array.view())

    def end(self) -> None:
        """Give the values of variables their arrays back."""
        for tensor, array in self._parted.values():
            core.pretend(tensor, array)

    def _expect_shape(self, op: Any, slot: int, array: Any) -> None:
        """Write down what the shape of a result has to be, if values may have decided it."""
        if type(array) is OpenArray:
            shape = self.sizes.unsure_shape(array)
            if shape is not None:
                self.steps.append(ShapeGuard(slot, list(shape)))
        elif slot in self._dependent and op.values in (None, "shapes") and op.effect is None:
            self.steps.append(ShapeGuard(slot, list(array.shape)))

    def value_read(self, tensor: EagerTensor, how: str) -> None:
        slot = self.find(tensor)
        if slot is None or slot not in self._dependent or slot in self._asked or how in SHOWN:
            return
        if how.startswith(CHECK):
            return  # a loaded function refuses what its ops refuse
        array: Any = tensor._array
        elements = elements_of(array)
        is_truth = elements.dtype == np.bool_ and elements.size == 1
        if self._loops and not (is_truth and self._way is not None):
            raise CannotRecord(
                f"Python code in a loop reads a value ({how}){place_of(line_of_program())}"
            )
        self._asked.add(slot)
        if is_truth:
            if self._rule is not None:
                self._rule.reason = f"Python code in it asks for a value ({how})"
            elif self._way is not None:
                self._pretend(tensor, slot, self._way.answer(slot))
            else:
                number = len(self.answers)
                answer = self._answers[number] if number < len(self._answers) else bool(elements)
                self._pretend(tensor, slot, answer)
                self.answers.append(answer)
                self.steps.append(BoolRead(slot, answer))
            return
        if elements.size > LARGEST_READ:
            raise CannotRecord(
                f"Python code reads the values of a tensor of shape {elements.shape} ({how})"
                f"{place_of(line_of_program())}"
            )
        self.read[slot] = np.array(elements)
        self.steps.append(ValueRead(slot, self.read[slot], how))

    def _pretend(self, tensor: EagerTensor, slot: int, answer: bool) -> None:
        """Make a boolean what the function is to find in it."""
        array: Any = tensor._array
        elements = elements_of(array)
        if answer != bool(elements):
            other: Any = np.full(elements.shape, answer)
            if type(array) is OpenArray:
                other = OpenArray(other, array.shape, self.sizes)
            core.pretend(tensor, other)
            self._replaced.append(other)
            self._by_array[id(other)] = slot

    def loop(
        self,
        asked: Any,
        cond: Callable[..., Any],
        body: Callable[..., Any],
        values: list[EagerTensor],
        limit: int | None,
    ) -> list[EagerTensor] | None:
        """The variables after the rest of a loop, which becomes one step; None if arguments do not end it.

        Args:
            asked: what the condition has given for ``values``. With None nothing but a turn ends the loop.
            cond, body: functions of the variables.
            values: the variables now.
            limit: the largest number of turns.
        """
        if asked is not None and not (
            isinstance(asked, EagerTensor) and self._dependent_slot(asked) is not None
        ):
            return None
        if self._whole_loops is not None:
            self._whole_loops.met = True
        if self._rule is not None or core.is_recording():
            raise CannotRecord("a tape watches a loop that values end")
        shapes = [tuple(tensor._array.shape) for tensor in values]
        open_axes: set[tuple[int, int]] = set()
        before, decided = self.steps, self._decided
        self._loops += 1
        try:
            while True:
                self._decided = set(decided)
                slots: set[int] = set()
                call, results = self._turn(cond, body, values, shapes, limit, slots)
                grown = self._changed(shapes, results) - open_axes
                self._end(slots)
                if not grown:
                    break
                # Another turn would begin with another size: any size begins one.
                open_axes |= grown
                shapes = [
                    self._opened(shape, number, open_axes, result)
                    for number, (shape, result) in enumerate(zip(shapes, results, strict=True))
                ]
        finally:
            self.steps, self._decided = before, decided
            self._loops -= 1
        outputs = []
        for number, (shape, result) in enumerate(zip(shapes, results, strict=True)):
            own = self._opened(shape, number, open_axes, result)
            outputs.append(self._stand_in(result, own))
        call.outputs = tuple([self._variable(tensor) for tensor in outputs])
        self._append(call)
        return outputs

    def branch(
        self, asked: EagerTensor, *ways: Callable[[], list[EagerTensor] | None]
    ) -> list[EagerTensor] | None:
        """What two functions give, of which a boolean chooses one, as one step within a loop.

        Outside of loops, and where no argument decides, it is None: Python asks for the boolean.
        """
        if not self._loops or self._dependent_slot(asked) is None or asked.ndim:
            return None
        call = BranchCall(self.slot(asked), place_of_program())
        taken = int(not elements_of(asked._array))
        before, decided = self.steps, self._decided
        results: list[list[EagerTensor]] = []
        try:
            for way in ways:
                self._decided = set(decided)
                slots: set[int] = set()
                steps, tensors = self._explored(way, slots)
                results.append(tensors)
                call.ways.append((steps, tuple([self.slot(tensor) for tensor in tensors])))
                self._end(slots)
        finally:
            self.steps, self._decided = before, decided
        outputs = [
            self._joined(one, other, taken)
            for one, other in zip(results[0], results[1], strict=True)
        ]
        call.outputs = tuple([self._variable(tensor) for tensor in outputs])
        self._append(call)
        return outputs

    def _joined(self, one: EagerTensor, other: EagerTensor, taken: int) -> EagerTensor:
        """What two ways give, as one tensor with the elements of the first or the second."""
        if one.dtype is not other.dtype or one.ndim != other.ndim:
            raise CannotRecord("the branches in a loop give tensors of other dtypes or axes")
        tensor = (one, other)[taken]
        shapes = [tuple(part._array.shape) for part in (one, other)]
        lengths = elements_of(tensor._array).shape
        own = tuple(
            [
                size if repr(size) == repr(same) else self.sizes.new_size(length)
                for size, same, length in zip(*shapes, lengths, strict=True)
            ]
        )
        return self._stand_in(tensor, own)

    def _end(self, slots: set[int]) -> None:
        """Note that these tensors are not there after a loop or a branch."""
        self._ended.update(
            slot for slot in slots if slot in self._dependent or slot not in self.constants
        )

    def _explored(
        self, run: Callable[[], list[EagerTensor] | None], slots: set[int]
    ) -> tuple[list[Any], list[EagerTensor]]:
        """The steps of all ways through a part of a loop, and its results.

        Where Python asks for a boolean, the part runs once more for the other answer, and what follows is a
        branch.

        Args:
            run: the part.
            slots: gets those of its tensors.
        """
        state = set(self._decided), set(self._asked), len(self._rules)
        return self._explored_after((), [], run, slots, state)

    def _explored_after(
        self, answers: tuple[bool, ...], repeated: list[int], run: Any, slots: set[int], state: Any
    ) -> tuple[list[Any], list[EagerTensor]]:
        """`_explored`, for the ways that begin with these answers: the steps after the last of them.

        Args:
            repeated: the slots of the tensors up to there, which an earlier run had as well.
            state: what had been decided and asked before the part, and how many rules there were.
        """
        self._ended -= slots
        way, results = self._run_way(answers, repeated, run, state)
        slots.update(way.slots)
        if len(slots) > MOST_STEPS:
            raise CannotRecord("there are too many ways through a loop")
        rules, first_rule = self._rules[state[2] :], state[2]
        begin, end = way.begin_of(len(answers)), len(way.steps)
        rest: list[Any] = []
        # From the last question to the first: what follows it is known by then.
        for number in reversed(range(len(answers), len(way.questions))):
            question = way.questions[number]
            rest = [*way.steps[question.steps : end], *rest]
            end = question.steps
            del self._rules[first_rule:]
            flipped = (*way.replies[:number], not way.replies[number])
            other_rest, other_results = self._explored_after(
                flipped, way.slots[: question.slots], run, slots, state
            )
            rules += self._rules[first_rule:]
            branch = BranchCall(question.slot, question.place)
            results = self._join(branch, (other_rest, other_results), (rest, results))
            slots.update(branch.outputs)
            rest = [branch]
        self._rules[first_rule:] = rules
        return [*way.steps[begin:end], *rest], results

    def _run_way(
        self, answers: tuple[bool, ...], repeated: list[int], run: Any, state: Any
    ) -> tuple[Way, list[EagerTensor]]:
        """One run of a part of a loop."""
        self._decided, self._asked, self.steps = set(state[0]), set(state[1]), []
        way = self._way = Way(self._way, answers, repeated, self.steps)
        try:
            results = run()
        except (CannotRecord, Closing, Differs):
            raise
        except Exception as error:
            if not answers:
                raise
            raise CannotRecord(
                f"a way through a loop raises {type(error).__name__}: {error}"
            ) from None
        finally:
            self._way = way.outer
        if results is None:
            raise CannotRecord("a branch in a loop gives something else than tensors")
        if len(way.questions) < len(answers):
            raise CannotRecord("the Python code does not do the same each time")
        return way, results

    def _join(
        self, branch: BranchCall, *ways: tuple[list[Any], list[EagerTensor]]
    ) -> list[EagerTensor]:
        """The results of two ways, if true and if false: those that differ are results of the branch."""
        pairs = [
            (one, other, self.slot(one), self.slot(other))
            for one, other in zip(ways[0][1], ways[1][1], strict=True)
        ]
        differing = [pair for pair in pairs if pair[2] != pair[3]]
        branch.ways = [
            (ways[0][0], tuple([slot for _, _, slot, _ in differing])),
            (ways[1][0], tuple([slot for *_, slot in differing])),
        ]
        joined = [self._joined(one, other, 1) for one, other, *_ in differing]
        branch.outputs = tuple([self._variable(tensor) for tensor in joined])
        remaining = iter(joined)
        return [next(remaining) if slot != same else other for _, other, slot, same in pairs]

    def _turn(
        self,
        cond: Any,
        body: Any,
        values: list[EagerTensor],
        shapes: list[Any],
        limit: int | None,
        slots: set[int],
    ) -> tuple[LoopCall, list[EagerTensor]]:
        """The steps of one turn with variables of these shapes, and its results."""
        inputs = tuple([self.slot(tensor) for tensor in values])
        tensors = [self._stand_in(*pair) for pair in zip(values, shapes, strict=True)]
        variables = tuple([self._variable(tensor) for tensor in tensors])
        slots.update(variables)
        call = LoopCall(inputs, variables, limit, place_of_program())
        asked: set[int] = set()
        call.condition, (truth,) = self._explored(lambda: [core.convert(cond(*tensors))], asked)
        call.asked = self.slot(truth)

        def turn() -> list[EagerTensor]:
            after = body(*tensors)
            after = list(after) if isinstance(after, (list, tuple)) else [after]
            return [core.convert(part) for part in after]

        call.body, results = self._explored(turn, slots)
        slots |= asked
        if len(results) != len(values):
            raise CannotRecord("the body of a loop gives another number of variables")
        if [part.dtype for part in results] != [tensor.dtype for tensor in values]:
            raise CannotRecord("a variable of a loop changes its dtype")
        call.results = tuple([self.slot(tensor) for tensor in results])
        return call, results

    def _changed(self, shapes: list[Any], results: list[EagerTensor]) -> set[tuple[int, int]]:
        """The variables and axes whose sizes a turn may change."""
        changed = set()
        for number, (shape, result) in enumerate(zip(shapes, results, strict=True)):
            after = result._array.shape
            if len(after) != len(shape):
                raise CannotRecord("a variable of a loop changes its number of axes")
            # Compared as text: comparing sizes is a decision by them.
            changed |= {
                (number, axis)
                for axis, pair in enumerate(zip(shape, after, strict=True))
                if repr(pair[0]) != repr(pair[1])
            }
        return changed

    def _opened(
        self, shape: tuple[Any, ...], number: int, axes: set[tuple[int, int]], result: EagerTensor
    ) -> tuple[Any, ...]:
        """A shape with sizes of their own for some axes of the variable with this number."""
        lengths = elements_of(result._array).shape
        return tuple(
            [
                self.sizes.new_size(lengths[axis]) if (number, axis) in axes else size
                for axis, size in enumerate(shape)
            ]
        )

    def _stand_in(self, tensor: EagerTensor, shape: tuple[Any, ...]) -> EagerTensor:
        """A tensor with the elements of another one, of which nothing but the shape is known."""
        elements = elements_of(tensor._array)
        lengths = tuple(map(hint_of, shape))
        if elements.shape != lengths:  # those of the turn before, as far as they go
            elements = np.resize(elements, lengths)
        return EagerTensor(OpenArray(np.array(elements), shape, self.sizes))

    def _variable(self, tensor: EagerTensor) -> int:
        """A new slot for a variable of a loop."""
        assert self._recorder is not None, "a loop runs outside of a trace"
        self._recorder.follow(tensor)
        slot = self._new(tensor)
        self._dependent.add(slot)
        return slot

    def rule_recorded(
        self,
        type_name: str,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        backward: Callable[..., Any],
    ) -> None:
        if not all(_is_followed(tensor) for tensor in (*inputs, *outputs)):
            raise CannotRecord(
                f"{type_name}, which has a gradient of its own, works on items of a batch"
            )
        places = tuple([self.slot(tensor) for tensor in inputs])
        if not self._dependent.intersection(places):
            return
        plain, targets = [], []
        for tensor in outputs:
            slot = self.find(tensor)
            if slot is None:  # the function did not compute it
                slot = self.slot(core.alias(tensor))
            plain.append(slot)
            targets.append(self._new(tensor))
            self._dependent.add(targets[-1])
        depth = 1 if self._rule is None else self._rule.depth + 1
        rule = CustomGradient(type_name, places, tuple(plain), tuple(targets), backward, depth)
        self.steps.append(rule)
        self._rules.append(rule)

    def run_rules(self, recorder: Recorder) -> None:
        """Run the custom gradients, and record their steps."""
        steps = self.steps
        for rule in self._rules:
            if rule.depth > MOST_ORDERS:
                rule.reason = f"it is the gradient of a gradient, of order {rule.depth}"
            elif recorder.reason is not None:  # a rule before it has ended the recorder
                rule.reason = recorder.reason[0]
            else:
                self._run_rule(rule, recorder)
        self.steps = steps

    def _run_rule(self, rule: CustomGradient, recorder: Recorder) -> None:
        self.steps, self._rule = rule.steps, rule
        decided = set(self._decided)  # before; other gradients do not see what this one decides
        dys: list[Any] = []
        for number, slot in enumerate(rule.outputs):
            dys.append(self._given(self.tensors[slot], number))
            if dys[-1] is not None:
                recorder.follow(dys[-1])
                rule.dys.append(self._new(dys[-1]))
                self._dependent.add(rule.dys[-1])
        try:
            # A gradient with rows that repeat (IndexedSlices) is made dense: a result is a tensor.
            rule.results = [
                None
                if dy is None
                else core.convert(dy.value if isinstance(dy, core.Misfit) else dy)
                for dy in rule.backward(*dys)
            ]
            if rule.reason is None:
                rule.slots = [self.slot(tensor) for tensor in flatten(rule.results)]
        except (CannotRecord, Closing) as error:
            rule.reason = str(error)
        except Exception as error:
            rule.reason = f"it raises {type(error).__name__}: {error}"
        finally:
            self._rule, self._decided = None, decided

    def _given(self, tensor: EagerTensor, number: int) -> EagerTensor | None:
        """A stand-in for the gradient of a result; None where it has none."""
        array: Any = tensor._array
        dtype = tensor.dtype
        if not (dtype.is_floating or dtype.is_complex):
            return None
        elements = elements_of(array)
        numbers = (np.arange(elements.size) * 5 + number) % 7 / 4.0 - 0.5
        elements = numbers.astype(elements.dtype).reshape(elements.shape)
        return EagerTensor(OpenArray(elements, array.shape, self.sizes))


def _is_open(tensor: EagerTensor) -> bool:
    array: Any = tensor._array
    return type(array) is OpenArray


def _is_followed(tensor: EagerTensor) -> bool:
    """Whether an observer knows the array; batches are lowered to arrays that it knows."""
    return _is_open(tensor) or isinstance(tensor._array, np.ndarray)


@contextlib.contextmanager
def without_effects() -> Iterator[None]:
    """A context that undoes changes of variables, tables and random streams, and prints nothing."""
    state = random_state.snapshot()
    with core.apart(), keeping_tables(), running_on_stand_ins(), FirstValues() as values:
        try:
            yield
        finally:
            values.stop()
            values.put_back()
            random_state.restore(state)


def trace_ops(
    call: Callable[[list[EagerTensor]], Any],
    flat: Callable[[Any], list[Any]],
    arrays: list[np.ndarray[Any, Any]],
    open_axes: list[list[int]],
    answers: tuple[bool, ...],
    whole_loops: WholeLoops | None,
) -> OpTrace:
    """The `OpTrace` of ``call`` with tensors of these arrays; its effects are undone.

    Args:
        call: gets a list of tensors.
        flat: flattens a result to tensors.
        arrays: stand-ins for the arguments.
        open_axes: for each of them the axes that have any size.
        answers: see `OpTrace`.
        whole_loops: where a loop that arguments end is one step; else its turns are steps, with questions.

    Raises:
        CannotRecord: the function does something that ops do not do.
        Differs: it catches the error of an op.
    """
    for _ in range(4):
        inputs = [EagerTensor(array) for array in arrays]
        recorder = Recorder(inputs, False)
        trace = OpTrace(answers, whole_loops)
        recorder.open_sizes(dict(enumerate(open_axes)), trace.sizes)
        with without_effects():
            recorder.start()
            try:
                trace.begin(inputs, recorder)
                with (
                    trace,
                    Loops(
                        None if whole_loops is None else trace.loop,
                        trace.branch,
                        trace.is_decided,
                        called,
                    ),
                ):
                    _run(trace, call, flat, inputs, recorder)
            finally:
                recorder.stop()
                trace.end()
        if not recorder.made_variables:
            return trace
    raise CannotRecord("it makes variables at every call")


def _run(
    trace: OpTrace, call: Any, flat: Any, inputs: list[EagerTensor], recorder: Recorder
) -> None:
    """Run a function, and the custom gradients in it, under its observers."""
    try:
        trace.results = call(inputs)
    except Closing as error:
        raise CannotRecord(str(error)) from None
    except CannotRecord:
        raise
    except Exception as error:
        trace.error = error
        return
    if recorder.reason is not None:
        text, where = recorder.reason
        raise CannotRecord(f"{text}{place_of(where)}")
    if recorder.failed:
        raise Differs("an op failed, and the function went on: it catches the error")
    trace.slots = [trace.slot(tensor) for tensor in flat(trace.results)]
    if not recorder.made_variables:
        trace.run_rules(recorder)


def _with_seeds(op: Any, attributes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The attributes of an op that has drawn, with the seeds that the op has in a graph of the function."""
    call = calls.current()
    name = call.taken[-1] if type(call) is calls.Call and call.taken else None
    if name is None or not {"seed", "seed2"} <= set(op.attributes):
        return attributes
    first, second = name[-3:-1]
    seeds = {"seed": first, "seed2": second}
    return tuple(
        [seeds.get(key, value) for key, value in zip(op.attributes, attributes, strict=True)]
    )
