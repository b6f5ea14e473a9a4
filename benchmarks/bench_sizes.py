"""A recorded training step that is called with ever other batch sizes, beside TensorFlow's with one trace.

python -m benchmarks sizes

Then, for each of Keras's networks, the first recorded call, and the first one with another batch size, which
is recorded for all sizes: beside an eager call, by processor time.
"""

import json
import subprocess
from typing import Any

from benchmarks.environments import PEERS, python_for
from benchmarks.harness import Control, WorkerProcess, duration, table
from benchmarks.settings import Settings
from benchmarks.workloads import NETWORKS

MODULES = {"tapegrad": "tapegrad", "tensorflow": "tensorflow"}
OF_ONE_SIZE = 1.1
PARTS = ("eager", "first call", "first of another size")

# Seconds of a step: with one size, with 50 in turn that it has met, and the first time with each of them. How
# often Python ran for these.
PROGRAM = """
import json, os, time
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import {module} as tf
source = np.random.RandomState(0)
layers = [tf.Variable(source.normal(size=(256, 256), scale=0.05).astype("f4")) for _ in range(8)]
runs = [0]
@tf.function(reduce_retracing=True)
def step(x):
    runs[0] += 1
    with tf.GradientTape() as tape:
        for layer in layers:
            x = tf.tanh(x @ layer) + x
        loss = tf.reduce_mean(x * x)
    for layer, gradient in zip(layers, tape.gradient(loss, layers)):
        layer.assign_sub(1e-4 * gradient)
    return loss
batches = [tf.constant(source.normal(size=(rows, 256)).astype("f4")) for rows in range(40, 90)]
def seconds(turns):
    begun = time.perf_counter()
    for batch in turns:
        step(batch)
    return (time.perf_counter() - begun) / len(turns)
seconds(batches[:3])        # the first sizes are traced, or recorded
new = seconds(batches[3:])
for _ in range(3):
    seconds(batches)
one = min(seconds([batches[25]] * 50) for _ in range({rounds}))
many = min(seconds(batches) for _ in range({rounds}))
print(json.dumps([one, many, new, runs[0]]))
"""


def run(settings: Settings, control: Control) -> dict[str, Any]:
    found = {}
    for peer in [peer for peer in MODULES if peer in settings.peers]:
        control.sample()
        program = PROGRAM.format(module=MODULES[peer], rounds=settings.rounds)
        finished = subprocess.run(
            [python_for(peer), "-I", "-c", program],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        found[peer] = json.loads(finished.stdout.splitlines()[-1])
    heads = ["a step of 8 layers", "one size", "50 in turn", "ratio", "a new size", "Python ran"]
    rows = [
        [
            PEERS[peer].title,
            duration(one),
            duration(many),
            f"{many / one:.2f}",
            duration(new),
            str(runs),
        ]
        for peer, (one, many, new, runs) in found.items()
    ]
    print(table(heads, rows))
    if "tapegrad" in found:
        one, many, *_ = found["tapegrad"]
        word = "held" if many <= OF_ONE_SIZE * one else "MISSED"
        print(f"{word}  50 sizes in turn at most {OF_ONE_SIZE} of one: {many / one:.2f}")
    return {"seconds": found, "first_calls": first_calls(settings)}


def first_calls(settings: Settings) -> dict[str, list[float]]:
    """Processor seconds of eager calls and first ones, for each network."""
    found = {}
    for model, (items, *_) in NETWORKS.items():
        with WorkerProcess("tapegrad") as worker:
            asked = worker.ask("first_calls", network=f"{model} {items}", rounds=settings.rounds)
            found[model] = asked["seconds"]
    heads = [
        "processor time",
        *(f"{call}, {part}" for call in ("train", "predict") for part in PARTS),
    ]
    rows = []
    for model, seconds in found.items():
        cells = [model]
        for eager, *firsts in (seconds[:3], seconds[3:]):
            cells += [duration(eager), *(f"{first / eager:.2f}" for first in firsts)]
        rows.append(cells)
    print(f"\n{table(heads, rows)}")
    return found
