"""Multi-head attention with causal and padding masks, positions, and a residual block."""
# tolerance: relative 5e-5 absolute 2e-6 (float32 softmax over summed products)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(12)
batch, length, width, heads = 2, 5, 8, 2
depth = width // heads


def positional_encoding(length, depth):
    """Sines and cosines of many wavelengths."""
    half = depth / 2
    positions = np.arange(length)[:, np.newaxis]
    rates = 1 / (10000 ** (np.arange(half)[np.newaxis, :] / half))
    angles = positions * rates
    return tf.cast(np.concatenate([np.sin(angles), np.cos(angles)], axis=-1), dtype=tf.float32)


def split_heads(x):
    """(batch, length, width) to (batch, heads, length, depth)."""
    x = tf.reshape(x, (batch, -1, heads, depth))
    return tf.transpose(x, perm=[0, 2, 1, 3])


def scaled_dot_product_attention(q, k, v, mask):
    """Output and weights."""
    matmul_qk = tf.matmul(q, k, transpose_b=True)
    dk = tf.cast(tf.shape(k)[-1], tf.float32)
    logits = matmul_qk / tf.math.sqrt(dk)
    if mask is not None:
        logits += mask * -1e9
    weights = tf.nn.softmax(logits, axis=-1)
    return tf.matmul(weights, v), weights


wq, wk, wv, wo = (tf.Variable(np.float32(rng.randn(width, width) * 0.3)) for _ in range(4))
w1 = tf.Variable(np.float32(rng.randn(width, 16) * 0.3))
w2 = tf.Variable(np.float32(rng.randn(16, width) * 0.3))
gain, shift = tf.Variable(tf.ones(width)), tf.Variable(tf.zeros(width))


def layer_norm(x):
    """Over the last axis."""
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, shift, gain, 1e-6)


def block(x, mask):
    """Attention and feed-forward, each with a residual."""
    q, k, v = (split_heads(x @ w) for w in (wq, wk, wv))
    attended, weights = scaled_dot_product_attention(q, k, v, mask)
    attended = tf.reshape(tf.transpose(attended, [0, 2, 1, 3]), [batch, -1, width])
    x = layer_norm(x + tf.tensordot(attended, wo, axes=[[2], [0]]))
    return layer_norm(x + tf.nn.gelu(x @ w1) @ w2), weights


tokens = tf.constant([[7, 6, 0, 0, 0], [1, 2, 3, 4, 0]])
table = tf.Variable(np.float32(rng.randn(10, width)))
padding = tf.cast(tf.math.equal(tokens, 0), tf.float32)[:, tf.newaxis, tf.newaxis, :]
causal = 1 - tf.linalg.band_part(tf.ones((length, length)), -1, 0)
mask = tf.maximum(padding, causal)
print(causal, mask.shape)
with tf.GradientTape(persistent=True) as tape:
    x = tf.nn.embedding_lookup(table, tokens) * tf.math.sqrt(float(width))
    x += positional_encoding(length, width)
    out, weights = block(x, mask)
    loss = tf.reduce_mean(out[:, :, 0] ** 3) + tf.reduce_sum(weights[0, 0, -1] ** 2)
print(out.shape, out[1, 4], weights[0, 1], loss.numpy())
parameters = [wq, wk, wv, wo, w1, w2, gain, shift]
for variable, grad in zip(parameters, tape.gradient(loss, parameters)):
    print(variable.shape, tf.norm(grad).numpy(), tf.reduce_max(tf.abs(grad)).numpy())
slices = tape.gradient(loss, table)
print(type(slices).__name__, slices.indices, slices.values.shape, slices.dense_shape)
print(tf.reduce_sum(tf.convert_to_tensor(slices), axis=1))
