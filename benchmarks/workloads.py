"""The table of workloads: every row is one name that the peers implement, and what we promise for it.

To add a workload, add a row here and a function of that name to benchmarks/peers/*_workloads.py, in
each peer's best idiom; a peer without the function gets a dash. The function prepares everything and
returns `step`, which does the work once, waits for it, and returns what it computed, so that the
peers' answers can be compared before their times are.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """The row's time shall be at most ``ratio`` times the peer's time for ``workload``."""

    peer: str
    ratio: float
    workload: str | None = None  # the same row where None


@dataclass(frozen=True)
class Workload:
    name: str
    title: str
    group: str
    goals: tuple[Goal, ...] = ()
    # The answers of two peers may differ by this much, relative to the largest number in them.
    tolerance: float = 1e-4


WORKLOADS = [
    Workload(
        "multiply_20",
        "20 multiplications of a scalar",
        "tape",
        (Goal("pytorch", 1 / 6), Goal("tensorflow", 1 / 50)),
    ),
    Workload(
        "multiply_20_forward",
        "  forward only, no tape",
        "tape",
        (Goal("pytorch", 1 / 8),),
    ),
    Workload("multiply_20_recorded", "  forward only, recorded", "tape"),
    Workload("multiply_20_constant", "  by a constant tensor", "tape"),
    Workload(
        "multiply_20_number",
        "  by a Python number",
        "tape",
        (Goal("tapegrad", 1.15, "multiply_20_constant"),),
    ),
    Workload(
        "multiply_20_number_forward",
        "  by a Python number, forward only",
        "tape",
        (Goal("tapegrad", 1.15, "multiply_20_forward"),),
    ),
    Workload("multiply_20_second_order", "  second derivative", "tape"),
    Workload("multiply_200", "200 multiplications of a scalar", "tape", (Goal("pytorch", 1 / 6),)),
    Workload("fan_100", "one scalar used 100 times, summed", "tape"),
    Workload("chain_20000", "a chain of 20,000 multiplications", "tape"),
    Workload("small_mlp", "tanh MLP 4-32-32-2, batch 1, + SGD", "models"),
    Workload("wide_mlp", "MLP 784-512-512-10, batch 128, + SGD", "models", tolerance=1e-3),
]

# Peak memory of one gradient, in a process of its own.
MEMORY_WORKLOADS = [
    Workload(
        "deep_mlp",
        "relu MLP, 20 layers of 1024, batch 4096",
        "memory",
        (Goal("pytorch", 1.0),),
        tolerance=1e-3,
    ),
]

# What a recorded operation keeps alive until its gradient is taken.
KEPT_WORKLOAD = Workload("kept_chain", "kept alive by one recorded multiplication", "memory")


def of_group(group: str) -> list[Workload]:
    return [workload for workload in WORKLOADS if workload.group == group]
