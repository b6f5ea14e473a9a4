"""Data sets from arrays in memory: an epoch in batches, shuffled or not, and with a function of each row.

python -m benchmarks data
"""

from dataclasses import replace
from typing import Any

from benchmarks.harness import Control, rows_as_json, time_table, time_workloads
from benchmarks.settings import Settings
from benchmarks.workloads import of_group

# Whoever compiles steps reads the same batches by the same code as without it.
PEERS = {"tapegrad", "before", "pytorch", "tensorflow"}


def run(settings: Settings, control: Control) -> dict[str, Any]:
    settings = replace(settings, peers=[peer for peer in settings.peers if peer in PEERS])
    rows = time_workloads(of_group("data"), settings, control)
    print(time_table(rows, settings))
    return {"times": rows_as_json(rows)}
