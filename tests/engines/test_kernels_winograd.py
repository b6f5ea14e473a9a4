"""Convolutions of 3 x 3 that go Winograd's way, beside float64 and beside their own direct way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import convolution as kernels
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.threads import set_thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

LEVELS, BEST = levels()
ONCE = ((1, 1), (1, 1))  # strides and dilations


def draw(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def places_of(x: Any, before: tuple[int, int] = (1, 1), after: tuple[int, int] = (1, 1)) -> Any:
    output = tuple(x.shape[i + 1] + before[i] + after[i] - 2 for i in range(2))
    return (*ONCE, before, output)


def direct(x: Any, filters: Any, places: Any) -> Any:
    """Tap by tap, as few filters at once are computed; each has a sum of its own."""
    few = [filters[..., i : i + 8] for i in range(0, filters.shape[-1], 8)]
    return np.concatenate([kernels.convolution(x, part, places) for part in few], -1)


def exact(x: Any, filters: Any, places: Any) -> Any:
    return kernels.convolution(x.astype(np.float64), filters.astype(np.float64), places)


def assert_near(found: Any, expected: Any) -> None:
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6 * (1 + np.abs(expected).max()))


def check(x: Any, filters: Any, places: Any) -> None:
    dy = draw(len(x), *places[-1], filters.shape[-1], seed=2)
    wide = [array.astype(np.float64) for array in (x, filters, dy)]
    assert_near(kernels.convolution(x, filters, places), exact(x, filters, places))
    assert_near(
        kernels.convolution_by_input(x.shape, filters, dy, places),
        kernels.convolution_by_input(x.shape, wide[1], wide[2], places),
    )
    assert_near(
        kernels.convolution_by_filter(x, filters.shape, dy, places),
        kernels.convolution_by_filter(wide[0], filters.shape, wide[2], places),
    )


# Sizes that no square fills, channels that no vector, tile or block fills, and some that all do.
SIZES = [(6, 6), (5, 7), (9, 3), (3, 8), (2, 31)]
CHANNELS = [(16, 32), (33, 17), (64, 16), (17, 49), (330, 18), (24, 100)]


@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("sizes", SIZES)
def test_values_and_gradients(sizes: tuple[int, int], level: int) -> None:
    if level > BEST:
        pytest.skip("this processor has no vectors as wide")
    set_level(level)
    for (depth, width), before, after in zip(
        CHANNELS,
        [(1, 1), (0, 0), (2, 0), (0, 1), (1, 1), (2, 2)],
        [(1, 1), (0, 0), (2, 1), (2, 0), (1, 0), (2, 2)],
        strict=True,
    ):
        x = draw(3, *(size + 2 for size in sizes), depth)
        check(x, draw(3, 3, depth, width, seed=1), places_of(x, before, after))


def goes_this_way(x: Any, filters: Any, places: Any) -> bool:
    return bool((kernels.convolution(x, filters, places) != direct(x, filters, places)).any())


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize(
    ("sizes", "depth", "width", "expected"),
    [
        ((6, 6), 16, 16, True),
        ((6, 6), 15, 64, False),  # few channels
        ((6, 6), 64, 15, False),
        ((5, 5), 32, 32, True),
        ((4, 6), 32, 32, False),  # few squares
        ((1, 40), 32, 32, False),  # squares that are half empty
        ((3, 12), 32, 32, True),
        ((6, 6), 256, 288, True),
        ((6, 6), 256, 289, False),  # many filters for few squares
    ],
)
def test_which_shapes_go_this_way(
    sizes: tuple[int, int], depth: int, width: int, expected: bool, batch: int
) -> None:
    x, filters = draw(batch, *sizes, depth), draw(3, 3, depth, width, seed=1)
    assert goes_this_way(x, filters, places_of(x)) == expected
    check(x, filters, places_of(x))


def test_other_convolutions_do_not_go_this_way() -> None:
    x, filters = draw(1, 12, 12, 32), draw(3, 3, 32, 32, seed=1)
    assert goes_this_way(x, filters, places_of(x))
    for strides, dilations, size in (((1, 2), (1, 1), (12, 6)), ((1, 1), (2, 1), (10, 12))):
        assert not goes_this_way(x, filters, (strides, dilations, (1, 1), size))
    groups = draw(3, 3, 16, 64, seed=1)
    halves = [
        direct(x[..., 16 * i : 16 * i + 16], groups[..., 32 * i : 32 * i + 32], places_of(x))
        for i in range(2)
    ]
    np.testing.assert_array_equal(
        kernels.convolution(x, groups, places_of(x)), np.concatenate(halves, -1)
    )


@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("window", [(6, 6), (5, 6)])
def test_gradients_with_strides_whose_parts_have_three_taps(
    window: tuple[int, int], level: int
) -> None:
    """With strides of 2 each second place of the input gets three of six taps, or of five."""
    if level > BEST:
        pytest.skip("this processor has no vectors as wide")
    set_level(level)
    dy, filters = draw(2, 8, 9, 32), draw(*window, 20, 32, seed=1)
    dy[0, 3, 3] = 1e5
    places = ((2, 2), (1, 1), (2, 2), (8, 9))
    wide = filters.astype(np.float64), dy.astype(np.float64)
    assert_near(
        kernels.convolution_by_input((2, 16, 18, 20), filters, dy, places),
        kernels.convolution_by_input((2, 16, 18, 20), *wide, places),
    )


def test_levels_threads_and_batches_give_the_same_bits() -> None:
    for sizes, (depth, width) in itertools.product([(6, 7), (24, 33)], [(16, 32), (130, 70)]):
        x, filters = draw(4, *sizes, depth), draw(3, 3, depth, width, seed=1)
        dy = draw(4, *sizes, width, seed=2)
        # Some squares go tap by tap.
        x[1, 3, 3], dy[2, 2, 4] = 1e6, 1e5
        places = places_of(x)
        for level in range(BEST + 1):
            set_level(level)
            found = set()
            for count in (1, 2, 3, 7):
                set_thread_count(count)
                found.add(
                    kernels.convolution(x, filters, places).tobytes()
                    + kernels.convolution_by_input(x.shape, filters, dy, places).tobytes()
                )
                alone = [kernels.convolution(x[i : i + 1], filters, places) for i in range(4)]
                alone += [
                    kernels.convolution_by_input((1, *x.shape[1:]), filters, dy[i : i + 1], places)
                    for i in range(4)
                ]
                found.add(b"".join(array.tobytes() for array in alone))
            assert len(found) == 1
            if level == 1:
                narrow = found
            elif level == 2:
                assert found == narrow


def kinds() -> Iterator[tuple[str, Any]]:
    random = np.random.default_rng(0)
    shape = (3, 14, 13, 40)
    normal = random.normal(size=shape)
    y, x = np.meshgrid(np.linspace(0, 3, 14), np.linspace(0, 3, 13), indexing="ij")
    waves = np.sin(x + y)[None, :, :, None] * random.uniform(size=40)
    shown = random.uniform(size=(*shape[:3], 1))
    yield "normal", normal
    yield "relu", np.maximum(normal, 0)
    yield "heavy tails", random.standard_t(2, shape)
    yield "no variance", random.standard_cauchy(shape)
    yield "picture", waves + 0.01 * normal
    yield "blank but for places", normal * (shown < 0.1)
    yield "bright places", normal * np.where(shown < 0.05, 1e6, 1)


@pytest.mark.parametrize(("kind", "x"), list(kinds()), ids=lambda value: str(value)[:12])
def test_errors_beside_those_of_the_direct_way(kind: str, x: Any) -> None:
    """At most three times its largest error, and twice its root mean square, over all of an array."""
    for seed in range(3):
        source, filters = x.astype(np.float32), draw(3, 3, 40, 48, seed=seed)
        places = places_of(source)
        expected = exact(source, filters, places)
        errors = kernels.convolution(source, filters, places) - expected
        others = direct(source, filters, places) - expected
        assert 0 < np.abs(errors).max() <= 3 * np.abs(others).max()
        assert (errors**2).mean() <= 2**2 * (others**2).mean()


@pytest.mark.parametrize(("kind", "x"), list(kinds()), ids=lambda value: str(value)[:12])
def test_the_error_of_each_result(kind: str, x: Any) -> None:
    """Each is as exact as what its own window holds, whatever stands beside it."""
    source, filters = x.astype(np.float32), draw(3, 3, 40, 48)
    places = places_of(source)
    errors = np.abs(kernels.convolution(source, filters, places) - exact(source, filters, places))
    padded = np.pad(np.abs(source).max(-1), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2)).max((3, 4))
    weights = np.abs(filters).sum((0, 1, 2))
    unit = windows[..., None] * weights * 2.0**-24
    assert (errors <= 2 * unit).all()


def test_a_neighbour_does_not_spoil_a_window() -> None:
    filters = draw(3, 3, 16, 32, seed=1)
    for factor in (17.0, 1e3, 1e30, np.inf, np.nan, -np.inf, 3e38):
        x = np.clip(draw(1, 8, 8, 16), -3, 3)
        x[0, :4, :4] /= 3 * np.abs(x[0, :4, :4]).max()
        x[0, 3, 3, 5] = factor  # of the square's windows the last alone sees it
        places = (*ONCE, (0, 0), (6, 6))
        with np.errstate(invalid="ignore"):
            found, wanted = kernels.convolution(x, filters, places), direct(x, filters, places)
        assert found[0, :2, :2].tobytes() == wanted[0, :2, :2].tobytes()
        np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))


def test_windows_of_zeros() -> None:
    filters = draw(3, 3, 16, 32, seed=1)
    for number in (1.0, 1e-30, 1e-45, 1e30):
        x = np.zeros((1, 9, 9, 16), np.float32)
        x[0, 4, 4, 3] = number
        out = kernels.convolution(x, filters, places_of(x))
        wanted = direct(x, filters, places_of(x))
        np.testing.assert_allclose(out, wanted, rtol=0, atol=1e-6 * number + 3 * 2.0**-149)
        assert np.count_nonzero(out.any(-1)) == 9
        assert out[0, 3:6, 3:6].any(-1).all()
    assert not np.signbit(kernels.convolution(0 * x, -np.abs(filters), places_of(x))).any()


@pytest.mark.parametrize("size", [1e-45, 1e-38, 1e-20, 1e18, 1e35, 3e38])
def test_numbers_at_the_ends_of_floats(size: float) -> None:
    """Finite where the direct way is finite, for filters and sources of all sizes."""
    with np.errstate(over="ignore", invalid="ignore"):
        for other in (1e-45, 1e-38, 1e-3, 1e17, 1e30, 3e38):
            x = (np.clip(draw(1, 8, 9, 16), -1, 1) * size).astype(np.float32)
            filters = (np.clip(draw(3, 3, 16, 32, seed=1), -1, 1) * other).astype(np.float32)
            found = kernels.convolution(x, filters, places_of(x))
            wanted = direct(x, filters, places_of(x))
            finite = np.isfinite(wanted)
            np.testing.assert_array_equal(np.isfinite(found), finite)
            np.testing.assert_array_equal(found[~finite], wanted[~finite])
            expected = exact(x, filters, places_of(x))[finite]
            if finite.any():
                limit = 1e-5 * np.abs(expected).max() + 200 * 2.0**-149
                assert np.abs(found[finite] - expected).max() <= limit


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_where_the_direct_way_has_it(bad: float) -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        before, after = (tuple(random.integers(0, 3, 2).tolist()) for _ in range(2))
        x, filters = np.abs(draw(2, 9, 10, 17)), np.abs(draw(3, 3, 17, 40))
        x[tuple(random.integers(size) for size in x.shape)] = bad
        places = places_of(x, before, after)
        with np.errstate(invalid="ignore"):
            found, wanted = kernels.convolution(x, filters, places), direct(x, filters, places)
        np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))
        near = np.isfinite(wanted)
        np.testing.assert_array_equal(found[~near], wanted[~near])
        np.testing.assert_allclose(found[near], wanted[near], rtol=1e-5)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_filters_that_are_not_finite_make_nothing_of_padding(bad: float) -> None:
    x, filters = np.ones((1, 7, 7, 16), np.float32), np.ones((3, 3, 16, 32), np.float32)
    filters[0, 1, 2, 3] = bad
    with np.errstate(invalid="ignore"):
        out = kernels.convolution(x, filters, places_of(x))
    assert np.isfinite(out[0, 0]).all()
    assert not np.isfinite(out[0, 1:, :, 3]).any()
    assert np.isfinite(out[..., :3]).all()


def test_whole_numbers_give_whole_results() -> None:
    random = np.random.default_rng(0)
    x = random.integers(-9, 10, (2, 9, 8, 40)).astype(np.float32)
    filters = random.integers(-9, 10, (3, 3, 40, 33)).astype(np.float32)
    dy = random.integers(-9, 10, (2, 9, 8, 33)).astype(np.float32)
    places = places_of(x)
    wide = [array.astype(np.float64) for array in (x, filters, dy)]
    assert not np.any(kernels.convolution(x, filters, places) - exact(x, filters, places))
    by_input = kernels.convolution_by_input(x.shape, filters, dy, places)
    assert not np.any(by_input - kernels.convolution_by_input(x.shape, *wide[1:], places))
    by_filter = kernels.convolution_by_filter(x, filters.shape, dy, places)
    assert not np.any(
        by_filter - kernels.convolution_by_filter(wide[0], filters.shape, wide[2], places)
    )


def test_empty_and_odd_memory() -> None:
    filters = draw(3, 3, 32, 32, seed=1)
    empty = np.zeros((0, 8, 8, 32), np.float32)
    assert kernels.convolution(empty, filters, places_of(empty)).shape == (0, 8, 8, 32)
    lines = np.zeros((2, 8, 0, 32), np.float32)
    padded = (*ONCE, (1, 8), (8, 14))
    assert not kernels.convolution(lines, filters, padded).any()
    x = draw(2, 8, 9, 32)
    turned = np.ascontiguousarray(x.transpose(3, 1, 0, 2)).transpose(2, 1, 3, 0)
    unaligned = np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view("float32").reshape(x.shape)
    expected = kernels.convolution(x, filters, places_of(x)).tobytes()
    assert kernels.convolution(turned, filters, places_of(x)).tobytes() == expected
    assert kernels.convolution(unaligned, filters, places_of(x)).tobytes() == expected


def test_gradients_of_the_op_beside_finite_differences_and_a_second_gradient() -> None:
    """float32 by this way beside differences of the op in float64, along a direction."""
    x, filters = draw(2, 7, 6, 20), draw(3, 3, 20, 32, seed=1) / 10
    along = draw(*x.shape, seed=2), draw(*filters.shape, seed=3) / 10
    arrays = [tf.constant(x), tf.constant(filters)]

    def value(x: Any, filters: Any) -> Any:
        return tf.reduce_sum(tf.tanh(tf.nn.conv2d(x, filters, 1, "SAME")))

    with tf.GradientTape() as outer:
        outer.watch(arrays)
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            loss = value(*arrays)
        gradients = tape.gradient(loss, arrays)
        slope = tf.add_n([tf.reduce_sum(g * a) for g, a in zip(gradients, along, strict=True)])
    bends = outer.gradient(slope, arrays)
    bend = sum(float(tf.reduce_sum(g * a)) for g, a in zip(bends, along, strict=True))

    step = 1e-4
    values = [
        value(*(np.float64(a) + k * step * d for a, d in zip((x, filters), along, strict=True)))
        for k in (-1, 0, 1)
    ]
    low, middle, high = (float(number) for number in values)
    assert abs(float(slope) - (high - low) / (2 * step)) <= 1e-4 * abs(float(slope))
    assert abs(bend - (high - 2 * middle + low) / step**2) <= 1e-3 * abs(bend)


def test_a_recording_joined_with_what_follows_has_the_bits_of_eager_code() -> None:
    """Also where some squares go tap by tap, and where threads share the filters."""
    for shape, width in (((2, 13, 11, 24), 40), ((1, 6, 6, 64), 300)):
        x = draw(*shape)
        x[0, 4, 4] *= 1e4
        filters = tf.Variable(draw(3, 3, shape[-1], width, seed=1))
        bias = tf.constant(draw(width, seed=2))
        residual = tf.constant(draw(*shape[:3], width, seed=3))

        def python(x: Any, filters: Any = filters, bias: Any = bias, other: Any = residual) -> Any:
            return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, filters, 1, "SAME"), bias) + other)

        expected = python(tf.constant(x)).numpy().tobytes()
        function = tf.function(python)
        for count in (1, 2, 3, 8):
            set_thread_count(count)
            assert function(tf.constant(x)).numpy().tobytes() == expected


def by_filter_directly(x: Any, dy: Any, places: Any) -> Any:
    """Tap by tap: few filters at once."""
    parts = [by_filter(x, dy[..., i : i + 8], places) for i in range(0, dy.shape[-1], 8)]
    return np.concatenate(parts, -1)


def by_filter(x: Any, dy: Any, places: Any) -> Any:
    return kernels.convolution_by_filter(x, (3, 3, x.shape[-1], dy.shape[-1]), dy, places)


@pytest.mark.parametrize(("kind", "x"), list(kinds()), ids=lambda value: str(value)[:12])
@pytest.mark.parametrize(("other", "dy"), list(kinds()), ids=lambda value: str(value)[:12])
def test_errors_of_a_filters_gradient(other: str, dy: Any, kind: str, x: Any) -> None:
    """At most four times the largest error of the direct way, and three times its root mean square."""
    x, dy = x.astype(np.float32), np.roll(dy, 1, 0).astype(np.float32)
    places = places_of(x)
    expected = by_filter(x.astype(np.float64), dy.astype(np.float64), places)
    errors = by_filter(x, dy, places) - expected
    others = by_filter_directly(x, dy, places) - expected
    assert 0 < np.abs(errors).max() <= 4 * np.abs(others).max()
    assert (errors**2).mean() <= 3**2 * (others**2).mean()


@pytest.mark.parametrize(("depth", "width", "expected"), [(16, 32, True), (16, 31, False)])
def test_which_gradients_of_filters_go_this_way(depth: int, width: int, expected: bool) -> None:
    x, dy = draw(2, 9, 8, depth), draw(2, 9, 8, width, seed=1)
    found = by_filter(x, dy, places_of(x)) != by_filter_directly(x, dy, places_of(x))
    assert bool(found.any()) == expected


def test_a_filters_gradient_has_the_same_bits_for_any_number_of_threads() -> None:
    for sizes, (depth, width) in itertools.product([(6, 7), (24, 33)], [(16, 32), (130, 70)]):
        x, dy = draw(4, *sizes, depth), draw(4, *sizes, width, seed=2)
        x[1, 3, 3], dy[2, 2, 4] = 1e6, 1e5
        narrow = None
        for level in range(BEST + 1):
            set_level(level)
            found = set()
            for count in (1, 2, 3, 7):
                set_thread_count(count)
                found.add(by_filter(x, dy, places_of(x)).tobytes())
            assert len(found) == 1
            if level > 1:
                assert found == narrow
            narrow = found


def test_a_tap_of_a_filters_gradient_is_not_spoilt() -> None:
    """One number of `dy` counts: each tap gets what it sees, however large another tap's is."""
    for number in (17.0, 1e6, 1e30):
        x, dy = draw(1, 9, 9, 16), np.zeros((1, 9, 9, 32), np.float32)
        dy[0, 4, 4] = draw(32, seed=1)
        x[0, 3:6, 3:6] /= 4 * np.abs(x[0, 3:6, 3:6]).max()
        x[0, 5, 5] = number
        found = by_filter(x, dy, places_of(x))
        wanted = x[0, 3:6, 3:6, :, None] * dy[0, 4, 4]
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("size", [1e-45, 1e-38, 1e-20, 1e18, 1e35, 3e38])
def test_a_filters_gradient_at_the_ends_of_floats(size: float) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        for other in (1e-45, 1e-38, 1e-3, 1e17, 1e30, 3e38):
            x = (np.clip(draw(1, 8, 9, 16), -1, 1) * size).astype(np.float32)
            dy = (np.clip(draw(1, 8, 9, 32, seed=1), -1, 1) * other).astype(np.float32)
            found, wanted = by_filter(x, dy, places_of(x)), by_filter_directly(x, dy, places_of(x))
            finite = np.isfinite(wanted)
            np.testing.assert_array_equal(np.isfinite(found), finite)
            np.testing.assert_array_equal(found[~finite], wanted[~finite])
            expected = by_filter(x.astype(np.float64), dy.astype(np.float64), places_of(x))[finite]
            if finite.any():
                limit = 1e-5 * np.abs(expected).max() + 200 * 2.0**-149
                assert np.abs(found[finite] - expected).max() <= limit


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("which", ["x", "dy"])
def test_what_is_not_finite_reaches_the_taps_that_see_it(which: str, bad: float) -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        before, after = (tuple(random.integers(0, 3, 2).tolist()) for _ in range(2))
        x = np.abs(draw(2, 9, 10, 17))
        places = places_of(x, before, after)
        dy = np.abs(draw(2, *places[-1], 40))
        array = x if which == "x" else dy
        array[tuple(random.integers(size) for size in array.shape)] = bad
        with np.errstate(invalid="ignore"):
            found, wanted = by_filter(x, dy, places), by_filter_directly(x, dy, places)
        near = np.isfinite(wanted)
        np.testing.assert_array_equal(np.isfinite(found), near)
        np.testing.assert_array_equal(found[~near], wanted[~near])
        np.testing.assert_allclose(found[near], wanted[near], rtol=1e-5)
