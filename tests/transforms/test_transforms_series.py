"""`tf.autodiff.taylor` and `jet`: against closed forms, and against accumulators inside of each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import check_gradients

ad = tf.autodiff
X = tf.constant([0.3, 0.7, 1.2], tf.float64)


def nested(function: Callable[[Any], Any], x: Any, order: int) -> Any:
    """The derivative of this order along ones, by accumulators inside of each other."""
    if order == 0:
        return function(x)
    with ad.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = nested(function, x, order - 1)
    return accumulator.jvp(y, "zero")


@tf.custom_gradient
def custom(x: Any) -> Any:
    return tf.sin(x), lambda dy: dy * tf.cos(x)


def matrix(x: Any) -> Any:
    return tf.linalg.diag(x) + 0.1 * x[:, None] * x[None]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "polynomial": lambda x: x * x * x + 2.0 * x,
    "exp": tf.exp,
    "log": tf.math.log,
    "sin": tf.sin,
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "softplus": tf.nn.softplus,
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "reciprocal": tf.math.reciprocal,
    "square": tf.square,
    "squared difference": lambda x: tf.math.squared_difference(tf.exp(x), x),
    "quotient": lambda x: tf.sin(x) / (1.0 + x * x),
    "quotient of a constant": lambda x: 1.0 / (1.0 + x),
    "power": lambda x: x**2.5,
    "power of both": lambda x: x**x,
    "atan": tf.atan,
    "erf": tf.math.erf,
    "lgamma": tf.math.lgamma,
    "gelu": tf.nn.gelu,
    "softmax": lambda x: tf.nn.softmax(x * [1.0, 2.0, 3.0]),
    "logsumexp": tf.reduce_logsumexp,
    "relu": lambda x: tf.nn.relu(x - 0.5) ** 3,
    "maximum": lambda x: tf.reduce_max(x) ** 2,
    "where": lambda x: tf.where(x > 0.5, tf.sin(x), x),
    "sort": lambda x: tf.sort(x)[0] ** 2,
    "product": tf.reduce_prod,
    "cumulative product": tf.math.cumprod,
    "norm": tf.norm,
    "matmul": lambda x: tf.matmul(tf.exp(x)[None], x[:, None]),
    "einsum": lambda x: tf.einsum("i,j,k->ijk", x, x * x, tf.exp(x)),
    "inverse": lambda x: tf.linalg.inv(matrix(x)),
    "determinant": lambda x: tf.linalg.det(matrix(x)),
    "cholesky": lambda x: tf.linalg.cholesky(matrix(x)),
    "several results": lambda x: tf.add_n(tf.split(tf.sin(x), 3)) * x,
    "xlogy": lambda x: tf.math.xlogy(x, x),
    "xdivy": lambda x: tf.math.xdivy(x, 1.0 + x),
    "divide_no_nan": lambda x: tf.math.divide_no_nan(x, 1.0 + x),
    "multiply_no_nan": lambda x: tf.math.multiply_no_nan(x, tf.exp(x)),
    "complex": lambda x: tf.math.real(1.0 / tf.complex(x, 1.0 + x)) * tf.abs(tf.complex(x, x)),
    "custom gradient": custom,
    "recomputation": tf.recompute_grad(lambda x: tf.tanh(x) * x),
    "gradient inside": ad.grad(lambda x: tf.reduce_sum(tf.sin(x) * x)),
    "accumulator inside": lambda x: ad.jvp(lambda z: tf.sin(z) * z, (x,), (x,))[1],
    "constant": lambda x: tf.constant([1.0, 2.0], tf.float64),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_series_equal_nested_derivatives(name: str) -> None:
    function = FUNCTIONS[name]
    found = ad.taylor(function, X, 5)
    assert len(found) == 6
    for order in range(4 if "in" in name else 3):
        np.testing.assert_allclose(
            found[order] * math.factorial(order), nested(function, X, order), rtol=1e-9, atol=1e-9
        )


def test_known_series_to_high_order() -> None:
    for k, c in enumerate(ad.taylor(tf.exp, tf.constant(0.0, tf.float64), 20)):
        np.testing.assert_allclose(c, 1 / math.factorial(k), rtol=1e-12)
    geometric = ad.taylor(lambda x: 1.0 / (1.0 - x), tf.constant(0.0, tf.float64), 30)
    np.testing.assert_array_equal(geometric, np.ones(31))
    logarithm = ad.taylor(lambda x: tf.math.log(1.0 + x), tf.constant(0.0, tf.float64), 12)
    np.testing.assert_allclose(logarithm[1:], [(-1) ** (k + 1) / k for k in range(1, 13)])
    # The tangent numbers.
    tangent = ad.taylor(tf.tan, tf.constant(0.0, tf.float64), 7)
    np.testing.assert_allclose(tangent, [0, 1, 0, 1 / 3, 0, 2 / 15, 0, 17 / 315], atol=1e-14)


def test_along_a_direction_and_on_nests() -> None:
    def function(p: Any) -> Any:
        return {"y": p["a"] * tf.exp(p["b"]), "same": tf.constant(3)}

    p = {"a": X, "b": tf.constant(0.5, tf.float64)}
    way = {"a": 2.0 * X, "b": tf.constant(-1.0, tf.float64)}
    found = ad.taylor(function, p, 3, direction=way)
    line = ad.taylor(lambda t: X * (1 + 2 * t) * tf.exp(0.5 - t), tf.constant(0.0, tf.float64), 3)
    for here, there in zip(found, line, strict=True):
        np.testing.assert_allclose(here["y"], there, rtol=1e-12)
    assert [int(each["same"]) for each in found] == [3, 0, 0, 0]
    still = ad.taylor(function, p, 2, direction={"a": None, "b": None})
    assert not np.any(still[1]["y"])
    assert len(ad.taylor(tf.sin, 0.0, 0)) == 1


def test_jets_take_and_give_derivatives() -> None:
    # x(t) = t + t^2, y(t) = 3 t^3: sums and products of polynomials.
    value, derivatives = ad.jet(
        lambda x, y: (x * x, x * y), (0.0, 0.0), ((1.0, 2.0, 0.0), (0.0, 0.0, 18.0))
    )
    assert [float(v) for v in value] == [0.0, 0.0]
    assert [float(d[0]) for d in derivatives] == [0.0, 2.0, 12.0]
    assert [float(d[1]) for d in derivatives] == [0.0, 0.0, 0.0]


def test_a_long_program_is_no_deep_recursion() -> None:
    def long(x: Any) -> Any:
        for _ in range(3000):
            x = x * 1.0001 + 1e-6
        return tf.sin(x)

    assert len(ad.taylor(long, 0.5, 2)) == 3


def test_series_inside_and_outside_of_other_transforms() -> None:
    third = lambda x: 6.0 * ad.taylor(tf.sin, x, 3)[3]
    check_gradients(third, [X], order=2)
    np.testing.assert_allclose(ad.grad(lambda x: tf.reduce_sum(third(x)))(X), tf.sin(X), rtol=1e-12)
    np.testing.assert_allclose(ad.jvp(third, (X,), (X,))[1], tf.sin(X) * X, rtol=1e-12)
    np.testing.assert_allclose(ad.vmap(third)(tf.stack([X, 2 * X])), -tf.cos(tf.stack([X, 2 * X])))
    inner = ad.taylor(lambda x: ad.taylor(tf.exp, x, 2)[2], X, 2)
    np.testing.assert_allclose(inner[2], tf.exp(X) / 4, rtol=1e-12)


def test_variables_are_constants() -> None:
    w = tf.Variable(2.0)
    assert [float(c) for c in ad.taylor(lambda x: w * x * x, 3.0, 3)] == [18.0, 12.0, 2.0, 0.0]


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: ad.taylor(3, X, 1), TypeError, r"taylor\(\) takes a function"),
    (lambda: ad.taylor(tf.sin, X, -1), ValueError, "at least 0; -1 came"),
    (lambda: ad.taylor(tf.sin, X, 1.5), TypeError, "whole number; 1.5 came"),
    (lambda: ad.taylor(tf.sin, 1, 1), TypeError, "holds int32 numbers"),
    (lambda: ad.taylor(tf.sin, X, 1, direction=X[:2]), ValueError, "`direction` must have shape"),
    (lambda: ad.taylor(tf.math.is_nan, X, 1), TypeError, "returns no floating tensor"),
    (lambda: ad.jet(tf.sin, X, ((X,),)), TypeError, "`primals` is a tuple or list"),
    (lambda: ad.jet(tf.sin, (X,), ()), ValueError, "for each argument"),
    (lambda: ad.jet(tf.add, (X, X), ((X,), (X, X))), ValueError, r"same number .*\[1, 2\]"),
    (lambda: ad.jet(tf.sin, (X,), (X,)), TypeError, "derivatives for each argument"),
    (lambda: ad.jet(tf.sin, (X,), ((X[:1],),)), ValueError, "must have shape"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=range(len(BAD)))
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_ops_that_give_a_list_of_one() -> None:
    x = tf.constant([[0.3, 0.5]], tf.float64)
    for function in (tf.unstack, lambda y: tf.split(y, 1)):
        series = tf.autodiff.taylor(lambda y, f=function: f(y * y * y)[0], x, 2, direction=x)
        np.testing.assert_allclose(series[2], 3 * function(x**3)[0])
