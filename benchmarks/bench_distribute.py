"""Several processes: collectives beside bare mpi4py and gloo, training steps, and what many ranks would do.

python -m benchmarks distribute

A model of the cost is fitted to the times of all-reduces of two ranks, on two processors and on one. It must
give other times of two and of four ranks, and of training steps. With it docs/pictures/ranks.svg is drawn:
what 1 to 1,024 ranks would do.
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
# The model is fitted to all-reduces of so many bytes, and must give the other times to within this part of
# them.
FITTED_TO = (40, 40_000, 4_000_000)
TOLERANCE = 0.3
# Bytes of all ranks up to which arrays are laid down: see tapegrad.distribute.mpi.
SMALL = 262_144


def ranks(count: int, program: str, *arguments: str, processors: int | None = None) -> Any:
    """What rank 0 of a program prints; on the first ``processors`` processors, if that is given."""
    mine = sorted(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "tapegrad.distribute", "-n", str(count)]
    finished = subprocess.run(
        [*command, str(RANKS / program), *arguments],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: os.sched_setaffinity(0, mine[:processors]),
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
    """What collectives cost.

    An all-reduce takes ``latency`` for each doubling of the ranks, and each rank sends and gets almost twice
    the bytes, through ``bandwidth``. Small arrays are laid down where all ranks read them: that takes
    ``meeting`` and ``reading`` for each byte of all ranks. ``crowded`` is how much longer than its part of
    the processor a message takes where ranks share processors, and ``turn`` how long it takes to give the
    processor to the next rank. Slices of other ranks have to be added to a variable too, by every rank:
    ``applying`` for each byte.
    """

    latency: float
    bandwidth: float
    meeting: float = 0.0
    reading: float = 0.0
    small: int = 0
    turn: float = 0.0
    crowded: float = 1.0
    by_processor: bool = False
    applying: float = 0.0

    def reduce(self, count: int, size: float, ranks_of_processor: int = 1) -> float:
        """Seconds of an all-reduce of ``size`` bytes over ``count`` ranks."""
        if count == 1:
            return 0.0
        doublings = math.ceil(math.log2(count))
        turns = (ranks_of_processor - 1) * self.turn
        if size * count <= self.small:
            one = self.meeting * doublings + self.reading * size * count
            return one * ranks_of_processor + turns
        one = self.latency * doublings + 2 * size * (count - 1) / count / self.bandwidth
        more = self.crowded if ranks_of_processor > 1 else 1.0
        return one * ranks_of_processor * more + turns

    def gather(self, count: int, size: float, ranks_of_processor: int = 1) -> float:
        """Seconds of an all-gather: each rank gets ``size`` bytes of each of the others."""
        if count == 1:
            return 0.0
        return self.reduce(count, size * count / 2, ranks_of_processor)

    def step(
        self,
        count: int,
        compute: float,
        messages: list[Any],
        jitter: float,
        ranks_of_processor: int = 1,
    ) -> float:
        """A step of a network: what is not hidden adds to computing.

        Two thirds of the computing is the walk back, beside which a network carries all messages but the
        last one that is not small. Where the first message is the largest it leaves in the middle of the
        walk. Through memory it is the processors themselves that carry them. The slowest of the ranks makes
        all others wait.
        """
        each = []
        for kind, size, dense in messages:
            seconds, applied = self.reduce(count, dense, ranks_of_processor), 0.0
            if kind == "slices":
                # Many ranks send less if slices are made dense: sparse_as_dense=True.
                sparse = self.gather(count, size, ranks_of_processor)
                of_others = size * (count - 1) * self.applying
                of_table = dense * self.applying
                if sparse + of_others < seconds + of_table:
                    seconds, applied = sparse, of_others
                else:
                    applied = of_table
            each.append(seconds)
            compute += applied
        compute *= ranks_of_processor
        exposed = sum(each)
        if not self.by_processor:
            hidden = sum(each) - max(each[-2:], default=0.0)
            late = bool(each) and each[0] == max(each)
            exposed -= min(hidden, compute * (1 / 3 if late else 2 / 3))
        slowest = compute * jitter * math.sqrt(2 * math.log(count)) if count > 1 else 0.0
        return compute + exposed + slowest


def fitted(here: dict[int, float], one: dict[int, float]) -> Cost:
    """The cost that gives the times, by bytes, of two ranks on two processors, and of two on one."""
    tiny, small, large = FITTED_TO
    reading = max(here[small] - here[tiny], 1e-9) / (2 * (small - tiny))
    meeting = here[tiny] - reading * 2 * tiny
    latency = meeting
    bandwidth = large / max(here[large] - latency, 1e-9)
    turn = max(one[tiny] - 2 * here[tiny], 0.0)
    crowded = max((one[large] - turn) / (2 * here[large]), 1.0)
    # Adding rows to a table takes a byte about as long as adding up arrays.
    return Cost(
        latency, bandwidth, meeting, reading, SMALL, turn, crowded, True, applying=1 / bandwidth
    )


def draw(here: Cost, workloads: dict[str, dict[str, Any]], jitter: float) -> dict[str, Any]:
    """The part of the time in which the ranks compute, by how many they are. Returns it for 64 and 1,024."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ranks"
    from matplotlib import pyplot

    counts = [2**k for k in range(11)]
    figure, axes = pyplot.subplots(1, len(workloads), figsize=(10, 3.4), sharey=True)
    costs = {"this machine's memory": here} | {
        name: Cost(*each, applying=here.applying) for name, each in NETWORKS.items()
    }
    found: dict[str, Any] = {}
    for axis, (name, workload) in zip(axes, workloads.items(), strict=True):
        compute = workload["compute"]
        for label, cost in costs.items():
            parts = [compute / cost.step(n, compute, workload["messages"], jitter) for n in counts]
            axis.plot(counts, parts, marker=".", label=label)
            found[f"{name}, {label}"] = (parts[counts.index(64)], parts[-1])
        axis.axvline(64, color="0.8", linewidth=0.8)
        axis.set(title=name, xscale="log", xlabel="ranks", ylim=(0, 1.05))
        axis.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
        axis.minorticks_off()
    axes[0].set_ylabel("part of the time spent computing")
    axes[0].legend(fontsize=8, loc="lower left")
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})
    return found


