"""The random ops as ``tf.raw_ops`` names them: seeds in pairs, keys and counters as tensors."""

from __future__ import annotations

import math

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import random as engine
from tapegrad.errors import refuse
from tapegrad.ops.random import distributions, draws
from tapegrad.ops.shape import array


@public
def draw_floats(op, shape, dtype, seed=0, seed2=0):
    """Floats under the pair of seeds; two zeros draw without a seed."""
    return op(shape=shape, dtype=dtype, seed=seed, seed2=seed2, T=draws.index_type(shape))


@public
def draw_integers(shape, minval, maxval, seed=0, seed2=0):
    return draws.uniform_int_op(
        minval, maxval, shape=shape, seed=seed, seed2=seed2, T=draws.index_type(shape)
    )


@public
def draw_from_seed(type, op, allowed, shape, seed, dtype):
    """What the newer version draws, which takes a key and a counter."""
    dtype = dtypes.as_dtype(dtype)
    sizes = draws.shape_of(shape)
    draws.check_dtype(type, dtype, allowed)
    return op.apply(draws.key_and_counter(seed), (sizes, 1, dtype))


@public
def draw_integers_from_seed(shape, seed, minval, maxval):
    return draws.stateless_uniform_int_op(*draws.key_and_counter(seed), minval, maxval, shape=shape)


@public
def key_counter_algorithm(seed):
    return (*draws.key_counter_op(seed), algorithm())


@public
def algorithm():
    return EagerTensor(np.array(draws.Algorithm.PHILOX.value, np.int32))


# --- Draws by parameters --------------------------------------------------------------------------------


@public
def stateless_gamma(shape, seed, alpha):
    return distributions.gamma_samples(alpha, *draws.key_and_counter(seed), shape)


@public
def parameterized_truncated_normal(shape, means, stdevs, minvals, maxvals, seed=0, seed2=0):
    """The parameters are scalars, or vectors of one element for each slice of the result."""
    means = convert(means)
    counters = math.prod(draws.shape_of(shape)) * engine.COUNTERS_PER_ELEMENT
    stream = draws.stream_of(means.dtype, draws.index_type(shape))
    pair = distributions.seed_of_stream.apply(
        [], (f"ParameterizedTruncatedNormal {stream}", counters, seed, seed2)
    )
    return truncated_normal_slices(shape, pair, means, stdevs, minvals, maxvals)


@composition
def truncated_normal_slices(shape, seed, means, stdevs, minvals, maxvals):
    """All but the draw of the seed, which is never replayed."""
    sizes, dtype = draws.shape_of(shape), means.dtype
    parameters = [means, convert(stdevs, dtype), convert(minvals, dtype), convert(maxvals, dtype)]
    shapes = [parameter._shape_tuple() for parameter in parameters]
    if not sizes or not {(), (1,), sizes[:1]}.issuperset(shapes):
        refuse(
            "The parameters of ParameterizedTruncatedNormal must be scalars, "
            f"or vectors of 1 or {sizes[0] if sizes else 'as many'} elements, "
            f"one for each slice of shape {list(sizes)}; "
            f"their shapes are {[list(shape) for shape in shapes]}."
        )
    column = (-1,) + (1,) * (len(sizes) - 1)
    parameters = [
        array.reshape(parameter, column) if parameter.ndim else parameter
        for parameter in parameters
    ]
    return distributions.stateless_parameterized_truncated_normal(sizes, seed, *parameters)
