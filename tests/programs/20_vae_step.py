"""A variational autoencoder step: reparameterisation, KL in closed form and by samples, ELBO."""
# tolerance: relative 1e-4 absolute 1e-5 (float32 training)

import numpy as np

import tapegrad as tf

tf.random.set_seed(3)
rng = np.random.RandomState(4)
data = tf.constant((rng.rand(20, 8) > 0.6).astype("float32"))
latent = 2
enc = tf.Variable(np.float32(rng.randn(8, 2 * latent) * 0.3), name="encoder")
dec = tf.Variable(np.float32(rng.randn(latent, 8) * 0.3), name="decoder")
dec_bias = tf.Variable(tf.zeros([8]), name="bias")


def log_normal_pdf(sample, mean, logvar, raxis=1):
    """Log density of a diagonal normal."""
    log2pi = tf.math.log(2.0 * np.pi)
    return tf.reduce_sum(
        -0.5 * ((sample - mean) ** 2.0 * tf.exp(-logvar) + logvar + log2pi), axis=raxis
    )


def elbo_terms(x, eps):
    """Reconstruction and both forms of the divergence."""
    mean, logvar = tf.split(x @ enc, num_or_size_splits=2, axis=1)
    z = eps * tf.exp(logvar * 0.5) + mean
    x_logit = z @ dec + dec_bias
    cross_ent = tf.nn.sigmoid_cross_entropy_with_logits(logits=x_logit, labels=x)
    logpx_z = -tf.reduce_sum(cross_ent, axis=[1])
    logpz = log_normal_pdf(z, 0.0, 0.0)
    logqz_x = log_normal_pdf(z, mean, logvar)
    kl = -0.5 * tf.reduce_sum(1 + logvar - mean**2 - tf.exp(logvar), axis=1)
    return logpx_z, logpz - logqz_x, kl


eps = tf.random.stateless_normal([20, latent], seed=[5, 6])
print(eps[:2])
for terms in zip(("reconstruction", "sampled", "closed"), elbo_terms(data, eps)):
    print(terms[0], tf.reduce_mean(terms[1]).numpy(), tf.math.reduce_std(terms[1]).numpy())
variables = (enc, dec, dec_bias)
for step in range(40):
    eps = tf.random.stateless_normal(shape=(20, latent), seed=(step, 0))
    with tf.GradientTape() as tape:
        logpx_z, difference, kl = elbo_terms(data, eps)
        loss = -tf.reduce_mean(logpx_z + difference)
    grads = tape.gradient(loss, variables)
    for g, v in zip(grads, variables):
        v.assign_sub(0.1 * g)
    if step % 10 == 0:
        print(step, loss.numpy(), [float(tf.norm(g)) for g in grads])
sample = tf.sigmoid(tf.random.stateless_normal([3, latent], [8, 8]) @ dec + dec_bias)
print(sample.shape, sample)


# The score function estimator beside the pathwise one.
mu = tf.Variable(0.5)
noise = tf.random.stateless_normal([2000], seed=[1, 1])
with tf.GradientTape() as tape:
    pathwise = tf.reduce_mean((mu + noise) ** 2)
print("pathwise", tape.gradient(pathwise, mu).numpy())
with tf.GradientTape() as tape:
    z = tf.stop_gradient(mu + noise)
    surrogate = tf.reduce_mean(z**2 * (-0.5 * (z - mu) ** 2))
print("score", tape.gradient(surrogate, mu).numpy())

# Gumbel softmax.
logits = tf.Variable([0.1, 1.0, -0.5])
uniform = tf.random.stateless_uniform([4, 3], seed=[2, 3])
gumbel = -tf.math.log(-tf.math.log(uniform))
with tf.GradientTape() as tape:
    soft = tf.nn.softmax((logits + gumbel) / 0.5)
    hard = tf.one_hot(tf.argmax(soft, -1), 3)
    straight = tf.stop_gradient(hard - soft) + soft
    value = tf.reduce_sum(straight * [1.0, 2.0, 3.0])
print(value.numpy(), tape.gradient(value, logits))
