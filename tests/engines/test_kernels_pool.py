"""The compiled pools and depthwise convolutions beside plain NumPy, over shapes, strides and dtypes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tapegrad.engines.numpy import windows as kernels
from tapegrad.engines.numpy.threads import set_thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = ["float32", "float64", *INTEGERS]


def each_window(sizes: Any, window: Any, steps: Any) -> Iterator[tuple[Any, Any]]:
    """Each position, and the (tap, place) pairs of its window that lie inside."""
    strides, dilations, before, output = steps
    for position in np.ndindex(*output):
        inside = []
        for tap in np.ndindex(*window):
            numbers = zip(position, strides, tap, dilations, before, strict=True)
            place = tuple(p * stride + t * rate - low for p, stride, t, rate, low in numbers)
            if all(0 <= p < size for p, size in zip(place, sizes, strict=True)):
                inside.append((tap, place))
        yield position, inside


def pools(x: Any, window: Any, steps: Any, dy: Any, values: Any, all_maxima: bool) -> list[Any]:
    """Maxima, their gradient, what they gather and where the first is; then means and their gradient."""
    batch, channels = x.shape[0], x.shape[-1]
    shape = (batch, *steps[-1], channels)
    floating = x.dtype.kind == "f"
    least = -np.inf if floating else np.iinfo(x.dtype).min
    maxima = np.full(shape, least, x.dtype)
    by_maxima, gathered = np.zeros_like(x), np.zeros(shape, x.dtype)
    index = np.zeros(shape, np.int64)
    means, by_means = np.zeros(shape, x.dtype), np.zeros_like(x)
    for position, inside in each_window(x.shape[1:-1], window, steps):
        for n in range(batch):
            for c in range(channels):
                here = (n, *position, c)
                elements = [x[(n, *place, c)] for _, place in inside]
                numbers = [element for element in elements if element == element]
                if elements:
                    maxima[here] = max(numbers) if numbers else np.nan
                for (_, place), element in zip(inside, elements, strict=True):
                    at = (n, *place, c)
                    if element == maxima[here] or (element != element and not all_maxima):
                        by_maxima[at] += dy[here]
                        gathered[here] += values[at]
                        if not all_maxima:
                            index[here] = np.ravel_multi_index((*place, c), x.shape[1:])
                            break
                if floating:
                    means[here] = np.mean(elements) if elements else np.nan
                    for _, place in inside:
                        by_means[(n, *place, c)] += dy[here] / len(elements)
    return [maxima, by_maxima, gathered, index, means, by_means]


def draw(random: Any, shape: tuple[int, ...], dtype: str) -> Any:
    low = 0 if dtype.startswith("u") else -3
    # Few different numbers, so that there are ties.
    return random.integers(low, 4, shape).astype(dtype)


def numbers_of(random: Any, low: int, high: int, count: int) -> tuple[int, ...]:
    return tuple(random.integers(low, high + 1, count).tolist())


def draw_steps(random: Any, spatial: int, dilated: bool) -> tuple[Any, Any, Any]:
    sizes = numbers_of(random, 0, 4 if spatial == 3 else 7, spatial)
    window, strides = numbers_of(random, 1, 3, spatial), numbers_of(random, 1, 3, spatial)
    dilations = numbers_of(random, 1, 2 if dilated else 1, spatial)
    before, after = numbers_of(random, 0, 2, spatial), numbers_of(random, 0, 2, spatial)
    output = tuple(
        max(0, (size + low + high - (taps - 1) * rate - 1) // stride + 1)
        for size, low, high, taps, rate, stride in zip(
            sizes, before, after, window, dilations, strides, strict=True
        )
    )
    return sizes, window, (strides, dilations, before, output)


def check_pools(x: Any, window: Any, steps: Any, dy: Any, values: Any, all_maxima: bool) -> None:
    expected = pools(x, window, steps, dy, values, all_maxima)
    out = kernels.max_pool(x, window, steps)
    found = [
        out,
        kernels.max_pool_gradient(x, out, dy, window, steps, all_maxima),
        kernels.max_pool_gather(x, out, values, window, steps, all_maxima),
    ]
    for array, wanted in zip(found, expected[:3], strict=True):
        np.testing.assert_array_equal(array, wanted, strict=True)
    if not all_maxima:
        places = kernels.max_pool_places(x, window, steps)
        np.testing.assert_array_equal(places, expected[3], strict=True)
    if x.dtype.kind == "f":
        means = kernels.average_pool(x, window, steps)
        np.testing.assert_allclose(means, expected[4], 1e-5, strict=True)
        by_means = kernels.average_pool_gradient(x.shape, dy, window, steps)
        np.testing.assert_allclose(by_means, expected[5], 1e-5, 1e-5, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(3))
def test_random_pools(seed: int, dtype: str) -> None:
    random = np.random.default_rng(seed)
    for _ in range(6):
        spatial = int(random.integers(1, 4))
        sizes, window, steps = draw_steps(random, spatial, dilated=False)
        batch, channels = int(random.integers(0, 3)), int(random.choice([0, 1, 2, 5]))
        x, values = (draw(random, (batch, *sizes, channels), dtype) for _ in range(2))
        dy = draw(random, (batch, *steps[-1], channels), dtype)
        check_pools(x, window, steps, dy, values, bool(random.integers(0, 2)))


@pytest.mark.parametrize("all_maxima", [False, True])
@pytest.mark.parametrize(
    "steps",
    [
        ((2, 2), (1, 1), (0, 0), (3, 3)),  # windows apart, with and without a rest
        ((2, 2), (1, 1), (1, 1), (3, 4)),
        ((3, 3), (1, 1), (0, 0), (2, 2)),
        ((1, 2), (1, 1), (0, 0), (5, 3)),
        ((2, 1), (1, 1), (0, 1), (3, 7)),
    ],
)
def test_pools_of_many_channels_and_of_nan(steps: Any, all_maxima: bool) -> None:
    random = np.random.default_rng(0)
    # More channels than are worked on at once.
    x, values = (draw(random, (1, 6, 6, 261), "float32") for _ in range(2))
    x[random.random(x.shape) < 0.3] = np.nan
    x[random.random(x.shape) < 0.1] = -np.inf
    dy = draw(random, (1, *steps[-1], 261), "float32")
    window = (2, 2)
    out = kernels.max_pool(x, window, steps)
    expected = pools(x, window, steps, dy, values, all_maxima)
    np.testing.assert_array_equal(out, expected[0])
    gradient = kernels.max_pool_gradient(x, out, dy, window, steps, all_maxima)
    np.testing.assert_array_equal(gradient, expected[1])
    gathered = kernels.max_pool_gather(x, out, values, window, steps, all_maxima)
    np.testing.assert_array_equal(gathered, expected[2])


def test_windows_larger_than_any_input() -> None:
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3, 1)
    steps = ((1, 1), (1, 1), (1 << 40, 1 << 40), (1, 1))
    window = (1 << 41, 1 << 41)
    assert kernels.max_pool(x, window, steps).item() == 5
    assert kernels.average_pool(x, window, steps).item() == 2.5
    gradient = kernels.average_pool_gradient(x.shape, np.ones((1, 1, 1, 1), "f4"), window, steps)
    np.testing.assert_allclose(gradient, np.full(x.shape, 1 / 6), 1e-6)


def depthwise(x: Any, filters: Any, dy: Any, steps: Any) -> tuple[Any, Any, Any]:
    shape = (x.shape[0], *steps[-1], *filters.shape[-2:])
    out, dy = np.zeros(shape), dy.reshape(shape).astype(float)
    by_input, by_filter = np.zeros(x.shape), np.zeros(filters.shape)
    for position, inside in each_window(x.shape[1:-1], filters.shape[:-2], steps):
        here = (slice(None), *position)
        for tap, place in inside:
            there = (slice(None), *place)
            out[here] += x[there][..., None] * filters[tap].astype(float)
            by_input[there] += (dy[here] * filters[tap]).sum(axis=-1)
            by_filter[tap] += (x[there][..., None] * dy[here]).sum(axis=0)
    return out.reshape(*shape[:-2], shape[-2] * shape[-1]), by_input, by_filter


def check_depthwise(x: Any, filters: Any, dy: Any, steps: Any) -> None:
    """The kernels of a depthwise convolution and of its gradients give what the reference gives."""
    found = (
        kernels.depthwise(x, filters, steps),
        kernels.depthwise_by_input(x.shape, filters, dy, steps),
        kernels.depthwise_by_filter(x, filters.shape, dy, steps),
    )
    tolerance = 1e-4 if x.dtype == np.float32 else 1e-12
    for array, expected in zip(found, depthwise(x, filters, dy, steps), strict=True):
        assert array.dtype == x.dtype
        assert array.shape == expected.shape
        np.testing.assert_allclose(array, expected, tolerance, tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(3))
def test_random_depthwise_convolutions(seed: int, dtype: str) -> None:
    random = np.random.default_rng(seed)
    for _ in range(25):
        spatial = int(random.integers(1, 4))
        sizes, window, steps = draw_steps(random, spatial, dilated=True)
        batch, channels = int(random.integers(0, 3)), int(random.choice([1, 2, 5, 35]))
        each = int(random.integers(1, 4))
        x = random.normal(size=(batch, *sizes, channels)).astype(dtype)
        filters = random.normal(size=(*window, channels, each)).astype(dtype)
        dy = random.normal(size=(batch, *steps[-1], channels * each)).astype(dtype)
        check_depthwise(x, filters, dy, steps)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("taps", [1, 2, 3, 4, 5, 7])
def test_depthwise_convolutions_of_long_lines(taps: int, dtype: str) -> None:
    """Several positions are computed side by side, and several taps of the filter's gradient."""
    random = np.random.default_rng(taps)
    for channels, stride, rate, before, count in (
        (16, 1, 1, taps // 2, 13),
        (19, 1, 1, 0, 14 - taps),
        (32, 2, 1, taps // 2, 7),
        (17, 1, 2, taps - 1, 13),
        (16, 3, 1, 9, 9),
        (16, 1, 1, taps + 3, 20 + taps),
    ):
        x = random.normal(size=(2, 13, channels)).astype(dtype)
        filters = random.normal(size=(taps, channels, 1)).astype(dtype)
        steps = ((stride,), (rate,), (before,), (count,))
        dy = random.normal(size=(2, count, channels)).astype(dtype)
        check_depthwise(x, filters, dy, steps)


def test_layouts_that_are_not_contiguous() -> None:
    random = np.random.default_rng(0)
    x = draw(random, (2, 3, 8, 6), "float32").transpose(0, 2, 3, 1)[:, ::-1]
    values = draw(random, (2, 8, 6, 3), "float32")
    dy = np.broadcast_to(draw(random, (2, 1, 1, 3), "float32"), (2, 4, 3, 3))
    steps = ((2, 2), (1, 1), (0, 0), (4, 3))
    check_pools(x, (2, 2), steps, dy, values, False)
    swapped = x.astype(x.dtype.newbyteorder())
    out = kernels.max_pool(x, (2, 2), steps)
    assert kernels.max_pool(swapped, (2, 2), steps).tobytes() == out.tobytes()
    filters = draw(random, (2, 3, 2, 2), "float32").transpose(0, 3, 1, 2)
    wanted, found = depthwise(x, filters, np.zeros((2, 4, 3, 6)), steps)[0], None
    found = kernels.depthwise(x, filters, steps)
    np.testing.assert_allclose(found, wanted, 1e-5)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_any_number_of_threads_gives_the_same_bits(stride: int) -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(3, 40, 37, 70)).astype(np.float32)
    output = ((40 - 2) // stride + 1, (37 - 2) // stride + 1)
    steps = ((stride, stride), (1, 1), (0, 0), output)
    filters = random.normal(size=(2, 2, 70, 1)).astype(np.float32)
    dy = random.normal(size=(3, *output, 70)).astype(np.float32)
    found = set()
    for count in (1, 2, 3, 7):
        set_thread_count(count)
        out = kernels.max_pool(x, (2, 2), steps)
        results = [
            out,
            kernels.max_pool_gradient(x, out, dy, (2, 2), steps, False),
            kernels.max_pool_gather(x, out, x, (2, 2), steps, False),
            kernels.max_pool_places(x, (2, 2), steps),
            kernels.average_pool(x, (2, 2), steps),
            kernels.average_pool_gradient(x.shape, dy, (2, 2), steps),
            kernels.depthwise(x, filters, steps),
            kernels.depthwise_by_input(x.shape, filters, dy, steps),
            kernels.depthwise_by_filter(x, filters.shape, dy, steps),
        ]
        found.add(b"".join(result.tobytes() for result in results))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("window", "steps"),
    [
        ((0, 2), ((1, 1), (1, 1), (0, 0), (4, 4))),
        ((2, 2), ((0, 1), (1, 1), (0, 0), (4, 4))),
        ((2, 2), ((1, 1), (1, -1), (0, 0), (4, 4))),
        ((2, 2), ((1, 1), (1, 1), (-1, 0), (4, 4))),
        ((2, 2), ((1 << 61, 1), (1, 1), (0, 0), (4, 4))),
        ((2,), ((1, 1), (1, 1), (0, 0), (4, 4))),
        ((2, 2), ((1,), (1, 1), (0, 0), (4, 4))),
    ],
)
def test_refused(window: Any, steps: Any) -> None:
    x, dy = np.ones((1, 5, 5, 2), np.float32), np.ones((1, 4, 4, 2), np.float32)
    with pytest.raises(ValueError, match="windows"):
        kernels.max_pool(x, window, steps)
    with pytest.raises(ValueError, match="windows"):
        kernels.average_pool_gradient(x.shape, dy, window, steps)


def test_operands_that_do_not_belong_together() -> None:
    x, dy = np.ones((1, 5, 5, 2), np.float32), np.ones((1, 4, 3, 2), np.float32)
    steps = ((1, 1), (1, 1), (0, 0), (4, 4))
    out = kernels.max_pool(x, (2, 2), steps)
    filters = np.ones((2, 2, 2, 1), np.float32)
    for refused in (
        lambda: kernels.max_pool_gradient(x, out, dy, (2, 2), steps, False),
        lambda: kernels.max_pool_gradient(x, dy, out, (2, 2), steps, False),
        lambda: kernels.max_pool_gather(x, out, out, (2, 2), steps, False),
        lambda: kernels.average_pool_gradient(x.shape, dy, (2, 2), steps),
        lambda: kernels.depthwise(x, filters[:, :, :1], steps),
        lambda: kernels.depthwise(x, filters[0], steps),
        lambda: kernels.depthwise_by_input(x.shape, filters, dy, steps),
        lambda: kernels.depthwise_by_filter(x, filters.shape, dy, steps),
    ):
        with pytest.raises(ValueError, match=r"shape|channels|axes"):
            refused()
    for refused in (
        lambda: kernels.max_pool(x.astype(np.float16), (2, 2), steps),
        lambda: kernels.average_pool(x.astype(np.int32), (2, 2), steps),
        lambda: kernels.max_pool_gradient(x, out.astype("f8"), out, (2, 2), steps, False),
        lambda: kernels.depthwise(x, filters.astype("f8"), steps),
    ):
        with pytest.raises(TypeError, match="of"):
            refused()
