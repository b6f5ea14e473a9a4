"""The compiled sorts beside NumPy's stable ones: ties, NaN, numbers that only their last bits tell apart."""

import ml_dtypes
import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import orders
from tapegrad.ops.indexing.sort import stable_order

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float16", "float32", "float64", ml_dtypes.bfloat16]
SHAPES = [(0,), (3, 0), (1,), (7,), (5, 17), (2, 3, 300), (40, 1000), (1, 70_000)]


def specials(random, shape):
    found = random.standard_normal(shape)
    for number in (np.nan, 0.0, -0.0, np.inf, -np.inf):
        found[random.random(shape) < 0.15] = number
    return found


KINDS = {
    "normal": lambda random, shape: random.standard_normal(shape) * 50,
    "ties": lambda random, shape: random.integers(0, 3, shape),
    "last bits": lambda random, shape: 1 + random.integers(0, 5, shape) * 2.0**-52,
    # Runs of neighbours among numbers that are far apart: keys lose bits, and runs are sorted again.
    "runs": lambda random, shape: (
        (1 + random.integers(0, 300, shape) * 2.0**-52) * 10.0 ** random.integers(-200, 200, shape)
    ),
    "any bits": lambda random, shape: random.integers(-(2**63), 2**63 - 1, shape),
    "specials": specials,
}


def stable(array, descending):
    if array.dtype.kind not in "iu":
        array = array.astype(np.float64)
    if not descending:
        return np.argsort(array, axis=-1, kind="stable")
    return array.shape[-1] - 1 - np.argsort(array[..., ::-1], axis=-1, kind="stable")[..., ::-1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=str)
def test_places_are_those_of_a_stable_sort(kind, dtype):
    random = np.random.default_rng(3)
    if kind in ("runs", "specials") and dtype in INTEGERS:
        kind = "any bits"
    for shape in SHAPES:
        with np.errstate(all="ignore"):
            array = KINDS[kind](random, shape).astype(dtype)
        for descending in (False, True):
            expected = stable(array, descending)
            for wide in (False, True):
                found = stable_order(array, descending, wide)
                assert found.dtype == (np.int64 if wide else np.int32)
                np.testing.assert_array_equal(found, expected)
            if array.dtype in (np.float32, np.float64):
                dy = random.standard_normal(shape).astype(dtype)
                put = np.empty_like(dy)
                np.put_along_axis(put, expected, dy, -1)
                np.testing.assert_array_equal(orders.put_back(array, dy, descending), put)
        if array.dtype.kind in "iuf":
            np.testing.assert_array_equal(orders.sort(array), np.sort(array, axis=-1))


def test_rows_that_do_not_lie_side_by_side():
    array = np.random.default_rng(4).standard_normal((300, 40)).T
    np.testing.assert_array_equal(orders.sort(array), np.sort(array, axis=-1))
    np.testing.assert_array_equal(stable_order(array, False), stable(array, False))
    swapped = array.astype(">f8")
    np.testing.assert_array_equal(orders.sort(swapped), np.sort(array, axis=-1))


def test_operands_stay_as_they_are():
    array = np.random.default_rng(5).standard_normal((30, 400))
    kept = array.copy()
    tf.sort(tf.constant(array))
    orders.put_back(array, array, True)
    np.testing.assert_array_equal(array, kept)
