"""Records values of special and elementary functions from hundreds of bits: golden/special_values.npz.

Arb computes intervals that surely hold the value, with more and more bits until they are narrow enough. Run
it where python-flint, mpmath and NumPy are installed: ``python tests/golden/record_special_values.py``.
"""

from __future__ import annotations

import math
import multiprocessing
import sys
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from flint import acb, arb, ctx

FILE = Path(__file__).parent / "special_values.npz"
FULL = {"float64": 170, "float32": 70}
"""How many points a function of one argument has."""
STEPS = 100
"""`residue` counts hundredths of a unit in the last place."""
TINY = {"float64": 5e-324, "float32": 1.4e-45}
LIMIT = {"float64": 1.7976931348623157e308, "float32": 3.4028234e38}
BITS = {"float64": 53, "float32": 24}


# What each function is, in terms of Arb's


def lgamma(x: arb) -> arb:
    if x > 0:
        return x.lgamma()
    return (arb.pi() / abs(x.sin_pi())).log() - (1 - x).lgamma()


def trigamma_like(a: arb, x: arb) -> arb:
    if a == 0:
        return x.digamma()
    value = (a + 1).gamma() * zeta(a + 1, x)
    return value if int(float(a)) % 2 else -value


def zeta(s: arb, q: arb) -> arb:
    """Arb has no Hurwitz zeta function of negative q, but the terms up to there can be added one by one."""
    terms = arb(0)
    while q < 0:
        terms += 1 / q ** int(float(s))
        q += 1
    return terms + s.zeta(q)


def spence(x: arb) -> arb:
    return acb(1 - x).polylog(2).real


def softplus(x: arb) -> arb:
    return x.exp().log1p() if x < 0 else x + (-x).exp().log1p()


def ndtr_log(x: arb) -> arb:
    return ((-x / arb(2).sqrt()).erfc() / 2).log()


def ndtri(p: arb) -> arb:
    return -arb(2).sqrt() * (2 * p).erfcinv()


def by_order(function: Callable[[arb, arb], arb], a: arb, x: arb) -> arb:
    """The derivative by `a`, from a difference in four times the bits."""
    bits = ctx.prec
    ctx.prec = 4 * bits
    step = arb(2) ** -bits * a
    slope = (function(a + step, x) - function(a - step, x)) / (2 * step)
    ctx.prec = bits
    return slope


def igamma(a: arb, x: arb) -> arb:
    """By its series: Arb's own function takes seconds where both are some hundreds."""
    total = term = arb(1)
    order, small = a, arb(2) ** -ctx.prec
    while not (2 * x < order and term < total * small):
        order += 1
        term *= x / order
        total += term
    return (a * x.log() - x - (a + 1).lgamma()).exp() * total


def igammac(a: arb, x: arb) -> arb:
    return 1 - igamma(a, x)


def gamma_density(a: arb, x: arb) -> arb:
    return ((a - 1) * x.log() - x - a.lgamma()).exp()


def random_gamma_grad(a: arb, x: arb) -> arb:
    return -by_order(igamma, a, x) / gamma_density(a, x)


def log_beta(a: arb, b: arb) -> arb:
    return a.lgamma() + b.lgamma() - (a + b).lgamma()


# Where each is asked


