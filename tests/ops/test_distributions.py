"""Distributions and candidate samplers: reproducible, rightly distributed, and differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import assert_close, check_gradient

SEED = [3, 4]


@pytest.mark.parametrize(
    ("draw", "mean", "variance"),
    [
        *((lambda n, a=a: tf.random.stateless_gamma([n], SEED, a), a, a) for a in (0.2, 1.0, 5.0)),
        *((lambda n, a=a: tf.random.stateless_poisson([n], SEED, a), a, a) for a in (0.3, 8.0, 30.0)),
        *((lambda n, c=c, p=p: tf.random.stateless_binomial([n], SEED, c, p), c * p, c * p * (1 - p))
          for c, p in ((5.0, 0.3), (20.0, 0.7), (100.0, 0.4), (50.0, 0.95))),
        (lambda n: tf.random.Generator.from_seed(1).binomial([n], 30.0, 0.2), 6.0, 4.8),
    ],
)  # fmt: skip
def test_moments(draw: Any, mean: float, variance: float) -> None:
    count = 4000
    x = draw(count).numpy().astype(float)
    assert abs(x.mean() - mean) < 5 * np.sqrt(variance / count)
    assert abs(x.var() / variance - 1) < 0.25


def test_a_truncated_normal_is_one() -> None:
    from scipy.stats import kstest, truncnorm

    for mean, deviation, low, high in ((0.0, 1.0, -2.0, 2.0), (1.0, 2.0, 0.0, 5.0), (0.0, 1.0, 8.0, 9.0),
                                       (0.0, 1.0, -9.0, -8.0), (0.0, 1.0, 1.0, np.inf)):  # fmt: skip
        x = tf.random.stateless_parameterized_truncated_normal(
            [2000], SEED, *(tf.constant(v, tf.float64) for v in (mean, deviation, low, high))
        ).numpy()
        law = truncnorm((low - mean) / deviation, (high - mean) / deviation, mean, deviation)
        assert kstest(x, law.cdf).pvalue > 1e-4
        assert low <= x.min() <= x.max() <= high


def test_truncated_normal_gradients() -> None:
    def draw(*parameters: Any) -> Any:
        return tf.random.stateless_parameterized_truncated_normal([4], SEED, *parameters)

    values = (np.array(0.3), np.array([1.2]), np.array(-1.0), np.array([2.0, 1.0, 3.0, 1.5]))
    check_gradient(draw, *values, order=2)
    for bad in ((0.0, -1.0, -2.0, 2.0), (0.0, 1.0, 2.0, -2.0), (0.0, 1.0, 1.0, 1.0)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            draw(*bad)


def test_gamma_gradient_is_that_of_the_quantile() -> None:
    from scipy.special import gammainc, gammaincinv

    alpha = tf.constant([0.3, 1.0, 4.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        x = tf.random.stateless_gamma([3], SEED, alpha, dtype=tf.float64)
    a, step = alpha.numpy(), 1e-5
    share = gammainc(a, x.numpy())
    slope = (gammaincinv(a + step, share) - gammaincinv(a - step, share)) / (2 * step)
    assert_close(tape.gradient(x, alpha), slope, rtol=1e-6)


def test_gamma_by_beta_and_shapes() -> None:
    beta = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(beta)
        x = tf.random.gamma([5], [0.5, 1.0, 3.0], beta, seed=1)
    assert x.shape == [5, 2, 3]
    assert_close(tape.gradient(x, beta), -tf.reduce_sum(x / beta, [0, 2])[:, None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must end with"):
        tf.random.stateless_gamma([2, 3], SEED, [0.5, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.random.gamma([2], 1.0, dtype=tf.int32)
    assert tf.random.gamma([0], 1.0).shape == [0]
    assert tf.random.gamma([2], tf.zeros([0])).shape == [2, 0]


def test_the_seed_decides() -> None:
    draws = {
        "gamma": lambda: tf.random.gamma([4], 2.0),
        "poisson": lambda: tf.random.poisson([4], 20.0),
        "categorical": lambda: tf.random.categorical(tf.zeros([1, 50]), 9),
    }
    for draw in draws.values():
        tf.random.set_seed(5)
        first, second = draw().numpy().tolist(), draw().numpy().tolist()
        tf.random.set_seed(5)
        assert draw().numpy().tolist() == first
        assert first != second


def test_generator_moves_on() -> None:
    generator = tf.random.Generator.from_seed(1)
    before = generator.state.numpy().tolist()
    first = generator.binomial([6], 100.0, 0.5).numpy().tolist()
    assert generator.state.numpy().tolist() != before
    assert generator.binomial([6], 100.0, 0.5).numpy().tolist() != first


def test_edges_of_parameters() -> None:
    assert np.isnan(tf.random.stateless_gamma([1], SEED, -1.0).numpy()).all()
    assert tf.random.stateless_poisson([2], SEED, 0.0).numpy().tolist() == [0, 0]
    assert tf.random.stateless_poisson([1], SEED, 1e12).numpy().tolist() == [2**31 - 1]
    for counts, probs, expected in ((10.0, 1.0, 10), (10.0, 0.0, 0), (0.0, 0.5, 0), (-3.0, 0.5, 0)):
        assert tf.random.stateless_binomial([1], SEED, counts, probs).numpy().tolist() == [expected]
    for number in (float("nan"), float("inf")):  # nothing hangs
        tf.random.stateless_gamma([1], SEED, number)
        tf.random.stateless_poisson([1], SEED, number)
        tf.random.stateless_binomial([1], SEED, number, 0.5)
        tf.random.stateless_binomial([1], SEED, 5.0, number)


def test_bad_categorical() -> None:
    for logits, count in (([0.1, 0.2], 3), (tf.zeros([2, 0]), 3), ([[0.1]], -1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.random.categorical(logits, count)
    with pytest.raises(ValueError, match="dtype"):
        tf.random.categorical([[0.1]], 3, dtype=tf.float32)
    assert tf.random.categorical(tf.zeros([0, 3]), 3).shape == [0, 3]


index_shuffle = tf.random.experimental.index_shuffle


@pytest.mark.parametrize("last", [0, 1, 6, 100, 1000])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_index_shuffle_is_a_permutation(last: int, dtype: str) -> None:
    every = np.arange(last + 1, dtype=dtype)
    places = index_shuffle(every, [5, 6], last)
    assert places.dtype.name == dtype
    assert sorted(places.numpy().tolist()) == every.tolist()
    assert index_shuffle(every[-1], [5, 6], last).numpy() == places.numpy()[-1]
    assert (
        last < 100 or index_shuffle(every, [5, 7], last).numpy().tolist() != places.numpy().tolist()
    )


def test_index_shuffle_of_ranges_of_their_own() -> None:
    lasts = [9, 19, 2**40]
    found = index_shuffle(tf.constant([0, 1, 2], tf.int64), [1, 2], tf.constant(lasts, tf.int64))
    alone = [index_shuffle(tf.constant(i, tf.int64), [1, 2], last) for i, last in enumerate(lasts)]
    assert found.numpy().tolist() == [each.numpy() for each in alone]
    assert index_shuffle(1, [1, 2], [9, 10]).shape == [2]


def test_raw_index_shuffle_takes_three_numbers_for_each_index() -> None:
    raw = tf.raw_ops.RandomIndexShuffle
    seeds = [[1, 2, 3], [4, 5, 6]]
    found = raw(index=[7, 7], seed=seeds, max_index=99).numpy().tolist()
    assert found == [raw(index=7, seed=seed, max_index=99).numpy() for seed in seeds]


@pytest.mark.parametrize(
    ("index", "seed", "last"),
    [
        ([10], [1, 2], 9), ([-1], [1, 2], 9), ([0], [1, 2], -1), ([0], [1, 2, 3], 9), ([0], [1], 9),
        ([0], 1, 9), ([0, 1], [[1, 2], [3, 4]], 9), ([[0, 1]], [1, 2], 9), ([0, 1], [1, 2], [9, 9, 9]),
        (np.int8([1]), [1, 2], np.int8(9)), (np.int32([1]), [1, 2], tf.constant(9, tf.int64)),
    ],
)  # fmt: skip
def test_index_shuffle_refuses(index: Any, seed: Any, last: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        index_shuffle(index, seed, last)


# Candidate samplers


def test_unique_candidates() -> None:
    for sampler in (tf.random.uniform_candidate_sampler, tf.random.log_uniform_candidate_sampler,
                    tf.random.learned_unigram_candidate_sampler):  # fmt: skip
        sampled, _, expected = sampler([[1, 2]], 2, 10, True, 10, seed=1)
        assert sorted(sampled.numpy().tolist()) == list(range(10))
        assert expected.shape == [10]


@pytest.mark.parametrize(
    "arguments",
    [([[1, 2]], 2, 9, True, 8), ([[1, 2]], 3, 2, True, 8), ([[1, 8]], 2, 2, True, 8),
     ([[-1, 2]], 2, 2, True, 8),
     ([[1, 2]], 2, 0, True, 8), ([[1, 2]], 2, 2, True, 0), ([1, 2], 2, 2, True, 8)],
)  # fmt: skip
def test_bad_candidates(arguments: Any) -> None:
    for sampler in (tf.random.uniform_candidate_sampler, tf.random.log_uniform_candidate_sampler,
                    tf.random.learned_unigram_candidate_sampler):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError):
            sampler(*arguments, seed=1)


def test_fixed_unigrams(tmp_path: Any) -> None:
    weights = [0.0, 1.0, 3.0, 0.0]
    sampled, true, _ = tf.random.fixed_unigram_candidate_sampler(
        [[2]], 1, 2000, False, 4, unigrams=weights, seed=1
    )
    counts = np.bincount(sampled.numpy(), minlength=4)
    assert counts[0] == counts[3] == 0
    assert abs(counts[2] / 2000 - 0.75) < 0.05
    assert_close(true, [[1500.0]])
    path = tmp_path / "words.csv"
    path.write_text("a,1\nb,3\n")
    found = tf.random.fixed_unigram_candidate_sampler([[1]], 1, 4, False, 2, vocab_file=str(path))
    assert_close(found.true_expected_count, [[3.0]])
    for bad in ({"unigrams": [1.0]}, {}, {"unigrams": [0.0, 0.0]}, {"unigrams": [1.0, -1.0]}):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.random.fixed_unigram_candidate_sampler([[1]], 1, 1, False, 2, **bad)


def test_accidental_hits() -> None:
    rows, places, weights = tf.nn.compute_accidental_hits([[1, 2], [3, 0]], [0, 2, 5, 3, 2], 2)
    assert rows.numpy().tolist() == [0, 1, 1]
    assert places.numpy().tolist() == [4, 3, 0]
    assert (weights.numpy() < -1e38).all()
    assert tf.nn.compute_accidental_hits([[1]], [2], 1).indices.shape == [0]


def test_more_numbers_than_memory() -> None:
    for draw in (lambda: tf.random.stateless_gamma([2**40], SEED, 1.0),
                 lambda: tf.random.stateless_poisson([2**62], SEED, 1.0),
                 lambda: tf.random.categorical([[1.0]], 2**50),
                 lambda: tf.random.uniform_candidate_sampler([[1]], 1, 2**50, False, 8)):  # fmt: skip
        with pytest.raises(tf.errors.ResourceExhaustedError):
            draw()
