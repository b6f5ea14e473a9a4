"""The autodiff tour: scalars, models, control of what is watched, None gradients and why."""

import tapegrad as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
print(tape.gradient(y, x).numpy())

w = tf.Variable([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]], name="w")
b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
data = [[1.0, 2.0, 3.0]]
with tf.GradientTape(persistent=True) as tape:
    y = data @ w + b
    loss = tf.reduce_mean(y**2)
dw, db = tape.gradient(loss, [w, b])
print(w.shape, dw.shape, dw, db)
grads = tape.gradient(loss, {"w": w, "b": b})
print(grads["b"], sorted(grads))

x0 = tf.Variable(3.0, name="x0")
x1 = tf.Variable(3.0, name="x1", trainable=False)
x2 = tf.Variable(2.0, name="x2") + 1.0
x3 = tf.constant(3.0, name="x3")
with tf.GradientTape() as tape:
    y = (x0**2) + (x1**2) + (x2**2)
for g in tape.gradient(y, [x0, x1, x2, x3]):
    print(g)
print([var.name for var in tape.watched_variables()])

x = tf.constant([1, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = y * y
print(tape.gradient(z, x).numpy(), tape.gradient(y, x).numpy(), tape.gradient(z, y).numpy())
del tape

x0 = tf.Variable(0.0)
x1 = tf.Variable(10.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x1)
    ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.softplus(x1))
grad = tape.gradient(ys, {"x0": x0, "x1": x1})
print("dy/dx0:", grad["x0"], "dy/dx1:", grad["x1"].numpy())

x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    outputs = {"y0": x**2, "y1": 1 / x}
print(tape.gradient(outputs, x).numpy())
with tf.GradientTape() as tape:
    y = x * [3.0, 4.0]
print(tape.gradient(y, x).numpy())

x = tf.linspace(-10.0, 10.0, 9)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.sigmoid(x)
print(tape.gradient(y, x))

v0, v1 = tf.Variable(1.0), tf.Variable(2.0)
for flag in (True, False):
    with tf.GradientTape() as tape:
        result = v0 if tf.constant(flag) else v1**2
    print(tape.gradient(result, [v0, v1]))

x = tf.Variable(2.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        y = x + 1
    print(type(x).__name__, tape.gradient(y, x))
    x = x + 1
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    outside = tf.constant(x.numpy() ** 2)
print(tape.gradient(tf.reduce_mean(outside), x))