class Points:
    """Draws arguments of one dtype."""

    def __init__(self, name: str, dtype: str, count: int):
        self.rng = np.random.default_rng(zlib.crc32(f"{name} {dtype}".encode()))
        self.dtype, self.count = dtype, count
        self.type = np.dtype(dtype).type

    def even(self, low: float, high: float, part: float = 0.25) -> Iterator[float]:
        yield from self.rng.uniform(low, high, int(self.count * part))

    def magnitudes(
        self, low: float, high: float, part: float = 0.25, both: bool = False
    ) -> Iterator[float]:
        low, high = max(low, TINY[self.dtype]), min(high, LIMIT[self.dtype])
        powers = self.rng.uniform(math.log2(low), math.log2(high), int(self.count * part))
        for power in powers:
            whole = math.floor(power)
            size = math.ldexp(2 ** (power - whole), whole)
            yield -size if both and self.rng.random() < 0.5 else size

    def near(self, *places: float, part: float = 0.25) -> Iterator[float]:
        """The places, their neighbours, and points ever closer to them."""
        number = max(4, int(self.count * part / len(places)))
        for place in places:
            here = self.type(place)
            yield float(here)
            yield float(np.nextafter(here, self.type(-np.inf)))
            yield float(np.nextafter(here, self.type(np.inf)))
            for _ in range(number - 3):
                distance = 2.0 ** -self.rng.uniform(1, BITS[self.dtype]) * self.rng.choice([-1, 1])
                yield place + distance * max(abs(place), 1e-300)


def spread(p: Points, low: float = -1e300, high: float = 1e300) -> Iterator[float]:
    if high > 0:
        yield from p.magnitudes(max(low, 0), high)
    if low < 0:
        yield from (-x for x in p.magnitudes(max(-high, 0), -low))


def zeros_of_bessel(name: str) -> list[float]:
    import mpmath

    find = mpmath.besseljzero if name[0] == "j" else mpmath.besselyzero
    return [float(find(int(name[1]), k)) for k in [*range(1, 19), 25, 40, 100, 1000, 30000]]


def zeros_between_poles(
    function: Callable[[arb], arb], intervals: list[tuple[float, float]]
) -> list[float]:
    ctx.prec = 120
    found = []
    for low, high in intervals:
        a, b = arb(low), arb(high)
        sign = function(a) > 0
        assert (function(b) > 0) != sign, (low, high)
        for _ in range(110):
            middle = ((a + b) / 2).mid()
            if (function(middle) > 0) == sign:
                a = middle
            else:
                b = middle
        found.append(float(a))
    return found


def lgamma_points(p: Points) -> Iterator[float]:
    intervals = [(-2.6, -2.2), (-2.9, -2.6)]
    for n in range(3, 12):
        gap = 1 / math.factorial(n)
        intervals += [(-n - 0.5, -n - gap / 20), (-n + gap / 20, -n + 0.4)]
    zeros = zeros_between_poles(lgamma, intervals)
    yield from p.near(1, 2, *zeros, part=0.6)
    yield from p.near(0.5, 1.5, 8, 16, 32, 1e8, 2.5e305, part=0.15)
    poles = [-1, -2, -3, -9, -20, -31, -100, -1e5]
    yield from p.near(*poles, *[pole + 0.5 for pole in poles], -5.25, -1.25, part=0.3)
    yield from p.even(0, 40)
    yield from p.even(-40, 0)
    yield from spread(p, -1e15, 2.5e305)


def digamma_points(p: Points) -> Iterator[float]:
    intervals = [(1.3, 1.6)] + [(-n + 0.02, -n + 0.5) for n in range(1, 40)]
    zeros = zeros_between_poles(lambda x: x.digamma(), intervals)
    yield from p.near(*zeros, part=0.6)
    yield from p.near(0.5, 1, 2, 8, 16, 1e8, part=0.15)
    poles = [-1, -2, -3, -9, -20, -31, -100, -1e5]
    yield from p.near(*poles, *[pole + 0.5 for pole in poles], -5.25, -1.25, part=0.3)
    yield from p.even(0, 40)
    yield from p.even(-40, 0)
    yield from spread(p, -1e15)


def oscillating(name: str) -> Callable[[Points], Iterator[float]]:
    def points(p: Points) -> Iterator[float]:
        yield from p.near(*zeros_of_bessel(name), part=0.6)
        yield from p.even(0, 60, 0.5)
        yield from p.even(60, 2000)
        yield from p.magnitudes(0, 1e300)
        if name[0] == "j":
            yield from p.even(-60, 0)

    return points


