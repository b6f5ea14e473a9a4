"""Functions of whole matrices: exponential, logarithm and square root.

For an analytic f, the upper right block of f([[A, E], [0, A]]) is the derivative of f at A in the direction
E. So the kernel itself gives derivatives of every order. The adjoint of that derivative is the derivative at
the adjoint of A.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.engines.numpy import lapack
from tapegrad.ops.batching import leading
from tapegrad.ops.linalg.exponential import exponentials
from tapegrad.ops.linalg.logarithm import logarithm
from tapegrad.ops.linalg.products import adjoint
from tapegrad.ops.linalg.solvers import (
    SOLVER_TYPES,
    check_square,
    each_matrix,
    restack,
    square_shape,
)
from tapegrad.ops.op import op
from tapegrad.ops.shape import joining

PUBLIC = {
    ". compat.v1": "matrix_square_root=sqrtm",
    "linalg compat.v1.linalg": "expm logm sqrtm",
}


def _block_derivative(function: Any, matrix: Tensor, dy: Tensor) -> Tensor:
    size = matrix._shape_tuple()[-1]
    turned = adjoint(matrix)
    upper = joining.concat([turned, dy], -1)
    lower = joining.concat([turned * 0.0, turned], -1)
    return function(joining.concat([upper, lower], -2))[..., :size, size:]


def _doubled(matrix: Any) -> Any:
    """``matrix`` in double precision, because these functions lose digits on the way."""
    return matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64, copy=False)


@op("MatrixExponential", dtypes=SOLVER_TYPES, holomorphic=False, values="elements")
def expm(xp, input):
    """The exponential of each matrix: the sum of ``matrix ** n / n!`` over all n.

    >>> tf.linalg.expm(tf.constant([[0.0, 1.0], [0.0, 0.0]])).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    check_square(input)
    if not input.size:
        return input
    return exponentials(xp, _doubled(input)).astype(input.dtype, copy=False)


expm.shape(square_shape)
expm.gradient(input=lambda dy, input: _block_derivative(expm, input, dy))
expm.batching(leading)


@op(
    "MatrixLogarithm",
    dtypes={dtypes.complex64, dtypes.complex128},
    holomorphic=False,
    values="errors",
)
def logm(xp, input):
    """The principal logarithm of each complex matrix; NaN for a singular one.

    >>> tf.linalg.logm(tf.eye(2, dtype=tf.complex64)).numpy().real
    array([[0., 0.],
           [0., 0.]], dtype=float32)
    """
    check_square(input)
    if not input.size:
        return input
    results = each_matrix(lambda matrix: logarithm(xp, matrix), _doubled(input))
    return restack(results, input.shape[:-2], input.dtype, input.shape[-2:])


logm.shape(square_shape)
logm.gradient(input=lambda dy, input: _block_derivative(logm, input, dy))
logm.batching(leading)


@op("MatrixSquareRoot", dtypes=SOLVER_TYPES, holomorphic=False, values="errors")
def sqrtm(xp, input):
    """The principal square root of each matrix; NaN for a real matrix whose root is not real.

    >>> tf.linalg.sqrtm(tf.constant([[4.0, 0.0], [0.0, 9.0]])).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    check_square(input)
    if not input.size:
        return input
    results = each_matrix(_square_root, _doubled(input))
    return restack(results, input.shape[:-2], input.dtype, input.shape[-2:])


sqrtm.shape(square_shape)


def _square_root(matrix: Any) -> Any:
    if not np.isfinite(matrix).all():
        return matrix * np.nan
    root = lapack.scipys("scipy.linalg", "sqrtm", "tf.linalg.sqrtm()")(matrix)
    if root.dtype.kind == "c" and matrix.dtype.kind != "c":
        # SciPy before 1.16 returns a complex root for equal eigenvalues that were rounded, though it is real.
        rounding = len(root) * np.finfo(root.dtype).eps * np.abs(root).max()
        if not np.abs(root.imag).max() <= rounding:
            return np.full(matrix.shape, np.nan, matrix.dtype)
        return root.real
    return root


sqrtm.gradient(input=lambda dy, input: _block_derivative(sqrtm, input, dy))
sqrtm.batching(leading)
