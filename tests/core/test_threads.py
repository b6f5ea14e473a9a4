"""Threads: each has its own tapes, and sharing tensors, variables and tapes breaks nothing."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def on_another_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_tapes_do_not_see_other_threads() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        theirs = on_another_thread(lambda: x * x)
        mine = x * 2.0
    assert theirs.numpy() == 9.0
    assert tape.gradient([mine, theirs], x).numpy() == 2.0


def test_each_thread_has_its_own_tape() -> None:
    v = tf.Variable(2.0)
    barrier = threading.Barrier(8)

    def work(number: int) -> float:
        barrier.wait()
        total = 0.0
        for _ in range(200):
            with tf.GradientTape() as tape:
                y = v * v * float(number)
            total += float(tape.gradient(y, v))
        return total

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    assert found == [200 * 4.0 * number for number in range(8)]


def test_gradient_on_another_thread() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert on_another_thread(lambda: tape.gradient(y, x)).numpy().tolist() == [2.0, 4.0]


def test_tensors_die_on_other_threads() -> None:
    def make() -> list[Any]:
        return [tf.constant(float(i)) * 2.0 for i in range(1000)]

    kept = on_another_thread(make)
    assert kept[7].numpy() == 14.0
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda part: part.clear(), [kept[i::4] for i in range(4)]))
    kept.clear()


def test_variables_are_updated_whole() -> None:
    """A reader never sees half of an assignment."""
    v = tf.Variable(tf.zeros([1000]))
    stop = threading.Event()

    def write() -> None:
        for i in range(500):
            v.assign(tf.fill([1000], float(i)))
        stop.set()

    def read() -> bool:
        whole = True
        while not stop.is_set():
            seen = v.read_value().numpy()
            whole = whole and bool((seen == seen[0]).all())
        return whole

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        pool.submit(write).result()
        assert all(reader.result() for reader in readers)


def test_assign_add_from_many_threads_keeps_snapshots() -> None:
    v = tf.Variable(tf.zeros([100]))

    def add() -> bool:
        kept = []
        for _ in range(100):
            kept.append((snapshot := v.read_value(), snapshot.numpy().copy()))
            v.assign_add(tf.ones([100]))
        return all((snapshot.numpy() == copy).all() for snapshot, copy in kept)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: add(), range(4)))
    assert (v.numpy() == 400.0).all()


# Writes to a part of a variable, each of which adds up over the threads or leaves a known number.
_PARTS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "scatter_add": (lambda v: v.scatter_add(_slices(1.0)), 400.0),
    "scatter_sub": (lambda v: v.scatter_sub(_slices(-1.0)), 400.0),
    "scatter_max": (lambda v: v.scatter_max(_slices(3.0)), 3.0),
    "scatter_min": (lambda v: v.scatter_min(_slices(-3.0)), -3.0),
    "scatter_mul": (lambda v: v.scatter_mul(_slices(1.0)), 0.0),
    "scatter_div": (lambda v: v.scatter_div(_slices(1.0)), 0.0),
    "scatter_update": (lambda v: v.scatter_update(_slices(5.0)), 5.0),
    "batch_scatter_update": (lambda v: v.batch_scatter_update(_slices(5.0)), 5.0),
    "scatter_nd_add": (lambda v: v.scatter_nd_add(_ROWS, tf.ones([50])), 400.0),
    "scatter_nd_sub": (lambda v: v.scatter_nd_sub(_ROWS, -tf.ones([50])), 400.0),
    "scatter_nd_update": (lambda v: v.scatter_nd_update(_ROWS, tf.fill([50], 5.0)), 5.0),
    "scatter_nd_max": (lambda v: v.scatter_nd_max(_ROWS, tf.fill([50], 3.0)), 3.0),
    "scatter_nd_min": (lambda v: v.scatter_nd_min(_ROWS, tf.fill([50], -3.0)), -3.0),
    "slice": (lambda v: v[::2].assign(tf.fill([50], 5.0)), 5.0),
}
_ROWS = [[place] for place in range(0, 100, 2)]


def _slices(number: float) -> tf.IndexedSlices:
    return tf.IndexedSlices(tf.fill([50], number), tf.range(0, 100, 2))


@pytest.mark.parametrize("name", _PARTS)
def test_writing_parts_from_many_threads_keeps_snapshots(name: str) -> None:
    """No write is lost, a snapshot stays what it was, and what is not written to stays zero."""
    write, last = _PARTS[name]
    v = tf.Variable(tf.zeros([100]))

    def work() -> bool:
        kept = []
        for _ in range(100):
            kept.append((snapshot := v.read_value(), snapshot.numpy().copy()))
            write(v)
            with tf.GradientTape() as tape:
                y = v * v
            seen = np.sqrt(np.abs(y.numpy()))
            # What a tape saw of the variable is what it differentiates.
            whole = np.abs(tape.gradient(y, v).numpy()) / 2
            if not np.allclose(whole, seen):
                return False
        return all((snapshot.numpy() == copy).all() for snapshot, copy in kept)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(lambda _: work(), range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert (v.numpy()[::2] == last).all()
    assert not v.numpy()[1::2].any()


def test_stop_recording_is_of_one_thread() -> None:
    x = tf.constant(2.0)
    inside, done = threading.Event(), threading.Event()

    def paused() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                inside.set()
                done.wait(10)

    thread = threading.Thread(target=paused)
    thread.start()
    inside.wait(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    done.set()
    thread.join()
    assert tape.gradient(y, x).numpy() == 4.0


def test_large_work_on_many_threads_gives_the_same_bits() -> None:
    x = tf.constant(np.random.default_rng(0).standard_normal(200_000).astype(np.float32))

    def work(_: int) -> bytes:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(2.0 * x + 1.0) * tf.exp(-x * x))
        return bytes(y.numpy().tobytes() + tape.gradient(y, x).numpy().tobytes())

    alone = work(0)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(8))) == {alone}


def test_one_tape_on_two_threads_raises_or_works() -> None:
    """Sharing one open tape is a mistake; it must end in an error or a right answer, never a crash."""
    x = tf.constant(1.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x
        for _ in range(2000):
            y = y * 1.0

    def use(_: int) -> float:
        try:
            return float(tape.gradient(y, x))
        except (RuntimeError, ValueError):
            return 1.0

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(use, range(16))) == {1.0}


def test_one_tape_entered_and_reset_on_many_threads_raises_or_works() -> None:
    x = tf.constant(1.0)
    tape = tf.GradientTape(persistent=True)

    def use(_: int) -> None:
        z = x
        for _ in range(30):
            with contextlib.suppress(ValueError), tape:
                tape.watch(x)
                for _ in range(20):
                    z = z * x
            with contextlib.suppress(ValueError, RuntimeError):
                tape.reset()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(use, range(12)))
    finally:
        sys.setswitchinterval(interval)
    with tf.GradientTape() as other:
        other.watch(x)
        y = x * 3.0
    assert other.gradient(y, x).numpy() == 3.0


@pytest.mark.parametrize("lines", [False, True])
def test_a_tape_that_is_walked_once_is_walked_by_one(lines: bool) -> None:
    """Of two walks of a tape that lets go of its records, the one that begins first has them."""
    x = tf.constant([1.0, 2.0])
    refusals: list[str] = []

    @tf.custom_gradient
    def asking(value: tf.Tensor) -> Any:
        def gradient(dy: tf.Tensor) -> tf.Tensor:
            def ask() -> None:
                try:
                    tape.gradient(z, x)
                except RuntimeError as error:
                    refusals.append(str(error))

            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()
            ask()
            return dy * 3.0

        return value * 3.0, gradient

    with tf.GradientTape(lines=lines) as tape:
        tape.watch(x)
        y = x * x
        z = asking(y) * y
    gradient = tape.gradient(z, x)
    np.testing.assert_allclose(gradient, 12.0 * np.array([1.0, 8.0]))
    assert len(refusals) == 2
    assert all(refusal.startswith("A non-persistent GradientTape can only") for refusal in refusals)


def test_a_tape_that_is_reset_during_its_walk_keeps_its_new_records() -> None:
    x = tf.constant(3.0)
    after = tf.GradientTape()

    @tf.custom_gradient
    def resetting(value: tf.Tensor) -> Any:
        def gradient(dy: tf.Tensor) -> tf.Tensor:
            tape._tape = after._start()  # as `reset` on another thread does
            return dy

        return tf.identity(value), gradient

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = resetting(x) * x
    assert tape.gradient(y, x).numpy() == 6.0
    with tape:
        tape.watch(x)
        y = x * x
    assert tape._tape is after._tape
    assert tape.gradient(y, x).numpy() == 6.0
