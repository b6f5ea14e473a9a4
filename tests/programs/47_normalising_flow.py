"""Coupling layers with log determinants, a mixture density net, a Gaussian mixture by EM."""
# tolerance: relative 1e-4 absolute 1e-5 (float32 training)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(26)
data = tf.constant(np.float32(rng.randn(40, 2) @ [[1.0, 0.5], [0.0, 0.4]] + [1.0, -1.0]))
layers = [
    [tf.Variable(np.float32(rng.randn(1, 6) * 0.5)), tf.Variable(np.float32(rng.randn(6, 2) * 0.1))]
    for _ in range(4)
]
variables = tf.nest.flatten(layers)


def forward(x):
    """To the base distribution, with the log determinant."""
    log_det = tf.zeros([tf.shape(x)[0]])
    for w1, w2 in layers:
        kept, moved = tf.split(x, 2, axis=1)
        log_scale, shift = tf.unstack(tf.tanh(kept @ w1) @ w2, axis=1)
        moved = moved * tf.exp(log_scale)[:, None] + shift[:, None]
        log_det += log_scale
        x = tf.concat([moved, kept], axis=1)
    return x, log_det


def log_likelihood(x):
    """Change of variables."""
    z, log_det = forward(x)
    return -0.5 * tf.reduce_sum(z**2, axis=1) - np.log(2 * np.pi) + log_det


point = tf.constant([[0.3, -0.7], [1.0, 2.0]])
with tf.GradientTape() as tape:
    tape.watch(point)
    z, log_det = forward(point)
jacobian = tape.batch_jacobian(z, point)
print(log_det, tf.math.log(tf.abs(tf.linalg.det(jacobian))))
for step in range(25):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(log_likelihood(data))
    grads, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 5.0)
    for g, v in zip(grads, variables):
        v.assign_sub(0.05 * g)
    if step % 8 == 0:
        print(step, loss.numpy())

# A mixture density: logsumexp over components.
w = tf.Variable(np.float32(rng.randn(1, 9) * 0.5))
x = tf.constant(np.float32(np.linspace(-1, 1, 20))[:, None])
y = x + 0.3 * tf.sin(2 * np.pi * x)
with tf.GradientTape() as tape:
    logits, means, log_sigma = tf.split(x @ w, 3, axis=1)
    log_prob = tf.nn.log_softmax(logits) - log_sigma - 0.5 * ((y - means) / tf.exp(log_sigma)) ** 2
    nll = -tf.reduce_mean(tf.reduce_logsumexp(log_prob, axis=1))
print(nll.numpy(), tape.gradient(nll, w))

# EM for two Gaussians, and that the likelihood's gradient vanishes at its end.
samples = tf.constant(np.concatenate([rng.randn(30) - 2, rng.randn(20) * 0.5 + 2]))
mean = tf.Variable([-1.0, 1.0], dtype=tf.float64)
weights = tf.Variable([0.5, 0.5], dtype=tf.float64)
log_std = tf.Variable(tf.zeros([2], tf.float64))


def joint(mean, log_std, weights):
    """Log of weight times density, for each sample and component."""
    scaled = (samples[:, None] - mean) / tf.exp(log_std)
    return tf.math.log(weights) - log_std - 0.5 * scaled**2


for _ in range(60):
    resp = tf.nn.softmax(joint(mean, log_std, weights), axis=1)
    mass = tf.reduce_sum(resp, axis=0)
    mean.assign(tf.einsum("nk,n->k", resp, samples) / mass)
    spread = tf.reduce_sum(resp * (samples[:, None] - mean) ** 2, axis=0) / mass
    log_std.assign(0.5 * tf.math.log(spread))
    weights.assign(mass / tf.reduce_sum(mass))
with tf.GradientTape() as tape:
    total = tf.reduce_sum(tf.reduce_logsumexp(joint(mean, log_std, weights), axis=1))
slopes = tape.gradient(total, [mean, log_std])
print(mean.numpy(), tf.exp(log_std).numpy(), weights.numpy(), total.numpy())
print([bool(tf.reduce_all(tf.abs(g) < 1e-6)) for g in slopes])
