"""What the table of samples cannot ask of batch normalisation, sparse ops, fits, sets and conversions."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.framework import nested


def slope(function: Any, inputs: list[Any], directions: list[Any], order: int) -> Any:
    """The derivative of ``function`` of that order along the directions."""
    if order == 0:
        return function(inputs)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = slope(function, inputs, directions, order - 1)
    found = tape.gradient(value, inputs)
    return tf.add_n([tf.reduce_sum(dx * d) for dx, d in zip(found, directions, strict=True)])


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_batch_norm_derivatives(is_training: bool, data_format: str, order: int) -> None:
    rng = np.random.default_rng(order)
    shape = (2, 2, 2, 3) if data_format == "NHWC" else (2, 3, 2, 2)
    shapes: list[tuple[int, ...]] = [shape, (3,), (3,)]
    inputs = [rng.normal(size=each) for each in shapes]
    directions = [rng.normal(size=each) for each in shapes]
    weights, mean = rng.normal(size=shape), rng.normal(size=3)

    def function(inputs: list[Any]) -> Any:
        y, _, _ = tf.compat.v1.nn.fused_batch_norm(
            *inputs, mean, np.exp(mean), epsilon=0.1, data_format=data_format,
            is_training=is_training,
        )  # fmt: skip
        return tf.reduce_sum(tf.sin(y) * weights)

    def moved(by: float) -> Any:
        return [tf.constant(x + by * d) for x, d in zip(inputs, directions, strict=True)]

    step = 1e-5
    ahead, behind = (slope(function, moved(by), directions, order - 1) for by in (step, -step))
    expected = (ahead - behind).numpy() / (2 * step)
    found = slope(function, moved(0.0), directions, order).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_batch_norm_moments_are_constants() -> None:
    x, ones, zeros = tf.ones([1, 2, 1, 1]) * [[[[1.0]], [[3.0]]]], tf.ones([1]), tf.zeros([1])
    moments = [tf.constant([1.0]), tf.constant([2.0])]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, *moments])
        y, mean, _ = tf.compat.v1.nn.fused_batch_norm(x, ones, zeros, *moments, is_training=False)
        _, batch_mean, _ = tf.compat.v1.nn.fused_batch_norm(x, ones, zeros)
    assert tape.gradient(y, moments) == [None, None]
    np.testing.assert_array_equal(tape.gradient(batch_mean, x), np.zeros(x.shape))
    np.testing.assert_array_equal(mean, [1.0])


def test_batch_norm_of_nothing() -> None:
    x, three = tf.zeros([0, 2, 2, 3]), tf.ones([3])
    with tf.GradientTape() as tape:
        tape.watch([x, three])
        y, mean, _ = tf.compat.v1.nn.fused_batch_norm(x, three, three)
    assert y.shape == x.shape
    assert np.isnan(mean.numpy()).all()
    dx, dscale = tape.gradient(y, [x, three])
    assert dx.shape == x.shape
    assert dscale.numpy().tolist() == [0.0] * 3


@pytest.mark.parametrize(
    "change",
    [
        {"x": np.zeros((2, 3), np.float32)},
        {"x": np.zeros((2, 2, 2, 3), np.float64)},
        {"x": np.zeros((2, 2, 2, 3), np.int32)},
        {"scale": np.ones((1, 3), np.float32)},
        {"offset": np.ones(2, np.float32)},
        {"mean": np.ones(2, np.float32), "exponential_avg_factor": 0.5},
        {"variance": np.ones(0, np.float32), "is_training": False},
        {"data_format": "HWNC"},
        {"data_format": "NCHW"},
    ],
)
def test_batch_norm_refuses(change: dict[str, Any]) -> None:
    three = np.ones(3, np.float32)
    arguments = {"x": np.zeros((2, 2, 2, 3), np.float32), "scale": three, "offset": three,
                 "mean": three, "variance": three}  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.FusedBatchNormV3(**{**arguments, **change})


@pytest.mark.parametrize("bad", ["y_backprop", "scale", "reserve_space_1", "reserve_space_2"])
def test_batch_norm_grad_checks_sizes(bad: str) -> None:
    three, four = np.ones(3, np.float32), np.ones((2, 2, 2, 3), np.float32)
    arguments = {"y_backprop": four, "x": four, "scale": three, "reserve_space_1": three,
                 "reserve_space_2": three, "reserve_space_3": three[:0]}  # fmt: skip
    arguments[bad] = arguments[bad][:1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.FusedBatchNormGradV3(**arguments)


def test_batch_norm_needs_moments() -> None:
    with pytest.raises(ValueError, match="needs vectors for `mean` and `variance`"):
        tf.compat.v1.nn.fused_batch_norm(tf.ones([1, 1, 1, 1]), [1.0], [0.0], is_training=False)


# Sparse tensors

A = ([[0, 0], [0, 1], [2, 2]], [3, 4])
B = ([[0, 1], [1, 0], [2, 2]], [3, 4])


def test_sparse_maximum_sends_gradients_back() -> None:
    a, b = tf.constant([1.0, 2.0, -3.0]), tf.constant([5.0, -1.0, -3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        first, second = tf.SparseTensor(A[0], a, A[1]), tf.SparseTensor(B[0], b, B[1])
        larger = tf.sparse.maximum(first, second).values * [1.0, 2.0, 3.0, 4.0]
        smaller = tf.sparse.minimum(first, second).values * [1.0, 2.0, 3.0, 4.0]
    # At a tie all goes to the first, as in tf.maximum.
    assert [dx.numpy().tolist() for dx in tape.gradient(larger, [a, b])] == [[1, 0, 4], [2, 0, 0]]
    assert [dx.numpy().tolist() for dx in tape.gradient(smaller, [a, b])] == [[0, 2, 4], [0, 3, 0]]


def test_sparse_softmax_takes_elements_in_any_order() -> None:
    shuffled = tf.SparseTensor([[1, 1], [0, 0], [1, 2]], [1.0, 2.0, 5.0], [3, 4])
    result = tf.sparse.softmax(shuffled)
    expected = tf.nn.softmax(tf.constant([1.0, 5.0])).numpy()
    np.testing.assert_allclose(result.values, [expected[0], 1.0, expected[1]], rtol=1e-6)
    empty = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [3, 4])
    assert tf.sparse.softmax(empty).values.shape == [0]


@pytest.mark.parametrize(
    ("indices", "values", "shape"),
    [([[0]], [1.0], [3]), ([[0, 1]], [1], [3, 4]), ([[0, 9]], [1.0], [3, 4])],
)
def test_sparse_softmax_refuses(indices: Any, values: Any, shape: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.softmax(tf.SparseTensor(indices, values, shape))


@pytest.mark.parametrize(
    ("indices", "values", "shape"),
    [([[0, 1]], [1.0], [3, 5]), ([[0]], [1.0], [3]), ([[0, 1]], [1], [3, 4]), ([[9, 1]], [1.0], [3, 4])],
)  # fmt: skip
def test_sparse_maximum_refuses(indices: Any, values: Any, shape: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.maximum(
            tf.SparseTensor(A[0], [1.0, 2.0, 3.0], A[1]), tf.SparseTensor(indices, values, shape)
        )


def test_sparse_bincount_of_sparse_tensors() -> None:
    places = [[0, 1], [0, 2], [2, 0]]
    values = tf.SparseTensor(places, [3, 3, 1], [3, 4])
    counted = tf.sparse.bincount(values, axis=-1)
    assert counted.indices.numpy().tolist() == [[0, 3], [2, 1]]
    assert counted.values.numpy().tolist() == [2, 1]
    assert counted.shape == [3, 4]
    weights = tf.constant([3.0, 0.5, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(weights)
        sparse_weights = tf.SparseTensor(places, weights, [3, 4])
        weighted = tf.sparse.bincount(values, weights=sparse_weights).values
    assert weighted.numpy().tolist() == [1.0, 3.5]
    assert tape.gradient(weighted, weights).numpy().tolist() == [1.0, 1.0, 1.0]


def test_sparse_bincount_refuses() -> None:
    invalid = tf.errors.InvalidArgumentError
    for error, arguments in (
        (ValueError, {"axis": 1}),
        (ValueError, {"binary_output": True, "weights": [1.0]}),
        (invalid, {"values": [1, -1], "axis": -1}),
        (invalid, {"values": [1.5], "axis": -1}),
        (invalid, {"values": [[[1]]], "axis": -1}),
        (invalid, {"minlength": -3}),
        (invalid, {"weights": [1.0, 2.0]}),
    ):
        with pytest.raises(error):
            tf.sparse.bincount(**{"values": [1], **arguments})


# Searches and fits


def test_approx_top_k_on_any_axis_and_the_smallest() -> None:
    x = tf.constant([[5.0, 1.0], [0.0, 3.0], [2.0, float("nan")]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, indices = tf.math.approx_min_k(x, 2, reduction_dimension=0)
    assert values.numpy().tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert indices.numpy().tolist() == [[1, 0], [2, 1]]
    seeds = tape.gradient(values, x, output_gradients=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert seeds.numpy().tolist() == [[0.0, 2.0], [1.0, 4.0], [3.0, 0.0]]


@pytest.mark.parametrize("arguments", [(1.0, 1), ([1.0], 2), ([1.0], -1), ([1], 1)])
def test_approx_top_k_refuses(arguments: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.approx_top_k(*arguments)


def test_isotonic_regression_is_the_closest_falling_sequence() -> None:
    from scipy.optimize import isotonic_regression

    rows = np.random.default_rng(0).normal(size=(20, 30))
    for decreasing in (True, False):
        output, segments = tf.nn.isotonic_regression(tf.constant(rows), decreasing)
        for row, fit, numbers in zip(rows, output.numpy(), segments.numpy(), strict=True):
            expected = isotonic_regression(row, increasing=not decreasing).x
            np.testing.assert_allclose(fit, expected, rtol=1e-12)
            assert ((np.diff(numbers) == 1) == (np.diff(fit) != 0)).all()


def test_types_of_several_results_are_tensorflows() -> None:
    rows = tf.constant([[3.0, 1.0, 2.0]])
    for axis in (-1, 1):
        fit = tf.nn.isotonic_regression(rows, axis=axis)
        assert fit._fields == ("output", "segments")  # type: ignore[attr-defined]
    assert type(tf.nn.isotonic_regression(rows, axis=0)) is tuple
    assert type(tf.nn.isotonic_regression(rows, decreasing=False)) is tuple
    assert type(tf.nn.ctc_unique_labels([[3, 1, 3]])) is list
    assert type(tf.function(tf.nn.ctc_unique_labels)(tf.constant([[3, 1, 3]]))) is list


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_gradient_of_sparse_mask_has_int32_indices(dtype: str) -> None:
    values = tf.constant([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(values)
        slices = tf.IndexedSlices(values, tf.constant([5, 6, 7], dtype))
        left = tf.sparse.mask(slices, tf.constant([6], dtype))
    gradient: Any = tape.gradient(left.values, values)
    assert gradient.indices.dtype == tf.int32
    assert gradient.indices.numpy().tolist() == [0, 2]
    assert left.indices.dtype == dtype


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "bool", "complex64", "string"])
def test_sobel_edges_says_which_types_it_takes(dtype: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"does not take {dtype} for 'input'"):
        tf.image.sobel_edges(tf.zeros([1, 3, 3, 1], dtype))


def test_complex_products_of_dense_and_sparse_are_not_conjugated() -> None:
    dense = tf.constant([[1 + 1j, 2], [3j, 4 - 2j]])
    sparse = tf.sparse.from_dense(tf.constant([[1 + 2j, 0], [2j, 3 - 1j]]))
    for adjoint_a in (False, True):
        for adjoint_b in (False, True):
            np.testing.assert_allclose(
                tf.sparse.sparse_dense_matmul(dense, sparse, adjoint_a, adjoint_b),
                tf.matmul(
                    dense, tf.sparse.to_dense(sparse), adjoint_a=adjoint_a, adjoint_b=adjoint_b
                ),
            )


def test_isotonic_regression_refuses() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis = 1 does not suit an input"):
        tf.nn.isotonic_regression([1.0, 2.0], axis=1)
    with pytest.raises(TypeError, match=r"isotonic_regression\(\) takes one integer for axis, not"):
        tf.nn.isotonic_regression([1.0, 2.0], axis=(0,))  # type: ignore[arg-type]
    with pytest.raises(tf.errors.InvalidArgumentError, match="IsotonicRegression does not take"):
        tf.nn.isotonic_regression([True])


class Matrix:
    """What conjugate_gradient asks of an operator."""

    def __init__(self, matrix: Any, definite: bool = True) -> None:
        self.matrix, self.is_self_adjoint, self.is_positive_definite = matrix, True, definite

    def matvec(self, x: Any) -> Any:
        return tf.linalg.matvec(self.matrix, x)


def test_conjugate_gradient() -> None:
    solve = tf.linalg.experimental.conjugate_gradient
    matrix = tf.constant([[4.0, 1.0], [1.0, 3.0]], tf.float64)
    rhs = tf.constant([[1.0, 2.0], [0.0, 0.0]], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([matrix, rhs])
        state = solve(Matrix(matrix), rhs)
        exact = tf.linalg.matvec(tf.linalg.inv(matrix), rhs)
    np.testing.assert_allclose(state.x, exact, rtol=1e-12)
    assert state.i.numpy() == 2
    np.testing.assert_allclose(
        tape.gradient(state.x, rhs)[0], tape.gradient(exact, rhs)[0], rtol=1e-12
    )
    quick = solve(Matrix(matrix), rhs, preconditioner=Matrix(tf.linalg.inv(matrix)))
    np.testing.assert_allclose(quick.x, exact, rtol=1e-12)
    assert quick.i.numpy() == 1
    assert solve(Matrix(matrix), rhs, x=exact).i.numpy() == 0
    assert solve(Matrix(matrix), rhs, max_iter=1).i.numpy() == 1
    with pytest.raises(ValueError, match="positive definite"):
        solve(Matrix(matrix, definite=False), rhs)


def test_sobol_sample_refuses() -> None:
    for arguments in ((0, 1), (1, 0), (2, 2, -1), (21201, 1), (1, 2**31), (1, 1, 0, tf.float16)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.sobol_sample(*arguments)


# Sets and text


def test_sets_of_sparse_tensors() -> None:
    a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 1, 2], [2, 3])
    b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [3, 7, 2], [2, 5])
    assert tf.sets.union(a, b).values.numpy().tolist() == [1, 3, 2, 7]
    assert tf.sets.intersection(a, b).indices.numpy().tolist() == [[0, 0], [1, 0]]
    assert tf.sets.difference([[1, 5], [2, 2]], b).values.numpy().tolist() == [1, 5]
    assert tf.sets.difference(b, [[1, 5], [2, 2]], aminusb=False).values.numpy().tolist() == [1, 5]
    assert tf.sets.size(a).numpy().tolist() == [2, 1]


def test_sets_refuse() -> None:
    unordered = tf.SparseTensor([[1, 0], [0, 0]], [3, 4], [2, 2])
    invalid = tf.errors.InvalidArgumentError
    for error, a, b in (
        (invalid, [1, 2], [2, 3]),
        (invalid, [[1]], [[1], [2]]),
        (invalid, unordered, [[1], [2]]),
        (invalid, tf.SparseTensor([[5, 0]], [3], [2, 2]), [[1], [2]]),
        (TypeError, [[1.0]], [[2.0]]),
        (TypeError, tf.constant([[1]], tf.int64), tf.constant([[2]])),
    ):
        with pytest.raises(error):
            tf.sets.union(a, b)
    assert tf.sets.union(unordered, [[1], [2]], validate_indices=False).shape == [2, 2]
    with pytest.raises(TypeError, match=r"sets\.size\(\) takes a SparseTensor, not list\."):
        tf.sets.size([[1, 2]])
    with pytest.raises(invalid, match=r"indices\[1\] = \[0, 0\] is out of order:"):
        tf.sets.size(unordered)
    for indices, shape in (([0, 0], [1, 2]), ([[0, 0]], [1, 2, 3])):
        with pytest.raises(invalid, match="have indices of shape"):
            tf.raw_ops.SetSize(set_indices=indices, set_values=[1], set_shape=shape)


def test_as_string_writes_as_c_does() -> None:
    odd = tf.constant([float("nan"), float("-inf"), -0.0])
    assert tf.as_string(odd, width=6, fill="0").numpy().tolist() == [
        b"   nan",
        b"  -inf",
        b"-0.000000",
    ]
    assert tf.as_string(tf.constant(2**64 - 1, tf.uint64)).numpy() == b"18446744073709551615"
    assert tf.as_string([True, False], width=7).numpy().tolist() == [b"true", b"false"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="precision, scientific and"):
        tf.as_string(1, precision=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="can be 65536 at most"):
        tf.as_string(1, width=2**40)


# Conversions, specs and scopes


@pytest.fixture
def registered() -> Iterator[Any]:
    """The registering function, whose effects end with the test."""
    before = list(nested._conversions)
    yield tf.register_tensor_conversion_function
    nested._conversions[:] = before
    nested._KINDS.clear()


class Length:
    def __init__(self, value: float) -> None:
        self.value = value


class Longer(Length):
    pass


def test_registered_conversions_are_used_everywhere(registered: Any) -> None:
    def convert(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(value.value, dtype)

    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(Length(1.0))
    registered(Length, convert)
    assert (tf.constant(1.0, tf.float64) + Length(2.0)).numpy() == 3.0
    assert (Length(2.0) * tf.constant(3.0)).numpy() == 6.0
    assert tf.sin(Longer(0.0)).numpy() == 0.0
    assert tf.stack([Length(1.0), Length(2.0)]).numpy().tolist() == [1.0, 2.0]
    assert tf.convert_to_tensor(Length(1.0), dtype_hint=tf.float64).dtype is tf.float64
    x = tf.Variable(2.0)
    registered(Longer, lambda value, dtype=None, name=None, as_ref=False: x * value.value, 50)
    with tf.GradientTape() as tape:
        y = tf.constant(3.0) * Longer(5.0)
    assert tape.gradient(y, x).numpy() == 15.0


def test_registered_conversions_are_checked(registered: Any) -> None:
    class Odd:
        pass

    registered(Odd, lambda *_, **__: NotImplemented)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(Odd())
    registered(Odd, lambda *_, **__: tf.constant(1), 90)
    assert tf.convert_to_tensor(Odd()).numpy() == 1
    with pytest.raises(RuntimeError, match="was asked for float32, but returned int32"):
        tf.convert_to_tensor(Odd(), tf.float32)
    registered(Odd, lambda *_, **__: 5, 80)
    with pytest.raises(RuntimeError, match="must return a tensor"):
        tf.convert_to_tensor(Odd())
    for arguments in ((3, len), ((Odd, 3), len), (Odd, 3), (int, len), (np.ndarray, len)):
        with pytest.raises(TypeError):
            registered(*arguments)


def test_specs_from_values() -> None:
    assert tf.type_spec_from_value(tf.zeros([2, 3])) == tf.TensorSpec([2, 3], tf.float32)
    assert tf.type_spec_from_value("a") == tf.TensorSpec([], tf.string)
    sparse = tf.SparseTensor([[0, 0]], [1], [2, 3])
    assert tf.type_spec_from_value(sparse) == tf.SparseTensorSpec([2, 3], tf.int32)
    for value in ({}, object(), tf.float32):
        with pytest.raises(TypeError, match="There is no spec for"):
            tf.type_spec_from_value(value)


def test_current_name_scope() -> None:
    assert tf.get_current_name_scope() == ""
    with tf.name_scope("a"):
        with tf.name_scope("b"):
            assert tf.get_current_name_scope() == "a/b"
            assert tf.__internal__.get_name_scope() == "a/b"
        with tf.name_scope("b/"):
            assert tf.get_current_name_scope() == "b"


# Older raw ops, of which the table asks those with dense inputs


def test_raw_ops_of_sparse_tensors() -> None:
    raw = tf.raw_ops
    values, dense = tf.constant([1.0, 2.0, -3.0]), tf.reshape(tf.range(12.0), [3, 4])
    three = {"a_indices": A[0], "a_values": values, "a_shape": A[1]}
    other = {"b_indices": B[0], "b_values": [5.0, -1.0, -3.0], "b_shape": B[1]}
    dotted = {"sp_indices": A[0], "sp_values": values, "sp_shape": A[1]}
    reduced = {"input_indices": A[0], "input_values": values, "input_shape": A[1]}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        product = raw.SparseTensorDenseMatMul(**three, b=tf.transpose(dense))
        sums = raw.SparseReduceSum(**reduced, reduction_axes=[0])
        scaled = raw.SparseDenseCwiseMul(**dotted, dense=dense)
    assert tape.gradient(product, values).numpy().tolist() == [12.0, 15.0, 18.0]
    assert tape.gradient(sums, values).numpy().tolist() == [1.0, 1.0, 1.0]
    assert tape.gradient(scaled, values).numpy().tolist() == [0.0, 1.0, 10.0]
    assert raw.SparseAdd(**three, **other, thresh=0.0)[1].numpy().tolist() == [1, 7, -1, -6]
    assert raw.SparseSparseMaximum(**three, **other)[1].numpy().tolist() == [1, 5, 0, -3]
    assert raw.SparseDenseCwiseAdd(**dotted, dense=dense[0]).numpy().tolist() == [1, 3, -1]
    assert raw.SparseSoftmax(**dotted).numpy()[2] == 1.0
    assert raw.SparseTensorDenseAdd(**three, b=dense).numpy()[2, 2] == 7.0


def test_raw_top_k_and_bad_arguments() -> None:
    x = tf.reshape(tf.range(12.0), [3, 4])
    assert tf.raw_ops.TopK(input=x, k=1).indices.numpy().tolist() == [[3], [3], [3]]
    for call in (
        lambda: tf.raw_ops.Reverse(tensor=x, dims=[True]),
        lambda: tf.raw_ops.Reverse(tensor=x, dims=[0, 1]),
        lambda: tf.raw_ops.Gather(params=x, indices=[5]),
        lambda: tf.raw_ops.BatchMatMul(x=x[None], y=tf.transpose(x)),
        lambda: tf.raw_ops.FusedBatchNorm(
            x=tf.ones([1, 1, 1, 1], tf.float16), scale=[1.0], offset=[1.0], mean=[], variance=[]
        ),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()


# As TensorFlow 2.21 has them.
SIGNATURES = {
    "sparse.bincount": "values weights=None axis=0 minlength=None maxlength=None "
    "binary_output=False name=None",
    "sparse.maximum": "sp_a sp_b name=None",
    "sparse.softmax": "sp_input name=None",
    "approx_top_k": "input k reduction_dimension=-1 recall_target=0.95 is_max_k=True "
    "reduction_input_size_override=-1 aggregate_to_topk=True name=None",
    "math.approx_max_k": "operand k reduction_dimension=-1 recall_target=0.95 "
    "reduction_input_size_override=-1 aggregate_to_topk=True name=None",
    "nn.isotonic_regression": "inputs decreasing=True axis=-1",
    "linalg.experimental.conjugate_gradient": "operator rhs preconditioner=None x=None tol=1e-05 "
    "max_iter=20 name='conjugate_gradient'",
    "math.sobol_sample": "dim num_results skip=0 dtype=tf.float32 name=None",
    "as_string": "input precision=-1 scientific=False shortest=False width=-1 fill='' name=None",
    "matrix_square_root": "input name=None",
    "sets.difference": "a b aminusb=True validate_indices=True",
    "sets.size": "a validate_indices=True",
    "register_tensor_conversion_function": "base_type conversion_func priority=100",
    "type_spec_from_value": "value",
    "get_current_name_scope": "",
    "compat.v1.nn.fused_batch_norm": "x scale offset mean=None variance=None epsilon=0.001 "
    "data_format='NHWC' is_training=True name=None exponential_avg_factor=1.0",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    function: Any = tf
    for part in name.split("."):
        function = getattr(function, part)
    shown = [
        parameter.name + ("" if parameter.default is parameter.empty else f"={parameter.default!r}")
        for parameter in inspect.signature(function).parameters.values()
    ]
    assert " ".join(shown) == SIGNATURES[name]


def test_no_warning_of_numpys_reaches_users() -> None:
    """pytest makes errors of warnings; these came from numbers that leave the floats' range."""
    picture = tf.ones([1, 4, 4, 1])
    far = tf.image.crop_and_resize(picture, [[0.0, 0.0, 1e38, 1e38]], [0], [2, 2])
    assert far.numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]
    noise = tf.random.stateless_uniform([1, 16, 16, 1], [1, 2])
    assert np.isnan(tf.image.ssim(noise, noise, 1.0, filter_sigma=0).numpy()).all()
    solved = tf.linalg.lu_solve([[np.inf, 1.0], [1.0, 2.0]], [0, 1], [[1.0], [2.0]])
    assert solved.numpy().ravel().tolist() == [0.0, 0.5]


