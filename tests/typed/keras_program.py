"""What editors see of Keras below ``tf.keras``, for test_types.py to show to Pyright. Never run."""

from typing import reveal_type

import tapegrad as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="relu")])
reveal_type(model)  # Sequential
reveal_type(tf.keras.Model)  # type[Model]
reveal_type(tf.keras.layers.LSTM(4))  # LSTM
reveal_type(tf.keras.optimizers.Adam(1e-3))  # Adam
reveal_type(tf.keras.losses.MeanSquaredError())  # MeanSquaredError
reveal_type(tf.keras.callbacks.EarlyStopping())  # EarlyStopping
reveal_type(tf.optimizers.SGD())  # SGD
reveal_type(tf.losses.Huber())  # Huber
reveal_type(tf.metrics.AUC())  # AUC
reveal_type(tf.initializers.HeNormal())  # HeNormal
tf.keras.layers.Dens(3)  # wrong


class Residual(tf.keras.layers.Layer):
    def __init__(self, units: int) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(units)
        reveal_type(self.dense)  # Dense
