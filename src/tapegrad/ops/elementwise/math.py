"""Arithmetic and powers, element by element, and the operators of tensors.

Exponentials are in `exponential`, angles in `trigonometry`, comparisons and bits in `logic`, special
functions in `special`, the parts of complex numbers in `complex`.

A factor of a rule may be infinite, such as 1 / x at zero. A gradient of zero that arrives from outside
stays zero even then, so that ``tf.where(x > 0, tf.math.log(x), 0.0)`` has a gradient at x = 0. Rules
therefore use `zero_safe_divide` in place of plain division, and `multiply_no_nan`, with the gradient as
its second factor, in place of plain multiplication.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Operand, Tensor, convert, public, sizes
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import slopes
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.elementwise import logic
from tapegrad.ops.elementwise.complex import conj, real, widen
from tapegrad.ops.elementwise.logic import logical_and
from tapegrad.ops.op import (
    BOOL,
    FLOATING,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    STRING,
    UNSIGNED,
    elementwise,
    says,
)
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import keeps_sizes

if TYPE_CHECKING:
    from tapegrad.framework.types import Composite, TensorLike

PUBLIC = {
    ". compat.v1": "realdiv=real_divide truncatediv truncatemod",
    ". math": "scalar_mul",
    ". math compat.v1": ("add divide maximum minimum multiply negative sqrt square"),
    ". math compat.v1 compat.v1.math": "pow subtract truediv",
    "math": ("divide_no_nan floormod mod multiply_no_nan reciprocal reciprocal_no_nan rsqrt"),
    "math compat.v1.math": "floordiv nextafter polyval squared_difference",
}


WITH_SIGN = NUMERIC - UNSIGNED


# Helpers that rules are made of


zero_safe_divide = elementwise(
    "_ZeroSafeDivide",
    "xdivy",
    dtypes=FLOATING,
    name="zero_safe_divide",
    doc="""dy / y, and 0 where dy is 0. It is linear in dy at 0, where `xdivy` has the gradient 0.""",
    linear="x",
)

zero_safe_divide.gradient(
    x=lambda dy, y: zero_safe_divide(dy, y),
    y=lambda dy, y, out: quotient_slope(out, y, dy),
)


def slope_of_quotient(xp, quotient, y, grad):
    # quotient / y and grad / y may be too large or too small for a number where the product of all three
    # is not. So the larger factor is divided where y is at least 1, and the smaller one elsewhere: that
    # leaves the numbers only where the product does, or y is subnormal.
    first = (xp.abs(quotient) >= xp.abs(grad)) == (xp.abs(y) >= 1)
    slope = xp.where(first, quotient, grad) / y * xp.where(first, grad, quotient)
    return xp.where(grad == 0, xp.zeros((), y.dtype), -slope)


quotient_slope = elementwise(
    "_QuotientSlope",
    slope_of_quotient,
    accumulate="float32",
    inputs=("quotient", "y", "grad"),
    dtypes=FLOATING,
    name="quotient_slope",
    doc="""-quotient * grad / y, and 0 where grad is 0: what ``x / y`` has as its gradient by y.""",
    linear=("quotient", "grad"),
)

quotient_slope.gradient(
    quotient=lambda dy, y, grad: quotient_slope(grad, y, dy),
    y=lambda dy, y, out: quotient_slope(out, y, dy),
    grad=lambda dy, quotient, y: quotient_slope(quotient, y, dy),
)
zero_safe_divide.divides = True


def zero_unless(xp, x, condition):
    if x.dtype.char in "fd":
        # relu_grad compiles to a select per element. On a mask without a pattern it is forty times as
        # fast as where.
        return xp.relu_grad(x, condition)
    return xp.where(condition, x, xp.zeros((), x.dtype))


keep_where = elementwise(
    "_KeepWhere",
    zero_unless,
    dtypes={"T": NUMERIC, "condition": BOOL},
    name="keep_where",
    doc="""x where the condition holds, else 0, even if x is infinite or NaN there.""",
    linear="x",
)

keep_where.gradient(x=lambda dy, condition: keep_where(dy, condition))


def conjugate(xp: Any, array: Any) -> Any:
    """The conjugate. Real arrays are returned unchanged; NumPy would copy them."""
    return xp.conj(array) if array.dtype.kind == "c" else array


def is_integral(array: Any) -> bool:
    """Whether an array holds integers."""
    return array.dtype.kind in "iu"


def refuse_zero_divisor(xp: Any, x: Any, y: Any) -> None:
    """Raise if an integer would be divided by zero: no integer represents infinity."""
    if is_integral(y) and not xp.all(y) and x.size:
        refuse("Integer division by zero: the divisor holds at least one 0.")


# Sums and products


add = elementwise(
    "AddV2",
    "add",
    dtypes=NUMERIC | STRING,
    doc="""``x + y``, broadcasting. Strings are joined.

    >>> tf.add([1, 2], 3).numpy()
    array([4, 5], dtype=int32)
    """,
    linear="x y",
)
keeps_sizes(add, operator.add)
add.gradient(x=lambda dy: dy, y=lambda dy: dy)
add.keeps_slices = 2
add.first_decides = True  # alone among TensorFlow's binary ops

subtract = elementwise(
    "Sub",
    "subtract",
    dtypes=NUMERIC,
    doc="""``x - y``, broadcasting.

    >>> tf.subtract(5.0, [1.0, 2.0]).numpy()
    array([4., 3.], dtype=float32)
    """,
    linear="x y",
)
keeps_sizes(subtract, operator.sub)
subtract.gradient(x=lambda dy: dy, y=lambda dy: -dy)
subtract.keeps_slices = 2

multiply = elementwise(
    "Mul",
    "multiply",
    # Not bool: the operator * of two bool tensors is "and" instead, as in TensorFlow; see `product`.
    dtypes=NUMERIC,
    doc="""``x * y``, element by element, broadcasting.

    >>> tf.multiply([1.0, 2.0], 3.0).numpy()
    array([3., 6.], dtype=float32)
    """,
    linear=("x", "y"),
)
keeps_sizes(multiply, operator.mul)
multiply.gradient(x=lambda dy, y: dy * y, y=lambda dy, x: dy * x)

negative = elementwise(
    "Neg",
    "negative",
    dtypes=WITH_SIGN,
    doc="""``-x``.

    >>> tf.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)
    """,
    linear="x",
)
keeps_sizes(negative, operator.neg)
negative.gradient(x=lambda dy: -dy)
negative.keeps_slices = 1

square = elementwise(
    "Square",
    "square",
    dtypes=NUMERIC,
    doc="""``x * x``.

    >>> tf.square([-2.0, 3.0]).numpy()
    array([4., 9.], dtype=float32)
    """,
)
square.gradient(x=lambda dy, x: dy * (x + x))
square.formula = lambda x: x * x


def squared_distance(xp, x, y):
    difference = x - y
    if difference.dtype.kind == "c":
        return difference * xp.conj(difference)
    return difference * difference


def squared_difference_gradient(dy, x, y):
    if dy.dtype.is_complex:
        # The result is |x - y|**2, which is real for all x and y, so the imaginary part of dy has no effect.
        dy = widen(real(dy))
    # Doubled last: twice a difference of float16 is easily infinite where the gradient is not.
    half = dy * (x - y)
    return half + half


squared_difference = elementwise(
    "SquaredDifference",
    squared_distance,
    lane=slopes.squared_difference,
    dtypes=FLOATING | {dtypes.int32, dtypes.int64},
    holomorphic=False,
    name="squared_difference",
    doc="""``(x - y) ** 2``, broadcasting. For complex numbers it is the squared distance ``|x - y| ** 2``.

    >>> tf.math.squared_difference([1.0, 4.0], 2.0).numpy()
    array([1., 4.], dtype=float32)
    """,
)
squared_difference.gradient(
    x=lambda dy, x, y: squared_difference_gradient(dy, x, y),
    y=lambda dy, x, y: -squared_difference_gradient(dy, x, y),
)
squared_difference.formula = lambda x, y: (x - y) * (x - y)

multiply_no_nan = elementwise(
    "MulNoNan",
    "multiply_no_nan",
    dtypes=FLOATING,
    doc="""``x * y``, and 0 where ``y`` is 0 even if ``x`` is infinite or NaN there.

    >>> tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]).numpy()
    array([0., 6.], dtype=float32)
    """,
    linear=("x", "y"),
)
multiply_no_nan.gradient(
    x=lambda dy, y: multiply_no_nan(dy, y),
    y=lambda dy, x: multiply_no_nan(x, dy),
)


@overload
def scalar_mul(scalar: TensorLike, x: Composite, name: str | None = None) -> Composite: ...
@overload
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
@public
@says(dispatched="binary")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """``scalar * x`` for one number and a tensor, a variable or ``tf.IndexedSlices``.

    >>> tf.scalar_mul(2.0, tf.constant([1.0, 3.0])).numpy()
    array([2., 6.], dtype=float32)

    Args:
        scalar: one number, or a tensor without axes.
        x: a tensor, a variable, `tf.IndexedSlices`, or a value that becomes a tensor.

    Raises:
        ValueError: if ``scalar`` is not of rank 0, or a tensor of another dtype than ``x``.
    """
    if not isinstance(x, (Operand, IndexedSlices)):
        x = convert(x)
    factor = convert(scalar, x.dtype)
    if factor.ndim:
        raise ValueError(
            f"scalar_mul() expects one number as its scalar; one of shape {factor.shape} came. "
            "Use tf.multiply, which broadcasts."
        )
    if isinstance(x, IndexedSlices):
        return x.map_values(lambda values: multiply(factor, values))
    return multiply(factor, x)


# Division


real_divide = elementwise(
    "RealDiv",
    "divide",
    dtypes=FLOATING,
    name="real_divide",
    doc="""``x / y`` for floating point or complex numbers.

    >>> tf.realdiv([1.0, 2.0], 4.0).numpy()
    array([0.25, 0.5 ], dtype=float32)
    """,
    linear="x",
    check_numerics={
        "NaN": "0 / 0 is NaN: write tf.math.divide_no_nan(x, y), which is 0 where y is 0.",
        "+Inf": "A division by 0, or by a number next to it, overflows: write "
        "tf.math.divide_no_nan(x, y), which is 0 where y is 0, or x / tf.maximum(y, 1e-7).",
        "-Inf": "A division by 0, or by a number next to it, overflows: write "
        "tf.math.divide_no_nan(x, y), which is 0 where y is 0.",
        "gradient": "The slope of x / y by y is -x / y**2, which overflows next to 0: keep y "
        "away from 0, as in x / tf.maximum(y, 1e-7).",
    },
)
quotient_rules: dict[str, Callable[..., Any]] = {
    "x": lambda dy, y: zero_safe_divide(dy, y),
    "y": lambda dy, y, out: quotient_slope(out, y, dy),
}
real_divide.gradient(**quotient_rules, fast={"y": slopes.quotient_slope})
real_divide.divides = True


def whole_quotient(xp, x, y):
    """x / y towards zero for integers, as C divides."""
    refuse_zero_divisor(xp, x, y)
    return (x - xp.fmod(x, y)) // y


# The dtype in which integers are divided. A dtype that is missing here is divided in itself.
QUOTIENTS = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.int64: dtypes.float64,
}


def quotient_operands(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Both operands of a division, as tensors of the floating or complex dtype to divide in."""
    if isinstance(x, Operand):
        x = convert(x)
        y = convert(y) if isinstance(y, Operand) else convert(y, x.dtype)
    elif isinstance(y, Operand):
        y = convert(y)
        x = convert(x, y.dtype)
    else:
        x = convert(x)
        y = convert(y, x.dtype)
    dtype = x.dtype
    if y.dtype is not dtype:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {dtype!r} != {y.dtype!r}. "
            "Use tf.cast on one."
        )
    target = QUOTIENTS.get(dtype)
    if target is not None:
        return cast(x, target), cast(y, target)
    if dtype not in NUMERIC:
        raise TypeError(
            f"Invalid dtype {dtype!r} in a division: numbers were expected. Use tf.cast first."
        )
    return x, y


