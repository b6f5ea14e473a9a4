"""Activations, softmax, biases, moments and batch normalisation from moments, and dropout.

Losses are in `losses`, convolutions in `conv`, pooling in `pool`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Operand, Tensor, VariableBase, convert, pointwise
from tapegrad.engines.numpy import resampling, slopes
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_axis, static_int, static_ints, static_shape
from tapegrad.ops.batching import BROADCASTS, rows, with_axes
from tapegrad.ops.elementwise import complex, exponential, math, signs, special, trigonometry
from tapegrad.ops.linalg import products
from tapegrad.ops.nn import merged
from tapegrad.ops.op import NUMERIC, REAL, REAL_FLOATING, elementwise, op
from tapegrad.ops.random.draws import stateless_uniform, uniform
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, creation

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    "linalg math nn compat.v1.linalg compat.v1.math compat.v1.nn": "l2_normalize",
    "math": "log_sigmoid",
    "math nn": "log_softmax softmax softplus",
    "math nn compat.v1.math compat.v1.nn": "softsign",
    "nn": "crelu dropout gelu leaky_relu moments relu6 silu swish",
    "nn compat.v1.nn": "batch_normalization bias_add elu l2_loss relu selu",
    "nn.experimental": "stateless_dropout",
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
    lambda xp, features: xp.minimum(xp.maximum(features, 0), 6).astype(features.dtype, copy=False),
    name="relu6",
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
    lambda xp, gradients, features: xp.where(
        (features > 0) & (features < 6), gradients, xp.zeros((), gradients.dtype)
    ),
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
    return gradients * xp.where(outputs < 0, outputs + SELU_FLOOR, SELU_SCALE)


selu_grad = elementwise(
    "SeluGrad",
    _selu_grad,
    name="selu_grad",
    dtypes=REAL_FLOATING,
    accumulate="float32",
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


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """``features``, or ``alpha * features`` where it is negative.

    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)

    The gradient at 0 is ``alpha``.
    """
    features = convert(features)
    if features.dtype.is_integer:
        features = creation.cast(features, dtypes.float32)
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


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, exact even where the sigmoid itself is rounded to 0 or 1.

    >>> tf.math.log_sigmoid([-1000.0, 0.0, 1000.0]).numpy()
    array([-1.000000e+03, -6.931472e-01, -0.000000e+00], dtype=float32)
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


def crelu(features: Any, axis: Any = -1, name: str | None = None) -> Tensor:
    """``relu(features)`` and ``relu(-features)``, one after the other along ``axis``.

    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    features = convert(features)
    return relu(array.concat([features, -features], axis))


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


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """``features`` times the probability that a standard normal variable is below it.

    >>> tf.nn.gelu([-1.0, 0.0, 2.0]).numpy()
    array([-0.15865526,  0.        ,  1.9544997 ], dtype=float32)

    Args:
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


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """``features * sigmoid(beta * features)``, also called swish.

    >>> tf.nn.silu([-1000.0, 0.0, 2.0]).numpy().round(4)
    array([-0.    ,  0.    ,  1.7616], dtype=float32)
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


# Softmax


def _softmax_axis(axis: int, rank: int) -> int:
    if rank < 1:
        refuse("logits must have >= 1 dimension, got []: softmax is over an axis.")
    return normalize_axis(axis, rank)


@op("Softmax", dtypes=REAL_FLOATING, convert={"axis": static_int}, accumulate="float32")
def softmax_op(xp, logits, *, axis=-1):
    """``exp(logits)`` scaled to sum to one along ``axis``. See ``tf.nn.softmax``."""
    return xp.softmax(logits, _softmax_axis(axis, logits.ndim))


def _softmax_gradient(dy, out, axis):
    return (dy - reduce.reduce_sum(dy * out, axis=axis, keepdims=True)) * out


def _softmax_fast(xp, dy, out, axis):
    if dy.dtype != out.dtype:
        return None
    return xp.softmax_grad(dy, out, _softmax_axis(axis, out.ndim))


softmax_op.gradient(logits=_softmax_gradient, fast={"logits": _softmax_fast})
softmax_op.batching(with_axes("axis"))


