"""Special functions: compiled ones of our own. Shares of gamma and beta are partly SciPy's.

The orders of `polygamma` and `zeta` and the parameters of `betainc` have no gradient: it is None, as in
TensorFlow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import extras
from tapegrad.core import Tensor, convert, pointwise, public
from tapegrad.ops.elementwise.exponential import exp, log, xlog1py, xlogy
from tapegrad.ops.elementwise.logic import logical_not
from tapegrad.ops.elementwise.math import (
    keep_where,
    multiply,
    multiply_no_nan,
    reciprocal,
    square,
    zero_safe_divide,
)
from tapegrad.ops.elementwise.signs import sign
from tapegrad.ops.elementwise.trigonometry import cos, sin
from tapegrad.ops.op import REAL_FLOATING, elementwise, says

PUBLIC = {
    "math": "digamma erf erfc erfcinv erfinv lgamma ndtri",
    "math compat.v1.math": "betainc igamma igammac polygamma zeta",
    "math math.special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
    "math.special": (
        "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 "
        "dawsn expint fresnel_cos fresnel_sin spence"
    ),
}


def no_gradient(dy):
    """The rule for an input that has no derivative."""
    return None


# The error function


erf = elementwise(
    "Erf",
    "erf",
    dtypes=REAL_FLOATING,
    doc="""The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to ``x``.

    >>> tf.math.erf([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8427], dtype=float32)
    """,
)
erf.gradient(x=lambda dy, x: dy * (exp(-square(x)) * (2.0 / math.sqrt(math.pi))))

erfc = elementwise(
    "Erfc",
    "erfc",
    dtypes=REAL_FLOATING,
    doc="""``1 - erf(x)``, exact for large ``x`` too.

    >>> tf.math.erfc([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.1573], dtype=float32)
    """,
)
erfc.gradient(x=lambda dy, x: dy * (exp(-square(x)) * (-2.0 / math.sqrt(math.pi))))

erfinv = elementwise(
    "Erfinv",
    "erfinv",
    dtypes=REAL_FLOATING,
    doc="""The inverse of `tf.math.erf`; infinite at -1 and 1.

    >>> tf.math.erfinv([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.4769], dtype=float32)
    """,
)
erfinv.gradient(
    x=lambda dy, out: multiply_no_nan(exp(square(out)) * (math.sqrt(math.pi) / 2.0), dy)
)

ndtri = elementwise(
    "Ndtri",
    "ndtri",
    dtypes=REAL_FLOATING,
    doc="""The number below which a standard normal variable falls with probability ``x``.

    >>> tf.math.ndtri([0.5, 0.975]).numpy().round(4)
    array([0.  , 1.96], dtype=float32)
    """,
)
ndtri.gradient(
    x=lambda dy, out: multiply_no_nan(exp(square(out) * 0.5) * math.sqrt(2.0 * math.pi), dy)
)


@public
@says(dispatched="unary")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of `tf.math.erfc`; infinite at 0 and 2.

    >>> tf.math.erfcinv([0.5, 1.5]).numpy().round(4)
    array([ 0.4769, -0.4769], dtype=float32)

    Args:
        x: floating point numbers from 0 to 2. Others give NaN.
    """
    x = convert(x)
    return ndtri(multiply(x, convert(0.5, x.dtype))) * -math.sqrt(0.5)


# The gamma function


def _lgamma(xp, x):
    if x.dtype == np.float32:
        return xp.lgamma_of_floats(x)
    return xp.lgamma(x)


def _digamma(xp, x):
    return xp.digamma_of_floats(x) if x.dtype == np.float32 else xp.digamma(x)


def _digamma_fast(xp, dy, x):
    if x.dtype not in (np.float32, np.float64):
        return None
    return xp.multiply_no_nan(xp.trigamma(x), dy)


lgamma = elementwise(
    "Lgamma",
    _lgamma,
    accumulate="float32",
    inputs=("x",),
    dtypes=REAL_FLOATING,
    name="lgamma",
    doc="""The logarithm of the absolute value of the gamma function.

    >>> tf.math.lgamma([1.0, 5.0]).numpy().round(4)            # log(0!), log(4!)
    array([0.    , 3.1781], dtype=float32)
    """,
)
lgamma.gradient(x=lambda dy, x: multiply_no_nan(digamma(x), dy))

digamma = elementwise(
    "Digamma",
    _digamma,
    accumulate="float32",
    inputs=("x",),
    dtypes=REAL_FLOATING,
    name="digamma",
    doc="""The derivative of `tf.math.lgamma`; -inf at 0.

    >>> tf.math.digamma([1.0, 2.0]).numpy().round(4)
    array([-0.5772,  0.4228], dtype=float32)
    """,
)


