"""The compiled reductions against NumPy's, over shapes, layouts and axes of all sorts."""

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import reductions
from tapegrad.engines.numpy.threads import set_thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

FUNCTIONS = {
    "sum": (reductions.sum_axes, np.sum),
    "mean": (reductions.mean_axes, np.mean),
    "max": (reductions.max_axes, np.max),
    "min": (reductions.min_axes, np.min),
}


def drawn(random, dtype):
    """An array of some shape and layout: transposed, sliced, reversed, broadcast, unaligned."""
    rank = random.integers(0, 6)
    most = (1, 3, 9, 70, 300)[random.integers(5)]
    shape = tuple(random.integers(random.integers(2), most + 1, rank)) if rank else ()
    while np.prod(shape, dtype=float) > 300_000:
        shape = shape[1:]
    rank = len(shape)
    x = np.asarray(random.standard_normal(shape), dtype).transpose(random.permutation(rank))
    kind = random.integers(5)
    if kind == 0:
        x = x[tuple(slice(None, None, int(random.choice([1, 2, -1, -3]))) for _ in range(rank))]
    elif kind == 1 and rank and x.shape[0]:
        x = np.broadcast_to(x[:1], (5, *x.shape[1:]))
    elif kind == 2:
        packed = np.zeros(x.size * x.itemsize + 1, np.uint8)[1:].view(dtype).reshape(x.shape)
        packed[...] = x
        x = packed
    return np.asarray(x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_layout_and_axes(name, dtype):
    ours, numpys = FUNCTIONS[name]
    random = np.random.default_rng(len(name) + len(dtype))
    for _ in range(400):
        x = drawn(random, dtype)
        axes = tuple(int(axis) for axis in range(x.ndim) if random.integers(2))
        axis = (axes, None, axes[0] - x.ndim if axes else None)[random.integers(3)]
        keepdims = bool(random.integers(2))
        found = ours(x, axis, keepdims)
        if x.size == 0 and name != "sum":
            assert found is None
            continue
        expected = np.asarray(numpys(x.astype(np.float64), axis=axis, keepdims=keepdims))
        assert found.shape == expected.shape
        assert found.dtype == x.dtype
        tolerance = 1e-6 if dtype == "float32" else 1e-14
        scale = 1.0 if name in ("max", "min") else np.sqrt(x.size + 1)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale)


def test_what_is_left_to_numpy():
    for x in (np.arange(3), np.ones(3, np.float16), np.ones(3, np.complex64), 1.0):
        assert reductions.sum_axes(x, None, False) is None
    ones = np.ones((2, 3), np.float32)
    for axis in (2, -3, (0, 0), (0, -2)):
        assert reductions.sum_axes(ones, axis, False) is None
    assert reductions.sum_axes(ones.astype(">f4"), None, False) == 6


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((1_000_003,), None),
        ((5000, 130), 0),
        ((5000, 130), 1),
        ((3, 400_000), 1),
        ((400_000, 3), 0),
        ((2, 70_000, 3), 1),
        ((60, 50, 70), (0, 2)),
        ((60, 50, 70), 1),
        ((7, 2000), 0),
    ],
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_number_of_threads_gives_the_same_bits(name, shape, axis):
    for dtype in (np.float32, np.float64):
        x = np.random.default_rng(3).standard_normal(shape).astype(dtype)
        found = set()
        for count in (1, 2, 3, 7):
            set_thread_count(count)
            found.add(FUNCTIONS[name][0](x, axis, False).tobytes())
        assert len(found) == 1


@pytest.mark.parametrize("count", [1, 7, 8, 33, 100, 5000, 100_000])
@pytest.mark.parametrize("place", [0, 3, -1])
def test_infinities_and_nan(count, place):
    for dtype in (np.float32, np.float64):
        x = np.zeros((count, 3), dtype)
        x[min(place, count - 1), 0] = np.nan
        x[min(place, count - 1), 1] = np.inf
        x[min(place, count - 1), 2] = -np.inf
        for axis, given in ((0, x), (1, np.ascontiguousarray(x.T))):
            for ours, numpys in FUNCTIONS.values():
                np.testing.assert_array_equal(ours(given, axis, False), numpys(given, axis=axis))
        both = np.zeros(count + 1, dtype)
        both[0], both[-1] = np.inf, -np.inf
        assert np.isnan(reductions.sum_axes(both, None, False))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_of_any_layout_and_axes(dtype):
    random = np.random.default_rng(len(dtype))
    for _ in range(200):
        x = drawn(random, dtype)
        x = np.where(random.integers(3, size=x.shape) == 0, x.dtype.type(-0.0), x)
        axes = tuple(int(axis) for axis in range(x.ndim) if random.integers(2))
        axis = (axes, None)[random.integers(2)]
        keepdims = bool(random.integers(2))
        found = tf.math.count_nonzero(x, axis, keepdims).numpy()
        expected = np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims))
        np.testing.assert_array_equal(found, expected, strict=True)
    assert tf.math.count_nonzero(np.array([np.nan, 0, -np.inf, 1e-45], dtype)).numpy() >= 2
    for axis, count in ((None, 1), (0, 3), (1, 5)):
        empty = tf.math.count_nonzero(np.zeros((0, 3) if axis == 0 else (5, 0), dtype), axis)
        assert empty.numpy().sum() == 0
        assert empty.numpy().size == count


