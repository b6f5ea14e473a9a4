# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def bias_add(
    value: TensorLike,
    bias: TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """``value`` with the vector ``bias`` added along its axis of channels.

    >>> tf.nn.bias_add(tf.zeros([2, 3]), [1.0, 2.0, 3.0]).numpy()
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)

    Args:
        data_format: ``"N...C"`` (the default) if channels are the last axis, ``"NC..."`` if they are the
            second.
    """
