"""Names inside TensorFlow: each leads to ours, or to what says when it is called that it is not here."""

from __future__ import annotations

import functools
import gzip
import inspect
import json
import pickle
import sys
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest

import golden
import tapegrad as tf
from tapegrad.annex.tensorflow_shim import (
    absent,
    data_nest,
    generated,
    internals,
    monitoring,
    sparse_matrices,
    tools,
    type_numbers,
)
from tapegrad.annex.tensorflow_shim.absent import AbsentClass, inventory


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


def test_the_reason_is_that_of_the_whole_word() -> None:
    assert absent.reason("python.tpu.tpu_embedding.TPUEmbedding") == "there are no TPUs here"
    assert absent.reason("python.ops.gen_tpu_ops.all_to_all") == "there are no TPUs here"
    assert absent.reason("python.layers.utils.conv_output_length") == absent.REASONS[-1][1]


def test_a_module_has_what_it_imports_from_another() -> None:
    """``from ... import *`` binds such names too: DeepCTR subclasses a cell that it has from there."""
    cells, functions = (
        internals.Internals(f"tensorflow.python.ops.{name}")
        for name in ("rnn_cell", "rnn_cell_impl")
    )
    assert {"RNNCell", "LSTMStateTuple", "assert_like_rnncell"} <= {*cells.__all__} & {*dir(cells)}
    assert cells.RNNCell is functions.RNNCell
    assert issubclass(type("Cell", (cells.RNNCell,), {}), functions.RNNCell)
    with pytest.raises(NotImplementedError, match="old copy of Keras is not here"):
        cells.BasicLSTMCell(3)


def test_names_of_the_module_that_tests_of_programs_import() -> None:
    tests, google = (
        internals.Internals(f"tensorflow.python.platform.{name}") for name in ("test", "googletest")
    )
    assert tests.TestCase is tf.test.TestCase
    assert tests.mock is mock
    assert tests.main is google.main is tf.test.main
    assert tests.get_temp_dir() == google.GetTempDir()
    assert not tests.is_built_with_rocm()


def test_no_reason_is_stale() -> None:
    paths = [f"{path}.{name}" for path, names in inventory().items() for name in names]
    said = {absent.reason(path) for path in paths}
    assert said == {reason for _, reason in absent.REASONS}


def test_absent_classes_are_base_classes_and_types() -> None:
    hook = internals.value_of("python.training.session_manager", "SessionManager")
    assert isinstance(hook, type)
    assert not isinstance(3, hook)

    class Own(hook):  # type: ignore[misc, valid-type]  # a class that is made when the test runs
        pass

    for kind in (hook, Own):
        with pytest.raises(NotImplementedError, match=r"SessionManager is not here: "):
            kind()
    assert repr(hook) == "<class 'tensorflow.python.training.session_manager.SessionManager'>"


def test_names_that_tensorflow_lacks_are_missing() -> None:
    for path in ("python.training.monitored_session", "python.ops.math_ops", "python.keras.layers"):
        with pytest.raises(AttributeError, match=f"module 'tensorflow.{path}' has no attribute"):
            internals.value_of(path, "nonsense")
    assert not internals.is_module("python.nonsense")


@pytest.mark.parametrize("version", ["tf_keras.api._v2.keras", "keras._tf_keras.keras"])
def test_names_of_the_old_keras_are_those_of_keras_2(version: str) -> None:
    """Where it is chosen, what has no public name is taken from its module of the same path."""
    chosen, utils = ModuleType(version), ModuleType("tf_keras.src.utils.conv_utils")
    utils.deconv_output_length = len  # type: ignore[attr-defined]
    for name in ("tf_keras", "tf_keras.src", "tf_keras.src.utils"):
        assert name not in sys.modules, "Keras 2 is loaded: run this test in a process of its own"
    made = {name: ModuleType(name) for name in ("tf_keras", "tf_keras.src", "tf_keras.src.utils")}
    made |= {"tapegrad.keras": chosen, utils.__name__: utils}
    with mock.patch.dict(sys.modules, made):
        found = internals.of_keras(["utils", "conv_utils"], "deconv_output_length")
        assert found is (len if version.startswith("tf_keras") else None)
        assert internals.of_keras(["utils", "conv_utils"], "nonsense") is None
        assert internals.of_keras(["utils", "nonsense"], "nonsense") is None
        assert internals.of_keras(["utils", "conv_utils"], "__path__") is None


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
    for module, spaces in internals.RECORDED.items():
        for name, type in generated.names_in(spaces.get(internals.IN_ORDER, "")).items():
            if name == type or type not in dir(tf.raw_ops):
                continue
            function = internals.value_of(module, name)
            seen.add(type)
            assert [*inspect.signature(function).parameters] == [*recorded[type], "name"], type
    assert len(seen) > 400


