"""Jacobians, Hessians, tangents and other derivatives beyond the first gradient, in time and in memory.

python -m benchmarks transforms
"""

from typing import Any

from benchmarks.bench_memory import peak_memory
from benchmarks.harness import Control, rows_as_json, size, time_table, time_workloads
from benchmarks.settings import Settings
from benchmarks.workloads import CHUNK_WORKLOADS, of_group


def run(settings: Settings, control: Control) -> dict[str, Any]:
    rows = time_workloads(of_group("transforms"), settings, control)
    print(time_table(rows, settings))
    print()
    peaks = peak_memory(CHUNK_WORKLOADS, settings)
    print(time_table(peaks, settings, show=size))
    return {"times": rows_as_json(rows), "peaks": rows_as_json(peaks)}
