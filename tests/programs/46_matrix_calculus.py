"""Gradients through linear algebra: det, inverse, solve, Cholesky, QR, eigenvalues, SVD, norms."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(25)
a = tf.Variable(rng.randn(3, 3) + 3 * np.eye(3))
rhs = tf.constant(rng.randn(3, 2))


def spd(m):
    """Symmetric and positive."""
    return m @ tf.transpose(m) + tf.eye(3, dtype=tf.float64)


functions = {
    "det": tf.linalg.det,
    "logdet": lambda m: tf.linalg.logdet(spd(m)),
    "slogdet": lambda m: tf.linalg.slogdet(m).log_abs_determinant,
    "inverse": lambda m: tf.reduce_sum(tf.linalg.inv(m) * [1.0, 2.0, 3.0]),
    "solve": lambda m: tf.reduce_sum(tf.linalg.solve(m, rhs) ** 2),
    "adjoint solve": lambda m: tf.reduce_sum(tf.linalg.solve(m, rhs, adjoint=True) ** 2),
    "triangular": lambda m: tf.reduce_sum(tf.linalg.triangular_solve(m, rhs, lower=True) ** 2),
    "cholesky": lambda m: tf.reduce_sum(tf.sin(tf.linalg.cholesky(spd(m)))),
    "cholesky_solve": lambda m: tf.reduce_sum(
        tf.linalg.cholesky_solve(tf.linalg.cholesky(spd(m)), rhs)
    ),
    "qr": lambda m: tf.reduce_sum(tf.abs(tf.linalg.qr(m).r)),
    "eigvalsh": lambda m: tf.reduce_sum(tf.linalg.eigvalsh(spd(m)) ** 2 * [1.0, 2.0, 3.0]),
    "eigh": lambda m: tf.reduce_sum(tf.linalg.eigh(spd(m))[1] ** 4),
    "svd values": lambda m: tf.reduce_sum(tf.linalg.svd(m, compute_uv=False) * [1.0, 2.0, 3.0]),
    "nuclear": lambda m: tf.reduce_sum(tf.linalg.svd(m)[0]),
    "trace": lambda m: tf.linalg.trace(m @ m @ m),
    "frobenius": tf.norm,
    "one norm": lambda m: tf.norm(m, ord=1),
    "inf norm of rows": lambda m: tf.reduce_sum(tf.norm(m, ord=np.inf, axis=1)),
    "diag": lambda m: tf.reduce_sum(tf.linalg.diag(tf.linalg.diag_part(m)) ** 2),
    "set_diag": lambda m: tf.reduce_sum(tf.linalg.set_diag(m, [1.0, 1.0, 1.0]) ** 2),
    "lstsq": lambda m: tf.reduce_sum(tf.linalg.lstsq(m, rhs) ** 2),
    "band": lambda m: tf.reduce_sum(tf.linalg.band_part(m, 1, 0) ** 2),
    "expm": lambda m: tf.reduce_sum(tf.linalg.expm(m * 0.1)),
    "adjoint": lambda m: tf.reduce_sum(tf.linalg.adjoint(m) @ rhs),
    "cross": lambda m: tf.reduce_sum(tf.linalg.cross(m[0], m[1]) ** 2),
    "normalise": lambda m: tf.reduce_sum(tf.linalg.normalize(m, axis=1)[0] * [1.0, 2.0, 3.0]),
}
for name, function in functions.items():
    with tf.GradientTape() as tape:
        y = function(a)
    print(name, y.numpy(), tape.gradient(y, a).numpy().ravel())

for name in ("det", "logdet", "inverse", "cholesky", "svd values", "eigvalsh", "solve"):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = functions[name](a)
        g = inner.gradient(y, a)
    hessian = outer.jacobian(g, a)
    print(name, hessian.shape, tf.norm(hessian).numpy(), hessian[0, 1].numpy().ravel())

batch = tf.constant(rng.randn(4, 2, 2))
with tf.GradientTape() as tape:
    tape.watch(batch)
    dets = tf.linalg.det(batch)
print(dets, tape.gradient(dets, batch)[1], tf.linalg.inv(batch)[2])
values, vectors = tf.linalg.eigh(spd(a))
print(values, np.allclose(vectors @ tf.linalg.diag(values) @ tf.transpose(vectors), spd(a)))
s, u, v = tf.linalg.svd(a)
print(s, np.allclose(u @ tf.linalg.diag(s) @ tf.transpose(v), a), u.shape, v.shape)
q, r = tf.linalg.qr(rhs)
print(q.shape, r.shape, np.allclose(q @ r, rhs), tf.linalg.matrix_rank(a), tf.linalg.pinv(rhs))
power = tf.ones([3, 1], tf.float64)
for _ in range(60):
    power = spd(a) @ power
    power = power / tf.norm(power)
print((tf.transpose(power) @ spd(a) @ power).numpy().item(), values[-1].numpy())
