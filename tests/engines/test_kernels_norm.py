"""The compiled moments and normalisations against plain NumPy, and their rules against compositions."""

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import norms
from tapegrad.engines.numpy.threads import set_thread_count
from tapegrad.ops.nn import merged, normalization

pytestmark = pytest.mark.usefixtures("engine_as_before")

TOLERANCE = {"float32": 3e-6, "float64": 1e-13}


def close(found, expected, dtype, scale=1.0):
    assert found.dtype == dtype
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * max(scale, 1.0))


def cases(dtype):
    """Arrays of many layouts, and axes that have one for the kernels."""
    random = np.random.default_rng(11)
    for number in range(150):
        rank = random.integers(1, 6)
        most = (3, 9, 70)[number % 3]
        shape = tuple(int(length) for length in random.integers(1, most + 1, rank))
        while np.prod(shape) > 200_000:
            shape = shape[1:]
        rank = len(shape)
        x = (random.standard_normal(shape) + 10).astype(dtype).transpose(random.permutation(rank))
        if number % 2:
            x = x[tuple(slice(None, None, int(random.choice([1, 2, -1]))) for _ in range(rank))]
        axes = tuple(axis for axis in range(rank) if random.integers(2))
        if axes and norms.has_layout(x.shape, axes):
            yield random, x, axes
    # Of several parts, which are joined: columns, and runs that are reduced further.
    for shape, axes in [((3, 20_000, 5), (1,)), ((2, 400, 600), (1,)), ((2, 3, 2, 40_000), (1, 3))]:
        yield random, (random.standard_normal(shape) + 10).astype(dtype), axes


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_any_layout_and_axes(dtype):
    count = 0
    for random, x, axes in cases(dtype):
        count += 1
        wide = x.astype(np.float64)
        mean, variance = norms.moments(x, axes)
        close(mean, wide.mean(axis=axes, keepdims=True), dtype)
        close(variance, wide.var(axis=axes, keepdims=True), dtype)
        dy = random.standard_normal(x.shape).astype(dtype)
        factor, slope, offset = random.standard_normal((3, *mean.shape)).astype(dtype)
        centred = wide - mean
        plain, weighted = norms.weighted_sums(dy, x, mean, axes)
        terms = np.sqrt(x.size / mean.size)
        close(plain, dy.sum(axis=axes, keepdims=True, dtype=np.float64), dtype, terms)
        close(weighted, (dy * centred).sum(axis=axes, keepdims=True), dtype, 3 * terms)
        close(norms.normalize(x, mean, factor, offset, axes), centred * factor + offset, dtype, 4)
        whole = dy.copy()
        assert norms.add_normalized(whole, x, mean, factor, offset, axes)
        np.testing.assert_array_equal(whole, dy + norms.normalize(x, mean, factor, offset, axes))
        close(norms.scale_gradient(dy, factor, axes), dy * factor, dtype)
        close(
            norms.project_gradient(dy, x, factor, mean, slope, offset, axes),
            dy * factor + centred * slope + offset,
            dtype,
            8,
        )
    assert count > 40


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 5), (40, 33), (200, 1), (1, 3000), (300, 512), (17, 1025)]
)
def test_rows_with_their_moments_and_columns_with_their_scale(shape, dtype):
    random = np.random.default_rng(3)
    x, dy = (random.standard_normal(shape[::-1]).astype(dtype).T for _ in range(2))
    mean, factor = random.standard_normal((2, shape[0], 1)).astype(dtype)
    scale, offset = random.standard_normal((2, shape[1])).astype(dtype)
    normal = (x.astype(np.float64) - mean) * factor
    close(norms.normalize_rows(x, mean, factor, scale, offset), normal * scale + offset, dtype, 10)
    by_x, by_mean, by_variance, by_offset, by_scale = norms.normalize_rows_grad(
        dy, x, mean, factor, scale
    )
    scaled = dy.astype(np.float64) * scale
    close(by_x, scaled * factor, dtype)
    terms = 10 * np.sqrt(max(shape))
    close(by_mean, -(scaled * factor).sum(axis=1, keepdims=True), dtype, terms)
    expected = -0.5 * (scaled * normal * np.square(factor)).sum(axis=1, keepdims=True)
    close(by_variance, expected, dtype, 10 * terms)
    close(by_offset, dy.sum(axis=0, dtype=np.float64), dtype, terms)
    close(by_scale, (dy * normal).sum(axis=0), dtype, terms)