@public
@says(dispatched="binary")
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``, broadcasting. Integers are divided as float64 (those of 8 and 16 bits as float32).

    >>> tf.truediv(tf.constant([1, 2]), 4).numpy()
    array([0.25, 0.5 ])

    Args:
        x, y: tensors of one dtype of numbers, or values that become tensors, whose shapes broadcast.

    Raises:
        TypeError: if the operands have different dtypes, or hold no numbers. An operand that is not a tensor
            takes the dtype of ``x`` if ``x`` is a tensor. With a tensor ``y`` it keeps its own dtype,
            unlike in ``x / y``.
    """
    if not isinstance(x, Operand):
        x = convert_to_tensor(x)  # in its own dtype: TensorFlow lets the first operand decide here
    return real_divide(*quotient_operands(x, y))


# The classes of composites that have an operator / of their own.
DIVIDE_THEMSELVES: set[type] = set()


@overload
def divide(x: Composite, y: TensorLike, name: str | None = None) -> Composite: ...
@overload
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
@public
@says(dispatched="binary")
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """``x / y``, as Python divides: see `tf.truediv`. A ``tf.SparseTensor`` uses its own operator ``/``.

    >>> tf.divide([1.0, 3.0], 2.0).numpy()
    array([0.5, 1.5], dtype=float32)

    Args:
        x, y: numbers, which are broadcast.
    """
    if type(x) in DIVIDE_THEMSELVES:
        return x / y
    return real_divide(*quotient_operands(x, y))


divide_no_nan_op = elementwise("DivNoNan", "divide_no_nan", dtypes=FLOATING, linear="x")
divide_no_nan_op.gradient(
    x=lambda dy, y: divide_no_nan_op(dy, y),
    y=lambda dy, y, out: keep_where(quotient_slope(out, y, dy), logic.not_equal(y, 0.0)),
    fast={"y": slopes.quotient_slope_no_nan},
)
divide_no_nan_op.divides = True


@public
@says(dispatched="binary")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``, and 0 where ``y`` is 0; the gradients are 0 there too.

    >>> tf.math.divide_no_nan([1.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)

    Args:
        x, y: floating point or complex numbers, which are broadcast.
    """
    return divide_no_nan_op(*quotient_operands(x, y))


