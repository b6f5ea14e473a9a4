"""Programs that catch errors: classes, what they derive from, and that nothing is half done."""

import numpy as np

import tapegrad as tf

v = tf.Variable([1.0, 2.0, 3.0])
matrix = tf.ones([2, 3])
attempts = {
    "matmul": lambda: tf.matmul(matrix, matrix),
    "add": lambda: matrix + tf.ones([4]),
    "reshape": lambda: tf.reshape(matrix, [4, 2]),
    "concat": lambda: tf.concat([matrix, tf.ones([2, 2])], axis=0),
    "stack": lambda: tf.stack([matrix, v]),
    "split": lambda: tf.split(matrix, 2, axis=1),
    "axis": lambda: tf.reduce_sum(matrix, axis=2),
    "squeeze": lambda: tf.squeeze(matrix, axis=0),
    "expand": lambda: tf.expand_dims(matrix, 5),
    "transpose": lambda: tf.transpose(matrix, [0, 0]),
    "gather": lambda: tf.gather(v, [7]),
    "index": lambda: v[3],
    "slice": lambda: tf.slice(v, [2], [5]),
    "assign": lambda: v.assign([1.0]),
    "assign dtype": lambda: v.assign(np.array(["a", "b", "c"])),
    "cholesky": lambda: tf.linalg.cholesky(tf.ones([2, 3])),
    "solve": lambda: tf.linalg.solve(tf.zeros([2, 2]), tf.ones([2, 1])),
    "inv": lambda: tf.linalg.inv(tf.zeros([2, 2])),
    "divide": lambda: tf.constant(1) // tf.constant(0),
    "one_hot": lambda: tf.one_hot([0], -1),
    "fill": lambda: tf.fill([-1], 0.0),
    "range": lambda: tf.range(0, 10, 0),
    "broadcast": lambda: tf.broadcast_to(matrix, [3, 3]),
    "sparse loss": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([5], [[0.1, 0.9]]),
    "conv": lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 2]), tf.ones([3, 3, 3, 1]), 1, "SAME"),
    "padding": lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([3, 3, 1, 1]), 1, "FULL"),
    "pad mode": lambda: tf.pad(v, [[1, 1]], mode="WRAP"),
    "top_k": lambda: tf.math.top_k(v, 4),
    "bool": lambda: bool(v > 1),
    "len": lambda: len(tf.constant(1)),
    "iterate": lambda: list(tf.constant(1)),
    "int": lambda: int(v),
    "hash": lambda: hash(tf.constant(1)),
    "attribute": lambda: tf.constant(1).nothing,
    "ensure": lambda: tf.ensure_shape(matrix, [2, 2]),
    "assert": lambda: tf.debugging.assert_equal(1, 2, message="differs"),
    "assert less": lambda: tf.debugging.assert_less([1.0, 5.0], 3.0),
    "assert near": lambda: tf.debugging.assert_near(1.0, 1.1),
    "assert shape": lambda: tf.debugging.assert_shapes([(matrix, ("A", "A"))]),
    "numerics": lambda: tf.debugging.check_numerics(tf.constant([np.nan]), "here"),
    "nest": lambda: tf.nest.assert_same_structure([1, 2], [1, [2]]),
    "no gradient": lambda: tf.raw_ops.AddV2(x=1.0),
    "wrong argument": lambda: tf.reduce_sum(matrix, axs=1),
    "name": lambda: tf.no_such_function,
}
for name, attempt in attempts.items():
    try:
        attempt()
        print(name, "passes")
    except Exception as error:
        print(name, type(error).__name__, isinstance(error, tf.errors.OpError))
print(v)
try:
    tf.matmul(matrix, matrix)
except tf.errors.InvalidArgumentError as error:
    print("2,3" in error.message.replace(" ", ""), error.op, error.error_code == 3)
try:
    raise tf.errors.NotFoundError(None, None, "nothing here")
except tf.errors.OpError as error:
    print(type(error).__name__, error.message, str(error), error.node_def, error.error_code)
print(
    issubclass(tf.errors.OutOfRangeError, tf.errors.OpError),
    issubclass(tf.errors.OpError, Exception),
)
with tf.GradientTape() as tape:
    try:
        bad = tf.matmul(v[:, None], v[:, None])
    except tf.errors.InvalidArgumentError:
        good = tf.reduce_sum(v * v)
print(tape.gradient(good, v))
