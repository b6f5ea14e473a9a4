"""`tf.lite.Interpreter` is LiteRT's, where that is installed. A module in its place stands for it here."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import tapegrad as tf
from tapegrad.extras import MissingPackage


class Theirs:
    """LiteRT's interpreter, which notes its arguments."""

    def __init__(self, model_path: str | None = None, num_threads: int | None = None) -> None:
        self.arguments = model_path, num_threads


@pytest.fixture
def litert(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("ai_edge_litert"), ModuleType("ai_edge_litert.interpreter")
    module.Interpreter = Theirs  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ai_edge_litert", package)
    monkeypatch.setitem(sys.modules, "ai_edge_litert.interpreter", module)


@pytest.mark.usefixtures("litert")
def test_a_call_makes_an_interpreter_of_litert() -> None:
    interpreter = tf.lite.Interpreter("model.tflite", num_threads=2)
    assert type(interpreter) is Theirs
    assert interpreter.arguments == ("model.tflite", 2)
    assert isinstance(interpreter, tf.lite.Interpreter)
    assert isinstance(interpreter, tf.compat.v1.lite.Interpreter)
    assert not isinstance(tf.constant(1.0), tf.lite.Interpreter)


def test_nothing_is_one_and_nothing_is_loaded_without_litert(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ai_edge_litert", None)  # as if it were not installed
    assert not isinstance(tf.constant(1.0), tf.lite.Interpreter)
    with pytest.raises(MissingPackage, match=r'ai-edge-litert.*"tapegrad\[lite\]"'):
        tf.lite.Interpreter("model.tflite")
