# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from typing import Any as Any

def isotonic_regression(
    inputs: Any,
    decreasing: bool = True,
    axis: int = -1,
) -> tuple[Tensor, Tensor]:
    """The falling (or rising) sequence nearest to ``inputs`` along ``axis``, and the block of each element.

    >>> output, segments = tf.nn.isotonic_regression(tf.constant([4.0, 1.0, 3.0]))
    >>> output.numpy().tolist(), segments.numpy().tolist()
    ([4.0, 2.0, 2.0], [0, 1, 1])

    Nearest means least squares. Integers become float32 (signed ones up to 16 bits) or float64. A falling
    sequence along the last axis is what the op gives, and has its names: ``output`` and ``segments``.
    """
