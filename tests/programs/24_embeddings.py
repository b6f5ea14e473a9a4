"""Embeddings: gathers give IndexedSlices; sparse updates, skip-gram, bags of words."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(10)
table = tf.Variable(np.float32(rng.randn(6, 3)), name="table")
context = tf.Variable(np.float32(rng.randn(6, 3)), name="context")
ids = tf.constant([1, 3, 1])
with tf.GradientTape() as tape:
    rows = tf.gather(table, ids)
    loss = tf.reduce_sum(rows**2)
grad = tape.gradient(loss, table)
print(type(grad).__name__, isinstance(grad, tf.IndexedSlices))
print(grad.values, grad.indices, grad.dense_shape, grad.shape, grad.dtype)
dense = tf.convert_to_tensor(grad)
print(dense)
table.scatter_sub(tf.IndexedSlices(0.1 * grad.values, grad.indices))
print(table.numpy())


def sparse_adagrad(variable, slices, slot, rate=0.5):
    """Sums repeated rows first, then touches only those rows."""
    unique, positions = tf.unique(slices.indices)
    summed = tf.math.unsorted_segment_sum(slices.values, positions, tf.size(unique))
    slot.scatter_add(tf.IndexedSlices(summed**2, unique))
    scale = tf.gather(slot, unique)
    step = rate * summed / tf.sqrt(scale)
    variable.scatter_sub(tf.IndexedSlices(step, unique))
    return unique


slots = [tf.Variable(tf.fill([6, 3], 0.1)) for _ in range(2)]
targets = tf.constant([0, 2, 4, 1])
contexts = tf.constant([[1, 5, 4], [3, 0, 1], [5, 2, 3], [0, 4, 4]])
labels = tf.constant([[1.0, 0.0, 0.0]] * 4)
for step in range(12):
    with tf.GradientTape() as tape:
        word = tf.nn.embedding_lookup(table, targets)
        other = tf.nn.embedding_lookup(context, contexts)
        dots = tf.einsum("be,bce->bc", word, other)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels, dots)
        loss = tf.reduce_mean(losses)
    grads = tape.gradient(loss, [table, context])
    touched = [sparse_adagrad(*triple) for triple in zip([table, context], grads, slots)]
    if step % 4 == 0:
        print(step, loss.numpy(), [g.values.shape.as_list() for g in grads])
print(touched[1], table[5])

# Sparse and dense parts of one gradient, and clipping of sparse ones.
with tf.GradientTape(persistent=True) as tape:
    both = tf.reduce_sum(tf.gather(table, [0, 0, 5]) ** 2) + tf.reduce_sum(table)
    double = tf.reduce_sum(tf.gather(table, [2])) + tf.reduce_sum(3.0 * tf.gather(table, [2, 4]))
    nested = tf.reduce_sum(tf.gather(tf.gather(table, [3, 2, 1]), [0, 2]) ** 2)
mixed = tape.gradient(both, table)
print(type(mixed).__name__, mixed)
pair = tape.gradient(double, table)
print(type(pair).__name__, pair.indices, pair.values)
print(tf.convert_to_tensor(tape.gradient(nested, table)))
clipped, norm = tf.clip_by_global_norm([pair, mixed], 1.0)
print(type(clipped[0]).__name__, norm, tf.linalg.global_norm([pair]))
cosine = tf.matmul(*(tf.math.l2_normalize(table, axis=1),) * 2, transpose_b=True)
values, nearest = tf.math.top_k(cosine, k=3)
print(nearest, values[0])
bags = tf.constant([0, 0, 1, 2, 2, 2])
print(tf.math.segment_mean(tf.gather(table, [0, 1, 2, 3, 4, 5]), bags))
print(tf.math.unsorted_segment_max(tf.gather(table, [5, 4, 3]), [1, 0, 1], 3)[:2])
