"""Operators made of others: adjoints, inverses, products and Kronecker products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from numpy import newaxis

from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.matrices import LinearOperatorLowerTriangular
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter
from tapegrad.annex.linear_operators.sizes import Computed

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion "
        "LinearOperatorKronecker"
    )
}


class _OfOne(LinearOperator):
    """What the adjoint and the inverse of an operator share: it keeps what is known of that operator."""

    operator = Parameter("The operator that this one is made of.", axes=0)

    _suffix: ClassVar[str]  # of the name

    def __init__(
        self,
        operator: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        arguments = dict(locals())
        self._operator = operator
        hints = helpers.hints_of(operator)
        for hint, known in hints.items():
            value = arguments[hint]
            if value is None:
                continue
            if known is not None and known != value:
                raise ValueError(
                    f"The operator has {hint}={known}, so {hint}={value} contradicts it."
                )
            hints[hint] = value
        self._begin(arguments, operator.dtype, name=name or operator.name + self._suffix, **hints)

    def _assert_non_singular(self) -> Any:
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self.operator.assert_self_adjoint()

    def _cond(self) -> Any:
        return self.operator.cond()


class LinearOperatorAdjoint(_OfOne):
    """The adjoint of ``operator``.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    _suffix = "_adjoint"

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        shape = of.shape(self.operator)
        return shape[:-2], shape[-1], shape[-2]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self.operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self.operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> Any:
        return helpers.conjugate(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _trace(self) -> Any:
        return helpers.conjugate(self.operator.trace())

    def _diag_part(self) -> Any:
        return helpers.conjugate(self.operator.diag_part())

    def _to_dense(self) -> Any:
        return ops.adjoint(self.operator.to_dense())

    def _eigvals(self) -> Any:
        return helpers.conjugate(self.operator.eigvals())

    def _linop_adjoint(self) -> Any:
        return self.operator


class LinearOperatorInversion(_OfOne):
    """The inverse of ``operator``.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(operator).matvec([1.0, 1.0]).numpy().tolist()
    [0.5, 0.25]
    """

    _suffix = "_inv"

    def _begin(self, arguments: Mapping[str, Any], dtype: Any = None, **known: Any) -> None:
        operator = self.operator
        if operator.is_square is False:
            raise ValueError(f"Operator is not square, so it has no inverse: {operator.name}.")
        if operator.is_non_singular is False:
            raise ValueError(f"Operator is singular, so it has no inverse: {operator.name}.")
        super()._begin(arguments, dtype, **known)

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        shape = of.shape(self.operator)
        return shape[:-2], shape[-2], shape[-1]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self.operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1 / self.operator.eigvals()

    def _linop_inverse(self) -> Any:
        return self.operator


def common_dtype(operators: Sequence[Any]) -> Any:
    """The dtype of all of these operators.

    Raises:
        ValueError: There are none.
        TypeError: They differ in dtype.
    """
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    for operator in operators:
        if operator.dtype != operators[0].dtype:
            types = [(operator.name, operator.dtype.name) for operator in operators]
            raise TypeError(f"Expected all operators to have the same dtype. Found {types}")
    return operators[0].dtype


def is_product_with_own_adjoint(operators: Sequence[Any]) -> bool:
    """Whether the product is ``A A^H``, as far as the objects say."""
    if len(operators) % 2:
        return False
    half = len(operators) // 2
    return all(
        _are_adjoints(first, second)
        for first, second in zip(operators[:half], reversed(operators[half:]), strict=True)
    )


def _are_adjoints(first: Any, second: Any) -> bool:
    if isinstance(second, LinearOperatorAdjoint) and second.operator is first:
        return True
    if isinstance(first, LinearOperatorAdjoint) and first.operator is second:
        return True
    return first is second and bool(first.is_self_adjoint)


class OfSeveral(LinearOperator):
    """What operators made of a list of others share."""

    operators = Parameter("The operators that this one is made of.")
    _operators: list[Any]
    _joint: ClassVar[str]  # between the names of the operators, in the name of this one

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        arguments = dict(locals())
        self._operators = list(operators)
        dtype = common_dtype(self._operators)
        name = name or self._joint.join(operator.name for operator in self._operators)
        self._begin(arguments, dtype, name=name, **self._implied(arguments))

    def _implied(self, hints: Mapping[str, Any]) -> dict[str, bool | None]:
        """Hints that follow from the operators, or contradict those that were given."""
        raise NotImplementedError

    def _batch_of(self, of: Any) -> Any:
        return of.broadcast([of.shape(operator)[:-2] for operator in self._operators])

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"operators": [0] * len(self.operators)}


