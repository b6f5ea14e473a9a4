"""Whole programs, drawn at random: graphs of ops that share, broadcast and branch.

The tape's gradient of each must equal finite differences, and the gradient of the same program in
which every intermediate value went through a variable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tapegrad as tf
from tapegrad import testing

# Every op keeps values within a few units, so that a dozen of them in a row stay smooth and tame.
_UNARY = {
    "tanh": tf.tanh,
    "sin": tf.sin,
    "sigmoid": tf.sigmoid,
    "softplus of half": lambda x: tf.nn.softplus(0.5 * x),
    "negative": lambda x: -x,
    "half": lambda x: x / 2.0,
    "square of tanh": lambda x: tf.square(tf.tanh(x)),
    "exp of minus square": lambda x: tf.exp(-x * x),
    "root": lambda x: tf.sqrt(1.0 + x * x),
    "log": lambda x: tf.math.log(1.0 + x * x),
    "transpose": tf.transpose,
    "sum of rows": lambda x: tf.reduce_sum(x, axis=0, keepdims=True) if _rank(x) else x,
    "mean of columns": lambda x: tf.reduce_mean(x, axis=-1, keepdims=True) if _rank(x) else x,
    "softmax": lambda x: tf.nn.softmax(x) if _rank(x) else x,
    "logsumexp": lambda x: tf.reduce_logsumexp(x, axis=-1, keepdims=True) if _rank(x) else x,
    "cumsum": lambda x: tf.cumsum(x, axis=-1) * 0.5 if _rank(x) else x,
    "reverse": lambda x: x[::-1] if _rank(x) else x,
    "flatten and back": lambda x: tf.reshape(tf.reshape(x, [-1]), x.shape),
    "first": lambda x: x[..., :1] if _rank(x) else x,
    "twice": lambda x: tf.concat([x, 0.5 * x], -1)[..., : x.shape[-1]] if _rank(x) else x,
    "gather": lambda x: tf.gather(x, [0, 0], axis=0) * 0.5 if _rank(x) else x,
    "gather rows by index": lambda x: tf.gather(x, [x.shape[0] - 1, 0]) if _rank(x) else x,
    "gather_nd": lambda x: tf.gather_nd(x, [[0], [0]]) * 0.5 if _rank(x) else x,
    "scattered": lambda x: tf.tensor_scatter_nd_add(x, [[0]], x[:1] * 0.5) if _rank(x) else x,
    "pad and crop": lambda x: tf.pad(x, [[1, 0]] * _rank(x))[..., : x.shape[-1]] if _rank(x) else x,
    "product": lambda x: tf.reduce_prod(tf.tanh(x), -1, keepdims=True) if _rank(x) else tf.tanh(x),
    "variance": lambda x: tf.math.reduce_variance(x, -1, keepdims=True) if _rank(x) else x,
    "roll": lambda x: tf.roll(x, 1, 0) * x if _rank(x) else x,
    "tile": lambda x: tf.tile(x, [2] + [1] * (_rank(x) - 1))[: x.shape[0]] if _rank(x) else x,
    "einsum": lambda x: tf.tanh(tf.einsum("...i,...j->...i", x, x)) if _rank(x) else x,
    "stop one of two": lambda x: x * tf.tanh(tf.stop_gradient(x) * 0.0 + 1.0),
}
_BINARY = {
    "add": lambda x, y: (x + y) / 2.0,
    "subtract": lambda x, y: (x - y) / 2.0,
    "multiply": lambda x, y: tf.tanh(x) * y,
    "divide": lambda x, y: x / (2.0 + tf.sin(y)),
    "power": lambda x, y: tf.pow(1.5 + tf.tanh(x) / 2.0, tf.tanh(y)),
    "atan2": lambda x, y: tf.atan2(x, 2.0 + tf.square(y)),
    "squared difference": lambda x, y: tf.tanh(tf.math.squared_difference(x, y)),
    "matmul": lambda x, y: tf.tanh(tf.matmul(x, y)) if _fit(x, y) else x + y,
    "joined": lambda x, y: tf.concat([x, y], 0)[: x.shape[0]] * 0.5 + y if _same(x, y) else x + y,
    "stacked": lambda x, y: tf.reduce_mean(tf.stack([x, y * y]), 0) if _same(x, y) else x - y,
    "chosen by sign": lambda x, y: tf.where(tf.stop_gradient(y) > 0.0, tf.sin(x), y * 0.5),
    "hypot": lambda x, y: tf.sqrt(1.0 + x * x + y * y),
    "select": lambda x, y: tf.where(tf.stop_gradient(x) * 0.0 < 1.0, x, y) + 0.1 * y,
}


def _rank(x: Any) -> int:
    return len(x.shape)


def _same(x: Any, y: Any) -> bool:
    return _rank(x) > 0 and tuple(x.shape) == tuple(y.shape)


def _fit(x: Any, y: Any) -> bool:
    return _rank(x) == _rank(y) == 2 and x.shape[1] == y.shape[0]


_SHAPES = [(), (3,), (1,), (2, 3), (2, 1), (1, 3), (3, 3), (2, 1, 3)]

_STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(_UNARY)), st.integers(0, 30)),
        st.tuples(st.sampled_from(sorted(_BINARY)), st.integers(0, 30), st.integers(0, 30)),
    ),
    min_size=1,
    max_size=12,
)
_INPUTS = st.lists(st.sampled_from(_SHAPES), min_size=1, max_size=3)


def _broadcasts(x: Any, y: Any) -> bool:
    try:
        shape = np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return False
    return int(np.prod(shape)) <= 64


def run(steps: Any, inputs: tuple[Any, ...], each: Any = lambda x: x) -> Any:
    """The program's result: the sum of all values that nothing else used, and of the last one."""
    values = list(inputs)
    used: set[int] = set()
    for name, *places in steps:
        places = [place % len(values) for place in places]
        operands = [values[place] for place in places]
        fits = name == "matmul" and _fit(*operands)
        if len(operands) == 2 and not fits and not _broadcasts(*operands):
            continue
        made = (_UNARY if len(operands) == 1 else _BINARY)[name](*operands)
        used.update(places)
        values.append(each(made))
    return sum(tf.reduce_sum(value) for place, value in enumerate(values) if place not in used)


