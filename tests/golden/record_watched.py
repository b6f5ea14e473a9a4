"""Record of which results TensorFlow's tape can take gradients by, where it watches the inputs.

Run it where tensorflow-cpu 2.21 is installed, from anywhere:

    python tests/golden/record_watched.py

The gradient of ``tf.identity(result)`` by ``result`` is one, or None where the tape has not seen the
result: ops without a gradient pass nothing on to their inputs, but what they give can be a source.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import tensorflow as tf

import golden
import samples


def known_results(run: samples.Run) -> list[bool] | None:
    """For each floating result, whether a gradient by it is there; None where there is no such result."""
    tensors = run.tensors(tf)
    floating = [t for t in tensors if t.dtype.is_floating or t.dtype.is_complex]
    if not floating:
        return None
    try:
        with tf.GradientTape(persistent=True) as tape:
            for tensor in floating:
                tape.watch(tensor)
            results = [
                result
                for result in samples.flatten(run(tf, tensors))
                if isinstance(result, tf.Tensor)
                and (result.dtype.is_floating or result.dtype.is_complex)
            ]
            again = [tf.identity(result) for result in results]
        return [
            tape.gradient(later, result) is not None
            for later, result in zip(again, results, strict=True)
        ] or None
    except Exception:
        return (
            None  # TensorFlow's walk goes on beyond the source, and meets ops without a rule there
        )


def main() -> None:
    """Ask the first case of every row."""
    warnings.simplefilter("ignore")
    answers: dict[str, dict[str, Any]] = {}
    for sample in samples.all_samples():
        for run in samples.first_runs([sample]):
            known = known_results(run)
            if known is not None:
                answers[repr(run)] = {"inputs": run.checksum, "known": known}
    golden.write("watched", answers)
    print(f"{len(answers)} runs")


if __name__ == "__main__":
    main()
