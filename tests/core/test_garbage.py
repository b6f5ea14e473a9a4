"""Python's garbage collector looks at new objects alone while functions are recorded and compiled."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core.garbage import HELD, hold, release


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(600, 7, 9)
    yield 600, 7, 9
    gc.set_threshold(*before)


def test_thresholds_while_a_function_is_recorded(thresholds: Any) -> None:
    seen = []

    @tf.function
    def function(x: Any) -> Any:
        seen.append(gc.get_threshold())
        return inner(x) + 1.0

    @tf.function
    def inner(x: Any) -> Any:
        seen.append(gc.get_threshold())
        return x * 2.0

    for size in (3, 3, 4, 4, 5):
        function(tf.ones([size]))
        assert gc.get_threshold() == thresholds
    assert seen == [(600, HELD, HELD)] * 4


def test_thresholds_after_an_error(thresholds: Any) -> None:
    @tf.function
    def function(x: Any) -> Any:
        if tf.reduce_sum(x) > 2:
            raise KeyError("more than two")
        return x

    for size in (1, 3, 2, 4):
        try:
            function(tf.ones([size]))
        except KeyError:
            assert size > 2
        assert gc.get_threshold() == thresholds


def test_what_the_program_sets_stays(thresholds: Any) -> None:
    @tf.function
    def function(x: Any) -> Any:
        gc.set_threshold(500, 5, 5)
        return x + 1.0

    function(tf.ones([2]))
    assert gc.get_threshold() == (500, 5, 5)


def test_threads_that_record_at_the_same_time(thresholds: Any) -> None:
    together = threading.Barrier(4)

    def record() -> None:
        @tf.function
        def function(x: Any) -> Any:
            together.wait()
            assert gc.get_threshold()[1:] == (HELD, HELD)
            return x * 3.0

        function(tf.ones([2]))
        together.wait()

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == thresholds


def test_cycles_of_a_first_call_go_before_it_ends(thresholds: Any) -> None:
    """A tensor that only a cycle holds does not count as kept elsewhere, however long the call was."""

    class Holder:
        def __init__(self, tensor: Any) -> None:
            self.tensor, self.self = tensor, self

    @tf.function
    def function(x: Any) -> Any:
        for _ in range(300):
            Holder(x * 2.0)
            [[] for _ in range(100)]
        return x + 1.0

    for _ in range(3):
        np.testing.assert_array_equal(function(tf.ones([2])), [2.0, 2.0])
    assert "replayed 2 times" in str(function.explain())


def test_holders_are_counted(thresholds: Any) -> None:
    hold()
    hold()
    release()
    assert gc.get_threshold() == (600, HELD, HELD)
    release()
    assert gc.get_threshold() == thresholds


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
def test_a_child_of_a_fork_has_the_thresholds_of_the_program(thresholds: Any) -> None:
    hold()
    child = os.fork()
    if child == 0:
        first = gc.get_threshold()
        release()
        os._exit(0 if first == gc.get_threshold() == thresholds else 1)
    release()
    assert os.waitpid(child, 0)[1] == 0
    assert gc.get_threshold() == thresholds
