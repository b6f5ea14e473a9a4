# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.nn.fractional_pool import FractionalAvgPool as FractionalAvgPool
from tapegrad.ops.nn.fractional_pool import FractionalMaxPool as FractionalMaxPool

def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """Means over windows of uneven sizes. The arguments are those of ``fractional_max_pool``.

    >>> x = tf.ones([1, 5, 5, 1])
    >>> tf.nn.fractional_avg_pool(x, [1.0, 1.6, 1.6, 1.0], seed=1).output.numpy().ravel()
    array([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)

    Args:
        pooling_ratio: a list of four numbers, the first and the last of which are 1.0.
    """

def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """Maxima over windows of uneven sizes, so that the image shrinks by ``pooling_ratio``.

    >>> x = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    >>> pooled = tf.nn.fractional_max_pool(x, 1.6, seed=1)
    >>> pooled.output.shape
    TensorShape([1, 3, 3, 1])
    >>> int(pooled.row_pooling_sequence[-1])                # where the last window ends
    5

    Args:
        pooling_ratio: at least 1. One number, or two for rows and columns in a list [1.0, r, c, 1.0].
        pseudo_random: whether to draw one number for all windows of an axis, or the order of the windows.
        overlapping: whether each window also covers the first elements of its right and lower neighbours.
        seed: the same seed gives the same windows in each call. 0 gives different ones.
    """
