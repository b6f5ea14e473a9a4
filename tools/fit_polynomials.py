"""Fits the polynomials of engines/numpy/elementwise_polynomials.h and prints that file.

Chebyshev's fit of each function is nearly the best of its degree. It needs mpmath, which nothing else does:

    python tools/fit_polynomials.py > src/tapegrad/engines/numpy/elementwise_polynomials.h
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import mp, mpf

mp.prec = 150

HEADER = """\
/* Polynomials of `elementwise_functions.h`, `elementary_functions.h`, `half_loops.h` and `exponentials.h`.
   Written by tools/fit_polynomials.py: change that and run it again. The number is the fit's largest
   error. */

#ifndef TAPEGRAD_ELEMENTWISE_POLYNOMIALS_H
#define TAPEGRAD_ELEMENTWISE_POLYNOMIALS_H

#define SQUARED(x) ((x) * (x))
"""

QUARTER_TURN = mp.pi / 4 * mpf("1.001")
HALF_LOGARITHM = mp.log(2) / 2 * mpf("1.001")
THIRD = mpf(1) / 3 * mpf("1.001")
SCALED_ERFC_MIDDLE = 4
"""x is mapped to (x - 4) / (x + 4), which runs from -1 to almost 1."""


def exponential_rest(r: Any) -> Any:
    """(exp(r) - 1 - r) / r**2"""
    return mpf(1) / 2 + r / 6 if abs(r) < mpf(10) ** -15 else (mp.expm1(r) - r) / r**2


def logarithm_rest(x: Any) -> Any:
    """(log(1 + x) - x) / x**2"""
    return -mpf(1) / 2 + x / 3 if x < mpf(10) ** -15 else (mp.log1p(x) - x) / x**2


def inverse_tangent_rest(square: Any) -> Any:
    """(2 atanh(s) / s - 2) / s**2 at s**2"""
    s = mp.sqrt(square)
    return mpf(2) / 3 + square * 2 / 5 if s < mpf(10) ** -10 else (2 * mp.atanh(s) / s - 2) / square


def logarithm_tail(x: Any) -> Any:
    """(log(1 + x) - x + x**2 / 2) / x**3"""
    if abs(x) < mpf(10) ** -10:
        return mpf(1) / 3 - x / 4
    return (mp.log1p(x) - x + x**2 / 2) / x**3


def inverse_tangent_tail(square: Any) -> Any:
    """((2 atanh(s) / s - 2) / s**2 - 2 / 3) / s**2 at s**2"""
    if square < mpf(10) ** -15:
        return mpf(2) / 5 + square * 2 / 7
    return (inverse_tangent_rest(square) - mpf(2) / 3) / square


def inverse_erf_rest(square: Any) -> Any:
    """(erfinv(x) / x - sqrt(pi) / 2) / x**2 at x**2"""
    x = mp.sqrt(square)
    return (
        mp.pi ** mpf(1.5) / 24
        if x < mpf(10) ** -10
        else (mp.erfinv(x) / x - mp.sqrt(mp.pi) / 2) / square
    )


def inverse_erf_above(t: Any) -> Any:
    """t - erfinv(1 - exp(-t**2))"""
    x = t - mpf("0.3")
    for _ in range(8):  # Newton's steps
        tail = mp.erfc(x)
        x += (mp.log(tail) + t * t) * tail * mp.exp(x * x) * mp.sqrt(mp.pi) / 2
    return t - x


def inverse_erf_beside(v: Any) -> Any:
    """11 / 32 - t + erfinv(1 - exp(-t**2)) at v = t - 21 / 8"""
    return mpf(11) / 32 - inverse_erf_above(v + mpf(21) / 8)


def tangent_rest(square: Any) -> Any:
    """(atan(x) / x - 1) / x**2 at x**2"""
    x = mp.sqrt(square)
    return -mpf(1) / 3 + square / 5 if x < mpf(10) ** -10 else (mp.atan(x) / x - 1) / square


def circular_tangent_rest(square: Any) -> Any:
    """(tan(x) / x - 1) / x**2 at x**2"""
    x = mp.sqrt(square)
    return mpf(1) / 3 + square * 2 / 15 if x < mpf(10) ** -10 else (mp.tan(x) / x - 1) / square


def sinh_rest(square: Any) -> Any:
    """(sinh(x) / x - 1) / x**2 at x**2"""
    x = mp.sqrt(square)
    return mpf(1) / 6 + square / 120 if x < mpf(10) ** -10 else (mp.sinh(x) / x - 1) / square


def tanh_rest(square: Any) -> Any:
    """(tanh(x) / x - 1) / x**2 at x**2"""
    x = mp.sqrt(square)
    return -mpf(1) / 3 + square * 2 / 15 if x < mpf(10) ** -10 else (mp.tanh(x) / x - 1) / square


def arcsine_rest(square: Any) -> Any:
    """(asin(x) / x - 1) / x**2 at x**2"""
    x = mp.sqrt(square)
    return mpf(1) / 6 + square * 3 / 40 if x < mpf(10) ** -10 else (mp.asin(x) / x - 1) / square


def erf_rest(square: Any) -> Any:
    """erf(x) / x - 1 at x**2"""
    x = mp.sqrt(square)
    return 2 / mp.sqrt(mp.pi) - 1 if x == 0 else mp.erf(x) / x - 1


def erfc_exponent(x: Any) -> Any:
    """-log(erfc(x))"""
    return -mp.log(mp.erfc(x))


def scaled_erfc(t: Any) -> Any:
    """exp(x**2) * erfc(x) * (x + 4) at t = (x - 4) / (x + 4)"""
    x = SCALED_ERFC_MIDDLE * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x) * (x + SCALED_ERFC_MIDDLE)


def scaled_normal(t: Any) -> Any:
    """exp(x**2 / 2) * (x + 4) / 2 * erfc(x / sqrt(2)) at t = (x - 4) / (x + 4)"""
    x = SCALED_ERFC_MIDDLE * (1 + t) / (1 - t)
    tail = mp.erfc(x / mp.sqrt(2)) / 2
    return mp.exp(x * x / 2) * tail * (x + SCALED_ERFC_MIDDLE)


def tail_over_density(x: Any) -> Any:
    """exp(x**2 / 2) * erfc(x / sqrt(2)) / 2 / 2**64"""
    return mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2)) / mpf(2) ** 65


def sine_rest(square: Any) -> Any:
    """(sin(x) / x - 1) / x**2 at x**2"""
    x = mp.sqrt(square)
    return -mpf(1) / 6 if x == 0 else (mp.sin(x) / x - 1) / square


def cosine_rest(square: Any) -> Any:
    """(cos(x) - 1 + x**2 / 2) / x**4 at x**2"""
    x = mp.sqrt(square)
    return mpf(1) / 24 if x < mpf(10) ** -8 else (mp.cos(x) - 1 + square / 2) / square**2


def mapped(x: str) -> Any:
    return (mpf(x) - SCALED_ERFC_MIDDLE) / (mpf(x) + SCALED_ERFC_MIDDLE)


def write(
    name: str,
    type: str,
    function: Callable[[Any], Any],
    low: Any,
    high: Any,
    degree: int,
    apart: bool = False,
    scheme: Callable[[list[str], str], list[str]] | None = None,
) -> None:
    """Print a macro that evaluates the fit by a scheme; the constant as another macro if ``apart``."""
    coefficients, error = mp.chebyfit(function, [mpf(low), mpf(high)], degree + 1, error=True)
    title(function, low, high, error)
    if apart:
        print(f"#define {name}_FIRST_{type} {number(coefficients.pop(), type)}")
        name = name + "_REST"
    write_polynomial(name, type, coefficients, scheme or horner)


def write_quotient(
    name: str,
    type: str,
    function: Callable[[Any], Any],
    low: str,
    high: str,
    degrees: tuple[int, int],
    start: Any = None,
    less: Any = 0,
) -> None:
    """Print two macros: the quotient of these polynomials is the function, exactly so at Chebyshev's points.

    The points are those of (x - 4) / (x + 4). The constant of the second polynomial is 1, that of the first
    ``start`` where it is given. The first polynomial is then that of the function less a constant.
    """
    above, below = degrees
    known = [] if start is None else [start]
    count = above + below + 1 - len(known)
    first, last = mapped(low), mapped(high)
    places = [
        (first + last + (last - first) * mp.cos(mp.pi * (i + 0.5) / count)) / 2
        for i in range(count)
    ]
    xs = [SCALED_ERFC_MIDDLE * (1 + t) / (1 - t) for t in places]
    values = [function(x) for x in xs]
    rows = [
        [x**power / value for power in range(len(known), above + 1)]
        + [-(x**power) for power in range(1, below + 1)]
        for x, value in zip(xs, values, strict=True)
    ]
    rest = mp.matrix([1 - sum(known) / value for value in values])
    solved = [*known, *mp.lu_solve(mp.matrix(rows), rest)]
    upper, lower = solved[above::-1], [*solved[:above:-1], mpf(1)]
    checked = [mpf(low) + (mpf(high) - mpf(low)) * i / 2000 for i in range(2001)]
    error = max(abs(mp.polyval(upper, x) / mp.polyval(lower, x) / function(x) - 1) for x in checked)
    title(function, low, high, error)
    if less:
        upper = [u - less * v for u, v in zip(upper, lower, strict=True)]
    write_polynomial(f"{name}_ABOVE", type, upper, horner)
    write_polynomial(f"{name}_BELOW", type, lower, horner)


def title(function: Callable[[Any], Any], low: Any, high: Any, error: Any) -> None:
    words = (function.__doc__ or "").rstrip(".")
    print(f"\n/* {words}, {float(low):.4g} to {float(high):.4g}: {float(error):.0e} */")


def number(coefficient: Any, type: str) -> str:
    return str(mp.nstr(coefficient, 20)) + ("f" if type == "float" else "")


def write_polynomial(
    name: str,
    type: str,
    coefficients: list[Any],
    scheme: Callable[[list[str], str], list[str]],
) -> None:
    """Print the polynomial of these, the highest power first."""
    lines = scheme([number(coefficient, type) for coefficient in reversed(coefficients)], type)
    text = " \\\n    ".join(lines)
    print(f"#define {name}_{type}(x) \\\n    {text}")


def horner(numbers: list[str], type: str) -> list[str]:
    """The lines of the polynomial of these, the constant first: where there is work beside the chain."""
    first, *middle, last = reversed(numbers)
    opening = [f"MULTIPLY_ADD_{type}("] * (len(numbers) - 1)
    lines = ["".join(opening[start : start + 4]) for start in range(0, len(opening), 4)]
    return [*lines, f"{first}, x,", *[f"{each}), x," for each in middle], f"{last})"]


def estrin(numbers: list[str], type: str) -> list[str]:
    """The same as its upper half times a power, and its lower half, which do not wait for each other.

    Horner's rule is a chain as long as the degree. Where a function has little else to do, so many additions
    wait in the processor that the next elements cannot begin: exp of doubles took half as long again.
    """
    if len(numbers) == 1:
        return numbers
    if len(numbers) == 2:
        return [f"MULTIPLY_ADD_{type}({numbers[1]}, x, {numbers[0]})"]
    half = 1 << (len(numbers) - 1).bit_length() - 1
    power = "x"
    for _ in range(half.bit_length() - 1):
        power = f"SQUARED({power})"
    upper, lower = estrin(numbers[half:], type), estrin(numbers[:half], type)
    upper[0] = f"MULTIPLY_ADD_{type}({upper[0]}"
    upper[-1] += f", {power},"
    lower[-1] += ")"
    return upper + lower


def main() -> None:
    print(HEADER, end="")
    write("EXPONENTIAL_REST", "float", exponential_rest, -HALF_LOGARITHM, HALF_LOGARITHM, 5)
    write("SHORT_EXPONENTIAL_REST", "float", exponential_rest, -HALF_LOGARITHM, HALF_LOGARITHM, 2)
    write("LOGARITHM_REST", "float", logarithm_rest, 0, 1, 9)
    write("ERF_REST", "float", erf_rest, 0, 1, 6)
    write("ERF_REST", "double", erf_rest, 0, 1, 12)
    write("ERFC_EXPONENT", "float", erfc_exponent, 1, 4, 8)
    write("SCALED_ERFC", "float", scaled_erfc, -1, mapped("10.3"), 10, apart=True)
    write("SCALED_ERFC", "double", scaled_erfc, -1, mapped("27.3"), 23, apart=True)
    write("NEAR_SCALED_ERFC", "double", scaled_erfc, mapped("1"), mapped("6"), 15)
    write_quotient("NORMAL", "float", tail_over_density, "0", "14.5", (4, 5))
    write_quotient("SHORT_NORMAL", "float", tail_over_density, "0", "14.5", (3, 4), mpf(2) ** -65)
    write("SCALED_NORMAL", "double", scaled_normal, -1, mapped("38.6"), 24)
    write_quotient(
        "INVERSE_ERF", "double", inverse_erf_above, "1.177", "6.07", (10, 10), less=mpf(23) / 64
    )
    for fit in (
        ("EXPONENTIAL_REST", "double", exponential_rest, -HALF_LOGARITHM, HALF_LOGARITHM, 10),
        ("LOGARITHM_TAIL", "float", logarithm_tail, -THIRD, THIRD, 8),
        ("INVERSE_TANGENT_REST", "double", inverse_tangent_rest, 0, "0.04", 8),
        ("INVERSE_TANGENT_TAIL", "double", inverse_tangent_tail, 0, "0.04", 7),
        ("INVERSE_ERF_REST", "float", inverse_erf_rest, 0, "0.4727", 8),
        ("INVERSE_ERF_REST", "double", inverse_erf_rest, 0, "0.5626", 22),
        ("INVERSE_ERF_BESIDE", "float", inverse_erf_beside, "-1.55", "1.46", 12),
        ("SINE_REST", "double", sine_rest, 0, QUARTER_TURN**2, 6),
        ("COSINE_REST", "double", cosine_rest, 0, QUARTER_TURN**2, 6),
        ("SHORT_INVERSE_TANGENT_REST", "double", inverse_tangent_rest, 0, "0.0401", 3),
        ("SHORT_EXPONENTIAL_REST", "double", exponential_rest, -HALF_LOGARITHM, HALF_LOGARITHM, 5),
        ("HALF_TURN_SINE_REST", "double", sine_rest, 0, 4 * QUARTER_TURN**2, 4),
        ("CIRCULAR_TANGENT_REST", "double", circular_tangent_rest, 0, QUARTER_TURN**2, 13),
        ("SHORT_CIRCULAR_TANGENT_REST", "double", circular_tangent_rest, 0, QUARTER_TURN**2, 7),
        ("SINH_REST", "double", sinh_rest, 0, 1, 7),
        ("TANH_REST", "float", tanh_rest, 0, "0.3026", 5),
        ("TANH_REST", "double", tanh_rest, 0, "0.3026", 10),
        ("TANGENT_REST", "double", tangent_rest, 0, "0.1717", 11),
        ("SHORT_TANGENT_REST", "double", tangent_rest, 0, "0.1717", 5),
        ("ARCSINE_REST", "double", arcsine_rest, 0, "0.2501", 12),
        ("SHORT_ARCSINE_REST", "double", arcsine_rest, 0, "0.2501", 5),
    ):
        write(*fit, scheme=estrin)
    print("\n#endif")


if __name__ == "__main__":
    main()
