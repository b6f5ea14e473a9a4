"""Checks every result for NaN and infinity, on request: ``tf.debugging.enable_check_numerics``."""

from __future__ import annotations

from typing import Any

from tapegrad import core
from tapegrad.core import EagerTensor, FiniteWatcher, Op
from tapegrad.core.tracebacks import Line, line_of_program
from tapegrad.errors import InvalidArgumentError
from tapegrad.framework.nonfinite import NonFinite, describe

PUBLIC = {
    "debugging": "disable_check_numerics enable_check_numerics",
}


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on, raise where an op of this thread makes NaN or infinity, in gradients too.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log([1.0, 0.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: Infinity or NaN in output 0 of the op "Log" (1 output in all)
      dtype: float32, shape: (2,), elements: 1 -Inf of 2
      at [1]: -inf, where x = 0.0
      input 0: tf.Tensor([1. 0.], shape=(2,), dtype=float32)
      called in <module> (...): tf.math.log([1.0, 0.0])...
      The logarithm of 0 is -Inf: write tf.math.log(tf.maximum(x, 1e-7)). ... [Op:Log]
    >>> tf.debugging.disable_check_numerics()

    In `tf.GradientTape.gradient` the line is that of the op whose gradient is computed, if the checks were on
    when the tape started.

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


class Checker(FiniteWatcher):
    """Raises where a result is not finite."""

    # The last error and what it says: a walk over a tape tells whose gradient failed while it passes.
    _raised: tuple[InvalidArgumentError, NonFinite] | None = None

    def observe(
        self,
        op: Op,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[Any, ...],
    ) -> None:
        if op.check_numerics is False or (op.effect or "").startswith(("reads", "writes")):
            return
        nonfinite = describe(op, inputs, outputs, line_of_program())
        if nonfinite is not None:
            error = InvalidArgumentError(None, None, _message(nonfinite))
            self._raised = error, nonfinite
            raise error

    def rule_failed(self, name: str, line: Line | None) -> None:
        """Name the op whose gradient it is in the error, which is on its way to the user."""
        if self._raised is not None:
            error, nonfinite = self._raised
            error.message = _message(nonfinite.in_gradient_of(name, line))
            self._raised = None


def _message(nonfinite: NonFinite) -> str:
    return "\n".join(nonfinite.lines()) + f" [Op:{nonfinite.op}]"
