"""`tf.test`, `tf.DeviceSpec`, `tf.sysconfig` and settings of `tf.config`, as TensorFlow 2.21 answers."""

from __future__ import annotations

import os
import random
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

Spec = tf.DeviceSpec


class Case(tf.test.TestCase):
    """A test case whose assertions the tests call."""

    __test__ = False

    def runTest(self) -> None:
        """Nothing."""


case = Case()
NAN = float("nan")


@pytest.mark.parametrize(
    "passes",
    [
        lambda: case.assertAllEqual(tf.constant([1, 2]), [1, 2]),
        lambda: case.assertAllEqual(tf.constant([1.0, NAN]), [1.0, NAN]),
        lambda: case.assertAllEqual(tf.constant(["a", "é"]), ["a", "é"]),
        lambda: case.assertAllEqual([tf.constant(1), tf.constant(2)], np.array([1, 2])),
        lambda: case.assertAllEqual(tf.zeros([0, 2]), np.zeros([0, 2])),
        lambda: case.assertNotAllEqual([1, 2], [1, 3]),
        lambda: case.assertAllClose(tf.constant([1.0, 2.0]), [1.0 + 1e-7, 2.0]),
        lambda: case.assertAllClose({"a": tf.constant(1.0), "b": [1, 2]}, {"a": 1, "b": (1, 2)}),
        lambda: case.assertAllClose([tf.ones([2]), tf.ones([3])], [[1, 1], [1, 1, 1]]),
        lambda: case.assertAllClose(tf.constant(1.0, tf.float16), 1.0005),
        lambda: case.assertNotAllClose(1.0, 1.1),
        lambda: case.assertAllCloseAccordingToType(tf.constant(1.0, tf.bfloat16), 1.005),
        lambda: case.assertAllGreater(tf.constant([1, 2]), 0),
        lambda: case.assertAllGreaterEqual([1, 2], 1),
        lambda: case.assertAllLess([1, 2], 3),
        lambda: case.assertAllLessEqual([1, 2], 2),
        lambda: case.assertAllInRange([1, 2], 1, 2),
        lambda: case.assertAllInSet(tf.constant([1, 2, 1]), {1, 2}),
        lambda: case.assertShapeEqual(tf.zeros([2, 3]), np.zeros([2, 3])),
        lambda: case.assertDTypeEqual(tf.zeros([2]), np.float32),
        lambda: case.assertNear(1.0, 1.1, 0.2),
        lambda: case.assertNear(np.array([1.0]), tf.constant([[1.1]]), 0.2),
        lambda: case.assertArrayNear([1.0], [1.1], 0.2),
        lambda: case.assertNDArrayNear(tf.ones([2]), tf.ones([2]), 0.0),
        lambda: case.assertLen([1, 2], 2),
        lambda: case.assertEmpty([]),
        lambda: case.assertNotEmpty([1]),
        lambda: case.assertItemsEqual([1, 2], [2, 1]),
        lambda: case.assertSameElements([1, 1, 2], [2, 1]),
        lambda: case.assertSequenceAlmostEqual([1.0], [1.0001], places=3),
        lambda: case.assertStartsWith("abc", "ab"),
        lambda: case.assertEndsWith("abc", "bc"),
        lambda: case.assertBetween(1, 0, 2),
    ],
)
def test_assertions_that_pass(passes: Callable[[], None]) -> None:
    passes()


