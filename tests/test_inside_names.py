"""Names inside TensorFlow: each leads to ours, or to what says when it is called that it is not here."""

from __future__ import annotations

import gzip
import inspect
import json
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from tapegrad.standing import absent, generated, internals, sparse_matrices, tools
from tapegrad.standing.absent import AbsentClass, inventory


def _in_order(module: str, name: str) -> Any:
    return internals.value_of(f"python.ops.{module}", name)


# --- Every name -------------------------------------------------------------------------------------


def test_every_function_and_class_inside_tensorflow_is_here_or_says_that_it_is_not() -> None:
    here = missing = 0
    for path, names in inventory().items():
        assert internals.is_module(path)
        for name in names:
            if internals.is_module(f"{path}.{name}"):
                continue  # a module with the name of a function in it: importing gives the module
            value = internals.value_of(path, name)
            if isinstance(value, AbsentClass) or getattr(value, "__doc__", "") in _SAID:
                missing += 1
                if missing % 40:
                    continue  # they are alike, and making an error takes time
                with pytest.raises(NotImplementedError) as caught:
                    value()
                assert str(caught.value).startswith(f"tensorflow.{path}.{name} is not here: ")
            else:
                here += 1
    assert here > 1800
    assert missing > 9000


_SAID = {f"Not here: {said}." for _, said in absent.REASONS}


def test_no_reason_is_stale() -> None:
    paths = [f"{path}.{name}" for path, names in inventory().items() for name in names]
    said = {absent.reason(path) for path in paths}
    assert said == {reason for _, reason in absent.REASONS}


def test_absent_classes_are_base_classes_and_types() -> None:
    hook = internals.value_of("python.training.session_run_hook", "SessionRunHook")
    assert isinstance(hook, type)
    assert not isinstance(3, hook)

    class Own(hook):  # type: ignore[misc, valid-type]  # a class that is made when the test runs
        pass

    for kind in (hook, Own):
        with pytest.raises(NotImplementedError, match=r"SessionRunHook is not here: there are no"):
            kind()
    assert repr(hook) == "<class 'tensorflow.python.training.session_run_hook.SessionRunHook'>"


def test_names_that_tensorflow_lacks_are_missing() -> None:
    for path in ("python.training.session_run_hook", "python.ops.math_ops", "python.keras.layers"):
        with pytest.raises(AttributeError, match=f"module 'tensorflow.{path}' has no attribute"):
            internals.value_of(path, "nonsense")
    assert not internals.is_module("python.nonsense")


# --- Ops by their types -----------------------------------------------------------------------------


def test_ops_take_their_arguments_in_order() -> None:
    assert _in_order("gen_math_ops", "mat_mul")([[2.0]], [[3.0]], False).numpy() == [[6.0]]
    assert _in_order("gen_math_ops", "mat_mul")([[2.0]], b=[[3.0]]).numpy() == [[6.0]]
    assert _in_order("gen_nn_ops", "relu")([-1.0, 2.0]).numpy().tolist() == [0.0, 2.0]
    assert _in_order("gen_math_ops", "_sum")([1.0, 2.0], 0) == 3.0
    assert _in_order("gen_math_ops", "MatMul") is tf.raw_ops.MatMul
    assert _in_order("math_ops", "maximum")(1.0, 2.0) == 2.0
    assert _in_order("math_ops", "cast") is tf.cast
    assert _in_order("array_ops", "gather_v2") is tf.gather
    with pytest.raises(TypeError, match=r"MatMul takes 7 arguments .*; 8 came"):
        _in_order("gen_math_ops", "mat_mul")(*range(8))
    with pytest.raises(TypeError, match="two values for its argument 'a'"):
        _in_order("gen_math_ops", "mat_mul")([[2.0]], a=[[3.0]])
    with pytest.raises(AttributeError):
        internals.value_of("python.ops.math_ops", "_sum")


