"""Random numbers: TensorFlow's own, bit for bit; reproducible by seed; and moments that fit."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden import programs
from tapegrad.engines.numpy import random as engine
from tapegrad.framework import random_state

RECORDS = programs.read("random")


@pytest.mark.parametrize("program", RECORDS)
def test_recorded(program):
    recorded = RECORDS[program]
    if "error" not in recorded:
        assert programs.outcome(program, {"tf": tf, "np": np}) == recorded
        return
    names = {"tf": tf, "np": np}
    *statements, expression = program.split("; ")
    for statement in statements:
        exec(statement, names)
    with pytest.raises(Exception) as raised:  # noqa: PT011  the record names the class
        eval(expression, names)
    assert programs.same_error(raised.value, recorded["error"]), raised.value
    assert len(str(raised.value)) > 20


# The generator itself, by the answers its authors publish for Philox 4x32-10


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([2**32 - 1] * 4, [2**32 - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_known_answers(counter, key, expected):
    whole = sum(word << 32 * place for place, word in enumerate(counter))
    assert engine.bits32(key[0] | key[1] << 32, whole, 4).tolist() == expected


def test_vectors_equal_single_blocks():
    # The counter passes 2**64 within the stream, and 2**128 at its end.
    for start in (2**64 - 5, 2**128 - 9, 3):
        words = engine.bits32(77, start, 4 * 30)
        for place in range(30):
            block = engine.bits32(77, (start + place) % 2**128, 4)
            assert words[4 * place : 4 * place + 4].tolist() == block.tolist()


def test_chunks_do_not_show():
    whole = engine.normal(5, 6 << 64, 40_000, np.dtype(np.float32))
    tail = engine.normal(5, (6 << 64) + 16384 // 4, 100, np.dtype(np.float32))
    assert whole[16384 : 16384 + 100].tolist() == tail.tolist()


# What the numbers are distributed like


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_moments(dtype):
    # Of 200,000 numbers the mean errs by 1/450 of a deviation; the bounds are five times that and more.
    tf.random.set_seed(1)
    normal = tf.random.normal([200_000], dtype=dtype).numpy().astype(np.float64)
    assert abs(normal.mean()) < 0.012
    assert abs(normal.std() - 1) < 0.01
    assert abs((np.abs(normal) < 1).mean() - 0.6827) < 0.006
    cut = tf.random.truncated_normal([200_000], dtype=dtype).numpy().astype(np.float64)
    assert np.abs(cut).max() <= 2
    assert abs(cut.std() - 0.8796) < 0.01
    uniform = tf.random.uniform([200_000], dtype=dtype).numpy().astype(np.float64)
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.005 + (0.004 if dtype == "bfloat16" else 0)
    assert abs(uniform.std() - 12**-0.5) < 0.004


def test_integers_reach_both_ends_and_no_further():
    numbers = tf.random.uniform([10_000], -3, 4, tf.int32).numpy()
    assert sorted(set(numbers.tolist())) == [-3, -2, -1, 0, 1, 2, 3]
    low, high = -(2**63), 2**63 - 1
    wide = tf.random.uniform([1000], low, high, tf.int64).numpy()
    assert (wide < 0).any()
    assert (wide > 0).any()


def test_shuffle_keeps_the_rows():
    rows = tf.random.shuffle([[1, 10], [2, 20], [3, 30]]).numpy().tolist()
    assert sorted(rows) == [[1, 10], [2, 20], [3, 30]]


# Seeds


def test_without_a_seed_every_draw_differs():
    tf.random.set_seed(None)
    draws = {tf.random.normal([2]).numpy().tobytes() for _ in range(20)}
    assert len(draws) == 20


def test_without_a_seed_every_process_differs():
    program = "import tapegrad as tf; print(tf.random.uniform([4]).numpy().tolist())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(outputs) == 2


def test_set_seed_starts_again():
    tf.random.set_seed(3)
    first = [tf.random.normal([2]).numpy().tolist() for _ in range(3)]
    seeded = [tf.random.normal([2], seed=1).numpy().tolist() for _ in range(3)]
    tf.random.set_seed(3)
    assert [tf.random.normal([2]).numpy().tolist() for _ in range(3)] == first
    assert [tf.random.normal([2], seed=1).numpy().tolist() for _ in range(3)] == seeded
    assert len({tuple(draw) for draw in first + seeded}) == 6


def test_unnamed_draws_leave_nothing_behind():
    tf.random.set_seed(3)
    for _ in range(100):
        tf.random.normal([2])
    assert not random_state._state.drawn


def test_replaying_draws_the_same_again():
    generator = tf.random.Generator.from_seed(1)

    def draw():
        return [
            tf.random.normal([2]).numpy().tolist(),
            tf.random.normal([2], seed=5).numpy().tolist(),
            generator.normal([2]).numpy().tolist(),
        ]

    for seed in (None, 4):
        tf.random.set_seed(seed)
        draw()
        saved = random_state.snapshot()
        first, second = draw(), draw()
        with random_state.replaying(saved):
            assert draw() == first
        third = draw()
        assert third not in (first, second)
        random_state.restore(saved)
        assert [draw(), draw(), draw()] == [first, second, third]


def test_generators_are_let_go():
    generator = weakref.ref(tf.random.Generator.from_seed(1))
    gc.collect()
    assert generator() is None


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_generators_copy(duplicate):
    generator = tf.random.Generator.from_seed(1)
    generator.normal([3])
    other = duplicate(generator)
    assert other.normal([3]).numpy().tolist() == generator.normal([3]).numpy().tolist()
    assert other.state is not generator.state
    assert other.algorithm == 1


def test_non_deterministic_generators_differ():
    states = {
        tuple(tf.random.Generator.from_non_deterministic_state().state.numpy().tolist())
        for _ in range(3)
    }
    assert len(states) == 3


# Gradients


@pytest.mark.parametrize(
    "draw",
    [
        lambda mean, stddev: tf.random.normal([3], mean, stddev),
        lambda mean, stddev: tf.random.truncated_normal([3], mean, stddev),
        lambda mean, stddev: tf.random.stateless_normal([3], [1, 2], mean, stddev),
        lambda mean, stddev: tf.random.Generator.from_seed(1).normal([3], mean, stddev),
    ],
)
def test_gradients_reach_mean_and_deviation(draw):
    mean, stddev = tf.Variable(1.5), tf.Variable(0.5)
    with tf.GradientTape() as tape:
        numbers = draw(mean, stddev)
    by_mean, by_stddev = tape.gradient(numbers, [mean, stddev])
    assert by_mean.numpy() == 3.0
    np.testing.assert_allclose(by_stddev, np.sum((numbers.numpy() - 1.5) / 0.5), rtol=1e-5)


def test_gradients_reach_the_bounds():
    low, high = tf.Variable(1.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        numbers = tf.random.uniform([4], low, high)
    by_low, by_high = tape.gradient(numbers, [low, high])
    share = (numbers.numpy() - 1.0) / 2.0
    np.testing.assert_allclose(by_high, share.sum(), rtol=1e-5)
    np.testing.assert_allclose(by_low, (1 - share).sum(), rtol=1e-5)


def test_no_gradient_passes_a_shuffle_but_does_a_stateless_one():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        stateful = tf.random.shuffle(x)
        stateless = tf.random.experimental.stateless_shuffle(x, [1, 2]) * [1.0, 10.0, 100.0]
    assert tape.gradient(stateful, x) is None
    assert sorted(tf.convert_to_tensor(tape.gradient(stateless, x)).numpy().tolist()) == [
        1.0,
        10.0,
        100.0,
    ]


def test_no_seed_where_a_number_is_the_default():
    x = tf.reshape(tf.range(36.0), [1, 6, 6, 1])
    ratio = [1.0, 1.5, 1.5, 1.0]
    for pool in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
        tf.random.set_seed(None)
        assert pool(x, ratio, seed=None).output.shape == [1, 4, 4, 1]
        tf.random.set_seed(3)
        first = pool(x, ratio, seed=None)
        tf.random.set_seed(3)
        np.testing.assert_array_equal(pool(x, ratio, seed=None).output, first.output)


def test_another_thread_takes_the_seed_away():
    # The state in which a thread is seen that is half way through set_seed(None).
    tf.random.set_seed(3)
    random_state._state.op_seeds = None
    assert random_state.get_seed(None) == (None, None)


def test_algorithms_of_raw_draws() -> None:
    def draw(alg: Any) -> Any:
        key, counter = tf.constant([1], tf.uint64), tf.constant([1, 2], tf.uint64)
        return tf.raw_ops.StatelessRandomUniformV2(shape=[2], key=key, counter=counter, alg=alg)

    assert draw(1).numpy().tolist() == draw(3).numpy().tolist()
    for alg in ("philox", 1.5):
        with pytest.raises(TypeError, match="int32"):
            draw(alg)
    for alg in (2, 7):
        with pytest.raises(tf.errors.InvalidArgumentError, match="algorithm must be"):
            draw(alg)
