"""Fits the polynomials of engines/numpy/special_tables.h and prints that file.

An axis is cut into cells of one width, and each cell has a polynomial about a centre of its own: the middle
of the cell or, where the function has a zero there or close by, that zero, to twice the digits of a double.
So a value near a zero has as many digits as any other. It takes a minute, and needs mpmath:

    python tools/fit_special_functions.py > src/tapegrad/engines/numpy/special_tables.h
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp, mpf

mp.dps = 50
GOAL = mpf(2) ** -59
"""The largest error of a fit, as a part of the value."""

HEADER = """\
/* Polynomials of `special_functions.h` and its kin. Written by tools/fit_special_functions.py: change that
   and run it again. A row of a table is a cell: its centre in two parts, then the coefficients from the
   highest power to the constant, which comes in two parts too, the small one first. The number is the fit's
   largest error, as a part of the value. */

#ifndef TAPEGRAD_SPECIAL_TABLES_H
#define TAPEGRAD_SPECIAL_TABLES_H
"""

Function = Callable[[Any], Any]


def parts(number: Any) -> tuple[float, float]:
    high = float(number)
    return high, float(mpf(number) - mpf(high))


def shortest(number: float) -> str:
    return "0" if number == 0 else repr(number).replace("e-0", "e-")


def polynomial(function: Function, low: Any, high: Any, centre: Any, degree: int) -> list[Any]:
    """Coefficients in t = x - centre, constant first, of the polynomial through Chebyshev's points."""
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    middle, half = (low + high) / 2, (high - low) / 2
    values = [function(middle + half * node) for node in nodes]
    # Newton's divided differences, in t
    points = [middle + half * node - centre for node in nodes]
    table = list(values)
    for order in range(1, degree + 1):
        for k in range(degree, order - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (points[k] - points[k - order])
    coefficients = [mpf(0)] * (degree + 1)
    coefficients[0] = table[degree]
    for k in range(degree - 1, -1, -1):
        for power in range(degree, 0, -1):
            coefficients[power] = coefficients[power - 1] - points[k] * coefficients[power]
        coefficients[0] = table[k] - points[k] * coefficients[0]
    return coefficients


def zero_near(function: Function, zeros: Sequence[Any], low: Any, high: Any) -> Any:
    """The zero in the cell or within half a cell of it."""
    margin = (high - low) / 2
    for zero in zeros:
        if low - margin <= zero <= high + margin:
            return zero
    return None


def fit(
    function: Function, low: Any, high: Any, zero: Any, degree: int
) -> tuple[Any, list[Any], Any]:
    """The centre, the coefficients and the largest error as a part of the value."""
    if zero is None:
        centre = (low + high) / 2
        coefficients = polynomial(function, low, high, centre, degree)
    else:
        centre = zero
        quotient = lambda x: function(x) / (x - centre) if x != centre else mp.diff(function, x)
        coefficients = [mpf(0), *polynomial(quotient, low, high, centre, degree - 1)]
    worst = mpf(0)
    for k in range(13):
        x = low + (high - low) * (mpf(k) + mpf("0.013")) / mpf("12.03")
        exact = function(x)
        worst = max(worst, abs(mp.polyval(coefficients[::-1], x - centre) / exact - 1))
    return centre, coefficients, worst


def cells(
    name: str,
    function: Function,
    low: Any,
    high: Any,
    count: int,
    zeros: Sequence[Any] = (),
    note: str = "",
) -> None:
    """Print the table of a function in so many cells from `low` to `high`."""
    low, high = mpf(low), mpf(high)
    width = (high - low) / count
    edges = [low + width * k for k in range(count + 1)]
    spans = list(itertools.pairwise(edges))
    zero_of = [zero_near(function, zeros, *span) for span in spans]

    def enough(span: tuple[Any, Any], zero: Any, degree: int) -> bool:
        return fit(function, *span, zero, degree)[2] < GOAL

    degree = 4
    for span, zero in zip(spans, zero_of, strict=True):
        while not enough(span, zero, degree):
            degree += 1
            if degree > 26:
                raise ValueError(f"{name} is hard to fit in {span}")
    fits = [fit(function, *span, zero, degree) for span, zero in zip(spans, zero_of, strict=True)]
    error = max(f[2] for f in fits)
    words = note or (function.__doc__ or "").strip().rstrip(".")
    print(
        f"\n/* {words}, {float(low):g} to {float(high):g}, in {count} cells: {float(error):.0e} */"
    )
    print(f"#define {name}_LOW {float(low)!r}")
    print(f"#define {name}_PER_CELL {float(1 / width)!r}")
    print(f"enum {{ {name}_CELLS = {count}, {name}_DEGREE = {degree} }};")
    print(f"static const double {name}[][{name}_DEGREE + 4] = {{")
    for centre, coefficients, _ in fits:
        numbers = [*parts(centre), *[float(c) for c in coefficients[:0:-1]]]
        numbers += parts(coefficients[0])[::-1]
        print("    {" + ", ".join(map(shortest, numbers)) + "},")
    print("};")
    print(f"{name}: degree {degree}, {count} cells", file=sys.stderr, flush=True)


def pairs(name: str, coefficients: Sequence[Any], note: str) -> None:
    """Print numbers in two parts each."""
    print(f"\n/* {note} */\nstatic const double {name}[][2] = {{")
    for number in coefficients:
        high, low = parts(number)
        print(f"    {{{shortest(high)}, {shortest(low)}}},")
    print("};")


# Bessel functions


def scaled_i(order: int) -> Function:
    return lambda x: mp.besseli(order, x) * mp.exp(-x)


def inverse_scaled_i(order: int) -> Function:
    def function(u: Any) -> Any:
        if u == 0:
            return 1 / mp.sqrt(2 * mp.pi)
        return mp.besseli(order, 1 / u) * mp.exp(-1 / u) / mp.sqrt(u)

    return function


def inverse_scaled_k(order: int) -> Function:
    def function(u: Any) -> Any:
        if u == 0:
            return mp.sqrt(mp.pi / 2)
        return mp.besselk(order, 1 / u) * mp.exp(1 / u) / mp.sqrt(u)

    return function


def k0_rest(square: Any) -> Any:
    """K0(x) + log(x) * I0(x) at x**2"""
    if square == 0:
        return mp.log(2) - mp.euler
    x = mp.sqrt(square)
    return mp.besselk(0, x) + mp.log(x) * mp.besseli(0, x)


def k1_rest(square: Any) -> Any:
    """(K1(x) - 1 / x - log(x) * I1(x)) / x at x**2"""
    if square == 0:
        return (2 * mp.euler - 1 - 2 * mp.log(2)) / 4
    x = mp.sqrt(square)
    return (mp.besselk(1, x) - 1 / x - mp.log(x) * mp.besseli(1, x)) / x


def y0_rest(square: Any) -> Any:
    """Y0(x) - 2 / pi * log(x) * J0(x) at x**2"""
    if square == 0:
        return 2 / mp.pi * (mp.euler - mp.log(2))
    x = mp.sqrt(square)
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def y1_rest(square: Any) -> Any:
    """(Y1(x) + 2 / (pi * x) - 2 / pi * log(x) * J1(x)) / x at x**2"""
    if square == 0:
        return (2 * mp.euler - 1 - 2 * mp.log(2)) / 2 / mp.pi
    x = mp.sqrt(square)
    return (mp.bessely(1, x) + 2 / (mp.pi * x) - 2 / mp.pi * mp.log(x) * mp.besselj(1, x)) / x


def amplitude(order: int) -> Function:
    """sqrt(J(x)**2 + Y(x)**2) * sqrt(x) at 1 / x**2"""

    def function(u: Any) -> Any:
        if u == 0:
            return mp.sqrt(2 / mp.pi)
        x = 1 / mp.sqrt(u)
        return mp.sqrt((mp.besselj(order, x) ** 2 + mp.bessely(order, x) ** 2) * x)

    return function


def phase_rest(order: int) -> Function:
    """x * (the angle of J(x) + i * Y(x), less x, plus (2 * order + 1) / 4 * pi) at 1 / x**2"""

    def function(u: Any) -> Any:
        if u == 0:
            return mpf(4 * order**2 - 1) / 8
        x = 1 / mp.sqrt(u)
        turned = (mp.besselj(order, x) + 1j * mp.bessely(order, x)) * mp.expj(
            (2 * order + 1) * mp.pi / 4 - x
        )
        return x * mp.arg(turned)

    return function


FAR_BESSEL = 48


def bessel() -> None:
    far = mpf(1) / FAR_BESSEL**2
    for order in (0, 1):
        zeros = [mp.besseljzero(order, k) for k in range(1, 18)]
        start = [mpf(0)] if order else []
        cells(
            f"BESSEL_J{order}",
            lambda x, n=order: mp.besselj(n, x),
            0, FAR_BESSEL, FAR_BESSEL, start + zeros, f"J{order}(x)",
        )  # fmt: skip
        zeros = [mp.besselyzero(order, k) for k in range(1, 18)]
        y = lambda x, n=order: mp.bessely(n, x)
        cells(f"BESSEL_Y{order}_NEAR", y, 0.5, 2, 12, zeros, f"Y{order}(x)")
        cells(f"BESSEL_Y{order}", y, 2, FAR_BESSEL, FAR_BESSEL - 2, zeros, f"Y{order}(x)")
        cells(f"BESSEL_AMPLITUDE_{order}", amplitude(order), 0, far, 1, note=str(amplitude.__doc__))
        cells(f"BESSEL_PHASE_{order}", phase_rest(order), 0, far, 1, note=str(phase_rest.__doc__))
        mp.dps = 70
        coefficients = polynomial(phase_rest(order), mpf(0), far, mpf(0), 13)
        pairs(
            f"BESSEL_PHASE_{order}_PAIRS",
            coefficients,
            "The same to twice the digits, the constant first",
        )
        mp.dps = 50
        cells(f"BESSEL_I{order}E", scaled_i(order), 0, 8, 8, start, f"I{order}(x) * exp(-x)")
        cells(
            f"BESSEL_I{order}E_FAR", inverse_scaled_i(order), 0, 0.125, 4,
            note=f"I{order}(x) * exp(-x) * sqrt(x) at 1 / x",
        )  # fmt: skip
        k = lambda x, n=order: mp.besselk(n, x) * mp.exp(x)
        cells(f"BESSEL_K{order}E_NEAR", k, 0.5, 2, 12, note=f"K{order}(x) * exp(x)")
        cells(f"BESSEL_K{order}E", k, 2, 8, 12, note=f"K{order}(x) * exp(x)")
        cells(
            f"BESSEL_K{order}E_FAR", inverse_scaled_k(order), 0, 0.125, 4,
            note=f"K{order}(x) * exp(x) * sqrt(x) at 1 / x",
        )  # fmt: skip
    cells("BESSEL_K0_REST", k0_rest, 0, 1, 1)
    cells("BESSEL_K1_REST", k1_rest, 0, 1, 1)
    cells("BESSEL_I0_SMALL", lambda v: mp.besseli(0, mp.sqrt(v)), 0, 1, 1, note="I0(x) at x**2")
    cells(
        "BESSEL_I1_SMALL",
        lambda v: mp.besseli(1, mp.sqrt(v)) / mp.sqrt(v) if v else mpf(1) / 2,
        0, 1, 1, note="I1(x) / x at x**2",
    )  # fmt: skip
    cells("BESSEL_Y0_REST", y0_rest, 0, 0.25, 1)
    cells("BESSEL_Y1_REST", y1_rest, 0, 0.25, 1)


# Integrals


def dawson(x: Any) -> Any:
    """Dawson's integral"""
    return mp.exp(-x * x) * mp.erfi(x) * mp.sqrt(mp.pi) / 2


def dawson_far(v: Any) -> Any:
    """2 * x * dawsn(x) at 1 / x**2"""
    return mpf(1) if v == 0 else 2 / mp.sqrt(v) * dawson(1 / mp.sqrt(v))


def expint_rest(x: Any) -> Any:
    """(Ei(x) - euler - log(x)) / x"""
    if abs(x) < mpf(10) ** -20:
        return 1 + x / 4
    return (mp.ei(x) - mp.euler - mp.log(x)) / x


def expint_scaled(x: Any) -> Any:
    """x * exp(-x) * Ei(x)"""
    return x * mp.exp(-x) * mp.ei(x)


def expint_far(u: Any) -> Any:
    """x * exp(-x) * Ei(x) at 1 / x"""
    return mpf(1) if u == 0 else expint_scaled(1 / u)


def dilogarithm(z: Any) -> Any:
    return mp.re(mp.polylog(2, z))


def dilogarithm_rest(z: Any) -> Any:
    """the dilogarithm over its argument"""
    return mpf(1) if z == 0 else dilogarithm(z) / z


def fresnel_auxiliary(x: Any) -> tuple[Any, Any]:
    """f and g: both integrals are 1/2 and f and g times a sine and a cosine of pi / 2 * x * x."""
    angle = mp.pi * x * x / 2
    c, s = mpf(1) / 2 - mp.fresnelc(x), mpf(1) / 2 - mp.fresnels(x)
    return s * mp.cos(angle) - c * mp.sin(angle), c * mp.cos(angle) + s * mp.sin(angle)


def fresnel_f(v: Any) -> Any:
    """pi * x * f(x) at 1 / x**4"""
    return mpf(1) if v == 0 else fresnel_auxiliary(v ** mpf(-0.25))[0] * mp.pi * v ** mpf(-0.25)


def fresnel_g(v: Any) -> Any:
    """pi**2 * x**3 * g(x) at 1 / x**4"""
    if v == 0:
        return mpf(1)
    return fresnel_auxiliary(v ** mpf(-0.25))[1] * mp.pi**2 * v ** mpf(-0.75)


def integrals() -> None:
    cells("DAWSN", dawson, 0, 8, 16, [mpf(0)])
    cells("DAWSN_FAR", dawson_far, 0, mpf(1) / 64, 1)
    cells("EXPINT_REST", expint_rest, 0, 0.25, 1)
    zero = mp.findroot(mp.ei, mpf("0.3725"))
    cells("EXPINT_NEAR", lambda x: mp.ei(x), 0.25, 1, 8, [zero], "Ei(x)")
    cells("EXPINT_SCALED", expint_scaled, 1, 49, 48)
    cells("EXPINT_FAR", expint_far, 0, mpf(1) / 48, 1)
    cells("SPENCE", lambda x: dilogarithm(1 - x), 0.5, 2, 24, [mpf(1)], "The dilogarithm of 1 - x")
    cells(
        "SPENCE_NEAR", lambda x: dilogarithm(1 - x), 0.25, 0.5, 8, note="The dilogarithm of 1 - x"
    )
    cells("SPENCE_REST", dilogarithm_rest, 0, 0.25, 1)
    cells(
        "FRESNEL_C_SMALL",
        lambda v: mpf(1) if v == 0 else mp.fresnelc(v ** mpf(0.25)) / v ** mpf(0.25),
        0, 1, 1, note="C(x) / x at x**4",
    )  # fmt: skip
    cells(
        "FRESNEL_S_SMALL",
        lambda v: mp.pi / 6 if v == 0 else mp.fresnels(v ** mpf(0.25)) / v ** mpf(0.75),
        0, 1, 1, note="S(x) / x**3 at x**4",
    )  # fmt: skip
    cells("FRESNEL_C", lambda x: mp.fresnelc(x), 1, 6, 40, note="C(x)")
    cells("FRESNEL_S", lambda x: mp.fresnels(x), 1, 6, 40, note="S(x)")
    cells("FRESNEL_F", fresnel_f, 0, mpf(6) ** -4, 1)
    cells("FRESNEL_G", fresnel_g, 0, mpf(6) ** -4, 1)


# The inverse error function


def inverse_tail(t: Any) -> Any:
    """The z at which erfc(z) is exp(-t**2)"""
    z = mpf(t)
    for _ in range(12):
        value = mp.erfc(z)
        z += (mp.log(value) + t * t) * value * mp.sqrt(mp.pi) / 2 * mp.exp(z * z)
    return z


def normal_quantile(p: Any) -> Any:
    """ndtri(p)"""
    return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def inverses() -> None:
    cells("NDTRI", normal_quantile, 0.125, 0.875, 24, [mpf(1) / 2])
    cells("ERFINV_TAIL", inverse_tail, 1, 28, 54)


# The gamma function


def log_gamma(x: Any) -> Any:
    """lgamma(x)"""
    return mp.re(mp.loggamma(x))


def without_pole(x: Any) -> Any:
    """lgamma(x) + log(abs(u)), u the distance from the nearest pole"""
    return log_gamma(x) + mp.log(abs(x - mp.nint(x)))


def zero_beside_pole(n: int, side: int) -> Any:
    """The u, below 0 or above, at which lgamma(-n + u) is 0."""
    u = side * mp.exp(without_pole(-n + side * mpf(2) ** -40))
    for _ in range(400):
        u = (u + side * mp.exp(without_pole(-n + u))) / 2
    return u


def slope_from_zero(x: Any) -> Any:
    """(lgamma(x) + log(abs(u / u0))) / (u - u0), u0 being the zero on the same side of the pole"""
    n = int(-mp.nint(x))
    side = 1 if x > -n else -1
    if (n, side) not in ZEROS_BESIDE_POLES:
        ZEROS_BESIDE_POLES[n, side] = zero_beside_pole(n, side)
    zero = ZEROS_BESIDE_POLES[n, side]
    return (without_pole(x) - mp.log(abs(zero))) / (x + n - zero)


ZEROS_BESIDE_POLES: dict[tuple[int, int], Any] = {}
LAST_POLE = 32


def stirling_rest(v: Any) -> Any:
    """x * (lgamma(x) - (x - 1/2) * log(x) + x - log(2 * pi) / 2) at 1 / x**2"""
    if v == 0:
        return mpf(1) / 12
    x = 1 / mp.sqrt(v)
    return x * (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def digamma_rest(v: Any) -> Any:
    """x**2 * (log(x) - 1 / (2 * x) - digamma(x)) at 1 / x**2"""
    if v == 0:
        return mpf(1) / 12
    x = 1 / mp.sqrt(v)
    return (mp.log(x) - 1 / (2 * x) - mp.psi(0, x)) / v


def gamma() -> None:
    cells("LGAMMA_NEAR", log_gamma, 0.5, 2.5, 16, [mpf(1), mpf(2)])
    cells("LGAMMA", log_gamma, 2.5, 34.5, 64)
    cells("LGAMMA_FAR", stirling_rest, 0, mpf("10.5") ** -2, 1)
    cells("LGAMMA_BELOW", without_pole, -2, 0.5, 10)
    cells("LGAMMA_SLOPE", slope_from_zero, -LAST_POLE - 0.5, -2, 4 * LAST_POLE - 6)
    well = [-3 + ZEROS_BESIDE_POLES[3, 1], -2 + ZEROS_BESIDE_POLES[2, -1]]
    cells("LGAMMA_WELL", log_gamma, -2.84375, -2.34375, 16, well)
    zeros = [
        ZEROS_BESIDE_POLES.get((n, side), mpf(1)) for n in range(LAST_POLE + 1) for side in (-1, 1)
    ]
    pairs("LGAMMA_ZEROS", zeros, "The zeros on both sides of each pole -n, less -n; 1 for none")
    zero = mp.findroot(lambda x: mp.psi(0, x), mpf("1.4616"))
    cells("DIGAMMA_NEAR", lambda x: mp.psi(0, x), 0.5, 2.5, 16, [zero], "digamma(x)")
    cells("DIGAMMA", lambda x: mp.psi(0, x), 2.5, 10.5, 16, note="digamma(x)")
    cells("DIGAMMA_FAR", digamma_rest, 0, mpf("10.5") ** -2, 1)
    numbers = [mp.bernoulli(2 * k) / (2 * k) for k in range(1, 16)]
    pairs(
        "STIRLING_SLOPE", numbers, "Stirling's series of digamma, in 1 / x**2, from the square on"
    )
    print("\n/* Reciprocals in the middles of 128 parts of [1, 2), and minus their logarithms */")
    print("static const double LOGARITHMS[][3] = {")
    for k in range(128):
        reciprocal = float(1 / (1 + (mpf(k) + 0.5) / 128))
        numbers = [reciprocal, *parts(-mp.log(mpf(reciprocal)))]
        print("    {" + ", ".join(map(shortest, numbers)) + "},")
    print("};")


def main() -> None:
    print(HEADER, end="")
    bessel()
    integrals()
    inverses()
    gamma()
    mp.prec = 1400
    digits = int(mp.floor(2 / mp.pi * mpf(2) ** 1280))
    words = [digits >> (1280 - 32 * k) & 0xFFFFFFFF for k in range(1, 41)]
    print("\n/* The digits of 2 / pi, 32 bits each */\nstatic const npy_uint32 TWO_OVER_PI[] = {")
    for k in range(0, 40, 8):
        print("    " + ", ".join(f"0x{word:08X}u" for word in words[k : k + 8]) + ",")
    print("};")
    print("\n#endif")


if __name__ == "__main__":
    main()
