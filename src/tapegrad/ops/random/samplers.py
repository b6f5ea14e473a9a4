"""Candidate samplers: classes drawn as a sample of all others, for ``nce_loss`` and ``sampled_softmax_loss``.

Uniform and log-uniform samples are TensorFlow's for the same seeds, bit for bit. Samples by counted or given
frequencies have TensorFlow's distributions and expected counts, but are other samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Op, Tensor, convert, public
from tapegrad.engines.numpy import random as engine
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.ops.args import static_int
from tapegrad.ops.op import op
from tapegrad.ops.random.distributions import too_many
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "nn compat.v1.nn": "compute_accidental_hits",
    "nn random compat.v1.nn compat.v1.random": (
        "all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler"
    ),
    "random compat.v1.random": "log_uniform_candidate_sampler uniform_candidate_sampler",
}


# How far the counter moves for each sampled class: TensorFlow reserves 2048 words, four to a counter.
COUNTERS_PER_SAMPLE = 512


class Candidates(NamedTuple):
    """The sampled classes, and the counts expected in such a sample for the true and the sampled classes."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class AccidentalHits(NamedTuple):
    """Rows, indices among the sampled classes, and what to add to the logits there."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def _range(range_max: Any) -> int:
    size = static_int(range_max)
    if size < 1:
        refuse(f"range_max must be at least 1; it is {size}.")
    return size


def _check_classes(true_classes: Any, num_true: int, num_sampled: int) -> None:
    if num_true < 1 or num_sampled < 1:
        refuse(
            f"num_true and num_sampled must be at least 1; they are {num_true} and {num_sampled}."
        )
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        refuse(
            f"true_classes must have num_true columns, expected: {num_true}; "
            f"its shape is {list(true_classes.shape)}."
        )


def _sample(
    type_name: str,
    values: Any,
    num_true: int,
    count: int,
    unique: bool,
    range_max: int,
    seed: int | None,
    seed2: int | None,
    pick: Callable[[int, int, int], Any],
    probability: Callable[[Any], Any],
) -> tuple[Any, Any, Any]:
    """Candidates that ``pick(key, counter, count)`` draws, class k with ``probability(k)``."""
    _check_classes(values, num_true, count)
    if values.size and not 0 <= int(values.min()) <= int(values.max()) < range_max:
        refuse(f"`true_classes` out of range [0, {range_max}).")
    if unique and count > range_max:
        refuse(
            f"Sampler's range is too small: {range_max} classes, "
            f"of which {count} different ones are wanted."
        )
    counters = count * COUNTERS_PER_SAMPLE
    # Samplers with other arguments draw from other streams.
    stream = f"{type_name}({num_true}, {count}, {unique}, {range_max})"
    key, counter = random_state.reserve(stream, "int64", seed, seed2, counters)
    try:
        if unique:
            sampled, tries = _distinct(lambda length: pick(key, counter, length), count)
        else:
            sampled, tries = pick(key, counter, count), count
    except (MemoryError, ValueError, OverflowError):
        raise too_many(count) from None

    def expected(classes: Any) -> Any:
        chance = probability(classes)
        if tries == count:
            return (chance * tries).astype(np.float32)
        # The probability of at least one success in ``tries`` tries.
        with np.errstate(divide="ignore"):
            return -np.expm1(tries * np.log1p(-chance)).astype(np.float32)

    return sampled.astype(np.int64), expected(values), expected(sampled)


def _distinct(draw: Callable[[int], Any], count: int) -> tuple[Any, int]:
    """The first ``count`` different numbers drawn, and the number of draws that took."""
    length = 4 * count
    while True:
        numbers = draw(length)
        _, first = np.unique(numbers, return_index=True)
        if len(first) >= count:
            first.sort()
            return numbers[first[:count]], int(first[count - 1]) + 1
        if length > 1 << 26:
            refuse("Almost all probability is on fewer classes than are to be sampled.")
        length *= 4


# Ops

_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "num_true": static_int,
    "num_sampled": static_int,
    "unique": bool,
    "range_max": _range,
}


def sampled_shapes(true_classes, num_true, num_sampled):
    """The shape rule of all samplers."""
    _check_classes(true_classes, num_true, num_sampled)
    return [
        Abstract([num_sampled], dtypes.int64),
        Abstract(true_classes.shape, dtypes.float32),
        Abstract([num_sampled], dtypes.float32),
    ]


def _sampler(
    type_name: str, files: dict[str, str | None] | None = None, **attributes: Callable[[Any], Any]
) -> Callable[..., Op]:
    """A decorator that makes the kernel below it the op of a sampler."""

    def make(kernel: Callable[..., Any]) -> Op:
        new_op: Op = op(
            type_name,
            dtypes={dtypes.int64},
            convert={**_ATTRIBUTES, **attributes},
            outputs=Candidates._fields,
            result=Candidates,
            effect="draws",
            files=files,
            values="errors",
        )(kernel)
        new_op.shape(sampled_shapes)
        return new_op

    return make


@_sampler("UniformCandidateSampler")
def uniform_op(xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0):
    def pick(key: int, counter: int, count: int) -> Any:
        return engine.bits64(key, counter, count) % np.uint64(range_max)

    def probability(classes: Any) -> Any:
        return np.full(classes.shape, 1.0 / range_max)

    arguments = (true_classes, num_true, num_sampled, unique, range_max, seed, seed2)
    return _sample("UniformCandidateSampler", *arguments, pick, probability)


@_sampler("LogUniformCandidateSampler")
def log_uniform_op(xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0):
    scale = math.log1p(range_max)

    def pick(key: int, counter: int, count: int) -> Any:
        numbers = engine.uniform(key, counter, count, np.dtype(np.float64))
        return (np.exp(numbers * scale).astype(np.int64) - 1) % range_max

    def probability(classes: Any) -> Any:
        classes = classes.astype(np.float64)
        return np.log((classes + 2) / (classes + 1)) / scale

    arguments = (true_classes, num_true, num_sampled, unique, range_max, seed, seed2)
    return _sample("LogUniformCandidateSampler", *arguments, pick, probability)


def _by_weight(weights: Any) -> tuple[Callable[[int, int, int], Any], Callable[[Any], Any]]:
    totals = np.cumsum(weights, dtype=np.float64)

    def pick(key: int, counter: int, count: int) -> Any:
        numbers = engine.uniform(key, counter, count, np.dtype(np.float64))
        return np.searchsorted(totals, numbers * totals[-1], side="right")

    def probability(classes: Any) -> Any:
        return weights[classes.astype(np.int64)] / totals[-1]

    return pick, probability


# What each learned sampler has seen so far. The keys are its arguments.
_seen: dict[tuple[Any, ...], Any] = {}


@_sampler("LearnedUnigramCandidateSampler")
def learned_unigram_op(
    xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0
):
    seeds = random_state.get_seed(seed2) if seed is None else (seed, seed2)
    sampler = (num_true, num_sampled, unique, range_max, *seeds)
    weights = _seen.get(sampler)
    if weights is None:
        weights = np.ones(range_max)
    pick, probability = _by_weight(weights)
    arguments = (true_classes, num_true, num_sampled, unique, range_max, seed, seed2)
    result = _sample("LearnedUnigramCandidateSampler", *arguments, pick, probability)
    learned = weights.copy()
    np.add.at(learned, true_classes, 1)
    _seen[sampler] = learned
    return result


def _vocabulary(path: str) -> list[float]:
    """The frequencies in a file: the last value of each line, after a comma."""
    with as_tf_errors(path), open(path, encoding="utf-8") as lines:
        return [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]


@_sampler("FixedUnigramCandidateSampler", files={"vocab_file": "reads"}, unigrams=tuple)
def fixed_unigram_op(
    xp,
    true_classes,
    *,
    num_true,
    num_sampled,
    unique,
    range_max,
    vocab_file="",
    distortion=1.0,
    num_reserved_ids=0,
    num_shards=1,
    shard=0,
    unigrams=(),
    seed=0,
    seed2=0,
):
    frequencies = _vocabulary(vocab_file) if vocab_file else list(unigrams)
    if not frequencies:
        refuse("Must provide either vocab_file or unigrams.")
    if not 0 <= shard < num_shards:
        refuse(f"shard must be from 0 to {num_shards - 1}; it is {shard}.")
    weights = np.array([0.0] * num_reserved_ids + frequencies)
    weights[num_reserved_ids:] **= distortion
    weights = weights[shard::num_shards]
    if len(weights) != range_max:
        refuse(f"range is {range_max} must be equal to weights size {len(weights)}.")
    if not (weights >= 0).all() or not weights.sum() > 0:
        refuse("unigrams must not be negative, and not all 0.")
    if unique and int((weights > 0).sum()) < num_sampled:
        refuse("Sampler's range is too small: fewer classes have a frequency than are wanted.")
    pick, probability = _by_weight(weights)
    arguments = (true_classes, num_true, num_sampled, unique, range_max, seed, seed2)
    return _sample("FixedUnigramCandidateSampler", *arguments, pick, probability)


@op(
    "AllCandidateSampler",
    dtypes={dtypes.int64},
    convert={"num_true": static_int, "num_sampled": static_int},
    outputs=Candidates._fields,
    result=Candidates,
)
def all_op(xp, true_classes, *, num_true, num_sampled, unique, seed=0, seed2=0):
    """All classes. The seeds are accepted, but nothing is drawn."""
    _check_classes(true_classes, num_true, num_sampled)
    return (
        np.arange(num_sampled, dtype=np.int64),
        np.ones(true_classes.shape, np.float32),
        np.ones(num_sampled, np.float32),
    )


all_op.shape(sampled_shapes)


@op(
    "ComputeAccidentalHits",
    dtypes={dtypes.int64},
    convert={"num_true": static_int},
    outputs=AccidentalHits._fields,
    result=AccidentalHits,
)
def accidental_hits_op(xp, true_classes, sampled_candidates, *, num_true, seed=0, seed2=0):
    """The accidental hits. The seeds are accepted, but nothing is drawn."""
    _check_classes(true_classes, num_true, 1)
    if sampled_candidates.ndim != 1:
        shape = list(sampled_candidates.shape)
        refuse(f"sampled_candidates must be a vector; its shape is {shape}.")
    place_of = {number: place for place, number in enumerate(sampled_candidates.tolist())}
    hits = [
        (row, place_of[number])
        for row, numbers in enumerate(true_classes.tolist())
        for number in numbers
        if number in place_of
    ]
    rows, places = zip(*hits, strict=True) if hits else ((), ())
    return (
        np.array(rows, np.int32),
        np.array(places, np.int64),
        np.full(len(hits), -np.finfo(np.float32).max, np.float32),
    )


accidental_hits_op.shape(
    lambda: [
        Abstract([None], dtypes.int32),
        Abstract([None], dtypes.int64),
        Abstract([None], dtypes.float32),
    ]
)


for _op in (
    uniform_op,
    log_uniform_op,
    learned_unigram_op,
    fixed_unigram_op,
    all_op,
    accidental_hits_op,
):
    _op.no_gradient()


# Public functions


@public
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, all equally probable, and the expected counts.

    >>> tf.random.set_seed(1)
    >>> sample = tf.random.uniform_candidate_sampler([[1, 2]], 2, num_sampled=4, unique=False, range_max=8)
    >>> print(sample.sampled_expected_count.numpy())
    [0.5 0.5 0.5 0.5]

    Args:
        true_classes: [batch, num_true].
        num_true: the number of true classes of an example.
        num_sampled: how many classes are drawn.
        unique: whether to draw until there are ``num_sampled`` different classes.
        range_max: the number of classes.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    classes = convert(true_classes, dtypes.int64)
    seed2 = random_state.op_seed_of(seed)
    return uniform_op(classes, num_true, num_sampled, unique, range_max, None, seed2)


@public
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, class k with probability log((k + 2) / (k + 1)) / log(range_max + 1).

    Words of a language that are numbered by falling frequency have about these probabilities.

    >>> tf.random.set_seed(1)
    >>> sample = tf.random.log_uniform_candidate_sampler([[0]], 1, 5, unique=True, range_max=100)
    >>> len(set(sample.sampled_candidates.numpy().tolist()))
    5

    Args:
        true_classes: integers of shape [batch, num_true].
        num_true: the number of true classes of an example.
        num_sampled: how many classes are drawn.
        unique: whether no class comes twice.
        range_max: the number of classes.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    classes = convert(true_classes, dtypes.int64)
    seed2 = random_state.op_seed_of(seed)
    return log_uniform_op(classes, num_true, num_sampled, unique, range_max, None, seed2)


@public
def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, each weighted by how often it was a true class in earlier calls, plus one.

    >>> tf.random.set_seed(1)
    >>> arguments = [[[3]], 1, 2, False, 4]
    >>> for _ in range(2):
    ...     sample = tf.random.learned_unigram_candidate_sampler(*arguments, seed=1)
    ...     print(sample.true_expected_count.numpy())
    [[0.5]]
    [[0.8]]

    Calls whose arguments agree, except for ``true_classes``, learn together.

    Args:
        true_classes: integers of shape [batch, num_true].
        num_true: the number of true classes of an example.
        num_sampled: how many classes are drawn.
        unique: whether no class comes twice.
        range_max: the number of classes.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    classes = convert(true_classes, dtypes.int64)
    seed2 = random_state.op_seed_of(seed)
    return learned_unigram_op(classes, num_true, num_sampled, unique, range_max, None, seed2)


@public
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, with given frequencies raised to the power ``distortion``.

    >>> sample = tf.random.fixed_unigram_candidate_sampler(
    ...     [[1]], 1, 2, unique=False, range_max=3, unigrams=[1.0, 2.0, 1.0])
    >>> print(sample.true_expected_count.numpy())
    [[1.]]

    Args:
        true_classes: integers of shape [batch, num_true].
        num_true: the number of true classes of an example.
        num_sampled: how many classes are drawn.
        unique: whether no class comes twice.
        range_max: the number of classes.
        vocab_file: a file with a line for each class, whose last value, after a comma, is its frequency.
        distortion: the power to which frequencies are raised: 0 makes all classes equally probable.
        num_reserved_ids: the number of first classes that are never drawn, and have no frequency given.
        num_shards, shard: take every ``num_shards``-th class, starting with class ``shard``.
        unigrams: the frequencies, if there is no file.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    return fixed_unigram_op(
        convert(true_classes, dtypes.int64),
        num_true,
        num_sampled,
        unique,
        range_max,
        vocab_file,
        distortion,
        num_reserved_ids,
        num_shards,
        shard,
        unigrams,
        None,
        random_state.op_seed_of(seed),
    )


@public
def all_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """All ``num_sampled`` classes, for comparison with sampled losses.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])

    Args:
        true_classes: integers of shape [batch, num_true].
        num_true: the number of true classes of an example.
        num_sampled: the number of all classes.
        unique: of no effect: no class comes twice.
        seed: of no effect: nothing is drawn.
    """
    return all_op(convert(true_classes, dtypes.int64), num_true, num_sampled, unique)


@public
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: Any,
    seed: Any = None,
    name: str | None = None,
) -> AccidentalHits:
    """Where a sampled class is also a true one, with a weight that takes it out of a softmax.

    >>> hits = tf.nn.compute_accidental_hits([[1], [5]], [5, 7, 1], num_true=1)
    >>> print(hits.indices.numpy(), hits.ids.numpy())
    [0 1] [2 0]

    Args:
        true_classes: integers of shape [batch, num_true].
        sampled_candidates: a vector of classes, as a candidate sampler gives.
        num_true: the number of true classes of an example.
        seed: of no effect: nothing is drawn.
    """
    classes = convert(true_classes, dtypes.int64)
    return accidental_hits_op(classes, convert(sampled_candidates, dtypes.int64), num_true)
