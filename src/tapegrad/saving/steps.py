"""The instructions of saved functions: blocks of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapegrad.core.tracebacks import Place, line_at, place_of

if TYPE_CHECKING:
    from tapegrad.core.sizes import Guard
    from tapegrad.saving.op_trace import CustomGradient


class CannotRecord(Exception):
    """A function does something that cannot be recorded."""


class CannotEncode(Exception):
    """A step or a value cannot be written in TensorFlow's messages."""


def line_of(step: Any) -> str:
    """The line of the program that a step is of, as a part of a sentence; empty if it is not known."""
    return "" if step.place is None else place_of(line_at(step.place))


class Block:
    """Steps, and how they end: with results, with an error, or with a boolean that chooses the next block."""

    def __init__(self) -> None:
        self.steps: list[Any] = []
        self.results: list[int] | None = None
        self.structure: Any = None
        self.error: Exception | None = None
        self.asks: int | None = None
        self.answers: dict[bool, Block] = {}
        self.complete = False
        self.needs: set[int] = (
            set()
        )  # liveness: slots of earlier blocks that this block or later ones read

    def blocks(self) -> list[Block]:
        """This block and all blocks after it, each before its successors."""
        blocks = [self]
        for block in blocks:
            blocks.extend(block.answers.values())
        return blocks


class Recording:
    """A saved function: the specs that its inputs must fit, and its first block."""

    def __init__(self, specs: list[Any], block: Block, variables: list[Any]) -> None:
        self.specs = specs
        self.block = block
        self.variables = variables  # all that were read or written, also by dead code


class Constant:
    """A step that puts a constant into a slot, or a tensor that is computed from sizes."""

    def __init__(self, slot: int, value: Any) -> None:
        self.slot = slot
        self.value = value


class ValueGuard:
    """A guard: a step that compares numbers that Python has read with the recorded ones."""

    def __init__(self, slot: int, value: Any, how: str) -> None:
        self.slot = slot
        self.value = value
        self.how = how


class ShapeGuard:
    """A guard on the shape of a result: per axis a number, or None for any size."""

    def __init__(self, slot: int, sizes: list[int | None]) -> None:
        self.slot = slot
        self.sizes = sizes


class SizeGuard:
    """A guard on sizes: what Python code has decided, and the formula with that relation to a number."""

    def __init__(
        self, guard: Guard, formula: Any, relation: str, value: int, place: Place | None
    ) -> None:
        self.guard = guard
        self.formula = formula
        self.relation = relation
        self.value = value
        self.place = place  # in the user's program, for errors


class Step:
    """A step that calls an op. Its attributes may have expressions in them."""

    def __init__(
        self,
        op: Any,
        inputs: tuple[int, ...],
        attributes: tuple[Any, ...],
        outputs: list[int],
        place: Place | None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.outputs = outputs
        self.place = place  # in the user's program, for errors
        self.kinds: list[Any] = []  # dtypes of the results
        self.ranks: dict[int, int] = {}  # slot of a result -> its rank


class GradientStep:
    """A step that attaches a custom gradient to tensors: a block, or the reason why there is none."""

    def __init__(self, custom: CustomGradient) -> None:
        self.name = custom.name
        self.inputs = custom.inputs
        self.plain = custom.plain
        self.outputs = custom.outputs
        self.dys = custom.dys
        self.gradient: Block | None = None
        self.reason = custom.reason


class LoopStep:
    """A step that runs a block for as long as another one says so.

    Both blocks read ``variables``: ``inputs`` in the first turn, then the results of the body.
    """

    def __init__(
        self,
        inputs: tuple[int, ...],
        variables: tuple[int, ...],
        limit: int | None,
        outputs: tuple[int, ...],
        place: Place | None,
    ) -> None:
        self.inputs = inputs
        self.variables = variables
        self.limit = limit  # the largest number of turns
        self.outputs = outputs
        self.place = place  # in the user's program, for errors
        self.condition = Block()
        self.body = Block()
        self.kinds: list[Any] = []  # dtypes of the variables
        self.shapes: list[list[int | None]] = []  # of the variables, as far as no turn changes them

    @property
    def reads(self) -> set[int]:
        """Slots from before the loop that its blocks read."""
        return self.condition.needs | self.body.needs

    @property
    def has_effect(self) -> bool:
        """Whether a turn does more than compute its results."""
        return _have_effect(self.condition, self.body)


class BranchStep:
    """A step that runs one of two blocks, as a boolean says."""

    def __init__(self, asked: int, outputs: tuple[int, ...], place: Place | None) -> None:
        self.asked = asked
        self.outputs = outputs
        self.place = place  # in the user's program, for errors
        self.ways: dict[bool, Block] = {True: Block(), False: Block()}
        self.kinds: list[Any] = []  # dtypes of the results
        self.shapes: list[list[int | None]] = []  # of the results, as far as both ways agree

    @property
    def inputs(self) -> tuple[int, ...]:
        """The slot of the boolean."""
        return (self.asked,)

    @property
    def reads(self) -> set[int]:
        """Slots from before the step that its blocks read."""
        return self.ways[True].needs | self.ways[False].needs

    @property
    def has_effect(self) -> bool:
        """Whether a way does more than compute its results."""
        return _have_effect(*self.ways.values())


def _have_effect(*blocks: Block) -> bool:
    return any(
        step.has_effect
        if isinstance(step, (LoopStep, BranchStep))
        else isinstance(step, Step) and step.op.effect is not None
        for block in blocks
        for step in block.steps
    )
