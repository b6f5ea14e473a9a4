"""`verdict` compares a recording with a run on inputs from which it was not made."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, VariableBase, convert, static_value
from tapegrad.errors import OpError
from tapegrad.framework import nest
from tapegrad.framework.shape import TensorShape
from tapegrad.saving.encoding import BUILDERS
from tapegrad.saving.nests import ATTRIBUTES
from tapegrad.saving.op_trace import CustomGradient, OpCall, OpTrace
from tapegrad.saving.size_expressions import BuiltTensor, Expression, compute, same_array
from tapegrad.saving.steps import Constant, GradientStep, ShapeGuard, Step, ValueGuard

# Errors of steps that do not suit an input: an op refuses its arguments, or returns another number of
# results, or a size is read from an axis that does not exist. Other errors are faults of this library.
UNSUITED = (OpError, ValueError, TypeError, IndexError, ArithmeticError)


class Verdict(enum.Enum):
    """What the recording does, compared with the function itself."""

    RIGHT = "the same"
    REFUSES = "raise an error, because it meets values or shapes for which nothing was saved"
    WRONG = "something else"


def verdict(block: Any, other_run: OpTrace, coincidences: set[tuple[int, int]]) -> Verdict:
    """Compare the steps from ``block`` on with the ``other_run`` of the function.

    Sizes that values decide, and that equalled other sizes by chance, are added to ``coincidences`` as a slot
    and an axis. A run that raised an error says nothing: such inputs do not suit the function. A function may
    take other steps for some sizes and have the same results: then it is right too.
    """
    if other_run.error is not None:
        return Verdict.RIGHT
    result = _compare(block, other_run, coincidences)
    return (
        Verdict.RIGHT if result is Verdict.WRONG and _gives_the_same(block, other_run) else result
    )


def _compare(block: Any, other_run: OpTrace, coincidences: set[tuple[int, int]]) -> Verdict:
    """Compare step by step, without running any."""
    tensors = other_run.tensors
    calls = _calls(other_run.steps)
    try:
        while True:
            result = _follow(block, calls, tensors, coincidences)
            if result is not Verdict.RIGHT:
                return result
            if block.asks is None:
                break
            following = block.answers.get(bool(static_value(tensors[block.asks], "bool").all()))
            if following is None:
                return Verdict.REFUSES
            block = following
    except (IndexError, ArithmeticError):
        return Verdict.WRONG
    right = block.error is None and block.results == other_run.slots
    return Verdict.RIGHT if right else Verdict.WRONG


def _calls(steps: list[Any]) -> Iterator[Any]:
    return iter([step for step in steps if isinstance(step, (OpCall, CustomGradient))])


def _follow(
    block: Any, calls: Iterator[Any], tensors: Any, coincidences: set[tuple[int, int]]
) -> Verdict:
    """Compare the steps of one block with the next calls of a run."""
    for step in block.steps:
        if isinstance(step, Constant):
            if not _same(_computed(step.value, tensors), tensors[step.slot]._array):
                return Verdict.WRONG
        elif isinstance(step, ValueGuard):
            if not same_array(tensors[step.slot]._array, step.value):
                return Verdict.REFUSES
        elif isinstance(step, ShapeGuard):
            sizes = tensors[step.slot]._array.shape
            expected = _computed(step.sizes, tensors)
            if len(sizes) != len(expected):
                return Verdict.REFUSES
            differing = [
                axis for axis, size in enumerate(expected) if size not in (None, sizes[axis])
            ]
            if differing:
                coincidences.update([
                    (step.slot, axis)
                    for axis in differing
                    if isinstance(step.sizes[axis], Expression)
                ])  # fmt: skip
                return Verdict.REFUSES
        else:
            # The block has no dead steps; the run may have some.
            call = next(
                (call for call in calls if tuple(call.outputs) == tuple(step.outputs)), None
            )
            if call is None or isinstance(call, CustomGradient) is not isinstance(
                step, GradientStep
            ):
                return Verdict.WRONG
            if call.inputs != step.inputs:
                return Verdict.WRONG
            if isinstance(step, GradientStep):
                _validate_gradient(step, call, tensors)
            elif call.op is not step.op or not _same(
                _computed(step.attributes, tensors), call.attributes
            ):
                return Verdict.WRONG
    return Verdict.RIGHT


def _validate_gradient(step: Any, ruled: CustomGradient, tensors: Any) -> None:
    """Replace a gradient that does something else in this run by the reason why there is none."""
    if step.gradient is None or ruled.reason is not None:
        return
    try:
        result = _follow(step.gradient, _calls(ruled.steps), tensors, set())
    except (IndexError, ArithmeticError):
        result = Verdict.WRONG
    if result is Verdict.WRONG or step.gradient.results != ruled.slots:
        step.gradient, step.reason = None, "it does something else for other sizes or values"


def _gives_the_same(block: Any, other_run: OpTrace) -> bool:
    """Run the steps, if they write and draw nothing, and compare the results."""
    if block.asks is not None or block.error is not None:
        return False
    tensors: dict[int, Any] = dict(enumerate(other_run.tensors[: other_run.inputs]))
    try:
        for step in block.steps:
            if isinstance(step, Constant):
                tensors[step.slot] = EagerTensor(np.asarray(_computed(step.value, tensors)))
            if isinstance(step, GradientStep):
                tensors.update([
                    (out, tensors[slot])
                    for out, slot in zip(step.outputs, step.plain, strict=True)
                ])  # fmt: skip
            if not isinstance(step, Step):
                continue
            if step.op.effect is not None and not step.op.effect.startswith("reads"):
                return False
            inputs = [tensors[slot] for slot in step.inputs]
            if step.op.type == "ReadVariableOp":
                results: Any = convert(step.attributes[0])
            else:
                single = len(step.op.inputs) - step.op.list_input
                listed = [inputs[single:]] if step.op.list_input else []
                attributes = zip(
                    step.op.attributes, _computed(step.attributes, tensors), strict=True
                )
                results = step.op(*inputs[:single], *listed, **dict(attributes))
            tensors.update(zip(step.outputs, nest.flatten(results), strict=True))
        pairs = [
            (tensors[own_slot]._array, other_run.tensors[run_slot]._array)
            for own_slot, run_slot in zip(block.results, other_run.slots, strict=True)
        ]
    except UNSUITED:
        return False
    return all(first.shape == second.shape and _close(first, second) for first, second in pairs)


def _close(first: Any, second: Any) -> bool:
    if first.dtype.kind in "fc":
        return bool(np.allclose(first, second, 1e-4, 1e-5, equal_nan=True))
    return same_array(first, second)


def _computed(value: Any, tensors: Any) -> Any:
    """The nest ``value`` with numbers for its expressions."""
    return ATTRIBUTES.map(lambda leaf: _computed_leaf(leaf, tensors), value)


def _computed_leaf(value: Any, tensors: Any) -> Any:
    if isinstance(value, Expression):
        return compute(value.formula, tensors)
    if isinstance(value, BuiltTensor):
        content, shape = _computed(value.value, tensors), _computed(value.shape, tensors)
        return np.array(BUILDERS[value.how](content, shape), value.dtype)
    return value


def _same(first: Any, second: Any) -> bool:
    """Whether two attributes, or constants, are the same."""
    if first is second:
        return True
    if isinstance(second, TensorShape):
        second = second.as_list() if isinstance(first, list) else second
    if isinstance(first, EagerTensor) and isinstance(second, EagerTensor):
        first, second = first._array, second._array
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return same_array(first, second)
    if isinstance(first, VariableBase) or type(first) is not type(second):
        return False
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(
            _same(first[key], second[key]) for key in first
        )
    if isinstance(first, slice):
        return _same(
            (first.start, first.stop, first.step), (second.start, second.stop, second.step)
        )
    return bool(first == second or (first != first and second != second))
