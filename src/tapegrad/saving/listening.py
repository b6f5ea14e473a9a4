"""What a function does on stand-ins for its arguments, written down op by op: `Recording`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.core.recorder import Recorder
from tapegrad.framework import calls, random_state
from tapegrad.functions.function import FirstValues
from tapegrad.ops.program.host import printing_nothing
from tapegrad.ops.program.tables import keeping_tables
from tapegrad.saving.nests import flatten

__all__ = ["Asked", "Called", "Number", "Recording", "Ruled", "listen"]

# Values read for these reasons are shown to people, and nobody decides by them.
SHOWN = frozenset(["repr", "str", "format"])
MOST_QUESTIONS = 8  # of a path that are answered both ways; the others as the stand-ins say
MOST_STEPS = 100_000
LARGEST_READ = 512  # elements of a tensor that Python reads
MOST_ORDERS = 2  # a gradient within the gradient of a gradient is not saved


class Called(NamedTuple):
    """An op was called: its inputs and results are numbers of slots."""

    op: Any
    inputs: tuple[int, ...]
    attributes: tuple[Any, ...]
    outputs: tuple[int, ...]


class Asked(NamedTuple):
    """Python asked whether a slot is true, and got this answer."""

    slot: int
    answer: bool


class Number(NamedTuple):
    """Python read the numbers in a slot."""

    slot: int
    value: np.ndarray[Any, Any]
    how: str


class Ruled:
    """Tensors with a gradient of their own: ``outputs`` are ``plain``, and their gradient goes to ``inputs``.

    The gradient has steps of its own, from ``given`` to ``slots``, or a reason why it cannot be written down.
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
        self.depth = depth  # of gradients that it is in
        self.given: list[int] = []
        self.steps: list[Any] = []
        self.results: Any = None
        self.slots: list[int] = []
        self.reason: str | None = None


class Refused(Exception):
    """A function does something that cannot be written down."""


class HasBatches(Refused):
    """It works on batches."""


