"""Clipping by value, norm and global norm; of sparse gradients; through the clip; adaptive."""

import numpy as np

import tapegrad as tf

gradients = [tf.constant([3.0, -4.0]), tf.constant([[1.0, 2.0], [-2.0, 0.5]]), None]
print(tf.clip_by_value(gradients[0], -1.0, 1.0), tf.clip_by_value([1, 5, 9], 2, 7))
print(tf.clip_by_norm(gradients[0], 2.5), tf.clip_by_norm(gradients[0], 100.0))
print(tf.clip_by_norm(gradients[1], 1.0, axes=[1]))
clipped, norm = tf.clip_by_global_norm(gradients, 2.0)
print(type(clipped).__name__, clipped[0], clipped[1], clipped[2], norm)
print(
    tf.linalg.global_norm(gradients), tf.linalg.global_norm([c for c in clipped if c is not None])
)
again, used = tf.clip_by_global_norm(gradients, 2.0, use_norm=tf.constant(10.0))
print(again[0], used)

x = tf.Variable([3.0, -0.5, 4.0, 0.0])
with tf.GradientTape(persistent=True) as tape:
    by_value = tf.reduce_sum(tf.clip_by_value(x, -1.0, 3.0) ** 2)
    by_norm = tf.reduce_sum(tf.clip_by_norm(x, 2.0) * [1.0, 2.0, 3.0, 4.0])
    inside = tf.reduce_sum(tf.clip_by_norm(x, 50.0) * [1.0, 2.0, 3.0, 4.0])
    everywhere = tf.add_n([tf.reduce_sum(c) for c in tf.clip_by_global_norm([x, x * 2], 1.0)[0]])
for target in (by_value, by_norm, inside, everywhere):
    print(target.numpy(), tape.gradient(target, x))

# An exploding recurrence, held by clipping.
rng = np.random.RandomState(14)
w = tf.Variable(rng.randn(4, 4) * 1.2)
start = tf.constant(rng.randn(2, 4))
for mode in ("none", "value", "norm", "global"):
    with tf.GradientTape() as tape:
        h = start
        for _ in range(12):
            h = tf.nn.relu(h @ w) + 0.1
        loss = tf.reduce_mean(h)
    grad = tape.gradient(loss, w)
    if mode == "value":
        grad = tf.clip_by_value(grad, -0.5, 0.5)
    elif mode == "norm":
        grad = tf.clip_by_norm(grad, 1.0)
    elif mode == "global":
        (grad,), before = tf.clip_by_global_norm([grad], 1.0)
        print("norm before", before.numpy())
    print(mode, tf.norm(grad).numpy(), grad[0].numpy())


def adaptive_clip(parameter, grad, factor=0.01, eps=1e-3):
    """Clips each unit by the size of its weights."""

    def unitwise(v):
        axes = list(range(v.shape.rank - 1)) or None
        return tf.norm(v, axis=axes[0] if axes else None, keepdims=axes is not None)

    p_norm, g_norm = unitwise(parameter), unitwise(grad)
    limit = tf.maximum(p_norm, eps) * factor
    return tf.where(g_norm < limit, grad, grad * (limit / tf.maximum(g_norm, 1e-6)))


print(adaptive_clip(w, tf.constant(rng.randn(4, 4) * 0.01))[:2])
print(adaptive_clip(x, tf.constant([1.0, 2.0, 3.0, 4.0])))
slices = tf.IndexedSlices(tf.constant([[3.0, 4.0], [6.0, 8.0]]), tf.constant([0, 2]))
small = tf.clip_by_norm(slices, 5.0)
print(type(small).__name__, small.values, small.indices)
held, total = tf.clip_by_global_norm([slices, tf.constant([1.0])], 5.0)
print(type(held[0]).__name__, held[0].values, held[1], total)
for bad in ([tf.constant([np.inf])], [tf.constant([np.nan]), tf.constant([1.0])]):
    print(tf.clip_by_global_norm(bad, 1.0))
try:
    tf.clip_by_global_norm(tf.constant([1.0]), 1.0)
except TypeError:
    print("TypeError")
