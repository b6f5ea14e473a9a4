"""Checks every result for NaN and infinity, on request: ``tf.debugging.enable_check_numerics``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor, Observer, Op
from tapegrad.errors import refuse

PUBLIC = {
    "debugging": "disable_check_numerics enable_check_numerics",
}


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on, raise where an op of this thread makes NaN or infinity, in gradients too.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log([1.0, 0.0])
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: Infinity or NaN in output 0 of the op "Log" (1 output in all)
      dtype: float32, shape: (2,), elements: 1 -Inf of 2
      input 0: tf.Tensor([1. 0.], shape=(2,), dtype=float32) [Op:Log]
    >>> tf.debugging.disable_check_numerics()

    The real floating-point results of all ops are checked, except ops that only move numbers (reshapes,
    slices, ``concat``, ``fill``, ``maximum`` and so on). The gradients of the vectors of an SVD or of
    ``eigh`` warn where values are equal, because a part of the gradient is then lost. The value of a
    variable is checked where an op computes with it, not where it is read or written.

    Args:
        stack_height_limit, path_length_limit: accepted; Python's traceback says where the op was called.
    """
    if not is_enabled():
        Checker().start()


def disable_check_numerics() -> None:
    """End what `enable_check_numerics` began. Without it, this does nothing.

    >>> tf.debugging.disable_check_numerics()
    """
    for observer in core.observers():
        if isinstance(observer, Checker):
            observer.stop()


def is_enabled() -> bool:
    """Whether results are checked on this thread."""
    return any(isinstance(observer, Checker) for observer in core.observers())


class Checker(Observer):
    """Raises where a result is not finite."""

    def observe(
        self,
        op: Op,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[Any, ...],
    ) -> None:
        if op.check_numerics is False or (op.effect or "").startswith(("reads", "writes")):
            return
        for number, output in enumerate(outputs):
            if output.dtype.is_floating:
                array = core.static_value(output, "check numerics")
                if not np.isfinite(array).all():
                    _refuse(op, inputs, number, array, output.dtype.name, len(outputs))


def _refuse(
    op: Op,
    inputs: list[EagerTensor],
    number: int,
    array: np.ndarray[Any, Any],
    dtype: str,
    count: int,
) -> None:
    how_often = {
        "-Inf": np.count_nonzero(np.isneginf(array.astype(np.float64))),
        "+Inf": np.count_nonzero(np.isposinf(array.astype(np.float64))),
        "NaN": np.count_nonzero(np.isnan(array)),
    }
    counts = ", ".join([f"{times} {what}" for what, times in how_often.items() if times])
    lines = [
        f'Infinity or NaN in output {number} of the op "{op.type}" '
        f"({count} output{'s' * (count != 1)} in all)",
        f"  dtype: {dtype}, shape: {array.shape}, elements: {counts} of {array.size}",
        *[f"  input {index}: {tensor!s}" for index, tensor in enumerate(inputs)],
    ]
    if isinstance(op.check_numerics, str):
        lines.append(f"  {op.check_numerics}")
    refuse("\n".join(lines) + f" [Op:{op.type}]")