def test_any_number_of_threads_gives_the_same_bits():
    random = np.random.default_rng(2)
    layouts = [((700, 600), (1,)), ((700, 600), (0,)), ((20_000, 5), (0,)), ((3, 90_000), (1,))]
    layouts += [((10, 20, 900), (0, 2)), ((6, 500, 40), (1,)), ((300_000,), (0,))]
    for shape, axes in layouts:
        x, dy = random.standard_normal((2, *shape)).astype(np.float32)
        found = set()
        for count in (1, 2, 3, 7):
            set_thread_count(count)
            mean, variance = norms.moments(x, axes)
            arrays = [mean, variance, *norms.weighted_sums(dy, x, mean, axes)]
            arrays.append(norms.normalize(x, mean, variance, mean, axes))
            whole = dy.copy()
            assert norms.add_normalized(whole, x, mean, variance, mean, axes)
            arrays.append(whole)
            if axes == (1,) and len(shape) == 2:
                scale = x[0]
                arrays.append(norms.normalize_rows(x, mean, variance, scale, scale))
                arrays += norms.normalize_rows_grad(dy, x, mean, variance, scale)
            found.add(b"".join(array.tobytes() for array in arrays))
        assert len(found) == 1


def test_what_cannot_be_added_to_stays_as_it_is():
    x = np.ones((4, 6), np.float32)
    mean = np.ones((4, 1), np.float32)
    for whole in (
        np.ones((4, 6)),
        np.ones((6, 4), np.float32),
        np.ones((6, 4), np.float32).T,
        x[:2],
    ):
        assert not norms.add_normalized(whole, x, mean, mean, mean, (1,))
        assert (whole == 1).all()


def test_what_has_no_layout():
    assert norms.has_layout((2, 3, 4, 5), (1, 3))
    assert norms.has_layout((2, 1, 4, 5), (0, 1, 2))
    assert not norms.has_layout((2, 3, 4, 5), (0, 2))
    assert not norms.has_layout((2, 0), (1,))


@pytest.mark.parametrize("axis", [0, 1])
def test_the_variance_far_from_zero(axis):
    # Squares minus the squared mean would leave nothing of it.
    x = np.random.default_rng(0).standard_normal((3000, 3000))[:, :40] * 0.01 + 1000
    x = np.ascontiguousarray(x if axis == 0 else x.T, np.float32)
    found = norms.moments(x, (axis,))[1]
    np.testing.assert_allclose(found, x.astype(np.float64).var(axis=axis, keepdims=True), rtol=1e-4)


@pytest.mark.parametrize("rows", [5, 17, 100, 128, 3000])
def test_the_variance_where_the_first_rows_are_unlike_the_others(rows):
    # Columns are summed around the mean of the first rows.
    random = np.random.default_rng(1)
    for outliers in (1, 2, 16):
        x = random.standard_normal((rows, 40)).astype(np.float32)
        x[:outliers] += 1e5
        mean, variance = norms.moments(x, (0,))
        wide = x.astype(np.float64)
        np.testing.assert_allclose(mean, wide.mean(axis=0, keepdims=True), rtol=1e-6)
        np.testing.assert_allclose(variance, wide.var(axis=0, keepdims=True), rtol=4e-6)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_infinities_and_nan(dtype):
    x = np.zeros((4, 50), dtype)
    x[0, 3], x[1, 3], x[2, 3], x[3] = np.nan, np.inf, -np.inf, 1e30
    with np.errstate(all="ignore"):
        for axis, given in ((1, x), (0, np.ascontiguousarray(x.T))):
            mean, variance = norms.moments(given, (axis,))
            np.testing.assert_allclose(mean.ravel(), [np.nan, np.inf, -np.inf, 1e30], rtol=1e-6)
            assert np.isnan(variance.ravel()[:3]).all()
            assert variance.ravel()[3] < 1e50


def composed(monkeypatch):
    """Let moments and normalisation be composed of small ops."""
    monkeypatch.setattr(normalization, "moment_axes", lambda *_: None)
    monkeypatch.setattr(merged, "normalization_operands", lambda *_: None)


LAYOUTS = [
    ((6, 10), [-1], (10,)),
    ((6, 10), [0], (10,)),
    ((3, 4, 5, 6), [0, 1, 2], (6,)),
    ((3, 4, 5, 6), [0, 2, 3], (1, 4, 1, 1)),
    ((3, 4, 6), [1, 2], (4, 6)),
    ((3, 5, 4, 6), [1, 2], (3, 1, 1, 6)),
    ((3, 5, 4, 6), [1, 2], (6,)),
    ((1, 6), [1], (6,)),
    ((6,), [0], ()),
]


