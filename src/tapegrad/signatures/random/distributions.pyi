# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike

def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``num_samples`` classes for each row of ``logits``, drawn with the probabilities of the row's softmax.

    >>> tf.random.set_seed(5)
    >>> tf.random.categorical([[0.0, -1000.0], [-1000.0, 0.0]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])

    The classes are TensorFlow's for the same seeds.
    """

def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions: for each pair of ``alpha`` and ``beta``, a tensor of ``shape``.

    >>> tf.random.set_seed(5)
    >>> tf.random.gamma([3], alpha=[0.5, 2.0]).shape
    TensorShape([3, 2])

    The numbers are TensorFlow's for the same seeds. They are differentiable in ``alpha`` and ``beta``.

    Args:
        shape: the axes in front of the shape to which ``alpha`` and ``beta`` broadcast.
        alpha: the shape parameter.
        beta: the rate, 1 by default. The mean is ``alpha / beta``.
        dtype: float16, float32 or float64.
    """

def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """The index to which ``index`` moves when 0 to ``max_index`` are shuffled, without shuffling them all.

    >>> places = tf.random.experimental.index_shuffle(tf.range(8), [5, 9], 7)
    >>> tf.sort(places).numpy()
    array([0, 1, 2, 3, 4, 5, 6, 7], dtype=int32)

    Differs from TensorFlow: the permutation is another one. It depends on the seed and ``max_index`` alone.

    Args:
        index: a number, or a vector of numbers.
        seed: two integers.
        max_index: the last index, or a vector with one for each number in ``index``.
    """

def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions: for each mean in ``lam``, a tensor of ``shape``.

    >>> tf.random.set_seed(5)
    >>> tf.random.poisson([4], lam=[0.5, 20.0]).shape
    TensorShape([4, 2])

    The numbers are TensorFlow's for the same seeds. A tape treats them as constants.
    """

def random_index_shuffle(
    index: TensorLike,
    seed: TensorLike,
    max_index: TensorLike,
    rounds: TensorLike = 4,
    name: str | None = None,
) -> Tensor:
    """The permuted index. A seed is three numbers, or a matrix with three numbers for each index.

    Args:
        index: a tensor.
        seed: a tensor.
        max_index: a tensor of the dtype of ``index``.
        rounds: 4 if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many of ``counts`` trials succeed, the same each time for the same ``seed`` of two integers.

    >>> draws = tf.random.stateless_binomial([1000], seed=[1, 2], counts=20.0, probs=0.3)
    >>> int(tf.reduce_max(draws)) <= 20
    True

    Args:
        shape: the shape of the result, which ends with that to which ``counts`` and ``probs`` broadcast.
    """

def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``categorical``, the same each time for the same ``seed`` of two integers.

    >>> tf.random.stateless_categorical([[0.1, 0.7, -1.2, 0.3]], 5, seed=[1, 2]).shape
    TensorShape([1, 5])
    """

def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions, the same each time for the same ``seed`` of two integers.

    >>> tf.random.stateless_gamma([3], seed=[1, 2], alpha=[0.5, 1.0, 2.0], beta=[1.0, 2.0, 4.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0.06695361, 0.85965466, 0.83400166], dtype=float32)>

    Args:
        shape: the shape of the result, which ends with that of the parameters.
    """

def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers between ``minvals`` and ``maxvals``, the same each time for the same ``seed``.

    >>> x = tf.random.stateless_parameterized_truncated_normal([100], [1, 2], means=0.0, maxvals=0.5)
    >>> bool(tf.reduce_all((x >= -2.0) & (x <= 0.5)))
    True

    Differs from TensorFlow: the distribution is the same, but the numbers are not. There is a gradient in
    all four parameters, that of a sample whose probability is held fixed.
    """

def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions, the same each time for the same ``seed`` of two integers.

    >>> tf.random.stateless_poisson([2, 3], seed=[1, 2], lam=5.0).shape
    TensorShape([2, 3])

    The numbers are TensorFlow's.

    Args:
        shape: the shape of the result, which ends with that of ``lam``.
    """
