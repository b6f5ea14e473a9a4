"""Circulant matrices in one, two and three dimensions: diagonal after a Fourier transform."""

from __future__ import annotations

import math
from typing import Any

import tapegrad as tf
from tapegrad.linear_operators import helpers
from tapegrad.linear_operators.operator import LinearOperator

PUBLIC = {
    "linalg compat.v1.linalg": (
        "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D"
    )
}


class BaseCirculant(LinearOperator):
    """What circulant operators share: ``A x`` is the inverse transform of ``spectrum * fft(x)``."""

    _composite_tensor_fields = ("spectrum", "input_output_dtype")
    depth = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any,
        parameters: dict[str, Any],
        name: str | None,
        **hints: Any,
    ) -> None:
        self._spectrum = helpers.float_parameter(spectrum, "spectrum")
        helpers.assert_rank(self._spectrum, self.depth, "spectrum")
        self._input_output_dtype = tf.as_dtype(input_output_dtype)
        if not self._spectrum.dtype.is_complex:
            if hints["is_self_adjoint"] is False:
                raise ValueError(
                    "A real spectrum always corresponds to a self-adjoint operator. "
                    f"Expected argument `is_self_adjoint` to be True when spectrum.dtype = "
                    f"{self._spectrum.dtype}, but got {hints['is_self_adjoint']}."
                )
            hints["is_self_adjoint"] = True
        if hints["is_square"] is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. "
                f"Expected argument `is_square` to be True, but got {hints['is_square']}."
            )
        super().__init__(
            self._input_output_dtype,
            name=name,
            parameters=parameters,
            **{**hints, "is_square": True},
        )

    @property
    def parameter_ranks(self) -> dict[str, Any]:  # type: ignore[override]
        """The axes of the spectrum that are not of a batch."""
        return {"spectrum": self.depth}

    @property
    def spectrum(self) -> Any:
        """The Fourier transform of the first column."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of dimensions."""
        return self.depth

    @property
    def block_shape(self) -> Any:
        """The sizes in each dimension, as far as they are known."""
        return self._spectrum.shape[-self.depth :]

    def block_shape_tensor(self) -> Any:
        """The sizes in each dimension, as a tensor."""
        return tf.shape(self._spectrum)[-self.depth :]

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The first column, in the shape of the spectrum."""
        return self._out(self._inverse_transform(self._waves()))

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raise `tf.errors.InvalidArgumentError` unless products with real vectors are real."""
        kernel = self._inverse_transform(self._waves())
        sizes = tf.reduce_max(tf.abs(kernel))
        epsilon = tf.constant(
            10 * (1e-7 if kernel.dtype is tf.complex64 else 2e-16), kernel.dtype.real_dtype
        )
        return tf.debugging.assert_less_equal(
            tf.reduce_max(tf.abs(tf.math.imag(kernel))),
            epsilon * sizes,
            message="Spectrum was not Hermitian",
        )

    def _shape(self) -> Any:
        sizes = self.block_shape
        rows = math.prod(sizes) if sizes.is_fully_defined() else None
        return self._spectrum.shape[: -self.depth].concatenate([rows, rows])

    def _shape_tensor(self) -> Any:
        rows = tf.reduce_prod(self.block_shape_tensor())
        return tf.concat([tf.shape(self._spectrum)[: -self.depth], [rows, rows]], 0)

    def _complex(self, x: Any) -> Any:
        if x.dtype.is_complex:
            return x
        return tf.cast(x, tf.complex128 if x.dtype is tf.float64 else tf.complex64)

    def _waves(self, adjoint: bool = False) -> Any:
        return helpers.conjugate(self._complex(tf.convert_to_tensor(self._spectrum)), adjoint)

    def _out(self, values: Any) -> Any:
        if self.dtype.is_complex:
            return tf.cast(values, self.dtype)
        return tf.cast(tf.math.real(values), self.dtype)

    def _transform(self, x: Any) -> Any:
        return (tf.signal.fft, tf.signal.fft2d, tf.signal.fft3d)[self.depth - 1](x)

    def _inverse_transform(self, x: Any) -> Any:
        return (tf.signal.ifft, tf.signal.ifft2d, tf.signal.ifft3d)[self.depth - 1](x)

    def _through_waves(self, x: Any, factors: Any) -> Any:
        """The inverse transform of ``factors`` times the transform of each column of ``x``."""
        columns = self._complex(tf.linalg.matrix_transpose(x))
        blocks = tf.reshape(
            columns, tf.concat([tf.shape(columns)[:-1], self.block_shape_tensor()], 0)
        )
        factors = tf.cast(tf.expand_dims(factors, -1 - self.depth), blocks.dtype)
        result = self._inverse_transform(factors * self._transform(blocks))
        flat = tf.concat([tf.shape(result)[: -self.depth], [self.domain_dimension_tensor()]], 0)
        return self._out(tf.linalg.matrix_transpose(tf.reshape(result, flat)))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_waves(helpers.adjoint(x, adjoint_arg), self._waves(adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_waves(helpers.adjoint(rhs, adjoint_arg), 1 / self._waves(adjoint))

    @property
    def _axes(self) -> list[int]:
        return list(range(-self.depth, 0))

    def _determinant(self) -> Any:
        return self._out(tf.reduce_prod(self._waves(), self._axes))

    def _log_abs_determinant(self) -> Any:
        sizes = tf.abs(tf.convert_to_tensor(self._spectrum))
        return tf.cast(tf.reduce_sum(tf.math.log(sizes), self._axes), self.dtype)

    def _trace(self) -> Any:
        return self._out(tf.reduce_sum(self._waves(), self._axes))

    def _diag_part(self) -> Any:
        mean = self._out(tf.reduce_mean(self._waves(), self._axes))
        return mean[..., tf.newaxis] * tf.ones([self.domain_dimension_tensor()], self.dtype)

    def _eigvals(self) -> Any:
        flat = tf.concat([self.batch_shape_tensor(), [self.domain_dimension_tensor()]], 0)
        return tf.reshape(self._spectrum, flat)

    def _cond(self) -> Any:
        sizes = tf.abs(tf.convert_to_tensor(self._spectrum))
        ratio = tf.reduce_max(sizes, self._axes) / tf.reduce_min(sizes, self._axes)
        return tf.cast(ratio, self.dtype.real_dtype)

    def _again(self, spectrum: Any, **hints: Any) -> Any:
        return type(self)(spectrum, input_output_dtype=self.dtype, **hints)

    def _linop_inverse(self) -> Any:
        return self._again(1 / tf.convert_to_tensor(self._spectrum), **helpers.hints_of(self))

    def _linop_adjoint(self) -> Any:
        spectrum = helpers.conjugate(tf.convert_to_tensor(self._spectrum))
        return self._again(spectrum, **helpers.hints_of(self))

    def _assert_non_singular(self) -> Any:
        sizes = tf.abs(tf.convert_to_tensor(self._spectrum))
        smallest = tf.reduce_max(sizes) * tf.constant(1e-7, sizes.dtype)
        return tf.debugging.assert_greater(
            sizes, smallest, message="Singular operator:  A spectral component is (nearly) zero."
        )

    def _assert_positive_definite(self) -> Any:
        real = tf.math.real(tf.convert_to_tensor(self._spectrum))
        return tf.debugging.assert_positive(
            real, message="Not positive definite:  Real part of spectrum was not all positive."
        )

    def _assert_self_adjoint(self) -> Any:
        imaginary = tf.math.imag(tf.convert_to_tensor(self._spectrum))
        return tf.debugging.assert_equal(
            tf.zeros_like(imaginary),
            imaginary,
            message="Not self-adjoint:  Imaginary part of spectrum was non-zero.",
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
        input_output_dtype: Any = tf.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = "LinearOperatorCirculant",
    ) -> None:
        super().__init__(
            spectrum,
            input_output_dtype,
            dict(locals()),
            name,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
        )


class LinearOperatorCirculant2D(BaseCirculant):
    """A circulant matrix of circulant blocks: a convolution in two dimensions that goes round the edges."""

    depth = 2

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = tf.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = "LinearOperatorCirculant2D",
    ) -> None:
        super().__init__(
            spectrum,
            input_output_dtype,
            dict(locals()),
            name,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
        )


class LinearOperatorCirculant3D(BaseCirculant):
    """A convolution in three dimensions that goes round the edges, as a matrix."""

    depth = 3

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = tf.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = "LinearOperatorCirculant3D",
    ) -> None:
        super().__init__(
            spectrum,
            input_output_dtype,
            dict(locals()),
            name,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
        )
