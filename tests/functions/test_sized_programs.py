"""Recorded functions that are called with other sizes: drawn programs, and the cases that need care.

`sized_programs.py` has the grammar, and draws more where it is run by itself.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from sized_programs import OPERANDS, STEPS, answers, difference, drawn

PROGRAMS, AT_ONCE = 500, 20


@pytest.mark.parametrize("of_values", [False, True], ids=["of arguments", "of values"])
@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_recorded_equals_eager(first: int, of_values: bool) -> None:
    found = {n: difference(n, *drawn(n), of_values) for n in range(first, first + AT_ONCE)}
    assert not {n: text for n, text in found.items() if text is not None}, (
        "python tests/sized_programs.py --only NUMBER finds the smallest such program"
    )


def test_every_step_and_operand_is_drawn() -> None:
    steps = [step for n in range(PROGRAMS) for step in drawn(n)[0]]
    assert {name for name, _ in steps} == set(STEPS)
    assert {operand for _, operand in steps} == set(OPERANDS)


def test_most_programs_are_recorded_for_open_sizes() -> None:
    """Otherwise the comparison would be one of recordings for single sizes."""
    count, opened = 60, 0
    for number in range(count):
        made: list[Any] = []

        def make(function: Any, made: list[Any] = made) -> Any:
            made.append(tf.function(function))
            return made[-1]

        answers(number, *drawn(number), make)
        opened += "for each size by itself" not in str(made[0].explain())
    assert opened > count // 2


def matrix(rows: int, columns: int = 3) -> Any:
    return tf.constant(np.random.RandomState(rows).normal(size=(rows, columns)).astype("f4"))


class Counted:
    """A recorded function, and how often its Python code has run."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.function = function
        self.runs = 0

        def counted(*args: Any) -> Any:
            self.runs += 1
            return function(*args)

        self.recorded = tf.function(counted, **options)

    def agrees(self, *args: Any) -> None:
        found, wanted = self.recorded(*args), self.function(*args)
        for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            assert one.numpy().tobytes() == other.numpy().tobytes()


WEIGHTS = tf.Variable(np.random.RandomState(0).normal(size=(3, 4)).astype("f4"))
SIZES = (5, 7, 9, 7, 3, 12, 2)


def jacobian(x: Any, sources: Any = None, batched: bool = False) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x @ WEIGHTS)
    return (
        tape.batch_jacobian(y, x)
        if batched
        else tape.jacobian(y, x if sources is None else sources)
    )


def jacobian_of_slopes(x: Any, batched: bool) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ WEIGHTS) ** 2, 1)
        slopes = inner.gradient(y, x)
    return outer.batch_jacobian(slopes, x) if batched else outer.jacobian(slopes, x)


def slopes_of_items(x: Any) -> Any:
    def of_item(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(WEIGHTS, row, transpose_a=True)) ** 2)
        return tape.gradient(y, row)

    return tf.vectorized_map(of_item, x)


def tangents_of_rows(x: Any) -> Any:
    tangents = tf.eye(tf.shape(x)[0])[:, :, None] * tf.ones([1, 1, 3])
    with tf.autodiff.ForwardAccumulator._batch_accumulator(x, tangents) as accumulator:
        y = tf.tanh(x @ WEIGHTS)
    return accumulator.jvp(y)


def slopes_of_a_map(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda row: tf.reduce_sum(row**3), x)
    return tape.gradient(y, x)


