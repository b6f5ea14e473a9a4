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
CLASSES = 100  # of the models of `keras.applications`
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


def answer(name: str, items: str) -> Step:
    """`predict_on_batch` of a model of `keras.applications`, whose answer holds the weights too."""
    model, x = _network(name, int(items))

    def step() -> Any:
        return [model.predict_on_batch(x)]

    step.answer = lambda: [_sums(model), *step()]  # type: ignore[attr-defined]
    return step


def learn(name: str, items: str) -> Step:
    """`train_on_batch` of the same. The answer is of the weights before the first step, and its loss."""
    model, x = _network(name, int(items))
    labels = np.arange(len(x)) % CLASSES
    # So small a rate that a step of another library may differ in its last bits, and the next be alike.
    model.compile(
        keras.optimizers.SGD(1e-6), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    weights = _sums(model)

    def step() -> Any:
        return [np.asarray(model.train_on_batch(x, labels))]

    step.answer = lambda: [weights, *step()]  # type: ignore[attr-defined]
    return step


def _network(name: str, items: int) -> tuple[Any, Any]:
    """A model that answers with logits, whose normalisations do something, and pictures of 96 x 96."""
    keras.utils.set_random_seed(0)
    model = getattr(keras.applications, name)(
        weights=None, input_shape=(96, 96, 3), classes=CLASSES, classifier_activation=None
    )
    drawn = np.random.default_rng(1)
    for weight in model.weights:
        if weight.name in ("gamma", "moving_variance"):
            weight.assign(drawn.uniform(0.8, 1.25, weight.shape).astype(np.float32))
        elif weight.name in ("beta", "moving_mean", "bias"):
            weight.assign(drawn.uniform(-0.1, 0.1, weight.shape).astype(np.float32))
    x = np.random.default_rng(0).random((items, 96, 96, 3), dtype=np.float32)
    return model, x


def _sums(model: Any) -> Any:
    return np.array([np.abs(np.asarray(weight)).sum() for weight in model.weights])


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
