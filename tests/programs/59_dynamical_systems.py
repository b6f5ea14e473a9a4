"""A pendulum from its energy, how its end depends on its start, stretching in Lorenz' system."""

import tapegrad as tf
import numpy as np


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


def pendulum(t, y, length=1.0):
    """Angle and speed from the energy's gradient: a Hamiltonian system."""
    with tf.GradientTape() as tape:
        tape.watch(y)
        energy = y[1] ** 2 / 2 - 9.81 / length * tf.cos(y[0])
    g = tape.gradient(energy, y)
    return tf.stack([g[1], -g[0]])


with tf.GradientTape() as tape:
    angle = tf.constant([1.0, 0.0], tf.float64)
    tape.watch(angle)
    path = solve(rk4, pendulum, angle, np.linspace(0, 1, 26))
print(path[-1], tape.jacobian(path[-1], angle))
energies = path[:, 1] ** 2 / 2 - 9.81 * tf.cos(path[:, 0])
print("drift", bool(tf.math.reduce_std(energies) < 1e-4))

# The Lorenz system's largest stretching, by products of Jacobians.
state, tangent = tf.constant([1.0, 1.0, 20.0], tf.float64), tf.eye(3, dtype=tf.float64)
for _ in range(20):
    with tf.GradientTape() as tape:
        tape.watch(state)
        x, y, z = tf.unstack(state)
        following = state + 0.01 * tf.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
    tangent = tape.jacobian(following, state) @ tangent
    state = following
print(state, tf.linalg.svd(tangent, compute_uv=False))
