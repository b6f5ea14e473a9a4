"""`ForwardAccumulator`: what it follows, how it nests, what it lets go, and what it refuses."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden import record_forward
from tapegrad import core, testing

Accumulator = tf.autodiff.ForwardAccumulator


def _f64(*numbers: float) -> Any:
    return tf.constant(numbers[0] if len(numbers) == 1 else numbers, tf.float64)


ONE = _f64(1.0)


# --- Nesting ---------------------------------------------------------------------------------------------


def _by_forward(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def derivative(x: Any) -> Any:
        with Accumulator(x, tf.ones_like(x)) as acc:
            y = function(x)
        return acc.jvp(y, "zero")

    return derivative


def _by_reverse(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def derivative(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return derivative


_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], float]] = {
    # a function of a number, and its fourth derivative at 0.7
    "tanh": (tf.tanh, 2.7749834227807835),
    "exp": (lambda x: tf.exp(2.0 * x), 16 * np.exp(1.4)),
    "a power": (lambda x: x**5.0, 120 * 0.7),
    "one tensor twice": (lambda x: tf.sin(x) * x, np.sin(0.7) * 0.7 - 4 * np.cos(0.7)),
    "a product of matrices": (lambda x: tf.matmul([[x, 1.0]], [[x * x], [x**4.0]])[0, 0], 24.0),
    "a loop": (lambda x: tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * x), (0, ONE))[1], 84.0),
    "a branch": (lambda x: tf.cond(x > 0.0, lambda: x**4.0, lambda: x), 24.0),
    "a list": (lambda x: tf.reduce_sum(tf.stack([x, x, x * x]) ** 2.0), 24.0),
    "a slice": (lambda x: tf.stack([x, x**4.0])[1], 24.0),
    "a gather": (lambda x: tf.reduce_sum(tf.gather([x, x**4.0], [1, 0, 1])), 48.0),
    "softmax": (lambda x: tf.math.log(tf.nn.softmax([x, -x]))[0], None),  # type: ignore[dict-item]
    "recompute_grad": (tf.recompute_grad(lambda x: tf.sin(x) * x), np.sin(0.7) * 0.7 - 4 * np.cos(0.7)),
    "tf.function": (tf.function(lambda x: tf.sin(x) * x), np.sin(0.7) * 0.7 - 4 * np.cos(0.7)),
}  # fmt: skip


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_order_four_in_every_nesting(name: str) -> None:
    function, expected = _FUNCTIONS[name]
    found = {}
    for ways in np.ndindex(2, 2, 2, 2):
        derivative = function
        for way in ways:
            derivative = (_by_forward, _by_reverse)[way](derivative)
        found[ways] = float(derivative(_f64(0.7)))
    expected = found[1, 1, 1, 1] if expected is None else expected
    for ways, number in found.items():
        assert number == pytest.approx(expected, rel=1e-9, abs=1e-9), ways


def test_each_sees_what_those_inside_compute() -> None:
    x = _f64(0.7)
    with Accumulator(x, ONE) as outer, Accumulator(x, ONE) as inner:
        y = tf.sin(x)
    first = inner.jvp(y)
    assert float(outer.jvp(y)) == float(first)
    assert float(outer.jvp(first)) == pytest.approx(-np.sin(0.7), rel=1e-12)
    assert inner.jvp(outer.jvp(y)) is None  # the outer's work is not inside the inner's block
    assert inner.jvp(first) is None  # nor is its own


def test_tape_inside_does_not_record_tangents() -> None:
    x = _f64(0.7)
    with Accumulator(x, ONE) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(tf.exp(x))
        with tf.GradientTape() as alone:
            alone.watch(x)
        assert len(tape._tape) == 2  # type: ignore[arg-type]
        gradient = tape.gradient(y, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert tape.gradient(acc.jvp(y), x) is None
    e = np.exp(0.7)
    assert float(acc.jvp(gradient)) == pytest.approx(e * np.cos(e) - e * e * np.sin(e), rel=1e-12)


def test_tangents_of_tangents_are_kept_apart() -> None:
    """d/dx (x * d/dy (x * y)): the two derivatives are by different variables."""
    x, y = _f64(2.0), _f64(3.0)
    with Accumulator(x, ONE) as outer:
        with Accumulator(y, ONE) as inner:
            z = x * y
        product = x * inner.jvp(z)
    assert float(outer.jvp(product)) == 4.0


def test_hessian_vector_product_four_ways() -> None:
    x, v = _f64(0.3, -0.2, 0.9), _f64(1.0, 2.0, -1.0)

    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x) ** 3.0) * tf.reduce_prod(x)

    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = loss(x)
        gradient = inner.gradient(y, x)
        slope = tf.reduce_sum(gradient * v)
        with Accumulator(x, v) as acc:
            y = loss(x)
        forward = acc.jvp(y)
    expected = outer.gradient(slope, x)
    testing.assert_close(outer.gradient(forward, x), expected, rtol=1e-12)
    with Accumulator(x, v) as acc:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = loss(x)
        gradient = inner.gradient(y, x)
    testing.assert_close(acc.jvp(gradient), expected, rtol=1e-12)


def test_derivative_by_the_tangent() -> None:
    """A tape outside knows that tangents depend on the tangent that was given."""
    x, v = _f64(2.0), _f64(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, v])
        with Accumulator(x, v) as acc:
            y = x * x * x
        tangent = acc.jvp(y)
    by_x, by_v = tape.gradient(tangent, [x, v])
    assert (float(by_x), float(by_v)) == (6 * 2.0 * 3.0, 3 * 2.0**2)


# --- What is followed ------------------------------------------------------------------------------------


def test_nests_and_several_primals() -> None:
    x, y = _f64(2.0), tf.Variable(_f64(3.0))
    primals = {"a": x, "b": [y]}
    with Accumulator(primals, {"a": _f64(10.0), "b": [_f64(1.0)]}) as acc:
        z = {"product": x * y, "other": tf.constant(1.0), "both": (x, y)}
    found = acc.jvp(z)
    assert float(found["product"]) == 10.0 * 3.0 + 2.0
    assert found["other"] is None
    assert [float(each) for each in found["both"]] == [10.0, 1.0]
    assert float(acc.jvp(z, tf.UnconnectedGradients.ZERO)["other"]) == 0.0


def test_variables_keep_their_tangent() -> None:
    v = tf.Variable([1.0, 2.0])
    with Accumulator(v, tf.constant([1.0, 0.5])) as acc:
        before = v * v
        v.assign(v * 3.0)
        after = v * v
        v.assign_add([1.0, 1.0])
        copied, later = v.read_value(), v * v
    assert acc.jvp(before).numpy().tolist() == [2.0, 2.0]
    assert acc.jvp(after).numpy().tolist() == [6.0, 6.0]
    assert acc.jvp(later).numpy().tolist() == [8.0, 7.0]
    for same in (copied, v):
        assert acc.jvp(same).numpy().tolist() == [1.0, 0.5]
    assert acc.jvp(tf.Variable(1.0)) is None
    assert float(acc.jvp(tf.Variable(1.0), "zero")) == 0.0


def test_assignment_passes_no_tangent_on() -> None:
    """As with tapes: a variable that is not watched is a constant, whatever was assigned to it."""
    x, v = tf.constant(2.0), tf.Variable(0.0)
    with Accumulator(x, tf.constant(1.0)) as acc:
        v.assign(x * 3.0)
        y = v * 2.0
    assert acc.jvp(y) is None


def test_variable_that_changed_its_shape() -> None:
    v = tf.Variable([1.0, 2.0], shape=[None])
    with Accumulator(v, tf.constant([1.0, 0.5])):
        v.assign([1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match=r"tangent of shape \(2,\).*value of shape \(3,\)"):
            v * 2.0


def test_gathers_of_variables() -> None:
    """The gradient is IndexedSlices, and so is its tangent."""
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with Accumulator(table, tf.ones([2, 2])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [0, 0]) ** 3.0)
        gradient = tape.gradient(y, table)
        whole = tf.convert_to_tensor(gradient)
    assert float(acc.jvp(y)) == 2 * 3 * (1.0 + 4.0)
    tangent = acc.jvp(gradient)
    assert isinstance(tangent, tf.IndexedSlices)
    assert tangent.indices.numpy().tolist() == [0, 0]
    assert tangent.values.numpy().tolist() == [[6.0, 12.0], [6.0, 12.0]]
    assert acc.jvp(whole).numpy().tolist() == [[12.0, 24.0], [0.0, 0.0]]


def test_composites() -> None:
    x = tf.constant([1.0, 2.0])
    with Accumulator(x, tf.constant([1.0, 0.5])) as acc:
        rows = tf.RaggedTensor.from_row_splits(x, [0, 2, 2]) ** 2.0
        sums = tf.reduce_sum(rows, 1)
        sparse = tf.sparse.map_values(tf.square, tf.SparseTensor([[0], [2]], x, [3]))
        dense = tf.sparse.to_dense(sparse)
        constant = tf.ragged.constant([[1.0]])
    assert acc.jvp(rows).to_list() == [[2.0, 2.0], []]
    assert acc.jvp(sums).numpy().tolist() == [4.0, 0.0]
    assert acc.jvp(sparse).values.numpy().tolist() == [2.0, 2.0]
    assert acc.jvp(dense).numpy().tolist() == [2.0, 0.0, 2.0]
    assert acc.jvp(constant) is None


def test_control_flow() -> None:
    z = tf.constant(2.0)
    with Accumulator(z, tf.constant(1.0)) as acc:
        results = [
            tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * z), (0, z))[1],
            tf.cond(z > 1, lambda: z * z, lambda: z),
            tf.switch_case(tf.constant(1), [lambda: z, lambda: z**3]),
            tf.map_fn(lambda each: each * z, tf.stack([z, z * 2])),
            tf.scan(lambda product, each: product * each, tf.stack([z, z, z])),
            tf.TensorArray(tf.float32, 2).write(0, z).write(1, z * z).stack(),
            tf.py_function(lambda y: y * y, [z], tf.float32),
        ]
    assert [each.numpy().tolist() for each in acc.jvp(results)] == [
        32.0,
        4.0,
        12.0,
        [4.0, 8.0],
        [1.0, 4.0, 12.0],
        [1.0, 4.0],
        4.0,
    ]


def test_what_has_no_tangent() -> None:
    x = tf.constant([1.5, 2.5])
    with Accumulator(x, tf.ones([2])) as acc:
        results = [
            tf.stop_gradient(x),
            tf.floor(x),
            tf.cast(x, tf.int32),
            tf.argmax(x),
            x > 2.0,
            tf.zeros_like(x),
            tf.numpy_function(np.sin, [x], tf.float32),
        ]
    assert acc.jvp(results) == [None] * len(results)


def test_missing_rule() -> None:
    picture = tf.ones([2, 2, 3])
    with (
        Accumulator(picture, picture),
        pytest.raises(LookupError, match="registry has no entry for: AdjustContrastv2"),
    ):
        tf.image.adjust_contrast(picture, 1.5)


def test_registered_gradients_are_transposed() -> None:
    op = core.registry["Lgamma"]
    kept = dict(op.rules)
    try:
        core.register_gradient("Lgamma", lambda op, dy: dy * 7.0)
        x = tf.constant(2.0)
        with Accumulator(x, tf.constant(3.0)) as acc:
            y = tf.math.lgamma(x)
        assert float(acc.jvp(y)) == 21.0
    finally:
        op.set_registered(None)
        op.set_rules(kept)
    assert op.differentiable == "yes"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64", "complex128"])
def test_tangents_have_the_dtype_of_results(dtype: str) -> None:
    x = tf.cast([0.5, 0.25], dtype)
    with Accumulator(x, tf.ones_like(x)) as acc:
        results = [
            x * x,
            tf.exp(x),
            tf.reduce_sum(x),
            tf.matmul([x], [x], transpose_b=True),
            x + 1.0,
        ]
    for result in results:
        tangent = acc.jvp(result)
        assert (tangent.dtype, tangent.shape) == (result.dtype, result.shape)


def test_complex_numbers_along_a_direction() -> None:
    """The tangent of f at z along t is the limit of (f(z + h t) - f(z)) / h for small real h."""
    z, t = tf.constant(1.0 + 2.0j, tf.complex128), tf.constant(0.5 - 1.0j, tf.complex128)
    functions = [
        tf.abs, tf.math.real, tf.math.imag, tf.math.conj, tf.math.angle, tf.exp, tf.sqrt, tf.sign,
        tf.math.reciprocal, tf.math.rsqrt, lambda z: z * tf.math.conj(z), lambda z: tf.cast(z, tf.complex64),
        lambda z: tf.matmul([[z]], [[z]], adjoint_b=True), lambda z: tf.signal.fft(tf.stack([z, z * z])),
        lambda z: tf.linalg.inv([[z, 1.0], [z * z, 2.0]]),
    ]  # fmt: skip
    h = 1e-6
    for function in functions:
        with Accumulator(z, t) as acc:
            y = function(z)
        slope = (function(z + h * t).numpy() - function(z - h * t).numpy()) / (2 * h)
        rtol = 1e-7 if y.dtype in (tf.float64, tf.complex128) else 0.2
        np.testing.assert_allclose(acc.jvp(y).numpy(), slope, rtol=rtol, atol=1e-9)


# --- Custom gradients ------------------------------------------------------------------------------------


def test_custom_gradient_is_transposed() -> None:
    """Forward and reverse mode then agree, and what was written for precision serves both."""

    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    x = tf.constant(100.0)
    with Accumulator(x, tf.constant(1.0)) as acc:
        y = log1pexp(x)
    assert float(acc.jvp(y)) == 1.0  # that of the ops is NaN


def test_custom_gradient_of_several_and_variables() -> None:
    weight = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x: Any, y: Any) -> Any:
        def gradient(dx: Any, dn: Any, dy: Any, variables: Any = None) -> Any:
            return (dx * 10.0 * weight, dy * 100.0), [dx * x]

        return (x * weight, tf.cast(x, tf.int32), y), gradient

    x, y = tf.constant(2.0), tf.constant(5.0)
    with Accumulator([x, y, weight], [tf.constant(1.0), tf.constant(1.0), tf.constant(1.0)]) as acc:
        results = scaled(x, y)
    first, whole, second = acc.jvp(results)
    assert (float(first), whole, float(second)) == (10.0 * 3.0 + 2.0, None, 100.0)


def test_straight_through() -> None:
    x = tf.constant([1.4, 2.6])
    with Accumulator(x, tf.constant([1.0, 0.5])) as acc:
        y = tf.grad_pass_through(tf.round)(x)
    assert acc.jvp(y).numpy().tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    "gradient",
    [
        lambda dy: tf.clip_by_norm(dy, 0.1),
        lambda dy: tf.constant(dy.numpy() * 2.0),
        lambda dy: tf.sign(dy),
    ],
)
def test_custom_gradient_that_cannot_be_transposed(gradient: Callable[[Any], Any]) -> None:
    """Not linear, or not made of ops. The tangents are those of the ops in the function, as in TensorFlow."""
    function = tf.custom_gradient(lambda x: (x * x, gradient))
    x = tf.constant([1.0, 2.0])
    with Accumulator(x, tf.constant([1.0, 0.5])) as acc:
        y = function(x)
    assert acc.jvp(y).numpy().tolist() == [2.0, 2.0]


def test_recompute_grad_with_variables() -> None:
    weight = tf.Variable([2.0, 3.0])
    x, t = tf.constant([0.5, 0.7]), tf.constant([1.0, -1.0])

    def block(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(x) * x * weight)

    for function in (block, tf.recompute_grad(block)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with Accumulator([x, weight], [t, t]) as acc:
                y = function(x)
            tangent = acc.jvp(y)
        found = [tangent, *tape.gradient(tangent, [x, weight])]
        if function is block:
            expected = found
    for one, other in zip(found, expected, strict=True):
        testing.assert_close(one, other)


# --- Several tangents at once ----------------------------------------------------------------------------


def test_batch_of_tangents() -> None:
    x, v = _f64(0.3, 0.5, -0.2), tf.Variable(_f64(1.0, 2.0, 3.0))
    ways = tf.reshape(tf.range(12.0, dtype=tf.float64), [4, 3])

    def function() -> Any:
        y = tf.nn.softmax(tf.sin(x) * v)
        return [y, tf.reduce_sum(y * y), tf.matmul([x], [v], transpose_b=True), tf.ones([])]

    with Accumulator._batch_accumulator([x, v], [ways, ways * 2.0]) as acc:
        results = function()
    *found, nothing = acc.jvp(results)
    assert nothing is None
    for i in range(4):
        with Accumulator([x, v], [ways[i], ways[i] * 2.0]) as single:
            results = function()
        for one, expected in zip(found, single.jvp(results), strict=False):
            testing.assert_close(one[i], expected, rtol=1e-12)
    assert acc.jvp(x).numpy().tolist() == ways.numpy().tolist()
    assert acc.jvp(tf.ones([2]), "zero").shape == [4, 2]


def test_hessian_by_a_batch_of_tangents() -> None:
    x = _f64(1.0, 2.0, 3.0)
    units = tf.eye(3, dtype=tf.float64)
    with Accumulator._batch_accumulator(x, units) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x)
        gradient = tape.gradient(y, x)
    expected = [[0, 3, 2], [3, 0, 1], [2, 1, 0]]
    testing.assert_close(acc.jvp(gradient), np.float64(expected), rtol=1e-12)
    with Accumulator._batch_accumulator(x, units) as outer:
        with Accumulator._batch_accumulator(x, units) as inner:
            y = tf.reduce_prod(x)
        slopes = inner.jvp(y)
    testing.assert_close(outer.jvp(slopes), np.float64(expected), rtol=1e-12)


def test_no_tangents_at_all() -> None:
    x = tf.constant([1.0, 2.0])
    with Accumulator._batch_accumulator(x, tf.zeros([0, 2])) as acc:
        y = tf.sin(x)
    assert acc.jvp(y).shape == [0, 2]


# --- What is kept ----------------------------------------------------------------------------------------


def test_tangents_go_with_their_tensors() -> None:
    x = tf.constant([1.0, 2.0])
    acc = Accumulator(x, tf.ones([2]))
    with acc:
        results = [x * float(i) for i in range(100)]
        assert len(acc._accumulator) == 101
        del results
        assert len(acc._accumulator) == 1
        y = x
        for _ in range(1000):
            y = y * 1.001
        assert len(acc._accumulator) == 2
    assert acc.jvp(y) is not None
    del x
    assert len(acc._accumulator) == 1


def test_tangents_go_with_the_accumulator() -> None:
    x = tf.constant([1.0, 2.0])
    acc = Accumulator(x, tf.ones([2]))
    with acc:
        y = x + 1.0
        z = y * 2.0
    tangents = [weakref.ref(acc.jvp(each)) for each in (x, y, z)]
    assert None not in [tangent() for tangent in tangents]
    del acc
    assert [tangent() for tangent in tangents] == [None, None, None]
    with Accumulator(x, x) as again:
        z = y * x
    assert again.jvp(z).numpy().tolist() == [2.0, 6.0]  # y is a constant here


def test_a_block_that_nobody_ends() -> None:
    x = tf.constant(1.0)
    acc = Accumulator(x, x)
    acc.__enter__()
    del acc
    assert core.observers() == ()


def test_a_tensor_as_its_own_tangent() -> None:
    x = tf.constant(2.0)
    with Accumulator(x, x) as acc:
        y = x * x
    assert float(acc.jvp(y)) == 8.0


def test_many_tensors_at_once() -> None:
    """More entries than the table begins with, some let go in between."""
    x = tf.constant(1.0)
    with Accumulator(x, x) as acc:
        kept = {i: x * float(i) for i in range(500)}
        for i in range(0, 500, 3):
            del kept[i]
        kept.update({i: x * float(i) for i in range(500, 900)})
    for i, tensor in kept.items():
        assert float(acc.jvp(tensor)) == float(i)


def test_variables_written_in_place() -> None:
    v = tf.Variable([1.0, 1.0])
    with Accumulator(v, tf.ones([2])) as acc:
        for _ in range(100):
            y = v * 2.0
            v.assign_add(y)
            del y
    assert len(acc._accumulator) <= 1


def test_other_threads_are_not_followed() -> None:
    x = tf.constant(2.0)
    results = []
    with Accumulator(x, x) as acc:
        thread = threading.Thread(target=lambda: results.append(x * x))
        thread.start()
        thread.join()
    assert acc.jvp(results[0]) is None


def test_block_may_be_entered_again() -> None:
    x = tf.constant(2.0)
    acc = Accumulator(x, tf.constant(1.0))
    with acc:
        y = x * x
    between = y * y
    with acc:
        z = y * y
    assert acc.jvp(between) is None
    assert float(acc.jvp(z)) == 4 * 2.0**3


def test_an_error_ends_the_block() -> None:
    x = tf.constant([2.0])
    acc = Accumulator(x, x)
    with pytest.raises(tf.errors.InvalidArgumentError), acc:
        tf.matmul(x, x)
    assert not acc._recording
    assert core.observers() == ()


def test_an_error_in_a_rule_leaves_observers_as_they_were() -> None:
    x = tf.constant(2.0)

    def fail(dy: Any) -> Any:
        raise KeyError("rule")

    function = tf.custom_gradient(lambda x: (x * x, fail))
    with tf.GradientTape() as tape, Accumulator(x, x) as acc:
        tape.watch(x)
        before = core.observers()
        with pytest.raises(KeyError):
            function(x)
        assert core.observers() == before
        y = x * x
    assert float(acc.jvp(y)) == 8.0
    assert float(tape.gradient(y, x)) == 4.0


def test_watch_adds_up() -> None:
    x, v = tf.constant(1.0), tf.Variable(1.0)
    acc = Accumulator([x, v], [tf.constant(1.0), tf.constant(10.0)])
    acc._watch([x, v], [tf.constant(2.0), tf.constant(20.0)])
    assert [float(each) for each in acc.jvp([x, v])] == [3.0, 30.0]


def test_other_observers_inside_do_not_hear_of_tangents() -> None:
    heard = []

    class Heard(core.Observer):
        def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
            heard.append(op.type)

    x = tf.constant(2.0)
    with Accumulator(x, x), Heard():
        tf.sin(x)
    assert heard == ["Sin"]
    heard.clear()
    with Heard(), Accumulator(x, x):
        tf.sin(x)
    assert heard == ["Sin", "Cos", "Mul"]


# --- What is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", record_forward.PROGRAMS)
def test_tensorflows_answer(program: str) -> None:
    """The class of the error, or what comes back, is TensorFlow's, but where a reason is given."""
    expected = record_forward.read()[program]
    found = record_forward.answer(tf, program)
    if program in record_forward.DIFFERENT:
        assert found == record_forward.DIFFERENT[program][0]
        assert found != expected, "TensorFlow gives the same answer: no reason is needed"
    else:
        assert found == expected
