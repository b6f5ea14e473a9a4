"""Gradients of another shape or dtype than their tensors, as gradient functions of users return them.

TensorFlow hands such a gradient on, to the source or to the next op, which raises unless its gradient never
looks at shape and dtype. Here compiled code relies on gradients that fit, so it must not meet such a one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Case, Run, Sample, all_samples, flatten
from samples.ask import differences_dtypes, floats, flows
from tapegrad import core
from tapegrad.ops.op import op as define_op

V = [1.0, 2.0, 3.0]
REFUSED = "The gradient that the gradient function of f() returned for its argument x has shape"


def changed(change: Callable[[Any], Any], forward: Any = tf.identity) -> Any:
    """``forward`` with a gradient function that returns ``change(dy)``."""

    @tf.custom_gradient
    def f(x):
        return forward(x), change

    return f


def other_dtype(dy):
    wanted = tf.float32 if dy.dtype in (tf.float64, tf.complex128) else tf.float64
    return tf.cast(tf.math.real(dy) if dy.dtype.is_complex else dy, wanted)


def doubled(dy):
    return tf.cast(dy, tf.float64) * 2


def repeated(dy):
    return tf.stack([dy, dy, dy])


def flat(dy):
    return tf.concat([tf.reshape(dy, [-1]), tf.ones([3], dy.dtype)], 0)


def sliced(dy):
    rows = tf.cast(tf.reshape(dy, [-1, 1]), tf.float64)
    return tf.IndexedSlices(rows, tf.range(len(rows)), [len(rows) + 1, 1])


_SAMPLES = [
    (sample, case, dtype, change)
    for (sample, change) in zip(
        all_samples(), itertools.cycle([tf.reduce_sum, repeated, flat, sliced]), strict=False
    )
    for case in sample.cases[:1]
    for each in differences_dtypes(sample, 0)[:1]
    if flows(sample, case, dtype := "float32" if sample.single else each)
]


@pytest.mark.parametrize(
    ("sample", "case", "dtype", "other"),
    _SAMPLES,
    ids=[f"{s.key(c)}-{d}-{other.__name__}" for s, c, d, other in _SAMPLES],
)
def test_an_op_goes_on_or_refuses(sample: Sample, case: Case, dtype: str, other: Any) -> None:
    """Rules run as ops, which check what they get: there is a gradient, or one kind of error."""
    run = Run(sample, case, dtype)
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    for change in (other_dtype, other):
        with np.errstate(all="ignore"), tf.GradientTape() as tape:
            tape.watch(sources)
            results = [result for result in flatten(run(tf, tensors)) if floats(result)]
            outputs = [changed(change)(result) for result in results]
        try:
            with np.errstate(all="ignore"):
                gradients = tape.gradient(outputs, sources)
        except tf.errors.InvalidArgumentError as error:
            gradients, message = [], error.message
        else:
            gradients, message = (
                [tf.convert_to_tensor(dx) for dx in gradients if dx is not None],
                "",
            )
        assert all(not isinstance(dx, core.Misfit) for dx in gradients)
        assert message.startswith(REFUSED if message else "")


def gradient_of(function: Callable[[Any], Any], x: Any = V) -> Any:
    x = x if isinstance(x, tf.Variable) else tf.Variable(x)
    with tf.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x)


def to_float64(x):
    return tf.cast(x, tf.float64) * 2


f64 = changed(lambda dy: dy * 2, to_float64)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (lambda x: x, [2, 2, 2]),
        (tf.identity, [2, 2, 2]),
        (lambda x: tf.reshape(x, [3, 1]), [2, 2, 2]),
        (lambda x: x[0], [2, 0, 0]),
        (lambda x: tf.stack([x, x]), [4, 4, 4]),
        (lambda x: tf.concat([x, x], 0), [4, 4, 4]),
        (tf.reduce_sum, [2, 2, 2]),
        (tf.reduce_max, [0, 0, 2]),
        (lambda x: 1.0 - x, [-2, -2, -2]),
        (lambda x: x + tf.constant([[1.0], [2.0]]), [4, 4, 4]),
        (lambda x: tf.where(x > 1, x, 0.0), [0, 2, 2]),
        (lambda x: tf.gather(x, [0, 0, 2]), [4, 0, 2]),
        (lambda x: tf.pad(x, [[1, 1]]), [2, 2, 2]),
        (tf.cumsum, [6, 4, 2]),
        (changed(lambda dy: dy * 3), [6, 6, 6]),
    ],
)
def test_another_dtype_goes_on_where_nothing_looks_at_it(before: Any, expected: list[int]) -> None:
    """The numbers and dtypes are TensorFlow's."""
    found = tf.convert_to_tensor(gradient_of(lambda x: f64(before(x))))
    assert found.dtype is tf.float64
    np.testing.assert_array_equal(found, expected)


