"""Seeds: global and op seeds, stateless draws, generators, shuffles, reproducible initialisers."""

import numpy as np

import tapegrad as tf

tf.random.set_seed(1234)
first = tf.random.uniform([3])
second = tf.random.uniform([3])
print(first, second)
tf.random.set_seed(1234)
print(np.array_equal(first, tf.random.uniform([3])), np.array_equal(second, tf.random.uniform([3])))
tf.random.set_seed(5)
print(tf.random.normal([2, 2]), tf.random.normal([2], mean=5.0, stddev=0.1, seed=1))
print(tf.random.normal([2], seed=1), tf.random.truncated_normal([4]))
print(tf.random.uniform([4], minval=0, maxval=10, dtype=tf.int32), tf.random.uniform([]))
print(tf.random.uniform([2], -1, 1, tf.float64), tf.random.normal([2], dtype=tf.float16))
print(tf.random.shuffle(tf.range(8)), tf.random.shuffle(tf.range(6), seed=3))

seed = [1, 2]
print(tf.random.stateless_uniform([3], seed), tf.random.stateless_normal([3], seed))
print(tf.random.stateless_normal([3], seed), tf.random.stateless_truncated_normal([3], seed))
print(tf.random.stateless_uniform([5], seed, minval=-3, maxval=3, dtype=tf.int32))
print(tf.random.stateless_uniform([2], seed, None, None, tf.int32))
print(tf.random.stateless_uniform([2, 2], (7, 8), maxval=100.0, dtype=tf.float64))
print(tf.random.experimental.stateless_shuffle(tf.range(6), seed))
print(tf.random.stateless_normal([2], [0, 0]) == tf.random.stateless_normal([2], [0, 0]))

g = tf.random.Generator.from_seed(1)
print(g.normal([2, 3]), g.uniform([2]), g.uniform([3], maxval=100, dtype=tf.int32))
print(g.truncated_normal([2]), g.state, g.algorithm)
h = tf.random.Generator.from_seed(1)
print(np.array_equal(h.normal([2, 3]), tf.random.Generator.from_seed(1).normal([2, 3])))
h.reset_from_seed(9)
print(h.normal([]))
parts = g.split(2)
print(len(parts), parts[0].normal([2]), parts[1].normal([2]))
h.skip(10)
print(h.uniform([2]))
print(tf.random.Generator.from_state([1, 2, 3], alg="philox").normal([2]))

# Statistics, and gradients through the draw's parameters.
big = tf.random.stateless_normal([20000], [3, 4])
print(abs(float(tf.reduce_mean(big))) < 0.03, abs(float(tf.math.reduce_std(big)) - 1) < 0.02)
mean, spread = tf.Variable(1.0), tf.Variable(2.0)
with tf.GradientTape() as tape:
    sample = tf.random.stateless_normal([4], [5, 6], mean=0.0) * spread + mean
    loss = tf.reduce_sum(sample**2)
print(sample, tape.gradient(loss, [mean, spread]))
drop = tf.nn.experimental.stateless_dropout(tf.ones([2, 5]), rate=0.4, seed=[1, 0])
print(drop)
x = tf.Variable(tf.ones([6]))
tf.random.set_seed(0)
with tf.GradientTape() as tape:
    dropped = tf.nn.dropout(x, rate=0.5) * 3.0
print(dropped, tape.gradient(dropped, x))
batches = tf.random.experimental.stateless_shuffle(tf.range(9), seed=[2, 2])
print([batches[i : i + 3].numpy().tolist() for i in range(0, 9, 3)])
rng = np.random.default_rng(0)
print(tf.constant(rng.normal(size=3)), tf.constant(rng.integers(0, 9, 4)))
