"""A data-parallel training step: how long it takes, and how much of the communication is hidden.

    training.py mlp|cnn|embedding [parts]

The global batch is the same for any number of ranks, each of which has one of ``parts`` equal parts of it;
if left out, there are as many as ranks. Rank 0 prints JSON: the quickest step and the median, the least time
on the processor, and of the quicker half of the steps, as means over the ranks: the seconds in which messages
are away, so that other ranks or MPI have to do something about them; for how many of these the thread that
computes waits; and how many more it spends on writing down and adding up.
"""

import json
import sys
import time

import numpy as np

import tapegrad as tf
from tapegrad.distribute import trace

distribute = tf.distribute
STEPS = 40
# What is no message, but what the thread that computes does for messages.
OWN = (trace.REDUCES, trace.WAITS)
BATCH = {"mlp": 1024, "cnn": 128, "embedding": 8192}


def variables(*shapes):
    rng = np.random.default_rng(0)
    return [tf.Variable((rng.normal(size=s) * 0.05).astype(np.float32)) for s in shapes]


def mlp(rows):
    rng = np.random.default_rng(distribute.rank())
    weights = variables((784, 512), (512,), (512, 512), (512,), (512, 10), (10,))
    x = tf.constant(rng.normal(size=(rows, 784)).astype(np.float32))
    y = tf.constant(rng.integers(0, 10, rows))

    def loss():
        hidden = tf.nn.relu(x @ weights[0] + weights[1])
        hidden = tf.nn.relu(hidden @ weights[2] + weights[3])
        logits = hidden @ weights[4] + weights[5]
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return weights, loss


def cnn(rows):
    rng = np.random.default_rng(distribute.rank())
    weights = variables((3, 3, 1, 32), (3, 3, 32, 64), (7 * 7 * 64, 128), (128,), (128, 10))
    x = tf.constant(rng.normal(size=(rows, 28, 28, 1)).astype(np.float32))
    y = tf.constant(rng.integers(0, 10, rows))

    def loss():
        image = tf.nn.relu(tf.nn.conv2d(x, weights[0], 1, "SAME"))
        image = tf.nn.max_pool2d(image, 2, 2, "SAME")
        image = tf.nn.relu(tf.nn.conv2d(image, weights[1], 1, "SAME"))
        image = tf.nn.max_pool2d(image, 2, 2, "SAME")
        hidden = tf.nn.relu(tf.reshape(image, [rows, -1]) @ weights[2] + weights[3])
        logits = hidden @ weights[4]
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return weights, loss


def embedding(rows):
    rng = np.random.default_rng(distribute.rank())
    weights = variables((50_000, 32), (32, 256), (256, 1))
    words = tf.constant(rng.integers(0, 50_000, (rows, 4)))
    y = tf.constant(rng.normal(size=(rows, 1)).astype(np.float32))

    def loss():
        mean = tf.reduce_mean(tf.gather(weights[0], words), axis=1)
        return tf.reduce_mean((tf.tanh(mean @ weights[1]) @ weights[2] - y) ** 2)

    return weights, loss


def union(events):
    """Seconds in which at least one of the events goes on."""
    total, end = 0.0, 0.0
    for event in sorted(events, key=lambda event: event.began):
        total += max(event.ended - max(event.began, end), 0.0)
        end = max(end, event.ended)
    return total


def main() -> None:
    distribute.init(timeout=60)
    name = sys.argv[1]
    parts = int(sys.argv[2]) if len(sys.argv) > 2 else distribute.size()
    weights, loss_of = globals()[name](BATCH[name] // parts)

    def step():
        with tf.GradientTape() as tape:
            loss = loss_of()
        gradients = distribute.DistributedGradientTape(tape).gradient(loss, weights)
        for weight, gradient in zip(weights, gradients, strict=True):
            if isinstance(gradient, tf.IndexedSlices):
                weight.scatter_sub(tf.IndexedSlices(0.01 * gradient.values, gradient.indices))
            else:
                weight.assign_sub(0.01 * gradient)

    for _ in range(3):
        step()
    table = int(weights[0].shape.num_elements()) * 4
    times, processor, spent, messages = [], [], [], []
    for _ in range(STEPS):
        distribute.barrier()
        trace.events = events = []
        started, used = time.perf_counter(), time.process_time()
        step()
        processor.append(time.process_time() - used)
        times.append(time.perf_counter() - started)
        waits = union([event for event in events if event.what == trace.WAITS])
        carries = union([event for event in events if event.what in OWN]) - waits
        away = union([event for event in events if event.what not in OWN]) - carries
        spent.append((away, waits, carries))
        # What has travelled, its bytes, and those of dense gradients in its place.
        messages = [
            (
                event.what.split()[0],
                event.size,
                table if event.what.startswith("slices") else event.size,
            )
            for event in events
            if event.what not in OWN
        ]
    trace.events = None
    # The quicker half of the steps, of all ranks.
    quick = np.argsort(times)[: STEPS // 2]
    away, waited, carried = np.mean(distribute.all_objects(np.array(spent)[quick].mean(0)), axis=0)
    if distribute.rank() == 0:
        print(
            json.dumps(
                {
                    "best": min(times),
                    "median": float(np.median(times)),
                    "processor": min(processor),
                    "away": away,
                    "waited": waited,
                    "carried": carried,
                    "messages": messages,
                }
            )
        )


if __name__ == "__main__":
    main()
