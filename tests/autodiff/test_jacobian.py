"""Jacobians, and gradients that come as IndexedSlices.

All but the tests whose names say ``beyond_tensorflow`` hold of TensorFlow 2.21 as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

# Jacobians


def test_jacobian() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.matmul(x, x)
    found = tape.jacobian(y, x)
    assert found.shape == [2, 2, 2, 2]
    eye = np.eye(2)
    expected = np.einsum("ik,lj->ijkl", eye, x.numpy()) + np.einsum("ik,lj->ijkl", x.numpy(), eye)
    np.testing.assert_allclose(found.numpy(), expected)


def test_jacobian_of_several_sources_and_unconnected() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = x * x
    by_x, by_y = tape.jacobian(z, [x, y])
    assert by_x.numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert by_y is None
    zeros = tape.jacobian(z, y, unconnected_gradients="zero")
    assert zeros.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("pfor", [True, False])
def test_jacobian_by_no_source(pfor: bool) -> None:
    """As of a function that reads no variable, by `tape.watched_variables()`."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    sources: Any
    for sources in ([], (), {}):
        assert tape.jacobian(y, sources, experimental_use_pfor=pfor) == sources


def test_hessian() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_prod(x)
        first = inner.gradient(y, x)
    found = outer.jacobian(first, x)
    np.testing.assert_allclose(found.numpy(), [[0, 3, 2], [3, 0, 1], [2, 1, 0]])


def test_batch_jacobian() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    found = tape.batch_jacobian(y, x)
    np.testing.assert_allclose(found.numpy(), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "complex128"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("items", [0, 1, 5])
def test_batch_jacobian_that_begins_with_a_product(
    dtype: str, transposed: bool, items: int
) -> None:
    """The seeds are one row for all items: what follows takes it for rows of their own."""
    x = tf.cast(tf.reshape(tf.range(3.0 * items) / 7.0, [items, 3]), dtype)
    w = tf.cast(tf.reshape(tf.range(6.0) / 5.0 - 0.4, [3, 2]), dtype)

    @tf.custom_gradient
    def scaled(y: tf.Tensor) -> Any:
        return y * 1, lambda dy: dy * 2

    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        product = tf.matmul(x, tf.transpose(w) if transposed else w, transpose_b=transposed)
        targets = [product, scaled(product), tf.nn.bias_add(product, [1, 2]) if items else product]
        targets.append(tf.tanh(product) @ tf.ones([2, 2], dtype))
    for target in targets:
        found = tape.batch_jacobian(target, x)
        assert found.shape == (items, 2, 3)
        for item in range(items):
            for row in range(2):
                seed = tf.tensor_scatter_nd_update(
                    tf.zeros_like(target), [[item, row]], tf.ones([1], dtype)
                )
                wanted = tape.gradient(target, x, output_gradients=seed)[item]
                np.testing.assert_allclose(
                    found[item, row].numpy().astype(complex),
                    wanted.numpy().astype(complex),
                    rtol=1e-2 if "16" in dtype else 1e-6,
                )


def test_batch_jacobian_checks_shapes() -> None:
    z = tf.ones([2, 1])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        other = tf.ones([3, 2]) * tf.reduce_sum(z)
    with pytest.raises(ValueError, match=r"first dimension|must match"):
        tape.batch_jacobian(other, z)


def test_batch_jacobian_unconnected_and_empty() -> None:
    x = tf.zeros([2, 0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x).shape == [2, 0, 0]
    x = tf.ones([2, 3], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.ones([2, 4], tf.float64) * 1.0
    found = tape.batch_jacobian(y, x, unconnected_gradients="zero")
    assert found.shape == [2, 4, 3]
    assert found.dtype == tf.float64


def test_jacobian_without_pfor() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    found = tape.jacobian(y, x, experimental_use_pfor=False)
    assert found.numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_jacobian_without_pfor_needs_a_persistent_tape_only_outside_of_functions() -> None:
    def jacobians(x: tf.Tensor) -> list[tf.Tensor]:
        found = []
        for call in (tf.GradientTape.jacobian, tf.GradientTape.batch_jacobian):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**2
            found.append(tf.reduce_sum(call(tape, y, x, experimental_use_pfor=False)))
        return found

    x = tf.reshape(tf.range(24.0), [2, 12])  # more elements than one walk takes
    function = tf.function(jacobians)
    for _ in range(3):
        assert [float(total) for total in function(x)] == [552.0, 552.0]
    with pytest.raises(RuntimeError, match="persistent=True"):
        jacobians(x)


def test_batch_jacobian_of_scalars_and_of_no_batch_beyond_tensorflow() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x[0] * 2.0
    with pytest.raises(ValueError, match=r"rank|batch"):
        tape.batch_jacobian(y, x)
    x = tf.zeros([0, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x).shape == [0, 3, 3]


# IndexedSlices


def test_gather_of_a_variable_gives_slices() -> None:
    table = tf.Variable(tf.ones([4, 2]))
    with tf.GradientTape() as tape:
        y = tf.gather(table, [1, 3, 1])
    found = tape.gradient(y, table)
    assert isinstance(found, tf.IndexedSlices)
    assert found.indices.numpy().tolist() == [1, 3, 1]
    assert found.values.shape == [3, 2]
    assert found.shape == [4, 2]
    dense = tf.convert_to_tensor(found)
    assert dense.numpy().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]


def test_slices_add_up() -> None:
    table = tf.Variable(tf.ones([3, 1]))
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.gather(table, [0]), tf.gather(table, [2, 0])
        whole = tf.reduce_sum(table) * 10.0
    sparse = tape.gradient([a, b], table)
    assert isinstance(sparse, tf.IndexedSlices)
    assert tf.convert_to_tensor(sparse).numpy().tolist() == [[2.0], [0.0], [1.0]]
    mixed = tf.convert_to_tensor(tape.gradient([a, whole], table))
    assert mixed.numpy().tolist() == [[11.0], [10.0], [10.0]]


def test_full_index_gather_nd_is_dense_and_partial_is_slices() -> None:
    table = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape(persistent=True) as tape:
        full = tf.gather_nd(table, [[0, 1], [2, 0]])
        partial = tf.gather_nd(table, [[0], [2]])
    assert not isinstance(tape.gradient(full, table), tf.IndexedSlices)
    found = tape.gradient(partial, table)
    assert isinstance(found, tf.IndexedSlices)
    assert tf.convert_to_tensor(found).numpy().tolist() == [[1, 1], [0, 0], [1, 1]]


def test_second_order_through_slices() -> None:
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.gather(table, [1, 1]) ** 3
        first = tf.convert_to_tensor(inner.gradient(y, table))
    found = tf.convert_to_tensor(outer.gradient(first, table))
    np.testing.assert_allclose(found.numpy(), [[0.0], [24.0], [0.0]])


@pytest.mark.parametrize("target", [tf.float32, tf.float64, tf.complex64, tf.int32])
@pytest.mark.parametrize("source", [tf.float32, tf.float64, tf.float16, tf.complex64])
def test_batch_jacobian_of_what_nothing_connects(source: Any, target: Any) -> None:
    """Zeros in any case: of the source's dtype if they are asked for, else of the target's."""
    x = tf.ones([2, 3], source)
    for wanted, dtype in (("zero", source), ("none", target)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.ones([2, 2], target)
        found = tape.batch_jacobian(y, x, unconnected_gradients=wanted)
        assert found.dtype == dtype
        assert found.shape == [2, 2, 3]
        assert not np.any(found.numpy())
