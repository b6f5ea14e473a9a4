"""`tf.autodiff.grad` and its kin, against closed forms and each other, on nests, modules and bad input."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import check_gradients

ad = tf.autodiff
X = tf.constant([0.3, -0.7, 1.2], tf.float64)
V = tf.constant([1.0, -2.0, 0.5], tf.float64)


def close(actual: Any, expected: Any, rtol: float = 1e-9) -> None:
    tf.nest.assert_same_structure(actual, expected)
    for a, b in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rtol)


def cubes(x: Any) -> Any:
    return tf.reduce_sum(x * x * x)


def curve(x: Any) -> Any:
    """From three numbers to four."""
    return tf.stack([x[0] * x[1], tf.sin(x[2]), x[0] ** 3, tf.reduce_prod(x)])


class Affine(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(np.arange(6.0).reshape(3, 2) / 5)
        self.bias = tf.Variable([0.1, -0.2], dtype=tf.float64)

    def __call__(self, x: Any) -> Any:
        return tf.tanh(tf.linalg.matvec(self.weight, x, transpose_a=True) + self.bias)


# Gradients


def test_gradients_and_values() -> None:
    close(ad.grad(cubes)(X), 3 * X**2)
    value, slope = ad.value_and_grad(cubes)(X)
    close(value, cubes(X))
    close(slope, 3 * X**2)
    assert ad.grad(lambda x: x * x)(3.0).dtype == tf.float32
    close(ad.grad(ad.grad(ad.grad(lambda x: x**4)))(2.0), tf.constant(48.0))


def test_what_a_function_does_not_depend_on_has_zeros() -> None:
    close(ad.grad(lambda x, y: cubes(x), wrt=1)(X, V), tf.zeros(3, tf.float64))
    close(ad.grad(lambda x: 1.0)(X), tf.zeros(3, tf.float64))
    close(ad.jacrev(lambda x: tf.ones([2], tf.float64))(X), tf.zeros([2, 3], tf.float64))
    close(ad.jacfwd(lambda x: tf.ones([2], tf.float64))(X), tf.zeros([2, 3], tf.float64))
    close(ad.jvp(lambda x: tf.ones(()), (X,), (V,))[1], tf.zeros(()))
    close(ad.vjp(lambda x: tf.ones(()), X)[1](1.0), (tf.zeros(3, tf.float64),))
    close(ad.hessian(tf.reduce_sum)(X), tf.zeros([3, 3], tf.float64))
    close(ad.hvp(tf.reduce_sum, (X,), (V,)), (tf.zeros(3, tf.float64),))


def test_one_tensor_in_two_arguments_counts_as_two() -> None:
    close(ad.grad(lambda x, y: tf.reduce_sum(x * y * y))(X, X), X * X)
    close(ad.grad(lambda x, y: tf.reduce_sum(x * y * y), wrt=(0, 1))(X, X), (X * X, 2 * X * X))


WAYS: list[tuple[Any, Callable[[Any], Any]]] = [
    (0, lambda g: g["x"]),
    (-2, lambda g: g["x"]),
    (1, lambda g: g["y"]),
    ((0, 1), lambda g: (g["x"], g["y"])),
    ([1, 0, 1], lambda g: [g["y"], g["x"], g["y"]]),
    ({"first": 0, "rest": [1]}, lambda g: {"first": g["x"], "rest": [g["y"]]}),
    ("model", lambda g: g["model"]),
    ("weight", lambda g: g["model"][1]),
    (("model", 1), lambda g: (g["model"], g["y"])),
]


@pytest.mark.parametrize(("wrt", "pick"), WAYS, ids=lambda way: str(way)[:20])
def test_all_transforms_are_told_in_one_way_what_to_differentiate_by(wrt: Any, pick: Any) -> None:
    model = Affine()
    names = {"model": model, "weight": model.weight}
    wrt = tf.nest.map_structure(lambda leaf: names.get(leaf, leaf), wrt)
    y = tf.constant(2.0, tf.float64)

    def loss(x: Any, y: Any) -> Any:
        return tf.reduce_sum(model(x * y) * [1.0, 3.0]) * y

    with tf.GradientTape(persistent=True) as tape:
        tape.watch([X, y])
        value = loss(X, y)
    whole = {"x": X, "y": y, "model": list(model.trainable_variables)}
    slopes = pick({key: tape.gradient(value, sources) for key, sources in whole.items()})
    close(ad.grad(loss, wrt)(X, y), slopes)
    close(ad.value_and_grad(loss, wrt)(X, y), (value, slopes))
    close(ad.vjp(loss, X, y, wrt=wrt)[1](2.0), tf.nest.map_structure(lambda s: 2 * s, slopes))
    close(ad.jacrev(loss, wrt)(X, y), slopes)
    close(ad.jacfwd(loss, wrt)(X, y), slopes)
    ways = tf.nest.map_structure(lambda s: tf.cast(tf.range(1, 1 + tf.size(s)), s.dtype), slopes)
    ways = tf.nest.map_structure(lambda w, s: tf.reshape(w, tf.shape(s)), ways, slopes)
    flat = zip(tf.nest.flatten(ways), tf.nest.flatten(slopes), strict=True)
    change = sum(tf.reduce_sum(w * s) for w, s in flat)
    close(ad.jvp(loss, (X, y), ways, wrt=wrt)[1], change)
    close(ad.linearize(loss, X, y, wrt=wrt)[1](ways), change)
    product = ad.hvp(loss, (X, y), ways, wrt=wrt)
    close(product, ad.jvp(ad.grad(loss, wrt), (X, y), ways, wrt=wrt)[1])
    close(product, ad.linearize(ad.grad(loss, wrt), X, y, wrt=wrt)[1](ways))
    matrix = ad.hessian(loss, wrt)(X, y)
    close(matrix, ad.jacrev(ad.grad(loss, wrt), wrt)(X, y))
    rows = tf.nest.flatten(matrix)
    count = len(tf.nest.flatten(slopes))
    sums = [
        sum(
            tf.tensordot(block, way, axes=way.shape.rank)
            for block, way in zip(
                rows[i * count : (i + 1) * count], tf.nest.flatten(ways), strict=True
            )
        )
        for i in range(count)
    ]
    close(tf.nest.pack_sequence_as(slopes, sums), product)


def test_modules_and_variables_may_be_arguments() -> None:
    model = Affine()
    inner = ad.grad(lambda m, x: tf.reduce_sum(m(x)))(model, X)
    close(inner, ad.grad(lambda x: tf.reduce_sum(model(x)), wrt=model)(X))
    assert len(inner) == 2
    x = tf.Variable([1.0, 2.0])
    close(ad.grad(lambda v: tf.reduce_sum(v * x))(x), 2 * x)
    pair = ad.grad(lambda d: tf.reduce_sum(d["v"] * d["w"]))({"v": x, "w": tf.constant([3.0, 4.0])})
    close(pair, {"v": tf.constant([3.0, 4.0]), "w": tf.constant([1.0, 2.0])})


def test_argnums_is_another_word() -> None:
    def product(x: Any, y: Any) -> Any:
        return tf.reduce_sum(x * y)

    for transform in (ad.grad, ad.jacrev, ad.jacfwd):
        close(transform(product, argnums=1)(X, V), X)
        close(transform(product, argnums=(1, 0))(X, V), (X, V))
    with pytest.raises(TypeError, match="`argnums` takes positions"):
        ad.grad(product, argnums=tf.Variable(1.0))


def test_something_else_besides() -> None:
    def function(x: Any) -> Any:
        return cubes(x), {"kept": x + 1, "text": "as it is"}

    for transform in (ad.grad, ad.jacrev, ad.jacfwd):
        slope, aux = transform(function, has_aux=True)(X)
        close(slope, 3 * X**2)
        close(aux["kept"], X + 1)
        assert aux["text"] == "as it is"
    (value, aux), slope = ad.value_and_grad(function, has_aux=True)(X)
    close([value, slope], [cubes(X), 3 * X**2])
    value, push, aux = ad.linearize(function, X, has_aux=True)
    close(push(V), tf.reduce_sum(3 * X**2 * V))
    value, change, aux = ad.jvp(function, (X,), (V,), has_aux=True)
    close(change, push(V))
    value, pull, aux = ad.vjp(function, X, has_aux=True)
    close(pull(1.0), (3 * X**2,))
    matrix, aux = ad.hessian(function, has_aux=True)(X)
    close(matrix, tf.linalg.diag(6 * X))
    assert aux["text"] == "as it is"


def test_sparse_gradients_of_variables_stay_sparse() -> None:
    table = tf.Variable(np.ones((5, 2)))
    sparse = ad.grad(lambda i: tf.reduce_sum(tf.gather(table, i) ** 2), wrt=table)([1, 1])
    assert isinstance(sparse, tf.IndexedSlices)
    dense = ad.grad(lambda t: tf.reduce_sum(tf.gather(t, [1, 1]) ** 2))(tf.ones([5, 2]))
    close(dense, tf.constant([[0.0, 0.0], [4.0, 4.0]] + 3 * [[0.0, 0.0]]))
    product = ad.hvp(
        lambda i: tf.reduce_sum(tf.gather(table, i) ** 2),
        ([1],),
        tf.ones([5, 2], tf.float64),
        wrt=table,
    )
    close(product, tf.constant([[0.0, 0.0], [2.0, 2.0]] + 3 * [[0.0, 0.0]], tf.float64))


# Jacobians


def test_jacobians_agree_and_are_right() -> None:
    expected = [
        [-0.7, 0.3, 0],
        [0, 0, np.cos(1.2)],
        [3 * 0.09, 0, 0],
        [-0.7 * 1.2, 0.3 * 1.2, 0.3 * -0.7],
    ]
    close(ad.jacrev(curve)(X), expected_tensor := tf.constant(expected, tf.float64))
    close(ad.jacfwd(curve)(X), expected_tensor)
    for size in (1, 2, 3, 100):
        close(ad.jacfwd(curve, chunk_size=size)(X), expected_tensor)
        close(ad.jacrev(curve, chunk_size=size)(X), expected_tensor)
    columns = [ad.jvp(curve, (X,), (row,))[1] for row in tf.eye(3, dtype=tf.float64)]
    close(tf.stack(columns, 1), expected_tensor)
    close(
        tf.stack([ad.vjp(curve, X)[1](row)[0] for row in tf.eye(4, dtype=tf.float64)]),
        expected_tensor,
    )


def test_jvp_and_vjp_are_adjoint() -> None:
    weights = tf.constant([0.5, -1.0, 2.0, 0.1], tf.float64)
    forward = tf.reduce_sum(ad.jvp(curve, (X,), (V,))[1] * weights)
    backward = tf.reduce_sum(ad.vjp(curve, X)[1](weights)[0] * V)
    close(forward, backward)
    close(tf.reduce_sum(ad.linearize(curve, X)[1](V) * weights), backward)


@pytest.mark.parametrize("transform", ["jacrev", "jacfwd"])
def test_jacobians_of_nests(transform: str) -> None:
    def function(p: Any, scale: Any) -> Any:
        return {"sum": p["a"] * scale, "pair": (tf.reduce_sum(p["b"]), p["a"][0])}

    p = {"a": X, "b": tf.ones([2, 2], tf.float64)}
    both = getattr(ad, transform)(function, wrt=(0, 1))(p, tf.constant(2.0, tf.float64))
    zeros = tf.zeros([3, 2, 2], tf.float64)
    close(both["sum"], ({"a": 2 * tf.eye(3, dtype=tf.float64), "b": zeros}, X))
    close(both["pair"][0][0]["b"], tf.ones([2, 2], tf.float64))
    close(both["pair"][1][0]["a"], tf.constant([1.0, 0, 0], tf.float64))
    assert both["pair"][1][1].shape == []


@pytest.mark.parametrize("transform", ["jacrev", "jacfwd"])
@pytest.mark.parametrize("shapes", [((0,), (2,)), ((2,), (0,)), ((), ()), ((0, 2), (3, 0))])
def test_jacobians_of_empty_and_scalar_tensors(transform: str, shapes: Any) -> None:
    source, target = shapes

    def function(x: Any) -> Any:
        return tf.reduce_sum(x) * tf.ones(target, tf.float64)

    matrix = getattr(ad, transform)(function)(tf.ones(source, tf.float64))
    assert matrix.shape == target + source


@pytest.mark.parametrize("transform", ["jacrev", "jacfwd"])
def test_jacobians_of_holomorphic_functions(transform: str) -> None:
    z = tf.constant([1 + 2j, 0.5j], tf.complex128)
    close(getattr(ad, transform)(lambda z: z * z)(z), tf.linalg.diag(2 * z))
    with pytest.raises(TypeError, match="complex numbers to real ones"):
        getattr(ad, transform)(tf.abs)(z)


def test_hessians() -> None:
    close(ad.hessian(cubes)(X), tf.linalg.diag(6 * X))
    model = Affine()
    matrix = ad.hessian(lambda x: tf.reduce_sum(model(x) ** 2))(X)
    close(matrix, tf.transpose(matrix))
    close(
        ad.hvp(lambda x: tf.reduce_sum(model(x) ** 2), (X,), (V,))[0], tf.linalg.matvec(matrix, V)
    )
    for size in (1, 2):
        close(ad.hessian(cubes, chunk_size=size)(X), tf.linalg.diag(6 * X))
    with pytest.raises(TypeError, match="no Hessian here"):
        ad.hessian(lambda z: tf.math.real(tf.reduce_sum(z)))(tf.complex(X, X))


NESTINGS = list(itertools.product(["forward", "reverse"], repeat=2))


@pytest.mark.parametrize(("outer", "inner"), NESTINGS)
def test_the_four_nestings_agree(outer: str, inner: str) -> None:
    jacobian = {"forward": ad.jacfwd, "reverse": ad.jacrev}
    matrix = jacobian[outer](jacobian[inner](lambda x: tf.exp(curve(x))))(X)
    check = ad.jacrev(ad.jacrev(lambda x: tf.exp(curve(x))))(X)
    close(matrix, check)
    close(matrix, tf.transpose(matrix, [0, 2, 1]))


def test_derivatives_do_not_mix_with_each_other() -> None:
    close(ad.grad(lambda x: x * ad.grad(lambda y: x + y)(1.0))(2.0), tf.constant(1.0))
    close(ad.grad(lambda x: ad.grad(lambda y: x * y * y)(x))(3.0), tf.constant(12.0))
    inner = lambda x: ad.jvp(lambda y: x * y, (1.0,), (1.0,))[1]
    close(ad.jvp(lambda x: x * inner(x), (3.0,), (1.0,))[1], tf.constant(6.0))


def test_tapes_outside_see_what_transforms_do() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        slope = ad.grad(cubes)(X)
        matrix = ad.jacfwd(curve)(X)
        product = ad.hvp(cubes, (X,), (V,))[0]
        change = ad.linearize(cubes, X)[1](V)
        each = ad.vmap(lambda x: x * x)(X)
    close(tape.gradient(slope, X), 6 * X)
    close(tape.gradient(product, X), 6 * V)
    close(tape.gradient(change, X), 6 * X * V)
    close(tape.gradient(each, X), 2 * X)
    close(tape.jacobian(matrix, X), ad.jacrev(ad.jacrev(curve))(X))


def test_recomputation_inside_and_outside() -> None:
    plain = lambda x: tf.reduce_sum(tf.tanh(x * x) * x)
    again = tf.recompute_grad(plain)
    close(ad.grad(again)(X), ad.grad(plain)(X))
    close(ad.jvp(again, (X,), (V,))[1], ad.jvp(plain, (X,), (V,))[1])
    close(ad.hessian(again)(X), ad.hessian(plain)(X))
    close(ad.hvp(again, (X,), (V,)), ad.hvp(plain, (X,), (V,)))
    close(ad.linearize(ad.grad(again), X)[1](V), ad.hvp(plain, (X,), (V,))[0])
    rows = tf.stack([X, V])
    close(ad.vmap(ad.grad(again))(rows), ad.vmap(ad.grad(plain))(rows))
    outside = tf.recompute_grad(lambda x: tf.reduce_sum(ad.grad(plain)(x) ** 2))
    close(ad.grad(outside)(X), ad.grad(lambda x: tf.reduce_sum(ad.grad(plain)(x) ** 2))(X))


def test_transforms_in_functions_and_of_functions() -> None:
    compiled = tf.function(cubes)
    close(ad.grad(compiled)(X), 3 * X**2)
    close(tf.function(ad.grad(cubes))(X), 3 * X**2)
    close(ad.hessian(compiled)(X), tf.linalg.diag(6 * X))


def test_a_transform_has_the_name_and_signature_of_its_function() -> None:
    import inspect

    assert ad.grad(cubes).__name__ == "grad_of_cubes"
    assert str(inspect.signature(ad.jacrev(cubes))) == str(inspect.signature(cubes))
    assert ad.grad(ad.grad(lambda x: x)).__name__ == "grad_of_grad_of_<lambda>"


def test_derivatives_of_derivatives_by_finite_differences() -> None:
    check_gradients(lambda x: ad.hvp(cubes, (x,), (V,))[0], [X])
    check_gradients(lambda x, v: ad.jvp(curve, (x,), (v,)), [X, V])
    check_gradients(lambda x, w: ad.vjp(curve, x)[1](w)[0], [X, tf.ones(4, tf.float64)])
    check_gradients(ad.jacrev(curve), [X])
    check_gradients(ad.jacfwd(curve), [X])


# Maps


def test_maps_over_axes() -> None:
    a = tf.reshape(tf.range(24.0), [2, 3, 4])
    close(ad.vmap(tf.reduce_sum)(a), tf.reduce_sum(a, [1, 2]))
    close(ad.vmap(tf.reduce_sum, in_axes=-1)(a), tf.reduce_sum(a, [0, 1]))
    close(ad.vmap(lambda x: 2 * x, in_axes=1, out_axes=-1)(a), tf.transpose(2 * a, [0, 2, 1]))
    close(ad.vmap(ad.vmap(tf.reduce_sum), in_axes=1)(a), tf.transpose(tf.reduce_sum(a, 2)))
    b = tf.constant([1.0, 2.0])
    outer = ad.vmap(lambda x, y: x * y, in_axes=(0, None))(b, a[0])
    close(outer, b[:, None, None] * a[0])
    d = {"x": a, "y": b}
    mapped = ad.vmap(lambda d: {"z": d["x"] * d["y"], "same": tf.constant(1.0)})(d)
    close(mapped["z"], a * b[:, None, None])
    close(mapped["same"], tf.ones(2))
    kept = ad.vmap(lambda x: (x, tf.constant(5.0)), out_axes=(0, None))(b)
    close(kept, (b, tf.constant(5.0)))
    close(ad.vmap(lambda: tf.constant(5.0), axis_size=2)(), tf.fill([2], 5.0))
    close(ad.vmap(lambda d, s: d["y"] * s, in_axes=({"x": None, "y": 0}, None))(d, 3.0), 3 * b)
    assert ad.vmap(tf.reduce_sum)(tf.ones([0, 3])).shape == [0]


def test_maps_and_derivatives_compose() -> None:
    rows = tf.stack([X, V, X * V])
    close(ad.vmap(ad.grad(cubes))(rows), 3 * rows**2)
    close(ad.vmap(ad.jacrev(curve))(rows), tf.stack([ad.jacrev(curve)(row) for row in rows]))
    close(ad.vmap(ad.jacfwd(curve))(rows), tf.stack([ad.jacfwd(curve)(row) for row in rows]))
    close(ad.vmap(ad.hessian(cubes))(rows), tf.linalg.diag(6 * rows))
    mapped = lambda rows: tf.reduce_sum(ad.vmap(cubes)(rows) ** 2)
    close(ad.grad(mapped)(rows), 6 * rows**2 * tf.reduce_sum(rows**3, 1, keepdims=True))
    pushed = ad.vmap(lambda x, v: ad.jvp(curve, (x,), (v,))[1], in_axes=(None, 0))(X, rows)
    close(pushed, tf.linalg.matmul(rows, ad.jacrev(curve)(X), transpose_b=True))


def test_a_function_that_asks_for_values_is_mapped_by_a_loop() -> None:
    def function(x: Any) -> Any:
        return x * 2 if float(x) > 1 else -x

    close(ad.vmap(function)(tf.constant([1.0, 2.0, 3.0])), tf.constant([-1.0, 4.0, 6.0]))


@pytest.mark.parametrize("keep_axis", [False, True])
def test_gradients_of_each_example(keep_axis: bool) -> None:
    model = Affine()
    xs, ys = tf.stack([X, V, X - V]), tf.constant([1.0, 2.0, 3.0], tf.float64)

    def loss(x: Any, y: Any) -> Any:
        if keep_axis:
            x, y = tf.ensure_shape(x, [1, 3])[0], y[0]
        return tf.reduce_sum(model(x) ** 2) * y

    each = ad.per_example_gradients(loss, wrt=model, keep_axis=keep_axis)(xs, ys)
    for i in range(3):
        args = (xs[i : i + 1], ys[i : i + 1]) if keep_axis else (xs[i], ys[i])
        close([g[i] for g in each], ad.grad(loss, wrt=model)(*args))
    by_argument = ad.per_example_gradients(lambda w, x: tf.reduce_sum(w * x))(X, xs)
    close(by_argument, xs)


# Bad input

BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: ad.grad(3), TypeError, r"grad\(\) takes a function; 3 of type int came"),
    (
        lambda: ad.grad(cubes, wrt="x"),
        TypeError,
        r"`wrt` says what to differentiate by.*'x' of type str",
    ),
    (lambda: ad.grad(cubes, wrt=True), TypeError, "True of type bool came"),
    (lambda: ad.grad(cubes, wrt=()), TypeError, "an empty tuple came"),
    (lambda: ad.grad(cubes, wrt=1)(X), ValueError, "positional argument 1, but the call has 1"),
    (lambda: ad.grad(cubes)(x=X), ValueError, "the call has 0 of them. Keyword arguments"),
    (lambda: ad.grad(cubes)(3), TypeError, r"argument 0 holds int32 numbers .*Write 3.0 for 3"),
    (lambda: ad.grad(cubes)(None), TypeError, "holds a NoneType"),
    (lambda: ad.grad(curve)(X), ValueError, r"must return one number.*\[4\].*reduce_sum.*jacrev"),
    (lambda: ad.grad(lambda x: (x, x))(1.0), TypeError, "returned a tuple.*has_aux=True"),
    (lambda: ad.grad(lambda x: None)(1.0), TypeError, "returned a NoneType"),
    (lambda: ad.grad(lambda x: tf.cast(x, tf.int32))(1.0), TypeError, "dtype int32"),
    (lambda: ad.grad(lambda x: x, has_aux=True)(1.0), TypeError, "must return a pair"),
    (lambda: ad.grad(lambda x: (x, x, x), has_aux=True)(1.0), TypeError, "a tuple of 3"),
    (lambda: ad.grad(cubes, wrt=tf.Module())(X), ValueError, "no trainable variables"),
    (lambda: ad.grad(cubes, wrt=tf.Variable(1))(X), TypeError, "holds int32 numbers"),
    (lambda: ad.vjp(cubes, X)[1]((1.0, 2.0)), ValueError, "must have the structure"),
    (lambda: ad.vjp(curve, X)[1](X), ValueError, r"shape \[4\] and dtype float64; shape \[3\]"),
    (lambda: ad.vjp(tf.math.is_nan, X), TypeError, "returns no floating tensor"),
    (lambda: ad.jvp(cubes, X, (V,)), TypeError, r"also where it has one: \(x,\)"),
    (lambda: ad.jvp(cubes, (X,), V), ValueError, "`tangents` must have the structure"),
    (lambda: ad.jvp(cubes, (X,), (V[:2],)), ValueError, r"shape \[3\].*shape \[2\]"),
    (lambda: ad.jvp(cubes, (X,), (tf.cast(V, tf.float32),)), ValueError, "dtype float32 came"),
    (lambda: ad.jvp(lambda: 1.0, (), ()), ValueError, "no argument to differentiate by"),
    (lambda: ad.hvp(curve, (X,), (V,)), ValueError, "must return one number"),
    (lambda: ad.linearize(cubes, X, wrt=0)[1](V, V), TypeError, "one nest like `wrt`"),
    (lambda: ad.jacrev(curve, chunk_size=0), ValueError, "at least 1; 0 came"),
    (lambda: ad.jacfwd(curve, chunk_size=-1), ValueError, "at least 1"),
    (lambda: ad.vmap(cubes, in_axes=0.5), TypeError, "an axis is an int or None; 0.5"),
    (lambda: ad.vmap(cubes, in_axes=(0, 0))(X), ValueError, "2 entries, and 1 arguments"),
    (lambda: ad.vmap(cubes, in_axes=2)(X), ValueError, r"axis 2 for a tensor of shape \[3\]"),
    (lambda: ad.vmap(cubes, in_axes=None)(X), ValueError, "no argument has an axis of items"),
    (lambda: ad.vmap(tf.add)(X, V[:2]), ValueError, r"same number of items; there are \[3, 2\]"),
    (lambda: ad.vmap(tf.add, in_axes=({"a": 0}, 0))(X, V), ValueError, "`in_axes` does not fit"),
    (lambda: ad.vmap(tf.sin, out_axes=None)(X), ValueError, "depends on the item"),
    (lambda: ad.vmap(tf.sin, axis_size=2)(X), ValueError, "the last by `axis_size`"),
    (lambda: ad.per_example_gradients(tf.sin, wrt="x"), TypeError, "`wrt` says"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=range(len(BAD)))
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=r"(?s)" + message):
        call()


def test_an_error_in_the_function_leaves_nothing_recording() -> None:
    def failing(x: Any) -> Any:
        raise RuntimeError("inside")

    ways = [
        lambda: ad.grad(failing)(X),
        lambda: ad.jvp(failing, (X,), (V,)),
        lambda: ad.jacfwd(failing)(X),
        lambda: ad.vmap(failing)(X),
        lambda: ad.taylor(failing, X, 3),
        lambda: ad.hvp(failing, (X,), (V,)),
    ]
    for way in ways:
        with pytest.raises(RuntimeError, match="inside"):
            way()
        close(ad.grad(cubes)(X), 3 * X**2)
        assert tf.autodiff.vmap(cubes)(tf.stack([X, V])).shape == [2]


def test_hessians_in_functions() -> None:
    @tf.function
    def curvature(x: Any, y: Any) -> Any:
        return tf.hessians([tf.reduce_sum(x**3) * tf.reduce_sum(y**2)], [x, y])

    close(
        curvature(X, V),
        [
            tf.linalg.diag(6 * X) * tf.reduce_sum(V**2),
            2 * tf.eye(3, dtype=tf.float64) * tf.reduce_sum(X**3),
        ],
    )
    matrix = tf.constant([[1.0, 2.0]])
    (block,) = tf.function(lambda x: tf.hessians(x * x * x, x))(matrix)
    close(block, tf.reshape(tf.linalg.diag([6.0, 12.0]), [1, 2, 1, 2]))
    weight = tf.Variable([1.0, 2.0])
    close(
        tf.function(lambda: tf.hessians(tf.reduce_sum(weight**3), weight))()[0],
        tf.linalg.diag(6 * weight),
    )
    with pytest.raises(ValueError, match="None values not supported"):
        tf.function(lambda x: tf.hessians(tf.reduce_sum(tf.ones(3)), x))(X)
    with pytest.raises(RuntimeError, match=r"tf\.autodiff\.hessian\(function\)"):
        tf.hessians(X, X)
