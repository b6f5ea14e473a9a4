"""Gradients at the edges of the dtypes: finite where TensorFlow's are, and zero for a zero that arrives.

A rule of a quotient or a product may pass by an infinity, or by 0 * inf, on the way to a number.
`golden/extremes.py` says what is asked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden import extremes
from golden.extremes import EDGES, OF_ROWS, ONE, TWO

ROUNDING = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-7, "float64": 2e-16}

Mask = np.ndarray[Any, Any]
# What is left out, by the arguments, and why.
Excuse = tuple[str, Callable[..., Mask]]


def far(x: Mask) -> Mask:
    return np.abs(x) > 1e3


def close_to_zero(x: Mask) -> Mask:
    return np.abs(x) < 1e-30


EXCUSES: dict[str, Excuse] = {
    "math.bessel_i1": ("TensorFlow's is 1 for 1 / 2", close_to_zero),
    "math.bessel_i1e": ("TensorFlow's is 1 for 1 / 2", close_to_zero),
    "math.special.bessel_j1": (
        "TensorFlow's is 1 for 1 / 2, and has no digits far away",
        lambda x: close_to_zero(x) | far(x),
    ),
    "math.special.bessel_j0": ("TensorFlow's has no digits", far),
    "math.special.bessel_k0e": ("TensorFlow's has no digits", far),
    "math.special.bessel_k1e": ("TensorFlow's has no digits", far),
    "math.special.bessel_y0": ("TensorFlow's has no digits", far),
    "math.special.bessel_y1": ("TensorFlow's has no digits", far),
    "math.special.dawsn": ("TensorFlow's is 2 for 0", far),
    "acosh": ("sinh of the rounded result overflows", lambda x: x == EDGES["float64"][1]),
    "asinh": ("cosh of the rounded result overflows", lambda x: np.abs(x) == EDGES["float64"][1]),
    "math.erfcinv": ("half of it is 0 to TensorFlow", close_to_zero),
    "math.igamma": (
        "TensorFlow's 0 for NaN at infinity, and for -86 beside 0",
        lambda a, x: np.isinf(a) | close_to_zero(a),
    ),
    "math.igammac": (
        "TensorFlow's 0 for NaN at infinity, and for 86 beside 0",
        lambda a, x: np.isinf(a) | close_to_zero(a),
    ),
    "math.polygamma": ("TensorFlow's inf for huge orders", lambda a, x: far(a)),
    "math.zeta": ("infinities that are NaN", lambda s, q: np.isnan(q) | np.isinf(s)),
    "math.cumprod": ("TensorFlow's divides by a factor 0", lambda x: close_to_zero(x).any(-1)),
    "math.cumulative_logsumexp": (
        "TensorFlow loses NaN, and adds up logarithms of gradients",
        lambda x: (np.isnan(x) | far(x)).any(-1),
    ),
}


@functools.cache
def recorded() -> dict[str, Mask]:
    with np.load(extremes.FILE) as file:
        return {key: extremes.decode(codes) for key, codes in file.items()}


CASES = sorted({key.rsplit(" ", 1)[0] for key in recorded()})


def agree(name: str, dtype: str, found: Mask, theirs: Mask) -> Mask:
    """Where the gradients are alike, of which TensorFlow's are known to a factor of two."""
    tiny, largest = EDGES[dtype]
    _, arriving, moderate = asked(name, dtype)
    finite = np.isfinite(found)
    nothing = np.array(10 * tiny)  # TensorFlow's subnormal numbers are 0
    if name in OF_ROWS:  # a sum that cancels, such as softmax's, leaves a rest of roundings
        nothing = np.maximum(nothing, 2000 * ROUNDING[dtype] * np.abs(arriving))
    both_nothing = (np.abs(found) <= nothing) & (np.abs(theirs) <= nothing)
    with np.errstate(all="ignore"):
        ratio = found / theirs
    close = (ratio > 0.5) & (ratio < 2) & np.isfinite(theirs)
    beyond = (np.abs(theirs) > largest / 4) & (found == np.copysign(np.inf, theirs))
    # Where TensorFlow's overflows or underflows on the way, any number will do; ours is not asked here.
    overflows = np.isinf(theirs) & finite
    underflows = (theirs == 0) & finite & ~moderate
    return (
        np.isnan(theirs)
        | close
        | both_nothing
        | beyond
        | overflows
        | underflows
        | (found == theirs)
    )


