"""A tour of variables: state, assignment, names, conversion, what refuses to happen."""

import numpy as np

import tapegrad as tf

my_tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
my_variable = tf.Variable(my_tensor)
flags = tf.Variable([False, False, False, True])
numbers = tf.Variable([5 + 4j, 6 + 1j])
print("Shape:", my_variable.shape)
print("DType:", my_variable.dtype)
print("As NumPy:", my_variable.numpy())
print(my_variable, flags, numbers)
print("viewed as a tensor:", tf.convert_to_tensor(my_variable))
print("index of highest value:", tf.math.argmax(my_variable))
print("copying and reshaping:", tf.reshape(my_variable, [1, 4]))

a = tf.Variable([2.0, 3.0])
a.assign([1, 2])
print(a)
try:
    a.assign([1.0, 2.0, 3.0])
except Exception as error:
    print(f"{type(error).__name__}")
b = tf.Variable(a)
a.assign([5, 6])
print(a.numpy(), b.numpy())
print(a.assign_add([2, 3]).numpy(), a.assign_sub([7, 9]).numpy())

first = tf.Variable(my_tensor, name="Mark")
second = tf.Variable(my_tensor + 1, name="Mark")
print(first == second, first.name, second.name, first.trainable)
counter = tf.Variable(1, trainable=False)
print(counter, counter.trainable)
counter.assign_add(4)
print(counter + 1, counter * counter, 2 - counter, counter // 2, int(counter), counter.read_value())

v = tf.Variable(tf.zeros([3, 3]))
v[0].assign([1.0, 2.0, 3.0])
v[1:, 2].assign([8.0, 9.0])
v.scatter_nd_update([[2, 0]], [7.0])
print(v)
v.scatter_update(tf.IndexedSlices(tf.ones([1, 3]), tf.constant([1])))
print(v.numpy())
v.scatter_add(tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 0])))
print(v.numpy(), v.gather_nd([[0, 1], [2, 0]]).numpy(), v.sparse_read([2]).numpy())

lazy = tf.Variable(lambda: tf.ones([2]) * 3, name="lazy", dtype=tf.float32)
print(lazy, lazy.dtype.name, lazy.shape.rank)
positive = tf.Variable([-1.0, 2.0], constraint=lambda value: tf.maximum(value, 0.0))
print(positive.constraint(positive))
flexible = tf.Variable([1.0], shape=tf.TensorShape([None]))
flexible.assign([1.0, 2.0, 3.0])
print(flexible.shape, flexible)

before = v.value()
v.assign(tf.zeros_like(v))
print(before.numpy().sum(), v.numpy().sum(), np.asarray(v).shape, v[0, 0].numpy())
with tf.device("CPU:0"):
    placed = tf.Variable([[1.0, 2.0, 3.0]])
print(placed * [[1.0], [2.0]], placed @ tf.ones([3, 1]))
print(tf.is_tensor(placed), isinstance(placed, tf.Tensor), isinstance(placed, tf.Variable))
for value in (lambda: placed + "a", lambda: tf.Variable(), lambda: placed.assign("a")):
    try:
        value()
    except Exception as error:
        print(type(error).__name__)
text = tf.Variable("hello")
text.assign("world")
print(text, text.numpy())