@pytest.mark.parametrize(
    "fails",
    [
        lambda: case.assertAllEqual(tf.constant([1, 2]), [1, 3]),
        lambda: case.assertAllEqual([1, 2], [1, 2, 3]),
        lambda: case.assertAllEqual(tf.constant(["a"]), ["b"]),
        lambda: case.assertNotAllEqual([1], [1]),
        lambda: case.assertAllClose(1.0, 1.1),
        lambda: case.assertAllClose(1.0, NAN),
        lambda: case.assertAllClose({"a": 1}, {"b": 1}),
        lambda: case.assertNotAllClose(1.0, 1.0),
        lambda: case.assertAllGreater([1, 2], 1),
        lambda: case.assertAllLess([1, 2], 2),
        lambda: case.assertAllInRange([1, 2], 1, 2, open_upper_bound=True),
        lambda: case.assertAllInSet([1, 3], {1, 2}),
        lambda: case.assertShapeEqual(tf.zeros([2]), np.zeros([3])),
        lambda: case.assertDTypeEqual(tf.zeros([2]), tf.int32),
        lambda: case.assertNear(1.0, 1.1, 0.01),
        lambda: case.assertNear(np.array([1.0]), np.array([1.1]), 0.01),
        lambda: case.assertLen([1], 2),
        lambda: case.assertEmpty([1]),
        lambda: case.assertStartsWith("abc", "b"),
    ],
)
def test_assertions_that_fail(fails: Callable[[], None]) -> None:
    with pytest.raises(AssertionError):
        fails()


def test_a_failure_says_where_and_what() -> None:
    with pytest.raises(AssertionError, match=r"1 of 4 elements are not equal; at \(1, 0\)"):
        case.assertAllEqual(tf.constant([[1, 2], [3, 4]]), [[1, 2], [0, 4]])


def test_errors() -> None:
    with case.assertRaisesOpError("inner|size|shape|Matrix"):
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    with (
        pytest.raises(AssertionError, match="does not match"),
        case.assertRaisesWithPredicateMatch(ValueError, "xyz"),
    ):
        raise ValueError("abc")
    with (
        pytest.raises(AssertionError, match="not raised"),
        case.assertRaisesWithPredicateMatch(ValueError, lambda error: True),
    ):
        pass


def test_values_and_folders() -> None:
    values = case.evaluate({"a": tf.constant([1]), "b": 2})
    assert isinstance(values["a"], np.ndarray)
    assert values["b"] == 2
    assert type(case.evaluate(tf.constant(1))) is np.int32
    assert case.evaluate(tf.constant("a")) == b"a"
    with case.session(), case.cached_session():
        pass
    folder = case.get_temp_dir()
    assert folder == case.get_temp_dir()
    case.doCleanups()
    assert not os.path.exists(folder)


