"""Trigonometric and hyperbolic functions and their inverses.

A gradient of zero stays zero even where a derivative has a pole, as asin's has at 1: see `math`.
"""

from __future__ import annotations

from tapegrad.ops.elementwise.math import divide_no_nan_op, sqrt, zero_safe_divide
from tapegrad.ops.op import FLOATING, REAL_FLOATING, elementwise

PUBLIC = {
    ". math compat.v1": "acos acosh asin asinh atan atanh cos cosh sin sinh tan",
    ". math compat.v1 compat.v1.math": "atan2",
    ". math nn compat.v1": "tanh",
}


sin = elementwise(
    "Sin",
    "sin",
    dtypes=FLOATING,
    doc="""The sine of an angle in radians.

    >>> tf.sin([0.0, np.pi / 2]).numpy()
    array([0., 1.], dtype=float32)
    """,
)
sin.gradient(x=lambda dy, x: dy * cos(x))

cos = elementwise(
    "Cos",
    "cos",
    dtypes=FLOATING,
    doc="""The cosine of an angle in radians.

    >>> tf.cos([0.0, np.pi]).numpy()
    array([ 1., -1.], dtype=float32)
    """,
)
cos.gradient(x=lambda dy, x: -(dy * sin(x)))

tan = elementwise(
    "Tan",
    "tan",
    dtypes=FLOATING,
    doc="""The tangent of an angle in radians.

    >>> tf.tan([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5463], dtype=float32)
    """,
)
tan.gradient(x=lambda dy, out: dy * (out * out + 1.0))

asin = elementwise(
    "Asin",
    "arcsin",
    dtypes=FLOATING,
    name="asin",
    doc="""The angle in [-pi/2, pi/2] whose sine is ``x``; NaN outside [-1, 1].

    >>> tf.asin([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)
    """,
    check_numerics={
        "NaN": "asin takes numbers from -1 to 1: write tf.asin(tf.clip_by_value(x, -1.0, 1.0)).",
        "gradient": "The slope of asin is infinite at -1 and 1: write "
        "tf.asin(tf.clip_by_value(x, -1.0 + 1e-6, 1.0 - 1e-6)).",
    },
)
# (1 - x) * (1 + x) keeps the precision near 1 that 1 - x * x loses.
asin.gradient(x=lambda dy, x: zero_safe_divide(dy, sqrt((1.0 - x) * (1.0 + x))))

acos = elementwise(
    "Acos",
    "arccos",
    dtypes=FLOATING,
    name="acos",
    doc="""The angle in [0, pi] whose cosine is ``x``; NaN outside [-1, 1].

    >>> tf.acos([1.0, 0.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)
    """,
    check_numerics={
        "NaN": "acos takes numbers from -1 to 1: write tf.acos(tf.clip_by_value(x, -1.0, 1.0)).",
        "gradient": "The slope of acos is infinite at -1 and 1: write "
        "tf.acos(tf.clip_by_value(x, -1.0 + 1e-6, 1.0 - 1e-6)).",
    },
)
acos.gradient(x=lambda dy, x: -zero_safe_divide(dy, sqrt((1.0 - x) * (1.0 + x))))

atan = elementwise(
    "Atan",
    "arctan",
    dtypes=FLOATING,
    name="atan",
    doc="""The angle in [-pi/2, pi/2] whose tangent is ``x``.

    >>> tf.atan([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7854], dtype=float32)
    """,
)
atan.gradient(x=lambda dy, x: zero_safe_divide(dy, x * x + 1.0))

sinh = elementwise(
    "Sinh",
    "sinh",
    dtypes=FLOATING,
    doc="""The hyperbolic sine.

    >>> tf.sinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.1752], dtype=float32)
    """,
)
sinh.gradient(x=lambda dy, x: dy * cosh(x))

cosh = elementwise(
    "Cosh",
    "cosh",
    dtypes=FLOATING,
    doc="""The hyperbolic cosine.

    >>> tf.cosh([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.5431], dtype=float32)
    """,
)
cosh.gradient(x=lambda dy, x: dy * sinh(x))