def simple(low: float, high: float, *places: float) -> Callable[[Points], Iterator[float]]:
    def points(p: Points) -> Iterator[float]:
        yield from spread(p, low, high)
        yield from p.even(max(low, -8), min(high, 8))
        yield from p.even(max(low, -60), min(high, 60))
        if places:
            yield from p.near(*places)

    return points


def positive(low: float, high: float, *places: float) -> Callable[[Points], Iterator[float]]:
    def points(p: Points) -> Iterator[float]:
        yield from p.magnitudes(low, high, 0.4)
        yield from p.even(low, min(high, 3))
        yield from p.even(low, min(high, 60))
        if places:
            yield from p.near(*places)

    return points


def unit(p: Points, low: float = 0.0) -> Iterator[float]:
    yield from p.even(low, 1, 0.4)
    yield from p.magnitudes(0, 0.5, 0.3, both=low < 0)
    yield from p.near(1, *([-1] if low < 0 else []), 0.5, 0.02425, 0.97575, 0.8, 0.9)


def turning(*places: float) -> Callable[[Points], Iterator[float]]:
    def points(p: Points) -> Iterator[float]:
        yield from p.near(
            *[k * math.pi / 2 for k in (-3, -1, 1, 2, 3, 4, 7, 10, 101, 3000, 10**6)], part=0.5
        )
        yield from p.even(-30, 30)
        yield from spread(p)

    return points


def gamma_pairs(p: Points, largest: float = 2000) -> Iterator[tuple[float, float]]:
    for a in p.magnitudes(1e-3, largest, 1.0):
        how = p.rng.integers(4)
        if how < 2:
            yield a, max(a + p.rng.normal() * 3 * math.sqrt(a + 1), a * 2.0 ** -p.rng.uniform(0, 8))
        elif how == 2:
            yield a, a * 2 ** p.rng.normal(0, 1)
        else:
            yield a, float(next(iter(p.magnitudes(1e-5, 600, 1.0))))
    for a in p.magnitudes(1e-10, 1e-3, 0.1):
        yield a, float(next(iter(p.magnitudes(1e-300, 50, 1.0))))


def small_gamma_pairs(p: Points) -> Iterator[tuple[float, float]]:
    yield from ((a, x) for a, x in gamma_pairs(p, 200) if x < 400)


def beta_triples(p: Points) -> Iterator[tuple[float, float, float]]:
    for _ in range(p.count):
        widest = 1e5 if p.rng.random() < 0.2 else 1e3
        a, b = (next(iter(p.magnitudes(1e-3, widest, 1.0))) for _ in range(2))
        how = p.rng.integers(3)
        mean, deviation = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
        x = p.rng.uniform(0, 1) if how == 0 else mean + p.rng.normal() * 3 * deviation
        if how == 2 and p.rng.random() < 0.5:
            x = 2.0 ** -p.rng.uniform(0, 20)
            x = 1 - x if p.rng.random() < 0.5 else x
        if 0 < x < 1 and abs(x - mean) < 12 * deviation:
            yield a, b, x


def orders(p: Points) -> Iterator[tuple[float, float]]:
    for x in [*p.magnitudes(1e-3, 1e6, 0.6), *p.even(0, 10, 0.5), *p.even(-6, 0, 0.2)]:
        yield float(p.rng.choice([1, 1, 2, 2, 3, 4, 5, 7, 10, 15, 40, 100])), x
    for x in [*p.even(-100, 0, 0.1), *(-x for x in p.magnitudes(10, 1e4, 0.1))]:
        yield float(p.rng.choice([1, 2, 2, 3, 4, 6])), x


def zeta_pairs(p: Points) -> Iterator[tuple[float, float]]:
    for q in [*p.magnitudes(1e-3, 1e5, 0.5), *p.even(0, 12, 0.5)]:
        yield 1 + float(next(iter(p.magnitudes(1e-6, 60, 1.0)))), q
    for q in [*p.magnitudes(1e-2, 1e18, 0.3), *p.even(1, 100, 0.2)]:
        yield 1 + float(next(iter(p.magnitudes(1e-12, 400, 1.0)))), q
    for q in p.even(-40, 0, 0.3):
        yield float(p.rng.choice([2, 3, 3, 4, 5, 7, 9, 20])), q


