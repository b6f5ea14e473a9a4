"""Physics through the tape: N bodies from a potential, a spring net, heat, Ising, optics."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(32)
positions = tf.constant(rng.randn(5, 2) * 2)
masses = tf.constant(rng.rand(5) + 0.5)


def potential(r):
    """Gravity, softened, each pair once."""
    delta = r[:, None, :] - r[None, :, :]
    distance = tf.sqrt(tf.reduce_sum(delta**2, -1) + 0.1)
    pairs = masses[:, None] * masses[None, :] / distance
    return -0.5 * tf.reduce_sum(tf.linalg.set_diag(pairs, tf.zeros(5, tf.float64)))


def force(r):
    """Minus the gradient."""
    with tf.GradientTape() as tape:
        tape.watch(r)
        energy = potential(r)
    return -tape.gradient(energy, r), energy


velocity = tf.zeros_like(positions)
r, (f, energy) = positions, force(positions)
print(energy.numpy(), f, tf.norm(tf.reduce_sum(f, axis=0)).numpy() < 1e-12)
start = energy
for _ in range(40):
    velocity += 0.5 * 0.02 * f / masses[:, None]
    r += 0.02 * velocity
    f, energy = force(r)
    velocity += 0.5 * 0.02 * f / masses[:, None]
kinetic = 0.5 * tf.reduce_sum(masses[:, None] * velocity**2)
print(r, abs(float(kinetic + energy - start)) < 1e-2)

# How the end depends on the start: a gradient through forty inner gradients.
speed = tf.Variable([0.5, 1.0], dtype=tf.float64)
goal = tf.constant([2.0, 0.5], tf.float64)
for attempt in range(4):
    with tf.GradientTape() as tape:
        place, v = tf.zeros([2], tf.float64), tf.convert_to_tensor(speed)
        for _ in range(25):
            drag = -0.1 * v * tf.norm(v)
            v = v + 0.05 * (drag + tf.constant([0.0, -1.0], tf.float64))
            place = place + 0.05 * v
        miss = tf.reduce_sum((place - goal) ** 2)
    speed.assign_sub(0.3 * tape.gradient(miss, speed))
    print(attempt, place.numpy(), miss.numpy(), speed.numpy())
