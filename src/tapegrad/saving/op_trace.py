"""`OpTrace` records the ops that a function calls on stand-ins for its arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.core.recorder import Recorder
from tapegrad.framework import calls, random_state
from tapegrad.functions.components import flatten
from tapegrad.functions.first_values import FirstValues
from tapegrad.ops.program.host import printing_nothing
from tapegrad.ops.program.tables import keeping_tables

# Values read for these reasons are shown to people; the program does not branch on them.
SHOWN = frozenset(["repr", "str", "format"])
MOST_STEPS = 100_000
LARGEST_READ = 512  # elements of a tensor that Python reads
MOST_ORDERS = 2  # a gradient within the gradient of a gradient is not saved


class OpCall(NamedTuple):
    """An op was called: its inputs and results are numbers of slots."""

    op: Any
    inputs: tuple[int, ...]
    attributes: tuple[Any, ...]
    outputs: tuple[int, ...]


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


class CannotRecord(Exception):
    """A function does something that cannot be recorded."""


class HasBatches(CannotRecord):
    """A function works on batches."""


class OpTrace(core.RuleKeeper):
    """An observer that records the steps of one run of a function on ``inputs``.

    Args:
        inputs: the tensors of the function; no other code holds them.
        shapes_vary: whether the shapes of some inputs are unknown.
        answers: the values that Python gets when it reads boolean tensors, in order. Later reads give the
            tensors' own values.
        batches: whether a `Recorder` on the inputs observes too. It lowers ops on batches to ops on plain
            arrays, and this observer is told of those.
    """

    def __init__(
        self,
        inputs: list[EagerTensor],
        shapes_vary: bool,
        answers: tuple[bool, ...],
        batches: bool,
    ) -> None:
        self.tensors: list[
            EagerTensor
        ] = []  # of each slot. They stay alive, so that no id is used twice.
        self.constants: set[int] = set()
        self.steps: list[Any] = []
        self.answers: list[bool] = []
        self.results: Any = None
        self.slots: list[int] = []  # of the results
        self.error: Exception | None = None
        self._rules: list[CustomGradient] = []  # custom gradients that have not run yet
        self._rule: CustomGradient | None = None  # the custom gradient that runs now
        self._answers = answers
        self._batches = batches
        self._shapes_vary = shapes_vary
        self._by_id: dict[int, int] = {}
        self._by_array: dict[int, int] = {}
        self._dependent: set[int] = set()
        self._asked: set[int] = set()
        self._replaced: list[Any] = []  # arrays that stay alive, so that no id is used twice
        self.inputs = len(inputs)
        self._begun = core.alias(inputs[0])._id if inputs else core.convert(0.0)._id
        for tensor in inputs:
            self._dependent.add(self._new(tensor))

    def _new(self, tensor: EagerTensor) -> int:
        slot = len(self.tensors)
        self.tensors.append(tensor)
        self._by_id[tensor._id] = slot
        self._by_array[id(tensor._array)] = slot
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
            slot = self._new(tensor)
            self.constants.add(slot)
        return slot

    def observe(
        self,
        op: Any,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[Any, ...],
    ) -> None:
        if len(self.steps) >= MOST_STEPS:
            raise CannotRecord(f"it takes more than {MOST_STEPS} steps")
        for tensor in (*inputs, *outputs):
            array: Any = tensor._array
            if not isinstance(array, np.ndarray):
                if self._batches:
                    return
                raise HasBatches(f"{op.type} works on a {type(array).__name__}: items of a batch")
        places = tuple([self.slot(tensor) for tensor in inputs])
        dependent = op.effect is not None or (
            any(slot in self._dependent for slot in places)
            and (self._shapes_vary or op.values != "nothing")
        )
        targets = []
        for tensor in outputs:
            targets.append(self._new(tensor))
            if dependent:
                self._dependent.add(targets[-1])
        if self._rule is not None and op.effect == "calls":
            self._rule.reason = f"{op.type} calls Python"
        if op.effect == "draws":
            attributes = _with_seeds(op, attributes)
        self.steps.append(OpCall(op, places, attributes, tuple(targets)))

    def value_read(self, tensor: EagerTensor, how: str) -> None:
        slot = self.find(tensor)
        if slot is None or slot not in self._dependent or slot in self._asked or how in SHOWN:
            return
        array = tensor._array
        self._asked.add(slot)
        if array.dtype == np.bool_ and array.size == 1:
            if self._rule is not None:
                self._rule.reason = f"Python code in it asks for a value ({how})"
                return
            number = len(self.answers)
            answer = self._answers[number] if number < len(self._answers) else bool(array)
            if answer != bool(array):
                self._replaced.append(array)
                core.pretend(tensor, np.full(array.shape, answer))
                self._by_array[id(tensor._array)] = slot
            self.answers.append(answer)
            self.steps.append(BoolRead(slot, answer))
            return
        if array.size > LARGEST_READ:
            raise CannotRecord(
                f"Python code reads the values of a tensor of shape {array.shape} ({how})"
            )
        self.steps.append(ValueRead(slot, np.array(array), how))

    def rule_recorded(
        self,
        type_name: str,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        backward: Callable[..., Any],
    ) -> None:
        arrays: list[Any] = [tensor._array for tensor in (*inputs, *outputs)]
        if not all(isinstance(array, np.ndarray) for array in arrays):
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

    def run_rules(self) -> None:
        """Run the custom gradients, and record their steps."""
        steps = self.steps
        for rule in self._rules:
            if rule.depth > MOST_ORDERS:
                rule.reason = f"it is the gradient of a gradient, of order {rule.depth}"
            else:
                self._run_rule(rule)
        self.steps = steps

    def _run_rule(self, rule: CustomGradient) -> None:
        self.steps, self._rule = rule.steps, rule
        dys: list[Any] = []
        for number, slot in enumerate(rule.outputs):
            tensor = self.tensors[slot]
            shape, dtype = tensor._array.shape, tensor.dtype
            if not (dtype.is_floating or dtype.is_complex):
                dys.append(None)
                continue
            count = int(np.prod(shape, dtype=np.int64))
            numbers = (np.arange(count) * 5 + number) % 7 / 4.0 - 0.5
            dys.append(EagerTensor(numbers.astype(dtype.numpy_dtype).reshape(shape)))
            rule.dys.append(self._new(dys[-1]))
            self._dependent.add(rule.dys[-1])
        recorder = Recorder([], False)
        recorder.start()
        try:
            with self:
                # A gradient with rows that repeat (IndexedSlices) is made dense: a result is a tensor.
                rule.results = [
                    None
                    if dy is None
                    else core.convert(dy.value if isinstance(dy, core.Misfit) else dy)
                    for dy in rule.backward(*dys)
                ]
        except CannotRecord as error:
            rule.reason = str(error)
        except Exception as error:
            rule.reason = f"it raises {type(error).__name__}: {error}"
        finally:
            recorder.stop()
            self._rule = None
        if recorder.reason is not None and rule.reason is None:
            rule.reason = recorder.reason[0]
        if rule.reason is None:
            rule.slots = [self.slot(tensor) for tensor in flatten(rule.results)]


@contextlib.contextmanager
def without_effects() -> Iterator[None]:
    """A context that undoes changes of variables, tables and random streams, and prints nothing."""
    state = random_state.snapshot()
    with core.apart(), keeping_tables(), printing_nothing(), FirstValues() as values:
        try:
            yield
        finally:
            values.stop()
            values.put_back()
            random_state.restore(state)


def trace_ops(
    call: Callable[[list[EagerTensor]], Any],
    flat: Callable[[Any], list[Any]],
    inputs: list[EagerTensor],
    shapes_vary: bool,
    answers: tuple[bool, ...] = (),
    batches: bool = False,
) -> OpTrace:
    """The `OpTrace` of ``call(inputs)``; its effects are undone. ``flat`` flattens a result to tensors.

    Raises:
        CannotRecord: the function does something that ops do not do.
    """
    for _ in range(4):
        trace = OpTrace(inputs, shapes_vary, answers, batches)
        recorder = Recorder(inputs if batches else [], False)  # notices what happens outside of ops
        with without_effects():
            recorder.start()
            try:
                with trace:
                    trace.results = call(inputs)
            except CannotRecord:
                raise
            except Exception as error:
                trace.error = error
            finally:
                recorder.stop()
            if trace.error is None:
                leaves = flat(trace.results)
                trace.slots = [trace.slot(tensor) for tensor in leaves]
                if not recorder.made_variables:
                    trace.run_rules()
        if not recorder.made_variables:
            break
        inputs = [core.alias(tensor) for tensor in inputs]
    else:
        raise CannotRecord("it makes variables at every call")
    reason = recorder.reason
    if reason is not None and trace.error is None:
        raise CannotRecord(reason[0])
    return trace


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
