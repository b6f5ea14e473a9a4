"""Peak memory of a deep gradient and of `predict`, and what 100,000 steps of a small model leave behind.

python -m benchmarks memory
"""

import math
from collections.abc import Sequence
from typing import Any

from benchmarks.environments import PEERS
from benchmarks.harness import (
    Control,
    Row,
    ask_fresh,
    duration,
    note_disagreements,
    rows_as_json,
    size,
    table,
    time_table,
)
from benchmarks.settings import Settings
from benchmarks.workloads import MEMORY_WORKLOADS, WORKLOADS, Workload

RUNS = 3
STEPS = 100_000
GROWTH_GOAL = 10**6
COMPARED = ("tapegrad", "pytorch")


def run(settings: Settings, control: Control) -> dict[str, Any]:
    peaks = peak_memory(MEMORY_WORKLOADS, settings)
    print(time_table(peaks, settings, show=size))
    print()
    return {"peaks": rows_as_json(peaks), "growth": growth(settings)}


def peak_memory(workloads: Sequence[Workload], settings: Settings) -> list[Row]:
    """Each peer in a few fresh processes: what the allocator leaves unused differs by chance."""
    rows = []
    for workload in workloads:
        row = Row(workload)
        answers: dict[str, list[list[float]]] = {}
        for peer in RUNS * settings.peers:
            answer = ask_fresh(peer, "peak", workload)
            if "bytes" in answer:
                row.samples.setdefault(peer, []).append(answer["bytes"])
                row.first[peer] = min(answer["first"], row.first.get(peer, math.inf))
                answers[peer] = answer["answer"]
            elif "error" in answer:
                row.failures[peer] = answer["error"]
        note_disagreements(row, answers)
        rows.append(row)
    return rows


def growth(settings: Settings) -> dict[str, Any]:
    """Does memory grow over many steps, and does the garbage collector find work?"""
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
