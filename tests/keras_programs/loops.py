"""A model of one's own: a training loop, a custom `train_step`, callbacks, saving and loading."""
# tolerance: relative 2e-5 absolute 2e-6 (steps of optimizers in float32)

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(3)
generator = np.random.default_rng(0)
x = generator.normal(size=(64, 4)).astype("float32")
y = x.sum(1, keepdims=True)

inputs = keras.Input([4], name="numbers")
hidden = keras.layers.Dense(8, "tanh", kernel_regularizer="l2")(inputs)
outputs = keras.layers.add([keras.layers.Dense(1)(hidden), keras.layers.Dense(1)(inputs)])
model = keras.Model(inputs, outputs)
print(model.count_params(), [layer.name for layer in model.layers])

# The loop of the guides.
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
optimizer, mean = keras.optimizers.RMSprop(0.01), keras.metrics.Mean()


@tf.function
def train_step(batch, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(batch, training=True) - target)) + sum(model.losses)
    optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
    return loss


for epoch in range(2):
    mean.reset_state()
    for batch, target in data:
        mean.update_state(train_step(batch, target))
    print(epoch, f"{float(mean.result()):.6f}")


class Doubled(keras.Model):
    """Takes two steps on each batch."""

    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, numbers):
        return self.dense(numbers)

    def train_step(self, data):
        batch, target = data
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=target, y_pred=self(batch, training=True))
            self.optimizer.apply(
                tape.gradient(loss, self.trainable_variables), self.trainable_variables
            )
        return {"loss": loss}


own = Doubled()
schedule = keras.optimizers.schedules.CosineDecay(0.1, 20)
own.compile(keras.optimizers.SGD(schedule, momentum=0.9, clipnorm=1.0), "mse")
stop = keras.callbacks.EarlyStopping("loss", patience=1, min_delta=1e9)
history = own.fit(data, epochs=5, verbose=0, callbacks=[stop])
print(np.round(history.history["loss"], 6))

with tempfile.TemporaryDirectory() as folder:
    before = model.predict(x[:2], verbose=0)
    model.save(os.path.join(folder, "model.keras"))
    loaded = keras.models.load_model(os.path.join(folder, "model.keras"))
    print(np.array_equal(before, loaded.predict(x[:2], verbose=0)))
    model.save_weights(os.path.join(folder, "model.weights.h5"))
    copy = keras.models.clone_model(model)
    copy.load_weights(os.path.join(folder, "model.weights.h5"))
    print(np.array_equal(before, copy.predict(x[:2], verbose=0)))
    again = keras.models.model_from_json(model.to_json())
    print([weight.shape for weight in again.weights])

keras.mixed_precision.set_global_policy("mixed_float16")
half = keras.layers.Dense(2)
print(half(x[:1]).dtype, half.kernel.dtype)


class Block(keras.layers.Layer):
    """A layer of layers, one of which computes in float32."""

    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(6, kernel_initializer="ones")
        self.norm = keras.layers.LayerNormalization(dtype="float32")

    def build(self, shape):
        self.dense.build(shape)
        self.norm.build(shape)

    def call(self, inputs):
        return self.norm(tf.cast(self.dense(inputs), tf.float32) + tf.cast(inputs, tf.float32))


symbol = keras.Input((None, 6))
blocks = keras.Model(symbol, Block()(symbol))
print(blocks.output.shape, blocks(tf.reshape(tf.range(12.0), [1, 2, 6]))[0, 0])

# A checkpoint of a model gives its values to one that is built later.


def pair():
    return keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)])


trained, batch = pair(), tf.constant(x[:3])
wanted = trained(batch)
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(model=trained).save(os.path.join(folder, "checkpoint"))
    for call in (lambda model: model(batch), lambda model: tf.function(model)(batch)):
        again = pair()
        status = tf.train.Checkpoint(model=again).restore(path)
        print("restored", np.abs(call(again) - wanted).max())
        status.assert_existing_objects_matched()
