# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def reduce_std(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The standard deviation over ``axis``, or over all axes: the root of the mean squared distance.

    >>> tf.math.reduce_std([1.0, 2.0, 6.0]).numpy()
    np.float32(2.1602468)

    Differs from TensorFlow: the gradient for equal elements is 0.

    Args:
        input_tensor: a tensor of floating point or complex numbers.
        axis: an axis or several; None for all.
        keepdims: whether the reduced axes stay, with length 1.

    Raises:
        TypeError: for integers.
    """

def reduce_variance(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean squared distance from the mean over ``axis``, or over all axes.

    >>> tf.math.reduce_variance([1.0, 2.0, 6.0]).numpy()
    np.float32(4.6666665)

    Args:
        input_tensor: a tensor of floating point or complex numbers.
        axis: an axis or several; None for all.
        keepdims: whether the reduced axes stay, with length 1.

    Raises:
        TypeError: for integers.
    """
