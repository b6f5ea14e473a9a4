"""Loops and branches as one run of a function meets them, and the ways through their parts."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from tapegrad.core.tracebacks import Place, place_of_program


class LoopCall:
    """A loop: the steps of its condition and of its body, each run once on stand-ins for the variables."""

    def __init__(
        self,
        inputs: tuple[int, ...],
        variables: tuple[int, ...],
        limit: int | None,
        place: Place | None,
    ) -> None:
        self.inputs = inputs
        self.variables = variables
        self.limit = limit
        self.place = place
        self.condition: list[Any] = []
        self.asked = 0  # the slot of what the condition gives
        self.body: list[Any] = []
        self.results: tuple[int, ...] = ()  # of the body
        self.outputs: tuple[int, ...] = ()


class BranchCall:
    """A choice: the steps of both ways, each run once, with the slots of their results."""

    def __init__(self, asked: int, place: Place | None) -> None:
        self.asked = asked
        self.place = place
        self.ways: list[tuple[list[Any], tuple[int, ...]]] = []  # if true, if false
        self.outputs: tuple[int, ...] = ()


class WholeLoops:
    """Says that a loop which arguments end is one step; ``met`` says whether there was one."""

    met = False


class Question(NamedTuple):
    """Python asks for a boolean."""

    slot: int
    steps: int  # of the way before it
    slots: int  # of the way before it
    place: Place | None


class Way:
    """A run of a part of a loop. It may begin as one before it: its tensors have the slots of that one.

    Args:
        outer: the way through a part around this one.
        answers: what Python gets for the first booleans that it asks for. It gets False for the others.
        repeated: the slots that the tensors up to the last of these answers have.
        steps: gets what the way does.
    """

    def __init__(
        self, outer: Way | None, answers: tuple[bool, ...], repeated: list[int], steps: list[Any]
    ) -> None:
        self.outer = outer
        self.steps = steps
        self.slots: list[int] = []
        self.questions: list[Question] = []
        self.replies: list[bool] = []
        self._answers = answers
        self._repeated = deque(repeated)

    def begin_of(self, answers: int) -> int:
        """How many steps there are before the last of so many answers."""
        return self.questions[answers - 1].steps if answers else 0

    def answer(self, slot: int) -> bool:
        """What Python gets for a boolean."""
        number = len(self.replies)
        self.questions.append(Question(slot, len(self.steps), len(self.slots), place_of_program()))
        self.replies.append(self._answers[number] if number < len(self._answers) else False)
        return self.replies[-1]

    def take(self) -> int | None:
        """The slot that the next new tensor had in a run before this one; None where there was none."""
        way: Way | None = self
        while way is not None:
            if way._repeated:
                return way._repeated[0]
            way = way.outer
        return None

    def note(self, slot: int) -> None:
        """Note the slot of a new tensor on this way and those around it, up to one that has had it before."""
        way: Way | None = self
        while way is not None:
            way.slots.append(slot)
            if way._repeated:
                way._repeated.popleft()
                return
            way = way.outer

    def repeat(self, slot: int) -> None:
        """Note a tensor of a run before this one, if it was new there at this point: it is not made again."""
        if self.take() == slot:
            self.note(slot)