@public
@says(dispatched="unary")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """``1 / x``, and 0 where ``x`` is 0.

    >>> tf.math.reciprocal_no_nan([0.0, 4.0]).numpy()
    array([0.  , 0.25], dtype=float32)

    Args:
        x: a tensor of floating point or complex numbers.
    """
    x = convert(x)
    return divide_no_nan_op(convert(1, x.dtype), x)


def quotient_below(xp, x, y):
    if is_integral(x):
        refuse_zero_divisor(xp, x, y)
        return xp.floor_divide(x, y)
    # NumPy's floor_divide follows its remainder, so inf // 1 is NaN there. TensorFlow's result is inf.
    return xp.floor(xp.divide(x, y))


floordiv = elementwise(
    "FloorDiv",
    quotient_below,
    dtypes=REAL,
    name="floordiv",
    doc="""The largest whole number not above ``x / y``.

    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)

    Raises:
        InvalidArgumentError: for an integer division by zero.
    """,
    values="integer errors",
)
keeps_sizes(floordiv, operator.floordiv)
floordiv.no_gradient()


def remainder(xp, x, y):
    if is_integral(x):
        refuse_zero_divisor(xp, x, y)
        return xp.remainder(x, y)
    if x.dtype == np.float32:
        return xp.floormod_of_floats(x, y)
    # NumPy's remainder of floats takes three times as long. A rest of 0 keeps its sign, which is that of x.
    rest = xp.fmod(x, y)
    return rest + xp.where((rest != 0) & ((rest < 0) != (y < 0)), y, -xp.zeros((), y.dtype))


