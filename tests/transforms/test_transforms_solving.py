"""Optimizers of SciPy, and derivatives of what an equation defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import check_gradients

ad = tf.autodiff


class Line(tf.Module):
    """Two variables of different dtypes and shapes."""

    def __init__(self) -> None:
        super().__init__()
        self.slope = tf.Variable([[0.0], [0.0]])
        self.offset = tf.Variable(0.0, dtype=tf.float64)
        self.steps = tf.Variable(0, trainable=False)


DATA = tf.constant(np.random.default_rng(0).standard_normal((30, 2)))
TARGET = DATA @ tf.constant([[2.0], [-1.0]], tf.float64) + 0.5


def loss_of(line: Line) -> Callable[[], Any]:
    def loss() -> Any:
        found = DATA @ tf.cast(line.slope, tf.float64) + line.offset
        return tf.reduce_mean(tf.cosh(found - TARGET))

    return loss


# Packing


def test_packing_and_back() -> None:
    line = Line()
    z = tf.constant([1 + 2j, 3j])
    packer = ad.Packer({"m": line, "z": z})
    assert packer.size == 7
    np.testing.assert_array_equal(packer.pack(), [0, 0, 0, 1, 2, 0, 3])
    vector = np.arange(7.0)
    parts = packer.unpack(vector)
    assert [p.dtype for p in tf.nest.flatten(parts)] == [tf.float64, tf.float32, tf.complex128]
    np.testing.assert_array_equal(parts["z"], [3 + 4j, 5 + 6j])
    np.testing.assert_array_equal(packer.pack(parts), vector)
    packer.assign(vector)
    np.testing.assert_array_equal(line.slope, [[1], [2]])
    assert float(line.offset) == 0
    np.testing.assert_array_equal(packer.pack()[:3], vector[:3])
    np.testing.assert_array_equal(packer.pack(-1), [-1, -1, -1, -1, 0, -1, 0])
    np.testing.assert_array_equal(packer.pack({"m": [1, 2.0], "z": z})[:3], [1, 2, 2])
    with packer.holding(vector * 2):
        np.testing.assert_array_equal(line.slope, [[2], [4]])
    np.testing.assert_array_equal(line.slope, [[1], [2]])


BAD_PACKS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: ad.Packer(3), TypeError, "holds int32 numbers"),
    (lambda: ad.Packer(tf.Variable(1)), TypeError, "holds int32 numbers"),
    (lambda: ad.Packer(tf.Module()), ValueError, "no trainable variables"),
    (lambda: ad.Packer([v := tf.Variable(1.0), v]), ValueError, "there twice"),
    (lambda: ad.Packer(Line()).assign([1.0, 2.0]), ValueError, r"vector of 3 numbers.*\[2\]"),
    (lambda: ad.Packer(Line()).unpack([[1.0, 2.0, 3.0]]), ValueError, r"shape \[1, 3\]"),
    (lambda: ad.Packer(Line()).pack([1.0]), ValueError, "must have the structure"),
    (lambda: ad.Objective(3), TypeError, "takes a function"),
    (lambda: ad.Objective(tf.sin, 3.0), TypeError, r"also where it has one: \(x,\)"),
    (lambda: ad.minimize(tf.sin, [0.0], jac=True), TypeError, "leave out jac"),
    (lambda: ad.minimize(tf.sin, [0.0], method="no such"), ValueError, "(?i)unknown solver"),
    (lambda: ad.minimize(lambda x: [x], [0.0]), TypeError, "must return one real number"),
    (lambda: ad.implicit_root(3, 1.0), TypeError, "takes a function"),
    (lambda: ad.implicit_root(tf.sin, 1), TypeError, "consists of floating tensors"),
    (lambda: ad.implicit_root(tf.sin, 3.0, solver="lu"), ValueError, "one of auto, dense"),
    (lambda: ad.implicit_root(lambda x: [x, x], 0.0), ValueError, "must return what the solution"),
    (lambda: ad.implicit_root(tf.sin, 3.0, tolerance=0.1), ValueError, "misses it by 0.141"),
    (lambda: ad.implicit_root(tf.sin, np.nan, tolerance=1.0), ValueError, "misses it by nan"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD_PACKS, ids=range(len(BAD_PACKS)))
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_vector_that_does_not_fit_changes_nothing() -> None:
    line = Line()
    with pytest.raises(ValueError, match="vector of 3"):
        ad.Packer(line).assign([1.0])
    np.testing.assert_array_equal(line.slope, [[0], [0]])


# Minimizing

METHODS = (
    "L-BFGS-B BFGS CG Newton-CG trust-ncg trust-krylov trust-exact dogleg trust-constr SLSQP TNC "
    "Nelder-Mead Powell COBYLA"
).split()


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")
@pytest.mark.parametrize("method", METHODS)
def test_methods_of_scipy(method: str) -> None:
    line = Line()
    result = ad.minimize(loss_of(line), wrt=line, method=method)
    np.testing.assert_allclose(line.slope, [[2], [-1]], atol=2e-2)
    np.testing.assert_allclose(line.offset, 0.5, atol=2e-2)
    np.testing.assert_array_equal(result.solution[0], line.offset)
    assert int(line.steps) == 0


def test_derivatives_of_objectives() -> None:
    line = Line()
    objective = ad.Objective(loss_of(line), wrt=line)
    x, d = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 2.0])
    value, slope = objective.value_and_gradient(x)
    assert slope.dtype == np.float64
    step = 1e-3
    ends = [objective.value(x + way * step * d) for way in (1, -1)]
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * step), slope @ d, rtol=1e-3)
    slopes = [objective.value_and_gradient(x + way * step * d)[1] for way in (1, -1)]
    product = objective.hessian_product(x, d)
    np.testing.assert_allclose((slopes[0] - slopes[1]) / (2 * step), product, rtol=1e-3)
    matrix = objective.hessian(x)
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-5)
    np.testing.assert_allclose(matrix @ d, product, rtol=1e-5)
    np.testing.assert_array_equal(line.slope, [[0], [0]])
    assert objective.value(x) == pytest.approx(value)


def test_arguments_and_variables_together() -> None:
    shift = tf.Variable(1.0, dtype=tf.float64)

    def distance(p: Any, scale: float) -> Any:
        return tf.reduce_sum((p["x"] - 3.0) ** 2) * scale + (shift - p["x"][0]) ** 2

    start = {"x": tf.zeros(2, tf.float64)}
    result = ad.minimize(distance, (start, 2.0), wrt=(0, shift), method="trust-ncg", tol=1e-10)
    np.testing.assert_allclose(result.solution[0]["x"], [3, 3], atol=1e-6)
    np.testing.assert_allclose(shift, 3, atol=1e-6)
    np.testing.assert_array_equal(start["x"], [0, 0])


def test_complex_variables() -> None:
    z = tf.Variable(0j)
    ad.minimize(lambda: tf.abs(z - (1 + 2j)) ** 2, wrt=z)
    np.testing.assert_allclose(z, 1 + 2j, atol=1e-5)


def test_bounds_are_vectors_of_the_packer() -> None:
    line = Line()
    packer = ad.Packer(line)
    bounds = np.stack([packer.pack(-1.0), packer.pack(1.0)], 1)
    ad.minimize(loss_of(line), wrt=line, bounds=bounds)
    assert float(line.slope[0, 0]) == 1.0


@pytest.mark.parametrize("when", [1, 4])
def test_an_error_restores_all_variables(when: int) -> None:
    line = Line()
    calls = []

    def failing() -> Any:
        calls.append(1)
        if len(calls) == when:
            raise KeyboardInterrupt
        return loss_of(line)()

    with pytest.raises(KeyboardInterrupt):
        ad.minimize(failing, wrt=line)
    np.testing.assert_array_equal(line.slope, [[0], [0]])
    assert float(line.offset) == 0


# Equations

SOLVERS = ["dense", "matrix_free"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_square_root_to_any_order(solver: str) -> None:
    def root(a: Any) -> Any:
        return ad.implicit_root(lambda x, a: x * x - a, tf.sqrt, a, solver=solver)

    a = tf.constant(2.0, tf.float64)
    derivative, expected = root, tf.sqrt
    for _ in range(4):
        derivative, expected = ad.grad(derivative), ad.grad(expected)
        np.testing.assert_allclose(derivative(a), expected(a), rtol=1e-9)
    np.testing.assert_allclose(ad.jvp(ad.grad(root), (a,), (1.0,))[1], ad.grad(ad.grad(tf.sqrt))(a))
    np.testing.assert_allclose(ad.jacfwd(ad.jacfwd(root))(a), ad.grad(ad.grad(tf.sqrt))(a))


def contraction(x: Any, w: Any, b: Any) -> Any:
    u = tf.tanh(tf.linalg.matvec(w, x["u"]) + b) * x["s"]
    return {"u": u, "s": 0.3 * tf.reduce_sum(x["u"]) + 1.0}


def iterate(w: Any, b: Any) -> Any:
    x = {"u": tf.zeros_like(b), "s": tf.zeros((), b.dtype)}
    for _ in range(200):
        x = contraction(x, w, b)
    return x


@pytest.mark.parametrize("solver", SOLVERS)
def test_fixed_points_of_nests_in_all_nestings(solver: str) -> None:
    random = np.random.default_rng(0)
    w, b = 0.2 * random.standard_normal((3, 3)), random.standard_normal(3)

    def solve(w: Any, b: Any) -> Any:
        return ad.implicit_fixed_point(contraction, iterate, w, b, solver=solver, tolerance=1e-12)

    check_gradients(solve, (w, b), order=2)
    by_loop = ad.grad(lambda b: iterate(tf.constant(w), b)["s"])(tf.constant(b))
    np.testing.assert_allclose(
        ad.grad(lambda b: solve(w, b)["s"])(tf.constant(b)), by_loop, rtol=1e-9
    )


def test_variables_that_the_equation_reads() -> None:
    a = tf.Variable(3.0, dtype=tf.float64)

    def root() -> Any:
        return ad.implicit_root(lambda x: x**3 - a, tf.constant(3.0 ** (1 / 3), tf.float64))

    np.testing.assert_allclose(ad.grad(root, wrt=a)(), 3.0 ** (-2 / 3) / 3)
    np.testing.assert_allclose(ad.hessian(root, wrt=a)(), -2 / 9 * 3.0 ** (-5 / 3))


def test_many_unknowns_without_a_matrix() -> None:
    count = 2000

    def laplace(x: Any, f: Any) -> Any:
        return 3.0 * x - tf.roll(x, 1, 0) - tf.roll(x, -1, 0) - f

    f = tf.ones(count, tf.float64)
    slope = ad.grad(lambda f: tf.reduce_sum(ad.implicit_root(laplace, tf.ones_like(f), f)))(f)
    np.testing.assert_allclose(slope, np.ones(count), rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_equation_without_a_unique_root_says_so(solver: str) -> None:
    def flat(a: Any) -> Any:
        def equations(x: Any, a: Any) -> Any:
            return (tf.reduce_sum(x) - a) * tf.constant([1.0, 2.0], tf.float64)

        return ad.implicit_root(equations, tf.zeros(2, tf.float64), a, solver=solver)[0]

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?i)not invertible|no inverse"):
        ad.grad(flat)(tf.constant(0.0, tf.float64))


def test_the_search_for_the_solution_is_not_recorded() -> None:
    a = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        x = ad.implicit_root(lambda x, a: x * x - a, tf.sqrt, a)
        assert len(tape._tape) == 1
    np.testing.assert_allclose(tape.gradient(x, a), 0.5 / np.sqrt(2.0), rtol=1e-6)
