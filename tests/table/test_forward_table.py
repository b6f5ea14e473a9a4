"""Forward mode, asked of every row: tangents are finite differences, and agree with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from by_row import by_row
from samples import Case, Run, Sample, flatten
from samples.ask import dense, floats, smooth_cases
from tapegrad import testing
from tapegrad.autodiff import jacobian

Accumulator = tf.autodiff.ForwardAccumulator
Row = tuple[Sample, Case, str]

# The gradient of these rows is not the derivative of what the kernel computes, so the transpose is another.
EXCUSED = {
    "FusedBatchNormGrad": "its rule takes the reserve spaces for the moments of x; the row has others",
    "FusedBatchNormGradV2": "as FusedBatchNormGrad",
    "FusedBatchNormGradV3": "as FusedBatchNormGrad",
}
SINGLE = {"image.rgb_to_grayscale": "its weights are float32, whatever the images are"}
_FIRST = smooth_cases(order=1) + smooth_cases(order=1, excused=True)
_SMOOTH = smooth_cases(order=1)
_SECOND = [row for row in smooth_cases(order=2) if not row[0].single]


class Asked:
    """A row's inputs that move, a direction for each, and a weight for each result."""

    def __init__(self, sample: Sample, case: Case, dtype: str) -> None:
        self.sample = sample
        self.run = Run(sample, case, "float32" if sample.single else dtype)
        self.tensors = self.run.tensors(tf)
        self.inputs = [
            tensor
            for place, tensor in enumerate(self.tensors)
            if floats(tensor) and tensor._num_elements() and place not in sample.fixed
        ]
        self.directions = [self.random(f"v{i}", x) for i, x in enumerate(self.inputs)]

    def random(self, place: str, like: Any) -> Any:
        dtype = np.dtype(like.dtype.as_numpy_dtype)
        return tf.constant(self.run.seed(place, like.shape, dtype))

    def results(self) -> list[Any]:
        with np.errstate(all="ignore"):
            return [result for result in flatten(self.run(tf, self.tensors)) if floats(result)]

    def weights(self, results: list[Any]) -> list[Any]:
        return [self.random(f"w{i}", y) for i, y in enumerate(results)]

    def tangents(self) -> tuple[list[Any], list[Any]]:
        """The results, and the tangent of each."""
        with Accumulator(self.inputs, self.directions) as acc:
            results = self.results()
        return results, acc.jvp(results)

    def gradients(self) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(self.inputs)
            results = self.results()
        with np.errstate(all="ignore"):
            weights = self.weights(results)
            return list(tape.gradient(results, self.inputs, output_gradients=weights))

    @property
    def exactness(self) -> float:
        """How much two ways to compute one number may differ, as a share of it."""
        dtypes = {x.dtype.name for x in self.inputs + self.results()}
        coarse = (
            self.sample.single
            or self.sample.rounds
            or self.sample.name in SINGLE
            or not dtypes <= {"float64", "complex128"}
        )
        return (1e-3 if coarse else 1e-9) * self.sample.loose[0]


def _inner(left: list[Any], right: list[Any]) -> Any:
    """Re(sum(conj(left) * right)) as a tensor. None counts as zeros."""
    total = tf.constant(0.0, tf.float64)
    for x, y in zip(left, right, strict=True):
        if x is not None and y is not None:
            product = tf.math.conj(tf.convert_to_tensor(x)) * tf.convert_to_tensor(y)
            total += tf.cast(tf.math.real(tf.reduce_sum(product)), tf.float64)
    return total


def _scale(*parts: list[Any]) -> float:
    arrays = [dense(each) for part in parts for each in part if each is not None]
    return max([1e-3, *(float(np.max(np.abs(x), initial=0.0)) * x.size**0.5 for x in arrays)])


@by_row(_FIRST)
def test_tangents_agree_with_gradients(sample: Sample, case: Case, dtype: str) -> None:
    asked = Asked(sample, case, dtype)
    results, tangents = asked.tangents()
    gradients = asked.gradients()
    for result, tangent in zip(results, tangents, strict=True):
        if tangent is not None:
            assert tangent.shape == result.shape
            assert tangent.dtype == result.dtype
    forward = float(_inner(asked.weights(results), tangents))
    reverse = float(_inner(asked.directions, gradients))
    share = 10 * asked.exactness
    close = abs(forward - reverse) <= share * _scale(gradients, tangents, asked.directions)
    agree = close or (np.isnan(forward) and np.isnan(reverse))
    if sample.name in EXCUSED and case.kwargs.get("is_training", True):
        assert not agree, f"{sample.name} needs its excuse no longer"
    else:
        assert agree, f"{sample.key(case)}: <w, J v> is {forward}, <v, J' w> is {reverse}"


