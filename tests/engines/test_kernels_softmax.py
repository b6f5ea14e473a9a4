"""The compiled softmax, its logarithm and its cross entropies against plain NumPy."""

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import dtypes
from tapegrad.engines.numpy import softmax
from tapegrad.engines.numpy.threads import set_thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

TOLERANCE = {"float32": 2e-6, "float64": 1e-14}


def reference(x, axis):
    """Softmax and its logarithm in double precision."""
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        shifted = x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)
        powers = np.exp(shifted)
        total = np.sum(powers, axis=axis, keepdims=True)
        return powers / total, shifted - np.log(total)


def drawn(random, dtype):
    rank = random.integers(1, 5)
    shape = random.integers(random.integers(2), (2, 9, 40, 3000)[random.integers(4)], rank)
    while np.prod(shape, dtype=float) > 100_000:
        shape = shape // 2
    x = (random.standard_normal(shape) * 5).astype(dtype).transpose(random.permutation(rank))
    if random.integers(2):
        x = x[tuple(slice(None, None, int(random.choice([1, 2, -1]))) for _ in range(rank))]
    return x


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_any_layout_and_axis(dtype):
    random = np.random.default_rng(5)
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for _ in range(200):
        x = drawn(random, dtype)
        axis = int(random.integers(x.ndim))
        dy = random.standard_normal(x.shape).astype(dtype)
        y, logarithm = reference(x, axis)
        found = softmax.softmax(x, axis)
        assert found.shape == x.shape
        assert found.dtype == x.dtype
        np.testing.assert_allclose(found, y, **close)
        np.testing.assert_allclose(
            softmax.log_softmax(x, axis), logarithm, rtol=close["rtol"], atol=20 * close["atol"]
        )
        y, wide = found.astype(np.float64), dy.astype(np.float64)
        np.testing.assert_allclose(
            softmax.softmax_grad(dy, found, axis),
            (wide - np.sum(wide * y, axis=axis, keepdims=True)) * y,
            **close,
        )
        given = np.asarray(logarithm, dtype)
        total = np.sum(wide, axis=axis, keepdims=True)
        np.testing.assert_allclose(
            softmax.log_softmax_grad(dy, given, axis),
            wide - total * np.exp(given.astype(np.float64)),
            rtol=10 * close["rtol"],
            atol=10 * close["atol"] * max(1, np.abs(total).max(initial=0)),
        )


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_cross_entropies(dtype):
    random = np.random.default_rng(9)
    close = {"rtol": 10 * TOLERANCE[dtype], "atol": 10 * TOLERANCE[dtype]}
    for rows, classes in ((1, 1), (3, 2), (5, 33), (40, 1000), (2, 5000), (0, 4), (300, 31)):
        x = (random.standard_normal((rows, 2 * classes)) * 3).astype(dtype)[:, ::2]
        probabilities, logarithm = reference(x, 1)
        z = random.uniform(0, 1, (classes, rows)).astype(dtype).T
        loss, gradient = softmax.softmax_cross_entropy(x, z)
        wide = z.astype(np.float64)
        np.testing.assert_allclose(loss, -np.sum(wide * logarithm, axis=1), **close)
        expected = probabilities * np.sum(wide, axis=1, keepdims=True) - wide
        scale = max(1.0, classes / 10)
        np.testing.assert_allclose(
            gradient, expected, rtol=close["rtol"], atol=scale * close["atol"]
        )
        for index in (np.int32, np.int64):
            labels = random.integers(0, classes, 2 * rows).astype(index)[::2]
            loss, gradient = softmax.sparse_softmax_cross_entropy(x, labels)
            each = np.arange(rows)
            np.testing.assert_allclose(loss, -logarithm[each, labels], **close)
            expected = probabilities.copy()
            expected[each, labels] -= 1
            np.testing.assert_allclose(gradient, expected, **close)
            assert loss.dtype == gradient.dtype == x.dtype


