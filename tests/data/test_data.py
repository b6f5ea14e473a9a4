"""`tf.data`: what data sets do beyond the recorded programs: faults, threads, options, checkpoints, specs."""

from __future__ import annotations

import collections
import copy
import gc
import os
import pickle
import re
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.data import parallel
from tapegrad.data.iterators import Elements, IterationContext

Dataset = tf.data.Dataset


def values(dataset: Any) -> list[Any]:
    return [x.tolist() if hasattr(x, "tolist") else x for x in dataset.as_numpy_iterator()]


def by_elements(dataset: Any) -> list[Any]:
    """The elements where no data set works by index."""
    context = IterationContext(dataset.options(), by_index=False)
    return [
        tf.nest.map_structure(lambda x: x.numpy().tolist(), element)
        for element in dataset._elements(context)
    ]


def data_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "tapegrad.data"]


def threads_end() -> bool:
    """Whether the threads of data sets end within a while."""
    for _ in range(200):
        gc.collect()
        if not data_threads():
            return True
        time.sleep(0.02)
    return False


# Whole batches by index


def arrays() -> Any:
    return (np.arange(103), {"x": np.random.default_rng(1).normal(size=(103, 3)).astype("f")})


INDEXED: dict[str, Callable[[], Any]] = {
    "batch": lambda: Dataset.from_tensor_slices(arrays()).batch(10),
    "drop": lambda: Dataset.from_tensor_slices(arrays()).batch(10, drop_remainder=True),
    "shuffle": lambda: Dataset.from_tensor_slices(arrays()).shuffle(50, seed=1).batch(10),
    "shuffle all": lambda: Dataset.from_tensor_slices(arrays()).shuffle(103, seed=1).batch(7),
    "shuffle more": lambda: Dataset.from_tensor_slices(arrays()).shuffle(500, seed=1).batch(7),
    "shuffle twice": lambda: Dataset.range(40).shuffle(9, seed=1).shuffle(5, seed=2).batch(7),
    "repeat": lambda: Dataset.range(40).shuffle(9, seed=1).repeat(3).batch(7),
    "repeat take": lambda: Dataset.range(40).repeat().shuffle(9, seed=1).take(99).batch(7),
    "skip": lambda: Dataset.from_tensor_slices(arrays()).skip(13).batch(10),
    "shard": lambda: Dataset.from_tensor_slices(arrays()).shard(4, 3).shuffle(9, seed=2).batch(10),
    "prefetch": lambda: Dataset.range(40).shuffle(9, seed=1).prefetch(2).batch(7).prefetch(2),
    "zip": lambda: Dataset.zip(Dataset.range(40), Dataset.range(90, 0, -2)).shuffle(9, 4).batch(7),
    "options": lambda: Dataset.range(40).with_options(tf.data.Options()).batch(7),
    "empty": lambda: Dataset.from_tensor_slices(np.zeros([0, 3])).shuffle(3).batch(7),
    "skip all": lambda: Dataset.range(4).skip(9).batch(7),
    "take none": lambda: Dataset.range(4).take(0).batch(7),
    "strings": lambda: Dataset.from_tensor_slices([b"a", b"b", b"c"]).shuffle(3, 1).batch(2),
}


@pytest.mark.parametrize("name", INDEXED)
def test_batches_by_index_are_those_of_elements(name: str) -> None:
    by_index = INDEXED[name]()
    assert by_index._input is not None
    first, second = INDEXED[name](), INDEXED[name]()
    for _ in range(2):
        fast = [tf.nest.map_structure(lambda x: x.numpy().tolist(), x) for x in first]
        assert fast == by_elements(second)


def test_slices_are_gathered_and_not_made_one_by_one() -> None:
    dataset = Dataset.from_tensor_slices(arrays()).shuffle(50).repeat(2).take(150).batch(10)
    assert dataset._input._indexed(IterationContext(dataset.options())) is not None
    mapped = Dataset.range(3).map(lambda x: x)
    assert mapped._indexed(IterationContext(mapped.options())) is None


