"""Searches and fits: the k largest or smallest, monotone regression, conjugate gradients, Sobol points."""

from __future__ import annotations

import math as python_math
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert
from tapegrad.ops.args import normalize_axis, static_bool, static_dtype, static_int
from tapegrad.ops.array import expand_dims, reshape, transpose_op
from tapegrad.ops.complex import conj
from tapegrad.ops.creation import cast, zeros_like
from tapegrad.ops.gather import places_in_batches, scatter_nd
from tapegrad.ops.halves import widened
from tapegrad.ops.math import divide_no_nan, negative
from tapegrad.ops.op import REAL, REAL_FLOATING, op
from tapegrad.ops.reduce import reduce_any, reduce_sum
from tapegrad.ops.segment import take_segments, unsorted_segment_mean
from tapegrad.ops.sort import places_of_largest, stable_order

PUBLIC = {
    ". compat.v1": "approx_top_k",
    "linalg.experimental": "conjugate_gradient",
    "math compat.v1.math": "sobol_sample",
    "math nn compat.v1.math compat.v1.nn": "approx_max_k approx_min_k",
    "nn": "isotonic_regression",
}


class ApproxTopK(NamedTuple):
    """What `tf.approx_top_k` gives."""

    values: Tensor
    indices: Tensor


class IsotonicRegression(NamedTuple):
    """What `tf.nn.isotonic_regression` gives."""

    output: Tensor
    segments: Tensor


class CGState(NamedTuple):
    """What `tf.linalg.experimental.conjugate_gradient` gives."""

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


# The k largest or smallest


@op(
    "ApproxTopK",
    dtypes=REAL_FLOATING,
    convert={
        "k": static_int,
        "reduction_dimension": static_int,
        "recall_target": float,
        "is_max_k": static_bool,
        "reduction_input_size_override": static_int,
        "aggregate_to_topk": static_bool,
    },
    outputs=("values", "indices"),
    result=ApproxTopK,
)
def approx_top_k(
    xp,
    input,
    *,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    is_max_k=True,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
):
    """The ``k`` largest elements along an axis (or smallest), in order, and their places.

    >>> values, indices = tf.approx_top_k([1.0, 3.0, 2.0], 2, is_max_k=False)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([1.0, 2.0], [0, 2])

    The answer is exact, so ``recall_target`` and the arguments that tune the search change nothing.

    Differs from TensorFlow: float64 is taken, any axis, and the smallest elements, on the CPU too.
    """
    if not input.ndim:
        raise errors.InvalidArgumentError(
            None, None, "approx_top_k() needs an input of at least one dimension; a scalar came."
        )
    axis = normalize_axis(reduction_dimension, input.ndim, "reduction_dimension")
    if not 0 <= k <= input.shape[axis]:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"approx_top_k() cannot take {k} elements along axis {axis} of an input of shape "
            f"{list(input.shape)}.",
        )
    rows = xp.moveaxis(input, axis, -1)
    order = places_of_largest(rows, k) if is_max_k else stable_order(rows, False)[..., :k]
    order = xp.moveaxis(order, -1, axis)
    return xp.take_along_axis(input, order, axis=axis), order.astype(np.int32)


def approx_top_k_gradient(dy, input_shape, indices, reduction_dimension):
    size = python_math.prod(input_shape)
    chosen = numbers_along(indices, input_shape, reduction_dimension)
    count = python_math.prod(chosen._shape_tuple())
    flat = scatter_nd(reshape(chosen, (count, 1)), reshape(dy[0], (count,)), (size,))
    return reshape(flat, input_shape)


@op("_NumbersAlong", dtypes={dtypes.int32})
def numbers_along(xp, indices, *, shape, axis):
    """The numbers, in the flattened whole of ``shape``, of the elements at ``indices`` along an axis."""
    places = xp.arange(python_math.prod(shape)).reshape(shape)
    return xp.take_along_axis(places, indices.astype(np.int64), axis)


numbers_along.no_gradient()
approx_top_k.gradient(input=approx_top_k_gradient)


def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest elements along an axis, largest first, and their places.

    >>> tf.math.approx_max_k(tf.constant([1.0, 3.0, 2.0]), 2).indices.numpy().tolist()
    [1, 2]

    The answer is exact: ``recall_target`` and the arguments that tune the search change nothing.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, True)


