"""cond, case, while_loop, map_fn, scan, foldl, vectorized_map and TensorArrays on the tape."""

import tapegrad as tf


def show(name, function, *points):
    """Value and gradients."""
    points = [tf.constant(p) for p in points]
    with tf.GradientTape() as tape:
        tape.watch(points)
        y = function(*points)
    grads = [tf.convert_to_tensor(g) for g in tape.gradient(y, points) if g is not None]
    print(name, y, *[g.numpy() for g in grads])


show("cond", lambda x: tf.cond(x > 2.0, lambda: x**2, lambda: -x), 3.0)
show("cond else", lambda x: tf.cond(x > 2.0, lambda: x**2, lambda: -x), 1.0)
show("case", lambda x: tf.case([(x < 1, lambda: x), (x < 5, lambda: 2 * x)], lambda: x**3), 3.0)
show("switch", lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: tf.exp(x)]), 1.0)


def power(x, n):
    """x**n by a loop."""
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, tf.ones_like(x)))[1]


show("while", lambda x: power(x, 5), 2.0)


def newton(x):
    """A square root, until it stays."""
    guess = x
    while tf.abs(guess * guess - x) > 1e-6:
        guess = 0.5 * (guess + x / guess)
    return guess


show("python while", newton, 2.0)


def collatz(n):
    """Steps to one."""
    return tf.while_loop(
        lambda n, count: n > 1,
        lambda n, count: (tf.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1),
        [tf.constant(n), tf.constant(0)],
    )


print(collatz(27))
show("map_fn", lambda x: tf.map_fn(lambda r: r * tf.reduce_sum(r), x), [[1.0, 2.0], [3.0, 4.0]])
print(tf.map_fn(lambda t: t[0] + t[1], (tf.range(3), tf.range(3)), fn_output_signature=tf.int32))
print(tf.map_fn(lambda v: (v, v > 1), tf.range(3), fn_output_signature=(tf.int32, tf.bool)))
show("scan", lambda x: tf.scan(lambda a, v: a * v, x), [1.0, 2.0, 3.0, 4.0])
show("scan init", lambda x: tf.scan(lambda a, v: 0.5 * a + v, x, initializer=0.0), [1.0, 2.0])
show("foldl", lambda x: tf.foldl(lambda a, v: a * 0.9 + v, x), [1.0, 2.0, 3.0])
show("foldr", lambda x: tf.foldr(lambda a, v: a - v, x), [1.0, 2.0, 3.0])
show("vectorized_map", lambda x: tf.vectorized_map(lambda r: tf.norm(r), x), [[3.0, 4.0]])
