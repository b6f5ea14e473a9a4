"""Observers: who is told of what happens on a thread, in which order, and at what price."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from counted import counted
from tapegrad import core
from tapegrad.core import Observer, Op, VariableWatcher


class Listener(Observer):
    """Writes down every op."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[Any], list[Any], tuple[Any, ...]]] = []

    def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
        self.calls.append((op.type, inputs, outputs, attributes))

    @property
    def types(self) -> list[str]:
        return [call[0] for call in self.calls]


class Reader(Observer):
    """Writes down what values are read for."""

    def __init__(self) -> None:
        self.reads: list[tuple[Any, str]] = []

    def value_read(self, tensor: Any, how: str) -> None:
        self.reads.append((tensor, how))

    @property
    def hows(self) -> list[str]:
        return [how for _, how in self.reads]


class VariableListener(Observer):
    def __init__(self) -> None:
        self.read: list[tuple[Any, Any]] = []

    def variable_read(self, variable: Any, snapshot: Any) -> None:
        self.read.append((variable, snapshot))


@pytest.fixture(autouse=True)
def nobody_is_left() -> Any:
    assert core.observers() == ()
    yield
    left = core.observers()
    for observer in left:
        observer.stop()
    assert left == ()


def test_every_op_of_a_training_step_is_told_in_order() -> None:
    w, x = tf.Variable([[1.0], [2.0]]), tf.constant([[3.0, 4.0]])
    with Listener() as listener:
        with tf.GradientTape() as tape:
            y = tf.matmul(x, w)
            loss = tf.reduce_sum(y * y, axis=1)
        forward = listener.types
        gradient = tape.gradient(loss, w)
        walked = listener.types[len(forward) :]
    assert forward == ["ReadVariableOp", "MatMul", "Mul", "Sum"]
    _, matmul, _, total = listener.calls[:4]
    assert matmul[1][0] is x
    assert matmul[1][1].numpy().tolist() == [[1.0], [2.0]]
    assert matmul[2][0] is y
    assert total[2][0] is loss
    attributes = dict(zip(core.registry["Sum"].attributes, total[3], strict=True))
    assert attributes == {"axis": 1, "keepdims": False}
    assert set(walked) >= {
        "Mul",
        "MatMul",
        "AddV2",
    }  # the rules, and the sum of the two parts of y * y
    np.testing.assert_array_equal(gradient.numpy(), [[66.0], [88.0]])


def test_rules_are_told_where_they_would_run_as_one_pass() -> None:
    x = tf.constant([1.0, 2.0])

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x)
        return tape.gradient(y, x)

    alone = step()
    with Listener() as listener:
        observed = step()
    assert listener.types[0] == "Tanh"
    assert len(listener.types) > 1
    np.testing.assert_allclose(alone.numpy(), observed.numpy(), rtol=1e-6)


def test_ops_that_no_tape_watches_are_told() -> None:
    with Listener() as listener:
        tf.add(tf.constant(1), 2)
        tf.argmax([1.0, 2.0])
        tf.split(tf.constant([1.0, 2.0]), 2)
        counted(1.0) * counted(2.0)
        core.registry["Neg"].apply([tf.constant(1.0)], ())
    assert listener.types == ["AddV2", "ArgMax", "Split", "Mul", "Neg"]
    assert len(listener.calls[2][2]) == 2


def test_no_recording_pauses_tapes_alone() -> None:
    x = tf.constant(1.0)
    with Listener() as listener, tf.GradientTape() as tape:
        tape.watch(x)
        with core.no_recording():
            y = x * 2.0
            assert not core.is_recording()
        assert core.is_recording()
    assert listener.types == ["Mul"]
    assert tape.gradient(y, x) is None


def test_value_reads_are_told_with_what_for() -> None:
    x, y = tf.constant(2.0), tf.constant([1, 2])
    with Reader() as reader:
        _ = x * 3.0 + x
        _ = x.shape, x.dtype, y.ndim, len(y)
        assert reader.reads == []
        bool(x), int(x), float(x), complex(x), x.numpy(), repr(x), str(x), f"{x:.1f}"
        assert [5, 6, 7][tf.constant(1)] == 6
        core.static_value(x, "decide")
    assert all(tensor is x for tensor, how in reader.reads if how != "index")
    assert reader.hows == [
        "bool", "int", "float", "complex", "numpy", "repr", "str", "format", "index", "decide",
    ]  # fmt: skip
    with Reader() as reader:
        np.asarray(y)
        y.__array__()
        memoryview(y).release()
        [int(each) for each in y]
        int(tf.Variable(3))
    assert set(reader.hows) == {"buffer", "array", "int"}
    assert reader.hows.count("int") == 3


def test_branch_on_a_value_is_told() -> None:
    x = tf.constant(2.0)
    with Reader() as reader:
        if x > 1.0:
            x = x * 2.0
    assert reader.hows == ["bool"]


