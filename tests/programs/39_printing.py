"""How everything prints: tensors of all dtypes and ranks, variables, shapes, formats."""

import numpy as np

import tapegrad as tf

for dtype in ("float16", "float32", "float64", "bfloat16", "int8", "uint8", "int16", "uint16"):
    print(tf.constant([1, 2, 3], dtype=dtype), repr(tf.cast(7, dtype)), tf.as_dtype(dtype))
for dtype in (tf.int32, tf.int64, tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128):
    print(tf.cast([1, 0, 3], dtype), repr(tf.cast(1, dtype)), dtype, repr(dtype))
print(tf.constant("text"), repr(tf.constant(["a", "ü", b"\xff\x00"])), tf.constant([["x"]]))
for value in (0.1, 1e-10, 1e10, 123456.789, float("inf"), float("nan"), -0.0, 1 / 3):
    tensor = tf.constant(value)
    print(tensor, repr(tensor), tensor.numpy(), f"{tensor:.3f}", f"{tensor.numpy():10.4e}")
print(tf.constant([1e-10, 1.0, 1e10]), tf.constant([np.nan, np.inf, -np.inf]))
print(tf.zeros([0]), tf.zeros([2, 0, 3]), repr(tf.zeros([0, 3])), tf.constant([]))
print(tf.range(2000), tf.reshape(tf.range(4000.0), [40, 100]))
print(tf.ones([2, 2, 2, 2]), repr(tf.ones([1, 1, 1])))
print(tf.constant([[1.5, 22.25], [-333.125, 0.0]]), repr(tf.constant([[1.5, 22.25]])))
print(tf.constant(True), repr(tf.constant([True, False])))

v = tf.Variable([[1.0, 2.0]], name="weights")
s = tf.Variable(3, name="count")
print(v, s, repr(s), str(v), f"{s}", "%s" % s, f"{s}")
print(tf.Variable("word"), tf.Variable([True]), tf.Variable(1 + 2j))
print(v.shape, v.dtype, v.name, v.shape.as_list(), type(v).__name__)
print([tf.constant(1), tf.constant([2.0])], {"k": tf.constant(3)}, (v[0],))

for shape in ([], [2], [2, 3], [None], [None, 3], None):
    s = tf.TensorShape(shape)
    print(s, repr(s), s.rank, s.is_fully_defined(), s.ndims, bool(s) if shape is not None else "?")
print(tf.TensorShape([1, 2]).concatenate([3]), tf.TensorShape([1, 2]) + [3, 4])
print(
    tf.TensorShape([None, 3]).is_compatible_with([5, 3]), tf.TensorShape([2, 3])[1:], list(v.shape)
)
print(tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.int32, name="n"))
print(tf.TensorSpec.from_tensor(tf.constant([1.0])), tf.float32.as_numpy_dtype, tf.int32.max)
print(tf.UnconnectedGradients.ZERO, tf.UnconnectedGradients.NONE.value)
print(tf.VariableSynchronization.AUTO, tf.VariableAggregation.MEAN)
print(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2])))

x = tf.constant(3.14159)
print(f"{x:.2f} {x:8.3f} {x:e} {x!s} {float(x):.1f}", "%.2f" % x, "%d" % tf.constant(7), str(x))
print(
    "{:5d}|{:<6}|{:>8}".format(tf.constant(42), "a", "b"), f"{tf.constant(255):x}", round(float(x))
)
print(f"{tf.constant(True)}", f"{tf.constant([1, 2])}", f"{tf.constant('s')}")
print(x.numpy().item(), x.numpy(), repr(x.numpy()), tf.constant([1, 2]).numpy().tolist())
print(tf.math.top_k([1, 3, 2], 2), tf.linalg.svd(tf.eye(2))[0])
print(tf.unique([1, 1]), tf.nn.moments(tf.constant([1.0, 3.0]), 0))
print(type(x).__name__, type(x.shape).__name__, type(x.dtype).__name__, type(x.numpy()).__name__)
with np.printoptions(precision=2, suppress=True):
    print(tf.constant([1 / 3, 1e-5]), tf.Variable([2 / 3]).numpy())
print(tf.constant([0.1, 0.25, 1e5]), tf.constant([1e-8, 1]), tf.constant([1e16, 1.0], tf.float64))