@pytest.mark.parametrize("name", ["session", "cached_session", "test_session"])
def test_sessions_of_a_graph(name: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder_with_default([[1.0, 2.0]], [None, 2])
        values = {"y": x * 2.0, "sparse": tf.sparse.from_dense(x), "number": 3}
        with getattr(case, name)() as session:
            assert session.graph is graph
            assert tf.compat.v1.get_default_session() is session
            assert (x + 1.0).eval({x: [[3.0, 4.0]]}).tolist() == [[4, 5]]
            assert session.run(x * 2.0, {x: [[5.0, 6.0]]}).tolist() == [[10, 12]]
        with getattr(case, name)(graph=tf.Graph()) as other:
            assert other.graph is tf.compat.v1.get_default_graph() is not graph
        found = case.evaluate(values)
        assert found["y"].tolist() == [[2, 4]]
        assert found["sparse"].values.tolist() == [1, 2]
        assert found["number"] == 3
        case.assertAllClose(x * 2.0, [[2.0, 4.0]])
        noise = tf.random.uniform(tf.shape(x))
        case.assertAllEqual(*case.evaluate([noise, noise + 0.0]))  # in one run
    with getattr(case, name)() as session:
        assert session.run({"a": [tf.constant([1, 2])]})["a"][0].tolist() == [1, 2]
        with pytest.raises(NotImplementedError, match="feed_dict"):
            session.run(tf.constant(1.0), {"x": 1.0})


def test_a_cached_session_is_that_of_the_graph() -> None:
    with tf.Graph().as_default():
        with case.cached_session() as first, case.cached_session() as second:
            assert first is second
        with case.session() as third:
            assert first is not third
        with case.cached_session() as fourth:
            assert first is fourth
    with tf.Graph().as_default(), case.cached_session() as fifth:
        assert first is not fifth


def test_gradients_by_differences() -> None:
    one = tf.constant([1.0, 2.0])
    (tape,), (differences,) = tf.test.compute_gradient(lambda x: x * x, [one])
    assert tape.tolist() == [[2, 0], [0, 4]]
    np.testing.assert_allclose(differences, tape, atol=1e-3)
    assert differences.dtype == np.float32
    tape, differences = tf.test.compute_gradient(
        lambda x, y: tf.reduce_sum(x * y), [one, tf.constant([3.0, 4.0])], delta=1e-2
    )
    assert [each.tolist() for each in tape] == [[[3, 4]], [[1, 2]]]
    np.testing.assert_allclose(differences[1], [[1, 2]], atol=1e-3)
    (tape,), _ = tf.test.compute_gradient(tf.stop_gradient, [one])
    assert not tape.any()
    with pytest.raises(ValueError, match="list or tuple"):
        tf.test.compute_gradient(lambda x: x, 3.0)
    with pytest.raises(AssertionError, match="unsupported type int32 of argument 0"):
        tf.test.compute_gradient(lambda x: x, [tf.constant([1])])
    with pytest.raises(AssertionError, match="unsupported type bool of y"):
        tf.test.compute_gradient(tf.math.is_nan, [one])
    with pytest.raises(AttributeError, match="one tensor"):
        tf.test.compute_gradient(lambda x: (x, x), [one])
    assert tf.test.compute_gradient(lambda: one, []) == ()


def test_gradients_of_complex_numbers_are_matrices_of_their_parts() -> None:
    z = tf.constant([1 + 2j, 1j], tf.complex64)
    (tape,), (differences,) = tf.test.compute_gradient(tf.square, [z])
    expected = [[2, -4, 0, 0], [4, 2, 0, 0], [0, 0, 0, -2], [0, 0, 2, 0]]
    assert tape.tolist() == expected
    np.testing.assert_allclose(differences, expected, atol=1e-3)
    assert tape.dtype == differences.dtype == np.float32
    (tape,), (differences,) = tf.test.compute_gradient(tf.abs, [z])
    assert tape.shape == differences.shape == (2, 4)
    np.testing.assert_allclose(tape, differences, atol=1e-3)


def test_gradients_of_nothing_have_no_elements() -> None:
    empty = np.zeros((0, 2))
    (tape,), (differences,) = tf.test.compute_gradient(lambda x: x * x, [empty])
    assert tape.shape == differences.shape == (0, 0)
    (tape,), (differences,) = tf.test.compute_gradient(lambda x: tf.reduce_sum(x)[None], [empty])
    assert tape.shape == differences.shape == (1, 0)


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ({}, ""),
        (
            {"job": "w", "task": 1, "device_type": "gpu", "device_index": 2},
            "/job:w/task:1/device:GPU:2",
        ),
        ({"replica": "3"}, "/replica:3"),
        ({"device_type": "CPU", "device_index": "0"}, "/device:CPU:0"),
        ({"device_type": "CPU"}, "/device:CPU:*"),
    ],
)
def test_names_of_devices(parts: dict[str, Any], name: str) -> None:
    assert Spec(**parts).to_string() == name
    assert Spec.from_string(name) == Spec(**parts)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/job:w/task:3/device:CPU:0", "/job:w/task:3/device:CPU:0"),
        ("/cpu:0", "/device:CPU:0"),
        ("CPU:0", "/device:CPU:0"),
        ("/gpu:*", "/device:GPU:*"),
        ("cpu", "/device:CPU:*"),
        ("/device:gpu:1", "/device:GPU:1"),
        ("/device:CPU", None),
        ("/foo", None),
        ("/cpu:0/gpu:1", None),
        ("/task:x", None),
    ],
)
def test_reading_names_of_devices(name: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match=r"device|invalid literal"):
            Spec.from_string(name)
    else:
        assert Spec.from_string(name).to_string() == expected