def draw(shapes: list[tuple[int, ...]], seed: int) -> list[Any]:
    generator = np.random.default_rng(seed)
    return [generator.uniform(-1.5, 1.5, shape) for shape in shapes]


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_gradient_of_programs(steps: Any, shapes: Any, seed: int) -> None:
    arrays = draw(shapes, seed)
    testing.check_gradient(lambda *xs: run(steps, xs), *arrays, directions=1)


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_second_order_of_programs(steps: Any, shapes: Any, seed: int) -> None:
    arrays = draw(shapes, seed)
    # A variable factor makes the first gradient depend on the inputs even in linear programs.
    testing.check_gradient(
        lambda *xs: tf.sin(run(steps, xs)), *arrays, directions=1, order=2, rtol=1e-5, atol=1e-5
    )


def _gradients(steps: Any, tensors: list[Any], each: Any = lambda x: x) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = run(steps, tuple(tensors), each)
    found = tape.gradient(y, tensors, unconnected_gradients="zero")
    return [tf.convert_to_tensor(part) for part in found]  # gather gives slices


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_same_whether_nested_or_persistent(steps: Any, shapes: Any, seed: int) -> None:
    tensors = [tf.constant(array) for array in draw(shapes, seed)]
    plain = _gradients(steps, tensors)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(tensors)
        nested = _gradients(steps, tensors)
        y = run(steps, tuple(tensors))
    again = outer.gradient(y, tensors, unconnected_gradients="zero")
    for a, b, c in zip(plain, nested, map(tf.convert_to_tensor, again), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
        np.testing.assert_array_equal(a.numpy(), c.numpy())


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_same_through_variables(steps: Any, shapes: Any, seed: int) -> None:
    """Inputs as variables, and every intermediate passed on by identity, change nothing."""
    arrays = draw(shapes, seed)
    plain = _gradients(steps, [tf.constant(array) for array in arrays])
    variables = [tf.Variable(array) for array in arrays]
    through = _gradients(steps, variables, tf.identity)
    for a, b in zip(plain, through, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12)


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_gradient_by_every_intermediate(steps: Any, shapes: Any, seed: int) -> None:
    """Chain rule: nudging an intermediate by its own gradient is what its gradient says."""
    tensors = [tf.constant(array) for array in draw(shapes, seed)]
    made: list[Any] = []

    def note(x: Any) -> Any:
        made.append(x)
        return x

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        y = run(steps, tuple(tensors), note)
    for value, found in zip(made, tape.gradient(y, made), strict=True):
        assert found is None or found.shape == value.shape
    together = tape.gradient(y, [*tensors, *made])
    alone = [tape.gradient(y, source) for source in [*tensors, *made]]
    for a, b in zip(together, alone, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
            np.testing.assert_array_equal(a.numpy(), b.numpy())


@tf.custom_gradient
def _custom_identity(x: Any) -> Any:
    return tf.identity(x), lambda dy: dy


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_same_through_custom_identities(steps: Any, shapes: Any, seed: int) -> None:
    tensors = [tf.constant(array) for array in draw(shapes, seed)]
    plain, through = _gradients(steps, tensors), _gradients(steps, tensors, _custom_identity)
    for a, b in zip(plain, through, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12)


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_same_when_every_intermediate_is_a_variable(steps: Any, shapes: Any, seed: int) -> None:
    """Each value is assigned to a variable and read back, which cuts the tape; the gradients by the
    variables, chained by hand, are the program's.
    """
    tensors = [tf.constant(array) for array in draw(shapes, seed)]
    plain = _gradients(steps, tensors)
    held: list[Any] = []
    made: list[Any] = []

    def hold(value: Any) -> Any:
        variable = tf.Variable(tf.zeros_like(value))
        variable.assign(value)
        made.append(value)
        held.append(variable)
        return variable.read_value()

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        y = run(steps, tuple(tensors), hold)
    totals = [np.zeros(x.shape) for x in tensors]

    def add(dys: list[Any]) -> None:
        for total, dy in zip(totals, dys, strict=True):
            total += 0.0 if dy is None else tf.convert_to_tensor(dy).numpy()

    by_held = [np.zeros(v.shape) for v in held]
    direct = tape.gradient(y, held)
    add(tape.gradient(y, tensors))
    for place, dy in enumerate(direct):
        by_held[place] += 0.0 if dy is None else tf.convert_to_tensor(dy).numpy()
    for place in reversed(range(len(held))):
        seed_ = tf.constant(by_held[place])
        add(tape.gradient(made[place], tensors, output_gradients=seed_))
        earlier = tape.gradient(made[place], held[:place], output_gradients=seed_)
        for before, dy in enumerate(earlier):
            by_held[before] += 0.0 if dy is None else tf.convert_to_tensor(dy).numpy()
    for a, b in zip(plain, totals, strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-10, atol=1e-12)


@given(steps=_STEPS, shapes=_INPUTS, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_gradients_have_the_form_of_their_sources(steps: Any, shapes: Any, seed: int) -> None:
    for dtype in (tf.float32, tf.float64):
        tensors = [tf.constant(array, dtype) for array in draw(shapes, seed)]
        for source, found in zip(tensors, _gradients(steps, tensors), strict=True):
            assert (found.dtype, found.shape) == (source.dtype, source.shape)