def test_the_order_of_arguments_is_tensorflows() -> None:
    lines = gzip.decompress((golden.FOLDER / "raw_ops.json.gz").read_bytes()).decode().splitlines()
    recorded = {entry["op"]: entry["arguments"] for entry in map(json.loads, lines)}
    seen: set[str] = set()
    for module, types in generated.TYPES.items():
        for name, type in generated.names_in(types).items():
            if name == type or type not in dir(tf.raw_ops):
                continue
            function = internals.value_of(module, name)
            seen.add(type)
            assert [*inspect.signature(function).parameters] == [*recorded[type], "name"], type
    assert len(seen) > 400


# --- Sparse matrices --------------------------------------------------------------------------------

_SPARSE = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]], np.float32)
_DENSE = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.mark.parametrize("batch", [False, True])
def test_products_of_sparse_and_dense_matrices(batch: bool) -> None:
    a, b = (np.stack([x, 2 * x]) if batch else x for x in (_SPARSE, _DENSE))
    matrix, other = sparse_matrices.CSRSparseMatrix(a), sparse_matrices.CSRSparseMatrix(b)
    multiply = sparse_matrices.matmul
    turned = np.swapaxes(a, -1, -2)
    for got, wanted in (
        (multiply(matrix, b), a @ b),
        (multiply(b, matrix), b @ a),
        (multiply(matrix, other).to_dense(), a @ b),
        (multiply(a, b), a @ b),
        (multiply(matrix, np.swapaxes(b, -1, -2), transpose_b=True), a @ b),
        (multiply(matrix, a, adjoint_a=True), turned @ a),
        (matrix.transpose().to_dense(), turned),
        (matrix.hermitian_transpose().conj().to_dense(), turned),
        (tf.sparse.to_dense(matrix.to_sparse_tensor()), a),
    ):
        np.testing.assert_array_equal(got, wanted)
    assert (matrix.shape, matrix.dtype) == (a.shape, tf.float32)


def test_sparse_matrices_of_chosen_entries() -> None:
    matrix = sparse_matrices.CSRSparseMatrix(_DENSE, indices=[[0, 1], [1, 0]])
    assert matrix.to_dense().numpy().tolist() == [[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]
    assert sparse_matrices.CSRSparseMatrix(matrix).sparse is not None
    with pytest.raises(tf.errors.InvalidArgumentError, match="only one of transpose and adjoint"):
        sparse_matrices.matmul(matrix, matrix, transpose_a=True, adjoint_a=True)


def test_the_tape_follows_sparse_matrices() -> None:
    values, dense = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(_DENSE)
    indices = tf.sparse.from_dense(_SPARSE).indices
    with tf.GradientTape() as tape:
        sparse = tf.SparseTensor(indices, tf.identity(values), [2, 3])
        y = sparse_matrices.matmul(sparse_matrices.CSRSparseMatrix(sparse), dense)
    by_values, by_dense = tape.gradient(y, [values, dense])
    assert by_values.numpy().tolist() == [1.0, 9.0, 5.0]
    assert by_dense.numpy().tolist() == [[1.0, 1.0], [3.0, 3.0], [2.0, 2.0]]


# --- smart_cond -------------------------------------------------------------------------------------


def test_values_of_predicates() -> None:
    value = tools.smart_constant_value
    for pred in (True, 1, 1.0, np.bool_(True), np.int32(1), tf.constant(True), tf.Variable(True)):
        assert value(pred)
    assert not value(0)
    for pred in (2, None, "a", [1]):
        with pytest.raises(TypeError, match="must be a Tensor, or a Python bool, or 1 or 0"):
            value(pred)
    with tf.Graph().as_default():
        assert value(tf.compat.v1.placeholder(tf.bool, [])) is None
        assert value(tf.constant(True))


def test_smart_case() -> None:
    case = tools.smart_case
    assert case([(True, lambda: 1), (False, lambda: 2)]) == 1
    assert case([(False, lambda: 1), (tf.constant(False), lambda: 2)], default=lambda: 3) == 3
    with pytest.raises(tf.errors.InvalidArgumentError):
        case([(False, lambda: 1)])
    with pytest.raises(TypeError, match="pred must be a Tensor"):
        case([(1, lambda: 1)])