@pytest.mark.parametrize("value", [["a"], 3.0, "variable"])
def test_dlpack_takes_tensors_of_numbers(value: Any) -> None:
    tensor = tf.Variable(1.0) if value == "variable" else value
    if isinstance(value, list):
        tensor = tf.constant(value)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.experimental.dlpack.to_dlpack(tensor)


def test_dlpack_there_and_back() -> None:
    dlpack = tf.experimental.dlpack
    tensor = tf.reshape(tf.range(6.0), [2, 3])
    capsule = dlpack.to_dlpack(tensor)
    assert dlpack.from_dlpack(capsule).numpy().tolist() == tensor.numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="can be taken once"):
        dlpack.from_dlpack(capsule)


@pytest.mark.parametrize("value", [None, 3, "a", np.ones(2), tf.constant(1.0)], ids=repr)
def test_from_dlpack_takes_capsules(value: Any) -> None:
    with pytest.raises(TypeError, match="takes a DLPack capsule"):
        tf.experimental.dlpack.from_dlpack(value)


@pytest.mark.parametrize("name", [b"wrong", b"used_dltensor", b"dltensor_", None])
def test_from_dlpack_refuses_other_capsules(name: bytes | None) -> None:
    import ctypes

    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    memory = ctypes.create_string_buffer(256)
    with pytest.raises(tf.errors.InvalidArgumentError, match="from_dlpack"):
        tf.experimental.dlpack.from_dlpack(new(ctypes.addressof(memory), name, None))


