"""Layers with seeded weights, forward and with the gradient of a loss."""
# tolerance: relative 2e-5 absolute 2e-6 (sums in float32 in another order)

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, utils

generator = np.random.default_rng(0)
pictures = generator.normal(size=(2, 8, 8, 3)).astype("float32")
series = generator.normal(size=(2, 5, 4)).astype("float32")
words = generator.integers(0, 9, (2, 5))

CASES = [
    (lambda: layers.Conv2D(4, 3, padding="same", activation="relu"), pictures),
    (lambda: layers.Conv2DTranspose(2, 3, strides=2), pictures),
    (lambda: layers.DepthwiseConv2D(3), pictures),
    (lambda: layers.SeparableConv2D(4, 3), pictures),
    (lambda: layers.MaxPooling2D(), pictures),
    (lambda: layers.AveragePooling2D(3, 1, "same"), pictures),
    (lambda: layers.GlobalMaxPooling2D(), pictures),
    (lambda: layers.BatchNormalization(), pictures),
    (lambda: layers.GroupNormalization(3), pictures),
    (lambda: layers.LayerNormalization(), series),
    (lambda: layers.Conv1D(3, 2, dilation_rate=2), series),
    (lambda: layers.LSTM(3, return_sequences=True), series),
    (lambda: layers.GRU(3), series),
    (lambda: layers.SimpleRNN(3), series),
    (lambda: layers.Bidirectional(layers.LSTM(2)), series),
    (lambda: layers.TimeDistributed(layers.Dense(2)), series),
    (lambda: layers.Embedding(9, 3), words),
    (lambda: layers.EinsumDense("abc,cd->abd", output_shape=(None, 2)), series),
    (lambda: layers.PReLU(), series),
]

for make, given in CASES:
    utils.set_random_seed(7)
    layer = make()
    with tf.GradientTape() as tape:
        result = layer(tf.constant(given), training=True)
        loss = tf.reduce_mean(tf.square(result))
    gradients = tape.gradient(loss, layer.trainable_variables)
    sizes = [float(tf.norm(tf.convert_to_tensor(gradient))) for gradient in gradients]
    print(layer.name, result.shape, f"{float(loss):.6f}", [f"{size:.6f}" for size in sizes])

utils.set_random_seed(7)
attention = layers.MultiHeadAttention(2, 4)
result, scores = attention(series, series, return_attention_scores=True, use_causal_mask=True)
print(result.shape, np.round(tf.reduce_sum(result).numpy(), 5), np.round(scores[0, 0].numpy(), 5))
normalized = layers.Normalization()
normalized.adapt(series)
print(np.round(normalized(series)[0].numpy(), 5))
lookup = layers.StringLookup(vocabulary=["a", "b", "c"])
print(lookup(tf.constant([["a", "z"], ["c", "b"]])).numpy().tolist())
text = layers.TextVectorization(max_tokens=8, output_sequence_length=4)
text.adapt(["the cat sat", "the dog sat down"])
print(text.get_vocabulary(), text(["the dog", "a cat sat"]).numpy().tolist())
print(layers.Discretization([0.0, 1.0])(np.array([-1.0, 0.5, 3.0])).numpy().tolist())