def test_any_number_of_threads_gives_the_same_bits():
    random = np.random.default_rng(2)
    for shape in ((300, 1000), (20_000, 7), (3, 50_000)):
        x, z = random.standard_normal((2, *shape)).astype(np.float32)
        labels = random.integers(0, shape[1], shape[0])
        found = set()
        for count in (1, 2, 3, 7):
            set_thread_count(count)
            y = softmax.softmax(x, 1)
            arrays = [y, softmax.log_softmax(x, 1), softmax.softmax_grad(z, y, 1)]
            arrays += [softmax.log_softmax_grad(z, y, 1), softmax.softmax(x, 0)]
            arrays += softmax.softmax_cross_entropy(x, z)
            arrays += softmax.sparse_softmax_cross_entropy(x, labels)
            found.add(b"".join(array.tobytes() for array in arrays))
        assert len(found) == 1


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extreme_values(dtype, count):
    x = np.zeros((6, count), dtype)
    x[0, 1] = np.nan
    x[1, 1] = np.inf
    x[2, 1] = -np.inf
    x[3] = -np.inf
    x[4, 1] = 1e30
    x[5] = -1e30
    y, logarithm = reference(x, 1)
    np.testing.assert_allclose(softmax.softmax(x, 1), y, rtol=1e-6)
    np.testing.assert_allclose(softmax.log_softmax(x, 1), logarithm, rtol=1e-6)
    labels = np.zeros_like(x)
    labels[:, 0] = 1
    loss, gradient = softmax.softmax_cross_entropy(x, labels)
    sparse = softmax.sparse_softmax_cross_entropy(x, np.zeros(6, int))
    np.testing.assert_allclose(loss, -logarithm[:, 0], rtol=1e-6)
    np.testing.assert_allclose(gradient, y - labels, rtol=1e-6)
    np.testing.assert_allclose(sparse[0], loss, rtol=1e-6)
    np.testing.assert_allclose(sparse[1], gradient, rtol=1e-6)
    # Without labels there is no loss, whatever the logits.
    assert not softmax.softmax_cross_entropy(x, np.zeros_like(x))[0].any()


@pytest.mark.parametrize("function", [tf.nn.softmax, tf.nn.log_softmax])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_second_derivatives(function, axis):
    random = np.random.default_rng(4)
    x, weights = (tf.constant(random.standard_normal((3, 4)), dtypes.float64) for _ in range(2))
    with tf.GradientTape() as outer:
        outer.watch([x, weights])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(function(x, axis=axis) * weights)
        slope = inner.gradient(y, x)
        size = tf.reduce_sum(slope * slope)
    found = outer.gradient(size, [x, weights])

    def value(x, weights):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x, axis=axis) * weights)
        return float(tf.reduce_sum(tape.gradient(y, x) ** 2))

    for place, start in enumerate((x, weights)):
        for index in np.ndindex(3, 4):
            step = np.zeros((3, 4))
            step[index] = 1e-6
            arguments = [x, weights], [x, weights]
            arguments[0][place] = start + step
            arguments[1][place] = start - step
            expected = (value(*arguments[0]) - value(*arguments[1])) / 2e-6
            assert found[place].numpy()[index] == pytest.approx(expected, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(
    ("features", "labels"), [((2, 1), (2, 3)), ((2, 3), (2, 1)), ((1, 3), (2, 3)), ((2, 3), (1, 3))]
)
def test_cross_entropy_of_what_is_broadcast(features, labels):
    """Broadcast by the op, or by us beforehand: the same gradients, in the shapes of what came in."""
    rng = np.random.default_rng(3)
    x, z = tf.constant(rng.normal(size=features)), tf.constant(rng.uniform(size=labels))
    found = []
    for beforehand in (False, True):
        with tf.GradientTape() as tape:
            tape.watch([x, z])
            operands = [tf.broadcast_to(each, (2, 3)) for each in (x, z)] if beforehand else [x, z]
            loss, backprop = tf.raw_ops.SoftmaxCrossEntropyWithLogits(
                features=operands[0], labels=operands[1]
            )
            target = tf.reduce_sum(loss) + tf.reduce_sum(backprop**2)
        found.append(tape.gradient(target, [x, z]))
    for ours, expected in zip(*found, strict=True):
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours.numpy(), expected.numpy(), rtol=1e-12, atol=1e-14)
