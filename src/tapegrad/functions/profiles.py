"""`Function.profile`: the times of the steps of a recording."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

from tapegrad import core
from tapegrad.autodiff.profiles import Profile, ProfileRow
from tapegrad.core.steps import Path, Step
from tapegrad.dtypes import BY_NUMPY_NUM
from tapegrad.framework import random_state
from tapegrad.framework.work import flops
from tapegrad.functions.first_values import FirstValues

WARM_CALLS = 3  # the first records, the second compiles
TIMED_CALLS = 9


def profile_of(function: Any, args: Any, kwargs: Any) -> Profile:
    """The profile of a call of a function that nobody else holds. Variables stay as they were."""
    state, values = random_state.snapshot(), FirstValues()
    try:
        with core.LineWatcher(), values:
            function(*args, **kwargs)
        return _timed(function, args, kwargs)
    finally:
        values.put_back()
        random_state.restore(state)


def _timed(function: Any, args: Any, kwargs: Any) -> Profile:
    """The profile of a function that has been recorded."""
    for _ in range(WARM_CALLS - 1):
        function(*args, **kwargs)
    programs = [program for program in function._recordings.values() if program.replays]
    if not programs:
        raise ValueError(
            f"{function.name}() is not replayed with these arguments, so there are no steps to time.\n"
            f"{function.explain()}"
        )
    program = programs[-1]
    runs: list[list[tuple[Step, Path, float]]] = []
    try:
        for _ in range(TIMED_CALLS):
            program.times = []
            function(*args, **kwargs)
            runs.append(program.times)
    finally:
        program.times = None
    return Profile(f"{function.name}({program.label})", _rows(runs))


def _rows(runs: list[list[tuple[Step, Path, float]]]) -> list[ProfileRow]:
    """A row for each step that all runs had, in the order of the last run."""
    times: dict[int, list[float]] = {}
    for run in runs:
        for step, _, seconds in run:
            times.setdefault(id(step), []).append(seconds)
    return [_row(step, path, median(times[id(step)])) for step, path, _ in runs[-1]]


def _row(step: Step, path: Path, seconds: float) -> ProfileRow:
    inputs = [_kind(path, place) for place in step.operands]
    results = [_kind(path, place) for place in step.outputs if place >= 0]
    # A reading of a variable moves nothing.
    is_reading = step.variable is not None and not step.operands
    size = 0 if is_reading else sum([count for _, count in (*inputs, *results)])
    is_rule = step.name.startswith("gradient by ")
    count = sum([_flops(part, path) for part in step.parts])
    return ProfileRow(
        step.name.removeprefix("gradient by "),
        step.line,
        1,
        0.0 if is_rule else seconds,
        seconds if is_rule else 0.0,
        0 if is_rule else size,
        0 if is_rule else count,
        size if is_rule else 0,
        count if is_rule else 0,
    )


def _flops(step: Step, path: Path) -> float:
    inputs = [_kind(path, place)[0] for place in step.operands]
    results = [_kind(path, place)[0] for place in step.outputs if place >= 0]
    return flops(step.name, inputs, results)


def _kind(path: Path, place: int) -> tuple[tuple[int, ...], int]:
    """Shape and bytes of what is in a place; nothing for what is not kept, or has no known size."""
    if place >= 0:
        number, shape = path.info[place]
        item = BY_NUMPY_NUM[number].size if number in BY_NUMPY_NUM else 0
    elif -1 - place < len(path.constants):
        value = path.constants[-1 - place]
        if not isinstance(value, core.EagerTensor):
            return (0,), 0
        shape, item = value._shape_tuple(), value.dtype.size
    else:
        return (0,), 0
    if not all(type(size) is int for size in shape):
        return (0,), 0
    return shape, math.prod(shape) * item
