"""Profilers see ops by name where they are asked to, and nothing is left of it afterwards."""

from __future__ import annotations

import cProfile
import profile
import pstats
import threading
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.core import registry
from tapegrad.profiling import named_ops

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])


def work() -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x @ x) * 2.0 - tf.add(x, y=1.0))
    return [y, tape.gradient(y, x), tf.concat([x, x], axis=0), -x, x < 2.0, 3.0 + x]


def ops_seen(profiler: Any) -> set[str]:
    return {name for file, _, name in pstats.Stats(profiler).stats if "<tapegrad op" in file}


def as_lists(results: list[Any]) -> list[Any]:
    return [result.numpy().tolist() for result in results]


def test_without_it_a_profile_shows_no_ops() -> None:
    with cProfile.Profile() as profiler:
        work()
    assert not ops_seen(profiler)


def test_a_profile_shows_ops_and_operators_by_name() -> None:
    expected = as_lists(work())
    with named_ops(), cProfile.Profile() as profiler:
        results = work()
    assert as_lists(results) == expected
    assert {"tanh", "add", "subtract", "multiply", "matmul", "negative", "less"} <= ops_seen(
        profiler
    )
    calls = {key: value[0] for key, value in pstats.Stats(profiler).stats.items()}
    assert calls["<tapegrad op Tanh>", 1, "tanh"] == 1


def test_the_profiler_in_python_sees_them_too() -> None:
    profiler = profile.Profile()
    with named_ops():
        profiler.runcall(work)
    assert {"tanh", "add"} <= ops_seen(profiler)


def test_contexts_nest_and_leave_nothing_behind() -> None:
    with named_ops(), named_ops():
        pass
    with cProfile.Profile() as profiler:
        work()
    assert not ops_seen(profiler)
    with pytest.raises(KeyError, match="mine"), named_ops():
        raise KeyError("mine")
    with cProfile.Profile() as profiler:
        work()
    assert not ops_seen(profiler)


def test_every_op_keeps_its_arguments_and_its_errors() -> None:
    with named_ops():
        assert tf.add(x=1.0, y=2.0, name="sum").numpy() == 3.0
        with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
            tf.add(1.0, z=2.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            x + tf.ones([3])
        assert repr(tf.add) == "<op add (AddV2)>"
        assert registry["AddV2"] is tf.add


def test_other_threads_go_on() -> None:
    results: list[Any] = []
    with named_ops():
        threads = [threading.Thread(target=lambda: results.append(work())) for _ in range(3)]
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    assert [as_lists(result) for result in results] == [as_lists(work())] * 3


def test_tracebacks_stay_the_users() -> None:
    tf.debugging.enable_traceback_filtering()
    with named_ops(), pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.add(x, tf.ones([3]))
    assert [str(entry.path) for entry in caught.traceback] == [__file__]
