"""The identity, multiples of it, and zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import tapegrad as tf
from tapegrad.linear_operators import helpers
from tapegrad.linear_operators.operator import LinearOperator

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros"
    )
}


def checked_size(value: Any, name: str) -> int | None:
    """A number of rows or columns: its value where it is known."""
    size = tf.get_static_value(tf.convert_to_tensor(value))
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
    sizes = tf.get_static_value(tf.convert_to_tensor(value, tf.int32))
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
        parameters = dict(locals())
        if not is_self_adjoint:
            raise ValueError("An identity operator is always self adjoint.")
        if not is_non_singular:
            raise ValueError("An identity operator is always non-singular.")
        if not is_positive_definite:
            raise ValueError("An identity operator is always positive-definite.")
        if not is_square:
            raise ValueError("An identity operator is always square.")
        super().__init__(
            dtype or tf.float32,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )
        self._num_rows = num_rows
        self._batch = batch_shape
        self._rows = checked_size(num_rows, "num_rows")
        self._sizes = checked_batch(batch_shape)

    def _shape(self) -> Any:
        if self._sizes is None:
            return tf.TensorShape(None)
        return tf.TensorShape([*self._sizes, self._rows, self._rows])

    def _shape_tensor(self) -> Any:
        rows = tf.cast(self._num_rows, tf.int32)
        batch = [] if self._batch is None else self._batch
        return tf.concat([tf.cast(batch, tf.int32), [rows, rows]], 0)

    def _with_batch(self, x: Any) -> Any:
        """``x`` with the batch axes of this operator too."""
        if self.batch_shape.rank == 0:
            return x
        batch = tf.broadcast_dynamic_shape(self.batch_shape_tensor(), tf.shape(x)[:-2])
        return tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], 0))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._with_batch(helpers.adjoint(x, adjoint_arg))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return tf.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Any:
        size = tf.cast(self.domain_dimension_tensor(), self.dtype)
        return size * tf.ones(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        return tf.ones(self.shape_tensor()[:-1], self.dtype)

    def _to_dense(self) -> Any:
        return tf.eye(self._num_rows, batch_shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return self._to_dense() + x

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return tf.ones(self.batch_shape_tensor(), self.dtype)

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
        batch = tf.shape(tf.zeros(self.batch_shape_tensor())[slices])
        return LinearOperatorIdentity(self._num_rows, batch, self.dtype)


class LinearOperatorScaledIdentity(LinearOperator):
    """The identity times ``multiplier``, or a batch of such matrices.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).to_dense().numpy().tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """

    _composite_tensor_fields = ("num_rows", "multiplier")
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"multiplier": 0}

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
        parameters = dict(locals())
        self._multiplier = helpers.parameter(multiplier, "multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        super().__init__(
            self._multiplier.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )
        self._num_rows = num_rows
        self._rows = checked_size(num_rows, "num_rows")

    @property
    def multiplier(self) -> Any:
        """What the identity is multiplied by."""
        return self._multiplier

    def _shape(self) -> Any:
        return self._multiplier.shape.concatenate([self._rows, self._rows])

    def _shape_tensor(self) -> Any:
        rows = tf.cast(self._num_rows, tf.int32)
        return tf.concat([tf.shape(self._multiplier), [rows, rows]], 0)

    def _scale(self, adjoint: bool = False) -> Any:
        return helpers.conjugate(tf.convert_to_tensor(self._multiplier), adjoint)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._scale(adjoint)[..., tf.newaxis, tf.newaxis] * helpers.adjoint(x, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return helpers.adjoint(rhs, adjoint_arg) / self._scale(adjoint)[..., tf.newaxis, tf.newaxis]

    def _determinant(self) -> Any:
        return self._scale() ** tf.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        size = tf.cast(self._num_rows, self.dtype.real_dtype)
        return size * tf.math.log(tf.abs(self._scale()))

    def _trace(self) -> Any:
        return self._scale() * tf.cast(self._num_rows, self.dtype)

    def _diag_part(self) -> Any:
        return self._scale()[..., tf.newaxis] * tf.ones([self._num_rows], self.dtype)

    def _to_dense(self) -> Any:
        return tf.linalg.diag(self._diag_part())

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        # A multiple of the identity has the condition number 1, if it is not zero.
        scale = tf.abs(self._scale())
        return tf.where(scale > 0, tf.ones_like(scale), tf.constant(float("nan"), scale.dtype))

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
            self._num_rows,
            tf.sqrt(self._scale()),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
        )

    def _assert_non_singular(self) -> Any:
        return tf.debugging.assert_positive(
            tf.abs(self._scale()), message="LinearOperator was singular"
        )

    def _assert_positive_definite(self) -> Any:
        return tf.debugging.assert_positive(
            tf.math.real(self._scale()), message="LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        imaginary = tf.math.imag(self._scale())
        return tf.debugging.assert_equal(
            tf.zeros_like(imaginary), imaginary, message="LinearOperator was not self-adjoint"
        )


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
        parameters = dict(locals())
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        super().__init__(
            dtype or tf.float32,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )
        self._num_rows = num_rows
        self._num_columns = num_rows if num_columns is None else num_columns
        self._batch = batch_shape
        self._rows = checked_size(self._num_rows, "num_rows")
        self._columns = checked_size(self._num_columns, "num_columns")
        self._sizes = checked_batch(batch_shape)

    def _shape(self) -> Any:
        if self._sizes is None:
            return tf.TensorShape(None)
        return tf.TensorShape([*self._sizes, self._rows, self._columns])

    def _shape_tensor(self) -> Any:
        sizes = [tf.cast(self._num_rows, tf.int32), tf.cast(self._num_columns, tf.int32)]
        batch = [] if self._batch is None else self._batch
        return tf.concat([tf.cast(batch, tf.int32), sizes], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = helpers.adjoint(x, adjoint_arg)
        rows = self.shape_tensor()[-1 if adjoint else -2]
        batch = tf.broadcast_dynamic_shape(self.batch_shape_tensor(), tf.shape(x)[:-2])
        return tf.zeros(tf.concat([batch, [rows, tf.shape(x)[-1]]], 0), x.dtype)

    def _determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    _trace = _determinant

    def _diag_part(self) -> Any:
        size = tf.minimum(self.range_dimension_tensor(), self.domain_dimension_tensor())
        return tf.zeros(tf.concat([self.batch_shape_tensor(), [size]], 0), self.dtype)

    def _to_dense(self) -> Any:
        return tf.zeros(self.shape_tensor(), self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return self._to_dense() + x

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        raise tf.errors.InvalidArgumentError(
            None, None, "Zero operators are always non-invertible."
        )

    def _assert_positive_definite(self) -> Any:
        raise tf.errors.InvalidArgumentError(
            None, None, "Zero operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return None
