"""Keras on tapegrad and on TensorFlow: steps of `fit`, the import, and the first step.

python -m benchmarks keras
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.environments import python_for
from benchmarks.harness import Control, duration, rows_as_json, table, time_table, time_workloads
from benchmarks.settings import Settings
from benchmarks.workloads import of_group

TITLES = {"tapegrad": "tapegrad", "tf_function": "TensorFlow"}
IMPORT_GOAL, FIRST_GOAL = 1 / 3, 1 / 5  # of TensorFlow's time

PROGRAM = """
import sys, time
sys.path.insert(0, {peers!r})
# Keras imports matplotlib where it is installed, as it is beside tapegrad for the demo.
sys.modules["matplotlib"] = sys.modules["PIL"] = None
started = time.perf_counter()
{stand_in}
import tensorflow, keras_workloads
imported = time.perf_counter()
step = keras_workloads.mlp(eager=False)
built = time.perf_counter()
step()
import json
print(json.dumps([imported - started, time.perf_counter() - built]))
"""


def run(settings: Settings, control: Control) -> dict[str, Any]:
    rows = time_workloads(of_group("keras"), settings, control)
    print(time_table(rows, settings))
    return {"times": rows_as_json(rows)} | beginnings(settings, control)


def beginnings(settings: Settings, control: Control) -> dict[str, Any]:
    """What a program waits for before its second step, in fresh interpreters."""
    peers = [peer for peer in TITLES if peer in settings.peers]
    imports: dict[str, list[float]] = {peer: [] for peer in peers}
    firsts: dict[str, list[float]] = {peer: [] for peer in peers}
    # Installed packages have their bytecode, and sources get theirs in the first turn.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for turn in range(settings.rounds + 1):
        control.sample()
        for peer in peers:
            program = PROGRAM.format(
                peers=str(Path(__file__).parent / "peers"),
                stand_in="import tapegrad; tapegrad.stand_in()" if peer == "tapegrad" else "",
            )
            finished = subprocess.run(
                [python_for(peer), "-c", program],
                check=True,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            if turn == 0:
                continue  # reads the files from disk, and may write .pyc files
            imported, first = json.loads(finished.stdout.splitlines()[-1])
            imports[peer].append(imported)
            firsts[peer].append(first)
    least = {
        "import": {peer: min(samples) for peer, samples in imports.items()},
        "first_fit": {peer: min(samples) for peer, samples in firsts.items()},
    }
    print(
        table(
            ["Keras", "import with tensorflow", "first fit of 20 steps"],
            [
                [TITLES[peer], duration(least["import"][peer]), duration(least["first_fit"][peer])]
                for peer in peers
            ],
        )
    )
    if len(peers) == len(TITLES):
        for what, goal in (("import", IMPORT_GOAL), ("first_fit", FIRST_GOAL)):
            ratio = least[what]["tapegrad"] / least[what]["tf_function"]
            verdict = "held" if ratio <= goal else "MISSED"
            print(f"{verdict}  {what}: {ratio:.2f} of TensorFlow's, at most {goal:.2f}")
    return {"beginnings": least}
