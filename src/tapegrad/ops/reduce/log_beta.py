"""The logarithm of the beta function of many arguments, the elements along the last axis."""

from __future__ import annotations

from tapegrad.ops.args import normalize_axis
from tapegrad.ops.batching import leading
from tapegrad.ops.elementwise.math import multiply_no_nan
from tapegrad.ops.elementwise.special import digamma_rise
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.reduce.scan import cumsum
from tapegrad.ops.shape.array import expand_dims

PUBLIC = {
    "math compat.v1.math": "lbeta",
}


@op("_Lbeta", dtypes=REAL_FLOATING, accumulate="float32", values="elements")
def lbeta(xp, x):
    """The logarithm of the absolute value of the beta function of the numbers along the last axis.

    >>> tf.math.lbeta([1.0, 2.0]).numpy().round(4)             # log(1 / 2)
    np.float32(-0.6931)
    """
    normalize_axis(-1, x.ndim)
    positive = xp.all(x > 0, axis=-1) & (x.shape[-1] > 0)
    # lgamma of the sum is almost equal to that of a large x, so each x is taken together with the sum of
    # those before it. With negative numbers such sums may be poles.
    sums = xp.cumsum(x, axis=-1)
    out = xp.add.reduce(xp.log_beta(sums[..., :-1], x[..., 1:]), axis=-1)
    if xp.all(positive):
        return out
    return xp.where(
        positive, out, xp.add.reduce(xp.lgamma(x), axis=-1) - xp.lgamma(xp.add.reduce(x, axis=-1))
    )


@lbeta.shape
def lbeta_shape(x):
    normalize_axis(-1, x.ndim)
    return x.shape[:-1]


def lbeta_gradient(dy, x):
    others = cumsum(x, -1, exclusive=True) + cumsum(x, -1, exclusive=True, reverse=True)
    return -multiply_no_nan(digamma_rise(x, others), expand_dims(dy, -1))


lbeta.gradient(x=lbeta_gradient)
lbeta.batching(leading)
