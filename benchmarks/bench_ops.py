"""Ops of daily use: 4 to 4 million numbers, forward and with the gradient, beside PyTorch.

python -m benchmarks ops                         everything, on two threads and on one
python -m benchmarks ops argmax cumprod --quick  some of the ops
python -m benchmarks ops --sizes 4,1000 --ways forward --dtypes float32
python -m benchmarks ops --into bench.json --rest --at-most 100    what bench.json has not, for 100 s

The gradient that arrives is given, so that nothing but the op is timed. The ops are in
`peers/op_data.py`.
"""

import itertools
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.harness import (
    Control,
    Row,
    WorkerProcess,
    duration,
    rows_as_json,
    table,
    time_workloads,
)
from benchmarks.peers import op_data
from benchmarks.settings import Settings
from benchmarks.workloads import Workload

PEERS = ("tapegrad", "before", "pytorch")
WAYS = ("forward", "gradient")
LIMIT = 1.25
MOST_AROUND = 3e-6  # seconds that a call may take beyond its kernels, on an idle core of 3 GHz
# What two peers may differ by, relative to the size of the numbers.
TOLERANCES = {"float32": 3e-3, "float64": 1e-6, "bfloat16": 6e-2}
# Why ops may be above the limit.
COMPOSED = "a program of several ops in TensorFlow, one op in PyTorch"
LAPACK = "OpenBLAS's LAPACK beside MKL's"
EXCEPTIONS = {
    **dict.fromkeys(("hard_sigmoid", "lerp", "huber", "sgd_step"), COMPOSED),
    **dict.fromkeys(("eigh", "svd", "qr"), LAPACK),
}
NEIGHBOURS = 4
NEIGHBOUR = "while True: pass"


