"""Hessians of small models: nested tapes, Jacobian of a gradient, a Newton step."""

import numpy as np

import tapegrad as tf

data = np.random.RandomState(0)
x = tf.constant(data.randn(7, 5).astype("float32"))
kernel = tf.Variable(data.randn(5, 3).astype("float32") * 0.3)
bias = tf.Variable(tf.zeros(3))

with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        hidden = tf.nn.softplus(x @ kernel + bias)
        loss = tf.reduce_mean(hidden**2)
    g = t1.gradient(loss, kernel)
h = t2.jacobian(g, kernel)
print(f"Type of layer2.kernel: {type(kernel).__name__}", f"g.shape: {g.shape}", f"h: {h.shape}")

n_params = tf.reduce_prod(kernel.shape)
g_vec = tf.reshape(g, [n_params, 1])
h_mat = tf.reshape(h, [n_params, n_params])
print(n_params, g_vec.shape, h_mat.shape)
print("symmetric", np.abs(h_mat - tf.transpose(h_mat)).max() < 1e-6)
print("row", h_mat[0].numpy())
eye_eps = tf.eye(h_mat.shape[0]) * 1e-3
update = tf.linalg.solve(h_mat + eye_eps, g_vec)
print("step", tf.reshape(update, kernel.shape)[0].numpy())
_ = kernel.assign_sub(tf.reshape(update, kernel.shape))
after = tf.reduce_mean(tf.nn.softplus(x @ kernel + bias) ** 2)
print("loss", loss.numpy(), "after", after.numpy())


def hessian(function, *points):
    """Every block of second derivatives, from one persistent tape."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            value = function(*points)
        grads = inner.gradient(value, points)
    return [[outer.jacobian(g, p, unconnected_gradients="zero") for p in points] for g in grads]


a, b = tf.constant([1.0, 2.0]), tf.constant([0.5, -1.0, 2.0])
blocks = hessian(lambda a, b: tf.reduce_sum(a**2) * tf.reduce_sum(tf.sin(b)), a, b)
for row in blocks:
    for block in row:
        print(block)
rows = [tf.concat(row, axis=1) for row in blocks]
full = tf.concat(rows, axis=0)
print(full.shape, tf.linalg.eigvalsh(full), tf.linalg.det(full))

# Per example Hessians with batch_jacobian.
points = tf.constant([[0.1, 0.2], [1.0, -1.0], [2.0, 0.5]])
with tf.GradientTape() as outer:
    outer.watch(points)
    with tf.GradientTape() as inner:
        inner.watch(points)
        values = tf.exp(points[:, 0] * points[:, 1]) + points[:, 0] ** 3
    grads = inner.gradient(values, points)
print(outer.batch_jacobian(grads, points))
