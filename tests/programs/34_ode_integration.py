"""Differential equations through a tape: Euler, RK4, sensitivities, a learned pendulum."""

import numpy as np

import tapegrad as tf


def euler(f, y, t, h):
    """One step of first order."""
    return y + h * f(t, y)


def rk4(f, y, t, h):
    """One step of fourth order."""
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def solve(method, f, start, times):
    """All states, stacked."""
    states = [tf.convert_to_tensor(start)]
    for t, following in zip(times[:-1], times[1:]):
        states.append(method(f, states[-1], t, following - t))
    return tf.stack(states)


times = np.linspace(0.0, 2.0, 21)
rate = tf.Variable(0.7, dtype=tf.float64)
start = tf.Variable([1.0], dtype=tf.float64)
for method in (euler, rk4):
    with tf.GradientTape() as tape:
        end = solve(method, lambda t, y: -rate * y, start, times)[-1, 0]
    slopes = tape.gradient(end, [rate, start])
    exact = np.exp(-1.4)
    print(method.__name__, end.numpy(), slopes[0].numpy(), slopes[1].numpy(), exact, -2 * exact)


def lotka_volterra(params):
    """Prey and predators."""

    def f(t, y):
        a, b, c, d = tf.unstack(params)
        prey, predators = y[0], y[1]
        return tf.stack([a * prey - b * prey * predators, c * prey * predators - d * predators])

    return f


true = tf.constant([1.1, 0.4, 0.1, 0.4], tf.float64)
grid = np.linspace(0, 4, 17)
observed = solve(rk4, lotka_volterra(true), tf.constant([10.0, 5.0], tf.float64), grid)
print(observed[::4])
guess = tf.Variable([1.0, 0.5, 0.15, 0.5], dtype=tf.float64)
for step in range(15):
    with tf.GradientTape() as tape:
        states = solve(rk4, lotka_volterra(guess), observed[0], grid)
        residual = tf.reshape(tf.math.log(states) - tf.math.log(observed), [-1])
    j = tape.jacobian(residual, guess)
    jt = tf.transpose(j)
    damped = jt @ j + 1e-4 * tf.eye(4, dtype=tf.float64)
    guess.assign_sub(tf.linalg.matvec(tf.linalg.inv(damped), tf.linalg.matvec(jt, residual)))
    if step % 5 == 0:
        print(step, tf.reduce_sum(residual**2).numpy(), guess.numpy())
print(np.allclose(guess, true, atol=1e-4))
