"""What ranks meet by, in one process: gates, sums as trees, and gradients told of once they are complete."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.distribute.gate import AGREED, DISAGREED, LATE, LEFT, Gate, slot_size
from tapegrad.distribute.groups import LocalGroup, added_as_tree
from tapegrad.distribute.threads import Meeting, ThreadGroup


def gates(count: int) -> list[Gate]:
    memory = np.zeros(count * slot_size(), np.int8)
    return [Gate(memory, rank, count) for rank in range(count)]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_a_gate_agrees_disagrees_and_waits() -> None:
    one, two = gates(2)
    a, b = np.ones((3, 2)), np.ones((4, 2))
    assert at_once(lambda: one.meet(1, a, 0, 5), lambda: two.meet(1, a, 0, 5)) == [AGREED] * 2
    assert at_once(lambda: one.meet(1, b, 0, 5), lambda: two.meet(1, a, 0, 5)) == [DISAGREED] * 2
    assert (one.other, two.other) == (1, 0)
    one.describe("one")
    two.describe("two")
    assert [gate.description(k, 1) for gate in (one, two) for k in (0, 1)] == ["one", "two"] * 2
    found = at_once(lambda: one.meet(3, a, 0, 5, 1), lambda: two.meet(3, b, 0, 5, 1))
    assert found == [AGREED] * 2
    assert one.counts() == two.counts() == [3, 4]
    two.leave("no more")
    assert one.meet(1, a, 0, 5) == LEFT
    assert one.who_left() == [1]
    assert one.description(1, 0) == "no more"


def test_who_comes_too_late_does_not_go_on_alone() -> None:
    one, two = gates(2)
    a = np.ones(3)
    assert one.meet(1, a, 0, 0.01) == LATE
    assert one.other == 1
    one.leave("gave up")
    assert two.meet(1, a, 0, 5) == LEFT


@pytest.mark.parametrize("count", [2, 3])
def test_all_go_on_or_none(count: int) -> None:
    """However close to its end a rank's patience is when the last one comes."""
    a, draws = np.ones(3), random.Random(count)

    def meets(gate: Gate, delay: float, timeout: float) -> Any:
        time.sleep(delay)
        code = gate.meet(1, a, 0, timeout)
        if code == LATE:
            gate.leave("gave up")
        return code

    seen = set()
    for _ in range(60):
        delays = [draws.choice([0.0, draws.uniform(0.009, 0.013)]) for _ in range(count)]
        timeouts = [draws.choice([0.01, 5]) for _ in range(count)]
        calls = [
            functools.partial(meets, *each)
            for each in zip(gates(count), delays, timeouts, strict=True)
        ]
        codes = at_once(*calls)
        assert AGREED not in codes or set(codes) == {AGREED}
        seen.update(codes)
    assert AGREED in seen


def test_a_gate_checks_what_it_is_given() -> None:
    with pytest.raises(ValueError, match="a gate of 2 ranks needs"):
        Gate(np.zeros(10, np.int8), 0, 2)
    with pytest.raises(ValueError, match="a gate of 1 ranks"):
        Gate(np.zeros(slot_size(), np.int8), 1, 1)
    (gate,) = gates(1)
    assert gate.meet(1, np.ones(3), 0, 1) == AGREED
    with pytest.raises(IndexError):
        gate.description(1, 0)


