# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike

def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of each channel with filters of its own.

    >>> x, filter = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 3])
    >>> tf.nn.depthwise_conv2d(x, filter, strides=[1, 1, 1, 1], padding="SAME").shape
    TensorShape([1, 4, 4, 6])

    Args:
        filter: of shape (height, width, channels of the input, results per channel).
    """

def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """The gradient of ``depthwise_conv2d`` in its filter, which has the shape ``filter_sizes``."""

def depthwise_conv2d_backprop_input(
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    dilations: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """The gradient of ``depthwise_conv2d`` in its input, which has the shape ``input_sizes``."""

def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A depthwise convolution, followed by one of size 1 by 1 that mixes the channels.

    >>> x = tf.ones([1, 4, 4, 2])
    >>> depthwise, pointwise = tf.ones([2, 2, 2, 3]), tf.ones([1, 1, 6, 5])
    >>> tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 5])
    """
