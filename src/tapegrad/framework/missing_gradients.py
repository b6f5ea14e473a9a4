"""What an error adds that follows from a gradient that is None: which tape of the program can say why.

Python's errors, and those of Keras, are raised by code that has no tape at hand. The functions that are
running may have one in a local variable, and its name there is what the program would write.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, NamedTuple

from tapegrad.core import Recording

# How Keras, and the optimizers of TensorFlow 1.x, begin the error if all gradients are None.
NO_GRADIENTS = "No gradients provided for any variable"


class LocalTape(NamedTuple):
    """A tape in a local variable of a function that is running."""

    name: str
    tape: Any
    frame: FrameType


def local_tape() -> LocalTape | None:
    """The tape of the innermost function that has one; None if none has."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        for name, value in list(frame.f_locals.items()):
            # Not `isinstance`, which asks objects for their class by code of anybody.
            if name != "self" and Recording in type(value).__mro__:
                return LocalTape(name, value, frame)
        frame = frame.f_back
    return None


def hint() -> str:
    """A sentence for a None that a program computes with; "" if no tape is near."""
    local = local_tape()
    if local is None:
        return ""
    return f" If it is a gradient, print({local.name}.explain(target, sources)) says why."


def add_explanation(error: ValueError) -> None:
    """Add a note to Keras's error that no variable has a gradient: why the first has none."""
    if not str(error).startswith(NO_GRADIENTS) or hasattr(error, "__notes__"):
        return
    local = local_tape()
    if local is not None:
        error.add_note(
            local.tape._explain_call_above(local.name, local.frame)
            or f"print({local.name}.explain(target, sources)) says why."
        )
