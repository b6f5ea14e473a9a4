"""Memory: let go of at once, without cycles; nothing shared that is written to; nothing kept in vain."""

from __future__ import annotations

import contextlib
import gc
import sys
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core import EagerTensor
from tapegrad.engines.numpy.buffers import statistics


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """The block, with garbage only ever freed by reference counts; fails if it leaves cycles."""
    gc.collect()
    gc.disable()
    try:
        yield
        left = gc.collect()
    finally:
        gc.enable()
    assert left == 0, f"{left} objects were reachable only through cycles"


class Owner(np.ndarray[Any, Any]):
    """An array that can be watched dying: tensors hold arrays, and arrays of a subclass are arrays."""


def tensor_and_ghost(size: int = 4) -> tuple[Any, weakref.ref[Any]]:
    """A tensor, and a weak reference to the memory it holds."""
    memory = np.ndarray.__new__(Owner, size, np.float32)
    memory.fill(1.0)
    return EagerTensor(np.asarray(memory)), weakref.ref(memory)


def step() -> None:
    """One step of everything a training loop does."""
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    b = tf.Variable([0.5, 0.5])
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.matmul([[1.0, -1.0]], w) + b)
        loss = tf.reduce_mean(tf.square(hidden - 1.0))
    for v, g in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
        v.assign_sub(0.1 * g)


def second_order() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * tf.sin(x)
        first = inner.gradient(y, x)
    outer.gradient(first, x)


def persistent() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(x) * x
    tape.gradient(y, x)
    tape.jacobian(y, x)


def unused_tape() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape():
        tf.tanh(x)


def custom() -> None:
    @tf.custom_gradient
    def double(x: Any) -> Any:
        return x * 2.0, lambda dy: dy * 2.0

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = double(x)
    tape.gradient(y, x)


def slices() -> None:
    table = tf.Variable(tf.ones([5, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 2]))
    table.scatter_sub(tape.gradient(y, table))


def errors() -> None:
    with contextlib.suppress(tf.errors.InvalidArgumentError), tf.GradientTape():
        tf.Variable([1.0]) + tf.constant([1, 2])


def rounded_step() -> None:
    """A step whose tape notes what ends the gradient, and is asked for it."""
    w, x = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        hidden = tf.round(w) * x + float(tf.reduce_sum(w))
        loss = tf.reduce_sum(hidden)
    assert tape.gradient(loss, [w, x])[0] is None
    assert not tape.explain(loss, [w, x]).connected


def never_entered() -> None:
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    tape.watch(x)
    tape.gradient(x * x, x)


@pytest.mark.parametrize(
    "work",
    [
        step,
        second_order,
        persistent,
        unused_tape,
        custom,
        slices,
        errors,
        rounded_step,
        never_entered,
    ],
    ids=lambda work: work.__name__,
)
def test_no_cycles(work: Callable[[], None]) -> None:
    work()  # caches and lazy imports first
    with no_collector():
        for _ in range(3):
            work()


@pytest.mark.parametrize(
    "work",
    [step, second_order, persistent, slices, never_entered],
    ids=lambda work: work.__name__,
)
def test_blocks_of_memory_do_not_grow(work: Callable[[], None]) -> None:
    for _ in range(100):  # the caches of small arrays fill up first
        work()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        work()
    gc.collect()
    grown = sys.getallocatedblocks() - before
    assert grown < 100, f"{grown} blocks more after 200 rounds"


def test_what_explain_needs_keeps_no_tensor() -> None:
    with no_collector():
        x, ghost = tensor_and_ghost()
        w = tf.Variable(np.ones(4, np.float32))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.round(x) * w + tf.exp(w)
            tf.cast(x, tf.int32)
            x.numpy()
            w.assign(x * 2.0)
            del x
            assert ghost() is None  # the notes, of four ops and readings, hold no tensor
        hidden, hidden_ghost = tensor_and_ghost()
        with tf.GradientTape() as tape:
            tape.watch(hidden)
            y = tf.exp(w) * hidden
        unused = tf.Variable(1.0)
        del hidden
        assert hidden_ghost() is not None  # the record of the product needs it
        assert tape.gradient(y, [w, unused])[1] is None
        assert hidden_ghost() is None  # what the walk leaves for explain does not
        assert tape.explain(y, unused).reason == "not used"


