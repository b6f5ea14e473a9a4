# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.nn.pool import MaxPoolWithArgmax as MaxPoolWithArgmax

def avg_pool(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window, in as many dimensions as ``input`` has. See ``avg_pool2d``.

    >>> tf.nn.avg_pool(tf.ones([1, 4, 2]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2])
    """

def avg_pool1d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NWC',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a sequence.

    >>> tf.nn.avg_pool1d(tf.constant([[[1.0], [3.0], [2.0], [0.0]]]), 2, 2, "VALID").numpy().ravel()
    array([2., 1.], dtype=float32)
    """

def avg_pool2d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of an image, channel by channel. Padding is left out of the means.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.avg_pool2d(x, ksize=2, strides=2, padding="SAME").numpy()[0, :, :, 0]
    array([[2. , 3.5],
           [6.5, 8. ]], dtype=float32)
    """

def avg_pool3d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a volume. See ``avg_pool2d``.

    >>> tf.nn.avg_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])
    """

def max_pool(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element in each window, in as many dimensions as ``input`` has. See ``max_pool2d``.

    >>> tf.nn.max_pool(tf.ones([1, 4, 2]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2])
    """

def max_pool1d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NWC',
    name: str | None = None,
) -> Tensor:
    """The largest element in each window of a sequence.

    >>> tf.nn.max_pool1d(tf.constant([[[1.0], [3.0], [2.0], [0.0]]]), 2, 2, "VALID").numpy().ravel()
    array([3., 2.], dtype=float32)
    """

def max_pool2d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """The largest element in each window of an image, channel by channel.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID").numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)

    Args:
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
    """

def max_pool3d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """The largest element in each window of a volume. See ``max_pool2d``.

    >>> tf.nn.max_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])
    """

def max_pool_with_argmax(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    data_format: str = 'NHWC',
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """The largest element in each window, and its index in the flattened image.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool_with_argmax(x, 2, 2, "VALID").argmax.numpy().ravel()
    array([ 5,  7, 13, 15])
    """

def pool(
    input: TensorLike,
    window_shape: ShapeLike,
    pooling_type: str,
    strides: TensorLike | None = None,
    padding: str | Sequence[Sequence[int]] | TensorLike = 'VALID',
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Pooling of the kind ``pooling_type``, "MAX" or "AVG".

    >>> tf.nn.pool(tf.ones([1, 4, 4, 2]), [2, 2], "MAX", strides=[2, 2]).shape
    TensorShape([1, 2, 2, 2])

    Args:
        dilations: for each axis, the distance between the elements of a window. Other values than 1 require
            ``padding="VALID"`` and strides of 1.
    """