# --- NumPy's functions ------------------------------------------------------------------------------


def test_functions_of_numpy_are_those_of_the_public_namespace() -> None:
    tnp = tf.experimental.numpy
    for module, names in {
        "np_array_ops": "array zeros ravel where",
        "np_arrays": "ndarray",
        "np_dtypes": "float64 iinfo issubdtype",
        "np_math_ops": "sin matmul einsum pi",
        "np_utils": "result_type promote_types finfo",
    }.items():
        for name in names.split():
            value = internals.value_of(f"python.ops.numpy_ops.{module}", name)
            assert value is getattr(tnp, name), name
    enable = internals.value_of("python.ops.numpy_ops.np_config", "enable_numpy_behavior")
    assert enable is tnp.experimental_enable_numpy_behavior
    assert internals.value_of("python.ops.numpy_ops.np_random", "rand") is tnp.random.rand


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


# --- What libraries call while they are imported ----------------------------------------------------


def test_metrics() -> None:
    gauge = monitoring.BoolGauge("/a", "of a test", "label")
    assert gauge.get_cell("x").value() is False
    gauge.get_cell("x").set(True)
    assert gauge.get_cell("x").value() is True
    assert gauge.get_cell("y").value() is False
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        gauge.get_cell()
    counter = monitoring.Counter("/b", "of a test").get_cell()
    counter.increase_by(2)
    counter.increase_by(3)
    assert counter.value() == 5
    assert monitoring.StringGauge("/c", "of a test").get_cell().value() == ""
    assert monitoring.IntGauge("/d", "of a test").get_cell().value() == 0
    samples = monitoring.Sampler("/e", monitoring.ExponentialBuckets(1.0, 2.0, 3), "of a test")
    samples.get_cell().add(2.0)
    assert samples.get_cell().value() == [2.0]
    assert tf.__internal__.monitoring.BoolGauge is monitoring.BoolGauge


@pytest.mark.parametrize(
    ("value", "text", "of_repr"),
    [
        (1.5, "1.5", "1.5"),
        (True, "True", "True"),
        ([1.0, 2.0], "[1. 2.]", "array([1., 2.], dtype=float32)"),
        ("a", "b'a'", "b'a'"),
        (["a", "b"], "[b'a' b'b']", "array([b'a', b'b'], dtype=object)"),
        ([[1, 2], [3, 4]], "\n[[1 2]\n [3 4]]", "\narray([[1, 2],\n       [3, 4]], dtype=int32)"),
    ],
)
def test_values_are_printed_as_in_tensors(value: Any, text: str, of_repr: str) -> None:
    tensor = tf.constant(value)
    assert (tools.numpy_text(tensor), tools.numpy_text(tensor, is_repr=True)) == (text, of_repr)


def test_decorators_and_lists_of_names() -> None:
    assert tools.RegisterStatistics("Add", "flops")(abs) is abs
    tools.register_proto_function("variables", proto_type=int)
    tools.remove_undocumented(__name__, [])
    tools.reveal_undocumented("x")
    assert "monitoring" in tools.make_all(__name__)
    assert tools.get_tpu_context().number_of_shards is None


def test_numbers_of_types_and_messages() -> None:
    types = {
        name: internals.value_of("core.framework.types_pb2", name) for name in type_numbers.NAMES
    }
    assert (types["DT_FLOAT"], types["DT_HALF"], types["DT_STRING"]) == (1, 19, 7)
    assert (types["DT_FLOAT8_E4M3FN"], types["DT_INT2"], types["DT_INVALID"]) == (25, 31, 0)
    assert all(tf.as_dtype(number) for number in types.values() if number)
    assert len(types) == 34
    assert internals.value_of("core.framework.graph_pb2", "GraphDef") is tf.compat.v1.GraphDef
    for path, name in (
        ("attr_value_pb2", "AttrValue"),
        ("function_pb2", "FunctionDef"),
        ("node_def_pb2", "NodeDef"),
        ("tensor_shape_pb2", "TensorShapeProto"),
        ("versions_pb2", "VersionDef"),
    ):
        assert internals.value_of(f"core.framework.{path}", name)().SerializeToString() == b""