def slope_of_digamma(dy, x):
    return multiply_no_nan(polygamma(convert(1.0, x.dtype), x), dy)


digamma.gradient(
    x=slope_of_digamma,
    fast={"x": pointwise(_digamma_fast)},
)


polygamma = elementwise(
    "Polygamma",
    "polygamma",
    inputs=("a", "x"),
    dtypes=REAL_FLOATING,
    doc="""The derivative of `tf.math.digamma` of order ``a``, which must be a whole number.

    >>> tf.math.polygamma(1.0, [1.0, 2.0]).numpy().round(4)
    array([1.6449, 0.6449], dtype=float32)
    """,
    dispatched="no",
)
polygamma.gradient(a=no_gradient, x=lambda dy, a, x: multiply_no_nan(polygamma(a + 1.0, x), dy))


zeta = elementwise(
    "Zeta",
    "zeta",
    inputs=("x", "q"),
    dtypes=REAL_FLOATING,
    doc="""The Hurwitz zeta function: the sum of ``1 / (n + q) ** x`` over n = 0, 1, 2, ...

    >>> tf.math.zeta([2.0, 4.0], 1.0).numpy().round(4)
    array([1.6449, 1.0823], dtype=float32)
    """,
)
zeta.gradient(x=no_gradient, q=lambda dy, x, q: multiply_no_nan(x * zeta(x + 1.0, q), -dy))


def where_missing(xp, value, otherwise):
    """``value``; where that is NaN, what ``otherwise`` returns."""
    missing = xp.isnan(value)
    return xp.where(missing, otherwise(), value) if xp.any(missing) else value


def scipy_special(user):
    return extras.imported("scipy", "scipy.special", user)


# SciPy's shares are right to the last digit of a float. Of a double they lose two to four digits where a is
# some hundreds. Ours do not, and leave the edges and large a to SciPy.


def lower_share(xp, a, x):
    def scipys():
        gammainc = scipy_special("tf.math.igamma()").gammainc
        return xp.where(x == 0, xp.zeros((), x.dtype), gammainc(a, x))

    return scipys() if x.dtype == np.float32 else where_missing(xp, xp.igamma(a, x), scipys)


def upper_share(xp, a, x):
    def scipys():
        return scipy_special("tf.math.igammac()").gammaincc(a, x)

    return scipys() if x.dtype == np.float32 else where_missing(xp, xp.igammac(a, x), scipys)


igamma = elementwise(
    "Igamma",
    lower_share,
    accumulate="float32",
    dtypes=REAL_FLOATING,
    name="igamma",
    doc="""The regularised lower incomplete gamma function: the share of gamma's integral below ``x``.

    >>> tf.math.igamma(2.0, [1.0, 3.0]).numpy().round(4)
    array([0.2642, 0.8009], dtype=float32)
    """,
    dispatched="no",
)
igamma.gradient(
    a=lambda dy, a, x: multiply_no_nan(igamma_grad_a(a, x), dy),
    x=lambda dy, a, x: multiply_no_nan(gamma_density(a, x), dy),
)

igammac = elementwise(
    "Igammac",
    upper_share,
    accumulate="float32",
    dtypes=REAL_FLOATING,
    name="igammac",
    doc="""``1 - igamma(a, x)``, exact even where the result is small.

    >>> tf.math.igammac(2.0, [1.0, 3.0]).numpy().round(4)
    array([0.7358, 0.1991], dtype=float32)
    """,
    dispatched="no",
)
igammac.gradient(
    a=lambda dy, a, x: multiply_no_nan(igamma_grad_a(a, x), -dy),
    x=lambda dy, a, x: multiply_no_nan(gamma_density(a, x), -dy),
)


def gamma_density(a: Tensor, x: Tensor) -> Tensor:
    """x ** (a - 1) * exp(-x) / gamma(a), the density of the gamma distribution."""
    return exp(xlogy(a - 1.0, x) - x - lgamma(a))


# Weights of central differences over 1, 2, 3 and 4 steps to either side, exact up to order 8. SLOPE is for
# the first derivative. CURVATURE is for the second, and begins with the weight of the middle.
SLOPE = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
CURVATURE = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)


