"""A shape is a tensor like others: recorded functions compute with it what eager code does, for any size."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples.calls import Call, calls_of_the_table
from tapegrad import core
from tapegrad.core import Op

core.load_ops()

CALLS_OF_EACH = 4
LENGTHS = (1, 2, 3)  # of vectors, beside those of the rows
LONGEST = 4
FIRST_SIZES = (3, 4, 2, 5)  # the second one opens the size, those that follow are replayed
REFUSALS = (tf.errors.OpError, ValueError, TypeError, LookupError)


@functools.cache
def calls() -> dict[str, list[Call]]:
    """Calls of every op, each with operands of other ranks or other attributes."""
    return calls_of_the_table(
        lambda inputs, attributes: (
            tuple([tensor.shape.rank for tensor in inputs]),
            repr(attributes)[:200],
        ),
        CALLS_OF_EACH,
        1,
    )


def forms(tensor: Any) -> set[tuple[int, ...]]:
    """In which shapes the sizes of a tensor take the place of an operand."""
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        return set()
    shape = tuple(tensor.shape)
    vectors = {(length,) for length in LENGTHS} if len(shape) == 1 else set()
    return vectors | ({shape} if 0 < math.prod(shape) <= LONGEST else set())


@pytest.mark.parametrize(
    "op",
    [
        op
        for op in core.registry.values()
        if op.effect is None and op.type != "ExtractGlimpseV2"  # which adds noise
    ],
    ids=lambda op: str(op.type),
)
def test_shapes_as_operands(op: Op) -> None:
    for inputs, _, attributes in calls().get(op.type, ()):
        for place, tensor in enumerate(inputs):
            dtype = tensor.dtype if tensor.dtype in (tf.int32, tf.int64) else tf.int32
            for form in forms(tensor):
                check(op, list(inputs), place, attributes, form, dtype)


def check(
    op: Op,
    operands: list[Any],
    place: int,
    attributes: tuple[Any, ...],
    form: tuple[int, ...],
    dtype: Any,
) -> None:
    """A recorded call of ``op``, in one place with the sizes of a tensor, beside eager ones."""

    def compute(x: Any) -> Any:
        operands[place] = tf.reshape(tf.shape(x, dtype), form)
        return op.apply(operands, attributes)

    recorded = tf.function(compute)
    for size in FIRST_SIZES:
        x = tf.zeros([size, *[1] * (math.prod(form) - 1)])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = tf.nest.flatten(compute(x))
            except REFUSALS:
                return
            results = tf.nest.flatten(recorded(x))
        for result, value in zip(results, expected, strict=True):
            assert result.dtype == value.dtype
            np.testing.assert_array_equal(result.numpy(), value.numpy(), str((op.type, attributes)))