def test_a_large_range_is_not_made_at_once() -> None:
    assert values(Dataset.range(10**15).skip(10**5).batch(2).take(1)) == [[100000, 100001]]


# Faults


def fail_at(number: int) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if int(x) == number:
            raise ValueError("the user's own error")
        return x

    return function


@pytest.mark.parametrize("calls", [None, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("ahead", [0, 2])
def test_an_error_of_a_function_reaches_the_reader(calls: Any, ahead: int) -> None:
    dataset = Dataset.range(6).map(fail_at(2), num_parallel_calls=calls).prefetch(ahead)
    iterator = iter(dataset)
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    with pytest.raises(ValueError, match="the user's own error") as caught:
        next(iterator)
    assert "fail_at" in "".join(traceback.format_tb(caught.value.__traceback__)) or any(
        frame.name == "function" for frame in traceback.extract_tb(caught.value.__traceback__)
    )
    assert [int(x) for x in iterator] == [3, 4, 5]
    assert threads_end()


def test_empty_optionals_of_nothing() -> None:
    def generator() -> Iterator[Any]:
        yield {"x": 2.0, "o": tf.experimental.Optional.empty(None)}

    signature = {"x": tf.TensorSpec([], tf.float32), "o": tf.OptionalSpec(None)}
    (element,) = Dataset.from_generator(generator, output_signature=signature)
    assert float(element["x"]) == 2
    assert not bool(element["o"].has_value())


def test_an_error_of_a_generator_has_its_traceback() -> None:
    def generator() -> Iterator[int]:
        yield 1
        raise KeyError("gone")

    iterator = iter(Dataset.from_generator(generator, output_signature=tf.TensorSpec([], tf.int32)))
    next(iterator)
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'gone'") as caught:
        next(iterator)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "generator" in names
    with pytest.raises(StopIteration):
        next(iterator)


def test_stop_iteration_in_a_function_is_no_end() -> None:
    def function(x: Any) -> Any:
        raise StopIteration

    with pytest.raises(tf.errors.InvalidArgumentError, match="Function invocation produced"):
        list(Dataset.range(3).map(function))


def test_generators_are_closed_when_the_iterator_goes() -> None:
    closed = []

    def generator() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    signature = tf.TensorSpec([], tf.int32)
    iterator = iter(Dataset.from_generator(generator, output_signature=signature).map(lambda x: x))
    next(iterator)
    del iterator
    gc.collect()
    assert closed == [True]
    iterator = iter(Dataset.from_generator(generator, output_signature=signature).prefetch(3))
    next(iterator)
    del iterator
    assert threads_end()
    assert closed == [True, True]


PIPELINES: dict[str, Callable[[], Any]] = {
    "prefetch": lambda: Dataset.range(1000).prefetch(5),
    "map": lambda: Dataset.range(1000).map(lambda x: x + 1, num_parallel_calls=4),
    "unordered": lambda: Dataset.range(1000).map(
        lambda x: x + 1, num_parallel_calls=4, deterministic=False
    ),
    "interleave": lambda: Dataset.range(50).interleave(
        lambda x: Dataset.range(9), cycle_length=4, num_parallel_calls=4
    ),
    "nested": lambda: Dataset.range(9).flat_map(lambda x: Dataset.range(9).prefetch(2)).prefetch(2),
    "endless": lambda: Dataset.counter().map(lambda x: x, num_parallel_calls=2).prefetch(2),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_threads_end_when_an_iterator_is_left_half_read(name: str) -> None:
    iterator = iter(PIPELINES[name]())
    next(iterator)
    next(iterator)
    del iterator
    assert threads_end()


HALF_READ: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "prefetch": lambda slow: Dataset.range(99).map(slow).prefetch(1),
    "map": lambda slow: Dataset.range(99).map(slow, num_parallel_calls=2),
    "interleave": lambda slow: Dataset.range(4).interleave(
        lambda _: Dataset.range(99).map(slow), cycle_length=2, num_parallel_calls=2
    ),
    "two": lambda slow: Dataset.range(99).map(slow).prefetch(1).batch(2).prefetch(1),
}


@pytest.mark.parametrize("name", HALF_READ)
def test_nothing_is_made_any_more_once_an_iterator_is_gone(name: str) -> None:
    begun, ended = [], []

    def slow(x: Any) -> Any:
        begun.append(x)
        time.sleep(0.05)
        ended.append(x)
        return np.int64(0)

    iterator = iter(HALF_READ[name](lambda x: tf.numpy_function(slow, [x], tf.int64)))
    next(iterator)
    del iterator
    made = len(begun)
    assert made == len(ended)
    time.sleep(0.15)
    assert (len(begun), len(ended)) == (made, made)


def test_a_generator_that_gives_nothing_more_holds_nobody_up_for_long(monkeypatch: Any) -> None:
    monkeypatch.setattr(parallel, "_LONGEST_WAIT", 0.05)
    waiting, more = threading.Event(), threading.Event()

    def waits() -> Iterator[int]:
        yield 1
        waiting.set()
        more.wait()

    signature = tf.TensorSpec((), tf.int32)
    iterator = iter(Dataset.from_generator(waits, output_signature=signature).prefetch(1))
    assert int(next(iterator)) == 1
    waiting.wait()
    del iterator
    assert data_threads()
    more.set()
    assert threads_end()


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "endless"])
def test_threads_end_at_the_end(name: str) -> None:
    iterator = iter(PIPELINES[name]())
    collections.deque(iterator, 0)
    assert threads_end()


