"""Threads: a tape each, shared variables, pools of workers, results in order."""

import threading
from concurrent.futures import ThreadPoolExecutor

import tapegrad as tf


def derivative(value):
    """One tape in whichever thread runs this."""
    x = tf.constant(float(value))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(50):
            y = tf.sin(y) + x
    return tape.gradient(y, x).numpy()


with ThreadPoolExecutor(4) as pool:
    together = list(pool.map(derivative, range(8)))
alone = [derivative(value) for value in range(8)]
print(together == alone, together[:3])

# A tape of this thread does not see what another thread does.
v = tf.Variable(3.0)
results = {}


def other():
    """Runs while the main thread records."""
    results["value"] = v * v
    with tf.GradientTape() as tape:
        y = v**3
    results["own"] = tape.gradient(y, v)


with tf.GradientTape() as tape:
    mine = v * 2.0
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    total = mine + results["value"]
print(tape.gradient(total, v), results["own"], total)

# Nested tapes, one per thread, at the same time.
barrier = threading.Barrier(3)
second = [None] * 3


def hessian(index):
    """Second derivative with the others inside their tapes."""
    x = tf.Variable(float(index + 1))
    with tf.GradientTape() as outer:
        barrier.wait()
        with tf.GradientTape() as inner:
            y = x**4
        barrier.wait()
        g = inner.gradient(y, x)
    second[index] = outer.gradient(g, x).numpy()


threads = [threading.Thread(target=hessian, args=(index,)) for index in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(second)
