"""Decorators of TensorFlow's own test cases, which tests of libraries import: where a test runs."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.annex.tensorflow_shim import internals


def value(name: str) -> Any:
    return internals.value_of("python.framework.test_util", name)


def places_of(decorate: Any) -> tuple[list[tuple[str, bool]], unittest.TestResult]:
    """Whether each method of a class of test cases, decorated, ran eagerly, and the result of its test."""
    places: list[tuple[str, bool]] = []

    class Case(tf.test.TestCase):
        def setUp(self) -> None:
            super().setUp()
            places.append(("setUp", tf.executing_eagerly()))

        def helper(self) -> None:
            places.append(("helper", tf.executing_eagerly()))

        def test_place(self) -> None:
            places.append(("test", tf.executing_eagerly()))
            self.helper()

    result = unittest.TestResult()
    decorate(Case)("test_place").run(result)
    return places, result


@pytest.mark.parametrize(
    ("name", "eagerly"),
    [
        ("run_all_in_deprecated_graph_mode_only", [True, False, False]),
        ("deprecated_graph_mode_only", [False, False, False]),
        ("run_deprecated_v1", [False, False, False]),
        ("run_all_in_graph_and_eager_modes", [True, True, True]),
        ("with_control_flow_v2", [True, True, True]),
    ],
)
def test_classes_of_tests_run_where_their_decorator_says(name: str, eagerly: list[bool]) -> None:
    places, result = places_of(value(name))
    assert result.wasSuccessful()
    assert places == list(zip(["setUp", "test", "helper"], eagerly, strict=True))
    assert tf.executing_eagerly()


def test_tests_for_another_machine_or_version_are_skipped() -> None:
    for decorate, said in [
        (value("run_v1_only")("graphs"), "graphs"),
        (value("run_v1_only"), "Test is only compatible with v1"),
        (value("run_gpu_only"), "Test requires GPU"),
        (value("run_cuda_only"), "Test requires GPU"),
    ]:
        places, result = places_of(decorate)
        assert places == []
        assert [reason for _, reason in result.skipped] == [said]


def test_a_test_in_a_graph_has_a_graph_of_its_own() -> None:
    class Case(tf.test.TestCase):
        @value("deprecated_graph_mode_only")
        def test_value(self) -> None:
            given = tf.compat.v1.placeholder(tf.float32, [])
            with self.session() as session:
                assert session.run(tf.gradients(given * given, given), {given: 3.0}) == [6.0]
            assert given.name == "Placeholder:0"  # names are numbered in each graph

    for _ in range(2):
        result = unittest.TestResult()
        Case("test_value").run(result)
        assert result.wasSuccessful(), result


def test_tests_run_as_often_as_their_decorator_says() -> None:
    def runs(decorate: Any) -> list[bool]:
        eagerly: list[bool] = []
        decorate(lambda self: eagerly.append(tf.executing_eagerly()))(None)
        return eagerly

    assert runs(value("also_run_as_tf_function")) == [True, False]
    for once in [
        value("run_in_graph_and_eager_modes"),
        value("run_in_v1_v2")(),
        value("run_v2_only"),
        value("disable_xla")("not compiled"),
        value("run_without_tensor_float_32")("digits"),
        value("skip_if")(False),
        value("skip_if")(lambda: False),
    ]:
        assert runs(once) == [True]
    assert runs(value("skip_if")(True)) == runs(value("skip_if")(lambda: True)) == []
    for block in ("device", "use_gpu", "force_cpu"):
        with value(block)(*[False] * (block == "device")):
            assert tf.executing_eagerly()
