"""BFGS on a quadratic, on Himmelblau's function and on a small least squares problem."""
# tolerance: relative 1e-4 absolute 1e-7 (quasi-Newton steps amplify rounding near the minimum)

import numpy as np

import tapegrad as tf


def bfgs(function, start, steps=30, tolerance=1e-9):
    """Minimise; gives the point, its value and how many steps were made."""
    x = tf.convert_to_tensor(start)
    size = x.shape[0]
    inverse = tf.eye(size, dtype=x.dtype)

    def gradient_at(point):
        with tf.GradientTape() as tape:
            tape.watch(point)
            value = function(point)
        return value, tape.gradient(value, point)

    value, g = gradient_at(x)
    for step in range(steps):
        direction = -tf.linalg.matvec(inverse, g)
        slope = tf.tensordot(direction, g, axes=1)
        rate = tf.constant(1.0, x.dtype)
        while function(x + rate * direction) > value + 1e-4 * rate * slope:
            rate = rate / 2
        s = rate * direction
        x = x + s
        value, new = gradient_at(x)
        y, g = new - g, new
        if tf.norm(g) < tolerance:
            break
        rho = 1.0 / tf.tensordot(y, s, 1)
        left = tf.eye(size, dtype=x.dtype) - rho * tf.tensordot(s, y, axes=0)
        inverse = left @ inverse @ tf.transpose(left) + rho * tf.tensordot(s, s, axes=0)
    return x, value, step


spd = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])
rhs = tf.constant([1.0, 2.0, 3.0], dtype=tf.float64)


def quadratic(x):
    """Minimum where spd x = rhs."""
    return 0.5 * tf.tensordot(x, tf.linalg.matvec(spd, x), 1) - tf.reduce_sum(rhs * x)


point, value, step = bfgs(quadratic, np.zeros(3))
print(point, value.numpy(), np.allclose(point, np.linalg.solve(spd, rhs)))


def himmelblau(p):
    """Four minima, all zero."""
    x, y = tf.unstack(p)
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


for start in ([1.0, 1.0], [-2.0, 2.0], [-3.0, -3.0], [3.0, -2.0]):
    point, value, step = bfgs(himmelblau, tf.constant(start, tf.float64))
    print(start, point.numpy().round(5), bool(value < 1e-12))

grid = np.linspace(0, 4, 15)
observed = 2.5 * np.exp(-1.3 * grid) + 0.5


def misfit(p):
    """A decaying exponential with an offset."""
    amplitude, rate, offset = p[0], p[1], p[2]
    return tf.reduce_sum((amplitude * tf.exp(-rate * grid) + offset - observed) ** 2)


point, value, step = bfgs(misfit, tf.ones([3], tf.float64), steps=60)
print(point.numpy().round(4), value < 1e-10)
