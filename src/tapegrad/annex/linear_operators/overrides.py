"""What the functions of `tf.linalg` do with linear operators. `core.Function` brings them here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.annex.linear_operators import ops
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.ops.linalg import decompositions, diagonals, products, solvers


def matmul(
    _: Any,
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.matmul` where one operand, or both, is a linear operator."""
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    # a b is the adjoint of b^H a^H.
    product = b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a)
    return ops.adjoint(product)


def matvec(
    _: Any,
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.linalg.matvec` of a linear operator."""
    if transpose_a:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    return a.matvec(b, adjoint=adjoint_a)


def solve(_: Any, matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """`tf.linalg.solve` where one operand, or both, is a linear operator."""
    if not isinstance(matrix, LinearOperator):
        raise TypeError(f"Expected `matrix` to be a linear operator beside one; got {matrix!r}")
    return matrix.solve(rhs, adjoint=adjoint)


def logdet(_: Any, matrix: Any, name: str | None = None) -> Any:
    """`tf.linalg.logdet` of a linear operator."""
    if not matrix._can_use_cholesky():
        raise ValueError("Expected matrix to be self-adjoint positive definite.")
    return matrix.log_abs_determinant()


def inverse(_: Any, input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """`tf.linalg.inv` of a linear operator."""
    inverted = input.inverse()
    return inverted.adjoint() if adjoint else inverted


def method(name: str) -> Callable[..., Any]:
    """The override that calls the method ``name`` of the operator, which comes first."""

    def override(_: Any, operator: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(operator, name)()

    return override


OVERRIDES: dict[Any, Callable[..., Any]] = {
    products.matmul: matmul,
    products.matvec: matvec,
    solvers.solve: solve,
    solvers.inv: inverse,
    products.adjoint: method("adjoint"),
    decompositions.cholesky: method("cholesky"),
    solvers.det: method("determinant"),
    diagonals.diag_part: method("diag_part"),
    decompositions.logdet: logdet,
    diagonals.trace: method("trace"),
}

_known: set[type] = set()


def know(operator_class: type) -> None:
    """Let the functions take operators of this class."""
    if operator_class not in _known:
        _known.add(operator_class)
        for function, override in OVERRIDES.items():
            function.override(operator_class, override)
