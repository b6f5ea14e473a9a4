"""Gamma, Poisson, binomial, categorical and truncated normal numbers, stateful and stateless.

Gamma, Poisson, binomial and categorical draws are TensorFlow's own for the same seeds, bit for bit.
Truncated normal numbers have TensorFlow's distribution, but depend on their seeds alone. Samples of the
gamma and of the truncated normal distribution are differentiable in the distribution's parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Operand, Tensor, convert, public
from tapegrad.core.abstract import value_to_check
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import broadcast_shape
from tapegrad.engines.numpy import random as engine
from tapegrad.engines.numpy import rejection
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops import batching
from tapegrad.ops.args import check_memory, check_size, static_int
from tapegrad.ops.elementwise import logic, math, special
from tapegrad.ops.op import op
from tapegrad.ops.random import draws
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts, creation, joining
from tapegrad.ops.shape_rules import Abstract, shaped

PUBLIC = {
    "random": "poisson",
    "random compat.v1.random": (
        "categorical gamma stateless_binomial stateless_categorical stateless_gamma "
        "stateless_parameterized_truncated_normal stateless_poisson"
    ),
    "random.experimental": "index_shuffle",
    ". compat.v1": "random_index_shuffle",
}


GAMMA_TYPES = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})
COUNT_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
SEED_TYPES = frozenset(draws.BOUNDED_INTEGERS)
LOGIT_TYPES = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def too_many(count: int) -> errors.ResourceExhaustedError:
    """The error to raise when the requested numbers do not fit in memory."""
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
    """Numbers in float64, of ``shape`` + the parameters' shape, each from its own stretch of the stream.

    The numbers are counted parameter by parameter: all samples of one before those of the next. Number i
    starts i times ``stretch`` after ``counter``.
    """
    arrays = [parameter.astype(np.float64) for parameter in np.broadcast_arrays(*parameters)]
    check_size(shape + arrays[0].shape)
    flat = list(zip(*[parameter.ravel().tolist() for parameter in arrays], strict=True))
    count = prod(shape)
    try:
        out = np.empty((len(flat), count))
    except (MemoryError, ValueError, OverflowError):
        raise too_many(len(flat) * count) from None
    for row, numbers in enumerate(flat):
        counters = stretch(*numbers)
        for column in range(count):
            start = counter + (row * count + column) * counters
            out[row, column] = draw(rejection.Stream(key, start), *numbers)
    return out.T.reshape(shape + arrays[0].shape)


def _in_range(samples: Any, dtype: Any) -> Any:
    """Counts in a dtype that may not hold the largest of them. Those become the dtype's largest number."""
    if dtype.is_integer:
        limits = np.iinfo(dtype.as_numpy_dtype)
        samples = np.nan_to_num(samples, nan=0.0)
        large = samples >= float(limits.max)
        whole = np.where(large, 0, samples).astype(dtype.as_numpy_dtype)
        return np.where(large, limits.max, whole)
    return samples.astype(dtype.numpy_dtype)


def _leading(shape: tuple[int, ...], inner: tuple[int, ...]) -> tuple[int, ...]:
    """The part of a stateless draw's ``shape`` before the parameters' shape, with which it must end."""
    rank = len(inner)
    if len(shape) < rank or shape[len(shape) - rank :] != inner:
        refuse(
            "Shape passed in must end with broadcasted shape: "
            f"{list(shape)} does not end with {list(inner)}, the shape of the parameters."
        )
    return shape[: len(shape) - rank]


# Gamma


def _gamma_numbers(shape: tuple[int, ...], alpha: np.ndarray, key: int, counter: int) -> np.ndarray:
    samples = _sample(rejection.gamma, shape, (alpha,), key, counter)
    if alpha.dtype == np.float16:
        # TensorFlow rounds twice.
        samples = samples.astype(np.float32)
    rounded: np.ndarray = samples.astype(alpha.dtype)
    return rounded


@op(
    "RandomGamma",
    dtypes=GAMMA_TYPES,
    convert={"shape": draws.shape_of},
    effect="draws",
    values="elements",
)
def random_gamma(xp, alpha, *, shape, seed=0, seed2=0):
    """Samples of the gamma distribution: a tensor of ``shape`` for each element of ``alpha``."""
    counters = prod(shape) * alpha.size * engine.COUNTERS_PER_ELEMENT
    stream = dtypes.from_numpy(alpha.dtype).name
    start = random_state.reserve("RandomGamma", stream, seed, seed2, counters)
    return _gamma_numbers(shape, alpha, *start)


