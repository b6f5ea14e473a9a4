"""The compiled convolutions beside plain NumPy, over shapes, strides, paddings, groups and dtypes."""

from typing import Any

import numpy as np
import pytest

from tapegrad.engines.numpy import convolution as kernels
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.threads import set_thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

LEVELS, BEST = levels()


def reference(x: Any, filters: Any, dy: Any, places: Any) -> tuple[Any, Any, Any]:
    """The convolution and its gradients by input and filter, one position and one tap at a time."""
    strides, dilations, before, output = places
    depth, outputs = filters.shape[-2:]
    groups = x.shape[-1] // depth
    each = outputs // groups
    out = np.zeros((x.shape[0], *output, outputs))
    by_input, by_filter = np.zeros(x.shape), np.zeros(filters.shape)
    for position in np.ndindex(*output):
        for tap in np.ndindex(*filters.shape[:-2]):
            numbers = zip(position, strides, tap, dilations, before, strict=True)
            place = [p * stride + t * rate - low for p, stride, t, rate, low in numbers]
            if any(not 0 <= p < size for p, size in zip(place, x.shape[1:-1], strict=True)):
                continue
            here, there = (slice(None), *position), (slice(None), *place)
            for group in range(groups):
                channels = slice(group * depth, (group + 1) * depth)
                columns = slice(group * each, (group + 1) * each)
                weights = filters[tap][:, columns].astype(float)
                out[here][:, columns] += x[there][:, channels] @ weights
                by_input[there][:, channels] += dy[here][:, columns] @ weights.T
                by_filter[tap][:, columns] += x[there][:, channels].T @ dy[here][:, columns]
    return out, by_input, by_filter


def draw(random: Any, shape: tuple[int, ...], dtype: str) -> Any:
    numbers = random.integers(-9, 10, shape) if dtype == "int32" else random.normal(size=shape)
    return numbers.astype(dtype)


