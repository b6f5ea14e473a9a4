"""Steps of `fit` and `predict` of unmodified Keras. Who imports this decides what `tensorflow` is."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ["KERAS_BACKEND"] = "tensorflow"
# Where tools/install_keras.py puts Keras for tapegrad; TensorFlow's environment has its own.
sys.path.append(str(Path(sys.prefix) / "keras"))

import keras  # reads the backend when it is imported

Step = Callable[[], Any]
STEPS = 20  # of one call of `fit`, whose own beginning and end are a part of what users wait for


def mlp(eager: bool) -> Step:
    model = keras.Sequential(
        [keras.Input([784]), keras.layers.Dense(128, activation="relu"), keras.layers.Dense(10)]
    )
    return _fit(model, _reals(784), eager)


def cnn(eager: bool) -> Step:
    model = keras.Sequential(
        [
            keras.Input([28, 28, 1]),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )
    return _fit(model, _reals(28, 28, 1), eager)


def lstm(eager: bool) -> Step:
    model = keras.Sequential([keras.Input([20, 32]), keras.layers.LSTM(64), keras.layers.Dense(10)])
    return _fit(model, _reals(20, 32), eager)


def predict(name: str) -> Step:
    """`predict` of a model of `keras.applications`, on one batch of 16 pictures of 96 x 96."""
    keras.utils.set_random_seed(0)
    model = getattr(keras.applications, name)(weights=None, input_shape=(96, 96, 3))
    x = np.random.default_rng(0).random((16, 96, 96, 3), dtype=np.float32)
    return lambda: [model.predict(x, verbose=0)]


def _reals(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=(32 * STEPS, *shape)).astype(np.float32)


def _fit(model: Any, x: Any, eager: bool) -> Step:
    for variable in model.trainable_variables:
        size = np.sqrt(np.prod(variable.shape))
        variable.assign(
            np.random.default_rng(1).normal(size=variable.shape).astype(np.float32) / size
        )
    labels = np.random.default_rng(2).integers(0, 10, len(x))
    model.compile(
        keras.optimizers.Adam(),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        run_eagerly=eager,
    )

    def step() -> Any:
        history = model.fit(x, labels, batch_size=32, shuffle=False, verbose=0)
        return [np.asarray(history.history["loss"])]

    return step
