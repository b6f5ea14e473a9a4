"""Small work, where everything is overhead: chains, a fan, a second order, and what a record keeps.

python -m benchmarks tape
"""

from typing import Any

from benchmarks.environments import PEERS
from benchmarks.harness import (
    Control,
    Row,
    ask_fresh,
    rows_as_json,
    size,
    table,
    time_table,
    time_workloads,
)
from benchmarks.settings import Settings
from benchmarks.workloads import KEPT_WORKLOAD, of_group


def run(settings: Settings, control: Control) -> dict[str, Any]:
    rows = time_workloads(of_group("tape"), settings, control)
    print(time_table(rows, settings))

    kept = Row(KEPT_WORKLOAD)
    for peer in settings.peers:
        answer = ask_fresh(peer, "kept", KEPT_WORKLOAD)
        if "bytes" in answer:
            kept.samples[peer] = [answer["bytes"] / answer["operations"]]
    print()
    print(
        table(
            [KEPT_WORKLOAD.title, *(PEERS[peer].title for peer in kept.samples)],
            [["bytes", *(size(samples[0]) for samples in kept.samples.values())]],
        )
    )
    return {"times": rows_as_json(rows), "kept": rows_as_json([kept])}
