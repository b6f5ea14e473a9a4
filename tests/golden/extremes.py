"""Differentiable functions at the edges of their dtypes, and what TensorFlow's gradients are there.

Each function of numbers meets every tuple of `numbers`, and each of rows every pair of them, each with every
one of `arriving` as the gradient of its result. Kept are the sign and the binary exponent of each gradient.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("extreme_gradients.npz")

# The smallest normal number and the largest.
EDGES = {
    "float16": (6.104e-05, 65504.0),
    "bfloat16": (1.17549435e-38, 3.3895314e38),
    "float32": (1.17549435e-38, 3.4028235e38),
    "float64": (2.2250738585072014e-308, 1.7976931348623157e308),
}
INF, NAN = float("inf"), float("nan")

ONE = """
    abs acos acosh asin asinh atan atanh cos cosh exp identity math.erf math.erfc math.erfcinv
    math.erfinv math.expm1 math.lgamma math.digamma math.log math.log1p math.log_sigmoid math.ndtri
    math.reciprocal math.reciprocal_no_nan math.rsqrt math.softplus negative nn.elu nn.gelu nn.leaky_relu
    nn.relu nn.relu6 nn.selu nn.silu nn.softsign sigmoid sin sinh sqrt square tan tanh math.bessel_i0
    math.bessel_i0e math.bessel_i1 math.bessel_i1e math.special.bessel_j0 math.special.bessel_j1
    math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
    math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence
""".split()
TWO = """
    add atan2 divide math.divide_no_nan math.floormod math.igamma math.igammac math.multiply_no_nan
    math.polygamma math.squared_difference math.xdivy math.xlog1py math.xlogy math.zeta maximum minimum
    multiply nn.log_poisson_loss nn.sigmoid_cross_entropy_with_logits pow subtract
""".split()
OF_ROWS = """
    clip_by_norm linalg.norm math.cumprod math.cumsum math.cumulative_logsumexp math.lbeta
    math.reduce_euclidean_norm math.reduce_logsumexp math.reduce_max math.reduce_mean math.reduce_prod
    math.reduce_std math.reduce_variance nn.l2_normalize nn.log_softmax nn.softmax
""".split()


def function(tf: Any, name: str) -> Callable[..., Any]:
    """A function of tensors by its name."""
    found = functools.reduce(getattr, name.split("."), tf)
    if name == "clip_by_norm":
        return lambda x: found(x, tf.constant(1.0, x.dtype), axes=-1)
    if name == "nn.sigmoid_cross_entropy_with_logits":
        return lambda x, y: found(labels=y, logits=x)
    if name in OF_ROWS and name != "math.lbeta":
        return lambda x: found(x, axis=-1)
    return found  # type: ignore[no-any-return]


def numbers(dtype: str) -> list[float]:
    """The numbers that each argument takes: none that is subnormal, which TensorFlow takes for 0."""
    tiny, largest = EDGES[dtype]
    sizes = [tiny, tiny**0.5, 0.25, 1.0, 2.0, 2 * largest**0.5, largest, INF]
    return [0.0, -0.0, *sizes, *(-size for size in sizes), NAN]


def arriving(dtype: str) -> list[float]:
    """The gradients that arrive at the results."""
    tiny, largest = EDGES[dtype]
    return [0.0, tiny, 1.0, -largest / 4]


def arguments(name: str, dtype: str) -> list[Any]:
    """All that the function meets, as float64."""
    points = numbers(dtype)
    if name in ONE:
        return [np.array(points)]
    pairs = np.array(list(itertools.product(points, points)))
    return [pairs] if name in OF_ROWS else [pairs[:, 0], pairs[:, 1]]


def gradients(tf: Any, name: str, dtype: str) -> list[Any]:
    """For each argument its gradients as float64, for each gradient that arrives."""
    tensors = [tf.constant(values, dtype) for values in arguments(name, dtype)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        result = function(tf, name)(*tensors)
    found: list[list[Any]] = [[] for _ in tensors]
    for size in arriving(dtype):
        dy = tf.fill(result.shape, tf.constant(size, dtype))
        for place, gradient in zip(found, tape.gradient(result, tensors, dy), strict=True):
            if gradient is not None:
                place.append(gradient.numpy().astype("float64"))
    return [np.stack(place) for place in found if place]


# A sign and an exponent in 16 bits: the exponent is above 0 after OFFSET is added.
OFFSET, CODE_OF_INF, CODE_OF_NAN = 2000, 10_000, 20_000


def encode(values: Any) -> Any:
    with np.errstate(all="ignore"):
        exponents = np.frexp(np.where(np.isfinite(values), values, 0))[1] + OFFSET
        sizes = np.where(np.isinf(values), CODE_OF_INF, np.where(values == 0, 0, exponents))
        codes = np.where(np.isnan(values), CODE_OF_NAN, np.copysign(sizes, values))
    return codes.astype("int16")


def decode(codes: Any) -> Any:
    """The codes as numbers: powers of two between which and their halves the values lie, in size."""
    sizes = np.abs(codes).astype(int)
    powers = np.ldexp(0.75, np.where((sizes > 0) & (sizes < CODE_OF_INF), sizes - OFFSET, 0))
    powers = np.where(sizes == CODE_OF_INF, INF, np.where(sizes == 0, 0, powers))
    return np.where(sizes == CODE_OF_NAN, NAN, np.copysign(powers, codes))
