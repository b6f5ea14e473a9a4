"""Gradients through ragged tensors and by tensors that a tape has made: as in TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

ROWS = [[1.0, 2.0], [], [3.0]]


def ragged() -> Any:
    return tf.ragged.constant(ROWS)


def rows_of(value: Any) -> Any:
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def with_gradient(function: Callable[..., Any], gradient: Callable[..., Any]) -> Any:
    return tf.custom_gradient(lambda *args: (function(*args), gradient))


CUSTOM: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    # the function, its gradient, the arguments, the results, the gradients by the arguments
    "to a ragged tensor": (
        lambda r: r * 2.0,
        lambda dy: dy * 3.0,
        [ragged],
        [[[2.0, 4.0], [], [6.0]]],
        [[[3.0, 3.0], [], [3.0]]],
    ),
    "to a tensor": (
        lambda r: tf.reduce_sum(r * 2.0),
        lambda dy: ragged() * dy,
        [ragged],
        [12.0],
        [ROWS],
    ),
    "a gradient by its values": (
        lambda r: tf.reduce_sum(r * 2.0),
        lambda dy: ragged().flat_values * dy,
        [ragged],
        [12.0],
        [ROWS],
    ),
    "from a tensor": (
        lambda x: ragged().with_flat_values(x),
        lambda dy: dy.flat_values * 7.0,
        [lambda: tf.constant([4.0, 5.0, 6.0])],
        [[[4.0, 5.0], [], [6.0]]],
        [[7.0, 7.0, 7.0]],
    ),
    "beside a tensor": (
        lambda x, r: (x * 2.0, r + 1.0),
        lambda dx, dr: (dx, dr * 2.0),
        [lambda: tf.constant([1.0, 2.0]), ragged],
        [[2.0, 4.0], [[2.0, 3.0], [], [4.0]]],
        [[1.0, 1.0], [[2.0, 2.0], [], [2.0]]],
    ),
    "two results": (
        lambda r: (r, r * 2.0),
        lambda first, second: first + second,
        [ragged],
        [ROWS, [[2.0, 4.0], [], [6.0]]],
        [[[2.0, 2.0], [], [2.0]]],
    ),
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("name", CUSTOM)
def test_ragged_tensors_go_through_functions_with_gradients_of_their_own(
    name: str, recorded: bool
) -> None:
    function, gradient, arguments, results, gradients = CUSTOM[name]

    def both(*args: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(args)
            found = with_gradient(function, gradient)(*args)
        return found, tape.gradient(found, args)

    call = tf.function(both) if recorded else both
    for _ in range(2):
        found, by_arguments = call(*[make() for make in arguments])
        found = list(found) if isinstance(found, tuple) else [found]
        assert [rows_of(value) for value in found] == results
        assert [rows_of(value) for value in by_arguments] == gradients


def test_ragged_gradients_are_counted_as_one() -> None:
    f = with_gradient(lambda r: r * 2.0, lambda dy: [dy, dy])
    r = ragged()
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = f(r)
    with pytest.raises(ValueError, match=r"1 argument .*it returned 2"):
        tape.gradient(y, r)


def test_the_gradient_of_a_ragged_gradient() -> None:
    r = ragged()
    f = tf.custom_gradient(lambda r: (r * r, lambda dy: dy * r * 2.0))
    with tf.GradientTape() as outer:
        outer.watch(r)
        with tf.GradientTape() as inner:
            inner.watch(r)
            y = f(r)
        first = inner.gradient(y, r)
    assert rows_of(outer.gradient(first, r)) == [[2.0, 2.0], [], [2.0]]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            tf.grad_pass_through(lambda r: r.with_values(tf.round(r.values))),
            [[1.0, 1.0], [], [1.0]],
        ),
        (tf.recompute_grad(lambda r: r * r), [[2.0, 4.0], [], [6.0]]),
    ],
)
def test_ragged_tensors_pass_through_and_are_computed_again(function: Any, expected: Any) -> None:
    r = ragged()
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = function(r)
    assert rows_of(tape.gradient(y, r)) == expected


@pytest.mark.parametrize(
    ("key", "indices"),
    [
        ((slice(None), slice(1)), [0, 2]),
        ((slice(None), slice(-1, None)), [1, 2]),
        ((slice(None), slice(None, None, 2)), [0, 2]),
    ],
)
def test_gradients_of_columns_by_the_values_are_slices(key: Any, indices: list[int]) -> None:
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = ragged().with_flat_values(values)[key]
    dx = tape.gradient(y, values)
    assert isinstance(dx, tf.IndexedSlices)
    assert dx.indices.numpy().tolist() == indices
    assert dx.values.numpy().tolist() == [1.0] * len(indices)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_zeros_for_a_gradient_that_is_not_there_are_tensors_of_the_outer_tape(
    make: Any, recorded: bool
) -> None:
    x, y = tf.constant(2.0), make([3.0, 1.0])

    def by_zeros() -> Any:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(y)
            with tf.GradientTape() as inner:
                inner.watch([x, y])
                z = x * x
            dx, dy = inner.gradient(z, [x, y], unconnected_gradients="zero")
            w = dy * 5.0 + 1.0
        return dx, outer.gradient(w, dy), outer.gradient(w, y)

    dx, by_dy, by_y = (tf.function(by_zeros) if recorded else by_zeros)()
    assert (float(dx), by_dy.numpy().tolist(), by_y) == (4.0, [5.0, 5.0], None)


BRANCHES: dict[str, Callable[[Any], Any]] = {
    "cond": lambda x: tf.cond(x > 1.0, lambda: 3.0, lambda: 5.0),
    "case": lambda x: tf.case([(x > 1.0, lambda: 3.0)], default=lambda: 5.0),
    "switch_case": lambda x: tf.switch_case(tf.cast(x, tf.int32) - 2, [lambda: 3.0, lambda: 5.0]),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_numbers_that_branches_give_are_tensors_where_functions_are_recorded(name: str) -> None:
    branch = BRANCHES[name]
    kinds: list[Any] = []

    @tf.function
    def tangent(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = branch(x)
            kinds.append(y)
        return y, accumulator.jvp(y)

    y, dy = tangent(tf.constant(2.0))
    assert isinstance(kinds[0], tf.Tensor)
    assert (float(y), dy) == (3.0, None)
    assert branch(tf.constant(2.0)) == 3.0
    assert not isinstance(branch(tf.constant(2.0)), tf.Tensor), "eager code gets what they return"


def test_branches_may_give_nothing() -> None:
    nothing = tf.function(lambda x: tf.cond(x > 1.0, lambda: None, lambda: None))
    assert nothing(tf.constant(2.0)) is None
    nested = tf.function(
        lambda x: tf.cond(x > 1.0, lambda: {"a": (1, "b")}, lambda: {"a": (2, "c")})
    )
    found = nested(tf.constant(2.0))["a"]
    assert [value.numpy() for value in found] == [1, b"b"]
    assert found[0].dtype == tf.int32
    assert np.asarray(nested(tf.constant(0.0))["a"][0]) == 2