floormod = elementwise(
    "FloorMod",
    remainder,
    dtypes=REAL,
    name="floormod",
    doc="""The remainder of `tf.math.floordiv`: ``x - floor(x / y) * y``, which has the sign of ``y``.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """,
    values="integer errors",
)
keeps_sizes(floormod, operator.mod)
floormod.gradient(
    x=lambda dy: dy,
    y=lambda dy, x, y: -multiply_no_nan(floordiv(x, y), dy),
)
mod = floormod

truncatediv = elementwise(
    "TruncateDiv",
    lambda xp, x, y: whole_quotient(xp, x, y) if is_integral(x) else xp.trunc(xp.divide(x, y)),
    dtypes=REAL,
    name="truncatediv",
    doc="""``x / y`` without its fractional part.

    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)
    """,
    values="integer errors",
)
truncatediv.no_gradient()


def truncated_remainder(xp, x, y):
    refuse_zero_divisor(xp, x, y)
    return xp.fmod(x, y)


truncatemod = elementwise(
    "TruncateMod",
    truncated_remainder,
    dtypes=REAL_FLOATING | {dtypes.int32, dtypes.int64},
    name="truncatemod",
    doc="""The remainder of `tf.truncatediv`, which has the sign of ``x``.

    >>> tf.truncatemod([7, -7], 3).numpy()
    array([ 1, -1], dtype=int32)
    """,
    values="integer errors",
)

