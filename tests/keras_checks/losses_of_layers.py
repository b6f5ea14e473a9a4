"""Models whose layers add losses train in recordings, with the losses of eager code."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras

x = np.random.RandomState(0).normal(size=(20, 6)).astype("float32")


class Divergence(keras.layers.Layer):
    def call(self, mean, log_variance):
        squares = keras.ops.square(mean) + keras.ops.exp(log_variance)
        self.add_loss(0.5 * keras.ops.mean(squares - 1.0 - log_variance))
        return mean


def built():
    keras.utils.set_random_seed(3)
    inputs = keras.Input([6])
    hidden = keras.layers.Dense(8, "relu", activity_regularizer="l2")(inputs)
    code = Divergence()(keras.layers.Dense(2)(hidden), keras.layers.Dense(2)(hidden))
    return keras.Model(inputs, keras.layers.Dense(6)(code))


found = []
for run_eagerly in (False, True):
    model = built()
    model.compile("adam", "mse", run_eagerly=run_eagerly)
    history = model.fit(x, x, batch_size=8, epochs=3, verbose=0, shuffle=False)
    found.append([*history.history["loss"], model.evaluate(x, x, verbose=0)])
    assert model.predict(x, verbose=0).shape == (20, 6)
    if not run_eagerly:
        # As in TensorFlow: what a layer has added in a function is no number outside.
        assert len(model.losses) == 2
        assert "numpy=" not in repr(model.losses)
        for use in (float, lambda loss: loss + 1.0, lambda loss: tf.add_n([loss, loss])):
            with pytest.raises(TypeError, match="out of scope"):
                use(model.losses[0])
    model(x[:4])
    assert len(model.losses) == 2  # in eager code they are those of the last call
    if not run_eagerly:
        explained = str(model.predict_function.explain())
        assert "stays Python" not in explained, explained
np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(batch) - batch)) + tf.add_n(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    model.optimizer.apply(gradients, model.trainable_variables)
    return loss


first = [float(step(x[:n])) for n in (8, 8, 5, 7)]
assert "stays Python" not in str(step.explain())
assert first[0] > first[1]

# The model alone in a function, and its losses outside: TensorFlow refuses that too.
forward = tf.function(lambda batch: model(batch))
for _ in range(2):
    with tf.GradientTape() as tape:
        y = forward(x[:8])
        with pytest.raises(TypeError, match="out of scope"):
            tf.reduce_sum(y) + tf.add_n(model.losses)
print("right")
