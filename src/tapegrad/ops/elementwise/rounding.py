"""Rounding to whole numbers: down, up, and to the nearest."""

from tapegrad.ops.elementwise.math import is_integral
from tapegrad.ops.op import REAL, REAL_FLOATING, elementwise

PUBLIC = {
    ". math compat.v1": "floor round",
    "math": "ceil rint",
}

floor = elementwise(
    "Floor",
    "floor",
    dtypes=REAL_FLOATING,
    doc="""The largest whole number not above ``x``.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """,
)
floor.no_gradient()

ceil = elementwise(
    "Ceil",
    "ceil",
    dtypes=REAL_FLOATING,
    doc="""The smallest whole number not below ``x``.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)
    """,
)
ceil.no_gradient()

rint = elementwise(
    "Rint",
    "rint",
    dtypes=REAL_FLOATING,
    doc="""The nearest whole number. If two are equally near, it is the even one.

    >>> tf.math.rint([0.5, 1.5]).numpy()
    array([0., 2.], dtype=float32)
    """,
)
rint.no_gradient()

round = elementwise(
    "Round",
    lambda xp, x: x if is_integral(x) else xp.rint(x),
    dtypes=REAL,
    name="round",
    doc="""The nearest whole number. If two are equally near, it is the even one. Integers stay as they are.

    >>> tf.round([0.5, 1.5]).numpy()
    array([0., 2.], dtype=float32)
    """,
)
round.no_gradient()
