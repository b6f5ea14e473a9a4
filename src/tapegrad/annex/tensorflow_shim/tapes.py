"""``record``, ``tape`` and ``imperative_grad`` of ``tensorflow.python.eager``, as far as libraries use them.

Before PennyLane runs a circuit, it calls `should_record_backprop` to see which arguments need a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tapegrad import core
from tapegrad.autodiff.tape import UnconnectedGradients
from tapegrad.core import Tape, requests
from tapegrad.framework.handle import Handle
from tapegrad.ops.gradients import zeros
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import value_in_a_world


def could_possibly_record() -> bool:
    """Whether a tape of this thread records, or an accumulator follows what happens now."""
    return core.is_recording()


def should_record_backprop(tensors: Iterable[Any] | None) -> bool:
    """Whether a tape that records on this thread watches one of ``tensors``, of a dtype that has gradients.

    Variables and their handles may be among them: a tape watches a variable that it has seen read.

    Raises:
        AttributeError: a tape records, and something else is among ``tensors``.
        TypeError: a tape records, and ``tensors`` is no sequence.
    """
    if tensors is None or not core.is_recording():
        return False
    if isinstance(tensors, core.Tensor):
        raise TypeError(f"expected a sequence of tensors; {tensors!r} came.")
    try:
        values = [_unwrapped(value) for value in tensors]
    except TypeError as error:
        raise TypeError(f"expected a sequence of tensors; {tensors!r} came.") from error
    watched = requests.are_watched(values)
    if watched is None:
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        raise AttributeError(
            f"expected tensors, which have ids; objects of these types came: {kinds}."
        )
    return watched


def _unwrapped(value: Any) -> Any:
    """What a tape knows ``value`` by: a tensor with values, or a variable."""
    if isinstance(value, Handle):
        return value.variable
    return value_in_a_world(value) if isinstance(value, SymbolicTensor) else value


class stop_recording(core.no_recording):
    """``with stop_recording():`` no tape of this thread records what happens inside."""


def record_operation(
    op_type: str,
    output_tensors: Sequence[Any],
    input_tensors: Sequence[Any],
    backward_function: Callable[..., Sequence[Any]],
    forward_function: Callable[..., Any] | None = None,
) -> None:
    """Record that ``output_tensors`` were computed from ``input_tensors``, with a gradient function.

    ``backward_function`` gets a gradient for each output, and returns one, or None, for each input.
    Accumulators transpose it.

    Raises:
        NotImplementedError: there is a ``forward_function``, and an accumulator that would need it.
    """
    if forward_function is not None and any(
        isinstance(observer, core.Accumulator) for observer in core.observers()
    ):
        raise NotImplementedError(
            f"record_operation({op_type!r}, ...): forward_function is not used here. Accumulators "
            "transpose backward_function."
        )
    core.record(op_type, list(input_tensors), list(output_tensors), backward_function)


class VariableWatcher:
    """``with VariableWatcher() as watcher:`` notes which trainable variables are read inside."""

    def __init__(self) -> None:
        self._watcher = core.VariableWatcher()

    def __enter__(self) -> VariableWatcher:
        self._watcher.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._watcher.stop()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables read so far, in the order they were made."""
        return self._watcher.variables


def push_new_tape(persistent: bool = False, watch_accessed_variables: bool = True) -> Tape:
    """A tape that records on this thread from now on. All of these are persistent."""
    tape = Tape(watch_accessed_variables)
    tape.start()
    return tape


def push_tape(tape: Tape) -> None:
    """Let ``tape`` record from now on, if it does not."""
    if not tape.is_recording:
        tape.start()


def pop_tape(tape: Tape) -> None:
    """Let ``tape`` record no longer."""
    tape.stop()


def watch(tape: Tape, tensor: Any) -> None:
    """Let ``tape`` watch a tensor."""
    tape.watch(tensor)


def watch_variable(tape: Tape, variable: Any) -> None:
    """Let ``tape`` watch a variable, trainable or not."""
    tape.watch_variable(variable)


def variable_accessed(variable: Any) -> None:
    """Report a read of ``variable``, trained or not, to the tapes that watch accessed variables."""
    variable.value()
    if core.is_recording():
        for tape in core.observers():
            if isinstance(tape, Tape) and tape.watches_variables:
                tape.watch_variable(variable)


def variables_accessed(variables: Iterable[Any]) -> None:
    """Report reads of ``variables`` to the tapes."""
    for variable in variables:
        variable_accessed(variable)


def default_get_variables(variable: Any) -> list[Any]:
    """The variables that a tape watches where ``variable`` is read: that one."""
    return [variable]


def imperative_grad(
    tape: Tape,
    target: Sequence[Any],
    sources: Sequence[Any],
    output_gradients: Sequence[Any] | None = None,
    sources_raw: Sequence[Any] | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradients of the tensors ``target`` by ``sources``, which are tensors and handles of variables.

    The records of ``tape`` are kept.
    """
    leaves = [_unwrapped(source) for source in sources]
    seeds = [None] * len(target) if output_gradients is None else list(output_gradients)
    gradients = core.compute_gradient(tape, list(target), leaves, seeds, False)
    if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.NONE:
        return gradients
    return [
        zeros(tuple(leaf.shape), leaf.dtype) if gradient is None else gradient
        for gradient, leaf in zip(gradients, leaves, strict=True)
    ]