reciprocal = elementwise(
    "Reciprocal",
    "reciprocal",
    dtypes=FLOATING,
    holomorphic=False,
    doc="""``1 / x``.

    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """,
    check_numerics={
        "+Inf": "1 / x overflows at 0: write tf.math.divide_no_nan(1.0, x), which is 0 there.",
        "-Inf": "1 / x overflows at 0: write tf.math.divide_no_nan(1.0, x), which is 0 there.",
        "gradient": "The slope of 1 / x is -1 / x**2, which overflows next to 0: keep x away "
        "from 0.",
    },
)
reciprocal_rules: dict[str, Callable[..., Any]] = {"x": lambda dy, out: reciprocal_grad(out, dy)}
reciprocal.gradient(**reciprocal_rules)

# TensorFlow's `...Grad` ops take a result and its gradient, which they call dy. In our rules dy is the
# gradient that arrives, so the second argument is called grad here. These ops conjugate complex results
# themselves. Therefore neither they nor the ops whose rule they are count as holomorphic.


def reciprocal_slope(xp, y, grad):
    return -xp.multiply_no_nan(conjugate(xp, y * y), grad)


reciprocal_grad = elementwise(
    "ReciprocalGrad",
    reciprocal_slope,
    accumulate="float32",
    holomorphic=False,
    inputs=("y", "grad"),
    dtypes=FLOATING,
    raw=("y", "dy"),
    name="reciprocal_grad",
    linear="grad",
)
reciprocal_grad_rules: dict[str, Callable[..., Any]] = {
    "y": lambda dy, y, grad: multiply_no_nan(multiply_no_nan(conj(y), grad) * -2.0, conj(dy)),
    "grad": lambda dy, y: reciprocal_grad(conj(y), dy),
}
reciprocal_grad.gradient(**reciprocal_grad_rules)
reciprocal_grad.formula = lambda y, grad: -grad * (y * y)

# Powers and roots


def logarithm_of_base(xp, x, y):
    positive = x > 0 if x.dtype.kind == "f" else x != 0
    log = xp.log(xp.where(positive, x, xp.ones((), x.dtype)))
    # d(x ** y) / dy = x ** y * log(x). At x = 0 it is 0 for y > 0, and by convention 0 for y = 0. Only
    # for y < 0 does the infinite logarithm count.
    below = xp.asarray(-xp.inf, x.dtype)
    return xp.where((x == 0) & (xp.real(y) < 0), below, log)


