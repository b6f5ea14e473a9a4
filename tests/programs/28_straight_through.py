"""stop_gradient, straight-through estimators, grad_pass_through, quantised training, targets."""

import numpy as np

import tapegrad as tf

x = tf.Variable([-1.6, -0.4, 0.3, 2.7])


def straight_through(value, function):
    """Forward the function, backward the identity."""
    return value + tf.stop_gradient(function(value) - value)


with tf.GradientTape(persistent=True) as tape:
    plain = tf.reduce_sum(tf.round(x) * x)
    through = tf.reduce_sum(straight_through(x, tf.round) * x)
    signs = straight_through(x, tf.sign)
    passed = tf.grad_pass_through(tf.floor)(x) * 3.0
    half = tf.reduce_sum(x * tf.stop_gradient(x))
    blocked = tf.stop_gradient(x) * 5.0
for target in (plain, through, signs, passed, half, blocked):
    print(target.numpy(), tape.gradient(target, x))
print(tape.gradient(tf.stop_gradient(x), x, unconnected_gradients="zero"))


def fake_quantise(value, bits=3):
    """Rounds to a grid of 2**bits steps between the extremes."""
    low, high = tf.reduce_min(value), tf.reduce_max(value)
    scale = tf.stop_gradient((high - low) / (2.0**bits - 1))
    low = tf.stop_gradient(low)
    return straight_through(value, lambda v: tf.round((v - low) / scale) * scale + low)


rng = np.random.RandomState(16)
data = tf.constant(np.float32(rng.randn(32, 4)))
truth = data @ tf.constant([[1.0], [-0.5], [0.25], [2.0]])
w = tf.Variable(tf.zeros([4, 1]) + tf.constant([[0.1], [0.2], [0.3], [0.4]]))
for step in range(30):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((data @ fake_quantise(w) - truth) ** 2)
    w.assign_sub(0.05 * tape.gradient(loss, w))
    if step % 10 == 0:
        print(step, loss.numpy())
print(fake_quantise(w).numpy().ravel(), w.numpy().ravel())

# Vector quantisation: codebook and commitment losses.
codebook = tf.Variable(np.float32(rng.randn(5, 4)))
encoder = tf.Variable(tf.eye(4) * 0.9)
with tf.GradientTape(persistent=True) as tape:
    z = data[:6] @ encoder
    distances = tf.reduce_sum((z[:, None] - codebook[None]) ** 2, axis=-1)
    codes = tf.argmin(distances, axis=-1)
    quantised = tf.gather(codebook, codes)
    codebook_loss = tf.reduce_mean((quantised - tf.stop_gradient(z)) ** 2)
    commitment = tf.reduce_mean((tf.stop_gradient(quantised) - z) ** 2)
    out = z + tf.stop_gradient(quantised - z)
    total = tf.reduce_mean(out**2) + codebook_loss + 0.25 * commitment
print(codes, total.numpy())
g_code, g_enc = tape.gradient(total, [codebook, encoder])
print(tf.convert_to_tensor(g_code), g_enc)

# A target network that follows slowly.
online, target = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
states = tf.constant([[1.0, 0.5], [0.2, 0.9]])
for _ in range(5):
    with tf.GradientTape() as tape:
        goal = 1.0 + 0.9 * tf.linalg.matvec(states, target)
        error = tf.linalg.matvec(states, online) - tf.stop_gradient(goal)
        loss = tf.reduce_mean(error**2)
    grads = tape.gradient(loss, [online, target])
    online.assign_sub(0.3 * grads[0])
    target.assign(0.8 * target + 0.2 * online)
print(grads, online.numpy(), target.numpy())
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = tf.constant(4.0)
    tape.watch(y)
    z = tf.grad_pass_through(v.assign)(y * 2.0) * 3.0
print(v.numpy(), z.numpy(), tape.gradient(z, y))
