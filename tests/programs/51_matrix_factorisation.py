"""Recommenders: factorisation with biases by sparse gradients, ALS, NMF, a triplet loss."""
# tolerance: relative 1e-4 absolute 1e-5 (float32 training)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(30)
users, items, rank = 7, 5, 2
truth = rng.randn(users, rank) @ rng.randn(rank, items)
pairs = np.array([(u, i) for u in range(users) for i in range(items) if (u * 3 + i) % 4])
ratings = tf.constant(truth[pairs[:, 0], pairs[:, 1]], tf.float32)
p = tf.Variable(np.float32(rng.randn(users, rank) * 0.3), name="users")
q = tf.Variable(np.float32(rng.randn(items, rank) * 0.3), name="items")
bias = tf.Variable(tf.zeros([users]))
print(len(pairs), tf.reduce_mean(ratings))


def predict(index):
    """Products of rows and a bias."""
    rows, columns = tf.gather(p, index[:, 0]), tf.nn.embedding_lookup(q, index[:, 1])
    return tf.reduce_sum(rows * columns, axis=1) + tf.gather(bias, index[:, 0])


for epoch in range(30):
    for part in np.array_split(np.arange(len(pairs)), 4):
        with tf.GradientTape() as tape:
            error = predict(pairs[part]) - tf.gather(ratings, part)
            loss = tf.reduce_mean(error**2)
        for variable, grad in zip((p, q, bias), tape.gradient(loss, (p, q, bias))):
            variable.scatter_sub(tf.IndexedSlices(0.3 * grad.values, grad.indices))
    if epoch % 10 == 0:
        print(epoch, loss.numpy(), type(grad).__name__, grad.values.shape)
print(tf.reduce_mean((predict(pairs) - ratings) ** 2).numpy(), q)

# Alternating least squares on the mask.
mask = np.zeros((users, items))
mask[pairs[:, 0], pairs[:, 1]] = 1
mask, full = tf.constant(mask), tf.constant(truth)
left, right = tf.constant(rng.randn(users, rank)), tf.constant(rng.randn(items, rank))


def solve_rows(other, matrix, mask):
    """Ridge regressions of all rows at once."""
    gram = tf.einsum("ui,ir,is->urs", mask, other, other) + 0.01 * tf.eye(rank, dtype=tf.float64)
    rhs = tf.einsum("ui,ui,ir->ur", mask, matrix, other)
    return tf.squeeze(tf.linalg.solve(gram, rhs[..., tf.newaxis]), -1)


for _ in range(10):
    left = solve_rows(right, full, mask)
    right = solve_rows(left, tf.transpose(full), tf.transpose(mask))
difference = mask * (left @ tf.transpose(right) - full)
print("als", bool(tf.norm(difference) < 0.5), tf.norm(difference).numpy())

# Nonnegative factors by multiplicative updates and by a constraint.
v = tf.constant(np.abs(truth))
w = tf.Variable(rng.rand(users, rank), constraint=lambda m: tf.maximum(m, tf.zeros_like(m)))
h = tf.constant(rng.rand(rank, items))
for _ in range(20):
    h *= (tf.transpose(w) @ v) / (tf.transpose(w) @ w @ h + 1e-9)
    w.assign(w * (v @ tf.transpose(h)) / (w @ h @ tf.transpose(h) + 1e-9))
print("nmf", tf.norm(v - w @ h).numpy(), bool(tf.reduce_all(w >= 0)))
with tf.GradientTape() as tape:
    loss = tf.norm(v - w @ h)
w.assign(w.constraint(w - 10.0 * tape.gradient(loss, w)))
print(tf.reduce_min(w).numpy(), tf.math.count_nonzero(w).numpy())

anchors, positives, negatives = (tf.Variable(np.float32(rng.randn(4, 3))) for _ in range(3))
with tf.GradientTape() as tape:
    near = tf.reduce_sum(tf.square(anchors - positives), axis=-1)
    far = tf.reduce_sum(tf.square(anchors - negatives), axis=-1)
    triplet = tf.reduce_mean(tf.maximum(near - far + 0.5, 0.0))
    unit = [tf.math.l2_normalize(x, axis=1) for x in (anchors, positives)]
    logits = tf.matmul(*unit, transpose_b=True) / 0.1
    info = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(4), logits))
    total = triplet + info
print(triplet.numpy(), info.numpy(), *tape.gradient(total, [anchors, positives, negatives]))