def derivatives_by_order(xp, a, x, second):
    """The second derivative of igamma by a, or the first where nothing better is known: by differences.

    They are taken in double precision, of the logarithm of the smaller of the two tails. The logarithm
    changes slowly even where the tail itself vanishes, so the relative error stays small there too:
    about 1e-12 for the first derivative and 1e-9 for the second.
    """
    dtype = a.dtype
    a, x = xp.broadcast_arrays(a.astype(xp.float64), x.astype(xp.float64))
    step = xp.minimum(a, xp.sqrt(a)) / 32
    special = scipy_special("The derivative of tf.math.igamma() by the order")
    lower = special.gammainc(a, x) <= 0.5

    def tail(order):
        return xp.where(lower, special.gammainc(order, x), special.gammaincc(order, x))

    upper = [xp.log(tail(a + n * step)) for n in range(1, 5)]
    below = [xp.log(tail(a - n * step)) for n in range(1, 5)]
    middle = tail(a)
    steps = zip(SLOPE, upper, below, strict=True)
    answer = sum(weight * (up - down) for weight, up, down in steps) / step
    if second:
        # With the tail T = exp(L), T'' = T * (L'' + L' * L').
        steps = zip(CURVATURE[1:], upper, below, strict=True)
        bend = sum(weight * (up + down) for weight, up, down in steps)
        answer = answer**2 + (bend + CURVATURE[0] * xp.log(middle)) / step**2
    sign = xp.where(x == 0, 0, xp.where(lower, middle, -middle))
    return xp.multiply_no_nan(answer, sign).astype(dtype)


def slope_by_order(xp, a, x):
    return where_missing(
        xp, xp.igamma_slope(a, x), lambda: derivatives_by_order(xp, a, x, second=False)
    )


igamma_grad_a = elementwise(
    "IgammaGradA",
    slope_by_order,
    accumulate="float32",
    dtypes=REAL_FLOATING,
    name="igamma_grad_a",
)
igamma_grad_a.gradient(
    a=lambda dy, a, x: multiply_no_nan(igamma_curvature(a, x), dy),
    x=lambda dy, a, x: multiply_no_nan(gamma_density(a, x) * (log(x) - digamma(a)), dy),
)

igamma_curvature = elementwise(
    "_IgammaCurvature",
    lambda xp, a, x: derivatives_by_order(xp, a, x, second=True),
    dtypes=REAL_FLOATING,
    name="igamma_curvature",
)


def sample_slope(xp, alpha, sample):
    def by_differences():
        a, x = alpha.astype(xp.float64), sample.astype(xp.float64)
        density = xp.exp(xp.multiply_no_nan(xp.log(x), a - 1) - x - xp.lgamma(a))
        return (-derivatives_by_order(xp, a, x, second=False) / density).astype(alpha.dtype)

    slope = where_missing(xp, xp.gamma_sample_slope(alpha, sample), by_differences)
    # Where a small alpha gives a sample below the smallest number, the slope has the same limit, x log x.
    return xp.where(sample == 0, alpha * sample, slope)


random_gamma_grad = elementwise(
    "RandomGammaGrad",
    sample_slope,
    accumulate="float32",
    dtypes=REAL_FLOATING,
    name="random_gamma_grad",
    doc="""The derivative of a gamma sample in the parameter alpha, its probability held fixed.""",
)


# The beta function


log_beta = elementwise(
    "_LogBeta",
    "log_beta",
    inputs=("a", "b"),
    dtypes=REAL_FLOATING,
    doc="""lgamma(a) + lgamma(b) - lgamma(a + b), which are computed together where they cancel.""",
)
log_beta.gradient(
    a=lambda dy, a, b: -multiply_no_nan(digamma_rise(a, b), dy),
    b=lambda dy, a, b: -multiply_no_nan(digamma_rise(b, a), dy),
)

digamma_rise = elementwise(
    "_DigammaRise",
    "digamma_rise",
    inputs=("x", "more"),
    dtypes=REAL_FLOATING,
    doc="""digamma(x + more) - digamma(x), exact where they are almost equal.""",
)
digamma_rise.gradient(
    x=lambda dy, x, more: slope_of_digamma(dy, x + more) - slope_of_digamma(dy, x),
    more=lambda dy, x, more: slope_of_digamma(dy, x + more),
)


def lower_share_of_beta(xp, a, b, x):
    def scipys():
        # In double precision: SciPy's loop of floats is off by hundreds of units in the last place.
        share = scipy_special("tf.math.betainc()").betainc(
            *(y.astype(xp.float64) for y in (a, b, x))
        )
        # SciPy before 1.14 gives NaN where all of the mass is at one end.
        low, high = (a == 0) | (b == xp.inf), (b == 0) | (a == xp.inf)
        at_one_end = (low != high) & (a >= 0) & (b >= 0) & (x >= 0) & (x <= 1)
        return xp.where(at_one_end, xp.where(low, x > 0, x == 1), share).astype(x.dtype)

    return where_missing(xp, xp.beta_share(a, b, x), scipys)


