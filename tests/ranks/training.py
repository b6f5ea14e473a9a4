"""Trains a small network on shards of one global batch; prints the bits of the weights at the end.

    training.py STEPS [--tree] [--checkpoint FILE] [--kill-at STEP]

With --tree the global batch is always 4 shards, which 1, 2 or 4 ranks share. With a checkpoint that is there,
training goes on from it.
"""

import argparse
import hashlib
import os
import signal

import numpy as np

import tapegrad as tf

parser = argparse.ArgumentParser()
parser.add_argument("steps", type=int)
parser.add_argument("--tree", action="store_true")
parser.add_argument("--checkpoint")
parser.add_argument("--kill-at", type=int, default=-1)
options = parser.parse_args()

distribute = tf.distribute
distribute.init(timeout=30)
RANK, SIZE = distribute.rank(), distribute.size()
rng = np.random.default_rng(5)
weights = [
    tf.Variable(rng.normal(size=shape).astype(np.float32) * 0.3)
    for shape in [(20, 64), (64,), (64, 10), (10,)]
]
momenta = [tf.Variable(tf.zeros_like(w)) for w in weights]
begin = 0
if options.checkpoint and os.path.exists(options.checkpoint):
    with np.load(options.checkpoint) as saved:
        begin = int(saved["step"])
        for k, variable in enumerate(weights + momenta):
            variable.assign(saved[f"v{k}"])
    if RANK == 0:
        print(f"goes on at step {begin}")

shards = 4 if options.tree else SIZE
mine = range(RANK * shards // SIZE, (RANK + 1) * shards // SIZE)
for step in range(begin, options.steps):
    if step == options.kill_at and RANK == SIZE - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    data = np.random.default_rng([7, step])
    x = data.normal(size=(shards, 8, 20)).astype(np.float32)
    y = data.integers(0, 10, (shards, 8))
    gradients = None
    for shard in mine:
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(x[shard] @ weights[0] + weights[1])
            logits = hidden @ weights[2] + weights[3]
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y[shard], logits)
            loss = tf.reduce_mean(losses)
        gradients = distribute.DistributedGradientTape(
            tape,
            tree=options.tree,
            backward_passes_per_step=len(mine),
            average_aggregated_gradients=True,
        ).gradient(loss, weights)
    for weight, momentum, gradient in zip(weights, momenta, gradients, strict=True):
        momentum.assign(0.9 * momentum + gradient)
        weight.assign_sub(0.1 * momentum)
    if options.checkpoint and step % 3 == 2 and RANK == 0:
        values = {f"v{k}": v.numpy() for k, v in enumerate(weights + momenta)}
        np.savez(options.checkpoint + ".new.npz", step=step + 1, **values)
        os.replace(options.checkpoint + ".new.npz", options.checkpoint)

digest = hashlib.sha256(b"".join(w.numpy().tobytes() for w in weights)).hexdigest()
assert distribute.all_objects(digest) == [digest] * SIZE
if RANK == 0:
    print(digest)
