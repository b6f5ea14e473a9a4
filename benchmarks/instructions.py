"""Instructions of three small workloads, counted by valgrind: what shows a regression on a busy machine.

    python -m benchmarks.instructions               (make bench-instructions)
    python -m benchmarks.instructions exp argmax    of these ops on 4 numbers, forward and with the gradient

Each workload runs in two processes, one of which repeats it more often: the difference is the workload's
alone, without the interpreter's start and the imports. The counts repeat to about a part in a thousand;
they depend on the processor's vector instructions and on the versions of Python and NumPy, so compare
those of one machine. The last ones are kept in build/, and shown beside the new.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.harness import table
from benchmarks.peers import op_data

WORKLOADS = {
    "multiply_20": "20 multiplications of a scalar, with gradient",
    "small_mlp": "tanh MLP 4-32-32-2, batch 1, + SGD",
    "rosenbrock": "Rosenbrock on a 100-vector, by slices",
}
FEW, MANY = 100, 600
PEERS = Path(__file__).with_name("peers")
LAST = Path(__file__).resolve().parent.parent / "build" / "instructions.json"

PROGRAM = """
import gc, sys
sys.path.insert(0, {folder!r})
import tapegrad_workloads
step = tapegrad_workloads.{name}({arguments})
gc.disable()  # whether a collection falls into the longer run is chance
for _ in range({count}):
    step()
"""


def count(work: str, repetitions: int) -> int:
    name, *words = work.split()
    arguments = ", ".join(map(repr, words))
    program = PROGRAM.format(folder=str(PEERS), name=name, arguments=arguments, count=repetitions)
    finished = subprocess.run(
        [
            *("valgrind", "--tool=cachegrind", "--cache-sim=no"),
            *("--cachegrind-out-file=/dev/null", sys.executable, "-c", program),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
    )
    found = re.search(r"I\s+refs:\s+([\d,]+)", finished.stdout)
    if finished.returncode != 0 or found is None:
        raise SystemExit(
            f"{name} under valgrind ended with {finished.returncode}:\n{finished.stdout}"
        )
    return int(found.group(1).replace(",", ""))


def per_repetition(work: str) -> float:
    return (count(work, MANY) - count(work, FEW)) / (MANY - FEW)


def chosen(names: list[str]) -> dict[str, str]:
    """What to count, and its titles: the workloads, or calls of the ops that are named."""
    found = {}
    for name in names:
        if name not in op_data.OPS:
            raise SystemExit(f"no op is called {name!r}; there are {', '.join(op_data.OPS)}")
        for way in ("forward", "gradient")[: 1 + (op_data.OPS[name].gradients > 0)]:
            found[f"op {name} {op_data.FOUR} float32 {way}"] = f"{name}, {way}"
    return found or WORKLOADS


def main() -> None:
    if shutil.which("valgrind") is None:
        raise SystemExit(
            "valgrind is not installed, and counts the instructions: install your system's package"
            " (Debian, Ubuntu: apt-get install valgrind) and try again"
        )
    works = chosen(sys.argv[1:])
    last = json.loads(LAST.read_text()) if LAST.exists() else {}
    with ThreadPoolExecutor(2) as pool:
        counts = dict(zip(works, pool.map(per_repetition, works), strict=True))
    lines = [
        [
            works[name],
            f"{found:,.0f}",
            f"{last[name]:,.0f}" if name in last else "–",
            f"{found / last[name] - 1:+.2%}" if name in last else "–",
        ]
        for name, found in counts.items()
    ]
    print(table(["instructions a repetition", "now", "last time", "change"], lines))
    LAST.parent.mkdir(exist_ok=True)
    LAST.write_text(json.dumps(last | counts, indent=1))


if __name__ == "__main__":
    main()