def test_a_gradient_is_told_of_as_soon_as_it_is_complete() -> None:
    """The walk calls `finished` in the middle: the last layer's gradients before the first layer's."""
    weights = [tf.Variable(tf.ones([2, 2])) for _ in range(3)]
    unused = tf.Variable(1.0)
    order: list[tuple[str, Any]] = []

    @tf.custom_gradient
    def noted(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            order.append(("walk", None))
            return dy

        return tf.identity(x), gradient

    with tf.GradientTape() as tape:
        x = tf.ones([2, 2])
        for weight in weights:
            x = noted(x @ weight)
        shared = tf.reduce_sum(x) + tf.reduce_sum(weights[2])
    told: dict[int, Any] = {}

    def finished(number: int, gradient: Any) -> None:
        order.append(("finished", number))
        told[number] = gradient

    gradients = core.compute_gradient(
        tape._records(), [shared], [*weights, unused], [None], True, finished
    )
    assert order == [
        ("walk", None),
        ("finished", 2),
        ("walk", None),
        ("finished", 1),
        ("walk", None),
        ("finished", 0),
    ]
    for number, gradient in told.items():
        assert gradients[number] is gradient
    assert gradients[3] is None


@pytest.mark.parametrize("most", [0, 40, 1 << 20])
def test_what_leads_to_late_sources_is_done_last(most: int) -> None:
    """The gradients are the same bits. That of the first layer is complete first, if memory allows."""
    rng = np.random.default_rng(0)
    weights = [tf.Variable(rng.normal(size=(3, 3)).astype(np.float32)) for _ in range(3)]
    bias, unused = tf.Variable(tf.ones([3])), tf.Variable(1.0)
    sources = [*weights, bias, unused, weights[1]]

    def record() -> tuple[tf.GradientTape, Any]:
        with tf.GradientTape() as tape:
            x = tf.ones([2, 3])
            for weight in weights:
                x = tf.tanh(x @ weight + bias)
            loss = tf.reduce_sum(x @ weights[1])  # used twice
        return tape, loss

    tape, loss = record()
    expected = tape.gradient(loss, sources)
    tape, loss = record()
    told: dict[int, Any] = {}
    found = core.compute_gradient(
        tape._records(), [loss], sources, [None], True, told.setdefault, (1, 2, 3), most
    )
    if most > 1000:
        assert list(told).index(0) < list(told).index(2)  # the others have more than one use
    assert set(told) >= {0, 1, 2, 3}
    for number, gradient in enumerate(expected):
        if gradient is None:
            assert found[number] is None
            continue
        np.testing.assert_array_equal(found[number], gradient)
        if number in told:
            np.testing.assert_array_equal(told[number], gradient)


def test_arrays_shared_at_a_gate() -> None:
    one, two = gates(2)
    a, b = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(two.meet, 1, b, 0, 5, 0, True)
        assert (one.meet(1, a, 0, 5, 0, True), other.result()) == (AGREED, AGREED)
    for gate in (one, two):
        np.testing.assert_array_equal(gate.total(a), a + b)
        np.testing.assert_array_equal(gate.total(a, 1, 2), (a + b)[1:])
        np.testing.assert_array_equal(gate.array_of(0, a), a)
        np.testing.assert_array_equal(gate.joined(a, [3, 2]), np.concatenate([a, b[:2]]))
    out = np.empty_like(a)
    assert one.total(a, out=out) is out
    assert one.total(a.astype(np.complex64)) is None
    large = np.ones(one.capacity // 8 + 1)
    for call in (
        lambda: one.meet(1, large, 0, 1, 0, True),
        lambda: one.meet(1, a.T, 0, 1, 0, True),
        lambda: one.total(large),
        lambda: one.total(a, out=np.empty(6)),
        lambda: one.total(a, out=np.empty((3, 2), np.float32)),
        lambda: one.joined(a, [3]),
        lambda: one.joined(a, [3, -1]),
        lambda: one.joined(a, [3, 1 << 40]),
        lambda: one.joined(np.array(1.0), [1, 1]),
    ):
        with pytest.raises(ValueError, match=r"array|rows|rank"):
            call()
    with pytest.raises(IndexError):
        one.total(a, 2, 2)
    with pytest.raises(IndexError):
        one.array_of(2, a)
    assert one.turn == 1, "nothing of this was a meeting"


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 8, 13])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_rows_are_added_as_a_tree(count: int, dtype: Any) -> None:
    rng = np.random.default_rng(count)
    parts = [(rng.normal(size=700) * 1e3).astype(dtype) for _ in range(count)]
    ranks = gates(count)
    for gate, part in zip(ranks, parts, strict=True):
        gate.meet(1, part, 0, 0.0, 0, True)
    total = added_as_tree(parts)
    np.testing.assert_array_equal(ranks[-1].total(parts[0]), total)
    for divisor in (2, 3, 8):
        expected = total if total.dtype.kind == "i" else total / total.dtype.type(divisor)
        np.testing.assert_array_equal(ranks[0].total(parts[0], divisor=divisor), expected)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_ranks_come_to_a_meeting_and_go_on(count: int) -> None:
    memory = np.zeros(count * slot_size(128), np.int8)
    ranks = [Gate(memory, rank, count, capacity=128) for rank in range(count)]
    for turn in range(5):
        for k, gate in enumerate(ranks):
            own = gate.next_buffer()[: 4 * (k + 1)].view(np.float32)
            own[...] = 10 * turn + k
            gate.arrive(3, own, 0, 1)
            assert gate.all_here() is (k == count - 1)
        for gate in ranks:
            assert gate.wait(0.0) == AGREED
            assert gate.counts() == list(range(1, count + 1))
            rows = gate.joined(np.zeros(1, np.float32), gate.counts())
            assert rows.tolist() == [10 * turn + k for k in range(count) for _ in range(k + 1)]
    if count > 1:
        ranks[0].arrive(1, np.zeros(1), 0)
        assert ranks[0].wait(0.0) == LATE
    with pytest.raises(ValueError, match="a gate of 1 ranks needs"):
        Gate(memory, 0, 1, capacity=100)


@pytest.mark.parametrize("make", [LocalGroup, lambda: ThreadGroup(Meeting(1), 0)])
def test_results_go_where_the_caller_wants_them(make: Callable[[], Any]) -> None:
    group, a = make(), np.arange(4.0)
    for call in (
        lambda out: group.all_reduce(a, out=out),
        lambda out: group.all_gather(a, out=out)[0],
        lambda out: group.reduce_scatter(a, [4], out=out),
        lambda out: group.broadcast(a, out=out),
    ):
        out = np.zeros(4)
        assert call(out) is out
        np.testing.assert_array_equal(out, a)
        for bad in (np.zeros(3), np.zeros(4, np.float32), np.zeros(8)[::2]):
            with pytest.raises(ValueError, match="The result is of float64"):
                call(bad)
    assert group.all_reduce(a, out=a) is a