def check(x: Any, filters: Any, dy: Any, places: Any) -> None:
    found = (
        kernels.convolution(x, filters, places),
        kernels.convolution_by_input(x.shape, filters, dy, places),
        kernels.convolution_by_filter(x, filters.shape, dy, places),
    )
    tolerance = {"float32": 3e-6, "float64": 1e-14, "int32": 0}[x.dtype.name]
    for array, expected in zip(found, reference(x, filters, dy, places), strict=True):
        assert array.dtype == x.dtype
        assert array.shape == expected.shape
        if array.size:
            error = np.abs(array - expected).max()
            assert error <= tolerance * (1 + np.abs(expected).max())


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("seed", range(4))
def test_random_convolutions(seed: int, level: int, dtype: str) -> None:
    if level > BEST:
        pytest.skip("this processor has no vectors as wide")
    set_level(level)
    random = np.random.default_rng(seed)
    for _ in range(20):
        spatial, groups = int(random.integers(1, 4)), int(random.choice([1, 1, 2, 3]))
        # Depths and widths around the sizes of vectors, tiles and blocks.
        depth = int(random.choice([1, 2, 3, 5, 17, 40, 330]))
        width = int(random.choice([1, 2, 3, 8, 33]))
        if depth == width == 1:
            groups = int(random.choice([2, 3, 17, 40]))  # channels with one filter of their own
        largest = 4 if spatial == 3 or depth > 40 else 9

        def numbers(low: int, high: int, count: int = spatial) -> tuple[int, ...]:
            return tuple(random.integers(low, high + 1, count).tolist())

        sizes, window = numbers(0, largest), numbers(1, 3)
        strides, dilations = numbers(1, 3), numbers(1, 2)
        before, after = numbers(0, 2), numbers(0, 2)
        output = tuple(
            max(0, (size + low + high - (taps - 1) * rate - 1) // stride + 1)
            for size, low, high, taps, rate, stride in zip(
                sizes, before, after, window, dilations, strides, strict=True
            )
        )
        batch = int(random.integers(0, 4))
        x = draw(random, (batch, *sizes, depth * groups), dtype)
        filters = draw(random, (*window, depth, width * groups), dtype)
        dy = draw(random, (batch, *output, width * groups), dtype)
        check(x, filters, dy, (strides, dilations, before, output))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("which", ["input", "filters", "gradient"])
def test_padding_takes_no_part(which: str, dtype: str, bad: float) -> None:
    """NaN and infinity reach what a window reads, and nothing beside it: zero times them is NaN."""
    random = np.random.default_rng(5)
    for _ in range(40):
        spatial, groups = int(random.integers(1, 4)), int(random.integers(1, 3))

        def numbers(low: int, high: int, count: int = spatial) -> tuple[int, ...]:
            return tuple(random.integers(low, high + 1, count).tolist())

        sizes, window, output = numbers(1, 5), numbers(1, 3), numbers(1, 4)
        places = (numbers(1, 3), numbers(1, 2), numbers(0, 2), output)
        depth, width = numbers(1, 3, 2)
        # Whole numbers, which add up to the same in any order.
        arrays = {
            "input": random.integers(1, 9, (2, *sizes, depth * groups)).astype(dtype),
            "filters": random.integers(1, 9, (*window, depth, width * groups)).astype(dtype),
            "gradient": random.integers(1, 9, (2, *output, width * groups)).astype(dtype),
        }
        array = arrays[which]
        array[tuple(int(random.integers(size)) for size in array.shape)] = bad
        x, filters, dy = arrays["input"], arrays["filters"], arrays["gradient"]
        with np.errstate(invalid="ignore"):
            found = (
                kernels.convolution(x, filters, places),
                kernels.convolution_by_input(x.shape, filters, dy, places),
                kernels.convolution_by_filter(x, filters.shape, dy, places),
            )
            expected = reference(x, filters, dy, places)
        for actual, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(actual, wanted)


def test_layouts_that_are_not_contiguous() -> None:
    random = np.random.default_rng(0)
    x = draw(random, (2, 3, 7, 14), "float32").transpose(0, 2, 3, 1)[:, :, ::-2]
    filters = draw(random, (5, 3, 2, 3), "float32").transpose(2, 1, 3, 0)
    dy = np.broadcast_to(draw(random, (2, 1, 1, 5), "float32"), (2, 6, 5, 5))
    check(x, filters, dy, ((1, 1), (1, 1), (0, 0), (6, 5)))
    swapped = x.astype(x.dtype.newbyteorder())
    places = ((1, 1), (1, 1), (0, 0), (6, 5))
    found = kernels.convolution(swapped, filters, places)
    assert found.tobytes() == kernels.convolution(x, filters, places).tobytes()
    unaligned = np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view("float32").reshape(x.shape)
    assert kernels.convolution(unaligned, filters, places).tobytes() == found.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "filter_shape", "places"),
    [
        ((5, 13, 11, 7), (3, 3, 7, 40), ((1, 1), (1, 1), (1, 1), (13, 11))),
        ((1, 61, 59, 3), (3, 3, 3, 8), ((2, 2), (1, 1), (0, 0), (30, 29))),
        ((2, 900, 24), (5, 12, 20), ((3,), (2,), (4,), (300,))),
        ((2, 6, 7, 8, 9), (2, 3, 2, 9, 34), ((1, 1, 1), (1, 1, 1), (0, 1, 0), (5, 7, 7))),
        # Few positions: one thread shares columns, seven share rows.
        ((2, 9, 9, 130), (3, 3, 130, 300), ((1, 1), (1, 1), (1, 1), (9, 9))),
        ((3, 7, 6, 34), (2, 2, 17, 290), ((2, 1), (1, 2), (1, 0), (4, 4))),
    ],
)
def test_any_number_of_threads_gives_the_same_bits(
    shape: Any, filter_shape: Any, places: Any, dtype: str
) -> None:
    random = np.random.default_rng(1)
    x, filters = draw(random, shape, dtype), draw(random, filter_shape, dtype)
    dy = draw(random, (shape[0], *places[-1], filter_shape[-1]), dtype)
    found = set()
    for count in (1, 2, 3, 7):
        set_thread_count(count)
        found.add(
            kernels.convolution(x, filters, places).tobytes()
            + kernels.convolution_by_input(shape, filters, dy, places).tobytes()
            + kernels.convolution_by_filter(x, filter_shape, dy, places).tobytes()
        )
    assert len(found) == 1


