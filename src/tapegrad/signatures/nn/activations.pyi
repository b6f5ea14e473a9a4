# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def crelu(features: TensorLike, axis: Axis = -1, name: str | None = None) -> Tensor:
    """``relu(features)`` and ``relu(-features)``, one after the other along ``axis``.

    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
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

def swish(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """``features * sigmoid(beta * features)``, also called swish.

    >>> tf.nn.silu([-1000.0, 0.0, 2.0]).numpy().round(4)
    array([-0.    ,  0.    ,  1.7616], dtype=float32)
    """
