"""Keras trains a small network; rank 0 and all others print the same. The argument names the strategy."""

import sys

import numpy as np

import tapegrad as tf

STRATEGIES = {
    "one": tf.distribute.get_strategy,
    "multi": tf.distribute.MultiWorkerMirroredStrategy,
    "mirror": tf.distribute.MirroredStrategy,
}
strategy = STRATEGIES[sys.argv[1]]()
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 5)).astype(np.float32)
y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
layers = tf.keras.layers
with strategy.scope():
    tf.keras.utils.set_random_seed(3)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((5,)),
            layers.Dense(8, activation="tanh"),
            layers.BatchNormalization(synchronized=True),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    optimizer = tf.keras.optimizers.Adam(0.05)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0).history
losses = model.evaluate(x, y, batch_size=16, verbose=0)
predictions = model.predict(x, batch_size=16, verbose=0)
shown = {name: np.round(values, 5).tolist() for name, values in history.items()}
weights = float(sum(np.abs(weight).sum() for weight in model.get_weights()))
text = f"{shown} {np.round(losses, 5)} {predictions.shape} {np.round(predictions[:3, 0], 5)}"
sys.stdout.write(f"{tf.distribute.rank()} {text} {weights:.4f}\n")