OPEN: dict[str, Callable[[Any], Any]] = {
    "a layer": lambda x: tf.nn.relu(x @ WEIGHTS),
    "a count of Python": lambda x: tf.reduce_sum(x) / x.shape[0],
    "a count of an op": lambda x: tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32),
    "arithmetic with sizes": lambda x: tf.reshape(x, [x.shape[0] * 3 // x.shape[1], -1]),
    "a shape that is made": lambda x: tf.zeros([x.shape[0], 2 * x.shape[1]]) + 1.0,
    "normalisation": lambda x: tf.nn.moments(x, [0])[1] * x,
    "a part": lambda x: x[1:] - x[:-1],
    "joined": lambda x: tf.concat([x, 2.0 * x, tf.ones([1, 3])], 0),
    "constants of a size": lambda x: tf.one_hot(tf.range(tf.shape(x)[0]), 4) @ tf.transpose(WEIGHTS),
    "a size itself": lambda x: tf.shape(x) * 2,
    "a Jacobian": jacobian,
    "a Jacobian by a variable": lambda x: jacobian(x, WEIGHTS),
    "a batch Jacobian": lambda x: jacobian(x, batched=True),
    "a Hessian": lambda x: jacobian_of_slopes(x, False),
    "a batch Hessian": lambda x: jacobian_of_slopes(x, True),
    "a map": lambda x: tf.vectorized_map(lambda row: (tf.nn.softmax(row), row[1:], tf.zeros_like(row)), x),
    "a map of pairs": lambda x: tf.vectorized_map(lambda pair: pair[0] * pair[1] + pair[0][0], (x, x + 1.0)),
    "a map in a map": lambda x: tf.vectorized_map(lambda row: tf.vectorized_map(tf.sin, row) * row[0], x),
    "a map with sizes": lambda x: tf.vectorized_map(lambda row: row / tf.cast(tf.shape(x)[0], "float32"), x),
    "a map of one row": lambda x: tf.vectorized_map(lambda pair: pair[0] * pair[1], (x, x[:1])),
    "products in a map": lambda x: tf.vectorized_map(lambda row: tf.matmul(row[None], WEIGHTS), x),
    "slopes in a map": slopes_of_items,
    "slopes of a map": slopes_of_a_map,
    "a Jacobian by columns": lambda x: tf.autodiff.jacfwd(lambda z: tf.tanh(z @ WEIGHTS))(x),
    "as many tangents as rows": tangents_of_rows,
    "one hot": lambda x: tf.one_hot(tf.argmax(x, 0), tf.shape(x)[0]),
    "vmap": lambda x: tf.autodiff.vmap(lambda row, other: row * tf.reduce_max(other))(x, x + 1.0),
    "a nest": lambda x: {"x": x + 1.0, "more": [tf.reduce_sum(x), (x * 2.0,)]},
}  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_python_runs_twice_for_all_sizes(name: str) -> None:
    counted = Counted(OPEN[name])
    for rows in SIZES:
        counted.agrees(matrix(rows))
    assert counted.runs == 2


ITEM_BY_ITEM: dict[str, Callable[[Any], Any]] = {
    "a branch": lambda row: tf.cond(row[0] > 0.0, lambda: row * 2.0, lambda: tf.sin(row)),
    "a branch of Python": lambda row: row * 2.0 if row[0] > 0.0 else tf.sin(row),
    "a loop": lambda row: tf.while_loop(lambda r: tf.reduce_sum(r) < 9.0, lambda r: [r + 1.0], [row])[0],
    "an op without a batching rule": lambda row: tf.sets.size(tf.sets.intersection(
        tf.cast(row * 4.0, tf.int32)[None], tf.range(-9, 9)[None])),
    "a function of Python": lambda row: tf.numpy_function(lambda r: r + 1, [row], tf.float32),
    "a map with a loop": lambda row: tf.map_fn(tf.sin, row),
    "a product by a transposed row": lambda row: tf.linalg.matvec(WEIGHTS, row, transpose_a=True),
}  # fmt: skip


@pytest.mark.parametrize("name", ITEM_BY_ITEM)
def test_maps_whose_items_differ_change_variables_once(name: str) -> None:
    def mapped(x: Any) -> Any:
        count.assign_add(1)
        return count + 0, tf.vectorized_map(ITEM_BY_ITEM[name], x)

    recorded = tf.function(mapped)
    count = tf.Variable(0)
    for calls, rows in enumerate(SIZES, start=1):
        number, found = recorded(matrix(rows))
        assert calls == number == count.numpy()
        wanted = mapped(matrix(rows))[1]
        count.assign_sub(1)
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_a_training_step_is_recorded_once_for_all_batches() -> None:
    weights, bias = tf.Variable(WEIGHTS), tf.Variable(tf.zeros([4]))

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.tanh(x @ weights + bias) - y) ** 2)
        by_weights, by_bias = tape.gradient(loss, [weights, bias])
        weights.assign_sub(0.1 * by_weights)
        bias.assign_sub(0.1 * by_bias)
        return loss

    runs = [0]

    @tf.function
    def recorded(x: Any, y: Any) -> Any:
        runs[0] += 1
        return step(x, y)

    for rows in SIZES:
        before = weights.numpy(), bias.numpy()
        loss, after = recorded(matrix(rows), matrix(rows, 4)), (weights.numpy(), bias.numpy())
        weights.assign(before[0])
        bias.assign(before[1])
        assert step(matrix(rows), matrix(rows, 4)) == loss
        np.testing.assert_array_equal(weights.numpy(), after[0])
        np.testing.assert_array_equal(bias.numpy(), after[1])
    assert runs == [2]