class PartByPart(OfSeveral):
    """Operators whose inverse, adjoint and Cholesky factor are made of those of their parts."""

    # For messages: what the parts are called, and the whole.
    _part_noun: ClassVar[str]
    _whole_noun: ClassVar[str]

    def _made_of(self, operators: list[Any], **hints: Any) -> Any:
        """An operator as this one, of other parts."""
        raise NotImplementedError

    def _combined(self, hints: Mapping[str, Any], *which: str) -> dict[str, bool | None]:
        """Those hints of the whole that are True because they are of all parts."""
        common = [
            hint for hint in which if all(getattr(operator, hint) for operator in self._operators)
        ]
        for hint in common:
            if hints[hint] is False:
                raise ValueError(
                    f"All {self._part_noun} have {hint}, so {self._whole_noun} has it."
                )
        return dict.fromkeys(common, True)

    def _linop_inverse(self) -> Any:
        return self._made_of(
            [operator.inverse() for operator in self.operators], **helpers.hints_of(self)
        )

    def _linop_adjoint(self) -> Any:
        return self._made_of(
            [operator.adjoint() for operator in self.operators], **helpers.hints_of(self)
        )

    def _linop_cholesky(self) -> Any:
        return self._made_of(
            [operator.cholesky() for operator in self.operators],
            is_non_singular=True,
            is_self_adjoint=None,
            is_square=True,
        )

    def _assert_non_singular(self) -> Any:
        for operator in self.operators:
            operator.assert_non_singular()

    def _assert_self_adjoint(self) -> Any:
        for operator in self.operators:
            operator.assert_self_adjoint()


class LinearOperatorComposition(OfSeveral):
    """The product of operators: the last of them is applied first.

    >>> first = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> second = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorComposition([first, second]).to_dense().numpy().tolist()
    [[1.0, 2.0], [6.0, 8.0]]
    """

    _joint = "_o_"

    def _implied(self, hints: Mapping[str, Any]) -> dict[str, bool | None]:
        implied: dict[str, bool | None] = {}
        non_singular = hints["is_non_singular"]
        if all(operator.is_non_singular for operator in self._operators):
            if non_singular is False:
                raise ValueError(
                    "The composition of non-singular operators is always non-singular."
                )
            implied["is_non_singular"] = non_singular = True
        if is_product_with_own_adjoint(self._operators):
            if hints["is_self_adjoint"] is False:
                raise ValueError("A product of an operator with its adjoint is self-adjoint.")
            implied["is_self_adjoint"] = True
            if non_singular:
                implied["is_positive_definite"] = True
        return implied

    def _begin(self, arguments: Mapping[str, Any], dtype: Any = None, **known: Any) -> None:
        super()._begin(arguments, dtype, **known)
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        rows, columns = of.shape(self.operators[0])[-2], of.shape(self.operators[-1])[-1]
        return self._batch_of(of), rows, columns

    def _linop_cholesky(self) -> Any:
        if (
            len(self.operators) == 2
            and is_product_with_own_adjoint(self.operators)
            and isinstance(self.operators[0], LinearOperatorLowerTriangular)
        ):
            return self.operators[0]
        return super()._linop_cholesky()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        for operator in self.operators if adjoint else reversed(self.operators):
            x = operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        for operator in reversed(self.operators) if adjoint else self.operators:
            rhs = operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return rhs

    def _determinant(self) -> Any:
        return helpers.product([operator.determinant() for operator in self.operators])

    def _log_abs_determinant(self) -> Any:
        return helpers.total([operator.log_abs_determinant() for operator in self.operators])

    def _to_dense(self) -> Any:
        dense = self.operators[-1].to_dense()
        for operator in reversed(self.operators[:-1]):
            dense = operator.matmul(dense)
        return self._in_batch(dense)

    def _in_batch(self, dense: Any) -> Any:
        if dense.shape == self.shape:
            return dense
        return ops.broadcast_to(dense, self.shape_tensor())