def strange_arrays() -> dict[str, Any]:
    whole = np.arange(6.0).reshape(2, 3)
    unaligned = np.frombuffer(b"\0" * 4 + np.arange(3.0).tobytes(), dtype=np.float64, offset=4)
    return {
        "transposed": whole.T,
        "reversed": whole[::-1, ::-1],
        "strided": whole[:, ::2],
        "empty": np.zeros((2, 0, 3)),
        "scalar": np.array(3.0),
        "bool": np.array([True, False]),
        "unaligned": unaligned.copy()
        if np.lib.NumpyVersion(np.__version__) < "2.1.0"
        else unaligned,
    }


@pytest.mark.parametrize("name", strange_arrays())
def test_from_dlpack_takes_any_strides_without_a_copy(name: str) -> None:
    array = strange_arrays()[name]
    options = {} if array.flags.writeable else {"max_version": (1, 0)}
    tensor = tf.experimental.dlpack.from_dlpack(array.__dlpack__(**options))
    np.testing.assert_array_equal(tensor.numpy(), array)
    assert np.asarray(tensor).flags.aligned
    shared = array.flags.aligned and array.size > 0
    assert (tensor._array.ctypes.data == array.ctypes.data) is shared
    with tf.GradientTape() as tape:
        tape.watch(x := tf.cast(tensor, tf.float64))
        y = tf.reduce_sum(tf.tanh(x) * x)
    copy = tf.constant(np.array(array, np.float64))
    with tf.GradientTape() as other:
        other.watch(copy)
        z = tf.reduce_sum(tf.tanh(copy) * copy)
    np.testing.assert_allclose(tape.gradient(y, x), other.gradient(z, copy))