def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` smallest elements along an axis, smallest first, and their places.

    >>> tf.math.approx_min_k(tf.constant([1.0, 3.0, 2.0]), 2).indices.numpy().tolist()
    [0, 2]

    The answer is exact: ``recall_target`` and the arguments that tune the search change nothing.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, False)


# Monotone regression


def falling_blocks(row: list[float]) -> list[tuple[float, int]]:
    """The sums and sizes of the blocks whose means are the closest falling sequence to ``row``.

    Neighbours that violate the order are pooled until none does. SciPy's function is the same but for
    pooling equal neighbours too, whose gradients TensorFlow keeps apart.
    """
    blocks: list[tuple[float, int]] = []
    for value in row:
        total, count = value, 1
        while blocks and blocks[-1][0] / blocks[-1][1] < total / count:
            before, size = blocks.pop()
            total, count = before + total, size + count
        blocks.append((total, count))
    return blocks


@op(
    "IsotonicRegression",
    dtypes=REAL,
    convert={"output_dtype": static_dtype},
    outputs=("output", "segments"),
    result=IsotonicRegression,
)
def isotonic_regression_op(xp, input, *, output_dtype=dtypes.float32):
    """The closest falling sequence to each row. See ``tf.nn.isotonic_regression``."""
    if output_dtype not in REAL_FLOATING:
        raise errors.InvalidArgumentError(
            None, None, f"output_dtype must be floating-point, not {output_dtype.name}."
        )
    output = np.empty(input.shape, np.float64)
    segments = np.empty(input.shape, np.int32)
    length = input.shape[-1] if input.ndim else 1
    rows = widened(input).reshape((-1, length)) if length else np.empty((0, 0))
    for row, means, numbers in zip(
        rows, output.reshape(rows.shape), segments.reshape(rows.shape), strict=True
    ):
        blocks = falling_blocks(row.astype(np.float64).tolist())
        sizes = [count for _, count in blocks]
        means[:] = np.repeat([total / count for total, count in blocks], sizes)
        numbers[:] = np.repeat(np.arange(len(blocks)), sizes)
    return output.astype(output_dtype.numpy_dtype, copy=False), segments


def isotonic_gradient(dy, input_shape, input_dtype, segments):
    # Each element moves its block's mean, and so every element of the block, alike.
    length = input_shape[-1] if input_shape else 1
    count = python_math.prod(input_shape)
    rows = reshape(segments, (count // max(length, 1), length))
    blocks = reshape(places_in_batches(rows, 1, length), (count,))
    means = unsorted_segment_mean(reshape(dy[0], (count,)), blocks, count)
    return cast(reshape(take_segments(means, blocks), input_shape), input_dtype)


isotonic_regression_op.gradient(input=isotonic_gradient)


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """The closest falling (or rising) sequence to ``inputs`` along ``axis``, and the block of each element.

    >>> fit = tf.nn.isotonic_regression(tf.constant([4.0, 1.0, 3.0]))
    >>> fit.output.numpy().tolist(), fit.segments.numpy().tolist()
    ([4.0, 2.0, 2.0], [0, 1, 1])

    Closest is meant in squares. Integers come out as float32 (up to 16 bits, signed) or float64.
    """
    values: Tensor = convert(inputs)
    if not isinstance(axis, int):
        raise TypeError(f"isotonic_regression() takes one integer for axis, not {axis!r}.")
    rank = values.ndim
    if rank or axis not in (0, -1):
        axis = normalize_axis(axis, rank)
    if values.dtype in REAL and values.dtype not in REAL_FLOATING:
        small = values.dtype in (dtypes.int8, dtypes.int16)
        values = cast(values, dtypes.float32 if small else dtypes.float64)
    order = [*range(rank)]
    if rank:
        order[axis], order[-1] = order[-1], order[axis]
        values = transpose_op(values, tuple(order))
    if not decreasing:
        values = negative(values)
    output, segments = isotonic_regression_op(values, values.dtype)
    if not decreasing:
        output = negative(output)
    if rank:
        output, segments = (transpose_op(part, tuple(order)) for part in (output, segments))
    return IsotonicRegression(output, segments)


# Conjugate gradients


def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """What solves ``A x = rhs`` for a positive definite operator, by conjugate gradients.

    >>> class Diagonal:
    ...     is_self_adjoint = is_positive_definite = True
    ...     def matvec(self, x):
    ...         return tf.constant([2.0, 4.0]) * x
    >>> tf.linalg.experimental.conjugate_gradient(Diagonal(), tf.constant([2.0, 8.0])).x.numpy().tolist()
    [1.0, 2.0]

    Args:
        operator: an object with ``is_self_adjoint``, ``is_positive_definite`` and ``matvec``.
        rhs: a vector, or a batch of them.
        preconditioner: an operator too, close to the inverse of ``operator``.
        x: where to start; zeros by default.
        tol: the length of the residual, by that of ``rhs``, at which to stop.
        max_iter: the number of steps after which to stop in any case.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError(
            "conjugate_gradient() needs an operator that says of itself that it is self-adjoint and positive "
            "definite."
        )
    if preconditioner is not None and not (
        preconditioner.is_self_adjoint and preconditioner.is_positive_definite
    ):
        raise ValueError(
            "conjugate_gradient() needs a preconditioner that says of itself that it is self-adjoint and "
            "positive definite."
        )
    rhs = convert(rhs)
    limit = row_norms(rhs)
    limit = limit * cast(tol, limit.dtype)
    if x is None:
        x, residual = zeros_like(rhs), rhs
    else:
        x = convert(x, rhs.dtype)
        residual = rhs - operator.matvec(x)

    def preconditioned(r: Tensor) -> Tensor:
        return r if preconditioner is None else preconditioner.matvec(r)

    direction = preconditioned(residual)
    gamma = row_products(residual, direction)
    step, steps = 0, static_int(max_iter)
    while step < steps and reduce_any(row_norms(residual) > limit):
        image = operator.matvec(direction)
        # A vector of the batch that is solved already has 0 / 0 here, and stays where it is.
        alpha = expand_dims(divide_no_nan(gamma, row_products(direction, image)), -1)
        x = x + alpha * direction
        residual = residual - alpha * image
        turned = preconditioned(residual)
        before, gamma = gamma, row_products(residual, turned)
        direction = turned + expand_dims(divide_no_nan(gamma, before), -1) * direction
        step += 1
    return CGState(convert(step), x, residual, direction, gamma)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """The inner products of the rows of ``a`` and ``b``."""
    return reduce_sum(conj(a) * b, -1)


@op("_RowNorms")
def row_norms(xp, vectors):
    """The lengths of the rows: they decide when to stop, and are not differentiated."""
    return xp.sqrt(xp.sum(xp.square(xp.abs(widened(vectors))), axis=-1))


row_norms.no_gradient(constant=True)


# Points that fill a cube evenly

MOST_POINTS = 2**31 - 1
MOST_DIMENSIONS = 21200


def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Points of the Sobol sequence in ``dim`` dimensions, a row each, from number ``skip`` on.

    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    return sobol_sample_op(dim=dim, num_results=num_results, skip=skip, dtype=dtype)


@op(
    "SobolSample",
    convert={
        "dim": static_int,
        "num_results": static_int,
        "skip": static_int,
        "dtype": dtypes.as_dtype,
    },
)
def sobol_sample_op(xp, *, dim, num_results, skip, dtype=dtypes.float32):
    if dtype not in (dtypes.float32, dtypes.float64):
        raise errors.InvalidArgumentError(
            None, None, f"sobol_sample() gives float32 or float64, not {dtype.name}."
        )
    for what, value, lowest in (
        ("dim", dim, 1), ("num_results", num_results, 1), ("skip", skip, 0)
    ):  # fmt: skip
        if value < lowest:
            raise errors.InvalidArgumentError(
                None, None, f"sobol_sample() needs {what} of at least {lowest}, not {value}."
            )
    if dim > MOST_DIMENSIONS or skip + num_results >= MOST_POINTS:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"sobol_sample() has at most {MOST_DIMENSIONS} dimensions and {MOST_POINTS - 1} points, not "
            f"{dim} and {skip + num_results}.",
        )
    from scipy.stats import qmc

    sequence = qmc.Sobol(dim, scramble=False, bits=32)
    # SciPy's sequence begins with zeros, which TensorFlow leaves out.
    sequence.fast_forward(skip + 1)
    return sequence.random(num_results).astype(dtype.numpy_dtype)


sobol_sample_op.no_gradient()
