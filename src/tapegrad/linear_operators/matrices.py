"""Operators with one tensor of numbers: full, diagonal, triangular, permutations, reflections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import tapegrad as tf
from tapegrad.linear_operators import helpers
from tapegrad.linear_operators.operator import LinearOperator

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder "
        "LinearOperatorLowerTriangular LinearOperatorPermutation"
    ),
}


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix, or a batch of matrices, of which all elements are given.

    >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).trace().numpy().tolist()
    5.0
    """

    _composite_tensor_fields = ("matrix",)
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"matrix": 2}

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = dict(locals())
        self._matrix = helpers.float_parameter(matrix, "matrix")
        helpers.assert_rank(self._matrix, 2, "matrix")
        super().__init__(
            self._matrix.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> Any:
        return self._matrix.shape

    def _shape_tensor(self) -> Any:
        return tf.shape(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tf.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return tf.convert_to_tensor(self._matrix)


class LinearOperatorDiag(LinearOperator):
    """A matrix that is zero but for its diagonal, or a batch of such matrices.

    >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).to_dense().numpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    _composite_tensor_fields = ("diag",)
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"diag": 1}

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorDiag",
    ) -> None:
        parameters = dict(locals())
        self._diag = helpers.float_parameter(diag, "diag")
        helpers.assert_rank(self._diag, 1, "diag")
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    def _shape(self) -> Any:
        return helpers.square_shape(self._diag)

    def _shape_tensor(self) -> Any:
        return helpers.square_shape_tensor(self._diag)

    def _factors(self, adjoint: bool = False) -> Any:
        return helpers.conjugate(tf.convert_to_tensor(self._diag), adjoint)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._factors(adjoint)[..., tf.newaxis] * helpers.adjoint(x, adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._factors(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return helpers.adjoint(rhs, adjoint_arg) / self._factors(adjoint)[..., tf.newaxis]

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return rhs / self._factors(adjoint)

    def _determinant(self) -> Any:
        return tf.reduce_prod(self._diag, -1)

    def _log_abs_determinant(self) -> Any:
        logarithms = tf.reduce_sum(tf.math.log(tf.abs(tf.convert_to_tensor(self._diag))), -1)
        return tf.cast(logarithms, self.dtype)

    def _diag_part(self) -> Any:
        return tf.convert_to_tensor(self._diag)

    def _to_dense(self) -> Any:
        return tf.linalg.diag(self._diag)

    def _add_to_tensor(self, x: Any) -> Any:
        return tf.linalg.set_diag(x, tf.linalg.diag_part(x) + self._diag)

    def _eigvals(self) -> Any:
        return tf.convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        sizes = tf.abs(tf.convert_to_tensor(self._diag))
        return tf.reduce_max(sizes, -1) / tf.reduce_min(sizes, -1)

    def _linop_inverse(self) -> Any:
        return LinearOperatorDiag(1 / tf.convert_to_tensor(self._diag), **helpers.hints_of(self))

    def _linop_adjoint(self) -> Any:
        return LinearOperatorDiag(self._factors(True), **helpers.hints_of(self))

    def _linop_cholesky(self) -> Any:
        return LinearOperatorDiag(
            tf.sqrt(tf.convert_to_tensor(self._diag)),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    def _assert_non_singular(self) -> Any:
        sizes = tf.abs(tf.convert_to_tensor(self._diag))
        return tf.debugging.assert_positive(
            sizes, message="Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        if self.dtype.is_complex:
            message = (
                "Diagonal operator had diagonal entries with non-positive real part, "
                "thus was not positive definite."
            )
        else:
            message = (
                "Real diagonal operator had non-positive diagonal entries, "
                "thus was not positive definite."
            )
        return tf.debugging.assert_positive(tf.math.real(self._diag_part()), message=message)

    def _assert_self_adjoint(self) -> Any:
        imaginary = tf.math.imag(self._diag_part())
        return tf.debugging.assert_equal(
            tf.zeros_like(imaginary),
            imaginary,
            message=(
                "This diagonal operator contained non-zero imaginary values.  "
                "Thus it was not self-adjoint."
            ),
        )


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix, or a batch of them. What ``tril`` has above its diagonal is ignored.

    >>> tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [2.0, 4.0]]).to_dense().numpy().tolist()
    [[1.0, 0.0], [2.0, 4.0]]
    """

    _composite_tensor_fields = ("tril",)
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"tril": 2}

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = dict(locals())
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = helpers.float_parameter(tril, "tril")
        helpers.assert_rank(self._tril, 2, "tril")
        super().__init__(
            self._tril.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def tril(self) -> Any:
        """The matrix that was given, of which the lower triangle counts."""
        return self._tril

    def _shape(self) -> Any:
        return self._tril.shape

    def _shape_tensor(self) -> Any:
        return tf.shape(self._tril)

    def _to_dense(self) -> Any:
        return tf.linalg.band_part(self._tril, -1, 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tf.matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = helpers.adjoint(rhs, adjoint_arg)
        return helpers.triangular_solve(self._to_dense(), rhs, lower=True, adjoint=adjoint)

    def _diag_part(self) -> Any:
        return tf.linalg.diag_part(self._tril)

    def _determinant(self) -> Any:
        return tf.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return tf.reduce_sum(tf.math.log(tf.abs(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        return tf.debugging.assert_positive(
            tf.abs(self._diag_part()),
            message="Singular operator:  Diagonal contained zero values.",
        )


class LinearOperatorPermutation(LinearOperator):
    """The matrix P with ``(P x)[i] == x[perm[i]]``, or a batch of such matrices.

    >>> tf.linalg.LinearOperatorPermutation([1, 2, 0]).matvec([5.0, 6.0, 7.0]).numpy().tolist()
    [6.0, 7.0, 5.0]
    """

    _composite_tensor_fields = ("perm", "dtype")
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"perm": 1}

    def __init__(
        self,
        perm: Any,
        dtype: Any = tf.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorPermutation",
    ) -> None:
        parameters = dict(locals())
        self._perm = helpers.parameter(perm, "perm")
        helpers.assert_rank(self._perm, 1, "perm")
        if not self._perm.dtype.is_integer:
            raise TypeError(f"perm must be integer dtype: {self._perm}")
        values = tf.get_static_value(self._perm)
        if (
            values is not None
            and not (tf.get_static_value(tf.sort(values, -1)) == range(values.shape[-1])).all()
        ):
            raise ValueError(
                f"perm must be a vector of unique integers from 0 to {values.shape[-1] - 1}."
            )
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def perm(self) -> Any:
        """The permutation."""
        return self._perm

    def _shape(self) -> Any:
        return helpers.square_shape(self._perm)

    def _shape_tensor(self) -> Any:
        return helpers.square_shape_tensor(self._perm)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        perm = tf.convert_to_tensor(self._perm)
        if adjoint:
            perm = tf.argsort(perm, -1)
        x = helpers.adjoint(x, adjoint_arg)
        batch = tf.broadcast_dynamic_shape(tf.shape(x)[:-2], tf.shape(perm)[:-1])
        x = tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], 0))
        perm = tf.broadcast_to(perm, tf.concat([batch, tf.shape(perm)[-1:]], 0))
        return tf.gather(x, perm, axis=-2, batch_dims=x.shape.rank - 2)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        perm = tf.convert_to_tensor(self._perm)
        return tf.cast(
            tf.range(self.domain_dimension_tensor(), dtype=perm.dtype) == perm[..., tf.newaxis],
            self.dtype,
        )

    def _diag_part(self) -> Any:
        perm = tf.convert_to_tensor(self._perm)
        return tf.cast(
            tf.range(self.domain_dimension_tensor(), dtype=perm.dtype) == perm, self.dtype
        )

    def _determinant(self) -> Any:
        # The sign of a permutation by the number of its inversions.
        perm = tf.convert_to_tensor(self._perm)
        later = tf.linalg.band_part(tf.ones(self.shape_tensor()[-2:], tf.int32), 0, -1)
        falls = tf.cast(perm[..., :, tf.newaxis] > perm[..., tf.newaxis, :], tf.int32) * later
        odd = tf.math.floormod(tf.reduce_sum(falls, [-2, -1]), 2)
        return tf.cast(1 - 2 * odd, self.dtype)

    def _log_abs_determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Any:
        return tf.ones(self.batch_shape_tensor(), self.dtype)

    def _eigvals(self) -> Any:
        # The eigenvalues of a self-adjoint permutation are those of its fixed points and exchanges.
        return tf.linalg.eigvalsh(self.to_dense())


class LinearOperatorHouseholder(LinearOperator):
    """The reflection ``I - 2 v v^H``, where v is ``reflection_axis`` at length 1; or a batch of reflections.

    >>> tf.linalg.LinearOperatorHouseholder([3.0, 0.0]).matvec([1.0, 2.0]).numpy().tolist()
    [-1.0, 2.0]
    """

    _composite_tensor_fields = ("reflection_axis",)
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"reflection_axis": 1}

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorHouseholder",
    ) -> None:
        parameters = dict(locals())
        self._reflection_axis = helpers.float_parameter(reflection_axis, "reflection_axis")
        helpers.assert_rank(self._reflection_axis, 1, "reflection_axis")
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(
            self._reflection_axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=True,
            is_positive_definite=False,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def reflection_axis(self) -> Any:
        """The direction that is turned round."""
        return self._reflection_axis

    def _shape(self) -> Any:
        return helpers.square_shape(self._reflection_axis)

    def _shape_tensor(self) -> Any:
        return helpers.square_shape_tensor(self._reflection_axis)

    def _direction(self) -> Any:
        axis = tf.convert_to_tensor(self._reflection_axis)
        return axis / tf.linalg.norm(axis, axis=-1, keepdims=True)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = helpers.adjoint(x, adjoint_arg)
        direction = self._direction()[..., tf.newaxis]
        return x - 2 * direction * tf.matmul(direction, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)  # a reflection is its own inverse

    def _to_dense(self) -> Any:
        direction = self._direction()[..., tf.newaxis]
        outer = tf.matmul(direction, direction, adjoint_b=True)
        return tf.eye(self.domain_dimension_tensor(), dtype=self.dtype) - 2 * outer

    def _diag_part(self) -> Any:
        direction = self._direction()
        return 1 - 2 * direction * helpers.conjugate(direction)

    def _trace(self) -> Any:
        size = tf.cast(self.domain_dimension_tensor(), self.dtype)
        return size * tf.ones(self.batch_shape_tensor(), self.dtype) - 2

    def _determinant(self) -> Any:
        return -tf.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Any:
        return tf.ones(self.batch_shape_tensor(), self.dtype)

    def _eigvals(self) -> Any:
        others = tf.ones(
            tf.concat([self.batch_shape_tensor(), [self.domain_dimension_tensor() - 1]], 0),
            self.dtype,
        )
        first = -tf.ones(tf.concat([self.batch_shape_tensor(), [1]], 0), self.dtype)
        return tf.concat([first, others], -1)

    def _linop_inverse(self) -> Any:
        return self

    def _linop_adjoint(self) -> Any:
        return self

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        raise tf.errors.InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return None
