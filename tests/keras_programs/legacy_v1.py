"""Initializers of tf.compat.v1.keras, where tf.keras is Keras 2: they draw as those of TensorFlow 1."""
# tolerance: relative 1e-5 absolute 1e-6 (float32)

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import tensorflow as tf

v1 = tf.compat.v1.keras.initializers
for initializer in (
    v1.VarianceScaling(scale=1 / 3, mode="fan_in", distribution="uniform"),
    v1.RandomUniform(),
    v1.glorot_normal(),
    v1.he_uniform(seed=4),
    v1.RandomNormal(stddev=2.0),
):
    tf.random.set_seed(1)
    layer = tf.keras.layers.Dense(2, kernel_initializer=initializer)
    print(initializer([2, 3]).numpy(), layer(tf.ones([1, 2])).numpy())
print(tf.compat.v1.keras.layers.Dense is tf.keras.layers.Dense, tf.compat.v1.keras.Model is tf.keras.Model)
