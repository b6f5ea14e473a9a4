"""Functions of elements, and reductions, by NumPy's names and with NumPy's dtypes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.arguments import (
    ALL_AXES,
    KEEPDIMS,
    NUMBERS,
    ONE_AXIS,
    PROMOTED,
    TRUTH,
    VALUE,
    WIDENED,
)
from tapegrad.annex.numpy_like.lattice import mark_like
from tapegrad.annex.numpy_like.promotion import as_dtype, asarray, floating, numpy_dtype, promoted
from tapegrad.annex.numpy_like.shapes import broadcast_arrays
from tapegrad.annex.numpy_like.weak import Mode
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {
    "experimental.numpy": (
        "abs absolute=abs add all allclose amax amin angle any arccos arccosh arcsin arcsinh arctan "
        "arctan2 arctanh argmax argmin argsort around=round array_equal average cbrt ceil clip conj "
        "conjugate=conj cos cosh count_nonzero cumprod cumsum deg2rad divide=true_divide divmod dot "
        "einsum equal exp exp2 expm1 fabs fix float_power=power floor floor_divide greater greater_equal "
        "heaviside hypot imag inner isclose iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf "
        "isreal isrealobj kron less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and "
        "logical_not logical_or logical_xor matmul max maximum mean min minimum mod multiply nanmean "
        "nanprod nansum negative nextafter not_equal outer polyval positive power prod ptp rad2deg real "
        "reciprocal remainder=mod round sign signbit sin sinc sinh sort sqrt square std subtract sum tan "
        "tanh tensordot true_divide var vdot"
    ),
}

Function = Callable[..., Tensor]

OF_VALUE, OF_NUMBERS = describes(x=VALUE), describes(x=NUMBERS)
OF_TWO = describes(x1=PROMOTED, x2=PROMOTED)
OF_TRUTHS = describes(x=TRUTH, x1=TRUTH, x2=TRUTH)
CLOSE = describes(
    a=PROMOTED,
    b=PROMOTED,
    rtol="the distance that is allowed, as a part of the absolute value of ``b``.",
    atol="the distance that is allowed beside that.",
    equal_nan="whether NaN is close to NaN.",
)
# Python's numbers: an op takes microseconds to read NumPy's.
LOG_2, LOG_10 = float(np.log(2)), float(np.log(10))
REFUSED_OUT = "None: tensors do not change, so no other value is taken."
REDUCTION = describes(
    a=VALUE,
    axis=ALL_AXES,
    dtype=WIDENED,
    keepdims=KEEPDIMS,
)
SCAN = describes(
    a=VALUE,
    axis="the axis along which numbers are added up or multiplied; None for all elements in a row.",
    dtype=WIDENED,
)
MEAN = describes(
    a=NUMBERS,
    axis=ALL_AXES,
    dtype="the dtype to which the elements are cast first; None for that of ``a``, or for floats.",
    out=REFUSED_OUT,
    keepdims=KEEPDIMS,
)
EXTREME = describes(a=VALUE, axis=ALL_AXES, out=REFUSED_OUT, keepdims=KEEPDIMS)
TRUTHS = describes(a=TRUTH, axis=ALL_AXES, keepdims=KEEPDIMS)
POSITION = describes(a=VALUE, axis=ONE_AXIS)
ORDER = describes(
    a=VALUE,
    axis=ONE_AXIS,
    order="None: tensors have no fields to put in order.",
)


def quotient(x: Tensor) -> Tensor:
    """A part of a quotient, whose dtype the lattice leaves to `tf.divide`."""
    return x if Mode.by_lattice() else floating(x)


def named(function: Function, name: str, what: str) -> Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = what
    return function


def unary(name: str, today: Function, prepare: Function = asarray) -> Function:
    """A function of one argument, which ``prepare`` makes a tensor."""
    describe = {floating: OF_NUMBERS, truth: OF_TRUTHS}.get(prepare, OF_VALUE)
    return describe(named(lambda x: today(prepare(x)), name, f"``numpy.{name}`` of tensors."))


def binary(name: str, today: Function, of_bools: Function | None = None) -> Function:
    """A function of two arguments, which get the dtype of the result."""

    def function(x1: Any, x2: Any) -> Tensor:
        x1, x2 = promoted(x1, x2)
        if x1.dtype.is_bool and of_bools is not None:
            return of_bools(x1, x2)
        return today(x1, x2)

    return OF_TWO(named(function, name, f"``numpy.{name}`` of tensors."))


def truth(x: Any) -> Tensor:
    return ops.cast(asarray(x), dtypes.bool)


def logical(name: str, today: Function) -> Function:
    """A function of the truth of two arguments."""

    def function(x1: Any, x2: Any) -> Tensor:
        return today(truth(x1), truth(x2))

    return OF_TRUTHS(named(function, name, f"``numpy.{name}`` of tensors."))


def log_of_sum(x: Tensor, y: Tensor) -> Tensor:
    """``log(exp(x) + exp(y))``, whose gradient at a tie goes to both."""
    return ops.reduce_logsumexp(ops.stack(broadcast_arrays(x, y)), 0)


abs = unary("abs", ops.abs)
ceil, floor = unary("ceil", ops.ceil, floating), unary("floor", ops.floor, floating)
conj, imag, real = (
    unary("conj", ops.conj),
    unary("imag", ops.imag),
    unary("real", ops.real),
)
exp, expm1 = unary("exp", ops.exp, floating), unary("expm1", ops.expm1, floating)
exp2 = unary("exp2", lambda x: ops.pow(as_dtype(2, x.dtype), x), floating)
cbrt = unary(
    "cbrt", lambda x: ops.sign(x) * ops.pow(ops.abs(x), as_dtype(1 / 3, x.dtype)), floating
)
deg2rad = unary("deg2rad", lambda x: x * (np.pi / 180), floating)
rad2deg = unary("rad2deg", lambda x: x * (180 / np.pi), floating)
fix = unary("fix", lambda x: ops.where(x < 0, ops.ceil(x), ops.floor(x)), floating)
fabs = unary("fabs", ops.abs)
isfinite = unary("isfinite", ops.is_finite, floating)
isinf = unary("isinf", ops.is_inf, floating)
isnan = unary("isnan", ops.is_nan, floating)
isneginf = unary("isneginf", lambda x: ops.equal(x, -np.inf), floating)
isposinf = unary("isposinf", lambda x: ops.equal(x, np.inf), floating)
iscomplex = unary("iscomplex", lambda x: ops.not_equal(ops.imag(x), 0))
isreal = unary("isreal", lambda x: ops.equal(ops.imag(x), 0))
log, log1p = unary("log", ops.log, floating), unary("log1p", ops.log1p, floating)
log2 = unary("log2", lambda x: ops.log(x) / LOG_2, floating)
log10 = unary("log10", lambda x: ops.log(x) / LOG_10, floating)
negative, positive = unary("negative", ops.negative), unary("positive", ops.identity)
reciprocal = unary("reciprocal", ops.reciprocal, floating)
sign, square = unary("sign", ops.sign), unary("square", ops.square)
sqrt = unary("sqrt", ops.sqrt, floating)
sin, cos, tan = (unary(name, getattr(ops, name), floating) for name in ("sin", "cos", "tan"))
sinh, cosh, tanh = (unary(name, getattr(ops, name), floating) for name in ("sinh", "cosh", "tanh"))
arcsin, arccos = unary("arcsin", ops.asin, floating), unary("arccos", ops.acos, floating)
arctan, arcsinh = unary("arctan", ops.atan, floating), unary("arcsinh", ops.asinh, floating)
arccosh, arctanh = unary("arccosh", ops.acosh, floating), unary("arctanh", ops.atanh, floating)

add, multiply = (
    binary("add", ops.add, ops.logical_or),
    binary("multiply", ops.multiply, ops.logical_and),
)
subtract, power = binary("subtract", ops.subtract), binary("power", ops.pow)
maximum = binary("maximum", ops.maximum, ops.logical_or)
minimum = binary("minimum", ops.minimum, ops.logical_and)
mod, floor_divide = binary("mod", ops.floormod), binary("floor_divide", ops.floordiv)
true_divide = binary("true_divide", lambda x, y: ops.divide(quotient(x), quotient(y)))
arctan2 = binary("arctan2", lambda x, y: ops.atan2(floating(x), floating(y)))
hypot = binary("hypot", lambda x, y: sqrt(square(floating(x)) + square(floating(y))))
logaddexp = binary("logaddexp", lambda x, y: log_of_sum(floating(x), floating(y)))
logaddexp2 = binary(
    "logaddexp2",
    lambda x, y: log_of_sum(floating(x) * LOG_2, floating(y) * LOG_2) / LOG_2,
)
nextafter = binary("nextafter", lambda x, y: ops.nextafter(floating(x), floating(y)))
equal, not_equal = binary("equal", ops.equal), binary("not_equal", ops.not_equal)
less, less_equal = binary("less", ops.less), binary("less_equal", ops.less_equal)
greater, greater_equal = binary("greater", ops.greater), binary("greater_equal", ops.greater_equal)
logical_and, logical_or = (
    logical("logical_and", ops.logical_and),
    logical("logical_or", ops.logical_or),
)
logical_xor = logical("logical_xor", ops.logical_xor)
logical_not = unary("logical_not", ops.logical_not, truth)


@OF_VALUE
def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is one of complex numbers."""
    return bool(asarray(x).dtype.is_complex)