class Recording(core.RuleKeeper):
    """Listens to one run of a function on ``inputs``, and has its steps afterwards.

    Args:
        inputs: the tensors that the function gets. Nobody else has them.
        shapes_vary: whether the shapes of some inputs are unknown.
        answers: what is answered to the questions whether a tensor is true, as far as they go. Those after
            that are answered as the values say.
        batches: whether a `Recorder` on the inputs listens too. Of ops on batches it hears which ops on
            plain arrays they are, and so does whoever listens with it.
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
        ] = []  # of each slot. They are kept, so that no id comes twice.
        self.constants: set[int] = set()
        self.steps: list[Any] = []
        self.answers: list[bool] = []
        self.results: Any = None
        self.slots: list[int] = []  # of the results
        self.error: Exception | None = None
        self._rules: list[Ruled] = []  # whose gradients have not run yet
        self._rule: Ruled | None = None  # whose gradient runs now
        self._given = answers
        self._batches = batches
        self._shapes_vary = shapes_vary
        self._by_id: dict[int, int] = {}
        self._by_array: dict[int, int] = {}
        self._dependent: set[int] = set()
        self._asked: set[int] = set()
        self._replaced: list[Any] = []  # arrays that are kept, so that no id comes twice
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
        """The slot of a tensor, or of the one whose copy it is; None for one from elsewhere."""
        slot = self._by_id.get(tensor._id)
        if slot is None and tensor._id > self._begun:
            slot = self._by_array.get(id(tensor._array))
        return slot

    def slot(self, tensor: EagerTensor) -> int:
        """The slot of a tensor. One from elsewhere is a constant."""
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
            raise Refused(f"it takes more than {MOST_STEPS} steps")
        for tensor in (*inputs, *outputs):
            array: Any = tensor._array
            if not isinstance(array, np.ndarray):
                if self._batches:
                    return
                raise HasBatches(f"{op.type} works on a {type(array).__name__}: items of a batch")
        places = tuple([self.slot(tensor) for tensor in inputs])
        dependent = op.effect is not None or (
            any(place in self._dependent for place in places)
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
        self.steps.append(Called(op, places, attributes, tuple(targets)))

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
            answer = self._given[number] if number < len(self._given) else bool(array)
            if answer != bool(array):
                self._replaced.append(array)
                core.pretend(tensor, np.full(array.shape, answer))
                self._by_array[id(tensor._array)] = slot
            self.answers.append(answer)
            self.steps.append(Asked(slot, answer))
            return
        if array.size > LARGEST_READ:
            raise Refused(
                f"Python code reads the values of a tensor of shape {array.shape} ({how})"
            )
        self.steps.append(Number(slot, np.array(array), how))

    def rule_recorded(
        self,
        type_name: str,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        backward: Callable[..., Any],
    ) -> None:
        arrays: list[Any] = [tensor._array for tensor in (*inputs, *outputs)]
        if not all(isinstance(array, np.ndarray) for array in arrays):
            raise Refused(
                f"{type_name}, which has a gradient of its own, works on items of a batch"
            )
        places = tuple([self.slot(tensor) for tensor in inputs])
        if not self._dependent.intersection(places):
            return
        plain, targets = [], []
        for tensor in outputs:
            found = self.find(tensor)
            if found is None:  # it comes from elsewhere
                found = self.slot(core.alias(tensor))
            plain.append(found)
            targets.append(self._new(tensor))
            self._dependent.add(targets[-1])
        depth = 1 if self._rule is None else self._rule.depth + 1
        rule = Ruled(type_name, places, tuple(plain), tuple(targets), backward, depth)
        self.steps.append(rule)
        self._rules.append(rule)

    def run_rules(self) -> None:
        """Hear what gradients do that functions have for themselves."""
        steps = self.steps
        for rule in self._rules:
            if rule.depth > MOST_ORDERS:
                rule.reason = f"it is the gradient of a gradient, of order {rule.depth}"
            else:
                self._run_rule(rule)
        self.steps = steps

    def _run_rule(self, rule: Ruled) -> None:
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
            rule.given.append(self._new(dys[-1]))
            self._dependent.add(rule.given[-1])
        watcher = Recorder([], False)
        watcher.start()
        try:
            with self:
                # Rows of a gradient are put in their places: a result is a tensor.
                rule.results = [
                    None
                    if dy is None
                    else core.convert(dy.value if isinstance(dy, core.Misfit) else dy)
                    for dy in rule.backward(*dys)
                ]
        except Refused as error:
            rule.reason = str(error)
        except Exception as error:
            rule.reason = f"it raises {type(error).__name__}: {error}"
        finally:
            watcher.stop()
            self._rule = None
        if watcher.reason is not None and rule.reason is None:
            rule.reason = watcher.reason[0]
        if rule.reason is None:
            rule.slots = [self.slot(tensor) for tensor in flatten(rule.results)]


@contextlib.contextmanager
def without_effects() -> Iterator[None]:
    """What happens inside leaves no trace in variables, tables and random streams, and prints nothing."""
    state = random_state.snapshot()
    with core.apart(), keeping_tables(), printing_nothing(), FirstValues() as values:
        try:
            yield
        finally:
            values.stop()
            values.put_back()
            random_state.restore(state)


def listen(
    call: Callable[[list[EagerTensor]], Any],
    flat: Callable[[Any], list[Any]],
    inputs: list[EagerTensor],
    shapes_vary: bool,
    answers: tuple[bool, ...] = (),
    batches: bool = False,
) -> Recording:
    """A `Recording` of ``call(inputs)``, whose effects are undone. ``flat`` gives the tensors of a result.

    Raises:
        Refused: the function does something that ops do not do.
    """
    for _ in range(4):
        recording = Recording(inputs, shapes_vary, answers, batches)
        watcher = Recorder(inputs if batches else [], False)  # it knows of what no op does
        with without_effects():
            watcher.start()
            try:
                with recording:
                    recording.results = call(inputs)
            except Refused:
                raise
            except Exception as error:
                recording.error = error
            finally:
                watcher.stop()
            if recording.error is None:
                leaves = flat(recording.results)
                recording.slots = [recording.slot(tensor) for tensor in leaves]
                if not watcher.made_variables:
                    recording.run_rules()
        if not watcher.made_variables:
            break
        inputs = [core.alias(tensor) for tensor in inputs]
    else:
        raise Refused("it makes variables at every call")
    reason = watcher.reason
    if reason is not None and recording.error is None:
        raise Refused(reason[0])
    return recording


def _with_seeds(op: Any, attributes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The attributes of an op that has drawn, with its seeds in the function, as graphs keep them."""
    call = calls.current()
    name = call.taken[-1] if type(call) is calls.Call and call.taken else None
    if name is None or not {"seed", "seed2"} <= set(op.attributes):
        return attributes
    first, second = name[-3:-1]
    seeds = {"seed": first, "seed2": second}
    return tuple(
        [seeds.get(key, value) for key, value in zip(op.attributes, attributes, strict=True)]
    )
