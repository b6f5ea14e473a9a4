"""Moments, normalisation by them and by norms, and local response normalisation over channels."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import resampling
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axes, static_axis, static_int, static_ints
from tapegrad.ops.batching import leading, rows
from tapegrad.ops.elementwise import complex, math
from tapegrad.ops.nn import merged
from tapegrad.ops.op import HALVES, REAL_FLOATING, op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.reduce.moments import is_float, moment_axes, moments_op
from tapegrad.ops.shape import array, casts, creation
from tapegrad.ops.shape.pull_back import pull_back
from tapegrad.ops.shape_rules import same_shape

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    "linalg math nn compat.v1.linalg compat.v1.math compat.v1.nn": "l2_normalize",
    "nn": "moments batch_norm_with_global_normalization sufficient_statistics weighted_moments",
    "nn compat.v1.nn": ("batch_normalization local_response_normalization lrn normalize_moments"),
}


@public
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of ``x`` over ``axes``.

    >>> mean, variance = tf.nn.moments(tf.constant([[1.0, 2.0], [3.0, 5.0]]), axes=[0])
    >>> print(mean.numpy(), variance.numpy())
    [2.  3.5] [1.   2.25]

    float16 and bfloat16 are computed in float32. ``shift`` is ignored, as in TensorFlow 2.

    Args:
        x: a tensor of numbers.
        axes: a list of axes, or one; None for all of them.
        shift: of no effect.
        keepdims: whether the axes stay in the results, with size 1.
    """
    x = convert(x)
    y = x if is_float(x.dtype) or x.dtype not in HALVES else casts.cast(x, dtypes.float32)
    reduced = moment_axes(y, static_axis(axes))
    if reduced:
        mean, variance = moments_op.apply([y], (reduced, bool(keepdims)))
    else:
        mean = reduce.reduce_mean(y, axes, keepdims=True)
        variance = reduce.reduce_mean(math.squared_difference(y, mean), axes, keepdims=True)
        if not keepdims:
            removed = range(x.ndim) if axes is None else static_ints(axes)
            mean, variance = (array.squeeze(part, list(removed)) for part in (mean, variance))
    if y is not x:
        mean, variance = casts.cast(mean, x.dtype), casts.cast(variance, x.dtype)
    return mean, variance


@composition
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """``scale * (x - mean) / sqrt(variance + variance_epsilon) + offset``, broadcasting.

    >>> x = tf.constant([[1.0], [3.0]])
    >>> mean, variance = tf.nn.moments(x, [0])
    >>> tf.nn.batch_normalization(x, mean, variance, None, None, 0.0).numpy()
    array([[-1.],
           [ 1.]], dtype=float32)

    Args:
        x: a tensor.
        mean, variance: as `tf.nn.moments` gives them.
        offset, scale: tensors, or None to leave them out.
        variance_epsilon: a small number, against a division by 0.
    """
    x = convert(x)
    mean, variance = convert(mean, x.dtype), convert(variance, x.dtype)
    operands = merged.normalization_operands(x, mean, variance, offset, scale)
    if operands is not None and isinstance(variance_epsilon, (int, float)):
        return merged.batch_normalization_op(*operands, float(variance_epsilon))
    factor = math.rsqrt(variance + convert(variance_epsilon, x.dtype))
    if scale is not None:
        factor = factor * scale
    return x * factor + (-mean * factor if offset is None else offset - mean * factor)


