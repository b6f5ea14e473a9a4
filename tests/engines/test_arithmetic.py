"""Arithmetic of blocks: two steps in one loop give the bits of two, for arrays, numbers and odd ends."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tapegrad.engines.numpy.blocks import Block
from tapegrad.engines.numpy.kernels import multiply_no_nan
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.programs import loops_for

pytestmark = pytest.mark.usefixtures("engine_as_before")

BEST = levels()[1]
SIZES = [1, 2, 7, 8, 31, 32, 33, 64, 100, 1000, 2500]
STEPS = (np.add, np.subtract, np.multiply, np.negative, multiply_no_nan)
# The second step, and which of its operands is the result of the first one.
SECONDS = [(ufunc, place) for ufunc in STEPS for place in range(ufunc.nin)]


def drawn(n: int, dtype: Any, seed: int) -> Any:
    values = np.random.RandomState(seed).standard_normal(n).astype(dtype)
    values[::5] *= 1e30
    if n > 6:
        values[2], values[3], values[5], values[6 - seed] = np.inf, -0.0, np.nan, 0
    return values


def step(ufunc: Any, dtype: Any, *operands: int) -> Any:
    return ((loops_for(ufunc), np.dtype(dtype).num), None, list(operands))


def same(found: Any, expected: Any) -> None:
    """The same bits; of a NaN, sign and payload are left open."""
    assert found.dtype == expected.dtype
    assert np.where(found != found, np.nan, found).tobytes() == (
        np.where(expected != expected, np.nan, expected).tobytes()
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("second", "place"), SECONDS)
@pytest.mark.parametrize("first", STEPS)
def test_a_pair_gives_the_bits_of_two_steps(
    first: Any, second: Any, place: int, dtype: Any
) -> None:
    sources = first.nin + second.nin - 1
    operands = [sources]
    if second.nin == 2:
        operands.insert(1 - place, sources - 1)
    steps = [step(first, dtype, *range(first.nin)), step(second, dtype, *operands)]
    for n in SIZES:
        for numbers in itertools.product((False, True), repeat=sources):
            arrays = [
                drawn(n, dtype, i)[:1].reshape(()) if number else drawn(n, dtype, i)
                for i, number in enumerate(numbers)
            ]
            with np.errstate(all="ignore"):
                between = first(*arrays[: first.nin])
                expected = second(*[between if one == sources else arrays[one] for one in operands])
            for level in range(BEST + 1):
                set_level(level)
                block = Block((n,), sources, steps, [1], [np.dtype(dtype)])
                assert block.joined == (n > 1)
                (found,) = block(*arrays)
                same(found, np.broadcast_to(expected, (n,)))


def test_a_result_that_is_read_elsewhere_is_no_part_of_a_later_step() -> None:
    multiply, add = (
        lambda *operands: step(np.multiply, "f", *operands),
        lambda *operands: step(np.add, "f", *operands),
    )
    x, y, z = (drawn(100, "f", seed) for seed in range(3))
    single = np.dtype("f")
    # x * y leaves the block, is read twice, is the operand of a function; the second step is a pair.
    for steps, results, joined in (
        ([multiply(0, 1), add(3, 2)], [0, 1], 0),
        ([multiply(0, 1), add(3, 3)], [1], 0),
        ([multiply(0, 1), add(3, 2), add(3, 4)], [2], 1),
        ([multiply(0, 1), step(np.sqrt, "f", 3), add(4, 2)], [2], 0),
        ([multiply(0, 1), add(3, 2), multiply(4, 4)], [2], 1),
        ([multiply(0, 1), multiply(1, 2), add(3, 4)], [2], 1),
        ([add(0, 1), add(3, 2), add(4, 0), add(5, 1)], [3], 2),
    ):
        block = Block((100,), 3, steps, results, [single] * len(results))
        assert block.joined == joined, (steps, results)
        with np.errstate(all="ignore"):
            for found, expected in zip(block(x, y, z), block(x, y, z, by_steps=True), strict=True):
                same(found, expected)


def test_reductions_read_single_steps_and_pairs() -> None:
    steps = [step(np.multiply, "f", 0, 1), step(np.add, "f", 3, 2), step(np.multiply, "f", 4, 4)]
    x, y, z = (drawn(5000, "f", seed).clip(-2, 2) for seed in range(3))
    x[5] = y[5] = z[5] = 0
    for value in (1, 2):
        block = Block((5000,), 3, steps, [], [np.dtype("f")], [(value, 0, 5000, ())])
        assert block.joined == 1
        (found,) = block(x, y, z)
        (expected,) = block(x, y, z, by_steps=True)
        assert found.tobytes() == expected.tobytes()