def run(settings: Settings, control: Control) -> dict[str, Any]:
    peers = [peer for peer in settings.peers if peer in PEERS]
    settings = replace(settings, peers=peers, seconds=settings.ops.seconds)
    found: dict[str, Any] = {}
    for threads in settings.ops.threads or [control.threads]:
        print(f"\n{threads} threads")
        part = f"threads_{threads}"
        workloads = [
            workload
            for workload in chosen(settings.ops)
            if (part, workload.name) not in settings.ops.done
        ]
        environment = {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        rows = time_workloads(workloads, settings, control, environment)
        if settings.ops.detailed:
            print(detailed_table(rows))
        print(means_table(rows))
        print(slow_table(rows))
        print(knees_table(rows))
        found[part] = rows_as_json(rows)
    in_time = time.monotonic() < settings.ops.until
    if in_time and "forward" in settings.ops.ways and str(op_data.FOUR) in settings.ops.sizes:
        found["around_kernels"] = around_kernels(settings)
    if in_time and settings.ops.busy:
        found["busy"] = beside_neighbours(settings)
    return found


def chosen(options: Any) -> Iterator[Workload]:
    for name, op in op_data.OPS.items():
        if options.names and name not in options.names:
            continue
        for dtype in op.dtypes:
            for size in op_data.SIZES:
                for way in WAYS[: 1 + (op.gradients > 0)]:
                    if (
                        dtype in options.dtypes
                        and str(size) in options.sizes
                        and way in options.ways
                    ):
                        work = f"op {name} {size} {dtype} {way}"
                        yield Workload(work, work[3:], "ops", tolerance=TOLERANCES[dtype])


def ratio(row: Row) -> float | None:
    ours, theirs = row.least("tapegrad"), row.least("pytorch")
    return None if ours is None or theirs is None else ours / theirs


def means(rows: Iterable[Row]) -> Mapping[tuple[str, str, str], list[float]]:
    """The ratios by size, way and dtype."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        found = ratio(row)
        if found is not None:
            _, _, size, dtype, way = row.workload.name.split()
            groups.setdefault((size, way, dtype), []).append(found)
    return groups


def means_table(rows: Iterable[Row]) -> str:
    header = ["geometric means over PyTorch", "ops", "mean", "median", f"above {LIMIT}"]
    lines = [
        [
            " ".join(group),
            str(len(ratios)),
            f"{math.exp(statistics.fmean(map(math.log, ratios))):.3f}",
            f"{statistics.median(ratios):.3f}",
            str(sum(one > LIMIT for one in ratios)),
        ]
        for group, ratios in means(rows).items()
    ]
    return table(header, lines)


def slow_table(rows: Iterable[Row]) -> str:
    """What takes more than LIMIT of PyTorch's time, the worst first, and why; and answers that differ."""
    lines = []
    notes = []
    for row in rows:
        found = ratio(row)
        if found is not None and found > LIMIT:
            lines.append((found, row))
        notes += [f"! {row.workload.title}, {peer}: {why}" for peer, why in row.failures.items()]
    lines.sort(key=lambda line: -line[0])
    return "\n".join(
        [
            table(
                ["above the limit", "tapegrad", "PyTorch", "ratio", "why"],
                ([*cells(line), EXCEPTIONS.get(name_of(line[1]), "")] for line in lines),
            ),
            *notes,
        ]
    )


def knees(rows: Iterable[Row]) -> list[tuple[str, float, float]]:
    """Where our time grows with the size more than twice as much as PyTorch's does, and ends above the limit.

    Each with the ratios to PyTorch's time before and after.
    """
    lines: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in rows:
        found = ratio(row)
        if found is not None:
            _, name, size, dtype, way = row.workload.name.split()
            lines.setdefault((name, dtype, way), {})[int(size)] = found
    bent = []
    for (name, dtype, way), line in lines.items():
        sizes = sorted(line)
        for less, more in itertools.pairwise(sizes):
            if line[more] > max(LIMIT, 2 * line[less]):
                bent.append((f"{name} {dtype} {way}, {less} to {more}", line[less], line[more]))
    return bent


def knees_table(rows: Iterable[Row]) -> str:
    return table(
        ["knees that PyTorch has not", "ratio before", "after"],
        ([what, f"{before:.2f}", f"{after:.2f}"] for what, before, after in knees(rows)),
    )


def name_of(row: Row) -> str:
    return row.workload.name.split()[1]


def detailed_table(rows: Iterable[Row]) -> str:
    lines = [(found, row) for row in rows if (found := ratio(row)) is not None]
    return table(["", "tapegrad", "PyTorch", "ratio"], map(cells, lines))


def cells(line: tuple[float, Row]) -> list[str]:
    found, row = line
    ours, theirs = row.least("tapegrad"), row.least("pytorch")
    assert ours is not None
    assert theirs is not None
    return [row.workload.title, duration(ours), duration(theirs), f"{found:.2f}"]


def around_kernels(settings: Settings) -> dict[str, Any]:
    """What a call on 4 numbers takes beyond its kernels: Python, and the way from arguments to arrays."""
    found: dict[str, dict[str, float]] = {}
    with WorkerProcess("tapegrad") as worker:
        for name in settings.ops.names or op_data.OPS:
            times = []
            for work in (
                f"op {name} {op_data.FOUR} float32 forward",
                f"kernels {name} {op_data.FOUR} float32",
            ):
                if "error" not in worker.ask("prepare", workload=work):
                    turns = (
                        worker.ask("time", workload=work, seconds=settings.ops.seconds)
                        for _ in range(3)
                    )
                    times.append(min(min(turn["samples"]) for turn in turns))
            if len(times) == 2:
                found[name] = {"call": times[0], "kernels": times[1]}
    lines = [
        [name, duration(one["call"]), duration(one["kernels"]), duration(around)]
        for name, one in found.items()
        if (around := one["call"] - one["kernels"]) > MOST_AROUND
    ]
    print(f"\ncalls on 4 numbers that take more than {duration(MOST_AROUND)} beyond their kernels")
    print(table(["", "call", "kernels", "between"], lines))
    return found


def beside_neighbours(settings: Settings) -> dict[str, Any]:
    """Our processor time for each op of 100,000 numbers, alone and beside programs that never rest."""
    found: dict[str, list[float]] = {}
    works = [
        workload.work
        for workload in chosen(settings.ops)
        if f" {op_data.HUNDRED_THOUSAND} float32" in workload.work
    ]
    with WorkerProcess("tapegrad") as worker:
        for work in works:
            if "error" not in worker.ask("prepare", workload=work):
                found[work] = [least_processor_time(worker, work, settings.ops.seconds)]
        neighbours = [
            subprocess.Popen([sys.executable, "-c", NEIGHBOUR]) for _ in range(NEIGHBOURS)
        ]
        try:
            for work in found:
                found[work].append(least_processor_time(worker, work, settings.ops.seconds))
        finally:
            for neighbour in neighbours:
                neighbour.kill()
                neighbour.wait()
    lines = [
        [work[3:], duration(alone), duration(beside), f"{beside / alone:.2f}"]
        for work, (alone, beside) in found.items()
        if beside > 1.5 * alone
    ]
    print(f"\nprocessor time beside {NEIGHBOURS} neighbours, where it grows by half or more")
    print(table(["", "alone", "beside them", "ratio"], lines))
    return {work: {"alone": alone, "beside": beside} for work, (alone, beside) in found.items()}


def least_processor_time(worker: WorkerProcess, work: str, seconds: float) -> float:
    return min(
        float(worker.ask("time", workload=work, seconds=seconds)["processor"]) for _ in range(3)
    )