FLOAT_SIZES = {
    "reshape": lambda three: tf.reshape(tf.ones(9), [three, 3]),
    "reshape tuple": lambda three: tf.reshape(tf.ones(9), (-1, three)),
    "tile": lambda three: tf.tile([1.0], [three]),
    "zeros": lambda three: tf.zeros([2, three]),
    "fill": lambda three: tf.fill([three], 1),
    "broadcast_to": lambda three: tf.broadcast_to(1.0, [three]),
    "transpose": lambda three: tf.transpose(tf.ones([2, 1, 1, 4]), [three, 0, 1, 2]),
    "pad": lambda three: tf.pad([1.0], [[0, three]]),
    "eye": lambda three: tf.eye(2, batch_shape=[three]),
    "reduce_sum": lambda three: tf.reduce_sum(tf.ones([1, 1, 1, 5]), [0, three]),
}


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int8", "complex64"]
)
@pytest.mark.parametrize("name", FLOAT_SIZES)
def test_a_scalar_tensor_in_a_list_of_sizes_may_hold_any_number(name: str, dtype: str) -> None:
    function = FLOAT_SIZES[name]
    expected = function(3)
    number = 3.75 if dtype.startswith(("float", "bfloat")) else 3
    for scalar in (tf.cast(number, dtype), tf.Variable(tf.cast(number, dtype))):
        assert function(scalar).shape == expected.shape
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        function(3.0)
    with pytest.raises(TypeError):
        function(tf.constant(True))
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        function(tf.constant(np.nan))