def reduces_of(rows: list[Any]) -> dict[int, float]:
    """The seconds of all-reduces by their bytes."""
    return {4 * size: ours for name, size, _, ours in rows if name == "all_reduce"}


def quartered(messages: list[Any]) -> list[Any]:
    """The messages of four ranks that share the batch of two: each has half of the slices."""
    return [(kind, size / 2 if kind == "slices" else size, dense) for kind, size, dense in messages]


def check(rows: list[tuple[str, float, float]]) -> float:
    """Print what was measured beside what the model says. Returns the greatest difference, as a part."""
    worst = max(abs(model / measured - 1) for _, measured, model in rows)
    shown = [
        [what, duration(measured), duration(model), f"{model / measured - 1:+.0%}"]
        for what, measured, model in rows
    ]
    print(table(["checked", "measured", "by the model", "difference"], shown))
    return worst


def run(settings: Settings, control: Control) -> dict[str, Any]:
    control.sample()
    arguments = ["--quick"] if settings.rounds < 9 else []
    rows = ranks(2, "collectives.py", *arguments)
    of_tensors = [row for row in rows if row[0].endswith("tensor")]
    into_buffers = [row for row in rows if not row[0].endswith("tensor")]
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

    processors = len(os.sched_getaffinity(0))
    control.sample()
    here = reduces_of(rows)
    cost = fitted(here, reduces_of(ranks(2, "collectives.py", "--quick", processors=1)))
    control.sample()
    four = reduces_of(ranks(4, "collectives.py", "--quick"))
    share = -(-4 // processors)
    checks = [
        (f"all_reduce of {size // 4:,} floats, 2 ranks", seconds, cost.reduce(2, size))
        for size, seconds in here.items()
        if size not in FITTED_TO
    ] + [
        (f"all_reduce of {size // 4:,} floats, 4 ranks", seconds, cost.reduce(4, size, share))
        for size, seconds in four.items()
    ]

    training: dict[str, dict[str, Any]] = {}
    jitters = []
    for name in WORKLOADS:
        # One process with the whole batch, with half of it, and with a quarter; two and four ranks.
        cases = {(1, 1): [], (1, 2): [], (1, 4): [], (2, 2): [], (4, 4): []}
        found: dict[tuple[int, int], list[Any]] = cases
        for _ in range(2 if arguments else TURNS):
            control.sample()
            for (count, parts), turns in found.items():
                turns.append(ranks(count, "training.py", name, str(parts)))
        best = {case: min(turns, key=lambda turn: turn["best"]) for case, turns in found.items()}
        one, two = best[1, 1], best[2, 2]
        jitters.append(best[1, 2]["median"] / best[1, 2]["best"] - 1)
        training[name] = {
            "one": one["best"],
            "half": best[1, 2]["best"],
            "two": two["best"],
            "speedup": one["best"] / two["best"],
            "by_processor": min(turn["processor"] for turn in found[1, 1])
            / min(turn["processor"] for turn in found[2, 2]),
            "hidden": 1 - two["waited"] / two["away"] if two["away"] else 1.0,
            "carried": two["carried"],
            "messages": two["messages"],
            "compute": best[1, 2]["best"],
            "four": best[4, 4]["best"],
            "quarter": best[1, 4]["best"],
        }
    print(
        table(
            [
                "step",
                "one process",
                "half the batch",
                "two",
                "times as fast",
                "by processor time",
                "hidden",
                "carried",
            ],
            [
                [
                    name,
                    duration(found["one"]),
                    duration(found["half"]),
                    duration(found["two"]),
                    f"{found['speedup']:.2f}",
                    f"{found['by_processor']:.2f}",
                    f"{found['hidden']:.0%}",
                    duration(found["carried"]),
                ]
                for name, found in training.items()
            ],
        )
    )
    jitter = min(jitters)
    for name, each in training.items():
        two_ranks = cost.step(2, each["half"], each["messages"], jitter)
        four_ranks = cost.step(4, each["quarter"], quartered(each["messages"]), jitter, share)
        checks += [
            (f"step of {name}, 2 ranks", each["two"], two_ranks),
            (f"step of {name}, 4 ranks", each["four"], four_ranks),
        ]
    worst = check(checks)
    print(
        f"fitted: a meeting {duration(cost.meeting)}, {cost.bandwidth / 1e9:.2f} GB/s; where ranks share a "
        f"processor, {duration(cost.turn)} for each turn, and large messages "
        f"{cost.crowded:.2f} times as long; steps vary by {jitter:.1%}"
    )
    drawn = draw(cost, training, jitter)
    for what, (at_64, at_1024) in drawn.items():
        print(f"{what}: {at_64:.0%} of the time computing on 64 ranks, {at_1024:.0%} on 1,024")
    goals = {
        "collectives": (max(ours / bare for _, _, bare, ours in into_buffers), BARE_GOAL),
        "collectives of tensors": (max(ours / bare for _, _, bare, ours in of_tensors), BARE_GOAL),
        "speedup": (min(found["speedup"] for found in training.values()), SPEEDUP_GOAL),
        "hidden": (min(found["hidden"] for found in training.values()), HIDDEN_GOAL),
        "model": (worst, TOLERANCE),
    }
    for name, (found_value, goal) in goals.items():
        print(f"{name}: {found_value:.2f}, the goal is {goal}")
    return {
        "collectives": rows,
        "gloo": theirs,
        "four": {str(size): seconds for size, seconds in four.items()},
        "drawn": drawn,
        "training": training,
        "cost": asdict(cost),
    }
