# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    >>> tf.math.bessel_i0([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.2661], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_i0(x) * exp(-abs(x))``, which does not overflow.

    >>> tf.math.bessel_i0e([0.0, 100.0]).numpy().round(4)
    array([1.    , 0.0399], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    >>> tf.math.bessel_i1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5652], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_i1(x) * exp(-abs(x))``, which does not overflow.

    >>> tf.math.bessel_i1e([0.0, 100.0]).numpy().round(4)
    array([0.    , 0.0397], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0.

    >>> tf.math.special.bessel_j0([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.7652], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1.

    >>> tf.math.special.bessel_j1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.4401], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_k0([1.0, 2.0]).numpy().round(4)
    array([0.421 , 0.1139], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_k0(x) * exp(x)``, which does not vanish.

    >>> tf.math.special.bessel_k0e([1.0, 100.0]).numpy().round(4)
    array([1.1445, 0.1252], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_k1([1.0, 2.0]).numpy().round(4)
    array([0.6019, 0.1399], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """``bessel_k1(x) * exp(x)``, which does not vanish.

    >>> tf.math.special.bessel_k1e([1.0, 100.0]).numpy().round(4)
    array([1.6362, 0.1258], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_y0([1.0, 2.0]).numpy().round(4)
    array([0.0883, 0.5104], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_y1([1.0, 2.0]).numpy().round(4)
    array([-0.7812, -0.107 ], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function: the share of the beta function's integral below ``x``.

    >>> tf.math.betainc(2.0, 3.0, [0.25, 0.5]).numpy().round(4)
    array([0.2617, 0.6875], dtype=float32)

    Args:
        a: a tensor of floating point numbers.
        b: a tensor of the dtype of ``a``.
        x: a tensor of the dtype of ``a``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that a and b and x broadcast to.
    """

def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x * x) times the integral of exp(t * t) from 0 to ``x``.

    >>> tf.math.special.dawsn([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5381], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of `tf.math.lgamma`; -inf at 0.

    >>> tf.math.digamma([1.0, 2.0]).numpy().round(4)
    array([-0.5772,  0.4228], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to ``x``.

    >>> tf.math.erf([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8427], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """``1 - erf(x)``, exact for large ``x`` too.

    >>> tf.math.erfc([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.1573], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tf.math.erfc`; infinite at 0 and 2.

    >>> tf.math.erfcinv([0.5, 1.5]).numpy().round(4)
    array([ 0.4769, -0.4769], dtype=float32)
    """

def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tf.math.erf`; infinite at -1 and 1.

    >>> tf.math.erfinv([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.4769], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential integral: the integral of exp(t) / t from -inf to ``x``, for positive ``x``.

    >>> tf.math.special.expint([1.0, 2.0]).numpy().round(4)
    array([1.8951, 4.9542], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Fresnel's cosine integral: the integral of cos(pi / 2 * t * t) from 0 to ``x``.

    >>> tf.math.special.fresnel_cos([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7799], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Fresnel's sine integral: the integral of sin(pi / 2 * t * t) from 0 to ``x``.

    >>> tf.math.special.fresnel_sin([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.4383], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised lower incomplete gamma function: the share of gamma's integral below ``x``.

    >>> tf.math.igamma(2.0, [1.0, 3.0]).numpy().round(4)
    array([0.2642, 0.8009], dtype=float32)

    Args:
        a: a tensor of floating point numbers.
        x: a tensor of the dtype of ``a``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that a and x broadcast to.
    """

def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``1 - igamma(a, x)``, exact even where the result is small.

    >>> tf.math.igammac(2.0, [1.0, 3.0]).numpy().round(4)
    array([0.7358, 0.1991], dtype=float32)

    Args:
        a: a tensor of floating point numbers.
        x: a tensor of the dtype of ``a``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that a and x broadcast to.
    """

def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function.

    >>> tf.math.lgamma([1.0, 5.0]).numpy().round(4)            # log(0!), log(4!)
    array([0.    , 3.1781], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The number below which a standard normal variable falls with probability ``x``.

    >>> tf.math.ndtri([0.5, 0.975]).numpy().round(4)
    array([0.  , 1.96], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of `tf.math.digamma` of order ``a``, which must be a whole number.

    >>> tf.math.polygamma(1.0, [1.0, 2.0]).numpy().round(4)
    array([1.6449, 0.6449], dtype=float32)

    Args:
        a: a tensor of floating point numbers.
        x: a tensor of the dtype of ``a``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that a and x broadcast to.
    """

def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Spence's integral of log(t) / (1 - t) from 1 to ``x``, which is the dilogarithm of ``1 - x``.

    >>> tf.math.special.spence([0.0, 1.0]).numpy().round(4)
    array([1.6449, 0.    ], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum of ``1 / (n + q) ** x`` over n = 0, 1, 2, ...

    >>> tf.math.zeta([2.0, 4.0], 1.0).numpy().round(4)
    array([1.6449, 1.0823], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        q: a tensor of the dtype of ``x``.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that x and q broadcast to.
    """
