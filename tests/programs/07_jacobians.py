"""Jacobians of scalars, vectors and matrices; batch Jacobians; when rows mix."""

import numpy as np

import tapegrad as tf

x = tf.linspace(-10.0, 10.0, 7)
delta = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.nn.sigmoid(x + delta)
dy_dx = tape.jacobian(y, delta)
print(y.shape, dy_dx.shape, dy_dx)

source = np.random.RandomState(1)
inputs = tf.constant(source.randn(4, 5).astype("float32"))
w = tf.Variable(source.randn(5, 3).astype("float32"))
b = tf.Variable(tf.zeros(3))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(inputs)
    y = tf.nn.relu(inputs @ w + b)
j = tape.jacobian(y, w)
print(y.shape, w.shape, j.shape)
g = tape.gradient(y, w)
print("sum over the target's axes:", np.abs(g - tf.reduce_sum(j, axis=[0, 1])).max() < 1e-6)
print(tape.jacobian(y, [w, b])[1][0])
jx = tape.jacobian(y, inputs)
print(jx.shape, tf.einsum("bxby->bxy", jx).shape)
jb = tape.batch_jacobian(y, inputs)
print(jb.shape, np.allclose(jb, tf.einsum("bxby->bxy", jx)), jb[2])
print(tape.jacobian(y, inputs, experimental_use_pfor=False).shape)

with tf.GradientTape() as tape:
    tape.watch(inputs)
    mean = tf.reduce_mean(inputs, axis=0, keepdims=True)
    centred = inputs - mean
jx = tape.jacobian(centred, inputs)
jb = tf.reduce_sum(jx, axis=2)
print("mixing rows:", float(tf.reduce_max(tf.abs(tf.einsum("bxby->bxy", jx) - jb))))

z = tf.constant([[0.5, 1.0], [1.5, -2.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(z)
    inverse = tf.linalg.inv(z)
    lengths = tf.norm(z, axis=1)
    pairs = tf.stack([z[:, 0] * z[:, 1], tf.sin(z[:, 0])], axis=1)
print(tape.jacobian(inverse, z))
print(tape.jacobian(lengths, z))
print(tape.batch_jacobian(pairs, z))
print(tape.jacobian(pairs, tf.constant(1.0)))
zero = tape.jacobian(pairs, b, unconnected_gradients="zero")
print(zero.shape, float(tf.reduce_sum(zero)))
for target in (tf.ones([3, 2]), tf.ones([5])):
    try:
        tape.batch_jacobian(target, z)
    except ValueError:
        print("ValueError")


def polar(point):
    """Radius and angle to x and y."""
    return tf.stack([point[0] * tf.cos(point[1]), point[0] * tf.sin(point[1])])


point = tf.Variable([2.0, 0.7], dtype=tf.float64)
with tf.GradientTape() as tape:
    image = polar(point)
jacobian = tape.jacobian(image, point)
print(jacobian, "det", tf.linalg.det(jacobian).numpy())
