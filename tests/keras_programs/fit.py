"""`fit` from arrays in every order, from data sets and generators; `evaluate` and `predict`."""
# tolerance: relative 2e-5 absolute 2e-6 (two epochs of Adam in float32)

import numpy as np
import tensorflow as tf
from tensorflow import keras

generator = np.random.default_rng(0)
x = generator.normal(size=(96, 8)).astype("float32")
y = generator.integers(0, 3, 96)


def model():
    keras.utils.set_random_seed(1)
    layers = [keras.layers.Dense(16, "relu"), keras.layers.Dropout(0.2), keras.layers.Dense(3)]
    made = keras.Sequential(layers)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return made


def shown(history):
    print({name: np.round(values, 6).tolist() for name, values in sorted(history.history.items())})


for order in (True, False, "batch"):
    shown(model().fit(x, y, 16, epochs=2, verbose=0, shuffle=order, validation_split=0.25))

data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(96, seed=3).batch(16).prefetch(2)
trained = model()
shown(trained.fit(data, epochs=2, verbose=0, validation_data=data.take(2)))
print(np.round(trained.evaluate(x, y, verbose=0), 6))
print(np.round(trained.predict(x[:3], verbose=0), 6))


def batches():
    while True:
        for start in range(0, 96, 16):
            yield x[start : start + 16], y[start : start + 16]


shown(model().fit(batches(), steps_per_epoch=6, epochs=2, verbose=0))
print(np.round(model().train_on_batch(x, y), 6))

# Nothing to learn from: Keras warns, and the metrics are built all the same.
nothing = np.zeros((0, 8), "float32"), np.zeros((0,), "int64")
for few in (nothing, [tf.data.Dataset.from_tensor_slices(nothing).batch(4)]):
    untrained = model()
    shown(untrained.fit(*few, epochs=2, verbose=0))
    print(untrained.evaluate(*few, verbose=0), [metric.name for metric in untrained.metrics])