betainc = elementwise(
    "Betainc",
    lower_share_of_beta,
    accumulate="float32",
    dtypes=REAL_FLOATING,
    name="betainc",
    doc="""The regularised incomplete beta function: the share of the beta function's integral below ``x``.

    >>> tf.math.betainc(2.0, 3.0, [0.25, 0.5]).numpy().round(4)
    array([0.2617, 0.6875], dtype=float32)
    """,
)


def betainc_gradient(dy, a, b, x):
    density = exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - log_beta(a, b))
    return multiply_no_nan(density, dy)


betainc.gradient(a=no_gradient, b=no_gradient, x=betainc_gradient)


# Bessel functions. A rule that divides by x gives the value at x = 0 separately.


def half_at_zero(x: Tensor, elsewhere: Tensor) -> Tensor:
    """0.5 where x is 0 or so small that dividing by x is inexact, and ``elsewhere`` otherwise."""
    zero = abs(x) < 1e-30
    return keep_where(convert(0.5, x.dtype), zero) + keep_where(elsewhere, logical_not(zero))


bessel_i0 = elementwise(
    "BesselI0",
    "bessel_i0",
    dtypes=REAL_FLOATING,
    doc="""The modified Bessel function of the first kind of order 0.

    >>> tf.math.bessel_i0([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.2661], dtype=float32)
    """,
)
bessel_i0.gradient(x=lambda dy, x: dy * bessel_i1(x))

bessel_i0e = elementwise(
    "BesselI0e",
    "bessel_i0e",
    dtypes=REAL_FLOATING,
    doc="""``bessel_i0(x) * exp(-abs(x))``, which does not overflow.

    >>> tf.math.bessel_i0e([0.0, 100.0]).numpy().round(4)
    array([1.    , 0.0399], dtype=float32)
    """,
)
bessel_i0e.gradient(x=lambda dy, x, out: dy * (bessel_i1e(x) - sign(x) * out))

bessel_i1 = elementwise(
    "BesselI1",
    "bessel_i1",
    dtypes=REAL_FLOATING,
    doc="""The modified Bessel function of the first kind of order 1.

    >>> tf.math.bessel_i1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5652], dtype=float32)
    """,
)
bessel_i1.gradient(
    x=lambda dy, x, out: dy * half_at_zero(x, bessel_i0(x) - zero_safe_divide(out, x))
)

bessel_i1e = elementwise(
    "BesselI1e",
    "bessel_i1e",
    dtypes=REAL_FLOATING,
    doc="""``bessel_i1(x) * exp(-abs(x))``, which does not overflow.

    >>> tf.math.bessel_i1e([0.0, 100.0]).numpy().round(4)
    array([0.    , 0.0397], dtype=float32)
    """,
)
bessel_i1e.gradient(
    x=lambda dy, x, out: (
        dy * half_at_zero(x, bessel_i0e(x) - out * sign(x) - zero_safe_divide(out, x))
    )
)

bessel_j0 = elementwise(
    "BesselJ0",
    "bessel_j0",
    dtypes=REAL_FLOATING,
    doc="""The Bessel function of the first kind of order 0.

    >>> tf.math.special.bessel_j0([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.7652], dtype=float32)
    """,
)
bessel_j0.gradient(x=lambda dy, x: -(dy * bessel_j1(x)))

bessel_j1 = elementwise(
    "BesselJ1",
    "bessel_j1",
    dtypes=REAL_FLOATING,
    doc="""The Bessel function of the first kind of order 1.

    >>> tf.math.special.bessel_j1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.4401], dtype=float32)
    """,
)
bessel_j1.gradient(
    x=lambda dy, x, out: dy * half_at_zero(x, bessel_j0(x) - zero_safe_divide(out, x))
)

# Bessel functions of the second kind are infinite at 0, and so are their gradients there. Below 0 they are
# not real. TensorFlow's values stay infinite there.

bessel_k0 = elementwise(
    "BesselK0",
    "bessel_k0",
    dtypes=REAL_FLOATING,
    doc="""The modified Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_k0([1.0, 2.0]).numpy().round(4)
    array([0.421 , 0.1139], dtype=float32)
    """,
)
bessel_k0.gradient(x=lambda dy, x: -multiply_no_nan(bessel_k1(x), dy))

bessel_k0e = elementwise(
    "BesselK0e",
    "bessel_k0e",
    dtypes=REAL_FLOATING,
    doc="""``bessel_k0(x) * exp(x)``, which does not vanish.

    >>> tf.math.special.bessel_k0e([1.0, 100.0]).numpy().round(4)
    array([1.1445, 0.1252], dtype=float32)
    """,
)
bessel_k0e.gradient(x=lambda dy, x, out: multiply_no_nan(out - bessel_k1e(x), dy))

