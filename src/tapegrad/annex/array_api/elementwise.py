"""Functions of elements. Those that `numpy_like` has as the standard wants them are its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.annex.numpy_like import integers, math, ops
from tapegrad.annex.numpy_like.math import OF_TWO, binary, named
from tapegrad.annex.numpy_like.promotion import asarray, floating, promoted
from tapegrad.annex.numpy_like.shapes import broadcast_arrays
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {
    "array_api": (
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift "
        "bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp "
        "expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal "
        "log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum minimum "
        "multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit "
        "sin sinh sqrt square subtract tan tanh trunc"
    ),
}

Function = Callable[..., Tensor]

BITS = {2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}  # by the size of a float in bytes

OF_TENSOR = describes(x="a tensor of numbers.")


def of_floats(name: str, what: str, function: Function) -> Function:
    """A function of floating numbers that leaves integers as they are."""
    function_of_all = named(
        lambda x, /: function(x) if is_inexact(x) else ops.identity(x), name, what
    )
    return OF_TENSOR(function_of_all)


def is_inexact(x: Tensor) -> bool:
    return bool(x.dtype.is_floating or x.dtype.is_complex)


def by_parts(function: Function) -> Function:
    """A function of real numbers, for complex ones too: of each part by itself."""

    def of_parts(x: Tensor) -> Tensor:
        if x.dtype.is_complex:
            return ops.complex(function(ops.real(x)), function(ops.imag(x)))
        return function(x)

    return of_parts


def in_wide_integers(function: Function, *xs: Tensor) -> Tensor:
    """A function that few dtypes of integers have, of all: the bits that fit are those of int64."""
    dtype = xs[0].dtype
    if not dtype.is_integer or dtype in (dtypes.int32, dtypes.int64):
        return function(*xs)
    return ops.cast(function(*(ops.cast(x, dtypes.int64) for x in xs)), dtype)


def shifted(x: Tensor, by: Tensor) -> Tensor:
    """Bits moved up: none is left of a number that is moved by its width."""
    last = ops.cast(8 * x.dtype.size - 1, x.dtype)
    moved = ops.left_shift(x, ops.minimum(by, last))
    return ops.where(ops.greater(by, last), ops.zeros_like(moved), moved)


def truncated(x: Tensor) -> Tensor:
    return ops.where(ops.less(x, 0), ops.ceil(x), ops.floor(x))


acos, acosh, asin, asinh = math.arccos, math.arccosh, math.arcsin, math.arcsinh
atan, atanh, cos, cosh, sin, sinh = (
    math.arctan, math.arctanh, math.cos, math.cosh, math.sin, math.sinh,
)  # fmt: skip
tan, tanh, exp, expm1, log, log1p = (
    math.tan, math.tanh, math.exp, math.expm1, math.log, math.log1p,
)  # fmt: skip
sqrt, square, reciprocal, conj, real, imag = (
    math.sqrt, math.square, math.reciprocal, math.conj, math.real, math.imag,
)  # fmt: skip
add, multiply, subtract, divide = math.add, math.multiply, math.subtract, math.true_divide
equal, not_equal, less, less_equal, greater, greater_equal = (
    math.equal, math.not_equal, math.less, math.less_equal, math.greater, math.greater_equal,
)  # fmt: skip
logical_and, logical_or, logical_xor = (
    binary("logical_and", ops.logical_and),
    binary("logical_or", ops.logical_or),
    binary("logical_xor", ops.logical_xor),
)
logical_not = math.logical_not
bitwise_and, bitwise_or, bitwise_xor, bitwise_invert = (
    integers.bitwise_and, integers.bitwise_or, integers.bitwise_xor, integers.bitwise_not,
)  # fmt: skip
atan2, logaddexp, maximum, minimum, nextafter, positive = (
    math.arctan2, math.logaddexp, math.maximum, math.minimum, math.nextafter, math.positive,
)  # fmt: skip
floor_divide, remainder = math.floor_divide, math.mod
bitwise_left_shift = binary("bitwise_left_shift", lambda x, by: shifted(x, by))
bitwise_right_shift = binary("bitwise_right_shift", ops.right_shift)
ceil = of_floats("ceil", "The least whole number that is not below.", ops.ceil)
floor = of_floats("floor", "The greatest whole number that is not above.", ops.floor)
round = of_floats("round", "The nearest whole number, of two the even one.", by_parts(ops.round))
trunc = of_floats("trunc", "The whole part: the nearest whole number towards 0.", truncated)


@OF_TENSOR
def abs(x: Any, /) -> Tensor:
    """The distance from 0."""
    tensor = asarray(x)
    return ops.identity(tensor) if tensor.dtype.is_unsigned else ops.abs(tensor)


@OF_TENSOR
def negative(x: Any, /) -> Tensor:
    """The number on the other side of 0; of unsigned integers, what is left of it."""
    return ops.zeros_like(x) - x if x.dtype.is_unsigned else ops.negative(x)


@OF_TWO
def pow(x1: Any, x2: Any, /) -> Tensor:
    """``x1`` to the power ``x2``."""
    x1, x2 = promoted(x1, x2)
    return in_wide_integers(ops.pow, x1, x2)


@OF_TENSOR
def log2(x: Any, /) -> Tensor:
    """The logarithm to the base 2."""
    return math.log2(x)


@OF_TENSOR
def log10(x: Any, /) -> Tensor:
    """The logarithm to the base 10."""
    return math.log10(x)


def hypot(x1: Any, x2: Any, /) -> Tensor:
    """The length of the hypotenuse.

    Args:
        x1, x2: real numbers, whose shapes broadcast; both are cast to one dtype, integers to floats.
    """
    # The absolute value of x1 + x2 i: a sum of squares overflows.
    x1, x2 = (floating(x) for x in promoted(x1, x2))
    if x1.dtype.size >= 4:
        x1, x2 = broadcast_arrays(x1, x2)
        return ops.abs(ops.complex(x1, x2))
    return ops.cast(hypot(ops.cast(x1, dtypes.float32), ops.cast(x2, dtypes.float32)), x1.dtype)


def signbit(x: Any, /) -> Tensor:
    """Whether the sign is negative, of -0.0 and of NaN too.

    Args:
        x: a tensor of floating point numbers.
    """
    return ops.less(ops.bitcast(x, BITS[x.dtype.size]), 0)


def copysign(x1: Any, x2: Any, /) -> Tensor:
    """``x1`` with the sign of ``x2``.

    Args:
        x1, x2: floating point numbers, whose shapes broadcast; both are cast to one dtype.
    """
    x1, x2 = promoted(x1, x2)
    return ops.where(ops.equal(signbit(x1), signbit(x2)), x1, -x1)


@OF_TENSOR
def sign(x: Any, /) -> Tensor:
    """-1, 0 or 1; of complex numbers, the number on the unit circle in their direction."""
    if x.dtype.is_unsigned:
        return ops.cast(ops.not_equal(x, 0), x.dtype)
    return ops.sign(x)


def question(
    name: str, what: str, function: Function, either: Function, of_integers: bool
) -> Function:
    """A question about numbers: a complex one is asked in both parts, an integer not at all."""

    def ask(x: Any, /) -> Tensor:
        if x.dtype.is_complex:
            return either(function(ops.real(x)), function(ops.imag(x)))
        return function(x) if x.dtype.is_floating else ops.fill(ops.shape(x), of_integers)

    return OF_TENSOR(named(ask, name, what))


isfinite = question("isfinite", "Whether numbers are finite.", ops.is_finite, ops.logical_and, True)
isinf = question("isinf", "Whether numbers are infinite.", ops.is_inf, ops.logical_or, False)
isnan = question("isnan", "Whether numbers are NaN.", ops.is_nan, ops.logical_or, False)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Tensor:
    """The elements, where they are below ``min`` or above ``max`` that limit instead.

    Args:
        x: a tensor of real numbers.
        min, max: the limits: numbers, or tensors whose shapes broadcast with that of ``x``. None is no limit.
    """
    return math.clip(x, min, max)
