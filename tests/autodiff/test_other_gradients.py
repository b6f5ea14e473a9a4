"""Gradients that users declare: `recompute_grad`, `grad_pass_through`, the registry.

Expected values are TensorFlow's unless a comment says otherwise.
"""

import weakref

import numpy as np
import pytest
from test_custom_gradient import gradient_of, variables

import tapegrad as tf
from tapegrad import core
from tapegrad.ops.op import op as define_op

# recompute_grad


def test_recompute_gives_the_gradient():
    x, w = tf.constant(2.0), tf.constant(5.0)
    f = tf.recompute_grad(lambda x, w: tf.sin(x) * w)
    found = gradient_of(f, x, w)
    np.testing.assert_allclose(found, [5 * np.cos(2.0), np.sin(2.0)], rtol=1e-6)
    assert gradient_of(tf.recompute_grad(lambda a, b: a * b), x, x) == [4.0, 4.0]


def test_recompute_is_the_function():
    @tf.recompute_grad
    def block(x, w):
        """Computes."""
        return x * w

    assert (block.__name__, block.__doc__) == ("block", "Computes.")
    assert block.__wrapped__(2, 3) == 6
    assert block(2.0, 3.0).numpy() == 6.0


def test_recompute_runs_twice():
    runs = []

    @tf.recompute_grad
    def f(x):
        runs.append(1)
        return x * x

    f(tf.constant(2.0))
    assert len(runs) == 1
    assert gradient_of(f, 3.0) == [6.0]
    assert len(runs) == 3


def test_recompute_keeps_nothing_inside():
    inside = []

    def block(x):
        for _ in range(5):
            x = tf.tanh(x)
            inside.append(weakref.ref(x._array))
        return x

    x = tf.Variable(tf.ones([100]))
    with tf.GradientTape() as tape:
        kept = block(x)
    assert any(reference() is not None for reference in inside[:4])
    tape.gradient(kept, x)
    inside.clear()
    with tf.GradientTape() as tape:
        kept = tf.recompute_grad(block)(x)
    assert all(reference() is None for reference in inside[:4])
    assert tape.gradient(kept, x) is not None


def test_recompute_gives_variables_their_gradients():
    v, w = variables()
    x = tf.constant(3.0)
    assert gradient_of(tf.recompute_grad(lambda x: x * v * v), x, sources=[x, v]) == [4.0, 12.0]
    assert gradient_of(tf.recompute_grad(lambda a: a * v), v) == [4.0]
    assert gradient_of(tf.recompute_grad(lambda a: a * 2.0), v) == [2.0]
    assert gradient_of(tf.recompute_grad(lambda a: a * w), v, sources=[v, w]) == [5.0, 2.0]
    assert gradient_of(tf.recompute_grad(lambda a: w), x, sources=[x, w]) == [None, 1.0]


def test_recompute_to_second_order():
    # TensorFlow cannot where variables take part.
    v, _ = variables()
    x = tf.constant(3.0)
    block = tf.recompute_grad(lambda x: x * x * v * v)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = block(x)
        by_x, by_v = inner.gradient(y, [x, v])
        total = by_x + by_v  # 2 x v v + 2 x x v
    assert total.numpy() == 60.0
    assert [g.numpy() for g in outer.gradient(total, [x, v])] == [32.0, 42.0]


def test_recompute_draws_the_same_numbers_again():
    # TensorFlow draws new ones.
    noisy = tf.recompute_grad(lambda x: x * tf.random.normal([3]))
    for seed in (None, 7):
        tf.random.set_seed(seed)
        x = tf.Variable([2.0, 2.0, 2.0])
        with tf.GradientTape() as tape:
            y = noisy(x)
        between = tf.random.normal([3])
        dy = tape.gradient(y, x)
        np.testing.assert_array_equal(dy * 2.0, y)
        assert not np.array_equal(tf.random.normal([3]), between)
    tf.random.set_seed(7)
    expected = [tf.random.normal([3]).numpy() for _ in range(3)]
    tf.random.set_seed(7)
    with tf.GradientTape() as tape:
        y = noisy(x)
    np.testing.assert_array_equal(tf.random.normal([3]), expected[1])
    tape.gradient(y, x)
    np.testing.assert_array_equal(tf.random.normal([3]), expected[2])


def test_recompute_takes_nests_keywords_and_other_values():
    x, w = tf.constant(2.0), tf.constant(5.0)
    seen = []

    @tf.recompute_grad
    def block(nest, mode, *, factor=2.0, training=None):
        seen.append((mode, training))
        return (nest["a"] * factor, {"b": nest["b"][0] * 3.0, "count": tf.constant(3)})

    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y, rest = block({"a": x, "b": [w]}, None, training=True)
        total = y + rest["b"]
    assert [g.numpy() for g in tape.gradient(total, [x, w])] == [2.0, 3.0]
    assert seen == [(None, True)] * 2
    # Tensors given by keyword have gradients too; in TensorFlow they are lost.
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y, _ = block({"a": x, "b": [x]}, "mode", factor=w)
    assert [g.numpy() for g in tape.gradient(y, [x, w])] == [5.0, 2.0]


