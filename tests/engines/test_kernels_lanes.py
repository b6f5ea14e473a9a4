"""Compiled ways through scans, searches, bands, views, factors and resampling, beside NumPy.

Each is called through its op, on every shape, layout and alignment, and at every level of vectors.
"""

import itertools

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.threads import set_thread_count
from tapegrad.ops.image import resample
from tapegrad.ops.reduce.scan import recurrence

BEST = levels()[1]
SHAPES = [
    (1,),
    (7,),
    (33,),
    (3, 5),
    (9, 1),
    (17, 40),
    (2, 3, 4),
    (5, 300),
    (300, 5),
    (0, 3),
    (3, 0),
]
DTYPES = ["float32", "float64"]


@pytest.fixture(autouse=True, params=range(BEST + 1))
def level(request):
    set_level(request.param)
    yield
    set_level(BEST)


def layouts(x):
    """``x`` as it is, strided, turned, backwards, and starting at an odd address."""
    yield x
    if x.ndim == 0:
        return
    spread = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    spread[..., ::2] = x
    yield spread[..., ::2]
    yield np.asfortranarray(x)
    yield np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    room = np.zeros(x.nbytes + 1, np.uint8)
    odd = room[1:].view(x.dtype).reshape(x.shape)
    odd[...] = x
    yield odd


def numbers(shape, dtype, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def scan(function, x, axis, exclusive, reverse, start):
    if reverse:
        x = np.flip(x, axis)
    if exclusive:
        x = np.concatenate([np.full_like(np.take(x, [0], axis), start), x], axis)
        x = np.delete(x, -1, axis)
    out = function(x, axis=axis, dtype=x.dtype)
    return np.flip(out, axis) if reverse else out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 0 not in shape])
def test_scans_have_the_bits_of_numpy(shape, dtype):
    x = numbers(shape, dtype)
    for given in layouts(x):
        for axis in range(-len(shape), len(shape)):
            for exclusive, reverse in itertools.product((False, True), repeat=2):
                for op, function, start in (
                    (tf.cumsum, np.cumsum, 0),
                    (tf.math.cumprod, np.cumprod, 1),
                ):
                    found = op(tf.constant(given), axis, exclusive, reverse).numpy()
                    expected = scan(function, x, axis, exclusive, reverse, start)
                    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,)])
def test_scans_of_nothing(shape):
    for op in (tf.cumsum, tf.math.cumprod):
        assert op(tf.zeros(shape)).numpy().shape == shape


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (9,), (3, 40), (40, 3), (2, 5, 3), (17, 300)])
def test_recurrences(shape, dtype):
    decay, drive = numbers(shape, dtype), numbers(shape, dtype, 1)
    for axis in range(len(shape)):
        for reverse, lagged in itertools.product((False, True), repeat=2):
            decays, drives = np.moveaxis(decay, axis, 0), np.moveaxis(drive, axis, 0)
            order = range(shape[axis])[::-1] if reverse else range(shape[axis])
            expected = np.empty_like(drives)
            last = None
            for k in order:
                kept = 0 if last is None else decays[last if lagged else k] * expected[last]
                expected[k] = drives[k] + kept
                last = k
            found = recurrence(tf.constant(decay), tf.constant(drive), axis, reverse, lagged)
            np.testing.assert_array_equal(
                np.moveaxis(found.numpy(), axis, 0), expected, strict=True
            )


def extreme_places(x, axis, largest):
    """The first of the extremes; NaN counts as the last that one would choose."""
    worst = -np.inf if largest else np.inf
    filled = np.where(np.isnan(x), worst, x)
    return (np.argmax if largest else np.argmin)(filled, axis=axis)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 0 not in shape] + [(3, 1000)])
def test_places_of_extremes(shape, dtype):
    random = np.random.default_rng(3)
    plain = numbers(shape, dtype)
    ties = random.integers(0, 3, shape).astype(dtype)
    holes = np.where(random.random(shape) < 0.4, np.nan, plain).astype(dtype)
    infinite = random.choice([np.inf, -np.inf, np.nan], shape).astype(dtype)
    only_nan = np.full(shape, np.nan, dtype)
    for x in (plain, ties, holes, infinite, only_nan):
        for given in layouts(x):
            for axis in range(-len(shape), len(shape)):
                for op, largest in ((tf.argmax, True), (tf.argmin, False)):
                    found = op(tf.constant(given), axis=axis).numpy()
                    np.testing.assert_array_equal(
                        found, extreme_places(x, axis, largest), strict=True
                    )
                    narrow = op(tf.constant(given), axis=axis, output_type=tf.int32).numpy()
                    assert narrow.dtype == np.int32
                    np.testing.assert_array_equal(narrow, found)


