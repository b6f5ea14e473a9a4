# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.linalg.conjugate_gradient import CGState as CGState
from typing import Any as Any

def conjugate_gradient(
    operator: Any,
    rhs: TensorLike,
    preconditioner: Any = None,
    x: TensorLike | None = None,
    tol: float = 1e-05,
    max_iter: int = 20,
    name: str = 'conjugate_gradient',
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
