"""What a saved function is made of: blocks of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapegrad.saving.listening import Ruled


class Block:
    """Steps, and how they end: with results, with an error, or with a question whose answers lead on."""

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
        )  # the slots of earlier blocks that this one and those after it read

    def blocks(self) -> list[Block]:
        """This block and all those it leads to; every one before those that follow it."""
        found = [self]
        for block in found:
            found.extend(block.answers.values())
        return found


class Fixed:
    """A recording: the specs that its inputs must fit, and where it begins."""

    def __init__(self, specs: list[Any], block: Block, variables: list[Any]) -> None:
        self.specs = specs
        self.block = block
        self.variables = variables  # all that were read or written, needed or not


class Constant:
    """A step that gives a constant, or a tensor that follows from sizes."""

    def __init__(self, slot: int, value: Any) -> None:
        self.slot = slot
        self.value = value


class Expected:
    """A step that compares numbers which Python has read with what they were."""

    def __init__(self, slot: int, value: Any, how: str) -> None:
        self.slot = slot
        self.value = value
        self.how = how


class ExpectedShape:
    """A step that compares the shape of a result: with numbers, expressions, or None for any size."""

    def __init__(self, slot: int, sizes: list[Any]) -> None:
        self.slot = slot
        self.sizes = sizes


class Step:
    """A step that calls an op. Its attributes may have expressions in them."""

    def __init__(
        self, op: Any, inputs: tuple[int, ...], attributes: tuple[Any, ...], outputs: list[int]
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.outputs = outputs
        self.kinds: list[Any] = []  # dtypes of the results


class Rule:
    """A step that gives tensors a gradient of their own: a block, or a reason why there is none."""

    def __init__(self, ruled: Ruled) -> None:
        self.name = ruled.name
        self.inputs = ruled.inputs
        self.plain = ruled.plain
        self.outputs = ruled.outputs
        self.given = ruled.given
        self.gradient: Block | None = None
        self.reason = ruled.reason
