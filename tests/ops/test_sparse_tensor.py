"""Sparse tensors where tensors are expected: which functions take one, and what it is for others."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

# What TensorFlow makes a sparse tensor of with one argument, and what it makes something else of.
MAPPED = {
    "abs", "asin", "asinh", "atan", "atanh", "bessel_i0e", "bessel_i1e", "erf", "identity", "negative",
    "sign", "sin", "sqrt", "square", "stop_gradient", "tan", "tanh",
}  # fmt: skip
OTHERS = {"is_tensor", "rank", "shape", "size", "bincount"}
# These give what does not depend on their arguments, take anything at all, or look at nests.
ANYTHING = {
    "Module", "Variable", "control_dependencies", "custom_gradient", "function", "get_static_value",
    "grad_pass_through", "no_gradient", "no_op", "print", "recompute_grad", "timestamp",
    "is_symbolic_tensor", "executing_eagerly", "init_scope", "get_current_name_scope",
    "gradients", "hessians", "parallel_stack", "type_spec_from_value", "variable_creator_scope",
}  # fmt: skip
# Keras's. To ask for one of them loads Keras, and makes tapegrad stand in for TensorFlow in this process.
KERAS = {"initializers", "keras", "losses", "metrics", "optimizers"}


def sparse(*values: Any) -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [1, 2]], tf.constant(values), [2, 3])


def functions() -> list[str]:
    """The functions of `tf` and of the namespaces of elementwise mathematics."""
    spaces = {"": tf, "math.": tf.math, "math.special.": tf.math.special, "nn.": tf.nn}
    return [
        prefix + name
        for prefix, space in spaces.items()
        for name in dir(space)
        if not name.startswith("_")
        and name not in ANYTHING | KERAS
        and callable(getattr(space, name))
        and not inspect.isclass(getattr(space, name))
    ]


@pytest.mark.parametrize("name", functions())
def test_the_functions_that_take_a_sparse_tensor_are_tensorflows(name: str) -> None:
    function = functools.reduce(getattr, name.split("."), tf)
    st = sparse(0.25, 0.5)
    try:
        result = function(st)
    except (TypeError, ValueError, AttributeError, tf.errors.InvalidArgumentError):
        result = None
    base = name.rpartition(".")[2]
    if base in MAPPED:
        assert isinstance(result, tf.SparseTensor)
        assert result.indices is st.indices
        assert result.dense_shape is st.dense_shape
        np.testing.assert_array_equal(result.values, function(st.values))
    else:
        assert (result is not None) == (base in OTHERS)


def test_attributes_reach_what_takes_a_sparse_tensor() -> None:
    st = sparse(0.25, -0.5)
    assert tf.tanh(x=st, name="n").values.numpy().tolist() == tf.tanh(st.values).numpy().tolist()
    assert tf.raw_ops.Tanh(x=st).shape == [2, 3]
    assert tf.size(st, tf.int64).dtype is tf.int64
    assert tf.size(st).numpy() == 6
    assert tf.rank(st).numpy() == 2
    assert tf.is_tensor(st)
    assert not tf.is_tensor(tf.sparse)
    assert tf.cast(st, "int32").values.numpy().tolist() == [0, 0]
    assert tf.ones_like(st, tf.int32).numpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert tf.tuple([st, None])[0] is st
    assert tf.get_static_value(st) is None


def test_complex_and_refused_types() -> None:
    assert tf.abs(sparse(3 + 4j, 0j)).values.numpy().tolist() == [5.0, 0.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Sin does not take int32"):
        tf.sin(sparse(1, 2))
    with pytest.raises(ValueError, match="SparseTensor"):
        tf.cos(sparse(0.25, 0.5))


def test_a_tensor_times_a_sparse_one_is_sparse() -> None:
    st = sparse(0.25, -0.5)
    for factor in (tf.constant(2.0), tf.Variable(2.0), tf.fill([2, 3], 2.0)):
        assert (factor * st).values.numpy().tolist() == [0.5, -1.0]
    with pytest.raises(TypeError):
        2.0 * st
    with pytest.raises(ValueError, match="SparseTensor"):
        tf.constant(2.0) / st
    assert tf.divide(sparse(2, -3), 2).values.numpy().tolist() == [1.0, -1.5]


def test_gradients_flow_through_the_values() -> None:
    values = tf.Variable([0.25, -0.5])
    with tf.GradientTape(persistent=True) as tape:
        st = tf.SparseTensor([[0, 1], [1, 2]], values, [2, 3])
        dense = tf.sparse.to_dense(tf.square(tf.tanh(st)))
    tangent = np.tanh([0.25, -0.5])
    expected = (2 * tangent * (1 - tangent**2)).astype("float32")
    np.testing.assert_allclose(tape.gradient(dense, values), expected, rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(dense, st.values), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="ask for the gradient by its `values`"):
        tape.gradient(dense, st)


def test_specs_widen_and_compare() -> None:
    exact, other = tf.SparseTensorSpec([2, 3]), tf.SparseTensorSpec([2, 4])
    wide = tf.SparseTensorSpec([2, None])
    assert tf.SparseTensorSpec.from_value(sparse(0.25, 0.5)) == exact
    assert exact.is_subtype_of(wide)
    assert not wide.is_subtype_of(exact)
    assert exact.most_specific_common_supertype([other]) == wide
    assert exact.most_specific_common_supertype([]) == exact
    assert exact.most_specific_compatible_type(tf.SparseTensorSpec([2])).shape.rank is None
    for stranger in (tf.SparseTensorSpec([2, 3], tf.int32), tf.TensorSpec([2, 3]), 3, None):
        assert not exact.is_subtype_of(stranger)
        assert exact.most_specific_common_supertype([stranger]) is None
        with pytest.raises(ValueError, match="No spec covers both"):
            exact.most_specific_compatible_type(stranger)
    with pytest.raises(TypeError, match="SparseTensor was expected"):
        tf.SparseTensorSpec.from_value(3)
    slices = tf.IndexedSlicesSpec([2, 3], indices_shape=[4])
    wider = slices.most_specific_common_supertype([tf.IndexedSlicesSpec([2, 4], indices_shape=[3])])
    assert wider == tf.IndexedSlicesSpec([2, None], indices_shape=[None])
    assert slices.is_subtype_of(wider)
    assert (
        slices.most_specific_common_supertype([tf.IndexedSlicesSpec(indices_dtype=tf.int32)])
        is None
    )


def test_gradient_of_the_gradient_of_a_sum() -> None:
    """Each element of a sum hands its gradient to both terms; that map's own gradient goes the other way."""
    places, others = [[0, 0], [1, 1]], [[0, 0], [0, 1], [2, 0]]
    values, seed = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0, 100.0, 1000.0])
    with tf.GradientTape() as outer:
        outer.watch(seed)
        with tf.GradientTape() as inner:
            inner.watch(values)
            b = tf.SparseTensor(others, tf.constant([3.0, 4.0, 5.0]), [3, 2])
            total = tf.sparse.add(tf.SparseTensor(places, values, [3, 2]), b).values
        by_values = inner.gradient(total, values, output_gradients=seed)
    assert by_values.numpy().tolist() == [1.0, 100.0]
    by_seed = outer.gradient(by_values, seed, output_gradients=tf.constant([7.0, 8.0]))
    assert by_seed.numpy().tolist() == [7.0, 0.0, 8.0, 0.0]


