"""Every row's results equal those that TensorFlow recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

import golden
from by_row import by_row
from samples import Run
from samples.ask import check_recorded, compare, recorded_runs, values

# test_kinks asks those runs whose value is promised to differ from TensorFlow's.
_RUNS = [
    (run, answer)
    for run, answer in recorded_runs()
    if "error" not in answer and not (run.case.differs and run.case.value is not None)
]


@by_row(_RUNS)
def test_result_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    with np.errstate(all="ignore"):
        results = values(run)
    expected = [golden.decode(coded) for coded in answer["outputs"]]
    assert len(results) == len(expected)
    for place, (actual, wanted) in enumerate(zip(results, expected, strict=True)):
        if wanted.dtype != object:
            assert actual.dtype == wanted.dtype, f"result {place} of {run!r}"
        compare(actual, wanted, run, f"result {place}")
