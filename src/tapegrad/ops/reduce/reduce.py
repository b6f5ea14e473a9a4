"""Reductions: many elements along some axes become one."""

from __future__ import annotations

import functools
import math
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public, takes_halves
from tapegrad.core.sizes import Size, is_unknown, maximum, minimum
from tapegrad.engines.numpy import reductions, searches, softmax
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axes, normalize_axis, static_axis, static_bool, static_dtype
from tapegrad.ops.batching import with_axes
from tapegrad.ops.constants import number
from tapegrad.ops.elementwise import logic
from tapegrad.ops.elementwise.complex import real, widen
from tapegrad.ops.elementwise.exponential import exp_difference
from tapegrad.ops.elementwise.math import (
    divide_no_nan_op,
    multiply,
    multiply_no_nan,
    real_divide,
)
from tapegrad.ops.op import ANY, BOOL, NUMERIC, REAL, REAL_FLOATING, op
from tapegrad.ops.reduce.scan import cumprod
from tapegrad.ops.shape import array
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract, reduced

PUBLIC = {
    ". math": (
        "argmax argmin reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min "
        "reduce_prod reduce_sum"
    ),
    "math": "count_nonzero reduce_euclidean_norm",
    "math compat.v1.math": "is_non_decreasing is_strictly_increasing",
    "math nn compat.v1.math compat.v1.nn": "zero_fraction",
}


Shape = tuple[int, ...]
Axis = int | tuple[int, ...] | None

ATTRIBUTES = {"axis": static_axis, "keepdims": static_bool}
RAW = ("input", "axis", "keep_dims")


