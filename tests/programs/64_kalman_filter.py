"""A Kalman filter whose noise levels are learned from the likelihood of its innovations."""

import tapegrad as tf
import numpy as np

rng = np.random.RandomState(27)
# A Kalman filter whose noise levels are learned.
motion = tf.constant([[1.0, 1.0], [0.0, 1.0]], tf.float64)
seen = tf.constant([[1.0, 0.0]], tf.float64)
series = tf.constant(np.cumsum(rng.randn(12) * 0.3 + 0.5) + rng.randn(12))
log_q, log_r = tf.Variable(-1.0, dtype=tf.float64), tf.Variable(0.0, dtype=tf.float64)


def filter_loss():
    """Negative log likelihood of the innovations."""
    mean, cov = tf.zeros([2, 1], tf.float64), tf.eye(2, dtype=tf.float64) * 10.0
    loss = tf.constant(0.0, tf.float64)
    for t in range(12):
        mean = motion @ mean
        cov = motion @ cov @ tf.transpose(motion) + tf.exp(log_q) * tf.eye(2, dtype=tf.float64)
        innovation = series[t] - seen @ mean
        spread = seen @ cov @ tf.transpose(seen) + tf.exp(log_r)
        gain = cov @ tf.transpose(seen) / spread
        mean = mean + gain @ innovation
        cov = cov - gain @ seen @ cov
        loss += 0.5 * tf.squeeze(tf.math.log(2 * np.pi * spread) + innovation**2 / spread)
    return loss, mean


for step in range(9):
    with tf.GradientTape() as tape:
        loss, mean = filter_loss()
    slopes = tape.gradient(loss, [log_q, log_r])
    log_q.assign_sub(0.1 * slopes[0])
    log_r.assign_sub(0.1 * slopes[1])
    if step % 4 == 0:
        print(step, loss.numpy(), [s.numpy() for s in slopes])
print(tf.exp([log_q, log_r]), mean.numpy().ravel())