def test_hooks_of_sessions() -> None:
    train: Any = tf.compat.v1.train
    hook = train.SessionRunHook()
    context = train.SessionRunContext(train.SessionRunArgs("x"), None)
    hook.begin()
    hook.after_create_session(None, None)
    assert hook.before_run(context) is None
    hook.after_run(context, train.SessionRunValues(1, None, None))
    hook.end(None)
    context.request_stop()
    assert context.stop_requested
    assert context.original_args == ("x", None, None)


def test_specs_with_limits() -> None:
    bounded: Any = internals.value_of("python.framework.tensor_spec", "BoundedTensorSpec")
    spec = bounded([3], tf.float32, 0.0, [1.0, 2.0, 3.0], name="n")
    assert isinstance(spec, tf.TensorSpec)
    assert (spec.minimum.dtype, spec.maximum.tolist()) == (np.float32, [1.0, 2.0, 3.0])
    assert spec == bounded([3], tf.float32, 0.0, [1.0, 2.0, 3.0], name="n")
    assert spec != bounded([3], tf.float32, 0.0, 5.0, name="n")
    assert spec != tf.TensorSpec([3], tf.float32, name="n")
    assert hash(spec) == hash(bounded.from_spec(spec))
    assert bounded.from_spec(tf.TensorSpec([2], tf.uint8)).maximum == 255
    assert repr(spec).startswith(
        "BoundedTensorSpec(shape=(3,), dtype=tf.float32, name='n', minimum="
    )
    assert spec.is_compatible_with(tf.ones(3))
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert bounded([None, 2], tf.int64, [[0, 0]], 5).minimum.tolist() == [[0, 0]]
    for limits, said in (((None, 1.0), "can not be None"), (([0.0, 1.0], 1.0), "not compatible")):
        with pytest.raises(ValueError, match=f"`minimum` .*{said}"):
            bounded([3], tf.float32, *limits)


# --- Pictures in other sizes, as TensorFlow 1.x makes them --------------------------------------------

_PICTURES = np.arange(24, dtype=np.float32).reshape(2, 3, 4, 1)


@pytest.mark.parametrize(
    ("method", "settings", "first"),
    [
        (0, {}, [0.0, 2.0, 2.4, 4.4, 4.8, 6.8]),
        ("bilinear", {"align_corners": True}, [0.0, 3.0, 2.0, 5.0, 4.0, 7.0]),
        (1, {}, [0.0, 2.0, 0.0, 2.0, 4.0, 6.0]),
        (2, {}, [0.0, 2.0, 2.0144, 4.0144, 5.089, 7.089]),
        ("area", {}, [0.5, 2.5, 1.8333, 3.8333, 4.5, 6.5]),
    ],
)
def test_old_sizes_of_pictures(method: Any, settings: Any, first: list[float]) -> None:
    resize: Any = tf.compat.v1.image.resize
    got = resize(_PICTURES, [5, 2], method=method, **settings)
    np.testing.assert_allclose(tf.reshape(got, [-1])[:6], first, atol=1e-4)
    one = resize(_PICTURES[0], [5, 2], method=method, **settings)
    np.testing.assert_array_equal(one, got[0])


