"""Linear equations solved by conjugate gradients, which only need products with the matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapegrad.core import Tensor, convert, public
from tapegrad.ops.args import static_int
from tapegrad.ops.elementwise.complex import conj
from tapegrad.ops.elementwise.math import divide_no_nan
from tapegrad.ops.op import op
from tapegrad.ops.reduce.reduce import reduce_any, reduce_sum
from tapegrad.ops.shape.array import expand_dims
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import zeros_like
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "linalg.experimental": "conjugate_gradient",
}


class CGState(NamedTuple):
    """The result of `tf.linalg.experimental.conjugate_gradient`."""

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


@public
def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """The solution of ``A x = rhs`` for a positive definite operator, found by conjugate gradients.

    >>> class Diagonal:
    ...     is_self_adjoint = is_positive_definite = True
    ...     def matvec(self, x):
    ...         return tf.constant([2.0, 4.0]) * x
    >>> tf.linalg.experimental.conjugate_gradient(Diagonal(), tf.constant([2.0, 8.0])).x.numpy().tolist()
    [1.0, 2.0]

    Args:
        operator: an object with ``is_self_adjoint``, ``is_positive_definite`` and ``matvec``.
        rhs: a vector, or a batch of them.
        preconditioner: another operator, close to the inverse of ``operator``.
        x: the starting point; zeros by default.
        tol: the ratio of the lengths of the residual and of ``rhs`` at which to stop.
        max_iter: the largest number of steps.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError(
            "conjugate_gradient() needs an operator that says of itself that it is self-adjoint "
            "and positive definite."
        )
    if preconditioner is not None and not (
        preconditioner.is_self_adjoint and preconditioner.is_positive_definite
    ):
        raise ValueError(
            "conjugate_gradient() needs a preconditioner that says of itself that it "
            "is self-adjoint and positive definite."
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
        # For a vector of the batch that is solved already this is 0 / 0. The vector then stays unchanged.
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


@op("_RowNorms", accumulate={})
def row_norms(xp, vectors):
    """The lengths of the rows. They decide when to stop, and have no gradient."""
    return xp.sqrt(xp.sum(xp.square(xp.abs(vectors)), axis=-1))


row_norms.shape(lambda vectors: Abstract(vectors.shape[:-1], vectors.dtype.real_dtype))
row_norms.no_gradient(constant=True)
