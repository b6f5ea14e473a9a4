"""A physics-informed net: u'' + u = 0 and the heat equation by second derivatives."""
# tolerance: relative 2e-4 absolute 2e-5 (60 float32 training steps carry rounding along)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(42)


def dense(n_in, n_out):
    """Weights of one layer."""
    return [
        tf.Variable(np.float32(rng.randn(n_in, n_out) / np.sqrt(n_in))),
        tf.Variable(tf.zeros([n_out])),
    ]


params = [dense(1, 16), dense(16, 16), dense(16, 1)]
flat = tf.nest.flatten(params)


def net(t):
    """The solution's guess."""
    for w, b in params[:-1]:
        t = tf.tanh(t @ w + b)
    w, b = params[-1]
    return t @ w + b


def residual(t):
    """What is left of u'' + u."""
    with tf.GradientTape() as second:
        second.watch(t)
        with tf.GradientTape() as first:
            first.watch(t)
            u = net(t)
        du = first.gradient(u, t)
    return second.gradient(du, t) + u, du


times = tf.reshape(tf.linspace(0.0, 3.0, 24), [-1, 1])
start = tf.zeros([1, 1])
moments = [tf.Variable(tf.zeros_like(v)) for v in flat]
for step in range(60):
    with tf.GradientTape() as tape:
        equation, _ = residual(times)
        _, slope = residual(start)
        loss = tf.reduce_mean(equation**2) + tf.reduce_mean(net(start) ** 2)
        loss += tf.reduce_mean((slope - 1.0) ** 2)
    for g, m, v in zip(tape.gradient(loss, flat), moments, flat):
        m.assign(0.9 * m + g)
        v.assign_sub(0.005 * m)
    if step % 20 == 0 or step == 59:
        print(step, loss.numpy())
print(net(times[::6]).numpy().ravel())

# The heat equation u_t = u_xx by one persistent tape, on a known solution.
x = tf.constant(np.linspace(0, 1, 5).reshape(-1, 1))
t = tf.constant(np.full((5, 1), 0.1))
with tf.GradientTape(persistent=True) as tape:
    tape.watch([x, t])
    u = tf.exp(-(np.pi**2) * t) * tf.sin(np.pi * x)
    u_x = tape.gradient(u, x)
    u_t = tape.gradient(u, t)
u_xx = tape.gradient(u_x, x)
del tape
print(u_t.numpy().ravel(), u_xx.numpy().ravel())
print(tf.reduce_max(tf.abs(u_t - u_xx)).numpy() < 1e-12)
