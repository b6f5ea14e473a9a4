"""Gaussian process regression: marginal likelihood by Cholesky, training, prediction."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(21)
x = tf.constant(np.sort(rng.uniform(-3, 3, (14, 1)), axis=0))
y = tf.sin(1.5 * x) + 0.1 * tf.constant(rng.randn(14, 1))
log_params = tf.Variable(np.log([1.0, 1.0, 0.3]), name="log_params")


def kernel(a, b, params):
    """Squared exponential."""
    squares = tf.reduce_sum(tf.math.squared_difference(a[:, None, :], b[None, :, :]), axis=-1)
    return params[0] ** 2 * tf.exp(-0.5 * squares / params[1] ** 2)


def negative_log_likelihood(log_params, jitter=1e-8):
    """By one factorisation."""
    params = tf.exp(log_params)
    n = tf.cast(tf.shape(x)[0], tf.float64)
    k = kernel(x, x, params) + (params[2] ** 2 + jitter) * tf.eye(14, dtype=tf.float64)
    factor = tf.linalg.cholesky(k)
    alpha = tf.linalg.triangular_solve(factor, y)
    fit = 0.5 * tf.reduce_sum(alpha**2)
    log_det = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
    return fit + log_det + 0.5 * n * np.log(2 * np.pi)


def by_determinant(log_params):
    """The same by slower functions."""
    params = tf.exp(log_params)
    k = kernel(x, x, params) + (params[2] ** 2 + 1e-8) * tf.eye(14, dtype=tf.float64)
    fit = tf.matmul(y, tf.linalg.solve(k, y), transpose_a=True)[0, 0]
    return 0.5 * (fit + tf.linalg.logdet(k) + 14 * np.log(2 * np.pi))


for function in (negative_log_likelihood, by_determinant):
    with tf.GradientTape() as tape:
        value = function(log_params)
    print(function.__name__, value.numpy(), tape.gradient(value, log_params).numpy())
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        value = negative_log_likelihood(log_params)
    g = inner.gradient(value, log_params)
print("Hessian", outer.jacobian(g, log_params))

for step in range(40):
    with tf.GradientTape() as tape:
        loss = negative_log_likelihood(log_params)
    log_params.assign_sub(0.02 * tape.gradient(loss, log_params))
    if step % 10 == 0:
        print(f"{step:3d} {loss.numpy():.6f}", tf.exp(log_params).numpy())

params = tf.exp(log_params)
test = tf.constant(np.linspace(-4, 4, 5)[:, None])
k = kernel(x, x, params) + params[2] ** 2 * tf.eye(14, dtype=tf.float64)
cross = kernel(x, test, params)
factor = tf.linalg.cholesky(k)
with tf.GradientTape() as tape:
    tape.watch(test)
    cross = kernel(x, test, params)
    mean = tf.matmul(cross, tf.linalg.cholesky_solve(factor, y), transpose_a=True)
slope = tape.gradient(mean, test)
half = tf.linalg.triangular_solve(factor, cross)
variance = params[0] ** 2 - tf.reduce_sum(half**2, axis=0)
print(tf.concat([test, mean, slope, tf.sqrt(variance)[:, None]], axis=1))
eye = tf.eye(5, dtype=tf.float64)
covariance = kernel(test, test, params) - tf.matmul(half, half, transpose_a=True)
draws = mean + tf.linalg.cholesky(covariance + 1e-6 * eye) @ tf.constant(rng.randn(5, 3))
print(draws.shape, draws[:, 0])
sign, log_abs = tf.linalg.slogdet(k)
print(sign.numpy(), log_abs.numpy(), tf.linalg.trace(tf.linalg.inv(k)).numpy())
try:
    bad = tf.linalg.inv(tf.zeros([3, 3]))
except tf.errors.InvalidArgumentError:
    print("InvalidArgumentError")