@pytest.mark.parametrize("shape", SHAPES)
def test_truths(shape):
    random = np.random.default_rng(4)
    for share in (0.0, 0.1, 0.9, 1.0):
        x = random.random(shape) < share
        for given in layouts(x):
            for axis in (None, -1, 0, len(shape) - 1):
                for keepdims in (False, True):
                    for op, function in ((tf.reduce_any, np.any), (tf.reduce_all, np.all)):
                        found = op(tf.constant(given), axis, keepdims).numpy()
                        expected = np.asarray(function(x, axis=axis, keepdims=keepdims))
                        np.testing.assert_array_equal(found, expected)
                        assert np.shape(found) == expected.shape


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5,), (3, 40), (2, 3, 100), (4, 1000)])
def test_top_k(shape, dtype):
    random = np.random.default_rng(5)
    plain = numbers(shape, dtype)
    ties = random.integers(0, 4, shape).astype(dtype)
    holes = np.where(random.random(shape) < 0.2, np.nan, plain).astype(dtype)
    for x in (plain, ties, holes, np.full(shape, np.nan, dtype)):
        # Stable, the largest first, and NaN before all numbers.
        key = np.where(np.isnan(x), np.inf, x)
        order = np.argsort(-key, axis=-1, kind="stable")
        for given in layouts(x):
            for k in (1, 2, 5):
                values, places = tf.math.top_k(tf.constant(given), k)
                np.testing.assert_array_equal(places.numpy(), order[..., :k])
                np.testing.assert_array_equal(
                    values.numpy(), np.take_along_axis(x, order[..., :k], -1), strict=True
                )


@pytest.mark.parametrize("dtype", [*DTYPES, "int8", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (2, 4, 4), (2, 0, 3)])
def test_bands_and_diagonals(shape, dtype):
    x = (numbers(shape, "float64") * 50).astype(dtype)
    rows, columns = shape[-2:]
    row, column = np.indices((rows, columns))
    for given in layouts(x):
        tensor = tf.constant(given)
        for lower, upper in itertools.product((-1, 0, 1), repeat=2):
            if lower > rows or upper > columns:
                continue
            inside = ((lower < 0) | (row - column <= lower)) & (
                (upper < 0) | (column - row <= upper)
            )
            np.testing.assert_array_equal(
                tf.linalg.band_part(tensor, lower, upper).numpy(),
                np.where(inside, x, np.zeros((), x.dtype)),
            )
        if 0 in shape:
            continue
        for k in range(1 - rows, columns):
            np.testing.assert_array_equal(
                tf.linalg.diag_part(tensor, k=k).numpy(), np.diagonal(x, k, -2, -1)
            )
        diagonal = np.diagonal(x, 0, -2, -1)
        replaced = x.copy()
        index = np.arange(min(rows, columns))
        replaced[..., index, index] = diagonal[..., ::-1]
        np.testing.assert_array_equal(
            tf.linalg.set_diag(tensor, tf.constant(diagonal[..., ::-1])).numpy(), replaced
        )
        square = np.zeros((*diagonal.shape, len(index)), x.dtype)
        square[..., index, index] = diagonal
        np.testing.assert_array_equal(tf.linalg.diag(tf.constant(diagonal)).numpy(), square)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 5), (2, 0, 3), (4, 3, 2, 1)])
