"""Special and elementary functions against values of hundreds of bits, over their whole range.

`golden/special_values.npz` has arguments close to zeros, poles and changes of method, tiny ones, huge ones
and many between. It was written by `golden/record_special_values.py`.
"""

from __future__ import annotations

import collections
import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import special
from tapegrad.engines.numpy.levels import levels

MOST = collections.defaultdict(lambda: 4.0, erfinv=1.0)
"""How many units in the last place a function may be off."""


def rise(x: tf.Tensor, more: tf.Tensor) -> tf.Tensor:
    """digamma(x + more) - digamma(x), from the gradient of lbeta."""
    both = tf.stack([x, more], -1)
    with tf.GradientTape() as tape:
        tape.watch(both)
        result = tf.math.lbeta(both)
    return -tape.gradient(result, both)[..., 0]


RAW: dict[str, Any] = {
    "igamma_grad_a": lambda a, x: tf.raw_ops.IgammaGradA(a=a, x=x),
    "random_gamma_grad": lambda a, x: tf.raw_ops.RandomGammaGrad(alpha=a, sample=x),
    "lbeta": lambda a, b: tf.math.lbeta(tf.stack([a, b], -1)),
    "digamma_rise": rise,
}
# Clang computes both sides of a choice, so a loop by itself raises the flags of the side that is not taken.
# The ops warn of nothing.
by_itself = pytest.mark.filterwarnings("ignore::RuntimeWarning")
RECORDED_AS = {"log_beta": "lbeta", "beta_share": "betainc"}


@functools.cache
def recorded() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).parents[1] / "golden" / "special_values.npz") as file:
        return dict(file)


CASES = [key.rsplit(" ", 1)[0] for key in recorded() if key.endswith(" residue")]


def function(name: str) -> Any:
    return RAW.get(name) or getattr(tf.math, name, None) or getattr(tf.math.special, name)