tanh = elementwise(
    "Tanh",
    "tanh",
    dtypes=FLOATING,
    doc="""The hyperbolic tangent.

    >>> tf.tanh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7616], dtype=float32)
    """,
)
tanh.gradient(x=lambda dy, out: tanh_grad(out, dy))

tanh_grad = elementwise(
    "TanhGrad", "tanh_grad", dtypes=FLOATING, inputs=("y", "grad"), raw=("y", "dy"), linear="grad"
)
tanh_grad.gradient(
    y=lambda dy, y, grad: dy * grad * y * -2.0,
    grad=lambda dy, y: tanh_grad(y, dy),
)
tanh_grad.formula = lambda y, grad: grad * (1.0 - y * y)

asinh = elementwise(
    "Asinh",
    "arcsinh",
    dtypes=FLOATING,
    name="asinh",
    doc="""The inverse hyperbolic sine.

    >>> tf.asinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8814], dtype=float32)
    """,
)
# cosh(out) is sqrt(1 + x * x), without a square that could overflow.
asinh.gradient(x=lambda dy, out: zero_safe_divide(dy, cosh(out)))

acosh = elementwise(
    "Acosh",
    "arccosh",
    dtypes=FLOATING,
    name="acosh",
    doc="""The inverse hyperbolic cosine; NaN below 1.

    >>> tf.acosh([1.0, 2.0]).numpy().round(4)
    array([0.   , 1.317], dtype=float32)
    """,
    check_numerics={
        "NaN": "acosh takes numbers from 1 on: write tf.acosh(tf.maximum(x, 1.0)).",
        "gradient": "The slope of acosh is infinite at 1: write tf.acosh(tf.maximum(x, 1.0 + "
        "1e-6)).",
    },
)
acosh.gradient(x=lambda dy, out: zero_safe_divide(dy, sinh(out)))

atanh = elementwise(
    "Atanh",
    "arctanh",
    dtypes=FLOATING,
    name="atanh",
    doc="""The inverse hyperbolic tangent; NaN outside [-1, 1].

    >>> tf.atanh([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5493], dtype=float32)
    """,
    check_numerics={
        "NaN": "atanh takes numbers between -1 and 1: write tf.atanh(tf.clip_by_value(x, "
        "-1.0 + 1e-6, 1.0 - 1e-6)).",
        "+Inf": "atanh is infinite at -1 and 1: write tf.atanh(tf.clip_by_value(x, -1.0 + "
        "1e-6, 1.0 - 1e-6)).",
        "-Inf": "atanh is infinite at -1 and 1: write tf.atanh(tf.clip_by_value(x, -1.0 + "
        "1e-6, 1.0 - 1e-6)).",
    },
)
atanh.gradient(x=lambda dy, x: zero_safe_divide(dy, (1.0 - x) * (1.0 + x)))

hypotenuse = elementwise(
    "_Hypotenuse",
    "hypot",
    dtypes=REAL_FLOATING,
    name="hypotenuse",
)
hypotenuse.gradient(
    x=lambda dy, x, out: dy * divide_no_nan_op(x, out),
    y=lambda dy, y, out: dy * divide_no_nan_op(y, out),
)


def over_squared_radius(dy, part, x, y):
    """dy * part / (x * x + y * y): 0 at the origin, and without squares that overflow or underflow."""
    radius = hypotenuse(x, y)
    return dy * divide_no_nan_op(divide_no_nan_op(part, radius), radius)


atan2 = elementwise(
    "Atan2",
    "arctan2",
    dtypes=REAL_FLOATING,
    inputs=("y", "x"),
    name="atan2",
    doc="""The angle of the point (x, y) seen from the origin, in radians. At the origin its gradients are 0.

    >>> tf.atan2([1.0, 0.0], [0.0, -1.0]).numpy().round(4)
    array([1.5708, 3.1416], dtype=float32)
    """,
)
atan2.gradient(
    y=lambda dy, y, x: over_squared_radius(dy, x, x, y),
    x=lambda dy, y, x: -over_squared_radius(dy, y, x, y),
)