def test_views(shape):
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    rank = len(shape)
    for given in layouts(x):
        tensor = tf.constant(given)
        for perm in [None, *itertools.permutations(range(rank))]:
            found = tf.transpose(tensor, perm).numpy()
            np.testing.assert_array_equal(found, np.transpose(x, perm), strict=True)
        for axis in range(-rank - 1, rank + 1):
            found = tf.expand_dims(tensor, axis).numpy()
            np.testing.assert_array_equal(found, np.expand_dims(x, axis), strict=True)
        np.testing.assert_array_equal(tf.squeeze(tensor).numpy(), np.squeeze(x))
        for axis in range(-rank, rank):
            if shape[axis] == 1:
                found = tf.squeeze(tensor, [axis]).numpy()
                np.testing.assert_array_equal(found, np.squeeze(x, axis), strict=True)
        begin = [length // 2 for length in shape]
        for size in ([-1] * rank, [length - length // 2 for length in shape], [0] * rank):
            index = tuple(
                slice(start, None if length == -1 else start + length)
                for start, length in zip(begin, size, strict=True)
            )
            np.testing.assert_array_equal(tf.slice(tensor, begin, size).numpy(), x[index])
        if rank and x.size:
            np.testing.assert_array_equal(
                tf.reshape(tensor, [-1, shape[-1]]).numpy(), x.reshape(-1, shape[-1])
            )


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64", "complex128", "bool"])
@pytest.mark.parametrize(
    "shape", [(), (1,), (7,), (3, 5), (0, 3), (40_000,), (1_100_003,), (2_200_003,)]
)
def test_filled(shape, dtype):
    """Also of so many bytes that no cache holds them."""
    for value, named, alike in ((0, tf.zeros, tf.zeros_like), (1, tf.ones, tf.ones_like)):
        expected = np.full(shape, value, dtype)
        filled = tf.fill(shape, tf.constant(np.asarray(value, dtype)))
        for found in (filled, named(shape, dtype), alike(filled)):
            np.testing.assert_array_equal(found.numpy(), expected, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
@pytest.mark.parametrize("width", [1, 3, 16, 127, 128, 255, 256, 257, 511, 512, 513, 1025])
def test_one_row_beside_every_row(width, dtype):
    random = np.random.default_rng(width)
    bias = random.integers(-9, 9, width).astype(dtype)
    for rows in (1, 2, 7, 300, 40_000 // width + 1):
        x = random.integers(-9, 9, (rows, width)).astype(dtype)
        np.testing.assert_array_equal((tf.constant(x) - bias).numpy(), x - bias, strict=True)
        np.testing.assert_array_equal((bias - tf.constant(x)).numpy(), bias - x, strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_sequences(dtype):
    for start, stop in ((0, 0), (0, 1), (-5, 9), (0, 40_000), (2**31 - 3, 2**31 - 1)):
        if dtype.startswith("int"):
            found = tf.range(start, stop, dtype=dtype).numpy()
            np.testing.assert_array_equal(found, np.arange(start, stop).astype(dtype), strict=True)
    for shape in ((1, 1), (3, 5), (5, 3), (0, 2)):
        found = tf.eye(*shape, batch_shape=[2], dtype=dtype).numpy()
        np.testing.assert_array_equal(found, np.broadcast_to(np.eye(*shape), (2, *shape)))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_one_hot(dtype):
    indices = np.array([[0, 2, -1], [5, 1, 2]], dtype)
    for on, off in ((None, None), (2.5, -1.0), (0.0, 1.0)):
        found = tf.one_hot(tf.constant(indices), 3, on_value=on, off_value=off).numpy()
        expected = np.where(
            indices[..., None] == np.arange(3),
            1.0 if on is None else on,
            0.0 if off is None else off,
        )
        np.testing.assert_array_equal(found, expected.astype(np.float32), strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_counts(dtype):
    x = np.random.default_rng(6).integers(0, 50, 1000).astype(dtype)
    for given in layouts(x):
        found = tf.math.bincount(tf.constant(given), minlength=60, maxlength=70).numpy()
        np.testing.assert_array_equal(found, np.bincount(x, minlength=60))
        short = tf.math.bincount(tf.constant(given), maxlength=10, dtype=tf.float32).numpy()
        np.testing.assert_array_equal(short, np.bincount(x)[:10].astype(np.float32), strict=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
        tf.math.bincount(tf.constant(np.array([1, -1], dtype)))


def well_conditioned(shape, dtype):
    n = shape[-1]
    return (numbers(shape, "float64") / n + 2 * np.eye(n)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 4, 4), (70, 70), (2, 2, 33, 33)])
def test_factors(shape, dtype):
    rtol = 1e-4 if dtype == "float32" else 1e-11
    matrix = well_conditioned(shape, dtype)
    exact = matrix.astype(np.float64)
    definite = (exact @ np.swapaxes(exact, -1, -2)).astype(dtype)
    for columns in (1, 3, 64, 65, 200):
        sides = numbers((*shape[:-1], columns), dtype, 7)
        for given in layouts(matrix):
            for adjoint in (False, True):
                turned = np.swapaxes(exact, -1, -2) if adjoint else exact
                found = tf.linalg.solve(tf.constant(given), tf.constant(sides), adjoint).numpy()
                np.testing.assert_allclose(
                    found, np.linalg.solve(turned, sides), rtol=rtol, atol=rtol
                )
                for lower in (False, True):
                    triangle = np.tril(exact) if lower else np.triu(exact)
                    turned = np.swapaxes(triangle, -1, -2) if adjoint else triangle
                    found = tf.linalg.triangular_solve(
                        tf.constant(given), tf.constant(sides), lower, adjoint
                    )
                    np.testing.assert_allclose(
                        found.numpy(), np.linalg.solve(turned, sides), rtol=rtol, atol=rtol
                    )
    for given, whole in zip(layouts(matrix), layouts(definite), strict=True):
        np.testing.assert_allclose(
            tf.linalg.inv(tf.constant(given)).numpy(), np.linalg.inv(exact), rtol=rtol, atol=rtol
        )
        np.testing.assert_allclose(
            tf.linalg.det(tf.constant(given)).numpy(), np.linalg.det(exact), rtol=50 * rtol
        )
        sign, logarithm = tf.linalg.slogdet(tf.constant(given))
        wanted_sign, wanted = np.linalg.slogdet(exact)
        np.testing.assert_array_equal(sign.numpy(), wanted_sign)
        np.testing.assert_allclose(logarithm.numpy(), wanted, rtol=rtol, atol=50 * rtol)
        found = tf.linalg.cholesky(tf.constant(whole)).numpy()
        wanted = np.linalg.cholesky(definite.astype(np.float64))
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol)
        assert not np.triu(found, 1).any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_what_has_none(dtype):
    singular = tf.constant(np.ones((3, 3), dtype))
    for call in (lambda: tf.linalg.inv(singular), lambda: tf.linalg.solve(singular, singular)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            call()
    assert tf.linalg.det(singular).numpy() == 0
    sign, logarithm = tf.linalg.slogdet(singular)
    assert (sign.numpy(), logarithm.numpy()) == (0, -np.inf)
    assert np.isnan(np.tril(tf.linalg.cholesky(-singular).numpy())[2, 2])
    zero = tf.constant(np.zeros((1, 1), dtype))
    one = tf.constant(np.ones((1, 1), dtype))
    assert tf.linalg.triangular_solve(zero, one).numpy() == np.inf


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(33, 33), (97, 97), (161, 161), (2, 170, 170), (8, 161, 161)])
def test_factors_panel_by_panel(shape, dtype):
    """Matrices of several panels, with the same bits from any number of threads."""
    n = shape[-1]
    tolerance = 1e-3 if dtype == "float32" else 1e-11
    matrix = numbers(shape, dtype) + 2 * np.sqrt(n).astype(dtype) * np.eye(n, dtype=dtype)
    exact = matrix.astype(np.float64)
    turned = np.swapaxes(exact, -1, -2)
    definite = (exact @ turned / n + np.eye(n)).astype(dtype)
    sides = numbers((*shape[:-1], 66), dtype, 7)
    hidden = np.full(shape, np.nan, dtype)
    calls = {
        "inv": lambda: tf.linalg.inv(matrix),
        "solve": lambda: tf.linalg.solve(matrix, sides),
        "adjoint": lambda: tf.linalg.solve(matrix, sides, adjoint=True),
        "det": lambda: tf.linalg.det(matrix / 4),
        "signs": lambda: tf.linalg.slogdet(matrix)[0],
        "logarithms": lambda: tf.linalg.slogdet(matrix)[1],
        "cholesky": lambda: tf.linalg.cholesky(definite + np.triu(hidden, 1)),
    }
    for lower, adjoint in itertools.product((True, False), repeat=2):
        triangle = np.tril(matrix) if lower else np.triu(matrix)
        calls[lower, adjoint] = lambda given=triangle / n, lower=lower, adjoint=adjoint: (
            tf.linalg.triangular_solve(
                given
                + np.eye(n, dtype=dtype)
                + (np.triu if lower else np.tril)(hidden, 2 * lower - 1),
                sides,
                lower,
                adjoint,
            )
        )
    found = {}
    for name, call in calls.items():
        found[name] = call().numpy()
        for threads in (1, 3):
            set_thread_count(threads)
            np.testing.assert_array_equal(call().numpy(), found[name], str(name))
        set_thread_count(0)

    def close(product, wanted):
        np.testing.assert_allclose(product, wanted, atol=tolerance)

    close(found["inv"] @ exact, np.broadcast_to(np.eye(n), shape))
    close(exact @ found["solve"], sides)
    close(turned @ found["adjoint"], sides)
    factor = found["cholesky"].astype(np.float64)
    close(factor @ np.swapaxes(factor, -1, -2), definite)
    assert not np.triu(factor, 1).any()
    sign, logarithm = np.linalg.slogdet(exact)
    np.testing.assert_array_equal(found["signs"], sign)
    np.testing.assert_allclose(found["logarithms"], logarithm, rtol=tolerance)
    with np.errstate(over="ignore"):
        wanted = (sign * np.exp(logarithm - n * np.log(4))).astype(dtype)
    np.testing.assert_allclose(found["det"], wanted, rtol=100 * tolerance)
    for lower, adjoint in itertools.product((True, False), repeat=2):
        triangle = (np.tril(exact) if lower else np.triu(exact)) / n + np.eye(n)
        close(
            (np.swapaxes(triangle, -1, -2) if adjoint else triangle) @ found[lower, adjoint], sides
        )


def test_wide_panels():
    n = 1100
    matrix = numbers((n, n), "float64") + 30 * np.eye(n)
    sides = numbers((n, 3), "float64", 7)
    np.testing.assert_allclose(matrix @ tf.linalg.solve(matrix, sides).numpy(), sides, atol=1e-10)
    definite = matrix @ matrix.T
    factor = tf.linalg.cholesky(definite).numpy()
    np.testing.assert_allclose(factor @ factor.T, definite, atol=1e-8)


@pytest.mark.parametrize("n", [5, 40, 200])
def test_large_factors_of_what_has_none(n):
    singular = numbers((n, n), "float64")
    singular[:, -1] = 0
    for call in (tf.linalg.inv, lambda matrix: tf.linalg.solve(matrix, matrix)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            call(singular)
    assert tf.linalg.det(singular).numpy() == 0
    indefinite = np.eye(n)
    indefinite[-1, -1] = -1
    assert np.isnan(np.tril(tf.linalg.cholesky(indefinite).numpy())[-1, -1])
    for odd in (np.nan, np.inf):
        given = np.full((n, n), odd)
        assert np.isnan(tf.linalg.det(given).numpy())
        assert np.isnan(tf.linalg.inv(given).numpy()).all()
    # The inverses of these overflow, or have lost digits.
    for small, large in ((1e-310, 1e-305), (1e308, 1e300)):
        found = tf.linalg.triangular_solve(small * np.eye(n), np.full((n, 1), large))
        np.testing.assert_allclose(found.numpy(), large / small, rtol=1e-9)


def test_determinants_whose_parts_are_no_numbers():
    """As TensorFlow's: the product of all is one, that of the first two too large or too small."""
    for numbers_ in ([1e200, 1e200, 1e-200, 1e-200], [1e-200, 1e-200, 1e200, 1e200]):
        np.testing.assert_allclose(tf.linalg.det(np.diag(numbers_)).numpy(), 1, rtol=1e-14)
    assert tf.linalg.det(np.diag([1e200, 1e200, 0])).numpy() == 0
    assert tf.linalg.det(np.diag([2, np.inf])).numpy() == np.inf
    assert tf.linalg.det(np.diag([1e200, -1e200])).numpy() == -np.inf
    assert np.isnan(tf.linalg.det(np.diag([1e200, np.inf, 0])).numpy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2, 3, 5), (40, 333), (5, 0), (0, 5), (2, 5000)])
def test_moments_of_rows(shape, dtype):
    x = (numbers(shape, dtype) + 10).astype(dtype)
    for given in layouts(x):
        for axes in ([-1], list(range(1, len(shape)))):
            for keepdims in (False, True):
                mean, variance = tf.nn.moments(tf.constant(given), axes, keepdims=keepdims)
                exact = x.astype(np.float64)
                if 0 in shape:
                    assert mean.shape == variance.shape
                    continue
                wanted = exact.mean(tuple(axes), keepdims=keepdims)
                spread = exact.var(tuple(axes), keepdims=keepdims)
                eps = np.finfo(dtype).eps
                np.testing.assert_allclose(mean.numpy(), wanted, rtol=8 * eps)
                np.testing.assert_allclose(variance.numpy(), spread, rtol=64 * eps, atol=64 * eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 100), (40_000,)])
def test_logsumexp(shape, dtype):
    for scale in (1, 100, 1000):
        x = (numbers(shape, dtype) * scale).astype(dtype)
        for given in layouts(x):
            for axis in (None, -1):
                exact = x.astype(np.longdouble)
                largest = exact.max(axis=axis, keepdims=True)
                wanted = np.log(np.exp(exact - largest).sum(axis=axis, keepdims=True)) + largest
                found = tf.reduce_logsumexp(tf.constant(given), axis, keepdims=True).numpy()
                eps = np.finfo(dtype).eps
                np.testing.assert_allclose(found, wanted.astype(dtype), rtol=4 * eps, atol=4 * eps)


def test_logsumexp_of_infinities():
    inf, nan = np.inf, np.nan
    rows = np.array([[-inf, -inf], [inf, 1], [inf, -inf], [nan, 1], [-inf, 2]], np.float32)
    found = tf.reduce_logsumexp(rows, -1).numpy()
    np.testing.assert_array_equal(found, np.float32([-inf, inf, inf, nan, 2]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 3), (2, 5, 7), (3, 40, 2), (1, 1)])