def values(case: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arguments, rounded values, and what these lack, in units of the last place."""
    arguments, nearest, residue = (
        recorded()[f"{case} {part}"] for part in ("arguments", "nearest", "residue")
    )
    # Functions made of several ops may lose a subnormal argument.
    ordinary = (np.abs(arguments) >= np.finfo(arguments.dtype).tiny).all(0)
    return arguments[:, ordinary], nearest[ordinary], residue[ordinary] / 100


def worst(found: np.ndarray, nearest: np.ndarray, residue: np.ndarray) -> tuple[float, int]:
    """The largest error in units of the last place, and where it is."""
    assert np.isfinite(found).all()
    wide = found.astype(np.longdouble) - nearest
    errors = np.abs(wide / np.spacing(np.abs(nearest)) - residue)
    return float(errors.max()), int(errors.argmax())


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    name, dtype = case.split()
    arguments, nearest, residue = values(case)
    found = function(name)(*map(tf.constant, arguments)).numpy()
    assert found.dtype == dtype
    error, place = worst(found, nearest, residue)
    assert error <= MOST[name], f"{error} units at {arguments[:, place]!r}"


@by_itself
@pytest.mark.parametrize("level", range(levels()[1] + 1))
def test_levels(level: int) -> None:
    for name, ufunc in special.functions(level).items():
        case = RECORDED_AS.get(name, name)
        if f"{case} float64 residue" not in recorded():
            continue
        for dtype in ("float64", "float32"):
            arguments, nearest, residue = values(f"{case} {dtype}")
            error, place = worst(ufunc(*arguments), nearest, residue)
            limit = MOST[name] if dtype == "float64" else 0.51
            assert error <= limit, f"{name}: {error} units at {arguments[:, place]!r}"


@by_itself
@pytest.mark.parametrize("level", range(levels()[1] + 1))
def test_levels_where_almost_nothing_is_larger(level: int) -> None:
    """Without fused multiplication a product is made of halves of its factors, and no half may overflow."""
    functions = special.functions(level)
    b = np.array([1e300, 1e305, np.finfo(float).max])
    # What is left of Stirling's series of such a b is too small to count.
    expected = [math.lgamma(0.007) - 0.007 * math.log(large) for large in b]
    for found in functions["log_beta"](0.007, b), functions["log_beta"](b, 0.007):
        np.testing.assert_allclose(found, expected, rtol=0, atol=4e-15)
    found = functions["polygamma"](np.arange(166.0, 172.0), -0.3)  # factorials are finite up to 170
    np.testing.assert_array_equal(found, [INF] * 6)


@by_itself
def test_any_cut_and_any_step_give_the_same_bits() -> None:
    for name, ufunc in special.functions(levels()[1]).items():
        x = np.linspace(0.1, 70, 3 * 35).reshape(3, 35)
        both = [x, x[::-1] * 0.5, x / 71][: ufunc.nin]
        whole = ufunc(*both)
        for part in np.s_[1:2, 3:], np.s_[:, ::3], np.s_[::-1, 4]:
            np.testing.assert_array_equal(
                ufunc(*(y[part] for y in both)), whole[part], err_msg=name
            )


INF, NAN = np.inf, np.nan
EDGES = np.array([0.0, -0.0, INF, -INF, NAN, -1.0])
AT_EDGES = {
    "lgamma": [INF, INF, INF, INF, NAN, INF],
    "digamma": [-INF, INF, INF, NAN, NAN, NAN],
    "erfinv": [0.0, -0.0, NAN, NAN, NAN, -INF],
    "ndtri": [-INF, -INF, NAN, NAN, NAN, NAN],
    "dawsn": [0.0, -0.0, 0.0, -0.0, NAN, -0.5380795069127684],
    "expint": [-INF, -INF, INF, NAN, NAN, NAN],
    "spence": [np.pi**2 / 6, np.pi**2 / 6, -INF, NAN, NAN, NAN],
    "fresnel_cos": [0.0, -0.0, 0.5, -0.5, NAN, -0.7798934003768228],
    "fresnel_sin": [0.0, -0.0, 0.5, -0.5, NAN, -0.4382591473903548],
    "bessel_i0": [1.0, 1.0, INF, INF, NAN, 1.2660658777520084],
    "bessel_i0e": [1.0, 1.0, 0.0, 0.0, NAN, 0.4657596075936404],
    "bessel_i1": [0.0, -0.0, INF, -INF, NAN, -0.565159103992485],
    "bessel_i1e": [0.0, -0.0, 0.0, -0.0, NAN, -0.2079104153497085],
    "bessel_j0": [1.0, 1.0, 0.0, 0.0, NAN, 0.7651976865579666],
    "bessel_j1": [0.0, -0.0, 0.0, -0.0, NAN, -0.44005058574493355],
    "bessel_k0": [INF, INF, 0.0, INF, NAN, INF],
    "bessel_k0e": [INF, INF, 0.0, INF, NAN, INF],
    "bessel_k1": [INF, INF, 0.0, INF, NAN, INF],
    "bessel_k1e": [INF, INF, 0.0, INF, NAN, INF],
    "bessel_y0": [-INF, -INF, 0.0, -INF, NAN, -INF],
    "bessel_y1": [-INF, -INF, 0.0, -INF, NAN, -INF],
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", AT_EDGES)
def test_edges(name: str, dtype: str) -> None:
    found = function(name)(tf.constant(EDGES, dtype)).numpy()
    expected = np.array(AT_EDGES[name]).astype(dtype)
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(np.signbit(found[:4]), np.signbit(expected[:4]))


def test_edges_of_shares() -> None:
    """SciPy's values at the edges, and one value whose order is too large for our way."""
    a = tf.constant([0.0, 0.0, 1.0, INF, 1.0, -1.0, 1.0, NAN, 1e6], tf.float64)
    x = tf.constant([0.0, 1.0, 0.0, 1.0, INF, 1.0, -1.0, 1.0, 1e6], tf.float64)
    lower = [0.0, 1.0, 0.0, 0.0, 1.0, NAN, NAN, NAN, 0.5001329807608725]
    np.testing.assert_allclose(tf.math.igamma(a, x).numpy(), lower, rtol=1e-14)
    upper = [NAN, 0.0, 1.0, 1.0, 0.0, NAN, NAN, NAN, 0.4998670192391275]
    np.testing.assert_allclose(tf.math.igammac(a, x).numpy(), upper, rtol=1e-14)
    slope = tf.raw_ops.IgammaGradA(a=a, x=x).numpy()
    assert (slope[[2, 3, 4]] == 0).all()
    np.testing.assert_allclose(slope[-1], -0.0003989423136466252, rtol=1e-9)


@pytest.mark.parametrize("level", range(levels()[1] + 1))
@pytest.mark.parametrize("a", [1e-300, 0.5, 2.0, 10.0, 10.5, 80_000.0])
def test_shares_far_above_the_order(level: int, a: float) -> None:
    """Nothing is left, and no step of the fraction overflows."""
    functions = special.functions(level)
    x = np.append(np.geomspace(1e6, 1e308, 400), np.finfo(float).max)
    assert (functions["igamma"](a, x) == 1).all()
    assert (functions["igammac"](a, x) == 0).all()
    assert (functions["igamma_slope"](a, x) == 0).all()


@by_itself
@pytest.mark.parametrize("level", range(levels()[1] + 1))
def test_shares_of_subnormal_numbers(level: int) -> None:
    """x**a / gamma(a + 1), where what is left of the series is too small to count."""
    x = np.array([5e-324, 1.5e-323, 3e-310, 2.2250738585072011e-308, np.finfo(float).tiny])
    for a in 1e-3, 0.25:
        found = special.functions(level)["igamma"](a, x)
        expected = [math.exp(a * math.log(y) - math.lgamma(a + 1)) for y in x]
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_slopes_at_whole_orders() -> None:
    """Beyond x = a the fraction ends there, but not its derivative. By mpmath, with 40 digits."""
    a = np.array([1, 2, 3, 4, 1 + 2.0**-30, 3 - 2.0**-20, 50, 200])
    x = np.array([1.25, 2.125, 7, 5, 1.25, 3.5, 50.5, 230])
    expected = [
        *(-0.3757201271829825, -0.2841498331095056, -0.034996415852200244, -0.16328977780844095),
        *(-0.375720127240119, -0.21098432619799878, -0.056092955310900375, -0.0033931816755953846),
    ]
    slope = tf.raw_ops.IgammaGradA(a=a, x=x).numpy()
    np.testing.assert_allclose(slope, expected, rtol=4e-15)
    density = np.exp((a - 1) * np.log(x) - x - tf.math.lgamma(a).numpy())
    of_samples = tf.raw_ops.RandomGammaGrad(alpha=a, sample=x).numpy()
    np.testing.assert_allclose(of_samples, -np.array(expected) / density, rtol=1e-12)


def test_slopes_at_tiny_orders() -> None:
    """digamma(a), 1 / a and 1 / x are beyond the range of float64 there. By Arb, with 4000 bits."""
    x = [5e-324, 1e-310, 1e-300, 1e-3, 0.4, 0.6, 1.0, 3.0, 40.0, 700.0]
    expected = [
        *(-743.8628562564797, -713.2241631632527, -690.1983122333122, -6.331539364136149),
        *(-0.7023801188656624, -0.4543795031894021, -0.21938393439552029, -0.013048381094197037),
        *(-1.036773261451657e-19, -1.406518766234033e-307),
    ]
    for order in (5e-324, 1e-310, 1e-307, 1e-300):
        a = tf.fill([len(x)], tf.constant(order, tf.float64))
        slope = tf.raw_ops.IgammaGradA(a=a, x=x).numpy()
        np.testing.assert_allclose(slope, expected, rtol=1e-15)
        assert (tf.math.igamma(a, x).numpy() == 1).all()
    of_samples = tf.raw_ops.RandomGammaGrad(
        alpha=tf.fill([4], a[0]), sample=[1e-300, 0.6, 40.0, 1e300]
    )
    expected = [690.1983122333122, 4.96760061164105e299, 9.76164603185143e299, 1e300]
    np.testing.assert_allclose(of_samples.numpy(), expected, rtol=1e-14)


def test_slopes_lose_few_digits() -> None:
    """By Arb: where the errors of the factors add up, and where one of the factors alone is subnormal."""
    a = np.array([1.3326363396236722, 11.016669810487606, 66.43118911353291])
    x = np.array([0.0001343767610710995, 3.7412253095247134, 0.0005292413669379118])
    expected = np.array([-5.546813098812321e-05, -0.00194525469925123, -7.864844339833e-311])
    slope = tf.raw_ops.IgammaGradA(a=a, x=x).numpy()
    assert (np.abs(slope - expected) <= 3 * np.spacing(np.abs(expected))).all()


def test_orders_of_polygamma() -> None:
    """The factorial alone may overflow, and the sum of the others underflow. By mpmath."""
    a = tf.constant([30.0, 10.0, 0.5, -1.0, 170.0, 200.0, 300.0, 171.0], tf.float64)
    x = tf.constant([20.0, 20000.0, 1.0, 1.0, 100.0, 50.0, 0.5, -0.25], tf.float64)
    found = tf.math.polygamma(a, x).numpy()
    expected = [
        *(-1.59402668621415e-08, -3.54463601871094e-38, NAN, NAN),
        *(-8.8841193781856054e-36, -2.5829713930705357e33, -INF, INF),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_allclose(
        tf.math.polygamma(tf.cast(a, tf.float32), tf.cast(x, tf.float32)).numpy(), expected, 1e-6
    )


def test_edges_of_zeta() -> None:
    s = tf.constant([1.0, 0.5, INF, INF, 2.0, 2.0, 3.0, 2.5, NAN, 3e19, 2.0, 400.0], tf.float64)
    q = tf.constant([2.0, 2.0, 2.0, 0.5, 0.0, -3.0, -INF, -0.5, 1.0, 3.0, INF, 1e-3], tf.float64)
    found = tf.math.zeta(s, q).numpy()
    expected = [INF, NAN, 0.0, INF, INF, INF, NAN, NAN, NAN, 0.0, 0.0, INF]
    np.testing.assert_array_equal(found, expected)


def test_poles_of_zeta_and_polygamma() -> None:
    """Where both sides of a pole go to the same infinity it is the value, and otherwise there is none."""
    poles = [0.0, -1.0, -4.0, -INF]
    for s, expected in ((1.0, INF), (2.0, INF), (2.5, NAN), (3.0, NAN), (4.0, INF)):
        found = tf.math.zeta(tf.constant(s, tf.float64), tf.constant(poles, tf.float64)).numpy()
        np.testing.assert_array_equal(found, [expected] * 4)
    for order, expected in ((1.0, INF), (2.0, NAN), (3.0, INF), (4.0, NAN)):
        found = tf.math.polygamma(order, tf.constant(poles)).numpy()
        np.testing.assert_array_equal(found, [expected] * 4)


def test_edges_of_beta() -> None:
    """TensorFlow's, but for the slope at 0, which is NaN there."""
    rows = tf.constant([[0.0, 1.0], [0.0, 0.0], [INF, 1.0], [-0.5, 0.5], [NAN, 1.0]], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(rows)
        result = tf.math.lbeta(rows)
    np.testing.assert_array_equal(result.numpy(), [INF, NAN, NAN, -INF, NAN])
    np.testing.assert_array_equal(tape.gradient(result, rows).numpy()[0], [-INF, 0.0])
    # A sum on the way is a pole, the whole one is none.
    np.testing.assert_allclose(tf.math.lbeta([-0.5, 0.5, 1.0]).numpy(), 1.837877, rtol=1e-6)
    assert (tf.math.lbeta(tf.zeros([2, 0])).numpy() == -INF).all()
    a = tf.constant([0.0, 1.0, 2.0, 2.0, -1.0, 1e7], tf.float64)
    b = tf.constant([1.0, 0.0, 3.0, 3.0, 1.0, 1e7], tf.float64)
    x = tf.constant([0.5, 0.5, 0.0, 1.0, 0.5, 0.5], tf.float64)
    np.testing.assert_allclose(tf.math.betainc(a, b, x).numpy(), [1.0, 0.0, 0.0, 1.0, NAN, 0.5])


def test_beta_of_many() -> None:
    """Each number is taken with the sum of those before it, so that none is lost beside a large one."""
    x = tf.constant([1e-3, 1e15, 2.0, 0.5, 1e-8, 30.0, 1e6], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = tf.math.lbeta(x)
    # By mpmath
    np.testing.assert_allclose(result.numpy(), -21724297.213771528, rtol=1e-15)
    slopes = [
        *(-1035.1143483277210, -1.0000325004999780e-9, -34.115992060812250, -36.502286421932141),
        *(-100000035.11599204, -31.154338263225192, -20.723266337946526),
    ]
    np.testing.assert_allclose(tape.gradient(result, x).numpy(), slopes, rtol=1e-15)
