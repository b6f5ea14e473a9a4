"""Keras 2 (tf_keras) finds its own classes by public name, and functions of tf by theirs: activations, configs, files."""

import json
import os
import tempfile
import zipfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf

keras = tf.keras
for name in ("leaky_relu", "silu", "relu6", "log_softmax", "mish", "gelu"):
    activation = keras.activations.get(name)
    print(name, activation(tf.constant([-1.0, 2.0])).numpy())

for thing in (
    keras.layers.Dense(2, activation="relu"),
    keras.optimizers.Adam(),
    keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5),
    keras.losses.MeanSquaredError(),
    keras.metrics.Mean(),
    keras.constraints.NonNeg(),
):
    config = keras.saving.serialize_keras_object(thing)
    print(config["module"], config["class_name"], config["registered_name"])
    print(type(keras.saving.deserialize_keras_object(config)) is type(thing))

model = keras.Sequential([keras.layers.Dense(3, "leaky_relu", input_shape=[4]), keras.layers.Dense(1)])
model.compile("adam", "mse")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        config = json.loads(archive.read("config.json"))
    print([layer["module"] for layer in config["config"]["layers"]], config["module"])
    again = keras.models.load_model(path)
print(type(again.optimizer).__name__, np.allclose(again(np.ones((2, 4))), model(np.ones((2, 4)))))
