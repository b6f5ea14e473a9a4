"""Fourier features: a periodic target, random features, spectra, complex numbers on the tape."""
# tolerance: relative 1e-4 absolute 1e-5 (float32 training and spectra)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(20)
x = tf.linspace(0.0, 1.0, 33)[:-1]
y = tf.sign(tf.sin(2 * np.pi * 3 * x)) * 0.5 + 0.1 * x
freqs = tf.range(1.0, 9.0)


def features(x, freqs):
    """Sines and cosines at each frequency, and one."""
    angles = 2 * np.pi * tf.einsum("i,j->ij", x, freqs)
    return tf.concat([tf.ones_like(angles[:, :1]), tf.sin(angles), tf.cos(angles)], axis=-1)


phi = features(x, freqs)
print(phi.shape, phi[3])
w = tf.Variable(tf.zeros([17]))
f = tf.Variable(freqs + 0.05)
for step in range(40):
    with tf.GradientTape() as tape:
        prediction = tf.linalg.matvec(features(x, f), w)
        loss = tf.reduce_mean(tf.square(prediction - y))
    gw, gf = tape.gradient(loss, [w, f])
    w.assign_sub(0.2 * gw)
    f.assign_sub(0.01 * gf)
    if step % 13 == 0:
        print(step, loss.numpy(), tf.norm(gf).numpy())
print(w, f)

# Random Fourier features approach the Gaussian kernel.
omega = tf.random.stateless_normal([2, 512], seed=[3, 4])
phase = tf.random.stateless_uniform([512], seed=[5, 6], maxval=2 * np.pi)
points = tf.constant(np.float32(rng.randn(4, 2)))
z = tf.sqrt(2.0 / 512) * tf.cos(points @ omega + phase)
exact = tf.exp(-0.5 * tf.reduce_sum((points[:, None] - points[None]) ** 2, -1))
print(tf.matmul(z, z, transpose_b=True)[0], exact[0])
print(float(tf.reduce_max(tf.abs(z @ tf.transpose(z) - exact))) < 0.15)

# Complex numbers on the tape.
c = tf.Variable([1.0 + 2.0j, -0.5j, 3.0 + 0.0j], dtype=tf.complex64)
with tf.GradientTape(persistent=True) as tape:
    power = tf.reduce_sum(tf.abs(c) ** 2)
    product = tf.math.real(c[0] * tf.math.conj(c[1]) * c[2])
    square = c * c
    wave = tf.math.imag(tf.exp(c * 1j))
for target in (power, product, square, wave):
    print(target, tape.gradient(target, c))
print(tf.complex(1.0, -1.0) * c, tf.math.angle(c), tf.cast(c, tf.complex128).dtype)
half = tf.Variable([0.3, -0.2, 0.9])
with tf.GradientTape() as tape:
    z = tf.complex(tf.cos(half), tf.sin(half))
    mean = tf.abs(tf.reduce_mean(z))
print("phase locking", mean.numpy(), tape.gradient(mean, half))

# The discrete Fourier transform as a matrix.
n = tf.range(8, dtype=tf.float32)
angles = -2 * np.pi / 8 * tf.tensordot(n, n, axes=0)
dft = tf.complex(tf.cos(angles), tf.sin(angles))
signal = tf.constant(np.float32(rng.randn(8)))
with tf.GradientTape() as tape:
    tape.watch(signal)
    spectrum = tf.linalg.matvec(dft, tf.cast(signal, tf.complex64))
    energy = tf.reduce_sum(tf.abs(spectrum)[2:5] ** 2)
print(np.allclose(spectrum, np.fft.fft(signal), atol=1e-5), energy.numpy())
print(tape.gradient(energy, signal))
