"""A first tour of tensors: making them, their attributes, indexing, broadcasting."""

import numpy as np

import tapegrad as tf

scalar = tf.constant(4)
vector = tf.constant([2.0, 3.0, 4.0])
matrix = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
cube = tf.constant(np.arange(30).reshape(3, 2, 5))
for tensor in (scalar, vector, matrix, cube):
    print(tensor)
    print(repr(tensor))
print(np.array(matrix), matrix.numpy().dtype, type(scalar.numpy()).__name__)

a = tf.constant([[1, 2], [3, 4]])
b = tf.ones([2, 2], dtype=tf.int32)
print(tf.add(a, b), "\n", tf.multiply(a, b), "\n", tf.matmul(a, b))
print(a + b, a * b, a @ b, a - 3, 10 // a, a % 3, -a, a**2)

c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
print(tf.reduce_max(c), tf.math.argmax(c), tf.nn.softmax(c))
print(tf.convert_to_tensor([1, 2, 3]), tf.reduce_max([1, 2, 3]), tf.reduce_max(np.array([1, 2])))

block = tf.zeros([3, 2, 4, 5])
print("type", block.dtype, "axes", block.ndim, "shape", block.shape)
print("first", block.shape[0], "last", block.shape[-1], "total", tf.size(block).numpy())
print(tf.rank(block), tf.shape(block), block.shape.as_list(), block.shape.num_elements())
print(block.shape == [3, 2, 4, 5], block.shape[1:], block.shape.rank, repr(block.shape))

fib = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
print("first:", fib[0].numpy(), "last:", fib[-1].numpy())
for picture in (fib[:], fib[:4], fib[4:], fib[2:7], fib[::2], fib[::-1], fib[7:2:-2]):
    print(picture.numpy())
print(matrix[1, 1].numpy(), matrix[1, :].numpy(), matrix[:, 1].numpy(), matrix[1:, :].numpy())
print(cube[:, :, 4], cube[..., tf.newaxis].shape, cube[1, ..., ::2].numpy())
print(cube[tf.constant(1), 0], cube[tf.constant(0) :, 0, 1:3])

x = tf.constant([[1], [2], [3]])
print(x.shape, tf.reshape(x, [1, 3]), tf.reshape(cube, [-1]), tf.reshape(cube, [3 * 2, 5]))
print(tf.transpose(tf.reshape(cube, [2, 3, 5])).shape, tf.transpose(x))
print(tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]))
y = tf.range(1, 5)
print(x * y, tf.multiply(x, y).shape, tf.multiply(vector, 2), vector * [1, 2, 3])

left, right = vector[:1], vector[1:]
print(left, right, [float(item) for item in vector], len(vector), list(tf.range(3).numpy()))
print(tf.concat([a, b], axis=0), tf.stack([a, b]).shape, tf.squeeze(x), tf.expand_dims(x, 0).shape)
print(bool(tf.constant(1.5) > 1), int(tf.constant(7.9)), float(scalar), complex(tf.constant(2.0)))
print(tf.reduce_any(a == b), a == b, a != [[1, 0], [3, 0]], tf.constant(True) & tf.constant(False))
print(tf.eye(2), tf.fill([2, 2], "hi"), tf.linspace(0.0, 1.0, 5), tf.one_hot([0, 2], 3))
print([part.numpy().tolist() for part in tf.split(tf.range(6), [1, 2, 3])])
print(tf.unstack(a), tf.tile([1, 2], [2]), tf.repeat([1, 2], 2), tf.roll(fib, 3, 0))