power_logarithm = elementwise(
    "_PowerLogarithm",
    logarithm_of_base,
    accumulate="float32",
    inputs=("x", "y"),
    dtypes=FLOATING,
    name="power_logarithm",
    doc="""d(x ** y) / dy, divided by x ** y: log(x), or 0 where x ** y is not a smooth function of y.""",
)


def power_logarithm_gradient(dy, x):
    positive = x != 0 if x.dtype.is_complex else x > 0
    return keep_where(zero_safe_divide(dy, x), positive)


power_logarithm.gradient(x=power_logarithm_gradient, y=lambda dy: None)

pow = elementwise(
    "Pow",
    "power",
    dtypes=WITH_SIGN,
    name="pow",
    doc="""``x ** y``, broadcasting.

    >>> tf.pow([2.0, 3.0], 2.0).numpy()
    array([4., 9.], dtype=float32)

    Raises:
        InvalidArgumentError: for an integer raised to a negative power, since the result is no integer.
    """,
    values="integer errors",
    check_numerics={
        "NaN": "A negative number has no fractional power: write tf.pow(tf.abs(x), y), "
        "or tf.sign(x) * tf.pow(tf.abs(x), y).",
        "+Inf": "A power overflows, or 0 has a negative exponent: write "
        "tf.pow(tf.maximum(x, 1e-7), y), or scale x.",
        "gradient": "The slope of x ** y is infinite at 0 where y is below 1: write (x + "
        "1e-7) ** y.",
    },
)
pow.gradient(
    # y * x ** (y - 1) is 0 for y = 0, even where x = 0. The power meets no factor but with dy: it may be so
    # large that only dy makes the product finite.
    x=lambda dy, x, y: multiply_no_nan(pow(x, y - 1.0), multiply_no_nan(y, dy)),
    y=lambda dy, x, y, out: multiply_no_nan(power_logarithm(x, y), multiply_no_nan(out, dy)),
)

sqrt = elementwise(
    "Sqrt",
    "sqrt",
    dtypes=FLOATING,
    holomorphic=False,
    doc="""The square root.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """,
    check_numerics={
        "NaN": "The square root of a negative number is NaN: write tf.sqrt(tf.maximum(x, 0.0)).",
        "gradient": "The slope of the square root is infinite at 0: write tf.sqrt(x + 1e-12), "
        "or for a length tf.norm(v), whose gradient at 0 is 0.",
    },
)
sqrt.gradient(x=lambda dy, out: sqrt_grad(out, dy))

sqrt_grad = elementwise(
    "SqrtGrad",
    lambda xp, y, grad: xp.xdivy(grad * 0.5, conjugate(xp, y)),
    accumulate="float32",
    holomorphic=False,
    inputs=("y", "grad"),
    dtypes=FLOATING,
    raw=("y", "dy"),
    name="sqrt_grad",
    linear="grad",
)
sqrt_grad.gradient(
    y=lambda dy, y, out: -multiply_no_nan(zero_safe_divide(out, conj(y)), conj(dy)),
    grad=lambda dy, y: sqrt_grad(conj(y), dy),
)
sqrt_grad.formula = lambda y, grad: 0.5 * grad / y

rsqrt = elementwise(
    "Rsqrt",
    "rsqrt",
    dtypes=FLOATING,
    holomorphic=False,
    doc="""``1 / sqrt(x)``.

    >>> tf.math.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """,
    check_numerics={
        "NaN": "The square root of a negative number is NaN: write "
        "tf.math.rsqrt(tf.maximum(x, 1e-12)).",
        "+Inf": "1 / sqrt(x) is infinite at 0: write tf.math.rsqrt(tf.maximum(x, 1e-12)).",
        "gradient": "The slope of 1 / sqrt(x) overflows next to 0: write "
        "tf.math.rsqrt(tf.maximum(x, 1e-12)).",
    },
)
rsqrt.gradient(x=lambda dy, out: rsqrt_grad(out, dy))