def test_bucket_boundaries_are_a_sorted_list() -> None:
    assert tf.raw_ops.Bucketize(input=tf.constant([0.1], tf.float64), boundaries=[0.1]) == [0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="sorted"):
        tf.raw_ops.Bucketize(input=[1.0], boundaries=[2.0, 1.0])
    for boundaries in (1.0, tf.constant([1.0]), np.array([1.0]), ["a"]):
        with pytest.raises(TypeError, match="boundaries"):
            tf.raw_ops.Bucketize(input=[1.0], boundaries=boundaries)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not take int8"):
        tf.raw_ops.Bucketize(input=tf.constant([1], tf.int8), boundaries=[1.0])


def test_pool_with_dilations_channels_first() -> None:
    x = tf.random.stateless_normal([2, 7, 6, 3], [1, 2])
    last = tf.nn.pool(x, [2, 3], "MAX", dilations=[3, 2])
    first = tf.nn.pool(
        tf.transpose(x, [0, 3, 1, 2]), [2, 3], "MAX", dilations=[3, 2], data_format="NCHW"
    )
    np.testing.assert_array_equal(tf.transpose(first, [0, 2, 3, 1]), last)


@pytest.mark.parametrize(
    "wrong",
    [
        {"dilations": [0]}, {"dilations": [-1]}, {"dilations": [2, 2]},
        {"dilations": [2], "strides": [2]}, {"dilations": [2], "padding": "SAME"},
        {"dilations": [2], "padding": [[0, 0], [1, 1], [0, 0]]},
    ],
    ids=repr,
)  # fmt: skip
def test_pool_refuses_what_tensorflow_does(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"dilations|Dilations"):
        tf.nn.pool(tf.ones([1, 12, 1]), [2], "MAX", **wrong)