def test_old_sizes_of_pictures_and_dtypes() -> None:
    image: Any = tf.compat.v1.image
    whole = tf.cast(_PICTURES, tf.uint8)
    assert image.resize(whole, [3, 4]) is whole
    assert image.resize(whole, [6, 8]).dtype is tf.float32
    assert image.resize(whole, [6, 8], image.ResizeMethod.NEAREST_NEIGHBOR).dtype is tf.uint8
    assert image.resize(_PICTURES, [9, 4], preserve_aspect_ratio=True).shape == [2, 3, 4, 1]
    assert image.resize_images is image.resize
    half = image.resize_bilinear(_PICTURES, [5, 2], half_pixel_centers=True)
    np.testing.assert_allclose(tf.reshape(half, [-1])[:4], [0.5, 2.5, 2.1, 4.1], atol=1e-5)
    variable = tf.Variable(_PICTURES)
    with tf.GradientTape() as tape:
        y = image.resize(variable, [5, 2])
    by_pixel = tf.reshape(tape.gradient(y, variable), [-1])[:12]
    np.testing.assert_allclose(by_pixel, [1.4, 0, 1.4, 0, 1.6, 0, 1.6, 0, 2, 0, 2, 0], rtol=1e-6)
    for call, said in (
        (lambda: image.resize(_PICTURES[0, ..., 0], [2, 2]), "either 3 or 4 dimensions"),
        (lambda: image.resize(_PICTURES, 3), "must be a 1-D Tensor of 2 elements"),
        (lambda: image.resize(_PICTURES, [2.0, 2.0]), "must be a 1-D int32 Tensor"),
        (lambda: image.resize(_PICTURES, [2, 2], "lanczos3"), "is not implemented: lanczos3"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


# --- Arguments ----------------------------------------------------------------------------------------


class _Called:
    def __init__(self, q: Any) -> None:
        pass

    def __call__(self, z: Any) -> None:
        pass


def _arguments(a: Any, b: Any, c: Any = 3) -> None:
    pass


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (lambda a, b=1, *c: 0, (["a", "b"], "c", None, (1,))),
        (lambda a, *, b=1, **c: 0, (["a", "b"], None, "c", (1,))),
        (_Called, (["self", "q"], None, None, None)),
        (_Called(1), (["self", "z"], None, None, None)),
        (_Called(1).__call__, (["self", "z"], None, None, None)),
        (functools.partial(_arguments, 1), (["b", "c"], None, None, (3,))),
        (functools.partial(_arguments, b=2), (["a", "b", "c"], None, None, (2, 3))),
        (functools.partial(functools.partial(_arguments, 1), 2), (["c"], None, None, (3,))),
        (functools.partial(_Called, q=2), (["self", "q"], None, None, (2,))),
        (tf.function(_arguments), (["a", "b", "c"], None, None, (3,))),
        (len, (["obj"], None, None, None)),
    ],
)
def test_arguments_as_tensorflow_lists_them(obj: Any, expected: Any) -> None:
    assert tools.getargspec(obj) == expected


def test_arguments_that_cannot_be_listed() -> None:
    with pytest.raises(ValueError, match=r"\['b'\] do not have default value"):
        tools.getargspec(functools.partial(_arguments, a=5))


# --- Nests of data sets ---------------------------------------------------------------------------------


class _Pair(NamedTuple):
    a: Any
    b: Any


def test_in_nests_of_data_sets_lists_are_leaves() -> None:
    nest = {"b": (1, [2, 3]), "a": _Pair(4, "x")}
    assert data_nest.flatten(nest) == [4, "x", 1, [2, 3]]
    packed = data_nest.map_structure(lambda x: (x,), nest)
    assert packed == {"b": ((1,), ([2, 3],)), "a": _Pair((4,), ("x",))}
    assert data_nest.pack_sequence_as(nest, [1, 2, 3, 4]) == {"b": (3, 4), "a": _Pair(1, 2)}
    assert data_nest.map_structure(lambda a, b: a + b, (1, 2), (3, 4)) == (4, 6)
    assert [data_nest.is_nested(each) for each in ([1], (1,), {}, 1)] == [False, True, True, False]
    assert data_nest.flatten([1, 2]) == [[1, 2]]
    assert data_nest.flatten_up_to((1, 1), ((1, 2), 3)) == [(1, 2), 3]
    assert data_nest.map_structure_up_to((1, 1), lambda x: [x], ((1, 2), 3)) == ([(1, 2)], [3])
    data_nest.assert_same_structure(nest, packed | {"b": (0, 0), "a": _Pair(0, 0)})
    data_nest.assert_same_structure((1, 2), _Pair(1, 2), check_types=False)
    for wrong, error in (
        (lambda: data_nest.assert_same_structure(nest, (1,)), TypeError),
        (lambda: data_nest.pack_sequence_as(nest, [1]), ValueError),
        (lambda: data_nest.map_structure(max, (1, 2), (1,)), ValueError),
        (lambda: data_nest.map_structure(max), ValueError),
        (lambda: data_nest.flatten_up_to((1, 1), 3), TypeError),
        (lambda: data_nest.flatten_up_to((1, 1), (1, 2, 3)), ValueError),
        (lambda: data_nest.flatten_up_to((1, 1), {1: 1, 2: 2}), TypeError),
        (lambda: data_nest.map_structure_up_to((1,), max), ValueError),
    ):
        with pytest.raises(error):
            wrong()


