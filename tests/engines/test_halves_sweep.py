"""All 65,536 numbers of bfloat16 through every op of one operand, beside float32 rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

HALF = tf.bfloat16.as_numpy_dtype
EVERY = np.arange(1 << 16, dtype=np.uint16).view(HALF)

# The ops that TensorFlow has for one operand of any floating point type.
NAMES = {
    tf: "abs acos acosh asin asinh atan atanh cos cosh exp floor negative round sigmoid sign sin "
    "sinh sqrt square tan tanh",
    tf.math: "bessel_i0e bessel_i1e ceil digamma erf erfc erfinv expm1 lgamma log log1p "
    "log_sigmoid ndtri reciprocal reciprocal_no_nan rint rsqrt",
    tf.nn: "elu gelu leaky_relu relu relu6 selu silu softplus softsign",
}
OPS = {name: getattr(place, name) for place, names in NAMES.items() for name in names.split()}
OPS["gelu_tanh"] = lambda x: tf.nn.gelu(x, approximate=True)

# Their rules are one step, or have a form that is rounded once. All others round after each of their steps.
ROUNDED_ONCE = (
    "abs ceil digamma floor gelu leaky_relu log negative relu relu6 rint round sign silu softsign square"
).split()


def results(name: str, x: Any) -> tuple[Any, Any]:
    """What the op gives, and the gradient where 1.5 arrives."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = OPS[name](x)
    return y, tape.gradient(y, x, output_gradients=tf.fill(x.shape, tf.cast(1.5, x.dtype)))


def gradient_by_ops(name: str, x: Any) -> Any:
    """The same gradient: a walk that is recorded runs its rules as ops, one by one."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        return results(name, x)[1]


def assert_same(found: Any, expected: Any) -> None:
    """The same bits, but for what is in a NaN."""
    bits = [each.numpy().view(np.uint16) for each in (found, expected)]
    nans = [tf.math.is_nan(each).numpy() for each in (found, expected)]
    wrong = (bits[0] != bits[1]) & ~(nans[0] & nans[1])
    assert not wrong.any(), (wrong.sum(), EVERY[wrong][:5])


@pytest.mark.parametrize("name", OPS)
def test_every_number(name: str) -> None:
    x = tf.constant(EVERY)
    wide, wide_slope = results(name, tf.cast(x, tf.float32))
    for _ in range(2):  # results that take long are written down once, and then looked up
        y, slope = results(name, x)
        assert_same(y, tf.cast(wide, tf.bfloat16))
        if slope is not None and name in ROUNDED_ONCE:
            assert_same(slope, tf.cast(wide_slope, tf.bfloat16))


@pytest.mark.parametrize("name", [name for name in OPS if name not in ROUNDED_ONCE])
def test_every_gradient_is_that_of_its_steps(name: str) -> None:
    """Each step is an op, whose results are those of float32 rounded once."""
    x = tf.constant(EVERY)
    assert_same(results(name, x)[1], gradient_by_ops(name, x))