def reduced_axes(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes that are reduced, counted from the front. For None they are all axes."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, int):
        return (axis + rank if axis < 0 else axis,)
    return tuple([number + rank if number < 0 else number for number in axis])


def kept_shape(shape: Shape, axis: Axis) -> Shape:
    """``shape`` with length 1 for the axes that are reduced."""
    axes = reduced_axes(axis, len(shape))
    return tuple([1 if i in axes else length for i, length in enumerate(shape)])


def count_reduced(shape: Shape, axis: Axis) -> int:
    """The number of elements of a tensor of this shape that become one element of the result."""
    return math.prod([shape[i] for i in reduced_axes(axis, len(shape))])


def keep_axes(tensor: Tensor, shape: Shape, axis: Axis, keepdims: bool) -> Tensor:
    """A result, or its gradient, with the reduced axes put back as axes of length 1."""
    if keepdims or not shape:
        return tensor
    return array.reshape.apply([tensor], (kept_shape(shape, axis),))


def spread(dy: Tensor, shape: Shape, axis: Axis, keepdims: bool) -> Tensor:
    """The gradient ``dy`` of a sum, repeated for every element that was summed."""
    if axis is not None:
        dy = keep_axes(dy, shape, axis, keepdims)
    return array.broadcast_to.apply([dy], (shape,))


def along(function: Any, x: Any, axis: Axis, **options: Any) -> Any:
    """``function(x, axis=axis, **options)``, with our own error if the axis does not fit ``x``."""
    if x.ndim == 0 and axis is not None:
        # NumPy accepts the axes 0 and -1 for a scalar.
        normalize_axes((axis,) if isinstance(axis, int) else axis, 0)
    try:
        return function(x, axis=axis, **options)
    except ValueError:
        if axis is not None:
            normalize_axes((axis,) if isinstance(axis, int) else axis, x.ndim)
        raise


# Sums and products


@op(
    "Sum",
    dtypes=NUMERIC,
    convert=ATTRIBUTES,
    raw=RAW,
    lane=reductions.sum_lane,
    accumulate="float32",
    linear="input_tensor",
)
def reduce_sum(xp, input_tensor, *, axis=None, keepdims=False):
    """The sum over ``axis``, or over all axes.

    >>> x = tf.constant([[1, 2], [3, 4]])
    >>> tf.reduce_sum(x).numpy(), tf.reduce_sum(x, axis=0).numpy()
    (np.int32(10), array([4, 6], dtype=int32))

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the summed axes, with length 1.
    """
    return along(xp.add.reduce, input_tensor, axis, dtype=input_tensor.dtype, keepdims=keepdims)


reduce_sum.shape(reduced(of_sizes=sum))
reduce_sum.gradient(
    input_tensor=lambda dy, input_tensor_shape, axis, keepdims: spread(
        dy, input_tensor_shape, axis, keepdims
    )
)
reduce_sum.batching(with_axes("axis"))


@op(
    "Mean",
    dtypes=NUMERIC,
    convert=ATTRIBUTES,
    raw=RAW,
    lane=reductions.mean_lane,
    accumulate="float32",
    linear="input_tensor",
)
def reduce_mean(xp, input_tensor, *, axis=None, keepdims=False):
    """The mean over ``axis``, or over all axes. The mean of integers is cut to an integer.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    >>> tf.reduce_mean(x).numpy(), tf.reduce_mean(x, axis=0).numpy()
    (np.float32(2.75), array([2. , 3.5], dtype=float32))

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the averaged axes, with length 1.
    """
    dtype = input_tensor.dtype
    if dtype.kind in "iu":
        total = along(xp.sum, input_tensor, axis, keepdims=keepdims)
        count = max(input_tensor.size // max(total.size, 1), 1)
        return ((total - xp.fmod(total, count)) // count).astype(dtype)
    total = along(xp.add.reduce, input_tensor, axis, dtype=dtype, keepdims=keepdims)
    count = input_tensor.size if axis is None else count_reduced(input_tensor.shape, axis)
    return xp.divide(total, count, dtype=dtype)


reduce_mean.shape(reduced())


def mean_gradient(dy, input_tensor_shape, axis, keepdims):
    count: Any = count_reduced(input_tensor_shape, axis)
    # An open count decides nothing here: a tensor without elements is as large as the others.
    count = maximum(count, 1) if type(count) is Size else count or 1
    return spread(real_divide(dy, number(count, dy.dtype)), input_tensor_shape, axis, keepdims)


reduce_mean.gradient(input_tensor=mean_gradient)
reduce_mean.batching(with_axes("axis"))


@op(
    "Prod",
    dtypes=NUMERIC,
    convert=ATTRIBUTES,
    raw=RAW,
    lane=reductions.product_lane,
    accumulate="float32",
    values="elements",
)
def reduce_prod(xp, input_tensor, *, axis=None, keepdims=False):
    """The product over ``axis``, or over all axes.

    >>> tf.reduce_prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12], dtype=int32)

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the multiplied axes, with length 1.
    """
    dtype = input_tensor.dtype
    return along(xp.multiply.reduce, input_tensor, axis, dtype=dtype, keepdims=keepdims)


reduce_prod.shape(reduced(of_sizes=math.prod))


def prod_gradient(dy, input_tensor, axis, keepdims):
    # The product over x is 0 / 0 where x is zero, so the other factors are multiplied directly: those before
    # each element, times those after it. This costs more than dividing, but it is right at zero, and so is
    # its second derivative.
    shape = input_tensor._shape_tuple()
    rank = len(shape)
    axes = reduced_axes(axis, rank)
    dy = spread(dy, shape, axis, keepdims)
    if len(axes) == 1:
        return dy * product_of_others(input_tensor, axes[0])
    order = [i for i in range(rank) if i not in axes] + list(axes)
    moved = array.transpose(input_tensor, order)
    moved_shape = moved._shape_tuple()
    rows = math.prod(moved_shape[: rank - len(axes)])
    flat = array.reshape(moved, (rows, math.prod(moved_shape[rank - len(axes) :])))
    other_factors = array.reshape(product_of_others(flat, 1), moved_shape)
    back = sorted(range(rank), key=order.__getitem__)
    return dy * array.transpose(other_factors, back)


def product_of_others(x: Tensor, axis: int) -> Tensor:
    """For each element, the product of all the others along ``axis``."""
    return cumprod(x, axis, True, False) * cumprod(x, axis, True, True)


reduce_prod.gradient(input_tensor=prod_gradient)
reduce_prod.batching(with_axes("axis"))


# Extremes


def lowest(xp: Any, dtype: Any) -> Any:
    """A value that is at most every number of the dtype."""
    return xp.iinfo(dtype).min if dtype.kind in "iu" else -xp.inf


def highest(xp: Any, dtype: Any) -> Any:
    """A value that is at least every number of the dtype."""
    return xp.iinfo(dtype).max if dtype.kind in "iu" else xp.inf


@op(
    "Max",
    dtypes=REAL,
    convert=ATTRIBUTES,
    raw=RAW,
    lane=reductions.max_lane,
    accumulate="float32",
    values="elements",
)
def reduce_max(xp, input_tensor, *, axis=None, keepdims=False):
    """The largest element over ``axis``, or over all axes; NaN if there is one. Ties share the gradient.

    >>> tf.reduce_max([[1, 5], [7, 2]], axis=1).numpy()
    array([5, 7], dtype=int32)

    Args:
        input_tensor: a tensor of real numbers. Without elements, the maximum is the dtype's lowest number.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the reduced axes, with length 1.
    """
    if input_tensor.size == 0:
        start = lowest(xp, input_tensor.dtype)
        out = along(xp.sum, input_tensor, axis, keepdims=keepdims)
        return xp.full(out.shape, start, input_tensor.dtype)
    return along(xp.maximum.reduce, input_tensor, axis, keepdims=keepdims)


reduce_max.shape(reduced(of_sizes=lambda numbers: functools.reduce(maximum, numbers)))


@op(
    "Min",
    dtypes=REAL,
    convert=ATTRIBUTES,
    raw=RAW,
    lane=reductions.min_lane,
    accumulate="float32",
    values="elements",
)
def reduce_min(xp, input_tensor, *, axis=None, keepdims=False):
    """The smallest element over ``axis``, or over all axes; NaN if there is one. Ties share the gradient.

    >>> tf.reduce_min([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 2], dtype=int32)

    Args:
        input_tensor: a tensor of real numbers. Without elements, the minimum is the dtype's highest number.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the reduced axes, with length 1.
    """
    if input_tensor.size == 0:
        start = highest(xp, input_tensor.dtype)
        out = along(xp.sum, input_tensor, axis, keepdims=keepdims)
        return xp.full(out.shape, start, input_tensor.dtype)
    return along(xp.minimum.reduce, input_tensor, axis, keepdims=keepdims)


reduce_min.shape(reduced(of_sizes=lambda numbers: functools.reduce(minimum, numbers)))


def extreme_gradient(dy, input_tensor, out, axis, keepdims):
    # All elements that equal the result share its gradient evenly: TensorFlow's convention. Nothing equals
    # a result of NaN, so the shares are 0 / 0 then.

    shape = input_tensor._shape_tuple()
    out = keep_axes(out, shape, axis, keepdims)
    ties = cast(logic.equal(input_tensor, out), dy.dtype)
    share = real_divide(keep_axes(dy, shape, axis, keepdims), reduce_sum(ties, axis, True))
    return ties * share


reduce_max.gradient(input_tensor=extreme_gradient)
reduce_max.batching(with_axes("axis"))
reduce_min.gradient(input_tensor=extreme_gradient)
reduce_min.batching(with_axes("axis"))


def checked_output(*allowed: dtypes.DType) -> Any:
    """A function that turns ``output_type`` into a DType and refuses all but the ``allowed`` ones."""

    def check(value: Any) -> dtypes.DType:
        dtype = static_dtype(value)
        if dtype not in allowed:
            refuse(
                f"output_type must be one of {', '.join(allowed_dtype.name for allowed_dtype in allowed)}, "
                f"not {dtype.name}."
            )
        return dtype

    return check


def check_extreme(shape: Shape, axis: int) -> None:
    others: Any = shape[:axis] + shape[axis + 1 :]
    if not is_unknown(shape[axis]) and shape[axis] == 0 and math.prod(others):
        refuse(f"Reduction axis {axis} is empty in shape {list(shape)}: no element to point at.")


def position_shape(input, axis, output_type):
    axis = normalize_axis(axis, input.ndim, "dimension")
    check_extreme(input.shape, axis)
    shape = (*input.shape[:axis], *input.shape[axis + 1 :])
    return Abstract(shape, output_type)


def position_of_extreme(xp, find, x, axis, output_type, worst):
    axis = normalize_axis(axis, x.ndim, "dimension")
    check_extreme(x.shape, axis)
    if x.size == 0:
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        return xp.zeros(shape, output_type.as_numpy_dtype)
    positions = find(x, axis=axis)
    if x.dtype.kind in "fV":
        # NumPy points at a NaN if there is one. Here NaN is never the extreme, unless all elements are NaN.
        values = xp.take_along_axis(x, xp.expand_dims(positions, axis), axis)
        if xp.isnan(values).any():
            positions = find(xp.where(xp.isnan(x), xp.asarray(worst, x.dtype), x), axis=axis)
    return positions.astype(output_type.as_numpy_dtype, copy=False)


def position_axis(value: Any) -> int:
    """The axis of an argmax, as one integer. None means 0."""
    if value is None:
        return 0
    if isinstance(value, (list, tuple, float, str)):
        raise TypeError(f"axis must be an int or a Tensor with integer datatype, not {value!r}.")
    axis = static_axis(value)
    if not isinstance(axis, int):
        refuse(f"axis must be a scalar; {axis} came.")
    return axis


@op(
    "ArgMax",
    dtypes=REAL | BOOL,
    convert={
        "axis": position_axis,
        "output_type": checked_output(dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64),
    },
    raw=("input", "dimension", "output_type"),
    lane=searches.argmax,
    accumulate="float32",
    values="elements",
)
def argmax(xp, input, *, axis=None, output_type=dtypes.int64):
    """The index of the largest element along ``axis`` (0 by default); the first one of equal elements.

    >>> tf.argmax([[1, 5], [7, 2]]).numpy(), tf.argmax([[1, 5], [7, 2]], axis=1).numpy()
    (array([1, 0]), array([1, 0]))

    Args:
        input: a tensor of real numbers or truth values. NaN counts as the lowest number.
        axis: the axis to search along.
        output_type: tf.int64, or another integer type.

    Raises:
        InvalidArgumentError: if the axis is empty: there is nothing to point at.
    """
    return position_of_extreme(xp, xp.argmax, input, axis, output_type, -xp.inf)


argmax.shape(position_shape)
argmax.no_gradient()
argmax.batching(with_axes("axis"))


@op(
    "ArgMin",
    dtypes=REAL | BOOL,
    convert={"axis": position_axis, "output_type": checked_output(dtypes.int32, dtypes.int64)},
    raw=("input", "dimension", "output_type"),
    lane=searches.argmin,
    accumulate="float32",
    values="elements",
)
def argmin(xp, input, *, axis=None, output_type=dtypes.int64):
    """The index of the smallest element along ``axis`` (0 by default); the first one of equal elements.

    >>> tf.argmin([[1, 5], [7, 2]], axis=1).numpy()
    array([0, 1])

    Args:
        input: a tensor of real numbers or truth values. NaN counts as the highest number.
        axis: the axis to search along.
        output_type: tf.int64 or tf.int32.

    Raises:
        InvalidArgumentError: if the axis is empty: there is nothing to point at.
    """
    return position_of_extreme(xp, xp.argmin, input, axis, output_type, xp.inf)


argmin.shape(position_shape)
argmin.no_gradient()
argmin.batching(with_axes("axis"))


# Truth values and counts


@op("Any", dtypes=BOOL, convert=ATTRIBUTES, raw=RAW, lane=searches.any_true, values="elements")
def reduce_any(xp, input_tensor, *, axis=None, keepdims=False):
    """Whether any element over ``axis``, or over all axes, is true. Without elements, False.

    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])

    Args:
        input_tensor: a tensor of truth values.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the reduced axes, with length 1.
    """
    return along(xp.logical_or.reduce, input_tensor, axis, keepdims=keepdims)


reduce_any.shape(reduced())


@op("All", dtypes=BOOL, convert=ATTRIBUTES, raw=RAW, lane=searches.all_true, values="elements")
def reduce_all(xp, input_tensor, *, axis=None, keepdims=False):
    """Whether all elements over ``axis``, or over all axes, are true. Without elements, True.

    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])

    Args:
        input_tensor: a tensor of truth values.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the reduced axes, with length 1.
    """
    return along(xp.logical_and.reduce, input_tensor, axis, keepdims=keepdims)


reduce_all.shape(reduced())


reduce_any.no_gradient()
reduce_any.batching(with_axes("axis"))
reduce_all.no_gradient()
reduce_all.batching(with_axes("axis"))


@op("_CountNonzero", dtypes=ANY, convert=ATTRIBUTES, lane=searches.count_nonzero, values="elements")
def count_nonzero_op(xp, input, *, axis=None, keepdims=False):
    return xp.asarray(along(xp.count_nonzero, input, axis, keepdims=keepdims), xp.int64)


count_nonzero_op.shape(reduced(dtypes.int64))
count_nonzero_op.no_gradient()
count_nonzero_op.batching(with_axes("axis"))


@public
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The number of elements over ``axis``, or over all axes, that are not zero, False or the empty string.

    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=1).numpy()
    array([1, 2])

    Args:
        input: a tensor of any dtype. NaN counts as not zero.
        axis: an axis or several; None for all.
        keepdims: whether to keep the counted axes, with length 1.
        dtype: the dtype of the counts.
    """
    return cast(count_nonzero_op(input, axis, keepdims), dtype)


@public
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of zeros among all elements, as a float32; NaN if there are no elements.

    >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy()
    np.float32(0.5)

    Args:
        value: a tensor of numbers, or a value that becomes one.
    """
    value = convert(value)
    zeros = math.prod(value._shape_tuple()) - count_nonzero_op(value)
    size = convert(math.prod(value._shape_tuple()), dtypes.float32)
    return real_divide(cast(zeros, dtypes.float32), size)


def steps_along(x: Any) -> tuple[Tensor, Tensor]:
    """The flattened tensor without its last element, and without its first."""
    x = convert(x)
    if x.dtype not in NUMERIC:
        raise TypeError(f"Expected x to be numeric; a tensor of {x.dtype.name} came.")
    flat = array.reshape(x, (-1,))
    return flat[:-1], flat[1:]


@public
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element of the flattened tensor is smaller than the one before it.

    >>> tf.math.is_non_decreasing([1, 2, 2]).numpy()
    np.True_

    Args:
        x: a tensor of real numbers. One with fewer than two elements gives True.
    """
    before, after = steps_along(x)
    return reduce_all(logic.less_equal(before, after))


@public
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether every element of the flattened tensor is larger than the one before it.

    >>> tf.math.is_strictly_increasing([1, 2, 2]).numpy()
    np.False_

    Args:
        x: a tensor of real numbers. One with fewer than two elements gives True.
    """
    before, after = steps_along(x)
    return reduce_all(logic.less(before, after))


# Norms and moments


def euclidean_norm(xp, x, axis, keepdims):
    """The norm of real numbers, scaled where squares would overflow or underflow."""
    squares = along(xp.sum, xp.square(x), axis, keepdims=keepdims)
    limits = xp.finfo(squares.dtype)
    # In a sum as large as this the squares of the smallest numbers are lost anyway: no scaling is needed.
    if xp.all((squares > limits.tiny / limits.eps**2) & (squares < xp.inf)):
        return xp.sqrt(squares)
    largest = xp.max(xp.abs(x), axis=axis, keepdims=True, initial=0)
    scale = xp.where((largest > 0) & (largest < xp.inf), largest, xp.ones((), x.dtype))
    squares = xp.sum(xp.square(x / scale), axis=axis, keepdims=True)
    out = xp.sqrt(squares) * scale
    return out if keepdims else xp.reshape(out, xp.sum(x, axis=axis).shape)


@op(
    "EuclideanNorm",
    dtypes=NUMERIC,
    convert=ATTRIBUTES,
    raw=RAW,
    holomorphic=False,
    lane=reductions.norm_lane,
    accumulate="float32",
    values="elements",
)
def reduce_euclidean_norm(xp, input_tensor, *, axis=None, keepdims=False):
    """The square root of the sum of squares over ``axis``, or over all axes.

    >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [3e30, 4e30]], axis=1).numpy()
    array([5.e+00, 5.e+30], dtype=float32)

    Differs from TensorFlow: no square overflows or underflows, and the gradient at 0 is 0.

    Args:
        input_tensor: a tensor of numbers. For integers the norm is cut to an integer.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the reduced axes, with length 1.
    """
    dtype = input_tensor.dtype
    if dtype.kind in "iu":
        squares = xp.square(input_tensor, dtype=xp.float64)
        return xp.sqrt(along(xp.sum, squares, axis, keepdims=keepdims)).astype(dtype)
    x = xp.abs(input_tensor) if dtype.kind == "c" else input_tensor
    return euclidean_norm(xp, x, axis, keepdims).astype(dtype)


reduce_euclidean_norm.shape(reduced())


def euclidean_norm_gradient(dy, input_tensor, out, axis, keepdims):
    # x / norm is the direction in which the norm grows fastest. At 0 there is none, and the rule gives 0,
    # the subgradient of least norm.
    shape = input_tensor._shape_tuple()
    if dy.dtype.is_complex:
        # The norm is real, so the imaginary part of dy has no effect.
        dy = widen(real(dy))
    direction = divide_no_nan_op(input_tensor, keep_axes(out, shape, axis, keepdims))
    return multiply_no_nan(direction, keep_axes(dy, shape, axis, keepdims))


reduce_euclidean_norm.gradient(input_tensor=euclidean_norm_gradient)
reduce_euclidean_norm.batching(with_axes("axis"))


@op(
    "_SumOfSquares",
    dtypes=REAL_FLOATING,
    convert=ATTRIBUTES,
    lane=reductions.squares_lane,
    accumulate="float32",
    values="elements",
)
def reduce_sum_of_squares(xp, input_tensor, *, axis=None, keepdims=False):
    """The sum of the squares over ``axis``, or over all axes, in one pass."""
    return along(xp.sum, xp.square(input_tensor), axis, keepdims=keepdims)


reduce_sum_of_squares.shape(reduced())


def sum_of_squares_gradient(dy, input_tensor, axis, keepdims):
    return keep_axes(multiply(dy, 2.0), input_tensor._shape_tuple(), axis, keepdims) * input_tensor


reduce_sum_of_squares.gradient(input_tensor=sum_of_squares_gradient)
reduce_sum_of_squares.batching(with_axes("axis"))


@op(
    "_LogSumExp",
    dtypes=REAL_FLOATING,
    convert=ATTRIBUTES,
    lane=softmax.logsumexp_lane,
    accumulate="float32",
    values="elements",
)
def reduce_logsumexp(xp, input_tensor, *, axis=None, keepdims=False):
    """The logarithm of the sum of ``exp(x)`` over ``axis``, or over all axes, without overflow.

    >>> tf.reduce_logsumexp([1000.0, 1000.0]).numpy()
    np.float32(1000.6932)

    Differs from TensorFlow: the gradient is 0 where all elements are -inf. Where some are inf, those share
    the gradient.

    Args:
        input_tensor: a tensor of real floating point numbers. Without elements, the result is -inf.
        axis: an axis or several; None for all, an empty list for none.
        keepdims: whether to keep the reduced axes, with length 1.
    """
    x = input_tensor
    largest = along(xp.max, x, axis, keepdims=True, initial=-xp.inf)
    shift = xp.where(xp.isfinite(largest), largest, xp.zeros((), x.dtype))
    out = xp.log(xp.sum(xp.exp(x - shift), axis=axis, keepdims=True)) + shift
    return out if keepdims else xp.reshape(out, xp.sum(x, axis=axis).shape)


reduce_logsumexp.shape(reduced())


def logsumexp_gradient(dy, input_tensor, axis, keepdims):
    # exp(x - out) would be one operation less, but a float32 out near 1000 has only four digits after the
    # point.
    largest = array.stop_gradient(reduce_max(input_tensor, axis, True))
    parts = exp_difference(input_tensor, largest)
    # Where all elements are -inf all parts are 0, and so is the gradient.
    share = divide_no_nan_op(parts, reduce_sum(parts, axis, True))
    return keep_axes(dy, input_tensor._shape_tuple(), axis, keepdims) * share


@takes_halves
def logsumexp_fast(xp, dy, input_tensor, axis, keepdims):
    return xp.logsumexp_grad(dy, input_tensor, axis)


reduce_logsumexp.gradient(input_tensor=logsumexp_gradient, fast={"input_tensor": logsumexp_fast})
reduce_logsumexp.batching(with_axes("axis"))


# Undoing a broadcast


def sum_to_shape(gradient: Tensor, shape: tuple[int, ...]) -> Tensor:
    """``gradient`` summed over the axes along which an input of ``shape`` was broadcast.

    A gradient that is smaller than the input (from outside, such as a scalar for a vector) is returned
    unchanged: it is broadcast where it meets the input's values.
    """
    gradient_shape = gradient._shape_tuple()
    extra = len(gradient_shape) - len(shape)
    if extra < 0:
        return gradient
    axes = [*range(extra)]
    axes += [
        i + extra
        for i, (length, size) in enumerate(zip(shape, gradient_shape[extra:], strict=True))
        if not is_unknown(length) and length == 1 and (is_unknown(size) or size != 1)
    ]
    if not axes:
        return gradient
    summed: Tensor = reduce_sum.apply([gradient], (tuple(axes), False))
    return summed if len(axes) == extra else array.reshape.apply([summed], (shape,))
