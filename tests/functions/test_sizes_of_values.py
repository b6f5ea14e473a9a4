"""Sizes that values decide, in recorded functions: Python runs for the first two calls, and no more.

``test_sized_programs.py`` draws programs on such sizes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

RNG = np.random.default_rng(0)
X = tf.constant(RNG.normal(size=(50, 6)).astype("f4"))
VARIABLE = tf.Variable(X)


def draws(count: int) -> list[tuple[Any, Any]]:
    """A number and a mask for each call. The number is 2 at least, and the mask has two of each."""
    generator = np.random.default_rng(1)
    found = []
    for _ in range(count):
        mask = generator.random(50) < generator.uniform(0.2, 0.8)
        mask[:4] = [True, False, True, False]
        found.append((tf.constant(int(generator.integers(2, 40))), tf.constant(mask)))
    return found


def rows(n: Any) -> Any:
    return tf.RaggedTensor.from_row_lengths(tf.range(n * 3), tf.fill([n], 3))


def slope(y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = tf.reduce_sum(tf.tanh(y) ** 2)
    return tape.gradient(z, y)


def slope_of_whole(mask: Any) -> Any:
    with tf.GradientTape() as tape:
        z = tf.reduce_mean(tf.boolean_mask(VARIABLE, mask) ** 3)
    return tf.convert_to_tensor(tape.gradient(z, VARIABLE))


def slope_of_parts(which: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(X)
        first, second = tf.dynamic_partition(X, which, 2)
        z = tf.reduce_sum(first**2) + tf.reduce_sum(tf.sin(second))
    return tape.gradient(z, X)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "boolean_mask": lambda n, mask: tf.boolean_mask(X, mask) * 2.0,
    "x[mask]": lambda n, mask: X[mask],
    "where": lambda n, mask: tf.where(mask),
    "gather": lambda n, mask: tf.gather(X, tf.where(mask)[:, 0]),
    "unique": lambda n, mask: tf.unique(tf.range(40) % n),
    "x[:n]": lambda n, mask: X[:n],
    "x[n:]": lambda n, mask: X[n:],
    "range": lambda n, mask: tf.range(n),
    "zeros": lambda n, mask: tf.zeros([n, 2]),
    "fill": lambda n, mask: tf.fill([n, 2], 3.0),
    "eye": lambda n, mask: tf.eye(n),
    "tile": lambda n, mask: tf.tile(X, [n, 1]),
    "repeat": lambda n, mask: tf.repeat(X, n, 0),
    "one_hot": lambda n, mask: tf.one_hot([1, 2], n),
    "sequence_mask": lambda n, mask: tf.sequence_mask([1, 2], n),
    "top_k": lambda n, mask: tf.math.top_k(X[:, 0], k=n),
    "pad": lambda n, mask: tf.pad(X, [[n, 0], [0, 0]]),
    "pad by a matrix": lambda n, mask: tf.pad(X, tf.stack([tf.stack([n, 1]), [0, n]])),
    "roll": lambda n, mask: tf.roll(X, n, 0),
    "slice": lambda n, mask: tf.slice(X, [0, 0], [n, 2]),
    "dynamic_partition": lambda n, mask: tf.dynamic_partition(X, tf.cast(mask, tf.int32), 2),
    "slope of dynamic_partition": lambda n, mask: slope_of_parts(tf.cast(mask, tf.int32)),
    "confusion_matrix": lambda n, mask: tf.math.confusion_matrix(mask, tf.range(50) % n > 1, 2),
    "confusion_matrix of any size": lambda n, mask: tf.math.confusion_matrix(
        tf.where(mask, n, 0), tf.range(50) % n
    ),
    "segments": lambda n, mask: tf.math.unsorted_segment_sum(X, tf.range(50) % n, n),
    "scatter_nd": lambda n, mask: tf.scatter_nd(tf.range(n)[:, None], X[:n], [50, 6]),
    "non_max_suppression": lambda n, mask: tf.image.non_max_suppression(
        tf.abs(X[:, :4]), X[:, 0], n, 0.1
    ),
    "sorted": lambda n, mask: tf.sort(tf.boolean_mask(X[:, 0], mask)),
    "softmax": lambda n, mask: tf.nn.softmax(tf.boolean_mask(X, mask)),
    "product": lambda n, mask: tf.matmul(tf.boolean_mask(X, mask), X, transpose_b=True),
    "slope": lambda n, mask: slope(X[:n]),
    "slope of whole": lambda n, mask: slope_of_whole(mask),
    "vectorized_map": lambda n, mask: tf.vectorized_map(lambda row: row * 2.0, X[:n]),
    "number of elements": lambda n, mask: tf.size(tf.boolean_mask(X, mask)) * 2,
    "ragged": lambda n, mask: rows(n).to_tensor(),
    "ragged sum": lambda n, mask: tf.reduce_sum(rows(n), 1),
    "ragged rows": lambda n, mask: tf.RaggedTensor.from_value_rowids(
        tf.range(tf.size(tf.where(mask))), tf.where(mask)[:, 0], nrows=50
    ).row_lengths(),
    "ragged largest": lambda n, mask: tf.reduce_max(
        tf.RaggedTensor.from_row_splits(X, tf.stack([0, n, 50])), axis=0
    ),
    "sparse": lambda n, mask: tf.sparse.to_dense(
        tf.SparseTensor(tf.where(mask), tf.boolean_mask(X[:, 0], mask), [50])
    ),
    "drawn": lambda n, mask: tf.random.stateless_normal([n, 2], [1, 2]),
}


def counted(function: Callable[..., Any]) -> tuple[Any, list[int]]:
    runs = [0]

    def inner(*arguments: Any) -> Any:
        runs[0] += 1
        return function(*arguments)

    return tf.function(inner), runs


def assert_equal(found: Any, wanted: Any) -> None:
    parts = [tf.nest.flatten(nest, expand_composites=True) for nest in (found, wanted)]
    for one, other in zip(*parts, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.numpy().tobytes() == other.numpy().tobytes()


def runs_of(
    function: Callable[..., Any],
    calls: int,
    sizes: Callable[[Callable[[int], int]], tuple[int, int]],
) -> int:
    """How often Python runs where two masks have drawn sizes. The results are those of eager code."""
    recorded, runs = counted(function)
    generator = np.random.default_rng(2)
    for _ in range(calls):
        counts = sizes(lambda most: int(generator.integers(most)))
        masks = [tf.constant(generator.permutation(20) < count) for count in counts]
        assert_equal(recorded(tf.range(20.0), *masks), function(tf.range(20.0), *masks))
    return runs[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_python_runs_twice(name: str) -> None:
    recorded, runs = counted(FUNCTIONS[name])
    for arguments in draws(12):
        assert_equal(recorded(*arguments), FUNCTIONS[name](*arguments))
    assert runs[0] <= 3  # `x % n` and the like have few values beside
    assert "stays Python" not in str(recorded.explain())


def test_sparse_tensors_of_all_sizes_are_one_recording() -> None:
    """Of matrices with other numbers of rows, and other numbers of elements that are not 0."""
    other = tf.constant([[2.0], [3.0]])

    def function(x: Any) -> Any:
        sparse = tf.sparse.from_dense(tf.nn.relu(x))
        product = tf.sparse.sparse_dense_matmul(sparse, other)
        return product, tf.sparse.to_dense(sparse), tf.sparse.reduce_sum(sparse, 1)

    recorded, runs = counted(function)
    generator = np.random.default_rng(3)
    for rows in (5, 5, 4, 6, 3, 7, 9, 4, 8, 5, 6, 3, 10, 7):
        numbers = generator.normal(size=(rows, 2)).astype("f4")
        numbers[:2, 0] = 1.0
        x = tf.constant(numbers)
        assert_equal(recorded(x), function(x))
    assert runs[0] <= 4
    assert "by itself" not in str(recorded.explain())


def test_sizes_of_0_and_1_have_paths_of_their_own() -> None:
    recorded, runs = counted(lambda x, mask: tf.boolean_mask(x, mask) + tf.constant([1.0]))
    for count in (5, 7, 0, 1, 3, 0, 1, 9, 5, 2):
        mask = np.arange(10) < count
        found = recorded(tf.range(10.0), tf.constant(mask))
        assert found.numpy().tolist() == [number + 1.0 for number in range(count)]
    assert runs[0] == 4


def test_what_python_decides_by_such_a_size_is_decided_anew() -> None:
    def function(x: Any, mask: Any) -> Any:
        y = tf.boolean_mask(x, mask)
        return y * 2.0 if y.shape[0] > 4 else y - 1.0

    recorded, runs = counted(function)
    for count in (6, 7, 3, 8, 2, 3, 5, 4, 9):
        arguments = tf.range(10.0), tf.constant(np.arange(10) < count)
        assert_equal(recorded(*arguments), function(*arguments))
    assert runs[0] == 3  # the first, the second, and 3: a path for each way to decide


def test_each_way_to_decide_by_several_sizes_has_a_path() -> None:
    def function(x: Any, mask: Any, other: Any) -> Any:
        y = tf.boolean_mask(x, mask)
        y = y * 2.0 if y.shape[0] > 4 else y - 1.0
        z = tf.boolean_mask(x, other)
        return y + z if y.shape == z.shape else tf.concat([y, z], 0)

    assert runs_of(function, 150, lambda size: (size(9), size(9))) <= 25


def test_sizes_that_are_equal_by_turns() -> None:
    def function(x: Any, mask: Any, other: Any) -> Any:
        y, z = tf.boolean_mask(x, mask), tf.boolean_mask(x, other)
        return y * z if y.shape == z.shape else tf.concat([y, z], 0)

    def sizes(size: Callable[[int], int]) -> tuple[int, int]:
        first = size(12)
        return first, first if size(2) else size(12)

    assert runs_of(function, 150, sizes) <= 12


def test_turns_of_a_loop_are_recorded_once_for_each_size() -> None:
    def function(x: Any, mask: Any, other: Any) -> Any:
        y = tf.boolean_mask(x, mask)
        return tf.while_loop(
            lambda i, s: i < tf.size(y), lambda i, s: (i + 1, s * 2.0 + y[i]), [0, 0.0]
        )

    assert runs_of(function, 100, lambda size: (size(9), 3)) <= 10


def test_a_value_behind_a_size_is_decided_by_python_once() -> None:
    def function(x: Any, mask: Any, other: Any) -> Any:
        y = tf.boolean_mask(x, mask)
        return y * 2.0 if tf.reduce_any(other) else y - 1.0

    assert runs_of(function, 60, lambda size: (2 + size(9), size(2))) <= 4


def test_sizes_of_arguments_and_of_values() -> None:
    """What was recorded before sizes of values had names does not stand in the way of what has them."""
    recorded, runs = counted(boolean_masks)
    generator = np.random.default_rng(3)
    for _ in range(150):
        count = int(generator.integers(8, 14))
        masks = [tf.constant(generator.random(count) < 0.5) for _ in range(2)]
        arguments = tf.range(float(count)), *masks
        assert_equal(recorded(*arguments), boolean_masks(*arguments))
    assert runs[0] <= 12


def boolean_masks(x: Any, mask: Any, other: Any) -> Any:
    y, z = tf.boolean_mask(x, mask), tf.boolean_mask(x, other)
    return tf.reduce_sum(y) * 2.0 + tf.reduce_sum(z), tf.concat([y, z], 0)


def test_no_step_moves_behind_a_size_that_has_not_come_yet() -> None:
    """A block was, and a path behind the size read what was not there."""

    def function(x: Any, mask: Any, other: Any) -> Any:
        y = tf.boolean_mask(x, mask)
        y = y * 2.0 if y.shape[0] > 4 else y - 1.0
        z = tf.boolean_mask(x, other)
        return tf.reduce_sum(y) + tf.reduce_sum(z) * 3.0, tf.concat([y, z], 0)

    recorded, _ = counted(function)
    for counts in ((4, 19), (1, 11), (2, 16), (2, 12), (1, 11), (1, 6)):
        arguments = tf.range(20.0), *[tf.constant(np.arange(20) < count) for count in counts]
        assert_equal(recorded(*arguments), function(*arguments))


def test_a_branch_that_was_recorded_for_other_sizes_is_not_taken() -> None:
    def function(x: Any, mask: Any, flag: Any) -> Any:
        y = tf.boolean_mask(x, mask)
        if flag:
            return y * 2.0
        return y + 1.0 if y.shape[0] > 4 else y - 1.0

    recorded, _ = counted(function)
    for count, flag in (
        (6, True),
        (7, True),
        (8, False),
        (3, True),
        (3, False),
        (9, False),
        (2, False),
    ):
        arguments = tf.range(10.0), tf.constant(np.arange(10) < count), tf.constant(flag)
        assert_equal(recorded(*arguments), function(*arguments))


def test_a_branch_that_was_recorded_for_other_sizes_of_arguments_is_not_taken() -> None:
    """There was a program for 3 rows before Python decided by the number of rows."""

    def function(x: Any, flag: Any) -> Any:
        if flag:
            return x * 2.0
        return x + 1.0 if x.shape[0] > 4 else x - 1.0

    recorded, runs = counted(function)
    calls = ((6, True), (7, True), (3, True), (8, False), (3, False), (9, False), (4, False))
    for count, flag in calls:
        arguments = tf.range(float(count)), tf.constant(flag)
        assert_equal(recorded(*arguments), function(*arguments))
    assert runs[0] == 4


def test_sizes_of_arguments_and_of_values_decide_together() -> None:
    def function(x: Any, mask: Any) -> Any:
        y = tf.concat([tf.boolean_mask(x, mask[: tf.shape(x)[0]]), x], 0)[:30]
        return y * 2.0 if y.shape[0] > 7 else y - 1.0

    recorded, runs = counted(function)
    generator = np.random.default_rng(1)
    for _ in range(120):
        count, rows = (int(number) for number in generator.integers(1, 24, size=2))
        arguments = tf.range(float(count)), tf.constant(np.arange(24) < 24 - rows)
        assert_equal(recorded(*arguments), function(*arguments))
    assert runs[0] <= 20


def test_a_variable_alone() -> None:
    n = tf.Variable(3)

    def function() -> Any:
        n.assign_add(1)
        return tf.reduce_sum(tf.range(n) ** 2), n + 0

    recorded, runs = counted(function)
    for number in range(4, 14):
        total, value = recorded()
        assert (int(total), int(value)) == (sum(i * i for i in range(number)), number)
    assert runs[0] == 2


def test_under_a_tape() -> None:
    recorded, runs = counted(lambda x, mask: tf.reduce_sum(tf.boolean_mask(x, mask) ** 3))
    for _, mask in draws(8):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = recorded(X, mask)
        gradient = tf.convert_to_tensor(tape.gradient(y, X))
        wanted = np.where(mask.numpy()[:, None], 3.0 * X.numpy() ** 2, 0.0)
        np.testing.assert_allclose(gradient.numpy(), wanted, rtol=1e-6)
    assert runs[0] == 2


def test_effects_before_the_size_is_known_happen_once() -> None:
    total = tf.Variable(0.0)

    def function(mask: Any) -> Any:
        total.assign_add(1.0)
        draw = tf.random.uniform([])
        some = tf.where(mask)
        total.assign_add(2.0)
        return tf.cast(tf.shape(some)[0], tf.float32) + draw

    tf.random.set_seed(3)
    recorded, runs = counted(function)
    found = [float(recorded(mask)) for _, mask in draws(6)]
    assert float(total) == 18.0
    assert runs[0] == 2
    parts = [
        value - int(tf.reduce_sum(tf.cast(mask, tf.int32)))
        for value, (_, mask) in zip(found, draws(6), strict=True)
    ]
    assert all(0.0 <= part < 1.0 for part in parts)
    assert len({round(part, 4) for part in parts}) == 6


def test_an_error_is_that_of_eager_code() -> None:
    recorded, _ = counted(lambda x, n: tf.reshape(x, [n, 4]))
    for n in (4, 2, 8):
        size = n * 4
        assert recorded(tf.range(size), tf.constant(n)).shape == (n, 4)
    for n in (3, 5):
        with pytest.raises(tf.errors.InvalidArgumentError):
            recorded(tf.range(32), tf.constant(n))
    assert recorded(tf.range(32), tf.constant(8)).shape == (8, 4)


def test_explain_says_that_all_sizes_replay() -> None:
    recorded, _ = counted(lambda mask: tf.where(mask))
    for _, mask in draws(3):
        recorded(mask)
    assert "so far: all sizes from 2 on, " in str(recorded.explain())


def test_explain_says_so_where_the_first_size_was_1() -> None:
    recorded, _ = counted(lambda mask: tf.where(mask))
    for count in (4, 1, 3, 5):
        recorded(tf.constant(np.arange(8) < count))
    explanation = recorded.explain()
    assert "so far: all sizes from 2 on, " in str(explanation)
    assert "size_" not in explanation._repr_html_()  # a name that no user has given
    assert "all sizes from 2 on" in explanation._repr_html_()


def test_indices_that_an_op_keeps_are_elements_and_no_sizes() -> None:
    def function(mask: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            parts = tf.dynamic_partition(X, tf.cast(mask, tf.int32), 2)
            loss = tf.reduce_sum(parts[0] ** 2) + tf.reduce_sum(parts[1])
        places = [tf.where(mask)[:, 0], tf.where(~mask)[:, 0]]
        return tf.dynamic_stitch(places, parts[::-1]), tape.gradient(loss, X)

    recorded, runs = counted(function)
    masks = [mask for _, mask in draws(5)]
    for mask in masks * 3:
        assert_equal(recorded(mask), function(mask))
    assert runs[0] <= 6
    assert "by itself" not in str(recorded.explain())


def test_ever_new_sizes_stay_python() -> None:
    """Paths for sizes of which hardly one comes again take more time than Python, and memory."""
    recorded, runs = counted(lambda x, n: tf.reduce_sum(x[:n] * 2.0))
    x = tf.ones([3000])
    for n in range(2, 402):
        assert float(recorded(x, tf.constant(n))) == 2.0 * n
    assert runs[0] > 100
    assert "the sizes that values decide hardly come again" in str(recorded.explain())


def test_many_sizes_that_come_again_are_kept_for_a_while() -> None:
    recorded, runs = counted(lambda x, n: tf.reduce_sum(x[:n] * 2.0))
    x = tf.ones([3000])
    for n in [*range(2, 302)] * 2:
        for _ in range(5):
            assert float(recorded(x, tf.constant(n))) == 2.0 * n
    assert runs[0] == 2
    (program,) = recorded._recordings.values()
    assert len(program.paths()) <= 258


def test_threads() -> None:
    recorded, runs = counted(lambda x, mask: tf.reduce_sum(tf.boolean_mask(x, mask)))
    wrong: list[Any] = []

    def work(seed: int) -> None:
        generator = np.random.default_rng(seed)
        for _ in range(150):
            mask = generator.random(300) < generator.random()
            found = float(recorded(tf.ones([300]), tf.constant(mask)))
            if found != float(mask.sum()):
                wrong.append((found, mask.sum()))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert runs[0] < 20