@OF_VALUE
def isrealobj(x: Any) -> bool:
    """Whether the dtype is none of complex numbers."""
    return not iscomplexobj(x)


@OF_VALUE
def signbit(x: Any) -> Tensor:
    """Whether the sign is negative.

    Differs from TensorFlow: of -0.0 too, as in NumPy.

    >>> tf.experimental.numpy.signbit([-1.0, -0.0, 0.0]).numpy()
    array([ True,  True, False])
    """
    tensor = asarray(x)
    if tensor.dtype.is_bool or tensor.dtype.is_unsigned:
        return ops.zeros_like(tensor, dtypes.bool)
    if tensor.dtype.is_integer:
        return ops.less(tensor, 0)
    return ops.less(tensor, 0) | ops.equal(tensor, 0) & ops.less(ops.reciprocal(tensor), 0)


def angle(z: Any, deg: bool = False) -> Tensor:
    """The angle of complex numbers in the plane; pi for negative real ones.

    Args:
        z: a tensor of complex or real numbers, or a value that becomes one. Integers become float64.
        deg: whether the angle is in degrees; else it is in radians, from -pi to pi.
    """
    radians = ops.angle(floating(z))
    return rad2deg(radians) if deg else radians


@OF_NUMBERS
def sinc(x: Any) -> Tensor:
    """``sin(pi x) / (pi x)``, and 1 at 0."""
    turned = floating(x) * np.pi
    at_zero = ops.equal(turned, 0)
    beside = ops.where(at_zero, ops.ones_like(turned), turned)
    # At 0 the first terms of the series replace the quotient, so that four derivatives are right there.
    squared = ops.square(turned)
    series = 1 - squared / 6 * (1 - squared / 20)
    return ops.where(at_zero, series, ops.sin(beside) / beside)