bessel_k1 = elementwise(
    "BesselK1",
    "bessel_k1",
    dtypes=REAL_FLOATING,
    doc="""The modified Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_k1([1.0, 2.0]).numpy().round(4)
    array([0.6019, 0.1399], dtype=float32)
    """,
)
bessel_k1.gradient(
    x=lambda dy, x, out: -multiply_no_nan(bessel_k0(x) + zero_safe_divide(out, x), dy)
)

bessel_k1e = elementwise(
    "BesselK1e",
    "bessel_k1e",
    dtypes=REAL_FLOATING,
    doc="""``bessel_k1(x) * exp(x)``, which does not vanish.

    >>> tf.math.special.bessel_k1e([1.0, 100.0]).numpy().round(4)
    array([1.6362, 0.1258], dtype=float32)
    """,
)
bessel_k1e.gradient(
    x=lambda dy, x, out: multiply_no_nan(out * (1.0 - reciprocal(x)) - bessel_k0e(x), dy)
)

bessel_y0 = elementwise(
    "BesselY0",
    "bessel_y0",
    dtypes=REAL_FLOATING,
    doc="""The Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_y0([1.0, 2.0]).numpy().round(4)
    array([0.0883, 0.5104], dtype=float32)
    """,
)
bessel_y0.gradient(x=lambda dy, x: -multiply_no_nan(bessel_y1(x), dy))

bessel_y1 = elementwise(
    "BesselY1",
    "bessel_y1",
    dtypes=REAL_FLOATING,
    doc="""The Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_y1([1.0, 2.0]).numpy().round(4)
    array([-0.7812, -0.107 ], dtype=float32)
    """,
)
bessel_y1.gradient(
    x=lambda dy, x, out: multiply_no_nan(bessel_y0(x) - zero_safe_divide(out, x), dy)
)


# Integrals


dawsn = elementwise(
    "Dawsn",
    "dawsn",
    dtypes=REAL_FLOATING,
    doc="""Dawson's integral: exp(-x * x) times the integral of exp(t * t) from 0 to ``x``.

    >>> tf.math.special.dawsn([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5381], dtype=float32)
    """,
)
dawsn.gradient(x=lambda dy, x, out: dy * (1.0 - x * out * 2.0))

expint = elementwise(
    "Expint",
    "expint",
    dtypes=REAL_FLOATING,
    doc="""The exponential integral: the integral of exp(t) / t from -inf to ``x``, for positive ``x``.

    >>> tf.math.special.expint([1.0, 2.0]).numpy().round(4)
    array([1.8951, 4.9542], dtype=float32)
    """,
)
expint.gradient(x=lambda dy, x: zero_safe_divide(dy * exp(x), x))


fresnel_cos = elementwise(
    "FresnelCos",
    "fresnel_cos",
    dtypes=REAL_FLOATING,
    doc="""Fresnel's cosine integral: the integral of cos(pi / 2 * t * t) from 0 to ``x``.

    >>> tf.math.special.fresnel_cos([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7799], dtype=float32)
    """,
)
fresnel_cos.gradient(x=lambda dy, x: dy * cos(square(x) * (math.pi / 2.0)))

fresnel_sin = elementwise(
    "FresnelSin",
    "fresnel_sin",
    dtypes=REAL_FLOATING,
    doc="""Fresnel's sine integral: the integral of sin(pi / 2 * t * t) from 0 to ``x``.

    >>> tf.math.special.fresnel_sin([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.4383], dtype=float32)
    """,
)
fresnel_sin.gradient(x=lambda dy, x: dy * sin(square(x) * (math.pi / 2.0)))

spence = elementwise(
    "Spence",
    "spence",
    dtypes=REAL_FLOATING,
    doc="""Spence's integral of log(t) / (1 - t) from 1 to ``x``, which is the dilogarithm of ``1 - x``.

    >>> tf.math.special.spence([0.0, 1.0]).numpy().round(4)
    array([1.6449, 0.    ], dtype=float32)
    """,
)


def spence_gradient(dy, x):
    # log(x) / (1 - x) is 0 / 0 at 1. There the rule uses its first two terms in x - 1, -1 + (x - 1) / 2,
    # so that the slope at 1 is right too.
    one = x == 1.0
    quotient = zero_safe_divide(log(x), 1.0 - x)
    return multiply_no_nan(keep_where(x * 0.5 - 1.5, one) + keep_where(quotient, x != 1.0), dy)


spence.gradient(x=spence_gradient)
