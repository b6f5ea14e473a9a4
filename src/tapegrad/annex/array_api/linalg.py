"""The standard's extension ``linalg``: products, decompositions and norms of matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.array_api.elementwise import in_wide_integers
from tapegrad.annex.array_api.manipulation import axes_of
from tapegrad.annex.numpy_like import math, ops, shapes
from tapegrad.annex.numpy_like.arguments import DIAGONAL
from tapegrad.annex.numpy_like.promotion import as_dtype, floating, promoted
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {
    "array_api.linalg": (
        "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_power matrix_rank "
        "outer pinv qr slogdet solve svd svdvals trace vector_norm"
    ),
    "array_api array_api.linalg": "matmul tensordot vecdot",
}

OF_MATRICES = describes(
    x="a tensor with two axes at least: matrices in its last two axes.",
    offset=DIAGONAL,
    rtol=(
        "the part of the greatest singular value below which one counts as 0. None is the precision of the "
        "dtype times the greater number of rows or columns."
    ),
)


class EigResult(NamedTuple):
    """What ``eig`` gives."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EighResult(NamedTuple):
    """What ``eigh`` gives."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """What ``qr`` gives."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """What ``slogdet`` gives."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """What ``svd`` gives."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def matmul(x1: Any, x2: Any, /) -> Tensor:
    """The product of matrices, or of a matrix and a vector.

    Args:
        x1, x2: tensors with one axis at least, cast to one dtype. The last axis of ``x1`` has the size of the
            second last of ``x2``, or of its only axis; the axes in front of the matrices broadcast.
    """
    return in_wide_integers(math.matmul, *promoted(x1, x2))


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Tensor:
    """The sums of products along axes of both tensors.

    Args:
        x1, x2: tensors of numbers, cast to one dtype.
        axes: how many of the last axes of ``x1`` and the first of ``x2`` are summed over, or a pair: the axes
            of ``x1``, and those of ``x2``.
    """
    if not isinstance(axes, int):
        axes = [list(axis_list) for axis_list in axes]
    return in_wide_integers(lambda a, b: math.tensordot(a, b, axes), *promoted(x1, x2))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The sums of products along ``axis``, of the conjugates of ``x1``.

    Args:
        x1, x2: tensors with one size along ``axis``, cast to one dtype. The other axes broadcast.
        axis: the axis of the vectors.
    """
    x1, x2 = promoted(x1, x2)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot() needs vectors of one length; {x1.shape} and {x2.shape} came")
    return ops.reduce_sum(ops.conj(x1) * x2, axis)


def outer(x1: Any, x2: Any, /) -> Tensor:
    """All products of an element of ``x1`` and one of ``x2``.

    Args:
        x1, x2: vectors, cast to one dtype.
    """
    return math.outer(x1, x2)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The cross products of vectors with three elements.

    Args:
        x1, x2: tensors with three elements along ``axis``, cast to one dtype. The other axes broadcast.
        axis: the axis of the vectors.
    """
    x1, x2 = promoted(x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            f"cross() needs three elements along the axis; {x1.shape} and {x2.shape} came"
        )
    return shapes.cross(x1, x2, axis=axis)


@OF_MATRICES
def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """The diagonals of the matrices along the last two axes."""
    return shapes.diagonal(x, offset, -2, -1)


@OF_MATRICES
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sums of the diagonals of the matrices along the last two axes.

    Args:
        dtype: the dtype in which the elements are added up. None is int64 for narrow integers, uint64 for
            narrow unsigned ones, and else the dtype of ``x``.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    return math.sum(diagonal(x, offset=offset), -1, wanted)


@OF_MATRICES
def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of positive definite matrices: the lower, or the upper one.

    Args:
        upper: whether the result is the upper factor, the lower one conjugated and turned over.
    """
    lower = ops.cholesky(x)
    return ops.adjoint(lower) if upper else lower


@OF_MATRICES
def det(x: Any, /) -> Tensor:
    """The determinants."""
    return ops.det(x)


@OF_MATRICES
def inv(x: Any, /) -> Tensor:
    """The inverse matrices."""
    return ops.inv(x)


@OF_MATRICES
def slogdet(x: Any, /) -> SlogdetResult:
    """The signs of the determinants, and the logarithms of their absolute values."""
    sign, logarithm = ops.slogdet(x)
    return SlogdetResult(sign, ops.real(logarithm))


def solve(x1: Any, x2: Any, /) -> Tensor:
    """What ``x1`` has to be multiplied by to give ``x2``, one vector or matrices.

    Args:
        x1: square matrices in the last two axes.
        x2: one vector, or matrices in the last two axes. The axes in front broadcast; both are cast to one
            dtype.
    """
    x1, x2 = promoted(x1, x2)
    if x2.ndim == 1:
        return solve(x1, x2[:, None])[..., 0]
    batch = ops.broadcast_dynamic_shape(ops.shape(x1)[:-2], ops.shape(x2)[:-2])
    x1, x2 = (ops.broadcast_to(x, ops.concat([batch, ops.shape(x)[-2:]], 0)) for x in (x1, x2))
    return ops.solve(x1, x2)


def matrix_power(x: Any, n: int, /) -> Tensor:
    """The matrices, multiplied with themselves ``n`` times; their inverses if ``n`` is negative.

    Args:
        x: square matrices in the last two axes.
        n: an integer. 0 gives identity matrices.
    """
    if n < 0:
        x, n = inv(x), -n
    result = ops.eye(x.shape[-1], batch_shape=ops.shape(x)[:-2], dtype=x.dtype)
    while n:
        if n % 2:
            result = ops.matmul(result, x)
        n //= 2
        if n:
            x = ops.matmul(x, x)
    return result


@OF_MATRICES
def eigh(x: Any, /) -> EighResult:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    values, vectors = ops.eigh(x)
    return EighResult(ops.real(values), vectors)


@OF_MATRICES
def eigvalsh(x: Any, /) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices."""
    return ops.real(ops.eigvalsh(x))


