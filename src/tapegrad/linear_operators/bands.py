"""Operators given by their diagonals: tridiagonal and Toeplitz matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import tapegrad as tf
from tapegrad.linear_operators import helpers
from tapegrad.linear_operators.operator import LinearOperator

PUBLIC = {"linalg compat.v1.linalg": "LinearOperatorToeplitz LinearOperatorTridiag"}


class LinearOperatorTridiag(LinearOperator):
    """A matrix that is zero but for three diagonals, or a batch of such matrices.

    >>> operator = tf.linalg.LinearOperatorTridiag([[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.0, 6.0, 7.0]])
    >>> operator.to_dense().numpy().tolist()
    [[3.0, 1.0, 0.0], [6.0, 4.0, 2.0], [0.0, 7.0, 5.0]]
    """

    _composite_tensor_fields = ("diagonals", "diagonals_format")

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorTridiag",
    ) -> None:
        parameters = dict(locals())
        if diagonals_format not in ("matrix", "sequence", "compact"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Found : {diagonals_format}"
            )
        self._diagonals: Any
        if diagonals_format == "sequence":
            self._diagonals = [helpers.parameter(each, "diagonal") for each in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = helpers.parameter(diagonals, "diagonals")
            dtype = self._diagonals.dtype
            helpers.assert_rank(self._diagonals, 2, "diagonals")
        self._diagonals_format = diagonals_format
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True if is_square is None else is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def diagonals(self) -> Any:
        """The diagonals, in the format of `diagonals_format`."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """One of "compact", "matrix" and "sequence"."""
        return self._diagonals_format

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        sequence = self._diagonals_format == "sequence"
        return {"diagonals": [1, 1, 1] if sequence else 2}

    def _shape(self) -> Any:
        if self._diagonals_format == "sequence":
            batch = helpers.batch_shape([each.shape[:-1] for each in self._diagonals])
            size = self._diagonals[1].shape[-1]
        else:
            batch, size = self._diagonals.shape[:-2], self._diagonals.shape[-1]
        return batch.concatenate([size, size])

    def _shape_tensor(self) -> Any:
        if self._diagonals_format == "sequence":
            batch = helpers.batch_tensor([tf.shape(each)[:-1] for each in self._diagonals])
            size = tf.shape(self._diagonals[1])[-1:]
        else:
            sizes = tf.shape(self._diagonals)
            batch, size = sizes[:-2], sizes[-1:]
        return tf.concat([batch, size, size], 0)

    def _compact(self, adjoint: bool = False) -> Any:
        """The diagonals in three rows: above the diagonal, on it and below it."""
        if self._diagonals_format == "matrix":
            diagonals = tf.linalg.diag_part(self._diagonals, k=(-1, 1), align="LEFT_RIGHT")
        elif self._diagonals_format == "sequence":
            batch = self.batch_shape_tensor()
            diagonals = tf.stack(
                [
                    tf.broadcast_to(each, tf.concat([batch, tf.shape(each)[-1:]], 0))
                    for each in self._diagonals
                ],
                -2,
            )
        else:
            diagonals = tf.convert_to_tensor(self._diagonals)
        if not adjoint:
            return diagonals
        above, middle, below = tf.unstack(diagonals, axis=-2)
        flipped = tf.stack([tf.roll(below, -1, -1), middle, tf.roll(above, 1, -1)], -2)
        return helpers.conjugate(flipped)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        above, middle, below = tf.unstack(self._compact(adjoint), axis=-2)
        x = helpers.adjoint(x, adjoint_arg)
        zero = tf.zeros_like(x[..., :1, :])
        following = tf.concat([x[..., 1:, :], zero], -2)
        preceding = tf.concat([zero, x[..., :-1, :]], -2)
        return (
            middle[..., tf.newaxis] * x
            + above[..., tf.newaxis] * following
            + below[..., tf.newaxis] * preceding
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonals, rhs = helpers.broadcast_batches(
            self._compact(adjoint), helpers.adjoint(rhs, adjoint_arg)
        )
        return tf.linalg.tridiagonal_solve(diagonals, rhs, diagonals_format="compact")

    def _diag_part(self) -> Any:
        return self._compact()[..., 1, :]

    def _to_dense(self) -> Any:
        if self._diagonals_format == "matrix":
            return tf.linalg.band_part(self._diagonals, 1, 1)
        return tf.linalg.diag(self._compact(), k=(-1, 1), align="LEFT_RIGHT")


class LinearOperatorToeplitz(LinearOperator):
    """A matrix with equal elements along each diagonal, or a batch of them: its first column and first row.

    >>> tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """

    _composite_tensor_fields = ("col", "row")
    parameter_ranks: ClassVar[Mapping[str, Any]] = {"col": 1, "row": 1}

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorToeplitz",
    ) -> None:
        parameters = dict(locals())
        self._col = helpers.float_parameter(col, "col")
        self._row = helpers.float_parameter(row, "row")
        helpers.assert_rank(self._col, 1, "col")
        helpers.assert_rank(self._row, 1, "row")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> Any:
        sizes = helpers.batch_shape([self._row.shape, self._col.shape])
        return sizes.concatenate(sizes[-1:])

    def _shape_tensor(self) -> Any:
        sizes = tf.broadcast_dynamic_shape(tf.shape(self._row), tf.shape(self._col))
        return tf.concat([sizes, sizes[-1:]], 0)

    def _both(self) -> tuple[Any, Any]:
        sizes = self.shape_tensor()[:-1]
        return tf.broadcast_to(self._col, sizes), tf.broadcast_to(self._row, sizes)

    def _corner(self, adjoint: bool) -> Any:
        """The first column of the circulant matrix, twice as large, that has this matrix in its corner."""
        column, row = self._both()
        if adjoint:
            # The diagonal is the column's; the first element of the row does not count.
            row = tf.concat([column[..., :1], row[..., 1:]], -1)
            column, row = helpers.conjugate(row), helpers.conjugate(column)
        return tf.concat(
            [column, tf.zeros_like(column[..., :1]), tf.reverse(row[..., 1:], [-1])], -1
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        # A product with the larger circulant matrix is a product of Fourier transforms.
        x = helpers.adjoint(x, adjoint_arg)
        kind = tf.complex128 if self.dtype in (tf.float64, tf.complex128) else tf.complex64
        spectrum = tf.signal.fft(tf.cast(self._corner(adjoint), kind))
        size = self.domain_dimension_tensor()
        padded = tf.concat([tf.cast(x, kind), tf.zeros_like(tf.cast(x, kind))], -2)
        waves = tf.signal.fft(tf.linalg.matrix_transpose(padded))
        product = tf.signal.ifft(spectrum[..., tf.newaxis, :] * waves)
        result = tf.linalg.matrix_transpose(product)[..., :size, :]
        return result if self.dtype.is_complex else tf.cast(tf.math.real(result), self.dtype)

    def _to_dense(self) -> Any:
        column, row = self._both()
        size = self.domain_dimension_tensor()
        values = tf.concat([tf.reverse(row[..., 1:], [-1]), column], -1)
        places = tf.range(size)[:, tf.newaxis] - tf.range(size) + size - 1
        return tf.gather(values, places, axis=-1)

    def _diag_part(self) -> Any:
        column, _ = self._both()
        return column[..., :1] * tf.ones([self.domain_dimension_tensor()], self.dtype)

    def _trace(self) -> Any:
        column, _ = self._both()
        return column[..., 0] * tf.cast(self.domain_dimension_tensor(), self.dtype)
