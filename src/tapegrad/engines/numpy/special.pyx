"""Special functions as ufuncs: the gamma function, Bessel functions and integrals, within a few units in the last place.

They are exact to the last digits near their zeros too, whose places are known to twice the digits of a double.
"""

cimport numpy as cnp

from tapegrad.engines.numpy.kernels cimport FLOATING, LoopFunction, ufunc

from tapegrad.engines.numpy.levels import levels

cnp.import_array()
cnp.import_umath()

cdef extern from "special.h":
    ctypedef double (*OfOne "tapegrad_of_one")(double x)
    ctypedef double (*OfTwo "tapegrad_of_two")(double x, double y)
    ctypedef double (*OfThree "tapegrad_of_three")(double x, double y, double z)

    ctypedef struct Special "tapegrad_special":
        OfOne lgamma, digamma, ndtri, dawsn, expint, spence, fresnel_cos, fresnel_sin
        OfOne bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, bessel_j0, bessel_j1
        OfOne bessel_k0, bessel_k0e, bessel_k1, bessel_k1e, bessel_y0, bessel_y1
        OfTwo igamma, igammac, igamma_slope, gamma_sample_slope, zeta, polygamma, log_beta, log_beta_of_floats
        OfTwo digamma_rise
        OfThree beta_share, beta_share_of_floats

    const Special* special_at "tapegrad_special_at" (int level)
    LoopFunction of_one_float "tapegrad_of_one_float", of_one_double "tapegrad_of_one_double"
    LoopFunction of_two_float "tapegrad_of_two_float", of_two_double "tapegrad_of_two_double"
    LoopFunction of_three_float "tapegrad_of_three_float", of_three_double "tapegrad_of_three_double"


cdef object unary_ufunc(const char* name, const char* doc, const OfOne* function):
    return ufunc(1, name, doc, FLOATING, 2, [of_one_float, of_one_double], function, function)


cdef object binary_ufunc(const char* name, const char* doc, const OfTwo* function):
    return ufunc(2, name, doc, FLOATING, 2, [of_two_float, of_two_double], function, function)


def functions(int level):
    """All functions by name, as compiled for one of the levels that this processor has: see `levels`."""
    cdef const Special* s
    if not 0 <= level <= levels()[1]:
        raise ValueError(f"this processor has the levels 0 to {levels()[1]}, not {level}")
    s = special_at(level)
    return {
        "lgamma": unary_ufunc("lgamma", "log(abs(gamma(x))).", &s.lgamma),
        "digamma": unary_ufunc("digamma", "The derivative of lgamma.", &s.digamma),
        "ndtri": unary_ufunc("ndtri", "The inverse of the normal distribution.", &s.ndtri),
        "dawsn": unary_ufunc("dawsn", "exp(-x * x) times the integral of exp(t * t) from 0 to x.", &s.dawsn),
        "expint": unary_ufunc("expint", "The integral of exp(t) / t from -inf to x, for positive x.", &s.expint),
        "spence": unary_ufunc("spence", "The integral of log(t) / (1 - t) from 1 to x.", &s.spence),
        "fresnel_cos": unary_ufunc("fresnel_cos", "The integral of cos(pi / 2 * t * t) from 0 to x.", &s.fresnel_cos),
        "fresnel_sin": unary_ufunc("fresnel_sin", "The integral of sin(pi / 2 * t * t) from 0 to x.", &s.fresnel_sin),
        "bessel_i0": unary_ufunc("bessel_i0", "Modified, first kind, order 0.", &s.bessel_i0),
        "bessel_i0e": unary_ufunc("bessel_i0e", "bessel_i0(x) * exp(-abs(x)).", &s.bessel_i0e),
        "bessel_i1": unary_ufunc("bessel_i1", "Modified, first kind, order 1.", &s.bessel_i1),
        "bessel_i1e": unary_ufunc("bessel_i1e", "bessel_i1(x) * exp(-abs(x)).", &s.bessel_i1e),
        "bessel_j0": unary_ufunc("bessel_j0", "First kind, order 0.", &s.bessel_j0),
        "bessel_j1": unary_ufunc("bessel_j1", "First kind, order 1.", &s.bessel_j1),
        "bessel_k0": unary_ufunc("bessel_k0", "Modified, second kind, order 0.", &s.bessel_k0),
        "bessel_k0e": unary_ufunc("bessel_k0e", "bessel_k0(x) * exp(x).", &s.bessel_k0e),
        "bessel_k1": unary_ufunc("bessel_k1", "Modified, second kind, order 1.", &s.bessel_k1),
        "bessel_k1e": unary_ufunc("bessel_k1e", "bessel_k1(x) * exp(x).", &s.bessel_k1e),
        "bessel_y0": unary_ufunc("bessel_y0", "Second kind, order 0.", &s.bessel_y0),
        "bessel_y1": unary_ufunc("bessel_y1", "Second kind, order 1.", &s.bessel_y1),
        # NaN at the edges of their ranges, and of orders from 100,000 on.
        "igamma": binary_ufunc("igamma", "The lower share of gamma's integral.", &s.igamma),
        "igammac": binary_ufunc("igammac", "The upper share.", &s.igammac),
        "igamma_slope": binary_ufunc("igamma_slope", "The derivative of igamma by the order.", &s.igamma_slope),
        "gamma_sample_slope": binary_ufunc(
            "gamma_sample_slope", "That, over minus the density.", &s.gamma_sample_slope),
        "zeta": binary_ufunc("zeta", "The sum of 1 / (n + y) ** x over n = 0, 1, 2, ...", &s.zeta),
        "polygamma": binary_ufunc("polygamma", "The derivative of digamma of order x, at y.", &s.polygamma),
        "log_beta": ufunc(
            2, "log_beta", "log(abs(gamma(x) * gamma(y) / gamma(x + y))).", FLOATING, 2,
            [of_two_float, of_two_double], &s.log_beta_of_floats, &s.log_beta),
        "digamma_rise": binary_ufunc("digamma_rise", "digamma(x + y) - digamma(x).", &s.digamma_rise),
        # NaN at the edges, and of parameters from 2**17 on.
        "beta_share": ufunc(
            3, "beta_share", "The lower share of beta's integral.", FLOATING, 2, [of_three_float, of_three_double],
            &s.beta_share_of_floats, &s.beta_share),
    }


globals().update(functions(levels()[1]))
