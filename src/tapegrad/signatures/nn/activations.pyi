# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike

def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: TensorLike,
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

def bias_add(
    value: TensorLike,
    bias: TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """``value`` with the vector ``bias`` added along its axis of channels.

    >>> tf.nn.bias_add(tf.zeros([2, 3]), [1.0, 2.0, 3.0]).numpy()
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)

    Args:
        data_format: ``"N...C"`` (the default) if channels are the last axis, ``"NC..."`` if they are the
            second.
    """

def crelu(features: TensorLike, axis: Axis = -1, name: str | None = None) -> Tensor:
    """``relu(features)`` and ``relu(-features)``, one after the other along ``axis``.

    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """

def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
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

def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """``features``, and ``exp(features) - 1`` where it is negative.

    >>> tf.nn.elu([0.0, 2.0, -100.0]).numpy()
    array([ 0.,  2., -1.], dtype=float32)

    The gradient at 0 is 1.

    Args:
        features: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """``features`` times the probability that a standard normal variable is below it.

    >>> tf.nn.gelu([-1.0, 0.0, 2.0]).numpy()
    array([-0.15865526,  0.        ,  1.9544997 ], dtype=float32)

    Args:
        approximate: whether to use tanh in place of the distribution function.
    """

def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares of all elements.

    >>> tf.nn.l2_loss([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=12.5>

    Args:
        t: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def l2_normalize(
    x: TensorLike,
    axis: Axis | None = None,
    epsilon: TensorLike = 1e-12,
    name: str | None = None,
    dim: Axis | None = None,
) -> Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, or along all axes.

    >>> tf.nn.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
        epsilon: the least value of the sum of the squares. It keeps zeros zero.
    """

def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """``features``, or ``alpha * features`` where it is negative.

    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)

    The gradient at 0 is ``alpha``.
    """

def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, exact even where the sigmoid itself is rounded to 0 or 1.

    >>> tf.math.log_sigmoid([-1000.0, 0.0, 1000.0]).numpy()
    array([-1.000000e+03, -6.931472e-01, -0.000000e+00], dtype=float32)
    """

def log_softmax(logits: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """The logarithm of ``softmax(logits)``, exact where softmax itself would round to 0.

    >>> tf.nn.log_softmax([1000.0, 0.0]).numpy()
    array([    0., -1000.], dtype=float32)
    """

def moments(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of ``x`` over ``axes``.

    >>> mean, variance = tf.nn.moments(tf.constant([[1.0, 2.0], [3.0, 5.0]]), axes=[0])
    >>> print(mean.numpy(), variance.numpy())
    [2.  3.5] [1.   2.25]

    float16 and bfloat16 are computed in float32. ``shift`` is ignored, as in TensorFlow 2.
    """

def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """``features``, or 0 where it is negative.

    >>> tf.nn.relu([-1.0, 0.0, 2.0]).numpy()
    array([0., 0., 2.], dtype=float32)

    The gradient at 0 is 0.

    Args:
        features: a tensor of real numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """``features``, limited to the range from 0 to 6.

    >>> tf.nn.relu6([-1.0, 2.0, 7.0]).numpy()
    array([0., 2., 6.], dtype=float32)

    The gradient at 0 and at 6 is 0.

    Args:
        features: a tensor of real numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """The exponential linear unit, scaled so that layers keep mean 0 and variance 1.

    >>> tf.nn.selu([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.0507], dtype=float32)

    Args:
        features: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """``features * sigmoid(beta * features)``, also called swish.

    >>> tf.nn.silu([-1000.0, 0.0, 2.0]).numpy().round(4)
    array([-0.    ,  0.    ,  1.7616], dtype=float32)
    """

def softmax(logits: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """``exp(logits)`` scaled to sum to one along ``axis``, the last by default.

    >>> tf.nn.softmax([1000.0, 1000.0, -1000.0]).numpy()
    array([0.5, 0.5, 0. ], dtype=float32)
    """

def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """``log(1 + exp(features))``, exact in both tails.

    >>> tf.nn.softplus([-1000.0, 0.0, 1000.0]).numpy()
    array([0.000000e+00, 6.931472e-01, 1.000000e+03], dtype=float32)

    Args:
        features: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """``features / (1 + abs(features))``.

    >>> tf.nn.softsign([-1.0, 0.0, 3.0]).numpy()
    array([-0.5 ,  0.  ,  0.75], dtype=float32)

    Differs from TensorFlow: at infinity it is 1, its limit, and not NaN. It also has a second derivative.

    Args:
        features: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: str | None = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``dropout`` in which ``seed``, two integers, alone decides which elements are dropped.

    >>> x = tf.ones([3, 4])
    >>> first, second = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]) for _ in range(2)]
    >>> bool(tf.reduce_all(first == second))
    True
    """

def swish(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """``features * sigmoid(beta * features)``, also called swish.

    >>> tf.nn.silu([-1000.0, 0.0, 2.0]).numpy().round(4)
    array([-0.    ,  0.    ,  1.7616], dtype=float32)
    """
