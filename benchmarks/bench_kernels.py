"""One op, or a few of them, on arrays that fill caches: what kernels, threads and memory traffic cost.

python -m benchmarks kernels

The kernels themselves follow, beside the NumPy loops that they stand in for (`numpy_loops`).
"""

from typing import Any

import numpy as np

from benchmarks import numpy_loops
from benchmarks.harness import Control, rows_as_json, time_table, time_workloads
from benchmarks.settings import Settings
from benchmarks.workloads import of_group


def run(settings: Settings, control: Control) -> dict[str, Any]:
    rows = time_workloads(of_group("kernels"), settings, control)
    print(time_table(rows, settings))
    with np.errstate(all="ignore"):
        ratios = numpy_loops.compare([])
    print(f"\n{numpy_loops.show(ratios)}")
    return {"times": rows_as_json(rows), "numpy_loops": ratios}
