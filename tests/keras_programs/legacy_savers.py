"""Keras 2 (tf_keras) as tf.keras: checkpoints with the slots of old optimizers, and layers in a saved module."""
# tolerance: relative 1e-4 absolute 1e-5 (steps of optimizers in float32)

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf

layers, optimizers = tf.keras.layers, tf.keras.optimizers.legacy
inputs = np.random.default_rng(0).normal(size=(16, 4)).astype("float32")
targets = inputs.sum(1, keepdims=True)


def network():
    tf.keras.utils.set_random_seed(3)
    return tf.keras.Sequential([layers.Dense(3, "tanh", input_shape=[4]), layers.Dense(1)])


def trained(optimizer, epochs):
    model = network()
    model.compile(optimizer, "mse")
    if epochs:
        model.fit(inputs, targets, epochs=epochs, verbose=0, shuffle=False)
    return model


for kind in (optimizers.Adam, optimizers.RMSprop, optimizers.Adagrad, optimizers.Ftrl):
    model = trained(kind(0.05), 3)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(model=model).write(os.path.join(folder, "model"))
        print(kind.__name__, [name for name, _ in tf.train.list_variables(path)])
        expected = trained(kind(0.05), 5).get_weights()
        for epochs in (0, 1):  # slots that are made when they are restored, and slots that are there
            again = trained(kind(0.05), epochs)
            status = tf.train.Checkpoint(model=again).read(path)
            again.fit(inputs, targets, epochs=2, verbose=0, shuffle=False)
            status.assert_consumed()
            print(all(map(np.allclose, again.get_weights(), expected)), again.get_weights()[-1])


class Module(tf.Module):
    """A module of a program's own, with a network of Keras in it."""

    def __init__(self):
        super().__init__()
        self.network = network()

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def __call__(self, x):
        return self.network(x)


module = Module()
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(module, folder)
    loaded = tf.saved_model.load(folder)
    print(np.allclose(loaded(inputs), module(inputs)), len(loaded.signatures["serving_default"].variables))


class Holder(layers.Layer):
    """A layer that keeps a data set, and an iterator."""

    def __init__(self):
        super().__init__()
        self.data = tf.data.Dataset.range(3)
        self.passes = iter(self.data)

    def call(self, x):
        return x + self.data.reduce(tf.constant(0, tf.int64), lambda total, each: total + each)


print(Holder()(tf.constant([1, 2], tf.int64)).numpy(), len(Holder().variables))