def test_casts_give_the_dtype_of_the_source_again():
    assert gradient_of(lambda x: f64(tf.cast(x, tf.float16))).dtype is tf.float32


@pytest.mark.parametrize(
    "before",
    [lambda x: x * 2.0, lambda x: x * x, tf.exp, tf.sin, tf.square, tf.nn.relu, tf.sqrt,
     tf.nn.softmax, lambda x: x / 2.0, lambda x: tf.matmul(x[None], x[:, None])],
)  # fmt: skip
def test_another_dtype_ends_at_an_op_of_two_operands(before: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot go on with it"):
        gradient_of(lambda x: f64(before(x)))


def test_the_message_names_function_argument_and_op():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        gradient_of(lambda x: f64(x * 2.0))
    assert caught.value.message == (
        "The gradient that the gradient function of f() returned for its argument x has shape (3,) and "
        "dtype float64. What it belongs to has shape (3,) and dtype float32. The gradient of Mul cannot go "
        "on with it: cannot compute Mul as input #1(zero-based) was expected to be a double tensor but is a "
        "float tensor [Op:Mul]: dtypes are never mixed silently, so tf.cast one of them."
    )
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        gradient_of(lambda x: f64(x) + tf.cast(x, tf.float64))
    assert caught.value.message == (
        "The gradient that the gradient function of f() returned for its argument x has shape (3,) and "
        "dtype float64. What it belongs to has shape (3,) and dtype float32. It cannot be added to another "
        "gradient of the same tensor: their shapes are (3,) and (3,), their dtypes float32 and float64."
    )


def test_two_of_one_kind_are_added_up():
    assert gradient_of(lambda x: f64(x) + f64(x)).numpy().tolist() == [4, 4, 4]
    summed = changed(tf.reduce_sum)
    assert gradient_of(lambda x: summed(x) + summed(x)).numpy() == 6
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"their shapes are \(3,\) and \(\)"):
        gradient_of(lambda x: x + summed(x))


def test_another_shape():
    """The answers are TensorFlow's."""
    summed = changed(tf.reduce_sum)
    assert gradient_of(summed).numpy() == 3
    assert gradient_of(lambda x: summed(x * 2.0)).numpy() == 6
    assert gradient_of(lambda x: summed(x * tf.ones([2, 3]))).numpy().tolist() == [12] * 3
    assert gradient_of(changed(repeated)).shape == [3, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reshape cannot go on"):
        gradient_of(lambda x: summed(tf.reshape(x, [3, 1])))


def test_slices_of_another_dtype():
    rows = changed(
        lambda dy: tf.IndexedSlices(tf.cast(dy, tf.float64), [0, 1, 2], tf.constant([3]))
    )
    assert gradient_of(rows).dtype is tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot go on"):
        gradient_of(lambda x: rows(x * 2.0))


def test_variables():
    w = tf.Variable([1.0, 1.0, 1.0])

    @tf.custom_gradient
    def f(x):
        return x * w, lambda dy, variables=None: (dy, [doubled(dy)])

    with tf.GradientTape() as tape:
        y = f(tf.constant(V))
    assert tape.gradient(y, w).dtype is tf.float64


def test_grad_pass_through_and_recompute_grad():
    through = tf.grad_pass_through(lambda x: tf.cast(x, tf.float64))
    assert gradient_of(through).dtype is tf.float64
    assert gradient_of(tf.grad_pass_through(tf.reduce_sum)).numpy() == 1
    assert gradient_of(tf.recompute_grad(f64)).dtype is tf.float64
    assert gradient_of(lambda x: tf.recompute_grad(f64)(x[:2])).dtype is tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="Exp cannot go on"):
        gradient_of(lambda x: tf.recompute_grad(f64)(tf.exp(x)))