def test_specs_of_devices() -> None:
    one, other = Spec.from_string("/job:w/device:GPU:0"), Spec.from_string("/task:1/cpu:0")
    assert one.make_merged_spec(other).to_string() == "/job:w/task:1/device:CPU:0"
    assert other.make_merged_spec(one).to_string() == "/job:w/task:1/device:GPU:0"
    assert one.replace(job=None, device_index=3).to_string() == "/device:GPU:3"
    with pytest.raises(TypeError):
        one.replace(z=1)
    assert one == Spec.from_string("/job:w/gpu:0")
    assert one != "/job:w/gpu:0"
    assert hash(one) == hash(Spec.from_string("/job:w/gpu:0"))
    assert one.parse_from_string("/cpu:1").to_string() == "/device:CPU:1"
    assert repr(one) == (
        "<DeviceSpec(job=w, replica=None, task=None, device_type=GPU, device_index=0)>"
    )
    with pytest.raises(AttributeError):
        one.job = "x"
    with tf.device(Spec(device_type="CPU", device_index=0)):
        assert tf.ones([2]).device.endswith("CPU:0")


def test_settings() -> None:
    experimental, optimizer = tf.config.experimental, tf.config.optimizer
    assert experimental.get_device_details(tf.config.list_physical_devices("CPU")[0]) == {}
    with pytest.raises(ValueError, match="PhysicalDevice"):
        experimental.get_device_details(3)
    assert experimental.get_device_policy() == "silent"
    experimental.set_device_policy("warn")
    assert experimental.get_device_policy() == "warn"
    with pytest.raises(ValueError, match="Invalid argument `device_policy`"):
        experimental.set_device_policy("x")
    experimental.set_device_policy(None)
    assert experimental.get_device_policy() == "silent"
    assert experimental.get_synchronous_execution() is True
    experimental.set_synchronous_execution(False)
    assert experimental.get_synchronous_execution() is False
    experimental.set_synchronous_execution(True)
    assert experimental.tensor_float_32_execution_enabled() is True
    experimental.enable_tensor_float_32_execution(False)
    assert experimental.tensor_float_32_execution_enabled() is False
    experimental.enable_tensor_float_32_execution(True)
    assert optimizer.get_jit() == ""
    optimizer.set_jit(True)
    assert optimizer.get_jit() == "autoclustering"
    optimizer.set_jit(False)
    assert optimizer.get_jit() == ""
    defaults = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    assert optimizer.get_experimental_options() == defaults
    optimizer.set_experimental_options({"layout_optimizer": False, "no such": True})
    told = [*optimizer.get_experimental_options().items()]
    assert told == [("layout_optimizer", False), *defaults.items()]
    tf.config.experimental_run_functions_eagerly(True)
    assert tf.config.experimental_functions_run_eagerly() is True
    tf.config.run_functions_eagerly(False)
    tf.test.experimental.sync_devices()


def test_the_build() -> None:
    assert [*tf.sysconfig.get_build_info().items()] == [
        ("is_cuda_build", False),
        ("is_rocm_build", False),
        ("is_tensorrt_build", False),
    ]
    assert tf.test.gpu_device_name() == ""
    assert not tf.test.is_gpu_available()
    assert not tf.test.is_built_with_cuda()
    for name in ("get_include", "get_lib", "get_compile_flags", "get_link_flags"):
        with pytest.raises(NotImplementedError, match="is not part of tapegrad"):
            getattr(tf.sysconfig, name)()