def beta_pairs(p: Points) -> Iterator[tuple[float, float]]:
    yield from zip(p.magnitudes(1e-3, 1e6, 1.0), p.magnitudes(1e-3, 1e6, 1.0), strict=True)
    yield from zip(p.magnitudes(1e-30, 1e30, 0.4), p.magnitudes(0, 1e300, 0.4), strict=True)
    yield from zip(p.even(0, 12, 0.4), p.even(0, 12, 0.4), strict=True)
    # Ever closer to where the function is 0
    for a in [*p.magnitudes(1e-2, 1, 0.3), *p.near(1, part=0.1)]:
        if not 0 < a < 2:
            continue
        low, high = 0.0, 700.0
        for _ in range(200):
            b = math.exp((low + high) / 2)
            if math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) > 0:
                low = math.log(b)
            else:
                high = math.log(b)
        yield a, b * (1 + p.rng.choice([-1, 1]) * 2.0 ** -p.rng.uniform(1, 0.6 * BITS[p.dtype]))


def rises(p: Points) -> Iterator[tuple[float, float]]:
    yield from zip(p.magnitudes(1e-6, 1e9, 1.0), p.magnitudes(1e-9, 1e9, 1.0), strict=True)
    yield from zip(p.even(0, 12, 0.4), p.even(0, 12, 0.4), strict=True)
    yield from zip(p.magnitudes(1e-30, 1e30, 0.3), p.magnitudes(1e-100, 1e100, 0.3), strict=True)


def powers(p: Points) -> Iterator[tuple[float, float]]:
    for x in p.magnitudes(1e-300, 1e300, 1.0):
        y = p.rng.normal() * 300 / max(abs(math.log(x)), 1)
        yield x, y
    for x in p.even(0, 4, 0.5):
        yield x, p.rng.normal() * 10


def two(first: Any, second: Any) -> Callable[[Points], Iterator[tuple[float, float]]]:
    def points(p: Points) -> Iterator[tuple[float, float]]:
        yield from zip(first(p), second(p), strict=False)

    return points


def both_signs(p: Points) -> Iterator[float]:
    yield from p.magnitudes(1e-100, 1e100, 1.0, both=True)


