"""Steps of `fit` and `predict` of unmodified Keras. Who imports this decides what `tensorflow` is."""

import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ["KERAS_BACKEND"] = "tensorflow"
# Where tools/install_keras.py puts Keras for tapegrad; TensorFlow's environment has its own.
sys.path.append(str(Path(sys.prefix) / "keras"))

import keras  # reads the backend when it is imported

Step = Callable[[], Any]
CLASSES = 100  # of the networks, but for the U-Net
WORDS = 5000  # that those of texts know
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
    """`predict_on_batch` of one of the networks, whose answer holds the weights too."""
    model, x = _network(name, int(items))

    def step() -> Any:
        return [model.predict_on_batch(x)]

    step.answer = lambda: [_sums(model), *step()]  # type: ignore[attr-defined]
    return step


def learn(name: str, items: str) -> Step:
    """`train_on_batch` of the same. The answer is of the weights before the first step, and its loss."""
    model, x = _network(name, int(items))
    shape = (len(x), *model.output_shape[1:-1])
    labels = np.arange(np.prod(shape)).reshape(shape) % model.output_shape[-1]
    # So small a rate that a step of another library may differ in its last bits, and the next be alike.
    model.compile(
        keras.optimizers.SGD(1e-6), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    weights = _sums(model)

    def step() -> Any:
        return [np.asarray(model.train_on_batch(x, labels))]

    step.answer = lambda: [weights, *step()]  # type: ignore[attr-defined]
    return step


def first_calls(name: str, items: str) -> list[float]:
    """Processor seconds of `train_on_batch` of one of the networks, and then of `predict_on_batch`.

    Of each: an eager call, the first recorded one, and the first one with another batch size.
    """
    model, x = _network(name, int(items))
    labels = np.zeros((len(x), *model.output_shape[1:-1]), np.int32)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def train(count: int) -> None:
        model.train_on_batch(x[:count], labels[:count])

    def predict(count: int) -> None:
        model.predict_on_batch(x[:count])

    samples = []
    for eager in (True, False):
        for call in (train, predict):
            model.compile(keras.optimizers.SGD(1e-6), loss, run_eagerly=eager)
            samples.append([_processor_seconds(call, count) for count in (len(x), len(x) - 1)])
    (_, train_eager), (_, predict_eager), train_recorded, predict_recorded = samples
    return [train_eager, *train_recorded, predict_eager, *predict_recorded]


def _processor_seconds(call: Callable[[int], None], count: int) -> float:
    gc.collect()  # what earlier calls have left is no part of this one
    begun = time.process_time()
    call(count)
    return time.process_time() - begun


def _network(name: str, items: int) -> tuple[Any, Any]:
    """A model that answers with logits, whose normalisations do something, and what it reads."""
    keras.utils.set_random_seed(0)
    if name in OWN_NETWORKS:
        model = OWN_NETWORKS[name]()
    else:
        model = getattr(keras.applications, name)(
            weights=None, input_shape=(96, 96, 3), classes=CLASSES, classifier_activation=None
        )
    drawn = np.random.default_rng(1)
    for weight in model.weights:
        if weight.name in ("gamma", "moving_variance"):
            weight.assign(drawn.uniform(0.8, 1.25, weight.shape).astype(np.float32))
        elif weight.name in ("beta", "moving_mean", "bias"):
            weight.assign(drawn.uniform(-0.1, 0.1, weight.shape).astype(np.float32))
    drawn = np.random.default_rng(0)
    shape = (items, *model.input_shape[1:])
    if model.inputs[0].dtype == "int32":
        return model, drawn.integers(0, WORDS, shape, dtype=np.int32)
    return model, drawn.random(shape, dtype=np.float32)


def _gpt() -> Any:
    """Four layers of 256 with four heads, over 128 tokens."""
    tokens = keras.Input([128], dtype="int32")
    x = keras.layers.Embedding(WORDS, 256)(tokens)
    x += keras.layers.Embedding(128, 256)(keras.ops.arange(128))
    for _ in range(4):
        normalized = keras.layers.LayerNormalization()(x)
        x += keras.layers.MultiHeadAttention(4, 64)(normalized, normalized, use_causal_mask=True)
        hidden = keras.layers.Dense(1024, "gelu")(keras.layers.LayerNormalization()(x))
        x += keras.layers.Dense(256)(hidden)
    return keras.Model(tokens, keras.layers.Dense(CLASSES)(keras.layers.LayerNormalization()(x)))


def _bidirectional() -> Any:
    """An LSTM and a GRU over 100 words, both ways."""
    return keras.Sequential(
        [
            keras.Input([100], dtype="int32"),
            keras.layers.Embedding(WORDS, 64),
            keras.layers.Bidirectional(keras.layers.LSTM(64, return_sequences=True)),
            keras.layers.Bidirectional(keras.layers.GRU(64)),
            keras.layers.Dense(CLASSES),
        ]
    )


def _convolved(x: Any, filters: int) -> Any:
    for _ in range(2):
        x = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = keras.layers.ReLU()(keras.layers.BatchNormalization()(x))
    return x


def _unet() -> Any:
    """Three sizes down and up again, over pictures of 128 x 128, with one of four answers for a pixel."""
    pictures = keras.Input([128, 128, 3])
    x, skipped = pictures, []
    for filters in (16, 32, 64):
        x = _convolved(x, filters)
        skipped.append(x)
        x = keras.layers.MaxPooling2D()(x)
    x = _convolved(x, 128)
    for filters in (64, 32, 16):
        x = keras.layers.Conv2DTranspose(filters, 2, 2)(x)
        x = _convolved(keras.layers.Concatenate()([x, skipped.pop()]), filters)
    return keras.Model(pictures, keras.layers.Conv2D(4, 1)(x))


OWN_NETWORKS: dict[str, Callable[[], Any]] = {
    "GPT": _gpt,
    "Bidirectional": _bidirectional,
    "UNet": _unet,
}


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
