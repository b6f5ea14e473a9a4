"""Gamma, Poisson and binomial numbers from a key and a counter: each draws until a candidate is accepted.

Every number has its own part of the stream, so it depends only on its index and not on other numbers. The
streams, and the order in which numbers are taken from them, are TensorFlow's. So the numbers equal
TensorFlow's, bit for bit.
"""

from __future__ import annotations

import math

import numpy as np

from tapegrad.engines.numpy import random as engine

DOUBLE = np.dtype(np.float64)


class Stream:
    """Doubles from the stream under ``key`` that starts at ``counter``."""

    def __init__(self, key: int, counter: int) -> None:
        self.key, self.counter = key, counter
        self.normals: list[float] = []
        self.uniforms: list[float] = []

    def normal(self) -> float:
        """A standard normal number. A block gives two, of which the later is taken first."""
        if not self.normals:
            self.normals = engine.normal(self.key, self.counter, 2, DOUBLE).tolist()
            self.counter += 1
        return self.normals.pop()

    def uniform(self) -> float:
        """A number in [0, 1)."""
        if not self.uniforms:
            self.uniforms = engine.uniform(self.key, self.counter, 2, DOUBLE).tolist()
            self.counter += 1
        return self.uniforms.pop()


def gamma(stream: Stream, alpha: float) -> float:
    """A number from the gamma distribution of shape ``alpha``, by Marsaglia and Tsang's squeeze."""
    if alpha == 1.0:
        return -math.log1p(-stream.uniform())
    if not alpha > 0.0:
        return 0.0 if alpha == 0.0 else math.nan
    if math.isinf(alpha):
        return math.inf
    # Below 1 the method draws for alpha + 1, and multiplies with a power of a uniform number.
    boosted = alpha < 1.0
    d = alpha + 2.0 / 3.0 if boosted else alpha - 1.0 / 3.0
    c = 1.0 / 3 / math.sqrt(d)
    while True:
        x = stream.normal()
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = stream.uniform()
        if u < 1 - 0.0331 * (x * x) * (x * x) or (
            u > 0 and math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v))
        ):
            result = d * v
            return result * stream.uniform() ** (1 / alpha) if boosted else result


def poisson(stream: Stream, rate: float) -> float:
    """A number from the Poisson distribution of mean ``rate``."""
    if not rate > 0.0:
        return math.nan if rate != rate else 0.0
    if math.isinf(rate):
        return math.inf
    if rate < 10:
        # Knuth: count how many uniform numbers can be multiplied before the product is below exp(-rate).
        limit, product, count = math.exp(-rate), 1.0, 0
        while True:
            product *= stream.uniform()
            if product <= limit:
                return float(count)
            count += 1
    # Hörmann's transformed rejection with squeeze.
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while True:
        u = stream.uniform() - 0.5
        v = stream.uniform()
        shifted = 0.5 - abs(u)
        if shifted == 0.0:
            continue
        k = float(math.floor((2 * a / shifted + b) * u + rate + 0.43))
        if shifted >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (shifted < 0.013 and v > shifted) or v == 0.0:
            continue
        height = math.log(v * inverse_alpha / (a / (shifted * shifted) + b))
        if height <= -rate + k * log_rate - math.lgamma(k + 1):
            return k


# A binomial number of a smaller mean (of successes or of failures, whichever is less) is drawn by waiting for
# each success, in a shorter part of the stream.
LEAST_MEAN_TO_REJECT = 10
COUNTERS_TO_WAIT = 42


def binomial_stretch(count: float, probability: float) -> int:
    """How many counters lie between one number of this distribution and the next."""
    mean = count * (probability if probability <= 0.5 else 1 - probability)
    return COUNTERS_TO_WAIT if mean < LEAST_MEAN_TO_REJECT else engine.COUNTERS_PER_ELEMENT


def binomial(stream: Stream, count: float, probability: float) -> float:
    """How many of ``count`` trials succeed, each with ``probability``."""
    if count <= 0 or probability <= 0:
        return 0.0
    if probability >= 1 or math.isinf(count):
        return count
    if count != count or probability != probability:
        return math.nan
    if probability > 0.5:
        return count - binomial(stream, count, 1 - probability)
    if count * probability < LEAST_MEAN_TO_REJECT:
        return _by_waiting(stream, count, probability)
    return _by_rejection(stream, count, probability)


def _by_waiting(stream: Stream, count: float, probability: float) -> float:
    """The number of successes in ``count`` trials, by drawing the geometric time until each next success."""
    scale = math.log1p(-probability)
    trials, successes = 0.0, 0
    while True:
        number = stream.uniform()
        trials += math.ceil(math.log(number) / scale) if number > 0 else math.inf
        if trials > count:
            return float(successes)
        successes += 1


def _by_rejection(stream: Stream, count: float, probability: float) -> float:
    """Hörmann's transformed rejection with squeeze, for means of at least 10."""
    deviation = math.sqrt(count * probability * (1 - probability))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    centre = count * probability + 0.5
    odds = probability / (1 - probability)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor((count + 1) * probability)
    while True:
        u = stream.uniform() - 0.5
        v = stream.uniform()
        shifted = 0.5 - abs(u)
        if shifted == 0.0:
            continue
        k = math.floor((2 * a / shifted + b) * u + centre)
        if shifted >= 0.07 and v <= 0.92 - 4.2 / b:
            return float(k)
        if k < 0 or k > count or v == 0.0:
            continue
        height = math.log(v * alpha / (a / (shifted * shifted) + b))
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling_rest(mode)
            + _stirling_rest(count - mode)
            - _stirling_rest(k)
            - _stirling_rest(count - k)
        )
        if height <= bound:
            return float(k)


def _stirling_rest(k: float) -> float:
    """What Stirling's formula for the logarithm of ``k!`` leaves out."""
    if k <= 9:
        exact = math.lgamma(k + 1)
        return exact - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    square = (k + 1) ** 2
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