def test_sizes_that_python_decides_by_are_guarded() -> None:
    counted = Counted(lambda x: x * 2.0 if x.shape[0] > 6 else x + 1.0)
    for rows in (3, 4, 5, 7, 8, 9, 6, 20):
        counted.agrees(matrix(rows))
    assert counted.runs == 3  # for 3, for few rows, for many


def test_loops_over_rows_follow_the_size() -> None:
    counted = Counted(lambda x: tf.add_n([x[row] * row for row in range(x.shape[0])]))
    for rows in (2, 3, 4, 5, 6, 7, 8, 3, 8):
        counted.agrees(matrix(rows))


@pytest.mark.parametrize("rows", [0, 1])
def test_no_rows_and_one_row_are_recorded_by_themselves(rows: int) -> None:
    counted = Counted(lambda x: x - tf.reduce_sum(x, 0, keepdims=True) + tf.ones([x.shape[0], 3]))
    for count in (5, rows, 7, rows, 8, rows):
        counted.agrees(matrix(count))


def test_operands_that_were_broadcast_are_not_mixed_up_with_others() -> None:
    counted = Counted(lambda x, y: x + y)
    for first, second in ((5, 5), (7, 7), (7, 1), (1, 7), (8, 8), (1, 1), (9, 9)):
        counted.agrees(matrix(first), matrix(second))
    with pytest.raises(tf.errors.InvalidArgumentError):
        counted.recorded(matrix(4), matrix(6))
    counted.agrees(matrix(4), matrix(4))


def test_values_are_guarded_beside_sizes() -> None:
    counted = Counted(lambda x: x * 2.0 if tf.reduce_sum(x) > 0.0 else x + tf.reduce_mean(x))
    for rows in SIZES:
        for sign in (1.0, -1.0):
            counted.agrees(sign * matrix(rows))
    assert counted.runs <= 4


def test_results_do_not_show_open_sizes() -> None:
    kept: list[Any] = []

    @tf.function
    def function(x: Any) -> Any:
        kept.append(x.shape[0])
        return x * 2.0

    results = [function(matrix(rows)) for rows in (4, 5, 6)]
    assert [tuple(result.shape) for result in results] == [(4, 3), (5, 3), (6, 3)]
    assert all(type(size) is int for result in results for size in result.shape)
    # What Python has kept of the call for open sizes is a number like others afterwards.
    assert kept == [4, 5]
    assert kept[1] + 1 == 6
    assert np.zeros(kept[1]).shape == (5,)


def test_gradients_from_outside() -> None:
    counted = Counted(lambda x: tf.reduce_mean(tf.nn.softmax(tf.tanh(x @ WEIGHTS)) ** 2 * x[:, :1]))
    for rows in SIZES:
        gradients = []
        for function in (counted.recorded, counted.function):
            x = matrix(rows)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            gradients.append(tape.gradient(y, [x, WEIGHTS]))
        for found, wanted in zip(*gradients, strict=True):
            np.testing.assert_allclose(found, wanted, 1e-5, 1e-7)
    assert counted.runs == 2


