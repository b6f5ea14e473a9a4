# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def log_softmax(logits: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """The logarithm of ``softmax(logits)``, exact where softmax itself would round to 0.

    >>> tf.nn.log_softmax([1000.0, 0.0]).numpy()
    array([    0., -1000.], dtype=float32)
    """

def softmax(logits: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """``exp(logits)`` scaled to sum to one along ``axis``, the last by default.

    >>> tf.nn.softmax([1000.0, 1000.0, -1000.0]).numpy()
    array([0.5, 0.5, 0. ], dtype=float32)
    """