FUNCTIONS: dict[str, tuple[Callable[..., arb], Callable[[Points], Iterator[Any]]]] = {
    # Special functions
    "lgamma": (lgamma, lgamma_points),
    "digamma": (lambda x: x.digamma(), digamma_points),
    "polygamma": (trigamma_like, orders),
    "zeta": (zeta, zeta_pairs),
    "igamma": (igamma, gamma_pairs),
    "igammac": (igammac, gamma_pairs),
    "igamma_grad_a": (lambda a, x: by_order(igamma, a, x), small_gamma_pairs),
    "random_gamma_grad": (random_gamma_grad, small_gamma_pairs),
    "betainc": (lambda a, b, x: x.beta_lower(a, b, regularized=True), beta_triples),
    "lbeta": (log_beta, beta_pairs),
    "digamma_rise": (lambda x, more: (x + more).digamma() - x.digamma(), rises),
    "erf": (lambda x: x.erf(), simple(-7, 7, 0.5, 1, 2, 4)),
    "erfc": (lambda x: x.erfc(), simple(-8, 26.5, 0.5, 1, 2, 4, 6)),
    "erfinv": (lambda x: x.erfinv(), lambda p: unit(p, -1)),
    "ndtri": (ndtri, unit),
    "erfcinv": (lambda x: x.erfcinv(), lambda p: (2 * x for x in unit(p))),
    "dawsn": (
        lambda x: x.erfi() * (-x * x).exp() * arb.pi().sqrt() / 2,
        simple(-1e300, 1e300, 0.5, 1, 3.25, 6.25),
    ),
    "expint": (lambda x: x.ei(), positive(0, 709, 0.37250741078136663, 1, 2, 4, 6, 10, 20, 40)),
    "fresnel_cos": (lambda x: x.fresnel_c(), simple(-1e15, 1e15, 1, 1.6, 2, 3, 6, 36974)),
    "fresnel_sin": (lambda x: x.fresnel_s(), simple(-1e15, 1e15, 1, 1.6, 2, 3, 6, 36974)),
    "spence": (spence, positive(0, 1e300, 1, 0.5, 1.5, 2)),
    "bessel_i0": (lambda x: x.bessel_i(0), simple(-700, 700, 4, 8, 16)),
    "bessel_i0e": (lambda x: abs(x).bessel_i(0, scaled=True), simple(-1e12, 1e12, 4, 8, 16)),
    "bessel_i1": (lambda x: x.bessel_i(1), simple(-700, 700, 4, 8, 16)),
    "bessel_i1e": (
        lambda x: x.sgn() * abs(x).bessel_i(1, scaled=True),
        simple(-1e12, 1e12, 4, 8, 16),
    ),
    "bessel_j0": (lambda x: x.bessel_j(0), oscillating("j0")),
    "bessel_j1": (lambda x: x.bessel_j(1), oscillating("j1")),
    "bessel_k0": (lambda x: x.bessel_k(0), positive(0, 700, 1, 2, 4, 8)),
    "bessel_k0e": (lambda x: x.bessel_k(0, scaled=True), positive(0, 1e12, 1, 2, 4, 8)),
    "bessel_k1": (lambda x: x.bessel_k(1), positive(1e-300, 700, 1, 2, 4, 8)),
    "bessel_k1e": (lambda x: x.bessel_k(1, scaled=True), positive(1e-300, 1e12, 1, 2, 4, 8)),
    "bessel_y0": (lambda x: x.bessel_y(0), oscillating("y0")),
    "bessel_y1": (lambda x: x.bessel_y(1), oscillating("y1")),
    # Elementary functions
    "exp": (lambda x: x.exp(), simple(-708, 709, 0)),
    "expm1": (lambda x: x.expm1(), simple(-708, 709, 0.5, -0.5)),
    "log": (lambda x: x.log(), positive(0, 1e300, 1)),
    "log1p": (lambda x: x.log1p(), simple(-0.999999, 1e300, 1, -0.5, -0.25)),
    "sin": (lambda x: x.sin(), turning()),
    "cos": (lambda x: x.cos(), turning()),
    "tan": (lambda x: x.tan(), turning()),
    "asin": (lambda x: x.asin(), lambda p: unit(p, -1)),
    "acos": (lambda x: x.acos(), lambda p: unit(p, -1)),
    "atan": (lambda x: x.atan(), simple(-1e300, 1e300, 1)),
    "sinh": (lambda x: x.sinh(), simple(-709, 709, 1)),
    "cosh": (lambda x: x.cosh(), simple(-709, 709, 1)),
    "tanh": (lambda x: x.tanh(), simple(-1e300, 1e300, 0.5, 1)),
    "asinh": (lambda x: x.asinh(), simple(-1e300, 1e300, 1)),
    "acosh": (lambda x: x.acosh(), lambda p: (1 + x for x in positive(0, 1e300, 1)(p))),
    "atanh": (lambda x: x.atanh(), lambda p: unit(p, -1)),
    "atan2": (lambda y, x: arb.atan2(y, x), two(both_signs, both_signs)),
    "sigmoid": (lambda x: 1 / (1 + (-x).exp()), simple(-700, 700, 1)),
    "log_sigmoid": (lambda x: -softplus(-x), simple(-700, 700, 1)),
    "softplus": (softplus, simple(-700, 700, 1)),
    "sqrt": (lambda x: x.sqrt(), positive(0, 1e300, 1)),
    "rsqrt": (lambda x: x.rsqrt(), positive(1e-300, 1e300, 1)),
    "pow": (lambda x, y: x**y, powers),
    "xlogy": (lambda x, y: x * y.log(), lambda p: zip(both_signs(p), positive(0, 1e100, 1)(p), strict=False)),
    "xlog1py": (
        lambda x, y: x * y.log1p(),
        lambda p: zip(both_signs(p), positive(0, 1e100, 1)(p), strict=False),
    ),
}  # fmt: skip


