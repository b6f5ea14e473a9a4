# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = 'NHWC',
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """``x`` with each channel normalised, scaled and moved, and the mean and variance to keep.

    >>> x = tf.constant([[[[1.0]], [[3.0]]]])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.0], [0.0], epsilon=3.0)
    >>> print(y.numpy().ravel(), mean.numpy(), variance.numpy())
    [-0.5  0.5] [2.] [2.]

    Args:
        x: images or volumes, of rank 4 or 5. float16 and bfloat16 have their other arguments in float32.
        scale, offset: vectors with an element for each channel.
        mean, variance: the moments so far; those used, if not ``is_training``.
        epsilon: added to the variance, and at least 1.001e-5.
        exponential_avg_factor: how much of this batch's moments goes into those that are returned.

    Differs from TensorFlow: float64 is taken too, with all arguments in float64.
    """
