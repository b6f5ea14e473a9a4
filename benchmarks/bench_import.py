"""What `import tapegrad` costs beside `import numpy` alone: time and memory, in fresh interpreters.

python -m benchmarks import
"""

import json
import subprocess
from typing import Any

from benchmarks.environments import PEERS, python_for
from benchmarks.harness import Control, duration, size, table
from benchmarks.settings import Settings

MODULES = {
    "numpy": "numpy",
    "tapegrad": "tapegrad",
    "autograd": "autograd.numpy",
    "pytorch": "torch",
    "jax": "jax",
    "tensorflow": "tensorflow",
}
TIME_GOAL = 1.2
MEMORY_GOAL = 4 * 2**20

# Resident memory from /proc: the interpreter's own is in it, and goes when one is taken from the other.
PROGRAM = """
import time
started = time.perf_counter()
import {module}
seconds = time.perf_counter() - started
import json, os
pages = int(open("/proc/self/statm").read().split()[1])
print(json.dumps([seconds, pages * os.sysconf("SC_PAGE_SIZE")]))
"""


def run(settings: Settings, control: Control) -> dict[str, Any]:
    peers = [peer for peer in MODULES if peer in {*settings.peers, "numpy"}]
    seconds: dict[str, list[float]] = {peer: [] for peer in peers}
    memory: dict[str, list[float]] = {peer: [] for peer in peers}
    for turn in range(8 * settings.rounds):
        control.sample()
        for peer in peers[turn % len(peers) :] + peers[: turn % len(peers)]:
            if PEERS[peer].requirements is not None and turn > settings.rounds:
                continue  # a second each: fewer will do
            finished = subprocess.run(
                [python_for(peer), "-I", "-c", PROGRAM.format(module=MODULES[peer])],
                check=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            if turn == 0:
                continue  # reads the files from disk, and may write .pyc files
            took, held = json.loads(finished.stdout.splitlines()[-1])
            seconds[peer].append(took)
            memory[peer].append(held)

    least = {peer: min(samples) for peer, samples in seconds.items()}
    held_least = {peer: min(samples) for peer, samples in memory.items()}
    extra = {peer: held_least[peer] - held_least["numpy"] for peer in peers}
    print(
        table(
            ["import", "time", "of NumPy's", "memory above NumPy's"],
            [
                [
                    MODULES[peer],
                    duration(least[peer]),
                    f"{least[peer] / least['numpy']:.2f}",
                    size(extra[peer]),
                ]
                for peer in peers
            ],
        )
    )
    ratio = least["tapegrad"] / least["numpy"]
    print(
        f"{'held' if ratio <= TIME_GOAL else 'MISSED'}  time at most {TIME_GOAL} of NumPy's: {ratio:.2f}"
    )
    within = extra["tapegrad"] <= MEMORY_GOAL
    print(
        f"{'held' if within else 'MISSED'}  memory at most {size(MEMORY_GOAL)} above NumPy's: "
        f"{size(extra['tapegrad'])}"
    )
    return {"seconds": least, "memory_above_numpy": extra}
