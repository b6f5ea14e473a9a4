# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.approximate import ApproxTopK as ApproxTopK
from tapegrad.ops.approximate import CGState as CGState
from tapegrad.ops.approximate import IsotonicRegression as IsotonicRegression
from typing import Any as Any

def approx_max_k(
    operand: TensorLike,
    k: TensorLike,
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

def approx_min_k(
    operand: TensorLike,
    k: TensorLike,
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

def approx_top_k(
    input: TensorLike,
    k: TensorLike,
    reduction_dimension: Axis = -1,
    recall_target: TensorLike = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: TensorLike = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest elements along an axis (or smallest), in order, and their places.

    >>> values, indices = tf.approx_top_k([1.0, 3.0, 2.0], 2, is_max_k=False)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([1.0, 2.0], [0, 2])

    The answer is exact, so ``recall_target`` and the arguments that tune the search change nothing.

    Differs from TensorFlow: float64 is taken, any axis, and the smallest elements, on the CPU too.

    Args:
        input: a tensor of floating point numbers.
        k: required.
        reduction_dimension: -1 if left out.
        recall_target: 0.95 if left out.
        is_max_k: True if left out.
        reduction_input_size_override: -1 if left out.
        aggregate_to_topk: True if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: values, indices.
    """

def conjugate_gradient(
    operator: Any,
    rhs: TensorLike,
    preconditioner: Any = None,
    x: TensorLike | None = None,
    tol: float = 1e-05,
    max_iter: int = 20,
    name: str = 'conjugate_gradient',
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

def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """The closest falling (or rising) sequence to ``inputs`` along ``axis``, and the block of each element.

    >>> fit = tf.nn.isotonic_regression(tf.constant([4.0, 1.0, 3.0]))
    >>> fit.output.numpy().tolist(), fit.segments.numpy().tolist()
    ([4.0, 2.0, 2.0], [0, 1, 1])

    Closest is meant in squares. Integers come out as float32 (up to 16 bits, signed) or float64.
    """

def sobol_sample(
    dim: Axis,
    num_results: TensorLike,
    skip: TensorLike = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Points of the Sobol sequence in ``dim`` dimensions, a row each, from number ``skip`` on.

    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
