# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: TensorLike,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """``batch_normalization`` with older arguments: ``gamma`` scales only if asked to.

    >>> x = tf.constant([[1.0], [3.0]])
    >>> tf.nn.batch_norm_with_global_normalization(x, [2.0], [1.0], [5.0], [9.0], 0.0, False).numpy()
    array([[4.],
           [6.]], dtype=float32)
    """

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

def local_response_normalization(
    input: TensorLike,
    depth_radius: TensorLike = 5,
    bias: TensorLike = 1,
    alpha: TensorLike = 1,
    beta: TensorLike = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each pixel divided by a power of the sum of squares of its neighbouring channels.

    >>> x = tf.constant([[[[3.0, 4.0]]]])
    >>> tf.nn.local_response_normalization(x, depth_radius=1, bias=0.0).numpy().ravel()
    array([0.6, 0.8], dtype=float32)

    Args:
        depth_radius: how far away a neighbouring channel may be.
        bias, alpha, beta: the divisor is ``(bias + alpha * sum) ** beta``.

    Differs from TensorFlow: it takes float64 too, and its gradient can be differentiated.

    Returns:
        A tensor.
    """

def lrn(
    input: TensorLike,
    depth_radius: TensorLike = 5,
    bias: TensorLike = 1,
    alpha: TensorLike = 1,
    beta: TensorLike = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each pixel divided by a power of the sum of squares of its neighbouring channels.

    >>> x = tf.constant([[[[3.0, 4.0]]]])
    >>> tf.nn.local_response_normalization(x, depth_radius=1, bias=0.0).numpy().ravel()
    array([0.6, 0.8], dtype=float32)

    Args:
        depth_radius: how far away a neighbouring channel may be.
        bias, alpha, beta: the divisor is ``(bias + alpha * sum) ** beta``.

    Differs from TensorFlow: it takes float64 too, and its gradient can be differentiated.

    Returns:
        A tensor.
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

def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance, from the result of ``sufficient_statistics``.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> print(mean.numpy(), variance.numpy())
    2.0 1.0
    """

def sufficient_statistics(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What ``normalize_moments`` computes moments from: a count, a sum, a sum of squares, and the shift.

    >>> count, total, squares, _ = tf.nn.sufficient_statistics(tf.constant([[1.0], [3.0]]), axes=[0])
    >>> print(count.numpy(), total.numpy(), squares.numpy())
    2.0 [4.] [10.]

    Args:
        shift: a number near the mean. It is subtracted first, so that the variance loses fewer digits.
    """

def weighted_moments(
    x: TensorLike,
    axes: Axis,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of ``x`` over ``axes``, in which elements count by their weight.

    >>> x, weights = tf.constant([1.0, 4.0]), tf.constant([2.0, 1.0])
    >>> mean, variance = tf.nn.weighted_moments(x, [0], weights)
    >>> print(mean.numpy(), variance.numpy())
    2.0 2.0
    """