def _of_parameter(items, parameter, shape, *attributes):
    """The batching rule: one draw for the parameters of all items, as in TensorFlow."""
    if not items.batched[0]:
        return items.run(parameter, shape=(items.size, *shape))
    return batching.moved_axis(items.run(parameter), len(shape), 0)


random_gamma.shape(lambda alpha, shape: (*shape, *alpha.shape))
random_gamma.batching(_of_parameter)


@op(
    "StatelessRandomGammaV3",
    dtypes={**draws.KEY_TYPES, "T": GAMMA_TYPES},
    convert={"shape": draws.shape_of, "alg": static_int},
    values="elements",
)
def gamma_samples(xp, alpha, key, counter, *, shape, alg=1):
    """Samples of the gamma distribution in a tensor of ``shape``, which ends with the shape of ``alpha``."""
    start = draws.start_at("StatelessRandomGammaV3", key, counter)
    return _gamma_numbers(_leading(shape, alpha.shape), alpha, *start)


gamma_samples.shape(shaped(dtype="alpha"))


def _gamma_gradient(dy, alpha, out):
    # With alpha a sample moves so that the probability of a smaller sample stays the same.
    slope = special.random_gamma_grad(alpha, out)
    return reduce.reduce_sum(dy * slope, tuple(range(out.ndim - alpha.ndim)))


random_gamma.gradient(alpha=_gamma_gradient)
gamma_samples.gradient(alpha=_gamma_gradient)


def _gamma_parameters(
    alpha: Any, beta: Any, dtype: Any
) -> tuple[Tensor, Tensor | None, tuple[int, ...]]:
    alpha = convert(alpha, dtype)
    beta = convert(1 if beta is None else beta, dtype)
    if not beta._shape_tuple():
        return alpha, beta, alpha._shape_tuple()
    try:
        inner = broadcast_shape(alpha._shape_tuple(), beta._shape_tuple())
    except ValueError:
        refuse(
            f"alpha of shape {list(alpha.shape)} and beta of shape {list(beta.shape)} do "
            "not broadcast."
        )
    return alpha, beta, inner


def _scaled_gamma(samples: Tensor, beta: Tensor, dtype: Any) -> Tensor:
    # A gamma number is positive, even where rounding for a small shape parameter would make it 0.
    return math.maximum(float(np.finfo(dtype.as_numpy_dtype).tiny), samples / beta)


@public
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
        shape: the axes in front of the shape to which ``alpha`` and ``beta`` broadcast.
        alpha: the shape parameter.
        beta: the rate, 1 by default. The mean is ``alpha / beta``.
        dtype: float16, float32 or float64.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
    """
    dtype = dtypes.as_dtype(dtype)
    lead = draws.shape_of(shape)
    draws.check_dtype("RandomGamma", dtype, tuple(GAMMA_TYPES))
    alpha, beta, inner = _gamma_parameters(alpha, beta, dtype)
    if alpha._shape_tuple() != inner:
        alpha = array.broadcast_to(alpha, inner)
    seed2 = random_state.op_seed_of(seed)
    return _scaled_gamma(random_gamma.apply([alpha], (lead, None, seed2)), beta, dtype)


@composition
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions, the same each time for the same ``seed`` of two integers.

    >>> tf.random.stateless_gamma([3], seed=[1, 2], alpha=[0.5, 1.0, 2.0], beta=[1.0, 2.0, 4.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0.06695361, 0.85965466, 0.83400166], dtype=float32)>

    Args:
        shape: the shape of the result, which ends with that of the parameters.
        seed: two integers.
        alpha: the shape of each distribution.
        beta: the inverse scale of each distribution; None is 1.
        dtype: a floating point dtype.
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = draws.shape_of(shape)
    draws.check_dtype("StatelessRandomGammaV3", dtype, tuple(GAMMA_TYPES))
    alpha, beta, inner = _gamma_parameters(alpha, beta, dtype)
    alpha = array.broadcast_to(alpha, inner)
    samples = gamma_samples.apply([alpha, *draws.key_and_counter(seed)], (sizes, 1))
    return _scaled_gamma(samples, beta, dtype)


# Poisson and binomial


@op(
    "RandomPoissonV2",
    dtypes=COUNT_TYPES,
    convert={"shape": draws.shape_of, "dtype": dtypes.as_dtype},
    effect="draws",
    values="elements",
)
def random_poisson(xp, rate, *, shape, seed=0, seed2=0, dtype=dtypes.int64):
    counters = prod(shape) * rate.size * engine.COUNTERS_PER_ELEMENT
    start = random_state.reserve("RandomPoissonV2", dtype.name, seed, seed2, counters)
    return _in_range(_sample(rejection.poisson, shape, (rate,), *start), dtype)


random_poisson.shape(lambda rate, shape, dtype: Abstract((*shape, *rate.shape), dtype))
random_poisson.batching(_of_parameter)
random_poisson.no_gradient()


@op(
    "StatelessRandomPoisson",
    dtypes={"seed": SEED_TYPES, "T": COUNT_TYPES},
    convert={"shape": draws.shape_of, "dtype": dtypes.as_dtype},
    values="elements",
)
def stateless_random_poisson(xp, seed, lam, *, shape, dtype):
    samples = _sample(rejection.poisson, _leading(shape, lam.shape), (lam,), *draws.start_of(seed))
    return _in_range(samples, dtype)


stateless_random_poisson.shape(shaped(dtype="dtype"))
stateless_random_poisson.no_gradient()


@public
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

    The numbers are TensorFlow's for the same seeds. A tape treats them as constants.

    Args:
        shape: the axes in front of the shape of ``lam``.
        lam: the means: floating point numbers or integers that are not negative.
        dtype: the dtype of the result: floating point, int32 or int64.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
    """
    dtype = dtypes.as_dtype(dtype)
    lead = draws.shape_of(shape)
    draws.check_dtype("RandomPoissonV2", dtype, COUNT_TYPES)
    rate = convert(lam)
    draws.check_dtype("RandomPoissonV2", rate.dtype, COUNT_TYPES)
    seed2 = random_state.op_seed_of(seed)
    return random_poisson.apply([rate], (lead, None, seed2, dtype))