@pytest.mark.parametrize("length", [1, 31, 32, 33, 500, 1024, 1025, 5000])
def test_products_that_leave_the_range_of_their_type_in_between(length):
    random = np.random.default_rng(length)
    x = random.uniform(0.99, 1.01, (3, length)).astype(np.float32)
    for low, high in ((1e-30, 1e30), (1e-20, 1e20), (1e-44, 1e38)):
        for place in (0, 32, 64):
            given = x.copy()
            # The same lane meets the small number first, and the large one later; or the other way round.
            if length > place + 64:
                given[0, [place, place + 32, place + 33, place + 64]] = low, low, high, high
                given[1, [place, place + 32, place + 33, place + 64]] = high, high, low, low
            exact = np.prod(given.astype(np.float64), axis=1)
            found = tf.reduce_prod(given, 1).numpy()
            np.testing.assert_allclose(found, exact.astype(np.float32), rtol=1e-6 * length**0.5)
            columns = tf.reduce_prod(given.T, 0).numpy()
            np.testing.assert_allclose(columns, exact.astype(np.float32), rtol=1e-6 * length**0.5)
    for special in (0.0, -0.0, np.inf, -np.inf, np.nan):
        given = x.copy()
        given[:, length // 2] = special
        with np.errstate(invalid="ignore"):
            exact = np.prod(given, axis=1)
        np.testing.assert_array_equal(tf.reduce_prod(given, 1).numpy(), exact)
        assert np.array_equal(np.signbit(tf.reduce_prod(given, 1).numpy()), np.signbit(exact))


def test_sums_are_as_exact_as_their_type_allows():
    random = np.random.default_rng(1)
    x = random.uniform(0, 1, (20_000, 60)).astype(np.float32)
    for axis in (None, 0, 1):
        exact = np.sum(x.astype(np.float64), axis=axis)
        np.testing.assert_allclose(reductions.sum_axes(x, axis, False), exact, rtol=2e-7)
    # Each value vanishes beside the total of the others, were they added one by one.
    ones = np.ones(1 << 25, np.float32)
    assert reductions.sum_axes(ones, None, False) == 1 << 25
    assert reductions.sum_axes(ones.reshape(-1, 2), 0, False).tolist() == [1 << 24] * 2


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((4, 3), (3,)),
        ((4, 3), (1, 3)),
        ((4, 3), (4, 1)),
        ((4, 3), ()),
        ((2, 4, 3), (4, 1)),
        ((2, 1, 3), (1, 1, 3)),
        ((4, 3), (4, 3)),
        ((3,), (4, 3)),
        ((0, 3), (3,)),
        ((0, 3), (1, 3)),
        ((4, 0), (1, 0)),
    ],
)
def test_summing_to_a_shape(given, wanted):
    x = np.random.default_rng(0).standard_normal(given).astype(np.float32)
    found = reductions.sum_to_shape(x, wanted)
    if len(wanted) > len(given):
        assert found is x
        return
    extra = x.ndim - len(wanted)
    expected = x.sum(axis=tuple(range(extra)))
    axes = tuple(i for i, length in enumerate(wanted) if length == 1)
    expected = expected.sum(axis=axes, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.shape == wanted
    assert reductions.sum_to_shape(x.astype(np.float16), wanted) is None or given == wanted


def test_the_ops_use_them():
    x = np.random.default_rng(0).standard_normal((50, 40)).astype(np.float32)
    for op, (ours, _) in zip(
        (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min),
        FUNCTIONS.values(),
        strict=True,
    ):
        assert op(x, [1]).numpy().tobytes() == ours(x, (1,), False).tobytes()
    biases = tf.raw_ops.BiasAddGrad(out_backprop=x)
    assert biases.numpy().tobytes() == reductions.sum_axes(x, 0, False).tobytes()
