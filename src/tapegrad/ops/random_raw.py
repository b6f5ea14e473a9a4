"""The random ops as ``tf.raw_ops`` names them: seeds in pairs, keys and counters as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, convert
from tapegrad.engines.numpy import random as engine
from tapegrad.framework import random_state
from tapegrad.ops import array, distributions, random

_WORD = (1 << 64) - 1


def stateful(type_name: str, function: random.Draw) -> Any:
    """A stateful op of floats, under the pair of seeds it is given; two zeros draw without a seed."""

    def draw_floats(shape, dtype, seed=0, seed2=0, name=None):
        dtype = dtypes.as_dtype(dtype)
        sizes = random.shape_of(shape)
        random.check_dtype(type_name, dtype, random.FLOATS)
        stream = random.stream_dtypes(dtype, shape)
        key, counter = _reserve(type_name, stream, seed, seed2, sizes)
        return random.draw(function, type_name, sizes, dtype, key, counter)

    return draw_floats


def _reserve(
    type_name: str, stream: str, seed: int, seed2: int, sizes: tuple[int, ...]
) -> tuple[int, int]:
    counters = random.size_of(sizes) * engine.COUNTERS_PER_ELEMENT
    key, counter = random_state.reserve_pair(type_name, stream, seed, seed2, counters)
    return key & _WORD, counter & (1 << 128) - 1


def random_uniform_int(shape, minval, maxval, seed=0, seed2=0, name=None):
    minval = convert(minval)
    sizes = random.shape_of(shape)
    dtype = minval.dtype
    random.check_dtype("RandomUniformInt", dtype, random.BOUNDED_INTEGERS)
    limits = random.integer_bounds("RandomUniformInt", minval, maxval, dtype, sizes)
    stream = random.stream_dtypes(dtype, shape)
    key, counter = _reserve("RandomUniformInt", stream, seed, seed2, sizes)
    return random.draw_integers("RandomUniformInt", sizes, dtype, limits, key, counter)


def seeded(type_name: str, function: random.Draw, default: Any, allowed: tuple[Any, ...]) -> Any:
    """A stateless op that makes its key and counter from a seed."""

    def draw_from_seed(shape, seed, dtype=default, name=None):
        dtype = dtypes.as_dtype(dtype)
        sizes = random.shape_of(shape)
        random.check_dtype(type_name, dtype, allowed)
        return random.draw(function, type_name, sizes, dtype, *random.key_and_counter(seed))

    return draw_from_seed


def keyed(type_name: str, function: random.Draw, default: Any, allowed: tuple[Any, ...]) -> Any:
    """A stateless op that is given its key and counter."""

    def draw_from_key(shape, key, counter, alg, dtype=default, name=None):
        dtype = dtypes.as_dtype(dtype)
        sizes = random.shape_of(shape)
        random.check_dtype(type_name, dtype, allowed)
        return random.draw(function, type_name, sizes, dtype, *_start(type_name, key, counter, alg))

    return draw_from_key


def _start(type_name: str, key: Any, counter: Any, alg: Any) -> tuple[int, int]:
    """The key and the counter that two vectors of uint64 hold."""
    keys, counters = convert(key, dtypes.uint64)._array, convert(counter, dtypes.uint64)._array
    number = convert(alg)._array
    if number.ndim:
        raise errors.InvalidArgumentError(
            None, None, f"algorithm must be of shape [], not {list(number.shape)} [Op:{type_name}]"
        )
    if random.algorithm_of(int(number)) is random.Algorithm.THREEFRY:
        raise errors.InvalidArgumentError(
            None, None, f"Unsupported algorithm: ThreeFry [Op:{type_name}]"
        )
    if keys.shape != (1,) or counters.ndim != 1 or counters.size < 2:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{type_name} expects a key of shape [1] and a counter of shape [2], not {list(keys.shape)} and "
            f"{list(counters.shape)}.",
        )
    return int(keys[0]), int(counters[0]) | int(counters[1]) << 64


def stateless_uniform_int(shape, seed, minval, maxval, name=None):
    return _integers(
        "StatelessRandomUniformInt", shape, minval, maxval, random.key_and_counter(seed)
    )


def stateless_uniform_int_v2(shape, key, counter, alg, minval, maxval, name=None):
    type_name = "StatelessRandomUniformIntV2"
    return _integers(type_name, shape, minval, maxval, _start(type_name, key, counter, alg))


def _integers(type_name: str, shape: Any, minval: Any, maxval: Any, start: tuple[int, int]) -> Any:
    minval = convert(minval)
    sizes = random.shape_of(shape)
    random.check_dtype(type_name, minval.dtype, random.BOUNDED_INTEGERS)
    limits = random.integer_bounds(type_name, minval, maxval, minval.dtype, sizes)
    return random.draw_integers(type_name, sizes, minval.dtype, limits, *start)


def key_counter(seed, name=None):
    key, counter = random.key_and_counter(seed)
    return (
        EagerTensor(np.array([key], np.uint64)),
        EagerTensor(np.array([counter & _WORD, counter >> 64], np.uint64)),
    )


def key_counter_algorithm(seed, name=None):
    return (*key_counter(seed), algorithm())


def algorithm(name=None):
    return EagerTensor(np.array(random.Algorithm.PHILOX.value, np.int32))


def random_shuffle(value, seed=0, seed2=0, name=None):
    value = convert(value)
    rows = value._shape_tuple()[0] if value._shape_tuple() else 0
    counters = (max(rows - 1, 0) + 3) // 4
    key, counter = random_state.reserve_pair(
        "RandomShuffle", value.dtype.name, seed, seed2, counters
    )
    return random.shuffle_rows(value, key & _WORD, counter)


# --- Draws by parameters --------------------------------------------------------------------------------


def random_gamma(shape, alpha, seed=0, seed2=0, name=None):
    alpha, lead = convert(alpha), random.shape_of(shape)
    sizes = (*lead, *alpha._shape_tuple())
    counters = random.size_of(sizes) * engine.COUNTERS_PER_ELEMENT
    start = random_state.reserve_pair("RandomGamma", alpha.dtype.name, seed, seed2, counters)
    return distributions.gamma_samples(alpha, sizes, *start)


def stateless_gamma(shape, seed, alpha, name=None):
    start = random.key_and_counter(seed)
    return distributions.gamma_samples(alpha, random.shape_of(shape), *start)


def multinomial(logits, num_samples, seed=0, seed2=0, output_dtype=dtypes.int64, name=None):
    logits = convert(logits)

    def start(counters: int) -> tuple[int, int]:
        counters *= engine.COUNTERS_PER_ELEMENT
        stream = distributions.class_stream(logits.dtype, output_dtype)
        return random_state.reserve_pair("Multinomial", stream, seed, seed2, counters)

    return distributions.categories(logits, num_samples, output_dtype, start)


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    return distributions.stateless_categorical(logits, num_samples, seed, output_dtype)


def stateless_binomial(shape, seed, counts, probs, dtype=dtypes.int64, name=None):
    return distributions.stateless_binomial(shape, seed, counts, probs, dtype)


def stateless_poisson(shape, seed, lam, dtype, name=None):
    return distributions.stateless_poisson(shape, seed, lam, dtype)


def parameterized_truncated_normal(
    shape, means, stdevs, minvals, maxvals, seed=0, seed2=0, name=None
):
    """The parameters are scalars, or vectors of one element for each slice of the result."""
    sizes, means = random.shape_of(shape), convert(means)
    parameters = [means, *(convert(each, means.dtype) for each in (stdevs, minvals, maxvals))]
    if not sizes or any(each._shape_tuple() not in ((), (1,), sizes[:1]) for each in parameters):
        raise errors.InvalidArgumentError(
            None,
            None,
            "The parameters of ParameterizedTruncatedNormal must be scalars, or vectors of 1 or "
            f"{sizes[0] if sizes else 'as many'} elements, one for each slice of shape {list(sizes)}; "
            f"their shapes are {[list(each.shape) for each in parameters]}.",
        )
    column = (-1,) + (1,) * (len(sizes) - 1)
    parameters = [array.reshape(each, column if each.ndim else ()) for each in parameters]
    stream = random.stream_dtypes(means.dtype, shape)
    key, counter = _reserve("ParameterizedTruncatedNormal", stream, seed, seed2, sizes)
    # What there is of a generator's state, as the seed of the stateless op.
    pair = np.array([key, counter & _WORD], np.uint64).view(np.int64)
    return distributions.stateless_parameterized_truncated_normal(sizes, pair, *parameters)


def stateless_truncated_normal_between(shape, seed, means, stddevs, minvals, maxvals, name=None):
    return distributions.stateless_parameterized_truncated_normal(
        shape, seed, means, stddevs, minvals, maxvals
    )


def index_shuffle(index, seed, max_index, rounds=4, name=None):
    return distributions.shuffled_indices(index, convert(seed)._array.astype(object), max_index)


FLOAT, FULL = dtypes.float32, dtypes.uint64

RAW_FORMS = {
    "RandomUniform": stateful("RandomUniform", engine.uniform),
    "RandomStandardNormal": stateful("RandomStandardNormal", engine.normal),
    "TruncatedNormal": stateful("TruncatedNormal", engine.truncated_normal),
    "RandomUniformInt": random_uniform_int,
    "RandomShuffle": random_shuffle,
    "StatelessRandomUniformInt": stateless_uniform_int,
    "StatelessRandomUniformIntV2": stateless_uniform_int_v2,
    "StatelessRandomGetKeyCounter": key_counter,
    "StatelessRandomGetKeyCounterAlg": key_counter_algorithm,
    "StatelessRandomGetAlg": algorithm,
    "RandomGamma": random_gamma,
    "StatelessRandomGammaV2": stateless_gamma,
    "Multinomial": multinomial,
    "StatelessMultinomial": stateless_multinomial,
    "StatelessRandomBinomial": stateless_binomial,
    "StatelessRandomPoisson": stateless_poisson,
    "ParameterizedTruncatedNormal": parameterized_truncated_normal,
    "StatelessParameterizedTruncatedNormal": stateless_truncated_normal_between,
    "RandomIndexShuffle": index_shuffle,
}
"""What `tf.raw_ops` offers, by TensorFlow's names."""

for stem, function, default, allowed in (
    ("StatelessRandomUniform", engine.uniform, FLOAT, random.FLOATS),
    ("StatelessRandomNormal", engine.normal, FLOAT, random.FLOATS),
    ("StatelessTruncatedNormal", engine.truncated_normal, FLOAT, random.FLOATS),
    ("StatelessRandomUniformFullInt", engine.full_integers, FULL, random.FULL_INTEGERS),
):
    RAW_FORMS[stem] = seeded(stem, function, default, allowed)
    RAW_FORMS[stem + "V2"] = keyed(stem + "V2", function, default, allowed)
