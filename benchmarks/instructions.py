"""Instructions of three small workloads, counted by valgrind: what shows a regression on a busy machine.

    python -m benchmarks.instructions               (make bench-instructions)
    python -m benchmarks.instructions exp argmax    of these ops on 4 numbers, forward and with the gradient
    python -m benchmarks.instructions hessian lstm --recorded --runs 20 40 --before ../other-clone/src
                                                    of other workloads, decorated, beside another build
    python -m benchmarks.instructions --most 1      fails where a count has grown by more than one percent

Each workload runs in two processes, one of which repeats it more often: the difference is the workload's
alone, without the interpreter's start and the imports. The counts repeat to about a part in a thousand;
they depend on the processor's vector instructions and on the versions of Python and NumPy, so compare
those of one machine. The last ones are kept in build/, and shown beside the new, or those of the other build.
"""

import argparse
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
from benchmarks.workloads import WORKLOADS

USUAL = {
    "multiply_20": "20 multiplications of a scalar, with gradient",
    "small_mlp": "tanh MLP 4-32-32-2, batch 1, + SGD",
    "rosenbrock": "Rosenbrock on a 100-vector, by slices",
}
PEERS = Path(__file__).with_name("peers")
LAST = Path(__file__).resolve().parent.parent / "build" / "instructions.json"

PROGRAM = """
import gc, sys
sys.path.insert(0, {folder!r})
import tapegrad_workloads
tapegrad_workloads.MODE = {mode!r}
step = tapegrad_workloads.{name}({arguments})
gc.disable()  # whether a collection falls into the longer run is chance
for _ in range({count}):
    step()
"""


def count(work: str, repetitions: int, mode: str, source: str | None) -> int:
    name, *words = work.split()
    arguments = ", ".join(map(repr, words))
    program = PROGRAM.format(
        folder=str(PEERS), name=name, arguments=arguments, mode=mode, count=repetitions
    )
    environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    if source is not None:
        environment["PYTHONPATH"] = source
    finished = subprocess.run(
        [
            *("valgrind", "--tool=cachegrind", "--cache-sim=no"),
            *("--cachegrind-out-file=/dev/null", sys.executable, "-c", program),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    found = re.search(r"I\s+refs:\s+([\d,]+)", finished.stdout)
    if finished.returncode != 0 or found is None:
        raise SystemExit(
            f"{name} under valgrind ended with {finished.returncode}:\n{finished.stdout}"
        )
    return int(found.group(1).replace(",", ""))


def chosen(names: list[str]) -> dict[str, str]:
    """What to count, and its titles: the usual workloads, or those and calls of the ops that are named."""
    workloads = {workload.name: workload for workload in WORKLOADS}
    found = {}
    for name in names:
        if name in workloads:
            found[workloads[name].work] = workloads[name].title.strip()
        elif name in op_data.OPS:
            for way in ("forward", "gradient")[: 1 + (op_data.OPS[name].gradients > 0)]:
                found[f"op {name} {op_data.FOUR} float32 {way}"] = f"{name}, {way}"
        else:
            raise SystemExit(
                f"no op or workload is called {name!r}; there are"
                f" {', '.join(op_data.OPS)} and {', '.join(workloads)}"
            )
    return found or USUAL


def too_many(counts: dict[str, float], before: dict[str, float], most: float) -> list[str]:
    """The workloads whose counts have grown by more than ``most`` percent."""
    return [
        name
        for name, number in counts.items()
        if name in before and number > before[name] * (1 + most / 100)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.instructions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="ops and workloads, in place of the three")
    parser.add_argument("--recorded", action="store_true", help="workloads under tf.function")
    parser.add_argument("--runs", type=int, nargs=2, default=(100, 600), metavar=("FEW", "MANY"))
    parser.add_argument("--before", type=Path, help="src of another clone, built in place")
    parser.add_argument("--most", type=float, help="percent that a count may have grown by")
    asked = parser.parse_args()
    if shutil.which("valgrind") is None:
        raise SystemExit(
            "valgrind is not installed, and counts the instructions: install your system's package"
            " (Debian, Ubuntu: apt-get install valgrind) and try again"
        )
    works = chosen(asked.names)
    mode = "compiled" if asked.recorded else "eager"
    few, many = asked.runs

    def counted(source: str | None) -> dict[str, float]:
        def per_repetition(work: str) -> float:
            counts = [count(work, repetitions, mode, source) for repetitions in (few, many)]
            return (counts[1] - counts[0]) / (many - few)

        with ThreadPoolExecutor(2) as pool:
            return dict(zip(works, pool.map(per_repetition, works), strict=True))

    counts = counted(None)
    kept = json.loads(LAST.read_text()) if LAST.exists() else {}
    last = counted(str(asked.before.resolve())) if asked.before else kept
    lines = [
        [
            works[name],
            f"{found:,.0f}",
            f"{last[name]:,.0f}" if name in last else "–",
            f"{found / last[name] - 1:+.2%}" if name in last else "–",
        ]
        for name, found in counts.items()
    ]
    other = "before" if asked.before else "last time"
    print(table(["instructions a repetition", "now", other, "change"], lines))
    if not asked.before and not asked.recorded:
        LAST.parent.mkdir(exist_ok=True)
        LAST.write_text(json.dumps(kept | counts, indent=1))
    if asked.most is not None:
        grown = too_many(counts, last, asked.most)
        if grown:
            titles = ", ".join(works[name] for name in grown)
            raise SystemExit(f"more than {asked.most:g} % more instructions: {titles}")


if __name__ == "__main__":
    main()
