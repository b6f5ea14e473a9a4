"""Kernels compiled for several widths of vectors: each level gives the answers of the others."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import draws, kernels, norms, reductions, slopes, softmax, windows, xp
from tapegrad.engines.numpy.levels import levels, set_level

pytestmark = pytest.mark.usefixtures("engine_as_before")

LEVELS, BEST = levels()


def at_each_level(function):
    answers = []
    for level in range(BEST + 1):
        set_level(level)
        answer = function()
        answers.append(answer if isinstance(answer, tuple) else (answer,))
    return answers


def same_bits(function):
    plain, *others = at_each_level(function)
    for other in others:
        for expected, found in zip(plain, other, strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)


def test_only_levels_of_this_processor():
    assert 0 <= BEST < LEVELS
    for level in (-1, BEST + 1):
        with pytest.raises(ValueError, match=f"has the levels 0 to {BEST}, not {level}"):
            set_level(level)


def level_of_a_process(name):
    program = "from tapegrad.engines.numpy.levels import levels; print(levels()[1])"
    environment = os.environ | {"TAPEGRAD_LEVEL": name}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_the_level_that_the_environment_names():
    widest = int(level_of_a_process("").stdout)
    for level, name in enumerate(("plain", "middle", "wide")):
        assert int(level_of_a_process(name).stdout) == min(level, widest)
    message = "TAPEGRAD_LEVEL is one of plain, middle, wide; 'avx2' came."
    assert message in level_of_a_process("avx2").stderr


@pytest.mark.parametrize("rows", [1, 9, 15, 16, 17, 24, 31, 100])
@pytest.mark.parametrize("columns", [1, 17, 513])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_columns(rows, columns, dtype):
    random = np.random.default_rng(rows)
    x = random.standard_normal((rows, columns)).astype(dtype)
    infinite = np.where(random.random(x.shape) < 0.3, np.inf, x).astype(dtype)
    for given in (x, infinite, -infinite, np.where(random.random(x.shape) < 0.02, np.nan, x)):
        given = given.astype(dtype)
        for level in range(BEST + 1):
            set_level(level)
            np.testing.assert_array_equal(reductions.max_axes(given, 0, False), given.max(0))
            np.testing.assert_array_equal(reductions.min_axes(given, 0, False), given.min(0))


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 10, 600])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_reductions_of_few_rows(rows, dtype):
    x = np.random.default_rng(rows).standard_normal((3, rows, 37)).astype(dtype)
    wide = x.astype(np.float64)
    for ours, numpys in (
        (reductions.sum_axes, np.sum),
        (reductions.mean_axes, np.mean),
        (reductions.max_axes, np.max),
        (reductions.min_axes, np.min),
    ):
        np.testing.assert_allclose(
            ours(x, 1, False),
            numpys(wide, 1),
            rtol=1e-5 if dtype == "float32" else 1e-13,
            atol=1e-5,
        )
        same_bits(lambda: ours(x, 1, False))  # noqa: B023 (called in this round)


@pytest.mark.parametrize("name", ["lgamma_of_floats", "digamma_of_floats", "trigamma"])
def test_gamma_functions(name):
    random = np.random.default_rng(5)
    whole = np.arange(-9, 10).astype(np.float32)
    edges = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-38, -1e-38, 3e38, -3e38, 0.5, -0.5])
    x = np.concatenate([random.standard_normal(1000).astype(np.float32) * 20, whole, edges])
    plain, *others = [kernels.functions(level)[name] for level in range(BEST + 1)]
    with np.errstate(all="ignore"):
        for size in (1, 3, 17, len(x)):
            for other in others:
                np.testing.assert_array_equal(other(x[-size:]), plain(x[-size:]), strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 7, 31, 32, 33, 100, 1500, 40_000])
def test_reductions(length, dtype):
    x = np.random.default_rng(length).standard_normal((3, length)).astype(dtype)
    for array, axis in ((x, 1), (x.T, 0), (x, 0), (x[:, ::2], 1), (x[:, ::2], 0)):
        for reduce in (
            reductions.sum_axes,
            reductions.mean_axes,
            reductions.max_axes,
            reductions.min_axes,
        ):
            same_bits(lambda: reduce(array, axis, False))  # noqa: B023 (called in this round)
        for op in (tf.reduce_prod, tf.math.count_nonzero):
            same_bits(lambda: op(array, axis).numpy())  # noqa: B023 (called in this round)


def added(dy, x, mean, factor, axes):
    whole = dy.copy()
    assert norms.add_normalized(whole, x, mean, factor, mean, axes)
    return whole


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 3), (40, 33), (9, 1500), (700, 20)])
def test_norms(shape, dtype):
    random = np.random.default_rng(3)
    x, dy = (random.standard_normal(shape).astype(dtype) for _ in range(2))
    for axis in (0, 1):
        mean, variance = norms.moments(x, (axis,))
        factor = 1 / np.sqrt(variance + np.asarray(0.1, dtype))
        same_bits(lambda: norms.moments(x, (axis,)))  # noqa: B023 (called in this round)
        same_bits(lambda: norms.weighted_sums(dy, x, mean, (axis,)))  # noqa: B023
        same_bits(lambda: norms.normalize(x, mean, factor, mean, (axis,)))  # noqa: B023
        same_bits(lambda: added(dy, x, mean, factor, (axis,)))  # noqa: B023
        same_bits(lambda: norms.scale_gradient(dy, factor, (axis,)))  # noqa: B023
        same_bits(lambda: norms.project_gradient(dy, x, factor, mean, mean, factor, (axis,)))  # noqa: B023
    mean, variance = norms.moments(x, (1,))
    scale, offset = (random.standard_normal(shape[1]).astype(dtype) for _ in range(2))
    same_bits(lambda: norms.normalize_rows(x, mean, variance, scale, offset))
    same_bits(lambda: norms.normalize_rows_grad(dy, x, mean, variance, scale))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "int32", "int64"])
def test_windows(dtype):
    numbers = np.random.default_rng(4).standard_normal((2, 9, 11, 37)) * 20
    # C leaves open what uint16 makes of a negative float; on ARM NumPy warns of it.
    x = (numbers.astype("int64") if "int" in dtype else numbers).astype(dtype)
    steps = ((2, 1), (1, 2), (1, 0), (5, 7))
    out = windows.max_pool(x, (3, 3), steps)
    same_bits(lambda: windows.max_pool(x, (3, 3), steps))
    same_bits(lambda: windows.max_pool_places(x, (3, 3), steps))
    for every in (False, True):
        same_bits(lambda: windows.max_pool_gradient(x, out, out, (3, 3), steps, every))  # noqa: B023
        same_bits(lambda: windows.max_pool_gather(x, out, x, (3, 3), steps, every))  # noqa: B023
    if dtype.startswith("float"):
        same_bits(lambda: windows.average_pool(x, (3, 3), steps))
        same_bits(lambda: windows.average_pool_gradient(x.shape, out, (3, 3), steps))
        for each in (1, 2):
            filters = np.random.default_rng(5).standard_normal((3, 3, 37, each)).astype(dtype)
            for places in (steps, ((1, 1), (1, 1), (1, 1), (9, 11))):
                y = windows.depthwise(x, filters, places)
                same_bits(lambda: windows.depthwise(x, filters, places))  # noqa: B023
                same_bits(lambda: windows.depthwise_by_input(x.shape, filters, y, places))  # noqa: B023
                same_bits(lambda: windows.depthwise_by_filter(x, filters.shape, y, places))  # noqa: B023


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponentials_of_softmax(dtype):
    """Levels with one rounding of a product and a sum differ from those with two in the last bits."""
    info = np.finfo(dtype)
    below = np.linspace(0, np.log(info.tiny), 100_001).astype(dtype)
    expected = np.exp(below.astype(np.longdouble))
    # Two columns: the first is the largest, so that the second is exp(x) / (1 + exp(x)).
    rows = np.stack([np.zeros_like(below), below], 1)
    for (found,) in at_each_level(lambda: softmax.softmax(rows, 1)):
        off = abs(found[:, 1].astype(np.longdouble) / (expected / (1 + expected)) - 1)
        assert off.max() <= 1.7 * info.eps
    rows = np.array([[0, -np.inf], [0, -800], [np.nan, 0], [np.inf, 0], [-np.inf, -np.inf]], dtype)
    plain, *others = at_each_level(lambda: softmax.softmax(rows, 1))
    np.testing.assert_array_equal(plain[0][:2], [[1, 0], [1, 0]])
    assert np.isnan(plain[0][2:]).all()
    for other in others:
        np.testing.assert_array_equal(other[0], plain[0])


@pytest.mark.parametrize("count", [1, 3, 4, 63, 255, 256, 257, 5_000])
@pytest.mark.parametrize("name", ["words", "uniform_32", "uniform_64", "normal_32", "normal_64"])
def test_draws(name, count):
    """The words of a stream are the same wherever it is cut, and so are the numbers made of them."""
    kind, _, bits = name.partition("_")

    def drawn(counter):
        if kind == "words":
            out = np.empty(count, np.uint32)
            draws.fill_words(out, 2**63 + 5, counter % 2**64, counter >> 64)
            return out
        return getattr(draws, kind)(2**63 + 5, counter, count, np.dtype(f"float{bits}"))

    for start in (0, 7 * 2**64 + 2**64 - 3, 2**128 - 1):
        same_bits(lambda: drawn(start))  # noqa: B023 (called in this round)
        counters = 1 if bits == "64" else 2
        apart = counters * (2 if bits == "64" else 4)
        rest = drawn((start + counters) % 2**128)
        np.testing.assert_array_equal(drawn(start)[apart:], rest[: max(count - apart, 0)])


@pytest.mark.parametrize("count", [1, 4, 7, 255, 1_000])
@pytest.mark.parametrize("bits", [32, 64])
def test_truncated_draws(bits, count):
    """Each group takes the first numbers below two from a stream of its own."""
    dtype, group = np.dtype(f"float{bits}"), 128 // bits
    begin = 3 * 2**64 + 2**64 - 500

    def drawn():
        return draws.truncated_normal(77, begin, count, dtype, 128)

    same_bits(drawn)
    found = drawn()
    for first in range(0, count, group):
        candidates = draws.normal(77, begin + first // group * 128, 40, dtype)
        taken = candidates[np.abs(candidates) < 2][:group]
        np.testing.assert_array_equal(found[first : first + group], taken[: count - first])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("share_of_extremes", [0, 0.002, 0.3])
def test_slopes_of_quotients(dtype, share_of_extremes):
    """Exact to two roundings also where a part of the product is no number, whatever stands beside it."""
    random = np.random.default_rng(8)
    largest = np.finfo(dtype).maxexp - 1
    size = (3, 5_000)
    exponents = random.integers(-largest + 2, largest, size)
    factors = np.where(random.random(size) < share_of_extremes, np.ldexp(1.0, exponents), 1.0)
    x, y, dy = (random.uniform(0.5, 2, size) * random.choice([-1.0, 1.0], size) * factors).astype(
        dtype
    )
    dy[random.random(5_000) < 0.1] = 0
    found = slopes.quotient_slope(xp, dy, y, x)
    exact = -x.astype(np.longdouble) * dy / y
    exact[dy == 0] = 0
    numbers = np.abs(exact) <= np.finfo(dtype).max
    small = np.finfo(dtype).smallest_normal * 4
    error = np.abs(found - exact)[numbers] - 2 * np.finfo(dtype).eps * np.abs(exact)[numbers]
    assert error.max() <= small
    assert not np.isnan(found).any()
    same_bits(lambda: slopes.quotient_slope(xp, dy, y, x))
    alone = [slopes.quotient_slope(xp, dy[i:][:1], y[i:][:1], x[i:][:1]) for i in range(500)]
    np.testing.assert_array_equal(np.concatenate(alone), found[:500])
