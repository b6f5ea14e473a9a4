"""Comparisons, logical and bitwise ops, and tests for NaN and infinity: all without gradients."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes, errors
from tapegrad.core import Operand, Tensor, convert, public
from tapegrad.core.sizes import is_unknown
from tapegrad.errors import refuse
from tapegrad.ops.batching import leading
from tapegrad.ops.op import ANY, BOOL, INTEGERS, REAL, REAL_FLOATING, elementwise, op, says
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". math compat.v1 compat.v1.math": (
        "equal greater greater_equal less less_equal logical_and logical_not logical_or not_equal"
    ),
    "bitwise compat.v1.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    "math compat.v1.math": "is_finite is_inf is_nan logical_xor",
}


# Comparisons

equal = elementwise(
    "Equal",
    "equal",
    dtypes=ANY,
    doc="""Whether ``x`` and ``y`` are equal, element by element, broadcasting. NaN equals nothing.

    >>> tf.equal([1, 2], [1, 3]).numpy()
    array([ True, False])
    """,
)

not_equal = elementwise(
    "NotEqual",
    "not_equal",
    dtypes=ANY,
    doc="""Whether ``x`` and ``y`` differ, element by element, broadcasting. NaN differs from everything.

    >>> tf.not_equal([1, 2], [1, 3]).numpy()
    array([False,  True])
    """,
)

less = elementwise(
    "Less",
    "less",
    dtypes=REAL,
    doc="""``x < y``, element by element, broadcasting.

    >>> tf.less([1, 2], 2).numpy()
    array([ True, False])
    """,
)

less_equal = elementwise(
    "LessEqual",
    "less_equal",
    dtypes=REAL,
    doc="""``x <= y``, element by element, broadcasting.

    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """,
)

greater = elementwise(
    "Greater",
    "greater",
    dtypes=REAL,
    doc="""``x > y``, element by element, broadcasting.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """,
)

greater_equal = elementwise(
    "GreaterEqual",
    "greater_equal",
    dtypes=REAL,
    doc="""``x >= y``, element by element, broadcasting.

    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """,
)


@op("ApproximateEqual", dtypes=REAL_FLOATING, values="elements")
def approximate_equal(xp, x, y, *, tolerance=1e-05):
    """Whether ``x`` and ``y``, of one shape, differ by less than ``tolerance``.

    >>> tf.raw_ops.ApproximateEqual(x=[1.0, 2.0], y=[1.001, 2.0], tolerance=1e-4).numpy()
    array([False,  True])
    """
    if x.shape != y.shape:
        refuse(f"x and y must be of the same shape; {x.shape} and {y.shape} came.")
    return xp.abs(x - y) < xp.float64(tolerance)


@approximate_equal.shape
def approximate_equal_shape(x, y):
    if x.ndim != y.ndim or any(
        not is_unknown(size) and not is_unknown(other) and size != other
        for size, other in zip(x.shape, y.shape, strict=True)
    ):
        refuse(f"x and y must be of the same shape; {x.shape} and {y.shape} came.")
    return Abstract(x.shape, dtypes.bool)


approximate_equal.batching(leading)


# Truth values

logical_and = elementwise(
    "LogicalAnd",
    "logical_and",
    dtypes=BOOL,
    doc="""Whether both are true, element by element, broadcasting.

    >>> tf.logical_and([True, False], True).numpy()
    array([ True, False])
    """,
)

logical_or = elementwise(
    "LogicalOr",
    "logical_or",
    dtypes=BOOL,
    doc="""Whether at least one is true, element by element, broadcasting.

    >>> tf.logical_or([True, False], False).numpy()
    array([ True, False])
    """,
)

logical_not = elementwise(
    "LogicalNot",
    "logical_not",
    dtypes=BOOL,
    doc="""The opposite.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """,
)


@public
@says(dispatched="binary")
def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """Whether exactly one is true, element by element, broadcasting.

    >>> tf.math.logical_xor([True, False], True).numpy()
    array([False,  True])

    Args:
        x, y: tensors of bools, whose shapes broadcast.
    """
    # "Exactly one" is what not_equal computes; logical_or also checks that x and y are truth values.
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)))


# Bits

bitwise_and = elementwise(
    "BitwiseAnd",
    "bitwise_and",
    dtypes=INTEGERS,
    doc="""The bits set in both.

    >>> tf.bitwise.bitwise_and(6, 3).numpy()
    np.int32(2)
    """,
)

bitwise_or = elementwise(
    "BitwiseOr",
    "bitwise_or",
    dtypes=INTEGERS,
    doc="""The bits set in at least one.

    >>> tf.bitwise.bitwise_or(6, 3).numpy()
    np.int32(7)
    """,
)

bitwise_xor = elementwise(
    "BitwiseXor",
    "bitwise_xor",
    dtypes=INTEGERS,
    doc="""The bits set in exactly one.

    >>> tf.bitwise.bitwise_xor(6, 3).numpy()
    np.int32(5)
    """,
)

invert = elementwise(
    "Invert",
    "invert",
    dtypes=INTEGERS,
    doc="""Every bit flipped.

    >>> tf.bitwise.invert(tf.constant([0, 5])).numpy()
    array([-1, -6], dtype=int32)
    """,
)


def within_width(xp, x, y):
    # In C a shift by the width of the type or more is undefined. TensorFlow limits the shift to width - 1.
    return xp.clip(y, 0, x.dtype.itemsize * 8 - 1).astype(x.dtype)


left_shift = elementwise(
    "LeftShift",
    lambda xp, x, y: xp.left_shift(x, within_width(xp, x, y)),
    dtypes=INTEGERS,
    name="left_shift",
    doc="""The bits moved up by ``y`` places, at most by the width of the dtype minus 1.

    >>> tf.bitwise.left_shift(1, 4).numpy()
    np.int32(16)
    """,
)

right_shift = elementwise(
    "RightShift",
    lambda xp, x, y: xp.right_shift(x, within_width(xp, x, y)),
    dtypes=INTEGERS,
    name="right_shift",
    doc="""The bits moved down by ``y`` places. Copies of the sign bit fill the places at the top.

    >>> tf.bitwise.right_shift(-8, 1).numpy()
    np.int32(-4)
    """,
)

population_count = elementwise(
    "PopulationCount",
    lambda xp, x: xp.bitwise_count(x.view(f"u{x.dtype.itemsize}")),
    dtypes=INTEGERS,
    name="population_count",
    doc="""How many bits are set.

    >>> tf.raw_ops.PopulationCount(x=[7, -1]).numpy()
    array([ 3, 32], dtype=uint8)
    """,
)

# Tests

is_nan = elementwise(
    "IsNan",
    "isnan",
    dtypes=REAL_FLOATING,
    name="is_nan",
    doc="""Whether an element is NaN.

    >>> tf.math.is_nan([1.0, np.nan]).numpy()
    array([False,  True])
    """,
)

is_inf = elementwise(
    "IsInf",
    "isinf",
    dtypes=REAL_FLOATING,
    name="is_inf",
    doc="""Whether an element is infinite.

    >>> tf.math.is_inf([1.0, -np.inf]).numpy()
    array([False,  True])
    """,
)

is_finite = elementwise(
    "IsFinite",
    "isfinite",
    dtypes=REAL_FLOATING,
    name="is_finite",
    doc="""Whether an element is neither infinite nor NaN.

    >>> tf.math.is_finite([1.0, np.nan]).numpy()
    array([ True, False])
    """,
)

for comparison in (equal, not_equal, less, less_equal, greater, greater_equal, approximate_equal):
    comparison.no_gradient()
for logical in (logical_and, logical_or, logical_not):
    logical.no_gradient()
for bitwise in (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
    population_count,
):
    bitwise.no_gradient()
for test in (is_nan, is_inf, is_finite):
    test.no_gradient()


# The operators of tensors


def broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether two shapes broadcast against each other."""
    return all(a == b or a == 1 or b == 1 for a, b in zip(first[::-1], second[::-1], strict=False))


