"""One op, or a few of them, on arrays that fill caches: what kernels, threads and memory traffic cost.

python -m benchmarks kernels
"""

from typing import Any

from benchmarks.harness import Control, rows_as_json, time_table, time_workloads
from benchmarks.settings import Settings
from benchmarks.workloads import of_group


def run(settings: Settings, control: Control) -> dict[str, Any]:
    rows = time_workloads(of_group("kernels"), settings, control)
    print(time_table(rows, settings))
    return {"times": rows_as_json(rows)}