def test_infinities_stay_where_they_are() -> None:
    # A tile computes more rows and columns than there are; what is beyond must not leak into the result.
    x, filters = np.zeros((1, 5, 5, 3), np.float32), np.ones((1, 1, 3, 5), np.float32)
    x[0, 2, 2] = np.inf
    places = ((1, 1), (1, 1), (0, 0), (5, 5))
    out = kernels.convolution(x, filters, places)
    assert np.isinf(out).sum() == 5
    assert np.isinf(kernels.convolution_by_input(x.shape, filters, out, places)).sum() == 3


@pytest.mark.parametrize(
    ("filter_shape", "places"),
    [
        ((2, 2, 3, 4), ((1, 1), (1, 1), (0, 0), (4, 4))),  # channels no multiple of the filter's
        ((2, 2, 1, 3), ((1, 1), (1, 1), (0, 0), (4, 4))),  # results no multiple of the groups
        ((2, 2, 0, 4), ((1, 1), (1, 1), (0, 0), (4, 4))),
        ((0, 2, 2, 4), ((1, 1), (1, 1), (0, 0), (4, 4))),
        ((2, 2, 4), ((1, 1), (1, 1), (0, 0), (4, 4))),
        ((2, 2, 2, 4), ((1,), (1, 1), (0, 0), (4, 4))),
        ((2, 2, 2, 4), ((0, 1), (1, 1), (0, 0), (4, 4))),
        ((2, 2, 2, 4), ((1, 1), (-1, 1), (0, 0), (4, 4))),
        ((2, 2, 2, 4), ((1, 1), (1 << 62, 1), (0, 0), (4, 4))),
        ((2, 2, 2, 4), ((1, 1), (1, 1), (-1, 0), (4, 4))),
    ],
)
def test_refused(filter_shape: Any, places: Any) -> None:
    x, filters = np.ones((1, 5, 5, 2), np.float32), np.ones(filter_shape, np.float32)
    dy = np.ones((1, 4, 4, filter_shape[-1]), np.float32)
    with pytest.raises(ValueError, match=r"convolution|channels|results|positive"):
        kernels.convolution(x, filters, places)
    with pytest.raises(ValueError, match=r"convolution|channels|results|positive"):
        kernels.convolution_by_input(x.shape, filters, dy, places)
    with pytest.raises(ValueError, match=r"convolution|channels|results|positive"):
        kernels.convolution_by_filter(x, filter_shape, dy, places)


def test_operands_that_do_not_belong_together() -> None:
    x, filters = np.ones((1, 5, 5, 2), np.float32), np.ones((2, 2, 2, 4), np.float32)
    dy = np.ones((1, 4, 3, 4), np.float32)
    places = ((1, 1), (1, 1), (0, 0), (4, 4))
    with pytest.raises(ValueError, match="shape"):
        kernels.convolution_by_input(x.shape, filters, dy, places)
    with pytest.raises(ValueError, match="shape"):
        kernels.convolution_by_filter(x, filters.shape, dy, places)
    with pytest.raises(TypeError, match="dtype"):
        kernels.convolution(x, filters.astype(np.float64), places)
    with pytest.raises(TypeError, match="float16"):
        kernels.convolution(x.astype(np.float16), filters.astype(np.float16), places)
