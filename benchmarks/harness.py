"""Runs workloads on all peers in turn, and turns samples into tables.

Rounds are interleaved, because the speed of machines drifts: every round gives each peer a short turn, and
the order rotates. A fixed `np.dot` runs once a round as a control. If its median is far from its minimum,
the speed of the machine has changed during the run, and the run should be repeated.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks.environments import PEERS, python_for
from benchmarks.settings import Settings
from benchmarks.workloads import Goal, Workload

THREADS = 2

# Libraries' threads go on spinning for a moment after their work; the next peer should not meet them.
SETTLE_SECONDS = 0.03


class WorkerProcess:
    """A peer's worker.py, and the conversation with it."""

    def __init__(self, peer_name: str, environment: Mapping[str, str] | None = None) -> None:
        peer = PEERS[peer_name]
        self.log: IO[str] = open(log_folder() / f"{peer_name}.log", "a")  # noqa: SIM115 - closed below
        source = {"PYTHONPATH": peer.source} if peer.source else {}
        self.process = subprocess.Popen(
            [
                python_for(peer_name),
                Path(__file__).with_name("worker.py"),
                peer.module or peer_name,
                peer.mode,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=os.environ | source | dict(environment or {}),
            text=True,
        )

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({"do": do, **arguments}), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            return {"error": f"the worker ended with status {self.process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()
        self.log.close()

    def __enter__(self) -> "WorkerProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def limit_everyone(threads: int) -> None:
    """Holds this process, before it imports NumPy, and all that it starts to so many threads.

    They share so many processors, because XLA's threads ask for nothing but how many there are. These are the
    last ones, because interrupts come to the first.
    """
    if "numpy" in sys.modules:
        raise RuntimeError(
            "NumPy's threads are counted already: it was imported before they were limited"
        )
    os.environ.update(
        OMP_NUM_THREADS=str(threads),
        OPENBLAS_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        TF_NUM_INTRAOP_THREADS=str(threads),
        TF_NUM_INTEROP_THREADS="1",
        TF_CPP_MIN_LOG_LEVEL="3",
        CUDA_VISIBLE_DEVICES="-1",
        JAX_PLATFORMS="cpu",
    )
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def log_folder() -> Path:
    """Where workers' stderr goes: below build/, which `make clean` removes."""
    folder = Path(__file__).resolve().parent.parent / "build" / "bench-logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class Row:
    """One workload's samples by peer, in seconds (or bytes, where the section says so)."""

    workload: Workload
    samples: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    processors: list[float] = field(default_factory=list)  # that the control had meanwhile
    first: dict[str, float] = field(default_factory=dict)  # seconds of a first call
    # Seconds of all its threads for a step, the mean of each turn: what a busy machine changes least.
    computing: dict[str, list[float]] = field(default_factory=dict)

    def least(self, peer: str) -> float | None:
        return min(self.samples[peer]) if self.samples.get(peer) else None

    def median(self, peer: str) -> float | None:
        return statistics.median(self.samples[peer]) if self.samples.get(peer) else None


class Control:
    """A product of two fixed matrices in this process: it should always take the same time.

    It also notes how many processors it was given meanwhile, which shows somebody else's work even where
    that went on throughout the run.
    """

    def __init__(self, threads: int) -> None:
        import numpy as np

        self.threads = threads
        self.matrix = np.random.RandomState(0).rand(384, 384).astype(np.float32)
        self.samples: list[float] = []
        self.processors: list[float] = []

    def sample(self) -> float:
        """Takes a few samples, and answers with the processors it had."""
        used = time.process_time()
        began = time.perf_counter()
        for _ in range(3):
            started = time.perf_counter()
            for _ in range(4):
                self.matrix.dot(self.matrix)
            self.samples.append((time.perf_counter() - started) / 4)
        processors = (time.process_time() - used) / (time.perf_counter() - began)
        self.processors.append(processors)
        time.sleep(SETTLE_SECONDS)
        return processors

    def summary(self) -> str:
        least, median = min(self.samples), statistics.median(self.samples)
        return (
            f"control: np.dot of 384 x 384, minimum {duration(least)}, median {duration(median)}"
            f" ({median / least:.2f}x), with {statistics.median(self.processors):.2f} of {self.threads}"
            " processors; far above 1.2x, or far below that many, means that the machine was busy"
        )


def time_workloads(
    workloads: Sequence[Workload],
    settings: Settings,
    control: Control,
    environment: Mapping[str, str] | None = None,
    first_calls: bool = False,
) -> list[Row]:
    """Each workload on each peer, as many turns and seconds as the settings say; first calls too if asked."""
    rows: list[Row] = []
    workers = {peer: WorkerProcess(peer, environment) for peer in settings.peers}
    try:
        for workload in workloads:
            if time.monotonic() > settings.ops.until:
                break
            print(f"  {workload.title.strip()}", file=sys.stderr, flush=True)
            row = Row(workload)
            rows.append(row)
            answers: dict[str, list[list[float]]] = {}
            for peer, worker in workers.items():
                prepared = worker.ask("prepare", workload=workload.work)
                if "error" in prepared:
                    row.failures[peer] = prepared["error"]
                elif "answer" in prepared:
                    answers[peer] = prepared["answer"]
                    row.samples[peer] = []
                    if first_calls:
                        timed = worker.ask("first", workload=workload.work, rounds=settings.rounds)
                        row.first[peer] = timed.get("seconds", float("nan"))
            note_disagreements(row, answers)
            for turn in range(settings.rounds):
                row.processors.append(control.sample())
                order = list(row.samples)
                shift = turn % max(1, len(order))
                for peer in order[shift:] + order[:shift]:
                    time.sleep(SETTLE_SECONDS)
                    timed = workers[peer].ask(
                        "time", workload=workload.work, seconds=settings.seconds
                    )
                    if "error" in timed:
                        row.failures[peer] = timed["error"]
                        del row.samples[peer]
                    else:
                        row.samples[peer] += timed["samples"]
                        row.computing.setdefault(peer, []).append(timed["processor"])
            for peer in row.samples:
                workers[peer].ask("drop", workload=workload.work)
    finally:
        for worker in workers.values():
            worker.close()
    return rows


def ask_fresh(
    peer: str,
    do: str,
    workload: Workload,
    **arguments: Any,
) -> dict[str, Any]:
    """One question to a worker started for it: for memory, where what ran before would show."""
    with WorkerProcess(peer, dict(workload.environment)) as worker:
        return worker.ask(do, workload=workload.work, **arguments)


def note_disagreements(row: Row, answers: dict[str, list[list[float]]]) -> None:
    """Marks the peers whose answer is not PyTorch's: they did other work."""
    reference = answers.get("pytorch") or next(iter(answers.values()), None)
    if reference is None:
        return
    for peer, answer in answers.items():
        if len(answer) != len(reference):
            row.failures[peer] = f"answers with {len(answer)} arrays, expected {len(reference)}"
            continue
        for array, (ours, expected) in enumerate(zip(answer, reference, strict=True)):
            scale = max(map(abs, expected), default=0.0) or 1.0
            distance = max((abs(a - b) for a, b in zip(ours, expected, strict=False)), default=0.0)
            if len(ours) != len(expected) or not distance <= row.workload.tolerance * scale:
                row.failures[peer] = (
                    f"another answer than the others in array {array}: {ours[:4]},"
                    f" expected {expected[:4]}"
                )


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def size(count: float) -> str:
    for unit, one in (("MiB", 2**20), ("KiB", 2**10)):
        if abs(count) >= one:
            return f"{count / one:.1f} {unit}"
    return f"{count:.0f} B"


def table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Columns as wide as their widest cell: the first to the left, the numbers to the right."""
    cells = [list(header), *map(list, lines)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def goal_lines(rows: Sequence[Row], settings: Settings) -> list[str]:
    """Each promise of the rows: the ratio of the minima, of the medians, and whether it holds."""
    by_name = {row.workload.name: row for row in rows}
    lines = []
    for row in rows:
        for goal in row.workload.goals:
            other = by_name.get(goal.workload or row.workload.name)
            if other is None:
                continue
            ratios = goal_ratios(row, goal, other)
            if ratios is None:
                continue
            least, median = ratios
            limit = goal.limit(settings.faster_blas)
            against = PEERS[goal.peer].title
            if goal.workload:
                against += f" at '{other.workload.title.strip()}'"
            held = "held" if least <= limit else "MISSED"
            lines.append(
                f"{held:6}  {row.workload.title.strip()}: {least:.3f} of {against}"
                f" (medians {median:.3f}), at most {limit:.3f}"
            )
    return lines


def goal_ratios(row: Row, goal: Goal, other: Row) -> tuple[float, float] | None:
    ours, theirs = row.least("tapegrad"), other.least(goal.peer)
    our_median, their_median = row.median("tapegrad"), other.median(goal.peer)
    if ours is None or our_median is None or theirs is None or their_median is None:
        return None
    return ours / theirs, our_median / their_median


def time_table(rows: Sequence[Row], settings: Settings, show: Any = duration) -> str:
    """Minima by peer, and ours as a part of PyTorch's, by minima and by medians."""
    compared = [peer for peer in ("before", "pytorch") if peer in settings.peers]
    header = ["", *(PEERS[peer].title for peer in settings.peers)]
    for peer in compared:
        header += [f"of {PEERS[peer].title}", "by medians"]
    header.append("processors")
    lines = []
    for row in rows:
        cells = [row.workload.title]
        for peer in settings.peers:
            least = row.least(peer)
            mark = "!" if peer in row.failures else ""
            cells.append(("–" if least is None else show(least)) + mark)
        for peer in compared:
            ratios = goal_ratios(row, Goal(peer, 1.0), row)
            cells += ["–", "–"] if ratios is None else [f"{ratio:.3f}" for ratio in ratios]
        # Far below the threads, somebody else was computing.
        cells.append(f"{statistics.median(row.processors):.2f}" if row.processors else "–")
        lines.append(cells)
    notes = [
        f"! {row.workload.title.strip()}, {PEERS[peer].title}: {reason}"
        for row in rows
        for peer, reason in row.failures.items()
    ]
    return "\n".join([table(header, lines), *notes, *goal_lines(rows, settings)])


def processor_table(rows: Sequence[Row], settings: Settings) -> str:
    """What all threads of a peer computed for a step; ours, and our time, as parts of the last peer's."""
    last = settings.peers[-1]
    header = ["processor time", *(PEERS[peer].title for peer in settings.peers)]
    header += [f"of {PEERS[last].title}", "and of its time"]
    lines = []
    for row in rows:
        least = {peer: min(row.computing[peer]) for peer in row.samples}
        cells = [row.workload.title]
        cells += [duration(least[peer]) if peer in least else "–" for peer in settings.peers]
        if "tapegrad" in least and last in least:
            ratios = goal_ratios(row, Goal(last, 1.0), row)
            cells += [
                f"{least['tapegrad'] / least[last]:.3f}",
                f"{ratios[0]:.3f}" if ratios else "–",
            ]
        else:
            cells += ["–", "–"]
        lines.append(cells)
    return table(header, lines)


def rows_as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "name": row.workload.name,
            "title": row.workload.title.strip(),
            "minimum": {peer: row.least(peer) for peer in row.samples},
            "median": {peer: row.median(peer) for peer in row.samples},
            "samples": {peer: len(samples) for peer, samples in row.samples.items()},
            "processor_seconds": {peer: min(turns) for peer, turns in row.computing.items()},
            "failures": row.failures,
            "goals": [vars(goal) for goal in row.workload.goals],
            "processors": statistics.median(row.processors) if row.processors else None,
        }
        for row in rows
    ]


def rows_from_json(found: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows of a file, with their least times for samples."""
    return [
        Row(
            Workload(one["name"], one["title"], ""),
            {peer: [least] for peer, least in one["minimum"].items() if least is not None},
            dict(one["failures"]),
        )
        for one in found
    ]


def machine(threads: int) -> dict[str, Any]:
    """What a reader needs to know before comparing two runs."""
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {
        "processor": model,
        "threads": threads,
        "system": platform.platform(),
        "python": platform.python_version(),
    }
