"""Matrices: products, solving, decompositions, diagonals."""

from __future__ import annotations

from typing import Any

from . import FLOATS, Sample, at, call
from .draws import COMPLEX, definite, distinct, given, invertible, reals, symmetric, triangular

_TRIANGLE = "only the lower triangle is read; the gradient is that of symmetric changes"


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _products(tf) + _diagonals(tf) + _solving(tf) + _decompositions(tf)


def _products(tf: Any) -> list[Sample]:
    einsums = [
        ("ij,jk->ik", [(2, 3), (3, 2)]), ("ij,jk", [(2, 3), (3, 2)]), ("ij->ji", [(2, 3)]),
        ("ij->", [(2, 3)]), ("ij->j", [(2, 3)]), ("ii->i", [(3, 3)]), ("ii->", [(3, 3)]),
        ("i,i->", [(3,), (3,)]), ("i,j->ij", [(2,), (3,)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
        ("...ij,...jk->...ik", [(2, 2, 3), (3, 2)]), ("...i->...", [(2, 3)]), ("ij,ij->ij", [(2, 3)] * 2),
        ("ij,jk,kl->il", [(2, 2), (2, 3), (3, 2)]), ("ab,cb->ac", [(2, 3), (2, 3)]), ("iij->j", [(2, 2, 3)]),
        ("ij,j->i", [(0, 3), (3,)]), ("ij,jk->ik", [(2, 0), (0, 3)]), ("...a,...a->...", [(2, 1, 3), (2, 3)]),
        ("ijk->kij", [(2, 1, 3)]),
    ]  # fmt: skip
    return [
        Sample(
            tf.matmul,
            [(reals(2, 3), reals(3, 2)), (reals(2, 2, 3), reals(2, 3, 2)),
             (reals(2, 1, 2, 3), reals(2, 3, 2)),
             call(reals(3, 2), reals(3, 2), transpose_a=True),
             call(reals(2, 3), reals(2, 3), transpose_b=True),
             call(reals(3, 2), reals(2, 3), transpose_a=True, transpose_b=True),
             (reals(0, 3), reals(3, 2)), (reals(2, 0), reals(0, 3)), (reals(1, 1), reals(1, 1)),
             (reals(3, 2), reals(2, 2, 2)), (reals(2, 0, 3), reals(2, 3, 1)),
             call(reals(2, 3, 2), reals(3, 2), transpose_a=True)],
        ),
        Sample(
            tf.matmul,
            [call(reals(3, 2), reals(3, 2), adjoint_a=True), call(reals(2, 3), reals(2, 3), adjoint_b=True),
             call(reals(3, 2), reals(2, 3), adjoint_a=True, adjoint_b=True)],
            name="matmul(adjoint)", dtypes=("complex128", "complex64", "float64"),
        ),
        Sample(tf.linalg.matvec, [(reals(2, 3), reals(3)), (reals(2, 2, 3), reals(2, 3)),
               call(reals(3, 2), reals(3), transpose_a=True)]),
        Sample(
            tf.tensordot,
            [call(reals(2, 3), reals(3, 2), 1), call(reals(2, 3), reals(2, 3), axes=2),
             call(reals(2, 3), reals(2, 3), axes=[[1], [1]]), call(reals(2), reals(3), 0),
             call(reals(2, 3, 2), reals(2, 3), axes=[[0, 1], [0, 1]])],
        ),
        *[
            Sample(
                lambda tf, *xs, equation=equation: tf.einsum(equation, *xs),
                [tuple(reals(*shape) for shape in shapes)],
                name=f"tf.einsum[{equation}|{' '.join(map(str, shapes))}]",
                dtypes=FLOATS if number == 0 else ("float32", "complex64"),
            )
            for number, (equation, shapes) in enumerate(einsums)
        ],
        Sample(tf.linalg.cross, [(reals(2, 3), reals(2, 3))]),
        Sample(tf.linalg.trace, [reals(3, 3), reals(2, 2, 3)]),
        Sample(tf.linalg.adjoint, [reals(2, 3), reals(2, 2, 3)]),
    ]  # fmt: skip


def _diagonals(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.linalg.diag,
            [call(reals(3)), call(reals(2, 3)), call(reals(2), k=1), call(reals(2), k=-1),
             call(reals(2, 3), k=(0, 1)), call(reals(3), num_rows=3, num_cols=4, padding_value=2.0),
             call(reals(0))],
        ),
        Sample(
            tf.linalg.diag_part,
            [call(reals(3, 3)), call(reals(2, 2, 3)), call(reals(3, 4), k=1), call(reals(3, 3), k=(-1, 1)),
             call(reals(3, 2), k=(-1, 0), padding_value=1.0, align="LEFT_RIGHT")],
        ),
        Sample(tf.linalg.set_diag, [call(reals(3, 3), reals(3)), call(reals(2, 3, 3), reals(2, 2), k=1)]),
        Sample(tf.linalg.tensor_diag, [reals(3), reals(2, 2)]),
        Sample(tf.linalg.tensor_diag_part, [reals(3, 3), reals(2, 2, 2, 2)]),
        Sample(tf.linalg.band_part, [call(reals(3, 4), 1, 0), call(reals(2, 3, 3), -1, 0),
               call(reals(3, 3), 0, -1)]),
    ]  # fmt: skip


def _solving(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.linalg.solve,
            [call(invertible(3, 3), reals(3, 2)), call(invertible(2, 2, 2), reals(2, 2, 1)),
             call(invertible(3, 3), reals(3, 1), adjoint=True)],
            dtypes=FLOATS,
            at=[at(([[1.0, 1.0], [1.0, 1.0]], [[1.0], [2.0]]))],
        ),
        Sample(
            tf.linalg.triangular_solve,
            [call(triangular(3, 3), reals(3, 2)), call(triangular(2, 2, 2), reals(2, 2, 1)),
             call(triangular(3, 3), reals(3, 1), adjoint=True)],
            dtypes=FLOATS,
        ),
        Sample(
            tf.linalg.inv,
            [call(invertible(3, 3)), call(invertible(2, 2, 2)), call(invertible(2, 2), adjoint=True)],
            dtypes=FLOATS,
            at=[at([[1.0, 1.0], [1.0, 1.0]])],
        ),
        Sample(
            tf.linalg.det,
            [invertible(3, 3), invertible(2, 2, 2), invertible(1, 1)],
            dtypes=FLOATS,
            complex_differs="TensorFlow forgets to conjugate here",
            at=[
                at([[1.0, 2.0], [3.0, 4.0]], value=-2.0, gradients=([[4.0, -3.0], [-2.0, 1.0]],)),
                at(
                    [[1.0, 1.0], [1.0, 1.0]],
                    value=0.0,
                    gradients=([[1.0, -1.0], [-1.0, 1.0]],),
                    differs="TensorFlow inverts the matrix, which fails; the adjugate exists",
                ),
            ],
        ),
        Sample(tf.linalg.slogdet, [invertible(3, 3), invertible(2, 2, 2)], dtypes=FLOATS,
               complex_differs="TensorFlow leaves out the sign's part"),
        Sample(tf.linalg.logdet, [definite(3, 3)], dtypes=FLOATS, differences=_TRIANGLE),
        Sample(lambda tf, x: tf.linalg.logdet(x + tf.linalg.adjoint(x)), [definite(3, 3)],
               dtypes=FLOATS, name="logdet(x + adjoint(x))"),
        Sample(
            tf.linalg.lstsq,
            [call(reals(4, 2), reals(4, 1), l2_regularizer=0.1), call(reals(4, 2), reals(4, 1)),
             call(reals(2, 4), reals(2, 1))],
            dtypes=("float32", "float64"),
        ),
    ]  # fmt: skip


