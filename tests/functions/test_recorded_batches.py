"""Functions over batches, recorded: a recording has the ops that batching rules run, and no batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.table.test_recorded_samples import answer, cases

import tapegrad as tf
from batched import (
    SIZE,
    as_array,
    choices,
    entered,
    gradients_of,
    items_of,
    left,
    noted_loops,
    outputs_of,
    stacked,
)
from samples import Sample, all_samples
from tapegrad import core
from tapegrad.autodiff.forward import ForwardAccumulator
from tapegrad.core import Batch

W = np.random.RandomState(0).standard_normal((3, 4)).astype("float32")


def layer(x: Any) -> Any:
    return tf.tanh(x @ tf.constant(W))


def jacobian(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    return tape.jacobian(y, x)


def batch_jacobian(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    return tape.batch_jacobian(y, x)


def hessian(x: Any) -> Any:
    return tf.autodiff.hessian(lambda x: tf.reduce_sum(layer(x) ** 3))(x)


def forward_over_reverse(x: Any) -> Any:
    slope = tf.autodiff.jacrev(lambda x: tf.reduce_sum(layer(x) ** 3))
    return tf.autodiff.jacfwd(slope)(x)


def mapped(x: Any) -> Any:
    return tf.vectorized_map(lambda row: (tf.sort(row), tf.reduce_sum(tf.sin(row) * row), 1.0), x)


def mapped_twice(x: Any) -> Any:
    def row(r: Any) -> Any:
        return tf.vectorized_map(lambda element: element * tf.reduce_sum(r), r)

    return tf.vectorized_map(row, x)


def indexed(x: Any) -> Any:
    return tf.vectorized_map(lambda row: tf.gather(row, tf.argsort(row)), x)


def segments(x: Any) -> Any:
    def row(r: Any) -> Any:
        return tf.math.unsorted_segment_sum(r, tf.cast(r > 0, tf.int32), 2)

    return tf.vectorized_map(row, x)


def decided(x: Any) -> Any:
    return tf.vectorized_map(lambda row: row * 2 if tf.reduce_sum(row) > 0 else -row, x)


def drawn(x: Any) -> Any:
    return tf.vectorized_map(lambda row: row + tf.random.normal([3], seed=3), x)


def gradient_around(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = mapped(x)[1]
    return tape.gradient(y, x)


def per_example(x: Any) -> Any:
    w = tf.constant(W)

    def row(r: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            loss = tf.reduce_sum(tf.tanh(r[None] @ w) ** 2)
        return tape.gradient(loss, w)

    return tf.vectorized_map(row, x)


def converted(x: Any) -> Any:
    return tf.vectorized_map(lambda row: tf.custom_gradient(lambda y: (y * 2, lambda d: d))(row), x)


def one_by_one(x: Any) -> Any:
    return tf.vectorized_map(lambda row: tf.linalg.expm(tf.linalg.diag(row)), x)


PROGRAMS: list[Callable[[Any], Any]] = [
    jacobian,
    batch_jacobian,
    hessian,
    forward_over_reverse,
    mapped,
    mapped_twice,
    indexed,
    segments,
    decided,
    drawn,
    gradient_around,
    per_example,
    converted,
    one_by_one,
]


def square(x: Any) -> Any:
    return x * x


def product(x: Any) -> Any:
    return tf.reduce_prod(x) * x


def determinant(x: Any) -> Any:
    return tf.linalg.det(tf.linalg.diag(x)) * x


@pytest.mark.parametrize("captured", [square, product, determinant])
@pytest.mark.parametrize("kind", ["jacobian", "batch_jacobian", "hessian", "forward"])
def test_a_derivative_of_a_map_that_captures_a_tensor_is_differentiated(
    captured: Callable[[Any], Any], kind: str
) -> None:
    """The walk back enters a closed batch within a later one: what came of it was kept as a constant."""

    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            p = captured(x)
            y = tf.vectorized_map(lambda e: e * tf.reduce_sum(p), p)
        return tape.jacobian(y, x)

    def batch_jacobian(x: Any) -> Any:
        p, rows = captured(x), tf.stack([x, x * x])
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = tf.vectorized_map(lambda row: row * tf.reduce_sum(row * p), rows)
        return tape.batch_jacobian(y, rows)

    def hessian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(jacobian(x) ** 2, 0)
        return tape.jacobian(y, x)

    def forward(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, x * x) as accumulator:
            y = jacobian(x)
        return accumulator.jvp(y)

    derivative = {f.__name__: f for f in (jacobian, batch_jacobian, hessian, forward)}[kind]

    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(x)
        return tape.gradient(y, x)

    function, around = tf.function(program), tf.function(program)
    for value in ([0.3, 0.5], [0.4, 0.5], [-1.0, 2.0], [1.5, -0.5]):
        x = tf.constant(value, tf.float64)
        np.testing.assert_allclose(function(x), program(x), 1e-9)
        answers = []
        for each in (program, around):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = each(x)
            answers.append(tape.gradient(y, x))
        np.testing.assert_allclose(*answers, 1e-9)


def given(count: int = 6) -> Iterator[Any]:
    random = np.random.RandomState(1)
    for i in range(count):
        rows = 4 if i % 3 != 2 else 5
        yield tf.constant(random.standard_normal((rows, 3)).astype("float32"))


def arrays(result: Any) -> list[Any]:
    return [as_array(leaf) for leaf in tf.nest.flatten(result)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_replay_gives_what_python_gives(program: Callable[[Any], Any]) -> None:
    function, python = tf.function(program), tf.function(program)
    tf.random.set_seed(1)
    wanted = [arrays(python._run((x,), {})) for x in given()]
    tf.random.set_seed(1)
    for x, answers in zip(given(), wanted, strict=True):
        for found, expected in zip(arrays(function(x)), answers, strict=True):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
    assert "stays Python" not in str(function.explain())
    assert any(each.replays for each in function._recordings.values())


@pytest.mark.parametrize("program", [jacobian, hessian, mapped, gradient_around, per_example])
def test_under_a_tape_from_outside(program: Callable[[Any], Any]) -> None:
    function = tf.function(program)
    for x in given():
        answers = []
        for each in (program, function):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = each(x)
                y = tf.add_n([tf.reduce_sum(part**2) for part in tf.nest.flatten(y)])
            answers.append((y, tape.gradient(y, x)))
        for wanted, found in zip(*answers, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert "stays Python" not in str(function.explain())


def test_a_tensor_in_a_batch_that_is_kept_makes_the_function_python() -> None:
    kept: list[Any] = []

    @tf.function
    def function(x: Any) -> Any:
        def row(r: Any) -> Any:
            kept.append(r * 2)
            return r

        return tf.vectorized_map(row, x)

    for x in given(2):
        function(x)
    assert "kept elsewhere" in str(function.explain())


def jacobian_of_captured(x: Any, captured: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3 * captured
    return tape.jacobian(y, x)


def batch_jacobian_of_captured(x: Any, captured: Any) -> Any:
    rows = tf.stack([x, x * x])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = rows**3 * captured
    return tape.batch_jacobian(y, rows)


def map_of_captured(x: Any, captured: Any) -> Any:
    return tf.vectorized_map(lambda e: e * tf.vectorized_map(tf.sin, captured), x)


def map_over_captured(x: Any, captured: Any) -> Any:
    return tf.vectorized_map(lambda c: tf.sin(c) * x, captured)


def tangents_of_captured(x: Any, captured: Any) -> Any:
    units = tf.eye(2, dtype=x.dtype)
    with ForwardAccumulator._batch_accumulator(x, units) as accumulator:
        y = x**3 * captured
    return accumulator.jvp(y)


@pytest.mark.parametrize(
    "program",
    [
        jacobian_of_captured,
        batch_jacobian_of_captured,
        map_of_captured,
        map_over_captured,
        tangents_of_captured,
    ],
)
@pytest.mark.parametrize("way", ["gradient", "jacobian", "forward"])
def test_derivatives_from_outside_by_a_captured_tensor(
    program: Callable[[Any, Any], Any], way: str
) -> None:
    """In a batch, what came of captured tensors alone was a constant, whoever watched them from outside."""
    captured = tf.constant([2.0, 3.0], tf.float64)

    def whole(x: Any) -> Any:
        return tf.reduce_sum(program(x, captured), 0)

    function = tf.function(whole)
    for value in ([0.3, 0.5], [0.4, 0.5], [-1.0, 2.0]):
        x = tf.constant(value, tf.float64)
        answers: list[Any] = []
        for each in (whole, function):
            if way == "forward":
                with tf.autodiff.ForwardAccumulator([x, captured], [x, x + 1.0]) as accumulator:
                    y = each(x)
                answers.append([accumulator.jvp(y)])
            else:
                with tf.GradientTape() as tape:
                    tape.watch([x, captured])
                    y = each(x)
                answers.append(getattr(tape, way)(y, [x, captured]))
        for wanted, found in zip(*answers, strict=True):
            np.testing.assert_allclose(found, wanted, 1e-9)
    assert "stays Python" not in str(function.explain())


def test_an_array_of_unknown_origin_makes_the_function_python() -> None:
    """A batching rule whose result no step gives: it would be a constant of the recording."""
    rule = core.registry["Cumsum"].batch_rule
    core.registry["Cumsum"].batching(lambda items, x, *attributes: np.zeros(x.shape, x.dtype))
    try:
        function = tf.function(lambda x: tf.vectorized_map(tf.cumsum, x))
        for x in given(2):
            assert not np.any(function(x))
    finally:
        core.registry["Cumsum"].batching(rule)
    assert "an array that no step of a recording makes" in str(function.explain())


def test_an_effect_on_a_tensor_that_all_items_share(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It is one, in replays too. What is entered next, in the inner map, is no constant."""

    def program(x: Any) -> Any:
        y = x * x

        def row(r: Any) -> Any:
            tf.print("items share", y)
            return tf.reduce_sum(tf.vectorized_map(lambda e: e * r, y))

        return tf.vectorized_map(row, x, warn=False)

    function = tf.function(program)
    with noted_loops():
        for x in (tf.constant([1.0, 2.0]), tf.constant([2.0, 3.0]), tf.constant([-1.0, 4.0])):
            answers = []
            for call in (program, function):
                answers.append((call(x).numpy().tolist(), capfd.readouterr().err))
            assert answers[0] == answers[1]
            assert answers[0][1].count("items share") == 1


