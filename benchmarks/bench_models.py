"""Whole training steps of small and middling models, and the peak memory of a deep one's gradient.

python -m benchmarks models
"""

from typing import Any

from benchmarks.harness import (
    Control,
    Row,
    ask_fresh,
    note_disagreements,
    rows_as_json,
    size,
    time_table,
    time_workloads,
)
from benchmarks.settings import Settings
from benchmarks.workloads import MEMORY_WORKLOADS, of_group

RUNS = 3
# By default the C library keeps large blocks that were freed, and cannot always use them again: PyTorch's
# peak then differs by half from run to run. Mapped one by one, they show what was really held.
PLAIN_ALLOCATION = {"MALLOC_MMAP_THRESHOLD_": "262144"}


def run(settings: Settings, control: Control) -> dict[str, Any]:
    rows = time_workloads(
        of_group("models"), settings.peers, settings.rounds, settings.seconds, control
    )
    print(time_table(rows, settings.peers))
    print()
    memory = peak_memory(settings)
    print(time_table(memory, settings.peers, show=size))
    return {"times": rows_as_json(rows), "memory": rows_as_json(memory)}


def peak_memory(settings: Settings) -> list[Row]:
    """Each peer in a few fresh processes: what the allocator leaves unused differs by chance."""
    rows = []
    for workload in MEMORY_WORKLOADS:
        row = Row(workload)
        answers: dict[str, list[list[float]]] = {}
        for peer in RUNS * settings.peers:
            answer = ask_fresh(peer, "peak", workload, PLAIN_ALLOCATION)
            if "bytes" in answer:
                row.samples.setdefault(peer, []).append(answer["bytes"])
                answers[peer] = answer["answer"]
            elif "error" in answer:
                row.failures[peer] = answer["error"]
        note_disagreements(row, answers)
        rows.append(row)
    return rows
