"""Operators with one tensor of numbers: full, diagonal, triangular, permutations, reflections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from numpy import newaxis

from tapegrad import dtypes
from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter, floats, numbers
from tapegrad.errors import InvalidArgumentError

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder "
        "LinearOperatorLowerTriangular LinearOperatorPermutation"
    ),
}

ZERO_ON_DIAGONAL = "Singular operator:  Diagonal contained zero values."


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix, or a batch of matrices, of which all elements are given.

    >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).trace().numpy().tolist()
    5.0
    """

    matrix = Parameter("The matrix.", axes=2, convert=floats)

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorFullMatrix",
    ) -> None:
        self._begin(locals())

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return ops.matmul(self.matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return ops.convert_to_tensor(self.matrix)


class LinearOperatorDiag(LinearOperator):
    """A matrix that is zero but for its diagonal, or a batch of such matrices.

    >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).to_dense().numpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    diag = Parameter("The diagonal.", axes=1, convert=floats)
    _always: ClassVar[Mapping[str, Any]] = {
        "is_square": (True, "Only square diagonal operators currently supported.")
    }
    _always_if_real = helpers.REAL_DIAGONAL

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorDiag",
    ) -> None:
        self._begin(locals())

    def _factors(self, adjoint: bool = False) -> Any:
        return helpers.conjugate(ops.convert_to_tensor(self.diag), adjoint)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._factors(adjoint)[..., newaxis] * helpers.adjoint(x, adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._factors(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return helpers.adjoint(rhs, adjoint_arg) / self._factors(adjoint)[..., newaxis]

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return rhs / self._factors(adjoint)

    def _determinant(self) -> Any:
        return ops.reduce_prod(self.diag, -1)

    def _log_abs_determinant(self) -> Any:
        logarithms = ops.reduce_sum(ops.log(ops.abs(self._factors())), -1)
        return ops.cast(logarithms, self.dtype)

    def _diag_part(self) -> Any:
        return self._factors()

    def _to_dense(self) -> Any:
        return ops.diag(self.diag)

    def _add_to_tensor(self, x: Any) -> Any:
        return ops.set_diag(x, ops.diag_part(x) + self.diag)

    def _eigvals(self) -> Any:
        return self._factors()

    def _cond(self) -> Any:
        sizes = ops.abs(self._factors())
        return ops.reduce_max(sizes, -1) / ops.reduce_min(sizes, -1)

    def _linop_inverse(self) -> Any:
        return LinearOperatorDiag(1 / self._factors(), **helpers.hints_of(self))

    def _linop_adjoint(self) -> Any:
        return LinearOperatorDiag(self._factors(True), **helpers.hints_of(self))

    def _linop_cholesky(self) -> Any:
        return LinearOperatorDiag(ops.sqrt(self._factors()), **helpers.POSITIVE)

    def _assert_non_singular(self) -> Any:
        return helpers.assert_not_zero(self._factors(), ZERO_ON_DIAGONAL)

    def _assert_positive_definite(self) -> Any:
        if self.dtype.is_complex:
            problem = "Diagonal operator had diagonal entries with non-positive real part"
        else:
            problem = "Real diagonal operator had non-positive diagonal entries"
        return helpers.assert_positive(
            self._factors(), f"{problem}, thus was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return helpers.assert_real(
            self._factors(),
            "This diagonal operator contained non-zero imaginary values.  "
            "Thus it was not self-adjoint.",
        )


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix, or a batch of them. What ``tril`` has above its diagonal is ignored.

    >>> tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [2.0, 4.0]]).to_dense().numpy().tolist()
    [[1.0, 0.0], [2.0, 4.0]]
    """

    tril = Parameter(
        "The matrix that was given, of which the lower triangle counts.", axes=2, convert=floats
    )
    _always: ClassVar[Mapping[str, Any]] = {
        "is_square": (True, "Only square lower triangular operators supported at this time.")
    }

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorLowerTriangular",
    ) -> None:
        self._begin(locals())

    def _to_dense(self) -> Any:
        return ops.band_part(self.tril, -1, 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return ops.matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = helpers.adjoint(rhs, adjoint_arg)
        return helpers.triangular_solve(self._to_dense(), rhs, lower=True, adjoint=adjoint)

    def _diag_part(self) -> Any:
        return ops.diag_part(self.tril)

    _get_diag = _diag_part  # TensorFlow Probability's classes call it

    def _determinant(self) -> Any:
        return ops.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return ops.reduce_sum(ops.log(ops.abs(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        return helpers.assert_not_zero(self._diag_part(), ZERO_ON_DIAGONAL)


class LinearOperatorPermutation(LinearOperator):
    """The matrix P with ``(P x)[i] == x[perm[i]]``, or a batch of such matrices.

    >>> tf.linalg.LinearOperatorPermutation([1, 2, 0]).matvec([5.0, 6.0, 7.0]).numpy().tolist()
    [6.0, 7.0, 5.0]
    """

    _composite_tensor_fields = ("perm", "dtype")
    perm = Parameter("The permutation.", axes=1, convert=numbers)

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorPermutation",
    ) -> None:
        self._begin(locals(), dtype)
        if not self.perm.dtype.is_integer:
            raise TypeError(f"perm must be integer dtype: {self.perm}")
        values = ops.get_static_value(self.perm)
        if (
            values is not None
            and not (ops.get_static_value(ops.sort(values, -1)) == range(values.shape[-1])).all()
        ):
            raise ValueError(
                f"perm must be a vector of unique integers from 0 to {values.shape[-1] - 1}."
            )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        perm = ops.convert_to_tensor(self.perm)
        if adjoint:
            perm = ops.argsort(perm, -1)
        x = helpers.adjoint(x, adjoint_arg)
        batch = ops.broadcast_dynamic_shape(ops.shape(x)[:-2], ops.shape(perm)[:-1])
        x, perm = helpers.with_batch(x, batch), helpers.with_batch(perm, batch, axes=1)
        return ops.gather(x, perm, axis=-2, batch_dims=x.shape.rank - 2)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        perm = ops.convert_to_tensor(self.perm)
        return self._ones_at(perm[..., newaxis])

    def _ones_at(self, places: Any) -> Any:
        columns = ops.range(self.domain_dimension_tensor(), dtype=places.dtype)
        return ops.cast(columns == places, self.dtype)

    def _diag_part(self) -> Any:
        return self._ones_at(ops.convert_to_tensor(self.perm))

    def _determinant(self) -> Any:
        # The sign of a permutation by the number of its inversions.
        perm = ops.convert_to_tensor(self.perm)
        later = ops.band_part(ops.ones(self.shape_tensor()[-2:], dtypes.int32), 0, -1)
        falls = ops.cast(perm[..., :, newaxis] > perm[..., newaxis, :], dtypes.int32) * later
        odd = ops.floormod(ops.reduce_sum(falls, [-2, -1]), 2)
        return ops.cast(1 - 2 * odd, self.dtype)

    def _log_abs_determinant(self) -> Any:
        return self._zeros()

    def _cond(self) -> Any:
        return self._ones()


class LinearOperatorHouseholder(LinearOperator):
    """The reflection ``I - 2 v v^H``, where v is ``reflection_axis`` at length 1; or a batch of reflections.

    >>> tf.linalg.LinearOperatorHouseholder([3.0, 0.0]).matvec([1.0, 2.0]).numpy().tolist()
    [-1.0, 2.0]
    """

    reflection_axis = Parameter("The direction that is turned round.", axes=1, convert=floats)
    _always: ClassVar[Mapping[str, Any]] = {
        "is_self_adjoint": (True, "A Householder operator is always self adjoint."),
        "is_positive_definite": (
            False,
            "A Householder operator is always non-positive definite.",
        ),
        "is_square": (True, "A Householder operator is always square."),
    }

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorHouseholder",
    ) -> None:
        self._begin(locals())

    def _direction(self) -> Any:
        axis = ops.convert_to_tensor(self.reflection_axis)
        return axis / ops.norm(axis, axis=-1, keepdims=True)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = helpers.adjoint(x, adjoint_arg)
        direction = self._direction()[..., newaxis]
        return x - 2 * direction * ops.matmul(direction, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)  # a reflection is its own inverse

    def _to_dense(self) -> Any:
        direction = self._direction()[..., newaxis]
        outer = ops.matmul(direction, direction, adjoint_b=True)
        return ops.eye(self.domain_dimension_tensor(), dtype=self.dtype) - 2 * outer

    def _diag_part(self) -> Any:
        direction = self._direction()
        return 1 - 2 * direction * helpers.conjugate(direction)

    def _trace(self) -> Any:
        size = ops.cast(self.domain_dimension_tensor(), self.dtype)
        return size * self._ones() - 2

    def _determinant(self) -> Any:
        return -self._ones()

    def _log_abs_determinant(self) -> Any:
        return self._zeros()

    def _cond(self) -> Any:
        return self._ones()

    def _eigvals(self) -> Any:
        others = [self.domain_dimension_tensor() - 1]
        ones = ops.ones(ops.concat([self.batch_shape_tensor(), others], 0), self.dtype)
        return ops.concat([-self._ones()[..., newaxis], ones], -1)

    def _linop_inverse(self) -> Any:
        return self

    def _linop_adjoint(self) -> Any:
        return self

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return None