def heaviside(x1: Any, x2: Any) -> Tensor:
    """0 where ``x1`` is negative, 1 where it is positive, and ``x2`` where it is 0.

    Differs from TensorFlow: NaN gives NaN, as in NumPy.

    Args:
        x1: a tensor of real numbers, or a value that becomes one. Integers become float64.
        x2: a tensor whose shape broadcasts with that of ``x1``: the results where ``x1`` is 0.
    """
    x1, x2 = (floating(value) for value in promoted(x1, x2))
    side = ops.where(ops.less(x1, 0), ops.zeros_like(x1), ops.ones_like(x1))
    side = ops.where(ops.not_equal(x1, x1), x1, side)
    return ops.where(ops.equal(x1, 0), x2, side)


@OF_TWO
def divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """The whole quotient, and the remainder."""
    return floor_divide(x1, x2), mod(x1, x2)


def round(a: Any, decimals: int = 0) -> Tensor:
    """The nearest numbers with so many digits after the point.

    >>> tf.experimental.numpy.round([14, 25, 35], -1).numpy()
    array([10, 20, 40])

    Args:
        a: a tensor of numbers, or a value that becomes one.
        decimals: the number of digits after the point. A negative number rounds to tens, hundreds and so on,
            a half to the even one.
    """
    tensor = asarray(a)
    if tensor.dtype.is_integer or tensor.dtype.is_bool:
        return tensor if decimals >= 0 else _rounded_integers(tensor, decimals)
    factor = as_dtype(10.0 ** builtins.abs(decimals), tensor.dtype)
    if decimals < 0:  # not times 0.1, which is no number of a float
        return ops.round(tensor / factor) * factor
    return ops.round(tensor * factor) / factor