def test_rows_that_lie_in_memory_once_are_not_taken_for_granted() -> None:
    """A product of matrices takes one row for all where the strides say so: other calls have other rows."""

    @tf.function
    def function(x: Any) -> Any:
        with Batch(4) as batch:
            return left(entered([x], (True,), batch)[0] @ tf.constant(W), batch)

    same = tf.broadcast_to(tf.constant([[[1.0, 2.0, 3.0]]]), [4, 2, 3])
    other = tf.reshape(tf.range(24.0), [4, 2, 3])
    for x in (same, other, same, other):
        np.testing.assert_allclose(function(x), x.numpy() @ W, rtol=1e-6)


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_over_a_batch_is_recorded(sample: Sample) -> None:
    """Every row of the sample table over a batch, with its gradient: replays give what eager code gives."""
    for run in cases(sample)[:1]:
        if not run.arrays:
            continue
        items = items_of(run)
        for choice in list(choices(len(run.arrays)))[-1:]:

            def call(tensors: Any, run: Any = run, choice: Any = choice) -> list[Any]:
                with Batch(SIZE) as batch:
                    taken = entered(tensors, choice, batch)
                    if sample.differentiable:
                        outputs, found = gradients_of(run, taken)
                        outputs = [*outputs, *[each for each in found if each is not None]]
                    else:
                        outputs = outputs_of(run, taken)
                    return [left(each, batch) for each in outputs]

            first, second = stacked(items, choice), stacked(items[::-1], choice)
            function, python = tf.function(call), tf.function(call)
            with noted_loops(), np.errstate(all="ignore"):
                wanted = [
                    answer(lambda t=tensors, p=python, c=call: p._run((t,), {}))
                    for tensors in (first, second) * 2
                ]
                found = [
                    answer(lambda t=tensors, f=function: f(t)) for tensors in (first, second) * 2
                ]
            if any(error == "ValueError" for error, _ in found):
                continue  # The row makes a variable, and so does each call.
            for (failed, one), (wrong, other) in zip(found, wanted, strict=True):
                assert failed == wrong, repr(run)
                for a, b in zip(arrays(one), arrays(other), strict=True):
                    assert a is b is None or a.dtype == b.dtype
                    np.testing.assert_array_equal(a, b, err_msg=repr(run))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x * y,
        lambda x, y: x + y,
        lambda x, y: tf.tanh(x),
        lambda x, y: tf.sigmoid(x),
        lambda x, y: tf.maximum(x, y),
        lambda x, y: tf.where(x > y, x, y),
        lambda x, y: tf.cast(x, tf.float64),
        lambda x, y: tf.clip_by_value(x, 0.0, 1.0),
        lambda x, y: tf.nn.softmax(x),
        lambda x, y: tf.transpose(x) * tf.transpose(y),
    ],
)
def test_results_in_a_first_call_lie_in_memory_as_those_of_eager_code(function: Any) -> None:
    """A sum adds up in the order of the memory: another order has other last bits."""
    numbers = np.random.RandomState(1).normal(size=(2, 7, 3, 4)).astype("f4")
    x, y = [core.EagerTensor(array) for array in np.swapaxes(numbers, 1, 2)]
    assert not x._array.flags.c_contiguous
    mapped = lambda x, y: tf.vectorized_map(lambda pair: function(*pair), (x, y))
    first = tf.function(mapped)(x, y)
    assert first._array.strides == mapped(x, y)._array.strides
    np.testing.assert_array_equal(first, mapped(x, y))
