"""Elementwise functions between layers. Softmax, which takes rows, is in `softmax`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, pointwise, public
from tapegrad.engines.numpy import slopes
from tapegrad.ops.batching import BROADCASTS
from tapegrad.ops.elementwise import exponential, math, signs, special, trigonometry
from tapegrad.ops.op import REAL, REAL_FLOATING, elementwise, op, says
from tapegrad.ops.shape import array, casts, joining

PUBLIC = {
    "math": "log_sigmoid",
    "math nn": "softplus",
    "math nn compat.v1.math compat.v1.nn": "softsign",
    "nn": "crelu gelu leaky_relu relu6 silu swish",
    "nn compat.v1.nn": "elu relu selu",
}


def _zeros_like(tensor: Tensor) -> Tensor:
    return array.zeros_of(tensor._shape_tuple(), tensor)


# Activations

relu = elementwise(
    "Relu",
    "relu",
    inputs=("features",),
    dtypes=REAL,
    doc="""``features``, or 0 where it is negative.

    >>> tf.nn.relu([-1.0, 0.0, 2.0]).numpy()
    array([0., 0., 2.], dtype=float32)

    The gradient at 0 is 0.
    """,
)
relu.gradient(features=lambda dy, out: relu_grad(dy, out))

# The engine's own kernel has no loop for integers. They have no gradients.
relu_grad = elementwise(
    "ReluGrad",
    "relu_grad",
    inputs=("gradients", "features"),
    dtypes=REAL_FLOATING,
    linear="gradients",
)
relu_grad.gradient(
    gradients=lambda dy, features: relu_grad(dy, features),
    features=lambda dy: _zeros_like(dy),
)

relu6 = elementwise(
    "Relu6",
    "relu6",
    inputs=("features",),
    dtypes=REAL,
    doc="""``features``, limited to the range from 0 to 6.

    >>> tf.nn.relu6([-1.0, 2.0, 7.0]).numpy()
    array([0., 2., 6.], dtype=float32)

    The gradient at 0 and at 6 is 0.
    """,
)
relu6.gradient(features=lambda dy, out: relu6_grad(dy, out))

relu6_grad = elementwise(
    "Relu6Grad",
    "relu6_grad",
    inputs=("gradients", "features"),
    dtypes=REAL,
    linear="gradients",
)
relu6_grad.gradient(
    gradients=lambda dy, features: relu6_grad(dy, features),
    features=lambda dy: _zeros_like(dy),
)


def _elu(xp, features):
    return xp.where(features < 0, xp.expm1(features), features)


elu = elementwise(
    "Elu",
    _elu,
    name="elu",
    dtypes=REAL_FLOATING,
    accumulate="float32",
    doc="""``features``, and ``exp(features) - 1`` where it is negative.

    >>> tf.nn.elu([0.0, 2.0, -100.0]).numpy()
    array([ 0.,  2., -1.], dtype=float32)

    The gradient at 0 is 1.
    """,
)
elu.gradient(features=lambda dy, out: elu_grad(dy, out))

elu_grad = elementwise(
    "EluGrad",
    lambda xp, gradients, outputs: xp.where(
        outputs < 0, gradients * (outputs + xp.ones((), outputs.dtype)), gradients
    ),
    dtypes=REAL_FLOATING,
    accumulate="float32",
    linear="gradients",
)
elu_grad.gradient(
    gradients=lambda dy, outputs: elu_grad(dy, outputs),
    outputs=lambda dy, gradients, outputs: math.keep_where(dy * gradients, outputs < 0.0),
)

# With these constants the activations keep mean 0 and variance 1 from layer to layer.
SELU_SCALE = 1.0507009873554805
SELU_FLOOR = SELU_SCALE * 1.6732632423543772


def _selu(xp, features):
    return xp.where(features < 0, SELU_FLOOR * xp.expm1(features), SELU_SCALE * features)


selu = elementwise(
    "Selu",
    _selu,
    name="selu",
    dtypes=REAL_FLOATING,
    accumulate="float32",
    doc="""The exponential linear unit, scaled so that layers keep mean 0 and variance 1.

    >>> tf.nn.selu([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.0507], dtype=float32)
    """,
)
selu.gradient(features=lambda dy, out: selu_grad(dy, out))


def _selu_grad(xp, gradients, outputs):
    # In halves too: far below zero the outputs are the floor as it is rounded there, and the slope is 0.
    scale, floor = outputs.dtype.type(SELU_SCALE), outputs.dtype.type(SELU_FLOOR)
    return gradients * xp.where(outputs < 0, outputs + floor, scale)


selu_grad = elementwise(
    "SeluGrad",
    _selu_grad,
    name="selu_grad",
    dtypes=REAL_FLOATING,
    linear="gradients",
)
selu_grad.gradient(
    gradients=lambda dy, outputs: selu_grad(dy, outputs),
    outputs=lambda dy, gradients, outputs: math.keep_where(dy * gradients, outputs < 0.0),
)


def _static_slope(alpha: Any) -> float:
    if isinstance(alpha, (int, float, np.integer, np.floating)) and not isinstance(alpha, bool):
        return float(alpha)
    raise TypeError(
        f"Expected float for argument 'alpha' not {alpha!r}: "
        "the slope below zero is a plain number."
    )


@op(
    "LeakyRelu",
    dtypes=REAL_FLOATING,
    convert={"alpha": _static_slope},
    accumulate="float32",
    elementwise=True,
    lane=slopes.leaky_relu,
)
def leaky_relu_op(xp, features, *, alpha=0.2):
    """``features``, or ``alpha * features`` where it is not positive. See ``tf.nn.leaky_relu``."""
    return xp.leaky_relu(features, alpha)


leaky_relu_op.gradient(features=lambda dy, features, alpha: leaky_relu_grad(dy, features, alpha))
leaky_relu_op.batching(BROADCASTS)


@op(
    "LeakyReluGrad",
    dtypes=REAL_FLOATING,
    convert={"alpha": _static_slope},
    broadcasts=True,
    lane=slopes.leaky_relu_grad,
    accumulate="float32",
    linear="gradients",
    elementwise=True,
)
def leaky_relu_grad(xp, gradients, features, *, alpha=0.2):
    """``gradients``, or ``alpha * gradients`` where ``features`` is not positive."""
    return xp.where(features > 0, gradients, gradients * alpha)


leaky_relu_grad.gradient(
    gradients=lambda dy, features, alpha: leaky_relu_grad(dy, features, alpha),
    features=lambda dy: _zeros_like(dy),
)
leaky_relu_grad.batching(BROADCASTS)


@public
@says(dispatched="unary")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """``features``, or ``alpha * features`` where it is negative.

    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)

    The gradient at 0 is ``alpha``.

    Args:
        features: floating point numbers.
        alpha: the slope below 0.
    """
    features = convert(features)
    if features.dtype.is_integer:
        features = casts.cast(features, dtypes.float32)
    return leaky_relu_op(features, alpha)


softplus = elementwise(
    "Softplus",
    "softplus",
    inputs=("features",),
    dtypes=REAL_FLOATING,
    doc="""``log(1 + exp(features))``, exact in both tails.

    >>> tf.nn.softplus([-1000.0, 0.0, 1000.0]).numpy()
    array([0.000000e+00, 6.931472e-01, 1.000000e+03], dtype=float32)
    """,
)
softplus.gradient(features=lambda dy, features: dy * exponential.sigmoid(features))


log_sigmoid_op = elementwise(
    "_LogSigmoid",
    lambda xp, x: -xp.softplus(-x),
    name="log_sigmoid",
    dtypes=REAL_FLOATING,
    accumulate="float32",
)
log_sigmoid_op.gradient(x=lambda dy, x: dy * exponential.sigmoid(-x))


@public
@says(dispatched="unary")
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, exact even where the sigmoid itself is rounded to 0 or 1.

    >>> tf.math.log_sigmoid([-1000.0, 0.0, 1000.0]).numpy()
    array([-1.000000e+03, -6.931472e-01, -0.000000e+00], dtype=float32)

    Args:
        x: floating point numbers.
    """
    return log_sigmoid_op(x)


