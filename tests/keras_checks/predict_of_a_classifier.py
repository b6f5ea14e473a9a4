"""`predict` of a model that ends in a softmax is recorded, though Keras sets an attribute on its result."""

import gc
import weakref

import keras
import numpy as np
import tensorflow as tf

calls = 0
logits = []


class Probe(keras.layers.Layer):
    """Counts how often Python runs, and sees what goes into the softmax."""

    def call(self, x):
        global calls
        calls += 1
        logits.append(weakref.ref(x))
        return x


rng = np.random.default_rng(0)
softmax = keras.layers.Softmax()
for last in (softmax, keras.layers.Activation("sigmoid")):
    dense = keras.layers.Dense(3)
    model = keras.Sequential([keras.Input((4,)), dense, Probe(), last])
    calls = 0
    for _ in range(5):
        x = rng.normal(size=(8, 4)).astype("float32")
        function = tf.nn.softmax if last is softmax else tf.sigmoid
        expected = function(x @ dense.kernel + dense.bias)
        np.testing.assert_allclose(model.predict(x, verbose=0), expected, rtol=1e-5)
    assert calls == 1, calls

# What the softmax got is held by nobody, once its result is there.
gc.collect()
assert all(each() is None for each in logits[-1:])

# A loss in the same function still finds the logits: the gradient is exact where the softmax is 1.
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2), keras.layers.Softmax()])
model.compile(keras.optimizers.SGD(1.0), "categorical_crossentropy")
model.layers[0].set_weights([100 * np.eye(2, dtype="float32"), np.zeros(2, "float32")])
before = model.layers[0].kernel.numpy()
for _ in range(3):
    model.train_on_batch(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
assert np.abs(model.layers[0].kernel.numpy() - before).max() > 1, "the gradient is 0"
print("right")
