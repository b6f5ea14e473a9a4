"""Running means of variables, coordinators of threads, critical sections and partitioners."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

partitioners = tf.distribute.experimental.partitioners


# Running means


def test_means_follow_as_in_tensorflow() -> None:
    v, w = tf.Variable(1.0, name="v"), tf.Variable([2.0, 4.0], name="w")
    averages = tf.train.ExponentialMovingAverage(0.9)
    assert averages.average(v) is None
    assert averages.apply([v, w]) is None
    v.assign(3.0)
    w.assign([0.0, 0.0])
    averages.apply([v, w])
    np.testing.assert_allclose(averages.average(v).numpy(), 1.2)
    np.testing.assert_allclose(averages.average(w).numpy(), [1.8, 3.6])
    assert averages.average(v).name == "v/ExponentialMovingAverage:0"
    assert not averages.average(v).trainable
    assert averages.average_name(w) == "w/ExponentialMovingAverage"
    restored = averages.variables_to_restore()
    assert list(restored) == ["v/ExponentialMovingAverage", "w/ExponentialMovingAverage"]
    assert restored["v/ExponentialMovingAverage"] is v
    assert averages.variables_to_restore([v]) == {"v/ExponentialMovingAverage": v}


@pytest.mark.parametrize(
    ("decay", "updates", "expected"), [(0.9, 3, 7.8461538), (0.99, 2, 8.25), (0.5, None, 6.5)]
)
def test_early_means_follow_faster(decay: float, updates: int | None, expected: float) -> None:
    v = tf.Variable(3.0)
    averages = tf.train.ExponentialMovingAverage(tf.constant(decay), updates, zero_debias=True)
    averages.apply([v])
    v.assign(10.0)
    averages.apply([v])
    np.testing.assert_allclose(averages.average(v).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_means_have_the_dtype_of_their_variables(dtype: str) -> None:
    v = tf.Variable(tf.cast(1.0, dtype))
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([v, v])
    assert averages.average(v).dtype == dtype


def test_means_in_functions() -> None:
    v, averages = tf.Variable(0.0), tf.train.ExponentialMovingAverage(0.5)

    @tf.function
    def step() -> Any:
        v.assign_add(1.0)
        averages.apply([v])
        return averages.average(v).read_value()

    assert [float(step()) for _ in range(4)] == [1.0, 1.5, 2.25, 3.125]


@pytest.mark.parametrize("variables", [[tf.constant(1.0)], [tf.Variable(1)], [3.0]])
def test_what_has_no_mean(variables: list[Any]) -> None:
    averages = tf.train.ExponentialMovingAverage(0.9)
    good = tf.Variable(1.0)
    with pytest.raises(TypeError):
        averages.apply([good, *variables])
    assert averages.average(good) is None  # nothing was half done


# Coordinators


def test_threads_stop_when_one_asks() -> None:
    coordinator = tf.train.Coordinator()
    waiting = [threading.Thread(target=coordinator.wait_for_stop) for _ in range(3)]
    for thread in waiting:
        thread.start()
        coordinator.register_thread(thread)
    assert not coordinator.should_stop()
    assert not coordinator.wait_for_stop(0.01)
    coordinator.request_stop()
    coordinator.join()
    assert coordinator.joined
    assert coordinator.should_stop()
    assert not any(thread.is_alive() for thread in waiting)
    coordinator.clear_stop()
    assert not coordinator.joined
    assert not coordinator.should_stop()


def test_join_raises_the_first_error() -> None:
    coordinator = tf.train.Coordinator()

    def fail() -> None:
        with coordinator.stop_on_exception():
            raise KeyError("first")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    coordinator.request_stop(ValueError("second"))
    with pytest.raises(KeyError, match="first"):
        coordinator.raise_requested_exception()
    with pytest.raises(KeyError, match="first"):
        coordinator.join([thread])
    assert coordinator.joined
    with pytest.raises(ValueError, match="late"):
        coordinator.request_stop(ValueError("late"))
    coordinator.clear_stop()
    coordinator.join()


def test_errors_that_only_end_the_threads() -> None:
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coordinator.join()
    coordinator = tf.train.Coordinator(clean_stop_exception_types=[KeyError])
    coordinator.request_stop(KeyError("z"))
    coordinator.join()


def test_an_error_as_exc_info() -> None:
    coordinator = tf.train.Coordinator()
    try:
        raise ValueError("inner")
    except ValueError:
        coordinator.request_stop(sys.exc_info())
    with pytest.raises(ValueError, match="inner"):
        coordinator.join()


def test_threads_that_go_on() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="threads still running"):
        coordinator.join([thread], stop_grace_period_secs=0.05)
    coordinator.join([thread], stop_grace_period_secs=0.05, ignore_live_threads=True)
    end.set()


def test_a_stop_for_no_error() -> None:
    with pytest.raises(TypeError, match="exception"):
        tf.train.Coordinator().request_stop("x")


# Critical sections


def test_one_thread_at_a_time() -> None:
    section, inside, most = tf.CriticalSection(), [0], [0]

    def work() -> Any:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.005)
        inside[0] -= 1
        return 3

    threads = [threading.Thread(target=section.execute, args=(work,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_results_of_a_section_are_tensors() -> None:
    section = tf.CriticalSection(name="cs", shared_name="shared by two")
    assert section.name == "cs"
    assert tf.CriticalSection(shared_name="shared by two")._section is section._section
    result = section.execute(lambda: (tf.constant(1.0), {"b": 3}, None))
    assert result[1]["b"].dtype == tf.int32
    assert result[2] is None
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 / 0)
    assert int(section.execute(lambda: 4)) == 4
    with pytest.raises(TypeError, match="function"):
        section.execute(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="critical_section_def"):
        tf.CriticalSection(critical_section_def=3)


def test_sections_in_functions_are_entered_at_each_call() -> None:
    section, v = tf.CriticalSection(), tf.Variable(0)
    step = tf.function(lambda: section.execute(lambda: v.assign_add(1)))
    assert [int(step()) for _ in range(4)] == [1, 2, 3, 4]


# Partitioners


@pytest.mark.parametrize(
    ("partitioner", "shape", "dtype", "axis", "parts"),
    [
        (partitioners.FixedShardsPartitioner(2), [10, 3], tf.float32, 0, [2, 1]),
        (partitioners.FixedShardsPartitioner(2), [10, 3], tf.float32, 1, [1, 2]),
        (partitioners.FixedShardsPartitioner(20), [10, 3], tf.float32, 0, [10, 1]),
        (partitioners.MinSizePartitioner(4, max_shards=5), [6, 1], tf.float32, 0, [5, 1]),
        (partitioners.MinSizePartitioner(4), [6, 1], tf.float32, 0, [1, 1]),
        (partitioners.MinSizePartitioner(max_shards=2), [6000, 1000], tf.string, 0, [2, 1]),
        (partitioners.MaxSizePartitioner(4), [6, 1], tf.float32, 0, [6, 1]),
        (partitioners.MaxSizePartitioner(4, max_shards=2), [6, 1], tf.float32, 0, [2, 1]),
        (partitioners.MaxSizePartitioner(1024), [6, 1], tf.float32, 0, [1, 1]),
    ],
)
def test_partitions(partitioner: Any, shape: Any, dtype: Any, axis: int, parts: list[int]) -> None:
    assert partitioner(tf.TensorShape(shape), dtype, axis=axis) == parts


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: partitioners.MinSizePartitioner(0), ValueError),
        (lambda: partitioners.MinSizePartitioner(1, 0), ValueError),
        (lambda: partitioners.MinSizePartitioner(1, 1, 0), ValueError),
        (lambda: partitioners.MaxSizePartitioner(0), ValueError),
        (lambda: partitioners.MinSizePartitioner(1)([3], tf.float32, axis=4), ValueError),
        (lambda: partitioners.MinSizePartitioner(1)([None, 3], tf.float32), TypeError),
        (lambda: partitioners.Partitioner()([3], tf.float32), NotImplementedError),
    ],
)
def test_partitions_that_cannot_be(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()
