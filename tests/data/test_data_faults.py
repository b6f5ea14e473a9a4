"""Data sets whose sources vanish or change, which several threads read, and which are read after a fork."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

Dataset = tf.data.Dataset
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
ignore_warnings = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def numbers(iterator: Any) -> list[Any]:
    return [np.asarray(x.numpy()).tolist() for x in iterator]


def count(iterator: Any, error: type[Exception]) -> int:
    """How many elements come before an error, after which the iterator is at its end."""
    read = 0
    try:
        for _ in iterator:
            read += 1
    except error:
        with pytest.raises(StopIteration):
            next(iterator)
        return read
    raise AssertionError(f"no {error.__name__} after {read} elements")


# Sources that vanish

LINES = 50_000  # more than a buffer holds
READERS: dict[str, Callable[[list[str]], Any]] = {
    "lines": tf.data.TextLineDataset,
    "records of one length": lambda names: tf.data.FixedLengthRecordDataset(names, 10),
    "records": tf.data.TFRecordDataset,
    "rows": lambda names: tf.data.experimental.CsvDataset(names, [tf.int64]).map(lambda x: x),
    "compressed lines": lambda names: tf.data.TextLineDataset(names, "GZIP"),
}


def write(path: Path, name: str) -> None:
    lines = [f"{number:09d}" for number in range(LINES)]
    if name == "records":
        with tf.io.TFRecordWriter(str(path)) as writer:
            for line in lines:
                writer.write(line)
        return
    text = ("\n".join(lines) + "\n").encode()
    if name == "compressed lines":
        import gzip

        text = gzip.compress(text, 1)
    path.write_bytes(text)


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_is_deleted_before_it_is_opened(name: str, tmp_path: Path) -> None:
    paths = [tmp_path / "first", tmp_path / "second"]
    for path in paths:
        write(path, name)
    iterator = iter(READERS[name]([str(path) for path in paths]))
    next(iterator)
    for path in paths:
        path.unlink()
    # The first file is open, and so it is there until it is closed.
    assert count(iterator, tf.errors.NotFoundError) == LINES - 1


@pytest.mark.parametrize("name", ["records of one length", "records"])
def test_a_file_that_is_cut_short_while_it_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path, name)
    iterator = iter(READERS[name]([str(path)]))
    next(iterator)
    os.truncate(path, path.stat().st_size - (3 if name == "records" else 17))
    assert 0.9 * LINES < count(iterator, tf.errors.DataLossError) < LINES


def test_a_saved_data_set_that_is_deleted(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    Dataset.range(5).save(path)
    loaded = Dataset.load(path)
    assert numbers(loaded) == [0, 1, 2, 3, 4]
    shutil.rmtree(path)
    with pytest.raises(tf.errors.NotFoundError):
        list(loaded)


def test_a_cache_whose_files_are_deleted_is_made_again(tmp_path: Path) -> None:
    cached = Dataset.range(5).cache(str(tmp_path / "cache"))
    assert numbers(cached) == [0, 1, 2, 3, 4]
    for path in tmp_path.iterdir():
        path.unlink()
    assert numbers(cached) == [0, 1, 2, 3, 4]
    next(tmp_path.glob("cache.data*")).unlink()
    with pytest.raises(tf.errors.NotFoundError):
        list(cached)


# Elements that change their shape


def growing() -> Any:
    return Dataset.range(1, 5).map(lambda x: tf.zeros([x]))


def yielding(*values: Any) -> Callable[[], Iterator[Any]]:
    return lambda: iter(values)


CHANGING: dict[str, Callable[[], Any]] = {
    "batch": lambda: growing().batch(2),
    "batch in threads": lambda: growing().batch(2, num_parallel_calls=2),
    "padded batch": lambda: growing().padded_batch(4, [2]),
    "padded batch of another rank": lambda: Dataset.from_generator(
        yielding([1], [[2]]), output_signature=tf.TensorSpec(None, tf.int64)
    ).padded_batch(2, [3]),
    "sparse batch": lambda: growing().sparse_batch(4, [2]),
    "window": lambda: growing().window(2).flat_map(lambda window: window.batch(2)),
    "unbatch": lambda: Dataset.zip(growing(), growing().skip(1)).unbatch(),
    "generator": lambda: Dataset.from_generator(
        yielding([1], [1, 2]), output_signature=tf.TensorSpec([1], tf.int64)
    ),
    "generator of another nest": lambda: Dataset.from_generator(
        yielding((1, 2), 3), output_signature=(tf.TensorSpec([], tf.int64),) * 2
    ),
    "interleave": lambda: (
        Dataset.range(1, 3)
        .interleave(lambda x: Dataset.from_tensors(tf.zeros([x])), 2, num_parallel_calls=2)
        .batch(2)
    ),
    "ensure_shape": lambda: growing().map(lambda x: tf.ensure_shape(x, [1])),
}


@pytest.mark.parametrize("name", CHANGING)
def test_elements_that_change_their_shape(name: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.DataLossError)) as caught:
        list(CHANGING[name]())
    assert len(str(caught.value)) > 20


# Several threads

SHARED: dict[str, Callable[[int], Any]] = {
    "range": lambda count: Dataset.range(count),
    "batches": lambda count: Dataset.range(count).batch(1).unbatch(),
    "prefetch": lambda count: Dataset.range(count).prefetch(3),
    "interleave": lambda count: Dataset.range(4).interleave(
        lambda x: Dataset.range(x * count // 4, (x + 1) * count // 4), 4, num_parallel_calls=2
    ),
    "generator": lambda count: Dataset.from_generator(
        lambda: iter(range(count)), output_signature=tf.TensorSpec([], tf.int64)
    ),
    "shuffle": lambda count: Dataset.range(count).map(lambda x: x).shuffle(10),
    "group": lambda count: Dataset.range(count).group_by_window(
        lambda x: x % 3, lambda _, window: window, 4
    ),
    "cache": lambda count: Dataset.range(count).cache(),
}


@pytest.mark.parametrize("name", SHARED)
def test_threads_that_share_an_iterator_get_each_element_once(name: str) -> None:
    iterator = iter(SHARED[name](400))
    found: list[list[int]] = [[] for _ in range(4)]
    readers = [
        threading.Thread(target=lambda own=own: own.extend(numbers(iterator))) for own in found
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(itertools.chain(*found)) == list(range(400))


def test_threads_that_share_an_iterator_get_each_error_once() -> None:
    iterator = iter(Dataset.range(200).map(lambda x: 10 // (x % 10), num_parallel_calls=2))
    errors: list[Exception] = []
    found: list[int] = []

    def read() -> None:
        while True:
            try:
                found.append(int(next(iterator)))
            except StopIteration:
                return
            except tf.errors.InvalidArgumentError as error:
                errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert (len(errors), len(found)) == (20, 180)


# Forked processes


def in_child(work: Callable[[], Any]) -> str:
    """What ``work()`` gives in a forked process, or the error that it raises; "hangs" after a while."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            try:
                text = repr(work())
            except Exception as error:
                text = type(error).__name__
            os.write(writer, text.encode())
        finally:
            os._exit(0)
    os.close(writer)
    for _ in range(6000):
        if os.waitpid(child, os.WNOHANG)[0]:
            break
        time.sleep(0.01)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)
        return "hangs"
    answer = os.read(reader, 10_000).decode()
    os.close(reader)
    return answer


