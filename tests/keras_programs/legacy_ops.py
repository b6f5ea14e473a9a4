"""Keras 2 (tf_keras): functions of tf and operators on its symbolic tensors are layers, and what else it asks of tf."""
# tolerance: relative 1e-4 absolute 1e-5 (steps of optimizers in float32)

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

keras = tf.keras
generator = np.random.default_rng(0)
numbers = generator.normal(size=(6, 4)).astype("float32")
pictures = generator.normal(size=(2, 8, 8, 3)).astype("float32")
films = generator.normal(size=(2, 4, 6, 6, 2)).astype("float32")


def shown(model, inputs):
    outputs = model.predict(inputs, verbose=0)
    print([layer.name for layer in model.layers])
    print(outputs.shape, outputs.ravel()[:4])


# Operators, on either side, and functions: each is a layer.
inputs = keras.Input((4,))
total = 2.0 * inputs + 1.0 - (3.0 - inputs) / 2.0
total = total**2 % 3.0 - inputs * inputs
total = total + tf.ones([4]) * inputs - tf.constant(0.5)
total = abs(-total) @ tf.constant(numbers[:4])
chosen = tf.where((inputs > 0.0) & (total <= 1.0) | ~(inputs < total), total, inputs[:, :1])
joined = tf.concat([chosen, tf.reduce_mean(total, axis=1, keepdims=True)], axis=1)
stacked = tf.stack([joined, tf.nn.relu(joined), 1.0 / (1.0 + tf.exp(-joined))], axis=1)
outputs = layers.Dense(2)(tf.reshape(stacked, [-1, 15]))
model = keras.Model(inputs, outputs)
keras.utils.set_random_seed(1)
model.set_weights([generator.normal(size=weight.shape) for weight in model.get_weights()])
shown(model, numbers)
with tempfile.TemporaryDirectory() as folder:
    model.save(os.path.join(folder, "model.h5"))
    loaded = keras.models.load_model(os.path.join(folder, "model.h5"))
print(
    np.allclose(loaded.predict(numbers, verbose=0), model.predict(numbers, verbose=0), 1e-5, 1e-6)
)
model.compile("sgd", "mse")
print(model.fit(numbers, numbers[:, :2], epochs=2, batch_size=3, verbose=0, shuffle=False).history)

# A model that learns its sizes at the first call, with an optimizer of TensorFlow 1.
keras.utils.set_random_seed(1)
model = keras.Sequential([layers.Dense(3, activation="tanh"), layers.Dense(1)])
model.compile(tf.compat.v1.train.MomentumOptimizer(0.1, 0.9), "mse")
print(model.fit(numbers, numbers[:, :1], epochs=2, batch_size=3, verbose=0, shuffle=False).history)

# Variables of a model that was made in the scope of the default strategy.
with tf.distribute.get_strategy().scope():
    model = keras.Sequential([layers.Dense(2, kernel_initializer="ones")])
model.compile(keras.optimizers.legacy.RMSprop(0.1), "mse")
print(model.train_on_batch(numbers, numbers[:, :2]))

# Ragged inputs, transposed and recurrent convolutions.
inputs = keras.Input((None, 4), ragged=True)
model = keras.Model(inputs, layers.GlobalAveragePooling1D()(inputs))
shown(model, tf.RaggedTensor.from_row_splits(numbers, [0, 2, 3, 6]))
inputs = keras.Input((8, 8, 3))
model = keras.Model(inputs, layers.Conv2DTranspose(2, 3, kernel_initializer="ones")(inputs))
shown(model, pictures)
inputs = keras.Input((4, 6, 6, 2))
recurrent = layers.ConvLSTM2D(2, 3, kernel_initializer="ones", recurrent_initializer="ones")
model = keras.Model(inputs, recurrent(inputs))
shown(model, films)

# What a layer adapts to its data makes variables in a function.
layer = layers.Normalization()
layer.adapt(tf.data.Dataset.from_tensor_slices(numbers).batch(2))
print(layer.mean.numpy(), layer.variance.numpy())
