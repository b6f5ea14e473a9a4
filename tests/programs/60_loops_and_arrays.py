"""TensorArrays, Python loops over ranges, branches on tensors, control dependencies."""

import tapegrad as tf


def show(name, function, *points):
    """Value and gradients."""
    points = [tf.constant(p) for p in points]
    with tf.GradientTape() as tape:
        tape.watch(points)
        y = function(*points)
    grads = [tf.convert_to_tensor(g) for g in tape.gradient(y, points) if g is not None]
    print(name, y, *[g.numpy() for g in grads])


def fibonacci(first, second):
    """A TensorArray that reads what it wrote."""
    array = tf.TensorArray(tf.float32, size=8, clear_after_read=False)
    array = array.write(0, first).write(1, second)
    for i in range(2, 8):
        array = array.write(i, array.read(i - 1) + array.read(i - 2))
    return array.stack()


show("TensorArray", fibonacci, 1.0, 1.0)
array = tf.TensorArray(tf.float32, size=3).unstack(tf.constant([[1.0], [2.0], [3.0]]))
print(array.size(), array.read(1), array.gather([0, 2]))
total = tf.constant(0)
for i in tf.range(4):
    if i % 2 == 0:
        continue
    total += i
print(total, [int(i) for i in tf.range(2, 9, 3)])
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    result = tf.cond(tf.constant(True), lambda: v * 2.0, lambda: v * 3.0)
    for _ in tf.range(3):
        result = result * v
print(result, tape.gradient(result, v))
print(
    tf.nest.map_structure(
        lambda a: a.numpy(),
        tf.while_loop(
            lambda s: s["i"] < 3,
            lambda s: ({"i": s["i"] + 1, "x": s["x"] * 2.0},),
            ({"i": 0, "x": 1.0},),
        ),
    )
)
a, b = tf.constant(5.0), tf.constant(5.0)
with tf.control_dependencies([tf.debugging.assert_equal(a, b)]):
    print(tf.identity(a))
print("yes" if tf.constant(3) > 2 else "no", not tf.constant(False), tf.constant(1) and "both")
try:
    if tf.constant([True, False]):
        pass
except ValueError:
    print("ValueError")
