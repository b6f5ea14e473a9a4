"""100,000 training steps of a small model: does memory grow, and does the garbage collector find work?

python -m benchmarks memory
"""

from typing import Any

from benchmarks.environments import PEERS
from benchmarks.harness import Control, ask_fresh, duration, size, table
from benchmarks.settings import Settings
from benchmarks.workloads import WORKLOADS

STEPS = 100_000
GROWTH_GOAL = 10**6
COMPARED = ("tapegrad", "pytorch")


def run(settings: Settings, control: Control) -> dict[str, Any]:
    (workload,) = (workload for workload in WORKLOADS if workload.name == "small_mlp")
    answers = {
        peer: ask_fresh(peer, "growth", workload, steps=STEPS)
        for peer in COMPARED
        if peer in settings.peers
    }
    for peer, answer in answers.items():
        if "error" in answer:
            print(f"{PEERS[peer].title}: {answer['error']}")
    measured = {peer: answer for peer, answer in answers.items() if "bytes" in answer}
    print(
        table(
            [f"{STEPS:,} steps, no garbage collector", "memory grew", "in cycles", "per step"],
            [
                [
                    PEERS[peer].title,
                    size(answer["bytes"]),
                    f"{answer['unreachable']} objects",
                    duration(answer["seconds_per_step"]),
                ]
                for peer, answer in measured.items()
            ],
        )
    )
    ours = measured.get("tapegrad")
    if ours:
        kept = ours["bytes"] < GROWTH_GOAL and ours["unreachable"] == 0
        print(
            f"{'held' if kept else 'MISSED'}  memory grows by less than 1 MB, and no cycle is made"
        )
    return answers
