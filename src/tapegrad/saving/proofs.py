"""Whether a recording for all sizes holds for inputs that it was not made of: `verdict`."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, VariableBase, convert, static_value
from tapegrad.errors import OpError
from tapegrad.framework import nest
from tapegrad.framework.shape import TensorShape
from tapegrad.saving.encoding import MAKERS
from tapegrad.saving.listening import Called, Recording, Ruled
from tapegrad.saving.nests import ATTRIBUTES
from tapegrad.saving.sizes import OPERATORS, Expression, Made, same_array
from tapegrad.saving.steps import Constant, Expected, ExpectedShape, Rule, Step

__all__ = ["Verdict", "verdict"]


# What steps for other sizes raise on an input that they do not suit: an op refuses its arguments, or gives
# another number of results, or a size is computed of an axis that is not there. Other errors are our faults.
UNSUITED = (OpError, ValueError, TypeError, IndexError, ArithmeticError)


class Verdict(enum.Enum):
    """What a saved function would do, beside the function itself."""

    RIGHT = "the same"
    REFUSES = "raise an error, because it meets values or shapes for which nothing was saved"
    WRONG = "something else"


def verdict(block: Any, recording: Recording, chances: set[tuple[int, int]]) -> Verdict:
    """Compare the steps from ``block`` on with what the function did in another run.

    Sizes that values decide, and that were others by chance, are added to ``chances``: a slot and an axis.
    A run that failed proves nothing: such inputs do not suit the function. A function may also take other
    steps for some sizes, to the same end.
    """
    if recording.error is not None:
        return Verdict.RIGHT
    found = _compare(block, recording, chances)
    return Verdict.RIGHT if found is Verdict.WRONG and _gives_the_same(block, recording) else found


def _compare(block: Any, recording: Recording, chances: set[tuple[int, int]]) -> Verdict:
    """Compare step by step, without running any."""
    tensors = recording.tensors
    calls = _calls(recording.steps)
    try:
        while True:
            found = _follow(block, calls, tensors, chances)
            if found is not Verdict.RIGHT:
                return found
            if block.asks is None:
                break
            following = block.answers.get(bool(static_value(tensors[block.asks], "bool").all()))
            if following is None:
                return Verdict.REFUSES
            block = following
    except (IndexError, ArithmeticError):
        return Verdict.WRONG
    right = block.error is None and block.results == recording.slots
    return Verdict.RIGHT if right else Verdict.WRONG


def _calls(steps: list[Any]) -> Iterator[Any]:
    return iter([step for step in steps if isinstance(step, (Called, Ruled))])


def _follow(
    block: Any, calls: Iterator[Any], tensors: Any, chances: set[tuple[int, int]]
) -> Verdict:
    """Compare the steps of one block with what follows in a run."""
    for step in block.steps:
        if isinstance(step, Constant):
            if not _same(_computed(step.value, tensors), tensors[step.slot]._array):
                return Verdict.WRONG
        elif isinstance(step, Expected):
            if not same_array(tensors[step.slot]._array, step.value):
                return Verdict.REFUSES
        elif isinstance(step, ExpectedShape):
            sizes = tensors[step.slot]._array.shape
            wanted = _computed(step.sizes, tensors)
            if len(sizes) != len(wanted):
                return Verdict.REFUSES
            differing = [
                axis for axis, size in enumerate(wanted) if size not in (None, sizes[axis])
            ]
            if differing:
                chances.update([
                    (step.slot, axis)
                    for axis in differing
                    if isinstance(step.sizes[axis], Expression)
                ])  # fmt: skip
                return Verdict.REFUSES
        else:
            # Steps that nobody needs are not among those of the block.
            call = next(
                (call for call in calls if tuple(call.outputs) == tuple(step.outputs)), None
            )
            if call is None or isinstance(call, Ruled) is not isinstance(step, Rule):
                return Verdict.WRONG
            if call.inputs != step.inputs:
                return Verdict.WRONG
            if isinstance(step, Rule):
                _prove_rule(step, call, tensors)
            elif call.op is not step.op or not _same(
                _computed(step.attributes, tensors), call.attributes
            ):
                return Verdict.WRONG
    return Verdict.RIGHT


def _prove_rule(step: Any, ruled: Ruled, tensors: Any) -> None:
    """Forget a gradient that does something else in this run: there is none then, and a reason."""
    if step.gradient is None or ruled.reason is not None:
        return
    try:
        found = _follow(step.gradient, _calls(ruled.steps), tensors, set())
    except (IndexError, ArithmeticError):
        found = Verdict.WRONG
    if found is Verdict.WRONG or step.gradient.results != ruled.slots:
        step.gradient, step.reason = None, "it does something else for other sizes or values"


def _gives_the_same(block: Any, recording: Recording) -> bool:
    """Run the steps, which write nothing and draw nothing, and compare the results."""
    if block.asks is not None or block.error is not None:
        return False
    tensors: dict[int, Any] = dict(enumerate(recording.tensors[: recording.inputs]))
    try:
        for step in block.steps:
            if isinstance(step, Constant):
                tensors[step.slot] = EagerTensor(np.asarray(_computed(step.value, tensors)))
            if isinstance(step, Rule):
                tensors.update([
                    (out, tensors[slot])
                    for out, slot in zip(step.outputs, step.plain, strict=True)
                ])  # fmt: skip
            if not isinstance(step, Step):
                continue
            if step.op.effect is not None and not step.op.effect.startswith("reads"):
                return False
            given = [tensors[slot] for slot in step.inputs]
            if step.op.type == "ReadVariableOp":
                results: Any = convert(step.attributes[0])
            else:
                single = len(step.op.inputs) - step.op.list_input
                listed = [given[single:]] if step.op.list_input else []
                attributes = zip(
                    step.op.attributes, _computed(step.attributes, tensors), strict=True
                )
                results = step.op(*given[:single], *listed, **dict(attributes))
            tensors.update(zip(step.outputs, nest.flatten(results), strict=True))
        pairs = [
            (tensors[one]._array, recording.tensors[other]._array)
            for one, other in zip(block.results, recording.slots, strict=True)
        ]
    except UNSUITED:
        return False
    return all(one.shape == other.shape and _close(one, other) for one, other in pairs)


def _close(one: Any, other: Any) -> bool:
    if one.dtype.kind in "fc":
        return bool(np.allclose(one, other, 1e-4, 1e-5, equal_nan=True))
    return same_array(one, other)


def _computed(value: Any, tensors: Any) -> Any:
    """The nest ``value`` with numbers for its expressions."""
    return ATTRIBUTES.map(lambda leaf: _computed_leaf(leaf, tensors), value)


def _computed_leaf(value: Any, tensors: Any) -> Any:
    if isinstance(value, Expression):
        return _number(value.form, tensors)
    if isinstance(value, Made):
        content, shape = _computed(value.value, tensors), _computed(value.shape, tensors)
        return np.array(MAKERS[value.how](content, shape), value.dtype)
    return value


def _number(form: Any, tensors: Any) -> Any:
    if not isinstance(form, list):
        return form
    if form[0] == "size":
        return tensors[form[1]]._array.shape[form[2]]
    if form[0] == "values":
        return tensors[form[1]]._array
    if form[0] == "value":
        return tensors[form[1]]._array.ravel()[form[2]].item()
    return OPERATORS[form[0]](_number(form[1], tensors), _number(form[2], tensors))


def _same(one: Any, other: Any) -> bool:
    """Whether two attributes, or constants, are the same."""
    if one is other:
        return True
    if isinstance(other, TensorShape):
        other = other.as_list() if isinstance(one, list) else other
    if isinstance(one, EagerTensor) and isinstance(other, EagerTensor):
        one, other = one._array, other._array
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return same_array(one, other)
    if isinstance(one, VariableBase) or type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, slice):
        return _same((one.start, one.stop, one.step), (other.start, other.stop, other.step))
    return bool(one == other or (one != one and other != other))
