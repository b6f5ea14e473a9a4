# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike

def atrous_conv2d(
    value: TensorLike,
    filters: TensorLike,
    rate: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """``conv2d`` with holes of ``rate - 1`` between the elements of the filter.

    >>> tf.nn.atrous_conv2d(tf.ones([1, 6, 6, 1]), tf.ones([3, 3, 1, 1]), 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """

def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``atrous_conv2d``.

    >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([3, 3, 1, 1])
    >>> tf.nn.atrous_conv2d_transpose(x, filters, [1, 6, 6, 1], 2, "VALID").shape
    TensorShape([1, 6, 6, 1])
    """

def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NWC',
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of sequences with filters.

    >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
    >>> tf.nn.conv1d(x, tf.ones([2, 1, 1]), stride=1, padding="VALID").numpy().ravel()
    array([1., 3., 5.], dtype=float32)

    Args:
        input: of shape (batch, length, channels); there may be more batch axes.
        filters: of shape (length, channels of the input, channels of the result).
        data_format: "NWC", or "NCW" if channels come before the length.
    """

def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike = 'SAME',
    data_format: str = 'NWC',
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv1d``: its gradient in the input.

    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 3]), tf.ones([2, 5, 3]), [1, 4, 5], 2).shape
    TensorShape([1, 4, 5])
    """

def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of images with filters.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)

    Args:
        input: of shape (batch, height, width, channels); there may be more batch axes.
        filters: of shape (height, width, channels of the input, channels of the result). If a filter has
            fewer channels than the input, the channels are in groups.
        strides, dilations: one number, one for each spatial axis, or one for each axis.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if channels come before height and width.
    """

def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike = 'SAME',
    data_format: str = 'NHWC',
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv2d``: its gradient in the input.

    >>> tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 5, 3]), [1, 4, 4, 5], 2).shape
    TensorShape([1, 4, 4, 5])

    Args:
        filters: of shape (height, width, channels of the result, channels of the input).
        output_shape: the shape of the result, which ``strides`` alone do not determine.
    """

def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of volumes with filters. See ``conv2d``.

    >>> tf.nn.conv3d(tf.ones([1, 3, 3, 3, 1]), tf.ones([2, 2, 2, 1, 4]), [1] * 5, "VALID").shape
    TensorShape([1, 2, 2, 2, 4])
    """

def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike = 'SAME',
    data_format: str = 'NDHWC',
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv3d``: its gradient in the input.

    >>> x, filters = tf.ones([1, 2, 2, 2, 3]), tf.ones([2, 2, 2, 5, 3])
    >>> tf.nn.conv3d_transpose(x, filters, [1, 4, 4, 4, 5], 2).shape
    TensorShape([1, 4, 4, 4, 5])
    """

def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike = 'SAME',
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``convolution``, in as many dimensions as ``filters`` has spatial axes.

    >>> tf.nn.conv_transpose(tf.ones([1, 2, 3]), tf.ones([2, 5, 3]), [1, 4, 5], 2).shape
    TensorShape([1, 4, 5])
    """

def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike | None = None,
    padding: str | Sequence[Sequence[int]] | TensorLike = 'VALID',
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The convolution in as many dimensions as ``filters`` has spatial axes.

    >>> tf.nn.convolution(tf.ones([1, 5, 5, 2]), tf.ones([3, 3, 2, 4]), padding="SAME").shape
    TensorShape([1, 5, 5, 4])
    """
