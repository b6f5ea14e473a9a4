"""Gamma, Poisson, binomial, categorical and truncated normal numbers, stateful and stateless.

Gamma, Poisson, binomial and categorical draws are TensorFlow's own for the same seeds, bit for bit; truncated
normal ones have TensorFlow's distribution, and depend on their seeds alone. Samples of the gamma and of the
truncated normal distribution are differentiable in the distribution's parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Operand, Tensor, convert
from tapegrad.engines.numpy import random as engine
from tapegrad.engines.numpy import rejection
from tapegrad.framework import random_state
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops import array, creation, math, random, reduce, special
from tapegrad.ops.args import check_memory, check_size, static_int
from tapegrad.ops.op import op

PUBLIC = {
    "random": "poisson",
    "random compat.v1.random": (
        "categorical gamma stateless_binomial stateless_categorical stateless_gamma "
        "stateless_parameterized_truncated_normal stateless_poisson"
    ),
    "random.experimental": "index_shuffle",
}


GAMMA_TYPES = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})
COUNT_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
LOGIT_TYPES = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def _invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


def too_many(count: int) -> errors.ResourceExhaustedError:
    """The error of asking for more numbers than there is memory for."""
    return errors.ResourceExhaustedError(
        None, None, f"Out of memory while drawing {count} random numbers: draw fewer at a time."
    )


def _sample(
    draw: Callable[..., float],
    shape: tuple[int, ...],
    parameters: tuple[Any, ...],
    key: int,
    counter: int,
    stretch: Callable[..., int] = lambda *_: engine.COUNTERS_PER_ELEMENT,
) -> Any:
    """Numbers in float64, of ``shape + parameters' shape``: one stretch of the stream for each.

    Number i, counted parameter by parameter, all samples of one before those of the next, starts i times the
    ``stretch`` of its parameters after ``counter``.
    """
    each = [parameter.astype(np.float64) for parameter in np.broadcast_arrays(*parameters)]
    check_size(shape + each[0].shape)
    flat = list(zip(*[parameter.ravel().tolist() for parameter in each], strict=True))
    count = random.size_of(shape)
    try:
        out = np.empty((len(flat), count))
    except (MemoryError, ValueError, OverflowError):
        raise too_many(len(flat) * count) from None
    for row, numbers in enumerate(flat):
        counters = stretch(*numbers)
        for column in range(count):
            start = counter + (row * count + column) * counters
            out[row, column] = draw(rejection.Stream(key, start), *numbers)
    return out.T.reshape(shape + each[0].shape)


def _in_range(samples: Any, dtype: Any) -> Any:
    """Counts in a dtype that may not hold the largest of them: those stop at its limit."""
    if dtype.is_integer:
        limits = np.iinfo(dtype.as_numpy_dtype)
        samples = np.nan_to_num(samples, nan=0.0)
        large = samples >= float(limits.max)
        whole = np.where(large, 0, samples).astype(dtype.as_numpy_dtype)
        return np.where(large, limits.max, whole)
    return samples.astype(dtype.numpy_dtype)


def _leading(shape: tuple[int, ...], inner: tuple[int, ...]) -> tuple[int, ...]:
    """The part of a stateless draw's ``shape`` before the parameters' own shape, with which it must end."""
    rank = len(inner)
    if len(shape) < rank or shape[len(shape) - rank :] != inner:
        raise _invalid(
            f"Shape passed in must end with broadcasted shape: {list(shape)} does not end with "
            f"{list(inner)}, the shape of the parameters."
        )
    return shape[: len(shape) - rank]


# --- Gamma -------------------------------------------------------------------------------------------


def _whole(value: Any) -> int:
    """A key or a counter: an integer, or a vector of 64-bit words, the lowest first."""
    if isinstance(value, int):
        return value
    words = convert(value)._array.ravel().tolist()
    return sum((word & (1 << 64) - 1) << 64 * place for place, word in enumerate(words))


@op(
    "StatelessRandomGammaV3",
    dtypes=GAMMA_TYPES,
    convert={"shape": random.shape_of, "key": _whole, "counter": _whole, "alg": static_int},
    raw=("alpha", "shape", "key", "counter", "alg"),
)
def gamma_samples(xp, alpha, *, shape, key, counter, alg=1):
    """Samples of the gamma distribution, in a tensor of ``shape``, which ends with that of ``alpha``."""
    samples = _sample(rejection.gamma, _leading(shape, alpha.shape), (alpha,), key, counter)
    if alpha.dtype == np.float16:
        # TensorFlow rounds twice.
        samples = samples.astype(np.float32)
    return samples.astype(alpha.dtype)


def _gamma_gradient(dy, alpha, out, shape):
    # A sample moves so that the probability of lying below it stays as it is.
    slope = special.random_gamma_grad(alpha, out)
    return reduce.reduce_sum(dy * slope, tuple(range(len(shape) - alpha.ndim)))


gamma_samples.gradient(alpha=_gamma_gradient)


def _gamma_parameters(
    alpha: Any, beta: Any, dtype: Any
) -> tuple[Tensor, Tensor | None, tuple[int, ...]]:
    alpha = convert(alpha, dtype)
    beta = convert(1 if beta is None else beta, dtype)
    try:
        inner = np.broadcast_shapes(alpha._shape_tuple(), beta._shape_tuple())
    except ValueError:
        raise _invalid(
            f"alpha of shape {list(alpha.shape)} and beta of shape {list(beta.shape)} do not broadcast."
        ) from None
    return alpha, beta, inner


def _scaled_gamma(samples: Tensor, beta: Tensor, dtype: Any) -> Tensor:
    # A gamma number is positive, however small the shape parameter that it was drawn for.
    tiny = np.finfo(dtype.as_numpy_dtype).tiny
    return math.maximum(convert(tiny, dtype), samples / beta)


def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions: for each pair of ``alpha`` and ``beta``, a tensor of ``shape``.

    >>> tf.random.set_seed(5)
    >>> tf.random.gamma([3], alpha=[0.5, 2.0]).shape
    TensorShape([3, 2])

    The numbers are TensorFlow's for the same seeds. They are differentiable in ``alpha`` and ``beta``.

    Args:
        shape: what goes in front of the shape to which ``alpha`` and ``beta`` broadcast.
        alpha: the shape parameter.
        beta: the rate, 1 by default: the mean is ``alpha / beta``.
        dtype: float16, float32 or float64.
    """
    dtype = dtypes.as_dtype(dtype)
    lead = random.shape_of(shape)
    random.check_dtype("RandomGamma", dtype, tuple(GAMMA_TYPES))
    alpha, beta, inner = _gamma_parameters(alpha, beta, dtype)
    alpha = array.broadcast_to(alpha, inner)
    count = random.size_of(lead) * random.size_of(inner)
    key, counter = random_state.reserve("RandomGamma", dtype.name, seed, count)
    return _scaled_gamma(gamma_samples(alpha, (*lead, *inner), key, counter), beta, dtype)