def _rounded_integers(tensor: Tensor, decimals: int) -> Tensor:
    step = 10**-decimals
    if tensor.dtype.is_bool or step > tensor.dtype.max:
        return ops.zeros_like(tensor)
    step = as_dtype(step, tensor.dtype)
    below = ops.floordiv(tensor, step)
    rest = tensor - below * step
    half, is_odd = step // 2, ops.not_equal(below % 2, 0)
    up = ops.logical_or(rest > half, ops.logical_and(ops.equal(rest, half), is_odd))
    return (below + ops.cast(up, tensor.dtype)) * step


def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """The elements, where they are below ``a_min`` or above ``a_max`` that limit instead.

    >>> tf.experimental.numpy.clip([1, 5, 9], 2, 8).numpy()
    array([2, 5, 8])

    Args:
        a: a tensor of real numbers, or a value that becomes one.
        a_min, a_max: the limits: tensors whose shapes broadcast with that of ``a``. None is no limit.
    """
    tensor = asarray(a)
    for limit, nearer in ((a_max, ops.minimum), (a_min, ops.maximum)):
        if limit is not None:
            tensor, limit = promoted(tensor, limit)
            tensor = nearer(tensor, limit)
    return tensor


@CLOSE
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Where ``|a - b| <= atol + rtol * |b|``."""
    a, b = promoted(a, b)
    a, b = floating(a), floating(b)
    close = ops.logical_or(ops.abs(a - b) <= atol + rtol * ops.abs(b), a == b)
    if equal_nan:
        close = ops.logical_or(close, ops.logical_and(ops.is_nan(a), ops.is_nan(b)))
    return close


@CLOSE
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether all elements are close to each other."""
    return ops.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> Tensor:
    """Whether two tensors have one shape and equal elements.

    Args:
        a1, a2: tensors of any shapes, or values that become tensors; both are cast to one dtype first.
    """
    first, second = promoted(a1, a2)
    if first._shape_tuple() != second._shape_tuple():
        return ops.constant(False)
    return ops.reduce_all(ops.equal(first, second))