def test_an_empty_tensor_array_stacks_to_what_is_known() -> None:
    for element_shape, shape in ((None, [0]), ([None, 2], [0]), ([2], [0, 2])):
        empty = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=element_shape)
        assert empty.stack().shape == shape
        assert empty.gather([]).shape == shape
    with pytest.raises(ValueError, match="element_shape"):
        tf.TensorArray(tf.float32, 2).stack()


def test_matmul_of_bfloat16_and_int8() -> None:
    half, small = tf.cast([[1.0, 2.0]], tf.bfloat16), tf.constant([[3], [4]], tf.int8)
    product = tf.matmul(half, small, output_type=tf.bfloat16)
    assert product.dtype is tf.bfloat16
    assert product.numpy() == 11
    with pytest.raises(tf.errors.InvalidArgumentError, match="bfloat16"):
        tf.matmul(half, small)


def test_sampled_addmm_checks_shapes() -> None:
    ones = tf.ones([2, 2])
    with pytest.raises(ValueError, match=r"dense_shape \[3, 3\]"):
        tf.sparse.sampled_addmm([[0, 1]], [1.0], [3, 3], ones, ones)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = \[5\] does not index"
    ):
        tf.sparse.sampled_addmm([[0, 5]], [1.0], [2, 2], ones, ones)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[1, 3\] vs\."):
        tf.sparse.sampled_addmm([[0, 1]], [1.0], [2, 2], tf.ones([2, 3]), ones)


def test_a_variable_is_a_proper_iterable_and_loads() -> None:
    variable = tf.Variable([1.0, 2.0])
    tf.debugging.assert_proper_iterable(variable)
    assert variable.load([3.0, 4.0]) is None
    assert variable.numpy().tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="shape"):
        variable.load([1.0])
