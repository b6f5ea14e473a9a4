# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.ops.nn.isotonic import IsotonicRegression as IsotonicRegression
from typing import Any as Any

def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """The falling (or rising) sequence nearest to ``inputs`` along ``axis``, and the block of each element.

    >>> fit = tf.nn.isotonic_regression(tf.constant([4.0, 1.0, 3.0]))
    >>> fit.output.numpy().tolist(), fit.segments.numpy().tolist()
    ([4.0, 2.0, 2.0], [0, 1, 1])

    Nearest means least squares. Integers become float32 (signed ones up to 16 bits) or float64.
    """
