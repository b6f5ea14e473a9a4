"""Persistent tapes, stopping and resetting, several targets, spent tapes, unconnected sources."""

import tapegrad as tf

x = tf.Variable(2.0)
y = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as t:
    y_sq = y**2
    with t.stop_recording():
        x_sq = x**2
    z = x_sq + y_sq
grad = t.gradient(z, {"x": x, "y": y})
print("dz/dx:", grad["x"], "dz/dy:", grad["y"])

with tf.GradientTape() as t:
    y_sq = y**2
    t.reset()
    z = x**2 + y_sq
print(t.gradient(z, [x, y]))

with tf.GradientTape() as t:
    z = x * y
print(t.gradient(z, [x, y]))
try:
    t.gradient(z, x)
except RuntimeError as error:
    print("RuntimeError", "persistent" in str(error))

with tf.GradientTape(persistent=True) as t:
    a = x * 3.0
    b = a * a
    c = tf.stack([a, b, y])
print(t.gradient(c, [x, y, a, b]))
print(t.gradient([a, b], x), t.gradient([a, a], x), t.gradient(b, [x, x]))
print(t.gradient(c, x, output_gradients=tf.constant([1.0, 0.5, 7.0])))
print(t.gradient({"one": a, "two": b}, {"p": [x], "q": (y,)}))
print(t.gradient(a, y), t.gradient(a, y, unconnected_gradients=tf.UnconnectedGradients.ZERO))
print(t.gradient(a, y, unconnected_gradients="zero"), t.gradient(y, y), t.gradient(x, y))
print(t.gradient([x, x * x], x))
try:
    t.gradient(a, y, unconnected_gradients="nonsense")
except ValueError as error:
    print("ValueError", "nonsense" in str(error))

tape = tf.GradientTape(persistent=True)
try:
    tape.gradient(b, x)
except Exception as error:
    print(type(error).__name__)
with tape:
    p = x * x
with tape:
    q = p * y
print(tape.gradient(q, [x, y]))
try:
    with tape, tape:
        pass
except ValueError as error:
    print("ValueError", "Tape is still recording" in str(error))

matrix = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape(persistent=True) as t:
    total = tf.reduce_sum(matrix @ matrix)
    row = matrix[0]
    trace = tf.linalg.trace(matrix @ tf.transpose(matrix))
print(t.gradient(total, matrix), t.gradient(row, matrix), t.gradient(trace, matrix))
print(len(t.watched_variables()), t.watched_variables()[0].shape)
try:
    t.reset()
except ValueError as error:
    print("ValueError", "not recording" in str(error))
x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as t1, tf.GradientTape() as t2:
    t1.watch(x)
    y = x * x
print(t1.gradient(y, x), t2.gradient(y, x))