def test_reads_of_variables_are_told() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with VariableListener() as listener, VariableWatcher() as watcher:
        y = v * w
        z = w + 1.0
    assert [
        variable is expected
        for (variable, _), expected in zip(listener.read, [v, w, w], strict=True)
    ]
    assert [snapshot.numpy() for _, snapshot in listener.read] == [2.0, 3.0, 3.0]
    assert len(watcher.variables) == 1
    assert watcher.variables[0] is v
    assert (y.numpy(), z.numpy()) == (6.0, 4.0)


def test_checks_tapes_and_watchers_together() -> None:
    v = tf.Variable(4.0)
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    try:
        assert len(core.observers()) == 1
        with Listener() as listener, VariableWatcher() as watcher, tf.GradientTape() as tape:
            y = tf.sqrt(v)
            with pytest.raises(tf.errors.InvalidArgumentError, match="Sqrt"):
                tf.sqrt(v - 5.0)
        assert tape.gradient(y, v).numpy() == 0.25
        assert listener.types[:4] == ["ReadVariableOp", "Sqrt", "ReadVariableOp", "Sub"]
        assert len(watcher.variables) == 1
        with pytest.raises(tf.errors.InvalidArgumentError), tf.GradientTape() as tape:
            tf.math.log(v * 0.0)
    finally:
        tf.debugging.disable_check_numerics()
    assert tf.sqrt(-1.0).numpy() != 0


def test_what_an_observer_raises_goes_to_the_caller_and_nothing_is_recorded() -> None:
    class Refuser(Observer):
        def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
            if op.type == "Exp":
                raise ZeroDivisionError("no exp here")

    before, after = Listener(), Listener()
    x = tf.constant(1.0)
    with before, Refuser(), after, tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
        with pytest.raises(ZeroDivisionError, match="no exp here"):
            tf.exp(y)
        z = y * 3.0
    assert before.types == ["Mul", "Exp", "Mul"]
    assert after.types == ["Mul", "Mul"]
    assert len(tape._records()) == 2
    assert tape.gradient(z, x).numpy() == 6.0


def test_value_reader_may_refuse() -> None:
    class Refuser(Observer):
        def value_read(self, tensor: Any, how: str) -> None:
            raise RuntimeError(f"a value is read for {how}")

    with Refuser(), pytest.raises(RuntimeError, match="for bool"):
        bool(tf.constant(True))


def test_observer_removed_while_others_are_told() -> None:
    later = Listener()

    class Remover(Observer):
        def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
            later.stop()
            self.stop()

    with Listener() as first:
        Remover().start()
        later.start()
        with Listener() as last:
            tf.exp(1.0)
            tf.sin(1.0)
    assert first.types == ["Exp", "Sin"]
    assert later.types == []
    assert last.types == ["Exp", "Sin"]


def test_observer_added_while_others_are_told_hears_of_the_next_op() -> None:
    added = Listener()

    class Adder(Observer):
        def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
            if not added.calls and op.type == "Exp":
                added.start()

    with Adder():
        tf.exp(1.0)
        tf.sin(1.0)
    added.stop()
    assert added.types == ["Sin"]


def test_observer_does_not_hear_what_it_does_itself() -> None:
    class Doer(Listener):
        def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
            super().observe(op, inputs, outputs, attributes)
            tf.sin(outputs[0]).numpy()

    with Doer() as doer, Listener() as listener:
        tf.exp(1.0)
    assert doer.types == ["Exp"]
    assert listener.types == ["Sin", "Exp"]


def test_nested_and_left_in_any_order() -> None:
    outer, inner = Listener(), Listener()
    outer.start()
    tf.exp(1.0)
    inner.start()
    tf.sin(1.0)
    assert core.observers() == (outer, inner)
    outer.stop()
    tf.cos(1.0)
    inner.stop()
    inner.stop()
    tf.tan(1.0)
    assert outer.types == ["Exp", "Sin"]
    assert inner.types == ["Sin", "Cos"]
    with outer:
        tf.abs(1.0)
        with pytest.raises(RuntimeError, match="started before"):
            outer.start()
    assert outer.types == ["Exp", "Sin", "Abs"]


def test_threads_have_observers_of_their_own() -> None:
    there = Listener()

    def work() -> None:
        assert core.observers() == ()
        tf.sin(1.0)
        with there:
            tf.cos(1.0)

    with Listener() as here:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        tf.exp(1.0)
    assert here.types == ["Exp"]
    assert there.types == ["Cos"]


def test_observer_that_nobody_holds_goes_on_until_it_is_stopped() -> None:
    Listener().start()
    gc.collect()
    (listener,) = core.observers()
    tf.exp(1.0)
    listener.stop()
    assert listener.types == ["Exp"]  # type: ignore[attr-defined]


def test_what_nobody_hears_is_not_told() -> None:
    silent = Observer()
    x = tf.constant([1.0, 2.0])
    with silent, tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x)
    with silent:
        tape.gradient(y, x)
        float(tf.constant(1.0))
        tf.Variable(1.0).read_value()
    with Reader() as reader:
        tf.exp(x)
    assert reader.reads == []