@OF_MATRICES
def eig(x: Any, /) -> EigResult:
    """Eigenvalues and eigenvectors, which are complex."""
    return EigResult(*ops.eig(x))


@OF_MATRICES
def eigvals(x: Any, /) -> Tensor:
    """The eigenvalues, which are complex."""
    return ops.eigvals(x)


@OF_MATRICES
def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """An orthonormal and a triangular factor.

    Args:
        mode: "reduced", or "complete" for a square first factor.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode={mode!r} came; it is 'reduced' or 'complete'")
    return QRResult(*ops.qr(x, full_matrices=mode == "complete"))


@OF_MATRICES
def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """The factors of the singular value decomposition, the last one conjugated and turned over.

    Args:
        full_matrices: whether the first and the last factor are square.
    """
    values, left, right = ops.svd(x, full_matrices=full_matrices)
    return SVDResult(left, ops.real(values), ops.adjoint(right))


@OF_MATRICES
def svdvals(x: Any, /) -> Tensor:
    """The singular values, the greatest first."""
    return ops.real(ops.svd(x, compute_uv=False))


def tolerance(x: Tensor, values: Tensor, rtol: Any) -> Tensor:
    """The size of the singular values that count as 0, for each matrix."""
    if rtol is None:
        rtol = max(x._shape_tuple()[-2:]) * float(np.finfo(values.dtype.numpy_dtype).eps)
    return as_dtype(rtol, values.dtype) * ops.reduce_max(values, -1)


@OF_MATRICES
def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """How many singular values are not 0."""
    values = svdvals(x)
    return ops.reduce_sum(
        ops.cast(ops.greater(values, tolerance(x, values, rtol)[..., None]), dtypes.int64), -1
    )


@OF_MATRICES
def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """The pseudo-inverse matrices."""
    left, values, right = svd(x, full_matrices=False)
    counts = ops.greater(values, tolerance(x, values, rtol)[..., None])
    inverse = ops.where(counts, ops.reciprocal(ops.where(counts, values, ops.ones_like(values))), 0)
    scaled = ops.adjoint(right) * ops.cast(inverse, x.dtype)[..., None, :]
    return ops.matmul(scaled, left, adjoint_b=True)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The norms of vectors along ``axis``, or of all elements.

    Args:
        x: a tensor of numbers.
        axis: an axis, or a tuple of axes whose elements are one vector; None for all of them.
        keepdims: whether these axes stay in the result, with size 1.
        ord: a number p, for the root of order p of the sum of the powers p of absolute values; infinity for
            the greatest of them, minus infinity for the least, 0 for the number of elements that are not 0.
    """
    tensor = floating(x)
    axes = axes_of(tensor, axis)
    return norm_along(tensor, axes, keepdims, ord)


def norm_along(x: Tensor, axes: list[int], keepdims: bool, ord: Any) -> Tensor:
    lengths = ops.abs(x)
    if ord == np.inf:
        return ops.reduce_max(lengths, axes, keepdims)
    if ord == -np.inf:
        return ops.reduce_min(lengths, axes, keepdims)
    if ord == 0:
        return ops.reduce_sum(ops.cast(ops.not_equal(x, 0), lengths.dtype), axes, keepdims)
    if ord == 1:
        return ops.reduce_sum(lengths, axes, keepdims)
    if ord == 2:
        return ops.reduce_euclidean_norm(lengths, axes, keepdims)
    return ops.pow(ops.reduce_sum(ops.pow(lengths, ord), axes, keepdims), 1 / ord)


@OF_MATRICES
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The norms of the matrices along the last two axes.

    Args:
        keepdims: whether the last two axes stay in the result, with size 1.
        ord: "fro" for the root of the sum of squares, "nuc" for the sum of the singular values, 2 or -2 for
            the greatest or the least of them, 1 or -1 for the greatest or least sum of absolute values of a
            column, infinity or minus infinity for those of a row.
    """
    if ord == "fro":
        return norm_along(x, [-2, -1], keepdims, 2)
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        reduce = {"nuc": ops.reduce_sum, 2: ops.reduce_max, -2: ops.reduce_min}[ord]
        norms = reduce(values, -1)
        return norms[..., None, None] if keepdims else norms
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"ord={ord!r} is no norm of matrices")
    sums = ops.reduce_sum(ops.abs(x), -2 if abs(ord) == 1 else -1, keepdims=True)
    norms = (ops.reduce_max if ord > 0 else ops.reduce_min)(sums, [-2, -1], keepdims)
    return norms