def compare(op: Any, x: Any, y: Any, otherwise: bool) -> Any:
    """``op(x, y)``. If ``y`` is None, or its shape does not broadcast against ``x``'s, ``otherwise``."""
    if y is None:
        return otherwise
    try:
        return op(x, y)
    except errors.InvalidArgumentError:
        if hasattr(y, "row_splits"):  # a ragged tensor, which has no shape to convert to
            return otherwise
        x = convert(x)
        y = convert(y) if isinstance(y, Operand) else convert(y, x.dtype)
        if x.dtype is not y.dtype or broadcast(x._shape_tuple(), y._shape_tuple()):
            raise
        return convert(otherwise)


def is_bool(x: Tensor, y: Any) -> bool:
    return (x if isinstance(x, Operand) else y).dtype.is_bool


# What the operators of tensors call. & | ^ ~ are logical on truth values and bitwise on integers.


def equal_operator(x: Tensor, y: Any) -> Any:
    return compare(equal, x, y, False)


def not_equal_operator(x: Tensor, y: Any) -> Any:
    return compare(not_equal, x, y, True)


def and_operator(x: Tensor, y: Any) -> Tensor:
    return (logical_and if is_bool(x, y) else bitwise_and)(x, y)


def or_operator(x: Tensor, y: Any) -> Tensor:
    return (logical_or if is_bool(x, y) else bitwise_or)(x, y)


def xor_operator(x: Tensor, y: Any) -> Tensor:
    return (logical_xor if is_bool(x, y) else bitwise_xor)(x, y)


def invert_operator(x: Tensor) -> Tensor:
    return (logical_not if x.dtype.is_bool else invert)(x)
