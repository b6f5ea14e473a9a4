"""Exponentials, logarithms, the sigmoid, and ``xlogy`` and its like, which are 0 where ``x`` is 0."""

from __future__ import annotations

from tapegrad.ops.elementwise.math import multiply_no_nan, zero_safe_divide
from tapegrad.ops.op import FLOATING, REAL_FLOATING, elementwise

PUBLIC = {
    ". math compat.v1": "exp",
    ". math nn compat.v1": "sigmoid",
    "math": "expm1 log log1p",
    "math compat.v1.math": "xdivy xlog1py xlogy",
}


exp = elementwise(
    "Exp",
    "exp",
    dtypes=FLOATING,
    doc="""``e ** x``.

    >>> tf.exp([0.0, 1.0]).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)
    """,
    check_numerics={
        "+Inf": "exp overflows above 88 in float32, above 709 in float64 and above 11 in "
        "float16. tf.nn.softmax, tf.nn.softplus, tf.sigmoid and "
        "tf.reduce_logsumexp do not; else write tf.exp(tf.minimum(x, 80.0)).",
    },
)
exp.gradient(x=lambda dy, out: dy * out)

expm1 = elementwise(
    "Expm1",
    "expm1",
    dtypes=FLOATING,
    doc="""``exp(x) - 1``, exact for small ``x`` too.

    >>> tf.math.expm1([0.0, 1e-10]).numpy()
    array([0.e+00, 1.e-10], dtype=float32)
    """,
    check_numerics={
        "+Inf": "expm1 overflows above 88 in float32 and above 709 in float64: write "
        "tf.math.expm1(tf.minimum(x, 80.0)).",
    },
)
# exp(x) again rather than out + 1, which is a difference of almost equal numbers far below zero.
expm1.gradient(x=lambda dy, x: dy * exp(x))

log = elementwise(
    "Log",
    "log",
    dtypes=FLOATING,
    doc="""The natural logarithm.

    >>> tf.math.log([1.0, 10.0]).numpy().round(4)
    array([0.    , 2.3026], dtype=float32)
    """,
    check_numerics={
        "-Inf": "The logarithm of 0 is -Inf: write tf.math.log(tf.maximum(x, 1e-7)). For "
        "x * log(x) there is tf.math.xlogy(x, x), for the log of a softmax tf.nn.log_softmax.",
        "NaN": "The logarithm of a negative number is NaN: write tf.math.log(tf.maximum(x, 1e-7)).",
        "gradient": "The slope of the logarithm is 1 / x, which overflows next to 0: write "
        "tf.math.log(tf.maximum(x, 1e-7)).",
    },
)
log.gradient(x=lambda dy, x: zero_safe_divide(dy, x))

log1p = elementwise(
    "Log1p",
    "log1p",
    dtypes=FLOATING,
    doc="""``log(1 + x)``, exact for small ``x`` too.

    >>> tf.math.log1p([0.0, 1e-10]).numpy()
    array([0.e+00, 1.e-10], dtype=float32)
    """,
    check_numerics={
        "-Inf": "log1p of -1 is -Inf: write tf.math.log1p(tf.maximum(x, -1.0 + 1e-6)).",
        "NaN": "log1p of a number below -1 is NaN: write tf.math.log1p(tf.maximum(x, "
        "-1.0 + 1e-6)).",
        "gradient": "The slope of log1p is infinite at -1: write tf.math.log1p(tf.maximum(x, "
        "-1.0 + 1e-6)).",
    },
)
log1p.gradient(x=lambda dy, x: zero_safe_divide(dy, x + 1.0))

sigmoid = elementwise(
    "Sigmoid",
    "sigmoid",
    dtypes=FLOATING,
    doc="""``1 / (1 + exp(-x))``.

    >>> tf.sigmoid([0.0, 100.0]).numpy()
    array([0.5, 1. ], dtype=float32)
    """,
)
sigmoid.gradient(x=lambda dy, out: sigmoid_grad(out, dy))

sigmoid_grad = elementwise(
    "SigmoidGrad",
    "sigmoid_grad",
    inputs=("y", "grad"),
    dtypes=FLOATING,
    raw=("y", "dy"),
    linear="grad",
)
sigmoid_grad.gradient(
    y=lambda dy, y, grad: dy * grad * (1.0 - (y + y)),
    grad=lambda dy, y: sigmoid_grad(y, dy),
)
sigmoid_grad.formula = lambda y, grad: grad * (y - y * y)

# Where x is 0, the xlogy family and its gradients are 0, whatever the logarithm or quotient would be.
one_unless_zero = elementwise(
    "_OneUnlessZero",
    lambda xp, x: (x != 0).astype(x.dtype),
    dtypes=FLOATING,
    name="one_unless_zero",
)
one_unless_zero.no_gradient()

xlogy = elementwise(
    "Xlogy",
    # 0 where x = 0, even where y is NaN.
    lambda xp, x, y: xp.multiply_no_nan(xp.log(y), x),
    accumulate="float32",
    inputs=("x", "y"),
    name="xlogy",
    dtypes=FLOATING,
    doc="""``x * log(y)``, and 0 where ``x`` is 0; the gradients are 0 there too.

    >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)
    """,
    linear="x",
)
xlogy.gradient(
    x=lambda dy, x, y: multiply_no_nan(xlogy(one_unless_zero(x), y), dy),
    y=lambda dy, x, y: multiply_no_nan(xdivy(x, y), dy),
)

xlog1py = elementwise(
    "Xlog1py",
    lambda xp, x, y: xp.multiply_no_nan(xp.log1p(y), x),
    accumulate="float32",
    inputs=("x", "y"),
    name="xlog1py",
    dtypes=FLOATING,
    doc="""``x * log(1 + y)``, and 0 where ``x`` is 0; the gradients are 0 there too.

    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    """,
    linear="x",
)
xlog1py.gradient(
    x=lambda dy, x, y: multiply_no_nan(xlog1py(one_unless_zero(x), y), dy),
    y=lambda dy, x, y: multiply_no_nan(xdivy(x, y + 1.0), dy),
)

xdivy = elementwise(
    "Xdivy",
    "xdivy",
    dtypes=FLOATING,
    doc="""``x / y``, and 0 where ``x`` is 0; the gradients are 0 there too.

    >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """,
    linear="x",
)
xdivy.gradient(
    x=lambda dy, x, y: multiply_no_nan(xdivy(one_unless_zero(x), y), dy),
    y=lambda dy, y, out: -multiply_no_nan(xdivy(out, y), dy),
)


def exponential_of_difference(xp, x, y):
    # inf - inf would be NaN. For two equal infinities exp(x) is all of exp(y) if both are inf (result 1),
    # and none of it if both are -inf (result 0).
    difference = xp.where(x == y, xp.where(x == -xp.inf, x, xp.zeros((), x.dtype)), x - y)
    return xp.exp(difference)


exp_difference = elementwise(
    "_ExpDifference",
    exponential_of_difference,
    accumulate="float32",
    name="exp_difference",
    dtypes=REAL_FLOATING,
    doc="""exp(x - y), the share of exp(x) in exp(y): 1 if both are inf, and 0 if both are -inf.""",
)
exp_difference.gradient(
    x=lambda dy, out: multiply_no_nan(out, dy),
    y=lambda dy, out: -multiply_no_nan(out, dy),
)
