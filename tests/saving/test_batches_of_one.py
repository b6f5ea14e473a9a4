"""Functions that normalise are saved, and recorded, for batches of any size: one example is a batch too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

OPEN = tf.TensorSpec([None, 4])
SIZES = (3, 5, 1, 2, 1)


class Normalized(tf.Module):
    """Normalisation of rows by themselves, and of columns by moments that are kept or those of the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = tf.Variable([1.0, 2.0, 3.0, 4.0])
        self.offset = tf.Variable([0.5, 0.0, -0.5, 1.0])
        self.mean = tf.Variable([0.1, 0.2, 0.3, 0.4])
        self.variance = tf.Variable([1.0, 2.0, 0.5, 4.0])

    def rows(self, x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, self.offset, self.scale, 1e-3)

    def columns(self, x: Any) -> Any:
        return tf.nn.batch_normalization(x, self.mean, self.variance, self.offset, self.scale, 1e-3)

    def columns_of_batch(self, x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [0])
        return tf.nn.batch_normalization(x, mean, variance, self.offset, self.scale, 1e-3)


def batches() -> list[Any]:
    rng = np.random.default_rng(0)
    return [tf.constant(rng.normal(size=[size, 4]), tf.float32) for size in SIZES]


@pytest.mark.parametrize("method", ["rows", "columns", "columns_of_batch"])
@pytest.mark.parametrize("format", [None, "tensorflow"])
def test_saved_functions_take_one_example(method: str, format: str | None, tmp_path: Path) -> None:
    module: Any = Normalized()
    module.call = tf.function(getattr(module, method), input_signature=[OPEN])
    tf.saved_model.save(module, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    for x in batches():
        np.testing.assert_allclose(loaded.call(x), getattr(module, method)(x), atol=1e-6)


@pytest.mark.parametrize("method", ["rows", "columns", "columns_of_batch"])
def test_recorded_steps_take_one_example(method: str) -> None:
    module = Normalized()
    function = getattr(module, method)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(function(x) ** 3)
        return loss, tape.gradient(loss, [x, module.scale, module.offset])

    recorded = tf.function(step)
    for x in batches():
        for one, other in zip(tf.nest.flatten(recorded(x)), tf.nest.flatten(step(x)), strict=True):
            assert np.array_equal(one, other)
    replays = sum(program.replays for program in recorded._recordings.values())
    assert replays >= len(SIZES) - 3, "recorded for one size, for all, and for 1 at most"
