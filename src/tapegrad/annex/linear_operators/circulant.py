"""Circulant matrices in one, two and three dimensions: diagonal after a Fourier transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from numpy import newaxis

from tapegrad import dtypes
from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter, assert_rank, floats

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D"
    )
}


class BaseCirculant(LinearOperator):
    """What circulant operators share: ``A x`` is the inverse transform of ``spectrum * fft(x)``."""

    _composite_tensor_fields = ("spectrum", "input_output_dtype")
    spectrum = Parameter("The Fourier transform of the first column.", convert=floats)
    depth = 1
    _always: ClassVar[Mapping[str, Any]] = {
        "is_square": (
            True,
            "A [[nested] block] circulant operator is always square. "
            "Expected argument `is_square` to be True, but got {value}.",
        )
    }
    _always_if_real: ClassVar[Mapping[str, Any]] = {
        "is_self_adjoint": (
            True,
            "A real spectrum always corresponds to a self-adjoint operator. Expected argument "
            "`is_self_adjoint` to be True when spectrum.dtype = {dtype}, but got {value}.",
        )
    }

    def _begin(self, arguments: Mapping[str, Any], dtype: Any = None, **known: Any) -> None:
        self._input_output_dtype = dtypes.as_dtype(arguments["input_output_dtype"])
        super()._begin(arguments, self._input_output_dtype, **known)
        assert_rank(self.spectrum, self.depth, "spectrum")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"spectrum": self.depth}

    @property
    def block_depth(self) -> int:
        """The number of dimensions."""
        return self.depth

    @property
    def block_shape(self) -> Any:
        """The sizes in each dimension, as far as they are known."""
        return self.spectrum.shape[-self.depth :]

    def block_shape_tensor(self) -> Any:
        """The sizes in each dimension, as a tensor."""
        return ops.shape(self.spectrum)[-self.depth :]

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The first column, in the shape of the spectrum."""
        return self._out(self._inverse_transform(self._waves()))

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raise `tf.errors.InvalidArgumentError` unless products with real vectors are real."""
        kernel = self._inverse_transform(self._waves())
        sizes = ops.reduce_max(ops.abs(kernel))
        epsilon = ops.constant(
            10 * (1e-7 if kernel.dtype is dtypes.complex64 else 2e-16), kernel.dtype.real_dtype
        )
        return ops.assert_less_equal(
            ops.reduce_max(ops.abs(ops.imag(kernel))),
            epsilon * sizes,
            message="Spectrum was not Hermitian",
        )

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        shape = of.shape(self.spectrum)
        rows = of.product(shape[-self.depth :])
        return shape[: -self.depth], rows, rows

    def _complex(self, x: Any) -> Any:
        if x.dtype.is_complex:
            return x
        return ops.cast(x, dtypes.complex128 if x.dtype is dtypes.float64 else dtypes.complex64)

    def _waves(self, adjoint: bool = False) -> Any:
        return helpers.conjugate(self._complex(ops.convert_to_tensor(self.spectrum)), adjoint)

    def _out(self, values: Any) -> Any:
        if self.dtype.is_complex:
            return ops.cast(values, self.dtype)
        return ops.cast(ops.real(values), self.dtype)

    def _transform(self, x: Any) -> Any:
        return (ops.fft, ops.fft2d, ops.fft3d)[self.depth - 1](x)

    def _inverse_transform(self, x: Any) -> Any:
        return (ops.ifft, ops.ifft2d, ops.ifft3d)[self.depth - 1](x)

    def _through_waves(self, x: Any, factors: Any) -> Any:
        """The inverse transform of ``factors`` times the transform of each column of ``x``."""
        columns = self._complex(ops.matrix_transpose(x))
        blocks = ops.reshape(
            columns, ops.concat([ops.shape(columns)[:-1], self.block_shape_tensor()], 0)
        )
        factors = ops.cast(ops.expand_dims(factors, -1 - self.depth), blocks.dtype)
        result = self._inverse_transform(factors * self._transform(blocks))
        flat = ops.concat([ops.shape(result)[: -self.depth], [self.domain_dimension_tensor()]], 0)
        return self._out(ops.matrix_transpose(ops.reshape(result, flat)))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_waves(helpers.adjoint(x, adjoint_arg), self._waves(adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_waves(helpers.adjoint(rhs, adjoint_arg), 1 / self._waves(adjoint))

    @property
    def _axes(self) -> list[int]:
        return list(range(-self.depth, 0))

    def _determinant(self) -> Any:
        return self._out(ops.reduce_prod(self._waves(), self._axes))

    def _log_abs_determinant(self) -> Any:
        sizes = ops.abs(ops.convert_to_tensor(self.spectrum))
        return ops.cast(ops.reduce_sum(ops.log(sizes), self._axes), self.dtype)

    def _trace(self) -> Any:
        return self._out(ops.reduce_sum(self._waves(), self._axes))

    def _diag_part(self) -> Any:
        mean = self._out(ops.reduce_mean(self._waves(), self._axes))
        return mean[..., newaxis] * ops.ones([self.domain_dimension_tensor()], self.dtype)

    def _eigvals(self) -> Any:
        flat = ops.concat([self.batch_shape_tensor(), [self.domain_dimension_tensor()]], 0)
        return ops.reshape(self.spectrum, flat)

    def _cond(self) -> Any:
        sizes = ops.abs(ops.convert_to_tensor(self.spectrum))
        ratio = ops.reduce_max(sizes, self._axes) / ops.reduce_min(sizes, self._axes)
        return ops.cast(ratio, self.dtype.real_dtype)

    def _again(self, spectrum: Any, **hints: Any) -> Any:
        kind: Any = type(self)
        return kind(spectrum, input_output_dtype=self.dtype, **hints)

    def _linop_inverse(self) -> Any:
        return self._again(1 / ops.convert_to_tensor(self.spectrum), **helpers.hints_of(self))

    def _linop_adjoint(self) -> Any:
        spectrum = helpers.conjugate(ops.convert_to_tensor(self.spectrum))
        return self._again(spectrum, **helpers.hints_of(self))

    def _assert_non_singular(self) -> Any:
        sizes = ops.abs(ops.convert_to_tensor(self.spectrum))
        smallest = ops.reduce_max(sizes) * ops.constant(1e-7, sizes.dtype)
        return ops.assert_greater(
            sizes, smallest, message="Singular operator:  A spectral component is (nearly) zero."
        )

    def _assert_positive_definite(self) -> Any:
        return helpers.assert_positive(
            ops.convert_to_tensor(self.spectrum),
            "Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> Any:
        return helpers.assert_real(
            ops.convert_to_tensor(self.spectrum),
            "Not self-adjoint:  Imaginary part of spectrum was non-zero.",
        )


class LinearOperatorCirculant(BaseCirculant):
    """A matrix whose rows are one row, turned by one place each; or a batch of such matrices.

    >>> spectrum = tf.signal.fft(tf.constant([1.0, 2.0, 0.0], tf.complex64))
    >>> operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
    >>> tf.round(operator.to_dense()).numpy().tolist()
    [[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [0.0, 2.0, 1.0]]
    """

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = "LinearOperatorCirculant",
    ) -> None:
        self._begin(locals())


class LinearOperatorCirculant2D(BaseCirculant):
    """A circulant matrix of circulant blocks: a convolution in two dimensions that goes round the edges."""

    depth = 2

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = "LinearOperatorCirculant2D",
    ) -> None:
        self._begin(locals())


class LinearOperatorCirculant3D(BaseCirculant):
    """A convolution in three dimensions that goes round the edges, as a matrix."""

    depth = 3

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = "LinearOperatorCirculant3D",
    ) -> None:
        self._begin(locals())
