"""The gradient of a function made of ops. Rules use it for ops that are defined by such a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.ops.shape.array import identity_op


def pull_back(function: Callable[..., Any], inputs: list[EagerTensor], dy: Any) -> list[Any]:
    """The gradients of ``inputs`` when ``dy`` arrives at the results of ``function``."""
    tape = core.Tape(False)
    # New tensors: if one tensor is passed as two inputs, each input gets a gradient of its own.
    inputs = [identity_op(tensor) for tensor in inputs]
    for tensor in inputs:
        tape.watch(tensor)
    with core.recording(tape):
        results = function(*inputs)
    if isinstance(results, EagerTensor):
        results, dy = [results], [dy]
    return core.compute_gradient(tape, list(results), inputs, list(dy), True)