@by_row(_FIRST)
def test_a_jacobian_by_columns_is_that_by_rows(
    sample: Sample, case: Case, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have the same numbers, dtypes and shapes, and None in the same places."""
    asked = Asked(sample, case, dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(asked.inputs)
        results = [result for result in asked.results() if 0 < result._num_elements() <= 200]
    monkeypatch.setattr(jacobian, "WORTH", -(10**9))
    with np.errstate(all="ignore"):
        for result in results:
            found = []
            for tall in (1e-9, 1e9):
                monkeypatch.setattr(jacobian, "TALL", tall)
                found.append(tape.jacobian(result, asked.inputs))
            for x, columns, rows in zip(asked.inputs, *found, strict=True):
                if rows is None:
                    assert columns is None
                    continue
                assert (columns.shape, columns.dtype) == (rows.shape, rows.dtype)
                assert rows.shape == result.shape + x.shape
                share = 10 * asked.exactness * _scale([rows])
                np.testing.assert_allclose(columns.numpy(), rows.numpy(), 0, share)


@by_row(_SMOOTH)
def test_tangents_are_finite_differences(sample: Sample, case: Case, dtype: str) -> None:
    """Along each input by itself, so that the others have no tangent."""
    asked = Asked(sample, case, dtype)
    single = bool(sample.single)
    rtol, atol = (1e-2, 1e-2) if single else (1e-6, 1e-7)
    for moving, direction in zip(asked.inputs, asked.directions, strict=True):
        with Accumulator(moving, direction) as acc:
            results = asked.results()
        weights = asked.weights(results)
        claimed = float(_inner(weights, acc.jvp(results)))
        place = next(i for i, x in enumerate(asked.tensors) if x is moving)

        def weighted(array: Any, place: int = place, weights: list[Any] = weights) -> float:
            tensors = list(asked.tensors)
            tensors[place] = tf.cast(array, tf.float32) if single else tf.constant(array)
            with np.errstate(all="ignore"):
                found = [y for y in flatten(asked.run(tf, tensors)) if floats(y)]
            return float(_inner(weights, found))

        wide = np.float64 if single else None
        measured, error = testing.directional_derivative(
            weighted, [np.asarray(moving.numpy(), wide)], [np.asarray(direction.numpy(), wide)]
        )
        scale = max(abs(claimed), abs(measured), _scale(weights))
        assert abs(claimed - measured) <= rtol * scale + atol + 4 * error, (
            f"{sample.key(case)}, input {place}: the tangent says {claimed}, "
            f"finite differences {measured} (give or take {error})"
        )


@by_row(_SECOND)
def test_order_two_in_every_nesting(sample: Sample, case: Case, dtype: str) -> None:
    """Forward and reverse within each other give one second derivative, along a direction."""
    asked = Asked(sample, case, dtype)
    inputs, directions = asked.inputs, asked.directions

    def slope_forward() -> Any:
        results, tangents = asked.tangents()
        return _inner(asked.weights(results), tangents)

    def slope_reverse() -> Any:
        return _inner(directions, asked.gradients())

    found = {}
    with np.errstate(all="ignore"):
        for inner, slope in (("forward", slope_forward), ("reverse", slope_reverse)):
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                value = slope()
            vector = [dense(each) for each in tape.gradient(value, inputs)]
            found[f"reverse over {inner}"] = float(_inner(directions, vector))
            with Accumulator(inputs, directions) as acc:
                value = slope()
            tangent = acc.jvp(value)
            found[f"forward over {inner}"] = 0.0 if tangent is None else float(tangent)
    largest = max(abs(number) for number in found.values())
    spread = max(found.values()) - min(found.values())
    assert spread <= asked.exactness * max(largest, _scale(vector), 1.0), (
        f"{sample.key(case)}: {found}"
    )