def test_recompute_with_other_dtypes_and_no_elements():
    x = tf.constant(2.0)
    f = tf.recompute_grad(lambda a, i: (a * 2, i + 1, tf.cast(a, tf.float64)))
    assert gradient_of(f, x, tf.constant([1, 2]), sources=[x]) == [3.0]
    empty = tf.zeros([0, 3])
    assert gradient_of(tf.recompute_grad(lambda a: a * 2), empty)[0].shape == (0, 3)
    number = tf.recompute_grad(lambda a: 3.0)
    assert number(x).numpy() == 3.0
    assert gradient_of(number, x) == [None]


def test_recompute_inside_recompute():
    inner = tf.recompute_grad(lambda x: tf.sin(x))
    outer = tf.recompute_grad(lambda x: inner(x) * x)
    x = tf.constant(2.0)
    np.testing.assert_allclose(gradient_of(outer, x), [2 * np.cos(2.0) + np.sin(2.0)], rtol=1e-6)


def test_errors_in_recomputed_functions_pass_and_leave_recording_on():
    @tf.recompute_grad
    def failing(x):
        raise KeyError("mine")

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError, match="mine"):
            failing(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 4.0


# grad_pass_through


def test_pass_through():
    through = tf.grad_pass_through(tf.round)
    assert through(tf.constant(2.6)).numpy() == 3.0
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = through(x * 1.3)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (3.0, np.float32(1.3))
    assert gradient_of(tf.grad_pass_through(lambda x, k=2.0: x * k), x, k=5.0) == [1.0]
    assert gradient_of(tf.grad_pass_through(lambda x, y: (x * y, y)), 2.0, 3.0) == [1.0, 1.0]


def test_pass_through_assign():
    v, _ = variables()
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.grad_pass_through(v.assign)(x * 2)
        after = v * 3
        plain = v.assign(x * 3)
        z = v * 2
    assert (y.numpy(), v.numpy()) == (4.0, 6.0)
    assert tape.gradient(y, x).numpy() == 2.0
    assert tape.gradient(y, v) is None
    assert tape.gradient(after, x) is None
    assert tape.gradient(after, v).numpy() == 3.0
    assert tape.gradient(z, x) is None
    del plain


def test_pass_through_by_variables():
    v, w = variables()
    x = tf.constant(2.0)
    f = tf.grad_pass_through(lambda x: x * v)
    assert gradient_of(f, x, sources=[x, v]) == [1.0, None]
    assert gradient_of(f, w) == [1.0]


def test_pass_through_needs_a_result_per_argument():
    with pytest.raises(ValueError, match="there are 1 result and 2 arguments"):
        gradient_of(tf.grad_pass_through(lambda x, y: x * y), 2.0, 3.0)


# The registry


@pytest.fixture
def scaled():
    """The gradient of an op that nothing is known of: twice its first input, whatever the second."""
    op = define_op("TestsScale")(lambda xp, x, y: x * 2)

    def gradient():
        x = tf.constant([3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = op(x, tf.constant(5.0))
        return tape.gradient(result, x)

    yield gradient
    del core.registry["TestsScale"]


def test_registering_a_gradient(scaled):
    with pytest.raises(LookupError, match="gradient registry has no entry for:") as caught:
        scaled()
    assert str(caught.value) == "gradient registry has no entry for: TestsScale"
    seen = []

    @tf.RegisterGradient("TestsScale")
    def rule(op, dy):
        seen.append(op)
        return [dy * op.inputs[1], None]

    assert scaled().numpy() == [5.0]
    (op,) = seen
    assert op.type == "TestsScale"
    assert [tensor.numpy() for tensor in op.outputs] == [6.0]
    assert callable(rule)
    with pytest.raises(KeyError, match="has a gradient registered already"):
        tf.RegisterGradient("TestsScale")(rule)
    with pytest.raises(KeyError, match="has a gradient registered already"):
        tf.no_gradient("TestsScale")


def test_a_registered_gradient_returns_one_per_input(scaled):
    tf.RegisterGradient("TestsScale")(lambda op, dy: dy)
    with pytest.raises(ValueError, match="1 gradients for its 2 inputs"):
        scaled()


def test_declaring_no_gradient(scaled):
    tf.no_gradient("TestsScale")
    assert scaled() is None


def test_what_has_a_gradient_keeps_it():
    for op_type in ("Mul", "ArgMax"):
        with pytest.raises(KeyError):
            tf.RegisterGradient(op_type)(lambda op, dy: dy)
        with pytest.raises(KeyError):
            tf.no_gradient(op_type)


def test_names_of_ops_from_elsewhere_can_be_registered_once():
    def rule(op, dy):
        return dy

    assert tf.RegisterGradient("TestsOwnOp")(rule) is rule
    with pytest.raises(KeyError, match="'TestsOwnOp has a gradient registered already, or was"):
        tf.RegisterGradient("TestsOwnOp")(rule)
    with pytest.raises(KeyError, match="'TestsOwnOp has a gradient registered already, or was"):
        tf.no_gradient("TestsOwnOp")


def test_registering_takes_strings_and_functions():
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(3)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.no_gradient(None)
    with pytest.raises(TypeError, match="must be a function; 3 came"):
        tf.RegisterGradient("TestsOtherOp")(3)
