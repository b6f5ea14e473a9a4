"""Sigmoid, softplus, erf and erfc of float32, vectorised by hand, against double precision."""

import numpy as np
import pytest
from scipy import special

import tapegrad as tf
from tapegrad.engines.numpy import kernels

FUNCTIONS = {
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 3),
    "softplus": (lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), 3),
    "erf": (special.erf, 1),
    "erfc": (special.erfc, 1),
}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38], np.float32)


def drawn():
    """Numbers of all sizes, more of them where the functions are not constant."""
    random = np.random.default_rng(8)
    everywhere = random.integers(0, 1 << 32, 100_000, dtype=np.uint64).astype(np.uint32)
    near = random.uniform(-110, 110, 100_000), random.standard_normal(100_000)
    return np.concatenate([everywhere.view(np.float32), *near, SPECIAL], dtype=np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_a_few_units_in_the_last_place(name):
    exact, units = FUNCTIONS[name]
    x = drawn()
    with np.errstate(all="ignore"):
        found = getattr(kernels, name)(x)
        expected = exact(x.astype(np.float64))
        unit = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
        wrong = ~(np.abs(found - expected) <= units * unit)
    wrong &= ~((found == expected) | (np.isnan(found) & np.isnan(expected)))
    assert not wrong.any(), (x[wrong][:5], found[wrong][:5], expected[wrong][:5])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_bits_in_any_layout(name):
    function = getattr(kernels, name)
    x = np.random.default_rng(1).standard_normal(1000).astype(np.float32) * 3
    whole = function(x)
    for count in (0, 1, 2, 7, 8, 9, 63, 64, 65, 130):
        assert function(x[:count]).tobytes() == whole[:count].tobytes()
        assert function(x[1 : count + 1]).tobytes() == whole[1 : count + 1].tobytes()
    for step in (2, 3, -1, -5):
        assert function(x[::step]).tobytes() == whole[::step].tobytes()
    spaced = np.zeros(3000, np.float32)[::3]
    assert function(x, out=spaced).tobytes() == whole.tobytes()
    packed = np.zeros(4001, np.uint8)[1:].view(np.float32)
    packed[...] = x
    assert function(packed).tobytes() == whole.tobytes()
    function(x, out=x)
    assert x.tobytes() == whole.tobytes()


COMPOSED = {
    "gelu": (tf.nn.gelu, lambda x: 0.5 * x * tf.math.erfc(x * -(0.5**0.5))),
    "gelu by tanh": (
        lambda x: tf.nn.gelu(x, approximate=True),
        lambda x: 0.5 * x * (1.0 + tf.tanh((x + 0.044715 * x * x * x) * 0.7978845608028654)),
    ),
    "silu": (tf.nn.silu, lambda x: x * tf.sigmoid(x)),
    "log_sigmoid": (tf.math.log_sigmoid, lambda x: -tf.nn.softplus(-x)),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_activations_that_are_one_op(name):
    random = np.random.default_rng(0)
    x = tf.constant(np.concatenate([random.standard_normal(50) * 3, [0.0, 30.0, -30.0]]))
    found = []
    for function in COMPOSED[name]:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            slope = inner.gradient(y, x)
        found.append((y, slope, outer.gradient(slope, x)))
    for ours, expected in zip(*found, strict=True):
        np.testing.assert_allclose(ours.numpy(), expected.numpy(), rtol=1e-12, atol=1e-15)
