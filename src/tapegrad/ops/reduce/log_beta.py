"""The logarithm of the beta function of many arguments, the elements along the last axis."""

from __future__ import annotations

from typing import Any

from tapegrad.core import Tensor, convert
from tapegrad.ops.elementwise.special import lgamma
from tapegrad.ops.reduce.reduce import reduce_sum

PUBLIC = {
    "math compat.v1.math": "lbeta",
}


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function of the numbers along the last axis.

    >>> tf.math.lbeta([1.0, 2.0]).numpy().round(4)             # log(1 / 2)
    np.float32(-0.6931)
    """
    x = convert(x)
    return reduce_sum(lgamma(x), -1) - lgamma(reduce_sum(x, -1))
