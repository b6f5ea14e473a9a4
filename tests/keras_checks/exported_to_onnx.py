"""Models are exported to ONNX: names, sizes and ops of what is written.

With a folder as its argument the program keeps them there, with answers for two batches, for
golden/record_onnx_models.py.
"""

import json
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from tapegrad.saving.onnx.messages import Model

keras.utils.set_random_seed(1)


def attention(length):
    inputs = layers.Input((length, 8), name="items")
    outputs = layers.MultiHeadAttention(2, 4)(inputs, inputs, use_causal_mask=True)
    outputs = layers.LayerNormalization()(inputs + outputs)
    outputs = layers.Dense(8, activation="silu")(outputs)
    return keras.Model(inputs, layers.GlobalAveragePooling1D(name="mean")(outputs))


def two_inputs():
    words = layers.Input((5,), dtype="int32", name="words")
    numbers = layers.Input((4,), name="numbers")
    texts = layers.Conv1D(6, 3, padding="causal")(layers.Embedding(10, 4)(words))
    joined = layers.Concatenate()([layers.Flatten()(texts), layers.Dense(3)(numbers)])
    score = layers.Dense(1, activation="sigmoid", name="score")(joined)
    return keras.Model(
        {"words": words, "numbers": numbers}, [score, layers.ELU(name="rest")(joined)]
    )


def of_any_size():
    inputs = layers.Input((None, None, 3), name="pictures")
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu")(inputs)
    x = layers.UpSampling2D(interpolation="bilinear")(layers.AveragePooling2D(2, padding="same")(x))
    x = layers.Conv2DTranspose(2, 3, strides=2, padding="same")(x)
    return keras.Model(inputs, layers.SeparableConv2D(2, 3)(layers.ZeroPadding2D()(x)))


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
    "pictures of any size": of_any_size(),
    "recurrent": keras.Sequential([
        layers.Input((7, 4)), layers.LSTM(5, return_sequences=True),
        layers.Bidirectional(layers.GRU(3, return_sequences=True)), layers.SimpleRNN(4),
    ]),
    "words": keras.Sequential([
        layers.Input((5,)), layers.Embedding(10, 4, mask_zero=True), layers.LSTM(3),
    ]),
    "attention": attention(5),
    "attention of any length": attention(None),
    "two inputs": two_inputs(),
}  # fmt: skip
if len(sys.argv) > 1:
    MODELS["MobileNetV2"] = keras.applications.MobileNetV2((96, 96, 3), weights=None)


def arrays_of(model, name, batch):
    """An array for each input; open sizes are others in each batch."""
    random = np.random.default_rng(batch)
    for tensor in model.inputs:
        shape = [3 + batch, *[size or 8 + 2 * batch for size in tensor.shape[1:]]]
        array = random.random(shape)
        if tensor.dtype == "int32" or name == "words":
            array = np.floor(array * 10)
        yield array.astype(tensor.dtype)


def transposes(model):
    """How many transposes of images are written."""
    return sum(node.op_type == "Transpose" for node in model.graph.node)


written = {}
for number, (name, model) in enumerate(MODELS.items()):
    content = tf.experimental.to_onnx(model)
    written[name] = Model.FromString(content)
    if len(sys.argv) == 1:
        continue
    folder = Path(sys.argv[1]) / f"keras-{number}"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(content)
    arrays = {}
    for batch in (0, 1):
        inputs = list(arrays_of(model, name, batch))
        by_name = dict(zip([tensor.name for tensor in model.inputs], inputs, strict=True))
        call = by_name if len(inputs) > 1 else inputs[0]
        results = tf.nest.flatten(model(call, training=False))
        arrays |= {f"in {batch} {place}": array for place, array in enumerate(inputs)}
        arrays |= {f"out {batch} {place}": own.numpy() for place, own in enumerate(results)}
    np.savez(folder / "cases.npz", **arrays)
    (folder / "facts.json").write_text(json.dumps({"name": f"Keras: {name}"}))


class Scaled(keras.Model):
    """A model that does not know its inputs before it is called."""

    def __init__(self):
        super().__init__()
        self.norm = layers.BatchNormalization()

    def call(self, x, training=None):
        assert not training
        return {"scaled": self.norm(x, training=training)}


refusal = ""
try:
    tf.experimental.to_onnx(Scaled())
except ValueError as error:
    refusal = str(error)
assert "does not know the shapes of its inputs: pass input_signature" in refusal
own = Model.FromString(tf.experimental.to_onnx(Scaled(), None, [tf.TensorSpec([4, 3])])).graph
assert [tensor.name for tensor in own.output] == ["scaled"]
own = written["two inputs"].graph
assert sorted(tensor.name for tensor in own.input) == ["numbers", "words"]
assert [tensor.name for tensor in own.output] == ["score", "rest"]
for tensor in [*own.input, *own.output]:
    first, *_ = tensor.type.tensor_type.shape.dim
    assert first.dim_param == "batch", tensor
# The images are transposed at the beginning; the mean over places needs no order of axes.
assert transposes(written["convolutional"]) == 1, transposes(written["convolutional"])
assert transposes(written["pictures of any size"]) == 2
print("right")