softplus_grad = elementwise(
    "SoftplusGrad",
    lambda xp, gradients, features: gradients * xp.sigmoid(features),
    name="softplus_grad",
    dtypes=REAL_FLOATING,
    accumulate="float32",
    linear="gradients",
)
softplus_grad.gradient(
    gradients=lambda dy, features: softplus_grad(dy, features),
    features=lambda dy, gradients, features: (
        dy * exponential.sigmoid_grad(exponential.sigmoid(features), gradients)
    ),
)


softsign = elementwise(
    "Softsign",
    "softsign",
    inputs=("features",),
    dtypes=REAL_FLOATING,
    doc="""``features / (1 + abs(features))``.

    >>> tf.nn.softsign([-1.0, 0.0, 3.0]).numpy()
    array([-0.5 ,  0.  ,  0.75], dtype=float32)

    Differs from TensorFlow: at infinity it is 1, its limit, and not NaN. It also has a second derivative.
    """,
)
softsign.gradient(features=lambda dy, features: softsign_grad(dy, features))

softsign_grad = elementwise(
    "SoftsignGrad",
    lambda xp, gradients, features: gradients / xp.square(1 + xp.abs(features)),
    name="softsign_grad",
    dtypes=REAL_FLOATING,
    accumulate="float32",
    linear="gradients",
)
softsign_grad.gradient(
    gradients=lambda dy, features: softsign_grad(dy, features),
    # d (1 + |x|)^-2 = -2 sign(x) (1 + |x|)^-3
    features=lambda dy, gradients, features, out: (
        dy * out * signs.sign(features) * -2.0 / (signs.abs(features) + 1.0)
    ),
)


