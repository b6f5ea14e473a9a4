"""What a step of linear algebra takes alone, and beside programs that keep every processor busy.

    python -m benchmarks.busy                                 (make bench-busy)
    python -m benchmarks.busy --before ../other-clone/src     and another build of ours, built in place

Libraries whose threads wait for one another by spinning are slow where others want the processors: the wall
time grows many times over, and so does the processor time. The medians of a few dozen steps are shown.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.harness import duration, table

PEERS = Path(__file__).with_name("peers")

PROGRAM = """
import json, statistics, sys, time
sys.path.insert(0, {folder!r})
import tapegrad_workloads
step = tapegrad_workloads.{workload}()
for _ in range(3):
    step()
wall, processor = [], []
begin = time.perf_counter()
while len(wall) < 10 or (time.perf_counter() - begin < {seconds} and len(wall) < 1000):
    start = time.perf_counter(), time.process_time()
    step()
    wall.append(time.perf_counter() - start[0])
    processor.append(time.process_time() - start[1])
print(json.dumps([statistics.median(wall), statistics.median(processor)]))
"""
NEIGHBOUR = "while True: pass"


def measure(workload: str, source: Path | None, threads: int, seconds: float) -> list[float]:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads)}
    environment |= {"OMP_NUM_THREADS": str(threads)}
    if source:
        environment["PYTHONPATH"] = str(source.resolve())
    program = PROGRAM.format(folder=str(PEERS), workload=workload, seconds=seconds)
    finished = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, stdout=subprocess.PIPE
    )
    found: list[float] = json.loads(finished.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.busy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--before", type=Path, help="src of another clone")
    parser.add_argument("--workload", default="gp", help="of tapegrad's workloads, %(default)s")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each row, %(default)s")
    arguments = parser.parse_args()
    builds = {"tapegrad": None} | ({"before": arguments.before} if arguments.before else {})
    processors = os.cpu_count() or 1
    lines = []
    for neighbours in (0, processors):
        busy = [subprocess.Popen([sys.executable, "-c", NEIGHBOUR]) for _ in range(neighbours)]
        try:
            for title, source in builds.items():
                for threads in (1, processors):
                    found = measure(arguments.workload, source, threads, arguments.seconds)
                    row = [title, str(neighbours), str(threads), *map(duration, found)]
                    lines.append(row)
        finally:
            for process in busy:
                process.kill()
                process.wait()
    print(f"{arguments.workload}, {processors} processors")
    print(table(["build", "neighbours", "threads", "wall", "processor time"], lines))


if __name__ == "__main__":
    main()