@op("LogSoftmax", dtypes=REAL_FLOATING, convert={"axis": static_int}, accumulate="float32")
def log_softmax_op(xp, logits, *, axis=-1):
    """The logarithm of softmax. See ``tf.nn.log_softmax``."""
    return xp.log_softmax(logits, _softmax_axis(axis, logits.ndim))


def _log_softmax_gradient(dy, out, axis):
    return dy - reduce.reduce_sum(dy, axis=axis, keepdims=True) * exponential.exp(out)


def _log_softmax_fast(xp, dy, out, axis):
    if dy.dtype != out.dtype:
        return None
    return xp.log_softmax_grad(dy, out, _softmax_axis(axis, out.ndim))


log_softmax_op.gradient(logits=_log_softmax_gradient, fast={"logits": _log_softmax_fast})
log_softmax_op.batching(with_axes("axis"))


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """``exp(logits)`` scaled to sum to one along ``axis``, the last by default.

    >>> tf.nn.softmax([1000.0, 1000.0, -1000.0]).numpy()
    array([0.5, 0.5, 0. ], dtype=float32)
    """
    return softmax_op(logits, -1 if axis is None else axis)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithm of ``softmax(logits)``, exact where softmax itself would round to 0.

    >>> tf.nn.log_softmax([1000.0, 0.0]).numpy()
    array([    0., -1000.], dtype=float32)
    """
    return log_softmax_op(logits, -1 if axis is None else axis)


# Norms and biases


@op("L2Loss", dtypes=REAL_FLOATING, accumulate="float32")
def l2_loss(xp, t):
    """Half the sum of the squares of all elements.

    >>> tf.nn.l2_loss([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=12.5>
    """
    flat = xp.reshape(t, (-1,))
    return xp.dot(flat, flat) * flat.dtype.type(0.5)


l2_loss.gradient(t=lambda dy, t: dy * t)


def l2_rule(items, t):
    flat = t.reshape((items.size, -1)) if items.size else t.reshape((0, prod(t.shape[1:])))
    rows = flat.reshape((*flat.shape[:1], 1, *flat.shape[1:]))
    squares = items.call(products.multiply_batches, rows, rows, adj_y=True)
    return items.call(math.multiply, squares.reshape((items.size,)), np.asarray(0.5, t.dtype))


l2_loss.batching(l2_rule)


def l2_normalize(
    x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, or along all axes.

    >>> tf.nn.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
        epsilon: the least value of the sum of the squares. It keeps zeros zero.
    """
    axis = dim if axis is None else axis
    x = convert(x)
    if x.dtype.is_complex:
        square = math.square(complex.real(x)) + math.square(complex.imag(x))
        total = reduce.reduce_sum(square, axis, keepdims=True)
        scale = math.rsqrt(math.maximum(total, epsilon))
        return complex.complex(complex.real(x) * scale, complex.imag(x) * scale)
    total = reduce.reduce_sum(math.square(x), axis, keepdims=True)
    return x * math.rsqrt(math.maximum(total, convert(epsilon, x.dtype)))


def _static_format(data_format: Any) -> str:
    if not isinstance(data_format, str) or data_format not in ("NHWC", "NCHW"):
        refuse(
            f"Value for attr 'data_format' of {data_format!r} is not in the list "
            "of allowed values: NHWC, NCHW."
        )
    return data_format


def _channel_axis(data_format: str, rank: int) -> int:
    return 1 if data_format == "NCHW" else rank - 1


@op(
    "BiasAdd",
    dtypes=NUMERIC,
    convert={"data_format": _static_format},
    linear="value bias",
    lane=resampling.bias_add,
)
def bias_add_op(xp, value, bias, *, data_format="NHWC"):
    """``value + bias``, the bias along the axis of channels. See ``tf.nn.bias_add``."""
    if value.ndim < 2:
        refuse(f"Input tensor must be at least 2D: {list(value.shape)}")
    if bias.ndim != 1:
        refuse(f"Biases must be 1D: {list(bias.shape)}")
    axis = _channel_axis(data_format, value.ndim)
    if bias.shape[0] != value.shape[axis]:
        refuse(
            f"Must provide as many biases as the channels of the input tensor, axis {axis}: "
            f"{list(bias.shape)} vs. {list(value.shape)}"
        )
    return value + xp.reshape(bias, (-1,) + (1,) * (value.ndim - axis - 1))


bias_add_op.gradient(
    value=lambda dy: dy,
    bias=lambda dy, data_format: bias_add_grad(dy, data_format),
)


def bias_rule(items, value, bias, data_format):
    if not items.batched[1]:
        return rows(1)(items, value, bias, data_format)
    value = items.spread(value, 0)
    axis = _channel_axis(data_format, value.ndim - 1) + 1
    shape = (items.size, *[1] * (axis - 1), bias.shape[1], *[1] * (value.ndim - axis - 1))
    return items.call(math.add, value, bias.reshape(shape))


bias_add_op.batching(bias_rule)


@op(
    "BiasAddGrad",
    dtypes=NUMERIC,
    convert={"data_format": _static_format},
    accumulate="float32",
    linear="out_backprop",
)
def bias_add_grad(xp, out_backprop, *, data_format="NHWC"):
    """``out_backprop`` summed over all axes but the channels."""
    if out_backprop.ndim < 2:
        refuse(f"Input tensor must be at least 2D: {list(out_backprop.shape)}")
    axis = _channel_axis(data_format, out_backprop.ndim)
    axes = tuple([i for i in range(out_backprop.ndim) if i != axis])
    total = xp.sum_axes(out_backprop, axes, False)
    if total is not None:
        return total
    return xp.sum(out_backprop, axis=axes, dtype=out_backprop.dtype)


def _spread_bias(dy, out_backprop_shape, data_format):
    rank = len(out_backprop_shape)
    axis = _channel_axis(data_format, rank)
    dy = array.reshape(dy, (-1,) + (1,) * (rank - axis - 1))
    return array.broadcast_to(dy, out_backprop_shape)


bias_add_grad.gradient(out_backprop=_spread_bias)


def bias_gradient_rule(items, out_backprop, data_format):
    channels = _channel_axis(data_format, out_backprop.ndim - 1) + 1
    axes = tuple([axis for axis in range(1, out_backprop.ndim) if axis != channels])
    return items.call(reduce.reduce_sum, out_backprop, axis=axes)


bias_add_grad.batching(bias_gradient_rule)


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """``value`` with the vector ``bias`` added along its axis of channels.

    >>> tf.nn.bias_add(tf.zeros([2, 3]), [1.0, 2.0, 3.0]).numpy()
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)

    Args:
        data_format: ``"N...C"`` (the default) if channels are the last axis, ``"NC..."`` if they are the
            second.
    """
    named = "N...C" if data_format is None else data_format
    if isinstance(named, str) and named.startswith("N") and named.endswith("C"):
        layout = "NHWC"
    elif isinstance(named, str) and named.startswith("NC"):
        layout = "NCHW"
    else:
        raise ValueError(
            "`data_format` must be of the form `N...C` or `NC...`. Received: "
            f"data_format={data_format}"
        )
    value = convert(value)
    if not isinstance(bias, Operand):
        bias = convert(bias, value.dtype)
    return bias_add_op(value, bias, layout)


# Moments and normalisation


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of ``x`` over ``axes``.

    >>> mean, variance = tf.nn.moments(tf.constant([[1.0, 2.0], [3.0, 5.0]]), axes=[0])
    >>> print(mean.numpy(), variance.numpy())
    [2.  3.5] [1.   2.25]

    float16 and bfloat16 are computed in float32. ``shift`` is ignored, as in TensorFlow 2.
    """
    x = convert(x)
    y = creation.cast(x, dtypes.float32) if x.dtype in (dtypes.float16, dtypes.bfloat16) else x
    reduced = merged.moment_axes(y, static_axis(axes))
    if reduced:
        mean, variance = merged.moments_op(y, reduced, bool(keepdims))
    else:
        mean = reduce.reduce_mean(y, axes, keepdims=True)
        variance = reduce.reduce_mean(math.squared_difference(y, mean), axes, keepdims=True)
        if not keepdims:
            removed = range(x.ndim) if axes is None else static_ints(axes)
            mean, variance = (array.squeeze(part, list(removed)) for part in (mean, variance))
    if y is not x:
        mean, variance = creation.cast(mean, x.dtype), creation.cast(variance, x.dtype)
    return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """``scale * (x - mean) / sqrt(variance + variance_epsilon) + offset``, broadcasting.

    >>> x = tf.constant([[1.0], [3.0]])
    >>> mean, variance = tf.nn.moments(x, [0])
    >>> tf.nn.batch_normalization(x, mean, variance, None, None, 0.0).numpy()
    array([[-1.],
           [ 1.]], dtype=float32)

    Args:
        offset, scale: tensors, or None to leave them out.
    """
    x = convert(x)
    mean, variance = convert(mean, x.dtype), convert(variance, x.dtype)
    operands = merged.normalization_operands(x, mean, variance, offset, scale)
    if operands is not None and isinstance(variance_epsilon, (int, float)):
        return merged.batch_normalization_op(*operands, float(variance_epsilon))
    factor = math.rsqrt(variance + convert(variance_epsilon, x.dtype))
    if scale is not None:
        factor = factor * scale
    return x * factor + (-mean * factor if offset is None else offset - mean * factor)


# Dropout


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """``x`` with each element set to 0 with probability ``rate``, and the rest scaled by ``1 / (1 - rate)``.

    >>> tf.random.set_seed(1)
    >>> y = tf.nn.dropout(tf.ones([1000]), rate=0.5)
    >>> sorted(set(y.numpy().tolist()))
    [0.0, 2.0]

    Args:
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together.
    """

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return uniform(shape, seed=seed, dtype=dtype)

    return dropped(x, rate, noise_shape, draw)


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """``dropout`` in which ``seed``, two integers, alone decides which elements are dropped.

    >>> x = tf.ones([3, 4])
    >>> first, second = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]) for _ in range(2)]
    >>> bool(tf.reduce_all(first == second))
    True
    """

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return stateless_uniform(shape, seed=seed, dtype=dtype, alg=rng_alg or "auto_select")

    return dropped(x, rate, noise_shape, draw)


def dropped(x: Any, rate: Any, noise_shape: Any, draw: Any) -> Tensor:
    """Dropout with random numbers between 0 and 1, which ``draw(shape, dtype)`` makes."""
    x = convert(x)
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x_dtype={x.dtype}"
        )
    if isinstance(rate, (Tensor, VariableBase)):
        rate = convert(rate)
        if rate.ndim:
            raise ValueError(f"`rate` must be a scalar tensor. Received one of shape {rate.shape}")
        if rate.dtype != x.dtype:
            raise ValueError(
                f"`rate` must be of dtype {x.dtype.name}, as x is. Received: {rate.dtype}"
            )
        scaled = x / (1.0 - rate)
    elif isinstance(rate, (int, float, np.integer, np.floating)):
        if not 0 <= rate < 1:
            raise ValueError(
                "`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                f"rate={rate}"
            )
        if rate == 0:
            return x
        scaled = x * convert(1.0 / (1.0 - float(rate)), x.dtype)
    else:
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    shape = _noise_shape(noise_shape, x._shape_tuple())
    keep = draw(shape, x.dtype) >= rate
    try:
        broadcast = np.broadcast_shapes(shape, x._shape_tuple()) == x._shape_tuple()
    except ValueError:
        broadcast = False
    if not broadcast:
        refuse(f"noise_shape {list(shape)} does not broadcast to x's shape {list(x.shape)}.")
    return math.keep_where(scaled, keep)


def _noise_shape(noise_shape: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    if noise_shape is None:
        return shape
    if isinstance(noise_shape, (list, tuple)) and len(noise_shape) == len(shape):
        # None stands for the size of x along that axis.
        noise_shape = [shape[i] if size is None else size for i, size in enumerate(noise_shape)]
    return static_shape(noise_shape)
