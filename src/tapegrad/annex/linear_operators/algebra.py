"""Which products and solutions of two operators have a structure again. The rest are compositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import newaxis

from tapegrad.annex.linear_operators import helpers
from tapegrad.annex.linear_operators.blocks import LinearOperatorBlockDiag
from tapegrad.annex.linear_operators.circulant import BaseCirculant
from tapegrad.annex.linear_operators.combined import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
)
from tapegrad.annex.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tapegrad.annex.linear_operators.matrices import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from tapegrad.annex.linear_operators.operator import LinearOperator, Makers, set_makers
from tapegrad.annex.linear_operators.overrides import know

Rule = Callable[[Any, Any], Any]


def _triangle(tril: Any, left: Any, right: Any) -> Any:
    return LinearOperatorLowerTriangular(
        tril,
        is_non_singular=helpers.both_non_singular(left, right),
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
    )


def _scaled(left: Any, right: Any) -> Any:
    return LinearOperatorScaledIdentity(
        left._num_rows, left.multiplier * right.multiplier, **helpers.commuting_hints(left, right)
    )


def _divided_scale(left: Any, right: Any) -> Any:
    return LinearOperatorScaledIdentity(
        left._num_rows, right.multiplier / left.multiplier, **helpers.commuting_hints(left, right)
    )


def _diagonal(left: Any, right: Any) -> Any:
    return LinearOperatorDiag(
        left.diag_part() * right.diag_part(), **helpers.commuting_hints(left, right)
    )


def _divided_diagonal(left: Any, right: Any) -> Any:
    return LinearOperatorDiag(
        right.diag_part() / left.diag_part(), **helpers.commuting_hints(left, right)
    )


def _scaled_rows(left: Any, right: Any) -> Any:
    return _triangle(left.diag_part()[..., newaxis] * right.to_dense(), left, right)


def _scaled_columns(left: Any, right: Any) -> Any:
    return _triangle(left.to_dense() * right.diag_part()[..., newaxis, :], left, right)


def _divided_rows(left: Any, right: Any) -> Any:
    return _triangle(right.to_dense() / left.diag_part()[..., newaxis], left, right)


def _circulant(left: Any, right: Any) -> Any:
    if type(left) is not type(right) or left.dtype != right.dtype:
        return None
    return left._again(left.spectrum * right.spectrum, **helpers.commuting_hints(left, right))


def _divided_circulant(left: Any, right: Any) -> Any:
    if type(left) is not type(right) or left.dtype != right.dtype:
        return None
    return left._again(right.spectrum / left.spectrum, **helpers.commuting_hints(left, right))


def _same_blocks(left: Any, right: Any) -> bool:
    return len(left.operators) == len(right.operators) and all(
        first.domain_dimension.value is not None
        and first.domain_dimension.value == second.range_dimension.value
        for first, second in zip(left.operators, right.operators, strict=True)
    )


def _blocks(left: Any, right: Any, combine: Rule) -> Any:
    if not _same_blocks(left, right):
        return None
    return LinearOperatorBlockDiag(
        [
            combine(first, second)
            for first, second in zip(left.operators, right.operators, strict=True)
        ],
        is_non_singular=helpers.both_non_singular(left, right),
        is_square=True,
    )


def _multiplied_blocks(left: Any, right: Any) -> Any:
    return _blocks(left, right, lambda first, second: first.matmul(second))


def _divided_blocks(left: Any, right: Any) -> Any:
    return _blocks(left, right, lambda first, second: first.solve(second))


def _zeros(left: Any, right: Any) -> Any:
    zeros = left if isinstance(left, LinearOperatorZeros) else right
    if not (left.is_square and right.is_square):
        raise ValueError(
            f"Matmul with non-square `LinearOperator`s `{left.name}` and `{right.name}` of zeros "
            "is not implemented."
        )
    return zeros


def add_operators(operators: Any, operator_name: str | None = None, **unused: Any) -> list[Any]:
    """The sum of operators, in a list of one: of diagonal ones diagonal, of triangular ones triangular."""
    summands = list(operators)
    if not summands:
        raise ValueError(
            f"Argument 'operators' must contain at least one operator. Found: {summands}"
        )
    if len(summands) == 1:
        return summands
    diagonal = (LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity)
    hints = {
        "is_self_adjoint": helpers.all_or_none([summand.is_self_adjoint for summand in summands]),
        "is_positive_definite": helpers.all_or_none(
            [summand.is_positive_definite for summand in summands]
        ),
    }
    if all(isinstance(summand, diagonal) for summand in summands):
        parts = [summand.diag_part() for summand in summands]
        return [LinearOperatorDiag(sum(parts[1:], parts[0]), name=operator_name, **hints)]
    dense = [summand.to_dense() for summand in summands]
    total = sum(dense[1:], dense[0])
    if all(isinstance(summand, (*diagonal, LinearOperatorLowerTriangular)) for summand in summands):
        return [LinearOperatorLowerTriangular(total, name=operator_name)]
    return [LinearOperatorFullMatrix(total, name=operator_name, **hints)]


# For two classes, the product. The first entry whose classes fit and whose rule gives an operator counts.
PRODUCTS: tuple[tuple[type, type, Rule], ...] = (
    (LinearOperator, LinearOperatorIdentity, lambda left, right: left),
    (LinearOperatorIdentity, LinearOperator, lambda left, right: right),
    (LinearOperatorZeros, LinearOperator, _zeros),
    (LinearOperator, LinearOperatorZeros, _zeros),
    (LinearOperatorScaledIdentity, LinearOperatorScaledIdentity, _scaled),
    (LinearOperatorDiag, LinearOperatorDiag, _diagonal),
    (LinearOperatorScaledIdentity, LinearOperatorDiag, _diagonal),
    (LinearOperatorDiag, LinearOperatorScaledIdentity, _diagonal),
    (LinearOperatorDiag, LinearOperatorLowerTriangular, _scaled_rows),
    (LinearOperatorLowerTriangular, LinearOperatorDiag, _scaled_columns),
    (BaseCirculant, BaseCirculant, _circulant),
    (LinearOperatorBlockDiag, LinearOperatorBlockDiag, _multiplied_blocks),
)

# For two classes, the solution X of ``left X = right``.
SOLUTIONS: tuple[tuple[type, type, Rule], ...] = (
    (LinearOperator, LinearOperatorIdentity, lambda left, right: left.inverse()),
    (LinearOperatorIdentity, LinearOperator, lambda left, right: right),
    (LinearOperatorInversion, LinearOperator, lambda left, right: left.operator.matmul(right)),
    (LinearOperatorScaledIdentity, LinearOperatorScaledIdentity, _divided_scale),
    (LinearOperatorDiag, LinearOperatorDiag, _divided_diagonal),
    (LinearOperatorScaledIdentity, LinearOperatorDiag, _divided_diagonal),
    (LinearOperatorDiag, LinearOperatorScaledIdentity, _divided_diagonal),
    (LinearOperatorDiag, LinearOperatorLowerTriangular, _divided_rows),
    (BaseCirculant, BaseCirculant, _divided_circulant),
    (LinearOperatorBlockDiag, LinearOperatorBlockDiag, _divided_blocks),
)


def _by_table(table: tuple[tuple[type, type, Rule], ...], left: Any, right: Any) -> Any:
    for first, second, rule in table:
        if isinstance(left, first) and isinstance(right, second):
            result = rule(left, right)
            if result is not None:
                return result
    return None


def multiply(left: Any, right: Any) -> Any:
    """The operator that is the product of two operators."""
    result = _by_table(PRODUCTS, left, right)
    if result is not None:
        return result
    return LinearOperatorComposition([left, right], **_composed_hints(left, right))


def divide(left: Any, right: Any) -> Any:
    """The operator X with ``left X = right``."""
    result = _by_table(SOLUTIONS, left, right)
    if result is not None:
        return result
    return LinearOperatorComposition(
        [LinearOperatorInversion(left), right], **_composed_hints(left, right)
    )


def _composed_hints(left: Any, right: Any) -> dict[str, Any]:
    is_square = helpers.both_square(left, right)
    if is_square is False:
        return dict.fromkeys(
            ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"), False
        )
    return {
        "is_non_singular": helpers.both_non_singular(left, right) if is_square else None,
        "is_square": is_square,
    }


set_makers(
    Makers(
        know,
        multiply,
        divide,
        LinearOperatorInversion,
        LinearOperatorAdjoint,
        LinearOperatorLowerTriangular,
    )
)
