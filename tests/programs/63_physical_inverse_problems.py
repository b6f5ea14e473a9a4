"""Heat run backward, mean field magnets, thermal averages, Snell's law from the least time."""

import tapegrad as tf
import numpy as np

# Heat on a line: find the start from the end.
final = tf.constant(np.exp(-((np.linspace(-1, 1, 12)) ** 2) * 3))
initial = tf.Variable(tf.zeros([12], tf.float64))
for _ in range(60):
    with tf.GradientTape() as tape:
        u = initial
        for _ in range(6):
            padded = tf.pad(u[tf.newaxis], [[0, 0], [1, 1]], mode="SYMMETRIC")[0]
            u = u + 0.3 * (padded[2:] - 2.0 * u + padded[:-2])
        loss = tf.reduce_sum((u - final) ** 2)
    initial.assign_sub(0.4 * tape.gradient(loss, initial))
print(loss.numpy(), initial.numpy())

# Mean field magnetisation, and susceptibility as a derivative.
field, coupling = tf.Variable(0.1, dtype=tf.float64), tf.constant(0.8, tf.float64)
with tf.GradientTape(persistent=True) as tape:
    m = tf.constant(0.0, tf.float64)
    for _ in range(200):
        m = tf.tanh(coupling * m + field)
print(m.numpy(), tape.gradient(m, field).numpy(), ((1 - m**2) / (1 - 0.8 * (1 - m**2))).numpy())
beta = tf.Variable(0.7, dtype=tf.float64)
levels = tf.constant([0.0, 1.0, 1.0, 2.5], tf.float64)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        log_z = tf.reduce_logsumexp(-beta * levels)
    mean = -t1.gradient(log_z, beta)
variance = -t2.gradient(mean, beta)
p = tf.nn.softmax(-beta * levels)
print(mean.numpy(), tf.reduce_sum(p * levels).numpy(), variance.numpy())

# Snell's law from Fermat's principle.
crossing = tf.Variable(0.5, dtype=tf.float64)
for _ in range(50):
    with tf.GradientTape() as t2, tf.GradientTape() as t1:
        time = tf.sqrt(crossing**2 + 1.0) + 1.5 * tf.sqrt((2.0 - crossing) ** 2 + 1.0)
        with t1.stop_recording():
            g = t1.gradient(time, crossing)
    crossing.assign_sub(g / t2.gradient(g, crossing))
sine = crossing / tf.sqrt(crossing**2 + 1.0)
other = (2.0 - crossing) / tf.sqrt((2.0 - crossing) ** 2 + 1.0)
print(crossing.numpy(), (sine / other).numpy())
