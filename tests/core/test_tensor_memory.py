"""A tensor lies in the memory of one that is gone, and knows nothing of that one (decision 0089)."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core import EagerTensor

MANY = 200  # more than the store keeps


def fresh(count: int = 1) -> list[Any]:
    """Tensors that are made now, in the memory that was let go of last."""
    return [EagerTensor(np.zeros(3, np.float32)) + 1.0 for _ in range(count)]


def with_attribute() -> None:
    (x,) = fresh()
    x.mark = "of another"


def with_shape_that_was_asked_for() -> None:
    assert tf.ones([5, 7]).shape == [5, 7]


def watched_weakly() -> None:
    (x,) = fresh()
    ghost = weakref.ref(x)
    del x
    assert ghost() is None


def followed() -> None:
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        assert accumulator.jvp(x * x) == 4.0


def of_a_kind_without_array() -> None:
    sparse = tf.sparse.from_dense([0.0, 1.0])
    del sparse
    _ = tf.vectorized_map(lambda x: x * 2.0, tf.ones([3, 2]))


def in_a_cycle() -> None:
    (x,) = fresh()
    x.me = x
    del x
    gc.collect()


def many_at_once() -> None:
    del fresh(MANY)[:]


LIVES = (
    with_attribute,
    with_shape_that_was_asked_for,
    watched_weakly,
    followed,
    of_a_kind_without_array,
    in_a_cycle,
    many_at_once,
)


@pytest.mark.parametrize("life", LIVES)
def test_a_tensor_knows_nothing_of_the_one_before(life: Callable[[], None]) -> None:
    fresh(MANY)
    life()
    for x in fresh(MANY):
        assert not hasattr(x, "mark")
        assert not hasattr(x, "me")
        assert x.shape == [3]
        assert weakref.getweakrefcount(x) == 0
        assert gc.is_tracked(x)
        # The list, the loop, the argument. From Python 3.14 on the loop lends its own to the argument.
        assert sys.getrefcount(x) == (3 if sys.version_info < (3, 14) else 2)
        np.testing.assert_array_equal(x, np.ones(3, np.float32))
        with tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0)) as accumulator:
            assert accumulator.jvp(x * 2.0) is None


def test_more_tensors_than_are_kept_leave_no_references_to_none() -> None:
    """The fields of an empty tensor refer to None. On Python 3.12 and later nobody counts that."""
    before = sys.getrefcount(None)
    for _ in range(5):
        tensors = [EagerTensor(np.zeros(3, np.float32)) for _ in range(MANY)]
        del tensors
    assert sys.getrefcount(None) - before < MANY


def test_identities_are_new() -> None:
    ids = [x._id for _ in range(MANY) for x in fresh()]
    assert len(set(ids)) == MANY


def test_weak_references_end_before_the_memory_is_used_again() -> None:
    """The callback makes tensors, and finds the one that goes neither by reference nor in their memory."""
    seen: list[Any] = []

    def ended(ghost: weakref.ref[Any]) -> None:
        seen.append((ghost(), fresh(3)))

    for _ in range(MANY):
        (x,) = fresh()
        watcher = weakref.ref(x, ended)
        del x
        assert watcher() is None
    assert len(seen) == MANY
    for ghost, made in seen:
        assert ghost is None
        for each in made:
            np.testing.assert_array_equal(each, np.ones(3, np.float32))


def test_an_error_on_its_way_is_left_alone() -> None:
    """Tensors that an accumulator follows go while an error passes through the frame that holds them."""

    def fail() -> None:
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)):
            y = x * x
            del x
            raise KeyError(float(y))

    for _ in range(MANY):
        with pytest.raises(KeyError, match="4"):
            fail()


def test_a_long_chain_is_let_go_of_at_once() -> None:
    (x,) = fresh()
    for _ in range(1000):
        (following,) = fresh()
        following.before = x
        x = following
    ghost = weakref.ref(x.before)
    del x, following
    assert ghost() is None


def test_threads_share_the_store() -> None:
    wrong: list[Any] = []

    def work(number: int) -> None:
        for _ in range(500):
            kept = [tf.fill([2], float(number)) + 1.0 for _ in range(8)]
            wrong.extend(x for x in kept if float(x[0]) != number + 1.0)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
