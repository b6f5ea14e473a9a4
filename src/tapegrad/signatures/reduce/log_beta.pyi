# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function of the numbers along the last axis.

    >>> tf.math.lbeta([1.0, 2.0]).numpy().round(4)             # log(1 / 2)
    np.float32(-0.6931)

    Args:
        x: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