def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions: the same each time for the same ``seed``, two integers.

    >>> tf.random.stateless_gamma([3], seed=[1, 2], alpha=[0.5, 1.0, 2.0], beta=[1.0, 2.0, 4.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0.06695361, 0.85965466, 0.83400166], dtype=float32)>

    Args:
        shape: the result's shape, which ends with that of the parameters.
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = random.shape_of(shape)
    random.check_dtype("StatelessRandomGammaV3", dtype, tuple(GAMMA_TYPES))
    alpha, beta, inner = _gamma_parameters(alpha, beta, dtype)
    alpha = array.broadcast_to(alpha, inner)
    samples = gamma_samples(alpha, sizes, *random.key_and_counter(seed))
    return _scaled_gamma(samples, beta, dtype)


# --- Poisson and binomial ----------------------------------------------------------------------------


def poisson(
    shape: Any,
    lam: Any,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions: for each mean in ``lam``, a tensor of ``shape``.

    >>> tf.random.set_seed(5)
    >>> tf.random.poisson([4], lam=[0.5, 20.0]).shape
    TensorShape([4, 2])

    The numbers are TensorFlow's for the same seeds; they are constants to a tape.
    """
    dtype = dtypes.as_dtype(dtype)
    lead = random.shape_of(shape)
    random.check_dtype("RandomPoissonV2", dtype, COUNT_TYPES)
    rate = convert(lam)
    random.check_dtype("RandomPoissonV2", rate.dtype, COUNT_TYPES)
    count = random.size_of(lead) * rate._array.size
    key, counter = random_state.reserve("RandomPoissonV2", dtype.name, seed, count)
    samples = _sample(rejection.poisson, lead, (rate._array,), key, counter)
    return EagerTensor(_in_range(samples, dtype))


def stateless_poisson(
    shape: Any,
    seed: Any,
    lam: Any,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions: the same each time for the same ``seed``, two integers.

    >>> tf.random.stateless_poisson([2, 3], seed=[1, 2], lam=5.0).shape
    TensorShape([2, 3])

    The numbers are TensorFlow's.

    Args:
        shape: the result's shape, which ends with that of ``lam``.
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = random.shape_of(shape)
    random.check_dtype("StatelessRandomPoisson", dtype, COUNT_TYPES)
    rate = convert(lam)
    random.check_dtype("StatelessRandomPoisson", rate.dtype, COUNT_TYPES)
    lead = _leading(sizes, rate._shape_tuple())
    key, counter = random.key_and_counter(seed)
    samples = _sample(rejection.poisson, lead, (rate._array,), key, counter)
    return EagerTensor(_in_range(samples, dtype))


def binomials(
    type_name: str, shape: Any, counts: Any, probs: Any, dtype: Any, start: Callable[[int], Any]
) -> Tensor:
    """Binomial numbers, from the key and the counter that ``start`` returns for so many elements."""
    dtype = dtypes.as_dtype(dtype)
    sizes = random.shape_of(shape)
    random.check_dtype(type_name, dtype, COUNT_TYPES)
    if isinstance(counts, Operand):
        counts = convert(counts)
        probs = convert(probs, None if isinstance(probs, Operand) else counts.dtype)
    else:
        probs = convert_to_tensor(probs, dtype_hint=dtypes.float32)
        counts = convert(counts, probs.dtype)
    random.check_dtype(type_name, probs.dtype, tuple(GAMMA_TYPES))
    if probs.dtype is not counts.dtype:
        raise _invalid(
            f"counts and probs must have one dtype; {counts.dtype.name} and {probs.dtype.name} came "
            f"[Op:{type_name}]."
        )
    try:
        inner = np.broadcast_shapes(counts._shape_tuple(), probs._shape_tuple())
    except ValueError:
        raise _invalid(
            f"counts of shape {list(counts.shape)} and probs of shape {list(probs.shape)} do not broadcast."
        ) from None
    lead = _leading(sizes, inner)
    # So far on moves TensorFlow's generator: 200 elements for every four samples, begun ones in quarters.
    key, counter = start(random.size_of(inner) * (random.size_of(lead) + 3) * 50)
    numbers = _sample(
        rejection.binomial,
        lead,
        (counts._array, probs._array),
        key,
        counter,
        rejection.binomial_stretch,
    )
    return EagerTensor(_in_range(numbers, dtype))


def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many of ``counts`` trials succeed: the same each time for the same ``seed``, two integers.

    >>> draws = tf.random.stateless_binomial([1000], seed=[1, 2], counts=20.0, probs=0.3)
    >>> int(tf.reduce_max(draws)) <= 20
    True

    Args:
        shape: the result's shape, which ends with that to which ``counts`` and ``probs`` broadcast.
    """
    return binomials(
        "StatelessRandomBinomial",
        shape,
        counts,
        probs,
        output_dtype,
        lambda count: random.key_and_counter(seed),
    )


# --- Categorical -------------------------------------------------------------------------------------


def categories(logits: Any, num_samples: Any, dtype: Any, start: Callable[[int], Any]) -> Tensor:
    """So many classes for each row of ``logits``, by where uniform numbers fall in the running totals."""
    count, dtype = static_int(num_samples), _class_dtype(dtype)
    random.check_dtype("Multinomial", logits.dtype, LOGIT_TYPES)
    shape = logits._shape_tuple()
    if len(shape) != 2:
        raise _invalid(f"logits should be a matrix, got shape {list(shape)}.")
    if count < 0:
        raise _invalid(f"num_samples should be non-negative, got {count}.")
    rows, classes = shape
    if not classes:
        raise _invalid("num_classes should be positive, got 0.")
    # A counter makes two numbers, and TensorFlow keeps room for twice as many, in fours.
    key, counter = start(rows * -(-count // 4) * 4 * 2)
    try:
        numbers = engine.uniform(key, counter, rows * count, np.dtype(np.float64))
    except (MemoryError, ValueError, OverflowError):
        raise too_many(rows * count) from None
    numbers = numbers.reshape(rows, count)
    given = logits._array
    values = given.astype(np.float32 if given.dtype.itemsize == 2 else given.dtype)
    out = np.empty((rows, count), dtype.as_numpy_dtype)
    for row in range(rows):
        finite = np.isfinite(values[row])
        # An infinite logit counts for nothing, as in TensorFlow.
        largest = values[row][finite].max() if finite.any() else values.dtype.type(0)
        shares = np.where(finite, np.exp((values[row] - largest).astype(np.float64)), 0.0)
        totals = np.cumsum(shares)
        out[row] = np.searchsorted(totals, numbers[row] * totals[-1], side="right")
    return EagerTensor(out)


def _class_dtype(dtype: Any) -> Any:
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype!r}. Accepted dtypes are (tf.int32, tf.int64)."
        )
    return dtype


def class_stream(logits_dtype: Any, dtype: Any) -> str:
    """What tells the streams of ``Multinomial`` apart besides the seeds."""
    return f"{logits_dtype.name} {_class_dtype(dtype).name}"


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """``num_samples`` classes for each row of ``logits``, drawn with the probabilities of its softmax.

    >>> tf.random.set_seed(5)
    >>> tf.random.categorical([[0.0, -1000.0], [-1000.0, 0.0]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])

    The classes are TensorFlow's for the same seeds.
    """
    logits = convert(logits)

    def start(counters: int) -> tuple[int, int]:
        counters *= engine.COUNTERS_PER_ELEMENT
        stream = class_stream(logits.dtype, dtype)
        return random_state.reserve("Multinomial", stream, seed, 0, counters)

    return categories(logits, num_samples, dtype, start)


def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``categorical``, the same each time for the same ``seed``, two integers.

    >>> tf.random.stateless_categorical([[0.1, 0.7, -1.2, 0.3]], 5, seed=[1, 2]).shape
    TensorShape([1, 5])
    """
    start = random.key_and_counter(seed)
    return categories(convert(logits), num_samples, dtype, lambda counters: start)


# --- Truncated normal with bounds --------------------------------------------------------------------


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers between ``minvals`` and ``maxvals``: the same each time for the same ``seed``.

    >>> x = tf.random.stateless_parameterized_truncated_normal([100], [1, 2], means=0.0, maxvals=0.5)
    >>> bool(tf.reduce_all((x >= -2.0) & (x <= 0.5)))
    True

    Differs from TensorFlow: the distribution is the same but the numbers are others; and the gradient is that
    of a sample whose probability is held, by all four parameters.
    """
    sizes = random.shape_of(shape)
    means = convert(means)
    dtype = means.dtype
    random.check_dtype("StatelessParameterizedTruncatedNormal", dtype, tuple(GAMMA_TYPES))
    parameters = [means, convert(stddevs, dtype), convert(minvals, dtype), convert(maxvals, dtype)]
    try:
        inner = np.broadcast_shapes(*[each._shape_tuple() for each in parameters])
        fits = np.broadcast_shapes(inner, sizes) == sizes
    except ValueError:
        fits = False
    if not fits:
        raise _invalid(
            f"The parameters, of shapes {[list(each.shape) for each in parameters]}, do not broadcast to "
            f"{list(sizes)}."
        )
    mean, deviation, low, high = [creation.cast(each, dtypes.float64) for each in parameters]
    if not (
        bool((deviation._array > 0).all())
        and bool((low._array < high._array).all())
        and bool(np.isfinite(mean._array).all())
    ):
        raise _invalid("Invalid parameters: stddevs must be positive, and minvals below maxvals.")
    key, counter = random.key_and_counter(seed)
    check_memory(sizes, np.dtype(np.float64))
    numbers = engine.uniform(key, counter, random.size_of(sizes), np.dtype(np.float64))
    uniform = EagerTensor(numbers.reshape(sizes) + 2.0**-54)
    start, end = (low - mean) / deviation, (high - mean) / deviation
    # Probabilities are exact in the lower tail, so what lies in the upper one is mirrored there.
    mirrored = EagerTensor(start._array + end._array > 0)
    sign = creation.cast(mirrored, dtypes.float64) * -2.0 + 1.0
    first = array.broadcast_to(math.minimum(start * sign, end * sign), sizes)
    last = array.broadcast_to(math.maximum(start * sign, end * sign), sizes)
    below, above = _normal_probability(first), _normal_probability(last)
    standard = special.ndtri(below + uniform * (above - below)) * sign
    result = mean + deviation * standard
    result = math.minimum(math.maximum(result, low), high)
    return creation.cast(array.broadcast_to(result, sizes), dtype)


def _normal_probability(x: Tensor) -> Tensor:
    """How probable a standard normal number below ``x`` is."""
    return 0.5 * special.erfc(x * -(0.5**0.5))


# --- A shuffle without a table -----------------------------------------------------------------------


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """Where ``index`` goes when 0 to ``max_index`` are shuffled, without shuffling them.

    >>> places = tf.random.experimental.index_shuffle(tf.range(8), [5, 9], 7)
    >>> tf.sort(places).numpy()
    array([0, 1, 2, 3, 4, 5, 6, 7], dtype=int32)

    Differs from TensorFlow: the permutation is another; it depends on the seed and ``max_index`` alone.

    Args:
        index: a number, or a vector of them.
        seed: two integers.
        max_index: the last index, or a vector of one for each of ``index``.
    """
    words = convert(seed)
    if words._shape_tuple() != (2,):
        raise _invalid(f"seed must be a vector of 2 numbers; its shape is {words.shape}.")
    padded = np.append(words._array.astype(object), 0)
    return shuffled_indices(index, padded, max_index)


def shuffled_indices(index: Any, seeds: Any, max_index: Any) -> Tensor:
    """The raw op's form: a seed is three numbers, or one such vector for each index."""
    index = convert(index)
    if not index.dtype.is_integer or index.dtype.size < 4:
        raise _invalid(f"index must be of a 32- or 64-bit integer dtype, not {index.dtype.name}.")
    last = convert(max_index, None if isinstance(max_index, Operand) else index.dtype)
    if last.dtype is not index.dtype:
        raise _invalid(
            f"max_index must be of {index.dtype.name} as index is, not {last.dtype.name}."
        )
    for name, tensor in (("Index", index), ("max_index", last)):
        if tensor.ndim > 1:
            raise _invalid(f"{name} must be a scalar or a vector; its shape is {tensor.shape}.")
    count = max([tensor._array.size for tensor in (index, last) if tensor.ndim], default=1)
    if seeds.shape not in ((3,), (count, 3)):
        raise _invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3]; its shape is "
            f"{list(seeds.shape)}."
        )
    try:
        numbers, lasts = np.broadcast_arrays(
            index._array.astype(object), last._array.astype(object)
        )
    except ValueError:
        raise _invalid(
            f"index and max_index have the shapes {index.shape} and {last.shape}; two vectors must be of one "
            "length."
        ) from None
    places = []
    for number, limit, words in zip(
        numbers.reshape(-1), lasts.reshape(-1), np.broadcast_to(seeds, (count, 3)), strict=True
    ):
        if not 0 <= number <= limit:
            raise _invalid(f"index must be from 0 to max_index = {limit}; it is {number}.")
        key, counter = engine.scramble(int(words[0]), int(words[1]))
        keys = engine.bits32(key ^ (int(words[2]) & (1 << 64) - 1), counter, 8).tolist()
        half = max((int(limit).bit_length() + 1) // 2, 1)
        places.append(_walk(int(number), int(limit), half, keys))
    out = np.array(places, index._array.dtype).reshape(numbers.shape)
    return EagerTensor(out)


def _walk(number: int, last: int, half: int, keys: list[int]) -> int:
    """A Feistel network over an even number of bits, gone through until it comes back into the range."""
    mask = (1 << half) - 1
    while True:
        left, right = number >> half, number & mask
        for word in keys:
            mixed = (right * 0x9E3779B1 + word) & 0xFFFFFFFF
            mixed = ((mixed ^ mixed >> 15) * 0x85EBCA77) & 0xFFFFFFFF
            left, right = right, left ^ (mixed ^ mixed >> 13) & mask
        number = left << half | right
        if number <= last:
            return number
