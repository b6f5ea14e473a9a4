"""Several processes: collectives beside bare mpi4py and gloo, training steps, and what many ranks would do.

python -m benchmarks distribute

A model of the cost is fitted to the times of all-reduces of two ranks and checked at four. With it
docs/pictures/ranks.svg is drawn: what 1 to 1,024 ranks would do.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.environments import python_for
from benchmarks.harness import Control, duration, table
from benchmarks.settings import Settings

RANKS = Path(__file__).parent / "ranks"
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "ranks.svg"
BARE_GOAL, SPEEDUP_GOAL, HIDDEN_GOAL = 1.15, 1.7, 0.5
WORKLOADS = ("mlp", "cnn", "embedding")
TURNS = 4
# Seconds until a message arrives, and bytes a second, of networks that clusters have. Not measured here.
NETWORKS = {"Ethernet, 25 Gbit/s": (2.0e-5, 2.8e9), "InfiniBand, 100 Gbit/s": (2.0e-6, 1.1e10)}
# How much longer than the mean a step takes now and then: the standard deviation, as a part of the step.
JITTER = 0.02


def ranks(count: int, program: str, *arguments: str) -> Any:
    """What rank 0 of a program prints."""
    command = [sys.executable, "-m", "tapegrad.distribute", "-n", str(count)]
    finished = subprocess.run(
        [*command, str(RANKS / program), *arguments],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return json.loads(finished.stdout.splitlines()[-1])


def gloo() -> dict[str, float]:
    """Seconds of PyTorch's all-reduce of two processes, by the number of floats."""
    with tempfile.TemporaryDirectory() as folder:
        finished = subprocess.run(
            [python_for("pytorch"), RANKS / "gloo.py", Path(folder) / "meeting"],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    found: dict[str, float] = json.loads(finished.stdout.splitlines()[-1])
    return found


@dataclass(frozen=True)
class Cost:
    """What an all-reduce costs: ``latency`` for each doubling of the ranks, bytes through ``bandwidth``."""

    latency: float
    bandwidth: float

    def seconds(self, count: int, size: float) -> float:
        """An all-reduce of ``size`` bytes over ``count`` ranks."""
        if count == 1:
            return 0.0
        return (
            self.latency * math.ceil(math.log2(count))
            + 2 * size * (count - 1) / count / self.bandwidth
        )


def fitted(times: dict[int, float], count: int) -> Cost:
    """The cost that gives the times, in seconds by bytes, of the smallest and the largest message."""
    small, large = min(times), max(times)
    latency = times[small] / math.ceil(math.log2(count))
    rest = max(times[large] - times[small], 1e-9)
    return Cost(latency, 2 * large * (count - 1) / count / rest)


def step_seconds(cost: Cost, count: int, compute: float, size: float, buckets: int) -> float:
    """A step of a network on ``count`` ranks, each with the same work: what is not hidden adds to computing.

    Two thirds of the computing is the walk back, beside which all buckets but the last go out. The slowest of
    the ranks makes all others wait.
    """
    one = cost.seconds(count, size / buckets)
    hidden = compute * 2 / 3
    exposed = max(one, buckets * one - hidden)
    slowest = compute * JITTER * math.sqrt(2 * math.log(count)) if count > 1 else 0.0
    return compute + exposed + slowest


def draw(here: Cost, workloads: dict[str, dict[str, float]]) -> None:
    """The part of the time in which the ranks compute, by how many they are."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ranks"
    from matplotlib import pyplot

    counts = [2**k for k in range(11)]
    figure, axes = pyplot.subplots(1, len(workloads), figsize=(10, 3.2), sharey=True)
    costs = {"this machine's memory": here} | {name: Cost(*each) for name, each in NETWORKS.items()}
    for axis, (name, found) in zip(axes, workloads.items(), strict=True):
        compute = found["compute"]
        for label, cost in costs.items():
            steps = [step_seconds(cost, n, compute, found["bytes"], 3) for n in counts]
            axis.plot(counts, [compute / step for step in steps], marker=".", label=label)
        axis.axvline(64, color="0.8", linewidth=0.8)
        axis.set(title=name, xscale="log", xlabel="ranks", ylim=(0, 1.05))
        axis.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
    axes[0].set_ylabel("part of the time spent computing")
    axes[0].legend(fontsize=7, loc="lower left")
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


def run(settings: Settings, control: Control) -> dict[str, Any]:
    control.sample()
    arguments = ["--quick"] if settings.rounds < 9 else []
    rows = ranks(2, "collectives.py", *arguments)
    theirs = gloo() if "pytorch" in settings.peers else {}
    shown = []
    for name, size, bare, ours in rows:
        other = theirs.get(str(size)) if name == "all_reduce" else None
        shown.append(
            [
                name,
                f"{size:,}",
                duration(bare),
                duration(ours),
                f"{ours / bare:.2f}",
                "" if other is None else duration(other),
            ]
        )
    print(
        table(
            ["two ranks", "floats", "mpi4py", "tapegrad", "of mpi4py", "gloo"],
            shown,
        )
    )

    reduces = {4 * size: ours for name, size, _, ours in rows if name == "all_reduce"}
    cost = fitted(reduces, 2)
    control.sample()
    four = ranks(4, "collectives.py", "--quick")
    checked = [
        [f"{size:,}", duration(ours), duration(cost.seconds(4, 4 * size))]
        for name, size, _, ours in four
        if name == "all_reduce"
    ]
    print(table(["all_reduce of 4 ranks, floats", "measured", "by the model"], checked))

    training: dict[str, dict[str, Any]] = {}
    for name in WORKLOADS:
        found: dict[int, list[Any]] = {1: [], 2: []}
        for _ in range(2 if arguments else TURNS):
            control.sample()
            for count, turns in found.items():
                turns.append(ranks(count, "training.py", name))
        best = {count: min(turns, key=lambda turn: turn["best"]) for count, turns in found.items()}
        one, two = best[1], best[2]
        training[name] = {
            "one": one["best"],
            "two": two["best"],
            "speedup": one["best"] / two["best"],
            "by_processor": min(turn["processor"] for turn in found[1])
            / min(turn["processor"] for turn in found[2]),
            "hidden": 1 - two["waited"] / two["sent"] if two["sent"] else 1.0,
            "bytes": two["bytes"],
            "compute": min(turn["processor"] for turn in found[2]),
        }
    print(
        table(
            ["step", "one process", "two", "times as fast", "by processor time", "hidden"],
            [
                [
                    name,
                    duration(found["one"]),
                    duration(found["two"]),
                    f"{found['speedup']:.2f}",
                    f"{found['by_processor']:.2f}",
                    f"{found['hidden']:.0%}",
                ]
                for name, found in training.items()
            ],
        )
    )
    draw(cost, training)
    print(
        f"fitted: {duration(cost.latency)} for each doubling of the ranks, {cost.bandwidth / 1e9:.2f} GB/s"
    )
    goals = {
        "collectives": (max(ours / bare for _, _, bare, ours in rows), BARE_GOAL),
        "speedup": (min(found["speedup"] for found in training.values()), SPEEDUP_GOAL),
        "hidden": (min(found["hidden"] for found in training.values()), HIDDEN_GOAL),
    }
    for name, (found_value, goal) in goals.items():
        print(f"{name}: {found_value:.2f}, the goal is {goal}")
    return {
        "collectives": rows,
        "gloo": theirs,
        "four": four,
        "training": training,
        "cost": asdict(cost),
    }
