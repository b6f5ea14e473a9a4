"""Products that a recording adds to what is there: sums, and steps of gradient descent."""

import numpy as np
import pytest

import tapegrad as tf


def recurrent(steps, batch, inputs, width, dtype):
    """A function with sums of products both ways: a layer applied to each part of a sequence."""
    random = np.random.RandomState(steps + batch)
    xs = [tf.constant(random.randn(batch, inputs).astype(dtype)) for _ in range(steps)]
    w = tf.Variable(random.randn(inputs, width).astype(dtype) * 0.2)
    u = tf.Variable(random.randn(width, width).astype(dtype) * 0.1)

    def step(scale):
        with tf.GradientTape() as tape:
            h = tf.zeros((batch, width), dtype)
            for x in xs:
                h = tf.tanh(x @ w + h @ u)
            loss = tf.reduce_mean(h**2) * scale
        return [loss, h, *tape.gradient(loss, [w, u])]

    return step


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape",
    [(5, 32, 128, 128), (3, 64, 30, 65), (4, 1, 70, 70), (6, 16, 64, 200), (3, 300, 40, 50)],
)
def test_sums_of_products_have_the_bits_of_eager_code(shape, dtype):
    step = recurrent(*shape, dtype)
    recorded = tf.function(step)
    scale = tf.constant(1.0, dtype)
    recorded(scale)
    for value in (1.0, -3.5, np.nan):
        scale = tf.constant(value, dtype)
        for ours, eager in zip(recorded(scale), step(scale), strict=True):
            np.testing.assert_array_equal(ours, eager)


def test_sums_are_added_in_place_where_blas_adds_finished_sums():
    recorded = tf.function(recurrent(5, 32, 128, 128, "float32"))
    for _ in range(2):
        recorded(tf.constant(1.0))
    # Another BLAS may begin with what is there: then no sum is added in place.
    shown = str(recorded.explain())
    assert "MatMul" in shown


def test_a_sum_that_others_read_is_left_alone():
    random = np.random.RandomState(0)
    x, w, u = (tf.constant(random.randn(80, 80).astype(np.float32)) for _ in range(3))

    def chain(x, w, u):
        first = x @ w
        second = first + x @ u
        third = second + first @ u  # reads `first` after it was added to
        return second, third, first

    def twice(x, w, u):
        first = x @ w
        return first + first @ u, first + x @ u

    def itself(x, w, u):
        first = x @ w
        return first + first @ u

    def turned(x, w, u):
        first = x @ w
        other = tf.transpose(first)
        return first + x @ u, other

    for function in (chain, twice, itself, turned):
        recorded = tf.function(function)
        recorded(x, w, u)
        for _ in range(2):
            ours, eager = tf.nest.flatten(recorded(x, w, u)), tf.nest.flatten(function(x, w, u))
            for mine, expected in zip(ours, eager, strict=True):
                np.testing.assert_array_equal(mine, expected)


def descent(w, x, rate, how):
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.relu(x @ w) ** 2)
        gradient = tape.gradient(loss, w)
        if how == "sub":
            w.assign_sub(rate * gradient)
        elif how == "add":
            w.assign_add(gradient * -rate)
        else:
            w.assign_sub(gradient)
        return loss

    return step


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("how", ["sub", "add", "plain"])
@pytest.mark.parametrize("number", [0.1, "tensor", "variable"])
def test_gradient_descent_differs_by_one_rounding(how, dtype, number):
    random = np.random.RandomState(1)
    x = tf.constant(random.randn(64, 100).astype(dtype))
    start = random.randn(100, 120).astype(dtype) * 0.05
    rate = {"tensor": tf.constant(0.1, dtype), "variable": tf.Variable(0.1, dtype=dtype)}.get(
        number, 0.1
    )
    w, other = tf.Variable(start), tf.Variable(start)
    recorded, eager = tf.function(descent(w, x, rate, how)), descent(other, x, rate, how)
    for _ in range(5):
        other.assign(w.numpy())
        assert recorded().numpy() == eager().numpy()
        ours, expected = w.numpy(), other.numpy()
        # Eager code rounds the product, and the change, before the difference.
        change = np.abs(expected - start)
        allowed = np.spacing(np.maximum(np.abs(expected), np.abs(start))) + 2 * np.spacing(change)
        assert np.all(np.abs(ours - expected) <= allowed)
        start = ours
    if isinstance(rate, tf.Variable):
        rate.assign(0.0)
        before = w.numpy()
        recorded()
        if how != "plain":
            np.testing.assert_array_equal(w.numpy(), before)