def test_threads_end_however_often_they_begin() -> None:
    for _ in range(60):
        dataset = Dataset.range(5).map(lambda x: x, num_parallel_calls=4).prefetch(2)
        assert values(dataset) == list(range(5))
        next(iter(dataset))
    assert threads_end()


def test_an_iterator_that_nobody_reads_starts_no_thread() -> None:
    iterators = [iter(make()) for make in PIPELINES.values()]
    assert len(iterators) == len(PIPELINES)
    assert threads_end()


def test_two_threads_read_each_element_once() -> None:
    iterator = iter(Dataset.range(2000).map(lambda x: x, num_parallel_calls=2))
    found: list[int] = []
    readers = [
        threading.Thread(target=lambda: found.extend(int(x) for x in iterator)) for _ in range(3)
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(found) == list(range(2000))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("begun", [False, True])
def test_a_child_process_reads_its_own_iterators(begun: bool) -> None:
    iterator = iter(Dataset.range(9).map(lambda x: x, num_parallel_calls=2).prefetch(2))
    if begun:
        next(iterator)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if values(Dataset.range(9).prefetch(2)) == list(range(9)) else 2
            if begun:
                try:
                    next(iterator)
                    status = 3
                except tf.errors.FailedPreconditionError:
                    pass
            else:
                status = status or (0 if int(next(iterator)) == 0 else 4)
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    next(iterator)


def test_parallel_calls_overlap() -> None:
    def slow(x: Any) -> Any:
        time.sleep(0.05)
        return x

    start = time.perf_counter()
    assert values(Dataset.range(12).map(slow, num_parallel_calls=6)) == list(range(12))
    assert time.perf_counter() - start < 0.45
    start = time.perf_counter()
    dataset = Dataset.range(12).map(slow).prefetch(4)
    for _ in dataset:
        time.sleep(0.05)
    assert time.perf_counter() - start < 1.1


def test_unordered_calls_give_what_is_ready() -> None:
    def slow(x: Any) -> Any:
        time.sleep(0.3 if int(x) == 0 else 0)
        return x

    options = tf.data.Options()
    options.deterministic = False
    dataset = Dataset.range(8).map(slow, num_parallel_calls=4).with_options(options)
    found = values(dataset)
    assert sorted(found) == list(range(8))
    assert found[0] != 0


def test_private_threads_are_a_limit() -> None:
    at_once, most = [0], [0]
    lock = threading.Lock()

    def function(x: Any) -> Any:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.01)
        with lock:
            at_once[0] -= 1
        return x

    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    values(Dataset.range(20).map(function, num_parallel_calls=8).with_options(options))
    assert most[0] <= 2


