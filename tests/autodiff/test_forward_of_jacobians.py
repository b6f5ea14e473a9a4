"""Forward mode around Jacobians: tangents of what walks in batches gave, with TensorFlow's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.autodiff.forward import ForwardAccumulator

Function = Callable[[Any], Any]
X = tf.constant([0.3, 0.5, 0.7], tf.float64)
DIRECTION = tf.constant([1.0, -2.0, 0.5], tf.float64)


def cube(q: Any) -> Any:
    return q**3 * tf.reduce_sum(q, -1, keepdims=True)


def mapped(q: Any) -> Any:
    p = q * q
    return tf.vectorized_map(lambda e: e * tf.reduce_sum(p), p)


def jac(f: Function, pfor: bool) -> Function:
    def sums(q: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(q)
            y = f(q)
        return tf.reduce_sum(tape.jacobian(y, q, experimental_use_pfor=pfor), 1)

    return sums


def batch(f: Function, pfor: bool) -> Function:
    def sums(q: Any) -> Any:
        rows = tf.stack([q, q * q])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(rows)
            y = f(rows) * rows
        found = tape.batch_jacobian(y, rows, experimental_use_pfor=pfor)
        return tf.reduce_sum(found, [0, 1])

    return sums


def hess(f: Function, pfor: bool) -> Function:
    def sums(q: Any) -> Any:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(q)
            with tf.GradientTape() as inner:
                inner.watch(q)
                y = tf.reduce_sum(f(q) ** 2)
            slope = inner.gradient(y, q)
        return tf.reduce_sum(outer.jacobian(slope, q, experimental_use_pfor=pfor), 1)

    return sums


PROGRAMS: dict[str, tuple[Callable[[bool], Function], list[float]]] = {
    "jacobian": (lambda pfor: jac(cube, pfor), [3.375, -13.875, 4.62]),
    "jacobian of a jacobian": (lambda pfor: jac(jac(cube, pfor), pfor), [18.9, -55.5, 15.0]),
    "three": (lambda pfor: jac(jac(jac(cube, pfor), pfor), pfor), [51.0, -111.0, 24.0]),
    "batch": (lambda pfor: batch(cube, pfor), [1.6125312, -10.5385832, 5.0687268]),
    "jacobian of a batch": (
        lambda pfor: jac(batch(cube, pfor), pfor),
        [14.042976, -73.432504, 32.798324],
    ),
    "hessian": (lambda pfor: hess(cube, pfor), [9.0045, -104.68926, 64.82448]),
    "hessian of a jacobian": (
        lambda pfor: hess(jac(cube, pfor), pfor),
        [314.1, -2499.444, 896.472],
    ),
    "map": (lambda pfor: jac(mapped, pfor), [2.95, -10.27, 1.46]),
    "jacobian of one of a map": (lambda pfor: jac(jac(mapped, pfor), pfor), [13.0, -39.4, 6.0]),
    "hessian of a map": (lambda pfor: hess(mapped, pfor), [12.44904, -82.90368, -1.93008]),
}
"""What TensorFlow 2.21 gives without pfor, and with tf.map_fn in place of tf.vectorized_map."""


@pytest.mark.parametrize("pfor", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents(name: str, pfor: bool) -> None:
    make, wanted = PROGRAMS[name]
    function = make(pfor)

    def tangent(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, DIRECTION) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    np.testing.assert_allclose(tangent(X), wanted, 1e-9)
    recorded = tf.function(tangent)
    for x in (X * 2.0, X, X + 1.0, X):
        np.testing.assert_allclose(recorded(x), tangent(x), 1e-9)
    around = tf.function(function)
    for _ in range(3):
        with tf.autodiff.ForwardAccumulator(X, DIRECTION) as accumulator:
            y = around(X)
        np.testing.assert_allclose(accumulator.jvp(y), wanted, 1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_several_tangents_at_once(name: str) -> None:
    make, wanted = PROGRAMS[name]
    directions = tf.stack([DIRECTION, -DIRECTION, DIRECTION * 3.0])
    with ForwardAccumulator._batch_accumulator(X, directions) as accumulator:
        y = make(True)(X)
    np.testing.assert_allclose(accumulator.jvp(y), np.outer([1.0, -1.0, 3.0], wanted), 1e-9)


def test_a_tangent_that_all_items_share_counts_once_for_each() -> None:
    """The sum over the items of a closed batch, of tensors whose tangent is the same for all of them."""

    def function(q: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(q)
            y = tf.vectorized_map(
                lambda e: e * q[0] + q[1], tf.constant([1.0, 2.0, 3.0], tf.float64)
            )
            z = y * y
        return tf.reduce_sum(tape.jacobian(z, q), 0)

    with tf.autodiff.ForwardAccumulator(X, DIRECTION) as accumulator:
        y = function(X)
    step = 1e-6
    numeric = (function(X + step * DIRECTION) - function(X - step * DIRECTION)) / (2.0 * step)
    np.testing.assert_allclose(accumulator.jvp(y), numeric, 1e-6)


def test_a_custom_gradient_whose_tangent_is_known_under_a_recording() -> None:
    """The accumulator outside looks up a tangent of its own while it has stepped out of the observers."""

    def function(x: Any) -> Any:
        @tf.custom_gradient
        def odd(z: Any) -> Any:
            return tf.sin(z), lambda dy: dy * z + 1.0

        with tf.autodiff.ForwardAccumulator(x, DIRECTION) as inner:
            y = odd(x)
        return inner.jvp(y) * y

    recorded = tf.function(function)
    for x in (X, X * 2.0, X + 1.0):
        answers = []
        for each in (function, recorded):
            with tf.autodiff.ForwardAccumulator(x, X) as accumulator:
                y = each(x)
            answers.append((y, accumulator.jvp(y)))
        np.testing.assert_allclose(answers[1], answers[0], 1e-12)
