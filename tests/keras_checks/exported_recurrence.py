"""Models with recurrent layers are exported, before and after training, and give the same when loaded."""

import tempfile

import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(1)
model = keras.Sequential(
    [
        layers.Input((7, 4)),
        layers.LSTM(6, return_sequences=True),
        layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
        layers.GRU(4, return_sequences=True),
        layers.SimpleRNN(3),
    ]
)
x = np.random.default_rng(0).standard_normal((5, 7, 4)).astype("float32")


def check() -> None:
    folder = tempfile.mkdtemp()
    model.export(folder, verbose=False)
    np.testing.assert_allclose(tf.saved_model.load(folder).serve(x), model(x), atol=1e-6)


check()
model.compile("adam", "mse")
model.fit(x, np.ones((5, 3)), verbose=0)
check()
print("right")
