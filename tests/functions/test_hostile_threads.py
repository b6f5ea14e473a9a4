"""Threads that work beside a recording, or in it, and what recordings keep alive."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest
from tests.hostile import X, replays

import tapegrad as tf
from tapegrad.core import signatures

# Threads and lives


def in_thread(work: Any) -> Any:
    """What ``work`` gives in a thread of its own."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_threads_with_guards_and_states_of_their_own() -> None:
    @tf.function
    def f(x: Any, v: Any) -> Any:
        v.assign_add(1.0)
        return tf.tanh(x) * v if x > 0 else v - x

    wrong: list[Any] = []

    def work(sign: float) -> None:
        v = tf.Variable(0.0)
        for i in range(1, 200):
            number = np.float32(sign * i)
            found = f(tf.constant(number), v).numpy()
            wanted = np.tanh(number) * np.float32(i) if number > 0 else np.float32(i) - number
            if abs(found - wanted) > 1e-4 * abs(wanted):
                wrong.append((number, found, wanted))

    threads = [threading.Thread(target=work, args=(sign,)) for sign in (1.0, -1.0) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_draws_of_threads_never_repeat() -> None:
    tf.random.set_seed(3)
    f = tf.function(lambda: tf.random.uniform([], seed=5, dtype=tf.float64))
    f()
    drawn: list[float] = []

    def work() -> None:
        drawn.extend([float(f()) for _ in range(200)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == len(drawn) == 1600


def test_what_a_recording_keeps_alive() -> None:
    class Thing:
        scale = 2.0

    f = tf.function(lambda x, thing: x * thing.scale)
    for _ in range(3):
        thing = Thing()
        f(X[0], thing)
        gone = weakref.ref(thing)
        del thing
        gc.collect()
        assert gone() is None
    assert len(f._recordings) == 0
    large = tf.ones([1000])
    gone = weakref.ref(large)
    g = tf.function(lambda x: x * 2.0)
    g(large)
    g(large)
    del large
    gc.collect()
    assert gone() is None


@pytest.mark.slow
def test_a_hundred_thousand_replays_grow_by_nothing() -> None:
    import resource
    import tracemalloc

    v = tf.Variable([1.0, 2.0])
    inner = tf.function(lambda x: tf.nn.dropout(x, 0.5) + tf.random.normal([2], seed=3))

    @tf.function
    def f(x: Any, scale: float = 2.0) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v * x + inner(x)) ** 2.0) * scale
        v.assign_sub(1e-9 * tape.gradient(loss, v))
        if loss > 5.0:
            return {"loss": loss, "rows": tf.boolean_mask(x, x > 0)}
        return {"loss": -loss, "rows": x}

    calls = [tf.constant([1.0, 1.0]), tf.constant([-1.0, 5.0])]

    def many(count: int) -> None:
        for _ in range(count):
            for x in calls:
                f(x)

    many(2000)
    gc.collect()
    objects, resident = len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    traced = tracemalloc.get_traced_memory()[0]
    many(50_000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    assert grown < 20_000
    assert len(gc.get_objects()) - objects < 100
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 30_000
    )  # KB, of tracemalloc too
    assert replays(f) > 90_000


# Other threads


def test_tensors_that_another_thread_works_with() -> None:
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(2)
    inner = tf.function(lambda x: x * 3.0)
    for _ in range(2):
        inner(X[0])

    functions = {
        "an op": lambda x: in_thread(lambda: x * 2.0) + 1.0,
        "an op of a computed tensor": lambda x: in_thread(lambda y=x * 2.0: tf.sin(y)) + x,
        "a value": lambda x: tf.constant(in_thread(lambda: float(x) * 2.0)),
        "an array": lambda x: tf.constant(in_thread(lambda: np.sin(x.numpy()))),
        "a pool": lambda x: tf.add_n(list(pool.map(lambda k: x * k, [1.0, 2.0]))),
        "a replay": lambda x: in_thread(lambda: inner(x)),
    }
    for name, function in functions.items():
        recorded = tf.function(function)
        for x in X:
            np.testing.assert_array_equal(recorded(x), function(x), err_msg=name)
        assert "another thread" in str(recorded.explain()), name
    pool.shutdown()


def test_threads_that_have_nothing_to_do_with_a_recording() -> None:
    stop = threading.Event()
    v = tf.Variable([1.0, 2.0])

    def work() -> None:
        x = tf.constant([1.0, 2.0])
        while not stop.is_set():
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.sin(x * v) ** 2)
            tape.gradient(y, v)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            f = tf.function(lambda x: tf.tanh(x * v) + tf.reduce_sum(v))
            for x in X:
                np.testing.assert_array_equal(f(x), f.python_function(x))
            assert replays(f) == len(X) - 1, f.explain()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_replicas_get_their_arguments_and_nothing_else_of_a_recording() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def run(function: Any, *args: Any) -> Any:
        return strategy.reduce("sum", strategy.run(function, args=args), axis=None)

    by_argument = tf.function(lambda x: run(lambda v: v * 6.0, x))
    by_closure = tf.function(lambda x: (lambda y: run(lambda: y * 2.0))(x * 3.0))
    for x in X:
        assert by_argument(x) == by_closure(x) == 12.0 * x
    assert replays(by_argument) == len(X) - 1
    assert "another thread" in str(by_closure.explain())