def test_gradient_functions_die_during_the_walk() -> None:
    class Token:
        """What a closure holds."""

    def scaled(x: Any) -> tuple[Any, weakref.ref[Token]]:
        token = Token()

        @tf.custom_gradient
        def call(x: Any) -> Any:
            def grad(dy: Any) -> Any:
                assert token is not None
                return dy * 2.0

            return x * 2.0, grad

        return call(x), weakref.ref(token)

    w, unused = tf.Variable(1.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y, ghost = scaled(w)
    assert tape.gradient(y, [w, unused])[1] is None
    gc.collect()
    assert ghost() is None


def test_tensor_dies_with_its_last_user() -> None:
    with no_collector():
        x, ghost = tensor_and_ghost()
        assert ghost() is not None
        del x
        assert ghost() is None


def test_intermediate_dies_with_its_tape() -> None:
    with no_collector():
        x, ghost = tensor_and_ghost()
        tape = tf.GradientTape()
        with tape:
            tape.watch(x)
            y = tf.exp(x * x)
        del x
        assert y.shape == [4]
        del tape
        assert ghost() is None


def test_gradient_lets_go_of_what_the_tape_kept() -> None:
    with no_collector():
        inputs, ghost = tensor_and_ghost()
        x = tf.constant([1.0, 2.0, 3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * inputs
        del inputs
        assert ghost() is not None, "the rule of multiply needs its other input"
        assert tape.gradient(y, x).numpy().tolist() == [1.0] * 4
        assert ghost() is None


def test_tape_keeps_only_what_rules_name() -> None:
    """Sum, reshape, add and relu keep no inputs; persistent tapes no more than others."""
    for persistent_too in (False, True):
        with no_collector():
            x, ghost = tensor_and_ghost()
            with tf.GradientTape(persistent=persistent_too) as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.reshape(x, [2, 2]) + 1.0)
            del x
            assert ghost() is None
            assert y.numpy() == 8.0
            del tape


def test_nothing_is_kept_for_inputs_that_no_tape_needs() -> None:
    """The data of a layer's first matmul is kept (for the weights), the weights are not."""
    with no_collector():
        weights = tf.Variable(tf.ones([4, 4]))
        data = tf.ones([2, 4])
        kernel, ghost = tensor_and_ghost(16)
        kernel = tf.reshape(kernel, [4, 4])
        with tf.GradientTape() as tape:
            y = tf.matmul(tf.matmul(data, kernel), weights)
        del kernel
        assert ghost() is None
        assert tape.gradient(y, weights).shape == [4, 4]


def test_no_tape_keeps_nothing() -> None:
    with no_collector():
        x, ghost = tensor_and_ghost()
        v = tf.Variable([1.0] * 4)
        y = v * x
        del x
        assert ghost() is None
        assert y.shape == [4]


def test_reset_lets_go() -> None:
    with no_collector():
        x, ghost = tensor_and_ghost()
        with tf.GradientTape() as tape:
            tape.watch(x)
            tf.exp(x * x)
            del x
            assert ghost() is not None
            tape.reset()
            assert ghost() is None


def test_variable_lets_go_of_old_values() -> None:
    with no_collector():
        x, ghost = tensor_and_ghost()
        v = tf.Variable([0.0] * 4)
        v.assign(x)
        del x
        v.assign([1.0] * 4)
        assert ghost() is None


# What others hold


def _blocks(x: Any) -> Any:
    return tf.reduce_sum(tf.exp(x * 2.0 + 1.0) * 0.5) + tf.sin(x * 3.0)


def _products(x: Any) -> Any:
    return x + tf.reshape(tf.matmul(tf.ones([x.shape[0] // 10, 3]), tf.ones([3, 10])), [-1])


def _gradients(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x) * x + x
    return tape.gradient(y, x, output_gradients=x)


def _seeds(x: Any) -> Any:
    """A gradient that comes as an argument gets another one added to it."""
    y = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = y * tf.ones(x.shape)
        w = z * 2.0 + z
    return tape.gradient([z, w], [y, z], output_gradients=[x, x])


def _assignments(x: Any) -> Any:
    variable = tf.Variable(tf.zeros(x.shape))
    variable.assign(x)
    variable.assign_add(tf.ones(x.shape))
    return variable.assign_sub(x)


@pytest.mark.parametrize("size", [20, 100_000])
@pytest.mark.parametrize(
    ("call", "recorded"),
    [(call, True) for call in (_blocks, _products, _gradients)]
    + [(call, False) for call in (_blocks, _products, _gradients, _seeds, _assignments)],
)
def test_what_a_name_holds_is_not_written_to(
    call: Callable[[Any], Any], recorded: bool, size: int
) -> None:
    """On Python 3.14 and later a call borrows the reference of the name; before it has one of its own."""
    call = tf.function(call) if recorded else call
    x = tf.linspace(0.0, 1.0, size)
    before = np.array(x)
    for _ in range(4):
        call(x)
        np.testing.assert_array_equal(x, before)


# Copy on write


def test_assign_add_writes_in_place_when_nobody_looks() -> None:
    v = tf.Variable(tf.zeros([100_000]))
    v.assign_add(tf.ones([100_000]))
    before = np.asarray(v.read_value()).__array_interface__["data"][0]
    v.assign_add(tf.ones([100_000]))
    after = np.asarray(v.read_value()).__array_interface__["data"][0]
    assert before == after
    assert v.numpy()[0] == 2.0


@pytest.mark.parametrize(
    "look",
    [
        lambda v: v.read_value(),
        lambda v: v.value(),
        lambda v: tf.convert_to_tensor(v),
        lambda v: tf.identity(v),
        lambda v: np.asarray(v.read_value()),
        lambda v: np.asarray(v),
        lambda v: v.read_value()[1:3],
        lambda v: tf.reshape(v, [2, 2]),
        lambda v: tf.transpose(tf.reshape(v, [2, 2])),
        lambda v: tf.Variable(v),
        lambda v: v.numpy(),
        lambda v: memoryview(np.asarray(v.read_value())),
        lambda v: tf.squeeze(tf.expand_dims(v, 0)),
        lambda v: tf.stop_gradient(v),
        lambda v: tf.split(v, 2)[0],
        lambda v: tf.unstack(tf.reshape(v, [2, 2]))[1],
        lambda v: tf.broadcast_to(v, [2, 4]),
    ],
)
def test_what_was_read_never_changes(look: Callable[[Any], Any]) -> None:
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    seen = look(v)
    copy = np.array(seen)
    v.assign_add([10.0] * 4)
    v.assign_sub([1.0] * 4)
    v.scatter_add(tf.IndexedSlices(tf.constant([5.0]), tf.constant([0])))
    v[2].assign(99.0)
    v.assign([0.0] * 4)
    v.assign_add([3.0] * 4)
    np.testing.assert_array_equal(np.array(seen), copy)


@pytest.mark.parametrize("size", [12, 1000, 20_000, 300_000])
def test_what_was_read_of_a_large_variable_never_changes(size: int) -> None:
    """Large buffers come from a pool: what still looks at one must keep it out of the pool."""
    looks = (
        lambda v: v.read_value()[1:3],
        lambda v: np.asarray(v)[::2],
        lambda v: tf.reshape(v, [2, -1]),
        lambda v: tf.split(v, 2)[1],
        lambda v: tf.Variable(v[2:]),
        lambda v: np.from_dlpack(v.read_value())[1:5],
    )
    for look in looks:
        v = tf.Variable(tf.range(float(size)))
        v.assign_add(tf.ones([size]))
        seen = look(v)
        copy = np.array(seen)
        v.assign_add(tf.ones([size]))
        v[2].assign(99.0)
        v[1:4].assign([7.0, 8.0, 9.0])
        assert v.numpy()[:5].tolist() == [2.0, 7.0, 8.0, 9.0, 6.0]
        v.assign(tf.zeros([size]))
        junk = [tf.fill([size], 5.0) for _ in range(4)]
        np.testing.assert_array_equal(np.array(seen), copy)
        del junk


def test_views_held_by_numpy_keep_their_values() -> None:
    v = tf.Variable(tf.zeros([4]))
    view = np.asarray(v.read_value())[::2]
    v.assign_add(tf.ones([4]))
    assert view.tolist() == [0.0, 0.0]


def test_tape_keeps_the_value_that_was_read() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = v * v
        v.assign_add([10.0, 10.0, 10.0])
        z = v * v
        v.assign_add([100.0, 100.0, 100.0])
    assert tape.gradient([y, z], v).numpy().tolist() == [24.0, 28.0, 32.0]


def test_variables_that_share_a_value_part_when_one_changes() -> None:
    a = tf.Variable([1.0, 2.0])
    b = tf.Variable([0.0, 0.0])
    b.assign(a)
    a.assign_add([1.0, 1.0])
    assert b.numpy().tolist() == [1.0, 2.0]
    b.assign_add([5.0, 5.0])
    assert a.numpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize("subtract", [False, True])
def test_a_value_that_is_held_is_added_to_in_the_pool(subtract: bool) -> None:
    """Memory that was freed before serves for the new value: a first call holds the former ones."""
    v = tf.Variable(tf.ones([1 << 16]))
    held = v.value()
    before = statistics()["in_use"]
    (v.assign_sub if subtract else v.assign_add)(tf.ones([1 << 16]))
    assert statistics()["in_use"] - before >= 1 << 18  # the block may be a larger one
    assert (held.numpy() == 1).all()
    assert (v.numpy() == (0 if subtract else 2)).all()


def test_variable_added_to_itself() -> None:
    v = tf.Variable([1.0, 2.0])
    v.assign_add(v)
    assert v.numpy().tolist() == [2.0, 4.0]
    v.assign_sub(v)
    assert v.numpy().tolist() == [0.0, 0.0]
    w = tf.Variable([1.0, 2.0, 3.0])
    w.assign(tf.reverse(w, [0]))
    assert w.numpy().tolist() == [3.0, 2.0, 1.0]
    w[1:].assign(w[:-1])
    assert w.numpy().tolist() == [3.0, 3.0, 2.0]


def test_gradients_are_not_shared_with_results() -> None:
    """Adding up gradients in place must not touch what a user holds, or one seed twice."""
    x = tf.constant([1.0, 2.0])
    seed = tf.constant([1.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x + x + x
        z = tf.identity(x) + tf.reshape(x, [2])
    for _ in range(2):
        found = tape.gradient([y, z, x], [x, y], output_gradients=[seed, seed, seed])
        assert [g.numpy().tolist() for g in found] == [[6.0, 6.0], [1.0, 1.0]]
    assert seed.numpy().tolist() == [1.0, 1.0]
    first, second = tape.gradient(y, [x, x])
    variable = tf.Variable([0.0, 0.0])
    variable.assign(first)
    variable.assign_add(first)
    assert second.numpy().tolist() == [3.0, 3.0]


def test_inputs_are_never_written_to() -> None:
    x = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    before = x.numpy()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + tf.nn.softmax(x) + tf.cumsum(x) + tf.sort(x) + tf.nn.relu(x) + tf.reverse(x, [1])
    tape.gradient(y, x)
    np.testing.assert_array_equal(x.numpy(), before)


def test_repeat_has_no_index_for_each_element():
    x = tf.ones([1000, 100])
    with tf.GradientTape() as tape:
        tape.watch(x)
        tracemalloc.start()
        y = tf.repeat(x, 10, axis=1)
        _, most = tracemalloc.get_traced_memory()
        z = tf.repeat(y, 3)
        _, most_of_all = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 100_000
    assert most_of_all < 1_000_000
    np.testing.assert_array_equal(tape.gradient(z, x), np.full([1000, 100], 30.0))