@forks
@ignore_warnings
@pytest.mark.parametrize("name", READERS)
def test_parent_and_child_read_a_file_side_by_side(name: str, tmp_path: Path) -> None:
    """Each goes on where the iterator was when the process was forked."""
    write(tmp_path / "file", name)
    iterator = iter(READERS[name]([str(tmp_path / "file")]))
    next(iterator)

    def rest() -> tuple[int, int]:
        left = numbers(iterator)
        return len(left), int(left[-1])

    assert in_child(rest) == repr((LINES - 1, LINES - 1))
    assert rest() == (LINES - 1, LINES - 1)


@forks
@ignore_warnings
@pytest.mark.parametrize("name", ["range", "batches", "generator", "shuffle", "group", "cache"])
def test_parent_and_child_read_an_iterator_without_threads(name: str) -> None:
    iterator = iter(SHARED[name](20))
    next(iterator)
    answer = in_child(lambda: numbers(iterator))
    assert answer == repr(numbers(iterator))


@forks
@ignore_warnings
def test_an_iterator_that_another_thread_read_at_the_fork_is_refused_in_the_child() -> None:
    gate, reached = threading.Event(), threading.Event()

    def generator() -> Iterator[int]:
        yield 1
        reached.set()
        gate.wait()
        yield 2

    iterator = iter(Dataset.from_generator(generator, output_signature=tf.TensorSpec([], tf.int32)))
    next(iterator)
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.append(int(next(iterator))))
    reader.start()
    reached.wait()
    try:
        assert in_child(lambda: next(iterator)) == "FailedPreconditionError"
    finally:
        gate.set()
        reader.join()
    assert found == [2]