# Rounding


def rounded(value: Fraction, dtype: str) -> float:
    """The nearest number of the dtype; ties are as good as impossible."""
    if dtype == "float64":
        return float(value)
    low = np.float32(float(value))
    around = [np.nextafter(low, np.float32(-np.inf)), low, np.nextafter(low, np.float32(np.inf))]
    return float(
        min(around, key=lambda x: abs(Fraction(float(x)) - value) if np.isfinite(x) else math.inf)
    )


def answer(
    function: Callable[..., arb], arguments: tuple[float, ...], dtype: str
) -> tuple[float, int] | None:
    """The value rounded, and how many STEPS of a unit it lies above that; None for no ordinary number."""
    ctx.prec = 160
    while ctx.prec < 6000:
        value = function(*map(arb, arguments))
        if value.is_finite() and value.rel_accuracy_bits() > 80:
            break
        if value.is_finite() and abs(value) < arb(2) ** -1100:
            return None
        ctx.prec *= 2
    else:
        return None
    mantissa, exponent = (int(part) for part in value.mid().man_exp())
    if mantissa == 0 or abs(mantissa.bit_length() + exponent) > 1200:
        return None
    exact = Fraction(mantissa) * Fraction(2) ** exponent
    if not abs(exact) < Fraction(LIMIT[dtype]):
        return None
    nearest = rounded(exact, dtype)
    unit = Fraction(float(np.spacing(np.dtype(dtype).type(abs(nearest)))))
    return nearest, round((exact - Fraction(nearest)) / unit * STEPS)


def values(job: tuple[str, str, int]) -> tuple[str, dict[str, Any]]:
    """All about one function in one dtype."""
    name, dtype, count = job
    function, draw = FUNCTIONS[name]
    if any(place in name for place in ("igamma", "betainc", "gamma_grad")):
        count = count * 3 // 2
    type_ = np.dtype(dtype).type
    arguments, nearest, residue = [], [], []
    for point in draw(Points(name, dtype, count)):
        point = point if isinstance(point, tuple) else (point,)
        with np.errstate(over="ignore"):
            point = tuple(float(type_(x)) for x in point)
        if not all(map(math.isfinite, point)) or (point[0] == 0 and len(point) == 1):
            continue
        found = answer(function, point, dtype)
        if found is not None:
            arguments.append(point)
            nearest.append(found[0])
            residue.append(found[1])
    print(name, dtype, len(nearest), flush=True)
    key = f"{name} {dtype}"
    return key, {
        "arguments": np.array(arguments, dtype).T,
        "nearest": np.array(nearest, dtype),
        "residue": np.array(residue, np.int8),
    }


def record(names: list[str], file: Path, density: float = 1) -> None:
    jobs = [(name, dtype, int(count * density)) for name in names for dtype, count in FULL.items()]
    arrays = {}
    with multiprocessing.Pool(2) as pool:
        for key, parts in pool.imap(values, jobs, chunksize=1):
            arrays |= {f"{key} {part}": array for part, array in parts.items()}
    np.savez_compressed(file, **arrays)


if __name__ == "__main__":
    if len(sys.argv) > 2:  # FILE DENSITY [NAME...]: more points, to look closer
        record(sys.argv[3:] or list(FUNCTIONS), Path(sys.argv[1]), float(sys.argv[2]))
    else:
        record(list(FUNCTIONS), FILE)