# --- Products -------------------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any) -> Tensor:
    """The product of matrices, or of a matrix and a vector.

    >>> tf.experimental.numpy.matmul([[1.0, 2.0]], [3, 4])
    <tf.Tensor: shape=(1,), dtype=float64, numpy=array([11.])>

    Args:
        x1, x2: tensors with one axis at least, cast to one dtype. The last axis of ``x1`` has the size of the
            second last of ``x2``, or of its only axis; the axes in front of the matrices broadcast.
    """
    x1, x2 = promoted(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul takes no scalars: multiply them with *.")
    if x1.ndim == x2.ndim == 1:
        return ops.tensordot(x1, x2, 1)
    if x2.ndim == 1:
        return ops.matvec(x1, x2)
    if x1.ndim == 1:
        return ops.squeeze(ops.matmul(x1[None], x2), [-2])
    return ops.matmul(x1, x2)


def dot(a: Any, b: Any) -> Tensor:
    """The sums of products along the last axis of ``a`` and the last but one of ``b``.

    >>> tf.experimental.numpy.dot([[1.0, 2.0]], [3.0, 4.0]).numpy()
    array([11.])

    Args:
        a, b: tensors or values that become tensors, cast to one dtype. Tensors without axes are multiplied.
    """
    a, b = promoted(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return ops.multiply(a, b)
    return ops.tensordot(a, b, [[-1], [-2 if b.ndim > 1 else -1]])


def inner(a: Any, b: Any) -> Tensor:
    """The sums of products along the last axes.

    Args:
        a, b: tensors whose last axes have one size, cast to one dtype. Tensors without axes are multiplied.
    """
    a, b = promoted(a, b)
    return ops.multiply(a, b) if a.ndim == 0 or b.ndim == 0 else ops.tensordot(a, b, [[-1], [-1]])


def outer(a: Any, b: Any) -> Tensor:
    """All products of an element of ``a`` and one of ``b``.

    Args:
        a, b: tensors of any shapes, whose elements are taken in a row; cast to one dtype.
    """
    a, b = (ops.reshape(value, [-1]) for value in promoted(a, b))
    return ops.multiply(a[:, None], b)


def vdot(a: Any, b: Any) -> Tensor:
    """The sum of the products of all elements: conjugates of ``a`` times elements of ``b``.

    Args:
        a, b: tensors with as many elements as each other, taken in a row; cast to one dtype.
    """
    a, b = (ops.reshape(value, [-1]) for value in promoted(a, b))
    return ops.tensordot(ops.conj(a), b, 1)


def polyval(p: Any, x: Any) -> Tensor:
    """The polynomial with the coefficients ``p``, highest power first, at each element of ``x``.

    Args:
        p: a vector of coefficients.
        x: a tensor of numbers, or a value that becomes one.
    """
    p, x = promoted(p, x)
    value = ops.zeros_like(x)
    for coefficient in ops.unstack(p):
        value = value * x + coefficient
    return value


def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product: ``b`` times each element of ``a``, as one tensor.

    Args:
        a, b: tensors of numbers, cast to one dtype. The one with fewer axes gets axes of size 1 in front.
    """
    a, b = promoted(a, b)
    rank = ops.maximum(ops.rank(a), ops.rank(b)).numpy()
    left, right = ([1] * (rank - t.ndim) + list(t._shape_tuple()) for t in (a, b))
    spread = ops.reshape(a, [size for pair in left for size in (pair, 1)])
    filled = ops.reshape(b, [size for pair in right for size in (1, pair)])
    return ops.reshape(spread * filled, [x * y for x, y in zip(left, right, strict=True)])


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """``tf.tensordot`` with the dtype of the result.

    Args:
        a, b: tensors of numbers, cast to one dtype.
        axes: how many of the last axes of ``a`` and the first of ``b`` are summed over, or a pair: a list of
            axes of ``a``, and a list of those of ``b``.
    """
    a, b = promoted(a, b)
    return ops.tensordot(a, b, axes)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """``tf.einsum`` with the dtype of the result.

    Args:
        subscripts: a text such as "ij,jk->ik": a letter for each axis of the operands, and those of the
            result.
        operands: a tensor for each part of ``subscripts`` before "->"; cast to one dtype.
        kwargs: NumPy's ``casting``, which is "safe" or "no", and others, which are of no effect.
    """
    casting = kwargs.get("casting", "safe")
    if casting not in ("safe", "no"):
        raise ValueError(f"einsum() casts safely: casting is 'safe' or 'no'; {casting!r} came.")
    return ops.einsum(subscripts, *promoted(*operands))


# --- Reductions -------------------------------------------------------------------------------------------


def widened(a: Any, dtype: Any) -> Tensor:
    """``a`` as NumPy adds it up: of ``dtype``; else bools and narrow integers become int64 or uint64."""
    tensor = asarray(a)
    if dtype is not None:
        return as_dtype(tensor, dtype)
    if Mode.by_lattice():
        return ops.cast(tensor, dtypes.int32) if tensor.dtype.is_bool else tensor
    if tensor.dtype.is_bool or (tensor.dtype.is_integer and tensor.dtype.size < 8):
        return ops.cast(tensor, dtypes.uint64 if tensor.dtype.is_unsigned else dtypes.int64)
    return tensor


@REDUCTION
def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The sum. Integers are added up as int64.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0)
    <tf.Tensor: shape=(2,), dtype=int64, numpy=array([4, 6])>
    """
    return ops.reduce_sum(widened(a, dtype), axis, bool(keepdims))


@REDUCTION
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The product. Integers are multiplied as int64."""
    return ops.reduce_prod(widened(a, dtype), axis, bool(keepdims))


@SCAN
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """The sums of all elements up to each.

    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6])
    """
    return scan(ops.cumsum, a, axis, dtype)


@SCAN
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """The products of all elements up to each."""
    return scan(ops.cumprod, a, axis, dtype)


def scan(function: Function, a: Any, axis: Any, dtype: Any) -> Tensor:
    tensor = widened(a, dtype)
    sums = function(
        ops.reshape(tensor, [-1]) if axis is None else tensor, 0 if axis is None else axis
    )
    return mark_like(sums, tensor)


@MEAN
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None
) -> Tensor:
    """The mean, which for integers is float64.

    >>> tf.experimental.numpy.mean([1, 2])
    <tf.Tensor: shape=(), dtype=float64, numpy=1.5>
    """
    refuse_out(out)
    tensor = floating(a) if dtype is None else as_dtype(a, dtype)
    return ops.reduce_mean(tensor, axis, bool(keepdims))


def without_nan(a: Any, dtype: Any, instead: int) -> tuple[Tensor, Tensor]:
    """``a`` with ``instead`` where it is NaN, and where that is."""
    tensor = asarray(a) if dtype is None else as_dtype(a, dtype)
    missing = ops.not_equal(tensor, tensor)
    return ops.where(missing, ops.cast(instead, tensor.dtype), tensor), missing


@REDUCTION
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The sum of the elements that are not NaN."""
    return sum(without_nan(a, dtype, 0)[0], axis, dtype, keepdims)


