"""Hidden Markov models by the forward recursion, a linear chain CRF, its best path."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(27)
states, symbols, length = 3, 4, 8
log_a = tf.Variable(rng.randn(states, states))
log_b = tf.Variable(rng.randn(states, symbols))
log_pi = tf.Variable(rng.randn(states))
observed = rng.randint(0, symbols, length)


def log_likelihood(observed):
    """Forward recursion in logs."""
    trans, emit = tf.nn.log_softmax(log_a), tf.nn.log_softmax(log_b)
    alpha = tf.nn.log_softmax(log_pi) + emit[:, observed[0]]
    for symbol in observed[1:]:
        alpha = tf.reduce_logsumexp(alpha[:, None] + trans, axis=0) + emit[:, symbol]
    return tf.reduce_logsumexp(alpha)


with tf.GradientTape() as tape:
    value = log_likelihood(observed)
grads = tape.gradient(value, [log_a, log_b, log_pi])
print(value.numpy(), *grads)

total = 0.0
for word in np.ndindex(symbols, symbols):
    total += tf.exp(log_likelihood(list(word)))
print("all words of two symbols", total.numpy())

# Posterior marginals are gradients of the log partition function.
potentials = tf.Variable(rng.randn(length, states))
pairs = tf.constant(rng.randn(states, states))
with tf.GradientTape() as tape:
    alpha = potentials[0]
    for t in range(1, length):
        alpha = tf.reduce_logsumexp(alpha[:, tf.newaxis] + pairs, axis=0) + potentials[t]
    log_z = tf.reduce_logsumexp(alpha)
marginals = tape.gradient(log_z, potentials)
print(log_z.numpy(), tf.convert_to_tensor(marginals), tf.reduce_sum(marginals, axis=1))

# Viterbi, by replacing the sum with a maximum: its gradient is the best path.
with tf.GradientTape() as tape:
    best = potentials[0]
    for t in range(1, length):
        best = tf.reduce_max(best[:, tf.newaxis] + pairs, axis=0) + potentials[t]
    score = tf.reduce_max(best)
path = tf.argmax(tape.gradient(score, potentials), axis=1)
print(score.numpy(), path)
picked = tf.gather_nd(potentials, tf.stack([tf.range(length, dtype=tf.int64), path], axis=1))
steps = tf.gather_nd(pairs, tf.stack([path[:-1], path[1:]], axis=1))
print((tf.reduce_sum(picked) + tf.reduce_sum(steps)).numpy())
