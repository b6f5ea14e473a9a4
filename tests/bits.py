"""Results whose bits docs/decisions/vectors-and-bits.md promises, as digests to compare processors by.

    python tests/bits.py --record > tests/golden/bits.json      (on a processor with AVX2)
    TAPEGRAD_LEVEL=plain python tests/bits.py                   what this processor computes

The inputs are quotients of integers, which every processor computes alike. NaN counts as one value:
processors choose its sign. Products of matrices are BLAS's, and no part of this.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tapegrad as tf
from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.levels import levels

# Their kernels are of single precision; doubles go to SciPy's and NumPy's functions.
OF_FLOATS = {
    "lgamma_of_floats",
    "digamma_of_floats",
    "floormod_of_floats",
    "hypot",
    "arcsinh",
    "arccosh",
}
COUNT = 40_000


def numbers(dtype: str, seed: int, shape: tuple[int, ...] = (COUNT,)) -> Any:
    """Numbers between -16 and 16, most of them small, and some zeros."""
    random = np.random.default_rng(seed)
    wide = random.integers(-(2**20), 2**20, shape) / 2**16
    return (wide / random.choice([1, 8, 64, 2**12], shape)).astype(dtype)


def digest(result: Any) -> str:
    array = np.asarray(result)
    missing = array != array
    parts = np.where(missing, np.zeros((), array.dtype), array), missing
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def elementwise(level: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, function in kernels.functions(level).items():
        for dtype in ("float32", "float64"):
            if dtype == "float64" and name in OF_FLOATS:
                continue
            arguments = [numbers(dtype, place) for place in range(function.nin)]
            yield f"{name}, {dtype}", lambda f=function, arguments=arguments: f(*arguments)
            if name == "power":
                cubes = [arguments[0], np.array(3.0, dtype)]
                yield f"cube, {dtype}", lambda f=function, arguments=cubes: f(*arguments)


def public(dtype: str) -> dict[str, Callable[[], Any]]:
    """Reductions, scans, windows, norms, draws and gradients, called as users call them."""
    x = tf.constant(numbers(dtype, 3, (37, 513)))
    pictures = tf.constant(numbers(dtype, 4, (2, 17, 19, 5)))
    places = tf.constant(np.random.default_rng(5).integers(0, 11, 37))

    def gradient(function: Callable[[Any], Any]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    results = {
        "sum": lambda: tf.reduce_sum(x),
        "sum of rows": lambda: tf.reduce_sum(x, 1),
        "sum of columns": lambda: tf.reduce_sum(x, 0),
        "mean": lambda: tf.reduce_mean(x, 0),
        "largest": lambda: tf.reduce_max(x, 1),
        "variance": lambda: tf.math.reduce_variance(x, 1),
        "norm": lambda: tf.norm(x, axis=0),
        "softmax": lambda: tf.nn.softmax(x),
        "logarithm of softmax": lambda: tf.nn.log_softmax(x, 0),
        "logarithm of a sum": lambda: tf.reduce_logsumexp(x, 1),
        "normalised": lambda: tf.nn.batch_normalization(
            x, *tf.nn.moments(x, [0]), None, None, 1e-3
        ),
        "cumulated": lambda: tf.cumsum(x, 1),
        "sorted": lambda: tf.sort(x, 1),
        "order": lambda: tf.argsort(x, 0),
        "segments": lambda: tf.math.unsorted_segment_sum(x, places, 11),
        "rows": lambda: tf.gather(x, places),
        "largest in windows": lambda: tf.nn.max_pool2d(pictures, 3, 2, "SAME"),
        "means of windows": lambda: tf.nn.avg_pool2d(pictures, 3, 2, "SAME"),
        "resized": lambda: tf.image.resize(pictures, [31, 23]),
        "drawn uniformly": lambda: tf.random.stateless_uniform([5000], [1, 2], dtype=dtype),
        "as float16": lambda: tf.cast(x, tf.float16),
        "as bfloat16": lambda: tf.cast(tf.cast(x, tf.bfloat16), tf.float32),
        "as integers": lambda: tf.cast(x, tf.int32),
        "gradient of softmax": lambda: gradient(lambda x: tf.nn.softmax(x) ** 2),
        "gradient of tanh": lambda: gradient(lambda x: tf.reduce_sum(tf.tanh(x), 1)),
        "gradient of a variance": lambda: gradient(tf.math.reduce_variance),
    }
    if dtype == "float32":  # of doubles the C library takes the logarithms and sines
        results |= {
            "drawn normally": lambda: tf.random.stateless_normal([5000], [3, 4]),
            "drawn within two deviations": lambda: tf.random.stateless_truncated_normal(
                [5000], [5, 6]
            ),
        }
    return results


def digests() -> dict[str, str]:
    """The digest of each result at this process's level of vectors: rules are compiled for one level."""
    calls = dict(elementwise(levels()[1]))
    for dtype in ("float32", "float64"):
        calls |= {f"{name}, {dtype}": call for name, call in public(dtype).items()}
    with np.errstate(all="ignore"):
        return {name: digest(call()) for name, call in calls.items()}


def digests_at(level: str) -> dict[str, str]:
    """The same of another process, at a level of that name or at the widest that the processor has."""
    finished = subprocess.run(
        [sys.executable, __file__],
        env=os.environ | {"TAPEGRAD_LEVEL": level},
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(finished.stdout))


def recorded() -> dict[str, Any]:
    once, twice = digests_at("middle"), digests_at("plain")
    return {"digests": once, "rounded twice": [name for name in once if once[name] != twice[name]]}


if __name__ == "__main__":
    print(json.dumps(recorded() if sys.argv[1:] == ["--record"] else digests(), indent=1))
