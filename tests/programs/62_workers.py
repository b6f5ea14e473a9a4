"""Workers in a pool compute gradients, one thread applies them; counting under a lock."""

import tapegrad as tf
import threading
from concurrent.futures import ThreadPoolExecutor

# Workers compute, one thread applies.
w = tf.Variable(tf.zeros([4]))
targets = [tf.one_hot(index, 4) * (index + 1.0) for index in range(4)]


def worker(target):
    """A gradient from the value as it is now."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w - target) ** 2)
    return tape.gradient(loss, w)


with ThreadPoolExecutor(4) as pool:
    for _ in range(20):
        grads = list(pool.map(worker, targets))
        w.assign_sub(0.05 * tf.add_n(grads))
print(w)
lock, counter = threading.Lock(), tf.Variable(0)


def count():
    """Many increments under a lock."""
    for _ in range(100):
        with lock:
            counter.assign_add(1)


threads = [threading.Thread(target=count) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(counter.numpy())
scopes = {}
tf.random.set_seed(7)
with ThreadPoolExecutor(2) as pool:
    draws = list(pool.map(lambda i: tf.random.stateless_normal([2], [i, 0]).numpy(), range(3)))
print(draws)
