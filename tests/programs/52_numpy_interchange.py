"""NumPy and tensors together: conversions, ufuncs, who wins in mixed arithmetic, copies, pickles."""

import copy
import math
import pickle

import numpy as np

import tapegrad as tf

ndarray = np.ones([3, 3])
tensor = tf.math.multiply(ndarray, 42)
print(tensor)
print(np.add(tensor, 1), type(np.add(tensor, 1)).__name__)
print(tensor.numpy(), type(tensor.numpy()).__name__)
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print(np.mean(x), np.sum(x, axis=0), np.max(x), np.linalg.norm(x), np.square(x), np.dot(x, x))
print(type(x + np.ones(2, np.float32)).__name__, type(np.ones(2, np.float32) + x).__name__)
print(type(np.float32(2) * x).__name__, 2 * x, np.float32(2) * x, x * np.float32(0.5))
print(np.array([[1.0, 2.0]], np.float32) @ x, x @ np.eye(2, dtype=np.float32))
print(np.asarray(x).dtype, np.array(x, dtype=np.float64).dtype, np.asarray(x, "int32"))
print(np.concatenate([x, x]), np.stack([x[0], x[1]]).shape, np.where(x > 2, x, 0))
print(math.sqrt(tf.constant(16.0)), math.floor(tf.constant(2.7).numpy()), round(x.numpy()[0, 1]))
print(list(range(tf.constant(3))), [10, 20, 30][tf.constant(1)], np.arange(4)[tf.constant([0, 2])])
print(sum([tf.constant(1), tf.constant(2)]), max(tf.constant(3), tf.constant(1)), abs(x - 2))
print(np.testing.assert_allclose(x, [[1, 2], [3, 4]]), np.array_equal(x, x), np.isnan(x).any())
print(hasattr(x, "__divmod__"), pow(x, 2), pow(2.0, x))

copied = x.numpy()
copied[0, 0] = 100
print(x[0, 0].numpy(), copied[0, 0])
source = np.zeros(3)
from_source = tf.constant(source)
source[0] = 9.0
print(from_source.numpy(), tf.convert_to_tensor(source).numpy())
v = tf.Variable(source)
source[1] = 5.0
print(v.numpy(), np.asarray(v).sum(), np.sum(v), v.numpy().flags.writeable)

for original in (
    x,
    tf.constant("s"),
    tf.constant([1, 2], tf.bfloat16),
    tf.Variable([1.0], name="v"),
):
    again = pickle.loads(pickle.dumps(original)) if isinstance(original, tf.Tensor) else None
    deep = copy.deepcopy(original)
    print(again, deep, type(deep).__name__)
w = tf.Variable(1.0)
twin = copy.deepcopy(w)
twin.assign(2.0)
print(w.numpy(), twin.numpy())

# NumPy leaves the tape; the tape says None.
y = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    inside = tf.reduce_mean(y * y)
    outside = tf.reduce_mean(tf.constant(np.square(y)))
    both = tf.reduce_sum(y * np.array([3.0, 4.0], np.float32))
    scaled = tf.reduce_sum(np.float32(3.0) * y)
for target in (inside, outside, both, scaled):
    print(target, tape.gradient(target, y))


def loop(function, start, steps):
    """Plain gradient descent with NumPy state, as SciPy's minimisers want it."""
    point = np.array(start)
    for _ in range(steps):
        tensor = tf.Variable(point)
        with tf.GradientTape() as tape:
            value = function(tensor)
        point -= 0.1 * tape.gradient(value, tensor).numpy()
    return point, value.numpy()


print(*loop(lambda p: tf.reduce_sum((p - [1.0, -2.0]) ** 2), [0.0, 0.0], 30))
for image in (
    np.arange(12, dtype=np.uint8).reshape(2, 2, 3)[..., ::-1],
    np.asfortranarray(np.eye(2)),
):
    print(tf.constant(image).shape, tf.reduce_sum(tf.cast(image, tf.float32), axis=0))
print(x.ref() == x.ref(), len({x.ref(), x.ref()}), x.ref().deref() is x, {v.ref(): 1}[v.ref()])
print(memoryview(x.numpy()).shape, x.numpy().tobytes()[:4], x.dtype.as_numpy_dtype(3))