def test_gradients_of_gradients_from_outside() -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) ** 3) / x.shape[0]
        return tape.gradient(y, x)

    recorded = tf.function(slope)
    for rows in SIZES:
        gradients = []
        for function in (recorded, slope):
            x = matrix(rows)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            gradients.append(tape.gradient(y, x))
        np.testing.assert_allclose(*gradients, 1e-5, 1e-6)


def test_draws_are_those_of_a_recording_for_the_size() -> None:
    """Each signature has a stream of its own, which goes on from call to call."""

    def numbers(rows: int, function: Any) -> Any:
        return function(tf.zeros([rows, 2])).numpy()

    def noise(x: Any) -> Any:
        return x + tf.random.uniform(tf.shape(x))

    tf.random.set_seed(3)
    recorded = tf.function(noise)
    found = [numbers(rows, recorded) for rows in (3, 3, 4, 4, 5, 5, 4)]
    tf.random.set_seed(3)
    alone = {rows: tf.function(noise) for rows in (3, 4, 5)}
    wanted = [numbers(rows, alone[rows]) for rows in (3, 3, 4, 4, 5, 5, 4)]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_function_that_cannot_take_open_sizes_changes_nothing_twice() -> None:
    total = tf.Variable(0.0)

    def function(x: Any) -> Any:
        total.assign_add(1.0)
        if not isinstance(x.shape[0], int):
            raise TypeError("no size of this kind")
        return x * total

    recorded = tf.function(function)
    for number, rows in enumerate((4, 5, 6, 5, 7), 1):
        np.testing.assert_array_equal(recorded(matrix(rows)), matrix(rows) * float(number))
        assert total.numpy() == number
    assert "for each size by itself" in str(recorded.explain())
    assert "no size of this kind" in str(recorded.explain())


def test_draws_of_a_call_that_is_undone_are_drawn_again() -> None:
    def noise(x: Any, asks: bool = True) -> Any:
        drawn = tf.random.uniform([2])
        if asks and not isinstance(x.shape[0], int):
            raise TypeError("no size of this kind")
        return drawn + 0.0 * tf.reduce_sum(x)

    def numbers(asks: bool) -> list[Any]:
        tf.random.set_seed(5)
        recorded = tf.function(lambda x: noise(x, asks))
        return [recorded(matrix(rows)).numpy().tolist() for rows in (4, 5, 5, 6, 4)]

    assert numbers(True) == numbers(False)


def test_an_error_of_the_function_is_raised_once_and_changes_nothing() -> None:
    total = tf.Variable(0.0)

    @tf.function
    def function(x: Any) -> Any:
        total.assign_add(1.0)
        return tf.reshape(x, [2, -1])

    function(matrix(4))
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(matrix(5))
    assert function(matrix(6)).shape == (2, 9)