def test_another_thread_reads_the_variables_of_a_recording() -> None:
    """The value of a variable is everybody's: who works with it beside a recording does not end that."""
    v = tf.Variable([1.0, 2.0])
    before = v.value()

    def f(x: Any) -> Any:
        y = tf.tanh(x * v)
        beside(lambda: before * 2.0 + v * 3.0 + float(v[0]))
        beside(lambda: g(v.value()))
        return y + v

    def beside(work: Any) -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    g = tf.function(lambda x: x + v)
    g(before)
    recorded = tf.function(f)
    for x in X:
        np.testing.assert_array_equal(recorded(x), f(x))
    assert replays(recorded) == len(X) - 1, recorded.explain()


def together(function: Any, count: int = 8) -> list[Any]:
    """What a function gives on several threads that call it at once."""
    barrier = threading.Barrier(count)
    found: list[Any] = []

    def work() -> None:
        barrier.wait()
        found.append(function())

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_first_calls_by_many_threads_at_once() -> None:
    variables = [tf.Variable(tf.ones([8, 8])) for _ in range(10)]
    for _ in range(4):

        @tf.function
        def f(x: Any) -> Any:
            for _ in range(3):
                for v in variables:
                    x = tf.tanh(x @ v * 0.1)
            return x

        found = together(lambda f=f: [f(tf.ones([8, 8])) for _ in range(5)])
        for each in tf.nest.flatten(found):
            np.testing.assert_array_equal(each, f.python_function(tf.ones([8, 8])))
        assert replays(f) == 39, f.explain()


def test_what_a_first_call_makes_is_made_once() -> None:
    class Layer(tf.Module):
        made = 0
        traced = 0
        v: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            self.traced += 1
            if self.v is None:
                time.sleep(0.01)  # others would come in between
                self.made += 1
                self.v = tf.Variable(2.0)
            return self.v * x

    layer = Layer()
    assert [float(y) for y in together(lambda: layer(X[2]))] == [6.0] * 8
    assert layer.made == 1
    assert layer.traced == 2  # once more without variables, as in TensorFlow


def test_a_first_call_that_waits_for_another_thread_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signatures, "LONGEST_WAIT", 0.05)

    @tf.function
    def f(x: Any, deep: bool) -> Any:
        return (
            tf.constant(in_thread(lambda: float(f(tf.constant(3.0), False)))) if deep else 2.0 * x
        )

    assert float(f(X[0], True)) == 6.0
    assert [float(f(x, False)) for x in X] == [2.0 * float(x) for x in X]


def test_a_first_call_that_fails_lets_others_in() -> None:
    count = 0

    @tf.function
    def f(x: Any) -> Any:
        nonlocal count
        count += 1
        if count <= 4:
            raise KeyError("not yet")
        return x * 2.0

    def attempt() -> Any:
        try:
            return float(f(X[2]))
        except KeyError:
            return "not yet"

    found = together(attempt)
    assert sorted(found, key=str) == [6.0] * 4 + ["not yet"] * 4
    assert count == 5