@pytest.mark.parametrize(("shape", "axes", "own"), LAYOUTS)
@pytest.mark.parametrize("given", [(True, True), (True, False), (False, True), (False, False)])
def test_values_and_gradients_of_two_orders(shape, axes, own, given, monkeypatch):
    def values():
        random = np.random.default_rng(0)
        x, weights = (tf.constant(random.standard_normal(shape) + 3) for _ in range(2))
        both = [tf.constant(random.standard_normal(own)) for _ in range(2)]
        offset, scale = (each if there else None for each, there in zip(both, given, strict=True))
        sources = [each for each in (x, offset, scale) if each is not None]
        with tf.GradientTape() as outer:
            outer.watch([*sources, weights])
            with tf.GradientTape() as inner:
                inner.watch(sources)
                mean, variance = tf.nn.moments(x, axes, keepdims=True)
                y = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
                total = tf.reduce_sum(y * weights * y) + tf.reduce_sum(mean + variance * variance)
            first = inner.gradient(total, sources)
            size = sum(tf.reduce_sum(each * each) for each in first)
        second = outer.gradient(size, [*sources, weights])
        return [each.numpy() for each in (mean, variance, y, *first, *second)]

    found = values()
    composed(monkeypatch)
    for ours, expected in zip(found, values(), strict=True):
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_layer_normalisation_is_two_records():
    x, scale = tf.ones([4, 6]), tf.ones([6])
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        before = len(tape._tape)
        tf.nn.batch_normalization(x, mean, variance, scale, scale, 1e-5)
        assert (before, len(tape._tape)) == (1, 2)


@pytest.mark.parametrize("keepdims", [True, False])
@pytest.mark.parametrize("axes", [[0, 2], [1], [-1, 0], None, [0, 1, 2]])
def test_moments_have_the_shapes_they_had(axes, keepdims, monkeypatch):
    x = tf.constant(np.random.default_rng(0).standard_normal((3, 4, 5)), tf.float32)
    found = tf.nn.moments(x, axes, keepdims=keepdims)
    composed(monkeypatch)
    for ours, expected in zip(found, tf.nn.moments(x, axes, keepdims=keepdims), strict=True):
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours.numpy(), expected.numpy(), rtol=1e-5)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("data_format", "shape"),
    [("NHWC", (4, 3, 5, 7)), ("NCHW", (4, 7, 3, 5)), ("NDHWC", (2, 3, 2, 5, 7))],
)
def test_the_fused_op(data_format, shape, training):
    random = np.random.default_rng(6)
    x, dy = (random.standard_normal(shape).astype(np.float32) + 2 for _ in range(2))
    scale, offset, mean = random.standard_normal((3, 7)).astype(np.float32)
    variance = random.uniform(1, 2, 7).astype(np.float32)
    constants = [tf.constant(each) for each in (x, scale, offset)]
    with tf.GradientTape() as tape:
        tape.watch(constants)
        y, *_ = tf.compat.v1.nn.fused_batch_norm(
            *constants, mean, variance, epsilon=1e-3, data_format=data_format, is_training=training
        )
    found = tape.gradient(y, constants, output_gradients=tf.constant(dy))
    channel = 1 if data_format.startswith("NC") else len(shape) - 1
    moved, moved_dy = (np.moveaxis(each, channel, -1).astype(np.float64) for each in (x, dy))
    axes = tuple(range(len(shape) - 1))
    used = (moved.mean(axis=axes), moved.var(axis=axes)) if training else (mean, variance)
    inverse = 1 / np.sqrt(used[1] + 1e-3)
    normal = (moved - used[0]) * inverse
    expected = np.moveaxis(normal * scale + offset, -1, channel)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5, atol=1e-5)
    by_x = moved_dy
    if training:
        by_x = by_x - moved_dy.mean(axis=axes) - normal * (moved_dy * normal).mean(axis=axes)
    by_x = np.moveaxis(by_x * scale * inverse, -1, channel)
    np.testing.assert_allclose(found[0].numpy(), by_x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1].numpy(), (moved_dy * normal).sum(axis=axes), rtol=1e-4)
    np.testing.assert_allclose(found[2].numpy(), moved_dy.sum(axis=axes), rtol=1e-5)