def test_each_test_begins_with_the_same_seeds() -> None:
    drawn = []

    class Draws(tf.test.TestCase):
        def test_first(self) -> None:
            drawn.append((float(tf.random.uniform([], seed=3)), np.random.rand(), random.random()))

        test_second = test_first

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Draws)
    result = unittest.TestResult()
    state, kept = random.getstate(), np.random.get_state()
    try:
        suite.run(result)
    finally:
        random.setstate(state)
        np.random.set_state(kept)
    assert result.wasSuccessful()
    assert [reason for _, reason in result.skipped] == ["Not a test."]  # test_session
    # TensorFlow's test cases draw these.
    assert drawn == [(0.38692939281463623, 0.18463433217903202, 0.3499765785632496)] * 2


def test_objects_that_are_no_tensors_are_compared() -> None:
    functions = [len, print]
    case.assertAllEqual(functions, functions)
    with pytest.raises(AssertionError):
        case.assertAllEqual(functions, [len, len])


def test_ragged_tensors_are_compared() -> None:
    case = Case()
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    near = tf.ragged.constant([[1.0, 2.0], [], [3.0000002]])
    deep = tf.ragged.constant([[[1.0]], [[2.0], [3.0, np.nan]]])
    case.assertAllEqual(rows, rows)
    case.assertAllEqual(rows, [[1, 2], [], [3]])
    case.assertAllEqual([[1, 2], [], [tf.constant(3.0)]], rows)
    case.assertAllEqual(tf.ragged.constant([["a"], []]), [[b"a"], []])
    case.assertAllEqual(deep, [[[1]], [[2], [3, np.nan]]])
    case.assertAllClose(rows, near)
    case.assertAllClose({"rows": [rows, deep]}, {"rows": [near, deep]})
    case.assertNotAllEqual(rows, near)
    case.assertNotAllClose(rows, [[1, 2], [], [4]])
    assert case.evaluate(rows) is rows
    square = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]])
    for one, other in (
        (rows, [[1, 2], [3]]),  # other rows
        (rows, [[1, 2], [0], [3]]),
        (rows, [[1, 2], 3, [3]]),
        (rows, 3.0),
        (rows, deep),
        (square, tf.constant([[1.0, 2.0], [3.0, 4.0]])),  # another class
    ):
        for passes in (case.assertAllEqual, case.assertAllClose):
            for pair in ((one, other), (other, one)):
                with pytest.raises(AssertionError):
                    passes(*pair)


def test_what_can_be_called_is_called_for_its_value() -> None:
    case = Case()
    step = tf.function(lambda: {"loss": tf.constant(2.0), "more": lambda: tf.constant([1, 2])})
    assert case.evaluate(lambda: tf.constant(3)) == 3
    assert case.evaluate([step.python_function, 1])[0]["more"].tolist() == [1, 2]
    sparse = case.evaluate({"sparse": tf.sparse.from_dense([0.0, 5.0])})["sparse"]
    assert type(sparse) is tf.compat.v1.SparseTensorValue
    assert [part.tolist() for part in sparse] == [[[1]], [5.0], [2]]


def test_lists_of_several_lengths_are_compared() -> None:
    case = Case()
    case.assertAllEqual([[[2]], [[2], [3]]], [[[2]], [[2], [3]]])
    with pytest.raises(AssertionError, match="1 of 2 elements are not equal"):
        case.assertAllEqual([[[2]], [[2], [3]]], [[[2]], [[2], [4]]])


def test_each_test_begins_with_a_new_default_graph() -> None:
    before = tf.compat.v1.get_default_graph()
    case = Case()
    case.setUp()
    assert tf.compat.v1.get_default_graph() is not before
    with tf.Graph().as_default() as graph:
        case.setUp()
        assert tf.compat.v1.get_default_graph() is graph


def test_what_is_written_is_captured() -> None:
    case = Case()
    with tempfile.TemporaryFile("w") as stream:
        with case.captureWritesToStream(stream) as captured:
            stream.write("one\n")
            assert captured.contents() == "one\n"
            stream.write("two\n")
        stream.write("three\n")
        stream.flush()
        assert captured.contents() == "one\ntwo\n"
        assert os.fstat(stream.fileno()).st_size == len("three\n")
    case.doCleanups()
