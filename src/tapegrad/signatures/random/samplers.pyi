# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.random.samplers import AccidentalHits as AccidentalHits
from tapegrad.ops.random.samplers import Candidates as Candidates

def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Candidates:
    """All ``num_sampled`` classes, for comparison with sampled losses.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])
    """

def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: TensorLike,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> AccidentalHits:
    """Where a sampled class is also a true one, with a weight that takes it out of a softmax.

    >>> hits = tf.nn.compute_accidental_hits([[1], [5]], [5, 7, 1], num_true=1)
    >>> print(hits.indices.numpy(), hits.ids.numpy())
    [0 1] [2 0]
    """

def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    vocab_file: str = '',
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: TensorLike = ...,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, with given frequencies raised to the power ``distortion``.

    >>> sample = tf.random.fixed_unigram_candidate_sampler(
    ...     [[1]], 1, 2, unique=False, range_max=3, unigrams=[1.0, 2.0, 1.0])
    >>> print(sample.true_expected_count.numpy())
    [[1.]]

    Args:
        vocab_file: a file with a line for each class, whose last value, after a comma, is its frequency.
        num_reserved_ids: the number of first classes that are never drawn, and have no frequency given.
        num_shards, shard: take every ``num_shards``-th class, starting with class ``shard``.
        unigrams: the frequencies, if there is no file.
    """

def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: TensorLike | None = None,
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
    """

def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, class k with probability log((k + 2) / (k + 1)) / log(range_max + 1).

    Words of a language that are numbered by falling frequency have about these probabilities.

    >>> tf.random.set_seed(1)
    >>> sample = tf.random.log_uniform_candidate_sampler([[0]], 1, 5, unique=True, range_max=100)
    >>> len(set(sample.sampled_candidates.numpy().tolist()))
    5
    """

def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below ``range_max``, all equally probable, and the expected counts.

    >>> tf.random.set_seed(1)
    >>> sample = tf.random.uniform_candidate_sampler([[1, 2]], 2, num_sampled=4, unique=False, range_max=8)
    >>> print(sample.sampled_expected_count.numpy())
    [0.5 0.5 0.5 0.5]

    Args:
        true_classes: [batch, num_true].
        unique: whether to draw until there are ``num_sampled`` different classes.
    """