def _decompositions(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.linalg.cholesky,
            [definite(3, 3), definite(2, 2, 2), definite(1, 1)],
            dtypes=FLOATS, differences=_TRIANGLE,
        ),
        Sample(
            lambda tf, x: tf.linalg.cholesky(x + tf.linalg.adjoint(x)),
            [definite(3, 3), definite(2, 2, 2)],
            dtypes=FLOATS, name="cholesky(x + adjoint(x))",
        ),
        Sample(tf.linalg.svd, [call(distinct(3, 2), compute_uv=False), call(distinct(2, 2, 3),
               compute_uv=False)], dtypes=FLOATS, name="svd(values)"),
        # Singular vectors are free up to sign (phase): what does not depend on it is compared.
        Sample(
            lambda tf, x: _rebuilt(tf, x),
            [distinct(3, 2), distinct(2, 3), invertible(2, 2, 2)],
            dtypes=FLOATS, name="svd(rebuilt)",
        ),
        Sample(
            lambda tf, x: tf.abs(tf.linalg.svd(x)[1]),
            [distinct(3, 2), distinct(2, 3)],
            dtypes=("float32", "float64"), name="svd(|u|)",
        ),
        Sample(tf.linalg.eigvalsh, [symmetric(3, 3), symmetric(2, 2, 2)], dtypes=FLOATS),
        Sample(
            lambda tf, x: (tf.linalg.eigh(x)[0], tf.abs(tf.linalg.eigh(x)[1])),
            [symmetric(3, 3)], dtypes=("float32", "float64"), name="eigh(|v|)",
        ),
        Sample(
            lambda tf, x: tuple(tf.abs(part) for part in tf.linalg.qr(x)),
            [distinct(3, 2), invertible(2, 2)], dtypes=("float32", "float64"), name="qr(|q|, |r|)",
        ),
        Sample(
            lambda tf, x: tf.linalg.lstsq(x, tf.ones_like(x[..., :1]), fast=False),
            [call(reals(4, 2))], dtypes=("float32", "float64"), name="lstsq(slow)",
            differentiable=False,
        ),
        Sample(tf.linalg.cholesky_solve, [call(triangular(3, 3), reals(3, 2))], dtypes=FLOATS),
        Sample(tf.linalg.pinv, [call(distinct(3, 2))], dtypes=("float32", "float64")),
        Sample(tf.linalg.matrix_rank, [call(distinct(3, 2)), call(given([[1.0, 1.0], [1.0, 1.0]]))],
               dtypes=("float32", "float64"), differentiable=False),
        Sample(tf.linalg.sqrtm, [call(definite(3, 3))], dtypes=FLOATS,
               complex_differs="TensorFlow forgets to conjugate here"),
        Sample(tf.linalg.logm, [call(definite(3, 3))], dtypes=("complex64", "complex128")),
        Sample(lambda tf, x: tuple(tf.linalg.lu(x)), [invertible(3, 3)], dtypes=FLOATS,
               name="tf.linalg.lu", differentiable=False),
        Sample(lambda tf, x: tuple(tf.linalg.normalize(x, axis=1)), [reals(2, 3)],
               dtypes=("float32", "float64"), name="tf.linalg.normalize"),
        # Eigenvectors of an unsymmetric matrix are free up to a factor: their absolute values.
        Sample(lambda tf, x: tf.abs(tf.linalg.eig(x)[1]),
               [given([[2.0, 0.5], [0.25, -1.0]])], dtypes=("float32", "float64"),
               name="eig(|v|)"),
        Sample(lambda tf, x: tf.linalg.eigvals(x), [given([[2.0, 0.5], [0.25, -1.0]])],
               dtypes=("float32", "float64"), name="tf.linalg.eigvals"),
        Sample(tf.linalg.expm, [call(given([[0.1, 0.2], [0.3, -0.1]]))],
               dtypes=("float32", "float64", *COMPLEX)),
    ]  # fmt: skip


def _rebuilt(tf: Any, x: Any) -> Any:
    """u diag(s/(1+s)) v^H: a smooth function of x through all three parts."""
    s, u, v = tf.linalg.svd(x)
    middle = tf.linalg.diag(tf.cast(s / (1 + s), u.dtype))
    return u @ middle @ tf.linalg.adjoint(v)