def test_an_implicit_function():
    def solved(t):
        return tf.autodiff.implicit_root(lambda x, t: x - f64(t), to_float64(t), t)

    assert gradient_of(solved).dtype is tf.float64
    assert gradient_of(lambda x: solved(x[:2])).numpy().tolist() == [2, 2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Exp cannot go on"):
        gradient_of(lambda x: solved(tf.exp(x)))


@pytest.mark.parametrize("where", ["inside", "outside", "both"])
def test_recorded_functions(where: str) -> None:
    """A recording replays what the walk did."""
    x = tf.Variable(V)
    if where == "inside":
        call = tf.function(lambda: gradient_of(lambda x: f64(tf.identity(x)), x))
    elif where == "outside":
        function = tf.function(f64)
        call = lambda: gradient_of(lambda x: function(tf.identity(x[:2])), x)
    else:
        # Long enough to be recorded as a pair: forward and backward.
        function = tf.function(
            lambda x: tf.exp(f64(tf.reshape(tf.stack([-x, x, -x]), [6]))[1:] * 2)
        )
        call = lambda: gradient_of(lambda x: function(tf.identity(x[:2])), x)
    first = call()
    for _ in range(3):
        again = call()
        assert again.dtype is tf.float64
        np.testing.assert_array_equal(first, again)
    refused = tf.function(lambda: gradient_of(lambda x: f64(tf.exp(x)), x))
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Exp cannot go on"):
            refused()


def test_jacobians():
    x = tf.Variable(V)
    with tf.GradientTape(persistent=True) as tape:
        y = f64(tf.identity(x))
        z = f64(tf.exp(x))
    for pfor in (True, False):
        matrix = tape.jacobian(y, x, experimental_use_pfor=pfor)
        assert matrix.dtype is tf.float64
        np.testing.assert_array_equal(matrix, 2 * np.eye(3))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Exp cannot go on"):
            tape.jacobian(z, x, experimental_use_pfor=pfor)


def test_a_tensor_that_all_items_share():
    x = tf.Variable(V)
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda row: f64(x) * tf.cast(row, tf.float64), tf.ones([2, 3]))
    assert tape.gradient(y, x).numpy().tolist() == [4, 4, 4]


def test_second_order():
    x = tf.Variable(V)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = changed(lambda dy: tf.cast(dy * x, tf.float64), lambda x: x * 2.0)(x)
        first = tape.gradient(y, x)
    assert first.dtype is tf.float64
    assert outer.gradient(first, x).numpy().tolist() == [1, 1, 1]


def test_forward_mode():
    x = tf.constant(V)
    with tf.autodiff.ForwardAccumulator(x, tf.ones([3])) as accumulator:
        y = f64(x)
    tangent = accumulator.jvp(y)
    assert tangent.dtype is tf.float64
    assert tangent.numpy().tolist() == [2, 2, 2]
    with (
        tf.autodiff.ForwardAccumulator(x, tf.ones([3])),
        pytest.raises(tf.errors.InvalidArgumentError, match="No tangent goes through f"),
    ):
        changed(tf.reduce_sum)(x)


def test_registered_gradients():
    op = define_op("TestsMisfit")(lambda xp, x: x * 2)
    tf.RegisterGradient("TestsMisfit")(lambda op, dy: tf.cast(dy, tf.float64) * 2)
    try:
        assert gradient_of(op).dtype is tf.float64
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            gradient_of(lambda x: op(tf.exp(x)))
    finally:
        del core.registry["TestsMisfit"]
    assert (
        "The gradient that the function registered for TestsMisfit returned for its input 0"
        in str(caught.value)
    )
