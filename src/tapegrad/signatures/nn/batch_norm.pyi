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
    """``x`` with each channel normalised, scaled and shifted, and the mean and variance to keep.

    >>> x = tf.constant([[[[1.0]], [[3.0]]]])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.0], [0.0], epsilon=3.0)
    >>> print(y.numpy().ravel(), mean.numpy(), variance.numpy())
    [-0.5  0.5] [2.] [2.]

    Args:
        x: images or volumes, of rank 4 or 5. If it is float16 or bfloat16, the other arguments are float32.
        scale, offset: vectors with an element for each channel.
        mean, variance: the moments so far. If not ``is_training``, these are the ones used.
        epsilon: what is added to the variance. It is at least 1.001e-5.
        exponential_avg_factor: the weight of this batch's moments in those that are returned.

    Differs from TensorFlow: it takes float64 too, with all arguments in float64.
    """