@forks
@ignore_warnings
def test_the_child_of_a_fork_leaves_the_files_of_a_cache_to_its_parent(tmp_path: Path) -> None:
    cached = Dataset.range(5).cache(str(tmp_path / "cache"))
    snapshot = Dataset.range(5).snapshot(str(tmp_path / "snapshot"))
    iterators = [iter(cached), iter(snapshot)]
    for iterator in iterators:
        next(iterator)

    def drop() -> list[str]:
        raised = []
        while iterators:
            try:
                next(iterators.pop())
            except tf.errors.FailedPreconditionError as error:
                raised.append(type(error).__name__)
        return raised

    assert in_child(drop) == repr(["FailedPreconditionError"] * 2)
    for iterator in iterators:
        assert numbers(iterator) == [1, 2, 3, 4]
    assert numbers(cached) == numbers(snapshot) == [0, 1, 2, 3, 4]


@forks
@ignore_warnings
def test_the_child_of_a_fork_uses_queues_that_threads_of_its_parent_waited_for() -> None:
    queue = tf.queue.FIFOQueue(1, [tf.int32], [[]])
    queue.enqueue(1)
    waiting = threading.Thread(target=lambda: queue.enqueue(2))
    waiting.start()
    while not queue.queue_ref.waiting:
        time.sleep(0.01)

    def work() -> list[int]:
        queue.close()
        found = [int(queue.dequeue())]
        with pytest.raises(tf.errors.OutOfRangeError):
            queue.dequeue()
        return found

    assert in_child(work) == "[1]"
    assert [int(queue.dequeue()), int(queue.dequeue())] == [1, 2]
    waiting.join()


def test_what_is_left_half_read_is_closed(tmp_path: Path) -> None:
    """Files are, at once."""
    write(tmp_path / "file", "lines")
    folder = Path(f"/proc/{os.getpid()}/fd")
    if not folder.exists():
        pytest.skip("the system does not list open files")

    def is_open() -> bool:
        found = []
        for each in folder.iterdir():
            try:
                found.append(os.readlink(each))
            except OSError:  # closed meanwhile
                continue
        return str(tmp_path / "file") in found

    makers: list[Callable[[Any], Any]] = [
        lambda d: d,
        lambda d: d.map(lambda x: x).batch(3),
        lambda d: d.shuffle(4).take(9),
    ]
    for make in makers:
        iterator = iter(make(tf.data.TextLineDataset(str(tmp_path / "file"))))
        next(iterator)
        assert is_open()
        del iterator
        assert not is_open()
