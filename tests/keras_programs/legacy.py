"""Keras 2 (tf_keras) as tf.keras: ten models are trained, asked, saved and loaded."""
# tolerance: relative 1e-4 absolute 1e-5 (steps of optimizers in float32)

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

keras = tf.keras
print([item.__module__.partition(".")[0] for item in (keras.Model, tf.optimizers.Adam, layers.Dense)])
generator = np.random.default_rng(0)


def labelled(inputs):
    return inputs, (inputs.reshape(len(inputs), -1).mean(1) > inputs.mean()).astype("int32")


numbers = labelled(generator.normal(size=(64, 8)).astype("float32"))
images = labelled(generator.normal(size=(32, 12, 12, 3)).astype("float32"))
sequences = labelled(generator.normal(size=(32, 7, 4)).astype("float32"))
words = labelled(generator.integers(0, 50, size=(32, 9)))


def classifier(*hidden):
    return keras.Sequential([*hidden, layers.Dense(2, activation="softmax")])


def dense():
    return classifier(layers.Dense(16, activation="relu", input_shape=(8,))), numbers


def convolutions():
    first = layers.Conv2D(4, 3, activation="relu", input_shape=(12, 12, 3))
    rest = layers.BatchNormalization(), layers.MaxPool2D(), layers.Flatten()
    return classifier(first, *rest), images


def lstm():
    return classifier(layers.LSTM(6, input_shape=(7, 4))), sequences


def bidirectional():
    first = layers.Bidirectional(layers.GRU(5, return_sequences=True), input_shape=(7, 4))
    return classifier(first, layers.GlobalAveragePooling1D()), sequences


def embedding():
    return classifier(layers.Embedding(50, 6), layers.LSTM(5)), words


def functional():
    inputs = keras.Input((8,))
    hidden = layers.Dense(8, activation="tanh")(inputs)
    total = layers.Add()([hidden, layers.Dropout(0.0)(hidden)])
    outputs = layers.Dense(2, activation="softmax")(layers.LayerNormalization()(total))
    return keras.Model(inputs, outputs), numbers


def two_ways():
    inputs = keras.Input((8,))
    both = layers.Concatenate()([layers.Dense(8, activation="relu")(inputs), inputs])
    return keras.Model(inputs, layers.Dense(2, activation="softmax")(both)), numbers


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(8, activation="relu")
        self.last = layers.Dense(2, activation="softmax")

    def call(self, inputs, training=False):
        return self.last(self.hidden(inputs))


class OwnStep(Subclassed):
    def train_step(self, data):
        inputs, targets = data
        with tf.GradientTape() as tape:
            outputs = self(inputs, training=True)
            loss = self.compiled_loss(targets, outputs)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.compiled_metrics.update_state(targets, outputs)
        return {metric.name: metric.result() for metric in self.metrics}


def attention():
    inputs = keras.Input((7, 4))
    attended = layers.GlobalMaxPool1D()(layers.MultiHeadAttention(2, 3)(inputs, inputs))
    return keras.Model(inputs, layers.Dense(2, activation="softmax")(attended)), sequences


for make in (
    dense,
    convolutions,
    lstm,
    bidirectional,
    embedding,
    functional,
    two_ways,
    lambda: (Subclassed(), numbers),
    lambda: (OwnStep(), numbers),
    attention,
):
    keras.utils.set_random_seed(3)
    model, (inputs, targets) = make()
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(inputs, targets, epochs=2, batch_size=16, verbose=0, shuffle=False)
    before = model.predict(inputs[:3], verbose=0)
    print(type(model).__name__, history.history["loss"], before[0])
    print(model.evaluate(inputs, targets, verbose=0))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("weights.h5", "weights"):
            model.save_weights(os.path.join(folder, name))
            model.set_weights([0 * weight for weight in model.get_weights()])
            model.load_weights(os.path.join(folder, name))
        print(np.array_equal(model.predict(inputs[:3], verbose=0), before))
        if not isinstance(model, Subclassed):
            for name in ("model.h5", "model.keras"):
                model.save(os.path.join(folder, name))
                loaded = keras.models.load_model(os.path.join(folder, name))
                print(name, np.array_equal(loaded.predict(inputs[:3], verbose=0), before))

# A list that a layer keeps is the list that the program gave it: both have what is added.


class Keeping(layers.Layer):
    def __init__(self, calls, counts):
        super().__init__()
        self.calls, self.counts = calls, counts

    def call(self, inputs):
        self.calls.append(len(self.calls))
        self.counts["calls"] = len(self.calls)
        return inputs


calls, counts = [], {}
keeping = Keeping(calls, counts)
keeping(tf.ones([1]))
keeping(tf.ones([1]))
print(calls, counts, keeping.calls, keeping.counts)
keeping.calls.extend([5, 6])
keeping.calls.pop(0)
keeping.calls += [4]
keeping.calls.sort()
del keeping.calls[-1], keeping.counts["calls"]
keeping.counts.update(a=[1])
keeping.counts.setdefault("b", 2)
print(calls, counts)
calls.append(8)
counts["c"] = 3
print(keeping.calls, keeping.counts, len(keeping.calls), 8 in keeping.calls, keeping.counts.get("c"))
del calls[:], counts["a"]
print(keeping.calls, sorted(keeping.counts.items()), list(keeping.calls), dict(keeping.counts))

# Layers of layers in mixed precision, one of which computes in float32.

keras.mixed_precision.set_global_policy("mixed_float16")


class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(6, kernel_initializer="ones")
        self.norm = layers.LayerNormalization(dtype="float32")

    def call(self, inputs):
        return self.norm(tf.cast(self.dense(inputs), tf.float32) + tf.cast(inputs, tf.float32))


symbol = keras.Input((None, 6))
blocks = keras.Model(symbol, Block()(symbol))
print(blocks.output.shape, blocks(tf.reshape(tf.range(12.0), [1, 2, 6]))[0, 0])
