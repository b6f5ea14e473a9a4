"""Keras models that one of TensorFlow and tapegrad saves, and the other one loads.

    python tests/golden/exchange_keras.py save FOLDER                  # with TensorFlow
    python -m tapegrad tests/golden/exchange_keras.py load FOLDER      # loads what TensorFlow has saved
    python -m tapegrad tests/golden/exchange_keras.py save FOLDER
    python tests/golden/exchange_keras.py load FOLDER                  # the other way round

``save`` trains each model for a few steps, and saves it in every format that can hold it, with what it
predicts and what it predicts after one step more: a zip of these files for each model. ``load`` fails unless
every file gives the same. The folder keras_models beside this file is what TensorFlow 2.21 and Keras 3.15.1
have saved.

Keras saves what layers, optimizers and metrics weigh, and not how far seed generators have drawn. A loaded
model with dropout or random augmentation draws from its seed on. What it predicts after a step more is not
what the saved one did, wherever it was saved, and wherever it is loaded; so no model here draws. HDF5 files
of whole models with `Attention`, `RandomBrightness` or weights in bfloat16 are read by neither.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers

ROWS = 6


@keras.saving.register_keras_serializable("exchange")
class Scale(layers.Layer):
    """A layer with a weight, a state that is not trained, and an argument."""

    def __init__(self, start: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start = start

    def build(self, input_shape: Any) -> None:
        start = keras.initializers.Constant(self.start)
        self.scale = self.add_weight(shape=(input_shape[-1],), initializer=start, name="scale")
        self.calls = self.add_weight(
            shape=(), initializer="zeros", trainable=False, dtype="int32", name="calls"
        )

    def call(self, inputs: Any, training: bool = False) -> Any:
        if training:
            self.calls.assign_add(1)
        return inputs * self.scale + keras.ops.cast(self.calls, inputs.dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "start": self.start}


@keras.saving.register_keras_serializable("exchange")
class Subclassed(keras.Model):
    """A model of layers in attributes, lists and dicts."""

    def __init__(self, units: int = 3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.steps = [layers.Dense(units, activation="tanh"), Scale(0.5)]
        self.parts = {"norm": layers.BatchNormalization(), "out": layers.Dense(1)}

    def call(self, inputs: Any, training: bool = False) -> Any:
        for step in self.steps:
            inputs = step(inputs)
        return self.parts["out"](self.parts["norm"](inputs, training=training))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units}


def mlp() -> Any:
    return keras.Sequential([
        keras.Input((4,)),
        layers.Dense(5, activation="relu", kernel_regularizer="l2"),
        layers.PReLU(),
        layers.LayerNormalization(),
        layers.Dense(2, activation="softmax"),
    ])  # fmt: skip


def cnn() -> Any:
    image = keras.Input((6, 6, 2))
    x = layers.Conv2D(3, 3, padding="same", activation="relu")(image)
    x = layers.BatchNormalization()(x)
    x = layers.Add()([x, layers.SeparableConv2D(3, 3, padding="same")(x)])
    x = layers.MaxPooling2D()(x)
    return keras.Model(image, layers.Dense(1)(layers.Flatten()(x)))


def recurrent() -> Any:
    return keras.Sequential([
        keras.Input((4,), dtype="int32"),
        layers.Embedding(7, 3, mask_zero=True),
        layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
        layers.GRU(2),
        layers.Dense(1),
    ])  # fmt: skip


def attention() -> Any:
    words = keras.Input((4, 6))
    x = layers.MultiHeadAttention(2, 3)(words, words, use_causal_mask=True)
    x = layers.LayerNormalization()(layers.Add()([words, x]))
    return keras.Model(words, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))


def halves() -> Any:
    image = keras.Input((6, 6, 2))
    x = layers.Conv2D(3, 3, activation="relu", dtype="mixed_float16")(image)
    x = layers.BatchNormalization(dtype="mixed_bfloat16")(x)
    x = layers.Reshape((16, 3))(x)
    x = layers.GRU(4, dtype="mixed_float16")(x)
    return keras.Model(image, layers.Dense(1, dtype="float32")(x))


def preprocessing() -> Any:
    number = keras.Input((2,), name="number")
    word = keras.Input((), dtype="string", name="word")
    normal = layers.Normalization()
    normal.adapt(np.arange(12.0).reshape(6, 2))
    lookup = layers.StringLookup(vocabulary=["red", "green", "blue"], output_mode="one_hot")
    vectorize = layers.TextVectorization(output_mode="tf_idf", max_tokens=6)
    vectorize.adapt(tf.constant(["red apple", "green apple", "blue sky"]))
    buckets = layers.Discretization(bin_boundaries=[0.0, 0.5], output_mode="multi_hot")
    parts = [normal(number), lookup(word), vectorize(word), buckets(number)]
    return keras.Model([number, word], layers.Dense(1)(layers.Concatenate()(parts)))


def of_numbers(*shape: int) -> Callable[[Any], Any]:
    return lambda random: random.normal(size=(ROWS, *shape)).astype("float32")


# Where some layers compute in half precision, an intermediate value may be rounded to the number beside it.
TOLERANCES = {"halves": 4e-3}

# The model, its inputs, and whether it is functional: HDF5 files of whole models hold such models alone.
MODELS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], bool]] = {
    "mlp": (mlp, of_numbers(4), True),
    "cnn": (cnn, of_numbers(6, 6, 2), True),
    "recurrent": (recurrent, lambda random: random.integers(0, 7, (ROWS, 4)), True),
    "attention": (attention, of_numbers(4, 6), True),
    "halves": (halves, of_numbers(6, 6, 2), True),
    "subclassed": (Subclassed, of_numbers(3), False),
    "preprocessing": (
        preprocessing,
        lambda random: (
            random.normal(size=(ROWS, 2)).astype("float32"),
            np.array(["red", "blue", "sky", "green", "red apple", ""], dtype=object),
        ),
        False,  # its vocabularies are files of their own
    ),
}


def as_tensors(inputs: Any) -> Any:
    return tf.nest.map_structure(tf.constant, inputs)


def train(model: Any, inputs: Any, steps: int) -> None:
    target = tf.constant(np.arange(float(ROWS))[:, None] / ROWS)
    data = tf.data.Dataset.from_tensors((as_tensors(inputs), target)).repeat(steps)
    model.fit(data, verbose=0)


def predict(model: Any, inputs: Any) -> np.ndarray:
    return np.asarray(model(as_tensors(inputs), training=False))


def save(folder: Path) -> None:
    for name in MODELS:
        with tempfile.TemporaryDirectory() as files:
            save_model(name, Path(files))
            shutil.make_archive(str(folder / name), "zip", files)


def save_model(name: str, folder: Path) -> None:
    """Save a model in all formats."""
    make, draw, functional = MODELS[name]
    keras.utils.set_random_seed(1)
    inputs = draw(np.random.default_rng(0))
    model = make()
    model.compile(keras.optimizers.Adam(0.01), keras.losses.MeanSquaredError())
    train(model, inputs, 3)
    model.save(folder / f"{name}.keras")
    model.save_weights(folder / f"{name}.weights.h5")
    if functional:
        model.save(folder / f"{name}.h5")
        (folder / f"{name}.model.json").write_text(model.to_json())
    before = predict(model, inputs)
    train(model, inputs, 1)
    found = {"before": before.tolist(), "after": predict(model, inputs).tolist()}
    (folder / f"{name}.json").write_text(json.dumps(found))


def load(folder: Path) -> None:
    for name in MODELS:
        with tempfile.TemporaryDirectory() as files:
            shutil.unpack_archive(folder / f"{name}.zip", files)
            load_model(name, Path(files))


def load_model(name: str, folder: Path) -> None:
    """Load a model in all formats, and check what it predicts."""
    make, draw, functional = MODELS[name]
    inputs = draw(np.random.default_rng(0))
    found = json.loads((folder / f"{name}.json").read_text())

    def check(model: Any, format: str, trained: bool = False) -> None:
        wanted = np.array(found["after" if trained else "before"])
        got = predict(model, inputs)
        rtol = TOLERANCES.get(name, 2e-5)
        np.testing.assert_allclose(
            got, wanted, rtol=rtol, atol=rtol / 10, err_msg=f"{name}, {format}"
        )
        print(name, format, "after a step" if trained else "loaded")

    model = keras.saving.load_model(folder / f"{name}.keras")
    check(model, ".keras")
    train(model, inputs, 1)
    check(model, ".keras", trained=True)
    model = make()
    if not model.built:
        predict(model, inputs)
    model.load_weights(folder / f"{name}.weights.h5")
    check(model, ".weights.h5")
    if functional:
        # Keras cannot go on training a model from an HDF5 file: its optimizer knows other variables.
        check(keras.saving.load_model(folder / f"{name}.h5"), ".h5")
        model = keras.models.model_from_json((folder / f"{name}.model.json").read_text())
        model.load_weights(folder / f"{name}.weights.h5")
        check(model, ".json and .weights.h5")


if __name__ == "__main__":
    for command, folder in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        {"save": save, "load": load}[command](Path(folder))