# --- Layers and what tf_slim, larq and tf-agents import ------------------------------------------------


def test_names_that_libraries_import_lead_somewhere() -> None:
    for module, names in {
        "python.layers.core": "Dense FullyConnected dense fully_connected",
        "python.layers.convolutional": "Convolution2D Deconv3D separable_convolution2d",
        "python.layers.pooling": "MaxPool2D avg_pool2d",
        "python.layers.base": "InputSpec Layer",
        "python.layers.utils": "smart_cond",
        "python.ops.metrics": "accuracy",
        "python.ops.metrics_impl": "mean_iou",
        "python.training.training": "AdagradOptimizer Saver Coordinator",
        "python.training.saver": "Saver",
        "python.summary.summary": "scalar merge_all FileWriter",
        "python.trackable.base": "no_automatic_dependency_tracking_scope",
        "python.distribute.sharded_variable": "ShardedVariable",
        "python.util.tf_inspect": "ArgSpec FullArgSpec getargspec",
    }.items():
        for name in names.split():
            assert not isinstance(internals.value_of(module, name), AbsentClass), (module, name)
            assert getattr(internals.value_of(module, name), "__doc__", "") not in _SAID
    scope = internals.value_of("python.framework.ops", "name_scope")
    assert scope is tf.compat.v1.name_scope


def test_attributes_set_in_a_scope_are_no_parts() -> None:
    scope = internals.value_of("python.trackable.base", "no_automatic_dependency_tracking_scope")
    module = tf.Module()
    checkpoint = tf.train.Checkpoint()
    with scope(checkpoint):
        checkpoint.hidden = tf.Variable(1.0)
    checkpoint.shown = tf.Variable(2.0)
    assert [*checkpoint._children(checkpoint)] == ["shown"]
    with pytest.raises(KeyError), scope(module):
        raise KeyError
    assert module._setattr_tracking


def test_classes_that_are_never_made_can_be_asked_for() -> None:
    sharded = tf.__internal__.distribute.ShardedVariable
    assert not isinstance(tf.Variable(1.0), sharded)
    with pytest.raises(NotImplementedError, match="needs a cluster of servers"):
        sharded([])


def test_libraries_read_the_global_seed() -> None:
    global_seed = internals.value_of("python.eager.context", "global_seed")
    try:
        tf.random.set_seed(5)
        assert global_seed() == 5
    finally:
        tf.random.set_seed(None)
    assert global_seed() is None


def test_specs_are_messages_with_a_text() -> None:
    encode = internals.value_of("python.saved_model.nested_structure_coder", "encode_structure")
    decode = internals.value_of("python.saved_model.nested_structure_coder", "decode_proto")
    bounded = internals.value_of("python.framework.tensor_spec", "BoundedTensorSpec")
    kind = internals.value_of("core.protobuf.struct_pb2", "StructuredValue")
    specs = {
        "action": bounded([2], tf.int32, 0, [5, 6], name="a"),
        "count": [7, (tf.TensorSpec([None]),)],
    }
    message = encode(specs)
    assert isinstance(message, kind)
    assert kind.DESCRIPTOR.fields_by_name["int64_value"].type == 18  # of descriptor.proto: sint64
    assert (
        str(encode(specs["count"])).split()
        == (
            "list_value { values { int64_value: 7 } values { tuple_value { values { tensor_spec_value { "
            "shape { dim { size: -1 } } dtype: DT_FLOAT } } } } }"
        ).split()
    )
    decoded = decode(kind.FromString(message.SerializeToString()))
    assert decoded == specs
    assert type(decoded["action"]) is bounded
    assert decoded["action"].maximum.tolist() == [5, 6]
