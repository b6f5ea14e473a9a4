"""Saved functions of unknown sizes: what is loaded gives the function's answer for any input, or an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core.sizes import hint_of
from tapegrad.framework import nest

UNKNOWN = [tf.TensorSpec([None])]
ROWS = [tf.TensorSpec([None, 3])]
BOTH = [tf.TensorSpec([None, None])]
WHOLE = [tf.TensorSpec([None], tf.int32)]
TEXT = [tf.TensorSpec([None], tf.string)]


def numbers(*shape: int) -> Any:
    return tf.random.stateless_normal(shape, [1, 2])


def jacobian(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * tf.reduce_sum(x)
    return tape.jacobian(y, x)


def batch_jacobian(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * tf.reduce_sum(x, 1, keepdims=True)
    return tape.batch_jacobian(y, x)


def spectrum(x: Any) -> Any:
    return tf.abs(tf.signal.stft(x, frame_length=255, frame_step=128))


def there_and_back(x: Any) -> Any:
    return tf.signal.inverse_stft(tf.signal.stft(x, 16, 8), 16, 8)


def counts(x: Any) -> Any:
    """How often each known word is in each text: what decides the shapes on the way is in the texts."""
    words = TABLE.lookup(tf.strings.split(x))
    return tf.math.bincount(words, minlength=4, maxlength=4, binary_output=True)


def counts_of_rows(x: Any) -> Any:
    words = TABLE.lookup(tf.strings.split(x))
    return tf.math.bincount(words, minlength=4, maxlength=4, axis=-1, binary_output=True)


def places(x: Any) -> Any:
    """The number of each word. For a single text the ragged words become dense in other steps."""
    return TABLE.lookup(tf.strings.split(x)).to_tensor(-1)


TABLE = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], tf.constant([1, 2, 3], tf.int64)), 0
)

FUNCTIONS: list[tuple[Callable[..., Any], Any, list[tuple[Any, ...]]]] = [
    (lambda x: tf.signal.frame(x, 16, 8), UNKNOWN, [(numbers(64),), (numbers(15),)]),
    (lambda x: tf.signal.frame(x, 7, 5, pad_end=True), UNKNOWN, [(numbers(64),), (numbers(3),)]),
    (lambda x: tf.signal.stft(x, 16, 8), UNKNOWN, [(numbers(64),), (numbers(100),)]),
    (spectrum, BOTH, [(numbers(2, 1600),), (numbers(3, 1000),)]),
    (there_and_back, UNKNOWN, [(numbers(64),), (numbers(100),)]),
    (
        tf.math.count_nonzero,
        [tf.TensorSpec([None], tf.bool)],
        [(tf.constant([True, False, True]),), (tf.constant([False]),)],
    ),
    (tf.sequence_mask, WHOLE, [(tf.constant([1, 3]),), (tf.constant([5, 2, 1]),)]),
    (lambda x: tf.unique(x)[0], WHOLE, [(tf.constant([1, 1, 2]),), (tf.constant([4, 3, 2, 1]),)]),
    (
        lambda x, n: x[:n],
        [*UNKNOWN, tf.TensorSpec([], tf.int32)],
        [(numbers(5), 2), (numbers(9), 7)],
    ),
    (
        lambda x: tf.map_fn(lambda y: tf.reduce_sum(y) * y, x),
        ROWS,
        [(numbers(2, 3),), (numbers(9, 3),)],
    ),
    (
        lambda x: tf.map_fn(
            lambda y: (y[0] * y[1], y[1]), (x, x + 1.0), fn_output_signature=(tf.float32,) * 2
        ),
        ROWS,
        [(numbers(2, 3),), (numbers(9, 3),)],
    ),
    (
        lambda x: tf.vectorized_map(lambda y: tf.nn.softmax(y) * tf.reduce_max(x), x),
        ROWS,
        [(numbers(2, 3),), (numbers(9, 3),)],
    ),
    (jacobian, UNKNOWN, [(numbers(2),), (numbers(9),)]),
    (batch_jacobian, ROWS, [(numbers(2, 3),), (numbers(9, 3),)]),
    (counts, TEXT, [(tf.constant(["a b a c"]),), (tf.constant(["x", "", "c c b"]),)]),
    (counts_of_rows, TEXT, [(tf.constant(["a b a c"]),), (tf.constant(["x", "", "c c b"]),)]),
    (places, TEXT, [(tf.constant(["a b a c"]),), (tf.constant(["x", "", "c c b"]),)]),
]


@pytest.mark.parametrize("place", range(len(FUNCTIONS)))
def test_loaded_functions_answer_for_any_size(place: int, tmp_path: Path) -> None:
    python, specs, calls = FUNCTIONS[place]
    module = tf.Module()
    module.table = TABLE
    module.function = tf.function(python, input_signature=specs)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for args in calls:
        wanted, found = nest.flatten(python(*args)), nest.flatten(loaded.function(*args))
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one.numpy(), other.numpy(), 1e-5, 1e-5)


def test_maps_that_draw_are_not_saved(tmp_path: Path) -> None:
    module = tf.Module()
    module.function = tf.function(
        lambda x: tf.map_fn(lambda y: y + tf.random.uniform([]), x), input_signature=UNKNOWN
    )
    with pytest.raises(tf.errors.UnimplementedError, match="how many steps"):
        tf.saved_model.save(module, str(tmp_path))


def sum_under_tape(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.constant(0.0)
        for each in x:
            total += each
    return tape.gradient(total, x)


def gathered(x: Any) -> Any:
    rows = []
    for each in x:
        rows.append(each * 2)
    return tf.stack(rows)


def changing(x: Any) -> Any:
    parts = [x]
    for each in x:
        parts = [*parts, each]
    return parts[-1]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (sum_under_tape, "a tape watches a loop that values end"),
        (gathered, "it reads a tensor of a loop after the loop"),
        (changing, "a turn of a loop changes the structure of the variable 'parts'"),
    ],
)
def test_loops_that_are_no_step_are_refused_with_both_reasons(
    function: Any, reason: str, tmp_path: Path
) -> None:
    module = tf.Module()
    module.function = tf.function(function, input_signature=UNKNOWN)
    line = rf"how many steps it takes, in {function.__name__} \(test_saving_proofs.py:\d+\)"
    with pytest.raises(
        tf.errors.UnimplementedError, match=f"{line}.*As a step of its own .*: {reason}"
    ):
        tf.saved_model.save(module, str(tmp_path))


def length(x: Any, axis: int = 0) -> int:
    """A size that Python computes with."""
    return int(tf.shape(x)[axis])


def words(x: Any) -> Any:
    return tf.strings.split(x).values


# Sizes that values decide, or Python code: with stand-ins they may be like other sizes by chance.
DECIDED: list[tuple[Callable[..., Any], Any]] = [
    (lambda x: tf.zeros([len(tf.unique(x)[0]), 3]), TEXT),
    (lambda x: tf.ones([length(tf.boolean_mask(x, x > -1))]), UNKNOWN),
    (lambda x: tf.reduce_sum(x) / length(tf.boolean_mask(x, x < 1)), UNKNOWN),
    (lambda x: tf.ones([length(tf.where(x > 0)), length(x)]), UNKNOWN),
    (lambda x: tf.zeros([length(tf.strings.split(x).to_tensor(), 1)]), TEXT),
    (lambda x: tf.zeros([length(words(x))]) / length(words(x)), TEXT),
    (lambda x, y: (y + tf.cast(x, tf.float32), tf.zeros([len(tf.unique(x)[0])])), [*WHOLE, *UNKNOWN]),
    (lambda x: (tf.ones([tf.reduce_max(x)]), tf.range(length(x))), WHOLE),
    (lambda n, m: (tf.zeros([n]), tf.fill([2], int(m) * 1.0)), [tf.TensorSpec([], tf.int32)] * 2),
    (lambda n, m: (tf.zeros([n]), tf.ones([int(m) + 1])), [tf.TensorSpec([], tf.int32)] * 2),
    (lambda x, k: (tf.nn.top_k(x, k)[0], tf.ones([int(k)])), [*UNKNOWN, tf.TensorSpec([], tf.int32)]),
    (lambda x: tf.ones([max(length(x), 2)]), UNKNOWN),
    (lambda x: tf.ones([min(length(x), 50)]), UNKNOWN),
    (lambda x, y: (x + y, tf.ones([max(length(x), 10)])), UNKNOWN * 2),
    (lambda x, y: (x @ y, tf.ones([min(length(x, 1), 64)])), BOTH * 2),
    (lambda x, y: tf.ones([max(2 * length(x) - length(y), 0)]), UNKNOWN * 2),
    (lambda x, y, z: tf.zeros([length(x) + length(y) - length(z) + 20]), UNKNOWN * 3),
]  # fmt: skip


def drawn(spec: Any, size: int, random: Any) -> Any:
    shape = [size if part is None else part for part in spec.shape.as_list()]
    numbers = np.asarray(random.integers(0, random.integers(2, 9), shape))
    if spec.dtype is tf.string:
        texts = [" ".join("abcd"[i] for i in random.integers(0, 4, n)) for n in numbers.ravel()]
        return tf.constant(texts, shape=shape)
    return tf.cast(numbers - (2 if spec.dtype.is_floating else 0), spec.dtype)


@pytest.mark.parametrize("place", range(len(DECIDED)))
def test_sizes_that_values_decide_are_never_taken_for_others(place: int, tmp_path: Path) -> None:
    function, specs = DECIDED[place]
    module = tf.Module()
    module.f = tf.function(function, input_signature=specs)  # type: ignore[attr-defined]
    try:
        tf.saved_model.save(module, str(tmp_path))
    except tf.errors.UnimplementedError:
        return
    loaded = tf.saved_model.load(str(tmp_path))
    random = np.random.default_rng(place)
    for _ in range(40):
        sizes = random.integers(1, 13, 3) if random.random() < 0.3 else [random.integers(1, 13)] * 3
        arguments = [drawn(spec, size, random) for spec, size in zip(specs, sizes, strict=False)]
        try:
            expected = function(*arguments)
        except (tf.errors.OpError, ValueError):
            continue
        try:
            found = loaded.f(*arguments)
        except tf.errors.InvalidArgumentError as error:
            if "a way that was not saved" not in error.message:
                raise
            continue
        for one, other in zip(nest.flatten(found), nest.flatten(expected), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("shape", [[None, 512, 512, 3], [None, None, 2048], [1, 1200, 1200, 3]])
def test_saving_a_function_of_large_arguments_runs_it_on_few_of_them(
    shape: list[int | None], tmp_path: Path
) -> None:
    elements = []

    def mean(x: Any) -> Any:
        elements.append(0 if x._array is None else hint_of(x._array.size))
        return tf.reduce_mean(x * 2, axis=[1, 2])

    module = tf.Module()
    spec = tf.TensorSpec(shape)
    module.f = tf.function(mean, input_signature=[spec])  # type: ignore[attr-defined]
    tf.saved_model.save(module, str(tmp_path))
    assert sum(elements) < 40_000_000, elements
    x = numbers(*[2 if size is None else size for size in shape])
    np.testing.assert_array_equal(tf.saved_model.load(str(tmp_path)).f(x), mean(x))


def test_a_raw_op_that_takes_a_shape_of_sizes_is_saved_for_these_sizes(tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def __call__(self, x: Any) -> Any:
            sparse = tf.sparse.from_dense(x)
            rows = tf.shape(x, out_type=tf.int64)[0]
            return tf.raw_ops.SparseReshape(
                input_indices=sparse.indices,
                input_shape=tf.stack([rows, 3]),
                new_shape=tf.stack([3 * rows]),
            ).output_indices

    model = Model()
    expected = model(tf.eye(3)).numpy().tolist()
    tf.saved_model.save(model, tmp_path)
    assert tf.saved_model.load(tmp_path)(tf.eye(3)).numpy().tolist() == expected == [[0], [4], [8]]


@pytest.mark.parametrize(
    "call",
    [
        lambda sparse: tf.sparse.reduce_sum(sparse),
        lambda sparse: tf.sparse.reduce_sum(sparse, keepdims=True),
        lambda sparse: tf.sparse.reduce_sum(sparse, axis=-1),
        lambda sparse: tf.sparse.expand_dims(sparse, 0).indices,
        lambda sparse: tf.sparse.to_dense(tf.sparse.expand_dims(sparse, -1)),
    ],
)
def test_loaded_functions_of_sparse_tensors_answer_for_any_size(call: Any, tmp_path: Path) -> None:
    module = tf.Module()
    module.function = tf.function(call, input_signature=[tf.SparseTensorSpec([None, 3])])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for rows in ([[1.0, 0.0, 2.0]], [[0.0, 3.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.5]]):
        sparse = tf.sparse.from_dense(rows)
        np.testing.assert_array_equal(loaded.function(sparse), call(sparse))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:, :1],
        lambda x: x[:, 1:],
        lambda x: x[:, ::-2],
        lambda x: x[:, -1:],
        lambda x: tf.reverse(x, [1]),
        lambda x: tf.concat([x, x], 1),
    ],
)
def test_columns_of_ragged_tensors(function: Callable[..., Any], tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(function, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for rows in ([[1, 2, 3], [], [4, 5]], [[7]], [[1], [2, 3, 4, 5], [], [6]]):
        ragged = tf.ragged.constant(rows, tf.int32)
        assert loaded.f(ragged).to_list() == function(ragged).to_list()