class LinearOperatorKronecker(PartByPart):
    """The Kronecker product of operators: each element of the first, times the second, and so on.

    >>> first = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorKronecker([first, tf.linalg.LinearOperatorIdentity(2)]).to_dense().numpy()
    array([[1., 0., 2., 0.],
           [0., 1., 0., 2.],
           [3., 0., 4., 0.],
           [0., 3., 0., 4.]], dtype=float32)
    """

    _part_noun = "operators"
    _whole_noun = "their Kronecker product"

    _joint = "_x_"

    def _implied(self, hints: Mapping[str, Any]) -> dict[str, bool | None]:
        implied = self._combined(hints, "is_square", "is_non_singular", "is_self_adjoint")
        alone = len(self._operators) == 1
        if alone or all(operator.is_self_adjoint for operator in self._operators):
            implied |= self._combined(hints, "is_positive_definite")
        return implied

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        shapes = [of.shape(operator) for operator in self.operators]
        rows, columns = (of.product([shape[axis] for shape in shapes]) for axis in (-2, -1))
        return self._batch_of(of), rows, columns

    def _one_after_another(self, x: Any, method: str, adjoint: bool) -> Any:
        """``method`` of each operator, along the axis of the rows of ``x`` that belongs to it."""
        turned = (method == "solve") != adjoint
        batch = Computed.broadcast([self.batch_shape_tensor(), ops.shape(x)[:-2]])
        columns = ops.shape(x)[-1]
        x = helpers.with_batch(x, batch)
        sizes = [
            operator.range_dimension_tensor() if turned else operator.domain_dimension_tensor()
            for operator in self.operators
        ]
        # The rows are split into one axis for each operator. Each operator takes the first of them, and what
        # it makes of that goes behind the others; after the last, the columns are in front.
        for operator, size in zip(self.operators, sizes, strict=True):
            x = ops.reshape(x, ops.concat([batch, [size, -1]], 0))
            x = ops.matrix_transpose(getattr(operator, method)(x, adjoint=adjoint))
            # (rest * columns, new): the columns stay where they are, behind the rest.
            x = self._rest_first(x, batch, columns)
        return ops.reshape(x, ops.concat([batch, [-1, columns]], 0))

    @staticmethod
    def _rest_first(x: Any, batch: Any, columns: Any) -> Any:
        """From axes (rest and columns, new) to (rest and new, columns)."""
        new = ops.shape(x)[-1]
        x = ops.reshape(x, ops.concat([batch, [-1, columns, new]], 0))
        x = ops.matrix_transpose(x)
        return ops.reshape(x, ops.concat([batch, [-1, columns]], 0))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._one_after_another(helpers.adjoint(x, adjoint_arg), "matmul", adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._one_after_another(helpers.adjoint(rhs, adjoint_arg), "solve", adjoint)

    def _powers(self) -> list[Any]:
        """How often the eigenvalues of each operator occur in the product."""
        whole = self.domain_dimension_tensor()
        return [whole // operator.domain_dimension_tensor() for operator in self.operators]

    def _determinant(self) -> Any:
        return helpers.product(
            [
                operator.determinant() ** ops.cast(power, self.dtype)
                for operator, power in zip(self.operators, self._powers(), strict=True)
            ]
        )

    def _log_abs_determinant(self) -> Any:
        result: Any = 0
        for operator, power in zip(self.operators, self._powers(), strict=True):
            logarithm = operator.log_abs_determinant()
            result = result + logarithm * ops.cast(power, logarithm.dtype)
        return result

    def _trace(self) -> Any:
        return helpers.product([operator.trace() for operator in self.operators])

    def _outer(self, parts: Sequence[Any]) -> Any:
        """All products of an element of each vector, in the order of the Kronecker product."""
        result = parts[0]
        for part in parts[1:]:
            product = result[..., :, newaxis] * part[..., newaxis, :]
            result = ops.reshape(product, ops.concat([ops.shape(product)[:-2], [-1]], 0))
        return result

    def _diag_part(self) -> Any:
        return self._outer([operator.diag_part() for operator in self.operators])

    def _eigvals(self) -> Any:
        return self._outer([operator.eigvals() for operator in self.operators])

    def _to_dense(self) -> Any:
        result = self.operators[0].to_dense()
        for operator in self.operators[1:]:
            part = operator.to_dense()
            product = result[..., :, newaxis, :, newaxis] * part[..., newaxis, :, newaxis, :]
            sizes = ops.shape(product)
            shape = ops.concat([sizes[:-4], [sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]]], 0)
            result = ops.reshape(product, shape)
        return ops.broadcast_to(result, self.shape_tensor())

    def _made_of(self, operators: list[Any], **hints: Any) -> Any:
        return LinearOperatorKronecker(operators, **hints)
