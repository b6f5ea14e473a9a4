"""A GAN on one-dimensional data: two tapes in one with statement, two sets of variables."""
# tolerance: relative 2e-4 absolute 2e-5 (float32 training)

import numpy as np

import tapegrad as tf

tf.random.set_seed(1)
rng = np.random.RandomState(2)


def variables(*sizes):
    """Weights and biases of a net."""
    pairs = zip(sizes[:-1], sizes[1:])
    return [
        [tf.Variable(np.float32(rng.randn(m, n) / np.sqrt(m))), tf.Variable(tf.zeros(n))]
        for m, n in pairs
    ]


generator, discriminator = variables(2, 8, 1), variables(1, 8, 1)


def apply(layers, x, activation):
    """The net."""
    for w, b in layers[:-1]:
        x = activation(x @ w + b)
    return x @ layers[-1][0] + layers[-1][1]


def generate(noise):
    """Numbers from noise."""
    return apply(generator, noise, tf.nn.elu)


def discriminate(x):
    """Logits of being real."""
    return apply(discriminator, x, lambda z: tf.nn.leaky_relu(z, alpha=0.3))


def cross_entropy(labels, logits):
    """Mean over the batch."""
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def discriminator_loss(real_output, fake_output):
    """Real ones should be ones, fakes zeros."""
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    return real_loss + cross_entropy(tf.zeros_like(fake_output), fake_output)


def train_step(real, step):
    """Both nets learn from the same forward pass."""
    noise = tf.random.stateless_normal([16, 2], seed=[step, 7])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake = generate(noise)
        real_output, fake_output = discriminate(real), discriminate(fake)
        gen_loss = cross_entropy(tf.ones_like(fake_output), fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    flat_g, flat_d = tf.nest.flatten(generator), tf.nest.flatten(discriminator)
    for tape, loss, flat in ((gen_tape, gen_loss, flat_g), (disc_tape, disc_loss, flat_d)):
        for g, v in zip(tape.gradient(loss, flat), flat):
            v.assign_sub(0.05 * g)
    return gen_loss, disc_loss, gen_tape.watched_variables()


for step in range(30):
    real = tf.constant(rng.randn(16, 1) * 0.5 + 2.0, tf.float32)
    gen_loss, disc_loss, watched = train_step(real, step)
    if step % 10 == 9:
        print(step, f"generator {gen_loss.numpy():.4f} discriminator {disc_loss.numpy():.4f}")
print(len(watched), generate(tf.zeros([1, 2])))

# WGAN-GP: the penalty needs a gradient inside the discriminator's tape.
fake, alpha = generate(tf.random.stateless_normal([16, 2], [0, 1])), rng.rand(16, 1)
with tf.GradientTape() as outer:
    mixed = tf.cast(alpha, tf.float32) * real + tf.cast(1 - alpha, tf.float32) * fake
    with tf.GradientTape() as inner:
        inner.watch(mixed)
        score = discriminate(mixed)
    slope = tf.norm(inner.gradient(score, mixed), axis=1)
    penalty = tf.reduce_mean((slope - 1.0) ** 2)
print(penalty.numpy(), [g if g is None else g.shape for g in outer.gradient(penalty, watched)])