@REDUCTION
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The product of the elements that are not NaN."""
    return prod(without_nan(a, dtype, 1)[0], axis, dtype, keepdims)


@MEAN
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The mean of the elements that are not NaN; NaN where there are none.

    >>> tf.experimental.numpy.nanmean([1.0, float("nan"), 2.0])
    <tf.Tensor: shape=(), dtype=float64, numpy=1.5>
    """
    tensor = floating(a) if dtype is None else as_dtype(a, dtype)
    values, missing = without_nan(tensor, None, 0)
    count = ops.reduce_sum(ops.cast(ops.logical_not(missing), tensor.dtype), axis, bool(keepdims))
    return ops.reduce_sum(values, axis, bool(keepdims)) / count


@MEAN
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean with weights: one for each element, or for each index along ``axis``.

    >>> tf.experimental.numpy.average([1.0, 4.0], weights=[2.0, 1.0]).numpy()
    np.float64(2.0)

    Args:
        weights: None for equal weights, or a tensor of the shape of ``a``, or a vector with a weight for each
            index along ``axis``, which then has to be a number.
        returned: whether the result is a pair: the means, and the sums of the weights.
    """
    tensor = floating(a)
    if weights is None:
        total = ops.ones_like(tensor)
    else:
        tensor, total = promoted(tensor, weights)
        if total.ndim == 1 and tensor.ndim > 1:
            if axis is None:
                raise ValueError("average() needs an axis, as the weights have another shape.")
            sizes = [1] * tensor.ndim
            sizes[axis] = total._shape_tuple()[0]
            total = ops.reshape(total, sizes)
        total = ops.broadcast_to(total, ops.shape(tensor))
    scale = ops.reduce_sum(total, axis)
    result = ops.reduce_sum(tensor * total, axis) / scale
    return (result, scale) if returned else result


@MEAN
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: Any = None,
) -> Tensor:
    """The mean of the squared distances from the mean; ``ddof`` is taken from their number.

    Args:
        ddof: a number that is taken from the number of elements before the sum is divided by it.
    """
    refuse_out(out)
    tensor = floating(a) if dtype is None else as_dtype(a, dtype)
    variance = ops.reduce_variance(tensor, axis, bool(keepdims))
    if not ddof:
        return variance
    count = ops.size(tensor) / ops.maximum(ops.size(variance), 1)
    return variance * ops.cast(count / (count - ddof), variance.dtype)


@MEAN
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The square root of the variance.

    >>> tf.experimental.numpy.std([1.0, 3.0]).numpy()
    np.float64(1.0)
    """
    return ops.reduce_std(floating(a), axis, bool(keepdims))


