"""The random ops as ``tf.raw_ops`` names them: seeds in pairs, keys and counters as tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Op, convert
from tapegrad.engines.numpy import random as engine
from tapegrad.errors import refuse
from tapegrad.ops.random import distributions, draws
from tapegrad.ops.shape import array


def stateful(op: Op) -> Any:
    """A stateful op of floats, under the pair of seeds it is given; two zeros draw without a seed."""

    def draw_floats(shape, dtype, seed=0, seed2=0, name=None):
        return op(shape=shape, dtype=dtype, seed=seed, seed2=seed2, T=draws.index_type(shape))

    return draw_floats


def random_uniform_int(shape, minval, maxval, seed=0, seed2=0, name=None):
    return draws.uniform_int_op(
        minval, maxval, shape=shape, seed=seed, seed2=seed2, T=draws.index_type(shape)
    )


def seeded(type_name: str, op: Op, default: Any, allowed: tuple[Any, ...]) -> Any:
    """A stateless op that makes its key and counter from a seed."""

    def draw_from_seed(shape, seed, dtype=default, name=None):
        dtype = dtypes.as_dtype(dtype)
        sizes = draws.shape_of(shape)
        draws.check_dtype(type_name, dtype, allowed)
        return op.apply(draws.key_and_counter(seed), (sizes, 1, dtype))

    return draw_from_seed


def stateless_uniform_int(shape, seed, minval, maxval, name=None):
    return draws.stateless_uniform_int_op(*draws.key_and_counter(seed), minval, maxval, shape=shape)


def key_counter_algorithm(seed, name=None):
    return (*draws.key_counter_op(seed), algorithm())


def algorithm(name=None):
    return EagerTensor(np.array(draws.Algorithm.PHILOX.value, np.int32))


# --- Draws by parameters --------------------------------------------------------------------------------


def stateless_gamma(shape, seed, alpha, name=None):
    return distributions.gamma_samples(alpha, *draws.key_and_counter(seed), shape)


def parameterized_truncated_normal(
    shape, means, stdevs, minvals, maxvals, seed=0, seed2=0, name=None
):
    """The parameters are scalars, or vectors of one element for each slice of the result."""
    sizes, means = draws.shape_of(shape), convert(means)
    parameters = [means, *(convert(each, means.dtype) for each in (stdevs, minvals, maxvals))]
    if not sizes or any(each._shape_tuple() not in ((), (1,), sizes[:1]) for each in parameters):
        refuse(
            "The parameters of ParameterizedTruncatedNormal must be scalars, "
            f"or vectors of 1 or {sizes[0] if sizes else 'as many'} elements, "
            f"one for each slice of shape {list(sizes)}; "
            f"their shapes are {[list(each.shape) for each in parameters]}."
        )
    column = (-1,) + (1,) * (len(sizes) - 1)
    parameters = [array.reshape(each, column if each.ndim else ()) for each in parameters]
    stream = draws.stream_of(means.dtype, draws.index_type(shape))
    counters = math.prod(sizes) * engine.COUNTERS_PER_ELEMENT
    pair = distributions.seed_of_stream(
        stream=f"ParameterizedTruncatedNormal {stream}", counters=counters, seed=seed, seed2=seed2
    )
    return distributions.stateless_parameterized_truncated_normal(sizes, pair, *parameters)


def stateless_truncated_normal_between(shape, seed, means, stddevs, minvals, maxvals, name=None):
    return distributions.stateless_parameterized_truncated_normal(
        shape, seed, means, stddevs, minvals, maxvals
    )


FLOAT, FULL = dtypes.float32, dtypes.uint64

RAW_FORMS = {
    "RandomUniform": stateful(draws.uniform_op),
    "RandomStandardNormal": stateful(draws.standard_normal_op),
    "TruncatedNormal": stateful(draws.truncated_normal_op),
    "RandomUniformInt": random_uniform_int,
    "StatelessRandomUniformInt": stateless_uniform_int,
    "StatelessRandomGetKeyCounterAlg": key_counter_algorithm,
    "StatelessRandomGetAlg": algorithm,
    "StatelessRandomGammaV2": stateless_gamma,
    "ParameterizedTruncatedNormal": parameterized_truncated_normal,
    "StatelessParameterizedTruncatedNormal": stateless_truncated_normal_between,
}
"""What `tf.raw_ops` offers, by TensorFlow's names, where it is not the form of an op."""

for name, op, default, allowed in (
    ("StatelessRandomUniform", draws.stateless_uniform_op, FLOAT, draws.FLOATS),
    ("StatelessRandomNormal", draws.stateless_normal_op, FLOAT, draws.FLOATS),
    ("StatelessTruncatedNormal", draws.stateless_truncated_normal_op, FLOAT, draws.FLOATS),
    ("StatelessRandomUniformFullInt", draws.stateless_full_int_op, FULL, draws.FULL_INTEGERS),
):
    RAW_FORMS[name] = seeded(name, op, default, allowed)