@pytest.mark.parametrize("shape", [(), (3,), (1,), (2, 1), (1, 3), (1, 1), (2, 3)])
def test_a_dense_tensor_broadcasts_to_a_sparse_one(shape: tuple[int, ...]) -> None:
    sparse = tf.SparseTensor([[0, 1], [1, 2], [1, 1]], [2.0, 3.0, 4.0], [2, 3])
    dense = np.arange(1.0, 1.0 + np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    at_places = np.broadcast_to(dense, (2, 3))[[0, 1, 1], [1, 2, 1]]
    np.testing.assert_array_equal((sparse * tf.constant(dense)).values, sparse.values * at_places)
    np.testing.assert_array_equal((sparse / tf.constant(dense)).values, sparse.values / at_places)
    result = tf.function(lambda sparse, dense: (sparse * dense).values)(sparse, dense)
    np.testing.assert_array_equal(result, sparse.values * at_places)


@pytest.mark.parametrize("shape", [(5,), (0,), (2,), (3, 3), (2, 5), (1, 2, 3)])
def test_a_dense_tensor_that_does_not_broadcast_to_a_sparse_one(shape: tuple[int, ...]) -> None:
    sparse = tf.SparseTensor([[0, 1]], [2.0], [2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not broadcast to the shape"):
        sparse * tf.ones(shape)


def test_a_dense_tensor_is_not_broadcast_in_memory() -> None:
    """The rows of a large matrix of neighbours are scaled by their sums: graph networks do so."""
    nodes = 10_000_000
    neighbours = tf.SparseTensor([[0, 1], [nodes - 1, 0]], [2.0, 3.0], [nodes, nodes])
    sums = tf.concat([tf.fill([nodes - 1, 1], 2.0), [[4.0]]], 0)
    assert (neighbours / sums).values.numpy().tolist() == [1.0, 0.75]


def test_a_sparse_tensor_without_sizes_times_a_dense_one() -> None:
    def scaled(dense: Any) -> Any:
        sparse = tf.sparse.from_dense(dense)
        return (sparse / tf.reduce_sum(dense, 0)).values

    data = tf.data.Dataset.from_tensors([[1.0, 0.0], [3.0, 2.0]]).batch(2).unbatch().map(scaled)
    assert [each.numpy().tolist() for each in data] == [[0.25, 0.75, 1.0]]
    with tf.Graph().as_default():
        dense = tf.compat.v1.placeholder(tf.float32, [None, 2])
        values = scaled(dense)
        with tf.compat.v1.Session() as session:
            fed = session.run(values, {dense: [[1.0, 0.0], [3.0, 2.0]]})
    assert fed.tolist() == [0.25, 0.75, 1.0]


@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_keep_elements_that_are_zero(keepdims):
    x = tf.SparseTensor([[0, 1], [0, 2], [2, 0]], [1.0, -1.0, 0.0], [3, 4])
    places = [[0, 0], [2, 0]] if keepdims else [[0], [2]]
    for reduce, values in ((tf.sparse.reduce_sum, [0.0, 0.0]), (tf.sparse.reduce_max, [1.0, 0.0])):
        found = reduce(x, axis=1, keepdims=keepdims, output_is_sparse=True)
        assert found.indices.numpy().tolist() == places
        assert found.values.numpy().tolist() == values
        assert found.dense_shape.numpy().tolist() == ([3, 1] if keepdims else [3])
    whole = tf.sparse.reduce_sum(x, output_is_sparse=True)
    assert (whole.values.numpy().tolist(), whole.indices.shape) == ([0.0], (1, 0))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_the_largest_elements_may_be_the_least_of_the_dtype(dtype):
    least = float("-inf") if dtype != "int32" else tf.int32.min
    x = tf.SparseTensor([[0, 0], [0, 1], [2, 1]], tf.constant([least, least, 3], dtype), [3, 2])
    assert tf.sparse.reduce_max(x, axis=1).numpy().tolist() == [least, 0, 3]
    assert tf.sparse.reduce_max(x, axis=0).numpy().tolist() == [least, 3]


def test_what_a_session_gives_for_a_sparse_tensor_is_taken_for_one() -> None:
    value = tf.compat.v1.SparseTensorValue([[0, 1], [1, 2]], np.array([1.0, 2.0]), [2, 3])
    tensor = tf.SparseTensor.from_value(value)
    dense = [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    for function in (
        lambda it: tf.sparse.to_dense(it),
        lambda it: tf.sparse.to_dense(tf.sparse.add(it, it)),
        lambda it: tf.sparse.add(it, tf.ones([2, 3], tf.float64)),
        lambda it: tf.sparse.sparse_dense_matmul(it, tf.ones([3, 2], tf.float64)),
        lambda it: tf.sparse.sparse_dense_matmul(tf.ones([3, 2], tf.float64), it),
        lambda it: tf.sparse.to_dense(tf.sparse.concat(0, [it, it])),
        lambda it: tf.sparse.reduce_max(it, 1),
        lambda it: tf.io.serialize_sparse(it),
    ):
        assert (function(value).numpy() == function(tensor).numpy()).all()
    whole = tf.data.Dataset.from_tensors({"x": value})
    assert whole.element_spec == {"x": tf.SparseTensorSpec([2, 3], tf.float64)}
    assert tf.sparse.to_dense(next(iter(whole))["x"]).numpy().tolist() == dense
    rows = tf.data.Dataset.from_tensor_slices(value)
    assert [tf.sparse.to_dense(row).numpy().tolist() for row in rows] == dense
    with pytest.raises(TypeError, match="sp_input must be a SparseTensor, not tuple"):
        tf.sparse.to_dense(tuple(value))