def refuse_out(out: Any) -> None:
    if out is not None:
        raise ValueError("out is not supported: tensors do not change. Use the result.")


def extreme(name: str, today: Function, of_bools: Function) -> Function:
    def function(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
        refuse_out(out)
        tensor = asarray(a)
        reduce = of_bools if tensor.dtype.is_bool else today
        return reduce(tensor, axis, bool(keepdims))

    return EXTREME(named(function, name, f"``numpy.{name}`` of tensors."))


amax, amin = (
    extreme("amax", ops.reduce_max, ops.reduce_any),
    extreme("amin", ops.reduce_min, ops.reduce_all),
)


@EXTREME
def max(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The greatest element."""
    return amax(a, axis, keepdims=keepdims)


@EXTREME
def min(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The least element."""
    return amin(a, axis, keepdims=keepdims)


@EXTREME
def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The distance between the greatest and the least element."""
    tensor = asarray(a)
    return ops.reduce_max(tensor, axis, bool(keepdims)) - ops.reduce_min(
        tensor, axis, bool(keepdims)
    )


@TRUTHS
def all(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """Whether all elements are true."""
    return ops.reduce_all(truth(a), axis, bool(keepdims))


@TRUTHS
def any(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """Whether some element is true."""
    return ops.reduce_any(truth(a), axis, bool(keepdims))


def count_nonzero(a: Any, axis: Any = None) -> Tensor:
    """How many elements are not zero.

    Args:
        a: a tensor, or a value that becomes one.
        axis: the axis, or a list of axes, along which elements are counted; None for all of them.
    """
    return ops.count_nonzero(asarray(a), axis)


@POSITION
def argmax(a: Any, axis: Any = None) -> Tensor:
    """The position of the greatest element, of all if ``axis`` is None.

    >>> tf.experimental.numpy.argmax([[1, 5], [7, 3]]).numpy()
    np.int64(2)
    """
    return ops.argmax(*along(a, axis))


@POSITION
def argmin(a: Any, axis: Any = None) -> Tensor:
    """The position of the least element, of all if ``axis`` is None."""
    return ops.argmin(*along(a, axis))


def along(a: Any, axis: Any) -> tuple[Tensor, int]:
    """A tensor and an axis of it: its elements in a row if ``axis`` is None."""
    tensor = asarray(a)
    return (ops.reshape(tensor, [-1]), 0) if axis is None else (tensor, axis)


@ORDER
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The elements along ``axis`` in order.

    Args:
        kind: "quicksort" or "stable", of no effect: equal elements look alike.
    """
    check_order(kind, order)
    tensor, place = along(a, axis)
    return mark_like(ops.sort(tensor, place), tensor)


@ORDER
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The positions of the elements along ``axis`` in order.

    Args:
        kind: "stable" for positions of equal elements in their order; any other name leaves that order open.
    """
    check_order(kind, order)
    return ops.cast(ops.argsort(*along(a, axis), stable=kind == "stable"), numpy_dtype(int))


def check_order(kind: str, order: Any) -> None:
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            f"Unsupported kind of order: kind={kind!r}. It is 'quicksort' or 'stable'."
        )
    if order is not None:
        raise ValueError(
            f"Tensors have no fields to put in order: order={order!r} came. Leave it out."
        )