def test_resampling(shape, dtype):
    x = numbers(shape, dtype)
    random = np.random.default_rng(8)
    for axis in range(len(shape)):
        indices = random.integers(0, shape[axis], (6, 3))
        weights = random.standard_normal((6, 3)).astype(dtype)
        weights[random.random((6, 3)) < 0.3] = 0
        moved = np.moveaxis(x, axis, 0)
        expected = np.zeros((6, *moved.shape[1:]), dtype)
        for new, k in itertools.product(range(6), range(3)):
            if weights[new, k] != 0:
                expected[new] = expected[new] + moved[indices[new, k]] * weights[new, k]
        for given in layouts(x):
            found = resample.resampling.weighted_rows(given, axis, indices, weights)
            np.testing.assert_array_equal(
                found, np.ascontiguousarray(np.moveaxis(expected, 0, axis)), strict=True
            )
    with pytest.raises(ValueError, match="outside the axis"):
        resample.resampling.weighted_rows(x, 0, np.array([[shape[0]]]), np.ones((1, 1)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_leaky_relu(shape, dtype):
    x, dy = numbers(shape, dtype), numbers(shape, dtype, 9)
    if x.size:
        x.flat[0] = np.nan
    slope = np.asarray(0.2, dtype)
    for given in layouts(x):
        tensor = tf.constant(given)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            y = tf.nn.leaky_relu(tensor, alpha=0.2)
        np.testing.assert_array_equal(y.numpy(), np.where(x > 0, x, x * slope), strict=True)
        found = tape.gradient(y, tensor, output_gradients=tf.constant(dy)).numpy()
        np.testing.assert_array_equal(found, np.where(x > 0, dy, dy * slope), strict=True)


@pytest.mark.parametrize("dtype", [*DTYPES, "int32"])
@pytest.mark.parametrize(
    "shape", [(2, 1), (3, 5), (1000, 3), (7, 513), (2, 3, 4), (0, 3), (129, 128)]
)
def test_short_rows_beside_one_row(shape, dtype):
    x, row = ((numbers(size, "float64") * 9).astype(dtype) for size in (shape, shape[-1:]))
    for given in layouts(x):
        for first, second, expected in ((given, row, x - row), (row, given, row - x)):
            found = tf.subtract(tf.constant(first), tf.constant(second)).numpy()
            np.testing.assert_array_equal(found, expected, strict=True)
        if x.ndim > 1:
            np.testing.assert_array_equal(
                tf.nn.bias_add(tf.constant(given), tf.constant(row)).numpy(), x + row, strict=True
            )
