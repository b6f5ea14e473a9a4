"""What a tape can take gradients by: what it watches and what came of that, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

import golden
import tapegrad as tf
from samples import Run, all_samples, first_runs, flatten
from samples.ask import floats

RECORDED = golden.read("watched")
KNOWN = [(run, RECORDED[repr(run)]) for run in first_runs(all_samples()) if repr(run) in RECORDED]
# TensorFlow's answer is not to be followed.
OTHERWISE = {
    "ReadVariableOp": "the first result is the row's own input, which it gives back",
    "ResourceGather": "the first result is the row's own input, which it gives back",
}
SEVERAL_INPUTS = [
    run for run, _ in KNOWN if sum(array.dtype.kind in "fc" for array in run.arrays) > 1
]


def results_of(run: Run, tensors: list[Any]) -> list[Any]:
    return [
        result
        for result in flatten(run(tf, tensors))
        if isinstance(result, tf.Tensor) and floats(result)
    ]


@pytest.mark.parametrize(("run", "answer"), KNOWN, ids=repr)
def test_results_are_sources_where_they_are_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    """Also what an op without gradient gives: `tf.round(x)`."""
    assert answer["inputs"] == run.checksum
    tensors = run.tensors(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([tensor for tensor in tensors if floats(tensor)])
        results = results_of(run, tensors)
        again = [tf.identity(result) for result in results]
    known = [tape.gradient(later, result) is not None for later, result in zip(again, results)]
    if run.sample.name.startswith(tuple(OTHERWISE)):
        assert known != answer["known"]
        assert all(known)
    else:
        assert known == answer["known"]


@pytest.mark.parametrize("run", SEVERAL_INPUTS, ids=repr)
@pytest.mark.parametrize("other_tape", [False, True])
def test_what_the_tape_does_not_watch_has_no_gradient(run: Run, other_tape: bool) -> None:
    """It stands beside an input that is watched, and another tape may watch it."""
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    for source in sources:
        others = [tensor for tensor in sources if tensor is not source]
        with tf.GradientTape() as outer:
            if other_tape:
                outer.watch(others)
            with tf.GradientTape() as tape:
                tape.watch(source)
                results = results_of(run, tensors)
            assert tape.gradient(results, others) == [None] * len(others)