@public
def crelu(features: Any, axis: Any = -1, name: str | None = None) -> Tensor:
    """``relu(features)`` and ``relu(-features)``, one after the other along ``axis``.

    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)

    Args:
        features: real numbers.
        axis: the axis, which gets twice as long.
    """
    features = convert(features)
    return relu(joining.concat([features, -features], axis))


HALF_ROOT = 0.7071067811865476
ROOT_OF_TWO_OVER_PI = 0.7978845608028654
CUBE = 0.044715


def _gelu_gradient(dy, features):
    density = exponential.exp(math.square(features) * -0.5) * (ROOT_OF_TWO_OVER_PI / 2)
    return dy * (special.erfc(features * -HALF_ROOT) * 0.5 + features * density)


def _gelu_by_tanh(xp, features):
    x = features
    slope = xp.tanh((x + CUBE * (x * x * x)) * ROOT_OF_TWO_OVER_PI)
    return x * 0.5 * (slope + 1.0)


def _gelu_by_tanh_gradient(dy, features):
    squared = math.square(features)
    y = trigonometry.tanh((features + CUBE * (features * squared)) * ROOT_OF_TWO_OVER_PI)
    inner = (squared * (3.0 * CUBE) + 1.0) * ROOT_OF_TWO_OVER_PI
    return dy * ((y + 1.0) * 0.5 + features * 0.5 * ((1.0 - y * y) * inner))


def _gelu_fast(xp, dy, features):
    return xp.gelu_grad(features, dy)


gelu_op = elementwise("_Gelu", "gelu", inputs=("features",), dtypes=REAL_FLOATING)
gelu_op.gradient(features=_gelu_gradient, fast={"features": pointwise(_gelu_fast)})
gelu_by_tanh = elementwise(
    "_GeluByTanh", _gelu_by_tanh, name="gelu", dtypes=REAL_FLOATING, accumulate="float32"
)
gelu_by_tanh.gradient(features=_gelu_by_tanh_gradient)


@public
@says(dispatched="unary")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """``features`` times the probability that a standard normal variable is below it.

    >>> tf.nn.gelu([-1.0, 0.0, 2.0]).numpy()
    array([-0.15865526,  0.        ,  1.9544997 ], dtype=float32)

    Args:
        features: floating point numbers.
        approximate: whether to use tanh in place of the distribution function.
    """
    features = convert(features)
    if not features.dtype.is_floating:
        raise ValueError(
            "`features.dtype` must be a floating point tensor. Received: "
            f"features.dtype={features.dtype}"
        )
    return gelu_by_tanh(features) if approximate else gelu_op(features)


def _silu_gradient(dy, features):
    share = exponential.sigmoid(features)
    return dy * (share + features * (share * (1.0 - share)))


def _silu_fast(xp, dy, features):
    return xp.silu_grad(features, dy)


silu_op = elementwise("_Silu", "silu", inputs=("features",), dtypes=REAL_FLOATING)
silu_op.gradient(features=_silu_gradient, fast={"features": pointwise(_silu_fast)})


@public
@says(dispatched="unary")
def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """``features * sigmoid(beta * features)``, also called swish.

    >>> tf.nn.silu([-1000.0, 0.0, 2.0]).numpy().round(4)
    array([-0.    ,  0.    ,  1.7616], dtype=float32)

    Args:
        features: floating point or complex numbers.
        beta: the factor within the sigmoid.
    """
    features = convert(features)
    if isinstance(beta, (int, float)) and beta == 1:
        # The sigmoid is defined for complex numbers too.
        return (
            silu_op(features)
            if features.dtype.is_floating
            else features * exponential.sigmoid(features)
        )
    return features * exponential.sigmoid(convert(beta, features.dtype) * features)


swish = silu
