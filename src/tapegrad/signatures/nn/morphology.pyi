# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from collections.abc import Sequence as Sequence
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str,
    dilations: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The largest of ``input + filters`` over a window around each pixel, channel by channel.

    >>> x = tf.reshape([1.0, 5.0, 2.0, 0.0], [1, 1, 4, 1])
    >>> bump = tf.zeros([1, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.dilation2d(x, bump, ones, "SAME", "NHWC", ones).numpy().ravel()
    array([5., 5., 5., 2.], dtype=float32)

    The gradient goes to the first maximum of each window.

    Args:
        input: [batch, height, width, channels].
        filters: [height, width, channels].
        strides, dilations: four numbers each, the first and the last of which are 1.
    """

def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str,
    dilations: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The smallest of ``value - filters`` over a window around each pixel, channel by channel.

    >>> x = tf.reshape([1.0, 5.0, 2.0, 3.0], [1, 1, 4, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.erosion2d(x, tf.zeros([1, 3, 1]), ones, "SAME", "NHWC", ones).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """

def with_space_to_batch(
    input: TensorLike,
    dilation_rate: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    op: Callable[..., Any],
    filter_shape: ShapeLike | None = None,
    spatial_dims: TensorLike | None = None,
    data_format: str | None = None,
) -> Tensor:
    """``op(input, num_spatial_dims, padding)``, as if its windows had holes given by ``dilation_rate``.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> def pairs(x, num_spatial_dims, padding):
    ...     return x[:, :-1] + x[:, 1:]
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", pairs).numpy().ravel()
    array([2., 4., 6., 8.], dtype=float32)

    Args:
        padding: "VALID", "SAME", or a list of pairs, one for each axis of ``input``.
        filter_shape: the sizes of the op's windows, which padding "SAME" needs.
        spatial_dims: the axes to which the rates belong. The default is the first axes after the batch (and
            after the channels, if ``data_format`` starts with "NC").
    """
