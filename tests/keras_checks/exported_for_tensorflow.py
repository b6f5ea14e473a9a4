"""Models are exported as SavedModels of TensorFlow's, and give the same when loaded.

With a folder as its argument the program keeps them there, for golden/record_written_models.py.
"""

import json
import sys
import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(1)
target = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())


def attention(length):
    inputs = layers.Input((length, 8))
    outputs = layers.MultiHeadAttention(2, 4)(inputs, inputs, use_causal_mask=True)
    outputs = layers.LayerNormalization()(inputs + outputs)
    outputs = layers.Dense(8, activation="silu")(outputs)
    return keras.Model(inputs, layers.GlobalAveragePooling1D()(outputs))


def several_results():
    inputs = layers.Input((12,))
    scaled = layers.Rescaling(0.5)(layers.Normalization(mean=1.0, variance=2.0)(inputs))
    windows = layers.Conv1D(3, 2, padding="causal")(layers.Reshape((3, 4))(scaled))
    joined = layers.LeakyReLU()(layers.Concatenate()([layers.Flatten()(windows), scaled]))
    return keras.Model(inputs, [joined, layers.Dense(2, activation="elu")(joined)])


def inference(model):
    return lambda x: model(x, training=False)


MODELS = {
    "dense": keras.Sequential([
        layers.Input((6,)), layers.Dense(8, activation="gelu"), layers.LayerNormalization(),
        layers.Dropout(0.3), layers.Dense(3, activation="softmax"),
    ]),
    "convolutional": keras.Sequential([
        layers.Input((16, 16, 3)), layers.Conv2D(4, 3, activation="relu", padding="same"),
        layers.BatchNormalization(), layers.MaxPooling2D(), layers.DepthwiseConv2D(3),
        layers.Conv2DTranspose(2, 3), layers.GlobalAveragePooling2D(), layers.Dense(2),
    ]),
    "recurrent": keras.Sequential([
        layers.Input((7, 4)), layers.LSTM(5, return_sequences=True),
        layers.Bidirectional(layers.GRU(3, return_sequences=True)), layers.SimpleRNN(4),
    ]),
    "words": keras.Sequential([
        layers.Input((5,)), layers.Embedding(10, 4, mask_zero=True), layers.LSTM(3),
    ]),
    "attention": attention(5),
    "attention of any length": attention(None),
    "several results": several_results(),
}  # fmt: skip

for number, (name, model) in enumerate(MODELS.items()):
    spec = tf.TensorSpec(model.inputs[0].shape, model.inputs[0].dtype)
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("call", inference(model), input_signature=[spec])
    folder = target / f"keras-{number}"
    archive.write_out(str(folder), verbose=False)
    loaded = tf.saved_model.load(str(folder))
    arrays = {}
    for batch in (0, 1):
        shape = [3 + batch, *[size or 4 + batch for size in spec.shape[1:]]]
        x = np.random.default_rng(batch).random(shape).astype("float32")
        x = np.floor(x * 10) if name == "words" else x
        arrays[f"in {batch} 0"] = x
        for place, result in enumerate(tf.nest.flatten(model(x, training=False))):
            arrays[f"out {batch} {place}"] = result.numpy()
            own = tf.nest.flatten(loaded.call(tf.constant(x)))[place]
            np.testing.assert_allclose(own, result, atol=1e-6)
    np.savez(folder / "cases.npz", **arrays)
    facts = {"name": f"Keras: {name}", "dtypes": ["float32"], "draws": False}
    (folder / "facts.json").write_text(json.dumps(facts))
print("right")
