"""Prints the rows of the sample table that are not recorded when this process meets them for the first time.

    python tests/first_recordings.py

Rules and kernels are read as programs when they are first used. In a process in which other tests have used
them, a recording does not see that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapegrad as tf
from samples import Run, all_samples, flatten, runs
from samples.ask import Reused, dense_gradients


def refused(run: Run, function: Any) -> list[str]:
    """Why ``function`` of the tensors of a row stays Python. An error of the row itself is none."""
    reused = Reused()

    def without_new_variables(tensors: Any) -> Any:
        with reused:
            return function(tensors)

    recorded = tf.function(without_new_variables)
    try:
        recorded(run.tensors(tf))
    except Exception:
        return []
    return [line for line in str(recorded.explain()).splitlines() if "stays Python" in line]


def main() -> None:
    for sample in all_samples():
        run = next(iter(runs([sample])))
        found = refused(run, lambda tensors, run=run: flatten(run(tf, tensors)))
        if sample.differentiable:
            found += refused(run, lambda tensors, run=run: dense_gradients(run, tensors))
        for line in found:
            print(f"{run!r}: {line.strip()}")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
