"""Operators given by their diagonals: tridiagonal and Toeplitz matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from numpy import newaxis

from tapegrad import dtypes
from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter, assert_rank, floats, numbers
from tapegrad.annex.linear_operators.sizes import square

PUBLIC = {"linalg compat.v1.linalg": "LinearOperatorToeplitz LinearOperatorTridiag"}


class LinearOperatorTridiag(LinearOperator):
    """A matrix that is zero but for three diagonals, or a batch of such matrices.

    >>> operator = tf.linalg.LinearOperatorTridiag([[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.0, 6.0, 7.0]])
    >>> operator.to_dense().numpy().tolist()
    [[3.0, 1.0, 0.0], [6.0, 4.0, 2.0], [0.0, 7.0, 5.0]]
    """

    diagonals = Parameter("The diagonals, in the format of `diagonals_format`.")
    diagonals_format = Parameter('One of "compact", "matrix" and "sequence".')

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
        arguments = dict(locals())
        if diagonals_format not in ("matrix", "sequence", "compact"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Found : {diagonals_format}"
            )
        self._diagonals: Any
        if diagonals_format == "sequence":
            self._diagonals = [numbers(diagonal, "diagonal") for diagonal in diagonals]
            dtype = self.diagonals[0].dtype
        else:
            self._diagonals = numbers(diagonals, "diagonals")
            dtype = self.diagonals.dtype
            assert_rank(self.diagonals, 2, "diagonals")
        self._diagonals_format = diagonals_format
        self._begin(arguments, dtype, is_square=True if is_square is None else is_square)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        sequence = self._diagonals_format == "sequence"
        return {"diagonals": [1, 1, 1] if sequence else 2}

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        if self._diagonals_format == "sequence":
            batch = of.broadcast([of.shape(diagonal)[:-1] for diagonal in self.diagonals])
            size = of.shape(self.diagonals[1])[-1]
        else:
            shape = of.shape(self.diagonals)
            batch, size = shape[:-2], shape[-1]
        return batch, size, size

    def _compact(self, adjoint: bool = False) -> Any:
        """The diagonals in three rows: above the diagonal, on it and below it."""
        if self._diagonals_format == "matrix":
            diagonals = ops.diag_part(self.diagonals, k=(-1, 1), align="LEFT_RIGHT")
        elif self._diagonals_format == "sequence":
            batch = self.batch_shape_tensor()
            rows = [helpers.with_batch(diagonal, batch, axes=1) for diagonal in self.diagonals]
            diagonals = ops.stack(rows, -2)
        else:
            diagonals = ops.convert_to_tensor(self.diagonals)
        if not adjoint:
            return diagonals
        superdiagonal, middle, subdiagonal = ops.unstack(diagonals, axis=-2)
        flipped = ops.stack(
            [ops.roll(subdiagonal, -1, -1), middle, ops.roll(superdiagonal, 1, -1)], -2
        )
        return helpers.conjugate(flipped)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        superdiagonal, middle, subdiagonal = ops.unstack(self._compact(adjoint), axis=-2)
        x = helpers.adjoint(x, adjoint_arg)
        zero = ops.zeros_like(x[..., :1, :])
        following = ops.concat([x[..., 1:, :], zero], -2)
        preceding = ops.concat([zero, x[..., :-1, :]], -2)
        return (
            middle[..., newaxis] * x
            + superdiagonal[..., newaxis] * following
            + subdiagonal[..., newaxis] * preceding
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonals, rhs = helpers.broadcast_batches(
            self._compact(adjoint), helpers.adjoint(rhs, adjoint_arg)
        )
        return ops.tridiagonal_solve(diagonals, rhs, diagonals_format="compact")

    def _diag_part(self) -> Any:
        return self._compact()[..., 1, :]

    def _to_dense(self) -> Any:
        if self._diagonals_format == "matrix":
            return ops.band_part(self.diagonals, 1, 1)
        return ops.diag(self._compact(), k=(-1, 1), align="LEFT_RIGHT")


class LinearOperatorToeplitz(LinearOperator):
    """A matrix with equal elements along each diagonal, or a batch of them: its first column and first row.

    >>> tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """

    col = Parameter("The first column.", axes=1, convert=floats)
    row = Parameter("The first row.", axes=1, convert=floats)
    _always: ClassVar[Mapping[str, Any]] = {
        "is_square": (True, "Only square Toeplitz operators currently supported.")
    }

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
        self._begin(locals())

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        return square(of.broadcast([of.shape(self.row), of.shape(self.col)]))

    def _both(self) -> tuple[Any, Any]:
        sizes = self.shape_tensor()[:-1]
        return ops.broadcast_to(self.col, sizes), ops.broadcast_to(self.row, sizes)

    def _corner(self, adjoint: bool) -> Any:
        """The first column of the circulant matrix, twice as large, that has this matrix in its corner."""
        column, row = self._both()
        if adjoint:
            # The diagonal is the column's; the first element of the row does not count.
            row = ops.concat([column[..., :1], row[..., 1:]], -1)
            column, row = helpers.conjugate(row), helpers.conjugate(column)
        return ops.concat(
            [column, ops.zeros_like(column[..., :1]), ops.reverse(row[..., 1:], [-1])], -1
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        # A product with the larger circulant matrix is a product of Fourier transforms.
        x = helpers.adjoint(x, adjoint_arg)
        kind = (
            dtypes.complex128
            if self.dtype in (dtypes.float64, dtypes.complex128)
            else dtypes.complex64
        )
        spectrum = ops.fft(ops.cast(self._corner(adjoint), kind))
        size = self.domain_dimension_tensor()
        padded = ops.concat([ops.cast(x, kind), ops.zeros_like(ops.cast(x, kind))], -2)
        waves = ops.fft(ops.matrix_transpose(padded))
        product = ops.ifft(spectrum[..., newaxis, :] * waves)
        result = ops.matrix_transpose(product)[..., :size, :]
        return result if self.dtype.is_complex else ops.cast(ops.real(result), self.dtype)

    def _to_dense(self) -> Any:
        column, row = self._both()
        size = self.domain_dimension_tensor()
        values = ops.concat([ops.reverse(row[..., 1:], [-1]), column], -1)
        places = ops.range(size)[:, newaxis] - ops.range(size) + size - 1
        return ops.gather(values, places, axis=-1)

    def _diag_part(self) -> Any:
        column, _ = self._both()
        return column[..., :1] * ops.ones([self.domain_dimension_tensor()], self.dtype)

    def _trace(self) -> Any:
        column, _ = self._both()
        return column[..., 0] * ops.cast(self.domain_dimension_tensor(), self.dtype)
