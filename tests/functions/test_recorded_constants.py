"""No value of a call enters its recording as a constant unnoticed.

A recording is made for some values, and a second one for others. Where Python code saw the same values in
both, that is, where all guards agree, the two must agree in their steps and in their constants: a constant
in which they differ was made of the arguments, outside of any op and past the door. (`test_sources` reads the
sources for the same.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.table.test_recorded_samples import cases, others

import tapegrad as tf
from samples import Sample, all_samples, flatten
from samples.ask import Reused, dense_gradients
from tapegrad.core import EagerTensor


class Leak(AssertionError):
    """A constant of a recording was made of the arguments."""


def shown(path: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The guards, the steps and the constants of a recording, as something to compare."""
    guards = [(step.cases, step.line) for step in path.steps if step.is_guard]
    constants = []
    for value in path.constants:
        if type(value) is EagerTensor:
            array = value.numpy()
            array = np.asarray(array)
            content = array.tolist() if array.dtype.hasobject else array.tobytes()
            constants.append((array.dtype, array.shape, content))
        elif isinstance(value, (int, float, str, bytes, bool, tuple, type(None))):
            constants.append(repr(value))
    return guards, [step.name for step in path.steps if not step.is_guard], constants


def record(function: Any, arguments: Any) -> Any:
    """The path that is recorded for these arguments, or None."""
    reused = Reused()

    def without_new_variables(arguments: Any) -> Any:
        with reused:
            return function(arguments)

    recorded = tf.function(without_new_variables)
    for _ in range(2):  # The first call may make variables.
        tf.random.set_seed(1)
        try:
            recorded(arguments)
        except Exception:
            return None
    programs = recorded._recordings.values()
    return programs[0].root if programs else None


def check(function: Any, one: Any, other: Any) -> bool:
    """Raise Leak if a value of the arguments is a constant. Returns whether that could be asked."""
    first, second = record(function, one), record(function, other)
    if first is None or second is None:
        return False
    guards, steps, constants = shown(first)
    its_guards, its_steps, its_constants = shown(second)
    if guards != its_guards:
        return False
    if steps != its_steps or constants != its_constants:
        raise Leak(f"{steps} {constants} and {its_steps} {its_constants}")
    return True


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_has_no_values_among_its_constants(sample: Sample) -> None:
    with np.errstate(all="ignore"):
        for run in cases(sample):
            tensors = run.tensors(tf)

            def call(tensors: Any, run: Any = run) -> Any:
                return flatten(run(tf, tensors))

            check(call, tensors, others(tensors))
            if sample.differentiable:

                def differentiate(tensors: Any, run: Any = run) -> Any:
                    return dense_gradients(run, tensors)

                check(differentiate, tensors, others(tensors))


X, Y = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
LEAKS = {
    "an array past the door": lambda x: tf.tanh(EagerTensor(x._array * 2.0)) + x,
    "an array that is kept": lambda x: EagerTensor(np.asarray(x._array)[::-1].copy()),
    "a number past the door": lambda x: x * float(x._array[0]),
    "a number of a rule": tf.custom_gradient(
        lambda x: (x * EagerTensor(x._array), lambda dy: dy * x)
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_found(name: str) -> None:
    with pytest.raises(Leak):
        check(LEAKS[name], X, Y)


def test_what_is_no_leak() -> None:
    assert check(lambda x: x * tf.constant(2.0) + tf.ones([2]), X, Y)
    # Values that come through the door are guards, which differ here.
    assert not check(lambda x: x * float(x[0]) + tf.constant(x.numpy()), X, Y)
