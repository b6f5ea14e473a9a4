"""Boolean masks, where, gather_nd, scatters and updates, with their gradients."""

import numpy as np

import tapegrad as tf

x = tf.Variable([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


def show(name, function):
    """Value and gradient."""
    with tf.GradientTape() as tape:
        y = function(x)
        total = tf.reduce_sum(y * y)
    grad = tape.gradient(total, x)
    print(name, y.numpy().tolist(), tf.convert_to_tensor(grad).numpy().tolist())


mask = tf.constant([[True, False, True], [False, True, True]])
show("boolean_mask", lambda x: tf.boolean_mask(x, mask))
show("boolean_mask axis", lambda x: tf.boolean_mask(x, [True, False, True], axis=1))
show("x[mask]", lambda x: x[mask])
show("x > 0", lambda x: x[x > 0])
show("where", lambda x: tf.where(x > 0, x, 0.1 * x))
show("where broadcast", lambda x: tf.where([[True], [False]], x, tf.zeros([3])))
show("gather axis 1", lambda x: tf.gather(x, [2, 0, 2], axis=1))
show("gather batch", lambda x: tf.gather(x, [[0, 1], [2, 2]], batch_dims=1))
show("gather_nd", lambda x: tf.gather_nd(x, [[0, 1], [1, 2], [0, 1]]))
show("gather_nd rows", lambda x: tf.gather_nd(x, [[1], [1]]))
show("update", lambda x: tf.tensor_scatter_nd_update(x, [[0, 0], [1, 1]], [10.0, 20.0]))
show("add", lambda x: tf.tensor_scatter_nd_add(x, [[0], [0]], tf.stack([x[1], x[1]])))
show("sub", lambda x: tf.tensor_scatter_nd_sub(x, [[1, 0]], [3.0]))
show("max", lambda x: tf.tensor_scatter_nd_max(x, [[0, 0], [0, 1]], [0.5, 7.0]))
show("scatter_nd", lambda x: tf.scatter_nd([[4], [1], [4]], x[0], [6]))
show("top_k", lambda x: tf.math.top_k(x, 2).values)
show("sort", lambda x: tf.sort(x, direction="DESCENDING") * [1.0, 2.0, 3.0])
show("cumsum", lambda x: tf.cumsum(x, axis=1, reverse=True))
show("slices", lambda x: x[:, 1:] - x[:, :-1])
show("newaxis", lambda x: x[:, tf.newaxis, ::2])
show("concat", lambda x: tf.concat([x, x[:, ::-1]], axis=0))
show("pad", lambda x: tf.pad(x, [[0, 1], [1, 0]], constant_values=2.0))
show("reflect", lambda x: tf.pad(x, [[0, 0], [1, 2]], mode="REFLECT"))
show("roll", lambda x: tf.roll(x, shift=[1, 1], axis=[0, 1]))
show("reverse", lambda x: tf.reverse(x, axis=[0]))
show("segment_sum", lambda x: tf.math.segment_sum(tf.transpose(x), [0, 0, 1]))
show("unsorted", lambda x: tf.math.unsorted_segment_mean(x, [1, 1], 3))
show("reduce_max", lambda x: tf.reduce_max(x, axis=0))
show("band", lambda x: tf.linalg.band_part(x, 0, 1))
show("repeat", lambda x: tf.repeat(x, [1, 0, 2], axis=1))
show("partition", lambda x: tf.dynamic_partition(x[0], [0, 1, 0], 2)[0])
show("stitch", lambda x: tf.dynamic_stitch([[0, 2], [1]], [x[0, :2], x[1, 2:]]))

print(tf.where(mask), tf.where([1, 0, 3]), tf.where(mask).dtype)
print(tf.sequence_mask([1, 3, 2]), tf.sequence_mask([1, 2], 3, dtype=tf.float32))
print(tf.unique([5, 2, 5, 9]), tf.unique_with_counts([1, 1, 2]).count)
print(tf.argsort([3.0, 1.0, 2.0]), tf.searchsorted([1.0, 3.0, 5.0], [2.0, 5.0], side="right"))
print(tf.math.count_nonzero(mask, axis=0), tf.reduce_any(mask, 1), tf.reduce_all(mask))
safe = tf.where(x > 0, x, 1.0)
with tf.GradientTape() as tape:
    y = tf.where(x > 0, tf.math.log(tf.where(x > 0, x, 1.0)), 0.0)
print(y, tape.gradient(y, x), np.isfinite(safe.numpy()).all())
for function in (
    lambda: tf.gather([1, 2, 3], [3]),
    lambda: tf.gather_nd([1, 2, 3], [[-1]]),
    lambda: tf.tensor_scatter_nd_update([1, 2, 3], [[5]], [1]),
    lambda: tf.scatter_nd([[0], [1]], [1, 2, 3], [4]),
    lambda: tf.boolean_mask([1, 2, 3], [True, False]),
    lambda: tf.where([True, False], [1.0, 2.0, 3.0], 0.0),
    lambda: x[5],
    lambda: tf.concat([[1], [[2]]], 0),
):
    try:
        print(function())
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(type(error).__name__)
