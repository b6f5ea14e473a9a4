# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def cumprod(
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The running product along ``axis``: each element times all before it.

    >>> tf.math.cumprod([1, 2, 3]).numpy(), tf.math.cumprod([1, 2, 3], exclusive=True).numpy()
    (array([1, 2, 6], dtype=int32), array([1, 1, 2], dtype=int32))

    Differs from TensorFlow: the gradient is right where elements are zero.

    Args:
        x: a tensor of numbers.
        axis: which axis to run along.
        exclusive: whether each product leaves out the element's own value.
        reverse: whether to run from the end.

    Returns:
        A tensor.
    """

def cumsum(
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The running sum along ``axis``: each element plus all before it.

    >>> tf.cumsum([1, 2, 3]).numpy(), tf.cumsum([1, 2, 3], exclusive=True).numpy()
    (array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32))

    Args:
        x: a tensor of numbers.
        axis: which axis to run along.
        exclusive: whether each sum leaves out the element's own value.
        reverse: whether to run from the end.

    Returns:
        A tensor.
    """

def cumulative_logsumexp(
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The logarithm of the running sum of ``exp(x)`` along ``axis``, without overflow.

    >>> tf.math.cumulative_logsumexp([0.0, 1000.0, 1000.0]).numpy()
    array([   0.    , 1000.    , 1000.6932], dtype=float32)

    Args:
        x: a tensor of real floating point numbers.
        axis: which axis to run along.
        exclusive: whether each sum leaves out the element's own value.
        reverse: whether to run from the end.

    Returns:
        A tensor.
    """
