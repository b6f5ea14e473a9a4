"""What operators share: broadcasting of batches, assertions, what is known of products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from tapegrad.annex.linear_operators import ops
from tapegrad.annex.linear_operators.sizes import Computed
from tapegrad.framework.shape import TensorShape

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
REAL_DIAGONAL = {"is_self_adjoint": (True, "A real diagonal operator is always self adjoint.")}
# What is known of the Cholesky factor of a diagonal matrix.
POSITIVE: dict[str, Any] = dict.fromkeys(HINTS, True)


def adjoint(matrix: Any, wanted: bool = True) -> Any:
    """The adjoint of a matrix, or the matrix itself."""
    return ops.adjoint(matrix) if wanted else matrix


def conjugate(value: Any, wanted: bool = True) -> Any:
    """The conjugate, or the value itself."""
    return ops.conj(value) if wanted and value.dtype.is_complex else value


def with_batch(matrix: Any, batch: Any, axes: int = 2) -> Any:
    """``matrix``, or a tensor of other ``axes``, broadcast to the batch axes of this shape."""
    return ops.broadcast_to(matrix, ops.concat([batch, ops.shape(matrix)[-axes:]], 0))


def broadcast_batches(*matrices: Any) -> list[Any]:
    """The matrices, with the batch axes of all."""
    shapes = [TensorShape(matrix.shape)[:-2] for matrix in matrices]
    if all(shape.is_fully_defined() and shape == shapes[0] for shape in shapes):
        return [ops.convert_to_tensor(matrix) for matrix in matrices]
    batch = Computed.broadcast([ops.shape(matrix)[:-2] for matrix in matrices])
    return [with_batch(matrix, batch) for matrix in matrices]


def solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """`tf.linalg.solve` with broadcast batches."""
    return ops.solve(*broadcast_batches(matrix, rhs), adjoint=adjoint)


def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    """`tf.linalg.triangular_solve` with broadcast batches."""
    return ops.triangular_solve(*broadcast_batches(matrix, rhs), lower=lower, adjoint=adjoint)


def cholesky_solve(cholesky: Any, rhs: Any) -> Any:
    """`tf.linalg.cholesky_solve` with broadcast batches."""
    return ops.cholesky_solve(*broadcast_batches(cholesky, rhs))


def product(factors: Sequence[Any]) -> Any:
    """The elementwise product of tensors."""
    return reduce(mul, factors)


def total(terms: Sequence[Any]) -> Any:
    """The sum of tensors."""
    return reduce(add, terms)


def assert_real(values: Any, message: str) -> Any:
    """Raise `tf.errors.InvalidArgumentError` unless the imaginary parts are zero."""
    imaginary = ops.imag(values)
    return ops.assert_equal(ops.zeros_like(imaginary), imaginary, message=message)


def assert_positive(values: Any, message: str) -> Any:
    """Raise `tf.errors.InvalidArgumentError` unless the real parts are above zero."""
    return ops.assert_positive(ops.real(values), message=message)


def assert_not_zero(values: Any, message: str) -> Any:
    """Raise `tf.errors.InvalidArgumentError` if a value is zero."""
    return ops.assert_positive(ops.abs(values), message=message)


def both_square(first: Any, second: Any) -> bool | None:
    """Whether a product of two operators is square, as far as their hints say."""
    if first.is_square and second.is_square:
        return True
    if (first.is_square is False) != (second.is_square is False):
        return False
    return None


def all_or_none(answers: Sequence[bool | None]) -> bool | None:
    """True if all are True, else None: that some are not says nothing of the whole."""
    return True if all(answers) else None


def both_non_singular(first: Any, second: Any) -> bool | None:
    """Whether a product of two square operators is non-singular."""
    if first.is_non_singular is False or second.is_non_singular is False:
        return False
    return all_or_none([first.is_non_singular, second.is_non_singular])


def commuting_hints(first: Any, second: Any) -> dict[str, Any]:
    """What is known of the product of two operators that commute."""
    answers = {first.is_self_adjoint, second.is_self_adjoint}
    self_adjoint = True if answers == {True} else False if answers == {True, False} else None
    positive = all_or_none([first.is_positive_definite, second.is_positive_definite])
    return {
        "is_non_singular": both_non_singular(first, second),
        "is_self_adjoint": self_adjoint,
        "is_positive_definite": positive if self_adjoint else None,
        "is_square": True,
    }


def hints_of(operator: Any) -> dict[str, Any]:
    """What is known of ``operator``, as the arguments of a constructor."""
    return {hint: getattr(operator, hint) for hint in HINTS}