def slope_of_inverse_root(xp, y, grad):
    # One factor after the other: the cube of y may be too large for a number where grad makes up for it.
    y = conjugate(xp, y)
    slope = xp.multiply_no_nan(y, grad * -0.5)
    return xp.multiply_no_nan(y, xp.multiply_no_nan(y, slope))


rsqrt_grad = elementwise(
    "RsqrtGrad",
    slope_of_inverse_root,
    accumulate="float32",
    holomorphic=False,
    inputs=("y", "grad"),
    dtypes=FLOATING,
    raw=("y", "dy"),
    name="rsqrt_grad",
    linear="grad",
)
rsqrt_grad.gradient(
    y=lambda dy, y, grad: multiply_no_nan(multiply_no_nan(conj(y * y), grad) * -1.5, conj(dy)),
    grad=lambda dy, y: rsqrt_grad(conj(y), dy),
)
rsqrt_grad.formula = lambda y, grad: -0.5 * grad * (y * y * y)


# The larger and the smaller


maximum = elementwise(
    "Maximum",
    "maximum",
    dtypes=REAL,
    check_numerics=False,
    doc="""The larger of each pair, broadcasting; NaN where either is NaN. A tie's gradient goes to ``x``.

    >>> tf.maximum([1.0, 5.0], 3.0).numpy()
    array([3., 5.], dtype=float32)
    """,
)
keeps_sizes(maximum, sizes.maximum)
maximum.gradient(
    x=lambda dy, x, y: keep_where(dy, logic.greater_equal(x, y)),
    y=lambda dy, x, y: keep_where(dy, logic.logical_not(logic.greater_equal(x, y))),
)

minimum = elementwise(
    "Minimum",
    "minimum",
    dtypes=REAL,
    check_numerics=False,
    doc="""The smaller of each pair, broadcasting; NaN where either is NaN. A tie's gradient goes to ``x``.

    >>> tf.minimum([1.0, 5.0], 3.0).numpy()
    array([1., 3.], dtype=float32)
    """,
)
keeps_sizes(minimum, sizes.minimum)
minimum.gradient(
    x=lambda dy, x, y: keep_where(dy, logic.less_equal(x, y)),
    y=lambda dy, x, y: keep_where(dy, logic.logical_not(logic.less_equal(x, y))),
)

nextafter = elementwise(
    "NextAfter",
    "nextafter",
    dtypes={dtypes.float32, dtypes.float64},
    inputs=("x1", "x2"),
    doc="""The number next to ``x1`` in the direction of ``x2``.

    >>> tf.math.nextafter(1.0, 2.0).numpy()
    np.float32(1.0000001)
    """,
    dispatched="unary",
)
nextafter.gradient(x1=lambda dy: dy, x2=lambda dy: multiply_no_nan(dy, 0.0))


@composition
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients, highest power first, evaluated at ``x`` by Horner's scheme.

    >>> tf.math.polyval([2.0, 0.0, 1.0], 3.0).numpy()        # 2 * 3**2 + 1
    np.float32(19.0)

    Args:
        coeffs: a list of numbers or tensors, one for each power.
        x: a tensor of numbers, or a value that becomes one.
    """
    if not isinstance(coeffs, list):
        raise ValueError(
            f"Argument coeffs must be list type: one tensor a coefficient. Received {type(coeffs)}."
        )
    x = convert(x)
    if not coeffs:
        return multiply(x, 0)
    value = convert(coeffs[0])
    for coefficient in coeffs[1:]:
        value = add(multiply(value, x), coefficient)
    return value


# The operators of tensors


def product(x: Tensor, y: Tensor) -> Tensor:
    """``x * y`` for two tensors. If one is a tensor of booleans the operator means "and".

    A number beside booleans then counts as true unless its whole part is 0, as in TensorFlow.
    """
    if not (x.dtype.is_bool or y.dtype.is_bool):
        return multiply(x, y)
    return logical_and(as_truth(x), as_truth(y))


def as_truth(x: Tensor) -> Tensor:
    return x if x.dtype.is_bool else cast(cast(x, dtypes.int32), dtypes.bool)


product.takes_any_number = True  # type: ignore[attr-defined]
