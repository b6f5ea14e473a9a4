"""The identity, multiples of it, and zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from numpy import newaxis

from tapegrad import dtypes
from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter, numbers
from tapegrad.errors import InvalidArgumentError

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros"
    )
}


def checked_size(value: Any, name: str) -> int | None:
    """A number of rows or columns: its value where it is known."""
    size = ops.get_static_value(ops.convert_to_tensor(value))
    if size is None:
        return None
    if size.ndim:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {value}")
    if size.dtype.kind not in "iu":
        raise TypeError(f"Argument {name} must be integer type.  Found: {value}")
    if size < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {value}")
    return int(size)


def checked_batch(value: Any) -> list[int] | None:
    """A batch shape given to a constructor: its values where they are known."""
    if value is None:
        return []
    sizes = ops.get_static_value(ops.convert_to_tensor(value, dtypes.int32))
    if sizes is None:
        return None
    if sizes.ndim != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {value}")
    if (sizes < 0).any():
        raise ValueError(f"Argument batch_shape must be non-negative.  Found:{value}")
    result: list[int] = sizes.tolist()
    return result


class LinearOperatorIdentity(LinearOperator):
    """The identity matrix, of ``num_rows`` rows, or a batch of it.

    >>> tf.linalg.LinearOperatorIdentity(2).matmul([[1.0], [2.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """

    _composite_tensor_fields = ("num_rows", "batch_shape")
    _always: ClassVar[Mapping[str, Any]] = {
        "is_self_adjoint": (True, "An identity operator is always self adjoint."),
        "is_non_singular": (True, "An identity operator is always non-singular."),
        "is_positive_definite": (True, "An identity operator is always positive-definite."),
        "is_square": (True, "An identity operator is always square."),
    }

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str | None = "LinearOperatorIdentity",
    ) -> None:
        arguments = dict(locals())
        hints = {hint: bool(arguments[hint]) for hint in self._always}  # None is refused too
        self._begin(arguments | hints, dtype or dtypes.float32)
        self._num_rows = num_rows
        self._batch = batch_shape
        self._rows = checked_size(num_rows, "num_rows")
        self._batch_sizes = checked_batch(batch_shape)

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        rows = of.either(self._rows, self._num_rows)
        return of.either(self._batch_sizes, self._batch), rows, rows

    def _with_batch(self, x: Any) -> Any:
        """``x`` with the batch axes of this operator too."""
        if self.batch_shape.rank == 0:
            return x
        batch = ops.broadcast_dynamic_shape(self.batch_shape_tensor(), ops.shape(x)[:-2])
        return helpers.with_batch(x, batch)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._with_batch(helpers.adjoint(x, adjoint_arg))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return self._ones()

    def _log_abs_determinant(self) -> Any:
        return self._zeros()

    def _trace(self) -> Any:
        size = ops.cast(self.domain_dimension_tensor(), self.dtype)
        return size * self._ones()

    def _diag_part(self) -> Any:
        return ops.ones(self.shape_tensor()[:-1], self.dtype)

    def _to_dense(self) -> Any:
        return ops.eye(self._num_rows, batch_shape=self.batch_shape_tensor(), dtype=self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """``A + mat``, as a tensor."""
        return self.to_dense() + self._argument(mat)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return self._ones()

    def _linop_inverse(self) -> Any:
        return self

    def _linop_adjoint(self) -> Any:
        return self

    def _linop_cholesky(self) -> Any:
        return LinearOperatorIdentity(self._num_rows, self._batch, self.dtype)

    def _assert_non_singular(self) -> Any:
        return None

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular

    def __getitem__(self, slices: Any) -> Any:
        if not self.batch_shape.rank:
            if slices is Ellipsis or slices in ((), (Ellipsis,)):
                return self
            raise ValueError("This identity operator has no batch, so there is nothing to slice.")
        batch = ops.shape(ops.zeros(self.batch_shape_tensor())[slices])
        return LinearOperatorIdentity(self._num_rows, batch, self.dtype)


class LinearOperatorScaledIdentity(LinearOperator):
    """The identity times ``multiplier``, or a batch of such matrices.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).to_dense().numpy().tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """

    _composite_tensor_fields = ("num_rows", "multiplier")
    multiplier = Parameter("What the identity is multiplied by.", axes=0, convert=numbers)
    _always: ClassVar[Mapping[str, Any]] = {
        "is_square": (True, "A ScaledIdentity operator is always square.")
    }
    _always_if_real = helpers.REAL_DIAGONAL

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str | None = "LinearOperatorScaledIdentity",
    ) -> None:
        self._begin(locals() | {"is_square": bool(is_square)})  # None is refused too
        self._num_rows = num_rows
        self._rows = checked_size(num_rows, "num_rows")

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        rows = of.either(self._rows, self._num_rows)
        return of.shape(self.multiplier), rows, rows

    def _scale(self, adjoint: bool = False) -> Any:
        return helpers.conjugate(ops.convert_to_tensor(self.multiplier), adjoint)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._scale(adjoint)[..., newaxis, newaxis] * helpers.adjoint(x, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return helpers.adjoint(rhs, adjoint_arg) / self._scale(adjoint)[..., newaxis, newaxis]

    def _determinant(self) -> Any:
        return self._scale() ** ops.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        size = ops.cast(self._num_rows, self.dtype.real_dtype)
        return size * ops.log(ops.abs(self._scale()))

    def _trace(self) -> Any:
        return self._scale() * ops.cast(self._num_rows, self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """``A + mat``, as a tensor."""
        return self.to_dense() + self._argument(mat)

    def _diag_part(self) -> Any:
        return self._scale()[..., newaxis] * ops.ones([self._num_rows], self.dtype)

    def _to_dense(self) -> Any:
        return ops.diag(self._diag_part())

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        # A multiple of the identity has the condition number 1, if it is not zero.
        scale = ops.abs(self._scale())
        return ops.where(scale > 0, ops.ones_like(scale), ops.constant(float("nan"), scale.dtype))

    def _linop_inverse(self) -> Any:
        return LinearOperatorScaledIdentity(
            self._num_rows, 1 / self._scale(), **helpers.hints_of(self)
        )

    def _linop_adjoint(self) -> Any:
        return LinearOperatorScaledIdentity(
            self._num_rows, self._scale(True), **helpers.hints_of(self)
        )

    def _linop_cholesky(self) -> Any:
        return LinearOperatorScaledIdentity(
            self._num_rows, ops.sqrt(self._scale()), **helpers.POSITIVE
        )

    def _assert_non_singular(self) -> Any:
        return helpers.assert_not_zero(self._scale(), "LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return helpers.assert_positive(self._scale(), "LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return helpers.assert_real(self._scale(), "LinearOperator was not self-adjoint")


class LinearOperatorZeros(LinearOperator):
    """The matrix of zeros, or a batch of it.

    >>> tf.linalg.LinearOperatorZeros(2).matmul([[1.0], [2.0]]).numpy().tolist()
    [[0.0], [0.0]]
    """

    _composite_tensor_fields = ("num_rows", "num_columns", "batch_shape")

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str | None = "LinearOperatorZeros",
    ) -> None:
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        self._begin(locals(), dtype or dtypes.float32)
        self._num_rows = num_rows
        self._num_columns = num_rows if num_columns is None else num_columns
        self._batch = batch_shape
        self._rows = checked_size(self._num_rows, "num_rows")
        self._columns = checked_size(self._num_columns, "num_columns")
        self._batch_sizes = checked_batch(batch_shape)

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        rows = of.either(self._rows, self._num_rows)
        columns = of.either(self._columns, self._num_columns)
        return of.either(self._batch_sizes, self._batch), rows, columns

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = helpers.adjoint(x, adjoint_arg)
        rows = self.shape_tensor()[-1 if adjoint else -2]
        batch = ops.broadcast_dynamic_shape(self.batch_shape_tensor(), ops.shape(x)[:-2])
        return ops.zeros(ops.concat([batch, [rows, ops.shape(x)[-1]]], 0), x.dtype)

    def _determinant(self) -> Any:
        return self._zeros()

    _trace = _determinant

    def _diag_part(self) -> Any:
        size = ops.minimum(self.range_dimension_tensor(), self.domain_dimension_tensor())
        return ops.zeros(ops.concat([self.batch_shape_tensor(), [size]], 0), self.dtype)

    def _to_dense(self) -> Any:
        return ops.zeros(self.shape_tensor(), self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """``A + mat``, as a tensor."""
        return self.to_dense() + self._argument(mat)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return None
