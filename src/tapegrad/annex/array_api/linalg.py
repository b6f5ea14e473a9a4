"""The standard's extension ``linalg``: products, decompositions and norms of matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.array_api.elementwise import in_wide_integers
from tapegrad.annex.array_api.manipulation import axes_of
from tapegrad.annex.numpy_like import math, ops, shapes
from tapegrad.annex.numpy_like.promotion import as_dtype, floating, promoted
from tapegrad.core import Tensor

PUBLIC = {
    "array_api.linalg": (
        "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_power matrix_rank "
        "outer pinv qr slogdet solve svd svdvals trace vector_norm"
    ),
    "array_api array_api.linalg": "matmul tensordot vecdot",
}


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
    """The product of matrices, or of a matrix and a vector."""
    return in_wide_integers(math.matmul, *promoted(x1, x2))


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Tensor:
    """The sums of products along axes of both tensors."""
    if not isinstance(axes, int):
        axes = [list(axis_list) for axis_list in axes]
    return in_wide_integers(lambda a, b: math.tensordot(a, b, axes), *promoted(x1, x2))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The sums of products along ``axis``, of the conjugates of ``x1``."""
    x1, x2 = promoted(x1, x2)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot() needs vectors of one length; {x1.shape} and {x2.shape} came")
    return ops.reduce_sum(ops.conj(x1) * x2, axis)


def outer(x1: Any, x2: Any, /) -> Tensor:
    """All products of an element of ``x1`` and one of ``x2``."""
    return math.outer(x1, x2)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The cross products of vectors with three elements."""
    x1, x2 = promoted(x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            f"cross() needs three elements along the axis; {x1.shape} and {x2.shape} came"
        )
    return shapes.cross(x1, x2, axis=axis)


def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """The diagonals of the matrices along the last two axes."""
    return shapes.diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sums of the diagonals of the matrices along the last two axes."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    return math.sum(diagonal(x, offset=offset), -1, wanted)


def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of positive definite matrices: the lower, or the upper one."""
    lower = ops.cholesky(x)
    return ops.adjoint(lower) if upper else lower


def det(x: Any, /) -> Tensor:
    """The determinants."""
    return ops.det(x)


def inv(x: Any, /) -> Tensor:
    """The inverse matrices."""
    return ops.inv(x)


def slogdet(x: Any, /) -> SlogdetResult:
    """The signs of the determinants, and the logarithms of their absolute values."""
    sign, logarithm = ops.slogdet(x)
    return SlogdetResult(sign, ops.real(logarithm))


def solve(x1: Any, x2: Any, /) -> Tensor:
    """What ``x1`` has to be multiplied by to give ``x2``, one vector or matrices."""
    x1, x2 = promoted(x1, x2)
    if x2.ndim == 1:
        return solve(x1, x2[:, None])[..., 0]
    batch = ops.broadcast_dynamic_shape(ops.shape(x1)[:-2], ops.shape(x2)[:-2])
    x1, x2 = (ops.broadcast_to(x, ops.concat([batch, ops.shape(x)[-2:]], 0)) for x in (x1, x2))
    return ops.solve(x1, x2)


def matrix_power(x: Any, n: int, /) -> Tensor:
    """The matrices, multiplied with themselves ``n`` times; their inverses if ``n`` is negative."""
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


def eigh(x: Any, /) -> EighResult:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    values, vectors = ops.eigh(x)
    return EighResult(ops.real(values), vectors)


def eigvalsh(x: Any, /) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices."""
    return ops.real(ops.eigvalsh(x))


def eig(x: Any, /) -> EigResult:
    """Eigenvalues and eigenvectors, which are complex."""
    return EigResult(*ops.eig(x))


def eigvals(x: Any, /) -> Tensor:
    """The eigenvalues, which are complex."""
    return ops.eigvals(x)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """An orthonormal and a triangular factor."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode={mode!r} came; it is 'reduced' or 'complete'")
    return QRResult(*ops.qr(x, full_matrices=mode == "complete"))


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """The factors of the singular value decomposition, the last one conjugated and turned over."""
    values, left, right = ops.svd(x, full_matrices=full_matrices)
    return SVDResult(left, ops.real(values), ops.adjoint(right))


def svdvals(x: Any, /) -> Tensor:
    """The singular values, the greatest first."""
    return ops.real(ops.svd(x, compute_uv=False))


def tolerance(x: Tensor, values: Tensor, rtol: Any) -> Tensor:
    """The size of the singular values that count as 0, for each matrix."""
    if rtol is None:
        rtol = max(x._shape_tuple()[-2:]) * float(np.finfo(values.dtype.numpy_dtype).eps)
    return as_dtype(rtol, values.dtype) * ops.reduce_max(values, -1)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """How many singular values are not 0."""
    values = svdvals(x)
    return ops.reduce_sum(
        ops.cast(ops.greater(values, tolerance(x, values, rtol)[..., None]), dtypes.int64), -1
    )


def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """The pseudo-inverse matrices."""
    left, values, right = svd(x, full_matrices=False)
    counts = ops.greater(values, tolerance(x, values, rtol)[..., None])
    inverse = ops.where(counts, ops.reciprocal(ops.where(counts, values, ops.ones_like(values))), 0)
    scaled = ops.adjoint(right) * ops.cast(inverse, x.dtype)[..., None, :]
    return ops.matmul(scaled, left, adjoint_b=True)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The norms of vectors along ``axis``, or of all elements."""
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


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The norms of the matrices along the last two axes."""
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