@public
def l2_normalize(
    x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, or along all axes.

    >>> tf.nn.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
        x: a tensor of numbers.
        axis: an axis, or a list of axes; None for all of them.
        epsilon: the least value of the sum of the squares. It keeps zeros zero.
        dim: an older name of ``axis``, looked at if that is None.
    """
    axis = dim if axis is None else axis
    x = convert(x)
    if x.dtype.is_complex:
        square = math.square(complex.real(x)) + math.square(complex.imag(x))
        total = reduce.reduce_sum(square, axis, keepdims=True)
        scale = math.rsqrt(math.maximum(total, epsilon))
        return complex.complex(complex.real(x) * scale, complex.imag(x) * scale)
    if x.dtype.is_floating:
        total = reduce.reduce_sum_of_squares(x, axis, keepdims=True)
    else:
        total = reduce.reduce_sum(math.square(x), axis, keepdims=True)
    return x * math.rsqrt(math.maximum(total, convert(epsilon, x.dtype)))


@public
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What ``normalize_moments`` computes moments from: a count, a sum, a sum of squares, and the shift.

    >>> count, total, squares, _ = tf.nn.sufficient_statistics(tf.constant([[1.0], [3.0]]), axes=[0])
    >>> print(count.numpy(), total.numpy(), squares.numpy())
    2.0 [4.] [10.]

    Args:
        x: a tensor of numbers.
        axes: a list of axes.
        shift: a number near the mean. It is subtracted first, so that the variance loses fewer digits.
        keepdims: whether the axes stay in the sums, with size 1.
    """
    if isinstance(axes, int):
        raise TypeError(f"`axes` must be a list of axes; write [{axes}].")
    x = convert(x)
    shape = x._shape_tuple()
    count = prod([shape[axis] for axis in normalize_axes(static_ints(axes), x.ndim)])
    if shift is None:
        first, squares = x, math.square(x)
    else:
        shift = convert(shift, x.dtype)
        first, squares = x - shift, math.squared_difference(x, shift)
    return (
        casts.cast(float(count), x.dtype),
        reduce.reduce_sum(first, axes, keepdims=keepdims),
        reduce.reduce_sum(squares, axes, keepdims=keepdims),
        shift,
    )


@public
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance, from the result of ``sufficient_statistics``.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> print(mean.numpy(), variance.numpy())
    2.0 1.0

    Args:
        counts: the number of elements.
        mean_ss: the sum of the elements, after ``shift`` was subtracted.
        variance_ss: the sum of their squares, after ``shift`` was subtracted.
        shift: what was subtracted; None for 0.
    """
    share = math.reciprocal(convert(counts))
    shifted = mean_ss * share
    mean = shifted if shift is None else shifted + shift
    return mean, variance_ss * share - math.square(shifted)


@public
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of ``x`` over ``axes``, in which elements count by their weight.

    >>> x, weights = tf.constant([1.0, 4.0]), tf.constant([2.0, 1.0])
    >>> mean, variance = tf.nn.weighted_moments(x, [0], weights)
    >>> print(mean.numpy(), variance.numpy())
    2.0 2.0

    Args:
        x: a tensor of numbers.
        axes: a list of axes; None for all of them.
        frequency_weights: numbers whose shape broadcasts with that of ``x``.
        keepdims: whether the axes stay in the results, with size 1.
    """
    x = convert(x)
    dtype = x.dtype
    y = casts.cast(x, dtypes.float32) if dtype in HALVES else x
    weights = casts.cast(convert(frequency_weights), y.dtype)
    total = reduce.reduce_sum(weights + creation.zeros_like(y), axes, keepdims=True)
    mean = math.divide_no_nan(reduce.reduce_sum(weights * y, axes, keepdims=True), total)
    deviations = weights * math.squared_difference(y, mean)
    variance = math.divide_no_nan(reduce.reduce_sum(deviations, axes, keepdims=True), total)
    if not keepdims:
        removed = list(range(mean.ndim)) if axes is None else list(static_ints(axes))
        if removed:
            mean, variance = array.squeeze(mean, removed), array.squeeze(variance, removed)
    return casts.cast(mean, dtype), casts.cast(variance, dtype)


@public
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """``batch_normalization`` with older arguments: ``gamma`` scales only if requested.

    >>> x = tf.constant([[1.0], [3.0]])
    >>> tf.nn.batch_norm_with_global_normalization(x, [2.0], [1.0], [5.0], [9.0], 0.0, False).numpy()
    array([[4.],
           [6.]], dtype=float32)

    Args:
        input: a tensor.
        mean, variance: as `tf.nn.moments` gives them.
        beta: what is added.
        gamma: the factor, if ``scale_after_normalization``.
        variance_epsilon: a small number, against a division by 0.
        scale_after_normalization: whether to multiply by ``gamma``.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def _add_neighbours(values: Any, radius: int) -> Any:
    out = resampling.sum_of_neighbours(values, min(radius, values.shape[-1]))
    if out is not None:
        return out
    out = values.copy()
    farthest = min(radius, values.shape[-1] - 1) if values.size else 0
    for distance in range(1, farthest + 1):
        out[..., distance:] += values[..., :-distance]
        out[..., :-distance] += values[..., distance:]
    return out


@op(
    "_SumOfNeighbours",
    dtypes=REAL_FLOATING,
    convert={"radius": static_int},
    accumulate="float32",
    linear="x",
)
def sum_of_neighbours(xp, x, *, radius):
    """The sum of each element and those up to ``radius`` away from it along the last axis."""
    return _add_neighbours(x, radius)


sum_of_neighbours.shape(same_shape)


# If i is a neighbour of j, then j is a neighbour of i: the map's matrix is symmetric, its own transpose.
sum_of_neighbours.gradient(x=lambda dy, radius: sum_of_neighbours(dy, radius))
sum_of_neighbours.batching(leading)

SETTINGS: dict[str, Callable[[Any], Any]] = {
    "depth_radius": static_int,
    "bias": float,
    "alpha": float,
    "beta": float,
}


def _check_image(image: Any, depth_radius: int) -> None:
    if image.ndim != 4:
        refuse(f"The input must be 4-dimensional: its shape is {list(image.shape)}.")
    if depth_radius < 0:
        refuse(f"depth_radius must not be negative: {depth_radius}.")


@op(
    "LRN",
    dtypes=REAL_FLOATING,
    convert=SETTINGS,
    accumulate="float32",
    lane=resampling.response,
    values="elements",
)
def local_response_normalization(xp, input, *, depth_radius=5, bias=1, alpha=1, beta=0.5):
    """Each pixel divided by a power of the sum of squares of its neighbouring channels.

    >>> x = tf.constant([[[[3.0, 4.0]]]])
    >>> tf.nn.local_response_normalization(x, depth_radius=1, bias=0.0).numpy().ravel()
    array([0.6, 0.8], dtype=float32)

    Args:
        input: floating point numbers of (batch, height, width, channels).
        depth_radius: how far away a neighbouring channel may be.
        bias, alpha, beta: the divisor is ``(bias + alpha * sum) ** beta``.

    Differs from TensorFlow: it takes float64 too, and its gradient can be differentiated.
    """
    _check_image(input, depth_radius)
    total = _add_neighbours(xp.square(input), depth_radius)
    return input * (bias + alpha * total) ** -beta


@local_response_normalization.shape
def normalized_shape(input, depth_radius):
    _check_image(input, depth_radius)
    return input.shape


def _lrn_gradient(dy, input, out, depth_radius, bias, alpha, beta):
    # Let S be the sum of neighbours, n = bias + alpha S(x^2), and y = x n^-beta. Then
    # dx = dy n^-beta - 2 alpha beta x S(dy y / n).
    x, dtype = input, input.dtype
    if dtype in HALVES:
        dy, x, out = [casts.cast(tensor, dtypes.float32) for tensor in (dy, x, out)]
    norm = bias + alpha * sum_of_neighbours(math.square(x), depth_radius)
    across = sum_of_neighbours(dy * out / norm, depth_radius)
    return casts.cast(dy * norm**-beta - (2.0 * alpha * beta) * x * across, dtype)


def _lrn_fast(xp, dy, input, out, depth_radius, bias, alpha, beta):
    if not (dy.shape == input.shape and dy.dtype == input.dtype):
        return None
    norm = bias + alpha * _add_neighbours(xp.square(input), depth_radius)
    across = _add_neighbours(dy * out / norm, depth_radius)
    return dy * norm**-beta - 2 * alpha * beta * input * across


local_response_normalization.gradient(input=_lrn_gradient, fast={"input": _lrn_fast})
local_response_normalization.batching(rows())
lrn = local_response_normalization


@op(
    "LRNGrad",
    dtypes=REAL_FLOATING,
    convert=SETTINGS,
    accumulate="float32",
    linear="input_grads",
    values="elements",
)
def lrn_grad(
    xp, input_grads, input_image, output_image, *, depth_radius=5, bias=1, alpha=1, beta=0.5
):
    """The gradient of local response normalisation's input, given that of its result."""
    _check_image(input_image, depth_radius)
    if not input_grads.shape == input_image.shape == output_image.shape:
        refuse(
            "input_grads, input_image and output_image must have one shape, "
            f"not {list(input_grads.shape)}, {list(input_image.shape)} "
            f"and {list(output_image.shape)}."
        )
    return _lrn_fast(xp, input_grads, input_image, output_image, depth_radius, bias, alpha, beta)


lrn_grad.shape(same_shape)


def _lrn_second(dy, input_grads, input_image, output_image, depth_radius, bias, alpha, beta):
    def gradient(dy, input, out):
        return _lrn_gradient(dy, input, out, depth_radius, bias, alpha, beta)

    return pull_back(gradient, [input_grads, input_image, output_image], dy)


lrn_grad.gradient(_lrn_second)
lrn_grad.batching(rows())
