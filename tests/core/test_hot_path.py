"""Nothing creeps onto the hot paths: calls of Python functions, objects kept, memory held. Counts, not
times.

Each number in the tables is exact. Whoever changes one writes the new one down, and says why it is larger.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.engines.numpy import buffers

X = tf.constant([1.0, 2.0, 3.0])
Y = tf.constant([3.0, 4.0, 5.0])
MATRIX = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
PICTURES = tf.constant(1.0, shape=(1, 4, 4, 1))
FILTERS = tf.constant(1.0, shape=(2, 2, 1, 1))
LABELS = tf.constant([0, 1, 2])
IDS = tf.constant([0, 2])
PLACES = tf.constant([[2], [0], [1]])
V = tf.Variable([1.0, 2.0, 3.0])
WEIGHTS = tf.Variable(MATRIX)


def python_calls(function: Callable[[], Any]) -> list[str]:
    """Our functions written in Python that are entered while ``function`` runs.

    Comprehensions are functions in some versions of Python alone, and so are not counted.
    """
    function()
    function()  # warm: what is looked up once is not the hot path
    entered: list[str] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
            if module.startswith("tapegrad") and not re.fullmatch("<(list|set|dict|gen).*>", name):
                entered.append(f"{module}.{name}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return entered


# What an op costs on the way forward, with no tape. Where it is 0, nothing but compiled code runs between
# the operator and the inner loop.
FORWARD: dict[str, tuple[int, Callable[[], Any]]] = {
    "x + y": (0, lambda: X + Y),
    "x - y": (0, lambda: X - Y),
    "x * y": (0, lambda: X * Y),
    "x / y": (0, lambda: X / Y),
    "x ** 2": (0, lambda: X**2),
    "-x": (0, lambda: -X),
    "x < y": (0, lambda: X < Y),
    "x * 2.0": (0, lambda: X * 2.0),
    "2.0 * x": (0, lambda: 2.0 * X),
    "matrix + x": (0, lambda: MATRIX + X),
    "variable * x": (0, lambda: V * X),
    "x * variable": (0, lambda: X * V),
    "variable * variable": (0, lambda: V * V),
    "variable * 2.0": (0, lambda: V * 2.0),
    "add": (0, lambda: tf.add(X, Y)),
    "maximum": (0, lambda: tf.maximum(X, Y)),
    "square": (0, lambda: tf.square(X)),
    "tanh": (0, lambda: tf.tanh(X)),
    "exp": (0, lambda: tf.exp(X)),
    "sigmoid": (0, lambda: tf.sigmoid(X)),
    "relu": (0, lambda: tf.nn.relu(X)),
    "gelu": (1, lambda: tf.nn.gelu(X)),
    "abs": (1, lambda: abs(X)),
    "a @ b": (1, lambda: MATRIX @ MATRIX),
    "a @ variable": (1, lambda: MATRIX @ WEIGHTS),
    "reduce_sum": (0, lambda: tf.reduce_sum(X)),
    "reduce_mean": (0, lambda: tf.reduce_mean(X)),
    "x[1:]": (1, lambda: X[1:]),
    "variable[1:]": (3, lambda: V[1:]),
    "reshape": (0, lambda: tf.reshape(MATRIX, (9,))),
    "transpose": (1, lambda: tf.transpose(MATRIX)),
    "cast": (2, lambda: tf.cast(X, tf.float64)),
    "concat": (1, lambda: tf.concat([X, Y], 0)),
    "split": (2, lambda: tf.split(MATRIX, 3, axis=1)),
    "stack": (1, lambda: tf.stack([X, Y])),
    "gather": (1, lambda: tf.gather(X, IDS)),
    "where": (2, lambda: tf.where(X < Y, X, Y)),
    "softmax": (1, lambda: tf.nn.softmax(MATRIX)),
    "cross entropy": (
        1,
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=LABELS, logits=MATRIX),
    ),
    "moments": (4, lambda: tf.nn.moments(MATRIX, [1])),
    "conv2d": (5, lambda: tf.nn.conv2d(PICTURES, FILTERS, 1, "SAME")),
    "resize": (4, lambda: tf.image.resize(PICTURES, [2, 2])),
    "scatter": (1, lambda: tf.tensor_scatter_nd_update(X, PLACES, Y)),
    "sqrt by keyword": (0, lambda: tf.sqrt(x=X)),
    "max_pool2d": (7, lambda: tf.nn.max_pool2d(PICTURES, 2, 2, "VALID")),
    "constant": (5, lambda: tf.constant(1.0)),
    "zeros_like": (1, lambda: tf.zeros_like(X)),
    "assign": (3, lambda: V.assign(X)),
    "assign_sub": (1, lambda: V.assign_sub(X)),
    "assign_sub of a product": (1, lambda: V.assign_sub(0.1 * X)),
}


@pytest.mark.parametrize("name", FORWARD)
def test_calls_of_an_op(name: str) -> None:
    count, function = FORWARD[name]
    entered = python_calls(function)
    assert len(entered) == count, entered


def gradient_of(function: Callable[[Any], Any], times: int) -> Callable[[], Any]:
    """The gradient of a chain of that many applications."""

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X
            for _ in range(times):
                y = function(y)
        return tape.gradient(y, X)

    return step


def test_calls_of_a_tape_and_its_gradient() -> None:
    # What a step pays once, however long the chain is.
    entered = python_calls(gradient_of(lambda y: y * Y, 1))
    assert len(entered) == 3, entered


# What one more op in a chain adds, forward and back together: its rule or rules, and what they call.
CHAIN: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "y * constant": (0, lambda y: y * Y),
    "y * x": (0, lambda y: y * X),
    "y * 2.0": (0, lambda y: y * 2.0),
    "y + x": (0, lambda y: y + X),
    "y - x": (0, lambda y: y - X),
    "y / x": (0, lambda y: y / X),
    "y ** 2": (0, lambda y: y**2),
    "tanh": (0, tf.tanh),
    "exp": (0, tf.exp),
    "square": (0, tf.square),
    "relu": (0, tf.nn.relu),
    "sigmoid": (0, tf.sigmoid),
    "reshape": (4, lambda y: tf.reshape(y, (1, 3) if len(y.shape) == 1 else (3,))),
    "y * sum": (2, lambda y: y * tf.reduce_sum(y)),
    "matmul": (4, lambda y: tf.reshape(tf.reshape(y, (1, 3)) @ MATRIX, (3,))),
    "slices": (9, lambda y: tf.concat([y[1:], y[:1]], 0)),
}
TWICE = 12  # an even number, for the op that goes to and fro


@pytest.mark.parametrize("name", CHAIN)
def test_calls_of_one_more_op_in_a_chain(name: str) -> None:
    count, function = CHAIN[name]
    few = python_calls(gradient_of(function, 2))
    many = python_calls(gradient_of(function, 2 + TWICE))
    assert (len(many) - len(few)) / TWICE == count, few


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_objects_kept_by_a_recorded_multiplication(no_collector: None) -> None:
    """Of Python's own allocator: the result's array and tensor, and the record with what it saves."""

    def blocks(count: int) -> int:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X
            before = sys.getallocatedblocks()
            for _ in range(count):
                y = y * Y
            kept = sys.getallocatedblocks() - before
        tape.gradient(y, X)
        return kept

    blocks(1000)
    # Two and a part: free lists give some of them, and so many are counted that it matters little.
    assert (blocks(30_000) - blocks(10_000)) / 20_000 <= 2.5


def test_objects_are_all_let_go_of(no_collector: None) -> None:
    step = gradient_of(lambda y: tf.tanh(y * Y + 1.0), 20)
    for _ in range(3):
        step()
    before = sys.getallocatedblocks()
    for _ in range(50):
        step()
    assert abs(sys.getallocatedblocks() - before) < 50


SIZE = 2**18
ARRAY = 4 * SIZE


def arrays_held() -> float:
    """Large float32 arrays of ``SIZE`` numbers that the pool has lent."""
    return buffers.statistics()["in_use"] / ARRAY


# Arrays on loan between the forward computation and its gradient: the results that rules asked for.
HELD: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "tanh": (1, tf.tanh),
    "relu": (1, tf.nn.relu),
    "x + 1": (0, lambda x: x + 1.0),
    "tanh(2x + 1) * exp(-x ** 2)": (2, lambda x: tf.tanh(2.0 * x + 1.0) * tf.exp(-(x**2))),
    "three relus of sums": (3, lambda x: tf.nn.relu(tf.nn.relu(tf.nn.relu(x + 1.0) + 1.0) + 1.0)),
}


@pytest.mark.parametrize("name", HELD)
def test_arrays_held_for_a_gradient(name: str) -> None:
    count, function = HELD[name]
    x = tf.constant(0.5, shape=(SIZE,))
    gc.collect()
    buffers.release_idle()  # a block of two arrays would be lent as one
    before = arrays_held()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(function(x))
    held = arrays_held() - before
    gradient = tape.gradient(y, x)
    assert held == count
    # Nothing stays but the gradient, and that only where it is not one number stretched.
    assert arrays_held() - before <= 1
    del gradient
    assert arrays_held() == before