def test_effects_that_cannot_be_undone_happen_once(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def function(x: Any) -> Any:
        tf.print("rows", tf.shape(x)[0])
        return x + 1.0

    for rows in (4, 5, 6, 5):
        function(matrix(rows))
    assert capfd.readouterr().err.split() == "rows 4 rows 5 rows 6 rows 5".split()


def test_several_arguments_and_axes() -> None:
    counted = Counted(lambda x, y: (tf.matmul(x, y, transpose_b=True), tf.concat([x, y], 0)))
    for rows, others, columns in ((4, 5, 3), (4, 6, 3), (5, 6, 3), (7, 8, 4), (3, 3, 5), (9, 2, 6)):
        counted.agrees(matrix(rows, columns), matrix(others, columns))
    assert counted.runs <= 4  # each new set of axes that change is recorded


def test_sentences_of_changing_length() -> None:
    table = tf.Variable(np.random.RandomState(1).normal(size=(20, 4)).astype("f4"))

    def encoded(words: Any, lengths: Any) -> Any:
        x = tf.nn.embedding_lookup(table, words)
        mask = tf.sequence_mask(lengths, tf.shape(words)[1], tf.float32)[:, :, None]
        scores = tf.nn.softmax(tf.matmul(x, x, transpose_b=True) / 2.0)
        return tf.reduce_sum(tf.matmul(scores, x) * mask, 1) / tf.reduce_sum(mask, 1)

    counted = Counted(encoded)
    source = np.random.RandomState(2)
    for length in (5, 6, 9, 4, 12, 7):
        words = tf.constant(source.randint(0, 20, (3, length)))
        counted.agrees(words, tf.constant([2, 3, 4]))
    assert counted.runs == 2


def test_ever_new_sizes_keep_memory_bounded() -> None:
    counted = Counted(lambda x: tf.reduce_sum(x * 2.0))
    for rows in range(2, 700):
        counted.recorded(tf.ones([rows]))
    assert counted.runs == 2
    assert len(counted.recorded._recordings.values()) <= 256
    assert counted.recorded(tf.ones([3])).numpy() == 6.0
    assert counted.runs == 2


def test_threads_with_sizes_of_their_own() -> None:
    counted = Counted(lambda x: tf.nn.softmax(x @ WEIGHTS) * x.shape[0])
    failures: list[Any] = []

    def calls(first: int) -> None:
        try:
            for rows in range(first, first + 20):
                counted.agrees(matrix(rows))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=calls, args=(first,)) for first in (2, 5, 9, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_method_is_let_go_of_with_its_object() -> None:
    class Model(tf.Module):
        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * 2.0

    model = Model()
    for rows in (3, 4, 5):
        model(matrix(rows))
    cache = Model.__call__._recordings
    assert len(cache.values()) == 3
    del model
    gc.collect()
    assert len(cache.values()) == 0


# The recording is made for 7 rows: what shape rules said of one op must not be taken for another one's.
ALIKE: dict[str, Callable[[Any], Any]] = {
    "other numbers in tensors": lambda x: [tf.pad(x, [[0, i], [0, 1]]) for i in (1, 2, 1)],
    "other attributes": lambda x: [tf.tile(x, [i, 1]) for i in (2, 3, 2)],
    "numbers that are equal": lambda x: [
        tf.reduce_sum(x, axis, keepdims=kept) for axis in (0, 1) for kept in (False, True)
    ],
    "an int that is the size": lambda x: [tf.concat([x, y], 0) for y in (x, tf.ones([7, 3]), x)],
    "a size times 1": lambda x: [
        tf.concat([x, tf.reshape(y, [x.shape[0] * k, 3])], 1)
        for y in (tf.tile(x, [1, 1]), -x)
        for k in (1, 1)
    ],
    "another side": lambda x: [
        tf.matmul(x, x, transpose_a=True),
        tf.matmul(x, x, transpose_b=True),
        tf.matmul(x, x, transpose_a=True),
    ],
    "broadcast in turn": lambda x: [x + x[0], x * x[:, :1], x[:1] - x, x[0] + x, x[:, 1] * 2.0],
    "other dtypes": lambda x: [
        tf.stack([tf.cast(x, kind)] * 2, 1) for kind in (tf.float64, tf.float16, tf.float64)
    ],
    "other slices": lambda x: [x[i:, :j] for i, j in ((1, 2), (0, 2), (1, 3), (1, 2))],
    "several results": lambda x: (
        [tf.split(y, 3, 1) for y in (x, 2.0 * x)] + [tf.split(x, [1, 2], 1)]
    ),
}


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("taped", [False, True], ids=["forward", "with gradients"])
def test_ops_that_look_alike(name: str, taped: bool) -> None:
    def differentiated(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = [tf.sin(tf.cast(part, tf.float32)) for part in tf.nest.flatten(ALIKE[name](x))]
            total = tf.add_n([tf.reduce_sum(part * part) for part in parts])
        return total, tape.gradient(total, x)

    counted = Counted(differentiated if taped else ALIKE[name])
    for rows in SIZES:
        counted.agrees(matrix(rows))
    assert counted.runs <= 3  # some decide whether it is 7
    assert "for each size by itself" not in str(counted.recorded.explain())


def test_a_recording_for_open_sizes_is_told_before_it_runs() -> None:
    function = tf.function(lambda x: tf.nn.relu(x @ WEIGHTS))
    function(matrix(5))
    function(matrix(7))
    assert str(function.explain()).count("recorded: 3 steps") == 2