def test_gradient_descent_goes_into_the_variable():
    x = tf.constant(np.random.RandomState(2).randn(64, 100).astype(np.float32))
    w = tf.Variable(np.zeros((100, 120), np.float32))
    step = tf.function(descent(w, x, 0.1, "sub"))
    step(), step()
    assert "subtracted from a variable" in str(step.explain())


def test_an_infinite_product_times_0_is_nan():
    x = tf.Variable(np.ones((64, 100), np.float32))
    rate = tf.Variable(1.0)
    w, other = (tf.Variable(np.zeros((100, 120), np.float32)) for _ in range(2))
    recorded, eager = tf.function(descent(w, x, rate, "sub")), descent(other, x, rate, "sub")
    recorded(), eager()
    recorded(), eager()
    assert "subtracted from a variable" in str(recorded.explain())
    x[0, 0].assign(np.inf)
    rate.assign(0.0)
    recorded(), eager()
    assert np.isnan(other.numpy()).any()
    np.testing.assert_array_equal(np.isnan(w.numpy()), np.isnan(other.numpy()))


def test_a_value_that_was_read_before_stays():
    x = tf.constant(np.random.RandomState(3).randn(64, 100).astype(np.float32))
    w = tf.Variable(np.ones((100, 120), np.float32))
    step = tf.function(descent(w, x, 0.1, "sub"))
    step()
    held = w.read_value()
    array = w.numpy()
    before = array.copy()
    step()
    np.testing.assert_array_equal(held, before)
    np.testing.assert_array_equal(array, before)
    assert not np.array_equal(w.numpy(), before)


def test_a_function_may_return_the_value_before_its_update():
    x = tf.constant(np.random.RandomState(4).randn(64, 100).astype(np.float32))
    w = tf.Variable(np.ones((100, 120), np.float32))

    @tf.function
    def step():
        before = w.read_value()
        w.assign_sub(0.1 * tf.matmul(x, x @ w, transpose_a=True))
        return before, w + 0.0

    step()
    for _ in range(3):
        expected = w.numpy()
        before, after = step()
        np.testing.assert_array_equal(before, expected)
        np.testing.assert_array_equal(after, w.numpy())
        assert not np.array_equal(before, after)


def test_products_of_arrays_that_blas_cannot_read():
    random = np.random.RandomState(5)
    wide = tf.constant(random.randn(200, 128).astype(np.float32))
    w = tf.Variable(np.zeros((100, 128), np.float32))

    @tf.function
    def step(wide):
        every_second = wide[::2, ::-1]
        w.assign_add(
            tf.matmul(every_second, wide[:128, ::2] @ tf.ones((64, 128)), transpose_a=False)
        )
        return tf.matmul(wide[::2], wide, transpose_b=True) + tf.matmul(
            every_second, wide[:, ::-1], transpose_b=True
        )

    step(wide)
    w.assign(tf.zeros_like(w))
    ours = step(wide)
    array = wide.numpy()
    expected = array[::2] @ array.T + np.ascontiguousarray(array[::2, ::-1]) @ array[:, ::-1].T
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(
        w,
        array[::2, ::-1] @ (array[:128, ::2] @ np.ones((64, 128), np.float32)),
        rtol=1e-3,
        atol=1e-2,
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_and_powers_of_1_keep_all_bits(dtype):
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3.5, -2.0] * 64, dtype)

    def step(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.exp(-(x**2)) * tf.tanh(x))
            z = tf.reduce_sum((x * 2.0) * 1.0)
        return y, tape.gradient(y, x), z, tape.gradient(z, x), -x * 1.0, (-x) ** 1.0, 1.0 * (x + x)

    recorded = tf.function(step)
    recorded(tf.constant(values))
    for ours, eager in zip(recorded(tf.constant(values)), step(tf.constant(values)), strict=True):
        assert ours.numpy().tobytes() == eager.numpy().tobytes()


def test_a_large_constant_that_is_one_number_is_kept():
    recorded = tf.function(lambda x: x * tf.ones([1_000_000]))
    x = tf.random.normal([1_000_000])
    recorded(x)
    np.testing.assert_array_equal(recorded(x), x)
