"""Neural tangent kernel, Fisher information, natural gradient, per-example gradients."""
# tolerance: relative 5e-5 absolute 2e-6 (float32 sums of products)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(18)
x = tf.constant(np.float32(rng.randn(5, 3)))
w1 = tf.Variable(np.float32(rng.randn(3, 7) * 0.5))
w2 = tf.Variable(np.float32(rng.randn(7, 2) * 0.5))
params = [w1, w2]


def net(x):
    """Two layers."""
    return tf.tanh(x @ w1) @ w2


with tf.GradientTape() as tape:
    out = net(x)
jacobians = tape.jacobian(out, params)
print([j.shape for j in jacobians])
flat = tf.concat([tf.reshape(j, [5 * 2, -1]) for j in jacobians], axis=1)
ntk = tf.matmul(flat, flat, transpose_b=True)
print(flat.shape, ntk[:3, :3])
values, vectors = tf.linalg.eigh(tf.cast(ntk, tf.float64))
print(values[-1], bool(tf.reduce_all(values > -1e-5)), tf.linalg.trace(ntk))
kernel = sum(tf.einsum("boij,coij->bc", j, j) for j in jacobians)
print(kernel, np.allclose(tf.linalg.trace(kernel), tf.linalg.trace(ntk), rtol=1e-4))

# The Fisher matrix of a classifier, from the model's own distribution and from the data.
labels = tf.constant([0, 1, 1, 0, 1])
probs = tf.nn.softmax(out)
with tf.GradientTape() as tape:
    log_probs = tf.nn.log_softmax(net(x))
j = tape.jacobian(log_probs, w2)
j = tf.reshape(j, [5, 2, -1])
fisher = tf.einsum("bc,bci,bcj->ij", probs, j, j) / 5.0
picked = tf.gather(j, labels, axis=1, batch_dims=1)
empirical = tf.matmul(picked, picked, transpose_a=True) / 5.0
print(fisher.shape, tf.linalg.trace(fisher), tf.linalg.trace(empirical), fisher[0, :4])
hessian_of = tf.Variable(tf.zeros_like(w2))
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        logits = tf.tanh(x @ w1) @ (w2 + hessian_of)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(loss)
    g = inner.gradient(loss, hessian_of)
hessian = tf.reshape(outer.jacobian(g, hessian_of), [14, 14])
print("Gauss-Newton equals Hessian in the last layer", np.allclose(hessian, fisher, atol=1e-5))
natural = tf.linalg.solve(fisher + 0.01 * tf.eye(14), tf.reshape(g, [14, 1]))
print(tf.reshape(natural, [7, 2])[:2])
factor = tf.linalg.cholesky(fisher + 0.01 * tf.eye(14))
print(np.allclose(tf.linalg.cholesky_solve(factor, tf.reshape(g, [14, 1])), natural, atol=1e-3))

# Per-example gradients, three ways.
with tf.GradientTape(persistent=True) as tape:
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, net(x))
per_example = tape.jacobian(losses, w1)
loop = tf.stack([tape.gradient(losses, w1, output_gradients=tf.one_hot(i, 5)) for i in range(5)])
print(per_example.shape, np.allclose(per_example, loop, atol=1e-6))
norms = tf.norm(tf.reshape(per_example, [5, -1]), axis=1)
print(norms)
clip = tf.minimum(1.0, 0.3 / norms)
private = tf.einsum("b,b...->...", clip, per_example) / 5
print(private, tf.reduce_mean(per_example, 0)[0])
print(tf.reduce_sum(tape.gradient(losses, w1) - tf.reduce_sum(per_example, 0)).numpy() < 1e-5)