@composition
def stateless_poisson(
    shape: Any,
    seed: Any,
    lam: Any,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions, the same each time for the same ``seed`` of two integers.

    >>> tf.random.stateless_poisson([2, 3], seed=[1, 2], lam=5.0).shape
    TensorShape([2, 3])

    The numbers are TensorFlow's.

    Args:
        shape: the shape of the result, which ends with that of ``lam``.
        seed: two integers.
        lam: the means: floating point numbers or integers that are not negative.
        dtype: the dtype of the result: floating point, int32 or int64.
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = draws.shape_of(shape)
    draws.check_dtype("StatelessRandomPoisson", dtype, COUNT_TYPES)
    rate = convert(lam)
    draws.check_dtype("StatelessRandomPoisson", rate.dtype, COUNT_TYPES)
    _leading(sizes, rate._shape_tuple())
    return stateless_random_poisson.apply([draws.seed_tensor(seed), rate], (sizes, dtype))


def binomials(
    shape: tuple[int, ...],
    counts: np.ndarray,
    probs: np.ndarray,
    dtype: Any,
    start: Callable[[int], tuple[int, int]],
) -> np.ndarray:
    """Binomial numbers. ``start`` returns the key and the counter for a number of elements."""
    inner = np.broadcast_shapes(counts.shape, probs.shape)
    lead = _leading(shape, inner)
    # This is how far TensorFlow moves its generator: 200 elements for every four samples, rounded up.
    key, counter = start(prod(inner) * (prod(lead) + 3) * 50)
    stretch = rejection.binomial_stretch
    numbers = _sample(rejection.binomial, lead, (counts, probs), key, counter, stretch)
    in_range: np.ndarray = _in_range(numbers, dtype)
    return in_range


def binomial_parameters(
    type_name: str, shape: Any, counts: Any, probs: Any, dtype: Any
) -> tuple[tuple[int, ...], Tensor, Tensor, Any]:
    """The arguments of a public function as a shape, two tensors of one dtype, and a dtype.

    Raises:
        InvalidArgumentError: for dtypes that cannot be drawn or that differ, and shapes that do not fit.
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = draws.shape_of(shape)
    draws.check_dtype(type_name, dtype, COUNT_TYPES)
    if isinstance(counts, Operand):
        counts = convert(counts)
        probs = convert(probs, None if isinstance(probs, Operand) else counts.dtype)
    else:
        probs = convert_to_tensor(probs, dtype_hint=dtypes.float32)
        counts = convert(counts, probs.dtype)
    draws.check_dtype(type_name, probs.dtype, tuple(GAMMA_TYPES))
    if probs.dtype is not counts.dtype:
        refuse(
            f"counts and probs must have one dtype; {counts.dtype.name} and {probs.dtype.name} "
            f"came [Op:{type_name}]."
        )
    try:
        inner = broadcast_shape(counts._shape_tuple(), probs._shape_tuple())
    except ValueError:
        refuse(
            f"counts of shape {list(counts.shape)} and probs of shape {list(probs.shape)} do "
            "not broadcast."
        )
    _leading(sizes, inner)
    return sizes, counts, probs, dtype


@op(
    "StatelessRandomBinomial",
    dtypes={"seed": SEED_TYPES, "T": GAMMA_TYPES},
    convert={"shape": draws.shape_of, "dtype": dtypes.as_dtype},
    values="elements",
)
def stateless_random_binomial(xp, seed, counts, probs, *, shape, dtype=dtypes.int64):
    return binomials(shape, counts, probs, dtype, lambda count: draws.start_of(seed))


stateless_random_binomial.shape(shaped(dtype="dtype"))
stateless_random_binomial.no_gradient()


@composition
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many of ``counts`` trials succeed, the same each time for the same ``seed`` of two integers.

    >>> draws = tf.random.stateless_binomial([1000], seed=[1, 2], counts=20.0, probs=0.3)
    >>> int(tf.reduce_max(draws)) <= 20
    True

    Args:
        shape: the shape of the result, which ends with that to which ``counts`` and ``probs`` broadcast.
        seed: two integers.
        counts: the number of trials of each distribution.
        probs: the probability that a trial succeeds.
        output_dtype: the dtype of the result, of numbers.
    """
    sizes, counts, probs, dtype = binomial_parameters(
        "StatelessRandomBinomial", shape, counts, probs, output_dtype
    )
    tensors = [draws.seed_tensor(seed), counts, probs]
    return stateless_random_binomial.apply(tensors, (sizes, dtype))


# Categorical


def _categories(
    logits: np.ndarray, count: int, dtype: Any, start: Callable[[int], tuple[int, int]]
) -> np.ndarray:
    """``count`` classes for each row of ``logits``: where uniform numbers fall in the running totals."""
    if logits.ndim != 2:
        refuse(f"logits should be a matrix, got shape {list(logits.shape)}.")
    if count < 0:
        refuse(f"num_samples should be non-negative, got {count}.")
    rows, classes = logits.shape
    if not classes:
        refuse("num_classes should be positive, got 0.")
    # A counter makes two numbers. TensorFlow reserves twice as many counters, in multiples of four.
    key, counter = start(rows * -(-count // 4) * 4 * 2)
    try:
        numbers = engine.uniform(key, counter, rows * count, np.dtype(np.float64))
    except (MemoryError, ValueError, OverflowError):
        raise too_many(rows * count) from None
    numbers = numbers.reshape(rows, count)
    values = logits.astype(np.float32 if logits.dtype.itemsize == 2 else logits.dtype)
    out = np.empty((rows, count), dtype.as_numpy_dtype)
    for row in range(rows):
        finite = np.isfinite(values[row])
        # A logit that is not finite has no share, as in TensorFlow.
        largest = values[row][finite].max() if finite.any() else values.dtype.type(0)
        shares = np.where(finite, np.exp((values[row] - largest).astype(np.float64)), 0.0)
        totals = np.cumsum(shares)
        out[row] = np.searchsorted(totals, numbers[row] * totals[-1], side="right")
    return out


def _class_dtype(dtype: Any) -> Any:
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype!r}. "
            "Accepted dtypes are (tf.int32, tf.int64)."
        )
    return dtype


def sampled_classes(logits, num_samples, output_dtype):
    """The shape rule of ops that draw classes."""
    return Abstract((logits.shape[0], num_samples), output_dtype)


@op(
    "Multinomial",
    dtypes=LOGIT_TYPES,
    convert={"num_samples": static_int, "output_dtype": _class_dtype},
    effect="draws",
    values="elements",
)
def multinomial(xp, logits, *, num_samples, seed=0, seed2=0, output_dtype=dtypes.int64):
    def start(elements: int) -> tuple[int, int]:
        stream = f"{dtypes.from_numpy(logits.dtype).name} {output_dtype.name}"
        counters = elements * engine.COUNTERS_PER_ELEMENT
        return random_state.reserve("Multinomial", stream, seed, seed2, counters)

    return _categories(logits, num_samples, output_dtype, start)


multinomial.shape(sampled_classes)


@multinomial.batching
def _classes_of_items(items, logits, num_samples, *attributes):
    """One draw for the rows of all items, as in TensorFlow."""
    if not items.batched[0]:
        drawn = items.run(logits, num_samples=num_samples * items.size)
        return batching.moved_axis(drawn.reshape((-1, items.size, num_samples)), 1, 0)
    _, rows, classes = logits.shape
    drawn = items.run(logits.reshape((items.size * rows, classes)))
    return drawn.reshape((items.size, rows, num_samples))


multinomial.no_gradient()


@op(
    "StatelessMultinomial",
    dtypes={"seed": SEED_TYPES, "T": LOGIT_TYPES},
    convert={"num_samples": static_int, "output_dtype": _class_dtype},
    values="elements",
)
def stateless_multinomial(xp, logits, seed, *, num_samples, output_dtype=dtypes.int64):
    return _categories(logits, num_samples, output_dtype, lambda elements: draws.start_of(seed))


stateless_multinomial.shape(sampled_classes)
stateless_multinomial.no_gradient()


@public
def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """``num_samples`` classes for each row of ``logits``, drawn with the probabilities of the row's softmax.

    >>> tf.random.set_seed(5)
    >>> tf.random.categorical([[0.0, -1000.0], [-1000.0, 0.0]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])

    The classes are TensorFlow's for the same seeds.

    Args:
        logits: floating point numbers of shape [rows, classes].
        num_samples: how many classes are drawn for each row.
        dtype: int32 or int64, the dtype of the classes; None is int64.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    logits = convert(logits)
    count, dtype = static_int(num_samples), _class_dtype(dtype)
    draws.check_dtype("Multinomial", logits.dtype, LOGIT_TYPES)
    seed2 = random_state.op_seed_of(seed)
    return multinomial.apply([logits], (count, None, seed2, dtype))


@composition
def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """``categorical``, the same each time for the same ``seed`` of two integers.

    >>> tf.random.stateless_categorical([[0.1, 0.7, -1.2, 0.3]], 5, seed=[1, 2]).shape
    TensorShape([1, 5])

    Args:
        logits: floating point numbers of shape [rows, classes].
        num_samples: how many classes are drawn for each row.
        seed: two integers.
        dtype: int32 or int64, the dtype of the classes.
    """
    seed, logits = draws.seed_tensor(seed), convert(logits)
    count, dtype = static_int(num_samples), _class_dtype(dtype)
    draws.check_dtype("Multinomial", logits.dtype, LOGIT_TYPES)
    return stateless_multinomial.apply([logits, seed], (count, dtype))


# Truncated normal with bounds


@op("_SeedOfStream", effect="draws", files={"stream": None})
def seed_of_stream(xp, *, stream, counters, seed=0, seed2=0):
    """The state of a stream, as the seed of a stateless draw."""
    key, counter = random_state.reserve("_SeedOfStream", stream, seed, seed2, counters)
    return np.array([key, counter & (1 << 64) - 1], np.uint64).view(np.int64)


seed_of_stream.shape(lambda: Abstract([2], dtypes.int64))
seed_of_stream.no_gradient()


@composition
def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers between ``minvals`` and ``maxvals``, the same each time for the same ``seed``.

    >>> x = tf.random.stateless_parameterized_truncated_normal([100], [1, 2], means=0.0, maxvals=0.5)
    >>> bool(tf.reduce_all((x >= -2.0) & (x <= 0.5)))
    True

    Differs from TensorFlow: the distribution is the same, but the numbers are not. There is a gradient in
    all four parameters, that of a sample whose probability is held fixed.

    Args:
        shape: the shape of the result, to which the parameters broadcast.
        seed: two integers.
        means, stddevs: of the normal distributions: floating point numbers.
        minvals, maxvals: the limits; each of ``minvals`` is below that of ``maxvals``.
    """
    sizes = draws.shape_of(shape)
    means = convert(means)
    dtype = means.dtype
    draws.check_dtype("StatelessParameterizedTruncatedNormal", dtype, tuple(GAMMA_TYPES))
    parameters = [means, convert(stddevs, dtype), convert(minvals, dtype), convert(maxvals, dtype)]
    try:
        inner = broadcast_shape(*[parameter._shape_tuple() for parameter in parameters])
        fits = broadcast_shape(inner, sizes) == sizes
    except ValueError:
        fits = False
    if not fits:
        refuse(
            f"The parameters, of shapes {[list(parameter.shape) for parameter in parameters]}, "
            f"do not broadcast to {list(sizes)}."
        )
    mean, deviation, low, high = [casts.cast(parameter, dtypes.float64) for parameter in parameters]
    valid = [
        logic.is_finite(mean),
        logic.greater(deviation, convert(0.0, dtypes.float64)),
        logic.less(low, high),
    ]
    checked = [value_to_check(reduce.reduce_all(condition), "parameters") for condition in valid]
    if any(is_valid is not None and not is_valid for is_valid in checked):
        refuse("Invalid parameters: stddevs must be positive, and minvals below maxvals.")
    check_memory(sizes, np.dtype(np.float64))
    uniform = draws.stateless_uniform(sizes, seed, dtype=dtypes.float64) + 2.0**-54
    start, end = (low - mean) / deviation, (high - mean) / deviation
    # Probabilities are exact in the lower tail, so an interval in the upper tail is mirrored to the lower.
    mirrored = logic.greater(start + end, convert(0.0, dtypes.float64))
    sign = casts.cast(mirrored, dtypes.float64) * -2.0 + 1.0
    first = array.broadcast_to(math.minimum(start * sign, end * sign), sizes)
    last = array.broadcast_to(math.maximum(start * sign, end * sign), sizes)
    below, upper = _normal_probability(first), _normal_probability(last)
    standard = special.ndtri(below + uniform * (upper - below)) * sign
    result = mean + deviation * standard
    result = math.minimum(math.maximum(result, low), high)
    return casts.cast(array.broadcast_to(result, sizes), dtype)


def _normal_probability(x: Tensor) -> Tensor:
    """The probability that a standard normal number is below ``x``."""
    return 0.5 * special.erfc(x * -(0.5**0.5))


# A shuffle without a table


@public
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
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
    words = convert(seed)
    if words._shape_tuple() != (2,):
        refuse(f"seed must be a vector of 2 numbers; its shape is {words.shape}.")
    index = convert(index)
    last = convert(max_index, None if isinstance(max_index, Operand) else index.dtype)
    # TensorFlow's op takes a third number.
    seed = joining.concat([words, creation.zeros([1], words.dtype)], 0)
    return random_index_shuffle(index, seed, last)


@op(
    "RandomIndexShuffle",
    dtypes={"seed": None},
    convert={"rounds": static_int},
    values="errors",
)
def random_index_shuffle(xp, index, seed, max_index, *, rounds=4):
    """The permuted index. A seed is three numbers, or a matrix with three numbers for each index."""
    if index.dtype.kind not in "iu" or index.dtype.itemsize < 4:
        name = dtypes.from_numpy(index.dtype).name
        refuse(f"index must be of a 32- or 64-bit integer dtype, not {name}.")
    for name, tensor in (("Index", index), ("max_index", max_index)):
        if tensor.ndim > 1:
            refuse(f"{name} must be a scalar or a vector; its shape is {tensor.shape}.")
    count = max([tensor.size for tensor in (index, max_index) if tensor.ndim], default=1)
    if seed.shape not in ((3,), (count, 3)):
        refuse(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3]; "
            f"its shape is {list(seed.shape)}."
        )
    try:
        numbers, lasts = np.broadcast_arrays(index.astype(object), max_index.astype(object))
    except ValueError:
        refuse(
            f"index and max_index have the shapes {index.shape} and {max_index.shape}; "
            "two vectors must be of one length."
        )
    places = []
    seeds = np.broadcast_to(seed.astype(object), (count, 3))
    for number, limit, words in zip(numbers.reshape(-1), lasts.reshape(-1), seeds, strict=True):
        if not 0 <= number <= limit:
            refuse(f"index must be from 0 to max_index = {limit}; it is {number}.")
        key, counter = engine.scramble(int(words[0]), int(words[1]))
        keys = engine.bits32(key ^ (int(words[2]) & (1 << 64) - 1), counter, 8).tolist()
        half = max((int(limit).bit_length() + 1) // 2, 1)
        places.append(_walk(int(number), int(limit), half, keys))
    return np.array(places, index.dtype).reshape(numbers.shape)


random_index_shuffle.shape(lambda index, max_index: broadcast_shape(index.shape, max_index.shape))
random_index_shuffle.no_gradient()


def _walk(number: int, last: int, half: int, keys: list[int]) -> int:
    """A Feistel network over an even number of bits, repeated until the result is within the range."""
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
