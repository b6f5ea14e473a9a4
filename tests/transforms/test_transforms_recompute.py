"""`tf.autodiff.recompute_sequence`: the gradient is the same, and measured memory stays within the limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import buffers
from tapegrad.transforms.recompute import Measured, plan

ad = tf.autodiff
COUNT, WIDTH, ROWS = 16, 64, 1024
ONE = ROWS * WIDTH * 4


@pytest.fixture
def weights() -> list[Any]:
    return [tf.Variable(tf.random.normal([WIDTH, WIDTH], stddev=0.1)) for _ in range(COUNT)]


def layer(weight: Any) -> Any:
    return lambda x: tf.nn.relu(x @ weight) * tf.tanh(x) + x


def peak(function: Any, x: Any, sources: Any) -> tuple[int, Any]:
    """The most that a gradient takes, and the gradient."""
    buffers.release_idle()  # the pool may lend larger blocks than arrays need
    before = buffers.statistics()["in_use"]
    buffers.reset_peak()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(x))
    found = tape.gradient(loss, sources)
    return buffers.statistics()["most"] - before, found


@pytest.mark.parametrize("are_idle", [False, True])
def test_peaks_obey_the_limit_and_gradients_stay_the_same(weights: Any, are_idle: bool) -> None:
    if are_idle:  # blocks of many sizes, as a program leaves that ran before
        blocks = [tf.zeros([size]) + 1.0 for size in range(9_000, 200_000, 500)]
        del blocks
    layers = [layer(weight) for weight in weights]
    x = tf.random.normal([ROWS, WIDTH])

    def plain(x: Any) -> Any:
        for each in layers:
            x = each(x)
        return x

    everything, expected = peak(plain, x, weights[0])
    for part in (1.1, 0.75, 0.5, 0.4):
        limit = int(everything * part)
        model = ad.recompute_sequence(layers, limit)
        planned = model.plan(x)
        assert planned.memory <= limit
        assert (
            (part < 1) == (planned.again > 0) == any(isinstance(s, tuple) for s in planned.segments)
        )
        measured, found = peak(model, x, weights[0])
        # The result and what arrives at it are outside of the sequence.
        assert measured <= limit + 2 * ONE
        np.testing.assert_array_equal(found, expected)


def test_what_does_not_fit_says_how_much_would(weights: Any) -> None:
    model = ad.recompute_sequence([layer(weight) for weight in weights], 3 * ONE)
    with (
        tf.GradientTape(),
        pytest.raises(tf.errors.ResourceExhaustedError, match=r"About .* would do"),
    ):
        model(tf.ones([ROWS, WIDTH]))
    # Without a gradient nothing is kept, and nothing is measured.
    assert model(tf.ones([ROWS, WIDTH])).shape == [ROWS, WIDTH]


def test_random_numbers_are_drawn_as_without_recomputation() -> None:
    def drop(x: Any) -> Any:
        return tf.nn.dropout(tf.tanh(x), 0.5) + x

    def run(function: Any) -> Any:
        tf.random.set_seed(7)
        x = tf.ones([ROWS, WIDTH])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x), tf.random.normal([3])

    def plain(x: Any) -> Any:
        for _ in range(8):
            x = drop(x)
        return x

    everything = ad.recompute_sequence([drop] * 8, 10**9).plan(tf.ones([ROWS, WIDTH])).memory
    model = ad.recompute_sequence([drop] * 8, everything // 2)
    for a, b in zip(run(model), run(plain), strict=True):
        np.testing.assert_array_equal(a, b)
    assert model.plan(tf.ones([ROWS, WIDTH])).again > 0


def test_other_transforms_go_through(weights: Any) -> None:
    layers = [layer(weight) for weight in weights[:4]]
    x = tf.random.normal([ROWS, WIDTH])
    everything = ad.recompute_sequence(layers, 10**9).plan(x).memory
    model = ad.recompute_sequence(layers, int(everything * 0.8))

    def plain(x: Any) -> Any:
        for each in layers:
            x = each(x)
        return x

    square = lambda f: lambda x: tf.reduce_mean(f(x) ** 2)
    np.testing.assert_allclose(
        ad.hvp(square(model), (x,), (x,))[0],
        ad.hvp(square(plain), (x,), (x,))[0],
        rtol=1e-4,
        atol=1e-9,
    )
    np.testing.assert_allclose(
        ad.jvp(square(model), (x,), (x,))[1], ad.jvp(square(plain), (x,), (x,))[1], rtol=1e-5
    )
    assert model.plan(x).again > 0


def test_tapes_outside_do_not_see_the_measurement(weights: Any) -> None:
    model = ad.recompute_sequence([layer(weight) for weight in weights], 10**9)
    with tf.GradientTape() as tape:
        model.plan(tf.ones([ROWS, WIDTH]))
        assert len(tape._tape) == 0
        assert tape.watched_variables() == ()


def test_nests_and_whole_numbers_between_layers() -> None:
    table = tf.Variable(tf.random.normal([50, WIDTH]))
    layers = [
        lambda numbers: {"a": tf.gather(table, numbers), "b": tf.ones([len(numbers), WIDTH])},
        lambda d: {"a": tf.tanh(d["a"]) * d["b"], "b": d["b"]},
        lambda d: d["a"] + d["b"],
    ]
    numbers = tf.range(ROWS) % 50
    model = ad.recompute_sequence(layers, 10**8)
    with tf.GradientTape() as tape:
        y = model(numbers)
    assert tf.convert_to_tensor(tape.gradient(y, table)).shape == [50, WIDTH]
    assert model.plan(numbers) is model.plan(numbers)
    assert model.plan(numbers[:100]).memory < model.plan(numbers).memory


def simulated(segments: Any, layers: list[Measured], held: int = 0) -> tuple[int, list[int]]:
    """The most that is held at once, and how often each layer runs forward, beside the first time."""
    runs = [0] * len(layers)
    most = 0
    if not segments:
        return 0, runs
    first, rest = segments[0], segments[1:]
    if isinstance(first, tuple):
        inside = members(first)
        last = layers[inside[-1]].output
        after, more = simulated(rest, layers, held + last)
        again, extra = simulated(first, layers, held)
        for i in inside:
            runs[i] += 1
        most = max(after, again)
        runs = [a + b + c for a, b, c in zip(runs, more, extra, strict=True)]
    else:
        most, runs = simulated(rest, layers, held + layers[first].kept)
        most = max(most, held + layers[first].peak)
    return most, runs


def members(segment: Any) -> list[int]:
    return [i for s in segment for i in (members(s) if isinstance(s, tuple) else [s])]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_plans_name_every_layer_once_and_fit(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 60))
    layers = []
    for _ in range(count):
        output = int(random.integers(1, 100)) * 1000
        kept = output + int(random.integers(0, 300)) * 1000
        layers.append(Measured(kept, output, kept + 2 * output, 2 * output, float(random.random())))
    everything = plan(layers, 10**12)
    assert everything.segments == tuple(range(count))
    for part in (0.9, 0.6, 0.4):
        limit = int(everything.memory * part)
        try:
            found = plan(layers, limit)
        except tf.errors.ResourceExhaustedError:
            continue
        assert members(found.segments) == list(range(count))
        most, runs = simulated(found.segments, layers)
        assert most <= limit
        if count <= 40:
            again = sum(r * layer.seconds for r, layer in zip(runs, layers, strict=True))
            assert found.again == pytest.approx(again / sum(layer.seconds for layer in layers))


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="takes a function"):
        ad.recompute_sequence([3], 100)
    with pytest.raises(ValueError, match="at least one layer"):
        ad.recompute_sequence([], 100)
    with pytest.raises(ValueError, match="positive; 0 came"):
        ad.recompute_sequence([tf.tanh], 0)
    with pytest.raises(TypeError, match="whole number of bytes; '1GB' came"):
        ad.recompute_sequence([tf.tanh], "1GB")  # type: ignore[arg-type]
