"""Matrices beyond the table of samples: complex gradients, flags, batches, singular input, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import assert_close, check_gradient

inf, nan = float("inf"), float("nan")


def normal(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=shape)


def complex_normal(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return normal(*shape, seed=seed) + 1j * normal(*shape, seed=seed + 1)


def gradient(function: Any, *values: Any) -> list[Any]:
    tensors = [tf.constant(x) for x in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    return tape.gradient(y, tensors)


# Products


@pytest.mark.parametrize("kind", [normal, complex_normal])
@pytest.mark.parametrize("first", ["", "transpose", "adjoint"])
@pytest.mark.parametrize("second", ["", "transpose", "adjoint"])
@pytest.mark.parametrize(
    "batches", [((), ()), ((2,), (2,)), ((2,), ()), ((), (2,)), ((2, 1), (3,))]
)
def test_matmul_with_every_flag(kind: Any, first: str, second: str, batches: Any) -> None:
    sizes_a = (4, 2) if first else (2, 4)
    sizes_b = (3, 4) if second else (4, 3)
    a, b = kind(*batches[0], *sizes_a), kind(*batches[1], *sizes_b, seed=5)
    flags = {f"{flag}_{name}": True for flag, name in ((first, "a"), (second, "b")) if flag}

    def turned(x: Any, flag: str) -> Any:
        x = x.swapaxes(-1, -2) if flag else x
        return x.conj() if flag == "adjoint" else x

    assert_close(tf.matmul(a, b, **flags), turned(a, first) @ turned(b, second))
    check_gradient(lambda a, b: tf.matmul(a, b, **flags), a, b, order=2)


def test_matmul_of_half_precision_accumulates_in_single() -> None:
    a = tf.fill([1, 4096], tf.constant(0.1, tf.float16))
    product = tf.matmul(a, a, transpose_b=True)
    assert float(product[0, 0]) == pytest.approx(40.94, rel=1e-3)


def test_matmul_gradient_keeps_no_copy_of_a_transpose() -> None:
    a, b = tf.constant(normal(3, 4)), tf.constant(normal(5, 4))
    (by_a, by_b) = gradient(lambda a, b: tf.matmul(a, b, transpose_b=True), a, b)
    assert by_a.shape == [3, 4]
    assert by_b.shape == [5, 4]


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1.0, 2.0], [[1.0], [2.0]], r"In\[0\] ndims must be >= 2.*\[2\]"),
        ([[1.0, 2.0]], [1.0, 2.0], r"In\[1\] ndims must be >= 2"),
        ([[1.0, 2.0]], 2.0, r"In\[1\] ndims must be >= 2"),
        ([[1.0, 2.0]], [[1.0, 2.0]], r"In\[0\]: \[1, 2\], In\[1\]: \[1, 2\]"),
        (np.ones([2, 3, 4]), np.ones([3, 4, 5]), r"\[2, 3, 4\] vs. \[3, 4, 5\]"),
    ],
)
def test_matmul_refuses(a: Any, b: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.matmul(a, b)


def test_matmul_refuses_contradicting_flags() -> None:
    with pytest.raises(ValueError, match="Only one of transpose_a and adjoint_a"):
        tf.matmul([[1.0]], [[1.0]], transpose_a=True, adjoint_a=True)


def test_matmul_operator_takes_lists_on_both_sides() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert ([[1, 1]] @ x).numpy().tolist() == [[4.0, 6.0]]
    assert (x @ [[1], [1]]).numpy().tolist() == [[3.0], [7.0]]
    assert (np.ones([1, 2]) @ x).dtype == tf.float32


@pytest.mark.parametrize(
    "axes", [0, 1, 2, [[0], [1]], [[0, 1], [1, 0]], [[-1], [0]], [1, 0], [[], []]]
)
def test_tensordot(axes: Any) -> None:
    a, b = normal(3, 3, 3), normal(3, 3, seed=1)
    assert_close(tf.tensordot(a, b, axes), np.tensordot(a, b, axes))
    check_gradient(lambda a, b: tf.tensordot(a, b, axes), a, b, order=2)


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    (" i j , j k ", (2, 3), (3, 4)),
    ("ii->", (3, 3)),
    ("ijj->i", (2, 3, 3)),
    ("iji->j", (2, 3, 2)),
    ("iii->i", (2, 2, 2)),
    ("iij,jk->ik", (2, 2, 3), (3, 4)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
    ("i...,i...->...", (2, 3, 1), (2, 4)),
    ("...ii->...i", (2, 3, 3)),
    ("i...i->...", (2, 3, 2)),
    ("a...b->b...a", (2, 3, 4)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("abc,cd,bd->a", (2, 3, 4), (4, 5), (3, 5)),
    (",->", (), ()),
    ("i,->i", (3,), ()),
    ("bijk,bil->bljk", (2, 3, 2, 2), (2, 3, 4)),
    ("ab,bA,aB->AB", (2, 3), (3, 4), (2, 5)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    ("ij,ik->jk", (0, 3), (0, 4)),
]


@pytest.mark.parametrize(("equation", "shapes"), [(e, s) for e, *s in EQUATIONS])
def test_einsum(equation: str, shapes: Any) -> None:
    arrays = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    result = tf.einsum(equation, *[tf.constant(x) for x in arrays])
    assert_close(result, np.einsum(equation, *arrays))
    if all(x.size for x in arrays):
        check_gradient(lambda *xs: tf.einsum(equation, *xs), *arrays, order=2)
    else:
        found = gradient(lambda *xs: tf.einsum(equation, *xs), *arrays)
        assert [g.shape for g in found] == [list(shape) for shape in shapes]
        assert all(not g.numpy().any() for g in found)


def test_einsum_of_complex_numbers() -> None:
    arrays = [complex_normal(2, 3), complex_normal(3, 2, seed=3)]
    check_gradient(lambda x, y: tf.einsum("ij,jk->ki", x, y), *arrays, order=2)


@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("i->ii", [(3,)], "more than once"),
        ("ij,jk->kq", [(2, 3), (3, 4)], "label q not present"),
        ("ij,jk->ik", [(2, 3)], "Got 1 inputs"),
        ("i->i", [], "Got 0 inputs"),
        ("ij->i1", [(2, 3)], "incorrect format"),
        ("..i->i", [(2, 3)], "incorrect format"),
        ("ij->ij->ij", [(2, 3)], "incorrect format"),
    ],
)
def test_einsum_refuses_equations(equation: str, shapes: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tf.einsum(equation, *[tf.ones(shape) for shape in shapes])


@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("ij,jk->ik", [(2, 3), (4, 4)], "two sizes"),
        ("ij,ij->ij", [(2, 3), (1, 3)], "two sizes"),
        ("ij->i", [(2,)], "rank 2 but got: 1"),
        ("...->", [(2, 3)], "no ellipsis"),
        ("...ij->...", [(2,)], "rank at least 2"),
        ("...,...->...", [(2,), (3,)], "two sizes"),
    ],
)
def test_einsum_refuses_shapes(equation: str, shapes: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.einsum(equation, *[tf.ones(shape) for shape in shapes])


# Diagonals


@pytest.mark.parametrize("align", ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"])
@pytest.mark.parametrize("k", [0, 1, -2, (-1, 1), (0, 2), (-2, -1), (1, 3), (-2, 3)])
@pytest.mark.parametrize("shape", [(3, 4), (2, 4, 3)])
def test_diagonals_come_back_to_their_places(align: str, k: Any, shape: Any) -> None:
    if shape[-1] == 3 and np.max(k) > 2:
        k = (k[0], 2)
    x = normal(*shape)
    band = tf.linalg.diag_part(x, k=k, align=align)
    again = tf.linalg.set_diag(tf.zeros_like(x), band, k=k, align=align)
    lower, upper = np.min(k), np.max(k)
    expected = np.triu(np.tril(x, upper), lower)
    assert_close(again, expected)
    made = tf.linalg.diag(band, k=k, num_rows=shape[-2], num_cols=shape[-1], align=align)
    assert_close(made, expected)
    check_gradient(lambda x: tf.linalg.diag_part(x, k=k, align=align), x)
    check_gradient(lambda x, band: tf.linalg.set_diag(x, band, k=k, align=align), x, band.numpy())


def test_padding_of_diagonals() -> None:
    made = tf.linalg.diag([1, 2], k=1, padding_value=9)
    assert made.numpy().tolist() == [[9, 1, 9], [9, 9, 2], [9, 9, 9]]
    band = tf.linalg.diag_part([[1, 2], [3, 4]], k=(0, 1), padding_value=7)
    assert band.numpy().tolist() == [[7, 2], [1, 4]]
    assert tf.linalg.diag([True, False]).numpy().tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.linalg.diag(1.0),
        lambda: tf.linalg.diag([1.0], k=(1, 0)),
        lambda: tf.linalg.diag([1.0], k=(0, 1, 2)),
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=1),
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=5, num_cols=5),
        lambda: tf.linalg.diag([[1.0, 2.0]], k=(-1, 0)),
        lambda: tf.linalg.diag([1.0], align="X"),
        lambda: tf.linalg.diag_part([1.0]),
        lambda: tf.linalg.diag_part(tf.ones([3, 4]), k=4),
        lambda: tf.linalg.diag_part(tf.ones([3, 4]), k=2**40),
        lambda: tf.linalg.set_diag(tf.ones([3, 4]), [1.0, 2.0]),
        lambda: tf.linalg.set_diag(tf.ones([2, 3, 4]), [1.0, 2.0, 3.0]),
        lambda: tf.linalg.band_part(tf.ones([3]), 0, 0),
        lambda: tf.linalg.band_part(tf.ones([3, 3]), 4, 0),
        lambda: tf.linalg.trace([1.0]),
        lambda: tf.linalg.tensor_diag(1.0),
        lambda: tf.linalg.tensor_diag_part(tf.ones([2, 3])),
        lambda: tf.linalg.cross(tf.ones([2, 3]), tf.ones([3])),
    ],
)
def test_diagonals_refuse(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


# Norms


@pytest.mark.parametrize("order", ["euclidean", 1, 2, 3, 2.5, 0.5, inf])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_vector_norms(order: Any, axis: Any) -> None:
    x = normal(3, 4)
    plain = 2 if order == "euclidean" else order
    expected = np.linalg.norm(x.ravel() if axis is None else x, plain, axis)
    assert_close(tf.norm(x, ord=order, axis=axis), expected)
    check_gradient(lambda x: tf.norm(x, ord=order, axis=axis), x, order=2)


@pytest.mark.parametrize("order", ["euclidean", "fro", 1, 2, inf])
@pytest.mark.parametrize("axis", [(0, 1), (-1, 0), (1, 2)])
def test_matrix_norms(order: Any, axis: Any) -> None:
    x = normal(3, 4, 2)
    plain = "fro" if order == "euclidean" else order
    assert_close(tf.norm(x, ord=order, axis=axis), np.linalg.norm(x, plain, axis))
    kept = tf.norm(x, ord=order, axis=axis, keepdims=True)
    assert kept.shape == np.linalg.norm(x, plain, axis, keepdims=True).shape
    check_gradient(lambda x: tf.norm(x, ord=order, axis=axis), x)


@pytest.mark.parametrize("order", ["euclidean", 1, 3, 0.5, inf])
@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_norms_of_the_tiny_and_the_huge(order: Any, size: float) -> None:
    x = tf.constant([3.0 * size, -4.0 * size])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.norm(x, ord=order)
    plain = 2 if order == "euclidean" else order
    one = np.array([3.0, -4.0])
    assert float(y) == pytest.approx(size * np.linalg.norm(one, plain), rel=1e-6)
    expected = gradient(lambda x: tf.norm(x, ord=order), one)[0]
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-5)


@pytest.mark.parametrize("order", [0.25, 0.5, 0.9])
def test_norms_of_the_small_beside_the_huge(order: float) -> None:
    """The gradient at a small number is large where the order is below 1, but fits float32."""
    x = np.array([1e30, 1.0, 3.0])
    found = gradient(lambda x: tf.norm(x, ord=order), x.astype(np.float32))[0]
    np.testing.assert_allclose(found, (x / np.linalg.norm(x, order)) ** (order - 1), rtol=1e-5)


@pytest.mark.parametrize("order", ["euclidean", 1, 3, 0.5])
def test_norms_of_zero_have_gradient_zero(order: Any) -> None:
    assert gradient(lambda x: tf.norm(x, ord=order), [0.0, 0.0])[0].numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "arguments",
    [{"ord": "fro"}, {"ord": 0}, {"ord": -1}, {"ord": "x"}, {"axis": [0, 0]}, {"axis": [0, 1, 2]},
     {"ord": 3, "axis": [0, 1]}, {"ord": -inf, "axis": 0}],
)  # fmt: skip
def test_norm_refuses(arguments: Any) -> None:
    with pytest.raises(ValueError, match=r"'ord' must be|'axis' must be"):
        tf.norm([[1.0, 2.0], [3.0, 4.0]], **arguments)


# Solving and factorising


def hermitian(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x @ x.conj().swapaxes(-1, -2) + 2 * np.eye(x.shape[-1])


@pytest.mark.parametrize("kind", [normal, complex_normal])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
@pytest.mark.parametrize("flag", [False, True])
def test_solvers(kind: Any, shape: Any, flag: bool) -> None:
    a = kind(*shape) + 3 * np.eye(3)
    b = kind(*shape[:-2], 3, 2, seed=9)
    turned = a.conj().swapaxes(-1, -2) if flag else a
    assert_close(tf.linalg.solve(a, b, adjoint=flag), np.linalg.solve(turned, b))
    check_gradient(lambda a, b: tf.linalg.solve(a, b, adjoint=flag), a, b, order=2)
    assert_close(tf.linalg.inv(a, adjoint=flag), np.linalg.inv(turned))
    check_gradient(lambda a: tf.linalg.inv(a, adjoint=flag), a, order=2)
    for lower in (False, True):
        triangle = np.tril(a) if lower else np.triu(a)
        turned = triangle.conj().swapaxes(-1, -2) if flag else triangle
        found = tf.linalg.triangular_solve(a, b, lower=lower, adjoint=flag)
        assert_close(found, np.linalg.solve(turned, b))
        check_gradient(
            lambda a, b, lower=lower: tf.linalg.triangular_solve(a, b, lower=lower, adjoint=flag),
            a, b, order=2,
        )  # fmt: skip


@pytest.mark.parametrize("kind", [normal, complex_normal])
def test_determinants(kind: Any) -> None:
    a = kind(2, 3, 3)
    assert_close(tf.linalg.det(a), np.linalg.det(a))
    check_gradient(tf.linalg.det, a, order=2)
    check_gradient(lambda a: tuple(tf.linalg.slogdet(a)), a, order=2)
    check_gradient(lambda a: tf.math.real(tf.linalg.logdet(hermitian_of(a))), a)


def hermitian_of(a: Any) -> Any:
    return tf.matmul(a, a, adjoint_b=True) + 2 * tf.eye(3, dtype=a.dtype)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, 1.0], [1.0, 1.0]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [[5.0]],
    ],
)
def test_determinants_of_singular_matrices_are_differentiable_twice(matrix: Any) -> None:
    check_gradient(tf.linalg.det, matrix, order=2)


@pytest.mark.parametrize(
    "matrix",
    [
        normal(3, 3),
        complex_normal(3, 3),
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
        [[2.0, 1.0], [1.0, 2.0]],
        [[5.0]],
    ],
)
def test_determinants_have_third_derivatives(matrix: Any) -> None:
    def slope(a: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(a)
            determinant = tf.linalg.det(a)
        return tape.gradient(determinant, a)

    check_gradient(slope, matrix, order=2)


def test_gradient_of_a_singular_determinant_is_the_adjugate() -> None:
    (found,) = gradient(tf.linalg.det, [[1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(found, [[1.0, -1.0], [-1.0, 1.0]], rtol=1e-6)


@pytest.mark.parametrize("kind", [normal, complex_normal])
def test_cholesky(kind: Any) -> None:
    a = kind(2, 3, 3)
    check_gradient(lambda a: tf.linalg.cholesky(hermitian_of(a)), a, order=2)


def test_cholesky_of_what_is_not_positive_definite_is_nan_for_that_one_alone() -> None:
    factors = tf.linalg.cholesky([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 0.0], [0.0, 9.0]]]).numpy()
    assert np.isnan(factors[0][np.tril_indices(2)]).all()
    assert factors[0][0, 1] == 0
    assert factors[1].tolist() == [[2.0, 0.0], [0.0, 3.0]]


@pytest.mark.parametrize("kind", [normal, complex_normal])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3), (2, 4), (2, 3, 5)])
def test_qr(kind: Any, shape: Any) -> None:
    a = kind(*shape)
    q, r = tf.linalg.qr(a)
    assert_close(tf.matmul(q, r), a)
    check_gradient(lambda a: tuple(tf.linalg.qr(a)), a, order=2)


@pytest.mark.parametrize("kind", [normal, complex_normal])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3), (2, 4), (2, 2, 5)])
def test_svd(kind: Any, shape: Any) -> None:
    a = kind(*shape)
    s, u, v = tf.linalg.svd(a)
    scaled = u * tf.cast(s, u.dtype)[..., None, :]
    assert_close(tf.matmul(scaled, v, adjoint_b=True), a)
    check_gradient(lambda a: tf.linalg.svd(a, compute_uv=False), a, order=2)
    count = min(shape[-2:])
    weights = tf.constant(normal(count), u.dtype)

    def invariant(a: Any) -> Any:
        # Vectors are determined up to a sign, or a phase: only such products mean something.
        s, u, v = tf.linalg.svd(a)
        uv = tf.matmul(u * weights, v, adjoint_b=True)
        return s, uv, tf.matmul(u * weights, u, adjoint_b=True)

    check_gradient(invariant, a)


@pytest.mark.parametrize("kind", [normal, complex_normal])
def test_eigh(kind: Any) -> None:
    a = kind(2, 3, 3)
    weights = tf.constant([1.0, 2.0, 4.0], tf.as_dtype(a.dtype))

    def symmetric(a: Any) -> Any:
        return a + tf.linalg.adjoint(a)

    def invariant(a: Any) -> Any:
        e, v = tf.linalg.eigh(symmetric(a))
        return e, tf.matmul(v * weights, v, adjoint_b=True)

    check_gradient(invariant, a)
    check_gradient(lambda a: tf.linalg.eigvalsh(symmetric(a)), a, order=2)


@pytest.mark.parametrize("kind", [normal, complex_normal])
def test_eig(kind: Any) -> None:
    a = kind(2, 3, 3)
    check_gradient(lambda a: tf.reduce_sum(tf.linalg.eigvals(a) ** 3), a)

    def invariant(a: Any) -> Any:
        e, v = tf.linalg.eig(a)
        return tf.matmul(v * tf.exp(e)[..., None, :], tf.linalg.inv(v)), tf.abs(v[..., 0, :])

    check_gradient(invariant, a)


def test_equal_singular_and_eigen_values_give_finite_gradients() -> None:
    assert np.isfinite(gradient(lambda a: tf.linalg.eigh(a)[1], np.eye(3))[0]).all()
    assert np.isfinite(gradient(lambda a: tf.linalg.svd(a)[1], np.eye(3))[0]).all()
    found = gradient(lambda a: tf.linalg.svd(a, compute_uv=False), np.eye(3))[0]
    np.testing.assert_allclose(found, np.eye(3))


@pytest.mark.parametrize("kind", [normal, complex_normal])
def test_functions_of_matrices(kind: Any) -> None:
    a = kind(2, 3, 3)
    check_gradient(tf.linalg.expm, a, order=2)
    check_gradient(lambda a: tf.linalg.sqrtm(hermitian_of(a)), a)
    if kind is complex_normal:
        check_gradient(lambda a: tf.linalg.logm(hermitian_of(a)), a)


def test_least_squares_and_pseudo_inverses() -> None:
    for shape in ((4, 3), (3, 4), (2, 3, 3)):
        a, b = normal(*shape), normal(*shape[:-1], 2, seed=4)
        check_gradient(lambda a, b: tf.linalg.lstsq(a, b, l2_regularizer=0.5), a, b, order=2)
        assert_close(tf.linalg.lstsq(a, b, fast=False), np.linalg.pinv(a) @ b, rtol=1e-9)
        check_gradient(tf.linalg.pinv, a)
        assert int(tf.reduce_min(tf.linalg.matrix_rank(a))) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]]), "not invertible"),
        (lambda: tf.linalg.solve(tf.ones([2, 2]), tf.ones([2, 1])), "not invertible"),
        (lambda: tf.linalg.solve(tf.eye(2), tf.ones([2])), "same rank"),
        (lambda: tf.linalg.solve(tf.eye(2), tf.ones([3, 1])), "incompatible"),
        (lambda: tf.linalg.solve(tf.ones([2, 3]), tf.ones([2, 1])), "square"),
        (lambda: tf.linalg.det(tf.ones([2, 3])), "square"),
        (lambda: tf.linalg.cholesky([1.0]), "rank >= 2"),
        (lambda: tf.linalg.svd([1.0]), "rank >= 2"),
        (lambda: tf.linalg.qr(1.0), "rank >= 2"),
        (lambda: tf.linalg.eigh([[nan, 1.0], [1.0, 0.0]]), "not successful"),
        (lambda: tf.linalg.eig([[nan, 1.0], [1.0, 0.0]]), "not successful"),
        (lambda: tf.linalg.triangular_solve(tf.eye(2), [1.0, 2.0]), "ndims"),
        (lambda: tf.linalg.triangular_solve(tf.ones([2, 3]), tf.ones([3, 1])), "square"),
        (lambda: tf.linalg.lu([[1.0, 1.0], [1.0, 1.0]]), "not invertible"),
        (lambda: tf.linalg.inv([[1, 2], [3, 4]]), "int32"),
    ],
)
def test_solvers_refuse(call: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        call()


def test_large_triangles_agree_with_small_ones() -> None:
    a, b = np.tril(normal(300, 300)) / 20 + 3 * np.eye(300), normal(300, 2, seed=1)
    for lower, flag in ((True, False), (True, True), (False, False), (False, True)):
        matrix = a if lower else a.T
        turned = matrix.T if flag else matrix
        found = tf.linalg.triangular_solve(matrix, b, lower=lower, adjoint=flag)
        assert_close(found, np.linalg.solve(turned, b))


def test_a_singular_triangle_gives_infinity() -> None:
    found = tf.linalg.triangular_solve([[0.0, 9.0], [3.0, 4.0]], [[1.0], [2.0]])
    assert found.numpy().tolist() == [[inf], [-inf]]


def test_factorisations_of_nothing() -> None:
    nothing = tf.zeros([2, 0, 0])
    assert tf.linalg.inv(nothing).shape == [2, 0, 0]
    assert tf.linalg.det(nothing).numpy().tolist() == [1.0, 1.0]
    assert gradient(tf.linalg.det, nothing)[0].shape == [2, 0, 0]
    assert tf.linalg.cholesky(nothing).shape == [2, 0, 0]
    assert tf.linalg.expm(nothing).shape == [2, 0, 0]
    assert tf.linalg.eigh(nothing)[0].shape == [2, 0]
    assert tf.linalg.svd(tf.zeros([0, 2]), full_matrices=True)[2].numpy().tolist() == [
        [1, 0],
        [0, 1],
    ]
    assert tf.linalg.solve(tf.zeros([2, 2]), tf.zeros([2, 0])).shape == [2, 0]
    assert tf.linalg.triangular_solve(tf.zeros([0, 0]), tf.zeros([0, 3])).shape == [0, 3]


def test_svd_of_nan_is_nan_for_that_matrix_alone() -> None:
    s = tf.linalg.svd([[[nan, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]], compute_uv=False)
    assert np.isnan(s[0]).all()
    np.testing.assert_allclose(s[1], [2.0, 1.0], rtol=1e-6)


def test_gradients_that_are_not_determined_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="full_matrices=True"):
        gradient(lambda a: tf.linalg.qr(a, full_matrices=True)[0], normal(4, 2))
    with pytest.raises(NotImplementedError, match="full_matrices=True"):
        gradient(lambda a: tf.linalg.svd(a, full_matrices=True)[1], normal(4, 2))


@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_weight_of_least_squares_in_double_precision(shape: tuple[int, int]) -> None:
    """A Python number is taken as it is, and not by way of float32."""
    random = np.random.default_rng(3)
    a, b = random.normal(size=shape), random.normal(size=(shape[0], 1))
    found = tf.linalg.lstsq(a, b, l2_regularizer=0.1).numpy()
    expected = np.linalg.solve(a.T @ a + 0.1 * np.eye(shape[1]), a.T @ b)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 1), (2, 3, 2)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients_of_all_singular_vectors(shape: tuple[int, ...], dtype: str) -> None:
    """One vector beyond the singular values is determined, but for its sign or phase."""
    random = np.random.default_rng(5)
    weights = random.normal(size=(2, 3, 3))

    def measure(x: Any) -> Any:
        s, u, v = tf.linalg.svd(x, full_matrices=True)
        parts = [tf.reduce_sum(s**3)]
        for vectors, weight in zip((u, v), weights, strict=True):
            size = vectors.shape[-1]
            mixed = tf.cast(weight[:size, :size], x.dtype) @ vectors
            parts.append(tf.reduce_sum(tf.abs(mixed) ** 2 * np.arange(1.0, size + 1)))
        return tf.add_n(parts)

    x, direction = random.normal(size=(2, *shape)).astype(dtype)
    if dtype == "complex128":
        x, direction = x + 0.5j * x[::-1], direction * (1 - 0.3j)
    slope = np.sum(np.conj(gradient(measure, x)) * direction).real
    step = 1e-6
    change = measure(x + step * direction) - measure(x - step * direction)
    np.testing.assert_allclose(slope, change / (2 * step), rtol=1e-6)