def test_nothing_is_recorded_on_tapes() -> None:
    variable = tf.Variable(2.0)
    dataset = Dataset.from_tensor_slices([1.0, 2.0]).map(lambda x: x * variable)
    with tf.GradientTape() as tape:
        total = tf.add_n(list(dataset))
    assert tape.gradient(total, variable) is None


def test_errors_are_those_of_tensorflow_when_elements_change_their_shape() -> None:
    dataset = Dataset.range(3).map(lambda x: tf.zeros([int(x)]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes in component 0"):
        list(dataset.batch(3))


# Specs


def test_specs_of_mapped_data_sets_need_no_elements() -> None:
    called = []

    def generator() -> Iterator[Any]:
        called.append(True)
        yield [1.0]

    dataset = Dataset.from_generator(generator, output_signature=tf.TensorSpec([None], tf.float32))
    made = dataset.map(lambda x: {"y": tf.reduce_sum(x), "x": tf.reshape(x, [-1, 1])}).batch(4)
    assert made.element_spec == {
        "y": tf.TensorSpec([None], tf.float32),
        "x": tf.TensorSpec([None, None, 1], tf.float32),
    }
    assert not called


def test_a_function_that_asks_for_values_is_tried_on_the_first_element() -> None:
    dataset = Dataset.range(3).shuffle(3, seed=1).map(lambda x: np.zeros(3) if x.numpy() else 1.5)
    before = values(Dataset.range(3).shuffle(3, seed=1))
    assert dataset.element_spec.dtype in (tf.float32, tf.float64)
    order = Dataset.range(3).shuffle(3, seed=1)
    assert order.map(lambda x: int(x.numpy())).element_spec == tf.TensorSpec([], tf.int32)
    assert values(order) == before
    batches = Dataset.range(7).batch(4).map(lambda x: (x.numpy() * 2, np.zeros([x.shape[0], 3])))
    assert [spec.shape.as_list() for spec in batches.element_spec] == [[None], [None, 3]]
    with pytest.raises(ValueError, match="there is no element to try it with"):
        Dataset.range(0).map(lambda x: int(x.numpy())).element_spec  # noqa: B018


Point = collections.namedtuple("Point", ["x", "y"])


def test_elements_keep_their_nests() -> None:
    dataset = Dataset.from_tensor_slices(Point([1, 2], {"b": [3, 4], "a": [5, 6]}))
    element = next(iter(dataset.batch(2)))
    assert isinstance(element, Point)
    assert list(element.y) == ["b", "a"]
    assert element.y["a"].numpy().tolist() == [5, 6]
    mapped = dataset.map(lambda point: Point(point.x + 1, point.y))
    assert isinstance(next(iter(mapped)), Point)
    assert isinstance(mapped.element_spec, Point)


# Copies, checkpoints, options


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_give_the_same_elements(copied: Callable[[Any], Any]) -> None:
    dataset = Dataset.from_tensor_slices([1, 2, 3]).shuffle(3, seed=4).repeat(2).batch(2)
    assert values(copied(dataset)) == values(dataset)


def one_more(x: Any) -> Any:
    return x + 1


def with_noise(x: Any) -> Any:
    return x + tf.random.uniform([], 0, 100, tf.int64)


def noises(x: Any) -> Any:
    return Dataset.range(2).map(with_noise)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_with_functions_give_the_same_elements(copied: Callable[[Any], Any]) -> None:
    tf.random.set_seed(4)
    numbers = Dataset.range(5)
    for dataset in (
        numbers.map(one_more),
        numbers.map(with_noise),
        numbers.flat_map(noises),
    ):
        assert values(copied(dataset)) == values(dataset)
        assert copied(dataset).element_spec == dataset.element_spec


def test_a_data_set_that_was_made_by_a_function_can_be_copied() -> None:
    made = []

    def noises_kept(x: Any) -> Any:
        made.append(noises(x))
        return made[-1]

    tf.random.set_seed(4)
    values(Dataset.range(2).flat_map(noises_kept))
    assert values(pickle.loads(pickle.dumps(made[-1]))) == values(made[-1])


def test_an_iterator_goes_back_to_where_it_was_saved() -> None:
    tf.random.set_seed(3)
    dataset = Dataset.range(10).shuffle(4).map(lambda x: (x, tf.random.uniform([]))).batch(2)
    values(dataset)
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    state = iterator.save()
    rest = [x[1].tolist() for x in iterator]
    values(dataset)
    iterator.restore(state)
    assert [x[1].tolist() for x in iterator] == rest
    with pytest.raises(tf.errors.InvalidArgumentError, match="another data set"):
        Dataset.range(3).as_numpy_iterator().restore(state)


def test_options_that_are_set_later_count() -> None:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    dataset = Dataset.range(3).with_options(options)
    options.deterministic = True
    assert dataset.options().deterministic is False
    later = dataset.map(lambda x: x).with_options(options).options()
    assert (later.deterministic, later.threading.private_threadpool_size) == (True, 3)
    assert Dataset.zip(dataset, dataset).options() == dataset.options()
    assert options != tf.data.Options()
    assert tf.data.experimental.AutoShardPolicy.DATA == 2


def test_a_cache_is_filled_by_a_whole_pass() -> None:
    calls = []

    def function(x: Any) -> Any:
        calls.append(int(x))
        return x

    dataset = Dataset.range(3).map(function).cache()
    next(iter(dataset))
    assert values(dataset) == [0, 1, 2] == values(dataset)
    assert calls == [0, 0, 1, 2]


def test_optionals_go_round_loops_and_through_branches() -> None:
    optional = tf.experimental.Optional
    iterator = iter(Dataset.range(3))
    count, last = tf.while_loop(
        lambda _, found: found.has_value(),
        lambda count, _: (count + 1, iterator.get_next_as_optional()),
        (0, iterator.get_next_as_optional()),
    )
    assert (int(count), bool(last.has_value())) == (3, False)
    chosen = tf.cond(
        tf.constant(True),
        lambda: optional.from_value(1),
        lambda: optional.empty(tf.TensorSpec([], tf.int32)),
    )
    assert int(chosen.get_value()) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        last.get_value()


def test_data_sets_iterators_and_optionals_are_composite() -> None:
    composite = tf.__internal__.CompositeTensor
    things = [Dataset.range(1), iter(Dataset.range(1)), tf.experimental.Optional.from_value(1)]
    assert [isinstance(each, composite) for each in things] == [True] * 3
    assert [tf.is_tensor(each) for each in things] == [False] * 3
    assert tf.type_spec_from_value(things[0]) == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    for thing in things[:2]:  # Keras 2 looks for variables among the components
        spec = thing._type_spec
        assert spec._to_components(thing) == spec._component_specs == ()


def test_old_data_sets_keep_their_methods() -> None:
    dataset = tf.compat.v1.data.Dataset.range(5).map(lambda x: x + 1).batch(2)
    assert isinstance(dataset, tf.data.Dataset)
    assert int(dataset.make_one_shot_iterator().get_next()[0]) == 1
    assert (dataset.output_types, dataset.output_shapes.as_list()) == (tf.int64, [None])
    rows = tf.compat.v1.data.Dataset.from_sparse_tensor_slices(
        tf.sparse.from_dense([[1, 0], [0, 1]])
    )
    assert [[part.numpy().tolist() for part in row] for row in rows][1] == [[[1]], [1], [2]]


def test_fingerprints_tell_functions_apart() -> None:
    def made(number: int) -> Any:
        return Dataset.range(3).map(lambda x: x + number).batch(2)

    assert int(made(1).fingerprint()) == int(made(1).fingerprint()) != int(made(2).fingerprint())
    assert made(1).fingerprint().dtype is tf.uint64


def test_tables_are_filled_from_data_sets() -> None:
    pairs = Dataset.zip(Dataset.from_tensor_slices(["a", "b", "c"]), Dataset.range(3))
    words = tf.constant(["c", "z", "y"])
    make = tf.data.experimental.table_from_dataset
    assert make(pairs, num_oov_buckets=2).lookup(words).numpy().tolist() == [2, 4, 4]
    assert int(make(pairs, vocab_size=2).size()) == 2
    index = tf.data.experimental.index_table_from_dataset(
        Dataset.from_tensor_slices(["a", "b", "c"])
    )
    assert index.lookup(words).numpy().tolist() == [2, -1, -1]
    with pytest.raises(ValueError, match="must be greater than 0, got 0"):
        make(pairs, vocab_size=0)
    with pytest.raises(TypeError, match="either an integer or string type"):
        make(pairs, key_dtype=tf.float32)
    with pytest.raises(TypeError, match="pairs of a key and a value"):
        tf.data.experimental.DatasetInitializer(Dataset.range(3))


def test_the_code_of_the_guide_runs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(block, names)


@pytest.mark.parametrize(
    ("read", "prepared"),
    [
        (lambda step, dataset: [step(x) for x in dataset][-1], lambda dataset: dataset),
        (lambda step, dataset: step(next(iter(dataset))), lambda dataset: dataset),
        (lambda step, iterator: step(next(iterator)), iter),
        (lambda step, iterator: step(iterator.get_next()), iter),
    ],
    ids=["data set", "first of a data set", "next", "get_next"],
)
def test_what_a_function_does_with_elements_is_recorded_once(read: Any, prepared: Any) -> None:
    calls = []

    @tf.function
    def step(x: Any) -> Any:
        calls.append(x)
        return x + 1.0

    whole = tf.function(lambda source: read(step, source))
    counts = []
    for _ in range(4):
        source = prepared(Dataset.from_tensor_slices([1.0, 2.0, 3.0]))
        assert whole(source).numpy() in (2.0, 4.0)
        counts.append(len(calls))
    assert counts[1:] == counts[1:2] * 3
    assert "stays Python for some arguments" in str(whole.explain())


def fails_at_3(x: Any) -> Any:
    return 1 // (x - 3)


# Pipelines that fail at an element, and go on after it.
FAILING: dict[str, Callable[[], Any]] = {
    "map": lambda: Dataset.range(9).map(fails_at_3),
    "parallel map": lambda: Dataset.range(9).map(fails_at_3, num_parallel_calls=2),
    "prefetch": lambda: Dataset.range(9).map(fails_at_3).prefetch(2),
    "batch": lambda: Dataset.range(9).map(fails_at_3).batch(2),
    "padded batch": lambda: Dataset.range(9).map(fails_at_3).padded_batch(2),
    "ragged batch": lambda: Dataset.range(9).map(fails_at_3).ragged_batch(2),
    "sparse batch": lambda: Dataset.range(9).map(fails_at_3).sparse_batch(2, []),
    "window": lambda: Dataset.range(9).map(fails_at_3).window(2, 2).flat_map(lambda w: w),
    "zip": lambda: Dataset.zip(Dataset.range(9).map(fails_at_3), Dataset.range(9)),
    "concatenate": lambda: Dataset.range(2).concatenate(Dataset.range(9).map(fails_at_3)),
    "interleave": lambda: (
        Dataset.range(9).map(fails_at_3).interleave(lambda x: Dataset.range(2), 2)
    ),
    "inside interleave": lambda: Dataset.range(2).interleave(
        lambda x: Dataset.range(9).map(fails_at_3), 2, num_parallel_calls=2
    ),
    "cache": lambda: Dataset.range(9).map(fails_at_3).cache(),
    "scan": lambda: Dataset.range(9).map(fails_at_3).scan(np.int64(0), lambda s, x: (s + x, s)),
    "filter": lambda: Dataset.range(9).map(fails_at_3).filter(lambda x: x < 5),
    "take": lambda: Dataset.range(9).map(fails_at_3).take(8),
    "skip": lambda: Dataset.range(9).map(fails_at_3).skip(1),
    "shard": lambda: Dataset.range(9).map(fails_at_3).shard(3, 0),
    "shuffle": lambda: Dataset.range(9).map(fails_at_3).shuffle(3, seed=1),
    "repeat": lambda: Dataset.range(9).map(fails_at_3).repeat(2),
    "unbatch": lambda: Dataset.range(9).map(fails_at_3).batch(2).unbatch(),
    "group": lambda: (
        Dataset.range(9)
        .map(fails_at_3)
        .group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), 2)
    ),
    "unique": lambda: Dataset.range(9).map(fails_at_3).unique(),
    "sample": lambda: Dataset.sample_from_datasets([Dataset.range(9).map(fails_at_3)] * 2, seed=1),
    "choose": lambda: Dataset.choose_from_datasets(
        [Dataset.range(9).map(fails_at_3)] * 2, Dataset.range(2).repeat()
    ),
    "inside interleave in turns": lambda: Dataset.range(2).interleave(inner, 2),
    "inside flat map": lambda: Dataset.range(2).flat_map(inner),
    "the function of flat map": lambda: Dataset.range(5).flat_map(
        lambda x: Dataset.range(10 // (x - 2))
    ),
    "the function of interleave": lambda: Dataset.range(5).interleave(
        lambda x: Dataset.range(10 // (x - 2)), 2, num_parallel_calls=2
    ),
    "inside group": lambda: Dataset.range(9).group_by_window(
        lambda x: x % 2, lambda k, d: d.map(fails_at_3).prefetch(1), 3
    ),
    "the function of group": lambda: Dataset.range(9).group_by_window(
        lambda x: 10 // (x - 3), lambda k, d: d.batch(2), 2
    ),
    "inside window": lambda: (
        Dataset.range(9).window(2).flat_map(lambda w: w.map(fails_at_3).batch(2))
    ),
    "generator": lambda: Dataset.from_generator(
        fails_midway, output_signature=tf.TensorSpec([], tf.int64)
    ).prefetch(2),
    "generator inside flat map": lambda: Dataset.range(2).flat_map(
        lambda x: Dataset.from_generator(fails_midway, output_signature=tf.TensorSpec([], tf.int64))
    ),
    "reduce inside map": lambda: Dataset.range(9).map(
        lambda x: Dataset.range(x).reduce(np.int64(0), lambda s, y: s + 10 // (y - 3))
    ),
    "parallel function of Python": lambda: Dataset.range(9).map(
        lambda x: tf.py_function(lambda y: fails_at_3(y), [x], tf.float32), num_parallel_calls=2
    ),
}


def inner(x: Any) -> Any:
    return Dataset.range(9).map(fails_at_3)


def fails_midway() -> Iterator[int]:
    yield 1
    raise KeyError("gone")


def read_on(iterator: Any, most: int = 100) -> list[Any]:
    """The next elements; the class of an error in the place of one that raised it."""
    found: list[Any] = []
    while len(found) < most:
        try:
            found.append(tf.nest.map_structure(lambda x: repr(x.numpy()), as_plain(next(iterator))))
        except StopIteration:
            break
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


def as_plain(element: Any) -> Any:
    return tf.sparse.to_dense(element) if isinstance(element, tf.SparseTensor) else element


@pytest.mark.parametrize("name", FAILING)
def test_nothing_stays_when_an_iterator_is_dropped_after_an_error(name: str) -> None:
    """Nothing but the garbage collector would end its threads if an error held the frames it came through."""
    gc.collect()
    gc.disable()
    try:
        passes = {id(each) for each in gc.get_objects() if isinstance(each, Elements)}
        iterator = iter(FAILING[name]())
        found = read_on(iterator, 8)
        assert {"InvalidArgumentError", "UnknownError"} & set(map(str, found))
        watched = weakref.ref(iterator)
        del iterator
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and (watched() is not None or data_threads()):
            time.sleep(0.01)
        assert watched() is None
        assert not data_threads()
        left = [
            type(each).__name__
            for each in gc.get_objects()
            if isinstance(each, Elements) and id(each) not in passes
        ]
        assert not left
    finally:
        gc.enable()


# A cache that is filled lacks the element that failed.
@pytest.mark.parametrize("at", [1, 4, 7])
@pytest.mark.parametrize("name", [name for name in FAILING if name != "cache"])
def test_an_iterator_that_met_an_error_goes_back_to_where_it_was_saved(name: str, at: int) -> None:
    dataset = FAILING[name]()
    iterator = iter(dataset)
    read_on(iterator, at)
    saved = iterator._save()
    left = read_on(iterator)
    for other in (iterator, iter(dataset)):
        other._restore(saved)
        assert read_on(other) == left


def test_data_sets_side_by_side_stay_so_after_an_error() -> None:
    numbers = Dataset.range(6)
    for both in (
        Dataset.zip(numbers.map(fails_at_3), numbers),
        Dataset.zip(numbers, numbers.map(fails_at_3)),
    ):
        found = [tuple(map(int, pair)) for pair in both.ignore_errors()]
        assert [max(pair) for pair in found] == [0, 1, 2, 4, 5]


def test_a_count_that_is_wrong_ends_the_data_set() -> None:
    assert_count = tf.data.experimental.assert_cardinality
    assert values(Dataset.range(3).apply(assert_count(5)).ignore_errors()) == [0, 1, 2]
    assert values(Dataset.range(5).repeat().apply(assert_count(3)).ignore_errors()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("function", "spec"),
    [
        (lambda x: Dataset.range(x), tf.TensorSpec([], tf.int64)),
        (lambda x: Dataset.range(x).take(x).skip(x).repeat(x), tf.TensorSpec([], tf.int64)),
        (
            lambda x: Dataset.range(x).map(lambda y: tf.fill([2, y], x)),
            tf.TensorSpec([2, None], tf.int64),
        ),
    ],
)
def test_specs_of_data_sets_that_functions_make_need_no_element(function: Any, spec: Any) -> None:
    """The first element fails, and there may be none."""
    failing = Dataset.range(3).map(lambda x: 1 // x)
    for dataset in (failing, Dataset.range(0)):
        assert dataset.flat_map(function).element_spec == spec
        assert dataset.map(function).element_spec == tf.data.DatasetSpec(spec)
        reduced = dataset.map(lambda x: Dataset.range(x).reduce(0, lambda s, _: s + 1))
        assert reduced.element_spec == tf.TensorSpec([], tf.int32)
        grown = dataset.map(
            lambda x: Dataset.range(x).reduce(
                tf.zeros([0], tf.int64), lambda s, y: tf.concat([s, [y]], 0)
            )
        )
        assert grown.element_spec == tf.TensorSpec([None], tf.int64)
    with pytest.raises(ValueError, match="scalar tensor"):
        Dataset.range(3).flat_map(function).filter(lambda x: x)