def asked(name: str, dtype: str) -> tuple[list[Mask], Mask, Mask]:
    """The arguments, shaped as gradients are; what arrives; where all of these are 0 or moderate."""
    arguments = extremes.arguments(name, dtype)
    rank = arguments[0].ndim
    arriving = np.array(extremes.arriving(dtype)).reshape(-1, *[1] * rank)
    plain = [(x == 0) | ((np.abs(x) >= 0.25) & (np.abs(x) <= 2)) for x in arguments]
    moderate = np.logical_and.reduce(plain)
    if name in OF_ROWS:
        moderate = moderate.all(-1, keepdims=True)
    return arguments, arriving, moderate & ((arriving == 0) | (arriving == 1))


@functools.cache
def differences(name: str, dtype: str) -> list[Mask]:
    with np.errstate(all="ignore"):
        found = extremes.gradients(tf, name, dtype)
    return [
        ~agree(name, dtype, ours, recorded()[f"{name} {dtype} {place}"])
        for place, ours in enumerate(found)
        if f"{name} {dtype} {place}" in recorded()
    ]


def excused(name: str, dtype: str) -> Mask:
    if name not in EXCUSES:
        return np.array(False)
    found = EXCUSES[name][1](*extremes.arguments(name, dtype))
    return found[:, None] if name in OF_ROWS else found


@pytest.mark.parametrize("case", CASES)
def test_as_tensorflows(case: str) -> None:
    name, dtype = case.split()
    arguments, arriving, _ = asked(name, dtype)
    for place, different in enumerate(differences(name, dtype)):
        wrong = np.argwhere(different & ~excused(name, dtype))
        places = [([x[i[1]] for x in arguments], arriving.ravel()[i[0]]) for i in wrong[:5]]
        assert not len(wrong), f"{len(wrong)} gradients by argument {place}, such as {places}"


def test_excuses_are_needed() -> None:
    for name, (reason, _) in EXCUSES.items():
        if "rounded" in reason:  # where the last bit falls differs between processors
            continue
        dtypes = [dtype for dtype in EDGES if f"{name} {dtype}" in CASES]
        assert any(each.any() for dtype in dtypes for each in differences(name, dtype)), name


@pytest.mark.parametrize("name", [*ONE, *TWO, *OF_ROWS])
def test_zero_stays_zero(name: str) -> None:
    """Of a zero that arrives nothing goes on, wherever TensorFlow's answer is a number."""
    for place, found in enumerate(extremes.gradients(tf, name, "float32")):
        theirs = recorded().get(f"{name} float32 {place}")
        if theirs is not None and name not in EXCUSES:
            assert (found[0][np.isfinite(theirs[0])] == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_recorded_and_forward(name: str, dtype: str) -> None:
    """Recorded functions run rules as parts of blocks, and accumulators run them on tangents."""
    tensors = [tf.constant(values, dtype) for values in extremes.arguments(name, dtype)]
    function = extremes.function(tf, name)
    with np.errstate(all="ignore"):
        expected = extremes.gradients(tf, name, dtype)

        @tf.function
        def recorded_gradients(dy: tf.Tensor, *tensors: tf.Tensor) -> list[tf.Tensor | None]:
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                result = function(*tensors)
            return [g for g in tape.gradient(result, tensors, dy) if g is not None]

        for row, size in enumerate(extremes.arriving(dtype)):
            dy = tf.fill(tensors[0].shape, tf.constant(size, dtype))
            for _ in range(2):
                found = recorded_gradients(dy, *tensors)
            for ours, eager in zip(found, expected, strict=True):
                same(ours, eager[row], dtype)
        if len(expected) < len(tensors):
            return
        for place, tensor in enumerate(tensors):
            with tf.autodiff.ForwardAccumulator(tensor, dy) as accumulator:
                result = function(*tensors)
            tangent = accumulator.jvp(result)
            if tangent is not None:
                same(tangent, expected[place][-1], dtype)


def same(found: tf.Tensor, expected: Mask, dtype: str) -> None:
    tolerance = {"float32": 1e-6, "float16": 2e-3}[dtype]
    np.testing.assert_allclose(
        found.numpy().astype("float64"), expected, rtol=tolerance, atol=10 * EDGES[dtype][0]
    )
